//! Protocol between the program and its workers: one JSON value per line.
//!
//! The program writes [`Request`]s to a worker's stdin, the worker writes [`Answer`]s to its stdout. A case is
//! announced before it starts, so that a crash or a hang can be attributed. A worker exits when its stdin closes.

use std::path::PathBuf;

use interstage::check::verdict::Verdict;
use interstage::ir::backend::Backend;
use interstage::vary::Places;
use serde::{Deserialize, Serialize};

use crate::files::basis::Input;
use crate::outcome::{OracleCounts, SnapshotDigest};

/// A request to a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// List adapters of this machine; answered by [`Answer::Adapters`].
    Adapters(Wanted),
    /// Use this listed adapter, `backend:index`, for all cases; there is no answer.
    Take(String),
    /// Open the adapter and describe it; answered by [`Answer::Device`], or the reason why there is no device.
    Describe,
    /// Run a case; answered by [`Answer::Started`] and then one of the other answers.
    Run {
        /// The case.
        job: Job,
        /// The next case, which may be compiled and linked in the meantime.
        next: Option<Job>,
    },
    /// Compile and link a case as if it were the next one; always answered by [`Answer::Prepared`].
    Prepare(Job),
}

/// Selection of adapters to list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wanted {
    /// All adapters.
    All,
    /// The adapters of the backend that has one with this name.
    Fitting(String),
    /// The adapters of the first backend if it has a GPU, else all.
    UntilHardware,
}

/// A case to be run, and its purpose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The case's name.
    pub name: String,
    /// The case's file.
    pub file: String,
    /// Purpose of the job.
    pub purpose: Purpose,
}

/// Purpose of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// Check whether it passes.
    Check {
        /// Evidence to keep.
        keep: Option<Keep>,
        /// Linkage profile of cases that name none: a name, or `all`.
        profile: Option<String>,
        /// Emulated feature.
        emulated: Option<Emulated>,
        /// True if all values are compared with the oracle.
        asks_oracle: bool,
    },
    /// Check whether the adapter would skip the case, without drawing.
    WouldSkip,
    /// Check whether the case compiles and links, and find the reason if not, without drawing.
    Census,
    /// Accept the case's results as goldens and expected values.
    Bless {
        /// False to report the changes without writing them.
        writes: bool,
    },
}

/// A feature that can be emulated without the adapter's help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
pub enum Emulated {
    /// Clip planes and distances
    Clip,
}

/// Evidence of cases to keep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keep {
    /// The folder; each case has its own folder below it.
    pub folder: PathBuf,
    /// Selection of cases.
    pub of: KeptCases,
}

/// Selection of cases to keep evidence of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeptCases {
    /// Cases that fail.
    Failed,
    /// Cases that fail. In addition, stages and link map of every case are kept before the adapter is used, because the
    /// worker may crash. Render targets are read as a whole.
    Suspect,
    /// All cases, before and after they run.
    All,
}

impl Job {
    /// The job of a second attempt, which keeps more evidence.
    #[must_use]
    pub fn again(&self) -> Self {
        let mut again = self.clone();
        if let Purpose::Check { keep: Some(keep), .. } = &mut again.purpose
            && keep.of == KeptCases::Failed
        {
            keep.of = KeptCases::Suspect;
        }
        again
    }
}

/// An answer of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "one of these exists per case")]
pub enum Answer {
    /// The adapters of this machine.
    Adapters(Vec<Adapter>),
    /// Capabilities of the opened adapter.
    Device(Device),
    /// Compiling and linking of the case ended, with or without success; the worker is healthy.
    Prepared,
    /// The case needs an adapter, and the worker was given none.
    NoAdapter,
    /// The adapter provides no device, for this reason.
    NoDevice(String),
    /// The case is about to be run.
    Started {
        /// The case's name.
        name: String,
    },
    /// The case ended.
    Finished(Finished),
    /// The library panicked with this message; the worker cannot be reused.
    Panicked(String),
    /// The case lost the adapter's device, for this reason; the worker cannot be reused.
    DeviceLost(String),
}

/// An adapter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adapter {
    /// Platform that the adapter runs on.
    pub backend: Platform,
    /// Index among the adapters of its backend.
    pub index: usize,
    /// The adapter's name.
    pub name: String,
    /// Title for reports: backend, name and driver, and for a software driver the processor's level.
    pub title: String,
    /// True for a GPU, false for a software adapter.
    pub is_hardware: bool,
    /// PCI bus address; empty if the driver does not report it.
    #[serde(default)]
    pub bus: String,
    /// Mesa extension overrides for workers on this adapter.
    #[serde(default)]
    pub extensions: String,
    /// Command-line options for the same device, except `--adapter`: `--pretend gl33 --validate`.
    #[serde(default)]
    pub options: String,
    /// Reason why requested validation is not available.
    #[serde(default)]
    pub unvalidated: Option<String>,
}

impl Adapter {
    /// Shortest `--adapter` value that names exactly this adapter: `backend:index`.
    pub fn selector(&self) -> String {
        format!("{}:{}", self.backend.name(), self.index)
    }

    /// The adapter's selector, name and driver.
    pub fn line(&self) -> String {
        let title = self.title.strip_prefix(self.backend.name()).unwrap_or(&self.title);
        format!("{}{title}", self.selector())
    }

    /// Name of the adapter's results folder: `backend-index`.
    pub fn folder(&self) -> String {
        format!("{}-{}", self.backend.name(), self.index)
    }
}

/// Platform that an adapter runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Platform {
    /// A script; see `worker/scripted.rs`.
    Scripted,
    /// A backend of wgpu.
    #[serde(untagged)]
    Backend(Backend),
}

impl Platform {
    /// The platform's name in `--adapter` and in result folders.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scripted => "scripted",
            Self::Backend(backend) => backend.name(),
        }
    }
}

impl From<Backend> for Platform {
    fn from(backend: Backend) -> Self {
        Self::Backend(backend)
    }
}

/// Capabilities of an adapter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// wgpu features by name.
    pub features: Vec<String>,
    /// wgpu's downlevel flags by name.
    pub flags: Vec<String>,
    /// wgpu limits by name.
    pub limits: Vec<(String, u64)>,
    /// GL's limits by name.
    pub gl_limits: Vec<(String, i64)>,
    /// Formats of render targets and depth buffers by name, with their capabilities, or the reason why they are not
    /// supported.
    pub formats: Vec<(String, String)>,
}

/// A case that ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    /// Verdict of the case.
    pub verdict: Verdict,
    /// Duration in seconds, including opening the device if this case was the first.
    pub seconds: f32,
    /// The link map's slot table.
    pub slots: Vec<String>,
    /// The diagnostics of a broken case, drawn.
    pub diagnostics: String,
    /// Warnings about input without effect, one line each.
    pub warnings: Vec<String>,
    /// Other actions of the worker: kept files, written goldens.
    pub notes: Vec<String>,
    /// Digests of everything that the expectations read.
    #[serde(default)]
    pub captures: Vec<SnapshotDigest>,
    /// The oracle's counts, if it was asked.
    #[serde(default)]
    pub oracle: Option<OracleCounts>,
    /// True if 64-bit values were pairs of words.
    #[serde(default)]
    pub is_in_words: bool,
    /// Number of places that each change of variants altered; `None` if no variant ran.
    #[serde(default)]
    pub varied: Option<Places>,
    /// The files that the verdict depends on.
    #[serde(default)]
    pub inputs: Vec<Input>,
}
