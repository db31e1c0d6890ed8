//! Bindings of textures, samplers and images.

use case::depth_stencil::CompareFunction;
use case::texture::{Filter, Wrap};
use link::table::binding::TextureDimension;

/// Binding of a texture, sampler or image of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BoundOpaque {
    /// Index into `Plan::views`.
    View(usize),
    /// Index into `Plan::samplers`.
    Sampler(usize),
}

/// A texture view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedView {
    /// Index into `Plan::textures`.
    pub texture: usize,
    /// View dimension.
    pub dimension: TextureDimension,
    /// First level.
    pub base_level: u32,
    /// Number of levels.
    pub level_count: u32,
}

/// Sampler state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SamplerState {
    /// Magnification filter.
    pub magnify: Filter,
    /// Minification filter within a level.
    pub minify: Filter,
    /// Filter between levels; `None` to use only the first level.
    pub between: Option<Filter>,
    /// Wrap mode of each axis.
    pub wrap: [Wrap; 3],
    /// Border colour.
    pub border: [f64; 4],
    /// Comparison of depths.
    pub compare: Option<CompareFunction>,
}

impl SamplerState {
    /// The nearest texel of the first level, or of the edge.
    pub const NEAREST: Self = Self {
        magnify: Filter::Nearest,
        minify: Filter::Nearest,
        between: None,
        wrap: [Wrap::ClampToEdge; 3],
        border: [0.0; 4],
        compare: None,
    };
}
