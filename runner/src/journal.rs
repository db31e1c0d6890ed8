//! The journal of a run: every result is on disk before the next one is reported.
//!
//! The results folder holds `run.json` (the command) and, per adapter, `journal.jsonl`: a first line that names the
//! adapter, then a line per finished case, appended with one write each. If the program is killed in between, only an
//! incomplete last line is lost, which is detected. Once a second the file is synchronised with the disk.
//!
//! `--resume` reads the command back and runs the cases without a line; `merge` joins the journals of several folders.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::outcome::CaseResult;
use crate::protocol::Adapter;

/// Schema version of `run.json` and `journal.jsonl`.
pub const SCHEMA: u32 = 1;

/// Name of the file with the command of a run.
pub const RUN: &str = "run.json";
const JOURNAL: &str = "journal.jsonl";

/// Longest time before a line is synced to disk; lines after that can be lost in a power failure.
const SYNC: Duration = Duration::from_secs(1);

/// Number of attempts to lock a file, and the time between.
const LOCK_TRIES: usize = 50;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Files of an earlier run, deleted so that they are not taken for this one's.
const STALE: [&str; 3] = ["results.csv", "failures.csv", "results.json"];

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
#[derive(Debug, Serialize, Deserialize)]
struct Title {
    journal: u32,
    adapter: Option<Adapter>,
}

/// One finished case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Index in the whole plan, before sharding.
    pub index: usize,
    /// Its result.
    pub result: CaseResult,
}

/// Contents of the journal of one adapter.
#[derive(Debug)]
pub struct Record {
    /// The adapter.
    pub adapter: Option<Adapter>,
    /// The cases that ended, by index in the plan.
    pub results: BTreeMap<usize, CaseResult>,
}

/// The journals of a run.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    has_folder_per_adapter: bool,
    beginning: Beginning,
}

/// Start of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// With an empty journal.
    Fresh,
    /// With the results in the folder's journals.
    Resumed,
}

/// The open journal of one adapter.
#[derive(Debug)]
pub struct Writer {
    folder: PathBuf,
    path: PathBuf,
    file: File,
    synchronised: Instant,
}

impl Journal {
    /// Opens journals in `folder`; with several adapters, each has a folder inside it.
    pub fn begin(
        folder: &Path,
        adapters: usize,
        beginning: Beginning,
        command: Command,
    ) -> anyhow::Result<Self> {
        make(folder)?;
        if beginning == Beginning::Fresh {
            let header = Header { schema: SCHEMA, command };
            let text = serde_json::to_string_pretty(&header)? + "\n";
            let path = folder.join(RUN);
            std::fs::write(&path, text).with_context(|| cannot_write(&path, folder))?;
        }
        Ok(Self { folder: folder.to_owned(), has_folder_per_adapter: adapters > 1, beginning })
    }

    /// The folder of the run.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Opens the journal of one adapter; also returns the results it already has.
    pub fn open(
        &self,
        adapter: Option<&Adapter>,
    ) -> anyhow::Result<(Writer, BTreeMap<usize, CaseResult>)> {
        let own = adapter.filter(|_| self.has_folder_per_adapter);
        let folder =
            own.map_or_else(|| self.folder.clone(), |adapter| self.folder.join(adapter.folder()));
        make(&folder)?;
        let path = folder.join(JOURNAL);
        let open = OpenOptions::new().create(true).append(true).open(&path);
        let file = open.with_context(|| cannot_write(&path, &self.folder))?;
        if !lock(&file) {
            bail!("another run is already writing into {}", folder.display());
        }
        let synchronised = Instant::now();
        let mut writer = Writer { folder: self.folder.clone(), path, file, synchronised };
        let done = match self.beginning {
            Beginning::Resumed => writer.recover(adapter)?,
            Beginning::Fresh => {
                for name in STALE {
                    let _ = std::fs::remove_file(folder.join(name));
                }
                writer.cut(0)?;
                BTreeMap::new()
            }
        };
        if writer.is_empty() {
            writer.write(&Title { journal: SCHEMA, adapter: adapter.cloned() })?;
        }
        Ok((writer, done))
    }
}

impl Writer {
    /// Appends one result.
    pub fn append(&mut self, index: usize, result: &CaseResult) -> anyhow::Result<()> {
        self.write(&Line { index, result: result.clone() })?;
        if self.synchronised.elapsed() >= SYNC {
            self.synchronised = Instant::now();
            self.file.sync_data().with_context(|| cannot_write(&self.path, &self.folder))?;
        }
        Ok(())
    }

    fn write(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        let mut line = serde_json::to_vec(value)?;
        line.push(b'\n');
        self.file.write_all(&line).with_context(|| cannot_write(&self.path, &self.folder))
    }

    /// Reads the existing journal; an incomplete last line is cut off.
    fn recover(
        &mut self,
        adapter: Option<&Adapter>,
    ) -> anyhow::Result<BTreeMap<usize, CaseResult>> {
        if self.is_empty() {
            return Ok(BTreeMap::new());
        }
        let (record, length) = read_journal(&self.path)?;
        self.cut(length)?;
        if length > 0 && record.adapter.as_ref() != adapter {
            let title =
                |adapter: Option<&Adapter>| adapter.map_or("none".to_owned(), Adapter::line);
            let (then, now) = (title(record.adapter.as_ref()), title(adapter));
            bail!(
                "{}: the run started on the adapter {then}, and now uses {now}",
                self.path.display()
            );
        }
        Ok(record.results)
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

/// True if no other process writes to the file. A process that is being started briefly holds a copy of all file
/// handles, so one attempt is not enough. Also true where the file system has no locks.
fn lock(file: &File) -> bool {
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Ok(()) | Err(TryLockError::Error(_)) => return true,
        }
    }
    false
}

/// Refuses a folder with files that no run wrote.
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

/// Command of the run that wrote into `folder`.
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

/// All journals below `folder`, in the order of the adapters' folders.
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
    let mut record = Record { adapter: None, results: BTreeMap::new() };
    if let Some(title) = lines.next() {
        let title: Title = serde_json::from_slice(title)
            .ok()
            .filter(|title: &Title| title.journal == SCHEMA)
            .with_context(|| {
                format!("{}: another version of interstage wrote this journal", path.display())
            })?;
        record.adapter = title.adapter;
    }
    for (line, number) in lines.zip(2..) {
        let line: Line = serde_json::from_slice(line)
            .with_context(|| format!("{}:{number}: cannot parse the line", path.display()))?;
        record.results.insert(line.index, line.result);
    }
    Ok((record, whole as u64))
}

fn make(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder {}", folder.display()))
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

    fn begin(folder: &Path, beginning: Beginning) -> (Writer, BTreeMap<usize, CaseResult>) {
        let journal = Journal::begin(folder, 1, beginning, Command::default()).unwrap();
        journal.open(None).unwrap()
    }

    fn result(name: &str) -> CaseResult {
        CaseResult::bare(name, Outcome::Finished(Verdict::Pass), 0.5, "a\nb\"".to_owned())
    }

    #[test]
    fn a_journal_cut_off_anywhere_gives_all_whole_lines_and_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(JOURNAL);
        let (mut writer, _) = begin(folder.path(), Beginning::Fresh);
        let mut ends = vec![std::fs::metadata(&path).unwrap().len()];
        for (index, name) in ["a", "é, \"b\"", "c"].into_iter().enumerate() {
            writer.append(index * 2, &result(name)).unwrap();
            ends.push(std::fs::metadata(&path).unwrap().len());
        }
        drop(writer);
        let whole = std::fs::read(&path).unwrap();
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (mut writer, done) = begin(folder.path(), Beginning::Resumed);
            let lines = ends.iter().filter(|end| **end <= length as u64).count();
            assert_eq!(done.len(), lines.saturating_sub(1), "{length}");
            writer.append(9, &result("d")).unwrap();
            drop(writer);
            let [record] = &records(folder.path()).unwrap()[..] else { panic!("one journal") };
            assert_eq!(record.results.len(), done.len() + 1, "{length}");
            assert!(done.iter().all(|(index, result)| record.results[index] == *result));
        }
    }

    #[test]
    fn two_runs_never_write_into_one_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (_writer, _) = begin(folder.path(), Beginning::Fresh);
        let journal =
            Journal::begin(folder.path(), 1, Beginning::Fresh, Command::default()).unwrap();
        let error = journal.open(None).unwrap_err().to_string();
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
