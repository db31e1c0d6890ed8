//! Internal buffers of a compute stage, which no shader declares.

use naga::{
    AddressSpace, ArraySize, Expression, GlobalVariable, Handle, Module, ResourceBinding, Span,
    StorageAccess, StructMember, TypeInner,
};

use crate::table::binding::BindingPoint;
use ir::builder::{FunctionBuilder, global};
use ir::interface::ScalarKind;

/// Elements of an array in a buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements {
    /// Their type.
    pub(super) base: Handle<naga::Type>,
    /// Bytes from one to the next.
    pub(super) stride: u32,
}

/// Consecutive words of a buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words {
    /// The buffer, which is a runtime-sized array of words.
    pub(crate) buffer: Handle<GlobalVariable>,
    /// Index of the first word.
    pub(crate) first: Handle<Expression>,
}

/// Loads the parameters of the draw, as vectors of four words, from the uniform buffer with number `buffer`.
pub(super) fn draw_words<const N: usize>(
    builder: &mut FunctionBuilder<&mut Module>,
    at: BindingPoint,
    buffer: u32,
) -> [Handle<Expression>; N] {
    let ty = builder.vector_type(4, ScalarKind::U32);
    let member = |idx: u32| StructMember {
        name: Some(format!("draw{idx}")),
        ty,
        binding: None,
        offset: idx * 16,
    };
    let members: Vec<_> = (0..).take(N).map(member).collect();
    let span = u32::try_from(N * 16).unwrap_or(u32::MAX);
    let inner = TypeInner::Struct { members, span };
    let global = add_buffer(builder, at, buffer, inner, AddressSpace::Uniform);
    let mut next = 0;
    [(); N].map(|()| {
        let pointer = builder.pointer_into(global, &[next]);
        next += 1;
        builder.load(pointer)
    })
}

/// Adds a storage buffer that is a runtime-sized array of words.
pub(super) fn words(
    builder: &mut FunctionBuilder<&mut Module>,
    at: BindingPoint,
    buffer: u32,
    access: StorageAccess,
) -> Handle<GlobalVariable> {
    let base = builder.scalar_type(ScalarKind::U32);
    array(builder, at, buffer, Elements { base, stride: 4 }, access)
}

/// Adds a storage buffer that is a runtime-sized array.
pub(super) fn array(
    builder: &mut FunctionBuilder<&mut Module>,
    at: BindingPoint,
    buffer: u32,
    Elements { base, stride }: Elements,
    access: StorageAccess,
) -> Handle<GlobalVariable> {
    let ty = builder.insert_type(TypeInner::Array { base, size: ArraySize::Dynamic, stride });
    let member = StructMember { name: Some("elements".into()), ty, binding: None, offset: 0 };
    let inner = TypeInner::Struct { members: vec![member], span: stride };
    add_buffer(builder, at, buffer, inner, AddressSpace::Storage { access })
}

fn add_buffer(
    builder: &mut FunctionBuilder<&mut Module>,
    at: BindingPoint,
    buffer: u32,
    inner: TypeInner,
    space: AddressSpace,
) -> Handle<GlobalVariable> {
    let name = Some(format!("VertexCompute{buffer}"));
    let ty = builder.module.types.insert(naga::Type { name, inner }, Span::UNDEFINED);
    let binding = at.binding.saturating_add(buffer);
    let at = ResourceBinding { group: at.group, binding };
    let variable = global(Some(format!("vertex_compute{buffer}")), ty, space, Some(at));
    builder.module.global_variables.append(variable, Span::UNDEFINED)
}

/// A pointer to element `index` of a runtime-sized array.
pub(super) fn element(
    builder: &mut FunctionBuilder<&mut Module>,
    buffer: Handle<GlobalVariable>,
    index: Handle<Expression>,
) -> Handle<Expression> {
    let array = builder.pointer_into(buffer, &[0]);
    builder.element(array, index)
}
