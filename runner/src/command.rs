//! What each subcommand does.

pub mod agree;
pub mod bless;
pub mod census;
pub mod doctor;
pub mod execution;
pub mod generate;
pub mod inspect;
pub mod list;
pub mod merge;
pub mod run;
