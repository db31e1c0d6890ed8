//! `cargo xtask compare-speed`: CPU time of the same piglit files here, in piglit's `shader_runner`, and in `shader_runner`
//! started by deqp-runner, in one run on one machine.
//!
//! All run one case at a time, because CPU time is what is compared. *Cold* is with Mesa's shader caches off, *first* with
//! a cache that is empty at the beginning, *warm* with what the run before left in it. The rows take turns, so that a busy
//! machine is bad for all of them, and the median of the rounds counts.

mod measure;
mod piglit;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::speed::measure::{Cost, measure};
use crate::speed::piglit::Piglit;
use crate::step::say;

/// What the command line chooses.
struct Options {
    rounds: usize,
    /// A list of piglit's files; else a sample is taken.
    files: Option<PathBuf>,
    piglit: PathBuf,
    deqp_runner: PathBuf,
    /// A build of the program; else the release build of this tree.
    program: Option<PathBuf>,
}

/// How Mesa's caches are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cache {
    Off,
    Empty,
    Full,
}

/// One row of the table.
struct Row {
    name: &'static str,
    cache: Cache,
    command: fn(&Setting) -> Command,
    costs: Vec<Cost>,
}

/// What the commands need to know.
struct Setting {
    program: PathBuf,
    piglit: Piglit,
    deqp_runner: PathBuf,
    /// Files for the programs: the list, the caches, results that nobody reads.
    folder: PathBuf,
}

/// Measures and prints the table.
pub(crate) fn run(arguments: &[String], root: &Path) -> Result<(), String> {
    let options = Options::read(arguments)?;
    let folder = root.join("target/xtask/speed");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut setting = Setting {
        program: options.program.map_or_else(|| build(root), Ok)?,
        piglit: Piglit::new(&options.piglit)?,
        deqp_runner: options.deqp_runner,
        folder,
    };
    let sample = setting.piglit.sample(options.files.as_deref())?;
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
            piglit: PathBuf::from("/usr/lib/x86_64-linux-gnu/piglit"),
            deqp_runner: PathBuf::from("piglit-runner"),
            program: None,
        };
        for pair in arguments.chunks(2) {
            let [name, value] = pair else { return Err(format!("{}: which?", pair[0])) };
            match name.as_str() {
                "--rounds" => {
                    options.rounds = value.parse().map_err(|_| format!("{value}: not a number"))?;
                }
                "--files" => options.files = Some(value.into()),
                "--piglit" => options.piglit = value.into(),
                "--piglit-runner" => options.deqp_runner = value.into(),
                "--program" => options.program = Some(value.into()),
                _ => return Err(format!("no option {name}")),
            }
        }
        Ok(options)
    }
}

/// The release build of the program.
fn build(root: &Path) -> Result<PathBuf, String> {
    let arguments =
        ["build", "--quiet", "--release", "--package", "interstage-runner", "--bin", "interstage"];
    let status = crate::cargo(&arguments).current_dir(root).status();
    let status = status.map_err(|error| format!("cargo cannot be started: {error}"))?;
    if !status.success() {
        return Err("the program cannot be built".to_owned());
    }
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    Ok(target.join("release/interstage"))
}

/// The files that pass in both, so that nobody is fast by failing.
fn passing(setting: &Setting, sample: &[String]) -> Result<Vec<String>, String> {
    let list = setting.folder.join("sample");
    write(&list, &(sample.join("\n") + "\n"))?;
    let results = setting.folder.join("sample-results");
    let mut ours = interstage(setting, &list);
    // Its exit code only tells that some fail.
    measure(ours.arg("--results").arg(&results))?;
    let csv = results.join("results.csv");
    let csv =
        std::fs::read_to_string(&csv).map_err(|error| format!("{}: {error}", csv.display()))?;
    let ours = csv.lines().filter_map(|line| {
        let (rest, _) = line.rsplit_once(',')?;
        rest.strip_suffix(",Pass").map(str::to_owned)
    });
    Ok(ours.filter(|file| setting.piglit.passes(file)).collect())
}

/// The rows that this machine can fill.
fn rows(setting: &Setting) -> Vec<Row> {
    let row = |name, cache, command| Row { name, cache, command, costs: Vec::new() };
    let ours: fn(&Setting) -> Command = |it| interstage(it, &it.piglit.list);
    let theirs: fn(&Setting) -> Command = |it| it.piglit.all_in_one_process();
    let each: fn(&Setting) -> Command = |it| it.piglit.each_in_a_process();
    let deqp: fn(&Setting) -> Command = |it| it.piglit.by_runner(&it.deqp_runner, &it.folder);
    let has_runner = Command::new(&setting.deqp_runner).arg("--version").output().is_ok();
    let mut rows = vec![
        row("shader_runner", Cache::Off, theirs),
        row("shader_runner, a file to a process", Cache::Off, each),
        row("interstage", Cache::Off, ours),
        row("interstage --quick-llvmpipe", Cache::Off, |it| {
            let mut command = interstage(it, &it.piglit.list);
            command.arg("--quick-llvmpipe");
            command
        }),
        row("shader_runner", Cache::Empty, theirs),
        row("shader_runner", Cache::Full, theirs),
        row("shader_runner, a file to a process", Cache::Full, each),
        row("interstage", Cache::Empty, ours),
        row("interstage", Cache::Full, ours),
    ];
    if has_runner {
        rows.insert(1, row("deqp-runner, shader_runner", Cache::Off, deqp));
        rows.push(row("deqp-runner, shader_runner", Cache::Empty, deqp));
        rows.push(row("deqp-runner, shader_runner", Cache::Full, deqp));
    } else {
        say("without deqp-runner: `cargo install deqp-runner`, or name it with --piglit-runner");
    }
    rows
}

/// One worker, nothing tried twice.
fn interstage(setting: &Setting, list: &Path) -> Command {
    let mut at = OsString::from("@");
    at.push(list);
    let mut command = Command::new(&setting.program);
    command.arg("run").arg(at).args(["--adapter", "vulkan", "--jobs", "1"]);
    command.args(["--retries", "0", "--quiet"]);
    command
}

impl Row {
    fn run(&mut self, setting: &Setting) -> Result<(), String> {
        let cache = setting.folder.join("cache");
        if self.cache == Cache::Empty {
            // It may not be there.
            let _ = std::fs::remove_dir_all(&cache);
            std::fs::create_dir_all(&cache).map_err(|error| error.to_string())?;
        }
        let mut command = (self.command)(setting);
        let is_off = if self.cache == Cache::Off { "true" } else { "false" };
        command.env("MESA_SHADER_CACHE_DISABLE", is_off).env("MESA_SHADER_CACHE_DIR", &cache);
        self.costs.push(measure(&mut command)?);
        Ok(())
    }

    /// The median of the rounds, by CPU time.
    fn cost(&self) -> Cost {
        let mut costs = self.costs.clone();
        costs.sort_by(|a, b| a.cpu.total_cmp(&b.cpu));
        costs.get(costs.len() / 2).copied().unwrap_or_default()
    }
}

/// A table in Markdown. The factor is to `shader_runner` with the same cache.
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
        let base =
            rows.iter().find(|row| row.name == "shader_runner").map_or(0.0, |it| it.cost().cpu);
        lines.extend(rows.iter().map(|row| {
            let Cost { cpu, wall, peak } = row.cost();
            let each = cpu * 1e3 / f64::from(u32::try_from(files.max(1)).unwrap_or(u32::MAX));
            let (program, factor, peak) = (row.name, base / cpu, peak >> 20);
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
