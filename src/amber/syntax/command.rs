//! Commands: draws, dispatches, clears, copies and expectations.

use std::sync::Arc;

use case::{Comparison, Topology};
use ir::scalar::Number;
use ir::source::Spanned;

use super::{BufferId, PipelineId};

/// A command of a script.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `RUN`, `draw …` or `compute`: a draw or a dispatch.
    Run {
        /// The pipeline.
        pipeline: PipelineId,
        /// The draw or dispatch.
        form: RunForm,
    },
    /// `CLEAR`: clears the attachments of the pipeline.
    Clear(PipelineId),
    /// `CLEAR_COLOR`: sets the colour of later clears; zeros by default.
    ClearColor {
        /// The pipeline.
        pipeline: PipelineId,
        /// Red, green, blue and alpha, from 0 to 1.
        color: [f64; 4],
    },
    /// `CLEAR_DEPTH`: sets the depth of later clears; 1 by default.
    ClearDepth {
        /// The pipeline.
        pipeline: PipelineId,
        /// The depth.
        depth: f64,
    },
    /// `CLEAR_STENCIL`: sets the stencil value of later clears; 0 by default.
    ClearStencil {
        /// The pipeline.
        pipeline: PipelineId,
        /// The value, up to 255.
        stencil: u32,
    },
    /// `COPY`: copies the content of one buffer to another.
    Copy {
        /// The buffer that is read.
        from: BufferId,
        /// The buffer that is written; it also gets the size of the first one.
        to: BufferId,
    },
    /// `REPEAT`: repeats commands.
    Repeat {
        /// Number of repetitions, at most [`MAX_REPEATS`].
        count: u32,
        /// The commands; none of them is a `REPEAT`.
        commands: Vec<Spanned<Command>>,
    },
    /// `EXPECT` or `probe`
    Expect(Expectation),
    /// `uniform`, `uniform ubo` or `ssbo … subdata` of a `VkScript`: bytes written into a buffer.
    Write {
        /// The buffer.
        buffer: BufferId,
        /// Offset of the first byte.
        offset: u32,
        /// The bytes.
        bytes: Arc<[u8]>,
    },
}

/// Maximum number of repetitions of a `REPEAT`.
pub const MAX_REPEATS: u32 = 10_000;

/// A draw or dispatch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RunForm {
    /// Dispatches this number of workgroups in each dimension.
    Compute([u32; 3]),
    /// `DRAW_RECT` or `draw rect`: draws a rectangle, as a strip of two triangles or as one patch of four vertices.
    DrawRect {
        /// The corner.
        position: [f64; 2],
        /// Width and height.
        size: [f64; 2],
        /// True if position and size are in pixels, false if in clip space.
        is_in_pixels: bool,
        /// True if the rectangle is one patch.
        is_patch: bool,
    },
    /// `DRAW_GRID`: draws a rectangle divided into equal cells of two triangles each.
    DrawGrid {
        /// The corner in pixels.
        position: [f64; 2],
        /// Width and height in pixels.
        size: [f64; 2],
        /// Columns and rows.
        cells: [u32; 2],
    },
    /// `DRAW_ARRAY` or `draw arrays`: draws vertices from buffers.
    DrawArray {
        /// Topology of the vertices.
        topology: Topology,
        /// True if the index buffer is used.
        is_indexed: bool,
        /// `START_IDX`: the first vertex or index.
        first: u32,
        /// `COUNT`: number of vertices or indices; by default all from the first one on.
        count: Option<u32>,
        /// `START_INSTANCE`
        first_instance: u32,
        /// `INSTANCE_COUNT`
        instances: u32,
    },
}

/// Expected content of a buffer or an image.
#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    /// `EXPECT … IDX … EQ …` or `probe ssbo`: consecutive values.
    Values {
        /// The buffer.
        buffer: BufferId,
        /// The type as which the values are read; by default the buffer's own.
        format: Option<super::data::DataFormat>,
        /// Offset of the first value, in bytes.
        offset: u64,
        /// Comparison of the values.
        comparison: Comparison,
        /// Permitted differences: none, one for all, or up to four for the components of a scalar, vector or column.
        /// Amber uses only the first one, for every value.
        tolerances: Vec<Tolerance>,
        /// The values to compare: at least one, and not necessarily whole elements.
        values: Vec<Spanned<Number>>,
    },
    /// `EXPECT … IDX x y SIZE w h EQ_RGB…`: pixels that all have the same colour.
    Pixels {
        /// The image.
        buffer: BufferId,
        /// Left, top, width and height in pixels.
        rectangle: [u32; 4],
        /// Red, green, blue and alpha, from 0 to 255.
        color: [u8; 4],
        /// `EQ_RGBA`: true if alpha is compared.
        has_alpha: bool,
        /// Permitted differences of channels: none, one for all, or up to four for the first channels, where the others
        /// have the default. Amber uses the first one for every channel unless there are four. It compares on the scale
        /// from 0 to 1, even tolerances that are not percentages, although many scripts contain `TOLERANCE 1` and seem
        /// to mean one of 255 steps. The default is 0.002.
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
        /// Maximum difference.
        tolerance: f64,
    },
    /// `EQ_HISTOGRAM_EMD_BUFFER`: the earth mover's distance of two buffers' histograms is at most the tolerance.
    HistogramEmd {
        /// One buffer.
        first: BufferId,
        /// The other one.
        second: BufferId,
        /// Maximum distance.
        tolerance: f64,
    },
    /// `probe` of a `VkScript`: pixels of the framebuffer that all have the same colour.
    Probe {
        /// The image.
        buffer: BufferId,
        /// The pixels.
        region: ProbeRegion,
        /// Red, green, blue and alpha, from 0 to 1.
        color: [f64; 4],
        /// True if alpha is compared.
        has_alpha: bool,
        /// Permitted differences of channels, from the last `tolerance`: none, one for all channels, or four. The
        /// default is 0.002.
        tolerances: Vec<Tolerance>,
    },
}

/// The pixels that a `probe` reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProbeRegion {
    /// `all`
    Whole,
    /// Left, top, width and height in pixels.
    Pixels([f64; 4]),
    /// `relative`: left, top, width and height as fractions of the framebuffer. Without `rect`, the size is one pixel,
    /// represented by zeros.
    Relative([f64; 4]),
}

/// Permitted difference of a component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Maximum difference.
    pub value: f64,
    /// `%`: true if `value` is a percentage of the expected value.
    pub is_percentage: bool,
}
