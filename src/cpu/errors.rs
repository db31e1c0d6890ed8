//! Errors of running a plan.

use plan::ExecuteError;

/// The reason why a run did not end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// The run took too many steps.
    #[error("the stage did not end within {0} steps")]
    TooLong(u64),
    /// All runs of the case together exceeded their work limit.
    #[error("the case's draws and dispatches did not end within {0} operations of single lanes")]
    Exhausted(usize),
    /// The lanes have too many registers.
    #[error("the stage's values need more than {0} words for the lanes that run at once")]
    TooLarge(usize),
    /// The resource that is bound does not match the code.
    #[error("nothing fits the binding {0}")]
    Unbound(usize),
}

/// The error for a feature that is not implemented.
pub fn lacking(what: impl std::fmt::Display) -> ExecuteError {
    ExecuteError::Lacking(format!("the executor has no {what}"))
}

/// The error for a stage that stopped before its end.
pub(crate) fn stopped(reason: Stopped) -> ExecuteError {
    ExecuteError::Stopped(reason.to_string())
}
