//! Determines with the executor which values an adapter may return, and the likely cause of a difference.
//!
//! A program runs in three ways: on the executor as its unlinked stages (U), on the executor linked (L), and on the
//! adapter linked (A). U and L must agree bit for bit. A must lie in the range of several runs of U with
//! [`cpu::Noise`].

mod coverage;
mod judge;
mod range;

use case::Case;
use cpu::memory::Work;
use cpu::{Executable, Noise, Way, planned};
use ir::readback::{Extent, Readback, Snapshot};
use link::session::LinkedPrograms;
use plan::ExecuteError;
use reference::UnlinkedStages;

pub use coverage::{Coverage, Share};
pub use judge::{Blame, Judgement};
pub use range::{Comparison, Expected, compare};

/// Results of a case on the executor.
#[derive(Clone, Debug)]
pub struct Oracle {
    /// Result of the stages before linking, or the reason why they did not run.
    pub unlinked: Result<Readback, String>,
    /// Result of the linked program.
    pub linked: Readback,
    /// Results with noise: of the unlinked stages, or of the linked program if the former did not run or differ from
    /// it.
    noisy: Vec<Readback>,
    /// What the linked program changed.
    pub coverage: Coverage,
}

impl Oracle {
    /// Runs a case on the executor. `stages` are the stages of its programs before linking.
    ///
    /// # Errors
    /// The reason why the linked program does not run on the executor.
    pub fn of(
        case: &Case,
        stages: &[UnlinkedStages<'_>],
        programs: &LinkedPrograms,
    ) -> Result<Self, ExecuteError> {
        let plan = planned(case, programs)?;
        let linked_code = Executable::new(case, programs, plan)?;
        // All runs together get the work limit of a single run on the executor.
        let work = Work::default();
        let run = |code: &Executable<'_>, way: Way| code.run_within(work.clone(), way);
        let whole = Way::from(Extent::Whole);
        let linked = run(&linked_code, whole)?;
        let invocations = work.invocations();
        // A run without draws and dispatches shows what the case initialises.
        let initial = run(&linked_code, Way { is_idle: true, ..whole }).unwrap_or_default();
        let coverage = Coverage::of(invocations, &initial, &linked);
        let text = |error: ExecuteError| error.to_string();
        let code = reference::executable(case, stages, programs);
        let unlinked = code.as_ref().map_err(ToString::to_string);
        let unlinked = unlinked.and_then(|code| run(code, whole).map_err(text));
        let is_like_linked =
            unlinked.as_ref().is_ok_and(|unlinked| unlinked.snapshots == linked.snapshots);
        let code = code.ok().filter(|_| is_like_linked).unwrap_or(linked_code);
        let mut noisy: Vec<Readback> = Vec::new();
        for pair in Noise::PAIRS {
            // If errors of both signs change nothing, other errors do not either.
            if noisy.len() == 2 && noisy.iter().all(|run| run.snapshots == linked.snapshots) {
                break;
            }
            noisy.extend(pair.map(|noise| {
                let way = Way { noise: Some(noise), ..whole };
                // If a run does not end, nothing is known.
                run(&code, way).unwrap_or_default()
            }));
        }
        Ok(Self { unlinked, linked, noisy, coverage })
    }

    /// The first difference between the linked and the unlinked program, with its step.
    fn linking(&self) -> Option<(usize, Comparison)> {
        let unlinked = self.unlinked.as_ref().ok()?;
        let pairs = unlinked.snapshots.iter().zip(&self.linked.snapshots).enumerate();
        pairs.filter_map(|(step, pair)| (pair.0 != pair.1).then_some((step, pair))).find_map(
            |(step, (unlinked, linked))| {
                let (unlinked, linked) = (unlinked.as_ref()?, linked.as_ref()?);
                Some((step, compare(&[unlinked], linked, [0.0; 4])))
            },
        )
    }

    /// Compares an adapter's snapshot at a step with those of the executor. Floats may differ by `slack` more, which
    /// has a value for each channel; the first is for words of buffers.
    fn compare(&self, step: usize, found: &Snapshot, slack: [f64; 4]) -> Comparison {
        let runs = std::iter::once(&self.linked).chain(&self.noisy);
        // A run that did not end has no snapshot, and then nothing is known.
        let runs: Option<Vec<&Snapshot>> =
            runs.map(|run| run.snapshots.get(step)?.as_ref()).collect();
        compare(&runs.unwrap_or_default(), found, slack)
    }
}
