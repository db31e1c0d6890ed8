//! `cargo xtask shaders`: translates the stages of all cases to the languages of Direct3D, Metal and WebGPU, and compiles
//! those for Direct3D and WebGPU with free compilers.
//!
//! A stage that naga cannot write or that a compiler rejects is a failure, unless `docs/shaders.md` lists the reason and
//! the party at fault.

mod compiler;
mod known;
mod names;
mod reason;
mod table;
mod written;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::step::say;
use compiler::Compiler;
use table::Table;

/// Command-line options.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    /// Number of modules to compile; all if none.
    sample: Option<NonZeroUsize>,
    /// Cases and folders.
    paths: Vec<String>,
}

/// Writes all stages, compiles them, and prints which were rejected and why.
pub(crate) fn run(arguments: &[String], root: &Path) -> Result<(), String> {
    let options = read(arguments)?;
    let known = known::rows(&read_text(&root.join("docs/shaders.md"))?);
    crate::build::build_program()?;
    let folder = root.join("target/shaders");
    let mut unknown = 0;
    let mut show = |table: &Table| {
        for line in table.draw(&known) {
            say(&line);
        }
        unknown += table.unknown(&known);
    };
    for language in ["msl", "hlsl", "wgsl"] {
        show(&write(language, &options.paths, &folder.join(language), root)?);
    }
    let modules = different(&folder.join("hlsl"))?;
    let of_wgsl = different(&folder.join("wgsl"))?;
    say(&format!("{} different modules of HLSL, {} of WGSL", modules.len(), of_wgsl.len()));
    let mut read = Table::new(names::NAME, "", modules.len());
    for (path, text) in &modules {
        read.count(path, names::check(text));
    }
    show(&read);
    let [hlsl, wgsl] =
        [modules, of_wgsl].map(|modules| sample(modules.into_keys().collect(), options.sample));
    let (compilers, missing) = compiler::find();
    for reason in missing {
        say(&reason);
    }
    for compiler in &compilers {
        let modules = if compiler.language == "wgsl" { &wgsl } else { &hlsl };
        show(&compile(compiler, modules, &folder)?);
    }
    if unknown > 0 {
        return Err(format!("{unknown} reasons that docs/shaders.md does not list"));
    }
    Ok(())
}

fn read(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options { sample: None, paths: Vec::new() };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--sample" => {
                let number = arguments.next().and_then(|value| value.parse().ok());
                options.sample = Some(number.ok_or("--sample needs a number greater than 0")?);
            }
            option if option.starts_with('-') => return Err(format!("unknown option `{option}`")),
            path => options.paths.push(path.to_owned()),
        }
    }
    if options.paths.is_empty() {
        options.paths.push("cases".to_owned());
    }
    Ok(options)
}

fn read_text(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes the stages into `folder`, and counts those that the language cannot express.
fn write(
    language: &'static str,
    paths: &[String],
    folder: &Path,
    root: &Path,
) -> Result<Table, String> {
    // Old stages must not be mistaken for those of this run.
    let _ = std::fs::remove_dir_all(folder);
    let mut command = Command::new(crate::build::program());
    command.arg("inspect").args(paths).args(["--format", language, "--out"]).arg(folder);
    let output = command.current_dir(root).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cannot start interstage: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    written::table(language, &said)
        .ok_or_else(|| format!("cannot read what `inspect` says ({}): {said}", output.status))
}

/// Modules below `folder` with their texts, by relative path; of identical modules only the first.
fn different(top: &Path) -> Result<BTreeMap<PathBuf, String>, String> {
    let mut by_text: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut folders = vec![top.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder);
        let entries = entries.map_err(|error| format!("{}: {error}", folder.display()))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = read_text(&path)?;
            let name = path.strip_prefix(top).unwrap_or(&path);
            let first = by_text.entry(text).or_insert_with(|| name.to_owned());
            if name < first.as_path() {
                name.clone_into(first);
            }
        }
    }
    Ok(by_text.into_iter().map(|(text, path)| (path, text)).collect())
}

/// An evenly spread sample of `all`.
fn sample<T>(all: Vec<T>, wanted: Option<NonZeroUsize>) -> Vec<T> {
    let Some(wanted) = wanted.map(NonZeroUsize::get).filter(|wanted| *wanted < all.len()) else {
        return all;
    };
    let count = all.len();
    let is_taken = |idx: usize| (idx + 1) * wanted / count > idx * wanted / count;
    let taken = all.into_iter().enumerate().filter(|(idx, _)| is_taken(*idx));
    taken.map(|(_, one)| one).collect()
}

/// Compiles every module.
fn compile(compiler: &Compiler, modules: &[PathBuf], folder: &Path) -> Result<Table, String> {
    let table = Mutex::new(Table::new(compiler.name, &compiler.version, modules.len()));
    let (next, problem) = (AtomicUsize::new(0), Mutex::new(None));
    let work = |number: usize| {
        let scratch = folder.join(format!("compiled-{number}"));
        while let Some(module) = modules.get(next.fetch_add(1, Ordering::Relaxed)) {
            match compiler.compile(&folder.join(compiler.language).join(module), &scratch) {
                Ok(refusal) => {
                    let Ok(mut table) = table.lock() else { return };
                    table.count(module, refusal);
                }
                Err(message) => {
                    let Ok(mut problem) = problem.lock() else { return };
                    *problem = Some(message);
                    return;
                }
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    std::thread::scope(|scope| {
        for number in 0..threads {
            scope.spawn(move || work(number));
        }
    });
    let is_broken = "a thread has panicked";
    match problem.into_inner().map_err(|_| is_broken)? {
        Some(message) => Err(message),
        None => table.into_inner().map_err(|_| is_broken.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_spread_evenly_and_has_the_size_that_was_asked_for() {
        let check = |count: u32, wanted: usize, expected: &[u32]| {
            assert_eq!(sample((0..count).collect(), NonZeroUsize::new(wanted)), expected);
        };
        check(6, 2, &[2, 5]);
        check(5, 3, &[1, 3, 4]);
        check(3, 3, &[0, 1, 2]);
        check(3, 9, &[0, 1, 2]);
        assert_eq!(sample(vec![0, 1, 2], None), [0, 1, 2]);
        assert_eq!(sample((0..10_771).collect(), NonZeroUsize::new(300)).len(), 300);
    }

    #[test]
    fn arguments_are_a_sample_and_paths() {
        let read = |line: &str| {
            read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
                .map(|options| (options.sample.map(NonZeroUsize::get), options.paths.join(" ")))
        };
        assert_eq!(read(""), Ok((None, "cases".to_owned())));
        assert_eq!(read("a --sample 3 b"), Ok((Some(3), "a b".to_owned())));
        assert!(read("--sample").is_err() && read("--sample 0").is_err() && read("--x").is_err());
    }

    #[test]
    fn of_equal_modules_the_first_is_taken() {
        let folder =
            std::env::temp_dir().join(format!("interstage-shaders-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        for (name, text) in [("b", "x"), ("a", "x"), ("c", "y")] {
            std::fs::create_dir_all(folder.join(name)).expect("the folder is ours");
            std::fs::write(folder.join(name).join("vertex.hlsl"), text).expect("so it is");
        }
        let found: Vec<_> = different(&folder).expect("it can be read").into_keys().collect();
        let _ = std::fs::remove_dir_all(&folder);
        assert_eq!(found, ["a/vertex.hlsl", "c/vertex.hlsl"].map(PathBuf::from));
    }
}
