//! What happens during a run, as reports hear of it.

use crate::outcome::CaseResult;
use crate::protocol::Adapter;

/// One thing that happened.
#[derive(Debug)]
pub enum Event<'a> {
    /// The cases are about to be run on this adapter (none when the machine has none).
    AdapterStarted {
        /// The adapter.
        adapter: Option<&'a Adapter>,
        /// Number of cases.
        total: usize,
    },
    /// A case ended, in whatever order the workers finish.
    CaseDone(&'a CaseResult),
    /// A case ended and so did all before it: these come in the order of the plan.
    CaseReported(&'a CaseResult),
    /// All cases ended on this adapter.
    AdapterFinished,
}

/// Somebody who hears of a run.
pub trait Report {
    /// Takes note of one event.
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()>;
}
