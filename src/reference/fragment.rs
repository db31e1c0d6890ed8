//! Wires unlinked fragment stages.

use cpu::wired::{Part, Wiring};
use ir::interface::ScalarKind;
use ir::stage_module::{Direction, StageModule};
use naga::{Binding, BuiltIn};
use plan::ExecuteError;

use super::outputs::Outputs;
use super::uniforms::uniforms;
use super::varyings::Varyings;
use super::wires::{builtins, part};
use crate::context::Context;

/// The wiring of a fragment stage.
pub(super) fn wiring(
    context: Context<'_>,
    stage: &StageModule,
    varyings: &Varyings,
    outputs: &Outputs,
) -> Result<Wiring, ExecuteError> {
    let Context { case, linked, colors } = context;
    let mut inputs = builtins(stage, Direction::Input)?;
    // Clip and cull distances and point coordinates are varyings.
    let is_plain = |builtin| match builtin {
        Binding::BuiltIn(builtin) => {
            !matches!(builtin, BuiltIn::ClipDistances | BuiltIn::CullDistance | BuiltIn::PointCoord)
        }
        Binding::Location { .. } => true,
    };
    inputs.retain(|wire| is_plain(wire.binding.clone()));
    inputs.extend(varyings.inputs.iter().cloned());
    let rule = stage.frag_coord;
    Ok(Wiring {
        inputs,
        outputs: builtins(stage, Direction::Output)?,
        colors: outputs.wires.clone(),
        uniforms: uniforms(stage, linked)?,
        turned_at: rule.is_origin_upper_left.then_some(case.size[1]),
        has_whole_centres: rule.is_pixel_center_integer,
        preset: varyings.preset.clone(),
        clamped: if colors.is_fragment_clamped { floats(stage) } else { Vec::new() },
        ..Wiring::default()
    })
}

/// The floats in all outputs.
fn floats(stage: &StageModule) -> Vec<(Part, usize)> {
    let mut all = Vec::new();
    for output in stage.outputs.iter().filter(|output| output.is_used) {
        let Some(place) = &output.place else { continue };
        let mut word = 0;
        for leaf in output.ty.leaves() {
            let size = usize::from(leaf.size);
            if leaf.scalar == ScalarKind::F32 {
                all.push((part(place, word), size));
            }
            word += size;
        }
    }
    all
}
