//! The link map: what the linker decided, as tables that print.

/// What the linker decided for one program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkMap {}
