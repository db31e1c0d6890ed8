//! Active variables: GL's list of the parts of a composite. Scalars, vectors, matrices and arrays of these count as one
//! each; struct members and the elements of other arrays are listed separately.

use crate::table::binding::StageUse;
use ir::interface::{ScalarKind, Type};
use ir::layout::{BlockLayout, Shape};

/// An entry of GL's list of uniforms or buffer variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveVariable {
    /// The name as GL reports it: the name of an array ends with `[0]`.
    pub name: String,
    /// Name of the declaration that the variable is a part of.
    pub origin: String,
    /// GL's number for the type.
    pub gl_type: u32,
    /// Number of elements; 1 if the variable is not an array, 0 for an array without a length.
    pub size: u32,
    /// Index of the variable's block.
    pub block: Option<usize>,
    /// First location of the variable.
    pub location: Option<u32>,
    /// Place of the variable in its block or its buffer of atomic counters; `None` elsewhere.
    pub place: Option<LeafPlace>,
    /// For a member of a storage block that is inside an array of structs or arrays directly in the block: the number
    /// of that array's elements (0 without a length) and the bytes between them. 1 and 0 if there is no such array.
    pub top_level: Option<(u32, u32)>,
    /// Index of the variable's buffer of atomic counters.
    pub counter_buffer: Option<usize>,
    /// Stages that use the variable; for a block member, the stages that declare the block.
    pub stages: StageUse,
}

/// Place of a variable in its block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeafPlace {
    /// Offset in bytes from the block's start.
    pub offset: u32,
    /// Bytes between elements; 0 if the variable is not an array.
    pub array_stride: u32,
    /// Bytes between columns or rows; 0 if the variable is not a matrix.
    pub matrix_stride: u32,
    /// True for a row-major matrix.
    pub is_row_major: bool,
}

impl ActiveVariable {
    /// An active variable for a texture, image or atomic counter.
    pub(crate) fn opaque(name: &str, origin: &str, gl_type: u32, location: Option<u32>) -> Self {
        Self {
            name: name.to_owned(),
            origin: origin.to_owned(),
            gl_type,
            size: 1,
            block: None,
            location,
            place: None,
            top_level: None,
            counter_buffer: None,
            stages: StageUse::default(),
        }
    }
}

/// The elements of arrays of structs that are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expansion {
    /// All elements.
    Full,
    /// Only the first element for arrays directly in a storage block, and all elements of arrays inside them.
    FirstElements(Tail),
}

/// Kind of the last member of a storage block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tail {
    /// An array without a length, which has one element in types.
    Open,
    /// Any other member.
    Closed,
}

/// The active variables in a value called `prefix`, which is empty for a block without an instance name.
pub(crate) fn leaves(
    prefix: &str,
    ty: &Type,
    layout: Option<&BlockLayout>,
    expansion: Expansion,
) -> Vec<ActiveVariable> {
    let mut found = Vec::new();
    let place = layout.map(|_| LeafPlace::default());
    match (ty, expansion) {
        (Type::Struct(structure), Expansion::FirstElements(tail)) => {
            let last = structure.members.len().wrapping_sub(1);
            for (idx, member) in structure.members.iter().enumerate() {
                let (layout, place) = member_place(layout, place, idx);
                let name = joined(prefix, &member.name);
                let tail = if idx == last { tail } else { Tail::Closed };
                found.extend(top_level(name, &member.ty, layout, place, tail));
            }
        }
        (
            Type::Scalar(_)
            | Type::Vector { .. }
            | Type::Matrix { .. }
            | Type::Array { .. }
            | Type::Struct(_),
            _,
        ) => collect(prefix.to_owned(), ty, layout, place, &mut found),
    }
    found
}

/// Lists the active variables of a member directly in a storage block.
fn top_level(
    name: String,
    ty: &Type,
    layout: Option<&BlockLayout>,
    place: Option<LeafPlace>,
    tail: Tail,
) -> Vec<ActiveVariable> {
    let mut found = Vec::new();
    let array = match ty {
        Type::Array { element, length } => {
            Some((&**element, if tail == Tail::Open { 0 } else { *length }))
        }
        Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } | Type::Struct(_) => None,
    };
    let first = match array {
        Some((element, length)) if is_composite(element) => {
            collect(format!("{name}[0]"), element, layout.map(element_layout), place, &mut found);
            (length, layout.map_or(0, array_stride))
        }
        Some(_) | None => {
            collect(name, ty, layout, place, &mut found);
            if let (Tail::Open, Some(array)) = (tail, found.first_mut()) {
                array.size = 0;
            }
            (1, 0)
        }
    };
    found.into_iter().map(|leaf| ActiveVariable { top_level: Some(first), ..leaf }).collect()
}

fn collect(
    name: String,
    ty: &Type,
    layout: Option<&BlockLayout>,
    place: Option<LeafPlace>,
    found: &mut Vec<ActiveVariable>,
) {
    match ty {
        Type::Struct(structure) => {
            for (idx, member) in structure.members.iter().enumerate() {
                let (layout, place) = member_place(layout, place, idx);
                collect(joined(&name, &member.name), &member.ty, layout, place, found);
            }
        }
        Type::Array { element, length } if is_composite(element) => {
            let stride = layout.map_or(0, array_stride);
            for idx in 0..*length {
                let place = place.map(|place| LeafPlace {
                    offset: place.offset.saturating_add(idx.saturating_mul(stride)),
                    ..place
                });
                let name = format!("{name}[{idx}]");
                collect(name, element, layout.map(element_layout), place, found);
            }
        }
        Type::Array { element, length } => {
            let stride = layout.map_or(0, array_stride);
            let place = place.map(|place| LeafPlace { array_stride: stride, ..place });
            let place = with_matrix(place, layout.map(element_layout));
            let name = format!("{name}[0]");
            found.push(active(name, element, *length, place));
        }
        Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } => {
            found.push(active(name, ty, 1, with_matrix(place, layout)));
        }
    }
}

const fn is_composite(ty: &Type) -> bool {
    matches!(ty, Type::Array { .. } | Type::Struct(_))
}

fn active(name: String, ty: &Type, size: u32, place: Option<LeafPlace>) -> ActiveVariable {
    ActiveVariable {
        origin: String::new(),
        name,
        gl_type: gl_type(ty),
        size,
        block: None,
        location: None,
        place,
        top_level: None,
        counter_buffer: None,
        stages: StageUse::default(),
    }
}

fn joined(prefix: &str, member: &str) -> String {
    if prefix.is_empty() { member.to_owned() } else { format!("{prefix}.{member}") }
}

fn member_place(
    layout: Option<&BlockLayout>,
    place: Option<LeafPlace>,
    idx: usize,
) -> (Option<&BlockLayout>, Option<LeafPlace>) {
    let member = layout.and_then(|layout| match &layout.shape {
        Shape::Struct(members) => members.get(idx),
        Shape::Leaf | Shape::Matrix { .. } | Shape::Array { .. } => None,
    });
    let Some((offset, layout)) = member else { return (None, place) };
    let moved =
        place.map(|place| LeafPlace { offset: place.offset.saturating_add(*offset), ..place });
    (Some(layout), moved)
}

fn element_layout(layout: &BlockLayout) -> &BlockLayout {
    match &layout.shape {
        Shape::Array { element, .. } => element,
        Shape::Leaf | Shape::Matrix { .. } | Shape::Struct(_) => layout,
    }
}

const fn array_stride(layout: &BlockLayout) -> u32 {
    match &layout.shape {
        Shape::Array { stride, .. } => *stride,
        Shape::Leaf | Shape::Matrix { .. } | Shape::Struct(_) => 0,
    }
}

fn with_matrix(place: Option<LeafPlace>, layout: Option<&BlockLayout>) -> Option<LeafPlace> {
    let place = place?;
    Some(match layout.map(|layout| &layout.shape) {
        Some(Shape::Matrix { stride, is_row_major }) => {
            LeafPlace { matrix_stride: *stride, is_row_major: *is_row_major, ..place }
        }
        Some(Shape::Leaf | Shape::Array { .. } | Shape::Struct(_)) | None => place,
    })
}

/// The last index in a name such as `a[1][2]`.
pub(crate) fn last_index(name: &str) -> u32 {
    let last = name.rsplit('[').next().and_then(|rest| rest.strip_suffix(']'));
    last.and_then(|index| index.parse().ok()).unwrap_or(0)
}

/// The end of the last byte that a value uses, without a struct's trailing padding.
pub(crate) fn raw_end(ty: &Type, layout: &BlockLayout) -> u32 {
    match (ty, &layout.shape) {
        (Type::Struct(ty), Shape::Struct(members)) => ty
            .members
            .iter()
            .zip(members)
            .map(|(member, (offset, layout))| offset.saturating_add(raw_end(&member.ty, layout)))
            .max()
            .unwrap_or(0),
        _ => layout.size,
    }
}

/// GL's number for a type that is not an array or a struct.
pub const fn gl_type(ty: &Type) -> u32 {
    match ty {
        Type::Scalar(kind) => match kind {
            ScalarKind::F32 => 0x1406,
            ScalarKind::I32 => 0x1404,
            ScalarKind::U32 => 0x1405,
            ScalarKind::F64 => 0x140a,
            ScalarKind::I64 => 0x140e,
            ScalarKind::U64 => 0x140f,
            ScalarKind::Bool => 0x8b56,
        },
        Type::Vector { size, scalar } => {
            let two = match scalar {
                ScalarKind::F32 => 0x8b50,
                ScalarKind::I32 => 0x8b53,
                ScalarKind::U32 => 0x8dc6,
                ScalarKind::F64 => 0x8ffc,
                ScalarKind::I64 => 0x8fe9,
                ScalarKind::U64 => 0x8ff5,
                ScalarKind::Bool => 0x8b57,
            };
            two + (*size as u32) - 2
        }
        Type::Matrix { columns, rows, scalar } => {
            let is_double = matches!(scalar, ScalarKind::F64);
            match (*columns, *rows) {
                (2, 2) if is_double => 0x8f46,
                (3, 3) if is_double => 0x8f47,
                (4, 4) if is_double => 0x8f48,
                (2, 2) => 0x8b5a,
                (3, 3) => 0x8b5b,
                (4, 4) => 0x8b5c,
                (columns, rows) => {
                    let first = if is_double { 0x8f49 } else { 0x8b65 };
                    let skipped = if rows > columns { 1 } else { 0 };
                    first + (columns as u32 - 2) * 2 + (rows as u32 - 2) - skipped
                }
            }
        }
        Type::Array { .. } | Type::Struct(_) => 0,
    }
}
