//! Translates the fixed state of pipelines: tests, blending and rasterisation.

use case::Setting;
use case::depth_stencil::{DepthFormat, StencilChange};
use case::output::OutputChange;
use case::state::{
    Capability, DepthBias, Face, PatchChange, ProvokingVertex, Raster, RasterChange, StateChange,
    Viewport,
};

use super::framebuffer::size_of;
use super::{Translated, Translator, unsupported};
use crate::syntax::pipeline as tree;
use crate::syntax::pipeline::{FixedState, Pipeline, PolygonMode};

/// Maximum position or size of a viewport that every adapter supports.
const MAX_VIEWPORT: f64 = 2_048.0;

impl Translator<'_> {
    /// Sets the state of a pipeline for the draws below.
    pub(super) fn set_state(&mut self, pipeline: &Pipeline) -> Translated<()> {
        Self::check_state(pipeline)?;
        let state = &pipeline.state;
        self.set_raster(pipeline)?;
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
        // In Vulkan flat varyings come from the first vertex, in GL from the last one.
        self.state(StateChange::ProvokingVertex(ProvokingVertex::First))?;
        self.switch(Capability::ProgramPointSize, true)
    }

    fn set_raster(&mut self, pipeline: &Pipeline) -> Translated<()> {
        let state = &pipeline.state;
        let raster = Raster {
            cull: match state.cull {
                tree::CullMode::None | tree::CullMode::FrontAndBack => None,
                tree::CullMode::Front => Some(Face::Front),
                tree::CullMode::Back => Some(Face::Back),
            },
            is_front_reversed: state.is_front_clockwise,
            is_outlined: state.polygon_mode == PolygonMode::Line,
            is_depth_clamped: state.depth.is_clamped,
            bias: self.bias(pipeline)?,
        };
        self.state(RasterChange::Primitives(raster))?;
        let viewport = pipeline.viewport.filter(|viewport| !self.is_whole(pipeline, viewport));
        let viewport = viewport.map(|viewport| Viewport {
            position: viewport.position.map(narrow),
            size: viewport.size.map(narrow),
            depths: [viewport.min_depth, viewport.max_depth].map(narrow),
        });
        self.state(RasterChange::Viewport(viewport))
    }

    /// The depth bias of a pipeline; zero without a depth buffer, as nothing then reads the depths.
    fn bias(&self, pipeline: &Pipeline) -> Translated<DepthBias> {
        let Some(bias) = pipeline.state.depth.bias else { return Ok(DepthBias::default()) };
        if bias.constant == 0.0 && bias.slope == 0.0 || !self.framebuffers.has_depth(pipeline) {
            return Ok(DepthBias::default());
        }
        let Some(constant) = whole(bias.constant) else {
            return Err(unsupported(
                pipeline.span,
                "a constant depth bias that is no whole number",
            ));
        };
        let is_open = match self.case.depth_format {
            Some(DepthFormat::Depth24Plus | DepthFormat::Depth24PlusStencil8) => true,
            Some(
                DepthFormat::Depth16Unorm
                | DepthFormat::Depth32Float
                | DepthFormat::Depth32FloatStencil8
                | DepthFormat::Stencil8,
            )
            | None => false,
        };
        if is_open && constant != 0 {
            let word = "a constant depth bias of 24-bit depths, which WebGPU may store otherwise";
            return Err(unsupported(pipeline.span, word));
        }
        let [slope, clamp] = [bias.slope, bias.clamp].map(|real| narrow(real).to_bits());
        Ok(DepthBias { constant, slope, clamp })
    }

    #[expect(clippy::float_cmp, reason = "other numbers, however near, are other state")]
    fn is_whole(&self, pipeline: &Pipeline, viewport: &tree::Viewport) -> bool {
        viewport.position == [0.0; 2]
            && viewport.size == size_of(self.script, pipeline).map(f64::from)
            && (viewport.min_depth, viewport.max_depth) == (0.0, 1.0)
    }

    #[expect(clippy::float_cmp, reason = "other numbers, however near, are other state")]
    fn check_state(pipeline: &Pipeline) -> Translated<()> {
        let FixedState { polygon_mode, cull, logic_op, line_width, depth, .. } = &pipeline.state;
        // WebGPU has no viewports with a negative size or reversed depths.
        let is_odd = |viewport: &tree::Viewport| {
            let tree::Viewport { size: [width, height], min_depth, max_depth, .. } = *viewport;
            width <= 0.0
                || height <= 0.0
                || !(0.0..=1.0).contains(&min_depth)
                || !(min_depth..=1.0).contains(&max_depth)
        };
        let is_far = |viewport: &tree::Viewport| {
            let numbers = [viewport.position, viewport.size];
            numbers.as_flattened().iter().any(|number| number.abs() > MAX_VIEWPORT)
        };
        let word = if *polygon_mode == PolygonMode::Point {
            "polygons of which the corners are drawn"
        } else if *cull == tree::CullMode::FrontAndBack {
            "the culling of both faces"
        } else if logic_op.is_some() {
            "logical operations of blending"
        } else if *line_width != 1.0 {
            "wide lines"
        } else if pipeline.state.discards_everything {
            "discarding before rasterisation"
        } else if pipeline.state.restarts_primitives {
            "primitive restart"
        } else if pipeline.viewport.as_ref().is_some_and(is_odd) {
            "a viewport that is turned over"
        } else if pipeline.viewport.as_ref().is_some_and(is_far) {
            "a viewport far from the framebuffer"
        } else if depth.bounds.is_some_and(|bounds| bounds != [0.0, 1.0]) {
            "the depth bounds test"
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
            self.state(RasterChange::DepthFunction(depth.compare))?;
            self.state(RasterChange::DepthMask(depth.is_written))?;
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
        self.state(RasterChange::Stencil(function))?;
        let operations = [face.fail, face.depth_fail, face.pass];
        self.state(RasterChange::Stencil(StencilChange::Operations(operations)))?;
        self.state(RasterChange::Stencil(StencilChange::WriteMask(low(face.write_mask))))
    }

    fn switch(&mut self, capability: Capability, is_enabled: bool) -> Translated<()> {
        self.state(StateChange::Switch { capability, is_enabled })
    }

    fn output(&mut self, change: OutputChange) -> Translated<()> {
        self.state(StateChange::Output(change))
    }

    pub(super) fn state(&mut self, change: impl Into<StateChange>) -> Translated<()> {
        self.push(Setting::State(change.into()))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "coordinates and depths are floats")]
const fn narrow(value: f64) -> f32 {
    value as f32
}

/// Converts a whole number to 32 bits; `None` for other numbers.
#[expect(clippy::cast_possible_truncation, reason = "whole, and within the type")]
fn whole(value: f64) -> Option<i32> {
    let is_within = (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&value);
    (is_within && value.fract() == 0.0).then_some(value as i32)
}
