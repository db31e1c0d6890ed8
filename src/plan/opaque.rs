//! Bindings of textures, samplers and images.

use case::bind::Sampler;
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
    /// Smallest and largest level of detail, if there is a filter between levels.
    pub levels: [f32; 2],
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
        levels: [0.0, 32.0],
        wrap: [Wrap::ClampToEdge; 3],
        border: [0.0; 4],
        compare: None,
    };

    /// The state of a sampler whose parameters a case gives. If its largest level of detail is below that of the second
    /// level, there is no filter between levels.
    pub(crate) fn new(sampler: &Sampler) -> Self {
        let Sampler { magnify, minify, between, wrap, border, levels, compare } = *sampler;
        let between = (levels[1] > 0.25).then_some(between);
        Self { magnify, minify, between, levels, wrap, border, compare }
    }

    /// WebGPU's border colour nearest to this one: transparent black, black or white.
    pub fn border_of_webgpu(&self) -> [f64; 4] {
        let [r, g, b, a] = self.border;
        if a < 0.5 {
            [0.0; 4]
        } else if r + g + b < 1.5 {
            [0.0, 0.0, 0.0, 1.0]
        } else {
            [1.0; 4]
        }
    }

    /// True if a lookup may read the border, and its colour is none of WebGPU's.
    pub fn has_other_border(&self) -> bool {
        self.wrap.contains(&Wrap::ClampToBorder)
            && ![self.border_of_webgpu()].contains(&self.border)
    }

    /// True if no filter mixes texels.
    pub(crate) fn is_nearest(&self) -> bool {
        *self == self.nearest()
    }

    /// The same state without filters that mix texels.
    pub(crate) fn nearest(self) -> Self {
        let between = self.between.map(|_| Filter::Nearest);
        Self { magnify: Filter::Nearest, minify: Filter::Nearest, between, ..self }
    }
}
