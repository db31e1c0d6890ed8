//! Ending a run early, and in good order.
//!
//! The first Ctrl-C (or SIGTERM, or a terminal that goes away) sets a flag: no case is begun any more, those that run
//! are given up together with their workers, and what is done is reported and written as ever. The second ends the
//! program at once; its workers see that and end too.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code of a program that a signal ends, by the convention of shells.
const KILLED_BY_INTERRUPT: i32 = 130;

/// Whether the run is to end. Clones are the same flag.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A flag that signals set. Only the first call in a process can succeed.
    pub fn on_signals() -> Result<Self, ctrlc::Error> {
        let stop = Self::default();
        let flag = stop.clone();
        ctrlc::set_handler(move || {
            if flag.0.swap(true, Ordering::SeqCst) {
                std::process::exit(KILLED_BY_INTERRUPT);
            }
        })?;
        Ok(stop)
    }

    /// Asks for the end.
    pub fn request(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether the end was asked for.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
