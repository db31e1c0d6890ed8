//! Detects expectations that hold for every program, or for none: numbers that a format cannot hold, tolerances as wide
//! as its range, comparisons that every value of a type satisfies.

use super::Subject;
use crate::expectation::reach::{self, Holds, Mistake, Wide};
use crate::{Dialect, Probe, Setting, Step, Tolerance};
use ir::diagnostic::Diagnostic;
use ir::format::{Encoding, Format};

const HELP: &str = "it says nothing about the program, or can never be right";

/// Reports expectations about pixels or buffers that hold always or never, with the tolerance in force. In scripts an
/// expectation that never holds is not reported: the script fails.
pub(super) fn search(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let case = subject.case;
    let (mut tolerance, wide) = (Tolerance::DEFAULT, wide_in(case.dialect));
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
            Dialect::Interstage | Dialect::ShaderLibrary | Dialect::Piglit => true,
            Dialect::Vulkan => mistake.holds == Holds::Always,
        };
        if let Some(expectation) = step.value.reading()
            && let Some(mistake) = expectation.mistake(tolerance, wide, format).filter(is_refused)
        {
            found.push(Diagnostic::error(step.span, mistake.message).with_help(HELP));
        }
    }
    found
}

/// The condition under which a tolerance is too wide in a dialect. A script may be as tolerant as its readers allow, as
/// long as it can fail.
const fn wide_in(dialect: Dialect) -> Wide {
    match dialect {
        Dialect::Interstage | Dialect::ShaderLibrary | Dialect::Piglit => Wide::AsTheNumber,
        Dialect::Vulkan => Wide::AsTheType,
    }
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
