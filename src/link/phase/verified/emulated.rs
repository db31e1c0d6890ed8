//! The passes that run the emulated stages of a linked program.

use naga::Module;

use crate::phase::packed::Packed;
use crate::phase::wrapped::emulated::role;
use crate::table::binding::BindingPoint;
use crate::table::pass::Pass;
use crate::table::word_block::InPlaceBlocks;

/// The passes with these modules, which are in the order of the stages.
pub(super) fn passes(
    packed: &Packed<'_>,
    at: BindingPoint,
    modules: Vec<Module>,
    in_place: &[InPlaceBlocks],
) -> Vec<Pass> {
    let Some(record) = &packed.matched.record else { return Vec::new() };
    let strides = packed.buffers.iter().map(|buffer| buffer.vertex.stride()).chain([record.stride]);
    let all = modules.into_iter().zip(strides).zip(in_place).enumerate();
    all.map(|(idx, ((module, stride), in_place))| {
        let (role, stride) = role(packed, idx, stride, in_place);
        Pass { module, at, stride, role }
    })
    .collect()
}
