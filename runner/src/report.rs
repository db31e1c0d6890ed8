//! What a person and other programs get to see of a run.

pub mod console;
pub mod failure;
pub mod json;
pub mod noise;
pub mod progress;
pub mod results;
pub mod summary;
