//! What the program and its workers say to each other: one JSON value per line.
//!
//! The program writes [`Request`]s to a worker's stdin, the worker writes [`Answer`]s to its stdout. A case is
//! announced before it is touched, so that a crash or a hang has a name. A worker ends when its stdin does.

use std::path::PathBuf;

use interstage::check::verdict::Verdict;
use serde::{Deserialize, Serialize};

use crate::args::Emulated;
use crate::outcome::CaptureDigest;

/// What the program asks of a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// List adapters of this machine; answered by [`Answer::Adapters`].
    Adapters(Wanted),
    /// Take this one of the adapters that were listed, as `backend:index`, for all cases; answered by nothing.
    Take(String),
    /// Open the adapter and describe it; answered by [`Answer::Device`], or why there is none.
    Describe,
    /// Run a case; answered by [`Answer::Started`] and then one of the others.
    Run {
        /// The case.
        job: Job,
        /// The one after it, which may be compiled and linked meanwhile.
        next: Option<Job>,
    },
    /// Compile and link a case as if it were the next one; answered by [`Answer::Prepared`], whatever comes of it.
    Prepare(Job),
}

/// Which adapters are listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wanted {
    /// All.
    All,
    /// Those among which the one of this name is.
    Fitting(String),
    /// Those of the first backend if it has a GPU, else all.
    UntilHardware,
}

/// A case to be run, and what for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The case's name.
    pub name: String,
    /// Its file.
    pub file: String,
    /// What for.
    pub purpose: Purpose,
}

/// What a case is run for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// To see whether it passes.
    Check {
        /// Where to keep what cases drew and how they were linked, and of which.
        keep: Option<Keep>,
        /// The linkage profile of cases that name none: a name, or `all`.
        profile: Option<String>,
        /// What is done without the adapter's help.
        emulated: Option<Emulated>,
    },
    /// Only to see whether it would run: nothing is drawn.
    WouldSkip,
    /// Only to see whether it compiles and links, and what is in the way: nothing is drawn.
    Census,
    /// To accept what it draws as its goldens.
    Bless,
}

/// Where something is kept of cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keep {
    /// The folder; each case has one of its own below it.
    pub folder: PathBuf,
    /// Of which cases.
    pub of: KeptCases,
}

/// Of which cases something is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeptCases {
    /// Of those that fail.
    Failed,
    /// As well, and of every case its stages and link map before the adapter is touched: it may not come back. Render
    /// targets are read as a whole.
    Suspect,
    /// Of all, also before.
    All,
}

impl Job {
    /// The same job, to be run again because of what came of it.
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

/// What a worker answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// The adapters of this machine.
    Adapters(Vec<Adapter>),
    /// What the opened adapter can do.
    Device(Device),
    /// The case was compiled and linked, or cannot be; the worker is well.
    Prepared,
    /// The case needs an adapter, and the worker was given none.
    NoAdapter,
    /// The adapter gives no device; the reason.
    NoDevice(String),
    /// The case is about to be run.
    Started {
        /// Its name.
        name: String,
    },
    /// The case ended.
    Finished(Finished),
    /// The library panicked with this message; the worker is of no more use.
    Panicked(String),
    /// The case cost the adapter its device, for this reason; the worker is of no more use.
    DeviceLost(String),
}

/// An adapter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adapter {
    /// `vulkan`, `gl`, `metal` or `dx12`.
    pub backend: String,
    /// Index among the adapters of its backend.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Its name as reports show it: backend, name and driver.
    pub title: String,
    /// Whether a GPU is behind it and not the CPU.
    pub is_hardware: bool,
    /// Where on the PCI bus it is; empty where the driver does not tell.
    #[serde(default)]
    pub bus: String,
    /// Words for Mesa about extensions that workers on it need.
    #[serde(default)]
    pub extensions: String,
    /// What a command line must have to get the same device, `--adapter` aside: `--pretend gl33 --validate`.
    #[serde(default)]
    pub options: String,
    /// Why nobody validates what it is told, where that was asked for.
    #[serde(default)]
    pub unvalidated: Option<String>,
}

/// What an adapter can do.
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
    /// Formats of render targets and depth buffers by name, and what can be done with each, or why it cannot be one.
    pub formats: Vec<(String, String)>,
}

/// A case that ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    /// What it showed.
    pub verdict: Verdict,
    /// How long it took, opening the device included where this case was the first.
    pub seconds: f32,
    /// The link map's slot table.
    pub slots: Vec<String>,
    /// The diagnostics of a broken case, drawn.
    pub diagnostics: String,
    /// What was read but had no effect, one line each.
    pub warnings: Vec<String>,
    /// What the worker did besides: files it kept, goldens it wrote.
    pub notes: Vec<String>,
    /// A digest of everything that the expectations looked at.
    #[serde(default)]
    pub captures: Vec<CaptureDigest>,
}
