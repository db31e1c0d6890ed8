//! Layouts of naga types: offsets, strides and spans as given in the module.

use naga::{ArraySize, Handle, Module, ScalarKind as Kind, TypeInner};

use crate::interface::{Member, ScalarKind, StructType, Type};
use crate::layout::{BlockLayout, Shape};

/// Interface type of a module's type; `None` for pointers, images, runtime-sized arrays and other types without one.
pub fn type_of(module: &Module, ty: Handle<naga::Type>) -> Option<Type> {
    type_by(module, ty, scalar_kind)
}

/// Kind of a scalar in a description of a module's types.
type KindOf = fn(naga::Scalar) -> Option<ScalarKind>;

fn type_by(module: &Module, ty: Handle<naga::Type>, kind_of: KindOf) -> Option<Type> {
    let ty = &module.types[ty];
    let described = match &ty.inner {
        TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => Type::Scalar(kind_of(*scalar)?),
        TypeInner::Vector { size, scalar } => {
            Type::Vector { size: *size as u8, scalar: kind_of(*scalar)? }
        }
        TypeInner::Matrix { columns, rows, scalar } => {
            Type::Matrix { columns: *columns as u8, rows: *rows as u8, scalar: kind_of(*scalar)? }
        }
        TypeInner::Array { base, size: ArraySize::Constant(length), .. } => {
            type_by(module, *base, kind_of)?.array(length.get())
        }
        TypeInner::Struct { members, .. } => {
            let member = |member: &naga::StructMember| {
                let name = member.name.clone().unwrap_or_default();
                Some(Member { name, ty: type_by(module, member.ty, kind_of)? })
            };
            let name = ty.name.clone().unwrap_or_default();
            Type::Struct(StructType {
                name,
                members: members.iter().map(member).collect::<Option<_>>()?,
            })
        }
        TypeInner::CooperativeMatrix { .. }
        | TypeInner::Pointer { .. }
        | TypeInner::ValuePointer { .. }
        | TypeInner::Array { size: ArraySize::Pending(_) | ArraySize::Dynamic, .. }
        | TypeInner::Image { .. }
        | TypeInner::Sampler { .. }
        | TypeInner::AccelerationStructure { .. }
        | TypeInner::RayQuery { .. }
        | TypeInner::BindingArray { .. } => return None,
    };
    Some(described)
}

/// Layout of a type that [`type_of`] supports.
pub fn layout_of(module: &Module, ty: Handle<naga::Type>) -> Option<BlockLayout> {
    let layout = match &module.types[ty].inner {
        TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => leaf(1, scalar.width),
        TypeInner::Vector { size, scalar } => leaf(*size as u8, scalar.width),
        TypeInner::Matrix { columns, rows, scalar } => {
            let column = leaf(*rows as u8, scalar.width);
            let stride = column.alignment;
            let shape = Shape::Matrix { stride, is_row_major: false };
            BlockLayout { size: stride * u32::from(*columns as u8), alignment: stride, shape }
        }
        TypeInner::Array { base, size: ArraySize::Constant(length), stride } => {
            let element = layout_of(module, *base)?;
            let size = stride.checked_mul(length.get())?;
            let alignment = element.alignment;
            BlockLayout {
                size,
                alignment,
                shape: Shape::Array { stride: *stride, element: Box::new(element) },
            }
        }
        TypeInner::Struct { members, span } => {
            let member =
                |member: &naga::StructMember| Some((member.offset, layout_of(module, member.ty)?));
            let members = members.iter().map(member).collect::<Option<Vec<_>>>()?;
            let alignment = members.iter().map(|(_, layout)| layout.alignment).max().unwrap_or(4);
            BlockLayout { size: *span, alignment, shape: Shape::Struct(members) }
        }
        TypeInner::CooperativeMatrix { .. }
        | TypeInner::Pointer { .. }
        | TypeInner::ValuePointer { .. }
        | TypeInner::Array { size: ArraySize::Pending(_) | ArraySize::Dynamic, .. }
        | TypeInner::Image { .. }
        | TypeInner::Sampler { .. }
        | TypeInner::AccelerationStructure { .. }
        | TypeInner::RayQuery { .. }
        | TypeInner::BindingArray { .. } => return None,
    };
    Some(layout)
}

/// Type and layout of a storage block. A runtime-sized array at its end gets one element.
pub fn open_block(module: &Module, ty: Handle<naga::Type>) -> Option<(Type, BlockLayout)> {
    open_block_by(module, ty, scalar_kind)
}

/// Layout of a storage block as in [`open_block`]. Numbers of 16 bits have 32 bits in the type, but not in the layout.
pub fn places_of_block(module: &Module, ty: Handle<naga::Type>) -> Option<(Type, BlockLayout)> {
    let wide =
        |scalar: naga::Scalar| scalar_kind(naga::Scalar { width: scalar.width.max(4), ..scalar });
    open_block_by(module, ty, wide)
}

#[expect(clippy::wildcard_enum_match_arm, reason = "only arrays and structs can be open")]
fn open_block_by(
    module: &Module,
    ty: Handle<naga::Type>,
    kind_of: KindOf,
) -> Option<(Type, BlockLayout)> {
    if let Some(found) = type_by(module, ty, kind_of).zip(layout_of(module, ty)) {
        return Some(found);
    }
    match &module.types[ty].inner {
        TypeInner::Array { base, size: ArraySize::Dynamic, stride } => {
            let (element_type, element) = open_block_by(module, *base, kind_of)?;
            let alignment = element.alignment;
            let shape = Shape::Array { stride: *stride, element: Box::new(element) };
            Some((element_type.array(1), BlockLayout { size: *stride, alignment, shape }))
        }
        TypeInner::Struct { members, span } => {
            let (mut described, mut placed) = (Vec::new(), Vec::new());
            for member in members {
                let (ty, layout) = open_block_by(module, member.ty, kind_of)?;
                described.push(Member { name: member.name.clone().unwrap_or_default(), ty });
                placed.push((member.offset, layout));
            }
            let name = module.types[ty].name.clone().unwrap_or_default();
            let alignment = placed.iter().map(|(_, layout)| layout.alignment).max().unwrap_or(4);
            let layout = BlockLayout { size: *span, alignment, shape: Shape::Struct(placed) };
            Some((Type::Struct(StructType { name, members: described }), layout))
        }
        _ => None,
    }
}

/// True if the block ends with a runtime-sized array.
pub fn is_open(module: &Module, ty: Handle<naga::Type>) -> bool {
    let TypeInner::Struct { members, .. } = &module.types[ty].inner else { return false };
    let is_dynamic = |member: &naga::StructMember| {
        matches!(module.types[member.ty].inner, TypeInner::Array { size: ArraySize::Dynamic, .. })
    };
    members.last().is_some_and(is_dynamic)
}

/// Size of a type in bytes; a runtime-sized array has one element.
#[expect(clippy::wildcard_enum_match_arm, reason = "only buffers' own types are asked for")]
pub fn span_of(module: &Module, ty: Handle<naga::Type>) -> u32 {
    match &module.types[ty].inner {
        TypeInner::Struct { span, .. } => *span,
        TypeInner::Array { size: ArraySize::Dynamic, stride, .. } => *stride,
        _ => layout_of(module, ty).map_or(0, |layout| layout.size),
    }
}

/// True if every offset and stride in the type is the one of std430.
pub fn is_std430(module: &Module, ty: Handle<naga::Type>) -> bool {
    std430_extent(module, ty).is_some()
}

/// Size and alignment in std430; `None` if any offset differs. A runtime-sized array has size 0.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others hold no offsets")]
fn std430_extent(module: &Module, ty: Handle<naga::Type>) -> Option<(u32, u32)> {
    match &module.types[ty].inner {
        TypeInner::Array { base, size, stride } => {
            let (element, alignment) = std430_extent(module, *base)?;
            let length = if let ArraySize::Constant(length) = size { length.get() } else { 0 };
            let is_right = *stride == element.next_multiple_of(alignment);
            is_right.then(|| stride.checked_mul(length))?.map(|size| (size, alignment))
        }
        TypeInner::Struct { members, .. } => {
            let (mut end, mut strictest) = (0_u32, 1);
            for member in members {
                let (size, alignment) = std430_extent(module, member.ty)?;
                if member.offset != end.next_multiple_of(alignment) {
                    return None;
                }
                end = member.offset.checked_add(size)?;
                strictest = strictest.max(alignment);
            }
            Some((end.next_multiple_of(strictest), strictest))
        }
        _ => layout_of(module, ty).map(|layout| (layout.size, layout.alignment)),
    }
}

/// The interface model's scalar kind of a naga scalar; `None` for 16-bit and abstract ones.
pub const fn scalar_kind(scalar: naga::Scalar) -> Option<ScalarKind> {
    match (scalar.kind, scalar.width) {
        (Kind::Float, 4) => Some(ScalarKind::F32),
        (Kind::Sint, 4) => Some(ScalarKind::I32),
        (Kind::Uint, 4) => Some(ScalarKind::U32),
        (Kind::Float, 8) => Some(ScalarKind::F64),
        (Kind::Sint, 8) => Some(ScalarKind::I64),
        (Kind::Uint, 8) => Some(ScalarKind::U64),
        (Kind::Bool, _) => Some(ScalarKind::Bool),
        (Kind::Float | Kind::Sint | Kind::Uint | Kind::AbstractInt | Kind::AbstractFloat, _) => {
            None
        }
    }
}

fn leaf(size: u8, width: u8) -> BlockLayout {
    let unit = u32::from(width);
    let alignment = match size {
        1 => unit,
        2 => 2 * unit,
        _ => 4 * unit,
    };
    BlockLayout { size: u32::from(size) * unit, alignment, shape: Shape::Leaf }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_std430s_own_offsets_are_std430() {
        let check = |members: &str| {
            let text = format!("struct P {{ {members} }} @group(0) @binding(0) var<storage> p: P;");
            let module = naga::front::wgsl::parse_str(&text).expect("valid");
            let (_, global) = module.global_variables.iter().next().expect("a global");
            is_std430(&module, global.ty)
        };
        assert!(check("a: f32, b: vec3f, c: f32, m: mat2x2f, d: array<vec3f>"));
        assert!(!check("a: f32, @align(16) b: f32"));
        assert!(!check("a: f32, @size(32) b: f32, c: f32"));
    }

    #[test]
    fn a_wgsl_struct_keeps_its_own_offsets() {
        let text = "struct P { a: f32, @align(16) b: array<vec3<f32>, 2>, m: mat2x2<f32> }
            @group(0) @binding(0) var<uniform> p: P;";
        let module = naga::front::wgsl::parse_str(text).expect("valid");
        let (_, global) = module.global_variables.iter().next().expect("a global");
        let ty = type_of(&module, global.ty).expect("a plain type");
        let layout = layout_of(&module, global.ty).expect("a layout");
        assert_eq!(layout.scalar_offsets(&ty), [0, 16, 20, 24, 32, 36, 40, 48, 52, 56, 60]);
        assert_eq!(layout.size, 64);
    }
}
