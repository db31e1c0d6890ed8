//! Reads `AmberScript` and `VkScript`, the scripts of Amber and `VkRunner`, into one syntax tree, and translates it to
//! cases.
//!
//! [`parse_amber`] and [`parse_vkscript`] read a text; [`is_vkscript`] determines which of them a text is for.

mod convert;
pub mod layout;
mod read;
pub mod syntax;
mod translate;

pub use case::parse::CaseError as ScriptError;
pub use convert::to_case_file;
pub use read::script::parse as parse_amber;
pub use read::text::limits::{MAX_DATA_BYTES, MAX_PIPELINES};
pub use read::text::problem::MAX_ERRORS;
pub use read::vkscript::{is_vkscript, parse as parse_vkscript};
pub use translate::read as read_case;
