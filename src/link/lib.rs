//! Links compiled stages into a program: [`link`].
//!
//! Linking has eight phases. Each takes what the one before it made and gives a type of its own, so that none can be left
//! out or come too early:
//!
//! ```text
//! Lowered    stages that use only what WebGPU has: draw parameters become uniforms, distances and planes WebGPU's
//!            built-in or varyings, points quads, back colours ordinary varyings. Rewrites stages
//! Matched    pairs of outputs and inputs; reflection. All link errors about interfaces
//! Packed     one route per scalar of a varying; locations of attributes, targets of outputs, buffers of uniforms.
//!            Fills tables and rewrites nothing
//! Wrapped    modules with entry points around the users' code
//! Bound      binding points for the modules' own resources; blocks that naga would misplace become words. Validated
//!            by naga
//! Placed     locations for labels, where stages were compiled apart
//! Complete   passes for culling and transform feedback beside the program
//! verified   the program, after an independent check that each scalar arrives as the routes say
//! ```

mod error;
mod options;
pub mod program;
pub mod session;

mod bound;
mod complete;
mod lowered;
mod matched;
mod packed;
mod placed;
mod stages;
mod verified;
mod wrapped;

pub mod clip_distance;
mod clip_emulation;
pub mod cull_distance;
mod distance_map;
pub mod draw_parameters;
mod legacy;
mod limit;
pub mod point;
mod state_uniform;
mod whole_stage;
mod words;

mod declared_block;
mod language;
pub mod leaf;
mod match_up;
mod names;
pub mod reflect;

pub mod binding;
pub mod budget;
mod conventions;
pub mod fragment_output;
mod location;
pub mod map;
mod optimise;
mod pack;
pub mod routing;
pub mod shell;
pub mod uniform;
mod varying;
pub mod xfb;

mod bind;
mod chain;
mod explicit_io;
pub mod front;
pub mod geometry;
pub mod pass;
mod resource;
mod vertex_compute;
mod wrap;

mod label_limit;
mod labelling;
mod layout_choice;
pub mod relocate;
mod separable;

mod difference;
mod verify;

#[cfg(test)]
mod combinations;
#[cfg(test)]
mod slot_tests;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::slice::from_ref;

use ir::stage_module::TessellationStages;
use ir::stage_module::{StageModule, Stages};

use bound::Bound;
use chain::ChainStages;
use complete::Complete;
pub use error::LinkError;
use labelling::LabelledPair;
use lowered::{Lowered, UnloweredStages};
use matched::Matched;
pub use options::{AdapterRules, LabelOptions, LinkOptions, ProgramRules, RasterState, SlotLimit};
use packed::Packed;
use placed::Placed;
use program::LinkedProgram;
use stages::{RenderStages, StageObjects};
use verified::verified;
pub use words::Wide;
use wrapped::Wrapped;

/// Links `stages`.
///
/// # Errors
/// See [`LinkError`].
pub fn link(stages: &Stages, options: &LinkOptions) -> Result<LinkedProgram, LinkError> {
    match stages {
        Stages::Render { vertex, tessellation, geometry, fragment: Some(fragment) }
            if options.labels.are_used() =>
        {
            let tessellation = tessellation.as_deref();
            let objects = StageObjects {
                vertex: from_ref(vertex),
                control: tessellation.map_or(&[], |stages| stages.control.as_slice()),
                evaluation: tessellation.map_or(&[], |stages| from_ref(&stages.evaluation)),
                geometry: geometry.as_slice(),
                fragment: from_ref(fragment),
            };
            session::link_one(objects, options)
        }
        Stages::Render { vertex, tessellation, geometry, fragment } => {
            let between = tessellation.as_deref().map_or_else(Vec::new, in_order);
            let front = std::iter::once(vertex).chain(between).chain(geometry);
            let mut front: Vec<_> = front.map(Cow::Borrowed).collect();
            limit::check(front.iter().map(|stage| &**stage).chain(fragment), options)?;
            let fragment = fragment.as_ref().map(Cow::Borrowed);
            let stages = if front.len() > 1 {
                UnloweredStages::Chain(ChainStages { front, fragment })
            } else {
                UnloweredStages::Render(RenderStages { vertex: front.swap_remove(0), fragment })
            };
            link_stages(stages, options, None)
        }
        Stages::Compute(stage) => {
            limit::check([stage], options)?;
            link_stages(UnloweredStages::Compute(Cow::Borrowed(stage)), options, None)
        }
    }
}

/// Both tessellation stages, in the order of the pipeline.
fn in_order(stages: &TessellationStages) -> Vec<&StageModule> {
    stages.control.iter().chain(std::iter::once(&stages.evaluation)).collect()
}

/// The passes, in their order. `labelled` is the pair in its session, if slots are labels.
fn link_stages(
    stages: UnloweredStages<'_>,
    options: &LinkOptions,
    mut labelled: Option<LabelledPair<'_>>,
) -> Result<LinkedProgram, LinkError> {
    let options = &language::options_for(stages.all(), options);
    let labels = labelled.as_mut().and_then(|pair| pair.labelling.labels.as_mut());
    let lowered = Lowered::new(stages, options, labels)?;
    // Without a fragment stage nothing leaves the rasteriser, so no slot is a label and no module is another program's.
    labelled = labelled.filter(|_| lowered.stages.pair().is_some());
    let matched = Matched::new(lowered)?;
    let packed = Packed::new(matched, labelled.as_mut())?;
    let wrapped = Wrapped::new(packed, labelled.as_mut());
    let bound = Bound::new(wrapped)?;
    let placed = Placed::new(bound, labelled)?;
    let complete = Complete::new(placed)?;
    verified(complete)
}
