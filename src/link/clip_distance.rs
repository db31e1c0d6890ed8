//! Clip distances and user clip planes, which WebGPU has only as `@builtin(clip_distances)`: all of them act, and the
//! fragment stage cannot read them.
//!
//! GL enables every plane on its own, and may do so between draws. So the epilog of the vertex stage gives a distance
//! for every plane that the case ever enables, and 1 for those that are off at the moment: a uniform says which.
//! What the distance is depends on what the vertex stage writes:
//!
//! * `gl_ClipDistance`: its elements. User clip planes do not count then.
//! * `gl_ClipVertex`: its product with the plane in eye space.
//! * neither: the product of `gl_Position` with the plane in clip space.
//!
//! A fragment stage that reads `gl_ClipDistance` gets an ordinary varying. WGSL has no enables: all distances act.

use std::borrow::Cow;

use naga::{
    AddressSpace, ArraySize, BuiltIn, GlobalVariable, Handle, Scalar, Span, TypeInner, VectorSize,
};

use crate::diagnostic::Diagnostic;
use crate::frontend::StageModule;
use crate::frontend::stage_module::{LanguageRules, UniformKind, UniformVariable};
use crate::link::interface::{Place, ScalarKind, Type, Variable};
use crate::link::shell::{ClipDistances, ClipSource};
use crate::link::{LinkError, LinkOptions};

/// Uniform with a bit for every enabled plane. None of these names is one that a shader can declare.
pub const ENABLES: &str = "enabled clip planes";
/// Uniform with the planes that `gl_ClipVertex` is compared with.
pub const EYE_SPACE_PLANES: &str = "clip planes in eye space";
/// Uniform with the planes that `gl_Position` is compared with.
pub const CLIP_SPACE_PLANES: &str = "clip planes in clip space";

/// Planes there can be.
pub const MAX_PLANES: u32 = 8;

/// Stages without clip distances of their own, and what the vertex stage's shell gives instead.
#[derive(Clone, Debug)]
pub struct Lowered<'a> {
    /// The vertex stage.
    pub vertex: Cow<'a, StageModule>,
    /// The fragment stage, if there is one.
    pub fragment: Option<Cow<'a, StageModule>>,
    /// `None` when nothing can be clipped.
    pub clip: Option<ClipDistances>,
}

/// Takes `gl_ClipDistance` and `gl_ClipVertex` out of the stages' interfaces.
pub fn lower<'a>(
    vertex: &'a StageModule,
    fragment: Option<&'a StageModule>,
    options: &LinkOptions,
) -> Result<Lowered<'a>, LinkError> {
    let mut lowered = Lowered {
        vertex: Cow::Borrowed(vertex),
        fragment: fragment.map(Cow::Borrowed),
        clip: None,
    };
    let written = distances_of(vertex);
    let clip_vertex = vertex.outputs.iter().find(|it| it.name == "gl_ClipVertex" && it.is_used);
    if let (Some(_), Some(clip_vertex)) = (written, clip_vertex) {
        check_mixture(vertex.rules, clip_vertex)?;
    }
    let clip_vertex = clip_vertex.and_then(|it| it.place.clone());
    if written.is_some() {
        let is_other = |builtin: BuiltIn| builtin != BuiltIn::ClipDistances;
        lowered.vertex.to_mut().builtins.retain(|it| is_other(it.builtin));
    }
    if clip_vertex.is_some() {
        lowered.vertex.to_mut().outputs.retain(|it| it.name != "gl_ClipVertex");
    }
    pass_to_fragment_stage(&mut lowered, written);
    let count = match vertex.rules {
        LanguageRules::Wgsl if options.clip_planes > 0 => {
            let word = "user clip planes of a WGSL stage".to_owned();
            return Err(LinkError::Unsupported { word, span: crate::source::Span::default() });
        }
        LanguageRules::Wgsl => written.map_or(0, |(_, length)| length),
        LanguageRules::Glsl { .. } | LanguageRules::Spirv | LanguageRules::FixedFunction => {
            options.clip_planes
        }
    };
    if count > 0 {
        let padded = if options.are_clip_distances_padded { MAX_PLANES } else { count };
        lowered.clip = Some(emitted(lowered.vertex.to_mut(), written, clip_vertex, padded));
    }
    Ok(lowered)
}

/// The global that holds the stage's clip distances, and how many there are.
fn distances_of(stage: &StageModule) -> Option<(Handle<GlobalVariable>, u32)> {
    let builtin = stage.builtins.iter().find(|it| it.builtin == BuiltIn::ClipDistances)?;
    let ty = stage.module.global_variables[builtin.global].ty;
    let TypeInner::Array { size: ArraySize::Constant(length), .. } = stage.module.types[ty].inner
    else {
        return None;
    };
    Some((builtin.global, length.get()))
}

/// GLSL 1.30, 7.1: writing both is an error.
fn check_mixture(rules: LanguageRules, clip_vertex: &Variable) -> Result<(), LinkError> {
    match rules {
        LanguageRules::Glsl { version: 130.., is_es: false } => {
            let message = "the vertex stage writes both `gl_ClipVertex` and `gl_ClipDistance`";
            let span = clip_vertex.span.unwrap_or_default();
            Err(LinkError::Refused(vec![Diagnostic::error(span, message)]))
        }
        LanguageRules::Glsl { .. }
        | LanguageRules::Wgsl
        | LanguageRules::Spirv
        | LanguageRules::FixedFunction => Ok(()),
    }
}

/// Replaces the fragment stage's built-in by a varying of as many elements as both stages have.
fn pass_to_fragment_stage(
    lowered: &mut Lowered<'_>,
    written: Option<(Handle<GlobalVariable>, u32)>,
) {
    let Some(fragment) = &mut lowered.fragment else { return };
    let Some((global, length)) = distances_of(fragment) else { return };
    let length = written.map_or(length, |(_, written)| written.min(length));
    let varying = |global| {
        let place = Some(Place { global, path: Vec::new() });
        Variable { place, ..Variable::new("gl_ClipDistance", Type::F32.array(length)) }
    };
    let fragment = fragment.to_mut();
    fragment.builtins.retain(|it| it.builtin != BuiltIn::ClipDistances);
    fragment.inputs.push(varying(global));
    if let Some((global, _)) = written {
        lowered.vertex.to_mut().outputs.push(varying(global));
    }
}

fn emitted(
    vertex: &mut StageModule,
    written: Option<(Handle<GlobalVariable>, u32)>,
    clip_vertex: Option<Place>,
    count: u32,
) -> ClipDistances {
    let enables = match vertex.rules {
        LanguageRules::Wgsl => None,
        LanguageRules::Glsl { .. } | LanguageRules::Spirv | LanguageRules::FixedFunction => {
            let inner = TypeInner::Scalar(Scalar::U32);
            Some(add_uniform(vertex, ENABLES, Type::Scalar(ScalarKind::U32), inner))
        }
    };
    let source = match (written, clip_vertex) {
        (Some((global, length)), _) => ClipSource::Written { global, length },
        (None, Some(point)) => {
            let planes = add_planes(vertex, EYE_SPACE_PLANES);
            ClipSource::Planes { planes, point: Some(point) }
        }
        (None, None) => {
            let planes = add_planes(vertex, CLIP_SPACE_PLANES);
            ClipSource::Planes { planes, point: None }
        }
    };
    ClipDistances { count, enables, source }
}

fn add_planes(vertex: &mut StageModule, name: &str) -> Place {
    let inner = TypeInner::Vector { size: VectorSize::Quad, scalar: Scalar::F32 };
    let base = vertex.module.types.insert(naga::Type { name: None, inner }, Span::UNDEFINED);
    let size = std::num::NonZeroU32::new(MAX_PLANES).expect("there are planes");
    let array = TypeInner::Array { base, size: ArraySize::Constant(size), stride: 16 };
    let ty = Type::Vector { size: 4, scalar: ScalarKind::F32 }.array(MAX_PLANES);
    add_uniform(vertex, name, ty, array)
}

/// Adds a uniform that the executor sets by `name`.
fn add_uniform(vertex: &mut StageModule, name: &str, ty: Type, inner: TypeInner) -> Place {
    let naga_type = vertex.module.types.insert(naga::Type { name: None, inner }, Span::UNDEFINED);
    let global = GlobalVariable {
        name: None,
        space: AddressSpace::Private,
        binding: None,
        ty: naga_type,
        init: None,
        memory_decorations: naga::MemoryDecorations::empty(),
    };
    let global = vertex.module.global_variables.append(global, Span::UNDEFINED);
    let place = Place { global, path: Vec::new() };
    vertex.uniforms.push(UniformVariable {
        name: name.to_owned(),
        ty,
        place: place.clone(),
        kind: UniformKind::Loose { location: None },
        initial: None,
        alias: String::new(),
        layout: None,
        members: Vec::new(),
        precision: None,
        is_used: true,
        span: None,
    });
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::ShaderStage;

    use crate::frontend::glsl::{self, Hints, ParseOptions};

    fn stage(stage: ShaderStage, body: &str) -> StageModule {
        let text = format!("#version 130\nvoid main() {{ {body} }}");
        let unit =
            glsl::parse(&text, 0, &ParseOptions::default()).expect("the test's GLSL is right");
        glsl::compile(&[unit], stage, &Hints::default()).expect("the test's GLSL is right")
    }

    fn options(planes: u32, is_padded: bool) -> LinkOptions {
        let (clip_planes, are_clip_distances_padded) = (planes, is_padded);
        LinkOptions { clip_planes, are_clip_distances_padded, ..LinkOptions::default() }
    }

    /// How many distances a vertex stage gives, and from what.
    #[track_caller]
    fn check(body: &str, planes: u32, is_padded: bool, expected: Option<(u32, &str)>) {
        let vertex = stage(ShaderStage::Vertex, body);
        let lowered = lower(&vertex, None, &options(planes, is_padded)).expect("it can be lowered");
        let clip = lowered.clip.map(|clip| {
            let source = match clip.source {
                ClipSource::Written { length, .. } => format!("{length} written"),
                ClipSource::Planes { point: Some(_), .. } => "gl_ClipVertex".to_owned(),
                ClipSource::Planes { point: None, .. } => "gl_Position".to_owned(),
            };
            (clip.count, source)
        });
        let clip = clip.as_ref().map(|(count, source)| (*count, source.as_str()));
        assert_eq!(clip, expected, "{body}");
        assert!(lowered.vertex.outputs.is_empty(), "{body}");
        assert!(lowered.vertex.builtins.iter().all(|it| it.builtin != BuiltIn::ClipDistances));
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
            let vertex = stage(ShaderStage::Vertex, vertex);
            let fragment = stage(ShaderStage::Fragment, fragment);
            let lowered = lower(&vertex, Some(&fragment), &options(0, false));
            let lowered = lowered.expect("it can be lowered");
            let shown = |all: &[Variable]| {
                all.iter().map(|it| format!("{} {}", it.name, it.ty)).collect::<Vec<_>>().join(", ")
            };
            let fragment = lowered.fragment.expect("there is one");
            (shown(&lowered.vertex.outputs), shown(&fragment.inputs))
        };
        let read = "gl_FragColor = vec4(gl_ClipDistance[1]);";
        let both = |ty: &str| (format!("gl_ClipDistance {ty}"), format!("gl_ClipDistance {ty}"));
        assert_eq!(varyings("gl_ClipDistance[3] = 1.0;", read), both("float[2]"));
        assert_eq!(varyings("gl_ClipDistance[0] = 1.0;", read), both("float[1]"));
        assert_eq!(varyings("", read), (String::new(), both("float[2]").1));
        assert_eq!(varyings("gl_ClipDistance[3] = 1.0;", ""), (String::new(), String::new()));
    }
}
