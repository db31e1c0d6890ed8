//! Result of running a case, regardless of known failures.

use serde::{Deserialize, Serialize};

use ir::diagnostic::Diagnostic;

/// The result of one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Verdict {
    /// All expectations held.
    Pass,
    /// At least one expectation did not hold, or the adapter reported an error.
    Fail(Vec<Failure>),
    /// The adapter lacks a requirement of the case; the reason.
    Skip(String),
    /// The file is valid, but interstage cannot run it yet; the word or construct that caused it.
    Unsupported(String),
    /// The file is invalid, and nothing was run.
    Broken(Vec<Diagnostic>),
}

/// One failed expectation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// 1-based line in the file of the failed step; 0 if there is none.
    pub line: usize,
    /// The line as written, or a description of the step.
    pub step: String,
    /// Expected and actual result, one line each.
    pub details: Vec<String>,
}
