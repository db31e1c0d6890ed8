//! Accepts what the linker decided as the expectations of `[link]`: the number of slots, and the slots of varyings.

use interstage::case::{Case, LinkExpectation};
use interstage::check::verdict::Failure;
use interstage::ir::source::Spanned;

/// Prefix of the line of a failure that tells what the linker decided.
const ACTUAL: &str = "actual ";

/// Replaces the failed lines of `[link]` in `lines`, and adds each change to `changes`: `31: slots 2` before and after.
/// None if one cannot be replaced: it says something else, the linker decided nothing, or the line has parameters.
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
        let actual = failure.details.iter().find_map(|detail| detail.strip_prefix(ACTUAL))?.trim();
        let new = expectation_text(value, actual)?;
        let line = lines.get_mut(number.checked_sub(1)?)?;
        let old = case.source.slice(*span).trim();
        let rewritten = line.contains(old).then(|| line.replacen(old, &new, 1))?;
        changes.push(format!("{number}: - {}\n{number}: + {}", line.trim(), rewritten.trim()));
        *line = rewritten;
    }
    Some(())
}

/// The expectation with another value, as a case has it.
fn expectation_text(expectation: &LinkExpectation, actual: &str) -> Option<String> {
    match expectation {
        LinkExpectation::Slots(_) => Some(format!("slots {actual}")),
        LinkExpectation::Placement { name, .. } => Some(format!("{name} {actual}")),
        LinkExpectation::Unused(_)
        | LinkExpectation::Removed { .. }
        | LinkExpectation::Steps(_)
        | LinkExpectation::Carrier { .. }
        | LinkExpectation::Output { .. }
        | LinkExpectation::Distances(_)
        | LinkExpectation::XfbChunks { .. }
        | LinkExpectation::XfbStride { .. }
        | LinkExpectation::Layout(_)
        | LinkExpectation::Register { .. }
        | LinkExpectation::Counter { .. }
        | LinkExpectation::Mismatch(_)
        | LinkExpectation::TwoSided(_)
        | LinkExpectation::Error(_)
        | LinkExpectation::Pipelines(_)
        | LinkExpectation::Alone(_)
        | LinkExpectation::OfPair { .. }
        | LinkExpectation::Block { .. }
        | LinkExpectation::Member { .. } => None,
    }
}
