//! Passes values through a variable: a local one, an element of a local array, or a private one.
//!
//! A private variable is written and read at one place, so no other write can come between.

use std::num::NonZeroU32;

use naga::proc::Layouter;
use naga::{ArraySize, Expression, Handle, Type, TypeInner};

use ir::builder::add_private;

use crate::copy::{Change, Copy};

/// The change.
#[derive(Debug)]
pub(crate) struct Detour;

/// Number of elements of an array.
const ELEMENTS: u32 = 4;

impl Change for Detour {
    fn expression(
        &mut self,
        copy: &mut Copy<'_>,
        old: Handle<Expression>,
        new: &Expression,
    ) -> Option<Handle<Expression>> {
        copy.varying(old)?;
        if !copy.is_storable(old) || !copy.random.alters() {
            return None;
        }
        let ty = copy.type_of(old);
        let value = copy.new.emit(new.clone());
        let pointer = match copy.random.below(3) {
            0 => copy.variable(ty),
            1 => {
                let variable = add_private(copy.new.module, None, ty);
                copy.new.global(variable)
            }
            _ => element(copy, ty)?,
        };
        copy.new.store(pointer, value);
        Some(copy.new.load(pointer))
    }
}

/// A pointer to an element of a new local array. Compilers cannot know some of the indices.
fn element(copy: &mut Copy<'_>, ty: Handle<Type>) -> Option<Handle<Expression>> {
    let mut layouter = Layouter::default();
    layouter.update(copy.new.module.to_ctx()).ok()?;
    let stride = layouter[ty].to_stride();
    let size = ArraySize::Constant(NonZeroU32::new(ELEMENTS)?);
    let array = copy.new.insert_type(TypeInner::Array { base: ty, size, stride });
    let base = copy.variable(array);
    let zero = if copy.random.coin() { copy.zero() } else { None };
    Some(if let Some(zero) = zero {
        copy.new.element(base, zero)
    } else {
        let index = copy.random.below(ELEMENTS);
        copy.new.part(base, index)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check_some;

    #[test]
    fn values_go_through_every_kind_of_variable() {
        let text = "@fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f {
            let b = a.x + a.y; return vec4f(b * a.z); }";
        let parts = ["var<private> global: f32", "var local: f32", "array<f32, 4>", "local[2] = "];
        check_some(&mut || Box::new(Detour), text, &parts);
    }
}
