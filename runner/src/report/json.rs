//! `results.json`: all data about the cases of a run on one adapter, for other programs.
//!
//! The file is documented in `docs/results.md`, and `docs/results.schema.json` is its JSON Schema. Fields may be added
//! without a new [`SCHEMA`], so readers must ignore unknown fields.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use interstage::check::verdict::{Failure, Verdict};
use interstage::vary::Places;
use serde::{Deserialize, Serialize};

use crate::outcome::status::Status;
use crate::outcome::{Attempt, CaseResult, OracleCounts, Outcome, SnapshotDigest};
use crate::protocol::Adapter;
use crate::report::origin::Origin;
use crate::report::tally::Tally;

/// Schema version of the file.
pub const SCHEMA: u32 = 3;

/// The oldest schema version that is still read: it lacks only words that schema 3 has.
const OLDEST: u32 = 2;

/// Name of the file in a result folder.
pub const FILE: &str = "results.json";

/// Contents of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The value of the constant [`SCHEMA`].
    pub schema: u32,
    /// Version of the program that wrote the file.
    pub interstage: String,
    /// Adapter of the run; none if the machine has none or no case needs one.
    pub adapter: Option<AdapterRecord>,
    /// Origin of the results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Origin>,
    /// Absolute paths of the folders that the names of cases are relative to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roots: Vec<String>,
    /// Number of results of each class; older files lack it.
    #[serde(default)]
    pub counts: Tally,
    /// The cases, in the order of `results.csv`.
    pub cases: Vec<CaseRecord>,
}

/// An adapter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdapterRecord {
    /// Value for `--adapter`: `vulkan:0`.
    pub selector: String,
    /// Backend, name and driver.
    pub title: String,
}

/// A case. Empty fields are left out of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseRecord {
    /// Name of the case.
    pub name: String,
    /// Status word of `results.csv`.
    pub status: String,
    /// Status in detail.
    pub kind: Status,
    /// Reason why the case did not pass.
    pub reason: Option<String>,
    /// Duration in seconds.
    pub seconds: f32,
    /// Seconds on processors, where the system reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<f32>,
    /// The expectation that the outcome was weighed against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
    /// Failed expectations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    /// Earlier attempts with a different outcome.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<AttemptRecord>,
    /// The diagnostics of a broken case, drawn.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub diagnostics: String,
    /// The link map's slot table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<String>,
    /// Warnings about input without effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Other actions of the worker.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Driver output.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
    /// Command that repeats a failed case.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub repeat: String,
    /// Digests of everything that the case's expectations read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub captures: Vec<SnapshotDigest>,
    /// The oracle's counts, if it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oracle: Option<OracleCounts>,
    /// True if 64-bit values were pairs of words, because the adapter has no 64-bit types.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_in_words: bool,
    /// Number of places that each change of variants altered; `None` if no variant ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub varied: Option<Places>,
}

/// An earlier attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttemptRecord {
    /// Status of this attempt.
    pub kind: Status,
    /// Reason why the attempt did not pass.
    pub reason: Option<String>,
    /// Duration in seconds.
    pub seconds: f32,
    /// Driver output.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
}

impl From<&Adapter> for AdapterRecord {
    fn from(adapter: &Adapter) -> Self {
        Self { selector: adapter.selector(), title: adapter.title.clone() }
    }
}

impl AdapterRecord {
    /// Name of the adapter's results folder.
    pub fn folder(&self) -> String {
        self.selector.replace(':', "-")
    }
}

impl From<&Attempt> for AttemptRecord {
    fn from(attempt: &Attempt) -> Self {
        let Attempt { outcome, seconds, stderr } = attempt;
        let (kind, reason) = (outcome.status(), outcome.reason());
        Self { kind, reason, seconds: *seconds, stderr: stderr.clone() }
    }
}

impl From<&CaseResult> for CaseRecord {
    fn from(result: &CaseResult) -> Self {
        Self {
            name: result.name.clone(),
            status: result.status.csv_word().to_owned(),
            kind: result.status,
            reason: result.reason(),
            seconds: result.seconds,
            cpu_seconds: result.cpu_seconds,
            known: result.known.clone(),
            failures: failures(&result.outcome),
            attempts: result.other_attempts().map(AttemptRecord::from).collect(),
            diagnostics: result.diagnostics.clone(),
            slots: result.slots.clone(),
            warnings: result.warnings.clone(),
            notes: result.notes.clone(),
            stderr: result.stderr.trim_end().to_owned(),
            repeat: String::new(),
            captures: result.captures.clone(),
            oracle: result.oracle.clone(),
            is_in_words: result.is_in_words,
            varied: result.varied.clone(),
        }
    }
}

fn failures(outcome: &Outcome) -> Vec<Failure> {
    match outcome {
        Outcome::Finished(Verdict::Fail(failures)) => failures.clone(),
        Outcome::Finished(
            Verdict::Pass
            | Verdict::Skip(_)
            | Verdict::Unsupported(_)
            | Verdict::Undecided(_)
            | Verdict::Untested(_)
            | Verdict::Broken(_),
        )
        | Outcome::NoAdapter
        | Outcome::NoDevice(_)
        | Outcome::DeviceLost(_)
        | Outcome::Panicked(_)
        | Outcome::Crashed { .. }
        | Outcome::OutOfMemory { .. }
        | Outcome::TimedOut { .. } => Vec::new(),
    }
}

impl Results {
    /// Results of these cases, written by this version of the program.
    pub fn new(adapter: Option<AdapterRecord>, cases: Vec<CaseRecord>) -> Self {
        let interstage = env!("CARGO_PKG_VERSION").to_owned();
        let counts = Tally::of(cases.iter().map(|case| case.kind));
        Self { schema: SCHEMA, interstage, adapter, run: None, roots: Vec::new(), counts, cases }
    }

    /// Folder for the files and the evidence of this adapter inside `folder`.
    pub fn folder_in(&self, folder: &Path, has_folder_per_adapter: bool) -> PathBuf {
        let adapter = self.adapter.as_ref().filter(|_| has_folder_per_adapter);
        adapter.map_or_else(|| folder.to_owned(), |adapter| folder.join(adapter.folder()))
    }
}

/// Fields common to every schema version.
#[derive(Deserialize)]
struct Header {
    schema: u32,
}

/// Roots of the results beside a file such as `failures.csv`; empty if there are no results.
pub fn roots_beside(file: &Path) -> Vec<String> {
    let folder = file.parent().filter(|folder| *folder != Path::new(""));
    let path = folder.unwrap_or(Path::new(".")).join(FILE);
    // Without roots, the names of the list are looked up as any other.
    if path.is_file() {
        read(&path).map_or_else(|_| Vec::new(), |results| results.roots)
    } else {
        Vec::new()
    }
}

/// Reads the results file at `path`, or the one in the folder at `path`.
pub fn read(path: &Path) -> anyhow::Result<Results> {
    let file = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
    let read = || -> anyhow::Result<Results> {
        let bytes = std::fs::read(&file)?;
        let Header { schema } = serde_json::from_slice(&bytes)?;
        if !(OLDEST..=SCHEMA).contains(&schema) {
            bail!(
                "the file has schema {schema}, but this version of interstage reads schema {OLDEST} to {SCHEMA}"
            );
        }
        let results: Results = serde_json::from_slice(&bytes)?;
        let counts = Tally::of(results.cases.iter().map(|case| case.kind));
        Ok(Results { counts, ..results })
    };
    read().with_context(|| format!("cannot read the results {}", file.display()))
}

/// Reads the results of every adapter in a result folder, sorted by folder name. A path to a single file gives the
/// results of one adapter.
pub fn read_all(path: &Path) -> anyhow::Result<Vec<Results>> {
    if !path.is_dir() || path.join(FILE).exists() {
        return Ok(vec![read(path)?]);
    }
    let entries = std::fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.with_context(|| format!("cannot read the folder {}", path.display()))?;
    let mut folders: Vec<_> = entries.iter().map(std::fs::DirEntry::path).collect();
    folders.retain(|folder| folder.join(FILE).is_file());
    folders.sort();
    if folders.is_empty() {
        bail!("{}: no {FILE} in this folder or the folders in it", path.display());
    }
    folders.iter().map(|folder| read(folder)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), text).unwrap();
        let message =
            read(folder.path()).map(|_| String::new()).map_err(|error| format!("{error:#}"));
        let message = message.unwrap_or_else(|message| message);
        assert!(message.ends_with(expected), "{message}");
    }

    #[test]
    fn results_of_another_version_are_refused_with_both_numbers() {
        check(
            r#"{"schema": 1}"#,
            "the file has schema 1, but this version of interstage reads schema 2 to 3",
        );
        check(
            r#"{"schema": 4, "cases": 7}"#,
            "the file has schema 4, but this version of interstage reads schema 2 to 3",
        );
    }

    #[test]
    fn fields_that_are_not_known_are_no_error() {
        for schema in [2, 3] {
            check(
                &format!(
                    r#"{{"schema": {schema}, "interstage": "9", "adapter": null, "cases": [], "new": 1}}"#
                ),
                "",
            );
        }
    }

    #[test]
    fn a_failure_of_a_whole_case_is_written_in_line_0() {
        let failure = Failure::of_case("link", Vec::new());
        let text = serde_json::to_string(&failure).unwrap();
        assert_eq!(text, r#"{"line":0,"step":"link","details":[]}"#);
        assert_eq!(serde_json::from_str::<Failure>(&text).unwrap(), failure);
    }

    #[test]
    fn a_folder_without_results_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read_all(folder.path()).is_err());
    }
}
