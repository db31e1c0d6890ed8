//! The subcommands.

pub mod agree;
pub mod bless;
pub mod census;
pub mod compare;
pub mod convert;
pub mod doctor;
pub mod document;
pub mod execution;
pub mod generate;
pub mod inspect;
pub mod labels;
pub mod lanes;
pub mod list;
pub mod merge;
pub mod new;
pub mod reduce;
mod repeated;
pub mod report;
mod resumed;
pub mod run;
pub mod watch;
