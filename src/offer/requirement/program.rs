//! Checks the requirements of linked programs and plans, beyond those that their case states.

use crate::need::{Needs, Subject};
use crate::offer::Offer;
use crate::wgsl::lacks_wgsl;
use crate::{snapshot, unused_outputs};
use case::{Case, DeviceRequirement, Requirement, needs_gpu};
use ir::backend::Backend;
use link::BlockLayouts;
use link::program::LinkedProgram;
use link::session::LinkedPrograms;
use plan::{ExecuteError, Operation, Plan, Programs, plan};

/// The first requirement of a case that the adapter, or WebGPU, lacks, in words.
pub fn lacks_case(offer: &Offer, case: &Case, programs: &LinkedPrograms) -> Option<String> {
    // `execute` reports steps that do not fit the program.
    let plan = plan(case, Programs::from(programs), offer.plan_options()).ok();
    lacks_planned(offer, case, programs, plan.as_ref())
}

/// Like [`lacks_case`], with the plan of the case; `None` if the steps of the case do not fit its programs.
pub fn lacks_planned(
    offer: &Offer,
    case: &Case,
    programs: &LinkedPrograms,
    plan: Option<&Plan>,
) -> Option<String> {
    let programs = Programs::from(programs);
    lacks_programs(offer, case, programs.all).or_else(|| lacks_plan(offer, case, programs, plan?))
}

/// The needs of a case on the adapter with this offer, from its text, its programs and its plan.
///
/// # Errors
/// The case cannot be planned, or cannot be planned before it runs because its tessellation levels are computed by a
/// stage.
pub fn needs(offer: &Offer, case: &Case, programs: &LinkedPrograms) -> Result<Needs, ExecuteError> {
    let programs = Programs::from(programs);
    let has_programs = !programs.all.is_empty() && needs_gpu(case);
    let plan = has_programs.then(|| plan(case, programs, offer.plan_options())).transpose()?;
    if plan.as_ref().is_some_and(|plan| plan.wanted_levels.is_some()) {
        let reason = "only a run tells the levels of its patches, and so what it needs";
        return Err(ExecuteError::Lacking(reason.to_owned()));
    }
    let mut needs = Subject::new(offer, case, programs.all, plan.as_ref()).needs(offer);
    // Only the parser knows how GL's limits translate.
    for requirement in &case.requirements {
        let Requirement::Device(requirement) = &requirement.value else { continue };
        match requirement {
            DeviceRequirement::Feature(name) => needs.add_name(name),
            DeviceRequirement::Limit { name, minimum } => needs.add_limit(name, *minimum),
            DeviceRequirement::Backend(_) | DeviceRequirement::Adapter { .. } => {}
        }
    }
    Ok(needs)
}

/// The first need of `programs` that the adapter lacks, in words.
pub fn lacks_programs(offer: &Offer, case: &Case, programs: &[LinkedProgram]) -> Option<String> {
    let language = offer.abilities.language;
    let each = |program| {
        lacks_layouts(offer, program)
            .or_else(|| super::language::lacks_language(language, program))
            .or_else(|| super::binding::lacks_bindings(&offer.abilities, program))
            .or_else(|| super::sampler::lacks_samplers(offer.info().backend, program))
            .or_else(|| super::shape::lacks_shape(offer.info().backend, program).map(str::to_owned))
    };
    let subject = Subject::new(offer, case, programs, None);
    lacks_wgsl(offer, &subject, programs)
        .or_else(|| subject.lacks(offer))
        .or_else(|| programs.iter().find_map(each))
}

/// The first need of `plan` that the adapter, or WebGPU, lacks, in words.
pub fn lacks_plan(
    offer: &Offer,
    case: &Case,
    programs: Programs<'_>,
    plan: &Plan,
) -> Option<String> {
    plan.impossible
        .clone()
        .or_else(|| Subject::new(offer, case, programs.all, Some(plan)).lacks(offer))
        .or_else(|| snapshot::lacks_samples(offer, case, plan))
        .or_else(|| unused_outputs::lacks_masks(offer, case, programs, plan))
        .or_else(|| lacks_edge_bias(offer, plan))
}

/// The reason why the GL backend cannot bias the depths of triangle edges: wgpu's GL backend implements the offset of
/// filled polygons only.
fn lacks_edge_bias(offer: &Offer, plan: &Plan) -> Option<String> {
    let mut setups = plan.operations.iter().filter_map(Operation::setup);
    let has_one = setups.any(|setup| setup.raster.is_outlined && !setup.raster.bias.is_zero());
    let is_lacking = has_one && offer.info().backend == Backend::Gl;
    is_lacking.then(|| "the GL backend adds no depth bias to the edges of triangles".to_owned())
}

/// The block of `program` whose layout the GL backend cannot write, in words. naga writes GLSL blocks as std430 or
/// std140 and drops all explicit offsets, so shaders would read the wrong bytes.
fn lacks_layouts(offer: &Offer, program: &LinkedProgram) -> Option<String> {
    if offer.link_rules().block_layouts != BlockLayouts::Standard {
        return None;
    }
    let storage = program.storage_buffers.iter().find(|buffer| !buffer.is_std430);
    let storage = storage.map(|buffer| (&buffer.name, "std430"));
    // naga writes immediates as plain uniforms, which have no layout.
    let mut buffers = program.uniform_buffers.iter().filter(|buffer| !buffer.is_immediate());
    let uniform = buffers.find(|buffer| !buffer.is_std140);
    let (name, standard) = storage.or(uniform.map(|buffer| (&buffer.name, "std140")))?;
    Some(format!(
        "the GL backend lays out blocks by {standard} only, and `{name}` has other offsets"
    ))
}
