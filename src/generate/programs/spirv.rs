//! Writes a stage as SPIR-V assembly.

mod convert;
mod expression;
mod interface;
mod lookup;
mod memory;
mod statement;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use super::tree::{
    CELLS, COUNTED, Expression, Function, Kind, OUTPUTS, Place, Program, Scalar, Stage, StageKind,
    Statement, Step, Type, Variable,
};

/// Assembly of a stage.
pub(super) fn stage(program: &Program, stage: &Stage) -> String {
    let mut writer = Writer {
        program,
        kind: stage.kind,
        declared: Declared::default(),
        decorations: String::new(),
        globals: String::new(),
        interface: Vec::new(),
        code: String::new(),
        locals: Vec::new(),
        values: HashMap::new(),
        leaves: Vec::new(),
        ids: 0,
    };
    writer.interface();
    for (variable, _) in &stage.privates {
        let ty = writer.ty(variable.ty);
        writer.global(&format!("%g{}", variable.number), "Private", &ty);
    }
    for function in &stage.functions {
        writer.function(function);
    }
    writer.main(stage);
    writer.text()
}

/// Types and constants, in the order in which they are declared.
#[derive(Default)]
struct Declared {
    names: BTreeMap<String, String>,
    text: String,
}

impl Declared {
    /// The id of a declaration without its result.
    fn id(&mut self, declaration: &str) -> String {
        if let Some(name) = self.names.get(declaration) {
            return name.clone();
        }
        let name = format!("%t{}", self.names.len());
        let _ = writeln!(self.text, "{name} = {declaration}");
        self.names.insert(declaration.to_owned(), name.clone());
        name
    }

    fn scalar(&mut self, scalar: Scalar) -> String {
        self.id(match scalar {
            Scalar::Bool => "OpTypeBool",
            Scalar::Int => "OpTypeInt 32 1",
            Scalar::Uint => "OpTypeInt 32 0",
            Scalar::Float | Scalar::Rough => "OpTypeFloat 32",
            Scalar::Long => "OpTypeInt 64 1",
            Scalar::Ulong => "OpTypeInt 64 0",
            Scalar::Double => "OpTypeFloat 64",
            Scalar::Half => "OpTypeFloat 16",
        })
    }

    /// A constant of a kind of number.
    fn number(&mut self, scalar: Scalar, value: &str) -> String {
        let ty = self.scalar(scalar);
        self.id(&format!("OpConstant {ty} {value}"))
    }

    fn pointer(&mut self, class: &str, ty: &str) -> String {
        self.id(&format!("OpTypePointer {class} {ty}"))
    }
}

/// Labels to which a block is left.
struct Leave {
    after: String,
    /// Where the next turn begins, in a loop.
    next: Option<String>,
}

struct Writer<'a> {
    program: &'a Program,
    kind: StageKind,
    declared: Declared,
    decorations: String,
    /// Variables of the module.
    globals: String,
    /// Ids of the variables that the entry point names.
    interface: Vec<String>,
    /// Finished functions, then the body of the current one after its first label.
    code: String,
    /// Variables of the current function.
    locals: Vec<String>,
    /// Ids of the values of parameters that are passed by value.
    values: HashMap<usize, String>,
    /// The loops and switches around the current statement.
    leaves: Vec<Leave>,
    /// Number of ids in use.
    ids: usize,
}

impl Writer<'_> {
    fn ty(&mut self, ty: Type) -> String {
        match ty {
            Type::Value(scalar, 1) => self.declared.scalar(scalar),
            Type::Value(scalar, count) => {
                let scalar = self.declared.scalar(scalar);
                self.declared.id(&format!("OpTypeVector {scalar} {count}"))
            }
            Type::Matrix(columns, rows) => {
                let column = self.ty(Type::Value(Scalar::Float, rows));
                self.declared.id(&format!("OpTypeMatrix {column} {columns}"))
            }
            Type::Array(number) => {
                let (element, count) = self.program.types.arrays[usize::from(number)];
                let element = self.ty(element);
                let count = self.declared.number(Scalar::Uint, &count.to_string());
                self.declared.id(&format!("OpTypeArray {element} {count}"))
            }
            Type::Struct(number) => {
                let members = self.program.types.structs[usize::from(number)].clone();
                let members: Vec<_> = members.into_iter().map(|member| self.ty(member)).collect();
                self.declared.id(&format!("OpTypeStruct {}", members.join(" ")))
            }
        }
    }

    fn fresh(&mut self) -> String {
        self.ids += 1;
        format!("%i{}", self.ids)
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.code, "{text}");
    }

    /// Adds an instruction; its operands follow the result's type.
    fn result(&mut self, opcode: &str, ty: &str, operands: &str) -> String {
        let id = self.fresh();
        self.line(&format!("{id} = {opcode} {ty} {operands}"));
        id
    }

    fn function(&mut self, function: &Function) {
        let result = match function.result {
            Some(result) => self.ty(result),
            None => self.declared.id("OpTypeVoid"),
        };
        let mut types = Vec::new();
        for parameter in &function.parameters {
            let ty = self.ty(parameter.ty);
            let is_changed = parameter.kind == Kind::Changed;
            types.push(if is_changed { self.declared.pointer("Function", &ty) } else { ty });
        }
        let ty = self.declared.id(&format!("OpTypeFunction {result} {}", types.join(" ")));
        self.line(&format!("%call{} = OpFunction {result} None {ty}", function.number));
        for (parameter, ty) in function.parameters.iter().zip(types) {
            let name = format!("%p{}", parameter.number);
            self.line(&format!("{name} = OpFunctionParameter {ty}"));
            self.values.insert(parameter.number, name);
        }
        let outer = std::mem::take(&mut self.code);
        if !self.statements(&function.body) {
            self.line("OpReturn");
        }
        self.end(outer);
    }

    fn main(&mut self, stage: &Stage) {
        let void = self.declared.id("OpTypeVoid");
        let ty = self.declared.id(&format!("OpTypeFunction {void} "));
        self.line(&format!("%main = OpFunction {void} None {ty}"));
        let outer = std::mem::take(&mut self.code);
        self.numbers();
        for (variable, value) in &stage.privates {
            let value = self.expression(value);
            self.line(&format!("OpStore %g{} {value}", variable.number));
        }
        self.statements(&stage.body);
        for (number, value) in stage.results.iter().enumerate() {
            let value = self.expression(value);
            let place = match (self.kind, number) {
                (StageKind::Vertex, _) => "%position".to_owned(),
                (StageKind::Control | StageKind::Evaluation | StageKind::Geometry, _) => continue,
                (StageKind::Fragment, 0) => "%words".to_owned(),
                (StageKind::Fragment, _) => "%floats".to_owned(),
                (StageKind::Compute, _) => self.own_sum(),
            };
            self.line(&format!("OpStore {place} {value}"));
        }
        self.line("OpReturn");
        self.end(outer);
    }

    /// Puts the function's first label and its variables before its body.
    fn end(&mut self, outer: String) {
        let body = std::mem::replace(&mut self.code, outer);
        let label = self.fresh();
        self.line(&format!("{label} = OpLabel"));
        for local in std::mem::take(&mut self.locals) {
            self.line(&local);
        }
        self.code += &body;
        self.line("OpFunctionEnd");
        self.values.clear();
    }

    /// A variable of the current function.
    fn local(&mut self, name: &str, ty: Type) {
        let ty = self.ty(ty);
        let pointer = self.declared.pointer("Function", &ty);
        self.locals.push(format!("{name} = OpVariable {pointer} Function"));
    }

    /// Storage class of a variable, its id, and the indices of its first member where it is in a block.
    fn base(&mut self, variable: Variable) -> (&'static str, String, String) {
        let number = variable.number;
        let first = |writer: &mut Self, member: usize| {
            let index = writer.declared.number(Scalar::Int, &member.to_string());
            format!(" {index}")
        };
        match variable.kind {
            Kind::Uniform => ("Uniform", "%uniforms".to_owned(), first(self, number)),
            Kind::Input => ("Uniform", "%inputs".to_owned(), first(self, 0)),
            Kind::Output => {
                let name = match number {
                    OUTPUTS => "%outputs",
                    COUNTED => "%counters",
                    CELLS => "%cells",
                    _ => "%signed_cells",
                };
                ("Uniform", name.to_owned(), first(self, 0))
            }
            Kind::Attribute => ("Input", "%piglit_vertex".to_owned(), String::new()),
            Kind::BuiltIn => ("Function", format!("%b{number}"), String::new()),
            Kind::Varying | Kind::Emitted => {
                let is_vertex = self.kind == StageKind::Vertex;
                let class = if is_vertex { "Output" } else { "Input" };
                (class, format!("%v{number}"), String::new())
            }
            Kind::Private | Kind::Table => ("Private", format!("%g{number}"), String::new()),
            Kind::Shared => ("Workgroup", "%rows".to_owned(), String::new()),
            Kind::Changed | Kind::Parameter => ("Function", format!("%p{number}"), String::new()),
            Kind::Local => ("Function", format!("%x{number}"), String::new()),
        }
    }

    /// A pointer to a place.
    fn pointer(&mut self, place: &Place) -> String {
        let (class, base, indices) = self.base(place.variable);
        let indices = indices + &self.indices(&place.steps);
        self.chain(class, &base, &indices, place.ty)
    }

    /// Stores by way of a pointer to the place that this number of first steps leads to.
    fn store_through(&mut self, place: &Place, count: usize, value: &Expression) {
        let value = self.expression(value);
        let (first, rest) = place.steps.split_at(count);
        let ty = self.program.types.after(place.variable.ty, first);
        let (class, ..) = self.base(place.variable);
        let middle = self.pointer(&Place { variable: place.variable, steps: first.to_vec(), ty });
        let indices = self.indices(rest);
        let pointer = self.chain(class, &middle, &indices, place.ty);
        self.line(&format!("OpStore {pointer} {value}"));
    }

    /// Ids of the indices of steps, each behind a space.
    fn indices(&mut self, steps: &[Step]) -> String {
        let mut indices = String::new();
        for step in steps {
            let index = match step {
                Step::Part(number) => self.declared.number(Scalar::Int, &number.to_string()),
                Step::At(index) => self.expression(index),
            };
            let _ = write!(indices, " {index}");
        }
        indices
    }

    /// A pointer to a part of what a pointer points to.
    fn chain(&mut self, class: &str, base: &str, indices: &str, ty: Type) -> String {
        if indices.is_empty() {
            return base.to_owned();
        }
        let ty = self.ty(ty);
        let pointer = self.declared.pointer(class, &ty);
        self.result("OpAccessChain", &pointer, &format!("{base}{indices}"))
    }

    /// The value at a place.
    fn load(&mut self, place: &Place) -> String {
        let ty = self.ty(place.ty);
        if place.variable.kind != Kind::Parameter {
            let pointer = self.pointer(place);
            return self.result("OpLoad", &ty, &pointer);
        }
        let value = self.values.get(&place.variable.number).cloned().unwrap_or_default();
        if place.steps.is_empty() {
            return value;
        }
        let mut operands = value;
        for step in &place.steps {
            // Nothing selects a part of a value at run time.
            if let Step::Part(number) = step {
                let _ = write!(operands, " {number}");
            }
        }
        self.result("OpCompositeExtract", &ty, &operands)
    }

    fn store(&mut self, place: &Place, value: &Expression) {
        let value = self.expression(value);
        let pointer = self.pointer(place);
        self.line(&format!("OpStore {pointer} {value}"));
    }

    /// Writes statements. True if the last of them left the block.
    fn statements(&mut self, statements: &[Statement]) -> bool {
        statements.iter().any(|statement| self.statement(statement))
    }
}
