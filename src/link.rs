//! Links compiled stages into a program: see [`interface`] for the model, `link()` for the pass list.

pub mod interface;
pub mod map;
pub mod match_up;
pub mod pack;
pub mod program;
pub mod shell;
#[cfg(test)]
pub(crate) mod testing;
pub mod type_name;
pub mod wrap;
