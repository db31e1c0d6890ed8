//! `cargo xtask mutants`: measures whether unit tests and cases detect changes of the linker or the comparison.
//!
//! A *mutant* is one small change of the code. Building the tree for each takes minutes, so one copy of it contains all
//! sampled mutants, and an environment variable selects one when a program starts. Every unit test and every case first
//! runs without a mutant, which records the mutants that each of them *reaches*. A mutant is then tested only with
//! those that reach it: unit tests first, and cases only if all unit tests pass. A mutant that nothing detects is a
//! *survivor*.
//!
//! In `target/mutants`, the sample of each seed is stored by the text of the mutants, not by lines, and a journal has a
//! line for each result. So a run can be continued, and the same mutants can be tested again after the code has
//! changed.

pub(crate) mod build;
pub(crate) mod code;
mod instrument;
mod journal;
pub(crate) mod process;
pub(crate) mod sample;
mod sets;
#[expect(clippy::wildcard_enum_match_arm, reason = "the language's grammar grows")]
pub(crate) mod site;
pub(crate) mod tree;
pub(crate) mod trial;

use std::path::Path;
use std::time::Instant;

use crate::mutants::build::{Build, Draw};
use crate::mutants::journal::{End, Journal, Record};
use crate::mutants::sample::Mutant;
use crate::mutants::sets::Subject;
use crate::mutants::tree::Tree;
use crate::mutants::trial::{CaseTrial, UnitTrial};
use crate::step::say;

/// Command-line options.
pub(crate) struct Options {
    sample: usize,
    seed: u64,
    /// Test survivors again, because there are more tests or cases now.
    is_again: bool,
    /// Only run the unit tests, and leave the cases to a later run.
    is_unit_only: bool,
    /// Files or folders of the cases to run; all if empty.
    cases: Vec<String>,
}

/// Samples, builds and tests mutants, and prints the table and the survivors.
///
/// `own_check` reads the changes that switch off the linker's check of its own result, for the mutants that programs are
/// to detect.
pub(crate) fn run(
    arguments: &[String],
    root: &Path,
    own_check: impl Fn(&Path) -> Result<Vec<Mutant>, String>,
) -> Result<(), String> {
    if let Some((first, others)) = arguments.split_first()
        && let Some(subject) = Subject::named(first)
    {
        return sets::run(subject, others, root, &own_check(root)?);
    }
    let options = Options::read(arguments)?;
    let candidates = sample::candidates(root)?;
    let tree = Tree::new(root, &candidates.iter().map(|mutant| mutant.file.clone()).collect())?;
    say(&format!("{} candidates", candidates.len()));
    let draw = Draw {
        sample: options.sample,
        seed: options.seed,
        parts: &[],
        command: &["test", "--no-run", "--workspace", "--lib"],
        always: &[],
    };
    let build = Build::make(&tree, &candidates, &draw)?;
    say(&format!(
        "{} mutants, after {} that do not compile; {} are gone with their code",
        build.mutants.len(),
        build.refused.len(),
        build.gone.len()
    ));
    let journal = tree.folder.join(format!("journal-{}.jsonl", options.seed));
    let mut journal = Journal::open(&journal)?;
    let is_waiting = |mutant: &&Mutant| match journal.end_of(mutant) {
        None => true,
        Some(End::NoUnitTest | End::Nothing) => options.is_again,
        Some(End::UnitTest | End::Case | End::Timeout) => false,
    };
    let waiting: Vec<_> = build.mutants.iter().filter(is_waiting).collect();
    if !waiting.is_empty() {
        try_unit_tests(&tree, &build, &waiting, &mut journal)?;
    }
    let is_left = |mutant: &&Mutant| journal.end_of(mutant) == Some(End::NoUnitTest);
    let left: Vec<_> = build.mutants.iter().filter(is_left).collect();
    if !left.is_empty() && !options.is_unit_only {
        try_cases(&tree, &left, &options.cases, &mut journal)?;
    }
    for line in journal::draw(&build.mutants, &journal) {
        say(&line);
    }
    for name in &build.gone {
        say(&format!("gone: {name}"));
    }
    Ok(())
}

impl Options {
    fn read(arguments: &[String]) -> Result<Self, String> {
        let mut options =
            Self { sample: 400, seed: 1, is_again: false, is_unit_only: false, cases: Vec::new() };
        let mut arguments = arguments.iter();
        while let Some(name) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{name} needs a value"));
            let mut number = || {
                let value = value()?;
                value.parse::<u64>().map_err(|_| format!("{name} needs a number, found `{value}`"))
            };
            match name.as_str() {
                "--sample" => {
                    options.sample =
                        usize::try_from(number()?).map_err(|error| error.to_string())?;
                }
                "--seed" => options.seed = number()?,
                "--again" => options.is_again = true,
                "--unit-only" => options.is_unit_only = true,
                "--cases" => options.cases.push(value()?.clone()),
                _ => return Err(format!("unknown option {name}")),
            }
        }
        Ok(options)
    }
}

/// Tests mutants with the unit tests.
fn try_unit_tests(
    tree: &Tree,
    build: &Build,
    mutants: &[&Mutant],
    journal: &mut Journal,
) -> Result<(), String> {
    let trial = UnitTrial::prepare(tree, &build.tests)?;
    try_each(mutants, journal, |mutant| trial.run(mutant))
}

/// Tests mutants with the cases.
fn try_cases(
    tree: &Tree,
    mutants: &[&Mutant],
    cases: &[String],
    journal: &mut Journal,
) -> Result<(), String> {
    let trial = CaseTrial::prepare(tree, &build::program(tree)?, cases)?;
    try_each(mutants, journal, |mutant| trial.run(mutant))
}

fn try_each(
    mutants: &[&Mutant],
    journal: &mut Journal,
    run: impl Fn(&Mutant) -> Result<(End, String), String>,
) -> Result<(), String> {
    for (idx, mutant) in mutants.iter().enumerate() {
        let started = Instant::now();
        let (end, by) = run(mutant)?;
        let seconds = started.elapsed().as_secs_f64();
        say(&format!("{}/{} {} {by} {seconds:.1} s: {mutant}", idx + 1, mutants.len(), end.name()));
        journal.add(mutant, Record { end, by, seconds })?;
    }
    Ok(())
}
