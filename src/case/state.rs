//! GL state that commands of `[test]` change: data only, in GL's own terms.

use crate::case::{Case, Step};

/// One change of GL state.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// `shade model flat` and `shade model smooth`.
    ShadeModel(ShadeModel),
    /// `depthfunc FUNCTION`.
    DepthFunction(DepthFunction),
    /// `clear depth z`: lets `clear` clear the depth buffer, to this value.
    ClearDepth(f32),
    /// `color r g b a`: what `gl_Color` is where no vertex data give it.
    Color([f32; 4]),
    /// `hint …` and `memory barrier …`, which change nothing here: WebGPU orders all accesses by itself.
    WithoutEffect,
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
}

/// How colours without an interpolation qualifier are interpolated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShadeModel {
    /// As the last vertex has them.
    Flat,
    /// With perspective.
    #[default]
    Smooth,
}

/// The fragment's depth passes when it is … the stored one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
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

/// State of `case` that nothing obeys yet, as its command's words.
pub fn unsupported(case: &Case) -> Option<String> {
    case.steps.iter().find_map(|step| {
        let Step::State(change) = &step.value else { return None };
        let word = match change {
            StateChange::Switch { capability: Capability::ClipPlane(_), is_enabled: true } => {
                "enable GL_CLIP_PLANE"
            }
            StateChange::Switch { capability: Capability::TwoSide, is_enabled: true } => {
                "enable GL_VERTEX_PROGRAM_TWO_SIDE"
            }
            StateChange::Switch { capability: Capability::DepthTest, is_enabled: true } => {
                "enable GL_DEPTH_TEST"
            }
            StateChange::ShadeModel(ShadeModel::Flat) => "shade model flat",
            StateChange::Color(_) => "color",
            StateChange::ClearDepth(_) => "clear depth",
            StateChange::Projection(_)
            | StateChange::Switch { .. }
            | StateChange::ClipPlane { .. }
            | StateChange::ShadeModel(ShadeModel::Smooth)
            | StateChange::DepthFunction(_)
            | StateChange::WithoutEffect => return None,
        };
        Some(word.to_owned())
    })
}
