//! Writes atomic operations and the picture.

use super::super::points::{CELL_POINT, PICTURE_POINT};
use super::super::tree::{Atomic, Change, Expression, Place, Scalar, StageKind, Type, cells};
use super::Writer;

impl Writer<'_> {
    /// Declares the cells and the picture.
    pub(super) fn own_memory(&mut self) {
        if self.kind == StageKind::Vertex {
            return;
        }
        let count = usize::from(cells(self.kind));
        for (point, name, scalar) in
            [(0, "%cells", Scalar::Uint), (1, "%signed_cells", Scalar::Int)]
        {
            let ty = self.declared.scalar(scalar);
            self.buffer(CELL_POINT + point, name, &ty, count);
        }
        let image = self.image();
        self.bind("%picture", PICTURE_POINT);
        self.global("%picture", "UniformConstant", &image);
    }

    fn image(&mut self) -> String {
        let uint = self.declared.scalar(Scalar::Uint);
        self.declared.id(&format!("OpTypeImage {uint} 2D 0 0 0 2 R32ui"))
    }

    pub(super) fn atomic(&mut self, atomic: &Atomic) {
        let scalar = atomic.scalar();
        let ty = self.declared.scalar(scalar);
        let operands: Vec<_> =
            atomic.operands.iter().map(|operand| self.expression(operand)).collect();
        let pointer = self.pointer(&atomic.place);
        let [device, relaxed] = ["1", "0"].map(|value| self.declared.number(Scalar::Uint, value));
        let operands = match (atomic.change, operands.as_slice()) {
            // The new value stands before the one that is compared.
            (Change::CompareExchange, [compared, new]) => {
                format!("{relaxed} {relaxed} {new} {compared}")
            }
            (_, operands) => format!("{relaxed} {}", operands.join(" ")),
        };
        let opcode = atomic.change.opcode(scalar.is_signed());
        if atomic.change == Change::Store {
            self.line(&format!("{opcode} {pointer} {device} {operands}"));
            return;
        }
        let old = self.result(opcode, &ty, &format!("{pointer} {device} {operands}"));
        if let Some(variable) = atomic.result {
            self.local(&format!("%x{}", variable.number), variable.ty);
            let place = self.pointer(&Place::whole(variable));
            self.line(&format!("OpStore {place} {old}"));
        }
    }

    /// Coordinates of the invocation's own pixel.
    fn own_pixel(&mut self) -> String {
        let scalar = if self.kind == StageKind::Compute { Scalar::Uint } else { Scalar::Int };
        let pair = self.ty(Type::Value(scalar, 2));
        if scalar == Scalar::Int {
            return self.result("OpLoad", &pair, "%b0");
        }
        let uint = self.declared.scalar(Scalar::Uint);
        let [x, y] = ["%b0", "%b1"].map(|name| self.result("OpLoad", &uint, name));
        self.result("OpCompositeConstruct", &pair, &format!("{x} {y}"))
    }

    pub(super) fn paint(&mut self, value: &Expression) {
        let value = self.expression(value);
        let ty = self.ty(Type::Value(Scalar::Uint, 4));
        let all = format!("{value} {value} {value} {value}");
        let texel = self.result("OpCompositeConstruct", &ty, &all);
        let (image, at) = (self.image(), self.own_pixel());
        let image = self.result("OpLoad", &image, "%picture");
        self.line(&format!("OpImageWrite {image} {at} {texel}"));
    }

    pub(super) fn painted(&mut self) -> String {
        let ty = self.ty(Type::Value(Scalar::Uint, 4));
        let uint = self.declared.scalar(Scalar::Uint);
        let (image, at) = (self.image(), self.own_pixel());
        let image = self.result("OpLoad", &image, "%picture");
        let texel = self.result("OpImageRead", &ty, &format!("{image} {at}"));
        self.result("OpCompositeExtract", &uint, &format!("{texel} 0"))
    }
}
