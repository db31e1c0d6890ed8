//! Commands: what is drawn, dispatched, cleared, copied and expected.

use std::sync::Arc;

use case::{Comparison, Topology};
use ir::scalar::Number;
use ir::source::Spanned;

use super::{BufferId, PipelineId};

/// What is done.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `RUN`, `draw …` or `compute`: a draw or a dispatch.
    Run {
        /// The pipeline.
        pipeline: PipelineId,
        /// What is drawn or dispatched.
        form: RunForm,
    },
    /// `CLEAR`: the attachments of the pipeline are cleared.
    Clear(PipelineId),
    /// `CLEAR_COLOR`: the colour that later clears use; zeros if there is none.
    ClearColor {
        /// The pipeline.
        pipeline: PipelineId,
        /// Red, green, blue and alpha, from 0 to 1.
        color: [f64; 4],
    },
    /// `CLEAR_DEPTH`: the depth that later clears use; 1 if there is none.
    ClearDepth {
        /// The pipeline.
        pipeline: PipelineId,
        /// The depth.
        depth: f64,
    },
    /// `CLEAR_STENCIL`: the stencil value that later clears use; 0 if there is none.
    ClearStencil {
        /// The pipeline.
        pipeline: PipelineId,
        /// The value, up to 255.
        stencil: u32,
    },
    /// `COPY`: the content of one buffer becomes that of another.
    Copy {
        /// The buffer that is read.
        from: BufferId,
        /// The buffer that is written, which also takes the first one's size.
        to: BufferId,
    },
    /// `REPEAT`: commands, several times.
    Repeat {
        /// How often: at most [`MAX_REPEATS`].
        count: u32,
        /// The commands; no `REPEAT` among them.
        commands: Vec<Spanned<Command>>,
    },
    /// `EXPECT` or `probe`
    Expect(Expectation),
    /// `uniform`, `uniform ubo` or `ssbo … subdata` of a `VkScript`: bytes written into a buffer.
    Write {
        /// The buffer.
        buffer: BufferId,
        /// Where the first byte is written.
        offset: u32,
        /// The bytes.
        bytes: Arc<[u8]>,
    },
}

/// How often a `REPEAT` may run its commands.
pub const MAX_REPEATS: u32 = 10_000;

/// What is drawn or dispatched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RunForm {
    /// Workgroups in each dimension.
    Compute([u32; 3]),
    /// `DRAW_RECT` or `draw rect`: a rectangle, as a strip of two triangles or as one patch of four vertices.
    DrawRect {
        /// The corner.
        position: [f64; 2],
        /// Width and height.
        size: [f64; 2],
        /// Whether position and size are in pixels, not in clip space.
        is_in_pixels: bool,
        /// Whether the rectangle is one patch.
        is_patch: bool,
    },
    /// `DRAW_GRID`: a rectangle in equal cells, two triangles each.
    DrawGrid {
        /// The corner in pixels.
        position: [f64; 2],
        /// Width and height in pixels.
        size: [f64; 2],
        /// Columns and rows.
        cells: [u32; 2],
    },
    /// `DRAW_ARRAY` or `draw arrays`: vertices from buffers.
    DrawArray {
        /// What the vertices form.
        topology: Topology,
        /// Whether the index buffer is used.
        is_indexed: bool,
        /// `START_IDX`: the first vertex or index.
        first: u32,
        /// `COUNT`: number of vertices or indices; all from the first on if there is none.
        count: Option<u32>,
        /// `START_INSTANCE`
        first_instance: u32,
        /// `INSTANCE_COUNT`
        instances: u32,
    },
}

/// What a buffer or an image must contain.
#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    /// `EXPECT … IDX … EQ …` or `probe ssbo`: values one after the other.
    Values {
        /// The buffer.
        buffer: BufferId,
        /// The type that the values have in it; the buffer's own if there is none.
        format: Option<super::data::DataFormat>,
        /// Offset of the first value, in bytes.
        offset: u64,
        /// How they are compared.
        comparison: Comparison,
        /// By how much they may differ: none, one for all, or up to four for the components of a scalar, vector or
        /// column. Amber uses the first one alone, for every value.
        tolerances: Vec<Tolerance>,
        /// The values, as many as are compared: no fewer than one, and not necessarily a whole element.
        values: Vec<Spanned<Number>>,
    },
    /// `EXPECT … IDX x y SIZE w h EQ_RGB…`: pixels that all have one colour.
    Pixels {
        /// The image.
        buffer: BufferId,
        /// Left, top, width and height in pixels.
        rectangle: [u32; 4],
        /// Red, green, blue and alpha, from 0 to 255.
        color: [u8; 4],
        /// `EQ_RGBA`: whether alpha is compared.
        has_alpha: bool,
        /// By how much channels may differ: none, one for all, or up to four for the first channels, where the others
        /// have the default. Amber uses the first one for every channel unless there are four. It compares on the scale from 0 to 1, also the tolerances that are no percentages, though
        /// many scripts say `TOLERANCE 1` and seem to mean one of 255 steps. Without any, 0.002 is meant.
        tolerances: Vec<Tolerance>,
    },
    /// `EQ_BUFFER`: two buffers have the same content.
    EqualBuffers {
        /// One buffer.
        first: BufferId,
        /// The other one.
        second: BufferId,
    },
    /// `RMSE_BUFFER`: the root of the mean square difference of two buffers is at most the tolerance.
    Rmse {
        /// One buffer.
        first: BufferId,
        /// The other one.
        second: BufferId,
        /// The greatest difference.
        tolerance: f64,
    },
    /// `EQ_HISTOGRAM_EMD_BUFFER`: the earth mover's distance of two buffers' histograms is at most the tolerance.
    HistogramEmd {
        /// One buffer.
        first: BufferId,
        /// The other one.
        second: BufferId,
        /// The greatest distance.
        tolerance: f64,
    },
    /// `probe` of a `VkScript`: pixels of the framebuffer that all have one colour.
    Probe {
        /// The image.
        buffer: BufferId,
        /// Which pixels.
        region: ProbeRegion,
        /// Red, green, blue and alpha, from 0 to 1.
        color: [f64; 4],
        /// Whether alpha is compared.
        has_alpha: bool,
        /// By how much channels may differ, as `tolerance` said last: none, one for all channels, or four. Without any,
        /// 0.002 is meant.
        tolerances: Vec<Tolerance>,
    },
}

/// Which pixels a `probe` looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProbeRegion {
    /// `all`
    Whole,
    /// Left, top, width and height in pixels.
    Pixels([f64; 4]),
    /// `relative`: left, top, width and height as parts of the framebuffer. Without `rect`, the size is that of one
    /// pixel, and given as zeros.
    Relative([f64; 4]),
}

/// By how much a component may differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The greatest difference.
    pub value: f64,
    /// `%`: whether it is a percentage of the expected value.
    pub is_percentage: bool,
}
