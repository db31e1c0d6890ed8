//! Writes expressions.

use super::super::operation::{Op, row_of};
use super::super::tree::{
    Argument, Expression, Kind, Literal, Place, Scalar, Type, Value, Variable,
};
use super::{Writer, part};

/// The 64-bit type with the sign of the old type, if an integer becomes one of 64 bits with the other sign.
const fn widened(from: Scalar, to: Type) -> Option<Scalar> {
    match (from, to) {
        (Scalar::Int, Type::Value(Scalar::Ulong, _)) => Some(Scalar::Long),
        (Scalar::Uint, Type::Value(Scalar::Long, _)) => Some(Scalar::Ulong),
        _ => None,
    }
}

impl Writer<'_> {
    fn list(&self, values: &[Expression]) -> String {
        values.iter().map(|value| self.expression(value)).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn expression(&self, expression: &Expression) -> String {
        match &expression.value {
            Value::Literal(literal) => self.literal(*literal, expression.scalar().0),
            Value::Load(place) => self.place(place),
            Value::Compose(parts) => format!("{}({})", self.ty(expression.ty), self.list(parts)),
            Value::Part(whole, number) => part(&self.expression(whole), whole.ty, *number),
            Value::Swizzle(vector, parts) => {
                let letters: String =
                    parts.iter().map(|part| ['x', 'y', 'z', 'w'][usize::from(*part)]).collect();
                format!("{}.{letters}", self.expression(vector))
            }
            Value::Op(op, operands) => self.operation(*op, operands, expression.ty),
            Value::Rough(exact) => self.expression(exact),
            Value::Call(number, arguments) => self.call(*number, arguments),
            Value::Painted => self.painted(),
            Value::Lookup(lookup, operands) => self.lookup(*lookup, &self.list(operands)),
        }
    }

    fn literal(&self, literal: Literal, scalar: Scalar) -> String {
        let suffix = match (scalar, self.is_wgsl) {
            (Scalar::Bool, _) | (Scalar::Int | Scalar::Float | Scalar::Rough, false) => "",
            (Scalar::Int, true) => "i",
            (Scalar::Uint, _) => "u",
            (Scalar::Float | Scalar::Rough, true) => "f",
            (Scalar::Long, true) => "li",
            (Scalar::Long, false) => "l",
            (Scalar::Ulong, true) => "lu",
            (Scalar::Ulong, false) => "ul",
            (Scalar::Double, _) => "lf",
            (Scalar::Half, _) => "h",
        };
        let text = match literal {
            Literal::Bool(value) => value.to_string(),
            Literal::Int(value) => value.to_string(),
            Literal::Uint(value) => value.to_string(),
            Literal::Float(value) => format!("{value:?}"),
        };
        if text.starts_with('-') { format!("({text}{suffix})") } else { format!("{text}{suffix}") }
    }

    pub(super) fn call(&self, number: usize, arguments: &[Argument]) -> String {
        let argument = |argument: &Argument| match argument {
            Argument::Value(value) => self.expression(value),
            Argument::Changed(place) if !self.is_wgsl => self.place(place),
            Argument::Changed(Place { variable: Variable { number, kind, .. }, steps, .. })
                if *kind == Kind::Changed && steps.is_empty() =>
            {
                format!("p{number}")
            }
            Argument::Changed(place) => format!("&{}", self.place(place)),
        };
        let list = arguments.iter().map(argument).collect::<Vec<_>>().join(", ");
        format!("call{number}({list})")
    }

    fn operation(&self, op: Op, operands: &[Expression], ty: Type) -> String {
        let (of, count) = operands.first().map_or((Scalar::Float, 1), Expression::scalar);
        let list = || self.list(operands);
        match op {
            // naga's writer of SPIR-V widens by the sign of the new type, not of the old one.
            Op::Cast if self.is_wgsl && widened(of, ty).is_some() => {
                let middle = widened(of, ty).unwrap_or(of);
                format!("{}({}({}))", self.ty(ty), self.ty(Type::Value(middle, count)), list())
            }
            Op::Bits if self.is_wgsl => format!("bitcast<{}>({})", self.ty(ty), list()),
            Op::Bits if of == Scalar::Float => format!("floatBitsToUint({})", list()),
            Op::Cast | Op::Bits => format!("{}({})", self.ty(ty), list()),
            // The result of WGSL's functions has the type of the operand.
            Op::BitCount | Op::LowestBit | Op::HighestBit if self.is_wgsl && of == Scalar::Uint => {
                let name = row_of(op).text(self.language, false);
                format!("{}({name}({}))", self.ty(ty), list())
            }
            Op::Select if !self.is_wgsl && count == 1 => {
                let [a, b, condition] = [0, 1, 2].map(|number| self.nth(operands, number));
                format!("({condition} ? {b} : {a})")
            }
            Op::Extract | Op::Insert if !self.is_wgsl => {
                let words: Vec<_> = operands
                    .iter()
                    .enumerate()
                    .map(|(number, operand)| {
                        let text = self.expression(operand);
                        let is_count = number + 2 >= operands.len();
                        if is_count { format!("int({text})") } else { text }
                    })
                    .collect();
                format!("{}({})", row_of(op).text(self.language, false), words.join(", "))
            }
            // naga gives the exponent of a half 16 bits; WGSL gives it 32.
            Op::Exponent if of == Scalar::Half => format!("{}(frexp({}).exp)", self.ty(ty), list()),
            Op::Exponent | Op::Significand | Op::ModfWhole | Op::ModfFraction if self.is_wgsl => {
                let member = match op {
                    Op::Exponent => "exp",
                    Op::ModfWhole => "whole",
                    _ => "fract",
                };
                format!("{}({}).{member}", row_of(op).text(self.language, false), list())
            }
            Op::Exponent => format!("exponent({})", list()),
            Op::Significand => format!("significand({})", list()),
            Op::ModfWhole => format!("modf_whole({})", list()),
            Op::ModfFraction => format!("modf_fraction({})", list()),
            Op::Carry => format!("carry({})", list()),
            Op::Borrow => format!("borrow({})", list()),
            Op::HighProduct => format!("high_product({})", list()),
            _ => self.spelled(op, operands, count > 1),
        }
    }

    /// The operand of this number.
    fn nth(&self, operands: &[Expression], number: usize) -> String {
        operands.get(number).map_or_else(String::new, |operand| self.expression(operand))
    }

    /// An operator between or before operands, or a function of them.
    fn spelled(&self, op: Op, operands: &[Expression], is_vector: bool) -> String {
        let word = row_of(op).text(self.language, is_vector);
        if word.starts_with(|first: char| first.is_ascii_alphabetic()) {
            return format!("{word}({})", self.list(operands));
        }
        if let [only] = operands {
            return format!("({word}{})", self.expression(only));
        }
        let texts: Vec<_> = operands.iter().map(|operand| self.expression(operand)).collect();
        format!("({})", texts.join(&format!(" {word} ")))
    }
}
