//! Runs cases on the CPU and prints their outcomes: `cases PATH…`, where a path is a file or a folder.
//!
//! Cases with shaders in separate files, and those that compare with pictures, are skipped.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use case::parse::parse;
use case::{Case, Dialect, ReadExpectation, needs_gpu};
use check::Goldens;
use check::verdict::Verdict;
use ir::readback::Extent;
use plan::ExecuteError;
use prepare::{Linking, compile, first_profile, verdict_of};

/// Stack size for the front ends, whose depth limits are those of the library.
const STACK_BYTES: usize = 256 << 20;

fn main() -> io::Result<()> {
    let run = || run(std::env::args().skip(1).map(PathBuf::from).collect());
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(run)?;
    thread.join().unwrap_or_else(|_| Err(io::Error::other("a case panicked")))
}

fn run(paths: Vec<PathBuf>) -> io::Result<()> {
    let mut files = Vec::new();
    for path in paths {
        collect(&path, &mut files)?;
    }
    files.sort();
    let mut out = io::stdout().lock();
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for file in files {
        let name = file.display().to_string();
        let text = std::fs::read(&file)?;
        for parsed in parse(&name, &text, Dialect::Interstage) {
            let Ok(case) = parsed.result else {
                writeln!(out, "unread   {}", parsed.name)?;
                *counts.entry("unread").or_default() += 1;
                continue;
            };
            let began = Instant::now();
            let (word, details) = outcome(&case);
            let milliseconds = began.elapsed().as_secs_f64() * 1e3;
            *counts.entry(word).or_default() += 1;
            writeln!(out, "{word:8} {} ({milliseconds:.1} ms) {details}", case.name)?;
        }
    }
    writeln!(out, "{counts:?}")
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if path.is_dir() {
        for entry in std::fs::read_dir(path)? {
            collect(&entry?.path(), files)?;
        }
    } else if path.extension().is_some_and(|extension| extension == "shader_test") {
        files.push(path.to_owned());
    }
    Ok(())
}

/// The outcome of a case as a word, and details.
fn outcome(case: &Case) -> (&'static str, String) {
    let is_elsewhere = case.shaders.iter().any(|shader| shader.file.is_some());
    let has_golden =
        case.readings().any(|expectation| matches!(expectation.value, ReadExpectation::Golden(_)));
    if is_elsewhere || has_golden || !needs_gpu(case) {
        return ("left", String::new());
    }
    match verdict(case) {
        Verdict::Pass => ("pass", String::new()),
        Verdict::Skip(reason) => ("skip", reason),
        Verdict::Unsupported(reason) => ("unknown", reason),
        Verdict::Undecided(reason) => ("undecided", reason),
        Verdict::Untested(reason) => ("untested", reason),
        Verdict::Broken(_) => ("broken", String::new()),
        Verdict::Fail(failures) => {
            let details = failures.iter().take(2).map(|failure| failure.details.join(" | "));
            ("FAIL", details.collect::<Vec<_>>().join(" || "))
        }
    }
}

fn verdict(case: &Case) -> Verdict {
    let rules = link::AdapterRules::default();
    let linked = compile(case).and_then(|compiled| {
        let linking = compiled.link(case, rules, first_profile(case))?;
        let lacking = compiled.lacks_slots(case, rules, &linking);
        lacking.map_or(Ok(linking), |reason| Err(Verdict::Skip(reason)))
    });
    let programs = match linked {
        Ok(Linking::Done(programs)) => programs,
        Ok(Linking::Failed(error)) => return Verdict::Skip(error.to_string()),
        Err(verdict) => return verdict,
    };
    match cpu::execute(case, &programs, Extent::Probed) {
        Err(ExecuteError::Lacking(reason)) => Verdict::Skip(reason),
        Err(error) => Verdict::Skip(format!("ERROR {error}")),
        Ok(readback) => verdict_of(check::check(case, &readback, &Goldens::default())),
    }
}
