//! Events of a run, which reports receive.

use crate::outcome::CaseResult;
use crate::protocol::Adapter;

/// An event.
#[derive(Debug)]
pub enum Event<'a> {
    /// The cases are about to be run on this adapter (none when the machine has none).
    AdapterStarted {
        /// The adapter.
        adapter: Option<&'a Adapter>,
        /// Number of cases.
        total: usize,
    },
    /// A case ended, in completion order.
    CaseDone(&'a CaseResult),
    /// A case ended and so did all before it: sent in plan order.
    CaseReported(&'a CaseResult),
    /// All cases ended on this adapter.
    AdapterFinished,
}

/// Receiver of events.
pub trait Report {
    /// Handles one event.
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()>;
}
