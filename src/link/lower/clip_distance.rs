//! Lowers clip distances and user clip planes. WebGPU has only `@builtin(clip_distances)`: all of these clip, and the
//! fragment stage cannot read them.
//!
//! GL enables every plane separately, and may change this between draws. So the epilog of the vertex stage writes a
//! distance for every plane that the case ever enables; it writes 1 for planes that a uniform marks as disabled. The
//! value of a distance depends on the outputs that the vertex stage writes:
//!
//! * `gl_ClipDistance`: the distances are its elements. User clip planes are ignored.
//! * `gl_ClipVertex`: the distance is its product with the plane in eye space.
//! * neither: for a shader, the distance is the product of `gl_Position` with the plane as given, as in GLSL 1.30
//!   (section 7.1). GL's own vertex stage compares in eye space, so for it the plane is first converted to clip space.
//!
//! A fragment stage that reads `gl_ClipDistance` gets an ordinary varying. WGSL has no enables: all distances clip.

use std::borrow::Cow;

use naga::{ArraySize, BuiltIn, EarlyDepthTest, GlobalVariable, Handle, TypeInner};

use crate::lower::{clip_emulation, state_uniform};
use crate::stages::RenderStages;
use crate::table::shell::{ClipDistances, ClipSource};
use crate::{AdapterRules, LinkError};
use ir::diagnostic::Diagnostic;
use ir::interface::{Place, Type, Variable};
use ir::stage_module::{LanguageRules, StageModule};

/// Uniform with a bit for every enabled plane.
pub const ENABLES: &str = "enabled clip planes";
/// Uniform with the planes as the case gives them.
pub const EYE_SPACE_PLANES: &str = "clip planes in eye space";
/// Uniform with the planes in clip space, for the position of GL's own vertex stage.
pub const CLIP_SPACE_PLANES: &str = "clip planes in clip space";

/// Maximum number of planes.
pub(crate) const MAX_PLANES: u32 = 8;

/// Removes `gl_ClipDistance` and `gl_ClipVertex` from the stages' interfaces. Returns the clip distances that the
/// vertex stage's shell writes instead; `None` if nothing is left for the adapter to clip.
pub fn lower(
    RenderStages { vertex, fragment }: &mut RenderStages<'_>,
    clip_planes: u32,
    adapter: AdapterRules,
) -> Result<Option<ClipDistances>, LinkError> {
    let written = distances_of(vertex, BuiltIn::ClipDistances);
    let clip_vertex = vertex.outputs.iter().find(|output| output.name == "gl_ClipVertex");
    if let Some(clip_vertex) = clip_vertex {
        check_mixture(vertex, clip_vertex)?;
    }
    let clip_vertex =
        clip_vertex.filter(|output| output.is_used).and_then(|output| output.place.clone());
    if written.is_some() {
        let is_other = |builtin: BuiltIn| builtin != BuiltIn::ClipDistances;
        vertex.to_mut().builtins.retain(|output| is_other(output.builtin));
    }
    if clip_vertex.is_some() {
        vertex.to_mut().outputs.retain(|output| output.name != "gl_ClipVertex");
    }
    let (kind, name) = (BuiltIn::ClipDistances, "gl_ClipDistance");
    pass_to_fragment_stage(vertex, fragment.as_mut(), kind, name, written);
    let count = match vertex.rules {
        LanguageRules::Wgsl | LanguageRules::Vulkan if clip_planes > 0 => {
            let word = "user clip planes of a stage that is not GL's".to_owned();
            return Err(LinkError::Unsupported { word, span: None });
        }
        LanguageRules::Wgsl | LanguageRules::Vulkan => written.map_or(0, |(_, length)| length),
        LanguageRules::Glsl { .. } | LanguageRules::Spirv | LanguageRules::FixedFunction => {
            clip_planes
        }
    };
    if count > 0 && !adapter.has_clip_distances {
        check_early_test(fragment.as_deref())?;
        let clip = emitted(vertex.to_mut(), written, clip_vertex, count);
        clip_emulation::lower(vertex.to_mut(), fragment.as_mut(), &clip);
    } else if count > 0 {
        let padded = if adapter.are_clip_distances_padded { MAX_PLANES } else { count };
        return Ok(Some(emitted(vertex.to_mut(), written, clip_vertex, padded)));
    }
    Ok(None)
}

/// Rejects early fragment tests if the fragment stage emulates clipping: the tests would see fragments that are clipped
/// later.
fn check_early_test(fragment: Option<&StageModule>) -> Result<(), LinkError> {
    if fragment.and_then(|stage| stage.early_depth_test) != Some(EarlyDepthTest::Force) {
        return Ok(());
    }
    let word = "early fragment tests where the fragment stage clips".to_owned();
    Err(LinkError::Unsupported { word, span: None })
}

/// The global that holds the stage's distances of one kind, and their number.
pub(crate) fn distances_of(
    stage: &StageModule,
    kind: BuiltIn,
) -> Option<(Handle<GlobalVariable>, u32)> {
    let builtin = stage.builtins.iter().find(|known| known.builtin == kind)?;
    let ty = stage.module.global_variables[builtin.global].ty;
    let TypeInner::Array { size: ArraySize::Constant(length), .. } = stage.module.types[ty].inner
    else {
        return None;
    };
    Some((builtin.global, length.get()))
}

/// Checks that a stage does not write both `gl_ClipVertex` and distances, which is an error (GLSL 1.30, 7.1).
fn check_mixture(vertex: &StageModule, clip_vertex: &Variable) -> Result<(), LinkError> {
    let kinds =
        [(BuiltIn::ClipDistances, "gl_ClipDistance"), (BuiltIn::CullDistance, "gl_CullDistance")];
    let written = kinds.iter().find(|(kind, _)| distances_of(vertex, *kind).is_some());
    let Some((_, name)) = written else { return Ok(()) };
    match vertex.rules {
        LanguageRules::Glsl { version: 130.., is_es: false } => {
            let message = format!("the vertex stage writes both `gl_ClipVertex` and `{name}`");
            let span = clip_vertex.span;
            Err(LinkError::Refused(vec![Diagnostic::error(span, message)]))
        }
        LanguageRules::Glsl { .. }
        | LanguageRules::Wgsl
        | LanguageRules::Spirv
        | LanguageRules::FixedFunction
        | LanguageRules::Vulkan => Ok(()),
    }
}

/// Replaces a built-in input of the fragment stage by a varying with the elements that both stages have.
pub(crate) fn pass_to_fragment_stage(
    vertex: &mut Cow<'_, StageModule>,
    fragment: Option<&mut Cow<'_, StageModule>>,
    kind: BuiltIn,
    name: &str,
    written: Option<(Handle<GlobalVariable>, u32)>,
) {
    let Some(fragment) = fragment else { return };
    let Some((global, length)) = distances_of(fragment, kind) else { return };
    let length = written.map_or(length, |(_, written)| written.min(length));
    let varying = |global| {
        let place = Some(Place::whole(global));
        Variable { place, ..Variable::new(name, Type::F32.array(length)) }
    };
    let fragment = fragment.to_mut();
    fragment.builtins.retain(|input| input.builtin != kind);
    fragment.inputs.push(varying(global));
    if let Some((global, _)) = written {
        vertex.to_mut().outputs.push(varying(global));
    }
}

fn emitted(
    vertex: &mut StageModule,
    written: Option<(Handle<GlobalVariable>, u32)>,
    clip_vertex: Option<Place>,
    count: u32,
) -> ClipDistances {
    let enables = match vertex.rules {
        LanguageRules::Wgsl | LanguageRules::Vulkan => None,
        LanguageRules::Glsl { .. } | LanguageRules::Spirv | LanguageRules::FixedFunction => {
            Some(state_uniform::add_word(vertex, ENABLES))
        }
    };
    let source = match (written, clip_vertex) {
        (Some((global, length)), _) => ClipSource::Written { global, length },
        (None, Some(point)) => {
            let planes = state_uniform::add_vectors(vertex, EYE_SPACE_PLANES, MAX_PLANES);
            ClipSource::Planes { planes, point: Some(point) }
        }
        (None, None) => {
            let planes = match vertex.rules {
                LanguageRules::Glsl { .. }
                | LanguageRules::Wgsl
                | LanguageRules::Spirv
                | LanguageRules::Vulkan => EYE_SPACE_PLANES,
                LanguageRules::FixedFunction => CLIP_SPACE_PLANES,
            };
            let planes = state_uniform::add_vectors(vertex, planes, MAX_PLANES);
            ClipSource::Planes { planes, point: None }
        }
    };
    ClipDistances { count, enables, source }
}

#[cfg(test)]
mod tests {
    use crate::testing;
    use ir::stage::ShaderStage;

    use super::*;

    fn stage(stage: ShaderStage, body: &str) -> StageModule {
        testing::stage(stage, &format!("#version 130\nvoid main() {{ {body} }}"))
    }

    /// Checks the number of distances that a vertex stage writes, and their source.
    #[track_caller]
    fn check(body: &str, planes: u32, is_padded: bool, expected: Option<(u32, &str)>) {
        let vertex = Cow::Owned(stage(ShaderStage::Vertex, body));
        let mut stages = RenderStages { vertex, fragment: None };
        let adapter =
            AdapterRules { are_clip_distances_padded: is_padded, ..AdapterRules::default() };
        let clip = lower(&mut stages, planes, adapter).expect("it can be lowered");
        let clip = clip.map(|clip| {
            let source = match clip.source {
                ClipSource::Written { length, .. } => format!("{length} written"),
                ClipSource::Planes { point: Some(_), .. } => "gl_ClipVertex".to_owned(),
                ClipSource::Planes { point: None, .. } => "gl_Position".to_owned(),
            };
            (clip.count, source)
        });
        let clip = clip.as_ref().map(|(count, source)| (*count, source.as_str()));
        assert_eq!(clip, expected, "{body}");
        assert!(stages.vertex.outputs.is_empty(), "{body}");
        assert!(
            stages.vertex.builtins.iter().all(|output| output.builtin != BuiltIn::ClipDistances)
        );
    }

    #[test]
    fn there_are_as_many_distances_as_planes_are_ever_enabled() {
        let written = "gl_ClipDistance[3] = 1.0;";
        check(written, 0, false, None);
        check(written, 2, false, Some((2, "4 written")));
        check(written, 6, false, Some((6, "4 written")));
        check(written, 1, true, Some((8, "4 written")));
        check(written, 0, true, None);
    }

    #[test]
    fn planes_cut_the_clip_vertex_or_else_the_position() {
        check("gl_ClipVertex = gl_Vertex;", 3, false, Some((3, "gl_ClipVertex")));
        check("gl_ClipVertex = gl_Vertex;", 0, false, None);
        check("gl_Position = gl_Vertex;", 3, false, Some((3, "gl_Position")));
    }

    #[test]
    fn the_fragment_stage_reads_the_elements_that_both_stages_have() {
        let varyings = |vertex: &str, fragment: &str| {
            let vertex = Cow::Owned(stage(ShaderStage::Vertex, vertex));
            let fragment = Some(Cow::Owned(stage(ShaderStage::Fragment, fragment)));
            let mut stages = RenderStages { vertex, fragment };
            lower(&mut stages, 0, AdapterRules::default()).expect("they can be lowered");
            let shown = |all: &[Variable]| {
                let all = all.iter().map(|variable| format!("{} {}", variable.name, variable.ty));
                all.collect::<Vec<_>>().join(", ")
            };
            let fragment = stages.fragment.expect("there is one");
            (shown(&stages.vertex.outputs), shown(&fragment.inputs))
        };
        let read = "gl_FragColor = vec4(gl_ClipDistance[1]);";
        let both = |ty: &str| (format!("gl_ClipDistance {ty}"), format!("gl_ClipDistance {ty}"));
        assert_eq!(varyings("gl_ClipDistance[3] = 1.0;", read), both("float[2]"));
        assert_eq!(varyings("gl_ClipDistance[0] = 1.0;", read), both("float[1]"));
        assert_eq!(varyings("", read), (String::new(), both("float[2]").1));
        assert_eq!(varyings("gl_ClipDistance[3] = 1.0;", ""), (String::new(), String::new()));
    }
}
