//! The programs of a set that pass without a mutant, and the mutants that each reaches.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::mutants::process::watch;
use crate::mutants::sample::{Mutant, shuffle};
use crate::mutants::sets::Run;
use crate::mutants::sets::programs::Set;
use crate::mutants::trial::{GRIDS, REACHED};
use crate::step::say;

/// Time limit of a run of all programs.
const LONGEST: Duration = Duration::from_hours(12);

/// The way programs run, which depends on the mutated part of naga.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// On a Vulkan adapter against the oracle: the writer of SPIR-V and the reader of WGSL.
    Vulkan,
    /// On a GL adapter: the writer of GLSL.
    Gl,
}

impl Way {
    pub(super) const ALL: [Self; 2] = [Self::Vulkan, Self::Gl];

    const fn name(self) -> &'static str {
        match self {
            Self::Vulkan => "vulkan",
            Self::Gl => "gl",
        }
    }

    /// True if this way runs the mutant's part of naga.
    pub(super) fn runs(self, mutant: &Mutant) -> bool {
        mutant.file.starts_with("src/back/glsl/") == (self == Self::Gl)
    }

    /// The program and all arguments but the programs to run.
    pub(super) fn command(self, program: &Path, set: &Set, caches: &Path) -> Command {
        let mut run = Command::new(program);
        run.args(["run", "--retries", "0", "--color", "never", "--quick-llvmpipe"]);
        match self {
            Self::Vulkan => run.args(["--adapter", "vulkan:0", "--oracle"]),
            Self::Gl => run.args(["--adapter", "gl"]),
        };
        if let Some(seed) = set.vary {
            run.args(["--vary", &seed.to_string()]);
        }
        if let (Self::Vulkan, Some(compiler)) = (self, &set.through) {
            run.args(["--through", compiler]);
        }
        run.arg("--shader-cache").arg(caches);
        run.current_dir(&set.folder).env("RUST_BACKTRACE", "0");
        run
    }
}

/// A program that passes without a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) name: String,
    pub(super) time: Duration,
}

/// Programs that reach each mutant, by its number, in the order in which they are tried.
#[derive(Debug, Default)]
pub(super) struct Reach(BTreeMap<usize, Vec<Program>>);

impl Reach {
    /// Runs the programs of a set without a mutant, unless that was done since the program was built.
    pub(super) fn prepare(run: &Run<'_>, set: &Set, way: Way) -> Result<Self, String> {
        let shard = run.options.shard.as_deref().unwrap_or("1/1");
        let name = format!("{}-{}-{}", set.file_name, way.name(), shard.replace('/', "-of-"));
        let folder = run.tree.folder.join(format!("results-{name}"));
        let file = run.tree.folder.join(format!("reached-{name}"));
        let csv = folder.join("results.csv");
        if run.options.is_again || !is_newer(&csv, &[&run.program, &set.folder.join("done")]) {
            // There may be no file from an earlier run.
            let _ = std::fs::remove_file(&file);
            let mut all = way.command(&run.program, set, &caches(run));
            all.arg(&set.path).args(["--shard", shard, "--exclude", GRIDS, "--quiet"]);
            all.arg("--results").arg(&folder).env(REACHED, &file);
            watch(&mut all, LONGEST, |_| false)?;
        }
        let read = |path: &Path| {
            std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let results = read(&csv)?;
        let passed = passed(&results);
        let reach = Self::of(&read(&file)?, &passed);
        let (count, all) = (passed.len(), results.lines().count());
        say(&format!(
            "{name}: {count} of {all} programs pass; they reach {} mutants",
            reach.0.len()
        ));
        Ok(reach)
    }

    /// Reads the record of reached mutants. Only programs that passed count.
    fn of(record: &str, passed: &BTreeMap<&str, Duration>) -> Self {
        let pairs: BTreeSet<_> = record.lines().filter_map(|line| line.split_once('\t')).collect();
        let mut reach = Self::default();
        for (number, name) in pairs {
            // In the CSV file, commas are semicolons.
            let Some(time) = passed.get(name.replace(',', ";").as_str()) else { continue };
            let Ok(number) = number.parse() else { continue };
            let program = Program { name: name.to_owned(), time: *time };
            reach.0.entry(number).or_default().push(program);
        }
        for programs in reach.0.values_mut() {
            spread(programs);
        }
        reach
    }

    /// The programs that reach a mutant.
    pub(super) fn programs(&self, mutant: &Mutant) -> &[Program] {
        self.0.get(&mutant.number).map_or(&[], Vec::as_slice)
    }

    /// All programs that reach a mutant, in the order in which they are tried.
    pub(super) fn all(&self) -> Vec<Program> {
        let all: BTreeMap<_, _> =
            self.0.values().flatten().map(|program| (&program.name, program)).collect();
        let mut all: Vec<Program> = all.into_values().cloned().collect();
        spread(&mut all);
        all
    }
}

/// Folder for the shader caches of drivers.
pub(super) fn caches(run: &Run<'_>) -> PathBuf {
    run.tree.folder.join("shaders")
}

/// True if the file is newer than all others that exist.
fn is_newer(file: &Path, others: &[&Path]) -> bool {
    let time = |file: &Path| file.metadata().and_then(|metadata| metadata.modified()).ok();
    others.iter().all(|other| time(file) > time(other))
}

/// Names and times of the programs that passed.
fn passed(results: &str) -> BTreeMap<&str, Duration> {
    let line = |line| {
        let mut cells = str::rsplitn(line, 3, ',');
        let (seconds, status, name) = (cells.next()?, cells.next()?, cells.next()?);
        let seconds = seconds.parse().unwrap_or(0.0);
        (status == "Pass").then(|| (name, Duration::from_secs_f64(seconds)))
    };
    results.lines().filter_map(line).collect()
}

/// Orders programs so that any first few are of different kinds: first one of every kind, the quickest first, then
/// another of every kind, and so on.
fn spread(programs: &mut [Program]) {
    shuffle(programs, 1);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut nth: BTreeMap<String, usize> = BTreeMap::new();
    for program in &*programs {
        let count = counts.entry(kind_of(&program.name)).or_default();
        nth.insert(program.name.clone(), *count);
        *count += 1;
    }
    programs.sort_by_key(|program| (nth[&program.name], program.time));
}

/// The kind of a program: its file without numbers. The programs of a file, and those of a generator, are of one kind.
fn kind_of(name: &str) -> String {
    let file = name.split('#').next().unwrap_or_default();
    file.chars().filter(|letter| !letter.is_ascii_digit()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(name: &str, seconds: u64) -> Program {
        Program { name: name.to_owned(), time: Duration::from_secs(seconds) }
    }

    #[test]
    fn first_programs_are_of_different_kinds_and_quick() {
        let mut programs: Vec<_> = (0..20).map(|seed| program(&format!("a_{seed}"), 2)).collect();
        programs.extend((0..5).map(|seed| program(&format!("b_{seed}"), 1)));
        programs.extend((0..3).map(|n| program(&format!("c#n={n}"), 3)));
        spread(&mut programs);
        let kinds: Vec<_> = programs[..9].iter().map(|it| kind_of(&it.name)).collect();
        assert_eq!(kinds, ["b_", "a_", "c", "b_", "a_", "c", "b_", "a_", "c"]);
    }

    #[test]
    fn only_programs_that_pass_reach_mutants() {
        let results = "cases/a#n=1;m=2,Pass,0.5\ncases/b,Skip,0.1\ncases/c,Pass,0.25\n";
        let passed = passed(results);
        let record = "1\t-\n1\tcases/a#n=1,m=2\n1\tcases/b\n2\tcases/b\n1\tcases/c\n1\tcases/c\n";
        let reach = Reach::of(record, &passed);
        let names: Vec<_> = reach.0[&1].iter().map(|program| program.name.as_str()).collect();
        assert_eq!(names, ["cases/c", "cases/a#n=1,m=2"]);
        assert_eq!(reach.0.len(), 1);
    }

    #[test]
    fn every_part_has_a_way() {
        let runs = |file: &str, way: Way| {
            let site = crate::mutants::site::find("fn f() -> T { true }").unwrap().0.remove(0);
            way.runs(&Mutant::alone(1, file, site))
        };
        for (file, is_vulkan) in [
            ("src/back/spv/a.rs", true),
            ("src/front/wgsl/a.rs", true),
            ("src/back/glsl/a.rs", false),
        ] {
            assert_eq!(runs(file, Way::Vulkan), is_vulkan);
            assert_eq!(runs(file, Way::Gl), !is_vulkan);
        }
    }
}
