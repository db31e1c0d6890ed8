//! Writes statements and the main function.

use super::super::operation::{Op, row_of};
use super::super::tree::{
    Case, Expression, Form, INT, Loop, Place, Scalar, Stage, StageKind, Statement,
};
use super::Writer;

impl Writer<'_> {
    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    pub(super) fn block(&mut self, statements: &[Statement]) {
        self.depth += 1;
        self.statements(statements);
        self.depth -= 1;
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Declare(variable, value) => {
                let value = self.expression(value);
                let declaration = self.named(variable.ty, &self.name(*variable));
                let word = if self.is_wgsl { "var " } else { "" };
                self.line(&format!("{word}{declaration} = {value};"));
            }
            Statement::Assign(place, value) => {
                let (place, value) = (self.place(place), self.expression(value));
                self.line(&format!("{place} = {value};"));
            }
            Statement::AssignThrough(place, count, value) => self.through(place, *count, value),
            Statement::Update(place, op, value) => {
                let (place, value) = (self.place(place), self.expression(value));
                let word = row_of(*op).text(self.language, false);
                self.line(&format!("{place} {word}= {value};"));
            }
            Statement::Call(number, arguments) => {
                let call = self.call(*number, arguments);
                self.line(&format!("{call};"));
            }
            Statement::If(condition, first, second) => {
                let condition = self.expression(condition);
                self.line(&format!("if ({condition}) {{"));
                self.block(first);
                if !second.is_empty() {
                    self.line("} else {");
                    self.block(second);
                }
                self.line("}");
            }
            Statement::Loop(repeat) => self.repeat(repeat),
            Statement::Switch(choice, cases) => self.switch(choice, cases),
            Statement::Break | Statement::BreakLoop => self.line("break;"),
            Statement::Continue => self.line("continue;"),
            Statement::Return(None) => self.line("return;"),
            Statement::Return(Some(value)) => {
                let value = self.expression(value);
                self.line(&format!("return {value};"));
            }
            Statement::Discard => self.line("discard;"),
            Statement::Barrier if self.is_wgsl => self.line("workgroupBarrier();"),
            Statement::Barrier => self.line("memoryBarrierShared(); barrier();"),
            Statement::Atomic(atomic) => self.atomic(atomic),
            Statement::Paint(value) => self.paint(value),
        }
    }

    /// An assignment by way of a pointer, which only WGSL has.
    fn through(&mut self, place: &Place, count: usize, value: &Expression) {
        let (first, rest) = place.steps.split_at(count);
        let ty = place.variable.ty;
        let target = self.steps(self.name(place.variable), ty, first);
        let ty = self.program.types.after(ty, first);
        let part = self.steps("(*pointer)".to_owned(), ty, rest);
        let value = self.expression(value);
        self.line(&format!("{{ let pointer = &{target}; {part} = {value}; }}"));
    }

    fn repeat(&mut self, Loop { form, counter, limit, body, continuing }: &Loop) {
        let (name, limit) = (self.name(*counter), self.name(*limit));
        let word = if self.is_wgsl { "var " } else { "" };
        let first = format!("{word}{} = 0", self.named(INT, &name));
        let (goes_on, counts) = (format!("{name} < {limit}"), format!("{name}++;"));
        match form {
            Form::For => self.line(&format!("for ({first}; {goes_on}; {name}++) {{")),
            Form::While => {
                self.line(&format!("{first};"));
                self.line(&format!("while ({goes_on}) {{"));
                self.line(&format!("    {counts}"));
            }
            Form::DoWhile => {
                self.line(&format!("{first};"));
                self.line(if self.is_wgsl { "loop {" } else { "do {" });
                self.line(&format!("    {counts}"));
            }
        }
        self.block(body);
        match (form, self.is_wgsl) {
            (Form::DoWhile, true) => {
                self.line("    continuing {");
                self.depth += 1;
                self.block(continuing);
                self.line(&format!("    break if !({goes_on});"));
                self.depth -= 1;
                self.line("    }");
                self.line("}");
            }
            (Form::DoWhile, false) => self.line(&format!("}} while ({goes_on});")),
            (Form::For | Form::While, _) => self.line("}"),
        }
    }

    fn switch(&mut self, choice: &Expression, cases: &[Case]) {
        let suffix = match (choice.scalar().0, self.is_wgsl) {
            (Scalar::Uint, _) => "u",
            (_, true) => "i",
            (_, false) => "",
        };
        let choice = self.expression(choice);
        self.line(&format!("switch ({choice}) {{"));
        for Case { labels, body, falls } in cases {
            let labels: Vec<_> = labels.iter().map(|label| format!("{label}{suffix}")).collect();
            let head = match (labels.as_slice(), self.is_wgsl) {
                ([], _) => "default: {".to_owned(),
                (labels, true) => format!("case {}: {{", labels.join(", ")),
                (labels, false) => format!("case {}: {{", labels.join(": case ")),
            };
            self.line(&head);
            self.block(body);
            self.line("}");
            if !falls && !self.is_wgsl {
                self.line("break;");
            }
        }
        self.line("}");
    }

    pub(super) fn main(&mut self, stage: &Stage) {
        self.open();
        self.depth += 1;
        self.statements(&stage.body);
        let values: Vec<_> = stage.results.iter().map(|value| self.expression(value)).collect();
        let mut values = values.into_iter();
        let mut next = || values.next().unwrap_or_default();
        match (self.kind, self.is_wgsl) {
            (StageKind::Vertex, false) => self.line(&format!("gl_Position = {};", next())),
            (StageKind::Vertex, true) => {
                self.line(&format!("varyings.position = {};", next()));
                self.line("return varyings;");
            }
            (StageKind::Control, _) => {
                let own = "[gl_InvocationID].gl_Position";
                self.line(&format!("gl_out{own} = gl_in{own};"));
                self.line("gl_TessLevelOuter = float[4](2.0, 1.0, 2.0, 1.0);");
                self.line("gl_TessLevelInner = float[2](1.0, 2.0);");
            }
            (StageKind::Evaluation, _) => {
                for (row, [left, right]) in [("low", [0, 1]), ("high", [2, 3])] {
                    let corner = |number: u8| format!("gl_in[{number}].gl_Position");
                    let (left, right) = (corner(left), corner(right));
                    self.line(&format!("vec4 {row} = mix({left}, {right}, gl_TessCoord.x);"));
                }
                self.line("gl_Position = mix(low, high, gl_TessCoord.y);");
            }
            (StageKind::Geometry, _) => {
                self.line("gl_Position = gl_in[b0].gl_Position;");
                self.line("EmitVertex();");
                self.line("}");
            }
            (StageKind::Fragment, false) => {
                self.line(&format!("words = {};", next()));
                self.line(&format!("floats = {};", next()));
            }
            (StageKind::Fragment, true) => {
                self.line(&format!("return Results({}, {});", next(), next()));
            }
            (StageKind::Compute, _) => self.line(&format!("sums[b1 * 8u + b0] = {};", next())),
        }
        self.depth -= 1;
        self.line("}");
    }

    /// The main function up to its first statement.
    fn open(&mut self) {
        if !self.is_wgsl {
            self.line("void main() {");
            self.line(match self.kind {
                StageKind::Vertex => "    uint b0 = uint(gl_VertexID);",
                StageKind::Control => "    uint b0 = uint(gl_InvocationID);",
                StageKind::Evaluation => {
                    "    uint b0 = uint(gl_TessCoord.x) + 2u * uint(gl_TessCoord.y);"
                }
                StageKind::Geometry => "    for (uint b0 = 0u; b0 < 3u; b0++) {",
                StageKind::Fragment => "    ivec2 b0 = ivec2(gl_FragCoord.xy);",
                StageKind::Compute => {
                    "    uint b0 = gl_LocalInvocationIndex, b1 = gl_WorkGroupID.x;"
                }
            });
            return;
        }
        match self.kind {
            StageKind::Control | StageKind::Evaluation | StageKind::Geometry => {}
            StageKind::Vertex => {
                let vertex = "@builtin(vertex_index) b0: u32, piglit_vertex: vec4<f32>";
                self.line(&format!("@vertex fn main({vertex}) -> Varyings {{"));
                self.line("    var varyings: Varyings;");
            }
            StageKind::Fragment => {
                self.line("@fragment fn main(varyings: Varyings) -> Results {");
                self.line("    let b0 = vec2<i32>(varyings.position.xy);");
            }
            StageKind::Compute => {
                self.line("@compute @workgroup_size(8)");
                let index = "@builtin(local_invocation_index) b0: u32";
                self.line(&format!("fn main({index}, @builtin(workgroup_id) group: vec3<u32>) {{"));
                self.line("    let b1 = group.x;");
            }
        }
    }

    /// Functions for what a function of GLSL returns in a parameter.
    pub(super) fn helpers(&mut self) {
        if self.is_wgsl {
            return;
        }
        for (op, text) in [
            (Op::Carry, "uint carry(uint a, uint b) { uint c; uaddCarry(a, b, c); return c; }"),
            (Op::Borrow, "uint borrow(uint a, uint b) { uint c; usubBorrow(a, b, c); return c; }"),
            (
                Op::HighProduct,
                "uint high_product(uint a, uint b) { uint h, l; umulExtended(a, b, h, l); return h; }",
            ),
        ] {
            if self.uses(op) {
                self.line(text);
            }
        }
        for count in 1..=4 {
            let [int, float] =
                [Scalar::Int, Scalar::Float].map(|one| self.ty(super::Type::Value(one, count)));
            for (op, text) in [
                (
                    Op::Exponent,
                    format!("{int} exponent({float} x) {{ {int} e; frexp(x, e); return e; }}"),
                ),
                (
                    Op::Significand,
                    format!("{float} significand({float} x) {{ {int} e; return frexp(x, e); }}"),
                ),
                (
                    Op::ModfWhole,
                    format!("{float} modf_whole({float} x) {{ {float} w; modf(x, w); return w; }}"),
                ),
                (
                    Op::ModfFraction,
                    format!("{float} modf_fraction({float} x) {{ {float} w; return modf(x, w); }}"),
                ),
            ] {
                if self.uses(op) {
                    self.line(&text);
                }
            }
        }
    }
}
