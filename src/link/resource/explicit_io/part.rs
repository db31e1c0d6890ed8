//! Types with the offsets of their scalars.

use naga::{ArraySize, Handle, Module, Scalar, Type, TypeInner};

use ir::layout::{BlockLayout, Shape};

/// A part of a block: its type, and the byte offsets of its own parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A scalar, or a vector whose scalars are `stride` bytes apart.
    Vector { size: u8, scalar: Scalar, stride: u32, ty: Option<Handle<Type>> },
    /// A matrix whose columns (or rows, if it is row-major) are `stride` bytes apart.
    Matrix {
        columns: u8,
        rows: u8,
        scalar: Scalar,
        stride: u32,
        is_row_major: bool,
        ty: Handle<Type>,
    },
    /// An array whose elements are `stride` bytes apart. A runtime-sized array has the length `None`.
    Array { length: Option<u32>, stride: u32, element: Box<Part>, ty: Handle<Type> },
    /// A struct: its members with their offsets.
    Struct { members: Vec<(u32, Part)>, ty: Handle<Type> },
    /// An array of vertices, each at a place of its own. It cannot be read as a whole.
    Vertices { element: Box<Part>, ty: Handle<Type> },
}

impl Part {
    /// The part for a type with a layout. Returns `None` for types that a buffer of words cannot hold: widths other
    /// than 32 bits. A boolean has a word.
    pub(super) fn of(module: &Module, ty: Handle<Type>, layout: &BlockLayout) -> Option<Self> {
        let part = match (&module.types[ty].inner, &layout.shape) {
            (TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar), _) => {
                Self::Vector { size: 1, scalar: *scalar, stride: 4, ty: None }
            }
            (TypeInner::Vector { size, scalar }, _) => {
                Self::Vector { size: *size as u8, scalar: *scalar, stride: 4, ty: Some(ty) }
            }
            (
                TypeInner::Matrix { columns, rows, scalar },
                Shape::Matrix { stride, is_row_major },
            ) => Self::Matrix {
                columns: *columns as u8,
                rows: *rows as u8,
                scalar: *scalar,
                stride: *stride,
                is_row_major: *is_row_major,
                ty,
            },
            (TypeInner::Array { base, size, .. }, Shape::Array { stride, element }) => {
                let length = match size {
                    ArraySize::Constant(length) => Some(length.get()),
                    ArraySize::Dynamic => None,
                    ArraySize::Pending(_) => return None,
                };
                let element = Box::new(Self::of(module, *base, element)?);
                Self::Array { length, stride: *stride, element, ty }
            }
            (TypeInner::Struct { members, .. }, Shape::Struct(places)) => {
                let member =
                    |(member, (offset, layout)): (&naga::StructMember, &(u32, BlockLayout))| {
                        Some((*offset, Self::of(module, member.ty, layout)?))
                    };
                let members = members.iter().zip(places).map(member).collect::<Option<_>>()?;
                Self::Struct { members, ty }
            }
            _ => return None,
        };
        part.has_words().then_some(part)
    }

    /// An array as an array of vertices; `None` for anything else.
    pub(super) fn of_vertices(self) -> Option<Self> {
        match self {
            Self::Array { element, ty, .. } => Some(Self::Vertices { element, ty }),
            Self::Vector { .. } | Self::Matrix { .. } | Self::Struct { .. } => None,
            Self::Vertices { .. } => Some(self),
        }
    }

    fn has_words(&self) -> bool {
        let is_word = |scalar: &Scalar| match scalar.kind {
            naga::ScalarKind::Float | naga::ScalarKind::Sint | naga::ScalarKind::Uint => {
                scalar.width == 4
            }
            naga::ScalarKind::Bool => true,
            naga::ScalarKind::AbstractInt | naga::ScalarKind::AbstractFloat => false,
        };
        match self {
            Self::Vector { scalar, .. } | Self::Matrix { scalar, .. } => is_word(scalar),
            Self::Array { .. } | Self::Struct { .. } | Self::Vertices { .. } => true,
        }
    }

    /// The part at a constant index, and its byte offset.
    pub(super) fn at(&self, index: u32) -> Option<(u32, Self)> {
        match self {
            Self::Struct { members, .. } => members.get(index as usize).cloned(),
            Self::Vector { .. }
            | Self::Matrix { .. }
            | Self::Array { .. }
            | Self::Vertices { .. } => {
                let (stride, element) = self.element()?;
                Some((stride.checked_mul(index)?, element))
            }
        }
    }

    /// Byte stride of the parts that an index selects from, and their type.
    pub(super) fn element(&self) -> Option<(u32, Self)> {
        match self {
            Self::Vector { size: 1, .. } | Self::Struct { .. } | Self::Vertices { .. } => None,
            Self::Vector { scalar, stride, .. } => {
                Some((*stride, Self::Vector { size: 1, scalar: *scalar, stride: 4, ty: None }))
            }
            Self::Matrix { rows, scalar, stride, is_row_major, .. } => {
                let (between, within) = if *is_row_major { (4, *stride) } else { (*stride, 4) };
                let column =
                    Self::Vector { size: *rows, scalar: *scalar, stride: within, ty: None };
                Some((between, column))
            }
            Self::Array { stride, element, .. } => Some((*stride, (**element).clone())),
        }
    }

    /// Number of scalars in the part; `None` if it is unknown, or too large for copying the part at once.
    pub(super) fn scalar_count(&self) -> Option<u32> {
        const MAX_SCALARS: u32 = 4096;
        let count = match self {
            Self::Vector { size, .. } => u32::from(*size),
            Self::Matrix { columns, rows, .. } => u32::from(*columns) * u32::from(*rows),
            Self::Array { length, element, .. } => {
                (*length)?.checked_mul(element.scalar_count()?)?
            }
            Self::Struct { members, .. } => {
                let counts = members.iter().map(|(_, member)| member.scalar_count());
                counts.sum::<Option<u32>>()?
            }
            Self::Vertices { .. } => return None,
        };
        (count <= MAX_SCALARS).then_some(count)
    }
}
