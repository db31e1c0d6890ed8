//! Cull distances, which WebGPU does not have: a primitive is dropped when some distance of all its vertices is below
//! zero (GLSL 4.60, 7.1.1; OpenGL 4.6 core, 13.7). They have no enables: the size of the array decides.
//!
//! Whether a primitive goes is known before any of it is drawn: the vertex stage is run as a compute stage first
//! ([`crate::link::capture`]), which writes the cull distances of all vertices of a draw to a buffer.

use std::borrow::Cow;

use naga::BuiltIn;
use naga::valid::{GlobalUse, ModuleInfo};

use crate::diagnostic::Diagnostic;
use crate::frontend::StageModule;
use crate::link::clip_distance::{MAX_PLANES, distances_of, pass_to_fragment_stage};
use crate::link::interface::{Place, ScalarKind};
use crate::link::program::{Attribute, VertexCapture};
use crate::link::shell::{CapturedWire, Shell};
use crate::link::uniform::Uniforms;
use crate::link::{LinkError, LinkOptions, capture};
use crate::source::Span;

/// Stages without cull distances of their own, and where the vertex stage's are.
#[derive(Clone, Debug)]
pub struct Lowered<'a> {
    /// The vertex stage.
    pub vertex: Cow<'a, StageModule>,
    /// The fragment stage, if there is one.
    pub fragment: Option<Cow<'a, StageModule>>,
    /// One distance each; none when nothing is culled.
    pub distances: Vec<CapturedWire>,
}

/// Takes `gl_CullDistance` out of the stages' interfaces.
pub fn lower<'a>(
    mut vertex: Cow<'a, StageModule>,
    mut fragment: Option<Cow<'a, StageModule>>,
) -> Lowered<'a> {
    let written = distances_of(&vertex, BuiltIn::CullDistance);
    let (kind, name) = (BuiltIn::CullDistance, "gl_CullDistance");
    pass_to_fragment_stage(&mut vertex, fragment.as_mut(), kind, name, written);
    let Some((global, length)) = written else {
        return Lowered { vertex, fragment, distances: Vec::new() };
    };
    vertex.to_mut().builtins.retain(|it| it.builtin != BuiltIn::CullDistance);
    let distance = |idx| CapturedWire {
        place: Place { global, path: vec![idx] },
        scalar: ScalarKind::F32,
        size: 1,
        word: idx,
    };
    Lowered { vertex, fragment, distances: (0..length).map(distance).collect() }
}

/// A stage has at most eight clip and cull distances together (GLSL 4.60, 7.1.1).
pub fn check_size(stage: &StageModule) -> Result<(), LinkError> {
    let count = |kind| distances_of(stage, kind).map_or(0, |(_, length)| length);
    let (clip, cull) = (count(BuiltIn::ClipDistances), count(BuiltIn::CullDistance));
    if clip + cull <= MAX_PLANES {
        return Ok(());
    }
    let message = format!(
        "{clip} elements of `gl_ClipDistance` and {cull} of `gl_CullDistance` are more than {MAX_PLANES}"
    );
    Err(LinkError::Refused(vec![Diagnostic::error(Span::default(), message)]))
}

/// What the compute stage for cull distances is made from.
pub(super) struct Culling<'a> {
    /// The distances.
    pub(super) wires: Vec<CapturedWire>,
    /// The vertex stage's shell.
    pub(super) shell: &'a Shell,
    /// What it reads.
    pub(super) attributes: &'a [Attribute],
}

impl Culling<'_> {
    /// The stage, if anything is culled. `stages` are all of the program, the vertex stage first, and `infos` those of
    /// their final modules.
    pub(super) fn link(
        self,
        stages: &[&StageModule],
        infos: &[ModuleInfo],
        uniforms: &Uniforms,
        options: &LinkOptions,
    ) -> Result<Option<VertexCapture>, LinkError> {
        let ([vertex, ..], [info, ..]) = (stages, infos) else { return Ok(None) };
        if self.wires.is_empty() {
            return Ok(None);
        }
        check_writes(vertex, info)?;
        let Self { shell, attributes, wires } = self;
        capture::link(shell, attributes, wires, stages, (uniforms, options)).map(Some)
    }
}

/// The vertices of draws that cull run twice, which must not leave traces.
fn check_writes(stage: &StageModule, info: &ModuleInfo) -> Result<(), LinkError> {
    let entry = info.get_entry_point(0);
    let is_written = |global: naga::Handle<naga::GlobalVariable>| {
        entry[global].intersects(GlobalUse::WRITE | GlobalUse::ATOMIC)
    };
    let written = stage.resources.iter().find(|resource| is_written(resource.global));
    let Some(written) = written else { return Ok(()) };
    let word = format!("`{}`, which a vertex stage with cull distances writes", written.name);
    Err(LinkError::Unsupported { word, span: written.span.unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::ShaderStage;
    use crate::link::interface::Variable;
    use crate::link::testing;

    fn stage(stage: ShaderStage, body: &str) -> StageModule {
        testing::stage(stage, &format!("#version 450\n{body}"))
    }

    /// How many distances are looked at, and the varyings that carry them to the fragment stage.
    #[track_caller]
    fn check(vertex: &str, fragment: &str, expected: (usize, &str, &str)) {
        let vertex = Cow::Owned(stage(ShaderStage::Vertex, vertex));
        let fragment = Cow::Owned(stage(ShaderStage::Fragment, fragment));
        let Lowered { vertex, fragment, distances } = lower(vertex, Some(fragment));
        let fragment = fragment.expect("there is one");
        for stage in [&vertex, &fragment] {
            assert!(stage.builtins.iter().all(|it| it.builtin != BuiltIn::CullDistance));
        }
        let shown = |all: &[Variable]| {
            all.iter().map(|it| format!("{} {}", it.name, it.ty)).collect::<Vec<_>>().join(", ")
        };
        let (outputs, inputs) = (shown(&vertex.outputs), shown(&fragment.inputs));
        assert_eq!((distances.len(), outputs.as_str(), inputs.as_str()), expected);
    }

    #[test]
    fn every_element_culls_and_those_of_both_stages_are_passed_on() {
        let (silent, reader) =
            ("void main() {}", "out vec4 c; void main() { c = vec4(gl_CullDistance[1]); }");
        let three = "void main() { gl_CullDistance[2] = 1.0; }";
        check(three, silent, (3, "", ""));
        check(three, reader, (3, "gl_CullDistance float[2]", "gl_CullDistance float[2]"));
        check(
            "out float gl_CullDistance[5]; void main() { gl_CullDistance[0] = 1.0; }",
            silent,
            (5, "", ""),
        );
        check(silent, reader, (0, "", "gl_CullDistance float[2]"));
    }

    #[test]
    fn clip_and_cull_distances_are_eight_together() {
        let check = |clip: u32, cull: u32, is_right: bool| {
            let body = format!(
                "void main() {{ gl_ClipDistance[{clip}] = 1.0; gl_CullDistance[{cull}] = 1.0; }}"
            );
            assert_eq!(check_size(&stage(ShaderStage::Vertex, &body)).is_ok(), is_right, "{body}");
        };
        check(4, 2, true);
        check(3, 3, true);
        check(4, 3, false);
        check(7, 0, false);
    }
}
