//! The error for an invalid module.

/// An error of the shader: the module, or a part of it, breaks SPIR-V's rules or interstage's rules for blocks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Malformed(pub(crate) String);

impl From<&str> for Malformed {
    fn from(message: &str) -> Self {
        Self(message.to_owned())
    }
}

impl From<Malformed> for String {
    fn from(malformed: Malformed) -> Self {
        malformed.0
    }
}
