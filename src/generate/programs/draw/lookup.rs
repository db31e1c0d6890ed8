//! Draws lookups of textures.

use super::super::operation::Op;
use super::super::tree::{
    Expression, Filtered, INT, Lookup, Scalar, Statement, TEXELS, Type, Value,
};
use super::Drawer;
use super::rough::{float, limited};

const UVEC4: Type = Type::Value(Scalar::Uint, 4);
const VEC4: Type = Type::Value(Scalar::Float, 4);
const IVEC2: Type = Type::Value(Scalar::Int, 2);

impl Drawer<'_> {
    /// A lookup with a result of the type.
    pub(super) fn lookup(&mut self, ty: Type, depth: usize) -> Option<Expression> {
        let level = self.rng.u8(0..=1);
        let lookup = match ty {
            UVEC4 if self.rng.bool() => Lookup::Fetch(level),
            UVEC4 => Lookup::Gather { component: self.rng.u8(0..4), offset: self.offset() },
            VEC4 => Lookup::Nearest { level, offset: self.offset() },
            IVEC2 => Lookup::Size(level),
            INT => Lookup::Levels,
            _ => return None,
        };
        if !self.recipe.allows(lookup.name()) {
            return None;
        }
        let operands = match lookup {
            Lookup::Fetch(level) | Lookup::Nearest { level, .. } => {
                vec![self.masked(IVEC2, i32::from(TEXELS >> level) - 1, depth)]
            }
            Lookup::Gather { .. } => vec![self.masked(IVEC2, i32::from(TEXELS) - 1, depth)],
            Lookup::Filtered(_) | Lookup::Size(_) | Lookup::Levels => Vec::new(),
        };
        Some(Expression::new(ty, Value::Lookup(lookup, operands)))
    }

    /// Texels by which a lookup is moved, if it is.
    fn offset(&mut self) -> Option<[i8; 2]> {
        self.once_in(3).then(|| [self.rng.i8(-8..=7), self.rng.i8(-8..=7)])
    }

    /// Inexact floats of a texture, which change continuously with the coordinates.
    pub(super) fn filtered(&mut self, depth: usize) -> Option<Expression> {
        let mut ways = vec![Filtered::Level, Filtered::Gradient];
        if self.has_derivatives() {
            ways.push(Filtered::Implicit);
        }
        ways.retain(|way| self.recipe.allows(Lookup::Filtered(*way).name()));
        if ways.is_empty() {
            return None;
        }
        let way = self.pick(&ways);
        let at = limited(self.rough(2, depth), 2.0);
        let operands = match way {
            Filtered::Implicit => vec![at],
            Filtered::Level => vec![at, self.rough(1, depth)],
            Filtered::Gradient => {
                let (x, y) = (self.rough(2, depth), self.rough(2, depth));
                vec![at, x, y]
            }
        };
        let value = Value::Lookup(Lookup::Filtered(way), operands);
        // A weight may be wrong by 1/256, and texels differ by up to 4.
        let texels = Expression::new(Type::Value(Scalar::Rough, 4), value);
        Some(texels.then(Op::Multiply, vec![float(4, 0.0625)]))
    }

    /// Folds something of every texture.
    pub(super) fn textures(&mut self, body: &mut Vec<Statement>) {
        for ty in [UVEC4, VEC4] {
            if let Some(value) = self.lookup(ty, 1) {
                self.flush(body);
                self.mix_in(value, body);
            }
        }
        if let Some(value) = self.filtered(1) {
            self.flush(body);
            self.add(value, body);
        }
    }
}
