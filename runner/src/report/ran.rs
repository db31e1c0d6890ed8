//! Detects runs in which no case was run.

use std::cell::Cell;

use crate::event::{Event, Report};
use crate::outcome::status::Status;

/// Counts of the cases that were run and of all cases, over all adapters.
#[derive(Debug, Default)]
pub struct Ran {
    tested: Cell<usize>,
    total: Cell<usize>,
    /// Number of cases that ran, and whose run tells nothing.
    idle: Cell<usize>,
}

impl Ran {
    /// The error about a run of which every result is skipped or unsupported, or tells nothing, if that is the case.
    pub fn nothing(&self) -> Option<String> {
        let total = self.total.get();
        let all = match total {
            1 => "the only result is".to_owned(),
            _ => format!("all {total} results are"),
        };
        let text = match self.idle.get() {
            0 => format!("nothing was run: {all} skipped or unsupported"),
            _ => {
                format!("nothing was tested: {all} skipped, unsupported, not decided or not tested")
            }
        };
        (self.tested.get() == 0 && total > 0).then_some(text)
    }
}

impl Report for &Ran {
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        if let Event::CaseReported(result) = event {
            self.total.set(self.total.get() + 1);
            let is_idle = matches!(result.status, Status::Undecided | Status::Untested);
            self.idle.set(self.idle.get() + usize::from(is_idle));
            let is_run = match result.status {
                Status::Skip
                | Status::Unsupported
                | Status::Undecided
                | Status::Untested
                | Status::NoAdapter => false,
                Status::Pass
                | Status::Fail
                | Status::Broken
                | Status::NoDevice
                | Status::Crash
                | Status::Timeout
                | Status::Flake
                | Status::Slow
                | Status::KnownFlake
                | Status::ExpectedFail
                | Status::ImprovedToPass
                | Status::ImprovedToSkip
                | Status::ImprovedToFail => true,
            };
            self.tested.set(self.tested.get() + usize::from(is_run));
        }
        Ok(())
    }
}
