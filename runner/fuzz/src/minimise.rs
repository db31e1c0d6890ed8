//! Minimises inputs that have a finding: removes lines, then bytes, in halves down to single ones.

use std::ops::Range;

use crate::mutate::lines;

/// Returns the smallest input found that still `fails`, after at most `attempts` runs.
pub(crate) fn minimise(
    input: &[u8],
    attempts: usize,
    mut fails: impl FnMut(&[u8]) -> bool,
) -> Vec<u8> {
    let mut left = attempts;
    let mut fails = |candidate: &[u8]| {
        left = left.checked_sub(1)?;
        Some(fails(candidate))
    };
    let mut best = input.to_vec();
    let bytes = |input: &[u8]| (0..input.len()).map(|at| at..at + 1).collect();
    // `None` means that no attempts are left.
    let _ = without_parts(&mut best, lines, &mut fails)
        .and_then(|()| without_parts(&mut best, bytes, &mut fails));
    best
}

/// Removes parts that are not needed: first half of all parts at a time, in the end each alone.
fn without_parts(
    best: &mut Vec<u8>,
    parts_of: impl Fn(&[u8]) -> Vec<Range<usize>>,
    fails: &mut impl FnMut(&[u8]) -> Option<bool>,
) -> Option<()> {
    let mut count = parts_of(best).len().div_ceil(2);
    while count > 0 {
        let mut at = 0;
        loop {
            let parts = parts_of(best);
            let Some(first) = parts.get(at) else { break };
            let last = &parts[(at + count).min(parts.len()) - 1];
            let mut candidate = best.clone();
            candidate.drain(first.start..last.end);
            if fails(&candidate)? {
                *best = candidate;
            } else {
                at += count;
            }
        }
        count = if count == 1 { 0 } else { count.div_ceil(2) };
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_is_left_out() {
        let input = "a\nb\nsome bug here\nc\nd\ne\n";
        let has_bug = |input: &[u8]| input.windows(3).any(|part| part == b"bug");
        assert_eq!(minimise(input.as_bytes(), 1000, has_bug), b"bug");
    }

    #[test]
    fn attempts_are_limited() {
        let mut count = 0;
        let input = "line\n".repeat(1000);
        let found = minimise(input.as_bytes(), 7, |_| {
            count += 1;
            false
        });
        assert_eq!((count, found.len()), (7, input.len()));
    }
}
