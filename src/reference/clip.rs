//! Clip distances that depend on GL's state.

use cpu::wired::{ClipWire, Part, Planes, UniformWord, lacking};
use ir::stage_module::{Direction, LanguageRules, StageModule};
use link::lower::clip_distance::{CLIP_SPACE_PLANES, ENABLES, EYE_SPACE_PLANES};
use link::program::LinkedProgram;
use naga::BuiltIn;
use plan::ExecuteError;

use super::uniforms::words_of;
use super::wires::{builtin, distances, part};

/// The clip distances of a GL vertex stage: those that it writes, or otherwise those of its `gl_ClipVertex`, or of its
/// position, from the planes of the case. `None` if no plane is ever enabled, and for WGSL.
pub(super) fn of(
    vertex: &StageModule,
    linked: &LinkedProgram,
) -> Result<Option<ClipWire>, ExecuteError> {
    let Some((buffer, words)) = words_of(linked, ENABLES) else { return Ok(None) };
    let Some(word) = words.first() else { return Ok(None) };
    let enables = UniformWord { buffer, word: *word };
    if distances(vertex, BuiltIn::ClipDistances, Direction::Output).is_some() {
        return Ok(Some(ClipWire { enables, planes: None }));
    }
    // GL's fixed-function stage compares in eye space, but its position is in clip space, and so are these planes.
    let planes = match vertex.rules {
        LanguageRules::FixedFunction if clip_vertex(vertex).is_none() => CLIP_SPACE_PLANES,
        LanguageRules::Glsl { .. }
        | LanguageRules::Wgsl
        | LanguageRules::Spirv
        | LanguageRules::FixedFunction
        | LanguageRules::Vulkan => EYE_SPACE_PLANES,
    };
    let (buffer, words) = words_of(linked, planes).ok_or_else(|| lacking("such clip planes"))?;
    let words = words.chunks_exact(4).filter_map(|plane| plane.try_into().ok()).collect();
    let position = BuiltIn::Position { invariant: false };
    let position = builtin(vertex, position, Direction::Output).map(|position| Part {
        global: position.global,
        path: Vec::new(),
        word: 0,
    });
    let point = clip_vertex(vertex).or(position);
    let point = point.ok_or_else(|| lacking("vertex stage without a position"))?;
    Ok(Some(ClipWire { enables, planes: Some((Planes { buffer, words }, point)) }))
}

fn clip_vertex(vertex: &StageModule) -> Option<Part> {
    let own = vertex.outputs.iter().find(|output| output.name == "gl_ClipVertex");
    own.filter(|output| output.is_used)?.place.as_ref().map(|place| part(place, 0))
}
