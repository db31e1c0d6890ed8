//! What happened to a case in its worker process; not yet how it counts.

use interstage::check::verdict::Verdict;
use serde::{Deserialize, Serialize};

use crate::status::Status;

/// What became of one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// The worker ran it to its end.
    Finished(Verdict),
    /// The case needs an adapter, and there is none.
    NoAdapter,
    /// The worker could not open the adapter's device; the reason.
    NoDevice(String),
    /// The case cost the adapter its device, for this reason.
    DeviceLost(String),
    /// A bug of ours: the library panicked with this message.
    Panicked(String),
    /// The worker process ended while it ran the case.
    Crashed {
        /// Exit status or signal.
        status: String,
    },
    /// The worker held too much memory and was killed.
    OutOfMemory {
        /// The limit.
        bytes: u64,
    },
    /// The worker did not answer in time and was killed.
    TimedOut {
        /// The limit.
        seconds: f32,
    },
}

/// One case's outcome with all that a report tells about it. A line of the journal is one of these, so what is added
/// here needs `#[serde(default)]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// The case.
    pub name: String,
    /// What happened; of several attempts, in the last.
    pub outcome: Outcome,
    /// How it counts, after it was weighed against what is known of the case.
    pub status: Status,
    /// What it was weighed against, in words: the line of a list or of `[expect]`.
    pub known: Option<String>,
    /// The attempts before the last, in order.
    pub attempts: Vec<Attempt>,
    /// How long it took.
    pub seconds: f32,
    /// The link map's slot table.
    pub slots: Vec<String>,
    /// The diagnostics of a broken case, drawn.
    pub diagnostics: String,
    /// What was read but had no effect, one line each.
    pub warnings: Vec<String>,
    /// What the worker did besides: files it kept, goldens it wrote.
    pub notes: Vec<String>,
    /// What the driver printed meanwhile; the end of it, if it was much.
    pub stderr: String,
    /// A digest of everything that its expectations looked at.
    #[serde(default)]
    pub captures: Vec<CaptureDigest>,
}

/// What one expectation looked at, named by its content: two runs drew the same when the digests are the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptureDigest {
    /// 1-based line of the expectation.
    pub line: usize,
    /// The render target's format and size, or a buffer's.
    pub what: String,
    /// XXH3 (64 bits) of the bytes, in hexadecimal.
    pub digest: String,
}

/// What an attempt came to that was not the last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// What happened.
    pub outcome: Outcome,
    /// How long it took.
    pub seconds: f32,
    /// What the driver printed meanwhile.
    pub stderr: String,
}

impl Outcome {
    /// Why a case did not pass; of several failures, the first. The first line says most.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Finished(verdict) => reason_of(verdict),
            Self::NoAdapter => Some("there is no adapter".to_owned()),
            Self::NoDevice(reason) => Some(reason.clone()),
            Self::DeviceLost(reason) => Some(format!("the device was lost: {reason}")),
            Self::Panicked(message) => Some(format!("a bug in interstage: {message}")),
            Self::Crashed { status } => Some(format!("the worker process ended: {status}")),
            Self::OutOfMemory { bytes } => {
                Some(format!("more than {} MiB of memory; stopped", bytes >> 20))
            }
            Self::TimedOut { seconds } => Some(format!("no end after {seconds} s; stopped")),
        }
    }
}

fn reason_of(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Pass => None,
        Verdict::Fail(failures) => Some(failures.first().map_or_else(String::new, |failure| {
            let details: Vec<_> = failure.details.iter().map(|line| line.trim_end()).collect();
            format!("{}: {}", failure.step, details.join("\n").trim_start())
        })),
        Verdict::Skip(reason) | Verdict::Unsupported(reason) => Some(reason.clone()),
        Verdict::Broken(diagnostics) => {
            Some(diagnostics.first().map_or_else(String::new, |first| first.message.clone()))
        }
    }
}

impl CaseResult {
    /// What remains of it once another attempt follows.
    pub fn into_attempt(self) -> Attempt {
        Attempt { outcome: self.outcome, seconds: self.seconds, stderr: self.stderr }
    }

    /// A result of which nothing but the outcome is known.
    pub fn bare(name: &str, outcome: Outcome, seconds: f32, stderr: String) -> Self {
        Self {
            name: name.to_owned(),
            status: Status::of(&outcome),
            outcome,
            known: None,
            attempts: Vec::new(),
            seconds,
            slots: Vec::new(),
            diagnostics: String::new(),
            warnings: Vec::new(),
            notes: Vec::new(),
            stderr,
            captures: Vec::new(),
        }
    }
}
