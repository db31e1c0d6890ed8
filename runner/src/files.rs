//! Files on disk: cases and what they name, goldens, pictures, and the state of what a run has read.

pub mod basis;
pub mod case_file;
pub mod checkout;
pub mod golden;
pub mod picture;
