//! Lowers cull distances, which WebGPU does not have. A primitive is dropped if one of the distances is below zero at
//! all of its vertices (GLSL 4.60, 7.1.1; OpenGL 4.6 core, 13.7). Cull distances have no enables: all elements of the
//! array take part.
//!
//! Whether a primitive is culled must be known before any part of it is drawn. So the vertex stage first runs as a
//! compute stage (`vertex_compute`), which writes the cull distances of all vertices of a draw to a buffer. A
//! second pass copies the index list of the draw for each instance, and makes the culled primitives degenerate
//! (`cull_distance/cull.wgsl`).

use ir::diagnostic::counted;
use naga::{BuiltIn, Module, ResourceBinding};

use crate::LinkError;
use crate::compute::vertex_compute::VertexProgram;
use crate::lower::clip_distance::{MAX_PLANES, distances_of, pass_to_fragment_stage};
use crate::resource::bind::validate;
use crate::stages::RenderStages;
use crate::table::binding::BindingPoint;
use crate::table::pass::{Pass, Role};
use crate::table::shell::{ResultWire, VertexResults};
use ir::diagnostic::Diagnostic;
use ir::interface::{Place, ScalarKind};
use ir::stage_module::StageModule;

/// Removes `gl_CullDistance` from the stages' interfaces. Returns one wire per distance of the vertex stage; empty if
/// nothing is culled.
pub(crate) fn lower(RenderStages { vertex, fragment }: &mut RenderStages<'_>) -> Vec<ResultWire> {
    let written = distances_of(vertex, BuiltIn::CullDistance);
    let (kind, name) = (BuiltIn::CullDistance, "gl_CullDistance");
    pass_to_fragment_stage(vertex, fragment.as_mut(), kind, name, written);
    let Some((global, length)) = written else { return Vec::new() };
    vertex.to_mut().builtins.retain(|output| output.builtin != BuiltIn::CullDistance);
    let distance = |idx| ResultWire {
        place: Place { global, path: vec![idx] },
        scalar: ScalarKind::F32,
        size: 1,
        word: idx,
    };
    (0..length).map(distance).collect()
}

/// Checks that each stage has at most eight distances, and that the sizes that both stages declare are equal: the
/// fragment stage's array has the size of the vertex stage's (GLSL 1.30, 7.2). A size known only from indices is a
/// lower bound and does not count.
pub(crate) fn check_sizes(
    vertex: &StageModule,
    fragment: Option<&StageModule>,
) -> Result<(), LinkError> {
    check_size(vertex)?;
    let Some(fragment) = fragment else { return Ok(()) };
    check_size(fragment)?;
    let kinds =
        [(BuiltIn::ClipDistances, "gl_ClipDistance"), (BuiltIn::CullDistance, "gl_CullDistance")];
    for (kind, name) in kinds {
        let declared = |stage: &StageModule| {
            let is_used = stage.builtins.iter().any(|input| input.builtin == kind);
            stage.builtin_lengths.get(name).copied().filter(|_| is_used)
        };
        let (Some(written), Some(read)) = (declared(vertex), declared(fragment)) else { continue };
        if written != read {
            let message = format!(
                "`{name}` has size {written} in the vertex stage and {read} in the fragment stage"
            );
            return Err(LinkError::Refused(vec![Diagnostic::error(None, message)]));
        }
    }
    Ok(())
}

/// Checks that a stage has at most eight clip and cull distances together (GLSL 4.60, 7.1.1).
fn check_size(stage: &StageModule) -> Result<(), LinkError> {
    let count = |kind| distances_of(stage, kind).map_or(0, |(_, length)| length);
    let (clip, cull) = (count(BuiltIn::ClipDistances), count(BuiltIn::CullDistance));
    if clip + cull <= MAX_PLANES {
        return Ok(());
    }
    let clip = counted(clip, "element");
    let message = format!(
        "{clip} of `gl_ClipDistance` and {cull} of `gl_CullDistance` are more than {MAX_PLANES}"
    );
    Err(LinkError::Refused(vec![Diagnostic::error(None, message)]))
}

/// The passes that cull primitives, if `wires` has any distances.
pub(crate) fn link(
    wires: &[ResultWire],
    program: VertexProgram<'_>,
) -> Result<Vec<Pass>, LinkError> {
    if wires.is_empty() {
        return Ok(Vec::new());
    }
    program.check_writes("with cull distances")?;
    let results = VertexResults { wires: wires.to_vec(), ..VertexResults::default() };
    let distances = program.link(results, Role::Distances)?;
    let culling = culling(distances.at);
    validate(&culling.module)?;
    Ok(vec![distances, culling])
}

/// The pass that copies index lists without culled primitives, whose buffers have bindings from `at` on. The words of
/// its uniform, two `vec4<u32>`:
///
/// | word | what |
/// |---|---|
/// | 0 | index of the first word of the draw's list in the index lists |
/// | 1 | number of indices of one instance |
/// | 2 | vertices of a primitive |
/// | 3 | distances of a vertex |
/// | 4 | index of the first word of the copied lists, one for each instance |
pub fn culling(at: BindingPoint) -> Pass {
    let mut module = culling_module();
    for (_, global) in module.global_variables.iter_mut() {
        if let Some(ResourceBinding { group, binding }) = &mut global.binding {
            (*group, *binding) = (at.group, at.binding.saturating_add(*binding));
        }
    }
    Pass { module, at, stride: 1, role: Role::Culling }
}

fn culling_module() -> Module {
    let parsed = naga::front::wgsl::parse_str(include_str!("cull_distance/cull.wgsl"));
    parsed.expect("our own shader is right")
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use crate::testing;
    use ir::interface::Variable;
    use ir::stage::ShaderStage;

    use super::*;

    fn stage(stage: ShaderStage, body: &str) -> StageModule {
        testing::stage(stage, &format!("#version 450\n{body}"))
    }

    /// Checks the number of distances, and the varyings that carry them to the fragment stage.
    #[track_caller]
    fn check(vertex: &str, fragment: &str, expected: (usize, &str, &str)) {
        let vertex = Cow::Owned(stage(ShaderStage::Vertex, vertex));
        let fragment = Some(Cow::Owned(stage(ShaderStage::Fragment, fragment)));
        let mut stages = RenderStages { vertex, fragment };
        let distances = lower(&mut stages);
        let RenderStages { vertex, fragment } = stages;
        let fragment = fragment.expect("there is one");
        for stage in [&vertex, &fragment] {
            assert!(stage.builtins.iter().all(|known| known.builtin != BuiltIn::CullDistance));
        }
        let shown = |all: &[Variable]| {
            let all = all.iter().map(|variable| format!("{} {}", variable.name, variable.ty));
            all.collect::<Vec<_>>().join(", ")
        };
        let (outputs, inputs) = (shown(&vertex.outputs), shown(&fragment.inputs));
        assert_eq!((distances.len(), outputs.as_str(), inputs.as_str()), expected);
    }

    #[test]
    fn the_shader_is_valid_and_has_the_entry_point_of_every_module() {
        let module = culling(BindingPoint { group: 1, binding: 7 }).module;
        assert!(validate(&module).is_ok());
        assert_eq!(module.entry_points[0].name, ir::stage::ENTRY_POINT);
        let places = module.global_variables.iter().filter_map(|(_, global)| global.binding);
        let places: Vec<_> = places.map(|at| (at.group, at.binding)).collect();
        assert_eq!(places, [(1, 7), (1, 8), (1, 9), (1, 10)]);
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
    fn stages_that_declare_a_size_declare_the_same() {
        let check = |written: &str, read: &str, is_right: bool| {
            let vertex = format!(
                "{written} void main() {{ gl_ClipDistance[1] = gl_CullDistance[0] = 1.0; }}"
            );
            let fragment = format!(
                "{read} out vec4 c;
                void main() {{ c = vec4(gl_ClipDistance[0] + gl_CullDistance[0]); }}"
            );
            let vertex = stage(ShaderStage::Vertex, &vertex);
            let fragment = stage(ShaderStage::Fragment, &fragment);
            let found = check_sizes(&vertex, Some(&fragment));
            assert_eq!(found.is_ok(), is_right, "{written} {read}");
        };
        check("out float gl_ClipDistance[3];", "in float gl_ClipDistance[3];", true);
        check("out float gl_ClipDistance[3];", "in float gl_ClipDistance[2];", false);
        check("out float gl_ClipDistance[3];", "in float gl_ClipDistance[4];", false);
        check("out float gl_CullDistance[3];", "in float gl_CullDistance[2];", false);
        // Indices alone determine only a minimum size.
        check("out float gl_ClipDistance[3];", "", true);
        check("", "in float gl_ClipDistance[2];", true);
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
