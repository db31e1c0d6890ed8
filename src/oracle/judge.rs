//! Judges the results of an adapter, and names the likely cause of each failure.

use case::{Case, ReadExpectation, Setting, Step, Tolerance};
use check::verdict::Failure;
use check::{Goldens, check};
use ir::readback::{Readback, Snapshot};

use crate::{Comparison, Oracle};

/// The oracle's findings about a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// The failures of the case, each with its likely cause, and those that only the oracle detects.
    pub failures: Vec<Failure>,
    /// Number of failures that report only that too many values are undecided.
    pub vague: usize,
    /// Counts over all values.
    pub all: Comparison,
}

/// The likely cause of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The linker: linked and unlinked programs differ.
    Linker,
    /// Naga or the driver: the adapter differs from the executor.
    NagaOrDriver,
    /// The case: the adapter agrees with the executor, and the case expects something else.
    Case,
    /// The oracle: the case expects what the adapter returns, and the executor returns something else.
    Oracle,
    /// Unknown: the executor does not determine the values, or all three differ.
    Unknown,
}

impl Blame {
    /// The cause as one line of a failure.
    pub const fn line(self) -> &'static str {
        match self {
            Self::Linker => "blame     the linker: unlinked, the program gives something else",
            Self::NagaOrDriver => "blame     naga or the driver: the executor gives something else",
            Self::Case => "blame     the case: the executor gives the same",
            Self::Oracle => "blame     the executor, or undefined behaviour",
            Self::Unknown => {
                "blame     not decided: the values depend on rounding or are undefined"
            }
        }
    }
}

impl Oracle {
    /// Judges the results of an adapter and the `failures` of its case.
    pub fn judge(
        &self,
        case: &Case,
        found: &Readback,
        goldens: &Goldens,
        failures: Vec<Failure>,
    ) -> Judgement {
        let linked = check(case, &self.linked, goldens);
        let unlinked = self.unlinked.as_ref().map(|unlinked| check(case, unlinked, goldens));
        let unlinked = unlinked.unwrap_or_else(|_| linked.clone());
        let mut judge = Judge {
            oracle: self,
            case,
            linking: self.linking(),
            failing: [&linked, &unlinked].map(|failures| lines(failures)),
            own: lines(&failures),
            slack: [0.0; 4],
            blames: Vec::new(),
            judgement: Judgement { failures, ..Judgement::default() },
        };
        judge.all_steps(found);
        judge.finish()
    }
}

/// Line of each failure; `None` for one that belongs to no line.
fn lines(failures: &[Failure]) -> Vec<Option<usize>> {
    failures.iter().map(|failure| failure.line).collect()
}

/// What an adapter returned for an expectation, and what the executor did.
type Pair<'a> = (&'a Snapshot, Option<&'a Snapshot>);

struct Judge<'a> {
    oracle: &'a Oracle,
    case: &'a Case,
    /// The first difference between the linked and the unlinked program, with its step.
    linking: Option<(usize, Comparison)>,
    /// Lines of the expectations that fail on the executor: with the linked program, and with the unlinked one.
    failing: [Vec<Option<usize>>; 2],
    /// Lines of the expectations that fail on the adapter.
    own: Vec<Option<usize>>,
    /// Additional differences that the case permits, by channel.
    slack: [f64; 4],
    /// Likely cause of each failure, by its line.
    blames: Vec<(Option<usize>, Blame)>,
    judgement: Judgement,
}

impl Judge<'_> {
    fn all_steps(&mut self, found: &Readback) {
        let mut last: Option<(Pair<'_>, [f64; 4], Comparison)> = None;
        let oracle = self.oracle;
        for (idx, step) in self.case.steps.iter().enumerate() {
            if let Step::Set(Setting::Tolerance(Tolerance::Absolute(slack))) = &step.value {
                self.slack = *slack;
            }
            let Some(expectation) = step.value.reading() else { continue };
            let asks = matches!(expectation, ReadExpectation::Oracle(_));
            let Some(snapshot) = found.snapshots.get(idx).and_then(Option::as_ref) else {
                if asks {
                    self.fail(idx, vec!["nothing was read back".to_owned()]);
                }
                continue;
            };
            // Consecutive expectations mostly read the same snapshot.
            let pair = (snapshot, oracle.linked.snapshots.get(idx).and_then(Option::as_ref));
            let slack = if asks { self.slack } else { [0.0; 4] };
            let known = last.take().filter(|(known, ..)| *known == pair);
            let is_new = known.is_none();
            let comparison = match known {
                Some((_, known, comparison))
                    if known.map(f64::to_bits) == slack.map(f64::to_bits) =>
                {
                    comparison
                }
                _ => oracle.compare(idx, snapshot, slack),
            };
            if is_new {
                self.judgement.all.add(&comparison);
            }
            self.step(idx, &comparison, [asks, is_new]);
            last = Some((pair, slack, comparison));
        }
    }

    /// Judges one expectation. `asks`: it asks for the oracle. `is_new`: no earlier expectation read the same snapshot.
    fn step(&mut self, idx: usize, comparison: &Comparison, [asks, is_new]: [bool; 2]) {
        let line = self.case.steps.get(idx).map(|step| step.span.start);
        let line = line.map(|start| self.case.source.line_and_column(start).0);
        let [linked_fails, unlinked_fails] = self.failing.each_ref().map(|all| all.contains(&line));
        let differs = comparison.different > 0;
        if self.own.contains(&line) {
            let blame = match (differs, linked_fails) {
                _ if self.linking.is_some() && !unlinked_fails => Blame::Linker,
                (true, false) => Blame::NagaOrDriver,
                (false, true) => Blame::Case,
                (true, true) | (false, false) => Blame::Unknown,
            };
            self.blames.push((line, blame));
        } else if differs && (is_new || asks) {
            let blame = if linked_fails { Blame::Oracle } else { Blame::NagaOrDriver };
            self.fail(idx, difference(comparison, "the adapter", blame));
        } else if asks && comparison.is_vague() {
            self.judgement.vague += 1;
            self.fail(idx, vec![comparison.counts(), Blame::Unknown.line().to_owned()]);
        }
    }

    fn fail(&mut self, step: usize, details: Vec<String>) {
        let failure = match self.case.steps.get(step) {
            Some(step) => Failure::of_text(&self.case.source, step.span, details),
            None => Failure::of_case("oracle", details),
        };
        self.judgement.failures.push(failure);
    }

    fn finish(mut self) -> Judgement {
        for failure in self.judgement.failures.iter_mut().take(self.own.len()) {
            let blame = self.blames.iter().find(|(line, _)| *line == failure.line);
            failure.details.extend(blame.map(|(_, blame)| blame.line().to_owned()));
        }
        if let Some((step, comparison)) = self.linking.take() {
            self.fail(step, difference(&comparison, "linked", Blame::Linker));
        }
        self.judgement
    }
}

/// Lines of a failure about a difference that no expectation detects.
fn difference(comparison: &Comparison, who: &str, blame: Blame) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some((place, found, expected)) = &comparison.first {
        lines.push(format!("oracle    {place}: {who} gives {found}, the executor {expected}"));
    }
    lines.push(comparison.counts());
    lines.push(blame.line().to_owned());
    lines
}
