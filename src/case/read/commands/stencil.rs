//! `stencilfunc`, `stencilop`, `stencilmask`, `clear stencil` and `probe stencil`.

use crate::read::line::Words;
use crate::read::problem::Parsed;
use crate::state::depth_stencil::{DepthAspect, StencilChange, StencilOperation};
use crate::state::{RasterChange, StateChange};
use crate::{DepthProbe, Expectation, ReadExpectation, Setting};
use ir::scalar::Number;

use super::gl_state::{DEPTH_FUNCTIONS, named};
use super::probe::read_pixels;

const OPERATIONS: [(&str, StencilOperation); 8] = [
    ("GL_KEEP", StencilOperation::Keep),
    ("GL_ZERO", StencilOperation::Zero),
    ("GL_REPLACE", StencilOperation::Replace),
    ("GL_INVERT", StencilOperation::Invert),
    ("GL_INCR", StencilOperation::Increment),
    ("GL_DECR", StencilOperation::Decrement),
    ("GL_INCR_WRAP", StencilOperation::IncrementWrap),
    ("GL_DECR_WRAP", StencilOperation::DecrementWrap),
];

/// Reads `stencilfunc FUNCTION REFERENCE MASK`.
pub(super) fn read_function(words: &mut Words<'_>) -> Parsed<Setting> {
    let function = named(words, &DEPTH_FUNCTIONS, "stencilfunc", "stencil function")?;
    let reference = read_byte(words, "the reference")?;
    let mask = read_byte(words, "the mask")?;
    Ok(change(StencilChange::Function { function, reference, mask }))
}

/// Reads `stencilop FAIL DEPTH_FAIL PASS`.
pub(super) fn read_operations(words: &mut Words<'_>) -> Parsed<Setting> {
    let mut operations = [StencilOperation::Keep; 3];
    for operation in &mut operations {
        *operation = named(words, &OPERATIONS, "stencilop", "stencil operation")?;
    }
    Ok(change(StencilChange::Operations(operations)))
}

/// Reads `stencilmask MASK`.
pub(super) fn read_write_mask(words: &mut Words<'_>) -> Parsed<Setting> {
    read_byte(words, "the mask").map(|mask| change(StencilChange::WriteMask(mask)))
}

/// Reads `clear stencil N`.
pub(super) fn read_clear(words: &mut Words<'_>) -> Parsed<Setting> {
    read_byte(words, "the stencil value").map(|value| change(StencilChange::Clear(value)))
}

/// Reads `probe stencil x y N`.
pub(super) fn read_probe(words: &mut Words<'_>) -> Parsed<Expectation> {
    let at = read_pixels(words, ["x", "y"])?;
    let expected = Number::Integer(read_byte(words, "the stencil value")?.into());
    let aspect = DepthAspect::Stencil;
    Ok(ReadExpectation::Depth(DepthProbe { aspect, at, expected }).into())
}

fn read_byte(words: &mut Words<'_>, what: &str) -> Parsed<u8> {
    let value = words.integer(what, 0..=u8::MAX.into())?;
    Ok(u8::try_from(value).unwrap_or(u8::MAX))
}

const fn change(change: StencilChange) -> Setting {
    Setting::State(StateChange::Raster(RasterChange::Stencil(change)))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::read::commands::tests::{check, check_error};
    use crate::state::depth_stencil::CompareFunction;

    use super::*;

    #[test]
    fn stencil_state_is_read_in_gls_words() {
        let function = CompareFunction::LessOrEqual;
        check(
            "stencilfunc GL_LEQUAL 3 0x0f",
            change(StencilChange::Function { function, reference: 3, mask: 15 }),
        );
        let operations =
            [StencilOperation::Keep, StencilOperation::IncrementWrap, StencilOperation::Replace];
        check(
            "stencilop GL_KEEP GL_INCR_WRAP GL_REPLACE",
            change(StencilChange::Operations(operations)),
        );
        check("stencilmask 255", change(StencilChange::WriteMask(255)));
        check("clear stencil 7", change(StencilChange::Clear(7)));
        let probe =
            DepthProbe { aspect: DepthAspect::Stencil, at: [1, 2], expected: Number::Integer(5) };
        check("probe stencil 1 2 5", ReadExpectation::Depth(probe));
    }

    #[test]
    fn a_stencil_value_is_a_byte() {
        check_error(
            "probe stencil 0 0 256",
            &expect![[r"
            the stencil value must be an integer from 0 to 255, not `256` (usage: probe stencil x y N)
            probe stencil 0 0 256
                              ^^^"]],
        );
    }
}
