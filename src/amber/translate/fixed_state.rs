//! Fixed state of pipelines: tests, blending and rasterisation.

use case::Setting;
use case::depth_stencil::{CompareFunction, StencilChange, StencilOperation};
use case::output::{BlendEquation, BlendFactor, OutputChange};
use case::state::{Capability, PatchChange, StateChange};

use super::framebuffer::size_of;
use super::{Translated, Translator, unsupported};
use crate::syntax::pipeline as tree;
use crate::syntax::pipeline::{CompareOp, FixedState, Pipeline, PolygonMode};

impl Translator<'_> {
    /// Sets the state of a pipeline for the draws below.
    pub(super) fn set_state(&mut self, pipeline: &Pipeline) -> Translated<()> {
        self.check_state(pipeline)?;
        let state = &pipeline.state;
        self.set_depth(pipeline)?;
        self.set_stencil(state)?;
        let is_enabled = state.blend.is_some();
        self.output(OutputChange::Blend { buffer: None, is_enabled })?;
        if let Some(blend) = &state.blend {
            let factors = |part: &tree::BlendPart| [factor(part.source), factor(part.destination)];
            let (color, alpha) = (factors(&blend.color), factors(&blend.alpha));
            self.output(OutputChange::BlendFunction { buffer: None, color, alpha })?;
            let color = equation(blend.color.operation);
            let alpha = equation(blend.alpha.operation);
            self.output(OutputChange::BlendEquation { buffer: None, color, alpha })?;
        }
        let channels = state.color_write_mask;
        self.output(OutputChange::ColorMask { buffer: None, channels })?;
        let vertices = PatchChange::Vertices(pipeline.patch_control_points);
        self.state(StateChange::Patch(vertices))?;
        self.switch(Capability::ProgramPointSize, true)
    }

    #[expect(clippy::float_cmp, reason = "other numbers, however near, are other state")]
    fn check_state(&self, pipeline: &Pipeline) -> Translated<()> {
        let FixedState { polygon_mode, cull, logic_op, line_width, depth, .. } = &pipeline.state;
        let whole = |viewport: &tree::Viewport| {
            let size = size_of(self.script, pipeline).map(f64::from);
            viewport.position == [0.0; 2]
                && viewport.size == size
                && (viewport.min_depth, viewport.max_depth) == (0.0, 1.0)
        };
        let no_bias = |bias: &tree::DepthBias| bias.constant == 0.0 && bias.slope == 0.0;
        let word = if *polygon_mode != PolygonMode::Fill {
            "polygons that are not filled"
        } else if *cull != tree::CullMode::None {
            "the culling of faces"
        } else if pipeline.state.is_front_clockwise {
            "clockwise front faces"
        } else if logic_op.is_some() {
            "logical operations of blending"
        } else if *line_width != 1.0 {
            "wide lines"
        } else if pipeline.state.discards_everything {
            "discarding before rasterisation"
        } else if pipeline.state.restarts_primitives {
            "primitive restart"
        } else if pipeline.viewport.is_some_and(|viewport| !whole(&viewport)) {
            "a viewport that is not the framebuffer"
        } else if depth.is_clamped {
            "the clamping of depths"
        } else if depth.bounds.is_some_and(|bounds| bounds != [0.0, 1.0]) {
            "the depth bounds test"
        } else if depth.bias.is_some_and(|bias| !no_bias(&bias)) {
            "the depth bias"
        } else {
            return Ok(());
        };
        Err(unsupported(pipeline.span, word))
    }

    fn set_depth(&mut self, pipeline: &Pipeline) -> Translated<()> {
        let depth = &pipeline.state.depth;
        let is_on = depth.is_tested;
        self.switch(Capability::DepthTest, is_on)?;
        if is_on {
            self.state(StateChange::DepthFunction(comparison(depth.compare)))?;
            self.state(StateChange::DepthMask(depth.is_written))?;
        }
        Ok(())
    }

    fn set_stencil(&mut self, state: &FixedState) -> Translated<()> {
        let stencil = &state.stencil;
        self.switch(Capability::StencilTest, stencil.is_tested)?;
        if !stencil.is_tested {
            return Ok(());
        }
        if stencil.front != stencil.back {
            return Err(unsupported(self.place, "stencil tests that differ between the faces"));
        }
        let face = &stencil.front;
        let low = |bits: u32| u8::try_from(bits & 0xff).unwrap_or(u8::MAX);
        let function = StencilChange::Function {
            function: comparison(face.compare),
            reference: low(face.reference),
            mask: low(face.compare_mask),
        };
        self.state(StateChange::Stencil(function))?;
        let operations = [face.fail, face.depth_fail, face.pass].map(operation);
        self.state(StateChange::Stencil(StencilChange::Operations(operations)))?;
        self.state(StateChange::Stencil(StencilChange::WriteMask(low(face.write_mask))))
    }

    fn switch(&mut self, capability: Capability, is_enabled: bool) -> Translated<()> {
        self.state(StateChange::Switch { capability, is_enabled })
    }

    fn output(&mut self, change: OutputChange) -> Translated<()> {
        self.state(StateChange::Output(change))
    }

    pub(super) fn state(&mut self, change: StateChange) -> Translated<()> {
        self.push(Setting::State(change))
    }
}

/// The comparison by GL's name.
pub(super) const fn comparison(compare: CompareOp) -> CompareFunction {
    match compare {
        CompareOp::Never => CompareFunction::Never,
        CompareOp::Less => CompareFunction::Less,
        CompareOp::Equal => CompareFunction::Equal,
        CompareOp::LessOrEqual => CompareFunction::LessOrEqual,
        CompareOp::Greater => CompareFunction::Greater,
        CompareOp::NotEqual => CompareFunction::NotEqual,
        CompareOp::GreaterOrEqual => CompareFunction::GreaterOrEqual,
        CompareOp::Always => CompareFunction::Always,
    }
}

const fn operation(operation: tree::StencilOp) -> StencilOperation {
    match operation {
        tree::StencilOp::Keep => StencilOperation::Keep,
        tree::StencilOp::Zero => StencilOperation::Zero,
        tree::StencilOp::Replace => StencilOperation::Replace,
        tree::StencilOp::IncrementAndClamp => StencilOperation::Increment,
        tree::StencilOp::DecrementAndClamp => StencilOperation::Decrement,
        tree::StencilOp::Invert => StencilOperation::Invert,
        tree::StencilOp::IncrementAndWrap => StencilOperation::IncrementWrap,
        tree::StencilOp::DecrementAndWrap => StencilOperation::DecrementWrap,
    }
}

const fn equation(operation: tree::BlendOp) -> BlendEquation {
    match operation {
        tree::BlendOp::Add => BlendEquation::Add,
        tree::BlendOp::Subtract => BlendEquation::Subtract,
        tree::BlendOp::ReverseSubtract => BlendEquation::ReverseSubtract,
        tree::BlendOp::Min => BlendEquation::Min,
        tree::BlendOp::Max => BlendEquation::Max,
    }
}

const fn factor(factor: tree::BlendFactor) -> BlendFactor {
    match factor {
        tree::BlendFactor::SourceColor => BlendFactor::SrcColor,
        tree::BlendFactor::OneMinusSourceColor => BlendFactor::OneMinusSrcColor,
        tree::BlendFactor::DestinationColor => BlendFactor::DstColor,
        tree::BlendFactor::OneMinusDestinationColor => BlendFactor::OneMinusDstColor,
        tree::BlendFactor::SourceAlpha => BlendFactor::SrcAlpha,
        tree::BlendFactor::OneMinusSourceAlpha => BlendFactor::OneMinusSrcAlpha,
        tree::BlendFactor::DestinationAlpha => BlendFactor::DstAlpha,
        tree::BlendFactor::OneMinusDestinationAlpha => BlendFactor::OneMinusDstAlpha,
        // Scripts cannot set the blend constant, which is zero.
        tree::BlendFactor::Zero
        | tree::BlendFactor::ConstantColor
        | tree::BlendFactor::ConstantAlpha => BlendFactor::Zero,
        tree::BlendFactor::One
        | tree::BlendFactor::OneMinusConstantColor
        | tree::BlendFactor::OneMinusConstantAlpha => BlendFactor::One,
        tree::BlendFactor::SourceAlphaSaturate => BlendFactor::SrcAlphaSaturate,
        tree::BlendFactor::Source1Color => BlendFactor::Src1Color,
        tree::BlendFactor::OneMinusSource1Color => BlendFactor::OneMinusSrc1Color,
        tree::BlendFactor::Source1Alpha => BlendFactor::Src1Alpha,
        tree::BlendFactor::OneMinusSource1Alpha => BlendFactor::OneMinusSrc1Alpha,
    }
}
