//! Words of `AmberScript` that select one of several values.

use crate::syntax::ShaderKind;
use crate::syntax::pipeline::PolygonMode;
use crate::syntax::sampler::{AddressMode, BorderColor};
use case::depth_stencil::{CompareFunction, StencilOperation};
use case::output::BlendFactor;
use case::texture::Filter;
use case::{Comparison, Topology};

/// Comparisons.
pub(crate) const COMPARE_OPS: [(&str, CompareFunction); 8] = [
    ("never", CompareFunction::Never),
    ("less", CompareFunction::Less),
    ("equal", CompareFunction::Equal),
    ("less_or_equal", CompareFunction::LessOrEqual),
    ("greater", CompareFunction::Greater),
    ("not_equal", CompareFunction::NotEqual),
    ("greater_or_equal", CompareFunction::GreaterOrEqual),
    ("always", CompareFunction::Always),
];

/// Stencil operations.
pub(crate) const STENCIL_OPS: [(&str, StencilOperation); 8] = [
    ("keep", StencilOperation::Keep),
    ("zero", StencilOperation::Zero),
    ("replace", StencilOperation::Replace),
    ("increment_and_clamp", StencilOperation::Increment),
    ("decrement_and_clamp", StencilOperation::Decrement),
    ("invert", StencilOperation::Invert),
    ("increment_and_wrap", StencilOperation::IncrementWrap),
    ("decrement_and_wrap", StencilOperation::DecrementWrap),
];

/// Blend factors. Scripts cannot set the blend constant, which is zero.
pub(crate) const BLEND_FACTORS: [(&str, BlendFactor); 19] = [
    ("zero", BlendFactor::Zero),
    ("one", BlendFactor::One),
    ("src_color", BlendFactor::SrcColor),
    ("one_minus_src_color", BlendFactor::OneMinusSrcColor),
    ("dst_color", BlendFactor::DstColor),
    ("one_minus_dst_color", BlendFactor::OneMinusDstColor),
    ("src_alpha", BlendFactor::SrcAlpha),
    ("one_minus_src_alpha", BlendFactor::OneMinusSrcAlpha),
    ("dst_alpha", BlendFactor::DstAlpha),
    ("one_minus_dst_alpha", BlendFactor::OneMinusDstAlpha),
    ("constant_color", BlendFactor::Zero),
    ("one_minus_constant_color", BlendFactor::One),
    ("constant_alpha", BlendFactor::Zero),
    ("one_minus_constant_alpha", BlendFactor::One),
    ("src_alpha_saturate", BlendFactor::SrcAlphaSaturate),
    ("src1_color", BlendFactor::Src1Color),
    ("one_minus_src1_color", BlendFactor::OneMinusSrc1Color),
    ("src1_alpha", BlendFactor::Src1Alpha),
    ("one_minus_src1_alpha", BlendFactor::OneMinusSrc1Alpha),
];

/// Polygon modes.
pub(crate) const POLYGON_MODES: [(&str, PolygonMode); 3] =
    [("fill", PolygonMode::Fill), ("line", PolygonMode::Line), ("point", PolygonMode::Point)];

/// Filters of samplers.
pub(crate) const FILTERS: [(&str, Filter); 2] =
    [("nearest", Filter::Nearest), ("linear", Filter::Linear)];

/// Address modes of samplers.
pub(crate) const ADDRESS_MODES: [(&str, AddressMode); 6] = [
    ("repeat", AddressMode::Repeat),
    ("mirrored_repeat", AddressMode::MirroredRepeat),
    ("clamp_to_edge", AddressMode::ClampToEdge),
    ("clamp_to_border", AddressMode::ClampToBorder),
    ("mirror_clamp_to_edge", AddressMode::MirrorClampToEdge),
    ("mirrored_clamp_to_edge", AddressMode::MirrorClampToEdge),
];

/// Border colours of samplers.
pub(crate) const BORDER_COLORS: [(&str, BorderColor); 6] = [
    ("float_transparent_black", BorderColor::FloatTransparentBlack),
    ("int_transparent_black", BorderColor::IntTransparentBlack),
    ("float_opaque_black", BorderColor::FloatOpaqueBlack),
    ("int_opaque_black", BorderColor::IntOpaqueBlack),
    ("float_opaque_white", BorderColor::FloatOpaqueWhite),
    ("int_opaque_white", BorderColor::IntOpaqueWhite),
];

/// Topologies.
pub(crate) const TOPOLOGIES: [(&str, Topology); 11] = [
    ("POINT_LIST", Topology::Points),
    ("LINE_LIST", Topology::Lines),
    ("LINE_LIST_WITH_ADJACENCY", Topology::LinesAdjacency),
    ("LINE_STRIP", Topology::LineStrip),
    ("LINE_STRIP_WITH_ADJACENCY", Topology::LineStripAdjacency),
    ("TRIANGLE_LIST", Topology::Triangles),
    ("TRIANGLE_LIST_WITH_ADJACENCY", Topology::TrianglesAdjacency),
    ("TRIANGLE_STRIP", Topology::TriangleStrip),
    ("TRIANGLE_STRIP_WITH_ADJACENCY", Topology::TriangleStripAdjacency),
    ("TRIANGLE_FAN", Topology::TriangleFan),
    ("PATCH_LIST", Topology::Patches),
];

/// Comparators of values.
pub(crate) const COMPARATORS: [(&str, Comparison); 6] = [
    ("EQ", Comparison::Equal),
    ("NE", Comparison::NotEqual),
    ("LT", Comparison::Less),
    ("LE", Comparison::LessOrEqual),
    ("GT", Comparison::Greater),
    ("GE", Comparison::GreaterOrEqual),
];

/// Kinds of shaders; `None` for those of ray tracing.
pub(crate) const SHADER_KINDS: [(&str, Option<ShaderKind>); 13] = [
    ("vertex", Some(ShaderKind::Vertex)),
    ("fragment", Some(ShaderKind::Fragment)),
    ("compute", Some(ShaderKind::Compute)),
    ("geometry", Some(ShaderKind::Geometry)),
    ("tessellation_control", Some(ShaderKind::TessellationControl)),
    ("tessellation_evaluation", Some(ShaderKind::TessellationEvaluation)),
    ("multi", Some(ShaderKind::Multi)),
    ("ray_generation", None),
    ("any_hit", None),
    ("closest_hit", None),
    ("miss", None),
    ("intersection", None),
    ("callable", None),
];
