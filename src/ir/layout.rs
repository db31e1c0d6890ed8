//! Block layouts: byte offsets of all scalars of a block in its buffer.

pub mod explicit;
pub mod natural;
pub mod standard;

use crate::interface::Type;

/// Offsets and strides of one type inside a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockLayout {
    /// Size in bytes, including inner padding; 0 for a type without scalars.
    pub size: u32,
    /// Alignment in bytes.
    pub alignment: u32,
    /// Layout of the parts.
    pub shape: Shape,
}

/// Layout of the parts of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A scalar, or a vector of consecutive scalars.
    Leaf,
    /// Columns (or rows) `stride` bytes apart.
    Matrix {
        /// Bytes between columns, or rows when `is_row_major`.
        stride: u32,
        /// True for row-major.
        is_row_major: bool,
    },
    /// Elements `stride` bytes apart.
    Array {
        /// Bytes between elements.
        stride: u32,
        /// Layout of one element.
        element: Box<BlockLayout>,
    },
    /// Members with their offsets.
    Struct(Vec<(u32, BlockLayout)>),
}

impl BlockLayout {
    /// Byte offset of every scalar of `ty`, in leaf order. `ty` must be the type that the layout was computed for.
    pub fn scalar_offsets(&self, ty: &Type) -> Vec<u32> {
        let mut offsets = Vec::new();
        self.collect(ty, 0, &mut offsets);
        offsets
    }

    fn collect(&self, ty: &Type, base: u32, offsets: &mut Vec<u32>) {
        match (ty, &self.shape) {
            (Type::Scalar(_), _) => offsets.push(base),
            (Type::Vector { size, scalar }, _) => {
                offsets
                    .extend((0..u32::from(*size)).map(|idx| base + idx * scalar.components() * 4));
            }
            (Type::Matrix { columns, rows, scalar }, Shape::Matrix { stride, is_row_major }) => {
                let unit = scalar.components() * 4;
                for column in 0..u32::from(*columns) {
                    offsets.extend((0..u32::from(*rows)).map(|row| match is_row_major {
                        true => base + row * stride + column * unit,
                        false => base + column * stride + row * unit,
                    }));
                }
            }
            (Type::Array { element: ty, length }, Shape::Array { stride, element }) => {
                for idx in 0..*length {
                    element.collect(ty, base + idx * stride, offsets);
                }
            }
            (Type::Struct(ty), Shape::Struct(members)) => {
                for (member, (offset, layout)) in ty.members.iter().zip(members) {
                    layout.collect(&member.ty, base + offset, offsets);
                }
            }
            (Type::Matrix { .. } | Type::Array { .. } | Type::Struct(_), _) => {}
        }
    }

    /// Byte offset of the 32-bit scalar at `path`, which ends in the component of a vector; `None` if there is none.
    pub fn scalar_offset(&self, path: &[u32]) -> Option<u32> {
        match (&self.shape, path) {
            (Shape::Leaf, []) => Some(0),
            (Shape::Leaf, [component]) => component.checked_mul(4),
            (Shape::Matrix { stride, is_row_major: false }, [column, row]) => {
                column.checked_mul(*stride)?.checked_add(row.checked_mul(4)?)
            }
            (Shape::Matrix { stride, is_row_major: true }, [column, row]) => {
                row.checked_mul(*stride)?.checked_add(column.checked_mul(4)?)
            }
            (Shape::Array { stride, element }, [idx, rest @ ..]) => {
                idx.checked_mul(*stride)?.checked_add(element.scalar_offset(rest)?)
            }
            (Shape::Struct(members), [idx, rest @ ..]) => {
                let (offset, layout) = members.get(usize::try_from(*idx).ok()?)?;
                offset.checked_add(layout.scalar_offset(rest)?)
            }
            (Shape::Leaf | Shape::Matrix { .. } | Shape::Array { .. } | Shape::Struct(_), _) => {
                None
            }
        }
    }

    /// Layout and byte offset of the part reached by member and element indices; `None` inside a leaf or matrix.
    pub fn part(&self, path: &[u32]) -> Option<(Self, u32)> {
        let Some((idx, rest)) = path.split_first() else { return Some((self.clone(), 0)) };
        let (inner, offset) = match &self.shape {
            Shape::Leaf | Shape::Matrix { .. } => return None,
            Shape::Array { stride, element } => (element.as_ref().clone(), idx * stride),
            Shape::Struct(members) => {
                let (offset, layout) = members.get(*idx as usize)?;
                (layout.clone(), *offset)
            }
        };
        let (part, more) = inner.part(rest)?;
        Some((part, offset + more))
    }
}

#[cfg(test)]
mod explicit_tests;
#[cfg(test)]
mod oracle_tests;
#[cfg(test)]
mod tests;
