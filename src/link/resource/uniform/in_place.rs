//! Reads uniforms directly from their buffer instead of copying them into private globals, where the stage's code indexes
//! them with a value that is known only at run time.
//!
//! Drivers that keep private arrays in registers take seconds to compile a dynamic index into a copy, but no time for an
//! index into a buffer. A uniform with constant indices is copied, because each of its scalars then becomes a register.

use std::collections::BTreeSet;

use naga::{GlobalVariable, Handle, Module};

use crate::resource::uniform::{base_offset, layout_of_uniform};
use crate::table::binding::UniformBuffer;
use crate::table::facts::indexed::Indexed;
use crate::table::word_block::{Home, MisplacedBlock};
use crate::wrap::raw_words;
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
