//! Locations for labels.

pub(crate) mod label_limit;
pub(crate) mod layout_choice;
pub mod relocate;
