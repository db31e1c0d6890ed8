//! Shader capabilities that not every adapter has, found by naga's validator.

use naga::Module;
use naga::valid::{Capabilities, ValidationFlags, Validator};

use crate::ability::Abilities;
use link::program::{LinkedProgram, LinkedStages};

use super::Subject;

/// All modules of a program, including those of its passes.
pub fn modules(program: &LinkedProgram) -> Vec<&Module> {
    let passes = program.passes.iter().map(|pass| &pass.module);
    match &program.stages {
        LinkedStages::Render { vertex, fragment } => {
            std::iter::once(vertex).chain(fragment).chain(passes).collect()
        }
        LinkedStages::Compute(module) => vec![module],
    }
}

/// True if the adapter has all shader capabilities that the programs use.
pub(super) fn is_covered(subject: &Subject<'_>, abilities: &Abilities) -> bool {
    let (features, flags) = (abilities.features, abilities.flags);
    is_valid(subject, wgpu_naga_bridge::features_to_naga_capabilities(features, flags))
}

/// The shader capabilities that the programs use and the adapter lacks, by naga's names.
pub(super) fn lacking(subject: &Subject<'_>, abilities: &Abilities) -> String {
    let (features, flags) = (abilities.features, abilities.flags);
    let offered = wgpu_naga_bridge::features_to_naga_capabilities(features, flags);
    let lacking = Capabilities::all().difference(offered);
    // One capability may imply others, so none of these may be strictly needed.
    let is_enough = |one: Capabilities| is_valid(subject, offered | one);
    let is_needed = |one: Capabilities| !is_valid(subject, Capabilities::all() - one);
    let names = |is_it: &dyn Fn(Capabilities) -> bool| -> Vec<&str> {
        lacking.iter_names().filter(|(_, one)| is_it(*one)).map(|(name, _)| name).collect()
    };
    let any = names(&is_enough);
    let words = if any.is_empty() { names(&is_needed).join(" and ") } else { any.join(" or ") };
    format!("the adapter's shaders lack {words}")
}

/// 1 if shaders need one of these features, else 0.
pub(super) fn uses_feature(subject: &Subject<'_>, feature: wgpu_types::Features) -> u64 {
    uses(subject, wgpu_types::Features::all() - feature, wgpu_types::DownlevelFlags::all())
}

/// 1 if shaders need this flag, else 0.
pub(super) fn uses_flag(subject: &Subject<'_>, flag: wgpu_types::DownlevelFlags) -> u64 {
    uses(subject, wgpu_types::Features::all(), wgpu_types::DownlevelFlags::all() - flag)
}

fn uses(
    subject: &Subject<'_>,
    features: wgpu_types::Features,
    flags: wgpu_types::DownlevelFlags,
) -> u64 {
    let offered = wgpu_naga_bridge::features_to_naga_capabilities(features, flags);
    u64::from(!is_valid(subject, offered))
}

/// True if the modules are valid with the `offered` capabilities. Linked modules are valid with all of naga's
/// capabilities, so a failure means that a capability is missing.
fn is_valid(subject: &Subject<'_>, offered: Capabilities) -> bool {
    let special = subject.programs.iter().filter(|program| program.needs_capabilities);
    let mut modules = special.flat_map(modules);
    let mut validator = Validator::new(ValidationFlags::all(), offered);
    modules.all(|module| validator.validate(module).is_ok())
}
