//! Checks that exactly the programs with tessellation stages draw patches (OpenGL 4.6, section 10.1.15).

use crate::read::problem::Problem;
use crate::read::reader::Reader;
use crate::{Case, Dialect, Draw, DrawShape, Setting, Step, Topology};
use ir::diagnostic::Diagnostic;

/// Reports the first draw that does not fit the stages in use. In piglit's files it makes the case unsupported.
pub(super) fn check(reader: &mut Reader<'_>, case: &Case) {
    let mut has_stages = case.shaders.iter().any(|shader| shader.stage.has_patches());
    let unsuited = case.steps.iter().find(|step| {
        if let Step::Set(Setting::Use(used)) = &step.value {
            has_stages = used.names().present().any(|(stage, _)| stage.has_patches());
        }
        step.value.draw().is_some_and(|draw| is_of_patches(draw) != has_stages)
    });
    let Some(draw) = unsuited else { return };
    let is_used = case.settings().any(|setting| matches!(setting.value, Setting::Use(_)));
    let message = if has_stages {
        "tessellation stages need patches, but this draws something else"
    } else if is_used {
        "patches are drawn, but no tessellation stage is in use"
    } else {
        "patches are drawn, but the case has no tessellation stages"
    };
    match case.dialect {
        Dialect::Interstage | Dialect::ShaderLibrary | Dialect::Vulkan => {
            reader.report(Diagnostic::error(draw.span, message));
        }
        Dialect::Piglit => reader.report(Problem::unsupported(message, draw.span)),
    }
}

fn is_of_patches(draw: &Draw) -> bool {
    match &draw.shape {
        DrawShape::Arrays { topology, .. }
        | DrawShape::Indexed { topology, .. }
        | DrawShape::Captured { topology } => *topology == Topology::Patches,
        DrawShape::Rect(_) | DrawShape::RectOrtho(_) | DrawShape::RectTextured { .. } => {
            draw.is_patch
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::parse::parse;

    use super::*;

    #[track_caller]
    fn check(dialect: Dialect, sections: &str, draw: &str, expected: &str) {
        let vertex = if sections.contains("[vertex shader") { "" } else { "[vertex shader]\na\n" };
        let text = format!("{vertex}{sections}[test]\n{draw}\nprobe all rgba 0 0 0 0\n");
        let result = parse("a.shader_test", text.as_bytes(), dialect).remove(0).result;
        let found = result.err().map(|error| format!("{error:?}")).unwrap_or_default();
        assert!(found.contains(expected) && found.is_empty() == expected.is_empty(), "{found}");
    }

    #[test]
    fn patches_and_tessellation_stages_need_each_other() {
        let stages = "[tessellation evaluation shader]\nb\n";
        for dialect in [Dialect::Interstage, Dialect::Piglit] {
            check(dialect, stages, "draw rect patch 0 0 1 1", "");
            check(dialect, "", "draw rect 0 0 1 1", "");
            let missing = "patches are drawn, but the case has no tessellation stages";
            check(dialect, "", "draw rect patch 0 0 1 1", missing);
            let other = "tessellation stages need patches, but this draws something else";
            check(dialect, stages, "draw rect 0 0 1 1", other);
        }
    }
    #[test]
    fn draws_are_of_patches_where_the_stages_in_use_take_them() {
        let stages = "[fragment shader f]\nb\n[tessellation evaluation shader e]\nb\n";
        let check = |steps: &str, expected: &str| {
            let sections = format!("{stages}[vertex shader v]\n");
            check(Dialect::Interstage, &sections, steps, expected);
        };
        let (patch, rect) = ("draw rect patch 0 0 1 1", "draw rect 0 0 1 1");
        check(&format!("use v e f\n{patch}\nuse v f\n{rect}\nuse v e\n{patch}"), "");
        let missing = "patches are drawn, but no tessellation stage is in use";
        check(&format!("use v e f\n{patch}\nuse v f\n{patch}"), missing);
        let other = "tessellation stages need patches, but this draws something else";
        check(&format!("use v f\n{rect}\nuse v e f\n{rect}"), other);
        check(&format!("use v e f\n{patch}\nxfb draw arrays points 0 1"), other);
    }
}
