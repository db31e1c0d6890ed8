//! Detects expectations that hold for every program, or for none: numbers that a format cannot hold, tolerances as wide
//! as its range, comparisons that every value of a type satisfies.

use super::Subject;
use crate::reach::{self, Holds, Mistake, Wide};
use crate::state::depth_stencil::DepthAspect;
use crate::{Dialect, Probe, ReadExpectation, Setting, Step, Tolerance};
use ir::diagnostic::Diagnostic;
use ir::format::{Encoding, Format};

const HELP: &str = "it says nothing about the program, or can never be right";

/// Reports expectations about pixels or buffers that hold always or never, with the tolerance in force. In scripts an
/// expectation that never holds is not reported: the script fails.
pub(super) fn search(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let case = subject.case;
    let (mut tolerance, wide) = (Tolerance::DEFAULT, Wide::of(case.dialect));
    let mut has_textures = false;
    let mut found = Vec::new();
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
        let is_refused = |mistake: &Mistake| match case.dialect {
            Dialect::Interstage | Dialect::Piglit => true,
            Dialect::Vulkan => mistake.holds == Holds::Always,
        };
        if let Some(expectation) = step.value.reading()
            && let Some(mistake) = mistake(expectation, tolerance, wide, format).filter(is_refused)
        {
            found.push(Diagnostic::error(step.span, mistake.message).with_help(HELP));
        }
    }
    found
}

/// Message about a script's probe that every image of `format` satisfies, because of its own tolerance.
pub fn holds_for_every_pixel(probe: &Probe, format: Format) -> Option<String> {
    let mistake = reach::mistake_of_probe(probe, format, Tolerance::DEFAULT, Wide::AsTheType)?;
    (mistake.holds == Holds::Always).then_some(mistake.message)
}

/// The maximum difference of two values of a channel of `format`, as stored; `None` for floats, which have no maximum.
pub fn widest_error(format: Format) -> Option<f64> {
    let bits = (0..format.channel_count()).map(|channel| format.channel_bits(channel)).max()?;
    let steps = f64::from(u32::MAX >> (32 - bits.clamp(1, 32)));
    match format.encoding() {
        Encoding::Float => None,
        Encoding::Uint | Encoding::Sint | Encoding::Unorm | Encoding::UnormSrgb => Some(steps),
        // The least value and the next one represent the same number.
        Encoding::Snorm => Some(steps - 1.0),
    }
}

fn mistake(
    expectation: &ReadExpectation,
    tolerance: Tolerance,
    wide: Wide,
    format: impl Fn(u32) -> Option<Format>,
) -> Option<Mistake> {
    match expectation {
        ReadExpectation::Probe(probe) => {
            reach::mistake_of_probe(probe, format(probe.target)?, tolerance, wide)
        }
        ReadExpectation::Golden(golden) => {
            reach::mistake_of_golden(golden.rule, format(golden.target)?)
        }
        ReadExpectation::Depth(probe) => match probe.aspect {
            DepthAspect::Depth => reach::mistake_of_depth(probe.expected, tolerance),
            DepthAspect::Stencil => reach::mistake_of_stencil(probe.expected),
        },
        ReadExpectation::Buffer(probe) => reach::mistake_of_buffer(probe, tolerance, wide),
        ReadExpectation::XfbCount { .. }
        | ReadExpectation::Oracle(_)
        | ReadExpectation::Kept(_)
        | ReadExpectation::Alike(_) => None,
    }
}
