//! Writes the head of a module: variables, decorations and the entry point.

use std::fmt::Write as _;

use super::super::points::{COUNTER_POINT, INPUT_POINT, OUTPUT_POINT, SUM_POINT, UNIFORM_POINT};
use super::super::tree::{
    COUNTERS, INPUTS, INVOCATIONS, Interpolation, OWN_OUTPUTS, Scalar, StageKind, Type, Varying,
    WORKGROUPS, Widths,
};
use super::Writer;

impl Writer<'_> {
    pub(super) fn text(self) -> String {
        let (model, mode) = match self.kind {
            StageKind::Vertex => ("Vertex", String::new()),
            StageKind::Control
            | StageKind::Evaluation
            | StageKind::Geometry
            | StageKind::Fragment => {
                ("Fragment", "OpExecutionMode %main OriginLowerLeft\n".to_owned())
            }
            StageKind::Compute => {
                let mode = format!("OpExecutionMode %main LocalSize {INVOCATIONS} 1 1\n");
                ("GLCompute", mode)
            }
        };
        let wide = if self.program.widths == Widths::Wide {
            "OpCapability Int64\nOpCapability Float64\n"
        } else {
            ""
        };
        let is_controlled = ["Coarse ", "Fine "].iter().any(|end| self.code.contains(end));
        let control = if is_controlled { "OpCapability DerivativeControl\n" } else { "" };
        format!(
            "OpCapability Shader\nOpCapability ImageQuery\n{wide}{control}%glsl = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel Logical GLSL450\n\
             OpEntryPoint {model} %main \"main\" {}\n{mode}{}{}{}{}",
            self.interface.join(" "),
            self.decorations,
            self.declared.text,
            self.globals,
            self.code
        )
    }

    fn decorate(&mut self, text: &str) {
        let _ = writeln!(self.decorations, "OpDecorate {text}");
    }

    pub(super) fn global(&mut self, name: &str, class: &str, ty: &str) {
        let pointer = self.declared.pointer(class, ty);
        let _ = writeln!(self.globals, "{name} = OpVariable {pointer} {class}");
        if matches!(class, "Input" | "Output") {
            self.interface.push(name.to_owned());
        }
    }

    pub(super) fn interface(&mut self) {
        self.uniforms();
        let uint = self.declared.scalar(Scalar::Uint);
        self.buffer(INPUT_POINT, "%inputs", &uint, usize::from(INPUTS));
        self.own_memory();
        let vec4 = self.ty(Type::Value(Scalar::Float, 4));
        match self.kind {
            StageKind::Vertex => {
                self.varyings("Output");
                self.decorate("%piglit_vertex Location 0");
                self.global("%piglit_vertex", "Input", &vec4);
                self.decorate("%position BuiltIn Position");
                self.global("%position", "Output", &vec4);
                let int = self.declared.scalar(Scalar::Int);
                self.built_in("%vertex", "VertexIndex", &int);
            }
            StageKind::Control | StageKind::Evaluation | StageKind::Geometry => {}
            StageKind::Fragment => {
                self.varyings("Input");
                let words = self.ty(Type::Value(Scalar::Uint, 4));
                self.decorate("%words Location 0");
                self.global("%words", "Output", &words);
                self.decorate("%floats Location 1");
                self.global("%floats", "Output", &vec4);
                self.built_in("%fragment", "FragCoord", &vec4);
            }
            StageKind::Compute => {
                let float = self.declared.scalar(Scalar::Float);
                let invocations = usize::from(INVOCATIONS * WORKGROUPS);
                let outputs = invocations * usize::from(OWN_OUTPUTS);
                self.buffer(OUTPUT_POINT, "%outputs", &uint, outputs);
                self.buffer(SUM_POINT, "%sums", &float, invocations);
                self.buffer(COUNTER_POINT, "%counters", &uint, usize::from(COUNTERS));
                let count = self.declared.number(Scalar::Uint, &INVOCATIONS.to_string());
                let rows = self.declared.id(&format!("OpTypeArray {uint} {count}"));
                self.global("%rows", "Workgroup", &rows);
                self.built_in("%invocation", "LocalInvocationIndex", &uint);
                let three = self.ty(Type::Value(Scalar::Uint, 3));
                self.built_in("%group", "WorkgroupId", &three);
            }
        }
    }

    fn built_in(&mut self, name: &str, word: &str, ty: &str) {
        self.decorate(&format!("{name} BuiltIn {word}"));
        self.global(name, "Input", ty);
    }

    fn uniforms(&mut self) {
        let members = [Scalar::Int, Scalar::Uint, Scalar::Float].map(|one| Type::Value(one, 4));
        let members = members.map(|member| self.ty(member)).join(" ");
        let block = self.declared.id(&format!("OpTypeStruct {members}"));
        self.decorate(&format!("{block} Block"));
        for (member, offset) in [(0, 0), (1, 16), (2, 32)] {
            let _ = writeln!(self.decorations, "OpMemberDecorate {block} {member} Offset {offset}");
        }
        self.bind("%uniforms", UNIFORM_POINT);
        self.global("%uniforms", "Uniform", &block);
        self.textures();
    }

    pub(super) fn bind(&mut self, name: &str, point: u8) {
        self.decorate(&format!("{name} DescriptorSet 0"));
        self.decorate(&format!("{name} Binding {point}"));
    }

    /// A storage buffer of numbers. Its array has an id of its own, because others have no stride.
    pub(super) fn buffer(&mut self, point: u8, name: &str, ty: &str, count: usize) {
        let count = self.declared.number(Scalar::Uint, &count.to_string());
        let array = format!("{name}_array");
        let block = format!("{name}_block");
        let _ = writeln!(self.declared.text, "{array} = OpTypeArray {ty} {count}");
        let _ = writeln!(self.declared.text, "{block} = OpTypeStruct {array}");
        self.decorate(&format!("{array} ArrayStride 4"));
        self.decorate(&format!("{block} BufferBlock"));
        let _ = writeln!(self.decorations, "OpMemberDecorate {block} 0 Offset 0");
        self.bind(name, point);
        self.global(name, "Uniform", &block);
    }

    fn varyings(&mut self, class: &str) {
        let mut location = 0;
        for Varying { variable, interpolation } in self.program.varyings.clone() {
            let name = format!("%v{}", variable.number);
            self.decorate(&format!("{name} Location {location}"));
            match interpolation {
                Interpolation::Perspective => {}
                Interpolation::Centroid => self.decorate(&format!("{name} Centroid")),
                Interpolation::Linear => self.decorate(&format!("{name} NoPerspective")),
                Interpolation::Flat => self.decorate(&format!("{name} Flat")),
            }
            let ty = self.ty(variable.ty);
            self.global(&name, class, &ty);
            location += self.program.types.locations(variable.ty);
        }
    }

    /// Copies the numbers of the invocation into variables of the main function.
    pub(super) fn numbers(&mut self) {
        let uint = self.declared.scalar(Scalar::Uint);
        let copied = |writer: &mut Self, name: &str, ty: Type, value: &str| {
            writer.local(name, ty);
            writer.line(&format!("OpStore {name} {value}"));
        };
        let scalar = Type::Value(Scalar::Uint, 1);
        match self.kind {
            StageKind::Vertex => {
                let int = self.declared.scalar(Scalar::Int);
                let vertex = self.result("OpLoad", &int, "%vertex");
                let vertex = self.result("OpBitcast", &uint, &vertex);
                copied(self, "%b0", scalar, &vertex);
            }
            StageKind::Control | StageKind::Evaluation | StageKind::Geometry => {}
            StageKind::Fragment => {
                let [vec4, vec2] = [4, 2].map(|count| self.ty(Type::Value(Scalar::Float, count)));
                let place = self.result("OpLoad", &vec4, "%fragment");
                let place = self.result("OpVectorShuffle", &vec2, &format!("{place} {place} 0 1"));
                let ty = Type::Value(Scalar::Int, 2);
                let pixel = self.ty(ty);
                let pixel = self.result("OpConvertFToS", &pixel, &place);
                copied(self, "%b0", ty, &pixel);
            }
            StageKind::Compute => {
                let invocation = self.result("OpLoad", &uint, "%invocation");
                copied(self, "%b0", scalar, &invocation);
                let three = self.ty(Type::Value(Scalar::Uint, 3));
                let group = self.result("OpLoad", &three, "%group");
                let group = self.result("OpCompositeExtract", &uint, &format!("{group} 0"));
                copied(self, "%b1", scalar, &group);
            }
        }
    }

    /// A pointer to the sum of the invocation.
    pub(super) fn own_sum(&mut self) -> String {
        let [uint, float] = [Scalar::Uint, Scalar::Float].map(|one| self.declared.scalar(one));
        let group = self.result("OpLoad", &uint, "%b1");
        let count = self.declared.number(Scalar::Uint, &INVOCATIONS.to_string());
        let first = self.result("OpIMul", &uint, &format!("{group} {count}"));
        let invocation = self.result("OpLoad", &uint, "%b0");
        let index = self.result("OpIAdd", &uint, &format!("{first} {invocation}"));
        let zero = self.declared.number(Scalar::Int, "0");
        let pointer = self.declared.pointer("Uniform", &float);
        self.result("OpAccessChain", &pointer, &format!("%sums {zero} {index}"))
    }
}
