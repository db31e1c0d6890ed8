//! Accepts the linker's results as the expectations of `[link]`, in lines that end with the expected value.

use interstage::case::linking::{MapExpectation, SlotExpectation, VaryingExpectation};
use interstage::case::{Case, LinkExpectation};
use interstage::check::verdict::Failure;
use interstage::ir::source::Spanned;

/// Prefix of a failure's line with the expected value.
const EXPECTED: &str = "expected ";

/// Prefix of a failure's line with the linker's result.
const ACTUAL: &str = "actual ";

/// Replaces the failed lines of `[link]` in `lines`, and adds each change to `changes`: `31: slots 2` before and after.
/// Returns `None` if a line cannot be replaced, because it has another form or parameters, or the linker has no result.
pub(super) fn rewrite(
    case: &Case,
    failures: &[Failure],
    lines: &mut [String],
    changes: &mut Vec<String>,
) -> Option<()> {
    for Spanned { value, span } in &case.link.expectations {
        let (number, _) = case.source.line_and_column(span.start);
        let Some(failure) = failures.iter().find(|failure| failure.line == Some(number)) else {
            continue;
        };
        let told = |prefix| failure.details.iter().find_map(|detail| detail.strip_prefix(prefix));
        let (expected, actual) = (told(EXPECTED)?.trim(), told(ACTUAL)?.trim());
        let old = case.source.slice(*span).trim();
        let new = expectation_text(value, old, [expected, actual])?;
        let line = lines.get_mut(number.checked_sub(1)?)?;
        let rewritten = line.contains(old).then(|| line.replacen(old, &new, 1))?;
        changes.push(format!("{number}: - {}\n{number}: + {}", line.trim(), rewritten.trim()));
        *line = rewritten;
    }
    Some(())
}

/// The text `old` of an expectation with the actual value in place of the expected one. Values that no case can expect
/// are detected when the case runs again.
fn expectation_text(
    expectation: &LinkExpectation,
    old: &str,
    [expected, actual]: [&str; 2],
) -> Option<String> {
    let with_actual = || old.strip_suffix(expected).map(|head| format!("{head}{actual}"));
    match expectation {
        LinkExpectation::Map(MapExpectation::Slots(line)) => match line {
            SlotExpectation::Count(_) => Some(format!("slots {actual}")),
            SlotExpectation::Placement { name, .. } => Some(format!("{name} {actual}")),
            SlotExpectation::Carrier { .. } => with_actual(),
            SlotExpectation::Unused(_) | SlotExpectation::Mismatch(_) => None,
        },
        LinkExpectation::Map(MapExpectation::Varyings(line)) => match line {
            VaryingExpectation::Steps(_)
            | VaryingExpectation::XfbChunks { .. }
            | VaryingExpectation::Layout(_) => with_actual(),
            VaryingExpectation::Removed { .. } | VaryingExpectation::Register { .. } => None,
        },
        LinkExpectation::Map(MapExpectation::Output(_))
        | LinkExpectation::Counter { .. }
        | LinkExpectation::Pipelines(_) => with_actual(),
        LinkExpectation::Map(MapExpectation::Alone(_))
        | LinkExpectation::Error(_)
        | LinkExpectation::Block(_)
        | LinkExpectation::OfPair { .. }
        | LinkExpectation::OfSeam { .. } => None,
    }
}
