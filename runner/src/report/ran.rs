//! Detects runs in which no case was run.

use std::cell::Cell;

use crate::event::{Event, Report};
use crate::outcome::status::Status;

/// Counts of the cases that were run and of all cases, over all adapters.
#[derive(Debug, Default)]
pub struct Ran {
    ran: Cell<usize>,
    total: Cell<usize>,
}

impl Ran {
    /// The error about a run of which every result is skipped or unsupported, if that is the case.
    pub fn nothing(&self) -> Option<String> {
        let total = self.total.get();
        let text = format!("nothing was run: all {total} results are skipped or unsupported");
        (self.ran.get() == 0 && total > 0).then_some(text)
    }
}

impl Report for &Ran {
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        if let Event::CaseReported(result) = event {
            self.total.set(self.total.get() + 1);
            let is_run = match result.status {
                Status::Skip | Status::Unsupported | Status::NoAdapter => false,
                Status::Pass
                | Status::Fail
                | Status::Broken
                | Status::NoDevice
                | Status::Crash
                | Status::Timeout
                | Status::Flake
                | Status::KnownFlake
                | Status::ExpectedFail
                | Status::ImprovedToPass
                | Status::ImprovedToSkip
                | Status::ImprovedToFail => true,
            };
            self.ran.set(self.ran.get() + usize::from(is_run));
        }
        Ok(())
    }
}
