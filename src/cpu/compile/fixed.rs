//! Fixed-function steps of GL around the code of a wired stage: clamps, clip distances, colours.

use naga::{ResourceBinding, Scalar};

use super::expression::Vector;
use super::{Compiler, Result};
use crate::code::{Op, Register};
use arithmetic::{BinaryFunction, Kind, Operand};

/// Planes whose distances from a point are the clip distances.
#[derive(Clone, Debug)]
pub struct Planes {
    /// Buffer that holds the planes.
    pub buffer: ResourceBinding,
    /// For each plane, the offsets of its four words in the buffer.
    pub words: Vec<[u32; 4]>,
}

impl Compiler<'_> {
    /// Clamps floats to 0 to 1, in place.
    pub(super) fn clamp_words(&mut self, at: Register, words: usize) -> Result<()> {
        for at in at..at + words {
            let own = Operand { at, step: 0 };
            let zero = Operand { at: self.word(0)?, step: 0 };
            let one = Operand { at: self.word(1.0_f32.to_bits())?, step: 0 };
            let least = self.binary(BinaryFunction::Max, Kind::F32, [own, zero], 1)?;
            let least = Operand { at: least, step: 0 };
            let from = self.binary(BinaryFunction::Min, Kind::F32, [least, one], 1)?;
            self.emit_body(Op::Move { to: at, from, words: 1 })?;
        }
        Ok(())
    }

    /// The distances of the point at `at` from planes.
    pub(super) fn distances(&mut self, at: Register, planes: &Planes) -> Result<Register> {
        let mut all = Vec::new();
        for words in &planes.words {
            let plane = self.load_words(planes.buffer, words)?;
            let part = |at| Vector { at, kind: Kind::F32, count: 1 };
            let mut sum = None;
            for axis in 0..4 {
                let factors = [part(plane + axis), part(at + axis)];
                let product = self.scalars(BinaryFunction::Multiply, factors[0], factors[1])?;
                sum = Some(match sum {
                    None => product,
                    Some(sum) => self.scalars(BinaryFunction::Add, sum, product)?,
                });
            }
            all.extend(sum.map(|sum: Vector| (sum.at, 1)));
        }
        self.compose(&all)
    }

    /// The four channels of a colour; unwritten ones are black, and alpha is opaque.
    pub(super) fn channels(
        &mut self,
        written: [Option<Register>; 4],
        scalar: Scalar,
    ) -> Result<Register> {
        let one = if scalar == Scalar::F32 { 1.0_f32.to_bits() } else { 1 };
        let to = self.allocate(4)?;
        for ((channel, missing), to) in written.into_iter().zip([0, 0, 0, one]).zip(to..) {
            let from = match channel {
                Some(from) => from,
                None => self.word(missing)?,
            };
            self.emit_body(Op::Move { to, from, words: 1 })?;
        }
        Ok(to)
    }
}
