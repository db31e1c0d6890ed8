//! Samplers.

use case::depth_stencil::CompareFunction;
use case::texture::Filter;
use ir::source::Span;

/// `SAMPLER`: how an image is sampled.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampler {
    /// The name.
    pub name: String,
    /// The line that declares the sampler.
    pub span: Span,
    /// `MAG_FILTER`
    pub magnify: Filter,
    /// `MIN_FILTER`
    pub minify: Filter,
    /// `ADDRESS_MODE_U`, `ADDRESS_MODE_V` and `ADDRESS_MODE_W`.
    pub address: [AddressMode; 3],
    /// `BORDER_COLOR`
    pub border: BorderColor,
    /// `MIN_LOD`
    pub min_lod: f64,
    /// `MAX_LOD`
    pub max_lod: f64,
    /// `NORMALIZED_COORDS`: true if coordinates go from 0 to 1.
    pub is_normalized: bool,
    /// `COMPARE on`: comparison of depths with the reference value.
    pub compare: Option<CompareFunction>,
}

/// Handling of coordinates outside an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AddressMode {
    /// `repeat`
    #[default]
    Repeat,
    /// `mirrored_repeat`
    MirroredRepeat,
    /// `clamp_to_edge`
    ClampToEdge,
    /// `clamp_to_border`
    ClampToBorder,
    /// `mirror_clamp_to_edge`
    MirrorClampToEdge,
}

/// The colour outside an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BorderColor {
    /// `float_transparent_black`
    #[default]
    FloatTransparentBlack,
    /// `int_transparent_black`
    IntTransparentBlack,
    /// `float_opaque_black`
    FloatOpaqueBlack,
    /// `int_opaque_black`
    IntOpaqueBlack,
    /// `float_opaque_white`
    FloatOpaqueWhite,
    /// `int_opaque_white`
    IntOpaqueWhite,
}
