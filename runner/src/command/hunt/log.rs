//! The log of a hunt, `hunt.jsonl`: a line for each beginning, each batch of programs and each fault, appended with one
//! write. If the program is killed, only the current batch is lost; an incomplete last line is cut off.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use serde::{Deserialize, Serialize};

use super::signature::Signature;
use crate::journal;
use crate::outcome::CaseResult;
use crate::outcome::status::Status;

/// Name of the log in the folder of a hunt.
const FILE: &str = "hunt.jsonl";

/// Version of the log's lines.
const SCHEMA: u32 = 1;

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Line {
    /// A hunt begins.
    Began(Conditions),
    /// A batch of programs has run.
    Ran(Batch),
    /// A fault is in its folder.
    Found(Fault),
}

/// Versions on which the results of a hunt depend.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Conditions {
    /// Version of the log.
    pub(super) schema: u32,
    /// Version of interstage.
    pub(super) interstage: String,
    /// The adapters, with the compilers before them and all versions.
    pub(super) targets: Vec<String>,
}

/// Programs that ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Batch {
    /// Kind of the programs: a language, or variants.
    pub(super) source: String,
    /// Number of the first program.
    pub(super) first: u64,
    /// Number of programs.
    pub(super) count: u64,
    /// Results by target.
    pub(super) tallies: BTreeMap<String, Tally>,
    /// For each fault, the number of programs that have it, too.
    pub(super) again: BTreeMap<String, u64>,
}

/// Counts of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tally {
    pub(super) passed: u64,
    /// The adapter lacks something, or interstage does.
    pub(super) skipped: u64,
    /// Too many values depend on rounding.
    pub(super) undecided: u64,
    pub(super) failed: u64,
    /// Failed programs that were not examined, because many of their kind had known faults.
    pub(super) unexamined: u64,
    /// Programs that passed when they ran again.
    pub(super) passed_again: u64,
}

/// A fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Fault {
    /// Name of its folder.
    pub(super) name: String,
    pub(super) signature: Signature,
    /// Features of the reduced program.
    pub(super) features: Vec<String>,
    /// Kind of the program, and its number.
    pub(super) source: String,
    pub(super) number: u64,
    /// Number of lines of the reduced case.
    pub(super) lines: usize,
}

/// An open log.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// Opens the log in a folder, and returns the lines that it has.
    ///
    /// # Errors
    /// The folder cannot be written, another hunt writes there, or the log is of another version.
    pub(super) fn open(folder: &Path) -> anyhow::Result<(Self, Vec<Line>)> {
        let path = folder.join(FILE);
        let open = OpenOptions::new().create(true).read(true).append(true).open(&path);
        let mut file = open.with_context(|| format!("cannot write {}", path.display()))?;
        ensure!(journal::lock(&file), "another hunt is already writing into {}", folder.display());
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).with_context(|| format!("cannot read {}", path.display()))?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let mut lines = Vec::new();
        for (number, line) in (1..).zip(bytes[..whole].split_inclusive(|byte| *byte == b'\n')) {
            let line = serde_json::from_slice(line).with_context(|| {
                format!("{}: line {number} is not one of a hunt", path.display())
            })?;
            if let Line::Began(Conditions { schema, interstage, .. }) = &line
                && *schema != SCHEMA
            {
                bail!("{}: written by interstage {interstage}; use another folder", path.display());
            }
            lines.push(line);
        }
        if whole < bytes.len() {
            file.set_len(whole as u64)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok((Self { path, file }, lines))
    }

    /// Appends a line.
    pub(super) fn append(&mut self, line: &Line) -> anyhow::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        let written = self.file.write_all(&bytes).and_then(|()| self.file.sync_data());
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }
}

impl Conditions {
    pub(super) fn now(targets: Vec<String>) -> Self {
        let interstage = env!("CARGO_PKG_VERSION").to_owned();
        Self { schema: SCHEMA, interstage, targets }
    }

    /// Differences between these and the current ones, in words.
    pub(super) fn changes(&self, now: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        if self.interstage != now.interstage {
            changes.push(format!("interstage {} is {} now", self.interstage, now.interstage));
        }
        let missing = |all: &[String], of: &[String]| -> Vec<String> {
            of.iter().filter(|target| !all.contains(target)).cloned().collect()
        };
        changes.extend(
            missing(&now.targets, &self.targets).iter().map(|old| format!("without {old}")),
        );
        changes
            .extend(missing(&self.targets, &now.targets).iter().map(|new| format!("with {new}")));
        changes
    }
}

impl Tally {
    /// Counts a result; true if it is a failure to examine. A random program that is refused fails: nothing in it is
    /// unusual.
    pub(super) fn count(&mut self, result: &CaseResult, is_random: bool) -> bool {
        let is_undecided = result.outcome.is_undecided();
        let is_refused = is_random && result.status == Status::Unsupported;
        let status = if is_undecided {
            Status::Undecided
        } else if is_refused {
            Status::Broken
        } else {
            result.status
        };
        let field = match status {
            Status::Pass
            | Status::Flake
            | Status::Slow
            | Status::KnownFlake
            | Status::ExpectedFail
            | Status::ImprovedToFail => &mut self.passed,
            Status::Skip | Status::Unsupported | Status::ImprovedToSkip => &mut self.skipped,
            Status::Undecided | Status::Untested => &mut self.undecided,
            Status::Fail
            | Status::Broken
            | Status::NoAdapter
            | Status::NoDevice
            | Status::Crash
            | Status::Timeout
            | Status::ImprovedToPass => &mut self.failed,
        };
        *field += 1;
        matches!(status, Status::Fail | Status::Broken | Status::Crash | Status::Timeout)
    }

    pub(super) fn add(&mut self, other: &Self) {
        let Self { passed, skipped, undecided, failed, unexamined, passed_again } = other;
        self.passed += passed;
        self.skipped += skipped;
        self.undecided += undecided;
        self.failed += failed;
        self.unexamined += unexamined;
        self.passed_again += passed_again;
    }

    /// Number of programs.
    pub(super) const fn all(&self) -> u64 {
        self.passed + self.skipped + self.undecided + self.failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("hunt-log-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    #[test]
    fn a_line_that_was_not_finished_is_cut_off() {
        let folder = folder("cut");
        let began = Line::Began(Conditions::now(vec!["gl".to_owned()]));
        let (mut log, lines) = Log::open(&folder).expect("a log");
        assert_eq!(lines, []);
        log.append(&began).expect("written");
        drop(log);
        let path = folder.join(FILE);
        let whole = std::fs::read_to_string(&path).expect("a log");
        std::fs::write(&path, format!("{whole}{{\"Ran\":{{")).expect("written");
        let (mut log, lines) = Log::open(&folder).expect("a log");
        assert_eq!(lines, std::slice::from_ref(&began));
        assert!(Log::open(&folder).expect_err("it is open").to_string().contains("another hunt"));
        log.append(&began).expect("written");
        drop(log);
        let (_, lines) = Log::open(&folder).expect("a log");
        assert_eq!(lines, [began.clone(), began]);
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn other_files_and_other_versions_are_told() {
        let folder = folder("other");
        let path = folder.join(FILE);
        std::fs::write(&path, "{\"a\": 1}\n").expect("written");
        let error = format!("{:#}", Log::open(&folder).expect_err("no log"));
        assert!(error.contains("line 1 is not one of a hunt"), "{error}");
        let newer = Conditions { schema: SCHEMA + 1, ..Conditions::now(Vec::new()) };
        let line = serde_json::to_string(&Line::Began(newer)).expect("JSON");
        std::fs::write(&path, line + "\n").expect("written");
        let error = format!("{:#}", Log::open(&folder).expect_err("a newer log"));
        assert!(error.contains("use another folder"), "{error}");
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn changed_versions_are_named() {
        let then = Conditions::now(vec!["gl 1".to_owned(), "vulkan".to_owned()]);
        let now = Conditions::now(vec!["gl 2".to_owned(), "vulkan".to_owned()]);
        assert_eq!(then.changes(&now), ["without gl 1", "with gl 2"]);
        assert_eq!(then.changes(&then), Vec::<String>::new());
    }
}
