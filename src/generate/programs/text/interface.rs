//! Writes what stands before the functions: types, resources, inputs and outputs.

use super::super::operation::Op;
use super::super::points::{COUNTER_POINT, INPUT_POINT, OUTPUT_POINT, SUM_POINT, UNIFORM_POINT};
use super::super::tree::{
    COUNTERS, INPUTS, INVOCATIONS, Interpolation, OWN_OUTPUTS, Scalar, StageKind, Type, Varying,
    WORKGROUPS, Widths,
};
use super::Writer;

impl Writer<'_> {
    pub(super) fn head(&mut self) {
        match (self.program.widths, self.is_wgsl) {
            (Widths::Wide, false) => self.line("#extension GL_ARB_gpu_shader_int64 : require"),
            (Widths::Half, true) => self.line("enable f16;"),
            (Widths::Usual | Widths::Wide | Widths::Half, _) => {}
        }
    }

    /// True if the stage needs the function for an operation.
    pub(super) fn uses(&self, op: Op) -> bool {
        self.ops.contains(&op)
    }

    pub(super) fn structures(&mut self) {
        let end = if self.is_wgsl { ',' } else { ';' };
        for (number, members) in self.program.types.structs.iter().enumerate() {
            self.line(&format!("struct Struct{number} {{"));
            for (number, ty) in members.iter().enumerate() {
                let member = self.named(*ty, &format!("m{number}"));
                self.line(&format!("    {member}{end}"));
            }
            self.line(if self.is_wgsl { "}" } else { "};" });
        }
    }

    pub(super) fn resources(&mut self) {
        for (number, scalar) in (0..).zip([Scalar::Int, Scalar::Uint, Scalar::Float]) {
            let named = self.named(Type::Value(scalar, 4), &format!("u{number}"));
            let point = UNIFORM_POINT + number;
            self.line(&if self.is_wgsl {
                format!("@group(0) @binding({point}) var<uniform> {named};")
            } else {
                format!("uniform {named};")
            });
        }
        self.textures();
        self.buffer(INPUT_POINT, "inputs", ["uint", "u32"], usize::from(INPUTS));
        self.own_memory();
        if self.kind != StageKind::Compute {
            return;
        }
        let invocations = usize::from(INVOCATIONS * WORKGROUPS);
        self.buffer(
            OUTPUT_POINT,
            "outputs",
            ["uint", "u32"],
            invocations * usize::from(OWN_OUTPUTS),
        );
        self.buffer(SUM_POINT, "sums", ["float", "f32"], invocations);
        self.buffer(COUNTER_POINT, "counters", ["uint", "atomic<u32>"], usize::from(COUNTERS));
        if self.is_wgsl {
            self.line(&format!("var<workgroup> rows: array<u32, {INVOCATIONS}>;"));
        } else {
            self.line(&format!("layout(local_size_x = {INVOCATIONS}) in;"));
            self.line(&format!("shared uint rows[{INVOCATIONS}];"));
        }
    }

    /// A storage buffer of numbers, whose type has a name in each language.
    pub(super) fn buffer(&mut self, point: u8, name: &str, types: [&str; 2], count: usize) {
        let [glsl, wgsl] = types;
        let is_read = point == INPUT_POINT;
        self.line(&if self.is_wgsl {
            let access = if is_read { "read" } else { "read_write" };
            format!("@group(0) @binding({point}) var<storage, {access}> {name}: array<{wgsl}, {count}>;")
        } else {
            let access = if is_read { "readonly " } else { "" };
            format!(
                "layout(std430, binding = {point}) {access}buffer Block{point} {{ {glsl} {name}[{count}]; }};"
            )
        });
    }

    pub(super) fn interface(&mut self) {
        match (self.kind, self.is_wgsl) {
            (StageKind::Compute, _) => {}
            (StageKind::Vertex, true) => self.wgsl_varyings(),
            (StageKind::Fragment, true) => {
                self.wgsl_varyings();
                self.line("struct Results { @location(0) words: vec4<u32>, @location(1) floats: vec4<f32> }");
            }
            (StageKind::Vertex, false) => {
                self.line("in vec4 piglit_vertex;");
                self.glsl_varyings("out");
            }
            (StageKind::Control | StageKind::Evaluation | StageKind::Geometry, _) => {
                self.glsl_varyings("in");
                self.line(match self.kind {
                    StageKind::Control => "layout(vertices = 4) out;",
                    StageKind::Evaluation => "layout(quads, equal_spacing, ccw) in;",
                    _ => "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;",
                });
                self.glsl_varyings("out");
            }
            (StageKind::Fragment, false) => {
                self.glsl_varyings("in");
                self.line("layout(location = 0) out uvec4 words;");
                self.line("layout(location = 1) out vec4 floats;");
            }
        }
    }

    /// Declares the varyings of one side. Those of the vertex stage may be members of a block.
    fn glsl_varyings(&mut self, direction: &str) {
        let is_input = direction == "in";
        let writer = if is_input { self.program.before(self.kind) } else { self.kind };
        let members = if writer == StageKind::Vertex { self.program.block } else { 0 };
        let loose = self.program.varyings.len() - members;
        let is_array = if is_input { self.kind.is_middle() } else { writer == StageKind::Control };
        let array = if is_array { "[]" } else { "" };
        let declare = |own: &Self, varying: &Varying, direction: &str, array: &str| {
            let Varying { variable, interpolation } = varying;
            let way = match interpolation {
                Interpolation::Perspective => "",
                Interpolation::Centroid => "centroid ",
                Interpolation::Linear => "noperspective ",
                Interpolation::Flat => "flat ",
            };
            let name = format!("{}{}{array}", writer.prefix(), variable.number);
            format!("{way}{direction}{};", own.named(variable.ty, &name))
        };
        for varying in &self.program.varyings[..loose] {
            let declaration = declare(self, varying, &format!("{direction} "), array);
            self.line(&declaration);
        }
        if members > 0 {
            self.line(&format!("{direction} Block {{"));
            for varying in &self.program.varyings[loose..] {
                let declaration = declare(self, varying, "", "");
                self.line(&format!("    {declaration}"));
            }
            self.line(&format!("}} block{array};"));
        }
    }

    fn wgsl_varyings(&mut self) {
        self.line("struct Varyings {");
        self.line("    @builtin(position) position: vec4<f32>,");
        for (location, Varying { variable, interpolation }) in
            self.program.varyings.iter().enumerate()
        {
            let way = match interpolation {
                Interpolation::Perspective => "perspective",
                Interpolation::Centroid => "perspective, centroid",
                Interpolation::Linear => "linear",
                Interpolation::Flat => "flat",
            };
            let name = self.named(variable.ty, &format!("v{}", variable.number));
            self.line(&format!("    @location({location}) @interpolate({way}) {name},"));
        }
        self.line("}");
    }
}
