//! Writes a stage as SPIR-V assembly.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use super::tree::{
    Builtin, ELEMENTS, Expression, Function, Interpolation, Kind, Operator, Program, Stage,
    Statement, Type, Value, Variable,
};

/// Assembly of the program's vertex or fragment stage.
pub(super) fn stage(program: &Program, is_vertex: bool) -> String {
    let stage = if is_vertex { &program.vertex } else { &program.fragment };
    let mut writer = Writer {
        program,
        is_vertex,
        types: Types::default(),
        decorations: String::new(),
        globals: String::new(),
        interface: Vec::new(),
        code: String::new(),
        locals: Vec::new(),
        values: HashMap::new(),
        ids: 0,
    };
    writer.interface();
    for (number, function) in stage.functions.iter().enumerate() {
        writer.function(number, function);
    }
    writer.main(stage);
    writer.text()
}

/// Types and constants, in the order in which they are declared.
#[derive(Default)]
struct Types {
    names: BTreeMap<String, String>,
    text: String,
}

impl Types {
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

    fn float(&mut self) -> String {
        self.id("OpTypeFloat 32")
    }

    fn int(&mut self) -> String {
        self.id("OpTypeInt 32 1")
    }

    fn int_value(&mut self, value: i32) -> String {
        let int = self.int();
        self.id(&format!("OpConstant {int} {value}"))
    }

    fn pointer(&mut self, class: &str, ty: &str) -> String {
        self.id(&format!("OpTypePointer {class} {ty}"))
    }
}

struct Writer<'a> {
    program: &'a Program,
    is_vertex: bool,
    types: Types,
    decorations: String,
    /// Variables of the interface.
    globals: String,
    /// Ids of the variables that the entry point names.
    interface: Vec<String>,
    /// Finished functions, then the body of the current one after its first label.
    code: String,
    /// Variables of the current function.
    locals: Vec<String>,
    /// Ids of the values of parameters that are passed by value.
    values: HashMap<usize, String>,
    /// Number of ids in use.
    ids: usize,
}

impl Writer<'_> {
    fn text(self) -> String {
        let (model, mode) = if self.is_vertex {
            ("Vertex", "")
        } else {
            ("Fragment", "OpExecutionMode %main OriginLowerLeft\n")
        };
        let clip = if self.program.clip_distances > 0 && self.is_vertex {
            "OpCapability ClipDistance\n"
        } else {
            ""
        };
        format!(
            "OpCapability Shader\n{clip}%glsl = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel Logical GLSL450\n\
             OpEntryPoint {model} %main \"main\" {}\n{mode}{}{}{}{}",
            self.interface.join(" "),
            self.decorations,
            self.types.text,
            self.globals,
            self.code
        )
    }

    fn ty(&mut self, ty: Type) -> String {
        match ty {
            Type::Float => self.types.float(),
            Type::Int => self.types.int(),
            Type::Vector(size) => {
                let float = self.types.float();
                self.types.id(&format!("OpTypeVector {float} {size}"))
            }
            Type::Matrix(size) => {
                let column = self.ty(Type::Vector(size));
                self.types.id(&format!("OpTypeMatrix {column} {size}"))
            }
            Type::Array => {
                let float = self.types.float();
                let size = self.types.int_value(i32::try_from(ELEMENTS).unwrap_or(i32::MAX));
                self.types.id(&format!("OpTypeArray {float} {size}"))
            }
            Type::Struct => {
                let members: Vec<_> =
                    self.program.members.iter().map(|member| self.ty(*member)).collect();
                self.types.id(&format!("OpTypeStruct {}", members.join(" ")))
            }
        }
    }

    fn decorate(&mut self, text: &str) {
        let _ = writeln!(self.decorations, "OpDecorate {text}");
    }

    fn global(&mut self, name: &str, class: &str, ty: &str) {
        let pointer = self.types.pointer(class, ty);
        let _ = writeln!(self.globals, "{name} = OpVariable {pointer} {class}");
        if class != "Uniform" {
            self.interface.push(name.to_owned());
        }
    }

    fn interface(&mut self) {
        let (float, int, vec4) = (self.types.float(), self.types.int(), self.ty(Type::Vector(4)));
        let block = self.types.id(&format!("OpTypeStruct {float} {int}"));
        self.decorate(&format!("{block} Block"));
        for (member, offset) in [(0, 0), (1, 4)] {
            let _ = writeln!(self.decorations, "OpMemberDecorate {block} {member} Offset {offset}");
        }
        self.decorate("%uniforms DescriptorSet 0");
        self.decorate("%uniforms Binding 0");
        self.global("%uniforms", "Uniform", &block);
        let class = if self.is_vertex { "Output" } else { "Input" };
        let mut location = 0;
        for varying in &self.program.varyings {
            let variable = varying.variable;
            let name = format!("%v{}", variable.number);
            self.decorate(&format!("{name} Location {location}"));
            match varying.interpolation {
                Interpolation::Perspective => {}
                Interpolation::Centroid => self.decorate(&format!("{name} Centroid")),
                Interpolation::Linear => self.decorate(&format!("{name} NoPerspective")),
                Interpolation::Flat => self.decorate(&format!("{name} Flat")),
            }
            let ty = self.ty(variable.ty);
            self.global(&name, class, &ty);
            location += self.program.locations(variable.ty);
        }
        if !self.is_vertex {
            self.decorate("%color Location 0");
            self.global("%color", "Output", &vec4);
            return;
        }
        self.decorate("%piglit_vertex Location 0");
        self.global("%piglit_vertex", "Input", &vec4);
        self.decorate("%position BuiltIn Position");
        self.global("%position", "Output", &vec4);
        if self.program.clip_distances > 0 {
            let count = self.program.clip_distances.try_into().unwrap_or(i32::MAX);
            let count = self.types.int_value(count);
            let array = self.types.id(&format!("OpTypeArray {float} {count}"));
            self.decorate("%distances BuiltIn ClipDistance");
            self.global("%distances", "Output", &array);
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

    fn function(&mut self, number: usize, function: &Function) {
        let result = match &function.result {
            Some(result) => self.ty(result.ty),
            None => self.types.id("OpTypeVoid"),
        };
        let mut types = Vec::new();
        for parameter in &function.parameters {
            let ty = self.ty(parameter.ty);
            let is_changed = parameter.kind == Kind::Changed;
            types.push(if is_changed { self.types.pointer("Function", &ty) } else { ty });
        }
        let ty = self.types.id(&format!("OpTypeFunction {result} {}", types.join(" ")));
        self.line(&format!("%call{number} = OpFunction {result} None {ty}"));
        for (parameter, ty) in function.parameters.iter().zip(types) {
            let name = format!("%p{}", parameter.number);
            self.line(&format!("{name} = OpFunctionParameter {ty}"));
            self.values.insert(parameter.number, name);
        }
        let outer = std::mem::take(&mut self.code);
        self.statements(&function.body);
        match &function.result {
            Some(result) => {
                let value = self.expression(result);
                self.line(&format!("OpReturnValue {value}"));
            }
            None => self.line("OpReturn"),
        }
        self.end(outer);
    }

    fn main(&mut self, stage: &Stage) {
        let void = self.types.id("OpTypeVoid");
        let ty = self.types.id(&format!("OpTypeFunction {void} "));
        self.line(&format!("%main = OpFunction {void} None {ty}"));
        let outer = std::mem::take(&mut self.code);
        self.statements(&stage.body);
        let mut values: Vec<_> = stage.result.iter().map(|value| self.expression(value)).collect();
        if self.is_vertex {
            self.line(&format!("OpStore %position {}", values.remove(0)));
        } else {
            let vec4 = self.ty(Type::Vector(4));
            let color = self.result("OpCompositeConstruct", &vec4, &values.join(" "));
            self.line(&format!("OpStore %color {color}"));
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

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    /// A variable of the current function.
    fn local(&mut self, name: &str, ty: Type) {
        let ty = self.ty(ty);
        let pointer = self.types.pointer("Function", &ty);
        self.locals.push(format!("{name} = OpVariable {pointer} Function"));
    }

    /// Storage class of a variable, and a pointer to it.
    fn place(&mut self, variable: Variable) -> (&'static str, String) {
        let number = variable.number;
        match variable.kind {
            Kind::Uniform => {
                let ty = self.ty(variable.ty);
                let pointer = self.types.pointer("Uniform", &ty);
                let member = self.types.int_value(i32::try_from(number).unwrap_or(i32::MAX));
                ("Uniform", self.result("OpAccessChain", &pointer, &format!("%uniforms {member}")))
            }
            Kind::ClipDistance => {
                let ty = self.ty(variable.ty);
                let pointer = self.types.pointer("Output", &ty);
                let element = self.types.int_value(i32::try_from(number).unwrap_or(i32::MAX));
                ("Output", self.result("OpAccessChain", &pointer, &format!("%distances {element}")))
            }
            Kind::Attribute => ("Input", "%piglit_vertex".to_owned()),
            Kind::Varying if self.is_vertex => ("Output", format!("%v{number}")),
            Kind::Varying => ("Input", format!("%v{number}")),
            Kind::Changed | Kind::Parameter => ("Function", format!("%p{number}")),
            Kind::Local => ("Function", format!("%x{number}")),
        }
    }

    fn store(&mut self, variable: Variable, value: &str) {
        let (_, place) = self.place(variable);
        self.line(&format!("OpStore {place} {value}"));
    }

    /// Pointer to an element.
    fn element(&mut self, variable: Variable, index: &Expression) -> String {
        let index = self.expression(index);
        let part = match variable.ty {
            Type::Matrix(size) => Type::Vector(size),
            Type::Float | Type::Int | Type::Vector(_) | Type::Array | Type::Struct => Type::Float,
        };
        let (class, place) = self.place(variable);
        let ty = self.ty(part);
        let pointer = self.types.pointer(class, &ty);
        self.result("OpAccessChain", &pointer, &format!("{place} {index}"))
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Declare(variable, value) => {
                let value = self.expression(value);
                self.local(&format!("%x{}", variable.number), variable.ty);
                self.store(*variable, &value);
            }
            Statement::Assign(variable, value) => {
                let value = self.expression(value);
                self.store(*variable, &value);
            }
            Statement::AssignAt(variable, index, value) => {
                let (place, value) = (self.element(*variable, index), self.expression(value));
                self.line(&format!("OpStore {place} {value}"));
            }
            Statement::Change(number, variable, others) => {
                let (_, place) = self.place(*variable);
                let others = self.list(others);
                let void = self.types.id("OpTypeVoid");
                self.result("OpFunctionCall", &void, &format!("%call{number} {place} {others}"));
            }
            Statement::If(condition, first, second) => {
                let condition = self.masked_is(condition, 1, 0);
                self.selection(&condition, Some(first), second);
            }
            Statement::Repeat(counter, limit, body) => self.repeat(*counter, *limit, body),
            Statement::Switch(choice, blocks) => self.switch(choice, blocks),
            Statement::Discard(condition) => {
                let condition = self.masked_is(condition, 7, 7);
                self.selection(&condition, None, &[]);
            }
        }
    }

    /// True where the masked integer is the value.
    fn masked_is(&mut self, value: &Expression, mask: i32, wanted: i32) -> String {
        let value = self.expression(value);
        let (int, bool) = (self.types.int(), self.types.id("OpTypeBool"));
        let (mask, wanted) = (self.types.int_value(mask), self.types.int_value(wanted));
        let masked = self.result("OpBitwiseAnd", &int, &format!("{value} {mask}"));
        self.result("OpIEqual", &bool, &format!("{masked} {wanted}"))
    }

    /// Writes two blocks; the first ends the fragment if it is `None`.
    fn selection(&mut self, condition: &str, first: Option<&[Statement]>, second: &[Statement]) {
        let (yes, no, after) = (self.fresh(), self.fresh(), self.fresh());
        self.line(&format!("OpSelectionMerge {after} None"));
        self.line(&format!("OpBranchConditional {condition} {yes} {no}"));
        self.line(&format!("{yes} = OpLabel"));
        match first {
            Some(statements) => {
                self.statements(statements);
                self.line(&format!("OpBranch {after}"));
            }
            None => self.line("OpKill"),
        }
        self.line(&format!("{no} = OpLabel"));
        self.statements(second);
        self.line(&format!("OpBranch {after}"));
        self.line(&format!("{after} = OpLabel"));
    }

    fn repeat(&mut self, counter: Variable, limit: u8, body: &[Statement]) {
        let (int, bool) = (self.types.int(), self.types.id("OpTypeBool"));
        let zero = self.types.int_value(0);
        let (one, limit) = (self.types.int_value(1), self.types.int_value(i32::from(limit)));
        let labels: [String; 5] = std::array::from_fn(|_| self.fresh());
        let [header, test, inner, step, after] = labels;
        let name = format!("%x{}", counter.number);
        self.local(&name, Type::Int);
        self.line(&format!("OpStore {name} {zero}"));
        self.line(&format!("OpBranch {header}\n{header} = OpLabel"));
        self.line(&format!("OpLoopMerge {after} {step} None\nOpBranch {test}\n{test} = OpLabel"));
        let now = self.result("OpLoad", &int, &name);
        let goes_on = self.result("OpSLessThan", &bool, &format!("{now} {limit}"));
        self.line(&format!("OpBranchConditional {goes_on} {inner} {after}\n{inner} = OpLabel"));
        self.statements(body);
        self.line(&format!("OpBranch {step}\n{step} = OpLabel"));
        let now = self.result("OpLoad", &int, &name);
        let next = self.result("OpIAdd", &int, &format!("{now} {one}"));
        self.line(&format!("OpStore {name} {next}\nOpBranch {header}\n{after} = OpLabel"));
    }

    fn switch(&mut self, choice: &Expression, blocks: &[Vec<Statement>]) {
        let choice = self.expression(choice);
        let (int, mask) = (self.types.int(), self.types.int_value(3));
        let choice = self.result("OpBitwiseAnd", &int, &format!("{choice} {mask}"));
        let labels: Vec<_> = blocks.iter().map(|_| self.fresh()).collect();
        let after = self.fresh();
        let Some((last, cases)) = labels.split_last() else { return };
        let cases: Vec<_> =
            cases.iter().enumerate().map(|(value, label)| format!("{value} {label}")).collect();
        self.line(&format!("OpSelectionMerge {after} None"));
        self.line(&format!("OpSwitch {choice} {last} {}", cases.join(" ")));
        for (label, block) in labels.iter().zip(blocks) {
            self.line(&format!("{label} = OpLabel"));
            self.statements(block);
            self.line(&format!("OpBranch {after}"));
        }
        self.line(&format!("{after} = OpLabel"));
    }

    fn list(&mut self, values: &[Expression]) -> String {
        values.iter().map(|value| self.expression(value)).collect::<Vec<_>>().join(" ")
    }

    /// Id of the value.
    fn expression(&mut self, expression: &Expression) -> String {
        let ty = self.ty(expression.ty);
        match &expression.value {
            Value::Float(value) => self.types.id(&format!("OpConstant {ty} {value:?}")),
            Value::Int(value) => self.types.int_value(*value),
            Value::Load(variable) if variable.kind == Kind::Parameter => {
                self.values[&variable.number].clone()
            }
            Value::Load(variable) => {
                let (_, place) = self.place(*variable);
                self.result("OpLoad", &ty, &place)
            }
            Value::Compose(parts) => {
                let parts = self.list(parts);
                self.result("OpCompositeConstruct", &ty, &parts)
            }
            Value::Part(whole, part) => {
                let whole = self.expression(whole);
                self.result("OpCompositeExtract", &ty, &format!("{whole} {part}"))
            }
            Value::At(variable, index) => {
                let place = self.element(*variable, index);
                self.result("OpLoad", &ty, &place)
            }
            Value::Swizzle(vector, parts) => {
                let vector = self.expression(vector);
                let parts: Vec<_> = parts.iter().map(u8::to_string).collect();
                let operands = format!("{vector} {vector} {}", parts.join(" "));
                self.result("OpVectorShuffle", &ty, &operands)
            }
            Value::Binary(operator, left, right) => self.binary(*operator, left, right, &ty),
            Value::Builtin(function, arguments) => self.builtin(*function, arguments, &ty),
            Value::ToFloat(int) => {
                let int = self.expression(int);
                self.result("OpConvertSToF", &ty, &int)
            }
            Value::Call(number, arguments) => {
                let arguments = self.list(arguments);
                self.result("OpFunctionCall", &ty, &format!("%call{number} {arguments}"))
            }
        }
    }

    fn binary(
        &mut self,
        operator: Operator,
        left: &Expression,
        right: &Expression,
        ty: &str,
    ) -> String {
        let (a, b) = (self.expression(left), self.expression(right));
        let opcode = match (operator, left.ty, right.ty) {
            (Operator::Add, Type::Matrix(size), _) => return self.matrix_sum(size, &a, &b, ty),
            (Operator::Add, Type::Int, _) => "OpIAdd",
            (Operator::Add, ..) => "OpFAdd",
            (Operator::Subtract, Type::Int, _) => "OpISub",
            (Operator::Subtract, ..) => "OpFSub",
            (Operator::Multiply, Type::Int, _) => "OpIMul",
            (Operator::Multiply, Type::Matrix(_), Type::Vector(_)) => "OpMatrixTimesVector",
            (Operator::Multiply, Type::Matrix(_), _) => "OpMatrixTimesScalar",
            (Operator::Multiply, Type::Vector(_), _) => "OpVectorTimesScalar",
            (Operator::Multiply, ..) => "OpFMul",
            (Operator::ExclusiveOr, ..) => "OpBitwiseXor",
            (Operator::And, ..) => "OpBitwiseAnd",
            (Operator::ShiftLeft, ..) => "OpShiftLeftLogical",
        };
        self.result(opcode, ty, &format!("{a} {b}"))
    }

    /// Adds two matrices by columns, because SPIR-V has no sum of matrices.
    fn matrix_sum(&mut self, size: u8, a: &str, b: &str, ty: &str) -> String {
        let column = self.ty(Type::Vector(size));
        let mut columns = Vec::new();
        for number in 0..size {
            let left = self.result("OpCompositeExtract", &column, &format!("{a} {number}"));
            let right = self.result("OpCompositeExtract", &column, &format!("{b} {number}"));
            columns.push(self.result("OpFAdd", &column, &format!("{left} {right}")));
        }
        self.result("OpCompositeConstruct", ty, &columns.join(" "))
    }

    fn builtin(&mut self, function: Builtin, arguments: &[Expression], ty: &str) -> String {
        let first = &arguments[0];
        let mut values: Vec<_> =
            arguments.iter().map(|argument| self.expression(argument)).collect();
        let name = match (function, first.ty) {
            (Builtin::DerivativeX, _) => return self.result("OpDPdx", ty, &values[0]),
            (Builtin::DerivativeY, _) => return self.result("OpDPdy", ty, &values[0]),
            (Builtin::Abs, _) => "FAbs",
            (Builtin::Clamp, _) => "FClamp",
            (Builtin::Fract, _) => "Fract",
            (Builtin::Max, _) => "FMax",
            (Builtin::Min, Type::Int) => "SMin",
            (Builtin::Min, _) => "FMin",
            (Builtin::Mix, _) => "FMix",
            (Builtin::Sin, _) => "Sin",
        };
        if let (Builtin::Mix, Type::Vector(size)) = (function, first.ty) {
            // FMix takes a vector of weights.
            let weights = vec![values.remove(2); usize::from(size)].join(" ");
            values.push(self.result("OpCompositeConstruct", ty, &weights));
        }
        self.result("OpExtInst", ty, &format!("%glsl {name} {}", values.join(" ")))
    }
}
