//! The uniform buffers of raw words.

use std::num::NonZeroU32;

use naga::{
    AddressSpace, ArraySize, GlobalVariable, Handle, Module, ResourceBinding, Span, StructMember,
    TypeInner,
};

use crate::table::binding::BindingPoint;
use ir::builder::{FunctionBuilder, global};
use ir::interface::ScalarKind;

/// The global of the uniform buffer at `at`, with this number of `vec4<u32>`. It is added unless the module has it.
pub(crate) fn raw_words(
    module: &mut Module,
    at: BindingPoint,
    vectors: u32,
) -> Handle<GlobalVariable> {
    let name = Some(format!("uniforms{}_{}", at.group, at.binding));
    let is_it = |(_, global): &(_, &GlobalVariable)| {
        global.name == name && global.space == AddressSpace::Uniform
    };
    if let Some((known, _)) = module.global_variables.iter().find(is_it) {
        return known;
    }
    let mut builder = FunctionBuilder::new(&mut *module);
    let base = builder.vector_type(4, ScalarKind::U32);
    let length = NonZeroU32::new(vectors).expect("a uniform buffer holds something");
    let size = ArraySize::Constant(length);
    let array = builder.insert_type(TypeInner::Array { base, size, stride: 16 });
    let member = StructMember { name: Some("words".into()), ty: array, binding: None, offset: 0 };
    let ty = naga::Type {
        name: Some(format!("Uniforms{}_{}", at.group, at.binding)),
        inner: TypeInner::Struct { members: vec![member], span: vectors * 16 },
    };
    let ty = module.types.insert(ty, Span::UNDEFINED);
    let at = ResourceBinding { group: at.group, binding: at.binding };
    let variable = global(name, ty, AddressSpace::Uniform, Some(at));
    module.global_variables.append(variable, Span::UNDEFINED)
}
