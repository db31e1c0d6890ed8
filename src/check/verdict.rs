//! What running a case showed: pixels and bytes only, not how it counts.

use serde::{Deserialize, Serialize};

use ir::diagnostic::Diagnostic;

/// The result of one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Verdict {
    /// Every expectation held.
    Pass,
    /// At least one expectation did not hold, or the adapter complained.
    Fail(Vec<Failure>),
    /// The adapter lacks something that the case requires; the reason.
    Skip(String),
    /// The file is good, but interstage cannot run it yet; the word or construct that caused it.
    Unsupported(String),
    /// The file is wrong: nothing was run.
    Broken(Vec<Diagnostic>),
}

/// One thing that was not as expected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// 1-based line in the file of the step that failed; 0 when it belongs to no line.
    pub line: usize,
    /// That line as written, or what was being done.
    pub step: String,
    /// What was expected and what came back, one line each.
    pub details: Vec<String>,
}
