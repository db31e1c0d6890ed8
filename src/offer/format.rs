//! Formats by wgpu's names, and what adapters report about them.

mod color;
mod depth;
mod read_back;
mod samples;
mod table;

pub use color::{name_of_color, texel_format, texture_format};
pub use depth::{DEPTH_TEXTURE, depth_format};
pub(crate) use read_back::reads_back;
pub(crate) use samples::real_samples;
pub(crate) use table::SAMPLE_FLAGS;
pub use table::{FormatTable, known_formats};
