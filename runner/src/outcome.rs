//! Outcomes of cases in their worker processes, before they are weighed against lists.

pub mod status;
pub mod weigh;

use interstage::Judged;
use interstage::check::verdict::{Failure, Verdict};
use interstage::vary::Places;
use serde::{Deserialize, Serialize};

use crate::files::basis::Input;
use crate::files::case_file;
use crate::project;
use status::Status;

/// A case that timed out and alone takes less than this part of the time limit hung before; one that takes longer is slow.
const LATE_PART: f32 = 4.0;

/// The outcome of one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// The worker ran the case to its end.
    Finished(Verdict),
    /// The case needs an adapter, and there is none.
    NoAdapter,
    /// The worker could not open the adapter's device, for this reason.
    NoDevice(String),
    /// The case lost the adapter's device, for this reason.
    DeviceLost(String),
    /// The library panicked with this message, which is a bug.
    Panicked(String),
    /// The worker process ended while it ran the case.
    Crashed {
        /// Exit status or signal of the process.
        status: String,
    },
    /// The worker used too much memory and was killed.
    OutOfMemory {
        /// Memory limit in bytes.
        bytes: u64,
    },
    /// The worker did not answer in time and was killed.
    TimedOut {
        /// Time limit in seconds.
        seconds: f32,
    },
}

/// Outcome of one case with all data that reports show about it. A journal line holds one of these, so new fields need
/// `#[serde(default)]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// Name of the case.
    pub name: String,
    /// The case's file, as it can be opened from the folder in which the run was started.
    #[serde(default)]
    pub file: String,
    /// Absolute path of the folder that the case's name is relative to; empty if it is not known.
    #[serde(default)]
    pub root: String,
    /// Outcome of the last attempt.
    pub outcome: Outcome,
    /// Status, after weighing against known failures and flakes.
    pub status: Status,
    /// The entry of a list or of `[expect]` that the outcome was weighed against.
    pub known: Option<String>,
    /// Earlier attempts, in order.
    pub attempts: Vec<Attempt>,
    /// Duration in seconds.
    pub seconds: f32,
    /// Seconds on processors, summed over the worker's threads; none where the system does not report them, or if the
    /// worker was lost.
    #[serde(default)]
    pub cpu_seconds: Option<f32>,
    /// The link map's slot table.
    pub slots: Vec<String>,
    /// The diagnostics of a broken case, drawn.
    pub diagnostics: String,
    /// Warnings about input without effect, one line each.
    pub warnings: Vec<String>,
    /// Other actions of the worker: kept files, written goldens.
    pub notes: Vec<String>,
    /// Driver output; only its end if it is long.
    pub stderr: String,
    /// Digests of everything that the case's expectations read.
    #[serde(default)]
    pub captures: Vec<SnapshotDigest>,
    /// The oracle's counts, if it was asked.
    #[serde(default)]
    pub oracle: Option<OracleCounts>,
    /// True if 64-bit values were pairs of words, because the adapter has no 64-bit types.
    #[serde(default)]
    pub is_in_words: bool,
    /// Number of places that each change of variants altered; `None` if no variant ran.
    #[serde(default)]
    pub varied: Option<Places>,
    /// The files that the result depends on; none if the worker was lost before it named them, or a list skips the
    /// case.
    #[serde(default)]
    pub inputs: Vec<Input>,
}

/// The oracle's comparisons in a case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OracleCounts {
    /// Reason why the oracle gave no values.
    pub lacking: Option<String>,
    /// Reason why the stages did not run unlinked.
    pub linked_only: Option<String>,
    /// Number of values that were compared.
    pub decided: usize,
    /// Number of values that the oracle could not decide.
    pub undecided: usize,
    /// Number of values that the oracle does not permit.
    pub different: usize,
    /// Number of shader invocations.
    #[serde(default)]
    pub invocations: usize,
    /// Number of compared words of buffers.
    #[serde(default)]
    pub words: usize,
    /// Number of compared words that the case changed.
    #[serde(default)]
    pub changed_words: usize,
    /// Number of compared pixels of targets and textures.
    #[serde(default)]
    pub pixels: usize,
    /// Number of compared pixels that the case changed.
    #[serde(default)]
    pub changed_pixels: usize,
}

impl From<&Result<Judged, String>> for OracleCounts {
    fn from(judged: &Result<Judged, String>) -> Self {
        match judged {
            Ok(Judged { unlinked, all, coverage, .. }) => Self {
                lacking: None,
                linked_only: unlinked.as_ref().err().cloned(),
                decided: all.decided,
                undecided: all.undecided,
                different: all.different,
                invocations: coverage.invocations,
                words: coverage.words.all,
                changed_words: coverage.words.changed,
                pixels: coverage.pixels.all,
                changed_pixels: coverage.pixels.changed,
            },
            Err(reason) => Self { lacking: Some(reason.clone()), ..Self::default() },
        }
    }
}

/// Digest of the data that one expectation read: equal digests mean equal contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotDigest {
    /// 1-based line of the expectation.
    pub line: usize,
    /// Format and size of the render target, or size of the buffer.
    pub what: String,
    /// XXH3 (64 bits) of the bytes, in hexadecimal.
    pub digest: String,
}

/// An attempt that was not the last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// Outcome.
    pub outcome: Outcome,
    /// Duration in seconds.
    pub seconds: f32,
    /// Driver output.
    pub stderr: String,
}

impl Outcome {
    /// True if comparisons with the oracle fail, and only because too few values are decided.
    pub fn is_undecided(&self) -> bool {
        let Self::Finished(Verdict::Fail(failures)) = self else { return false };
        let begins = |failure: &Failure, word: &str| {
            failure.details.iter().any(|detail| detail.trim_start().starts_with(word))
        };
        failures.iter().all(|failure| begins(failure, "values ") && !begins(failure, "oracle "))
    }

    /// The time limit in seconds that the case exceeded; `None` if it ended otherwise.
    pub const fn limit(&self) -> Option<f32> {
        match self {
            Self::TimedOut { seconds } => Some(*seconds),
            Self::Finished(_)
            | Self::NoAdapter
            | Self::NoDevice(_)
            | Self::DeviceLost(_)
            | Self::Panicked(_)
            | Self::Crashed { .. }
            | Self::OutOfMemory { .. } => None,
        }
    }

    /// Status before weighing.
    pub const fn status(&self) -> Status {
        match self {
            Self::Finished(verdict) => match verdict {
                Verdict::Pass => Status::Pass,
                Verdict::Fail(_) => Status::Fail,
                Verdict::Skip(_) => Status::Skip,
                Verdict::Unsupported(_) => Status::Unsupported,
                Verdict::Undecided(_) => Status::Undecided,
                Verdict::Untested(_) => Status::Untested,
                Verdict::Broken(_) => Status::Broken,
            },
            Self::NoAdapter => Status::NoAdapter,
            Self::NoDevice(_) => Status::NoDevice,
            Self::DeviceLost(_)
            | Self::Panicked(_)
            | Self::Crashed { .. }
            | Self::OutOfMemory { .. } => Status::Crash,
            Self::TimedOut { .. } => Status::Timeout,
        }
    }

    /// Reason why a case did not pass: that of the first failure. The first line is the most important one.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Finished(verdict) => reason_of(verdict),
            Self::NoAdapter => Some("no adapter is available".to_owned()),
            Self::NoDevice(reason) => Some(reason.clone()),
            Self::DeviceLost(reason) => Some(format!("the device was lost: {reason}")),
            Self::Panicked(message) => {
                Some(format!("interstage panicked, which is a bug: {message}"))
            }
            Self::Crashed { status } => Some(format!("the worker process ended: {status}")),
            Self::OutOfMemory { bytes } => {
                Some(format!("stopped because it used more than {} MiB of memory", bytes >> 20))
            }
            Self::TimedOut { seconds } => {
                Some(format!("stopped because it did not end within {seconds} s"))
            }
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
        Verdict::Skip(reason)
        | Verdict::Unsupported(reason)
        | Verdict::Undecided(reason)
        | Verdict::Untested(reason) => Some(reason.clone()),
        Verdict::Broken(diagnostics) => {
            Some(diagnostics.first().map_or_else(String::new, |first| first.message.clone()))
        }
    }
}

impl CaseResult {
    /// Reason why the case did not pass, or passed only alone after a time-out.
    pub fn reason(&self) -> Option<String> {
        let limit = self.attempts.last().and_then(|attempt| attempt.outcome.limit());
        let alone = format!("{:.1} s when run again alone", self.seconds);
        match (self.status, limit) {
            (Status::Slow, Some(limit)) => Some(format!("timed out at {limit} s; {alone}")),
            (Status::Flake, Some(limit)) => {
                Some(format!("hung: no result within {limit} s; {alone}"))
            }
            _ => self.outcome.reason(),
        }
    }

    /// True if all earlier attempts timed out, and this one took a large part of the time limit.
    pub fn is_late(&self) -> bool {
        let is_near = |limit: f32| self.seconds * LATE_PART >= limit;
        self.attempts.iter().all(|attempt| attempt.outcome.limit().is_some_and(is_near))
    }

    /// The case's cost in seconds: on processors if that is known, else its duration.
    pub fn cost(&self) -> f32 {
        self.cpu_seconds.unwrap_or(self.seconds)
    }

    /// Earlier attempts whose outcome differs from the last one.
    pub fn other_attempts(&self) -> impl Iterator<Item = &Attempt> {
        self.attempts.iter().filter(|attempt| attempt.outcome != self.outcome)
    }

    /// Returns this result with another file.
    #[must_use]
    pub fn of_file(self, file: &str) -> Self {
        let root = project::identify(file).ok().map(|identity| identity.root.into_os_string());
        let root = root.and_then(|root| root.into_string().ok()).unwrap_or_default();
        Self { file: file.to_owned(), root, ..self }
    }

    /// Keeps only the fields of an earlier attempt.
    pub fn into_attempt(self) -> Attempt {
        Attempt { outcome: self.outcome, seconds: self.seconds, stderr: self.stderr }
    }

    /// A result without details; the file is that of the name.
    pub fn bare(name: &str, outcome: Outcome, seconds: f32, stderr: String) -> Self {
        Self {
            name: name.to_owned(),
            file: case_file::file_of(name).to_owned(),
            root: String::new(),
            status: outcome.status(),
            outcome,
            known: None,
            attempts: Vec::new(),
            seconds,
            cpu_seconds: None,
            slots: Vec::new(),
            diagnostics: String::new(),
            warnings: Vec::new(),
            notes: Vec::new(),
            stderr,
            captures: Vec::new(),
            oracle: None,
            is_in_words: false,
            varied: None,
            inputs: Vec::new(),
        }
    }
}
