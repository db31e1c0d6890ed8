//! Builds the copy with its mutants, and leaves out those that do not compile.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::mutants::instrument::instrument;
use crate::mutants::sample::{Mutant, shuffle};
use crate::mutants::tree::Tree;
use crate::step::say;

/// Arguments of cargo that build the program.
pub(crate) const PROGRAM: [&str; 6] =
    ["build", "--workspace", "--bin", "interstage", "--test", "tidy"];

/// Limit on rounds of compiling, more than any sample has needed.
const ROUNDS: usize = 20;

/// Maximum distance in bytes between an error and the mutant at fault. Beyond it, the tree itself does not compile.
const NEAR: usize = 1000;

/// The mutants to build.
#[derive(Debug)]
pub(crate) struct Draw<'a> {
    /// Number of mutants of each part of the code.
    pub(crate) sample: usize,
    pub(crate) seed: u64,
    /// Folders that are sampled separately; a file in none of them belongs to a part of its own.
    pub(crate) parts: &'a [&'static str],
    /// Arguments of cargo that compile the mutated code.
    pub(crate) command: &'a [&'a str],
    /// Changes that are built beside the mutants.
    pub(crate) always: &'a [Mutant],
}

/// Result of the build.
#[derive(Debug)]
pub(crate) struct Build {
    /// Mutants of the sample, in the order in which they were drawn.
    pub(crate) mutants: Vec<Mutant>,
    /// Numbers of the mutants that do not compile.
    pub(crate) refused: BTreeSet<usize>,
    /// Names of mutants whose code no longer exists.
    pub(crate) gone: Vec<String>,
    /// Programs of the unit tests.
    pub(crate) tests: Programs,
}

/// A program of unit tests.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    /// Folder of its package, in which cargo runs it.
    pub(crate) folder: PathBuf,
}

/// Programs by crate name.
pub(crate) type Programs = BTreeMap<String, Program>;

/// Numbers and byte ranges of the mutants in a file of the copy.
pub(crate) type Places = BTreeMap<String, Vec<(usize, Range<usize>)>>;

impl Build {
    /// Draws mutants until the requested number compiles. If this seed was used before, takes the same mutants again,
    /// so that they are tested after the code or its tests have changed.
    pub(crate) fn make(
        tree: &Tree,
        candidates: &[Mutant],
        options: &Draw<'_>,
    ) -> Result<Self, String> {
        let memory = tree.folder.join(format!("refused-{}", options.seed));
        let mut refused = remembered(&memory);
        let sample = tree.folder.join(format!("sample-{}", options.seed));
        let earlier = remembered(&sample);
        let (mut drawn, gone) = if earlier.is_empty() {
            (candidates.to_vec(), Vec::new())
        } else {
            found_again(&earlier, candidates)
        };
        shuffle(&mut drawn, options.seed);
        for _ in 0..ROUNDS {
            let others = drawn.iter().filter(|mutant| !refused.contains(&mutant.key()));
            // Some extra, because most rounds reject a few.
            let wanted = options.sample + if refused.is_empty() { options.sample / 4 } else { 0 };
            let mutants = options.take(others, wanted);
            let built: Vec<_> = mutants.iter().chain(options.always).cloned().collect();
            let places = write(tree, candidates, &built)?;
            let (tests, errors) = cargo(tree, options.command)?;
            if errors.is_empty() {
                let mutants = options.take(mutants.iter(), options.sample);
                if earlier.is_empty() {
                    remember(&sample, mutants.iter().map(Mutant::key))?;
                }
                let is_refused = |mutant: &&Mutant| refused.contains(&mutant.key());
                let refused = drawn.iter().filter(is_refused).map(|mutant| mutant.number).collect();
                return Ok(Self { mutants, refused, gone, tests });
            }
            let found = blame(&errors, &places)?;
            say(&format!("{} mutants do not compile", found.len()));
            let keys =
                mutants.iter().filter(|mutant| found.contains(&mutant.number)).map(Mutant::key);
            refused.extend(keys);
            remember(&memory, refused.iter().cloned())?;
        }
        Err(format!("some mutants still do not compile after {ROUNDS} rounds"))
    }
}

impl Draw<'_> {
    /// The first `count` mutants of each part.
    fn take<'a>(&self, mutants: impl Iterator<Item = &'a Mutant>, count: usize) -> Vec<Mutant> {
        let mut counts: BTreeMap<Option<&str>, usize> = BTreeMap::new();
        let is_wanted = |mutant: &&Mutant| {
            let part = self.parts.iter().find(|part| Path::new(&mutant.file).starts_with(part));
            let drawn = counts.entry(part.copied()).or_default();
            *drawn += 1;
            *drawn <= count
        };
        mutants.filter(is_wanted).cloned().collect()
    }
}

/// Reads mutants from a file with one per line; empty if there is no such file.
fn remembered(file: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn remember(file: &Path, keys: impl Iterator<Item = String>) -> Result<(), String> {
    let lines: String = keys.map(|key| key + "\n").collect();
    std::fs::write(file, lines).map_err(|error| format!("{}: {error}", file.display()))
}

/// Finds the mutants with these names. Also returns the names without a mutant.
fn found_again(names: &BTreeSet<String>, candidates: &[Mutant]) -> (Vec<Mutant>, Vec<String>) {
    let by_name: BTreeMap<_, _> = candidates.iter().map(|mutant| (mutant.key(), mutant)).collect();
    let (there, gone): (Vec<_>, Vec<_>) =
        names.iter().partition(|name| by_name.contains_key(*name));
    let there = there.into_iter().map(|name| by_name[name].clone());
    (there.collect(), gone.into_iter().cloned().collect())
}

/// Builds the program that runs cases. Code that compiled in the tests compiles here.
pub(crate) fn program(tree: &Tree) -> Result<PathBuf, String> {
    let (_, errors) = cargo(tree, &PROGRAM)?;
    match errors.first() {
        None => Ok(tree.target.join("debug/interstage")),
        Some(error) => Err(format!("cannot build the program: {error}")),
    }
}

/// Writes every file that has candidates, with its drawn mutants.
pub(crate) fn write(
    tree: &Tree,
    candidates: &[Mutant],
    mutants: &[Mutant],
) -> Result<Places, String> {
    let files: BTreeSet<_> = candidates.iter().chain(mutants).map(|mutant| &mutant.file).collect();
    let mut places = Places::new();
    for file in files {
        let sites = mutants.iter().filter(|mutant| mutant.file == *file);
        let sites: Vec<_> = sites.map(|mutant| (mutant.number, &mutant.site)).collect();
        let made = instrument(&tree.code.read(file)?, &sites, tree.code.selector);
        tree.code.write(file, made.text.as_bytes())?;
        places.insert(tree.code.name_in_errors(file), made.places);
    }
    Ok(places)
}

/// Runs cargo on the copy. Returns the test programs that it built, and the compiler's errors.
pub(crate) fn cargo(tree: &Tree, arguments: &[&str]) -> Result<(Programs, Vec<Value>), String> {
    let crates = tree.crates()?;
    let mut cargo = crate::build::cargo(arguments);
    cargo.args(["--quiet", "--message-format", "json"]).current_dir(&tree.copy);
    cargo.args(tree.code.arguments());
    // Debug information for backtraces is not needed, and would make compilation slower.
    let packages = crates.iter().map(|name| format!("interstage-{name}"));
    for package in packages.chain(["interstage".to_owned()]) {
        cargo.args(["--config", &format!("profile.dev.package.{package}.debug=0")]);
    }
    cargo.env("CARGO_TARGET_DIR", &tree.target).stderr(std::process::Stdio::inherit());
    let output = cargo.output().map_err(|error| format!("cannot start cargo: {error}"))?;
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let messages = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let (mut programs, mut errors) = (Programs::new(), Vec::new());
    for message in messages {
        if message["profile"]["test"] == true {
            // The runner's library has tests too.
            let is_own = |name: &String| name == "interstage" || crates.contains(name);
            programs.extend(unit_tests(&message).filter(|(name, _)| is_own(name)));
        }
        if message["reason"] == "compiler-message" && message["message"]["level"] == "error" {
            errors.push(message["message"].clone());
        }
    }
    if errors.is_empty() && !output.status.success() {
        return Err(format!("cargo failed: {}", output.status));
    }
    Ok((programs, errors))
}

/// The test program in a message of cargo, with its crate.
fn unit_tests(message: &Value) -> Option<(String, Program)> {
    let name = message["target"]["name"].as_str()?.to_owned();
    let path = PathBuf::from(message["executable"].as_str()?);
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    Some((name, Program { path, folder }))
}

/// Mutants that cause the errors.
pub(crate) fn blame(errors: &[Value], places: &Places) -> Result<BTreeSet<usize>, String> {
    let mut blamed = BTreeSet::new();
    for error in errors {
        let spans = error["spans"].as_array().map_or(&[][..], Vec::as_slice);
        if spans.is_empty() {
            continue; // "aborting due to …"
        }
        let mut primary_first: Vec<_> = spans.iter().collect();
        primary_first.sort_by_key(|span| span["is_primary"] != true);
        let within = primary_first.iter().find_map(|span| innermost(span, places));
        let nearest = || primary_first.iter().find_map(|span| nearest(span, places));
        let number = within.or_else(nearest);
        blamed.insert(number.ok_or_else(|| {
            format!("the compiler error belongs to no mutant: {}", error["rendered"])
        })?);
    }
    if blamed.is_empty() {
        Err("the compiler errors have no location".to_owned())
    } else {
        Ok(blamed)
    }
}

fn bytes_of(span: &Value) -> Option<(&str, Range<usize>)> {
    let number = |name: &str| span[name].as_u64().and_then(|number| usize::try_from(number).ok());
    Some((span["file_name"].as_str()?, number("byte_start")?..number("byte_end")?))
}

/// The smallest mutant around a span.
fn innermost(span: &Value, places: &Places) -> Option<usize> {
    let (file, bytes) = bytes_of(span)?;
    let around = places.get(file)?.iter();
    let around = around.filter(|(_, place)| place.start <= bytes.start && bytes.end <= place.end);
    around.min_by_key(|(_, place)| place.len()).map(|(number, _)| *number)
}

/// The mutant next to a span that is inside none, such as a value made by two mutants.
fn nearest(span: &Value, places: &Places) -> Option<usize> {
    let (file, bytes) = bytes_of(span)?;
    let distance =
        |place: &Range<usize>| place.start.abs_diff(bytes.start).min(place.end.abs_diff(bytes.end));
    let near = places.get(file)?.iter().filter(|(_, place)| distance(place) < NEAR);
    near.min_by_key(|(_, place)| distance(place)).map(|(number, _)| *number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_part_has_a_sample_of_its_own() {
        let mutant = |(number, file): (usize, &&str)| {
            let site = crate::mutants::site::find("fn f() -> T { true }").unwrap().0.remove(0);
            Mutant::alone(number, file, site)
        };
        let files = ["a/x.rs", "a/y.rs", "a/z.rs", "b/x.rs", "ab/x.rs", "a/x.rs"];
        let mutants: Vec<_> = (1..).zip(&files).map(mutant).collect();
        let taken = |parts| {
            let draw = Draw { sample: 2, seed: 1, parts, command: &[], always: &[] };
            let taken = draw.take(mutants.iter(), draw.sample);
            taken.iter().map(|mutant| mutant.number).collect::<Vec<_>>()
        };
        assert_eq!(taken(&["a", "b"]), [1, 2, 4, 5]);
        assert_eq!(taken(&[]), [1, 2]);
    }

    #[test]
    fn an_error_is_the_innermost_mutants() {
        let places = Places::from([("a.rs".to_owned(), vec![(1, 0..50), (2, 10..20)])]);
        let error = |start: u32, end: u32| {
            let span = json!({
                "file_name": "a.rs", "byte_start": start, "byte_end": end, "is_primary": true
            });
            json!({ "spans": [span] })
        };
        let blamed = |errors: &[Value]| blame(errors, &places);
        assert_eq!(blamed(&[error(12, 15)]), Ok(BTreeSet::from([2])));
        assert_eq!(blamed(&[error(12, 25)]), Ok(BTreeSet::from([1])));
        assert_eq!(blamed(&[error(60, 61)]), Ok(BTreeSet::from([1])));
        assert!(blamed(&[error(5000, 5001)]).is_err());
        assert!(blamed(&[json!({ "spans": [] })]).is_err());
    }
}
