//! `cargo xtask mutants --naga` and `--linker`: measure how many mutants of naga, or of the linker, each set of programs
//! detects.
//!
//! One build has all mutants of three parts of naga, the writers of SPIR-V and GLSL and the reader of WGSL, or those of
//! the linker. A set of programs first runs without a mutant, which records the mutants that each program reaches. Each mutant is then tried
//! with programs that reach it, until one of them fails that did not fail before.

mod journal;
mod programs;
mod reach;
mod subject;
mod trial;

pub(crate) use self::subject::Subject;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::mutants::build::{self, Build, Draw};
use crate::mutants::sample::Mutant;
use crate::mutants::sets::journal::{End, Journal};
use crate::mutants::sets::programs::Set;
use crate::mutants::sets::reach::Way;
use crate::mutants::sets::trial::Trial;
use crate::mutants::tree::Tree;
use crate::step::say;

/// Number of mutants that are tried at once.
const AT_ONCE: usize = 2;

/// Command-line options.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    /// Number of mutants of each part of the code.
    sample: usize,
    seed: u64,
    /// Number of generated programs of each kind and language.
    count: usize,
    /// Maximum number of programs that a mutant is tried with.
    most: usize,
    /// Part of each set's programs to run, as `interstage run --shard` takes it.
    shard: Option<String>,
    /// Sets of programs: `generated`, `cases`, or `NAME=PATH`.
    programs: Vec<String>,
    /// Seed of the variants that run instead of the programs.
    vary: Option<u64>,
    /// Compiler behind naga's writer of SPIR-V, as `interstage run --through` takes it. What it gives is validated.
    through: Option<String>,
    /// Parts of the code to try the mutants of; all if empty.
    parts: Vec<String>,
    /// Run the sets without mutants once more, and try what nothing detected again.
    is_again: bool,
}

impl Options {
    fn read(arguments: &[String]) -> Result<Self, String> {
        let (sample, count, most) = (100, 300, 200);
        let (shard, programs, parts) = (None, Vec::new(), Vec::new());
        let mut options = Self {
            sample,
            seed: 1,
            count,
            most,
            shard,
            programs,
            vary: None,
            through: None,
            parts,
            is_again: false,
        };
        let mut arguments = arguments.iter();
        while let Some(name) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{name} needs a value"));
            let mut number = || {
                let value = value()?;
                value.parse().map_err(|_| format!("{name} needs a number, found `{value}`"))
            };
            match name.as_str() {
                "--sample" => options.sample = number()?,
                "--seed" => options.seed = u64::try_from(number()?).expect("64 bits suffice"),
                "--count" => options.count = number()?,
                "--most" => options.most = number()?,
                "--shard" => options.shard = Some(value()?.clone()),
                "--programs" => options.programs.push(value()?.clone()),
                "--vary" => options.vary = Some(u64::try_from(number()?).expect("64 bits suffice")),
                "--through" => options.through = Some(value()?.clone()),
                "--part" => options.parts.push(value()?.clone()),
                "--again" => options.is_again = true,
                _ => return Err(format!("unknown option {name}")),
            }
        }
        if options.programs.is_empty() {
            options.programs = vec!["generated".to_owned(), "cases".to_owned()];
        }
        Ok(options)
    }
}

/// Samples, builds and tries mutants, and prints the table and the survivors.
///
/// `own_check` are the changes that switch off the linker's check of its own result, which must not detect its mutants.
pub(crate) fn run(
    subject: Subject,
    arguments: &[String],
    root: &Path,
    own_check: &[Mutant],
) -> Result<(), String> {
    let options = Options::read(arguments)?;
    let (tree, candidates) = subject.copied(root)?;
    let draw = Draw {
        sample: options.sample,
        seed: options.seed,
        parts: subject.parts(),
        command: &build::PROGRAM,
        always: match subject {
            Subject::Naga => &[],
            Subject::Linker => own_check,
        },
    };
    let build = Build::make(&tree, &candidates, &draw)?;
    say(&format!(
        "{} candidates; {} mutants, after {} that do not compile; {} are gone",
        candidates.len(),
        build.mutants.len(),
        build.refused.len(),
        build.gone.len()
    ));
    let program = build::program(&tree)?;
    let path = tree.folder.join(format!("journal-{}.jsonl", options.seed));
    let journal = Mutex::new(Journal::open(&path)?);
    let run = Run { options: &options, tree: &tree, program, mutants: &build.mutants, journal };
    let mut names = Vec::new();
    for text in &options.programs {
        let set = Set::make(text, &tree, &run.program, &options)?;
        run.try_set(&set)?;
        names.push(set.name);
    }
    let journal = run.journal.into_inner().map_err(|error| error.to_string())?;
    for line in journal.draw(subject.parts(), &build.mutants, &names) {
        say(&line);
    }
    Ok(())
}

/// State that all sets of programs share.
#[derive(Debug)]
struct Run<'a> {
    options: &'a Options,
    tree: &'a Tree,
    program: PathBuf,
    mutants: &'a [Mutant],
    journal: Mutex<Journal>,
}

impl Run<'_> {
    /// Tries all mutants with a set of programs.
    fn try_set(&self, set: &Set) -> Result<(), String> {
        for way in Way::ALL {
            let waiting: Vec<_> =
                self.mutants.iter().filter(|it| self.waits(it, set, way)).collect();
            if waiting.is_empty() {
                continue;
            }
            let trial = Trial::prepare(self, set, way)?;
            self.try_each(&waiting, set, &trial)?;
        }
        Ok(())
    }

    /// True if the mutant is to be tried with these programs.
    fn waits(&self, mutant: &Mutant, set: &Set, way: Way) -> bool {
        let end = self.journal.lock().expect("no trial panics").end_of(mutant, &set.name);
        let is_open = match end {
            None => true,
            Some(End::NotReached | End::Survived) => self.options.is_again,
            Some(End::Detected) => false,
        };
        let parts = &self.options.parts;
        let is_wanted =
            parts.is_empty() || parts.iter().any(|part| Path::new(&mutant.file).starts_with(part));
        is_open && is_wanted && way.runs(mutant)
    }

    /// Tries some mutants, a few at once.
    fn try_each(&self, mutants: &[&Mutant], set: &Set, trial: &Trial<'_>) -> Result<(), String> {
        let queue = Mutex::new((1..).zip(mutants.iter()));
        let work = |thread: usize| {
            loop {
                let next = queue.lock().expect("no trial panics").next();
                let Some((nth, mutant)) = next else { return Ok(()) };
                let record = trial.run(mutant, thread)?;
                say(&format!("{} {nth}/{} {record}: {mutant}", set.name, mutants.len()));
                self.journal.lock().expect("no trial panics").add(mutant, &set.name, &record)?;
            }
        };
        std::thread::scope(|scope| {
            let work = &work;
            let threads: Vec<_> =
                (0..AT_ONCE).map(|thread| scope.spawn(move || work(thread))).collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("no trial panics"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Options, String> {
        Options::read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn options_have_defaults_and_are_checked() {
        let default = read("").unwrap();
        assert_eq!((default.sample, default.seed, default.count, default.most), (100, 1, 300, 200));
        assert_eq!(default.programs, ["generated", "cases"]);
        let given = "--sample 7 --seed 3 --count 5 --most 9 --shard 1/4 --programs a=b --vary 2 --through d --part c --again";
        let given = read(given).unwrap();
        assert_eq!((given.sample, given.seed, given.count, given.most), (7, 3, 5, 9));
        assert_eq!((given.shard.as_deref(), given.is_again), (Some("1/4"), true));
        assert_eq!((given.vary, given.through.as_deref()), (Some(2), Some("d")));
        assert_eq!((given.programs, given.parts), (vec!["a=b".to_owned()], vec!["c".to_owned()]));
        assert_eq!(read("--sample"), Err("--sample needs a value".to_owned()));
        assert_eq!(read("--sample a"), Err("--sample needs a number, found `a`".to_owned()));
        assert_eq!(read("--unit-only"), Err("unknown option --unit-only".to_owned()));
    }
}
