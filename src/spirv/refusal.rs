//! Reasons why a stage cannot have an execution mode or a decoration.

/// The reason why a stage cannot have an execution mode or decoration: the id that has it, and the message or the name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The module is invalid.
    Wrong(u32, String),
    /// The module is valid, but not supported.
    Unsupported(u32, String),
}
