//! Describes buffers with 64-bit values: their declared types, and the layouts of the types that replace them.

use naga::{Handle, Module, TypeInner};

use super::types::{PAIR_BYTES, WordTypes};
use crate::table::difference::described_block;
use ir::layout::{BlockLayout, Shape, natural};
use ir::stage_module::{ResourceVariable, StageModule};

/// The resources of a stage with descriptions of the new types. The stage still has its old module.
pub(super) fn resources(stage: &StageModule, types: &WordTypes) -> Vec<ResourceVariable> {
    let mut resources = stage.resources.clone();
    for resource in &mut resources {
        let ty = stage.module.global_variables[resource.global].ty;
        if !types.is_changed(ty) {
            continue;
        }
        resource.described = described_block(stage, resource);
        let own = || natural::open_block(&stage.module, ty).map(|(_, layout)| layout);
        let layout = resource.layout.take().or_else(own);
        resource.layout = layout.map(|layout| of_words(&stage.module, types, ty, layout));
    }
    resources
}

/// The layout of the type that replaces `ty`, whose own layout is given.
fn of_words(
    old: &Module,
    types: &WordTypes,
    ty: Handle<naga::Type>,
    layout: BlockLayout,
) -> BlockLayout {
    let BlockLayout { size, alignment, shape } = layout;
    let inner = &old.types[ty].inner;
    let shape = match (inner, shape) {
        (TypeInner::Vector { .. }, _) if types.is_changed(ty) => pairs(PAIR_BYTES, None).shape,
        (TypeInner::Matrix { .. }, Shape::Matrix { stride, is_row_major })
            if types.is_changed(ty) =>
        {
            let (outer, inner) =
                if is_row_major { (PAIR_BYTES, stride) } else { (stride, PAIR_BYTES) };
            pairs(outer, Some(inner)).shape
        }
        (TypeInner::Array { base, .. }, Shape::Array { stride, element }) => {
            let element = Box::new(of_words(old, types, *base, *element));
            Shape::Array { stride, element }
        }
        (TypeInner::Struct { members, .. }, Shape::Struct(placed)) => {
            let placed = placed.into_iter().zip(members);
            let placed = placed.map(|((offset, layout), member)| {
                (offset, of_words(old, types, member.ty, layout))
            });
            Shape::Struct(placed.collect())
        }
        (_, shape) => shape,
    };
    BlockLayout { size, alignment, shape }
}

/// The layout of an array with elements `stride` bytes apart: pairs, or arrays of pairs that are `within` bytes apart.
fn pairs(stride: u32, within: Option<u32>) -> BlockLayout {
    let pair = BlockLayout { size: PAIR_BYTES, alignment: PAIR_BYTES, shape: Shape::Leaf };
    let element = within.map_or(pair, |within| pairs(within, None));
    let shape = Shape::Array { stride, element: Box::new(element) };
    BlockLayout { size: stride, alignment: PAIR_BYTES, shape }
}
