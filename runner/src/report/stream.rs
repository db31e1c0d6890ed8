//! Reports for programs that follow a run: a JSON event per line, and annotations of GitHub Actions.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::event::{Event, Report};
use crate::outcome::CaseResult;
use crate::protocol::Adapter;
use crate::report::collect::Collector;
use crate::report::failure::Invocation;
use crate::report::json::{AdapterRecord, CaseRecord};
use crate::report::tally::Tally;

/// One line of `--format json`.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Line<'a> {
    /// The cases are about to run on this adapter.
    AdapterStarted { adapter: Option<AdapterRecord>, total: usize },
    /// A case and all before it ended. `adapter` is the selector, as for `--adapter`; the other fields are those of a
    /// case in `results.json`.
    Case {
        adapter: Option<&'a str>,
        #[serde(flatten)]
        case: &'a CaseRecord,
    },
    /// All cases ended on the adapter.
    AdapterFinished { adapter: Option<&'a str>, counts: Tally },
}

/// Prints every event as a line of JSON.
#[derive(Debug)]
pub struct JsonLines<W> {
    out: W,
    collector: Collector,
    /// Selector of the adapter that runs cases.
    adapter: Option<String>,
    counts: Tally,
}

impl<W: Write> JsonLines<W> {
    /// Prints to `out`.
    pub fn new(out: W, invocation: Invocation) -> Self {
        let collector = Collector::new(invocation);
        Self { out, collector, adapter: None, counts: Tally::default() }
    }
}

impl<W: Write> Report for JsonLines<W> {
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        let record;
        let line = match event {
            Event::AdapterStarted { adapter, total } => {
                self.collector.hear(event);
                self.adapter = adapter.map(Adapter::selector);
                self.counts = Tally::default();
                Line::AdapterStarted { adapter: adapter.map(AdapterRecord::from), total: *total }
            }
            Event::CaseDone(_) => return Ok(()),
            Event::CaseReported(result) => {
                record = self.collector.record(result);
                self.counts.add(result.status);
                Line::Case { adapter: self.adapter.as_deref(), case: &record }
            }
            Event::AdapterFinished => {
                let (adapter, counts) = (self.adapter.as_deref(), self.counts);
                Line::AdapterFinished { adapter, counts }
            }
        };
        serde_json::to_writer(&mut self.out, &line)?;
        self.out.write_all(b"\n")?;
        Ok(self.out.flush()?)
    }
}

/// Prints a workflow command of GitHub Actions for every failure, which shows it beside the line of the case.
#[derive(Debug)]
pub struct Annotations<W> {
    out: W,
    /// Root of the checked-out repository; paths of annotations are relative to it.
    workspace: PathBuf,
    adapter: String,
}

impl<W: Write> Annotations<W> {
    /// Prints to `out` if environment variables show that this is a job of GitHub Actions.
    pub fn in_actions(out: W) -> Option<Self> {
        let is_on = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
        let workspace = std::env::var_os("GITHUB_WORKSPACE").map(PathBuf::from);
        let workspace = workspace.or_else(|| std::env::current_dir().ok()).unwrap_or_default();
        is_on.then(|| Self { out, workspace, adapter: String::new() })
    }

    fn annotate(&mut self, result: &CaseResult) -> std::io::Result<()> {
        let file = below(&self.workspace, &result.file);
        let record = CaseRecord::from(result);
        let line = record.failures.iter().find_map(|failure| failure.line);
        let line = line.map_or_else(String::new, |line| format!(",line={line}"));
        let title = format!("{} {}{}", result.status.heading(), result.name, self.adapter);
        let reason = record.reason.unwrap_or_default();
        let message = if record.diagnostics.is_empty() { reason } else { record.diagnostics };
        writeln!(
            self.out,
            "::error file={}{line},title={}::{}",
            property(&file),
            property(&title),
            data(message.trim_end())
        )?;
        self.out.flush()
    }
}

impl<W: Write> Report for Annotations<W> {
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        match event {
            Event::AdapterStarted { adapter, .. } => {
                let selector = adapter.map(|adapter| format!(" on {}", adapter.selector()));
                self.adapter = selector.unwrap_or_default();
            }
            Event::CaseReported(result) if result.status.is_failure() => self.annotate(result)?,
            Event::CaseDone(_) | Event::CaseReported(_) | Event::AdapterFinished => {}
        }
        Ok(())
    }
}

fn below(workspace: &Path, file: &str) -> String {
    let whole = std::fs::canonicalize(file).unwrap_or_else(|_| PathBuf::from(file));
    let root = std::fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_owned());
    whole.strip_prefix(root).map_or_else(|_| file.to_owned(), |path| path.display().to_string())
}

/// Escapes text for the message of a workflow command, which must be one line.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes text for a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use interstage::check::verdict::{Failure, Verdict};

    use super::*;
    use crate::outcome::Outcome;

    fn failed() -> CaseResult {
        let failure = Failure {
            line: Some(7),
            step: "probe all rgba 1 0 0 1".to_owned(),
            details: vec!["expected  100 %".to_owned(), "actual    0".to_owned()],
        };
        let outcome = Outcome::Finished(Verdict::Fail(vec![failure]));
        CaseResult::bare("cases/a.shader_test#n=1;m=2", outcome, 0.5, String::new())
    }

    #[test]
    fn an_annotation_is_one_line_with_its_place() {
        let mut annotations =
            Annotations { out: Vec::new(), workspace: PathBuf::new(), adapter: String::new() };
        annotations.hear(&Event::CaseReported(&failed())).unwrap();
        assert_eq!(
            String::from_utf8(annotations.out).unwrap(),
            "::error file=cases/a.shader_test,line=7,title=FAIL cases/a.shader_test#n=1;m=2::\
             probe all rgba 1 0 0 1: expected  100 %25%0Aactual    0\n"
        );
    }

    #[test]
    fn every_line_of_the_stream_is_json() {
        let invocation = Invocation { program: "interstage".to_owned(), options: Vec::new() };
        let mut lines = JsonLines::new(Vec::new(), invocation);
        let result = failed();
        for event in [
            Event::AdapterStarted { adapter: None, total: 1 },
            Event::CaseDone(&result),
            Event::CaseReported(&result),
            Event::AdapterFinished,
        ] {
            lines.hear(&event).unwrap();
        }
        let text = String::from_utf8(lines.out).unwrap();
        let events: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let names: Vec<_> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
        assert_eq!(names, ["adapter-started", "case", "adapter-finished"]);
        assert_eq!(events[0]["total"], 1);
        assert_eq!(events[1]["name"], "cases/a.shader_test#n=1;m=2");
        assert_eq!(events[1]["status"], "Fail");
        assert_eq!(events[1]["adapter"], serde_json::Value::Null);
        assert_eq!(events[2]["counts"]["failed"], 1);
    }
}
