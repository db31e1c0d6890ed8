//! Describes an unlinked program for the plan: everything except its code and its varyings.

use case::state::ProvokingVertex;
use cpu::wired::lacking;
use ir::interface::{Interpolation, Variable};
use ir::stage_module::{LanguageRules, StageModule, UniformKind};
use link::place::map::LinkMap;
use link::place::routing::Route;
use link::program::{DrawRules, FlatVertex, LinkedProgram, LinkedStages, MaskRule};
use naga::Module;
use plan::ExecuteError;

use super::outputs::Outputs;

/// Rejects programs where the linker's code may round.
pub(super) fn check_exact(linked: &LinkedProgram) -> Result<(), ExecuteError> {
    let mut routes = linked.map.varyings.iter().flat_map(|varying| &varying.routes);
    if routes.any(|route| matches!(route, Route::Slot { is_over_w: true, .. })) {
        return Err(lacking("exact value of varyings that the linker multiplies by w"));
    }
    Ok(())
}

/// Describes a compute program.
pub(super) fn compute(linked: &LinkedProgram, stage: &StageModule) -> LinkedProgram {
    LinkedProgram { stages: LinkedStages::Compute(Module::default()), ..outside(linked, &[stage]) }
}

/// Describes a program that draws. Points are not drawn as quads, and nothing is culled before the draw.
pub(super) fn render(
    linked: &LinkedProgram,
    before: &[&StageModule],
    fragment: Option<&StageModule>,
    outputs: Outputs,
) -> LinkedProgram {
    let masks = fragment.map_or(MaskRule::Multisampled, |fragment| MaskRule::of(fragment.rules));
    let stages: Vec<_> = before.iter().copied().chain(fragment).collect();
    LinkedProgram {
        map: LinkMap { outputs: outputs.rows, ..LinkMap::EMPTY },
        draw: DrawRules {
            written_targets: outputs.written,
            is_dual_source: outputs.is_dual_source,
            points: None,
            counts_first_instance: stages
                .first()
                .is_some_and(|vertex| !vertex.rules.has_gl_conventions()),
            flat: match provoking(fragment) {
                ProvokingVertex::First => FlatVertex::First,
                ProvokingVertex::Last => FlatVertex::Last,
            },
            masks,
        },
        ..outside(linked, &stages)
    }
}

/// The vertex that provides flat inputs: the first one if the language requires it, and otherwise GL's last one.
pub(super) fn provoking(fragment: Option<&StageModule>) -> ProvokingVertex {
    let is_flat = |input: &&Variable| {
        input.ty.has_always_flat() || input.interpolation == Interpolation::Flat
    };
    let is_first = fragment.is_some_and(|fragment| match fragment.rules {
        LanguageRules::Wgsl | LanguageRules::Vulkan => {
            let flat = fragment.inputs.iter().filter(|input| input.is_used).filter(is_flat);
            flat.map(|input| input.is_either).any(|is_either| !is_either)
        }
        LanguageRules::Glsl { .. } | LanguageRules::Spirv | LanguageRules::FixedFunction => false,
    });
    if is_first { ProvokingVertex::First } else { ProvokingVertex::Last }
}

/// The externally visible parts of the linked program: attributes, uniforms and resources. Initial values of uniforms
/// are those of the stages.
fn outside(linked: &LinkedProgram, stages: &[&StageModule]) -> LinkedProgram {
    let mut uniform_buffers = linked.uniform_buffers.clone();
    for buffer in &mut uniform_buffers {
        let is_own = |stage: &&&StageModule| buffer.owner.is_none_or(|own| own == stage.stage);
        let own = || stages.iter().filter(is_own).flat_map(|stage| &stage.uniforms);
        for uniform in &mut buffer.uniforms {
            let is_loose = buffer.name.is_empty();
            let mut known = own().filter(|variable| {
                let is_block = matches!(variable.kind, UniformKind::Block { .. });
                variable.name == uniform.name && is_block != is_loose
            });
            uniform.initial = known.find_map(|variable| variable.initial.clone());
        }
    }
    LinkedProgram {
        stages: LinkedStages::Render { vertex: Module::default(), fragment: None },
        map: LinkMap::EMPTY,
        reflection: linked.reflection.clone(),
        earlier_reflections: linked.earlier_reflections.clone(),
        attributes: linked.attributes.clone(),
        uniform_buffers,
        storage_buffers: linked.storage_buffers.clone(),
        opaques: linked.opaques.clone(),
        passes: Vec::new(),
        draw: DrawRules {
            written_targets: Vec::new(),
            is_dual_source: false,
            points: None,
            counts_first_instance: false,
            flat: FlatVertex::Last,
            masks: MaskRule::Multisampled,
        },
        needs_capabilities: false,
        captured: None,
    }
}
