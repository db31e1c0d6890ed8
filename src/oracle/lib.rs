//! Says what an adapter may give, by the executor, and whose fault a difference is.
//!
//! A program runs three times: its stages as they were compiled (U), and linked (L), on the executor; and linked on the
//! adapter (A). U and L must agree bit for bit. A must lie in the range of several runs of U with [`cpu::Noise`].

mod judge;
mod range;

use case::Case;
use cpu::memory::Work;
use cpu::{Executable, Noise, UnlinkedStages, Way, planned};
use ir::readback::{Extent, Readback, Snapshot};
use link::session::LinkedPrograms;
use plan::ExecuteError;

pub use judge::{Blame, Judgement};
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

impl Oracle {
    /// Runs a case on the executor. `stages` are those of its programs before linking.
    ///
    /// # Errors
    /// The reason why the linked program does not run there.
    pub fn of(
        case: &Case,
        stages: &[UnlinkedStages<'_>],
        programs: &LinkedPrograms,
    ) -> Result<Self, ExecuteError> {
        let plan = planned(case, programs)?;
        let linked_code = Executable::new(case, programs, plan)?;
        // All runs together are bounded as one is on the executor alone.
        let work = Work::default();
        let run = |code: &Executable<'_>, way: Way| code.run_within(work.clone(), way);
        let linked = run(&linked_code, Extent::Whole.into())?;
        let text = |error: ExecuteError| error.to_string();
        let code = Executable::unlinked(case, stages, programs);
        let unlinked = code.as_ref().map_err(ToString::to_string);
        let unlinked = unlinked.and_then(|code| run(code, Extent::Whole.into()).map_err(text));
        let is_like_linked =
            unlinked.as_ref().is_ok_and(|unlinked| unlinked.snapshots == linked.snapshots);
        let code = code.ok().filter(|_| is_like_linked).unwrap_or(linked_code);
        let mut noisy: Vec<Readback> = Vec::new();
        for pair in Noise::PAIRS {
            // Where errors of both signs change nothing, others do not either.
            if noisy.len() == 2 && noisy.iter().all(|run| run.snapshots == linked.snapshots) {
                break;
            }
            noisy.extend(pair.map(|noise| {
                let way = Way { extent: Extent::Whole, noise: Some(noise) };
                // A run that does not end says that nothing is known.
                run(&code, way).unwrap_or_default()
            }));
        }
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
}
