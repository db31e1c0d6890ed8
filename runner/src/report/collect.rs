//! Collects the records of a run, adapter by adapter, for reports that are written at the end.

use std::collections::BTreeSet;

use crate::event::Event;
use crate::outcome::CaseResult;
use crate::protocol::Adapter;
use crate::report::failure::Invocation;
use crate::report::json::{AdapterRecord, CaseRecord, Results};
use crate::report::origin::Begun;

/// Collects the records of each adapter.
#[derive(Debug)]
pub struct Collector {
    invocation: Invocation,
    begun: Begun,
    adapter: Option<Adapter>,
    cases: Vec<CaseRecord>,
    roots: BTreeSet<String>,
    /// The results of the adapters that have finished.
    pub finished: Vec<Results>,
}

impl Collector {
    /// Creates an empty collector; `invocation` is how the program was called.
    pub fn new(invocation: Invocation) -> Self {
        let (cases, roots, finished) = (Vec::new(), BTreeSet::new(), Vec::new());
        Self { invocation, begun: Begun::now(), adapter: None, cases, roots, finished }
    }

    /// Handles one event. Returns true if an adapter has finished.
    pub fn hear(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::AdapterStarted { adapter, .. } => self.adapter = adapter.cloned(),
            Event::CaseDone(_) => {}
            Event::CaseReported(result) => {
                let record = self.record(result);
                self.cases.push(record);
                if !result.root.is_empty() {
                    self.roots.insert(result.root.clone());
                }
            }
            Event::AdapterFinished => {
                let adapter = self.adapter.as_ref().map(AdapterRecord::from);
                let mut results = Results::new(adapter, std::mem::take(&mut self.cases));
                results.run = Some(self.begun.origin());
                results.roots = std::mem::take(&mut self.roots).into_iter().collect();
                self.finished.push(results);
                return true;
            }
        }
        false
    }

    /// Creates the record of a case on the current adapter.
    pub fn record(&self, result: &CaseResult) -> CaseRecord {
        let mut record = CaseRecord::from(result);
        if result.status.is_failure() || !result.attempts.is_empty() {
            record.repeat = self.invocation.repeat_result(result, self.adapter.as_ref());
        }
        record
    }
}
