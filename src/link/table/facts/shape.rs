//! Positions of the scalars of a part among the scalars of the whole value, for naga's types.
//!
//! A value is treated as the list of its scalars in declaration order: vectors by component, matrices by column, arrays
//! by element, structs by member.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's types beyond plain data have no scalars to speak of"
)]

use naga::{ArraySize, Handle, Module, Type, TypeInner};

/// Maximum number of scalars of an analysed type.
pub(crate) const MAX_SCALARS: usize = 1 << 12;

/// Number of scalars in a value of this type; `None` unless it is plain data of a known size up to [`MAX_SCALARS`].
pub(crate) fn scalar_count(module: &Module, inner: &TypeInner) -> Option<usize> {
    let count = match inner {
        TypeInner::Scalar(_) | TypeInner::Atomic(_) => 1,
        TypeInner::Vector { size, .. } => *size as usize,
        TypeInner::Matrix { columns, rows, .. } => *columns as usize * *rows as usize,
        TypeInner::Array { base, size: ArraySize::Constant(length), .. } => {
            scalar_count_of(module, *base)?.checked_mul(usize::try_from(length.get()).ok()?)?
        }
        TypeInner::Struct { members, .. } => {
            let counts = members.iter().map(|member| scalar_count_of(module, member.ty));
            counts.sum::<Option<usize>>()?
        }
        _ => return None,
    };
    (count <= MAX_SCALARS).then_some(count)
}

fn scalar_count_of(module: &Module, ty: Handle<Type>) -> Option<usize> {
    scalar_count(module, &module.types[ty].inner)
}

/// The scalars of element, member, column or component `index`: the index of the first scalar, and their number.
pub(crate) fn part(module: &Module, inner: &TypeInner, index: u32) -> Option<(usize, usize)> {
    let idx = index as usize;
    match inner {
        TypeInner::Pointer { base, .. } => part(module, &module.types[*base].inner, index),
        TypeInner::ValuePointer { size: Some(size), .. } | TypeInner::Vector { size, .. } => {
            (idx < *size as usize).then_some((idx, 1))
        }
        TypeInner::Matrix { columns, rows, .. } => {
            let rows = *rows as usize;
            (idx < *columns as usize).then_some((idx * rows, rows))
        }
        TypeInner::Array { base, size: ArraySize::Constant(length), .. } => {
            let element = scalar_count_of(module, *base)?;
            (index < length.get()).then_some((idx.checked_mul(element)?, element))
        }
        TypeInner::Struct { members, .. } => {
            let before = members.get(..idx)?.iter();
            let start =
                before.map(|member| scalar_count_of(module, member.ty)).sum::<Option<usize>>()?;
            Some((start, scalar_count_of(module, members.get(idx)?.ty)?))
        }
        _ => None,
    }
}

/// The scalars at `path` in a value of type `ty`: the index of the first scalar, and their number.
pub(crate) fn part_at(module: &Module, ty: Handle<Type>, path: &[u32]) -> Option<(usize, usize)> {
    let mut inner = module.types[ty].inner.clone();
    let (mut start, mut count) = (0, scalar_count(module, &inner)?);
    for index in path {
        let (offset, part_count) = part(module, &inner, *index)?;
        (start, count) = (start + offset, part_count);
        inner = match inner {
            TypeInner::Array { base, .. } => module.types[base].inner.clone(),
            TypeInner::Struct { members, .. } => {
                module.types[members.get(*index as usize)?.ty].inner.clone()
            }
            TypeInner::Matrix { rows, scalar, .. } => TypeInner::Vector { size: rows, scalar },
            TypeInner::Vector { scalar, .. } => TypeInner::Scalar(scalar),
            _ => return None,
        };
    }
    Some((start, count))
}
