//! Writes conversions of numbers.

use super::super::tree::{Expression, Scalar, Type};
use super::Writer;

impl Writer<'_> {
    /// The value converted from one type to another with as many components.
    pub(super) fn converted(&mut self, value: &str, from: Type, to: Type) -> String {
        let (Type::Value(old, count), Type::Value(new, _)) = (from, to) else {
            return value.to_owned();
        };
        let ty = self.ty(to);
        let all = |writer: &mut Self, scalar: Scalar, number: i32| {
            writer.expression(&Expression::numbers(scalar, count, number))
        };
        match (old, new) {
            (Scalar::Bool, _) => {
                let (one, zero) = (all(self, new, 1), all(self, new, 0));
                self.result("OpSelect", &ty, &format!("{value} {one} {zero}"))
            }
            (_, Scalar::Bool) => {
                let zero = all(self, old, 0);
                let opcode = if old.is_float() { "OpFUnordNotEqual" } else { "OpINotEqual" };
                self.result(opcode, &ty, &format!("{value} {zero}"))
            }
            (Scalar::Int, Scalar::Uint)
            | (Scalar::Uint, Scalar::Int)
            | (Scalar::Long, Scalar::Ulong)
            | (Scalar::Ulong, Scalar::Long) => self.result("OpBitcast", &ty, value),
            // Instructions that change the width keep the sign of the type.
            (Scalar::Int, Scalar::Long) | (Scalar::Long, Scalar::Int) => {
                self.result("OpSConvert", &ty, value)
            }
            (Scalar::Uint, Scalar::Ulong) | (Scalar::Ulong, Scalar::Uint) => {
                self.result("OpUConvert", &ty, value)
            }
            (Scalar::Int, Scalar::Ulong) => self.by_way_of(value, from, Scalar::Long, to),
            (Scalar::Uint, Scalar::Long) => self.by_way_of(value, from, Scalar::Ulong, to),
            (Scalar::Long, Scalar::Uint) => self.by_way_of(value, from, Scalar::Int, to),
            (Scalar::Ulong, Scalar::Int) => self.by_way_of(value, from, Scalar::Uint, to),
            (Scalar::Int | Scalar::Long, _) => self.result("OpConvertSToF", &ty, value),
            (Scalar::Uint | Scalar::Ulong, _) => self.result("OpConvertUToF", &ty, value),
            (_, Scalar::Int | Scalar::Long) => self.result("OpConvertFToS", &ty, value),
            (_, Scalar::Uint | Scalar::Ulong) => self.result("OpConvertFToU", &ty, value),
            (Scalar::Float | Scalar::Rough | Scalar::Double | Scalar::Half, _) => {
                self.result("OpFConvert", &ty, value)
            }
        }
    }

    /// Two conversions.
    fn by_way_of(&mut self, value: &str, from: Type, way: Scalar, to: Type) -> String {
        let Type::Value(_, count) = from else { return value.to_owned() };
        let middle = Type::Value(way, count);
        let value = self.converted(value, from, middle);
        self.converted(&value, middle, to)
    }
}
