//! Tries a mutant with the programs that reach it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::mutants::process::{Ended, watch};
use crate::mutants::sample::Mutant;
use crate::mutants::sets::Run;
use crate::mutants::sets::journal::{End, Record};
use crate::mutants::sets::programs::Set;
use crate::mutants::sets::reach::{Program, Reach, Way, caches};
use crate::mutants::trial::CHOSEN;

/// Numbers of programs that run together; the last repeats.
const BATCHES: [usize; 3] = [10, 40, 150];
/// First words of what failures say about values.
const VALUES: [&str; 4] = ["first difference ", "expected ", "actual ", "blame "];
/// Time limit of a program, in seconds.
const PROGRAM: &str = "20";
/// Added to the time limit of every batch, for the start of programs and a busy machine.
const SLACK: Duration = Duration::from_mins(1);
/// Time after which a mutant is not tried with more programs.
const MUTANT: Duration = Duration::from_mins(5);

/// The programs of a set, one way to run them, and the mutants that they reach.
#[derive(Debug)]
pub(super) struct Trial<'a> {
    run: &'a Run<'a>,
    set: &'a Set,
    way: Way,
    reach: Reach,
}

impl<'a> Trial<'a> {
    /// Runs all programs without a mutant.
    pub(super) fn prepare(run: &'a Run<'a>, set: &'a Set, way: Way) -> Result<Self, String> {
        let trial = Self { run, set, way, reach: Reach::prepare(run, set, way)? };
        // A program that fails here would detect every mutant.
        let first = trial.reach.all();
        match trial.failure(0, &first[..first.len().min(BATCHES[1])], 0)? {
            None => Ok(trial),
            Some((kind, by)) => Err(format!("without a mutant, {by} fails: {kind}")),
        }
    }

    /// Tries a mutant until a program fails.
    pub(super) fn run(&self, mutant: &Mutant, thread: usize) -> Result<Record, String> {
        let programs = self.reach.programs(mutant);
        let mut left = &programs[..programs.len().min(self.run.options.most)];
        let started = Instant::now();
        let mut record = Record { reached_by: programs.len(), ..Record::default() };
        if !left.is_empty() {
            record.end = End::Survived;
        }
        let mut sizes = BATCHES.iter().chain(std::iter::repeat(&BATCHES[BATCHES.len() - 1]));
        while !left.is_empty() && record.end == End::Survived && started.elapsed() < MUTANT {
            let size = *sizes.next().expect("the last repeats");
            let (batch, others) = left.split_at(left.len().min(size));
            left = others;
            record.tried += batch.len();
            if let Some((kind, by)) = self.failure(mutant.number, batch, thread)? {
                record = Record { end: End::Detected, kind, by, ..record };
            }
        }
        record.seconds = started.elapsed().as_secs_f64();
        Ok(record)
    }

    /// Runs some programs with a mutant. Returns the kind of the first failure, and the program that failed.
    fn failure(
        &self,
        number: usize,
        batch: &[Program],
        thread: usize,
    ) -> Result<Option<(String, String)>, String> {
        if batch.is_empty() {
            return Ok(None);
        }
        let list: PathBuf =
            self.run.tree.folder.join(format!("list-{}-{thread}", self.set.file_name));
        let names: String = batch.iter().map(|program| program.name.clone() + "\n").collect();
        std::fs::write(&list, names).map_err(|error| format!("{}: {error}", list.display()))?;
        let mut run = self.way.command(&self.run.program, self.set, &caches(self.run));
        run.args(["--format", "json", "--jobs", "1", "--timeout", PROGRAM]);
        run.arg(format!("@{}", list.display())).env(CHOSEN, number.to_string());
        let time = SLACK + batch.iter().map(|program| program.time).sum::<Duration>() * 5;
        Ok(match watch(&mut run, time, |line| failed(line).is_some())? {
            Ended::Well => None,
            Ended::Badly(line) => Some(failed(&line).unwrap_or_else(|| ("run".to_owned(), line))),
            Ended::TooLate => Some(("timeout".to_owned(), String::new())),
        })
    }
}

/// Kind and program of a failure that a line of the run's events reports.
fn failed(line: &str) -> Option<(String, String)> {
    let event: Value = serde_json::from_str(line).ok()?;
    if event["event"] != "case" {
        return None;
    }
    let reason = event["reason"].as_str().unwrap_or_default();
    let kind = match event["status"].as_str()? {
        "Crash" if reason.contains("panic") => "panic",
        "Crash" => "crash",
        "Timeout" => "timeout",
        "Fail" if compares(&event) => "value",
        "Fail" => "error",
        _ => return None,
    };
    Some((kind.to_owned(), event["name"].as_str()?.to_owned()))
}

/// True if the first failure is about values, and not an error of a compiler, a step or the whole program.
fn compares(event: &Value) -> bool {
    let failure = &event["failures"][0];
    let details = failure["details"].as_array().map_or(&[][..], Vec::as_slice);
    let mut details = details.iter().filter_map(Value::as_str);
    let is_of_value = |line: &str| VALUES.iter().any(|word| line.starts_with(word));
    failure["step"] != "compile" && details.any(is_of_value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_have_kinds() {
        let kind = |fields: &str| {
            let line = format!(r#"{{"event": "case", "name": "cases/a", {fields}}}"#);
            let (kind, name) = failed(&line)?;
            assert_eq!(name, "cases/a");
            Some(kind)
        };
        let failure = |details: &str| {
            let failures = format!(r#""failures": [{{"line": 1, {details}}}]"#);
            kind(&format!(r#""status": "Fail", "kind": "Fail", {failures}"#))
        };
        let is = |kind: &str| Some(kind.to_owned());
        assert_eq!(
            failure(r#""step": "probe", "details": ["first difference at pixel (0, 0)"]"#),
            is("value")
        );
        assert_eq!(
            failure(r#""step": "oracle", "details": ["a", "blame     naga or the driver"]"#),
            is("value")
        );
        assert_eq!(
            failure(r#""step": "draw", "details": ["cannot create the pipeline"]"#),
            is("error")
        );
        assert_eq!(failure(r#""step": "compile", "details": ["expected `,`"]"#), is("error"));
        assert_eq!(kind(r#""status": "Fail", "kind": "Broken""#), is("error"));
        let panic = r#""status": "Crash", "kind": "Crash", "reason": "interstage panicked, which""#;
        assert_eq!(kind(panic), is("panic"));
        assert_eq!(kind(r#""status": "Crash", "reason": "the worker process ended""#), is("crash"));
        assert_eq!(kind(r#""status": "Timeout""#), is("timeout"));
        assert_eq!(kind(r#""status": "Pass""#), None);
        assert_eq!(kind(r#""status": "Skip""#), None);
        assert_eq!(failed(r#"{"event": "adapter-finished", "status": "Fail"}"#), None);
        assert_eq!(failed("no JSON"), None);
    }
}
