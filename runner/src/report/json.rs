//! `results.json`: all that is known about the cases of a run on one adapter, for other programs.
//!
//! `results.csv` has only deqp-runner's words, which do not tell a case that the adapter cannot run from one that
//! interstage cannot run; here `kind` does, and `reason` says why. Fields may be added without a new [`SCHEMA`].

use std::path::Path;

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};

use crate::protocol::Adapter;
use crate::status::Status;

/// The number of this layout of the file.
pub const SCHEMA: u32 = 1;

/// The file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Where the cases ran; none when the machine has no adapter or no case needs one.
    pub adapter: Option<AdapterRecord>,
    /// The cases, in the order of `results.csv`.
    pub cases: Vec<CaseRecord>,
}

/// An adapter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdapterRecord {
    /// What `--adapter` takes: `vulkan:0`.
    pub selector: String,
    /// Backend, name and driver.
    pub title: String,
}

/// A case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseRecord {
    /// Its name, commas included.
    pub name: String,
    /// The word of `results.csv`: `Pass`, `Fail`, `Skip`, `Crash` or `Timeout`.
    pub status: String,
    /// What that word stands for here.
    pub kind: Status,
    /// Why it did not pass.
    pub reason: Option<String>,
    /// How long it took.
    pub seconds: f32,
}

impl From<&Adapter> for AdapterRecord {
    fn from(adapter: &Adapter) -> Self {
        Self { selector: adapter.selector(), title: adapter.title.clone() }
    }
}

/// Reads the file at `path`.
pub fn read(path: &Path) -> anyhow::Result<Results> {
    let read = || -> anyhow::Result<Results> {
        let results: Results = serde_json::from_slice(&std::fs::read(path)?)?;
        let schema = results.schema;
        ensure!(schema == SCHEMA, "it has schema {schema}, this program reads schema {SCHEMA}");
        Ok(results)
    };
    read().with_context(|| format!("cannot read the results {}", path.display()))
}
