//! Compiles stages to [`Code`].

use crate::code::Code;

/// Something that the executor does not implement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the executor has no {0}")]
pub struct NotImplemented(pub String);

/// Compiles the entry point of a valid module, which must have exactly one.
///
/// # Errors
/// Names what is not implemented.
pub fn compile(_module: &naga::Module) -> Result<Code, NotImplemented> {
    Err(NotImplemented("compiler".to_owned()))
}
