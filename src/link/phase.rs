//! The phases of [`link`](crate::link()), one type each.

pub(crate) mod bound;
pub(crate) mod complete;
pub(crate) mod lowered;
pub(crate) mod matched;
pub(crate) mod packed;
pub(crate) mod placed;
pub(crate) mod verified;
pub(crate) mod wrapped;
