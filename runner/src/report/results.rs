//! Result files.
//!
//! For every adapter, in its own folder if there are several:
//!
//! * `results.csv`: a line `name,Status,seconds` per case, without a header, sorted by name, and `failures.csv`:
//!   `name,Status` of failed cases. deqp-runner allows no comma in a name and quotes nothing, so the commas between a
//!   case's parameters are written as `;`.
//! * `results.json` (see [`json`]): all data.
//! * `stderr.txt`: driver output.
//! * `piglit/results.json` (see [`piglit_results`]), for `piglit summary`.
//!
//! For all adapters together, `junit.xml` and `index.html`. The evidence of a failed case is in its own folder below
//! `evidence`. All other files are generated from [`Results`] alone, so code that merges or resumes runs calls
//! [`write_adapter`] and [`write_all`].

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::event::{Event, Report};
use crate::report::collect::Collector;
use crate::report::failure::Invocation;
use crate::report::html::{self, Run};
use crate::report::json::{self, CaseRecord, Results};
use crate::report::{evidence, junit, piglit_results};

/// Writes the result files of every adapter.
#[derive(Debug)]
pub struct ResultFiles {
    folder: PathBuf,
    evidence: PathBuf,
    has_folder_per_adapter: bool,
    collector: Collector,
}

impl ResultFiles {
    /// Writes into `folder`; with several adapters, each has its own folder inside, such as `vulkan-0`. Fails before
    /// any case runs if the folder cannot be created or written to.
    pub fn new(folder: &Path, adapters: usize) -> anyhow::Result<Self> {
        make(folder)?;
        let probe = folder.join(".writable");
        std::fs::write(&probe, b"").and_then(|()| std::fs::remove_file(&probe)).with_context(
            || {
                let hint = "check its path and permissions, or name another with --results";
                format!("cannot write into the folder {}; {hint}", folder.display())
            },
        )?;
        Ok(Self {
            folder: folder.to_owned(),
            evidence: folder.join(evidence::FOLDER),
            has_folder_per_adapter: adapters > 1,
            collector: Collector::new(Invocation::of_this_process()),
        })
    }

    /// Sets the invocation of the program.
    #[must_use]
    pub fn with_invocation(self, invocation: Invocation) -> Self {
        Self { collector: Collector::new(invocation), ..self }
    }

    /// Sets a folder other than `evidence` for the evidence of failed cases.
    #[must_use]
    pub fn with_evidence_in(mut self, folder: Option<&Path>) -> Self {
        self.evidence = folder.map_or(self.evidence, Path::to_owned);
        self
    }

    fn write(&self) -> anyhow::Result<()> {
        let finished = &self.collector.finished;
        if let Some(results) = finished.last() {
            let folder = results.folder_in(&self.folder, self.has_folder_per_adapter);
            write_adapter(&folder, results)?;
        }
        write_all(&self.folder, &self.evidence, finished)
    }
}

impl Report for ResultFiles {
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        if self.collector.hear(event) { self.write() } else { Ok(()) }
    }
}

/// Writes one `junit.xml` for all adapters.
#[derive(Debug)]
pub struct JunitFile {
    path: PathBuf,
    collector: Collector,
}

impl JunitFile {
    /// Writes to `path`.
    pub fn new(path: &Path, invocation: Invocation) -> Self {
        Self { path: path.to_owned(), collector: Collector::new(invocation) }
    }
}

impl Report for JunitFile {
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        if !self.collector.hear(event) {
            return Ok(());
        }
        let text = junit::draw(&self.collector.finished);
        write(&self.path, |out| out.write_all(text.as_bytes()))
    }
}

/// Writes `results.csv`, `failures.csv`, `results.json` and `stderr.txt` of one adapter into `folder`.
pub fn write_adapter(folder: &Path, results: &Results) -> anyhow::Result<()> {
    make(folder)?;
    let mut results = results.clone();
    results.cases.sort_by(|one, other| one.name.cmp(&other.name));
    let cases = &results.cases;
    write(&folder.join("results.csv"), |out| out.write_all(results_csv(cases).as_bytes()))?;
    write(&folder.join("failures.csv"), |out| out.write_all(failures_csv(cases).as_bytes()))?;
    write(&folder.join("stderr.txt"), |out| out.write_all(stderr_text(cases).as_bytes()))?;
    let for_piglit = folder.join(piglit_results::FOLDER);
    make(&for_piglit)?;
    write(&for_piglit.join(json::FILE), |out| piglit_results::write(out, &results))?;
    write(&folder.join(json::FILE), |out| {
        serde_json::to_writer_pretty(&mut *out, &results)?;
        out.write_all(b"\n")
    })
}

/// Writes `junit.xml` and `index.html` of all adapters into `folder`. Also adds data that the worker could not know to
/// the evidence of every failed case: the command that repeats it, and the driver output.
pub fn write_all(folder: &Path, evidence: &Path, results: &[Results]) -> anyhow::Result<()> {
    let many = results.len() > 1;
    for results in results {
        write_last_words(&results.folder_in(evidence, many), results)?;
    }
    write(&folder.join("junit.xml"), |out| out.write_all(junit::draw(results).as_bytes()))?;
    let run = Run { label: folder.display().to_string(), evidence: evidence.to_owned(), results };
    write(&folder.join("index.html"), |out| html::draw(out, &[run]))
}

fn write_last_words(folder: &Path, results: &Results) -> anyhow::Result<()> {
    for case in results.cases.iter().filter(|case| case.kind.is_failure()) {
        let folder = evidence::folder_of(folder, &case.name);
        make(&folder)?;
        let stderr = format!("{}\n", case.stderr);
        write(&folder.join("repeat.txt"), |out| writeln!(out, "{}", case.repeat))?;
        write(&folder.join("stderr.txt"), |out| out.write_all(stderr.as_bytes()))?;
    }
    Ok(())
}

fn results_csv(cases: &[CaseRecord]) -> String {
    cases.iter().fold(String::new(), |mut text, CaseRecord { name, status, seconds, .. }| {
        let _ = writeln!(text, "{name},{status},{seconds}");
        text
    })
}

fn failures_csv(cases: &[CaseRecord]) -> String {
    cases.iter().filter(|case| case.kind.is_failure()).fold(String::new(), |mut text, case| {
        let _ = writeln!(text, "{},{}", case.name, case.status);
        text
    })
}

fn stderr_text(cases: &[CaseRecord]) -> String {
    let printed = cases.iter().filter(|case| !case.stderr.trim().is_empty());
    printed.fold(String::new(), |mut text, case| {
        let _ = writeln!(text, "{}:\n{}", case.name, case.stderr.trim_end());
        text
    })
}

fn make(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder {}", folder.display()))
}

/// Writes a file atomically: after an interrupted run or with a full disk, the old file remains.
pub fn write(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> anyhow::Result<()> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".part");
    let attempt = || {
        let mut out = BufWriter::new(File::create(&partial)?);
        fill(&mut out)?;
        out.flush()?;
        std::fs::rename(&partial, path)
    };
    attempt().with_context(|| format!("cannot write {}", path.display())).inspect_err(|_| {
        let _ = std::fs::remove_file(&partial);
    })
}

#[cfg(test)]
mod tests {
    use interstage::check::verdict::Verdict;

    use super::*;
    use crate::outcome::{CaseResult, Outcome};

    #[test]
    fn the_files_are_deqp_runners() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = ResultFiles::new(folder.path(), 1).unwrap();
        let outcomes = [
            ("b", Outcome::Finished(Verdict::Pass)),
            ("a#x=1;y=2", Outcome::TimedOut { seconds: 1.0 }),
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
        assert!(read("stderr.txt").contains("\nb:\nb was here\n"));
    }

    #[test]
    fn a_file_that_cannot_be_written_leaves_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "old").unwrap();
        let full = |_: &mut BufWriter<File>| Err(std::io::Error::other("no space left"));
        let error = format!("{:#}", write(&path, full).unwrap_err());
        assert!(error.ends_with("a: no space left"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    }
}
