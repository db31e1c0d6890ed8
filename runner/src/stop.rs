//! Ending a run early, and in good order.
//!
//! The first Ctrl-C (or SIGTERM, or a terminal that goes away) sets a flag: no case is begun any more, those that run
//! are given up together with their workers, and what is done is reported and written as ever. The second ends the
//! program at once; its workers see that and end too.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The flag that signals set; a process has only one handler.
static OF_SIGNALS: OnceLock<Stop> = OnceLock::new();

/// The exit code of a program that a signal ends, by the convention of shells.
const KILLED_BY_INTERRUPT: i32 = 130;

/// Whether the run is to end. Clones are the same flag.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// The flag that signals set.
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

    /// Asks for the end.
    pub fn request(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether the end was asked for.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
