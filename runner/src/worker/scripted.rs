//! A worker without a GPU that follows a script, so that every kind of loss can be tested on any machine.
//!
//! A line of the script has an action and a regular expression for the names of the cases that it applies to; the first
//! match counts. Cases without a match pass.
//!
//! ```text
//! crash /crash          fail /fail
//! hang  /hang           slow 20 .*
//! once crash /flaky     # happens to each case only the first time, on each adapter
//! ahead /early          # crashes when it runs, and already when it is prepared beside the case before
//! text hang wait = 1;   # an expression for the text of the case's file instead of its name
//! on 0 fail /one        # only on the adapter with this number
//! ```

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use anyhow::{Context as _, bail};
use interstage::check::verdict::{Failure, Verdict};
use regex::Regex;

use crate::exit::Exit;
use crate::files::basis::Input;
use crate::protocol::{Adapter, Answer, Finished, Job, Platform, Purpose, Request};
use crate::worker::send;

/// Memory that a case with the action `memory` allocates, in MiB.
const EXCESSIVE_MIB: usize = 16 << 10;

/// Action of a case.
#[derive(Clone, Debug, PartialEq)]
enum Action {
    /// Passes after this many milliseconds.
    Slow(u64),
    Fail,
    /// Gives a wrong value at the last line.
    Differ,
    /// The same, but only if all values are compared with the oracle.
    Oracle,
    Skip,
    Unsupported,
    /// Aborts the process when the case runs.
    Crash,
    /// Aborts the process as soon as the case is prepared.
    Ahead,
    /// Exits before it announces the case.
    Die,
    /// Never ends.
    Hang,
    /// Allocates memory until the process is killed.
    Memory,
    DeviceLost,
    NoDevice,
    Panic,
}

/// Actions by name.
const ACTIONS: [(&str, Action); 13] = [
    ("fail", Action::Fail),
    ("differ", Action::Differ),
    ("oracle", Action::Oracle),
    ("skip", Action::Skip),
    ("unsupported", Action::Unsupported),
    ("crash", Action::Crash),
    ("ahead", Action::Ahead),
    ("die", Action::Die),
    ("hang", Action::Hang),
    ("memory", Action::Memory),
    ("device-lost", Action::DeviceLost),
    ("no-device", Action::NoDevice),
    ("panic", Action::Panic),
];

/// A line of a script.
#[derive(Debug)]
struct Line {
    pattern: Regex,
    subject: Subject,
    /// Number of the only adapter that the line applies to.
    adapter: Option<String>,
    action: Action,
    is_once: bool,
}

/// Text that a line's regular expression is matched against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    Name,
    Content,
}

impl Line {
    fn is_for(&self, job: &Job, adapter: Option<&str>) -> bool {
        let number = adapter.and_then(|adapter| adapter.rsplit(':').next());
        let is_here = self.adapter.as_deref().is_none_or(|wanted| number == Some(wanted));
        is_here
            && match self.subject {
                Subject::Name => self.pattern.is_match(&job.name),
                Subject::Content => {
                    let text = std::fs::read_to_string(&job.file).unwrap_or_default();
                    self.pattern.is_match(&text)
                }
            }
    }
}

/// The adapters that a script simulates.
pub fn adapters() -> Vec<Adapter> {
    let adapter = |index| Adapter {
        backend: Platform::Scripted,
        index,
        name: "script".to_owned(),
        title: format!("scripted · adapter {index}"),
        is_hardware: true,
        bus: index.to_string(),
        extensions: String::new(),
        options: String::new(),
        unvalidated: None,
    };
    vec![adapter(0), adapter(1)]
}

/// Answers all requests according to the script.
pub fn serve(
    script: &Path,
    adapter: Option<&str>,
    requests: &Receiver<String>,
) -> anyhow::Result<Exit> {
    let text = std::fs::read_to_string(script);
    let text = text.with_context(|| format!("cannot read {}", script.display()))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines = lines.map(read_line).collect::<anyhow::Result<Vec<_>>>()?;
    while let Ok(line) = requests.recv() {
        match serde_json::from_str(&line).context("cannot parse the request")? {
            Request::Run { job, next } => {
                let action = action(&lines, &job, script, adapter);
                if action == Action::Die {
                    std::process::exit(7);
                }
                send(&Answer::Started { name: job.name.clone() })?;
                if let Some(next) = next {
                    prepare(&lines, &next, adapter);
                }
                let mut answer = answer(&action, &job);
                if let Answer::Finished(finished) = &mut answer {
                    finished.inputs = vec![Input::of_file(&job.file)];
                }
                send(&answer)?;
            }
            Request::Prepare(job) => {
                prepare(&lines, &job, adapter);
                send(&Answer::Prepared)?;
            }
            Request::Adapters(_) | Request::Take(_) | Request::Describe => {
                bail!("a scripted worker only runs cases")
            }
        }
    }
    Ok(Exit::AsExpected)
}

fn read_line(line: &str) -> anyhow::Result<Line> {
    let (is_once, rest) = match line.strip_prefix("once ") {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let (adapter, rest) = match rest.strip_prefix("on ").and_then(|rest| rest.split_once(' ')) {
        Some((adapter, rest)) => (Some(adapter.to_owned()), rest),
        None => (None, rest),
    };
    let (subject, rest) = match rest.strip_prefix("text ") {
        Some(rest) => (Subject::Content, rest),
        None => (Subject::Name, rest),
    };
    let (word, rest) = rest.split_once(' ').context("an action and a name")?;
    let (action, names) = if word == "slow" {
        let (time, names) = rest.trim().split_once(' ').context("milliseconds and a name")?;
        (Action::Slow(time.parse()?), names)
    } else {
        let found = ACTIONS.iter().find(|(known, _)| *known == word);
        (found.with_context(|| format!("no action `{word}`"))?.1.clone(), rest)
    };
    Ok(Line { pattern: Regex::new(names.trim())?, subject, adapter, action, is_once })
}

/// Prepares a case beside another: does nothing, or aborts the process.
fn prepare(lines: &[Line], job: &Job, adapter: Option<&str>) {
    let line = lines.iter().find(|line| line.is_for(job, adapter));
    if line.is_some_and(|line| line.action == Action::Ahead) {
        std::process::abort();
    }
}

/// Returns the action for the case. A file beside the script records actions that happen only once on an adapter.
fn action(lines: &[Line], job: &Job, script: &Path, adapter: Option<&str>) -> Action {
    let name = job.name.as_str();
    for (number, line) in lines.iter().enumerate().filter(|(_, line)| line.is_for(job, adapter)) {
        if !line.is_once || std::fs::File::create_new(mark(script, number, name, adapter)).is_ok() {
            return line.action.clone();
        }
    }
    Action::Slow(0)
}

fn mark(script: &Path, number: usize, name: &str, adapter: Option<&str>) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    (number, name, adapter).hash(&mut hasher);
    script.with_extension(format!("{:016x}", hasher.finish()))
}

fn answer(action: &Action, job: &Job) -> Answer {
    match action {
        Action::Slow(time) => {
            std::thread::sleep(Duration::from_millis(*time));
            finished(Verdict::Pass)
        }
        Action::Fail => finished(failed(1, "as the script says")),
        Action::Differ => finished(failed(compared(job), "actual    as the script says")),
        Action::Oracle if asks_oracle(job) => {
            finished(failed(lines(job), "oracle    as the script says"))
        }
        Action::Oracle => finished(Verdict::Pass),
        Action::Skip => finished(Verdict::Skip("as the script says".to_owned())),
        Action::Unsupported => finished(Verdict::Unsupported("as the script says".to_owned())),
        Action::Crash | Action::Ahead | Action::Die => std::process::abort(),
        Action::Hang => loop {
            std::thread::sleep(Duration::from_mins(1));
        },
        Action::Memory => take_memory(),
        Action::DeviceLost => Answer::DeviceLost("as the script says".to_owned()),
        Action::NoDevice => Answer::NoDevice("as the script says".to_owned()),
        Action::Panic => Answer::Panicked("as the script says".to_owned()),
    }
}

const fn asks_oracle(job: &Job) -> bool {
    matches!(job.purpose, Purpose::Check { asks_oracle: true, .. })
}

/// A failed expectation of a line.
fn failed(line: usize, detail: &str) -> Verdict {
    let (line, details) = (Some(line), vec![detail.to_owned()]);
    Verdict::Fail(vec![Failure { line, step: "script".to_owned(), details }])
}

/// The first line that compares with the oracle, or the last one.
fn compared(job: &Job) -> usize {
    let text = std::fs::read_to_string(&job.file).unwrap_or_default();
    let found = text.lines().position(|line| line.starts_with("compare oracle"));
    found.map_or_else(|| lines(job), |before| before + 1)
}

/// Number of lines of the case's file.
fn lines(job: &Job) -> usize {
    std::fs::read_to_string(&job.file).unwrap_or_default().lines().count()
}

fn take_memory() -> Answer {
    let mut held = Vec::new();
    while held.len() < EXCESSIVE_MIB {
        held.push(vec![1_u8; 1 << 20]);
        std::thread::sleep(Duration::from_millis(2));
    }
    finished(Verdict::Skip(format!("{} MiB were not enough", held.len())))
}

fn finished(verdict: Verdict) -> Answer {
    Answer::Finished(Finished {
        verdict,
        seconds: 0.0,
        slots: Vec::new(),
        diagnostics: String::new(),
        warnings: Vec::new(),
        notes: Vec::new(),
        captures: Vec::new(),
        oracle: None,
        is_in_words: false,
        varied: None,
        inputs: Vec::new(),
    })
}
