//! GL state that commands of `[test]` change: data only, in GL's own terms.

use crate::depth_stencil::StencilChange;
use crate::output::OutputChange;
use crate::{Case, Step};
use ir::options::{ColorState, ShadeModel};
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

/// The fragment's depth passes when it is … the stored one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are GL's")]
pub enum DepthFunction {
    Never,
    #[default]
    Less,
    Equal,
    LessOrEqual,
    Greater,
    NotEqual,
    GreaterOrEqual,
    Always,
}

/// The highest clip plane that `case` ever enables, plus 1.
pub fn clip_planes(case: &Case) -> u32 {
    let enabled = case.steps.iter().filter_map(|step| {
        let Step::State(StateChange::Switch { capability, is_enabled: true }) = &step.value else {
            return None;
        };
        match capability {
            Capability::ClipPlane(plane) => Some(u32::from(*plane) + 1),
            Capability::TwoSide
            | Capability::DepthTest
            | Capability::StencilTest
            | Capability::RasterizerDiscard
            | Capability::ProgramPointSize => None,
        }
    });
    enabled.max().unwrap_or(0)
}

/// Whether `case` ever enables `GL_PROGRAM_POINT_SIZE`.
pub fn is_point_size_enabled(case: &Case) -> bool {
    let capability = Capability::ProgramPointSize;
    let enable = Step::State(StateChange::Switch { capability, is_enabled: true });
    case.steps.iter().any(|step| step.value == enable)
}

/// The colour state of the draws of `case`; without any draw the initial one. The program is linked once, so draws with
/// different states are an error: the words that make the case unsupported.
#[expect(clippy::wildcard_enum_match_arm, reason = "no other step changes colours")]
pub fn color_state(case: &Case) -> Result<ColorState, String> {
    let mut now = ColorState::default();
    let mut drawn = None;
    for step in &case.steps {
        match &step.value {
            Step::State(StateChange::Switch { capability: Capability::TwoSide, is_enabled }) => {
                now.is_two_sided = *is_enabled;
            }
            Step::State(StateChange::ShadeModel(model)) => now.shade_model = *model,
            Step::State(StateChange::ClampColor { stage, is_on }) => match stage {
                ClampedStage::Vertex => now.is_vertex_unclamped = !is_on,
                ClampedStage::Fragment => now.is_fragment_clamped = *is_on,
            },
            Step::Draw(_) if *drawn.get_or_insert(now) != now => {
                return Err("a change of shade model, sides or clamping between draws".to_owned());
            }
            _ => {}
        }
    }
    Ok(drawn.unwrap_or(now))
}
