//! `XfbBuffer`, `XfbStride` and `Offset` of outputs: SPIR-V 1.6, 3.20, and the rules of `GL_ARB_gl_spirv` for captures.

use rspirv::spirv::Decoration;

use super::Gathering;
use crate::frontend::spirv::declarations::Decorations;
use crate::frontend::stage_module::{Direction, FeedbackOutput, FeedbackStride};

impl Gathering<'_> {
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
    ) {
        let number = |decoration| place.number(decoration).or_else(|| own.number(decoration));
        let Some(buffer) = number(Decoration::XfbBuffer) else { return };
        if direction == Direction::Input {
            return;
        }
        let span = (self.spans)(id);
        let buffer = buffer.saturating_add(element);
        let feedback = &mut self.interface.feedback;
        if let Some(stride) = number(Decoration::XfbStride) {
            feedback.strides.push(FeedbackStride { buffer, stride, span });
        }
        if let Some(offset) = place.number(Decoration::Offset) {
            feedback.outputs.push(FeedbackOutput { name, buffer, offset, span });
        }
    }
}
