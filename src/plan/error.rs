//! Errors of running a linked program.

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
    /// The tessellation levels that planning needs were not read back.
    #[error("the tessellation levels that a control stage wrote were not read back")]
    LevelsNotRead,
    /// A compiler between the linker and the driver failed. The text says which, at which stage and how.
    #[error("{0}")]
    Compiler(String),
    /// A stage stopped before its end, on an executor that counts its steps.
    #[error("{0}")]
    Stopped(String),
}

/// A step that does not fit its program. This is an error of the case, or of interstage if packing changed what is
/// captured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Misfit(pub String);

impl From<&str> for Misfit {
    fn from(message: &str) -> Self {
        Self(message.to_owned())
    }
}

impl From<ir::scalar::NotOfKind> for Misfit {
    fn from(error: ir::scalar::NotOfKind) -> Self {
        Self(error.to_string())
    }
}
