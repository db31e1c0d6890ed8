//! Compares the linked programs of cases with the stages before linking, both on the processor: `oracle PATH…`.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use case::parse::parse;
use case::{Case, Dialect, needs_gpu};
use ir::readback::Extent;
use plan::ExecuteError;
use prepare::{Compiled, Linking, compile, first_profile};

/// Stack for the front ends, whose depth limits are the library's.
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
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for file in files {
        let name = file.display().to_string();
        let text = std::fs::read(&file)?;
        for parsed in parse(&name, &text, Dialect::Interstage) {
            let Ok(case) = parsed.result else { continue };
            let word = outcome(&case);
            writeln!(out, "{word:30} {}", case.name)?;
            *counts.entry(word).or_default() += 1;
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (word, count) in counts {
        writeln!(out, "{count:6} {word}")?;
    }
    Ok(())
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

fn outcome(case: &Case) -> String {
    if !needs_gpu(case) {
        return "no draw".to_owned();
    }
    let Ok(compiled) = compile(case) else { return "does not compile".to_owned() };
    let rules = link::AdapterRules::default();
    let Ok(Linking::Done(linked)) = compiled.link(case, rules, first_profile(case)) else {
        return "does not link".to_owned();
    };
    let Compiled::Program(stages) = &compiled else { return "objects".to_owned() };
    let [program] = &linked.programs[..] else { return "several programs".to_owned() };
    let unlinked = match cpu::execute_unlinked(case, stages, program, Extent::Whole) {
        Err(ExecuteError::Lacking(reason)) => return reason,
        other => other,
    };
    let linked = cpu::execute(case, &linked, Extent::Whole);
    match (unlinked, linked) {
        (Ok(unlinked), Ok(linked)) if unlinked.snapshots == linked.snapshots => "equal".to_owned(),
        (Ok(_), Ok(_)) => "DIFFERENT".to_owned(),
        (unlinked, linked) => format!("ERROR {:?} {:?}", unlinked.err(), linked.err()),
    }
}
