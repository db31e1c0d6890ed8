//! Words of `AmberScript` that stand for one of several values.

use crate::syntax::ShaderKind;
use crate::syntax::command::{Comparator, Topology};
use crate::syntax::pipeline::{BlendFactor, CompareOp, PolygonMode, StencilOp};
use crate::syntax::sampler::{AddressMode, BorderColor, Filter};

/// Comparisons.
pub(crate) const COMPARE_OPS: [(&str, CompareOp); 8] = [
    ("never", CompareOp::Never),
    ("less", CompareOp::Less),
    ("equal", CompareOp::Equal),
    ("less_or_equal", CompareOp::LessOrEqual),
    ("greater", CompareOp::Greater),
    ("not_equal", CompareOp::NotEqual),
    ("greater_or_equal", CompareOp::GreaterOrEqual),
    ("always", CompareOp::Always),
];

/// Stencil operations.
pub(crate) const STENCIL_OPS: [(&str, StencilOp); 8] = [
    ("keep", StencilOp::Keep),
    ("zero", StencilOp::Zero),
    ("replace", StencilOp::Replace),
    ("increment_and_clamp", StencilOp::IncrementAndClamp),
    ("decrement_and_clamp", StencilOp::DecrementAndClamp),
    ("invert", StencilOp::Invert),
    ("increment_and_wrap", StencilOp::IncrementAndWrap),
    ("decrement_and_wrap", StencilOp::DecrementAndWrap),
];

/// Blend factors.
pub(crate) const BLEND_FACTORS: [(&str, BlendFactor); 19] = [
    ("zero", BlendFactor::Zero),
    ("one", BlendFactor::One),
    ("src_color", BlendFactor::SourceColor),
    ("one_minus_src_color", BlendFactor::OneMinusSourceColor),
    ("dst_color", BlendFactor::DestinationColor),
    ("one_minus_dst_color", BlendFactor::OneMinusDestinationColor),
    ("src_alpha", BlendFactor::SourceAlpha),
    ("one_minus_src_alpha", BlendFactor::OneMinusSourceAlpha),
    ("dst_alpha", BlendFactor::DestinationAlpha),
    ("one_minus_dst_alpha", BlendFactor::OneMinusDestinationAlpha),
    ("constant_color", BlendFactor::ConstantColor),
    ("one_minus_constant_color", BlendFactor::OneMinusConstantColor),
    ("constant_alpha", BlendFactor::ConstantAlpha),
    ("one_minus_constant_alpha", BlendFactor::OneMinusConstantAlpha),
    ("src_alpha_saturate", BlendFactor::SourceAlphaSaturate),
    ("src1_color", BlendFactor::Source1Color),
    ("one_minus_src1_color", BlendFactor::OneMinusSource1Color),
    ("src1_alpha", BlendFactor::Source1Alpha),
    ("one_minus_src1_alpha", BlendFactor::OneMinusSource1Alpha),
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
    ("POINT_LIST", Topology::PointList),
    ("LINE_LIST", Topology::LineList),
    ("LINE_LIST_WITH_ADJACENCY", Topology::LineListWithAdjacency),
    ("LINE_STRIP", Topology::LineStrip),
    ("LINE_STRIP_WITH_ADJACENCY", Topology::LineStripWithAdjacency),
    ("TRIANGLE_LIST", Topology::TriangleList),
    ("TRIANGLE_LIST_WITH_ADJACENCY", Topology::TriangleListWithAdjacency),
    ("TRIANGLE_STRIP", Topology::TriangleStrip),
    ("TRIANGLE_STRIP_WITH_ADJACENCY", Topology::TriangleStripWithAdjacency),
    ("TRIANGLE_FAN", Topology::TriangleFan),
    ("PATCH_LIST", Topology::PatchList),
];

/// Comparators of values.
pub(crate) const COMPARATORS: [(&str, Comparator); 6] = [
    ("EQ", Comparator::Equal),
    ("NE", Comparator::NotEqual),
    ("LT", Comparator::Less),
    ("LE", Comparator::LessOrEqual),
    ("GT", Comparator::Greater),
    ("GE", Comparator::GreaterOrEqual),
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
