//! Links compiled stages into a program: [`link`].
//!
//! Linking has eight phases. Each takes what the one before it made and gives a type of its own, so that none can be left
//! out or come too early:
//!
//! ```text
//! Lowered    stages that use only what WebGPU has: draw parameters become uniforms, distances and planes WebGPU's
//!            built-in or varyings, points quads, back colours ordinary varyings. Rewrites stages
//! Matched    every interface: pairs of outputs and inputs; reflection. All link errors about interfaces
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
mod emulated;
mod explicit_io;
pub mod front;
pub mod geometry;
mod interface;
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
// The notation of the fixtures is compiled into these tests from its file, whose crate uses this one.
#[cfg(test)]
#[path = "../fixture/notation.rs"]
pub mod notation;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::slice::from_ref;

use ir::stage::ShaderStage;
use ir::stage_module::{StageModule, Stages};

use bound::Bound;
use complete::Complete;
pub use error::LinkError;
use labelling::LabelledPair;
use lowered::Lowered;
use matched::Matched;
pub use options::{
    AdapterRules, LabelOptions, LinkOptions, ProgramRules, RasterState, SlotLimit, Wide,
};
use packed::Packed;
use placed::Placed;
use program::LinkedProgram;
use verified::verified;
use wrapped::Wrapped;

/// Links `stages`.
///
/// # Errors
/// See [`LinkError`].
pub fn link(stages: &Stages, options: &LinkOptions) -> Result<LinkedProgram, LinkError> {
    let all = stages.all();
    if options.labels.are_used() && stages.each()[ShaderStage::Fragment].is_some() {
        let objects = all.iter().map(|own| (own.stage, from_ref(own))).collect();
        return session::link_one(objects, options);
    }
    limit::check(all, options)?;
    link_stages(all.iter().map(Cow::Borrowed).collect(), options, None)
}

/// Runs the phases. `labelled` is the program in its session, if slots are labels.
fn link_stages(
    stages: Vec<Cow<'_, StageModule>>,
    options: &LinkOptions,
    mut labelled: Option<LabelledPair<'_>>,
) -> Result<LinkedProgram, LinkError> {
    let options = &language::options_for(stages.iter().map(|stage| &**stage), options);
    let matched = Matched::new(Lowered::new(stages, options)?)?;
    let packed = Packed::new(matched, labelled.as_mut())?;
    // Without a fragment stage nothing leaves the rasteriser, so no module is another program's.
    labelled = labelled.filter(|_| packed.lowered().stages.fragment().is_some());
    let wrapped = Wrapped::new(packed, labelled.as_mut());
    let bound = Bound::new(wrapped)?;
    let placed = Placed::new(bound, labelled)?;
    let complete = Complete::new(placed)?;
    verified(complete)
}
