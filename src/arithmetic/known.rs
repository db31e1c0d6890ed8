//! Arithmetic on scalars whose values are known.

use naga::Literal;

use crate::{BinaryFunction, Kind, Machine, Operand, Split, UnaryFunction};

/// A scalar whose value is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Known {
    /// Type of the scalar.
    pub kind: Kind,
    /// Words of the scalar, low word first; a narrow one has only the first. A boolean is 0 or 1.
    pub words: [u32; 2],
}

impl Known {
    /// Makes a scalar of one word.
    pub const fn new(kind: Kind, word: u32) -> Self {
        Self { kind, words: [word, 0] }
    }

    /// Makes a scalar from its bits; a narrow one has the lower half.
    #[expect(clippy::cast_possible_truncation, reason = "the low and the high word")]
    pub const fn of_bits(kind: Kind, bits: u64) -> Self {
        Self { kind, words: [bits as u32, (bits >> 32) as u32] }
    }

    /// Bits of the scalar; those of a narrow one are the lower half.
    #[must_use]
    pub const fn bits(self) -> u64 {
        let [low, high] = self.words;
        if self.kind.words() == 2 { (high as u64) << 32 | low as u64 } else { low as u64 }
    }

    /// Converts the scalar to another kind.
    pub fn converted(self, kind: Kind) -> Self {
        let [low, high] = self.words;
        let mut file = [low, high, 0, 0];
        Split::new(&mut file, 1, 2).convert([self.kind, kind], 0, 1);
        Self { kind, words: [file[2], file[3]] }
    }
}

/// Computes with known scalars. The error means that the kind has no such function.
#[derive(Clone, Copy, Debug, Default)]
pub struct Now;

/// Registers of up to three operands, followed by those of the result.
fn file(operands: &[Known]) -> [u32; 8] {
    let mut file = [0; 8];
    let words = operands.iter().flat_map(|known| known.words);
    file.iter_mut().zip(words).for_each(|(place, word)| *place = word);
    file
}

const fn at(operand: usize) -> Operand {
    Operand { at: operand * 2, step: 0 }
}

impl Machine for Now {
    type Value = Known;
    type Error = ();

    fn kind(&self, of: Known) -> Kind {
        of.kind
    }

    fn reinterpreted(&self, value: Known, kind: Kind) -> Known {
        Known { kind, ..value }
    }

    fn literal(&mut self, literal: Literal) -> Result<Known, ()> {
        Ok(match literal {
            Literal::F32(value) => Known::new(Kind::F32, value.to_bits()),
            Literal::U32(value) => Known::new(Kind::U32, value),
            Literal::I32(value) => Known::new(Kind::I32, value.cast_unsigned()),
            Literal::Bool(value) => Known::new(Kind::Bool, u32::from(value)),
            Literal::F64(value) => Known::of_bits(Kind::F64, value.to_bits()),
            Literal::I64(value) => Known::of_bits(Kind::I64, value.cast_unsigned()),
            Literal::U64(value) => Known::of_bits(Kind::U64, value),
            Literal::F16(value) => Known::new(Kind::F16, u32::from(value.to_bits())),
            Literal::I16(_)
            | Literal::U16(_)
            | Literal::AbstractInt(_)
            | Literal::AbstractFloat(_) => return Err(()),
        })
    }

    fn one(&mut self, function: UnaryFunction, x: Known) -> Result<Known, ()> {
        let mut file = file(&[x]);
        Split::new(&mut file, 1, 6).function(function, x.kind, [0, 1]).ok_or(())?;
        Ok(Known { kind: function.result(x.kind), words: [file[6], file[7]] })
    }

    fn two(&mut self, function: BinaryFunction, x: Known, y: Known) -> Result<Known, ()> {
        let mut file = file(&[x, y]);
        let mut split = Split::new(&mut file, 1, 6);
        split.function_of_two(function, x.kind, [at(0), at(1)], 1).ok_or(())?;
        Ok(Known { kind: function.result(x.kind), words: [file[6], file[7]] })
    }

    fn fused(&mut self, [x, y]: [Known; 2], z: Known) -> Result<Known, ()> {
        let mut file = file(&[x, y, z]);
        let mut split = Split::new(&mut file, 1, 6);
        let operands = [at(0), at(1), at(2)];
        match x.kind {
            Kind::F32 => split.fma::<f32>(operands, 1),
            Kind::F64 => split.fma::<f64>(operands, 1),
            Kind::F16 => split.fma::<half::f16>(operands, 1),
            Kind::Bool | Kind::I16 | Kind::U16 | Kind::I32 | Kind::U32 | Kind::I64 | Kind::U64 => {
                return Err(());
            }
        }
        Ok(Known { kind: x.kind, words: [file[6], file[7]] })
    }

    fn choose(&mut self, condition: Known, [accept, reject]: [Known; 2]) -> Result<Known, ()> {
        Ok(if condition.words[0] != 0 { accept } else { reject })
    }
}
