//! Says what an adapter may give, by the executor, and whose fault a difference is.
//!
//! A program runs three times: its stages as they were compiled (U), and linked (L), on the executor; and linked on the
//! adapter (A). U and L must agree bit for bit. A must lie in the range of several runs of U with [`cpu::Noise`].

mod range;

use case::{Case, Expectation};
use check::verdict::Failure;
use check::{Goldens, check};
use cpu::{Executable, Noise, UnlinkedStages, Way, planned};
use ir::readback::{Extent, Readback, Snapshot};
use link::session::LinkedPrograms;
use plan::ExecuteError;

pub use range::{Comparison, Expected, compare};

/// Results of a case on the executor.
#[derive(Clone, Debug)]
pub struct Oracle {
    /// Result of the stages before linking, or the reason why there is none.
    pub unlinked: Result<Readback, String>,
    /// Result of the linked program.
    pub linked: Readback,
    /// Results with noise: of the unlinked stages, but of the linked program if there are none or if they differ.
    noisy: Vec<Readback>,
}

/// What the oracle found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// The failures of the case, each with whose fault it looks like, and those that only the oracle sees.
    pub failures: Vec<Failure>,
    /// All values together.
    pub all: Comparison,
}

/// Whose fault a difference looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// Linked and unlinked programs differ.
    Linker,
    /// The executor gives something else.
    NagaOrDriver,
    /// The executor gives the same, and the case expects something else.
    Case,
    /// The case expects what the adapter gives, and the executor something else.
    Oracle,
    /// The executor does not know the values, or all three differ.
    Unknown,
}

impl Blame {
    /// One line for a failure.
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
    /// Runs a case on the executor. `stages` are those of its programs before linking.
    ///
    /// # Errors
    /// The reason why the linked program does not run there.
    pub fn of(
        case: &Case,
        stages: &[UnlinkedStages<'_>],
        programs: &LinkedPrograms,
    ) -> Result<Self, String> {
        let text = |error: ExecuteError| error.to_string();
        let plan = planned(case, programs).map_err(text)?;
        let linked_code = Executable::new(case, programs, plan).map_err(text)?;
        let linked = linked_code.run(Extent::Whole).map_err(text)?;
        let code = Executable::unlinked(case, stages, programs);
        let unlinked = code.as_ref().map_err(ToString::to_string);
        let unlinked = unlinked.and_then(|code| code.run(Extent::Whole).map_err(text));
        let is_like_linked =
            unlinked.as_ref().is_ok_and(|unlinked| unlinked.snapshots == linked.snapshots);
        let code = code.ok().filter(|_| is_like_linked).unwrap_or(linked_code);
        let noisy = Noise::RUNS.into_iter().map(|noise| {
            let way = Way { extent: Extent::Whole, noise: Some(noise) };
            // A run that does not end says that nothing is known.
            code.run(way).unwrap_or_default()
        });
        let noisy = noisy.collect();
        Ok(Self { unlinked, linked, noisy })
    }

    /// The first difference of linked and unlinked program.
    fn linking(&self) -> Option<(usize, Comparison)> {
        let unlinked = self.unlinked.as_ref().ok()?;
        let pairs = unlinked.snapshots.iter().zip(&self.linked.snapshots).enumerate();
        pairs.filter_map(|(step, pair)| (pair.0 != pair.1).then_some((step, pair))).find_map(
            |(step, (unlinked, linked))| {
                let (unlinked, linked) = (unlinked.as_ref()?, linked.as_ref()?);
                Some((step, compare(&[unlinked], linked)))
            },
        )
    }

    /// Compares what came back at a step.
    fn compare(&self, step: usize, found: &Snapshot) -> Comparison {
        let runs = std::iter::once(&self.linked).chain(&self.noisy);
        // A run that did not end has no snapshot, and then nothing is known.
        let runs: Option<Vec<&Snapshot>> =
            runs.map(|run| run.snapshots.get(step)?.as_ref()).collect();
        compare(&runs.unwrap_or_default(), found)
    }

    /// Judges what an adapter gave, and its `failures`.
    pub fn judge(
        &self,
        case: &Case,
        found: &Readback,
        goldens: &Goldens,
        failures: Vec<Failure>,
    ) -> Judgement {
        let count = failures.len();
        let mut judgement = Judgement { failures, ..Judgement::default() };
        let linking = self.linking();
        let of_linked = check(case, &self.linked, goldens);
        let of_unlinked = self.unlinked.as_ref().map(|own| check(case, own, goldens));
        let of_unlinked = of_unlinked.unwrap_or_else(|_| of_linked.clone());
        let fails = |failures: &[Failure], line: Option<usize>| {
            failures.iter().any(|failure| failure.line == line)
        };
        let mut last: Option<((&Snapshot, Option<&Snapshot>), Comparison)> = None;
        let mut told = Vec::new();
        for (idx, step) in case.steps.iter().enumerate() {
            let Some(expectation) = step.value.expectation() else { continue };
            let asks = matches!(expectation, Expectation::Oracle(_));
            let Some(snapshot) = found.snapshots.get(idx).and_then(Option::as_ref) else {
                if asks {
                    let details = vec!["nothing was read back".to_owned()];
                    judgement.failures.push(Failure::of_text(&case.source, step.span, details));
                }
                continue;
            };
            // Expectations that follow each other mostly look at the same.
            let pair = (snapshot, self.linked.snapshots.get(idx).and_then(Option::as_ref));
            let known = last.take().filter(|(known, _)| *known == pair);
            let is_new = known.is_none();
            let comparison = known.map_or_else(|| self.compare(idx, snapshot), |(_, known)| known);
            if is_new {
                judgement.all.add(&comparison);
            }
            let differs = comparison.different > 0;
            let line = Some(case.source.line_and_column(step.span.start).0);
            let [linked_fails, unlinked_fails] =
                [&of_linked, &of_unlinked].map(|failures| fails(failures, line));
            if fails(&judgement.failures[..count], line) {
                let blame = match (differs, linked_fails) {
                    _ if linking.is_some() && !unlinked_fails => Blame::Linker,
                    (true, false) => Blame::NagaOrDriver,
                    (false, true) => Blame::Case,
                    (true, true) | (false, false) => Blame::Unknown,
                };
                told.push((line, blame));
            } else if differs && (is_new || asks) {
                let blame = if linked_fails { Blame::Oracle } else { Blame::NagaOrDriver };
                let details = difference(&comparison, "the adapter", blame);
                judgement.failures.push(Failure::of_text(&case.source, step.span, details));
            } else if asks && comparison.is_vague() {
                let details = vec![comparison.counts(), Blame::Unknown.line().to_owned()];
                judgement.failures.push(Failure::of_text(&case.source, step.span, details));
            }
            last = Some((pair, comparison));
        }
        for failure in &mut judgement.failures[..count] {
            let own = told.iter().find(|(line, _)| *line == failure.line);
            failure.details.extend(own.map(|(_, blame)| blame.line().to_owned()));
        }
        if let Some((step, comparison)) = linking {
            let details = difference(&comparison, "linked", Blame::Linker);
            let failure = match case.steps.get(step) {
                Some(step) => Failure::of_text(&case.source, step.span, details),
                None => Failure::of_case("oracle", details),
            };
            judgement.failures.push(failure);
        }
        judgement
    }
}

/// Lines about a difference that no expectation sees.
fn difference(comparison: &Comparison, who: &str, blame: Blame) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some((place, found, expected)) = &comparison.first {
        lines.push(format!("oracle    {place}: {who} gives {found}, the executor {expected}"));
    }
    lines.push(comparison.counts());
    lines.push(blame.line().to_owned());
    lines
}
