//! Explicit IO (Mesa's term): lowers blocks to arrays of words. So any layout is possible, even if naga or a backend
//! supports only its own.
//!
//! Every pointer into a lowered block becomes a byte offset from the block's start, every access chain a sum, and every
//! load, store and atomic a call of a small function that knows the offsets of the scalars. Nothing else in the user's
//! code changes.

mod atomic;
mod body;
mod function;
mod helper;
mod part;

use naga::{
    AddressSpace, Arena, ArraySize, Function, GlobalVariable, Handle, Module, Scalar, Span,
    StructMember, TypeInner,
};

use ir::builder::FunctionBuilder;
use ir::diagnostic::Unsupported;
use ir::interface::ScalarKind;
use ir::layout::standard::{MatrixOrder, Standard, layout_of};
use ir::layout::{BlockLayout, Shape, natural};
use ir::stage_module::{ResourceKind, StageModule};

use crate::options::BlockLayouts;
use crate::table::word_block::{First, Home, MisplacedBlock};
use function::Rewriting;
use helper::Helper;
use part::Part;

/// A lowered block with its types and its words.
#[derive(Clone, Debug)]
struct ExplicitBlock {
    /// The global that the user's code names.
    global: Handle<GlobalVariable>,
    /// The global with the words.
    words: Handle<GlobalVariable>,
    /// Offset of the block among the words, in bytes.
    offset: u32,
    /// The index of the vector from which the offset counts, if it is not 0.
    first: Option<First>,
    part: Part,
    memory: WordStorage,
}

/// Storage of the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordStorage {
    /// A storage buffer of words.
    Words,
    /// A storage buffer of atomic words.
    AtomicWords,
    /// A buffer of `vec4`s; a uniform buffer has this number of them.
    Vectors(u32),
}

/// True if two layouts put every scalar at the same place. Trailing padding does not count.
pub(crate) fn is_same_placement(first: &BlockLayout, second: &BlockLayout) -> bool {
    match (&first.shape, &second.shape) {
        (Shape::Leaf, Shape::Leaf) => true,
        (Shape::Matrix { .. }, Shape::Matrix { .. }) => first.shape == second.shape,
        (
            Shape::Array { stride, element },
            Shape::Array { stride: other_stride, element: other_element },
        ) => stride == other_stride && is_same_placement(element, other_element),
        (Shape::Struct(members), Shape::Struct(others)) => {
            members.len() == others.len()
                && members.iter().zip(others).all(|((offset, member), (other_offset, other))| {
                    offset == other_offset && is_same_placement(member, other)
                })
        }
        (Shape::Leaf | Shape::Matrix { .. } | Shape::Array { .. } | Shape::Struct(_), _) => false,
    }
}

/// Lowers `blocks` in `module` to words. The error describes a construct that cannot be lowered.
pub(crate) fn lower(module: &mut Module, blocks: &[MisplacedBlock]) -> Result<(), Unsupported> {
    if blocks.is_empty() {
        return Ok(());
    }
    let mut roots = Vec::new();
    for block in blocks {
        let global = &module.global_variables[block.global];
        let part = Part::of(module, global.ty, &block.layout)
            .ok_or("a block of a type that words do not hold")?;
        let (words, offset, first) = match block.home {
            Home::Own => (block.global, 0, None),
            Home::Uniforms { words, offset } => (words, offset, None),
            Home::Results { words, first, offset } => (words, offset, Some(first)),
        };
        let is_uniform = module.global_variables[words].space == AddressSpace::Uniform;
        let memory = if is_uniform || first.is_some() {
            WordStorage::Vectors(block.layout.size.div_ceil(16).max(1))
        } else if uses_atomics(module, global.ty, &|_| true) {
            WordStorage::AtomicWords
        } else {
            WordStorage::Words
        };
        let part = match first {
            Some(First::OfVertices(_)) => part.of_vertices().ok_or("vertices without an array")?,
            Some(First::OfBlock(_)) | None => part,
        };
        let global = block.global;
        roots.push(ExplicitBlock { global, words, offset, first, part, memory });
    }
    let mut helpers = Vec::new();
    let mut rewritings = Vec::new();
    for (_, function) in module.functions.iter() {
        rewritings.push(Rewriting::of(module, function, &roots, &mut helpers)?);
    }
    for entry in &module.entry_points {
        rewritings.push(Rewriting::of(module, &entry.function, &roots, &mut helpers)?);
    }
    for root in roots.iter().filter(|root| root.words == root.global) {
        retype(module, root);
    }
    rebuild(module, &roots, &helpers, rewritings);
    forget_atomic_floats(module);
    Ok(())
}

/// Replaces atomic float types: they require an adapter feature even if they are unused.
fn forget_atomic_floats(module: &mut Module) {
    let is_float = |scalar: Scalar| scalar == Scalar::F32;
    if module.global_variables.iter().any(|(_, global)| uses_atomics(module, global.ty, &is_float))
    {
        return;
    }
    let old = module.types.iter().filter(|(_, ty)| ty.inner == TypeInner::Atomic(Scalar::F32));
    let old: Vec<_> = old.map(|(handle, _)| handle).collect();
    for handle in old {
        // No other type has this name; `replace` relies on this.
        let name = Some(format!("FloatWord{}", handle.index()));
        let inner = TypeInner::Atomic(Scalar::U32);
        module.types.replace(handle, naga::Type { name, inner });
    }
}

/// Rebuilds the list of functions. Functions may call only earlier functions, so the helpers come first.
fn rebuild(
    module: &mut Module,
    roots: &[ExplicitBlock],
    helpers: &[Helper],
    rewritings: Vec<Rewriting>,
) {
    let old = std::mem::take(&mut module.functions);
    let mut functions = Arena::new();
    let mut helper_handles = Vec::new();
    for helper in helpers {
        let function = helper.build(module, roots);
        helper_handles.push(functions.append(function, Span::UNDEFINED));
    }
    let mut moved: Vec<Handle<Function>> = Vec::new();
    let mut rewritings = rewritings.into_iter();
    for (_, function) in old.iter() {
        let mut function = function.clone();
        if let Some(rewriting) = rewritings.next() {
            rewriting.apply(&mut function, &functions, &helper_handles, &moved);
        }
        moved.push(functions.append(function, Span::UNDEFINED));
    }
    for (entry, rewriting) in module.entry_points.iter_mut().zip(rewritings) {
        rewriting.apply(&mut entry.function, &functions, &helper_handles, &moved);
    }
    module.functions = functions;
}

fn retype(module: &mut Module, root: &ExplicitBlock) {
    let mut builder = FunctionBuilder::new(&mut *module);
    let word = builder.scalar_type(ScalarKind::U32);
    let (base, size, stride, span) = match root.memory {
        WordStorage::Words => (word, ArraySize::Dynamic, 4, 4),
        WordStorage::AtomicWords => {
            let atomic = builder.insert_type(TypeInner::Atomic(naga::Scalar::U32));
            (atomic, ArraySize::Dynamic, 4, 4)
        }
        WordStorage::Vectors(count) => {
            let vector = builder.vector_type(4, ScalarKind::U32);
            let length = std::num::NonZeroU32::new(count).unwrap_or(std::num::NonZeroU32::MIN);
            (vector, ArraySize::Constant(length), 16, count.saturating_mul(16))
        }
    };
    let array = builder.insert_type(TypeInner::Array { base, size, stride });
    let member = StructMember { name: Some("words".into()), ty: array, binding: None, offset: 0 };
    let name = format!("Words{}", root.global.index());
    let inner = TypeInner::Struct { members: vec![member], span };
    let ty = module.types.insert(naga::Type { name: Some(name), inner }, Span::UNDEFINED);
    module.global_variables.get_mut(root.global).ty = ty;
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others hold no types")]
fn uses_atomics(module: &Module, ty: Handle<naga::Type>, of: &dyn Fn(Scalar) -> bool) -> bool {
    match &module.types[ty].inner {
        TypeInner::Atomic(scalar) => of(*scalar),
        TypeInner::Array { base, .. } => uses_atomics(module, *base, of),
        TypeInner::Struct { members, .. } => {
            members.iter().any(|member| uses_atomics(module, member.ty, of))
        }
        _ => false,
    }
}

/// True if a block has nothing but scalars, vectors, and arrays of vectors of four.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are matrices, or no data of blocks")]
fn is_flat(module: &Module, ty: Handle<naga::Type>) -> bool {
    let is_simple = |ty: Handle<naga::Type>| match module.types[ty].inner {
        TypeInner::Scalar(_) | TypeInner::Vector { .. } => true,
        TypeInner::Array { base, .. } => {
            let four = naga::VectorSize::Quad;
            matches!(module.types[base].inner, TypeInner::Vector { size, .. } if size == four)
        }
        _ => false,
    };
    match &module.types[ty].inner {
        TypeInner::Struct { members, .. } => members.iter().all(|member| is_simple(member.ty)),
        _ => is_simple(ty),
    }
}

/// The blocks of `stage` that naga, or a backend that supports only the `allowed` layouts, would access at wrong offsets.
pub(crate) fn misplaced_blocks(
    stage: &StageModule,
    module: &Module,
    allowed: BlockLayouts,
) -> Vec<MisplacedBlock> {
    let mut found = Vec::new();
    for resource in &stage.resources {
        let ty = module.global_variables[resource.global].ty;
        let own = || natural::open_block(module, ty);
        let is_storage = match resource.kind {
            ResourceKind::StorageBuffer { .. } => true,
            ResourceKind::UniformBuffer => false,
            ResourceKind::AtomicCounters
            | ResourceKind::Immediates
            | ResourceKind::Texture
            | ResourceKind::Sampler
            | ResourceKind::Image => continue,
        };
        let Some((described, own)) = own() else { continue };
        let is_std140 = || {
            let standard = layout_of(&described, Standard::Std140, MatrixOrder::ColumnMajor);
            standard.scalar_offsets(&described) == own.scalar_offsets(&described)
        };
        let is_standard = match allowed {
            BlockLayouts::Any | BlockLayouts::Standard => {
                if is_storage {
                    natural::is_std430(module, ty)
                } else {
                    is_std140()
                }
            }
            BlockLayouts::Natural => natural::is_std430(module, ty) && (is_storage || is_std140()),
            BlockLayouts::Flat => is_storage || is_flat(module, ty),
        };
        // WebGPU has no atomic floats.
        let has_atomic_floats = uses_atomics(module, ty, &|scalar| scalar == Scalar::F32);
        let is_standard = is_standard && !has_atomic_floats;
        let layout = match &resource.layout {
            Some(wanted) if !(is_standard && is_same_placement(wanted, &own)) => wanted.clone(),
            None if (allowed != BlockLayouts::Any || has_atomic_floats) && !is_standard => own,
            Some(_) | None => continue,
        };
        found.push(MisplacedBlock { global: resource.global, layout, home: Home::Own });
    }
    found
}

#[cfg(test)]
mod tests;
