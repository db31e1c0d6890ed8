//! What other compilers do wrong.

use std::time::Duration;

use super::language::Language;

/// A fault of a compiler that is found before anything runs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The language of the first program cannot express the stage, or naga cannot write it. Not the program's fault.
    #[error("writes no {language}: {reason}")]
    NotWritten {
        /// The language.
        language: Language,
        /// naga's message.
        reason: String,
    },
    /// The program cannot be started.
    #[error("cannot be started: {0}")]
    NotStarted(String),
    /// The program ended with an error status.
    #[error("refuses the stage ({status})\n{words}")]
    Refused {
        /// The status.
        status: String,
        /// The beginning of its output.
        words: String,
    },
    /// The program was ended by a signal.
    #[error("crashes ({signal})\n{words}")]
    Crashed {
        /// The signal.
        signal: String,
        /// The beginning of its output.
        words: String,
    },
    /// The program did not end in time and was stopped.
    #[error("does not end within {} s", .0.as_secs())]
    Hung(Duration),
    /// The program ended with success and wrote no file, an empty one or too large a one.
    #[error("writes no result: {0}")]
    NoResult(String),
    /// The result is not valid SPIR-V.
    #[error("writes invalid SPIR-V\n{0}")]
    Invalid(String),
    /// The entry point or the interface of the result is not what the linker planned. One difference per line.
    #[error("changes the interface of the stage\n{0}")]
    Interface(String),
}

/// A fault of a compiler, with the program and the stage.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{stage} stage through {program}: {program} {fault}")]
pub struct Failure {
    /// Name of the program.
    pub program: String,
    /// Name of the stage.
    pub stage: String,
    /// What it does wrong.
    pub fault: Fault,
}
