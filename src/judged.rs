//! Compares a case that ran with the oracle.

use case::Case;
use check::verdict::Verdict;
use ir::readback::Readback;
use ir::stage::PerStage;
use ir::stage_module::Stages;
use link::session::{LinkedPrograms, ObjectNumbers};
use oracle::{Comparison, Coverage, Judgement, Oracle};
use plan::ExecuteError;
use prepare::Compiled;
use reference::UnlinkedStages;

/// The oracle's findings about a case.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Result of the unlinked stages on the executor, or the reason why they did not run.
    pub unlinked: Result<Readback, String>,
    /// Result of the linked program on the executor.
    pub linked: Readback,
    /// Counts over all values.
    pub all: Comparison,
    /// Number of the case's failures that report only that too many values are undecided.
    pub vague: usize,
    /// What the linked program changed on the executor.
    pub coverage: Coverage,
}

/// Runs a linked case on the executor, and determines how much its values may differ.
///
/// # Errors
/// The reason why the linked programs do not run on the executor.
pub(crate) fn consulted(
    case: &Case,
    compiled: &Compiled,
    programs: &LinkedPrograms,
) -> Result<Oracle, ExecuteError> {
    Oracle::of(case, &unlinked_stages(compiled, programs), programs)
}

impl Judged {
    /// Combines an oracle with its findings about a run.
    pub(crate) fn of(oracle: Oracle, found: Judgement) -> Self {
        let Oracle { unlinked, linked, coverage, .. } = oracle;
        Self { unlinked, linked, all: found.all, vague: found.vague, coverage }
    }
}

/// The verdict of a case that asks for an oracle when there is none: a skip.
pub(crate) fn no_oracle(reason: &ExecuteError) -> Verdict {
    Verdict::Skip(format!("no oracle: {reason}"))
}

/// The stages of each program of a case as they were compiled.
pub fn unlinked_stages<'a>(
    compiled: &'a Compiled,
    linked: &LinkedPrograms,
) -> Vec<UnlinkedStages<'a>> {
    match compiled {
        Compiled::Program(stages) => vec![stages.each()],
        Compiled::Programs(all) => all.iter().map(Stages::each).collect(),
        Compiled::Objects(objects) => {
            let stages = |numbers: &ObjectNumbers| {
                PerStage::from_fn(|stage| Some(&objects.stages[stage][numbers[stage]?]))
            };
            linked.objects.iter().map(stages).collect()
        }
        Compiled::Unlinkable(_) | Compiled::Unlinked => Vec::new(),
    }
}
