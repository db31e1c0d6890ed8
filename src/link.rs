//! Links compiled stages into a program: see [`interface`] for the model, `link()` for the pass list.

pub mod interface;
pub mod map;
pub mod pack;
pub mod program;
#[cfg(test)]
pub(crate) mod testing;
pub mod type_name;
