//! `[test]`: the steps of a case.

use ir::format::Format;
use ir::interface::Type;
use ir::scalar::Number;
use ir::uniform::UniformStep;

use crate::bind::BindStep;
use crate::state::StateChange;
use crate::texture::{TextureParameter, TextureStep};
use crate::xfb::{XfbRows, XfbStep};
use crate::{Expectation, Tolerance, UsedStages};

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
            Self::Set(_) | Self::Run(Action::Clear | Action::ClearBuffer { .. }) => false,
            Self::Run(Action::Draw(_) | Action::Compute(_) | Action::Xfb(_)) => true,
            Self::Expect(expectation) => !expectation.is_about_linking(),
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

impl From<Expectation> for Step {
    fn from(expectation: Expectation) -> Self {
        Self::Expect(expectation)
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
    /// `use VERTEX [CONTROL] [EVALUATION] [GEOMETRY] [FRAGMENT]`: selects the stage objects for the draws below it.
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

/// A draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw {
    /// The shape.
    pub shape: DrawShape,
    /// Number of instances, at least 1.
    pub instances: u32,
    /// `base vertex N`: added to every index.
    pub base_vertex: i32,
    /// `first instance N`: number of the first instance; GLSL's `gl_InstanceID` does not include it.
    pub first_instance: u32,
    /// `draw rect patch` and similar draws: the four corners of the rectangle, in strip order, are one patch.
    pub is_patch: bool,
    /// `from capture …`: vertex rows from transform feedback buffers. If empty, rows come from `[vertex data]`.
    pub sources: Vec<XfbRows>,
}

impl Draw {
    /// One instance of `shape`.
    pub const fn once(shape: DrawShape) -> Self {
        Self {
            shape,
            instances: 1,
            base_vertex: 0,
            first_instance: 0,
            is_patch: false,
            sources: Vec::new(),
        }
    }
}

/// Shape of a draw.
#[derive(Clone, Debug, PartialEq)]
pub enum DrawShape {
    /// `draw rect x y w h`: a quad in clip space, z = 0, w = 1.
    Rect([f32; 4]),
    /// `draw rect ortho x y w h`: a quad in pixels of the window.
    RectOrtho([f32; 4]),
    /// `draw rect tex x y w h s t sw th`: a quad in clip space with texture coordinates in its corners.
    RectTextured {
        /// x, y, width and height.
        rect: [f32; 4],
        /// s and t of the lower left corner, then their extent up to the upper right corner.
        texture: [f32; 4],
    },
    /// `draw arrays MODE FIRST COUNT`: rows of `[vertex data]`.
    Arrays {
        /// Primitive topology.
        topology: Topology,
        /// First row.
        first: u32,
        /// Number of rows.
        count: u32,
    },
    /// `draw indexed MODE FIRST COUNT`: rows chosen by `[index data]`.
    Indexed {
        /// Primitive topology.
        topology: Topology,
        /// First index.
        first: u32,
        /// Number of indices.
        count: u32,
    },
    /// `draw captured MODE`: draws as many rows as the last transform feedback captured vertices
    /// (`glDrawTransformFeedback`).
    Captured {
        /// Primitive topology.
        topology: Topology,
    },
}

impl DrawShape {
    /// True for a draw of points.
    pub fn is_of_points(&self) -> bool {
        match self {
            Self::Arrays { topology, .. }
            | Self::Indexed { topology, .. }
            | Self::Captured { topology } => *topology == Topology::Points,
            Self::Rect(_) | Self::RectOrtho(_) | Self::RectTextured { .. } => false,
        }
    }
}

/// Value of `restart` in `[index data]`, GL's primitive restart index (`GL_PRIMITIVE_RESTART_FIXED_INDEX`): ends a
/// strip, fan, loop or polygon, and drops an incomplete primitive.
pub const RESTART_INDEX: u32 = u32::MAX;

/// GL's primitive topologies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are GL's")]
pub enum Topology {
    Points,
    Lines,
    LineLoop,
    LineStrip,
    Triangles,
    TriangleStrip,
    TriangleFan,
    Quads,
    QuadStrip,
    Polygon,
    LinesAdjacency,
    LineStripAdjacency,
    TrianglesAdjacency,
    TriangleStripAdjacency,
    Patches,
}

impl Topology {
    /// The topology's name in GL.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Points => "GL_POINTS",
            Self::Lines => "GL_LINES",
            Self::LineLoop => "GL_LINE_LOOP",
            Self::LineStrip => "GL_LINE_STRIP",
            Self::Triangles => "GL_TRIANGLES",
            Self::TriangleStrip => "GL_TRIANGLE_STRIP",
            Self::TriangleFan => "GL_TRIANGLE_FAN",
            Self::Quads => "GL_QUADS",
            Self::QuadStrip => "GL_QUAD_STRIP",
            Self::Polygon => "GL_POLYGON",
            Self::LinesAdjacency => "GL_LINES_ADJACENCY",
            Self::LineStripAdjacency => "GL_LINE_STRIP_ADJACENCY",
            Self::TrianglesAdjacency => "GL_TRIANGLES_ADJACENCY",
            Self::TriangleStripAdjacency => "GL_TRIANGLE_STRIP_ADJACENCY",
            Self::Patches => "GL_PATCHES",
        }
    }
}
