//! Runs a planned case.

use case::Case;
use ir::readback::{Extent, Readback};
use plan::{ExecuteError, Programs};

/// Runs the steps of `case` with `programs`, and reads back what its expectations look at, as far as `extent` says.
///
/// # Errors
/// A step does not fit the program, or the executor lacks something the program needs.
pub fn execute<'a>(
    _case: &'a Case,
    _programs: impl Into<Programs<'a>>,
    _extent: Extent,
) -> Result<Readback, ExecuteError> {
    Err(ExecuteError::Lacking("the executor draws nothing yet".to_owned()))
}
