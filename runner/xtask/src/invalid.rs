//! `cargo xtask invalid`: compares three verdicts on random programs that break at most one rule of the language.
//!
//! The files are those of `interstage generate invalid`, whose table of rules knows the right verdict for each. The
//! verdicts of interstage and of piglit's `shader_runner` are compared with it. A file passes if its program links.
//! Only pass or fail counts: a compile error and a link error for the same file agree.
//!
//! *Wrong passes* are programs that interstage accepts and `shader_runner` rejects, *wrong refusals* the reverse. The
//! table's verdict shows where to look first: if interstage differs from both others, it is at fault; if both differ
//! from the table, the table usually is.
//!
//! With `--what attributes` the files are those of `interstage generate attributes` in GLSL.

mod opinion;
mod report;
mod shader_runner;

use std::path::{Path, PathBuf};

use crate::invalid::opinion::{Opinion, interstage};
use crate::invalid::report::{Program, report};
use crate::invalid::shader_runner::ShaderRunner;
use crate::step::say;

/// Subject of the programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    /// Random programs that break at most one rule.
    Invalid,
    /// The qualifiers and layout words of GLSL, each at every place.
    Attributes,
}

/// Command-line options.
struct Options {
    subject: Subject,
    count: usize,
    seed: u64,
    jobs: usize,
    /// Break only this rule.
    rule: Option<String>,
    /// Folder for files on which two verdicts differ.
    keep: Option<PathBuf>,
    piglit: PathBuf,
    /// A build of the program; by default the release build of this tree.
    program: Option<PathBuf>,
    adapter: String,
}

/// Generates programs, gets the verdicts and prints the differences.
pub(crate) fn run(arguments: &[String], root: &Path) -> Result<(), String> {
    let options = Options::read(arguments)?;
    // Each process has its own folder, so that several can run at once.
    let folder = root.join(format!("target/xtask/invalid/{}", std::process::id()));
    let files = folder.join("files");
    std::fs::create_dir_all(&files).map_err(|error| format!("{}: {error}", files.display()))?;
    let program = options.program.clone().map_or_else(|| crate::build::release_build(root), Ok)?;
    let runner = ShaderRunner::new(&options.piglit)?;
    let generated = generate(&options, &program, &files)?;
    say(&format!("{} programs in {}", generated.len(), files.display()));
    let ours = interstage(&program, &options.adapter, options.jobs, &files, &folder)?;
    say("interstage ran all of them");
    let theirs = runner.opinions(&generated, options.jobs)?;
    let mut programs = Vec::new();
    for (path, theirs) in generated.into_iter().zip(theirs) {
        let ours = ours.get(&path).cloned().unwrap_or_else(|| Opinion::lost("not run"));
        programs.push(Program::read(path, ours, theirs)?);
    }
    for line in report(&programs) {
        say(&line);
    }
    if let Some(keep) = &options.keep {
        keep_disagreements(&programs, keep)?;
    }
    std::fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))
}

impl Options {
    fn read(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self {
            subject: Subject::Invalid,
            count: 1000,
            seed: 0,
            jobs: 2,
            rule: None,
            keep: None,
            piglit: PathBuf::from("/usr/lib/x86_64-linux-gnu/piglit"),
            program: None,
            adapter: "gl".to_owned(),
        };
        for pair in arguments.chunks(2) {
            let [name, value] = pair else { return Err(format!("{} needs a value", pair[0])) };
            let number =
                || value.parse().map_err(|_| format!("{name} needs a number, found `{value}`"));
            match name.as_str() {
                "--what" => {
                    options.subject = match value.as_str() {
                        "invalid" => Subject::Invalid,
                        "attributes" => Subject::Attributes,
                        _ => return Err(format!("unknown programs `{value}`")),
                    }
                }
                "--count" => options.count = number()?,
                "--seed" => options.seed = number()? as u64,
                "--jobs" => options.jobs = number()?.max(1),
                "--rule" => options.rule = Some(value.clone()),
                "--keep" => options.keep = Some(value.into()),
                "--piglit" => options.piglit = value.into(),
                "--program" => options.program = Some(value.into()),
                "--adapter" => options.adapter.clone_from(value),
                _ => return Err(format!("unknown option {name}")),
            }
        }
        Ok(options)
    }
}

/// Writes the programs. Returns their paths in the order of their seeds.
fn generate(options: &Options, program: &Path, files: &Path) -> Result<Vec<PathBuf>, String> {
    let mut command = std::process::Command::new(program);
    match options.subject {
        Subject::Invalid => {
            command.args(["generate", "invalid", "--seed", &options.seed.to_string()]);
            command.args(["--count", &options.count.to_string()]);
            command.args(options.rule.iter().flat_map(|rule| ["--rule", rule]));
        }
        Subject::Attributes => drop(command.args(["generate", "attributes"])),
    }
    command.arg("--output").arg(files);
    let output = command.output().map_err(|error| format!("{}: {error}", program.display()))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    match options.subject {
        Subject::Invalid => {
            let seeds = options.seed..options.seed + options.count as u64;
            Ok(seeds.map(|seed| files.join(format!("invalid_{seed}.shader_test"))).collect())
        }
        Subject::Attributes => of_glsl(options, files).map_err(|error| error.to_string()),
    }
}

/// Keeps at most `--count` of the GLSL files, which `shader_runner` can read. It takes files at equal intervals,
/// starting at the one whose number is the seed.
fn of_glsl(options: &Options, files: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut kept = Vec::new();
    for entry in std::fs::read_dir(files)? {
        let path = entry?.path();
        let is_glsl =
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("glsl_"));
        if is_glsl {
            kept.push(path);
        } else {
            std::fs::remove_file(&path)?;
        }
    }
    kept.sort();
    let step = kept.len().div_ceil(options.count.max(1)).max(1);
    let first = usize::try_from(options.seed).unwrap_or(0) % step;
    let mut sample = Vec::new();
    for (idx, path) in kept.into_iter().enumerate() {
        if idx % step == first {
            sample.push(path);
        } else {
            std::fs::remove_file(&path)?;
        }
    }
    Ok(sample)
}

fn keep_disagreements(programs: &[Program], keep: &Path) -> Result<(), String> {
    let mut kept = 0;
    for program in programs.iter().filter(|program| !program.all_agree()) {
        let folder = keep.join(&program.rule);
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let name = program.path.file_name().unwrap_or_default();
        std::fs::copy(&program.path, folder.join(name)).map_err(|error| error.to_string())?;
        kept += 1;
    }
    say(&format!("{kept} files kept in {}", keep.display()));
    Ok(())
}
