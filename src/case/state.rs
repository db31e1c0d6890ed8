//! GL state that commands of `[test]` change: data only, in GL's own terms.

use crate::depth_stencil::{DepthFunction, StencilChange};
use crate::output::OutputChange;
use ir::options::ShadeModel;
use ir::stage::ShaderStage;
use ir::uniform::SubroutineChoice;

/// One change of GL state.
#[derive(Clone, Debug, PartialEq)]
pub enum StateChange {
    /// `ortho …` and `frustum …`: the projection matrix, while the modelview matrix is the identity.
    Projection(Projection),
    /// `enable CAPABILITY` and `disable CAPABILITY`.
    Switch {
        /// What is switched.
        capability: Capability,
        /// Whether it is on from here on.
        is_enabled: bool,
    },
    /// `clip plane N a b c d`: a user clip plane in eye space. What is in front of it (a·x + b·y + c·z + d·w ≥ 0) stays.
    ClipPlane {
        /// Its number, 0 to 7.
        plane: u8,
        /// a, b, c and d.
        coefficients: [f32; 4],
    },
    /// `provoking vertex first` and `provoking vertex last`.
    ProvokingVertex(ProvokingVertex),
    /// `shade model flat` and `shade model smooth`.
    ShadeModel(ShadeModel),
    /// `clamp color STAGE on` and `clamp color STAGE off`.
    ClampColor {
        /// Whose colours.
        stage: ClampedStage,
        /// Whether they are clamped.
        is_on: bool,
    },
    /// `depthfunc FUNCTION`.
    DepthFunction(DepthFunction),
    /// `clear depth z`: lets `clear` clear the depth buffer, to this value.
    ClearDepth(f32),
    /// `stencilfunc`, `stencilop`, `stencilmask` and `clear stencil`.
    Stencil(StencilChange),
    /// `color r g b a`: what `gl_Color` is where no vertex data give it.
    Color([f32; 4]),
    /// `texcoord N (s, t, r, q)`: what `gl_MultiTexCoordN` is where no vertex data give it.
    TexCoord {
        /// The texture unit, 0 to 7.
        unit: u8,
        /// The coordinate.
        value: [f32; 4],
    },
    /// `ubo array index N`: which element of an array of blocks `Block.member` of a `uniform` command means.
    BlockElement(u32),
    /// `drawbuffers`, `blendfunc` and the like: what becomes of fragment outputs.
    Output(OutputChange),
    /// `subuniform STAGE UNIFORM FUNCTION`: what calls of a subroutine uniform mean.
    Subroutine(SubroutineChoice),
    /// `active shader program STAGE`: the stage whose uniforms `uniform` commands mean, where each stage is a program.
    /// Piglit's files can name a stage that is not there, and then no program's are set.
    ActiveStage(Option<ShaderStage>),
    /// `block binding N`: the block that `uniform` commands and queries mean in a program without names. `uniform`
    /// commands of a case of ours mean it in any program.
    BlockBinding(u32),
    /// `block offset N`: where in that block the next values go.
    BlockOffset(u32),
    /// `block matrix stride N`: bytes between the columns or rows of matrices there.
    BlockMatrixStride(u32),
    /// `block row major 0` and `block row major 1`: whether the rows of matrices follow one another there.
    BlockRowMajor(bool),
    /// `hint …` and `memory barrier …`, which change nothing here: WebGPU orders all accesses by itself.
    WithoutEffect,
}

/// Which vertex of a line or triangle gives flat varyings their value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProvokingVertex {
    /// The oldest.
    First,
    /// The newest, which is GL's own.
    Last,
}

/// What the projection matrix is made from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// `ortho`: one unit is a pixel of the render target, from its lower left corner.
    Pixels,
    /// `ortho left right bottom top`, with near −1 and far 1.
    Ortho([f32; 4]),
    /// `frustum left right bottom top near far`.
    Frustum([f32; 6]),
}

/// What `enable` and `disable` switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Capability {
    /// `GL_CLIP_PLANE0` to `GL_CLIP_PLANE7`, alias `GL_CLIP_DISTANCE0`…: a user clip plane or `gl_ClipDistance[n]`.
    ClipPlane(u8),
    /// `GL_VERTEX_PROGRAM_TWO_SIDE`: back faces have the back colours.
    TwoSide,
    /// `GL_DEPTH_TEST`: the depth buffer is tested and written.
    DepthTest,
    /// `GL_STENCIL_TEST`: the stencil buffer is tested and written.
    StencilTest,
    /// `GL_RASTERIZER_DISCARD`: nothing is drawn, but captured.
    RasterizerDiscard,
    /// `GL_PROGRAM_POINT_SIZE`: points have the size that the vertex stage gives them.
    ProgramPointSize,
}

/// Whose colours `glClampColor` is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClampedStage {
    /// The old colours that the vertex stage writes: clamped at first.
    Vertex,
    /// The outputs of the fragment stage: at first as the target's format has it.
    Fragment,
}
