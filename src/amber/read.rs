//! The readers of both languages.

mod at;
mod bind;
mod buffer;
mod cursor;
mod expect;
mod format;
pub(crate) mod limits;
mod names;
mod number;
mod pipeline;
pub(crate) mod problem;
mod run;
mod sampler;
pub(crate) mod script;
mod shader;
mod state;
mod structure;
mod token;
mod type_name;
pub(crate) mod vkscript;
mod words;

pub(crate) use buffer::text_file;
