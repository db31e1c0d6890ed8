//! Writes a stage in GLSL or WGSL.

mod expression;
mod interface;
mod lookup;
mod memory;
mod spelling;
mod statement;

use std::collections::HashSet;
use std::fmt::Write as _;

use super::Language;
use super::operation::Op;
use super::tree::{
    CELLS, COUNTED, Function, Kind, OUTPUTS, Program, Scalar, Stage, StageKind, Step, Type, Value,
    Variable,
};
use super::walk::{self, Part};

/// Text of a stage, in WGSL or GLSL.
pub(super) fn stage(program: &Program, stage: &Stage, language: Language) -> String {
    let is_wgsl = language == Language::Wgsl;
    let mut writer = Writer {
        program,
        kind: stage.kind,
        language,
        is_wgsl,
        ops: ops(stage),
        text: String::new(),
        depth: 0,
    };
    writer.head();
    writer.structures();
    writer.resources();
    writer.interface();
    for (variable, value) in &stage.privates {
        let value = writer.expression(value);
        let declaration = writer.named(variable.ty, &writer.name(*variable));
        let word = match (variable.kind, is_wgsl) {
            (Kind::Table, _) => "const ",
            (_, true) => "var<private> ",
            _ => "",
        };
        writer.line(&format!("{word}{declaration} = {value};"));
    }
    writer.helpers();
    for function in &stage.functions {
        writer.function(function);
    }
    writer.main(stage);
    match program.spelling {
        Some(seed) => spelling::respelled(&writer.text, seed, is_wgsl),
        None => writer.text,
    }
}

/// The operations of a stage.
fn ops(stage: &Stage) -> HashSet<Op> {
    let mut ops = HashSet::new();
    walk::stage(stage, &mut |part| {
        if let Part::Expression(expression) = part
            && let Value::Op(op, _) = &expression.value
        {
            ops.insert(*op);
        }
    });
    ops
}

struct Writer<'a> {
    program: &'a Program,
    kind: StageKind,
    language: Language,
    is_wgsl: bool,
    /// The operations of the stage.
    ops: HashSet<Op>,
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
        match ty {
            Type::Value(scalar, 1) => self.scalar(scalar).to_owned(),
            Type::Value(scalar, count) if self.is_wgsl => {
                format!("vec{count}<{}>", self.scalar(scalar))
            }
            Type::Value(scalar, count) => {
                let prefix = match scalar {
                    Scalar::Bool => "b",
                    Scalar::Int => "i",
                    Scalar::Uint => "u",
                    Scalar::Float | Scalar::Rough => "",
                    Scalar::Long => "i64",
                    Scalar::Ulong => "u64",
                    Scalar::Double => "d",
                    Scalar::Half => "f16",
                };
                format!("{prefix}vec{count}")
            }
            Type::Matrix(columns, rows) => {
                format!("mat{columns}x{rows}{}", if self.is_wgsl { "<f32>" } else { "" })
            }
            Type::Array(number) => {
                let (element, count) = self.program.types.arrays[usize::from(number)];
                let element = self.ty(element);
                if self.is_wgsl {
                    return format!("array<{element}, {count}>");
                }
                // GLSL writes the outermost length first.
                let (base, inner) = element.split_at(element.find('[').unwrap_or(element.len()));
                format!("{base}[{count}]{inner}")
            }
            Type::Struct(number) => format!("Struct{number}"),
        }
    }

    const fn scalar(&self, scalar: Scalar) -> &'static str {
        match (scalar, self.is_wgsl) {
            (Scalar::Bool, _) => "bool",
            (Scalar::Int, true) => "i32",
            (Scalar::Int, false) => "int",
            (Scalar::Uint, true) => "u32",
            (Scalar::Uint, false) => "uint",
            (Scalar::Float | Scalar::Rough, true) => "f32",
            (Scalar::Float | Scalar::Rough, false) => "float",
            (Scalar::Long, true) => "i64",
            (Scalar::Long, false) => "int64_t",
            (Scalar::Ulong, true) => "u64",
            (Scalar::Ulong, false) => "uint64_t",
            (Scalar::Double, true) => "f64",
            (Scalar::Double, false) => "double",
            (Scalar::Half, _) => "f16",
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
            (Kind::BuiltIn, _) => format!("b{number}"),
            (Kind::Varying, true) => format!("varyings.v{number}"),
            (Kind::Varying, false) => self.varying(variable),
            (Kind::Emitted, _) => {
                let array = if self.kind == StageKind::Control { "[gl_InvocationID]" } else { "" };
                format!("{}{number}{array}", self.kind.prefix())
            }
            (Kind::Private, _) => format!("g{number}"),
            (Kind::Table, _) => format!("k{number}"),
            (Kind::Shared, _) => "rows".to_owned(),
            (Kind::Input, _) => "inputs".to_owned(),
            (Kind::Output, _) => match number {
                OUTPUTS => "outputs",
                COUNTED => "counters",
                CELLS => "cells",
                _ => "signed_cells",
            }
            .to_owned(),
            (Kind::Changed, true) => format!("(*p{number})"),
            (Kind::Parameter | Kind::Changed, _) => format!("p{number}"),
            (Kind::Local, _) => format!("x{number}"),
        }
    }

    /// GLSL's name of a varying: of the vertex stage's output, or of what the stage reads.
    fn varying(&self, variable: Variable) -> String {
        let writer = self.program.before(self.kind);
        let array = if self.kind.is_middle() { "[b0]" } else { "" };
        if writer == StageKind::Vertex && self.program.is_member(variable) {
            return format!("block{array}.v{}", variable.number);
        }
        format!("{}{}{array}", writer.prefix(), variable.number)
    }

    fn place(&self, place: &super::tree::Place) -> String {
        self.steps(self.name(place.variable), place.variable.ty, &place.steps)
    }

    /// The part of a value of this type that steps lead to.
    fn steps(&self, whole: String, ty: Type, steps: &[Step]) -> String {
        let (mut text, mut ty) = (whole, ty);
        for step in steps {
            let parts = self.program.types.parts(ty);
            match step {
                Step::Part(number) => {
                    text = part(&text, ty, *number);
                    ty = parts.get(usize::from(*number)).copied().unwrap_or(ty);
                }
                Step::At(index) => {
                    text = format!("{text}[{}]", self.expression(index));
                    ty = parts.first().copied().unwrap_or(ty);
                }
            }
        }
        text
    }

    fn function(&mut self, function: &Function) {
        let number = function.number;
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
        let result = function.result.map(|result| self.ty(result));
        let head = match (self.is_wgsl, result) {
            (true, Some(ty)) => format!("fn call{number}({list}) -> {ty} {{"),
            (true, None) => format!("fn call{number}({list}) {{"),
            (false, ty) => format!("{} call{number}({list}) {{", ty.as_deref().unwrap_or("void")),
        };
        self.line(&head);
        self.block(&function.body);
        self.line("}");
    }
}

/// A part of a value.
fn part(whole: &str, ty: Type, number: u8) -> String {
    match ty {
        Type::Value(..) => {
            format!("{whole}.{}", ["x", "y", "z", "w"][usize::from(number)])
        }
        Type::Matrix(..) | Type::Array(_) => format!("{whole}[{number}]"),
        Type::Struct(_) => format!("{whole}.m{number}"),
    }
}
