//! GL state that commands of `[test]` change: data only, in GL's own terms.

pub mod depth_stencil;
pub mod output;

use depth_stencil::{CompareFunction, StencilChange};
use ir::options::ShadeModel;
use ir::stage::ShaderStage;
use output::OutputChange;

/// A change of GL state.
#[derive(Clone, Debug, PartialEq)]
pub enum StateChange {
    /// State of the stages between the vertex stage and the render targets.
    Raster(RasterChange),
    /// `enable CAPABILITY` and `disable CAPABILITY`.
    Switch {
        /// The capability.
        capability: Capability,
        /// True to enable.
        is_enabled: bool,
    },
    /// `provoking vertex first` and `provoking vertex last`.
    ProvokingVertex(ProvokingVertex),
    /// `shade model flat` and `shade model smooth`.
    ShadeModel(ShadeModel),
    /// `clamp color STAGE on` and `clamp color STAGE off`.
    ClampColor {
        /// Stage of the colours.
        stage: ClampedStage,
        /// True to clamp.
        is_on: bool,
    },
    /// `color r g b a`: current value of `gl_Color`, used without vertex data for it.
    Color([f32; 4]),
    /// `texcoord N (s, t, r, q)`: current value of `gl_MultiTexCoordN`, used without vertex data for it.
    TexCoord {
        /// The texture unit, 0 to 7.
        unit: u8,
        /// The coordinate.
        value: [f32; 4],
    },
    /// `drawbuffers`, `blendfunc` and other commands: output state.
    Output(OutputChange),
    /// `patch parameter …`: state of patches.
    Patch(PatchChange),
    /// The block that `uniform` commands and queries refer to.
    Block(BlockChange),
    /// `subuniform STAGE UNIFORM FUNCTION`: the function of a subroutine uniform.
    Subroutine(SubroutineChoice),
    /// `active shader program STAGE`: the stage whose uniforms `uniform` commands set, if each stage is a separate
    /// program. A program without that stage keeps its uniforms.
    ActiveStage(ShaderStage),
    /// `hint …` and `memory barrier …`: no effect, as WebGPU orders all accesses itself.
    WithoutEffect,
}

/// A change of the state of clipping, rasterisation, and depth and stencil buffers.
#[derive(Clone, Debug, PartialEq)]
pub enum RasterChange {
    /// `ortho …` and `frustum …`: the projection matrix, while the modelview matrix is the identity.
    Projection(Projection),
    /// `clip plane N a b c d`: a user clip plane in eye space. It keeps points with a·x + b·y + c·z + d·w ≥ 0.
    ClipPlane {
        /// Number of the plane, 0 to 7.
        plane: u8,
        /// a, b, c and d.
        coefficients: [f32; 4],
    },
    /// `depthfunc FUNCTION`.
    DepthFunction(CompareFunction),
    /// True if draws with a depth test write depths, which is the initial state. Only scripts change it.
    DepthMask(bool),
    /// `clear depth z`: makes `clear` clear the depth buffer, to this value.
    ClearDepth(f32),
    /// `stencilfunc`, `stencilop`, `stencilmask` and `clear stencil`.
    Stencil(StencilChange),
    /// The rasteriser's state for primitives. Only scripts change it.
    Primitives(Raster),
    /// The viewport; `None` for the whole of the render targets. Only scripts change it.
    Viewport(Option<Viewport>),
}

/// A change of the block that `uniform` commands and queries refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockChange {
    /// `ubo array index N`: element of a block array that `Block.member` of a `uniform` command refers to.
    Element(u32),
    /// `block binding N`: the block that `uniform` commands and queries refer to in a program without names. In
    /// interstage's own cases, `uniform` commands use it in any program. `block binding immediates` selects the
    /// immediates.
    Binding(u32),
    /// `block offset N`: offset in the block of `block binding` for the next values.
    Offset(u32),
    /// `block matrix stride N`: matrix stride for the next values of the block of `block binding`.
    MatrixStride(u32),
    /// `block row major 0` and `block row major 1`: true if the matrices of the block of `block binding` are row-major.
    RowMajor(bool),
}

impl From<RasterChange> for StateChange {
    fn from(change: RasterChange) -> Self {
        Self::Raster(change)
    }
}

impl From<BlockChange> for StateChange {
    fn from(change: BlockChange) -> Self {
        Self::Block(change)
    }
}

/// How primitives are rasterised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Raster {
    /// Faces of triangles that are not drawn.
    pub cull: Option<Face>,
    /// True if front faces wind clockwise instead of counter-clockwise, or the reverse.
    pub is_front_reversed: bool,
    /// True if only the edges of triangles are drawn.
    pub is_outlined: bool,
    /// True if depths are clamped at the near and the far plane, and primitives are not clipped there.
    pub is_depth_clamped: bool,
    /// Offset added to the depths of triangles.
    pub bias: DepthBias,
}

/// A face of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Face {
    /// The front.
    Front,
    /// The back.
    Back,
}

/// Offset added to depths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DepthBias {
    /// Number of smallest resolvable depth differences.
    pub constant: i32,
    /// Bits of the factor of the slope.
    pub slope: u32,
    /// Bits of the maximum sum; zero for no limit.
    pub clamp: u32,
}

impl DepthBias {
    /// True if the offset is zero.
    pub fn is_zero(self) -> bool {
        self.constant == 0 && f32::from_bits(self.slope) == 0.0
    }
}

/// A viewport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Left and top in pixels, from row 0.
    pub position: [f32; 2],
    /// Width and height in pixels.
    pub size: [f32; 2],
    /// Minimum and maximum depth.
    pub depths: [f32; 2],
}

/// A change of the state of patches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PatchChange {
    /// `patch parameter vertices N`, from 1 to `gl_MaxPatchVertices`.
    Vertices(u32),
    /// `patch parameter default level outer a b c d`.
    OuterLevels([f32; 4]),
    /// `patch parameter default level inner a b`.
    InnerLevels([f32; 2]),
}

/// Provoking vertex: the vertex of a line or triangle from which flat varyings get their value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProvokingVertex {
    /// The first vertex.
    First,
    /// The last vertex, GL's default.
    Last,
}

/// Definition of the projection matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// `ortho`: one unit is one pixel of the render target, and the origin is its lower left corner.
    Pixels,
    /// `ortho left right bottom top`, with near −1 and far 1.
    Ortho([f32; 4]),
    /// `frustum left right bottom top near far`.
    Frustum([f32; 6]),
}

/// Capability for `enable` and `disable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Capability {
    /// `GL_CLIP_PLANE0` to `GL_CLIP_PLANE7`, alias `GL_CLIP_DISTANCE0`…: a user clip plane or `gl_ClipDistance[n]`.
    ClipPlane(u8),
    /// `GL_VERTEX_PROGRAM_TWO_SIDE`: back faces use the back colours.
    TwoSide,
    /// `GL_DEPTH_TEST`: the depth buffer is tested and written.
    DepthTest,
    /// `GL_STENCIL_TEST`: the stencil buffer is tested and written.
    StencilTest,
    /// `GL_RASTERIZER_DISCARD`: primitives are captured but not rasterised.
    RasterizerDiscard,
    /// `GL_PROGRAM_POINT_SIZE`: the vertex stage sets the point size.
    ProgramPointSize,
}

/// Stage whose colours `glClampColor` affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClampedStage {
    /// Legacy colours that the vertex stage writes; initially clamped.
    Vertex,
    /// Outputs of the fragment stage; whether they are clamped initially depends on the target's format.
    Fragment,
}

/// Function of a subroutine uniform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubroutineChoice {
    /// The stage; each stage has its own subroutine uniforms.
    pub stage: ShaderStage,
    /// The uniform, or an element of an array of them.
    pub uniform: String,
    /// The function's name.
    pub function: String,
}
