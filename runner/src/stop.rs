//! Early, orderly end of a run.
//!
//! The first Ctrl-C (or SIGTERM, or the loss of the terminal) sets a flag: no new case starts, the running ones are
//! abandoned together with their workers, and the finished ones are reported and written as usual. A second one ends
//! the program at once; its workers detect that and exit too.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The flag that is set by signals. It is shared, because a process has only one handler.
static OF_SIGNALS: OnceLock<Stop> = OnceLock::new();

/// Exit code of a program ended by a signal, by the convention of shells.
const KILLED_BY_INTERRUPT: i32 = 130;

/// Flag that requests the end of the run. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Returns the flag that is set by signals.
    pub fn on_signals() -> Result<Self, ctrlc::Error> {
        if let Some(stop) = OF_SIGNALS.get() {
            return Ok(stop.clone());
        }
        let stop = Self::default();
        let flag = stop.clone();
        ctrlc::set_handler(move || {
            if flag.0.swap(true, Ordering::SeqCst) {
                std::process::exit(KILLED_BY_INTERRUPT);
            }
        })?;
        Ok(OF_SIGNALS.get_or_init(|| stop).clone())
    }

    /// Requests the end of the run.
    pub fn request(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// True if the end of the run was requested.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
