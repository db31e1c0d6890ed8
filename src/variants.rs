//! Runs variants of linked stages, and says whether a failure is theirs.

use check::verdict::Failure;
use ir::readback::{Extent, Readback};
use link::program::{LinkedProgram, LinkedStages};
use link::session::LinkedPrograms;
use naga::Module;
use vary::{Places, Variant, variant};

use crate::compilers::{BLAME, Ran};

/// Programs whose stages are variants.
#[derive(Debug)]
pub(crate) struct Variants {
    pub(crate) programs: LinkedPrograms,
    pub(crate) places: Places,
    faults: Vec<String>,
}

impl Variants {
    /// The variants of all stages and passes with this seed.
    pub(crate) fn of(programs: &LinkedPrograms, seed: u64) -> Self {
        let mut programs = programs.clone();
        let (places, faults) = vary_all(&mut programs.programs, seed);
        Self { programs, places, faults }
    }

    /// A failure if a change made an invalid module.
    pub(crate) fn failure(&self) -> Option<Failure> {
        let is_none = self.faults.is_empty();
        let details = || self.faults.iter().map(|fault| format!("a bug of interstage: {fault}"));
        (!is_none).then(|| Failure::of_case("vary", details().collect()))
    }
}

/// Replaces all stages and passes by their variants. Returns the altered places, and the changes that went wrong.
pub(crate) fn vary_all(programs: &mut [LinkedProgram], seed: u64) -> (Places, Vec<String>) {
    let (mut all, mut all_faults) = (Places::new(), Vec::new());
    for module in programs.iter_mut().flat_map(modules) {
        let Variant { module: varied, places, faults } = variant(module, seed);
        *module = varied;
        for (name, count) in places {
            *all.entry(name).or_default() += count;
        }
        all_faults.extend(faults);
    }
    (all, all_faults)
}

/// All modules of a program.
fn modules(program: &mut LinkedProgram) -> Vec<&mut Module> {
    let stages = match &mut program.stages {
        LinkedStages::Render { vertex, fragment } => {
            std::iter::once(vertex).chain(fragment.as_mut()).collect()
        }
        LinkedStages::Compute(module) => vec![module],
    };
    stages.into_iter().chain(program.passes.iter_mut().map(|pass| &mut pass.module)).collect()
}

/// Runs the original of variants that failed once more on the same device, and adds to each failure whether the original
/// fails, too. `ran` has the original programs, and what came back from the variants.
pub(crate) fn blame(
    ran: Ran<'_>,
    failures_of: impl Fn(&Readback) -> Vec<Failure>,
    failures: &mut [Failure],
) {
    let own = failures_of(ran.readback);
    let is_judged = |line| own.iter().any(|own| own.line == line);
    if own.is_empty() {
        return;
    }
    let Ok(readback) = ran.device.execute(ran.case, ran.programs, Extent::Whole) else { return };
    let original = failures_of(&readback);
    for failure in failures.iter_mut().filter(|failure| is_judged(failure.line)) {
        let fails = original.iter().any(|original| original.line == failure.line);
        let original = if fails {
            "not the variant: the original fails as well"
        } else {
            "the variant: the original gives what is expected"
        };
        failure.details.push(format!("{BLAME}{original}"));
    }
}
