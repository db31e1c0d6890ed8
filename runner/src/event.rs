//! Events of a run, which reports receive.

use crate::outcome::CaseResult;
use crate::protocol::Adapter;

/// An event of a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// The cases are about to run on this adapter (none if the machine has none).
    AdapterStarted {
        /// The adapter.
        adapter: Option<&'a Adapter>,
        /// Number of cases.
        total: usize,
    },
    /// A case ended, in completion order.
    CaseDone(&'a CaseResult),
    /// A case and all cases before it ended: sent in plan order.
    CaseReported(&'a CaseResult),
    /// All cases ended on this adapter.
    AdapterFinished,
}

/// Receiver of events.
pub trait Report {
    /// Handles one event.
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()>;
}
