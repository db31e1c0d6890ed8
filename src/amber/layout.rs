//! Computes sizes, alignments and offsets of elements, by the rules of std140 and std430.
//!
//! As in Amber, an element of a buffer belongs to an array only if its type was written with `[]`: std140 then rounds
//! its stride up to 16 bytes; otherwise the stride is unchanged.

use crate::syntax::data::{
    Channel, ChannelMode, DataFormat, DataType, Member, PixelFormat, Scalar, Standard, Struct,
};

/// The layout of one element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Bytes from one element to the next.
    pub stride: u32,
    /// Numbers of the element, in order; empty if they are not whole bytes, as in `D24_UNORM_S8_UINT`.
    pub components: Vec<Component>,
}

/// One number of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component {
    /// Bytes from the start of the element.
    pub offset: u32,
    /// Type of the number as it is stored. For an image format it is that of the stored bits, so `UNORM` is an unsigned
    /// integer; all channels of a packed format are one number.
    pub scalar: Scalar,
}

impl Scalar {
    /// Number of bytes.
    pub const fn size(self) -> u32 {
        match self {
            Self::Int8 | Self::Uint8 => 1,
            Self::Int16 | Self::Uint16 | Self::Float16 => 2,
            Self::Int32 | Self::Uint32 | Self::Float => 4,
            Self::Int64 | Self::Uint64 | Self::Double => 8,
        }
    }

    /// True if the type is a float.
    pub const fn is_float(self) -> bool {
        match self {
            Self::Float16 | Self::Float | Self::Double => true,
            Self::Int8
            | Self::Int16
            | Self::Int32
            | Self::Int64
            | Self::Uint8
            | Self::Uint16
            | Self::Uint32
            | Self::Uint64 => false,
        }
    }
}

impl DataFormat {
    /// The layout of an element. `is_array` is [`Buffer::is_array`](crate::syntax::Buffer::is_array).
    pub fn element(&self, standard: Standard, is_array: bool) -> Element {
        match self {
            Self::Type(data_type) => {
                let mut components = Vec::new();
                data_type.add_components(standard, 0, &mut components);
                Element { stride: data_type.stride(standard, is_array), components }
            }
            Self::Pixel(format) => format.element(),
        }
    }
}

impl DataType {
    /// The alignment of an element in bytes.
    pub fn alignment(&self, standard: Standard) -> u32 {
        match self {
            Self::Scalar(scalar) => scalar.size(),
            Self::Vector(size, scalar) => vector_alignment(*size, *scalar),
            Self::Matrix { rows, scalar, .. } => {
                rounded_for(standard, vector_alignment(*rows, *scalar))
            }
            Self::Struct(structure) => structure.alignment(standard),
        }
    }

    /// Number of bytes, with padding between numbers, and in matrices and structures also after them.
    pub fn size(&self, standard: Standard) -> u32 {
        match self {
            Self::Scalar(scalar) => scalar.size(),
            Self::Vector(size, scalar) => u32::from(*size) * scalar.size(),
            Self::Matrix { columns, .. } => u32::from(*columns) * self.alignment(standard),
            Self::Struct(structure) => structure.size(standard),
        }
    }

    /// Bytes from one element of a buffer to the next.
    pub fn stride(&self, standard: Standard, is_array: bool) -> u32 {
        if let Self::Struct(structure) = self {
            return structure.size(standard);
        }
        let alignment = self.alignment(standard);
        let alignment = if is_array { rounded_for(standard, alignment) } else { alignment };
        self.size(standard).next_multiple_of(alignment)
    }

    /// Appends the numbers of an element at offset `base`, in order.
    fn add_components(&self, standard: Standard, base: u32, into: &mut Vec<Component>) {
        match self {
            Self::Scalar(scalar) => into.push(Component { offset: base, scalar: *scalar }),
            Self::Vector(size, scalar) => add_vector(*size, *scalar, base, into),
            Self::Matrix { columns, rows, scalar } => {
                let stride = self.alignment(standard);
                add_matrix(*columns, *rows, *scalar, [base, stride], into);
            }
            Self::Struct(structure) => {
                for (offset, member) in structure.placed(standard) {
                    match (&member.data_type, member.matrix_stride) {
                        (DataType::Matrix { columns, rows, scalar }, Some(stride)) => {
                            add_matrix(*columns, *rows, *scalar, [base + offset, stride], into);
                        }
                        (data_type, _) => {
                            data_type.add_components(standard, base + offset, into);
                        }
                    }
                }
            }
        }
    }
}

impl Struct {
    /// The alignment of the structure in bytes.
    pub fn alignment(&self, standard: Standard) -> u32 {
        let members = self.members.iter().map(|member| member.data_type.alignment(standard));
        rounded_for(standard, members.max().unwrap_or(1))
    }

    /// Bytes from one element to the next: `STRIDE`, or otherwise the end of the last member, rounded up to the
    /// alignment.
    pub fn size(&self, standard: Standard) -> u32 {
        self.stride.unwrap_or_else(|| {
            let last = self.placed(standard).last();
            let end = last.map_or(0, |(offset, member)| offset + member.size(standard));
            end.next_multiple_of(self.alignment(standard))
        })
    }

    /// The members with their offsets.
    pub fn placed(&self, standard: Standard) -> impl Iterator<Item = (u32, &Member)> {
        self.members.iter().scan(0, move |end: &mut u32, member| {
            let alignment = member.data_type.alignment(standard);
            let offset = member.offset.unwrap_or_else(|| end.next_multiple_of(alignment));
            *end = offset + member.size(standard);
            Some((offset, member))
        })
    }
}

impl Member {
    /// Number of bytes.
    pub fn size(&self, standard: Standard) -> u32 {
        match (&self.data_type, self.matrix_stride) {
            (DataType::Matrix { columns, .. }, Some(stride)) => u32::from(*columns) * stride,
            (data_type, _) => data_type.size(standard),
        }
    }
}

impl PixelFormat {
    /// Bytes of a texel.
    pub fn size(&self) -> u32 {
        let bits = self.pack.map_or_else(
            || self.channels.iter().map(|channel| u32::from(channel.bits)).sum(),
            u32::from,
        );
        bits.div_ceil(8)
    }

    /// The layout of a texel.
    pub fn element(&self) -> Element {
        let stride = self.size();
        if let Some(bits) = self.pack {
            let scalar = unsigned_of(bits);
            let components = scalar.map(|scalar| Component { offset: 0, scalar });
            return Element { stride, components: components.into_iter().collect() };
        }
        let mut offset = 0;
        let components = self.channels.iter().map(|channel| {
            let component = Component { offset, scalar: channel.stored()? };
            offset += u32::from(channel.bits / 8);
            Some(component)
        });
        let components = components.collect::<Option<_>>().unwrap_or_default();
        Element { stride, components }
    }
}

impl Channel {
    /// The type of the stored bits of the channel, if they are a separate number.
    pub fn stored(self) -> Option<Scalar> {
        match self.mode {
            ChannelMode::Unorm | ChannelMode::Uint | ChannelMode::Uscaled | ChannelMode::Srgb => {
                unsigned_of(self.bits)
            }
            ChannelMode::Snorm | ChannelMode::Sint | ChannelMode::Sscaled => match self.bits {
                8 => Some(Scalar::Int8),
                16 => Some(Scalar::Int16),
                32 => Some(Scalar::Int32),
                64 => Some(Scalar::Int64),
                _ => None,
            },
            ChannelMode::Sfloat | ChannelMode::Ufloat => match self.bits {
                16 => Some(Scalar::Float16),
                32 => Some(Scalar::Float),
                64 => Some(Scalar::Double),
                _ => None,
            },
        }
    }
}

const fn unsigned_of(bits: u8) -> Option<Scalar> {
    match bits {
        8 => Some(Scalar::Uint8),
        16 => Some(Scalar::Uint16),
        32 => Some(Scalar::Uint32),
        64 => Some(Scalar::Uint64),
        _ => None,
    }
}

/// Alignment of a vector: three components align like four.
const fn vector_alignment(size: u8, scalar: Scalar) -> u32 {
    scalar.size() * if size == 3 { 4 } else { size as u32 }
}

/// Rounds an alignment as std140 does for arrays, columns and structures: up to that of a vec4.
const fn rounded_for(standard: Standard, alignment: u32) -> u32 {
    match standard {
        Standard::Std430 => alignment,
        Standard::Std140 => alignment.next_multiple_of(16),
    }
}

fn add_vector(size: u8, scalar: Scalar, base: u32, into: &mut Vec<Component>) {
    let offsets = (0..u32::from(size)).map(|index| base + index * scalar.size());
    into.extend(offsets.map(|offset| Component { offset, scalar }));
}

fn add_matrix(
    columns: u8,
    rows: u8,
    scalar: Scalar,
    [base, stride]: [u32; 2],
    into: &mut Vec<Component>,
) {
    for column in 0..u32::from(columns) {
        add_vector(rows, scalar, base + column * stride, into);
    }
}
