//! The journal of a run: every result is on disk before the next one is reported.
//!
//! The results folder holds `run.json` (the command) and, per adapter, `journal.jsonl`: a first line that names the
//! adapter and the conditions of the run, then a line per finished case, each appended with one write. If the program
//! is killed in between, only the last line is lost; it is incomplete, which is detected. The file is synchronised with
//! the disk once a second.
//!
//! `--resume` reads the command back. It runs the cases without a line, and those whose result depends on something
//! that has changed since ([`crate::files::basis`]). `merge` joins the journals of several folders.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};

use crate::files::basis::Conditions;
use crate::outcome::CaseResult;
use crate::protocol::Adapter;

/// Schema version of `run.json` and `journal.jsonl`.
pub const SCHEMA: u32 = 1;

/// Name of the file with the command of a run.
pub const RUN: &str = "run.json";
const JOURNAL: &str = "journal.jsonl";

/// Maximum time before a line is synchronised with the disk. Lines after that may be lost in a power failure.
const SYNC: Duration = Duration::from_secs(1);

/// Number of attempts to lock a file, and the time between.
const LOCK_TRIES: usize = 50;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Files of an earlier run, deleted so that they are not mistaken for those of this run, whose adapters may be others.
const STALE: [&str; 5] =
    ["results.csv", "failures.csv", "results.json", "stderr.txt", "piglit/results.json"];

/// Contents of `run.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// Working directory of the program; none if its name is not UTF-8.
    pub folder: Option<String>,
    /// Command line without the program; none if it is not UTF-8.
    pub arguments: Option<Vec<String>>,
    /// Shard as `K/N`, if any.
    pub shard: Option<String>,
}

/// `run.json`.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    schema: u32,
    #[serde(flatten)]
    command: Command,
}

/// First line of a journal.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Title {
    journal: u32,
    adapter: Option<Adapter>,
    #[serde(default)]
    conditions: Conditions,
}

/// One finished case, as a line of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Index in the whole plan, before sharding.
    pub index: usize,
    /// Digest of the list entries that match the case; empty if there are none.
    #[serde(default)]
    pub listed: String,
    /// Result of the case.
    pub result: CaseResult,
}

/// Contents of the journal of one adapter.
#[derive(Debug)]
pub struct Record {
    /// The adapter.
    pub adapter: Option<Adapter>,
    /// Conditions that all the results depend on.
    conditions: Conditions,
    /// The cases that ended, by index in the plan.
    pub lines: BTreeMap<usize, Line>,
}

/// The results in an opened journal.
#[derive(Debug, Default)]
pub struct Earlier {
    /// Results by index in the plan.
    pub lines: BTreeMap<usize, Line>,
    /// Number of results that were dropped because the conditions of the run have changed.
    pub dropped: usize,
    /// The changed conditions, in words.
    pub changes: Vec<String>,
}

/// The journals of a run.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    has_folder_per_adapter: bool,
    beginning: Beginning,
    conditions: Conditions,
}

/// Initial state of a run's journals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// The journal is empty.
    Fresh,
    /// The run begins with the results in the folder's journals.
    Resumed,
}

/// The open journal of one adapter.
#[derive(Debug)]
pub struct Writer {
    folder: PathBuf,
    path: PathBuf,
    file: File,
    title: Title,
    synchronised: Instant,
}

impl Journal {
    /// Opens journals in `folder`; with several adapters, each has its own folder inside.
    pub fn begin(
        folder: &Path,
        adapters: usize,
        beginning: Beginning,
        command: Command,
        conditions: Conditions,
    ) -> anyhow::Result<Self> {
        make(folder)?;
        if beginning == Beginning::Fresh {
            let header = Header { schema: SCHEMA, command };
            let text = serde_json::to_string_pretty(&header)? + "\n";
            let path = folder.join(RUN);
            std::fs::write(&path, text).with_context(|| cannot_begin(&path))?;
            clear(folder, adapters > 1)?;
        }
        let (folder, has_folder_per_adapter) = (folder.to_owned(), adapters > 1);
        Ok(Self { folder, has_folder_per_adapter, beginning, conditions })
    }

    /// The folder of the run.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Opens the journal of one adapter; also returns the results it already has.
    pub fn open(&self, adapter: Option<&Adapter>) -> anyhow::Result<(Writer, Earlier)> {
        let own = adapter.filter(|_| self.has_folder_per_adapter);
        let folder =
            own.map_or_else(|| self.folder.clone(), |adapter| self.folder.join(adapter.folder()));
        make(&folder)?;
        let path = folder.join(JOURNAL);
        let open = OpenOptions::new().create(true).append(true).open(&path);
        let file = open.with_context(|| cannot_begin(&path))?;
        ensure_alone(&file, &folder)?;
        let synchronised = Instant::now();
        let (whose, conditions) = (adapter.cloned(), self.conditions.clone());
        let title = Title { journal: SCHEMA, adapter: whose, conditions };
        let mut writer = Writer { folder: self.folder.clone(), path, file, title, synchronised };
        let earlier = match self.beginning {
            Beginning::Resumed => writer.recover(adapter, &self.conditions)?,
            Beginning::Fresh => {
                writer.cut(0)?;
                Earlier::default()
            }
        };
        if writer.is_empty() {
            writer.write(&writer.title.clone())?;
        }
        Ok((writer, earlier))
    }
}

impl Writer {
    /// Appends one result.
    pub fn append(&mut self, line: &Line) -> anyhow::Result<()> {
        self.write(line)?;
        if self.synchronised.elapsed() >= SYNC {
            self.synchronised = Instant::now();
            self.file.sync_data().with_context(|| cannot_write(&self.path, &self.folder))?;
        }
        Ok(())
    }

    /// Rewrites the journal with only these lines.
    pub fn restart<'a>(&mut self, kept: impl Iterator<Item = &'a Line>) -> anyhow::Result<()> {
        self.cut(0)?;
        self.write(&self.title.clone())?;
        kept.into_iter().try_for_each(|line| self.write(line))
    }

    fn write(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        let mut line = serde_json::to_vec(value)?;
        line.push(b'\n');
        self.file.write_all(&line).with_context(|| cannot_write(&self.path, &self.folder))
    }

    /// Reads the existing journal. Cuts off an incomplete last line, or all lines if the conditions that they depend on
    /// have changed.
    fn recover(
        &mut self,
        adapter: Option<&Adapter>,
        conditions: &Conditions,
    ) -> anyhow::Result<Earlier> {
        if self.is_empty() {
            return Ok(Earlier::default());
        }
        let (record, length) = read_journal(&self.path)?;
        let mut changes = Vec::new();
        if length > 0 {
            if record.adapter.as_ref() != adapter {
                let [then, now] = [record.adapter.as_ref(), adapter]
                    .map(|adapter| adapter.map_or("none".to_owned(), Adapter::line));
                changes.push(format!("the adapter was {then} and is {now}"));
            }
            changes.extend(record.conditions.changes(conditions));
        }
        self.cut(if changes.is_empty() { length } else { 0 })?;
        let lines = record.lines;
        Ok(if changes.is_empty() {
            Earlier { lines, ..Earlier::default() }
        } else {
            Earlier { lines: BTreeMap::new(), dropped: lines.len(), changes }
        })
    }

    /// Truncates the file. A special file (`/dev/full`) cannot be truncated, and need not be.
    fn cut(&self, length: u64) -> anyhow::Result<()> {
        if self.file.metadata().is_ok_and(|metadata| metadata.is_file()) {
            self.file.set_len(length).with_context(|| cannot_write(&self.path, &self.folder))?;
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.file.metadata().is_ok_and(|metadata| metadata.len() == 0)
    }
}

/// Locks the file. True if no other process writes to it, or if the file system has no locks. A process that is being
/// started briefly holds a copy of all file handles, so several attempts are made.
pub fn lock(file: &File) -> bool {
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Ok(()) | Err(TryLockError::Error(_)) => return true,
        }
    }
    false
}

/// Rejects a folder with files that were not written by a run.
pub fn refuse_foreign(folder: &Path) -> anyhow::Result<()> {
    let mut entries = std::fs::read_dir(folder).into_iter().flatten();
    let is_free = folder.join(RUN).is_file() || entries.next().is_none();
    ensure!(
        is_free,
        "{} is not empty and not a folder of results; write into it anyway with --overwrite",
        folder.display()
    );
    Ok(())
}

/// Reads the command of the run that wrote into `folder`.
pub fn command_of(folder: &Path) -> anyhow::Result<Command> {
    let path = folder.join(RUN);
    let read = || -> anyhow::Result<Command> {
        let value: serde_json::Value = serde_json::from_slice(&std::fs::read(&path)?)?;
        let schema = value.get("schema").and_then(serde_json::Value::as_u64);
        let found = schema.map_or_else(|| "none".to_owned(), |schema| schema.to_string());
        ensure!(
            schema == Some(u64::from(SCHEMA)),
            "the file has schema {found}, but this version of interstage reads schema {SCHEMA}"
        );
        Ok(serde_json::from_value::<Header>(value)?.command)
    };
    read().with_context(|| format!("cannot read the run in {}: {RUN}", folder.display()))
}

/// Reads all journals below `folder`, in the order of the adapters' folders.
pub fn records(folder: &Path) -> anyhow::Result<Vec<Record>> {
    command_of(folder)?;
    let mut paths = vec![folder.join(JOURNAL)];
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.with_context(|| format!("cannot read {}", folder.display()))?;
    paths.extend(entries.iter().map(|entry| entry.path().join(JOURNAL)));
    paths.sort();
    let paths = paths.iter().filter(|path| path.is_file());
    paths.map(|path| read_journal(path).map(|(record, _)| record)).collect()
}

/// Reads a journal; also returns the number of bytes in complete lines.
fn read_journal(path: &Path) -> anyhow::Result<(Record, u64)> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mut lines = bytes[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let mut record =
        Record { adapter: None, conditions: Conditions::default(), lines: BTreeMap::new() };
    if let Some(title) = lines.next() {
        let title: Title = serde_json::from_slice(title)
            .ok()
            .filter(|title: &Title| title.journal == SCHEMA)
            .with_context(|| {
                format!("{}: another version of interstage wrote this journal", path.display())
            })?;
        (record.adapter, record.conditions) = (title.adapter, title.conditions);
    }
    for (line, number) in lines.zip(2..) {
        let line: Line = serde_json::from_slice(line)
            .with_context(|| format!("{}:{number}: cannot parse the line", path.display()))?;
        record.lines.insert(line.index, line);
    }
    Ok((record, whole as u64))
}

/// Deletes the results of an earlier run: those in the folder, and those in the folders of its adapters. A folder with
/// a command of its own is another run's. The journal in the folder itself stays if this run goes on to write it.
fn clear(own: &Path, has_folder_per_adapter: bool) -> anyhow::Result<()> {
    let inside = std::fs::read_dir(own).into_iter().flatten().flatten();
    let inside = inside.map(|entry| entry.path()).filter(|path| !path.join(RUN).exists());
    for folder in inside.chain([own.to_owned()]) {
        let Ok(file) = OpenOptions::new().append(true).open(folder.join(JOURNAL)) else { continue };
        ensure_alone(&file, &folder)?;
        drop(file);
        for name in STALE {
            let _ = std::fs::remove_file(folder.join(name));
        }
        if folder != own || has_folder_per_adapter {
            let _ = std::fs::remove_file(folder.join(JOURNAL));
        }
        // Folders that have become empty; others stay.
        let _ = std::fs::remove_dir(folder.join("piglit"));
        let _ = std::fs::remove_dir(&folder);
    }
    Ok(())
}

/// Locks a journal, or says that another run writes it.
fn ensure_alone(journal: &File, folder: &Path) -> anyhow::Result<()> {
    ensure!(lock(journal), "another run is already writing into {}", folder.display());
    Ok(())
}

fn make(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder {}{PERMISSIONS}", folder.display()))
}

/// Hint at the usual reason why nothing can be written before a run.
const PERMISSIONS: &str = "; check its path and permissions, or name another folder with --results";

fn cannot_begin(path: &Path) -> String {
    format!("cannot write {}{PERMISSIONS}", path.display())
}

fn cannot_write(path: &Path, folder: &Path) -> String {
    let (path, folder) = (path.display(), folder.display());
    format!(
        "cannot write {path}; earlier results are kept, continue with `interstage run --resume {folder}`"
    )
}

#[cfg(test)]
mod tests {
    use interstage::check::verdict::Verdict;

    use super::*;
    use crate::outcome::Outcome;

    fn begin(folder: &Path, beginning: Beginning) -> (Writer, BTreeMap<usize, Line>) {
        let (writer, earlier) = open(folder, beginning, Conditions::default());
        (writer, earlier.lines)
    }

    fn open(folder: &Path, beginning: Beginning, conditions: Conditions) -> (Writer, Earlier) {
        let command = Command::default();
        let journal = Journal::begin(folder, 1, beginning, command, conditions).unwrap();
        journal.open(None).unwrap()
    }

    fn line(index: usize, name: &str) -> Line {
        let outcome = Outcome::Finished(Verdict::Pass);
        let result = CaseResult::bare(name, outcome, 0.5, "a\nb\"".to_owned());
        Line { index, listed: String::new(), result }
    }

    #[test]
    fn results_under_other_conditions_are_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let (mut writer, _) = open(folder.path(), Beginning::Fresh, Conditions::default());
        writer.append(&line(0, "a")).unwrap();
        drop(writer);
        let options = || Conditions { options: "other".to_owned(), ..Conditions::default() };
        let resume = |conditions| open(folder.path(), Beginning::Resumed, conditions);
        assert_eq!(resume(Conditions::default()).1.lines.len(), 1);
        let (mut writer, earlier) = resume(options());
        assert_eq!((earlier.lines.len(), earlier.dropped), (0, 1));
        assert_eq!(earlier.changes, ["the options changed"]);
        writer.append(&line(1, "b")).unwrap();
        drop(writer);
        let (_writer, earlier) = resume(options());
        assert_eq!((earlier.lines.len(), earlier.dropped), (1, 0));
    }

    #[test]
    fn a_journal_cut_off_anywhere_gives_all_whole_lines_and_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(JOURNAL);
        let (mut writer, _) = begin(folder.path(), Beginning::Fresh);
        let mut ends = vec![std::fs::metadata(&path).unwrap().len()];
        for (index, name) in ["a", "é, \"b\"", "c"].into_iter().enumerate() {
            writer.append(&line(index * 2, name)).unwrap();
            ends.push(std::fs::metadata(&path).unwrap().len());
        }
        drop(writer);
        let whole = std::fs::read(&path).unwrap();
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (mut writer, done) = begin(folder.path(), Beginning::Resumed);
            let lines = ends.iter().filter(|end| **end <= length as u64).count();
            assert_eq!(done.len(), lines.saturating_sub(1), "{length}");
            writer.append(&line(9, "d")).unwrap();
            drop(writer);
            let [record] = &records(folder.path()).unwrap()[..] else { panic!("one journal") };
            assert_eq!(record.lines.len(), done.len() + 1, "{length}");
            assert!(done.iter().all(|(index, line)| record.lines[index] == *line));
        }
    }

    #[test]
    fn two_runs_never_write_into_one_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (_writer, _) = begin(folder.path(), Beginning::Fresh);
        let (command, conditions) = (Command::default(), Conditions::default());
        let journal = Journal::begin(folder.path(), 1, Beginning::Fresh, command, conditions);
        let error = journal.unwrap_err().to_string();
        assert!(error.starts_with("another run is already writing into "), "{error}");
        let (command, conditions) = (Command::default(), Conditions::default());
        let journal = Journal::begin(folder.path(), 1, Beginning::Resumed, command, conditions);
        let error = journal.unwrap().open(None).unwrap_err().to_string();
        assert!(error.starts_with("another run is already writing into "), "{error}");
    }

    #[test]
    fn a_line_damaged_in_the_middle_is_told() {
        let folder = tempfile::tempdir().unwrap();
        drop(begin(folder.path(), Beginning::Fresh));
        let path = folder.path().join(JOURNAL);
        let text = std::fs::read_to_string(&path).unwrap() + "{\"index\":\n{}\n";
        std::fs::write(&path, text).unwrap();
        let error = records(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("journal.jsonl:2: cannot parse the line"), "{error}");
    }
}
