//! Maps formats of images to those of interstage and WebGPU.

use case::depth_stencil::DepthFormat;
use ir::format::Format;
use ir::source::Span;

use super::{Translated, unsupported};
use crate::syntax::Buffer;
use crate::syntax::data::{ChannelMode, ChannelName, DataFormat, DataType, PixelFormat, Scalar};

/// The colour format of an image.
pub(super) fn color_format(buffer: &Buffer, span: Span) -> Translated<Format> {
    let name = match &buffer.format {
        DataFormat::Pixel(format) => pixel_name(format),
        DataFormat::Type(ty) => type_name(ty),
    };
    let found = name.as_deref().and_then(Format::from_name);
    found.ok_or_else(|| unsupported(span, format!("images of {}", shown(&buffer.format))))
}

/// The format as the script names it.
fn shown(format: &DataFormat) -> String {
    match format {
        DataFormat::Pixel(format) => format.name.clone(),
        DataFormat::Type(_) => "such a type".to_owned(),
    }
}

/// The format of a depth or stencil buffer.
pub(super) fn depth_format(buffer: &Buffer, span: Span) -> Translated<DepthFormat> {
    let name = shown(&buffer.format);
    match &*name {
        "D16_UNORM" => Ok(DepthFormat::Depth16Unorm),
        "D24_UNORM_S8_UINT" => Ok(DepthFormat::Depth24PlusStencil8),
        "X8_D24_UNORM_PACK32" => Ok(DepthFormat::Depth24Plus),
        "D32_SFLOAT" => Ok(DepthFormat::Depth32Float),
        "D32_SFLOAT_S8_UINT" => Ok(DepthFormat::Depth32FloatStencil8),
        "S8_UINT" => Ok(DepthFormat::Stencil8),
        _ => Err(unsupported(span, format!("a depth buffer of {name}"))),
    }
}

/// True for a format with depth or stencil.
pub(super) fn is_depth(format: &DataFormat) -> bool {
    let DataFormat::Pixel(format) = format else { return false };
    let is_it = |name: ChannelName| matches!(name, ChannelName::Depth | ChannelName::Stencil);
    format.channels.iter().any(|channel| is_it(channel.name))
}

/// wgpu's name of a pixel format, if it has an equivalent one.
fn pixel_name(format: &PixelFormat) -> Option<String> {
    use ChannelName::{Alpha, Blue, Green, Red};
    let names: Vec<_> = format.channels.iter().map(|channel| channel.name).collect();
    let bits: Vec<_> = format.channels.iter().map(|channel| channel.bits).collect();
    let mode = format.channels.first()?.mode;
    let suffix = match mode {
        ChannelMode::Unorm => "unorm",
        ChannelMode::Snorm => "snorm",
        ChannelMode::Uint => "uint",
        ChannelMode::Sint => "sint",
        ChannelMode::Sfloat => "float",
        ChannelMode::Ufloat => "ufloat",
        ChannelMode::Srgb => "unorm-srgb",
        ChannelMode::Uscaled | ChannelMode::Sscaled => return None,
    };
    let is_even = bits.iter().all(|width| *width == bits[0]);
    match (&names[..], format.pack) {
        ([Red], None) => Some(format!("r{}{suffix}", bits[0])),
        ([Red, Green], None) if is_even => Some(format!("rg{}{suffix}", bits[0])),
        ([Red, Green, Blue, Alpha], None) if is_even => Some(format!("rgba{}{suffix}", bits[0])),
        // Bits are listed from the highest down, so bytes from alpha up to red are r, g, b, a in memory order.
        ([Alpha, Blue, Green, Red], Some(32)) if is_even => Some(format!("rgba8{suffix}")),
        ([Blue, Green, Red, Alpha], None) if is_even => Some(format!("bgra{}{suffix}", bits[0])),
        ([Alpha, Blue, Green, Red], Some(32)) if bits == [2, 10, 10, 10] => {
            Some(format!("rgb10a2{suffix}"))
        }
        ([Blue, Green, Red], Some(32)) if bits == [10, 11, 11] => Some("rg11b10ufloat".to_owned()),
        _ => None,
    }
}

/// wgpu's name of the format of texels of this type.
fn type_name(ty: &DataType) -> Option<String> {
    let (count, scalar) = match ty {
        DataType::Scalar(scalar) => (1, *scalar),
        DataType::Vector(count, scalar) => (*count, *scalar),
        DataType::Matrix { .. } | DataType::Struct(_) => return None,
    };
    let channels = match count {
        1 => "r",
        2 => "rg",
        4 => "rgba",
        _ => return None,
    };
    let kind = match scalar {
        Scalar::Int8 => "8sint",
        Scalar::Uint8 => "8uint",
        Scalar::Int16 => "16sint",
        Scalar::Uint16 => "16uint",
        Scalar::Float16 => "16float",
        Scalar::Int32 => "32sint",
        Scalar::Uint32 => "32uint",
        Scalar::Float => "32float",
        Scalar::Int64 | Scalar::Uint64 | Scalar::Double => return None,
    };
    Some(format!("{channels}{kind}"))
}
