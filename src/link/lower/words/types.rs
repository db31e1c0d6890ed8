//! Maps the types of a module to types with words instead of 64-bit scalars.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's types have many variants of which a few hold scalars or other types"
)]

use std::num::NonZeroU32;

use naga::proc::Alignment;
use naga::{ArraySize, Handle, ImageClass, Module, Scalar, TypeInner, VectorSize};

use super::is_wide;
use super::refusal;
use crate::LinkError;
use ir::builder::insert_type;
use ir::interface::Type;
use ir::layout::natural;

/// Size of a 64-bit scalar in bytes.
pub(super) const PAIR_BYTES: u32 = 8;

/// The map from the types of a module before lowering to those after.
#[derive(Debug)]
pub(super) struct WordTypes {
    /// For each old type, by index: the new type, and whether it differs.
    moved: Vec<(Handle<naga::Type>, bool)>,
    /// The type of a pair, `vec2<u32>`.
    pub(super) pair: Handle<naga::Type>,
}

impl WordTypes {
    /// Adds the new types of the module `old` to `new`, which has no types yet.
    pub(super) fn new(old: &Module, new: &mut Module) -> Self {
        let pair = TypeInner::Vector { size: VectorSize::Bi, scalar: Scalar::U32 };
        let mut types = Self { moved: Vec::new(), pair: insert_type(new, pair) };
        for (handle, ty) in old.types.iter() {
            let moved = types.moved(ty, old.types.get_span(handle), new);
            types.moved.push(moved);
        }
        types
    }

    fn moved(
        &self,
        old: &naga::Type,
        span: naga::Span,
        new: &mut Module,
    ) -> (Handle<naga::Type>, bool) {
        let own = self.of_inner(&old.inner, new);
        if let Some(words) = own {
            return (words, true);
        }
        let mut ty = old.clone();
        let mut is_changed = false;
        let mut replace = |part: &mut Handle<naga::Type>| {
            let (moved, is_other) = self.moved[part.index()];
            *part = moved;
            is_changed |= is_other;
        };
        match &mut ty.inner {
            TypeInner::Array { base, .. }
            | TypeInner::BindingArray { base, .. }
            | TypeInner::Pointer { base, .. } => replace(base),
            TypeInner::Struct { members, .. } => {
                for member in members {
                    replace(&mut member.ty);
                }
            }
            _ => {}
        }
        (new.types.insert(ty, span), is_changed)
    }

    /// The lowered type for a scalar, vector or matrix, or for a pointer to one; `None` for other types.
    fn of_inner(&self, inner: &TypeInner, new: &mut Module) -> Option<Handle<naga::Type>> {
        match *inner {
            TypeInner::Scalar(scalar) if is_wide(scalar) => Some(self.pair),
            TypeInner::Vector { size, scalar } if is_wide(scalar) => {
                Some(self.vector(size as u32, new))
            }
            TypeInner::Matrix { columns, rows, scalar } if is_wide(scalar) => {
                let column = self.vector(rows as u32, new);
                let stride = Alignment::from(rows) * PAIR_BYTES;
                Some(insert_type(new, array(column, columns as u32, stride)))
            }
            TypeInner::ValuePointer { size, scalar, space } if is_wide(scalar) => {
                let base = size.map_or(self.pair, |size| self.vector(size as u32, new));
                Some(insert_type(new, TypeInner::Pointer { base, space }))
            }
            _ => None,
        }
    }

    /// The type of `size` pairs.
    pub(super) fn vector(&self, size: u32, new: &mut Module) -> Handle<naga::Type> {
        insert_type(new, array(self.pair, size, PAIR_BYTES))
    }

    /// The new type for an old one.
    pub(super) fn of(&self, old: Handle<naga::Type>) -> Handle<naga::Type> {
        self.moved[old.index()].0
    }

    /// True if the new type differs from the old one.
    pub(super) fn is_changed(&self, old: Handle<naga::Type>) -> bool {
        self.moved[old.index()].1
    }
}

/// Rejects 64-bit types that cannot be lowered to words.
pub(super) fn check(old: &Module) -> Result<(), LinkError> {
    for (_, ty) in old.types.iter() {
        let (what, scalar) = match ty.inner {
            TypeInner::Atomic(scalar) => ("an atomic variable", scalar),
            TypeInner::Image { class: ImageClass::Storage { format, .. }, .. } => {
                ("an image", format.into())
            }
            _ => continue,
        };
        if let Some(ty) = wide(&TypeInner::Scalar(scalar)) {
            return Err(refusal::refused(&format!("{what} of `{ty}`"), naga::Span::UNDEFINED));
        }
    }
    Ok(())
}

/// The declared type of a scalar, vector or matrix that is lowered to words; `None` for other types.
pub(super) fn wide(old: &TypeInner) -> Option<Type> {
    let kind = |scalar| natural::scalar_kind(scalar).filter(|_| is_wide(scalar));
    match *old {
        TypeInner::Scalar(scalar) => Some(Type::Scalar(kind(scalar)?)),
        TypeInner::Vector { size, scalar } => {
            Some(Type::Vector { size: size as u8, scalar: kind(scalar)? })
        }
        TypeInner::Matrix { columns, rows, scalar } => {
            let (columns, rows) = (columns as u8, rows as u8);
            Some(Type::Matrix { columns, rows, scalar: kind(scalar)? })
        }
        _ => None,
    }
}

/// True for the type of a value, variable or image that contains scalars accepted by `is_meant`.
pub(super) fn has(inner: &TypeInner, is_meant: &dyn Fn(Scalar) -> bool) -> bool {
    match *inner {
        TypeInner::Scalar(scalar)
        | TypeInner::Vector { scalar, .. }
        | TypeInner::Matrix { scalar, .. }
        | TypeInner::ValuePointer { scalar, .. }
        | TypeInner::Atomic(scalar) => is_meant(scalar),
        TypeInner::Image { class: ImageClass::Storage { format, .. }, .. } => {
            is_meant(format.into())
        }
        _ => false,
    }
}

fn array(base: Handle<naga::Type>, length: u32, stride: u32) -> TypeInner {
    let length = NonZeroU32::new(length).expect("a vector has scalars");
    TypeInner::Array { base, size: ArraySize::Constant(length), stride }
}
