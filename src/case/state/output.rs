//! GL state of fragment outputs: draw buffers, blending and colour masks.
//!
//! A *draw buffer* is a numbered destination of fragment outputs: output n goes to draw buffer n. `drawbuffers` maps
//! each draw buffer to a render target, or to none. Initially draw buffer n is render target n. As in GL, blending and
//! masks belong to draw buffers and not to targets.

use ir::options::DRAW_BUFFERS;

/// A change of output state.
#[derive(Clone, Debug, PartialEq)]
pub enum OutputChange {
    /// `drawbuffers 1 none 0`: the render target of each draw buffer; the remaining draw buffers have none.
    DrawBuffers(Vec<Option<u32>>),
    /// `enable GL_BLEND [N]` and `disable GL_BLEND [N]`.
    Blend {
        /// The draw buffer; `None` for all.
        buffer: Option<u32>,
        /// True to enable.
        is_enabled: bool,
    },
    /// `blendfunc [buffer N] SOURCE DESTINATION [SOURCE_ALPHA DESTINATION_ALPHA]`.
    BlendFunction {
        /// The draw buffer; `None` for all.
        buffer: Option<u32>,
        /// Factors of the source and the destination colour.
        color: [BlendFactor; 2],
        /// Factors of the source and the destination alpha.
        alpha: [BlendFactor; 2],
    },
    /// `blendequation [buffer N] EQUATION [EQUATION_ALPHA]`.
    BlendEquation {
        /// The draw buffer; `None` for all.
        buffer: Option<u32>,
        /// Equation for colours.
        color: BlendEquation,
        /// Equation for alphas.
        alpha: BlendEquation,
    },
    /// `blendcolor r g b a`: the blend constant.
    BlendColor([f32; 4]),
    /// `colormask [buffer N] r g b a`: the colour write mask.
    ColorMask {
        /// The draw buffer; `None` for all.
        buffer: Option<u32>,
        /// Red, green, blue and alpha.
        channels: [bool; 4],
    },
}

/// GL blend factor. In an alpha equation, a colour factor means its alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are GL's")]
pub enum BlendFactor {
    Zero,
    One,
    SrcColor,
    OneMinusSrcColor,
    DstColor,
    OneMinusDstColor,
    SrcAlpha,
    OneMinusSrcAlpha,
    DstAlpha,
    OneMinusDstAlpha,
    SrcAlphaSaturate,
    ConstantColor,
    OneMinusConstantColor,
    Src1Color,
    OneMinusSrc1Color,
    Src1Alpha,
    OneMinusSrc1Alpha,
}

impl BlendFactor {
    /// True if the factor reads the second output of a draw buffer: `layout(index = 1)`.
    pub const fn is_dual_source(self) -> bool {
        match self {
            Self::Src1Color
            | Self::OneMinusSrc1Color
            | Self::Src1Alpha
            | Self::OneMinusSrc1Alpha => true,
            Self::Zero
            | Self::One
            | Self::SrcColor
            | Self::OneMinusSrcColor
            | Self::DstColor
            | Self::OneMinusDstColor
            | Self::SrcAlpha
            | Self::OneMinusSrcAlpha
            | Self::DstAlpha
            | Self::OneMinusDstAlpha
            | Self::SrcAlphaSaturate
            | Self::ConstantColor
            | Self::OneMinusConstantColor => false,
        }
    }
}

/// GL blend equation. Minimum and maximum ignore the factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are GL's")]
pub enum BlendEquation {
    Add,
    Subtract,
    ReverseSubtract,
    Min,
    Max,
}

/// Blending of the colour channels or of alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlendComponent {
    /// Source factor: for the fragment stage's output.
    pub source: BlendFactor,
    /// Destination factor: for the target's content.
    pub destination: BlendFactor,
    /// Equation that combines the two products.
    pub equation: BlendEquation,
}

/// State of one draw buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BufferState {
    /// True if blending is enabled.
    pub is_blended: bool,
    /// Blending of the colour channels.
    pub color: BlendComponent,
    /// Blending of alpha.
    pub alpha: BlendComponent,
    /// Colour write mask: red, green, blue and alpha.
    pub channels: [bool; 4],
}

impl Default for BufferState {
    /// The initial state: no blending, every channel written.
    fn default() -> Self {
        let (source, destination) = (BlendFactor::One, BlendFactor::Zero);
        let component = BlendComponent { source, destination, equation: BlendEquation::Add };
        Self { is_blended: false, color: component, alpha: component, channels: [true; 4] }
    }
}

/// State of all draw buffers at one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutputState {
    /// `None` while draw buffer n is render target n.
    map: Option<Vec<Option<u32>>>,
    /// State of each draw buffer.
    pub buffers: [BufferState; DRAW_BUFFERS],
    /// The blend constant.
    pub blend_color: [f32; 4],
}

impl OutputState {
    /// Applies `change`.
    pub fn apply(&mut self, change: &OutputChange) {
        match change {
            OutputChange::DrawBuffers(map) => self.map = Some(map.clone()),
            OutputChange::Blend { buffer, is_enabled } => {
                self.each(*buffer, |state| state.is_blended = *is_enabled);
            }
            OutputChange::BlendFunction { buffer, color, alpha } => self.each(*buffer, |state| {
                [state.color.source, state.color.destination] = *color;
                [state.alpha.source, state.alpha.destination] = *alpha;
            }),
            OutputChange::BlendEquation { buffer, color, alpha } => self.each(*buffer, |state| {
                (state.color.equation, state.alpha.equation) = (*color, *alpha);
            }),
            OutputChange::BlendColor(color) => self.blend_color = *color,
            OutputChange::ColorMask { buffer, channels } => {
                self.each(*buffer, |state| state.channels = *channels);
            }
        }
    }

    /// Resets the map: draw buffer n is render target n again.
    pub fn reset_map(&mut self) {
        self.map = None;
    }

    fn each(&mut self, buffer: Option<u32>, change: impl Fn(&mut BufferState)) {
        let is_meant = |idx: usize| buffer.is_none_or(|buffer| usize::try_from(buffer) == Ok(idx));
        let meant = self.buffers.iter_mut().enumerate().filter(|(idx, _)| is_meant(*idx));
        meant.for_each(|(_, state)| change(state));
    }

    /// Index of the render target of draw buffer `buffer`. The target need not exist.
    pub fn target_of(&self, buffer: u32) -> Option<u32> {
        match &self.map {
            None => Some(buffer),
            Some(map) => map.get(usize::try_from(buffer).ok()?).copied().flatten(),
        }
    }

    /// The render targets of all draw buffers, in order.
    pub fn targets(&self) -> [Option<u32>; DRAW_BUFFERS] {
        let mut targets = [None; DRAW_BUFFERS];
        for (buffer, target) in (0..).zip(&mut targets) {
            *target = self.target_of(buffer);
        }
        targets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_meets_one_buffer_or_all() {
        let mut state = OutputState::default();
        state.apply(&OutputChange::Blend { buffer: Some(2), is_enabled: true });
        let blended = |state: &OutputState| state.buffers.map(|buffer| buffer.is_blended);
        assert_eq!(blended(&state).iter().filter(|is_on| **is_on).count(), 1);
        assert!(state.buffers[2].is_blended);
        state.apply(&OutputChange::Blend { buffer: None, is_enabled: true });
        assert_eq!(blended(&state), [true; DRAW_BUFFERS]);
    }
}
