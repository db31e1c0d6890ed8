//! `XfbBuffer`, `XfbStride` and `Offset` of outputs: SPIR-V 1.6, 3.20, and the rules of `GL_ARB_gl_spirv` for captures.
//! Without the execution mode `Xfb` the decorations mean nothing.

use rspirv::spirv::Decoration;

use super::{Gathering, Problem};
use crate::frontend::spirv::declarations::Decorations;
use crate::frontend::stage_module::{Direction, FeedbackOutput, FeedbackStride};
use crate::link::interface::Type;

impl Gathering<'_> {
    /// Notes a built-in output array, which can be captured even if nothing uses it.
    pub(super) fn add_array(&mut self, name: &str, ty: &Type, direction: Direction) {
        if let (Type::Array { length, .. }, Direction::Output) = (ty, direction) {
            self.interface.feedback.arrays.push((name.to_owned(), *length));
        }
    }

    /// Notes what the output `name`, or built-in variable, says. `own` are the decorations of the variable, `place` those
    /// that may have the offset: its own, or those of a member of its block. Every element of an array of blocks has a
    /// buffer of its own.
    pub(super) fn add_feedback(
        &mut self,
        (id, direction): (u32, Direction),
        own: &Decorations,
        place: &Decorations,
        element: u32,
        name: String,
    ) -> Result<(), Problem> {
        let number = |decoration| place.number(decoration).or_else(|| own.number(decoration));
        let (buffer, stride) = (number(Decoration::XfbBuffer), number(Decoration::XfbStride));
        if !self.is_captured {
            return Ok(());
        }
        if direction == Direction::Input {
            return match buffer.or(stride) {
                Some(_) => {
                    Err(Problem::Wrong(id, format!("`{name}` is captured, but is an input")))
                }
                None => Ok(()),
            };
        }
        if number(Decoration::Stream).is_some_and(|stream| stream != 0) {
            return Err(Problem::Unsupported(id, "Stream".to_owned()));
        }
        let offset = place.number(Decoration::Offset);
        let Some(buffer) = buffer else {
            let word = offset.map(|_| "Offset").or_else(|| stride.map(|_| "XfbStride"));
            return word.map_or(Ok(()), |word| {
                Err(Problem::Wrong(id, format!("`{name}` has {word}, but no XfbBuffer")))
            });
        };
        let span = (self.spans)(id);
        let buffer = buffer.saturating_add(element);
        let feedback = &mut self.interface.feedback;
        if let Some(stride) = stride {
            feedback.strides.push(FeedbackStride { buffer, stride, span });
        }
        if let Some(offset) = offset {
            feedback.outputs.push(FeedbackOutput { name, buffer, offset, span });
        }
        Ok(())
    }
}
