//! Writes atomic operations and the picture.

use super::super::points::{CELL_POINT, PICTURE_POINT};
use super::super::tree::{Atomic, Change, Expression, StageKind, cells};
use super::Writer;

impl Writer<'_> {
    /// Declares the cells and the picture.
    pub(super) fn own_memory(&mut self) {
        if self.kind == StageKind::Vertex {
            return;
        }
        let count = usize::from(cells(self.kind));
        self.buffer(CELL_POINT, "cells", ["uint", "atomic<u32>"], count);
        self.buffer(CELL_POINT + 1, "signed_cells", ["int", "atomic<i32>"], count);
        self.line(&if self.is_wgsl {
            format!("@group(0) @binding({PICTURE_POINT}) var picture: texture_storage_2d<r32uint, read_write>;")
        } else {
            format!("layout(r32ui, binding = {PICTURE_POINT}) uniform uimage2D picture;")
        });
    }

    pub(super) fn atomic(&mut self, Atomic { change, place, operands, result }: &Atomic) {
        let address = if self.is_wgsl { "&" } else { "" };
        let list: Vec<_> = operands.iter().map(|operand| self.expression(operand)).collect();
        let (word, place) = (change.word(self.is_wgsl), self.place(place));
        let list = [vec![format!("{address}{place}")], list].concat();
        let mut text = format!("{word}({})", list.join(", "));
        if self.is_wgsl && *change == Change::CompareExchange {
            text += ".old_value";
        }
        let start = match result {
            Some(variable) => {
                let word = if self.is_wgsl { "var " } else { "" };
                format!("{word}{} = ", self.named(variable.ty, &self.name(*variable)))
            }
            // WGSL has no statement that is a member.
            None if self.is_wgsl && *change != Change::Store => "_ = ".to_owned(),
            None => String::new(),
        };
        self.line(&format!("{start}{text};"));
    }

    /// Coordinates of the invocation's own pixel.
    const fn own_pixel(&self) -> &'static str {
        let is_compute = matches!(self.kind, StageKind::Compute);
        match (is_compute, self.is_wgsl) {
            (true, true) => "vec2<u32>(b0, b1)",
            (true, false) => "ivec2(b0, b1)",
            (false, _) => "b0",
        }
    }

    pub(super) fn paint(&mut self, value: &Expression) {
        let (value, at) = (self.expression(value), self.own_pixel());
        self.line(&if self.is_wgsl {
            format!("textureStore(picture, {at}, vec4<u32>({value}));")
        } else {
            format!("imageStore(picture, {at}, uvec4({value}));")
        });
    }

    pub(super) fn painted(&self) -> String {
        let function = if self.is_wgsl { "textureLoad" } else { "imageLoad" };
        format!("{function}(picture, {}).x", self.own_pixel())
    }
}
