//! What each subcommand does.

pub mod bless;
pub mod doctor;
pub mod execution;
pub mod inspect;
pub mod list;
pub mod run;
