//! Wires vertex stages, and the outputs of the last stage before the rasteriser.

use cpu::wired::{Wire, Wiring};
use ir::options::ColorState;
use ir::stage_module::{Direction, StageModule};
use link::program::LinkedProgram;
use naga::{Binding, BuiltIn};
use plan::ExecuteError;

use super::clip;
use super::uniforms::uniforms;
use super::wires::{builtins, crossing, location, part};

/// Colours that GL clamps to 0 to 1 (OpenGL 4.6 compatibility, 12.2.6).
const COLORS: [&str; 4] =
    ["gl_FrontColor", "gl_BackColor", "gl_FrontSecondaryColor", "gl_BackSecondaryColor"];

/// The wiring, except for inputs, of the last stage before the rasteriser, which writes these varyings.
pub(super) fn leaving(
    stage: &StageModule,
    linked: &LinkedProgram,
    colors: ColorState,
    varyings: Vec<Wire>,
) -> Result<Wiring, ExecuteError> {
    let clip = clip::of(stage, linked)?;
    let mut outputs = builtins(stage, Direction::Output)?;
    // In GL a distance has no effect until it is enabled.
    let are_distances_off = stage.rules.has_gl_conventions() && clip.is_none();
    outputs.retain(|wire| {
        wire.binding != Binding::BuiltIn(BuiltIn::ClipDistances) || !are_distances_off
    });
    outputs.extend(varyings);
    let is_clamped = |name: &str| !colors.is_vertex_unclamped && COLORS.contains(&name);
    let clamped = stage.outputs.iter().filter(|output| output.is_used && is_clamped(&output.name));
    let clamped = clamped.filter_map(|output| Some((part(output.place.as_ref()?, 0), 4)));
    Ok(Wiring {
        outputs,
        uniforms: uniforms(stage, linked)?,
        has_gl_depth: stage.rules.has_gl_conventions(),
        clip,
        clamped: clamped.collect(),
        ..Wiring::default()
    })
}

/// Attributes, at their locations in the linked program, and built-in variables.
pub(super) fn inputs(
    stage: &StageModule,
    linked: &LinkedProgram,
) -> Result<Vec<Wire>, ExecuteError> {
    let mut inputs = builtins(stage, Direction::Input)?;
    for attribute in &stage.inputs {
        let Some(place) = &attribute.place else { continue };
        let known = linked.attributes.iter().find(|known| known.name == attribute.name);
        let Some(known) = known else { continue };
        let (mut word, mut vectors) = (0, known.vectors.iter());
        for leaf in attribute.ty.leaves() {
            let (scalar, mut rest) = crossing(&leaf)?;
            for at in vectors.by_ref().take(rest.div_ceil(4)) {
                let components = rest.min(4);
                let (binding, part) = (location(*at, None), part(place, word));
                inputs.push(Wire { binding, scalar, components, part });
                (word, rest) = (word + components, rest - components);
            }
        }
    }
    Ok(inputs)
}
