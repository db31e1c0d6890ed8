//! Reads uniforms directly from their buffer instead of copying them into private globals, where the stage's code indexes
//! them with a value that is known only at run time.
//!
//! Drivers that keep private arrays in registers take seconds to compile a dynamic index into a copy, but no time for an
//! index into a buffer. A uniform with constant indices is copied, because each of its scalars then becomes a register.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use naga::{
    AddressSpace, ArraySize, GlobalVariable, Handle, Module, ResourceBinding, Span, StructMember,
    TypeInner,
};

use crate::resource::explicit_io::{Home, MisplacedBlock};
use crate::resource::indexed::Indexed;
use crate::resource::uniform::{base_offset, layout_of_uniform};
use crate::table::binding::{BindingPoint, UniformBuffer};
use ir::builder::{FunctionBuilder, global};
use ir::interface::ScalarKind;
use ir::stage_module::{StageModule, UniformKind, UniformVariable};

/// Number of components from which a copy costs more than reads from the buffer.
const LEAST_COMPONENTS: u32 = 16;

/// The private globals of the uniforms that the stage reads in place.
pub(crate) fn globals(stage: &StageModule) -> BTreeSet<Handle<GlobalVariable>> {
    let is_large = |uniform: &&UniformVariable| {
        let is_variable = match uniform.kind {
            UniformKind::Loose { .. } | UniformKind::Block { .. } => true,
            UniformKind::Subroutine { .. } => false,
        };
        is_variable
            && uniform.is_used
            && uniform.place.path.is_empty()
            && uniform.ty.component_count() >= LEAST_COMPONENTS
            && !uniform.ty.has_64_bit()
    };
    let large: Vec<_> = stage.uniforms.iter().filter(is_large).collect();
    if large.is_empty() {
        return BTreeSet::new();
    }
    let indexed = Indexed::of(&stage.module);
    large.iter().map(|uniform| uniform.place.global).filter(|at| indexed.reads(*at)).collect()
}

/// The uniforms that the stage reads in place, as parts of the buffers of raw words.
pub(crate) fn blocks(
    stage: &StageModule,
    module: &mut Module,
    buffers: &[UniformBuffer],
) -> Vec<MisplacedBlock> {
    let globals = globals(stage);
    let mut blocks = Vec::new();
    for uniform in stage.uniforms.iter().filter(|one| globals.contains(&one.place.global)) {
        let own = |buffer: &&UniformBuffer| buffer.owner.is_none_or(|owner| owner == stage.stage);
        let place = |buffer| Some((buffer, base_offset(buffer, uniform)?));
        let Some((buffer, offset)) = buffers.iter().filter(own).find_map(place) else { continue };
        let words = raw_words(module, buffer.at, buffer.size / 16);
        blocks.push(MisplacedBlock {
            global: uniform.place.global,
            layout: layout_of_uniform(uniform),
            home: Home::Uniforms { words, offset },
        });
    }
    blocks
}

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
