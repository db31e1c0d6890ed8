//! `cargo xtask compare-speed`: compares the CPU time of the same piglit files in interstage, in piglit's
//! `shader_runner`, and in `shader_runner` started by deqp-runner, in one run on one machine.
//!
//! Each program runs one case at a time, because CPU time is compared. *Cold* is with Mesa's shader caches off, *first*
//! with an initially empty cache, *warm* with the cache filled by the previous run. The rows alternate, so that other
//! load affects all of them, and the median of the rounds counts.

mod measure;
mod piglit;

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::speed::measure::{Cost, measure};
use crate::speed::piglit::Piglit;
use crate::step::say;

/// Command-line options.
struct Options {
    rounds: usize,
    /// List of piglit's files; by default a sample.
    files: Option<PathBuf>,
    /// One file in this many is in the sample.
    every: usize,
    piglit: PathBuf,
    deqp_runner: PathBuf,
    /// A build of the program; by default the release build of this tree.
    program: Option<PathBuf>,
}

/// State of Mesa's caches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cache {
    Off,
    Empty,
    Full,
}

/// Program that runs the files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Program {
    ShaderRunner,
    ShaderRunnerEach,
    DeqpRunner,
    Interstage,
    InterstageQuick,
    /// Interstage on the driver that `shader_runner` uses too.
    InterstageGl,
}

/// One row of the table.
struct Row {
    program: Program,
    cache: Cache,
    costs: Vec<Cost>,
}

/// Paths and programs for the commands.
struct Setting {
    program: PathBuf,
    piglit: Piglit,
    deqp_runner: PathBuf,
    /// Folder for lists, caches and unused results.
    folder: PathBuf,
}

/// Measures and prints the table.
pub(crate) fn run(arguments: &[String], root: &Path) -> Result<(), String> {
    let options = Options::read(arguments)?;
    let folder = root.join("target/xtask/speed");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut setting = Setting {
        program: options.program.map_or_else(|| crate::build::release_build(root), Ok)?,
        piglit: Piglit::new(&options.piglit)?,
        deqp_runner: options.deqp_runner,
        folder,
    };
    let sample = setting.piglit.sample(options.files.as_deref(), options.every)?;
    let files = passing(&setting, &sample)?;
    say(&format!("{} files of {} pass in both", files.len(), sample.len()));
    setting.piglit.choose(files, &setting.folder)?;
    let mut rows = rows(&setting);
    for round in 1..=options.rounds {
        for row in &mut rows {
            row.run(&setting)?;
        }
        say(&format!("round {round} of {}", options.rounds));
    }
    for line in draw(&rows, setting.piglit.files.len()) {
        say(&line);
    }
    Ok(())
}

impl Options {
    fn read(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self {
            rounds: 5,
            files: None,
            every: 30,
            piglit: PathBuf::from("/usr/lib/x86_64-linux-gnu/piglit"),
            deqp_runner: PathBuf::from("piglit-runner"),
            program: None,
        };
        for pair in arguments.chunks(2) {
            let [name, value] = pair else { return Err(format!("{} needs a value", pair[0])) };
            match name.as_str() {
                "--rounds" => options.rounds = number(value)?,
                "--every" => options.every = number(value)?.max(1),
                "--files" => options.files = Some(value.into()),
                "--piglit" => options.piglit = value.into(),
                "--piglit-runner" => options.deqp_runner = value.into(),
                "--program" => options.program = Some(value.into()),
                _ => return Err(format!("unknown option {name}")),
            }
        }
        Ok(options)
    }
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("expected a number, found `{text}`"))
}

/// Files that pass in both programs, so that failing early is no advantage, and that one `shader_runner` process can
/// run.
fn passing(setting: &Setting, sample: &[String]) -> Result<Vec<String>, String> {
    let [vulkan, gl] = ["vulkan", "gl"].map(|adapter| passing_here(setting, sample, adapter));
    let (vulkan, gl) = (vulkan?, gl?);
    let piglit = &setting.piglit;
    let passes =
        |file: &str| gl.contains(file) && !piglit.ends_the_process(file) && piglit.passes(file);
    Ok(sample.iter().filter(|file| vulkan.contains(*file) && passes(file)).cloned().collect())
}

/// Files that pass on this adapter.
fn passing_here(
    setting: &Setting,
    sample: &[String],
    adapter: &str,
) -> Result<HashSet<String>, String> {
    let list = setting.folder.join("sample");
    write(&list, &(sample.join("\n") + "\n"))?;
    let results = setting.folder.join("sample-results");
    let mut ours = interstage(setting, &list, adapter);
    // The exit code only reports that some files fail.
    measure(ours.arg("--results").arg(&results), &setting.output())?;
    let csv = results.join("results.csv");
    let csv =
        std::fs::read_to_string(&csv).map_err(|error| format!("{}: {error}", csv.display()))?;
    let passed = csv.lines().filter_map(|line| {
        let (rest, _) = line.rsplit_once(',')?;
        rest.strip_suffix(",Pass").map(str::to_owned)
    });
    Ok(passed.collect())
}

/// Rows that are possible on this machine.
fn rows(setting: &Setting) -> Vec<Row> {
    let has_deqp = Command::new(&setting.deqp_runner).arg("--version").output().is_ok();
    if !has_deqp {
        say(
            "deqp-runner was not found and is left out; install it with `cargo install deqp-runner`, or set --piglit-runner",
        );
    }
    let programs = [Program::ShaderRunner, Program::ShaderRunnerEach].into_iter();
    let programs = programs.chain(has_deqp.then_some(Program::DeqpRunner));
    let programs =
        programs.chain([Program::Interstage, Program::InterstageQuick, Program::InterstageGl]);
    // With a full cache, every program finds the entries that it wrote in the previous row.
    let caches = [Cache::Off, Cache::Empty, Cache::Full];
    programs
        .flat_map(|program| caches.map(|cache| Row { program, cache, costs: Vec::new() }))
        .collect()
}

/// Command for interstage with one worker and without retries.
fn interstage(setting: &Setting, list: &Path, adapter: &str) -> Command {
    let mut at = OsString::from("@");
    at.push(list);
    let mut command = Command::new(&setting.program);
    command.arg("run").arg(at).args(["--adapter", adapter, "--jobs", "1"]);
    command.args(["--retries", "0", "--quiet"]);
    command
}

impl Setting {
    /// File for the output of the programs.
    fn output(&self) -> PathBuf {
        self.folder.join("output")
    }
}

impl Program {
    const fn name(self) -> &'static str {
        match self {
            Self::ShaderRunner => "shader_runner",
            Self::ShaderRunnerEach => "shader_runner, a file to a process",
            Self::DeqpRunner => "deqp-runner, shader_runner",
            Self::Interstage => "interstage",
            Self::InterstageQuick => "interstage --quick-llvmpipe",
            Self::InterstageGl => "interstage --adapter gl",
        }
    }

    fn command(self, setting: &Setting) -> Command {
        let piglit = &setting.piglit;
        match self {
            Self::ShaderRunner => piglit.all_in_one_process(),
            Self::ShaderRunnerEach => piglit.each_in_a_process(),
            Self::DeqpRunner => piglit.by_runner(&setting.deqp_runner, &setting.folder),
            Self::Interstage => interstage(setting, &piglit.list, "vulkan"),
            Self::InterstageGl => interstage(setting, &piglit.list, "gl"),
            Self::InterstageQuick => {
                let mut command = interstage(setting, &piglit.list, "vulkan");
                command.arg("--quick-llvmpipe");
                command
            }
        }
    }

    /// Number of files that the program finished, from its output.
    fn finished(self, output: &str) -> usize {
        let starting = |word| output.lines().filter(|line| line.starts_with(word)).count();
        match self {
            Self::ShaderRunner => starting("PIGLIT TEST: "),
            Self::ShaderRunnerEach => starting(r#"PIGLIT: {"result": "pass""#),
            Self::DeqpRunner => last_number(output, |word, number| {
                number.trim_end_matches(',').parse().ok().filter(|_| word == "Pass:")
            }),
            Self::Interstage | Self::InterstageQuick | Self::InterstageGl => {
                last_number(output, |number, word| {
                    number.parse().ok().filter(|_| word == "passed,")
                })
            }
        }
    }
}

/// The last number that `number` parses from two consecutive words.
fn last_number(output: &str, number: fn(&str, &str) -> Option<usize>) -> usize {
    let words: Vec<_> = output.split_whitespace().collect();
    words.windows(2).rev().find_map(|pair| number(pair[0], pair[1])).unwrap_or(0)
}

impl Row {
    fn run(&mut self, setting: &Setting) -> Result<(), String> {
        let cache = setting.folder.join("cache");
        if self.cache == Cache::Empty {
            // The cache may not exist.
            let _ = std::fs::remove_dir_all(&cache);
            std::fs::create_dir_all(&cache).map_err(|error| error.to_string())?;
        }
        let mut command = self.program.command(setting);
        let is_off = if self.cache == Cache::Off { "true" } else { "false" };
        command.env("MESA_SHADER_CACHE_DISABLE", is_off).env("MESA_SHADER_CACHE_DIR", &cache);
        let cost = measure(&mut command, &setting.output())?;
        let output = std::fs::read(setting.output()).map_err(|error| error.to_string())?;
        let finished = self.program.finished(&String::from_utf8_lossy(&output));
        let wanted = setting.piglit.files.len();
        if finished != wanted {
            // A program that stops early would seem fast.
            let name = self.program.name();
            return Err(format!(
                "{name} ran {finished} of {wanted} files; see target/xtask/speed/output"
            ));
        }
        self.costs.push(cost);
        Ok(())
    }

    /// Median of the rounds, by CPU time.
    fn cost(&self) -> Cost {
        let mut costs = self.costs.clone();
        costs.sort_by(|a, b| a.cpu.total_cmp(&b.cpu));
        costs.get(costs.len() / 2).copied().unwrap_or_default()
    }
}

/// Formats a Markdown table. The factor is relative to `shader_runner` with the same cache.
fn draw(rows: &[Row], files: usize) -> Vec<String> {
    let mut lines = vec![
        "| cache | program | CPU s | CPU ms a case | times shader_runner | wall s | peak MiB |"
            .to_owned(),
        "|---|---|--:|--:|--:|--:|--:|".to_owned(),
    ];
    for cache in [Cache::Off, Cache::Empty, Cache::Full] {
        let name = match cache {
            Cache::Off => "off",
            Cache::Empty => "empty at first",
            Cache::Full => "full",
        };
        let rows: Vec<_> = rows.iter().filter(|row| row.cache == cache).collect();
        let base = rows.iter().find(|row| row.program == Program::ShaderRunner);
        let base = base.map_or(0.0, |row| row.cost().cpu);
        lines.extend(rows.iter().map(|row| {
            let Cost { cpu, wall, peak } = row.cost();
            let each = cpu * 1e3 / f64::from(u32::try_from(files.max(1)).unwrap_or(u32::MAX));
            let (program, factor, peak) = (row.program.name(), base / cpu, peak >> 20);
            format!(
                "| {name} | {program} | {cpu:.2} | {each:.1} | {factor:.2} | {wall:.1} | {peak} |"
            )
        }));
    }
    lines
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The final output of each program shows whether it stopped early.
    #[test]
    fn how_many_files_ran_is_read_from_what_is_printed() {
        let cut = "PIGLIT TEST: 1 - a\nPIGLIT: {\"subtest\": {\"a\" : \"pass\"}}\nPIGLIT TEST: 2 - b\n\
                   PIGLIT: {\"result\": \"skip\" }\n";
        assert_eq!(Program::ShaderRunner.finished(cut), 2);
        assert_eq!(Program::ShaderRunnerEach.finished(cut), 0);
        let each = "PIGLIT: {\"result\": \"pass\" }\nPIGLIT: {\"result\": \"fail\" }\n";
        assert_eq!(Program::ShaderRunnerEach.finished(each), 1);
        assert_eq!(
            Program::Interstage.finished("vulkan:0 · llvmpipe\n265 passed, 1 failed, 2 skipped\n"),
            265
        );
        assert_eq!(Program::DeqpRunner.finished("Pass: 3, Duration: 1\nPass: 20, Skip: 1\n"), 20);
        assert_eq!(Program::Interstage.finished(""), 0);
    }
}
