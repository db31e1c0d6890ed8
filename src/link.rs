//! Links compiled stages into a program: see [`interface`] for the model, `link()` for the pass list.

pub mod interface;
pub mod map;
pub mod program;
