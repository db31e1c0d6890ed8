//! Compares a case that ran with the oracle.

use case::Case;
use check::Goldens;
use check::verdict::{Failure, Verdict};
use ir::readback::Readback;
use ir::stage::ShaderStage;
use ir::stage_module::TessellationStages;
use link::session::{LinkedPrograms, ObjectNumbers};
use oracle::{Comparison, Oracle};
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
    let tessellation = tessellation_objects(compiled, programs);
    Oracle::of(case, &unlinked_stages(compiled, &tessellation, programs), programs)
}

impl Judged {
    /// Compares what an adapter returned with the oracle. `failures` are those of the case's other expectations; the
    /// result adds the oracle's.
    pub(crate) fn by(
        oracle: Oracle,
        case: &Case,
        readback: &Readback,
        goldens: &Goldens,
        failures: Vec<Failure>,
    ) -> (Vec<Failure>, Self) {
        let found = oracle.judge(case, readback, goldens, failures);
        let Oracle { unlinked, linked, .. } = oracle;
        (found.failures, Self { unlinked, linked, all: found.all, vague: found.vague })
    }
}

/// The verdict of a case that asks for an oracle when there is none: a skip.
pub(crate) fn no_oracle(reason: &ExecuteError) -> Verdict {
    Verdict::Skip(format!("no oracle: {reason}"))
}

/// The tessellation stages of each program of a case whose stages are objects.
pub fn tessellation_objects(
    compiled: &Compiled,
    linked: &LinkedPrograms,
) -> Vec<Option<TessellationStages>> {
    let Compiled::Objects(objects) = compiled else { return Vec::new() };
    let stages = |numbers: &ObjectNumbers| {
        let own = |stage| Some(objects.stages[stage][numbers[stage]?].clone());
        let evaluation = own(ShaderStage::TessellationEvaluation)?;
        Some(TessellationStages { control: own(ShaderStage::TessellationControl), evaluation })
    };
    linked.objects.iter().map(stages).collect()
}

/// The stages of each program of a case as they were compiled. `tessellation` is the result of
/// [`tessellation_objects`].
pub fn unlinked_stages<'a>(
    compiled: &'a Compiled,
    tessellation: &'a [Option<TessellationStages>],
    linked: &LinkedPrograms,
) -> Vec<UnlinkedStages<'a>> {
    match compiled {
        Compiled::Program(stages) => vec![stages.into()],
        Compiled::Programs(all) => all.iter().map(Into::into).collect(),
        Compiled::Objects(objects) => {
            let stages = |(idx, numbers): (usize, &ObjectNumbers)| {
                let own = |stage| Some(&objects.stages[stage][numbers[stage]?]);
                Some(UnlinkedStages::Render {
                    vertex: own(ShaderStage::Vertex)?,
                    tessellation: tessellation.get(idx).and_then(Option::as_ref),
                    geometry: own(ShaderStage::Geometry),
                    fragment: own(ShaderStage::Fragment),
                })
            };
            linked.objects.iter().enumerate().filter_map(stages).collect()
        }
        Compiled::Unlinkable(_) => Vec::new(),
    }
}
