//! Types and formats of elements.

use std::sync::Arc;

/// The format of the elements of a buffer, or of the texels of an image.
#[derive(Clone, Debug, PartialEq)]
pub enum DataFormat {
    /// A type, such as `vec4<float>`.
    Type(DataType),
    /// An image format, such as `R8G8B8A8_UNORM`.
    Pixel(PixelFormat),
}

/// A type of elements.
#[derive(Clone, Debug, PartialEq)]
pub enum DataType {
    /// One number.
    Scalar(Scalar),
    /// `vecN<…>`: 2 to 4 numbers.
    Vector(u8, Scalar),
    /// `matCxR<…>`
    Matrix {
        /// Number of columns: 2 to 4.
        columns: u8,
        /// Number of rows: 2 to 4.
        rows: u8,
        /// Type of the numbers.
        scalar: Scalar,
    },
    /// A name that `STRUCT` declares.
    Struct(Arc<Struct>),
}

/// `STRUCT`: named members in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// The name.
    pub name: String,
    /// `STRIDE`: bytes from one element to the next; by default determined by the layout.
    pub stride: Option<u32>,
    /// The members, in order.
    pub members: Vec<Member>,
}

/// One member of a [`Struct`].
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The name.
    pub name: String,
    /// The type.
    pub data_type: DataType,
    /// `OFFSET`: bytes from the start of the structure; by default determined by the layout.
    pub offset: Option<u32>,
    /// `MATRIX_STRIDE`: bytes from one column to the next; by default determined by the layout.
    pub matrix_stride: Option<u32>,
}

/// The type of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `int8`
    Int8,
    /// `int16`
    Int16,
    /// `int32`
    Int32,
    /// `int64`
    Int64,
    /// `uint8`
    Uint8,
    /// `uint16`
    Uint16,
    /// `uint32`
    Uint32,
    /// `uint64`
    Uint64,
    /// `float16`
    Float16,
    /// `float`
    Float,
    /// `double`
    Double,
}

/// The rules by which elements are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Standard {
    /// `STD430`
    #[default]
    Std430,
    /// `STD140`
    Std140,
}

/// A format by its Vulkan name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PixelFormat {
    /// The name without `VK_FORMAT_`, such as `R8G8B8A8_UNORM`.
    pub name: String,
    /// The channels in the order of the name.
    pub channels: Vec<Channel>,
    /// `_PACK8`, `_PACK16` or `_PACK32`: all channels are bits of one number of that size, the first channel the
    /// highest bits.
    pub pack: Option<u8>,
}

/// One channel of a [`PixelFormat`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Channel {
    /// Meaning of the channel.
    pub name: ChannelName,
    /// Number of bits.
    pub bits: u8,
    /// Numeric format of the bits.
    pub mode: ChannelMode,
}

/// Meaning of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelName {
    /// `R`
    Red,
    /// `G`
    Green,
    /// `B`
    Blue,
    /// `A`
    Alpha,
    /// `D`
    Depth,
    /// `S`
    Stencil,
    /// `X`: bits without a meaning.
    Unused,
}

/// Numeric format of a channel's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelMode {
    /// `UNORM`: 0 to 1.
    Unorm,
    /// `SNORM`: -1 to 1.
    Snorm,
    /// `UINT`: unsigned integers.
    Uint,
    /// `SINT`: signed integers.
    Sint,
    /// `USCALED`: unsigned integers, read as floats.
    Uscaled,
    /// `SSCALED`: signed integers, read as floats.
    Sscaled,
    /// `SFLOAT`: signed floats.
    Sfloat,
    /// `UFLOAT`: unsigned floats.
    Ufloat,
    /// `SRGB`: 0 to 1, with colours in the sRGB transfer function.
    Srgb,
}
