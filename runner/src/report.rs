//! Reports of a run, for people and for other programs.

pub mod collect;
pub mod console;
pub mod evidence;
pub mod failure;
pub mod html;
pub mod json;
pub mod junit;
pub mod noise;
pub mod oracle;
pub mod origin;
pub mod paint;
pub mod piglit;
pub mod piglit_results;
pub mod progress;
pub mod ran;
pub mod results;
pub mod step_summary;
pub mod stream;
pub mod summary;
pub mod tally;
