//! Fixed state of pipelines: tests, blending and rasterisation.

use case::Setting;
use case::depth_stencil::StencilChange;
use case::output::OutputChange;
use case::state::{Capability, PatchChange, StateChange};

use super::framebuffer::size_of;
use super::{Translated, Translator, unsupported};
use crate::syntax::pipeline as tree;
use crate::syntax::pipeline::{FixedState, Pipeline, PolygonMode};

impl Translator<'_> {
    /// Sets the state of a pipeline for the draws below.
    pub(super) fn set_state(&mut self, pipeline: &Pipeline) -> Translated<()> {
        self.check_state(pipeline)?;
        let state = &pipeline.state;
        self.set_depth(pipeline)?;
        self.set_stencil(pipeline)?;
        let is_enabled = state.blend.is_some();
        self.output(OutputChange::Blend { buffer: None, is_enabled })?;
        if let Some(blend) = &state.blend {
            let factors = |part: &tree::BlendPart| [part.source, part.destination];
            let (color, alpha) = (factors(&blend.color), factors(&blend.alpha));
            self.output(OutputChange::BlendFunction { buffer: None, color, alpha })?;
            let color = blend.color.operation;
            let alpha = blend.alpha.operation;
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
        let is_on = depth.is_tested && self.framebuffers.has_depth(pipeline);
        self.switch(Capability::DepthTest, is_on)?;
        if is_on {
            self.state(StateChange::DepthFunction(depth.compare))?;
            self.state(StateChange::DepthMask(depth.is_written))?;
        }
        Ok(())
    }

    fn set_stencil(&mut self, pipeline: &Pipeline) -> Translated<()> {
        let stencil = &pipeline.state.stencil;
        let is_on = stencil.is_tested && self.framebuffers.has_depth(pipeline);
        self.switch(Capability::StencilTest, is_on)?;
        if !is_on {
            return Ok(());
        }
        if stencil.front != stencil.back {
            return Err(unsupported(self.place, "stencil tests that differ between the faces"));
        }
        let face = &stencil.front;
        let low = |bits: u32| u8::try_from(bits & 0xff).unwrap_or(u8::MAX);
        let function = StencilChange::Function {
            function: face.compare,
            reference: low(face.reference),
            mask: low(face.compare_mask),
        };
        self.state(StateChange::Stencil(function))?;
        let operations = [face.fail, face.depth_fail, face.pass];
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
