//! Checks of explicit offsets and strides (`GL_ARB_gl_spirv`, and SPIR-V's rules for shader interfaces).
//!
//! The *base alignment* of a scalar is its size N, of two components 2N, of three and four 4N; of a matrix that of its
//! vectors; of an array that of its elements, and of a struct that of its strictest member, in uniform blocks rounded
//! up to 16. Offsets and strides are multiples of the base alignment. Members must neither overlap nor begin in the
//! padding after a struct or array, and need not be in order.

use crate::interface::Type;
use crate::layout::standard::round_up;
use crate::layout::{BlockLayout, Shape};

/// Kind of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// A uniform block: arrays and structs align to 16.
    UniformBlock,
    /// A storage block.
    StorageBlock,
}

/// The shader's fault: a broken rule of explicit layouts, with the member and the property.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BrokenRule(String);

/// The first rule of explicit layouts that `layout` of `ty` breaks.
pub fn first_error(ty: &Type, layout: &BlockLayout, container: Container) -> Option<BrokenRule> {
    check(ty, layout, container, "").err()
}

/// Base alignment of a value of type `ty`.
pub fn base_alignment(ty: &Type, layout: &BlockLayout, container: Container) -> u32 {
    let rounded = |alignment: u32| match container {
        Container::UniformBlock => round_up(alignment, 16),
        Container::StorageBlock => alignment,
    };
    match (ty, &layout.shape) {
        (Type::Array { element: ty, .. }, Shape::Array { element, .. }) => {
            rounded(base_alignment(ty, element, container))
        }
        (Type::Struct(ty), Shape::Struct(members)) => {
            let members = ty.members.iter().zip(members);
            let alignments =
                members.map(|(member, (_, layout))| base_alignment(&member.ty, layout, container));
            rounded(alignments.max().unwrap_or(4))
        }
        _ => layout.alignment,
    }
}

fn check(
    ty: &Type,
    layout: &BlockLayout,
    container: Container,
    path: &str,
) -> Result<(), BrokenRule> {
    match (ty, &layout.shape) {
        (Type::Matrix { .. }, Shape::Matrix { stride, .. }) => {
            let alignment = layout.alignment;
            if !stride.is_multiple_of(alignment) || *stride == 0 {
                return Err(BrokenRule(format!(
                    "the MatrixStride {stride} of `{path}` is not a multiple of {alignment}"
                )));
            }
            Ok(())
        }
        (Type::Array { element: ty, .. }, Shape::Array { stride, element }) => {
            let alignment = base_alignment(ty, element, container);
            let alignment = match container {
                Container::UniformBlock => round_up(alignment, 16),
                Container::StorageBlock => alignment,
            };
            if !stride.is_multiple_of(alignment) {
                return Err(BrokenRule(format!(
                    "the ArrayStride {stride} of `{path}` is not a multiple of {alignment}"
                )));
            }
            if *stride < element.size {
                let size = element.size;
                return Err(BrokenRule(format!(
                    "the ArrayStride {stride} of `{path}` is less than its element's {size} bytes"
                )));
            }
            check(ty, element, container, &format!("{path}[0]"))
        }
        (Type::Struct(ty), Shape::Struct(members)) => {
            let named: Vec<PlacedMember<'_>> = ty
                .members
                .iter()
                .zip(members)
                .map(|(member, (offset, layout))| PlacedMember {
                    path: if path.is_empty() {
                        member.name.clone()
                    } else {
                        format!("{path}.{}", member.name)
                    },
                    ty: &member.ty,
                    offset: *offset,
                    layout,
                })
                .collect();
            check_members(named, container)
        }
        _ => Ok(()),
    }
}

struct PlacedMember<'a> {
    path: String,
    ty: &'a Type,
    offset: u32,
    layout: &'a BlockLayout,
}

fn check_members(
    mut members: Vec<PlacedMember<'_>>,
    container: Container,
) -> Result<(), BrokenRule> {
    for member in &members {
        let alignment = base_alignment(member.ty, member.layout, container);
        if !member.offset.is_multiple_of(alignment) {
            let PlacedMember { path, offset, .. } = member;
            return Err(BrokenRule(format!(
                "the Offset {offset} of `{path}` is not a multiple of {alignment}"
            )));
        }
        check(member.ty, member.layout, container, &member.path)?;
    }
    members.sort_by_key(|member| member.offset);
    for pair in members.windows(2) {
        let (first, second) = (&pair[0], &pair[1]);
        let end = first.offset.saturating_add(first.layout.size);
        if second.offset < end {
            return Err(BrokenRule(format!("`{}` and `{}` overlap", first.path, second.path)));
        }
        let has_padding = matches!(first.ty, Type::Struct(_) | Type::Array { .. });
        let padded = round_up(end, base_alignment(first.ty, first.layout, container));
        if has_padding && second.offset < padded {
            return Err(BrokenRule(format!(
                "`{}` begins in the padding of `{}`",
                second.path, first.path
            )));
        }
    }
    Ok(())
}
