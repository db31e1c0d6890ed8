//! Tests mutants with the unit tests or cases that reach them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::mutants::build::{Program, Programs};
use crate::mutants::journal::End;
use crate::mutants::process::{Ended, watch};
use crate::mutants::sample::{Mutant, module_of};
use crate::mutants::tree::Tree;
use crate::step::say;

/// Variable that selects the mutant.
pub(crate) const CHOSEN: &str = "INTERSTAGE_MUTANT";
/// Variable with the file for reached mutants.
pub(crate) const REACHED: &str = "INTERSTAGE_MUTANTS_REACHED";
/// Added to every time limit, for the start of programs.
const SLACK: Duration = Duration::from_mins(1);
/// Tests that take longer than this run last.
const SLOW: Duration = Duration::from_millis(500);
/// Tests that take longer than this do not run: hundreds of survivors would have to wait for them.
const TOO_SLOW: Duration = Duration::from_secs(8);
/// Cases that do not run: grids of thousands, which take longer than all others together.
pub(crate) const GRIDS: &str = "^cases/block/(every|matrices)_";
/// Number of cases that run first; most mutants make one of any few cases fail.
const FIRST_CASES: usize = 60;

/// A test or case that can detect mutants.
#[derive(Clone, Debug)]
struct Test {
    name: String,
    time: Duration,
}

/// Tests that reach each mutant, by its number.
type Reach = BTreeMap<usize, Vec<Test>>;

/// The unit tests.
#[derive(Debug)]
pub(crate) struct UnitTrial {
    programs: Programs,
    reach: Reach,
}

/// The cases.
#[derive(Debug)]
pub(crate) struct CaseTrial {
    program: PathBuf,
    tree: PathBuf,
    folder: PathBuf,
    reach: Reach,
}

impl UnitTrial {
    /// A trial without data about reached mutants.
    pub(crate) fn new(programs: &Programs) -> Self {
        Self { programs: programs.clone(), reach: Reach::new() }
    }

    /// Runs every test alone and without a mutant.
    pub(crate) fn prepare(tree: &Tree, programs: &Programs) -> Result<Self, String> {
        let mut trial = Self::new(programs);
        let file = tree.folder.join("reached");
        let (mut count, mut failing) = (0, Vec::new());
        for name in trial.names()? {
            // There may be no file from an earlier run.
            let _ = std::fs::remove_file(&file);
            let started = Instant::now();
            let mut test = trial.tests(&[&name]);
            test.env(REACHED, &file);
            count += 1;
            if watch(&mut test, TOO_SLOW, fails_test)? != Ended::Well {
                failing.push(name);
                continue;
            }
            let test = Test { name, time: started.elapsed() };
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let numbers = text.lines().filter_map(|line| line.split('\t').next()?.parse().ok());
            for number in numbers.collect::<BTreeSet<usize>>() {
                trial.reach.entry(number).or_default().push(test.clone());
            }
        }
        say(&format!(
            "{count} unit tests; left out, as they fail without a mutant or take long: {failing:?}"
        ));
        Ok(trial)
    }

    /// Tests one mutant: with the tests of its own module first, then those of its crate, the slow ones last.
    pub(crate) fn run(&self, mutant: &Mutant) -> Result<(End, String), String> {
        let module = module_of(&mutant.file);
        let reaching = self.reach.get(&mutant.number).into_iter().flatten();
        let mut reaching: Vec<&Test> = reaching.collect();
        reaching.sort_by(|a, b| group_of(a, &module).cmp(&group_of(b, &module)));
        for group in reaching.chunk_by(|a, b| group_of(a, &module) == group_of(b, &module)) {
            let names: Vec<&str> = group.iter().map(|test| &*test.name).collect();
            let mut tests = self.tests(&names);
            tests.env(CHOSEN, mutant.number.to_string());
            match watch(&mut tests, limit(group), fails_test)? {
                Ended::Well => {}
                Ended::Badly(line) => {
                    let by = format!("{}::{}", split(names[0]).0, name_in(&line));
                    return Ok((End::UnitTest, by));
                }
                Ended::TooLate => return Ok((End::Timeout, String::new())),
            }
        }
        Ok((End::NoUnitTest, String::new()))
    }

    /// All tests, each after the name of its crate.
    pub(crate) fn names(&self) -> Result<Vec<String>, String> {
        let mut names = Vec::new();
        for of in self.programs.keys() {
            let listed =
                self.program(of).arg("--list").output().map_err(|error| error.to_string())?;
            let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
            let own = listed.lines().filter_map(|line| line.strip_suffix(": test"));
            names.extend(own.map(|name| format!("{of}::{name}")));
        }
        if names.is_empty() { Err("cargo built no tests".to_owned()) } else { Ok(names) }
    }

    /// Runs some tests of one crate.
    pub(crate) fn tests(&self, names: &[&str]) -> Command {
        let mut tests = self.program(split(names[0]).0);
        tests.arg("--exact").args(names.iter().map(|name| split(name).1));
        tests
    }

    /// The test program, limited to 8 GiB of memory, because some mutants would take all.
    fn program(&self, of: &str) -> Command {
        let Program { path, folder } = &self.programs[of];
        let mut tests = Command::new("sh");
        tests.args(["-c", "ulimit -v 8388608; exec \"$0\" \"$@\""]).arg(path);
        tests.current_dir(folder).env("RUST_BACKTRACE", "0");
        // As `.cargo/config.toml` sets it for cargo: a failing law would write a folder that the next build takes for a
        // crate.
        tests.env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1");
        // As cargo does; expectations in files are located by this variable.
        tests.env("CARGO_MANIFEST_DIR", folder);
        tests
    }
}

/// The crate of a test, and the test's name inside.
fn split(name: &str) -> (&str, &str) {
    name.split_once("::").unwrap_or_default()
}

/// Group of a test: the tests of a group run together, and the groups run in order. Slow tests run last; before them
/// come the tests of the mutant's module, then those of its crate.
fn group_of<'a>(test: &'a Test, module: &str) -> (bool, bool, bool, &'a str) {
    let of = split(&test.name).0;
    let is_own_crate = module.split("::").next() == Some(of);
    (test.time > SLOW, !test.name.starts_with(module), !is_own_crate, of)
}

impl CaseTrial {
    /// A trial without data about reached mutants.
    pub(crate) fn new(tree: &Tree, program: &Path) -> Self {
        let (program, folder) = (program.to_owned(), tree.folder.clone());
        Self { program, tree: tree.copy.clone(), folder, reach: Reach::new() }
    }

    /// Runs all cases, or only `chosen` ones, without a mutant, unless that was done since the program was built.
    pub(crate) fn prepare(tree: &Tree, program: &Path, chosen: &[String]) -> Result<Self, String> {
        let mut trial = Self::new(tree, program);
        let part = if chosen.is_empty() { "" } else { "-chosen" };
        let (file, results) = (format!("reached-cases{part}"), format!("results{part}"));
        let (file, results) = (tree.folder.join(file), tree.folder.join(results));
        let csv = results.join("results.csv");
        let time = |file: &Path| file.metadata().and_then(|metadata| metadata.modified()).ok();
        if !chosen.is_empty() || time(&csv) <= time(&trial.program) {
            // There may be no file from an earlier run.
            let _ = std::fs::remove_file(&file);
            let mut all = trial.cases();
            if chosen.is_empty() {
                all.arg("cases");
            }
            all.args(chosen)
                .args(["--exclude", GRIDS])
                .arg("--results")
                .arg(&results)
                .env(REACHED, &file);
            watch(&mut all, SLACK * 60, |_| false)?;
        }
        let csv =
            std::fs::read_to_string(&csv).map_err(|error| format!("{}: {error}", csv.display()))?;
        let mut passed: BTreeMap<&str, Duration> = BTreeMap::new();
        for line in csv.lines() {
            let mut cells = line.rsplitn(3, ',');
            let (Some(seconds), Some("Pass"), Some(name)) =
                (cells.next(), cells.next(), cells.next())
            else {
                continue;
            };
            let seconds = seconds.parse().unwrap_or(0.0);
            passed.insert(name, Duration::from_secs_f64(seconds));
        }
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let pairs: BTreeSet<_> = text.lines().filter_map(|line| line.split_once('\t')).collect();
        for (number, name) in pairs {
            // In the CSV file, commas are semicolons.
            let Some(time) = passed.get(name.replace(',', ";").as_str()) else { continue };
            let Ok(number) = number.parse() else { continue };
            let test = Test { name: name.to_owned(), time: *time };
            trial.reach.entry(number).or_default().push(test);
        }
        let (passed, all) = (passed.len(), csv.lines().count());
        say(&format!(
            "{passed} of {all} cases pass without a mutant; {} reached",
            trial.reach.len()
        ));
        Ok(trial)
    }

    /// Tests one mutant: first with cases from all folders, then with the others.
    pub(crate) fn run(&self, mutant: &Mutant) -> Result<(End, String), String> {
        let mut cases: Vec<_> = self.reach.get(&mutant.number).into_iter().flatten().collect();
        crate::mutants::sample::shuffle(&mut cases, 1);
        let (slow, mut cases): (Vec<_>, Vec<_>) =
            cases.into_iter().partition(|case| case.time > SLOW);
        cases.extend(slow);
        let (first, others) = cases.split_at(cases.len().min(FIRST_CASES));
        for group in [first, others].into_iter().filter(|group| !group.is_empty()) {
            let list = self.folder.join("list");
            let names = group.iter().map(|case| format!("{}\n", case.name));
            std::fs::write(&list, names.collect::<String>()).map_err(|error| error.to_string())?;
            let mut run = self.cases();
            run.arg(format!("@{}", list.display())).env(CHOSEN, mutant.number.to_string());
            match watch(&mut run, limit(group), fails_case)? {
                Ended::Well => {}
                Ended::Badly(line) => return Ok((End::Case, name_in(&line).to_owned())),
                Ended::TooLate => return Ok((End::Timeout, String::new())),
            }
        }
        Ok((End::Nothing, String::new()))
    }

    /// The program; the caller adds the cases.
    pub(crate) fn cases(&self) -> Command {
        let mut run = Command::new(&self.program);
        run.args(["run", "--adapter", "vulkan:0", "--retries", "0", "--quiet", "--color", "never"]);
        run.args(["--jobs", "2", "--quick-llvmpipe"]);
        run.arg("--shader-cache").arg(self.folder.join("shaders"));
        run.current_dir(&self.tree).env("RUST_BACKTRACE", "0");
        run
    }
}

/// Time limit for tests, from their times without a mutant, with a margin for a busier machine.
fn limit(tests: &[&Test]) -> Duration {
    SLACK + tests.iter().map(|test| test.time).sum::<Duration>() * 5
}

pub(crate) fn fails_test(line: &str) -> bool {
    line.ends_with("... FAILED")
}

pub(crate) fn fails_case(line: &str) -> bool {
    let word = line.split(' ').next().unwrap_or_default();
    word.len() > 2 && word.chars().all(|letter| letter.is_ascii_uppercase())
}

/// The test or case that a line names.
pub(crate) fn name_in(line: &str) -> &str {
    line.split_whitespace().nth(1).unwrap_or(line)
}
