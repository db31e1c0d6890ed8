//! piglit's protocol on stdout, so that piglit and deqp-runner can run interstage as one of their test programs.
//!
//! A run of one case ends with `PIGLIT: {"result": "pass" }`, byte for byte as piglit's own programs print it. A run of
//! several cases also has a line `PIGLIT: {"subtest": {"name" : "pass"}}` for each; its result is that of the worst
//! case.

use std::io::Write;

use crate::event::{Event, Report};
use crate::outcome::CaseResult;
use crate::outcome::status::Status;

/// piglit's result words, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Word {
    Skip,
    Pass,
    Warn,
    Fail,
    Timeout,
    Crash,
}

/// Prints the protocol.
#[derive(Debug)]
pub struct Protocol<W> {
    out: W,
    has_subtests: bool,
    worst: Option<Word>,
}

impl<W: Write> Protocol<W> {
    /// Prints to `out`; also prints a line per case unless `cases` is one.
    pub const fn new(out: W, cases: usize) -> Self {
        Self { out, has_subtests: cases != 1, worst: None }
    }

    fn report(&mut self, result: &CaseResult) -> std::io::Result<()> {
        let word = Word::of(result.status);
        self.worst = self.worst.max(Some(word));
        if self.has_subtests {
            let name = plain(&result.name);
            writeln!(self.out, "PIGLIT: {{\"subtest\": {{\"{name}\" : \"{}\"}}}}", word.text())?;
        }
        Ok(())
    }

    fn finish(&mut self) -> std::io::Result<()> {
        let word = self.worst.take().unwrap_or(Word::Skip);
        writeln!(self.out, "PIGLIT: {{\"result\": \"{}\" }}", word.text())?;
        self.out.flush()
    }
}

impl<W: Write> Report for Protocol<W> {
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        match event {
            Event::AdapterStarted { .. } | Event::CaseDone(_) => {}
            Event::CaseReported(result) => self.report(result)?,
            Event::AdapterFinished => self.finish()?,
        }
        Ok(())
    }
}

impl Word {
    pub(super) const fn of(status: Status) -> Self {
        match status {
            Status::Pass | Status::ImprovedToPass => Self::Pass,
            Status::Fail | Status::Broken | Status::NoDevice | Status::ImprovedToFail => Self::Fail,
            Status::Skip
            | Status::Unsupported
            | Status::Undecided
            | Status::Untested
            | Status::NoAdapter
            | Status::ImprovedToSkip => Self::Skip,
            Status::Crash => Self::Crash,
            Status::Timeout => Self::Timeout,
            // These did not pass at the first attempt, which the caller must see.
            Status::Flake | Status::Slow | Status::KnownFlake | Status::ExpectedFail => Self::Warn,
        }
    }

    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::Pass => "pass",
            Self::Warn => "warn",
            Self::Fail => "fail",
            Self::Timeout => "timeout",
            Self::Crash => "crash",
        }
    }
}

/// Replaces quotes, which end a name in the protocol, and commas, at which deqp-runner splits.
fn plain(name: &str) -> String {
    let safe = |char: char| match char {
        ',' => ';',
        '"' | '\\' => '_',
        char if char.is_control() => '_',
        char => char,
    };
    name.chars().map(safe).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use interstage::check::verdict::Verdict;

    use super::*;
    use crate::outcome::Outcome;

    #[track_caller]
    fn check(outcomes: &[(&str, Outcome)], expected: Expect) {
        let mut text = Vec::new();
        let mut protocol = Protocol::new(&mut text, outcomes.len());
        for (name, outcome) in outcomes {
            let result = CaseResult::bare(name, outcome.clone(), 0.0, String::new());
            protocol.hear(&Event::CaseReported(&result)).unwrap();
        }
        protocol.hear(&Event::AdapterFinished).unwrap();
        expected.assert_eq(&String::from_utf8(text).unwrap());
    }

    #[test]
    fn one_case_is_one_result() {
        let pass = Outcome::Finished(Verdict::Pass);
        check(
            &[("a.shader_test", pass)],
            expect![[r#"
            PIGLIT: {"result": "pass" }
        "#]],
        );
    }

    #[test]
    fn of_several_cases_the_worst_is_the_result() {
        let skip = Outcome::Finished(Verdict::Skip(String::new()));
        check(
            &[
                ("cases/v/a\"b\".shader_test#n=1,m=2", Outcome::Finished(Verdict::Pass)),
                ("b.shader_test", Outcome::TimedOut { seconds: 1.0 }),
                ("c.shader_test", skip),
            ],
            expect![[r#"
                PIGLIT: {"subtest": {"cases/v/a_b_.shader_test#n=1;m=2" : "pass"}}
                PIGLIT: {"subtest": {"b.shader_test" : "timeout"}}
                PIGLIT: {"subtest": {"c.shader_test" : "skip"}}
                PIGLIT: {"result": "timeout" }
            "#]],
        );
    }
}
