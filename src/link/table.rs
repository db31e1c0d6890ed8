//! Tables that describe programs and stages: bindings, shells, passes, and declarations that stages share.

pub mod binding;
pub(crate) mod declared_block;
pub(crate) mod difference;
pub(crate) mod facts;
pub mod front;
pub mod leaf;
pub(crate) mod names;
pub mod pass;
pub mod shell;
pub(crate) mod word_block;
