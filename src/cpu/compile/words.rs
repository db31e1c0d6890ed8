//! Sizes and offsets of values, in words.

use ir::layout::{BlockLayout, Shape};
use naga::proc::Alignment;
use naga::{ArraySize, Handle, Module, Type, TypeInner, VectorSize};

use super::{Result, not_implemented};
use crate::code::HALF;
use arithmetic::Kind;

/// Arrangement of a composite value's parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout<'a> {
    /// Consecutive parts, as in registers and the workgroup's memory.
    Packed,
    /// The layout of a buffer, with the offsets and strides of the types.
    Buffer,
    /// The layout of a buffer with 16-bit scalars: offsets are in halves of words.
    Halves,
    /// The layout of a buffer with explicit offsets.
    Block(&'a BlockLayout),
    /// Components of a vector this many words apart: a column of a row-major matrix.
    Strided(u32),
}

impl Layout<'_> {
    /// Bytes of a unit of the layout's offsets.
    pub(super) const fn unit(self) -> u32 {
        if matches!(self, Self::Halves) { 2 } else { 4 }
    }

    /// Layout of an element, or of a member.
    pub(super) fn part(self, index: usize) -> Result<Self> {
        let Self::Block(layout) = self else {
            return Ok(if matches!(self, Self::Strided(_)) { Self::Packed } else { self });
        };
        Ok(match &layout.shape {
            Shape::Leaf | Shape::Matrix { is_row_major: false, .. } => Self::Packed,
            Shape::Matrix { stride, is_row_major: true } => Self::Strided(stride / 4),
            Shape::Array { element, .. } => Self::Block(element),
            Shape::Struct(members) => match members.get(index) {
                Some((_, layout)) => Self::Block(layout),
                None => return not_implemented("such members of blocks"),
            },
        })
    }
}

/// Kind of a scalar.
pub(super) fn kind_of(scalar: naga::Scalar) -> Result<Kind> {
    Kind::of(scalar).map_or_else(
        || not_implemented(format!("scalars of {} bytes ({:?})", scalar.width, scalar.kind)),
        Ok,
    )
}

/// Registers of a value.
pub(super) fn words_of(module: &Module, ty: Handle<Type>) -> Result<usize> {
    words_of_inner(module, &module.types[ty].inner)
}

pub(super) const fn count(size: VectorSize) -> usize {
    size as usize
}

pub(super) fn words_of_inner(module: &Module, inner: &TypeInner) -> Result<usize> {
    Ok(match *inner {
        TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => kind_of(scalar)?.words(),
        TypeInner::Vector { size, scalar } => count(size) * kind_of(scalar)?.words(),
        TypeInner::Matrix { columns, rows, scalar } => {
            count(columns) * count(rows) * kind_of(scalar)?.words()
        }
        TypeInner::Array { base, size: ArraySize::Constant(length), .. } => {
            let words = words_of(module, base)?.checked_mul(length.get() as usize);
            match words.filter(|words| *words <= super::MAX_REGISTERS) {
                Some(words) => words,
                None => return not_implemented("arrays as large as this"),
            }
        }
        TypeInner::Struct { ref members, .. } => {
            let mut words = 0;
            for member in members {
                words += words_of(module, member.ty)?;
            }
            words
        }
        _ => return not_implemented("values of this type"),
    })
}

/// A part of a composite type.
pub(super) struct Parts {
    /// Words from one element to the next.
    pub(super) stride: u32,
    /// Number of elements; `None` if it is known only at run time.
    pub(super) length: Option<u32>,
}

/// Elements of an array, vector or matrix.
pub(super) fn elements(module: &Module, inner: &TypeInner, layout: Layout<'_>) -> Result<Parts> {
    let narrow = |words: usize| u32::try_from(words).unwrap_or(u32::MAX);
    Ok(match *inner {
        TypeInner::Vector { size, scalar }
        | TypeInner::ValuePointer { size: Some(size), scalar, .. } => {
            let stride = match layout {
                Layout::Strided(words) => words,
                Layout::Halves => u32::from(scalar.width) / 2,
                Layout::Packed | Layout::Buffer | Layout::Block(_) => {
                    narrow(kind_of(scalar)?.words())
                }
            };
            Parts { stride, length: Some(size as u32) }
        }
        TypeInner::Matrix { columns, rows, scalar } => {
            let words = narrow(kind_of(scalar)?.words());
            let stride = match layout {
                Layout::Packed => words * rows as u32,
                Layout::Buffer | Layout::Halves => {
                    Alignment::from(rows) * u32::from(scalar.width) / layout.unit()
                }
                Layout::Block(BlockLayout {
                    shape: Shape::Matrix { stride, is_row_major },
                    ..
                }) => {
                    if *is_row_major {
                        words
                    } else {
                        stride / 4
                    }
                }
                Layout::Block(_) | Layout::Strided(_) => {
                    return not_implemented("matrices in blocks like this");
                }
            };
            Parts { stride, length: Some(columns as u32) }
        }
        TypeInner::Array { base, size, stride } => {
            let length = match size {
                ArraySize::Constant(length) => Some(length.get()),
                ArraySize::Dynamic => None,
                ArraySize::Pending(_) => return not_implemented("arrays of overridable length"),
            };
            let stride = match layout {
                Layout::Packed => narrow(words_of(module, base)?),
                Layout::Buffer | Layout::Halves => stride / layout.unit(),
                Layout::Block(BlockLayout { shape: Shape::Array { stride, .. }, .. }) => stride / 4,
                Layout::Block(_) | Layout::Strided(_) => {
                    return not_implemented("arrays in blocks like this");
                }
            };
            Parts { stride, length }
        }
        _ => return not_implemented("indices into this type"),
    })
}

/// Offset of a struct's member in words.
pub(super) fn member_offset(
    module: &Module,
    members: &[naga::StructMember],
    index: usize,
    layout: Layout<'_>,
) -> Result<u32> {
    match layout {
        Layout::Packed => {}
        Layout::Buffer | Layout::Halves => {
            return Ok(members.get(index).map_or(0, |member| member.offset / layout.unit()));
        }
        Layout::Block(BlockLayout { shape: Shape::Struct(members), .. })
            if index < members.len() =>
        {
            return Ok(members[index].0 / 4);
        }
        Layout::Block(_) | Layout::Strided(_) => {
            return not_implemented("structures in blocks like this");
        }
    }
    let mut words = 0;
    for member in members.iter().take(index) {
        words += words_of(module, member.ty)?;
    }
    Ok(u32::try_from(words).unwrap_or(u32::MAX))
}

/// Adds the offsets of a scalar's words, or of the half word that it occupies.
fn scalar_offsets(
    scalar: naga::Scalar,
    layout: Layout<'_>,
    at: u32,
    all: &mut Vec<u32>,
) -> Result<()> {
    let words = kind_of(scalar)?.words();
    if layout == Layout::Halves {
        let mark = if scalar.width == 2 { HALF } else { 0 };
        all.extend((0..).step_by(2).take(words).map(|half| (at + half) | mark));
    } else {
        all.extend((0..).take(words).map(|word| at + word));
    }
    Ok(())
}

/// True if a type contains a 16-bit scalar.
pub(super) fn has_halves(module: &Module, inner: &TypeInner) -> bool {
    let is_in = |ty: Handle<Type>| has_halves(module, &module.types[ty].inner);
    match *inner {
        TypeInner::Scalar(scalar)
        | TypeInner::Vector { scalar, .. }
        | TypeInner::Matrix { scalar, .. } => scalar.width == 2,
        TypeInner::Array { base, .. } => is_in(base),
        TypeInner::Struct { ref members, .. } => members.iter().any(|member| is_in(member.ty)),
        _ => false,
    }
}

/// Adds the offsets of all words of a value in a buffer.
pub(super) fn offsets(
    module: &Module,
    inner: &TypeInner,
    layout: Layout<'_>,
    at: u32,
    all: &mut Vec<u32>,
) -> Result<()> {
    match *inner {
        TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
            scalar_offsets(scalar, layout, at, all)?;
        }
        TypeInner::Vector { size, scalar } => {
            let stride = elements(module, inner, layout)?.stride;
            for component in 0..size as u32 {
                scalar_offsets(scalar, layout, at + component * stride, all)?;
            }
        }
        TypeInner::Matrix { columns, rows, scalar } => {
            let stride = elements(module, inner, layout)?.stride;
            let column = TypeInner::Vector { size: rows, scalar };
            let layout = layout.part(0)?;
            for index in 0..columns as u32 {
                offsets(module, &column, layout, at + index * stride, all)?;
            }
        }
        TypeInner::Array { base, size: ArraySize::Constant(length), .. } => {
            let stride = elements(module, inner, layout)?.stride;
            if words_of_inner(module, inner)? > super::MAX_REGISTERS {
                return not_implemented("arrays as large as this");
            }
            let layout = layout.part(0)?;
            for element in 0..length.get() {
                let at = element.checked_mul(stride).and_then(|offset| offset.checked_add(at));
                offsets(module, &module.types[base].inner, layout, at.unwrap_or(u32::MAX), all)?;
            }
        }
        TypeInner::Struct { ref members, .. } => {
            for (index, member) in members.iter().enumerate() {
                let offset = member_offset(module, members, index, layout)?;
                let layout = layout.part(index)?;
                offsets(module, &module.types[member.ty].inner, layout, at + offset, all)?;
            }
        }
        _ => return not_implemented("loads of this type"),
    }
    Ok(())
}
