//! Runs the test programs of the workspace several at a time, because many of them use one core.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::build::cargo;
use crate::step::say;

/// Targets that take longest, in this order; they start first.
const SLOW: [&str; 7] =
    ["program", "generated", "faults", "optimising_changes_no_pixel", "link", "blame", "tidy"];

/// Duration from which a program is named.
const NAMED: Duration = Duration::from_secs(10);

/// A test program.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Program {
    /// Name of the target.
    name: String,
    path: PathBuf,
    /// Folder of the package, in which cargo runs its tests.
    folder: PathBuf,
}

/// Result of a test program.
struct Ran {
    name: String,
    duration: Duration,
    /// Output of a program that failed; `None` if it passed.
    failure: Option<String>,
}

/// Builds and runs the tests of all targets, each program with `variables`.
///
/// # Errors
/// The tests do not build, or some of them fail. Their output was printed.
pub(crate) fn run(root: &Path, variables: &[(&str, &str)]) -> Result<(), String> {
    let mut programs = built(root)?;
    let rank = |program: &Program| SLOW.iter().position(|name| *name == program.name);
    programs.sort_by_key(|program| rank(program).unwrap_or(SLOW.len()));
    let count = programs.len();
    let started = Instant::now();
    let ran = run_all(programs, variables);
    let mut failed = Vec::new();
    for Ran { name, duration, failure } in &ran {
        if let Some(output) = failure {
            say(&format!("== {name} failed:\n{output}"));
            failed.push(name.as_str());
        }
        if *duration >= NAMED {
            say(&format!("{name}: {:.0} s", duration.as_secs_f64()));
        }
    }
    say(&format!("{count} test programs in {:.0} s", started.elapsed().as_secs_f64()));
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!("tests of {} fail", failed.join(", ")))
}

/// Builds all test programs.
fn built(root: &Path) -> Result<Vec<Program>, String> {
    let format = "--message-format=json-render-diagnostics";
    let mut command = cargo(&["test", "--quiet", "--workspace", "--no-run", format]);
    command.current_dir(root);
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("the tests do not build: {}", output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let programs: Vec<_> = text.lines().filter_map(program).collect();
    if programs.is_empty() { Err("there are no tests".to_owned()) } else { Ok(programs) }
}

/// The test program of a message of cargo's, if it is about one.
fn program(line: &str) -> Option<Program> {
    let message: Value = serde_json::from_str(line).ok()?;
    let is_test = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
    let path = message["executable"].as_str().filter(|_| is_test)?;
    let manifest = Path::new(message["manifest_path"].as_str()?);
    Some(Program {
        name: message["target"]["name"].as_str()?.to_owned(),
        path: path.into(),
        folder: manifest.parent()?.to_owned(),
    })
}

/// Runs the programs, as many at a time as there are cores.
fn run_all(programs: Vec<Program>, variables: &[(&str, &str)]) -> Vec<Ran> {
    let waiting = Mutex::new(VecDeque::from(programs));
    let ran = Mutex::new(Vec::new());
    let next = || waiting.lock().ok()?.pop_front();
    let work = || {
        while let Some(program) = next() {
            let result = run_one(&program, variables);
            if let Ok(mut ran) = ran.lock() {
                ran.push(result);
            }
        }
    };
    let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(work);
        }
    });
    ran.into_inner().unwrap_or_default()
}

fn run_one(program: &Program, variables: &[(&str, &str)]) -> Ran {
    let started = Instant::now();
    let mut command = Command::new(&program.path);
    command.arg("--quiet").current_dir(&program.folder).envs(variables.iter().copied());
    command.env("CARGO_MANIFEST_DIR", &program.folder).stdin(Stdio::null());
    let failure = match command.output() {
        Ok(Output { status, .. }) if status.success() => None,
        Ok(output) => Some(format!("{}{}", text_of(&output), output.status)),
        Err(error) => Some(error.to_string()),
    };
    Ran { name: program.name.clone(), duration: started.elapsed(), failure }
}

fn text_of(Output { stdout, stderr, .. }: &Output) -> String {
    [stdout, stderr].map(|bytes| String::from_utf8_lossy(bytes)).concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_test_programs_are_run() {
        let message = |reason: &str, is_test: bool, executable: &str| {
            format!(
                r#"{{"reason":"{reason}","manifest_path":"/p/runner/Cargo.toml","target":{{"name":"tidy"}},"profile":{{"test":{is_test}}},"executable":{executable}}}"#
            )
        };
        let expected = Program {
            name: "tidy".to_owned(),
            path: "/t/tidy-1".into(),
            folder: "/p/runner".into(),
        };
        assert_eq!(program(&message("compiler-artifact", true, r#""/t/tidy-1""#)), Some(expected));
        assert_eq!(program(&message("compiler-artifact", false, r#""/t/tidy-1""#)), None);
        assert_eq!(program(&message("compiler-artifact", true, "null")), None);
        assert_eq!(program(&message("build-finished", true, r#""/t/tidy-1""#)), None);
        assert_eq!(program("warning: text"), None);
    }

    /// A program that fails is named with its output, and keeps no other from running.
    #[cfg(unix)]
    #[test]
    fn a_failure_is_told_and_all_programs_run() {
        let shell = |name: &str| Program {
            name: name.to_owned(),
            path: name.into(),
            folder: std::env::temp_dir(),
        };
        let mut ran =
            run_all(vec![shell("/bin/false"), shell("/bin/true"), shell("/nothing")], &[]);
        ran.sort_by(|one, other| one.name.cmp(&other.name));
        let failures: Vec<_> = ran.iter().map(|one| one.failure.is_some()).collect();
        assert_eq!(failures, [true, false, true]);
    }
}
