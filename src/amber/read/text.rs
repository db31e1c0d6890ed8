//! The text of a script: positions, words and numbers, limits, and messages about all of these.

pub(super) mod at;
pub(super) mod cursor;
pub(crate) mod limits;
pub(super) mod number;
pub(crate) mod problem;
pub(super) mod token;
