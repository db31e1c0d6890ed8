//! `cargo xtask rules`: checks that the tests that `docs/checklist.md` names for a rule fail without the rule.
//!
//! A table lists for each rule the code that implements it and a replacement without the rule. The machinery of
//! mutation testing puts all replacements into one build. Then each case and each file of unit tests that a row names
//! runs with the row's entries until one of them makes it fail. If comments or names of a file's tests mention the
//! rule, one of these tests must fail; otherwise any test of the file.
//!
//! Cases run on the first Vulkan adapter. All tests first run unchanged, because a test that already fails proves
//! nothing. Tests in `runner/tests` take minutes each and are left out, which the output says.

mod checklist;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use crate::mutants::build;
use crate::mutants::process::{Ended, watch};
use crate::mutants::sample::Mutant;
use crate::mutants::tree::Tree;
use crate::mutants::trial::{CHOSEN, CaseTrial, UnitTrial, fails_case, fails_test, name_in};
use crate::step::say;
use checklist::{Named, Row, is_in_file, rows, tests_about};
use table::Entry;

/// Time limit; the longest file is a grid of hundreds of cases.
const TIME: Duration = Duration::from_mins(30);
/// A long timeout, because slowness on a busy machine is no detection.
const PATIENCE: [&str; 2] = ["--timeout", "600"];

/// Builds the programs, runs the tests in the rows of the chosen rules, or of all, and prints which failed.
pub(crate) fn run(chosen: &[String], root: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(root.join("docs/checklist.md"));
    let mut rows = rows(&text.map_err(|error| format!("docs/checklist.md: {error}"))?);
    let entries = table::entries()?;
    let is_row = |rule: &String| rows.iter().any(|row| row.number == *rule);
    let known = entries.iter().flat_map(|entry| &entry.rules).filter(|rule| *rule != "any");
    if let Some(rule) = known.chain(chosen).find(|rule| !is_row(rule)) {
        return Err(format!("docs/checklist.md has no row {rule} that names tests"));
    }
    rows.retain(|row| chosen.is_empty() || chosen.contains(&row.number));
    let trial = Trial::prepare(root, &entries, &rows)?;
    let mut counts = Counts::default();
    for row in &rows {
        trial.show(row, &entries, &mut counts)?;
    }
    say(&counts.to_string());
    if counts.unseen == 0 { Ok(()) } else { Err("some tests were not seen failing".to_owned()) }
}

/// The programs, and their results so far.
struct Trial {
    tree: Tree,
    tests: UnitTrial,
    cases: CaseTrial,
    /// The tests or cases that failed, by entry (0 for none) and path: rules share entries and tests.
    failed: std::cell::RefCell<BTreeMap<(usize, String), Vec<String>>>,
}

impl Trial {
    /// Builds the tree with all entries, and runs the named tests without any.
    fn prepare(root: &Path, entries: &[Entry], rows: &[Row]) -> Result<Self, String> {
        let tree = Tree::new(root, &entries.iter().map(|entry| entry.file.clone()).collect())?;
        let changes = changes(entries, &tree)?;
        let places = build::write(&tree, &changes, &changes)?;
        let (programs, errors) =
            build::cargo(&tree, &["test", "--no-run", "--workspace", "--lib"])?;
        if !errors.is_empty() {
            for error in &errors {
                say(error["rendered"].as_str().unwrap_or_default());
            }
            let found = build::blame(&errors, &places)?;
            let lines = found.iter().map(|number| entries[number - 1].line.to_string());
            let lines = lines.collect::<Vec<_>>().join(", ");
            return Err(format!("table.txt, lines {lines}: these entries do not compile"));
        }
        let tests = UnitTrial::new(&programs);
        let cases = CaseTrial::new(&tree, &build::program(&tree)?);
        let trial = Self { tree, tests, cases, failed: std::cell::RefCell::default() };
        trial.check_without(rows)?;
        Ok(trial)
    }

    /// Checks that all named tests pass while no rule is switched off.
    fn check_without(&self, rows: &[Row]) -> Result<(), String> {
        let named: BTreeSet<&Named> = rows.iter().flat_map(|row| &row.named).collect();
        let mut cases: Vec<&str> = Vec::new();
        for test in named {
            match test {
                Named::Case(path) => cases.push(path),
                Named::UnitTests(path) => {
                    let failed = self.run(0, test)?;
                    if !failed.is_empty() {
                        return Err(format!("{path} fails without any change: {failed:?}"));
                    }
                }
                Named::Long(_) => {}
            }
        }
        if cases.is_empty() {
            return Ok(());
        }
        let list = self.tree.folder.join("list");
        std::fs::write(&list, cases.join("\n")).map_err(|error| error.to_string())?;
        let mut run = self.cases.cases();
        run.args(PATIENCE).arg(format!("@{}", list.display()));
        match watch(&mut run, TIME, fails_case)? {
            Ended::Well => Ok(()),
            ended @ (Ended::Badly(_) | Ended::TooLate) => {
                Err(format!("a case fails without any change: {ended:?}"))
            }
        }
    }

    /// Runs the tests of a row with each of its entries until each test has failed once, and prints the results.
    fn show(&self, row: &Row, entries: &[Entry], counts: &mut Counts) -> Result<(), String> {
        let own = (1..).zip(entries).filter(|(_, entry)| entry.rules.contains(&row.number));
        let own: Vec<(usize, &Entry)> = own.collect();
        counts.rules += 1;
        counts.entries += own.len();
        let mut useless: BTreeSet<usize> = own.iter().map(|(_, entry)| entry.line).collect();
        for test in &row.named {
            counts.named += 1;
            if matches!(test, Named::Long(_)) {
                counts.long += 1;
                say(&format!("{:5}left out  {}", row.number, test.path()));
                continue;
            }
            let mut seen = Vec::new();
            for (number, entry) in &own {
                let failed = self.failed_about(&row.number, *number, test)?;
                if !failed.is_empty() {
                    useless.remove(&entry.line);
                    seen.push(format!("line {}: {}", entry.line, failed.join(" ")));
                }
            }
            let word = if seen.is_empty() { "NOT SEEN" } else { "seen" };
            counts.unseen += usize::from(seen.is_empty());
            say(&format!("{:5}{word:9} {}  {}", row.number, test.path(), seen.join("; ")));
        }
        for line in useless {
            counts.useless += 1;
            say(&format!("{:5}table.txt:{line}: no test fails with this entry", row.number));
        }
        Ok(())
    }

    /// Failed tests of `test` with this entry that are about the rule.
    fn failed_about(&self, rule: &str, number: usize, test: &Named) -> Result<Vec<String>, String> {
        let mut failed = self.run(number, test)?;
        if let Named::UnitTests(file) = test {
            let about = tests_about(rule, &self.tree.read(file)?);
            let is_about = |test: &String| {
                let name = test.rsplit("::").next().unwrap_or_default();
                about.is_empty() || about.iter().any(|known| known == name)
            };
            failed.retain(is_about);
            let short = |test: String| test.rsplit("::").next().unwrap_or_default().to_owned();
            failed = failed.into_iter().map(short).collect();
        }
        Ok(failed)
    }

    /// Failed tests of `test` with this entry.
    fn run(&self, number: usize, test: &Named) -> Result<Vec<String>, String> {
        let key = (number, test.path().to_owned());
        if let Some(known) = self.failed.borrow().get(&key) {
            return Ok(known.clone());
        }
        let failed = match test {
            Named::Case(path) => self.run_case(number, path)?,
            Named::UnitTests(path) => self.run_tests(number, path)?,
            Named::Long(_) => Vec::new(),
        };
        self.failed.borrow_mut().insert(key, failed.clone());
        Ok(failed)
    }

    /// Runs a case file. Returns the status word of its first failing case.
    fn run_case(&self, number: usize, path: &str) -> Result<Vec<String>, String> {
        let mut run = self.cases.cases();
        run.args(PATIENCE).arg(path).env(CHOSEN, number.to_string());
        Ok(match watch(&mut run, TIME, fails_case)? {
            Ended::Well => Vec::new(),
            Ended::Badly(line) => {
                vec![line.split_whitespace().next().unwrap_or("crash").to_owned()]
            }
            Ended::TooLate => vec!["too late".to_owned()],
        })
    }

    fn run_tests(&self, number: usize, file: &str) -> Result<Vec<String>, String> {
        let all = self.tests.names()?;
        let all = all.iter().map(String::as_str);
        let own: Vec<&str> = all.filter(|test| is_in_file(test, file, &self.tree.root)).collect();
        if own.is_empty() {
            return Err(format!("{file} has no unit tests"));
        }
        let mut tests = self.tests.tests(&own);
        tests.env(CHOSEN, number.to_string());
        let mut failed = Vec::new();
        let mut note = |line: &str| {
            failed.extend(fails_test(line).then(|| name_in(line).to_owned()));
            false
        };
        match watch(&mut tests, TIME, &mut note)? {
            Ended::Badly(_) if failed.is_empty() => Ok(vec!["crash".to_owned()]),
            Ended::Well | Ended::Badly(_) => Ok(failed),
            Ended::TooLate => Ok(vec!["too late".to_owned()]),
        }
    }
}

/// The changes that switch off the linker's check of its own result while a mutant is chosen.
pub(crate) fn own_check(root: &Path) -> Result<Vec<Mutant>, String> {
    let entries = table::entries()?;
    let own = entries.iter().filter(|entry| entry.is_for_any());
    // These changes have no number: each asks whether any mutant is chosen.
    let change = |entry: &Entry| {
        let text = std::fs::read_to_string(root.join(&entry.file));
        entry.change(0, &text.map_err(|error| format!("{}: {error}", entry.file))?)
    };
    own.map(change).collect()
}

/// Converts the entries to mutants, which may be nested but must not overlap.
fn changes(entries: &[Entry], tree: &Tree) -> Result<Vec<Mutant>, String> {
    let numbered = (1..).zip(entries);
    let changes = numbered.map(|(number, entry)| entry.change(number, &tree.read(&entry.file)?));
    let (found, missing): (Vec<_>, Vec<_>) = changes.partition(Result::is_ok);
    let missing: Vec<String> = missing.into_iter().filter_map(Result::err).collect();
    if !missing.is_empty() {
        return Err(missing.join("\n"));
    }
    let changes: Vec<Mutant> = found.into_iter().flatten().collect();
    for (one, entry) in changes.iter().zip(entries) {
        let cuts = |other: &&Mutant| {
            let (a, b) = (&one.site.bytes, &other.site.bytes);
            one.file == other.file && a.start < b.start && b.start < a.end && a.end < b.end
        };
        if let Some(other) = changes.iter().find(cuts) {
            let line = entries[other.number - 1].line;
            return Err(format!("table.txt: lines {} and {line} overlap", entry.line));
        }
    }
    Ok(changes)
}

/// Figures of a run.
#[derive(Default)]
struct Counts {
    rules: usize,
    entries: usize,
    named: usize,
    unseen: usize,
    long: usize,
    useless: usize,
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { rules, entries, named, unseen, long, useless } = self;
        let seen = named - unseen - long;
        write!(
            f,
            "{rules} rules, {entries} entries; {named} tests named: {seen} seen failing, {unseen} not, {long} left out; \
             {useless} entries that nothing notices"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_check_is_off_wherever_it_runs() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace");
        let changes = own_check(root).expect("the table is up to date");
        let files: BTreeSet<_> = changes.iter().map(|change| change.file.as_str()).collect();
        assert_eq!(files, BTreeSet::from(["src/link/phase/verified.rs"]));
        let text = std::fs::read_to_string(root.join("src/link/phase/verified.rs"));
        let calls = text.expect("it is read").matches("verify(").count();
        assert!(changes.len() == 3 && calls == 3, "{} changes, {calls} calls", changes.len());
    }
}
