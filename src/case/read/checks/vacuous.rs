//! Checks for expectations that hold for every program, or for none: numbers that a format cannot hold, tolerances as
//! wide as its range, comparisons that every value of a type satisfies.

use crate::depth_stencil::DepthAspect;
use crate::read::reader::Reader;
use crate::{Case, Expectation, Setting, Step, Tolerance, reach};
use ir::diagnostic::Diagnostic;
use ir::format::Format;

/// Checks every expectation about pixels or buffers, with the tolerance in force.
pub(super) fn check(reader: &mut Reader<'_>, case: &Case) {
    let mut tolerance = Tolerance::DEFAULT;
    let mut has_textures = false;
    for step in &case.steps {
        if let Step::Set(Setting::Tolerance(other)) = &step.value {
            tolerance = *other;
        }
        // From here on, probes read textures, whose formats are known only when the case is planned.
        has_textures |= matches!(&step.value, Step::Set(setting) if setting.is_framebuffer());
        let format = |target: u32| {
            let mut own = case.render_targets.iter().filter(|_| !has_textures);
            own.find(|known| known.index == target).map(|known| known.format)
        };
        if let Step::Expect(expectation) = &step.value
            && let Some(message) = mistake(expectation, tolerance, format)
        {
            let help = "it says nothing about the program, or can never be right";
            reader.report(Diagnostic::error(step.span, message).with_help(help));
        }
    }
}

fn mistake(
    expectation: &Expectation,
    tolerance: Tolerance,
    format: impl Fn(u32) -> Option<Format>,
) -> Option<String> {
    match expectation {
        Expectation::Probe(probe) => {
            reach::mistake_of_probe(probe, format(probe.target)?, tolerance)
        }
        Expectation::Golden(golden) => {
            reach::mistake_of_golden(golden.rule, format(golden.target)?)
        }
        Expectation::Depth(probe) => match probe.aspect {
            DepthAspect::Depth => reach::mistake_of_depth(probe.expected, tolerance),
            DepthAspect::Stencil => reach::mistake_of_stencil(probe.expected),
        },
        Expectation::Buffer(probe) => reach::mistake_of_buffer(probe, tolerance),
        Expectation::LinkSuccess
        | Expectation::LinkError(_)
        | Expectation::CompileError(_)
        | Expectation::XfbVaryings(_)
        | Expectation::XfbCount { .. }
        | Expectation::Oracle(_)
        | Expectation::Kept(_)
        | Expectation::Alike(_)
        | Expectation::Query(_) => None,
    }
}
