//! Result files: those that deqp-runner's tools read, and `results.json` (see [`json`](super::json)), which has more.
//!
//! `results.csv` has a line `name,Status,seconds` per case, without a header, sorted by name; `failures.csv` has
//! `name,Status` of those that went wrong. deqp-runner allows no comma in a name and quotes nothing, so the commas
//! between a case's parameters are written as `;`. What the drivers printed goes to `stderr.txt`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::case_file::list_name;
use crate::event::{Event, Report};
use crate::outcome::CaseResult;
use crate::protocol::Adapter;
use crate::report::json::{AdapterRecord, CaseRecord, Results, SCHEMA};
use crate::status::Status;

/// Writes the result files of every adapter.
#[derive(Debug)]
pub struct ResultFiles {
    folder: PathBuf,
    has_folder_per_adapter: bool,
    adapter: Option<Adapter>,
    rows: Vec<Row>,
    stderr: String,
}

#[derive(Debug)]
struct Row {
    /// As the program has it.
    name: String,
    status: Status,
    seconds: f32,
    reason: Option<String>,
}

impl ResultFiles {
    /// Files in `folder`, or with several adapters in a folder like `vulkan-0` of each. Fails early when the folder
    /// cannot be made, before anything is run in vain.
    pub fn new(folder: &Path, adapters: usize) -> anyhow::Result<Self> {
        make(folder)?;
        let (rows, stderr) = (Vec::new(), String::new());
        Ok(Self {
            folder: folder.to_owned(),
            has_folder_per_adapter: adapters > 1,
            adapter: None,
            rows,
            stderr,
        })
    }

    fn add(&mut self, result: &CaseResult) {
        let status = result.status;
        self.rows.push(Row {
            name: result.name.clone(),
            status,
            seconds: result.seconds,
            reason: result.outcome.reason(),
        });
        if !result.stderr.trim().is_empty() {
            let _ = writeln!(self.stderr, "{}:\n{}", result.name, result.stderr.trim_end());
        }
    }

    fn write(&mut self) -> anyhow::Result<()> {
        let adapter = self.adapter.as_ref().filter(|_| self.has_folder_per_adapter);
        let folder =
            adapter.map_or_else(|| self.folder.clone(), |it| self.folder.join(it.folder()));
        make(&folder)?;
        let mut rows = std::mem::take(&mut self.rows);
        rows.sort_by_cached_key(|row| list_name(&row.name));
        write(&folder.join("results.csv"), &results_csv(&rows))?;
        write(&folder.join("failures.csv"), &failures_csv(&rows))?;
        write(&folder.join("results.json"), &self.results_json(rows)?)?;
        write(&folder.join("stderr.txt"), &std::mem::take(&mut self.stderr))
    }

    fn results_json(&self, rows: Vec<Row>) -> anyhow::Result<String> {
        let case = |row: Row| CaseRecord {
            name: row.name,
            status: row.status.csv_word().to_owned(),
            kind: row.status,
            reason: row.reason,
            seconds: row.seconds,
        };
        let results = Results {
            schema: SCHEMA,
            adapter: self.adapter.as_ref().map(AdapterRecord::from),
            cases: rows.into_iter().map(case).collect(),
        };
        Ok(serde_json::to_string_pretty(&results)? + "\n")
    }
}

impl Report for ResultFiles {
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        match event {
            Event::AdapterStarted { adapter, .. } => {
                self.adapter = adapter.cloned();
            }
            Event::CaseDone(_) => {}
            Event::CaseReported(result) => self.add(result),
            Event::AdapterFinished => self.write()?,
        }
        Ok(())
    }
}

fn results_csv(rows: &[Row]) -> String {
    rows.iter().fold(String::new(), |mut text, Row { name, status, seconds, .. }| {
        let _ = writeln!(text, "{},{},{seconds}", list_name(name), status.csv_word());
        text
    })
}

fn failures_csv(rows: &[Row]) -> String {
    rows.iter().filter(|row| row.status.is_failure()).fold(String::new(), |mut text, row| {
        let _ = writeln!(text, "{},{}", list_name(&row.name), row.status.csv_word());
        text
    })
}

fn make(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))
}

/// A file is there as a whole or not at all, whenever the program or the disk ends.
fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    std::fs::write(&part, text)
        .and_then(|()| std::fs::rename(&part, path))
        .with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use interstage::verdict::Verdict;

    use super::*;
    use crate::outcome::Outcome;

    #[test]
    fn the_files_are_deqp_runners() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = ResultFiles::new(folder.path(), 1).unwrap();
        let outcomes = [
            ("b", Outcome::Finished(Verdict::Pass)),
            ("a#x=1,y=2", Outcome::TimedOut { seconds: 1.0 }),
            ("a#x=1", Outcome::Finished(Verdict::Skip(String::new()))),
            ("c", Outcome::Finished(Verdict::Broken(Vec::new()))),
        ];
        for (name, outcome) in outcomes {
            let result = CaseResult::bare(name, outcome, 0.25, format!("{name} was here\n"));
            files.hear(&Event::CaseReported(&result)).unwrap();
        }
        files.hear(&Event::AdapterFinished).unwrap();
        let read = |name| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(
            read("results.csv"),
            "a#x=1,Skip,0.25\na#x=1;y=2,Timeout,0.25\nb,Pass,0.25\nc,Fail,0.25\n"
        );
        assert_eq!(read("failures.csv"), "a#x=1;y=2,Timeout\nc,Fail\n");
        assert!(read("stderr.txt").starts_with("b:\nb was here\n"));
    }
}
