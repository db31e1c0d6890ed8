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

pub mod compute;
mod error;
pub mod label;
pub mod lower;
mod options;
mod phase;
pub mod place;
pub mod program;
pub mod session;
pub mod table;

mod stages;

mod match_up;
pub mod reflect;

mod pack;

mod interface;
pub mod resource;
mod wrap;

mod labelling;

mod verify;

#[cfg(test)]
// The notation of the fixtures is compiled into these tests from its file, whose crate uses this one.
#[cfg(test)]
#[path = "../fixture/notation.rs"]
pub mod notation;
#[cfg(test)]
mod testing;

use std::borrow::Cow;
use std::slice::from_ref;

use ir::stage::ShaderStage;
use ir::stage_module::{StageModule, Stages};

pub use error::LinkError;
use labelling::LabelledPair;
pub use options::{
    AdapterRules, BlockLayouts, LabelOptions, LinkOptions, ProgramRules, RasterState, SlotLimit,
    Wide,
};
use phase::bound::Bound;
use phase::complete::Complete;
use phase::lowered::Lowered;
use phase::matched::Matched;
use phase::packed::Packed;
use phase::placed::Placed;
use phase::verified::verified;
use phase::wrapped::Wrapped;
use program::LinkedProgram;

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
    reflect::limit::check(all, options)?;
    link_stages(all.iter().map(Cow::Borrowed).collect(), options, None)
}

/// Runs the phases. `labelled` is the program in its session, if slots are labels.
fn link_stages(
    stages: Vec<Cow<'_, StageModule>>,
    options: &LinkOptions,
    mut labelled: Option<LabelledPair<'_>>,
) -> Result<LinkedProgram, LinkError> {
    let options = &stages::language::options_for(stages.iter().map(|stage| &**stage), options);
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
