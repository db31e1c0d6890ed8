//! `[test]`: the steps of a case.

use ir::format::Format;
use ir::interface::Type;
use ir::scalar::Number;

use crate::draw::xfb::XfbStep;
use crate::resource::bind::BindStep;
use crate::resource::texture::{TextureParameter, TextureStep};
use crate::state::StateChange;
use crate::{Draw, Expectation, ReadExpectation, Tolerance, UsedStages};

/// One line of `[test]`.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Sets a value, resource or state for the steps below it.
    Set(Setting),
    /// Runs a command on the GPU.
    Run(Action),
    /// `link success`, `link error`, probes and goldens.
    Expect(Expectation),
}

impl Step {
    /// True for a step that draws, dispatches, captures or checks a result of the GPU.
    pub const fn needs_gpu(&self) -> bool {
        match self {
            Self::Set(_)
            | Self::Run(Action::Clear | Action::ClearBuffer { .. })
            | Self::Expect(Expectation::Program(_)) => false,
            Self::Run(Action::Draw(_) | Action::Compute(_) | Action::Xfb(_))
            | Self::Expect(Expectation::Read(_)) => true,
        }
    }

    /// The draw of `draw …` or `xfb draw …`.
    pub const fn draw(&self) -> Option<&Draw> {
        let Self::Run(Action::Draw(draw) | Action::Xfb(XfbStep::Draw(draw))) = self else {
            return None;
        };
        Some(draw)
    }

    /// The change of GL state, if the step is one.
    pub const fn state(&self) -> Option<&StateChange> {
        if let Self::Set(Setting::State(change)) = self { Some(change) } else { None }
    }

    /// The expectation, if the step is one.
    pub const fn expectation(&self) -> Option<&Expectation> {
        if let Self::Expect(expectation) = self { Some(expectation) } else { None }
    }

    /// The expectation about a result of the GPU, if the step is one.
    pub const fn reading(&self) -> Option<&ReadExpectation> {
        if let Self::Expect(Expectation::Read(read)) = self { Some(read) } else { None }
    }
}

impl From<Setting> for Step {
    fn from(setting: Setting) -> Self {
        Self::Set(setting)
    }
}

impl From<Action> for Step {
    fn from(action: Action) -> Self {
        Self::Run(action)
    }
}

impl<E: Into<Expectation>> From<E> for Step {
    fn from(expectation: E) -> Self {
        Self::Expect(expectation.into())
    }
}

/// A setting of a value, resource or state for the steps below it.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// `clear color r g b a`: sets the clear colour, and makes `clear` clear the colour buffers.
    ClearColor([f64; 4]),
    /// `uniform TYPE NAME values…`.
    Uniform(UniformStep),
    /// `ssbo N SIZE`: a zero-filled buffer of SIZE bytes at binding N.
    Ssbo {
        /// Binding point.
        binding: u32,
        /// Size in bytes.
        size: u32,
    },
    /// `ssbo N subdata TYPE OFFSET values…`.
    SsboData {
        /// Binding point.
        binding: u32,
        /// Byte offset.
        offset: u32,
        /// Type of the values.
        ty: Type,
        /// The values in order.
        values: Vec<Number>,
    },
    /// `texture …`: makes a texture and binds it to a unit.
    Texture(TextureStep),
    /// `texparameter …`: changes a sampling parameter of the texture created last.
    TextureParameter(TextureParameter),
    /// `image texture UNIT FORMAT`: the unit's texture becomes the image unit of the same number.
    ImageTexture {
        /// Texture and image unit.
        unit: u32,
        /// Format of the image in shaders.
        format: Format,
    },
    /// `fb tex 2d UNIT…`: the units' textures become the render targets, in this order.
    FramebufferTextures(Vec<u32>),
    /// `fb tex layered UNIT`: all layers of the unit's texture become the render target.
    FramebufferLayers(u32),
    /// A change of GL state for the draws below it.
    State(StateChange),
    /// `use VERTEX …`: selects the stage objects of these names for the draws below it.
    Use(UsedStages),
    /// `tolerance …`: tolerance of the float probes below it.
    Tolerance(Tolerance),
    /// Binds a resource for a script's pipeline.
    Bind(BindStep),
}

impl Setting {
    /// True if the setting makes textures the render targets.
    pub const fn is_framebuffer(&self) -> bool {
        match self {
            Self::FramebufferTextures(_) | Self::FramebufferLayers(_) => true,
            Self::ClearColor(_)
            | Self::Uniform(_)
            | Self::Ssbo { .. }
            | Self::SsboData { .. }
            | Self::Texture(_)
            | Self::TextureParameter(_)
            | Self::ImageTexture { .. }
            | Self::State(_)
            | Self::Use(_)
            | Self::Tolerance(_)
            | Self::Bind(_) => false,
        }
    }
}

/// A command that the GPU executes.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `clear`: clears the buffers that have a clear value set.
    Clear,
    /// `clearbuffer N r g b a`: clears the render target of draw buffer N.
    ClearBuffer {
        /// The draw buffer.
        buffer: u32,
        /// The colour, in the target's number type.
        values: [f64; 4],
    },
    /// Any form of `draw …`.
    Draw(Draw),
    /// `compute X Y Z`.
    Compute([u32; 3]),
    /// `xfb …` and `capture …`: transform feedback, with its buffers.
    Xfb(XfbStep),
}

/// `uniform TYPE NAME values…`.
#[derive(Clone, Debug, PartialEq)]
pub struct UniformStep {
    /// Uniform, element or member, as written: `a[3].f`.
    pub name: String,
    /// Type as written; bool and sampler uniforms are set as `int`.
    pub ty: Type,
    /// One number per scalar, matrices column by column.
    pub values: Vec<Number>,
}
