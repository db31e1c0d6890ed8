//! `cargo xtask compilers`: runs cases through other compilers, and prints one table of what each does wrong.
//!
//! `--install` puts the compilers below `target/compilers`; without it, those in `PATH` are used. Failures with a known
//! cause are in `runner/lab/compilers.txt`, and `docs/compiler-faults.md` describes the causes.

mod compiler;
mod debian;
mod install;
mod known;
mod passes;
mod table;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::step::say;
use compiler::Compiler;
use known::Known;
use table::Row;

/// Subjects of generated programs, with the languages that each has.
const GENERATED: [(&str, &[&str]); 5] = [
    ("varyings", &["glsl", "wgsl"]),
    ("geometry", &["glsl", "wgsl"]),
    ("tessellation", &["glsl", "wgsl"]),
    ("blocks", &["glsl", "wgsl"]),
    ("programs", &["glsl", "wgsl", "spirv"]),
];

/// The cases on which every pass runs unless some are named.
const SAMPLE: &str = "--shard=1/200";

/// Command-line options.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    does_install: bool,
    /// True if each pass of SPIRV-Tools' optimiser runs alone.
    has_passes: bool,
    /// True if the results of the last run are read again.
    only_reads: bool,
    /// Names of the chosen compilers; all if empty.
    with: Vec<String>,
    /// Number of generated programs of each kind and language.
    generated: Option<u32>,
    /// Seed of the first generated program.
    seed: u32,
    /// Folder of the results; `results` beside the compilers if `None`.
    results: Option<PathBuf>,
    /// Arguments of `interstage run`.
    rest: Vec<String>,
}

impl Options {
    /// Folder of the results through a compiler.
    fn results_of(&self, compiler: &Compiler, root: &Path) -> PathBuf {
        let own = || folder(root).join("results");
        self.results.clone().unwrap_or_else(own).join(&compiler.name)
    }
}

/// Installs compilers, or runs cases through them.
///
/// # Errors
/// Something could not be installed or run, or a failure has no known cause.
pub(crate) fn run(arguments: &[String], root: &Path) -> Result<(), String> {
    let mut options = read(arguments)?;
    if options.does_install {
        return install::run(root);
    }
    let path = root.join("runner/lab/compilers.txt");
    let text = std::fs::read_to_string(&path);
    let known = Known::parse(&text.map_err(|error| format!("{}: {error}", path.display()))?)?;
    if options.only_reads {
        return print(&read_rows(&options, root, &known)?);
    }
    crate::build::build_program()?;
    if let Some(count) = options.generated {
        let generated = generate(count, options.seed, root)?;
        options.rest.push(generated.display().to_string());
    }
    let compilers = if options.has_passes {
        if options.rest.is_empty() {
            options.rest.push(SAMPLE.to_owned());
        }
        let help = help(root)?;
        passes::of_help(&help).iter().map(|pass| compiler::of_pass(pass)).collect()
    } else {
        compiler::named(&options.with)?
    };
    let mut rows = Vec::new();
    for compiler in &compilers {
        rows.push(row(compiler, &options, root, &known)?);
    }
    print(&rows)
}

/// Reads the results of the last run through each compiler, without running anything: after an edit of the list.
fn read_rows(options: &Options, root: &Path, known: &Known) -> Result<Vec<Row>, String> {
    let compilers = compiler::named(&options.with)?;
    let read = |compiler: &Compiler| {
        let results = options.results_of(compiler, root);
        let is_there = results.join("results.json").exists();
        is_there.then(|| Row::read(&compiler.name, &results, known))
    };
    compilers.iter().filter_map(read).collect()
}

/// Prints the table. An error counts the failures without a known cause.
fn print(rows: &[Row]) -> Result<(), String> {
    for line in table::draw(rows) {
        say(&line);
    }
    match rows.iter().map(Row::unknown).sum() {
        0 => Ok(()),
        count => Err(format!("{count} failures have no cause in runner/lab/compilers.txt")),
    }
}

fn read(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().cloned().ok_or(format!("{argument} needs a value"));
        let number = |value: String| {
            value.parse().map_err(|_| format!("{argument} needs a number, not `{value}`"))
        };
        match argument.as_str() {
            "--install" => options.does_install = true,
            "--table" => options.only_reads = true,
            "--passes" => options.has_passes = true,
            "--with" => options.with.push(value()?),
            "--generated" => options.generated = Some(number(value()?)?),
            // Programs run in the root of the checkout.
            "--results" => options.results = std::path::absolute(value()?).ok(),
            "--seed" => options.seed = number(value()?)?,
            _ => options.rest.push(argument.clone()),
        }
    }
    compiler::named(&options.with)?;
    Ok(options)
}

/// Folder of the installed compilers and of results.
fn folder(root: &Path) -> PathBuf {
    root.join("target/compilers")
}

/// `PATH` with the installed compilers in front.
fn search_path(root: &Path) -> OsString {
    let own = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(folder(root).join("bin")).chain(std::env::split_paths(&own));
    std::env::join_paths(all).unwrap_or(own)
}

/// The help of SPIRV-Tools' optimiser.
fn help(root: &Path) -> Result<String, String> {
    let output = Command::new("spirv-opt").arg("--help").env("PATH", search_path(root)).output();
    let output = output.map_err(|error| format!("cannot start spirv-opt: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs the cases through a compiler.
fn row(compiler: &Compiler, options: &Options, root: &Path, known: &Known) -> Result<Row, String> {
    let Compiler { name, programs, through } = compiler;
    let path = search_path(root);
    let is_there =
        |program: &str| std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if let Some(program) = programs.iter().find(|program| !is_there(program)) {
        let help = "`cargo xtask compilers --install`";
        return Ok(Row::missing(name, format!("{program} is not installed: {help}")));
    }
    say(&format!("== {name}"));
    let results = options.results_of(compiler, root);
    let rest = &options.rest;
    // Old results must not be mistaken for those of this run.
    let _ = std::fs::remove_dir_all(&results);
    let mut command = Command::new(crate::build::program());
    command.args(["run", "--oracle", "--quiet", "--quick-llvmpipe", "--results"]).arg(&results);
    if !rest.iter().any(|word| word.starts_with("--adapter")) {
        command.args(["--adapter", "vulkan:0"]);
    }
    for one in through {
        command.args(["--through", one]);
    }
    command.args(rest).env("PATH", &path).current_dir(root);
    let log = results.with_extension("log");
    let status = command.stdout(file(&log)?).status();
    let status = status.map_err(|error| format!("cannot start interstage: {error}"))?;
    // 1 and 2 mean failures and improvements, which the table shows.
    match status.code() {
        Some(0..=2) => Row::read(name, &results, known),
        _ => Err(format!("{name}: the run did not finish ({status})")),
    }
}

/// A new file, with its folder.
fn file(path: &Path) -> Result<std::fs::File, String> {
    let at = |error: std::io::Error| format!("{}: {error}", path.display());
    std::fs::create_dir_all(path.parent().unwrap_or(path)).map_err(at)?;
    std::fs::File::create(path).map_err(at)
}

/// Writes programs of each kind and language. Returns their folder.
fn generate(count: u32, seed: u32, root: &Path) -> Result<PathBuf, String> {
    let top = folder(root).join("generated");
    let _ = std::fs::remove_dir_all(&top);
    for (kind, languages) in GENERATED {
        for language in languages {
            let mut command = Command::new(crate::build::program());
            command.args(["generate", kind, "--language", language]);
            command.args(["--count", &count.to_string(), "--seed", &seed.to_string(), "--output"]);
            command.arg(top.join("cases").join(format!("{kind}_{language}"))).current_dir(root);
            let output = command.output();
            let output = output.map_err(|error| format!("cannot start interstage: {error}"))?;
            if !output.status.success() {
                let words = String::from_utf8_lossy(&output.stderr);
                return Err(format!("no programs about {kind} in {language}: {}", words.trim()));
            }
        }
    }
    Ok(top.join("cases"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_options_are_those_of_a_run() {
        let read =
            |line: &str| read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        let options = read("--with dxc cases/a --shard 1/2 --generated 3 @list").expect("options");
        assert_eq!(options.rest, ["cases/a", "--shard", "1/2", "@list"]);
        assert_eq!((options.with, options.generated), (vec!["dxc".to_owned()], Some(3)));
        assert!(read("--table").expect("an option").only_reads);
        assert!(read("--install").expect("an option").does_install);
        let results = read("--results out/a").expect("an option").results;
        assert_eq!(results, std::path::absolute("out/a").ok());
        assert_eq!(read("--generated x"), Err("--generated needs a number, not `x`".to_owned()));
        assert_eq!(read("--with"), Err("--with needs a value".to_owned()));
        assert!(read("--with x").expect_err("unknown").starts_with("unknown compiler `x`"));
    }
}
