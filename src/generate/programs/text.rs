//! Writes a stage in GLSL or WGSL.

use std::fmt::Write as _;

use super::tree::{
    Builtin, ELEMENTS, Expression, Function, Interpolation, Kind, Operator, Program, Stage,
    Statement, Type, Value, Variable, Varying,
};

/// Text of the program's vertex or fragment stage, in WGSL or GLSL.
pub(super) fn stage(program: &Program, is_vertex: bool, is_wgsl: bool) -> String {
    let stage = if is_vertex { &program.vertex } else { &program.fragment };
    let mut writer = Writer { program, is_vertex, is_wgsl, text: String::new(), depth: 0 };
    writer.record();
    if is_wgsl {
        writer.wgsl_interface();
    } else {
        writer.glsl_interface();
    }
    for (number, function) in stage.functions.iter().enumerate() {
        writer.function(number, function);
    }
    writer.main(stage);
    writer.text
}

struct Writer<'a> {
    program: &'a Program,
    is_vertex: bool,
    is_wgsl: bool,
    text: String,
    /// Depth of blocks.
    depth: usize,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        let indent = "    ".repeat(self.depth);
        let _ = writeln!(self.text, "{indent}{text}");
    }

    fn ty(&self, ty: Type) -> String {
        match (self.is_wgsl, ty) {
            (false, Type::Float) => "float".to_owned(),
            (false, Type::Int) => "int".to_owned(),
            (false, Type::Vector(size)) => format!("vec{size}"),
            (false, Type::Matrix(size)) => format!("mat{size}"),
            (false, Type::Array) => format!("float[{ELEMENTS}]"),
            (true, Type::Float) => "f32".to_owned(),
            (true, Type::Int) => "i32".to_owned(),
            (true, Type::Vector(size)) => format!("vec{size}<f32>"),
            (true, Type::Matrix(size)) => format!("mat{size}x{size}<f32>"),
            (true, Type::Array) => format!("array<f32, {ELEMENTS}>"),
            (_, Type::Struct) => "Record".to_owned(),
        }
    }

    /// A declaration without its semicolon.
    fn named(&self, ty: Type, name: &str) -> String {
        let ty = self.ty(ty);
        if self.is_wgsl { format!("{name}: {ty}") } else { format!("{ty} {name}") }
    }

    fn name(&self, variable: Variable) -> String {
        let number = variable.number;
        match (variable.kind, self.is_wgsl) {
            (Kind::Uniform, _) => format!("u{number}"),
            (Kind::Attribute, _) => "piglit_vertex".to_owned(),
            (Kind::Varying, true) => format!("varyings.v{number}"),
            (Kind::Varying, false) => {
                let is_member = number + self.program.block >= self.program.varyings.len();
                format!("{}v{number}", if is_member { "block." } else { "" })
            }
            (Kind::ClipDistance, _) => format!("gl_ClipDistance[{number}]"),
            (Kind::Changed, true) => format!("(*p{number})"),
            (Kind::Parameter | Kind::Changed, _) => format!("p{number}"),
            (Kind::Local, _) => format!("x{number}"),
        }
    }

    /// The structure's declaration.
    fn record(&mut self) {
        self.line("struct Record {");
        let end = if self.is_wgsl { ',' } else { ';' };
        for (number, ty) in self.program.members.iter().enumerate() {
            let member = self.named(*ty, &format!("m{number}"));
            self.line(&format!("    {member}{end}"));
        }
        self.line(if self.is_wgsl { "}" } else { "};" });
    }

    fn glsl_interface(&mut self) {
        self.line("uniform float u0;");
        self.line("uniform int u1;");
        let direction = if self.is_vertex { "out" } else { "in" };
        let loose = self.program.varyings.len() - self.program.block;
        let declare = |writer: &Self, varying: &Varying, direction: &str| {
            let Varying { variable, interpolation } = varying;
            let way = match interpolation {
                Interpolation::Perspective => "",
                Interpolation::Centroid => "centroid ",
                Interpolation::Linear => "noperspective ",
                Interpolation::Flat => "flat ",
            };
            let name = writer.named(variable.ty, &format!("v{}", variable.number));
            format!("{way}{direction}{name};")
        };
        for varying in &self.program.varyings[..loose] {
            let declaration = declare(self, varying, &format!("{direction} "));
            self.line(&declaration);
        }
        if self.program.block > 0 {
            self.line(&format!("{direction} Block {{"));
            for varying in &self.program.varyings[loose..] {
                let declaration = declare(self, varying, "");
                self.line(&format!("    {declaration}"));
            }
            self.line("} block;");
        }
        if !self.is_vertex {
            self.line("out vec4 color;");
            return;
        }
        self.line("in vec4 piglit_vertex;");
        if self.program.clip_distances > 0 {
            self.line(&format!("out float gl_ClipDistance[{}];", self.program.clip_distances));
        }
    }

    fn wgsl_interface(&mut self) {
        self.line("@group(0) @binding(0) var<uniform> u0: f32;");
        self.line("@group(0) @binding(1) var<uniform> u1: i32;");
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

    fn function(&mut self, number: usize, function: &Function) {
        let parameter = |parameter: &Variable| {
            let Variable { number, ty, kind } = *parameter;
            let name = format!("p{number}");
            match (kind, self.is_wgsl) {
                (Kind::Changed, true) => format!("{name}: ptr<function, {}>", self.ty(ty)),
                (Kind::Changed, false) => format!("inout {}", self.named(ty, &name)),
                _ => self.named(ty, &name),
            }
        };
        let list = function.parameters.iter().map(parameter).collect::<Vec<_>>().join(", ");
        let result = function.result.as_ref().map(|result| self.ty(result.ty));
        let head = match (self.is_wgsl, result) {
            (true, Some(ty)) => format!("fn call{number}({list}) -> {ty} {{"),
            (true, None) => format!("fn call{number}({list}) {{"),
            (false, ty) => format!("{} call{number}({list}) {{", ty.as_deref().unwrap_or("void")),
        };
        self.line(&head);
        self.depth += 1;
        self.statements(&function.body);
        if let Some(result) = &function.result {
            let value = self.expression(result);
            self.line(&format!("return {value};"));
        }
        self.depth -= 1;
        self.line("}");
    }

    fn main(&mut self, stage: &Stage) {
        self.line(match (self.is_wgsl, self.is_vertex) {
            (false, _) => "void main() {",
            (true, true) => "@vertex fn main(piglit_vertex: vec4<f32>) -> Varyings {",
            (true, false) => "@fragment fn main(varyings: Varyings) -> @location(0) vec4<f32> {",
        });
        self.depth += 1;
        if self.is_wgsl && self.is_vertex {
            self.line("var varyings: Varyings;");
        }
        self.statements(&stage.body);
        let mut value = self.list(&stage.result);
        if !self.is_vertex {
            value = format!("{}({value})", self.ty(Type::Vector(4)));
        }
        match (self.is_wgsl, self.is_vertex) {
            (false, true) => self.line(&format!("gl_Position = {value};")),
            (false, false) => self.line(&format!("color = {value};")),
            (true, true) => {
                self.line(&format!("varyings.position = {value};"));
                self.line("return varyings;");
            }
            (true, false) => self.line(&format!("return {value};")),
        }
        self.depth -= 1;
        self.line("}");
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn block(&mut self, statements: &[Statement]) {
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
            Statement::Assign(variable, value) => {
                let value = self.expression(value);
                self.line(&format!("{} = {value};", self.name(*variable)));
            }
            Statement::AssignAt(variable, index, value) => {
                let (index, value) = (self.expression(index), self.expression(value));
                self.line(&format!("{}[{index}] = {value};", self.name(*variable)));
            }
            Statement::Change(number, variable, others) => {
                let address = if self.is_wgsl { "&" } else { "" };
                let mut list = vec![format!("{address}{}", self.name(*variable))];
                list.extend(others.iter().map(|other| self.expression(other)));
                self.line(&format!("call{number}({});", list.join(", ")));
            }
            Statement::If(condition, first, second) => {
                let condition = self.expression(condition);
                self.line(&format!("if (({condition} & 1) == 0) {{"));
                self.block(first);
                self.line("} else {");
                self.block(second);
                self.line("}");
            }
            Statement::Repeat(counter, limit, body) => {
                let name = self.name(*counter);
                let first = self.named(Type::Int, &name);
                let word = if self.is_wgsl { "var " } else { "" };
                self.line(&format!("for ({word}{first} = 0; {name} < {limit}; {name}++) {{"));
                self.block(body);
                self.line("}");
            }
            Statement::Switch(choice, blocks) => self.switch(choice, blocks),
            Statement::Discard(condition) => {
                let condition = self.expression(condition);
                self.line(&format!("if (({condition} & 7) == 7) {{ discard; }}"));
            }
        }
    }

    fn switch(&mut self, choice: &Expression, blocks: &[Vec<Statement>]) {
        let choice = self.expression(choice);
        self.line(&format!("switch ({choice} & 3) {{"));
        for (value, block) in blocks.iter().enumerate() {
            let is_last = value + 1 == blocks.len();
            let label = if is_last { "default".to_owned() } else { format!("case {value}") };
            self.line(&format!("{label}: {{"));
            self.block(block);
            self.line(if self.is_wgsl { "}" } else { "    break;\n    }" });
        }
        self.line("}");
    }

    fn list(&self, values: &[Expression]) -> String {
        values.iter().map(|value| self.expression(value)).collect::<Vec<_>>().join(", ")
    }

    fn expression(&self, expression: &Expression) -> String {
        match &expression.value {
            Value::Float(value) => format!("{value:?}"),
            Value::Int(value) => value.to_string(),
            Value::Load(variable) => self.name(*variable),
            Value::Compose(parts) => format!("{}({})", self.ty(expression.ty), self.list(parts)),
            Value::Part(whole, part) => {
                let of = self.expression(whole);
                match whole.ty {
                    Type::Matrix(_) | Type::Array => format!("{of}[{part}]"),
                    Type::Struct => format!("{of}.m{part}"),
                    Type::Float | Type::Int | Type::Vector(_) => {
                        format!("{of}.{}", ["x", "y", "z", "w"][*part])
                    }
                }
            }
            Value::At(variable, index) => {
                format!("{}[{}]", self.name(*variable), self.expression(index))
            }
            Value::Swizzle(vector, parts) => {
                let letters: String =
                    parts.iter().map(|part| ['x', 'y', 'z', 'w'][usize::from(*part)]).collect();
                format!("{}.{letters}", self.expression(vector))
            }
            Value::Binary(operator, left, right) => {
                let (left, right) = (self.expression(left), self.expression(right));
                let is_shift = self.is_wgsl && *operator == Operator::ShiftLeft;
                let right = if is_shift { format!("u32({right})") } else { right };
                format!("({left} {} {right})", sign(*operator))
            }
            Value::Builtin(function, arguments) => {
                format!("{}({})", self.builtin(*function), self.list(arguments))
            }
            Value::ToFloat(int) => {
                format!("{}({})", self.ty(Type::Float), self.expression(int))
            }
            Value::Call(number, arguments) => format!("call{number}({})", self.list(arguments)),
        }
    }

    const fn builtin(&self, function: Builtin) -> &'static str {
        match function {
            Builtin::Abs => "abs",
            Builtin::Clamp => "clamp",
            Builtin::DerivativeX if self.is_wgsl => "dpdx",
            Builtin::DerivativeY if self.is_wgsl => "dpdy",
            Builtin::DerivativeX => "dFdx",
            Builtin::DerivativeY => "dFdy",
            Builtin::Fract => "fract",
            Builtin::Max => "max",
            Builtin::Min => "min",
            Builtin::Mix => "mix",
            Builtin::Sin => "sin",
        }
    }
}

const fn sign(operator: Operator) -> &'static str {
    match operator {
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Multiply => "*",
        Operator::ExclusiveOr => "^",
        Operator::And => "&",
        Operator::ShiftLeft => "<<",
    }
}
