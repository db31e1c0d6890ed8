//! Runs of cases for the editor: each is a child process, `interstage run CASE --format json`.

use std::collections::BTreeMap;
use std::io::{BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context as _, bail};
use serde_json::Value;

use crate::report::json::CaseRecord;

/// The runs in progress.
#[derive(Clone, Debug, Default)]
pub(super) struct Runs {
    /// The process of each case.
    children: Arc<Mutex<BTreeMap<String, Child>>>,
}

/// A run that ended.
#[derive(Debug)]
pub(super) struct Ran {
    /// Path of the file, with the parameters of the case.
    pub(super) name: String,
    /// Generation of the document when the run began; `None` if it is not open.
    pub(super) generation: Option<u64>,
    /// The cases that ran, or the reason why there are none.
    pub(super) records: Result<Vec<CaseRecord>, String>,
}

impl Runs {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Child>> {
        self.children.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to run a case, and calls `done` at its end.
    ///
    /// # Errors
    /// The case is running, or the process cannot be started.
    pub(super) fn start(
        &self,
        name: &str,
        adapter: Option<&str>,
        done: impl FnOnce(Result<Vec<CaseRecord>, String>) + Send + 'static,
    ) -> anyhow::Result<()> {
        let mut children = self.lock();
        if children.contains_key(name) {
            bail!("{name} is running already");
        }
        let program = std::env::current_exe().context("cannot find the program")?;
        let mut command = Command::new(program);
        command.args(["run", name, "--format", "json", "--color", "never"]);
        command.args(adapter.into_iter().flat_map(|adapter| ["--adapter", adapter]));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().context("cannot start a run")?;
        let pipes = child.stdout.take().zip(child.stderr.take());
        let (stdout, mut stderr) = pipes.context("the run has no output")?;
        children.insert(name.to_owned(), child);
        drop(children);
        let (runs, name) = (self.clone(), name.to_owned());
        std::thread::spawn(move || {
            let complaints = std::thread::spawn(move || {
                let mut bytes = Vec::new();
                let _ = stderr.read_to_end(&mut bytes);
                String::from_utf8_lossy(&bytes).into_owned()
            });
            let records = records(BufReader::new(stdout));
            let complaints = complaints.join().unwrap_or_default();
            let child = runs.lock().remove(&name);
            if let Some(mut child) = child {
                let _ = child.wait();
            }
            done(weighed(records, &complaints));
        });
        Ok(())
    }

    /// Ends all runs.
    pub(super) fn stop(&self) {
        for child in self.lock().values_mut() {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The cases among the events of a run.
fn records(output: impl std::io::BufRead) -> Result<Vec<CaseRecord>, String> {
    let mut records = Vec::new();
    for line in output.lines() {
        let line = line.map_err(|error| format!("cannot read the run's output: {error}"))?;
        // Anything else on stdout is not an event.
        let Ok(event) = serde_json::from_str::<Value>(&line) else { continue };
        if event["event"] == "case" {
            let record = serde_json::from_value(event);
            records.push(record.map_err(|error| format!("the run's output is wrong: {error}"))?);
        }
    }
    Ok(records)
}

/// The cases of a run; without any, what it printed on stderr is the reason.
fn weighed(
    records: Result<Vec<CaseRecord>, String>,
    complaints: &str,
) -> Result<Vec<CaseRecord>, String> {
    let records = records?;
    if !records.is_empty() {
        return Ok(records);
    }
    let reason = complaints.trim();
    Err(if reason.is_empty() {
        "the run ended without a result".to_owned()
    } else {
        reason.to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_read_from_the_events() {
        let output = "{\"event\":\"adapter-started\",\"adapter\":null,\"total\":1}\nnoise\n\
            {\"event\":\"case\",\"name\":\"a\",\"status\":\"Pass\",\"kind\":\"Pass\",\"reason\":null,\"seconds\":0.5}\n";
        let found = records(output.as_bytes()).expect("it is right");
        assert_eq!(found.iter().map(|record| record.name.as_str()).collect::<Vec<_>>(), ["a"]);
        assert!(records("{\"event\":\"case\"}\n".as_bytes()).is_err());
    }

    #[test]
    fn a_run_without_cases_has_a_reason() {
        assert_eq!(weighed(Ok(Vec::new()), "error: no\n").unwrap_err(), "error: no");
        assert_eq!(weighed(Ok(Vec::new()), "").unwrap_err(), "the run ended without a result");
    }
}
