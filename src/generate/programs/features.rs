//! What programs use of a language.

use std::collections::BTreeSet;

use super::Language;
use super::operation::{Op, ROWS, Shape, row_of};
use super::tree::{
    Argument, Expression, Filtered, Form, Kind, Lookup, Program, Scalar, StageKind, Statement,
    Step, Type, Value,
};
use super::walk::{self, Part};

/// Features that are no operations.
const CONSTRUCTS: [&str; 56] = [
    "16 elements of a storage buffer",
    "array",
    "assignment through a pointer",
    "assignment to an element at run time",
    "assignment to a part",
    "atomicAdd",
    "atomicAnd",
    "atomicCompareExchange",
    "atomicExchange",
    "atomicLoad",
    "atomicMax",
    "atomicMin",
    "atomicOr",
    "atomicStore",
    "atomicSub",
    "atomicXor",
    "barrier",
    "block of varyings",
    "break",
    "break out of a loop and a switch",
    "call",
    "capture",
    "changed parameter",
    "changed parameter passed on",
    "changed part of a variable",
    "compute stage",
    "composite varying",
    "constant array",
    "continue",
    "continuing",
    "discard",
    "do while",
    "element at run time",
    "else",
    "fall-through",
    "flat varying",
    "for",
    "geometry stage",
    "half",
    "if",
    "if and else leave",
    "inexact varying",
    "matrix",
    "private variable",
    "result of an atomic operation",
    "return in a branch",
    "several draws",
    "storage texture",
    "structure",
    "swizzle",
    "switch",
    "tessellation control stage",
    "tessellation evaluation stage",
    "unusual spelling",
    "while",
    "workgroup memory",
];

/// The construct of programs whose text has an unusual spelling.
pub(super) const UNUSUAL: &str = "unusual spelling";

/// One of each kind of lookup.
const LOOKUPS: [Lookup; 8] = [
    Lookup::Fetch(0),
    Lookup::Gather { component: 0, offset: None },
    Lookup::Nearest { level: 0, offset: None },
    Lookup::Filtered(Filtered::Implicit),
    Lookup::Filtered(Filtered::Level),
    Lookup::Filtered(Filtered::Gradient),
    Lookup::Size(0),
    Lookup::Levels,
];

/// True for a construct that programs may lack.
pub(super) fn is_optional(name: &str) -> bool {
    OPTIONAL.contains(&name) || LOOKUPS.into_iter().any(|lookup| lookup.name() == name)
}

/// Other constructs that programs may lack.
const OPTIONAL: [&str; 21] = [
    "assignment through a pointer",
    "assignment to an element at run time",
    "block of varyings",
    "break out of a loop and a switch",
    "capture",
    "changed parameter passed on",
    "changed part of a variable",
    "composite varying",
    "compute stage",
    "constant array",
    "continuing",
    "fall-through",
    "geometry stage",
    "half",
    "several draws",
    "tessellation control stage",
    "tessellation evaluation stage",
    "unusual spelling",
    "16 elements of a storage buffer",
    "result of an atomic operation",
    "storage texture",
];

/// Constructs that a language lacks.
const LACKING: [(Language, &str); 24] = [
    (Language::Glsl, "atomicLoad"),
    (Language::Glsl, "atomicStore"),
    (Language::Glsl, "atomicSub"),
    (Language::Wgsl, "block of varyings"),
    (Language::Wgsl, "composite varying"),
    (Language::Spirv, "block of varyings"),
    (Language::Glsl, "assignment through a pointer"),
    (Language::Glsl, "break out of a loop and a switch"),
    (Language::Glsl, "continuing"),
    (Language::Glsl, "half"),
    (Language::Wgsl, "break out of a loop and a switch"),
    (Language::Wgsl, "fall-through"),
    (Language::Wgsl, "capture"),
    (Language::Wgsl, "geometry stage"),
    (Language::Wgsl, "tessellation control stage"),
    (Language::Wgsl, "tessellation evaluation stage"),
    (Language::Spirv, "changed part of a variable"),
    (Language::Spirv, "constant array"),
    (Language::Spirv, "capture"),
    (Language::Spirv, "geometry stage"),
    (Language::Spirv, "half"),
    (Language::Spirv, "tessellation control stage"),
    (Language::Spirv, "tessellation evaluation stage"),
    (Language::Spirv, "unusual spelling"),
];

/// True if the language lacks the construct.
pub(super) fn lacks(language: Language, construct: &str) -> bool {
    LACKING.contains(&(language, construct))
}

/// All features that programs in the language may have.
pub(super) fn all(language: Language) -> BTreeSet<String> {
    let constructs = CONSTRUCTS.into_iter().filter(|name| !lacks(language, name));
    let lookups = LOOKUPS.into_iter().map(Lookup::name);
    let mut all: BTreeSet<_> = constructs.chain(lookups).map(str::to_owned).collect();
    for row in ROWS {
        for class in Scalar::ALL.into_iter().filter(|class| row.has(language, *class)) {
            let is_conversion = matches!(row.op, Op::Cast | Op::Bits);
            let results = Scalar::ALL.into_iter().filter(|scalar| {
                row.shape == Shape::Own && super::draw::own_gives(row.op, class, *scalar, 1)
            });
            if is_conversion {
                all.extend(results.map(|to| conversion(row.op, class, to)));
            } else {
                all.insert(named(row.op, class));
            }
        }
    }
    all
}

/// The name of an operation of a class.
pub(super) fn named(op: Op, class: Scalar) -> String {
    format!("{} of {}", row_of(op).name, class.name())
}

/// True if an operation with this name has an operand or a result of 16 bits.
pub(super) fn is_of_halves(name: &str) -> bool {
    name.ends_with(" of half") || name.contains(" of half to ") || name.ends_with(" to half")
}

fn conversion(op: Op, from: Scalar, to: Scalar) -> String {
    format!("{} of {} to {}", row_of(op).name, from.name(), to.name())
}

/// The features of a program.
pub(super) fn of(program: &Program) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for varying in &program.varyings {
        let is_rough = program.types.holds(varying.variable.ty, &|one| one == Scalar::Rough);
        found.insert(if is_rough { "inexact varying" } else { "flat varying" }.to_owned());
        if !matches!(varying.variable.ty, Type::Value(..)) {
            found.insert("composite varying".to_owned());
        }
    }
    if program.block > 0 {
        found.insert("block of varyings".to_owned());
    }
    if program.uniforms.len() > 1 {
        found.insert("several draws".to_owned());
    }
    if !program.captured.is_empty() {
        found.insert("capture".to_owned());
    }
    if program.spelling.is_some() {
        found.insert(UNUSUAL.to_owned());
    }
    for stage in &program.stages {
        let name = match stage.kind {
            StageKind::Vertex | StageKind::Fragment => None,
            StageKind::Control => Some("tessellation control stage"),
            StageKind::Evaluation => Some("tessellation evaluation stage"),
            StageKind::Geometry => Some("geometry stage"),
            StageKind::Compute => Some("compute stage"),
        };
        found.extend(name.map(str::to_owned));
        walk::stage(stage, &mut |part| match part {
            Part::Statement(statement) => of_statement(statement, &mut found),
            Part::Expression(value) => {
                of_expression(value, &mut found);
                if program.types.holds(value.ty, &|one| one == Scalar::Half) {
                    found.insert("half".to_owned());
                }
            }
            Part::Place(place) => {
                let name = match place.variable.kind {
                    Kind::Shared => "workgroup memory",
                    Kind::Input => "16 elements of a storage buffer",
                    Kind::Private => "private variable",
                    Kind::Table => "constant array",
                    Kind::Uniform
                    | Kind::Attribute
                    | Kind::BuiltIn
                    | Kind::Varying
                    | Kind::Emitted
                    | Kind::Output
                    | Kind::Parameter
                    | Kind::Changed
                    | Kind::Local => return,
                };
                found.insert(name.to_owned());
            }
        });
    }
    found
}

fn of_statement(statement: &Statement, found: &mut BTreeSet<String>) {
    let mut add = |name: &str| {
        found.insert(name.to_owned());
    };
    match statement {
        Statement::Declare(variable, _) => match variable.ty {
            Type::Array(_) => add("array"),
            Type::Struct(_) => add("structure"),
            Type::Matrix(..) => add("matrix"),
            Type::Value(..) => {}
        },
        Statement::Assign(place, _) => match place.steps.last() {
            // Every invocation has its own elements of these.
            Some(Step::At(_)) if matches!(place.variable.kind, Kind::Output | Kind::Shared) => {}
            Some(Step::At(_)) => add("assignment to an element at run time"),
            Some(Step::Part(_)) => add("assignment to a part"),
            None => {}
        },
        Statement::AssignThrough(..) => add("assignment through a pointer"),
        Statement::Update(_, op, value) => {
            let name = named(*op, value.scalar().0);
            add(&name);
        }
        Statement::Call(_, arguments) => {
            add("call");
            of_arguments(arguments, found);
        }
        Statement::If(_, first, second) => found.extend(of_branch(first, second)),
        Statement::Loop(repeat) => {
            add(match repeat.form {
                Form::For => "for",
                Form::While => "while",
                Form::DoWhile => "do while",
            });
            if !repeat.continuing.is_empty() {
                add("continuing");
            }
        }
        Statement::Switch(_, cases) => {
            add("switch");
            if cases.iter().any(|case| case.falls) {
                add("fall-through");
            }
        }
        Statement::Break => add("break"),
        Statement::BreakLoop => add("break out of a loop and a switch"),
        Statement::Continue => add("continue"),
        Statement::Return(_) => {}
        Statement::Discard => add("discard"),
        Statement::Barrier => add("barrier"),
        Statement::Atomic(atomic) => {
            add(atomic.change.name());
            if atomic.result.is_some() {
                add("result of an atomic operation");
            }
        }
        Statement::Paint(_) => add("storage texture"),
    }
}

fn of_branch(first: &[Statement], second: &[Statement]) -> Vec<String> {
    let leaves = |block: &[Statement]| block.last().is_some_and(Statement::leaves);
    let returns = matches!(first.last(), Some(Statement::Return(_)));
    let found = [
        (true, "if"),
        (!second.is_empty(), "else"),
        (leaves(first) && leaves(second), "if and else leave"),
        (returns, "return in a branch"),
    ];
    found.into_iter().filter(|(is_so, _)| *is_so).map(|(_, name)| name.to_owned()).collect()
}

fn of_arguments(arguments: &[Argument], found: &mut BTreeSet<String>) {
    for argument in arguments {
        let Argument::Changed(place) = argument else { continue };
        found.insert("changed parameter".to_owned());
        if place.variable.kind == Kind::Changed {
            found.insert("changed parameter passed on".to_owned());
        }
        if !place.steps.is_empty() {
            found.insert("changed part of a variable".to_owned());
        }
    }
}

fn of_expression(value: &Expression, found: &mut BTreeSet<String>) {
    if let Value::Call(_, arguments) = &value.value {
        of_arguments(arguments, found);
    }
    found.extend(name(value));
}

/// The feature that an expression is; `None` for one that is none.
pub(super) fn name(value: &Expression) -> Option<String> {
    Some(match &value.value {
        Value::Op(op @ (Op::Cast | Op::Bits), operands) => {
            let from = operands.first().map_or(Scalar::Int, |first| first.scalar().0);
            conversion(*op, from, value.scalar().0)
        }
        Value::Op(op, operands) => {
            // The result or an operand has the class of the row.
            let of = operands.first().map_or(Scalar::Int, |first| first.scalar().0);
            match row_of(*op).shape {
                Shape::Words | Shape::Unpack(_) | Shape::UnpackInts => named(*op, value.scalar().0),
                _ => named(*op, of),
            }
        }
        Value::Load(place) if matches!(place.steps.last(), Some(Step::At(_))) => {
            "element at run time".to_owned()
        }
        Value::Swizzle(..) => "swizzle".to_owned(),
        Value::Call(..) => "call".to_owned(),
        Value::Lookup(lookup, _) => lookup.name().to_owned(),
        Value::Literal(_)
        | Value::Painted
        | Value::Load(_)
        | Value::Compose(_)
        | Value::Part(..)
        | Value::Rough(_) => return None,
    })
}
