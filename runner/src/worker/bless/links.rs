//! Accepts the linker's results as the expectations of `[link]`, in lines that end with the expected value.

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
    match expectation {
        LinkExpectation::Slots(_) => Some(format!("slots {actual}")),
        LinkExpectation::Placement { name, .. } => Some(format!("{name} {actual}")),
        LinkExpectation::Steps(_)
        | LinkExpectation::Carrier { .. }
        | LinkExpectation::Output { .. }
        | LinkExpectation::Distances(_)
        | LinkExpectation::XfbChunks { .. }
        | LinkExpectation::XfbStride { .. }
        | LinkExpectation::Layout(_)
        | LinkExpectation::Counter { .. }
        | LinkExpectation::TwoSided(_)
        | LinkExpectation::Pipelines(_) => {
            old.strip_suffix(expected).map(|head| format!("{head}{actual}"))
        }
        LinkExpectation::Unused(_)
        | LinkExpectation::Removed { .. }
        | LinkExpectation::Register { .. }
        | LinkExpectation::Mismatch(_)
        | LinkExpectation::Error(_)
        | LinkExpectation::Alone(_)
        | LinkExpectation::OfPair { .. }
        | LinkExpectation::OfSeam { .. }
        | LinkExpectation::Block { .. }
        | LinkExpectation::Member { .. } => None,
    }
}
