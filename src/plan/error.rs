//! Errors of running a linked program.

use link::write_uniform::Misfit;

/// Error of running a linked program.
#[derive(Debug, thiserror::Error)]
pub enum ExecuteError {
    /// A step does not fit the program, such as one for an unknown uniform. An error in the case.
    #[error("{misfit}")]
    Step {
        /// Index of the step.
        step: usize,
        /// The reason why the step does not fit.
        misfit: Misfit,
    },
    /// The adapter lacks something that the linked program needs. Counts as a skip.
    #[error("{0}")]
    Lacking(String),
    /// The device was lost, or did not answer in time.
    #[error("the device was lost: {0}")]
    DeviceLost(String),
    /// A stage stopped before its end, on an executor that counts its steps.
    #[error("{0}")]
    Stopped(String),
}
