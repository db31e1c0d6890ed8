//! The linker's options for a case, from its lines, its draws and the adapter.

use case::{Case, Dialect, GlRequirement, ProfileChoice, draws, needs_gpu};
use ir::diagnostic::Unsupported;
use ir::options::{LastOutputs, OutputRule};
use ir::profile::{Profile, UnwrittenInput};
use link::SlotLimit;
use link::place::budget::GL_SLOTS;
use link::{AdapterRules, LabelOptions, LinkOptions, ProgramRules, RasterState};

/// The profile that expectations are written for.
pub fn first_profile(case: &Case) -> Profile {
    match case.link.profile {
        Some(ProfileChoice::One(profile)) => profile,
        Some(ProfileChoice::All) | None => Profile::Webgpu,
    }
}

/// Link options for the case on an adapter with these `rules`.
///
/// # Errors
/// The draws need different programs.
pub(crate) fn options_of(
    case: &Case,
    rules: AdapterRules,
    profile: Profile,
) -> Result<LinkOptions, Unsupported> {
    let limit = case.link.variables.unwrap_or(u32::MAX);
    let available = if needs_gpu(case) {
        rules.max_inter_stage_variables
    } else {
        // A case that is only linked needs no adapter: it gets as many slots as it asks for, up to GL's number.
        let asked = case.link.variables.unwrap_or(0).min(GL_SLOTS);
        rules.max_inter_stage_variables.max(asked)
    };
    Ok(LinkOptions {
        packing: case.link.packing,
        adapter: AdapterRules {
            max_inter_stage_variables: available.min(limit),
            has_clip_distances: !case.emulates_clip(rules.has_clip_distances),
            // A case that is only linked needs no adapter.
            lacking: rules.lacking.filter(|_| needs_gpu(case)),
            ..rules
        },
        slot_limit: if limit <= available {
            SlotLimit::Case
        } else if needs_gpu(case) || rules != AdapterRules::default() {
            SlotLimit::Adapter
        } else {
            SlotLimit::Guarantee
        },
        labels: LabelOptions {
            profile,
            unwritten: unwritten(case),
            is_separable: case.link.is_separable,
            semantics: case.link.semantics.clone(),
            generics: case.link.generics,
            linkage: case.link.linkage.clone(),
        },
        raster: raster_state(case)?,
        rules: ProgramRules {
            // Set by the linker.
            newest_version: 0,
            per_vertex: case.link.per_vertex,
            last_outputs: last_outputs(case),
            mixes_languages: case.link.mixes_languages,
            limits: case.link.limits.clone(),
            debug_names: case.link.debug_names,
            attributes: attributes(case),
        },
        capture: case.capture.clone(),
    })
}

/// The number N of a line `GL_MAX_VERTEX_ATTRIBS >= N` of `[require]`.
fn attributes(case: &Case) -> Option<u32> {
    let lines = case.gl_requirements();
    lines.rev().find_map(|line| match line {
        GlRequirement::Limit { name, minimum } if name == "GL_MAX_VERTEX_ATTRIBS" => {
            u32::try_from(*minimum).ok()
        }
        GlRequirement::Version { .. }
        | GlRequirement::Glsl { .. }
        | GlRequirement::Extension { .. }
        | GlRequirement::Limit { .. } => None,
    })
}

fn raster_state(case: &Case) -> Result<RasterState, Unsupported> {
    let colors = draws::color_state(case)?;
    Ok(RasterState {
        targets: draws::draw_buffer_classes(case)?,
        outputs: output_rule(case),
        target_height: (!case.draws_to_textures()).then_some(case.size[1]),
        is_multisampled: case.samples > 1,
        has_points: case.rasterised_draws().any(|draw| draw.shape.is_of_points()),
        is_point_size_enabled: draws::is_point_size_enabled(case),
        sprite: case.link.sprite.clone(),
        colors,
        clip_planes: draws::clip_planes(case),
        patch_vertices: draws::patch_vertices(case),
    })
}

/// Value of an input that no output writes: the hardware's value if the case names one profile. Otherwise zero, as all
/// profiles must give the same results.
const fn unwritten(case: &Case) -> UnwrittenInput {
    match case.link.profile {
        Some(ProfileChoice::One(profile)) => profile.traits().unwritten,
        Some(ProfileChoice::All) | None => UnwrittenInput::Zero,
    }
}

/// The outputs whose locations are compared if no stage follows. SPIR-V itself has no such rule, and Vulkan compares
/// all outputs (StandaloneSpirv-OpEntryPoint-08722). Among piglit's files, `vs_block` and others of
/// `arb_gl_spirv/execution/xfb` have an output that is not captured at the location of a captured one, and Mesa links
/// them.
const fn last_outputs(case: &Case) -> LastOutputs {
    match case.dialect {
        Dialect::Piglit => LastOutputs::Captured,
        Dialect::Interstage | Dialect::ShaderLibrary | Dialect::Vulkan => LastOutputs::Used,
    }
}

/// The rule for outputs whose base type differs from the target's: the one of `[link]`, or GL's for piglit's files.
fn output_rule(case: &Case) -> OutputRule {
    match (case.dialect, case.link.outputs) {
        (Dialect::Piglit, OutputRule::Typed) => {
            OutputRule::Undefined { is_drawn: case.rasterised_draws().next().is_some() }
        }
        (_, rule) => rule,
    }
}
