//! Writes expressions. Each is an id.

use super::super::operation::{Op, row_of};
use super::super::tree::{Expression, Literal, Scalar, Type, Value};
use super::Writer;

impl Writer<'_> {
    fn list(&mut self, values: &[Expression]) -> String {
        values.iter().map(|value| self.expression(value)).collect::<Vec<_>>().join(" ")
    }

    /// Id of the value.
    pub(super) fn expression(&mut self, expression: &Expression) -> String {
        let ty = self.ty(expression.ty);
        match &expression.value {
            Value::Literal(literal) => self.literal(*literal, expression.scalar().0, &ty),
            Value::Load(place) => self.load(place),
            Value::Compose(parts) => {
                let parts = self.list(parts);
                self.result("OpCompositeConstruct", &ty, &parts)
            }
            Value::Part(whole, part) => {
                let whole = self.expression(whole);
                self.result("OpCompositeExtract", &ty, &format!("{whole} {part}"))
            }
            Value::Swizzle(vector, parts) => {
                let vector = self.expression(vector);
                let parts: Vec<_> = parts.iter().map(u8::to_string).collect();
                let operands = format!("{vector} {vector} {}", parts.join(" "));
                self.result("OpVectorShuffle", &ty, &operands)
            }
            Value::Op(op, operands) => self.operation(*op, operands, expression.ty),
            Value::Rough(exact) => self.expression(exact),
            Value::Call(number, arguments) => {
                let arguments = self.arguments(arguments);
                self.result("OpFunctionCall", &ty, &format!("%call{number} {arguments}"))
            }
            Value::Painted => self.painted(),
            Value::Lookup(lookup, operands) => self.lookup(*lookup, operands, &ty),
        }
    }

    fn literal(&mut self, literal: Literal, scalar: Scalar, ty: &str) -> String {
        match literal {
            Literal::Bool(value) => self
                .declared
                .id(&format!("OpConstant{} {ty}", if value { "True" } else { "False" })),
            Literal::Int(value) => self.declared.number(scalar, &value.to_string()),
            Literal::Uint(value) => self.declared.number(scalar, &value.to_string()),
            Literal::Float(value) => self.declared.number(scalar, &format!("{value:?}")),
        }
    }

    fn operation(&mut self, op: Op, operands: &[Expression], ty: Type) -> String {
        let class = operands.first().map_or(Scalar::Float, |first| first.scalar().0);
        let result = self.ty(ty);
        let opcode = row_of(op).opcode(class);
        match op {
            Op::Cast => {
                let Some(value) = operands.first() else { return String::new() };
                let id = self.expression(value);
                return self.converted(&id, value.ty, ty);
            }
            Op::Bits => {
                let value = self.list(operands);
                return self.result("OpBitcast", &result, &value);
            }
            Op::Select => {
                let mut ids = operands.iter().map(|operand| self.expression(operand));
                let [a, b, condition] = std::array::from_fn(|_| ids.next().unwrap_or_default());
                drop(ids);
                let is_scalar = matches!(ty, Type::Value(_, 1));
                if is_scalar && self.ids.is_multiple_of(3) {
                    return self.phi(&condition, [&a, &b], &result);
                }
                return self.result(opcode, &result, &format!("{condition} {b} {a}"));
            }
            Op::Exponent | Op::Significand | Op::ModfWhole | Op::ModfFraction => {
                return self.of_two(op, operands, ty);
            }
            Op::Carry | Op::Borrow | Op::HighProduct => {
                let values = self.list(operands);
                let uint = self.declared.scalar(Scalar::Uint);
                let both = self.declared.id(&format!("OpTypeStruct {uint} {uint}"));
                let pair = self.result(opcode, &both, &values);
                return self.result("OpCompositeExtract", &uint, &format!("{pair} 1"));
            }
            _ => {}
        }
        let values = self.list(operands);
        match opcode.strip_prefix('!') {
            Some(name) => self.result("OpExtInst", &result, &format!("%glsl {name} {values}")),
            None => self.result(opcode, &result, &values),
        }
    }

    /// One of two values, by a branch.
    fn phi(&mut self, condition: &str, [reject, accept]: [&str; 2], ty: &str) -> String {
        let [yes, no, after] = std::array::from_fn(|_| self.fresh());
        self.line(&format!("OpSelectionMerge {after} None"));
        self.line(&format!("OpBranchConditional {condition} {yes} {no}"));
        for label in [&yes, &no] {
            self.line(&format!("{label} = OpLabel\nOpBranch {after}"));
        }
        self.line(&format!("{after} = OpLabel"));
        self.result("OpPhi", ty, &format!("{accept} {yes} {reject} {no}"))
    }

    /// A function with two results: the fraction or significand, and the whole number or exponent.
    fn of_two(&mut self, op: Op, operands: &[Expression], ty: Type) -> String {
        let (_, count) = operands.first().map_or((Scalar::Float, 1), Expression::scalar);
        let float = self.ty(Type::Value(Scalar::Float, count));
        let int = self.ty(Type::Value(Scalar::Int, count));
        let (name, second) = match op {
            Op::Exponent | Op::Significand => ("FrexpStruct", &int),
            _ => ("ModfStruct", &float),
        };
        let both = self.declared.id(&format!("OpTypeStruct {float} {second}"));
        let values = self.list(operands);
        let pair = self.result("OpExtInst", &both, &format!("%glsl {name} {values}"));
        let number = u8::from(matches!(op, Op::Exponent | Op::ModfWhole));
        let ty = self.ty(ty);
        self.result("OpCompositeExtract", &ty, &format!("{pair} {number}"))
    }
}
