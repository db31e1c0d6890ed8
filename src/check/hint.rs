//! Hints about common GL mistakes that may explain a failure.

use std::collections::BTreeSet;

use case::state::{Capability, StateChange};
use case::{Case, Language, ReadExpectation, Setting, draws};
use link::program::{LinkedProgram, LinkedStages};
use link::table::leaf::ActiveVariable;
use link::table::shell::PointSizeRule;

/// Possible explanations of a failure of the case, one sentence each.
pub fn hints(case: &Case, program: &LinkedProgram) -> Vec<String> {
    let clip = idle_clip_distances(case, program);
    let point = idle_point_size(case, program);
    let targets = unwritten_targets(case, program);
    clip.into_iter().chain(point).chain(targets).chain(unset_uniforms(case, program)).collect()
}

/// Finds clip distances without effect: GL clips by a distance only while its plane is enabled (OpenGL 4.6, 13.7).
fn idle_clip_distances(case: &Case, program: &LinkedProgram) -> Option<String> {
    let is_glsl = case.shaders.iter().all(|shader| shader.language != Language::Wgsl);
    let enabled: BTreeSet<u32> = case
        .state_changes()
        .filter_map(|change| {
            let StateChange::Switch { capability: Capability::ClipPlane(plane), is_enabled: true } =
                change
            else {
                return None;
            };
            Some(u32::from(*plane))
        })
        .collect();
    let idle: Vec<_> = (0..program.map.distances.clip)
        .filter(|plane| is_glsl && !enabled.contains(plane))
        .map(|plane| plane.to_string())
        .collect();
    let first = idle.first()?;
    Some(format!(
        "elements of `gl_ClipDistance` clip nothing, because their planes are never enabled ({}): \
         add `enable GL_CLIP_PLANE{first}`",
        idle.join(", ")
    ))
}

/// Finds a point size without effect: it is 1 while `GL_PROGRAM_POINT_SIZE` is disabled (OpenGL 4.6, 14.4).
fn idle_point_size(case: &Case, program: &LinkedProgram) -> Option<String> {
    let is_written = case.source.text().contains("gl_PointSize");
    let is_idle = program.draw.points == Some(PointSizeRule::WhenEnabled)
        && is_written
        && !draws::is_point_size_enabled(case);
    let text = "`gl_PointSize` has no effect, because it is never enabled: add `enable GL_PROGRAM_POINT_SIZE`";
    is_idle.then(|| text.to_owned())
}

/// Finds probed render targets that no draw writes and that keep the clear colour.
fn unwritten_targets(case: &Case, program: &LinkedProgram) -> Vec<String> {
    let probed: BTreeSet<u32> = case
        .readings()
        .filter_map(|step| {
            let ReadExpectation::Probe(probe) = step.value else { return None };
            Some(probe.target)
        })
        .collect();
    let has_draw = case.rasterised_draws().next().is_some();
    let idle = probed.into_iter().filter(|target| !program.draw.written_targets.contains(target));
    let has_stage = !matches!(program.stages, LinkedStages::Render { fragment: None, .. });
    let idle = idle.filter(|_| has_draw && has_stage && !case.draws_to_textures());
    idle.map(|target| format!("the fragment stage writes nothing to render target {target}"))
        .collect()
}

/// Finds uniforms that the program uses and the case never sets: they are zero.
fn unset_uniforms(case: &Case, program: &LinkedProgram) -> Option<String> {
    let is_set: BTreeSet<&str> = case
        .settings()
        .filter_map(|step| {
            let Setting::Uniform(uniform) = step.value else { return None };
            Some(base(&uniform.name))
        })
        .collect();
    let loose = program.reflections().flat_map(|reflection| &reflection.uniforms);
    let loose = loose.filter(|uniform| {
        uniform.block.is_none() && is_plain(uniform.gl_type) && !uniform.name.starts_with("gl_")
    });
    let is_at = |uniform: &ActiveVariable| {
        let locations = is_set.iter().filter_map(|name| name.parse::<u32>().ok());
        let first = uniform.location.unwrap_or(u32::MAX);
        let end = first.saturating_add(uniform.size);
        locations.into_iter().any(|location| (first..end).contains(&location))
    };
    let is_unset =
        |uniform: &&ActiveVariable| !is_set.contains(base(&uniform.name)) && !is_at(uniform);
    let unset: BTreeSet<&str> = loose.filter(is_unset).map(|uniform| base(&uniform.name)).collect();
    let names: Vec<_> = unset.iter().map(|name| format!("`{name}`")).collect();
    let (subject, verb) = match names.len() {
        0 => return None,
        1 => ("uniform", "is"),
        _ => ("uniforms", "are"),
    };
    Some(format!("{subject} {} {verb} never set by the case", names.join(", ")))
}

/// True for GL's scalar, vector and matrix types of 32 bits; false for samplers, images and counters (OpenGL 4.6, table
/// 7.3).
const fn is_plain(gl_type: u32) -> bool {
    matches!(gl_type, 0x1404..=0x1406 | 0x8b50..=0x8b5c | 0x8b65..=0x8b6a | 0x8dc6..=0x8dc8)
}

/// The variable that an element or member belongs to: `a` for `a[3].f`.
fn base(name: &str) -> &str {
    name.split(['[', '.']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use case::Dialect;
    use expect_test::{Expect, expect};

    use super::*;

    /// Checks the hints for a program with these declarations and this code, and a pass-through fragment stage.
    #[track_caller]
    fn check(vertex: (&str, &str), test: &str, expected: Expect) {
        let (declarations, code) = vertex;
        let targets =
            if test.contains("target 1") { "0 rgba8unorm\n1 rgba8unorm" } else { "0 rgba8unorm" };
        let test = format!(
            "[render targets]\n{targets}\n[test]\n{test}\ndraw rect -1 -1 2 2\nprobe all rgba 1 1 1 1"
        );
        let text = format!(
            "[require]\nGLSL >= 4.50\n[vertex shader]\nin vec4 piglit_vertex;\n{declarations}\n\
             void main() {{ gl_Position = piglit_vertex; {code} }}\n\
             [fragment shader]\nout vec4 color;\nvoid main() {{ color = vec4(1.0); }}\n\
             {test}\n"
        );
        let parsed = case::parse::parse("a", text.as_bytes(), Dialect::Interstage).swap_remove(0);
        let case = parsed.result.expect("a case");
        let program =
            prepare::linked_program(&case, link::AdapterRules::default()).expect("it links");
        expected.assert_eq(&hints(&case, &program).join("\n"));
    }

    #[test]
    fn distances_without_a_plane_are_told() {
        let five = (
            "out float gl_ClipDistance[2];",
            "gl_ClipDistance[0] = 1.0; gl_ClipDistance[1] = 1.0;",
        );
        check(
            five,
            "",
            expect![
                "elements of `gl_ClipDistance` clip nothing, because their planes are never enabled (0, 1): add `enable GL_CLIP_PLANE0`"
            ],
        );
        check(
            five,
            "enable GL_CLIP_PLANE0",
            expect![
                "elements of `gl_ClipDistance` clip nothing, because their planes are never enabled (1): add `enable GL_CLIP_PLANE1`"
            ],
        );
        let both = "enable GL_CLIP_PLANE0\nenable GL_CLIP_PLANE1";
        check(five, both, expect![""]);
    }

    #[test]
    fn targets_that_nothing_is_written_to_are_told() {
        check(
            ("", ""),
            "draw rect -1 -1 2 2\nprobe target 1 all rgba 1 1 1 1",
            expect!["the fragment stage writes nothing to render target 1"],
        );
        check(("", ""), "", expect![""]);
    }

    #[test]
    fn uniforms_that_are_never_set_are_told() {
        let used = ("uniform float a[2];\nuniform vec2 b;", "gl_Position.x += a[1] + b.y;");
        check(used, "", expect!["uniforms `a`, `b` are never set by the case"]);
        check(used, "uniform float a[1] 0", expect!["uniform `b` is never set by the case"]);
        check(used, "uniform float a[1] 0\nuniform vec2 b 0 0", expect![""]);
        let at = ("layout(location = 3) uniform float a[2];", "gl_Position.x += a[1];");
        check(at, "uniform float 4 0", expect![""]);
        check(at, "", expect!["uniform `a` is never set by the case"]);
    }
}
