//! Cases that take long.

use std::fmt::Write as _;

use crate::outcome::CaseResult;

/// Seconds from which on a case is slow: on processors if the system reports them, else of its duration.
pub const SLOW_AFTER: f32 = 10.0;

/// Maximum number of cases that the terminal names.
const NAMES: usize = 5;

/// The slow cases of a run.
#[derive(Debug, Default)]
pub(super) struct SlowCases(Vec<(f32, String)>);

impl SlowCases {
    /// Adds the case if it is slow.
    pub(super) fn add(&mut self, result: &CaseResult) {
        let cost = result.cost();
        if cost >= SLOW_AFTER {
            let unit = if result.cpu_seconds.is_some() { "CPU s" } else { "s" };
            self.0.push((cost, format!("  {cost:.1} {unit}  {}\n", result.name)));
        }
    }

    /// Names the slowest cases, the slowest first; empty if none is slow.
    pub(super) fn draw(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let mut cases: Vec<_> = self.0.iter().collect();
        cases.sort_by(|left, right| right.0.total_cmp(&left.0));
        let mut text = format!("slow, {SLOW_AFTER} s or longer: {}\n", cases.len());
        text.extend(cases.iter().take(NAMES).map(|(_, line)| line.as_str()));
        if let Some(more) = cases.len().checked_sub(NAMES).filter(|more| *more > 0) {
            let _ = writeln!(text, "  … and {more} more");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use interstage::check::verdict::Verdict;

    use super::*;
    use crate::outcome::Outcome;

    #[test]
    fn the_slowest_are_named_first_by_time_on_processors() {
        let mut slow = SlowCases::default();
        assert_eq!(slow.draw(), "");
        // On a busy machine a case takes long without much work.
        for (name, seconds, cpu_seconds) in
            [("busy", 30.0, Some(2.0)), ("a", 12.0, Some(11.0)), ("b", 17.0, None)]
        {
            let passed = Outcome::Finished(Verdict::Pass);
            let result = CaseResult::bare(name, passed, seconds, String::new());
            slow.add(&CaseResult { cpu_seconds, ..result });
        }
        expect![[r"
            slow, 10 s or longer: 2
              17.0 s  b
              11.0 CPU s  a
        "]]
        .assert_eq(&slow.draw());
    }
}
