//! The readers of both languages.

mod bind;
mod buffer;
mod expect;
mod format;
mod names;
mod pipeline;
mod run;
mod sampler;
pub(crate) mod script;
mod shader;
mod state;
mod structure;
pub(crate) mod text;
mod type_name;
pub(crate) mod vkscript;
mod words;

pub(crate) use buffer::text_file;
