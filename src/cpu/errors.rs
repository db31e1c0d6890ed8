//! Errors of running a plan.

use plan::ExecuteError;

use crate::lanes::Stopped;

/// The error of something that is not implemented.
pub(crate) fn lacking(what: impl std::fmt::Display) -> ExecuteError {
    ExecuteError::Lacking(format!("the executor has no {what}"))
}

/// The error of a stage that stops before its end.
pub(crate) fn stopped(reason: Stopped) -> ExecuteError {
    ExecuteError::Stopped(reason.to_string())
}
