//! The command line.

mod commands;
mod examples;
mod generate;
mod hunt;
mod project;
mod selection;
pub mod shard;
mod through;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};
use interstage::case::ProfileChoice;
use interstage::ir::diagnostic::nearest_word;
use interstage::ir::profile::Profile;
use interstage::offer::Pretend;

use crate::project::time_limit;
use crate::protocol::{Emulated, Keep, KeptCases};
use crate::report::evidence;
use crate::report::progress::Verbosity;

pub use crate::args::commands::{
    BlessOptions, ConvertOptions, DoctorOptions, FmtOptions, Format, InspectOptions, LspOptions,
    NewOptions, ReduceOptions, ShownStage, Template,
};
pub use crate::args::generate::{GenerateOptions, Generated, Language};
pub use crate::args::hunt::HuntOptions;
pub use crate::args::selection::Selection;
pub use crate::args::through::{OfProject, ThroughOptions};

/// Groups of options in the help.
const ADAPTER: &str = "Adapter and device";
const RESULTS: &str = "Results";
const PROCESSES: &str = "Time and processes";
const COMPILERS: &str = "Compilers and caches of drivers";

/// Tests the interfaces between shader stages on real GPUs.
#[derive(Debug, Parser)]
#[command(name = "interstage", version, after_help = NOTES)]
pub struct Args {
    /// Colours in the output; `auto` colours on a terminal and follows the variables `NO_COLOR` and `CLICOLOR_FORCE`
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// Mode of colours in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Color {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Sets the colour mode of everything that is printed.
    pub fn choose(self) {
        let choice = match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

const NOTES: &str = "\
Paths can also be listed in a file, one per line: `interstage run @LIST`.

A file below an `interstage.toml` or a folder named `cases` is read strictly: anything unknown is an error. Any other \
file is read as a piglit test: trailing text is a warning, and features that only piglit has make the case unsupported.

Exit codes: 0 all as expected; 1 a case failed, crashed or timed out; 2 all as listed or better; 3 wrong usage, a \
broken case, no adapter, an incomplete run, or nothing was run.";

/// A subcommand.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run cases on one or more adapters
    #[command(after_help = examples::RUN)]
    Run(Box<RunOptions>),
    /// Print the names of cases, one per line
    #[command(after_help = examples::LIST)]
    List(Selection),
    /// Write random cases, or a case for each entry point of a WGSL file
    #[command(after_help = examples::GENERATE)]
    Generate(GenerateOptions),
    /// Write a new case from a template
    #[command(after_help = examples::NEW)]
    New(NewOptions),
    /// Format case files
    #[command(after_help = examples::FMT)]
    Fmt(FmtOptions),
    /// Serve an editor: the language server for case files, on stdin and stdout
    #[command(after_help = examples::LSP)]
    Lsp(LspOptions),
    /// Print the link map and the lowered WGSL of every stage of a case
    #[command(after_help = examples::INSPECT)]
    Inspect(InspectOptions),
    /// Convert an `AmberScript` or `VkScript` to a case, if the case format can express it
    #[command(after_help = examples::CONVERT)]
    Convert(ConvertOptions),
    /// Print the linkage profiles, and the names of labels in shader model 3
    #[command(after_help = examples::LABELS)]
    Labels(LabelsOptions),
    /// Print the adapters; on request their capabilities, and the cases they would skip
    #[command(after_help = examples::DOCTOR)]
    Doctor(DoctorOptions),
    /// Count the reasons why cases fail to compile or link, without a GPU
    #[command(after_help = examples::CENSUS)]
    Census(CensusOptions),
    /// Compare the results of a run with a reference table
    #[command(after_help = examples::AGREE)]
    Agree(AgreeOptions),
    /// Merge the results of shards, or of runs on several machines
    #[command(after_help = examples::MERGE)]
    Merge(MergeOptions),
    /// Write one page with the results of one or several runs, side by side
    #[command(after_help = examples::REPORT)]
    Report(ReportOptions),
    /// Accept the current results of cases as their goldens and probe values, and print the changes
    #[command(after_help = examples::BLESS)]
    Bless(BlessOptions),
    /// Compare two runs, or the adapters of one run: statuses, failures, link maps, and the bytes read back
    #[command(after_help = examples::COMPARE)]
    Compare(CompareOptions),
    /// Run cases, and again whenever one of their files is saved
    #[command(after_help = examples::WATCH)]
    Watch(WatchOptions),
    /// Reduce a failing case to a minimal one with the same bug
    #[command(after_help = examples::REDUCE)]
    Reduce(ReduceOptions),
    /// Run random programs, or variants of cases, until stopped; reduce those that fail, and write a report of each fault
    #[command(after_help = examples::HUNT)]
    Hunt(Box<HuntOptions>),
    /// Print the completion script for a shell
    #[command(after_help = examples::COMPLETIONS)]
    Completions(CompletionsOptions),
    /// Print the manual page
    #[command(after_help = examples::MAN)]
    Man(ManOptions),
    /// Run the jobs received on stdin
    #[command(hide = true)]
    Worker(WorkerOptions),
}

/// `interstage labels`.
#[derive(Clone, Debug, clap::Args)]
pub struct LabelsOptions {
    /// Labels (`GENERIC[17]`, `BCOLOR[0]`) or declarations of shader model 3 (`TEXCOORD3`) [default: all labels]
    #[arg(value_name = "LABEL")]
    pub labels: Vec<String>,
    /// Treat COLOR2 and COLOR3 as the back colours
    #[arg(long)]
    pub back_colors: bool,
}

/// Options of `run`.
#[derive(Debug, clap::Args)]
pub struct RunOptions {
    /// The cases.
    #[command(flatten)]
    pub selection: Selection,
    /// Adapter and workers.
    #[command(flatten)]
    pub pool: PoolOptions,
    /// Ways to run each case.
    #[command(flatten)]
    pub ways: WayOptions,
    /// Continue the interrupted run that wrote into DIR, with its original command line
    #[arg(long, value_name = "DIR", exclusive = true, help_heading = RESULTS)]
    pub resume: Option<PathBuf>,
    /// Write results.csv, failures.csv, results.json and stderr.txt into this folder, or, with several adapters, into
    /// a subfolder for each; also write junit.xml, index.html, and the evidence of `--keep` into `evidence`
    #[arg(long, value_name = "DIR", help_heading = RESULTS)]
    pub results: Option<PathBuf>,
    /// Keep images, link map, WGSL and SPIR-V of every failed case in this folder
    #[arg(long, value_name = "DIR", help_heading = RESULTS)]
    pub keep: Option<PathBuf>,
    /// Keep images, link map and stages of every case that links, not only of failed cases
    #[arg(long, help_heading = RESULTS)]
    pub keep_all: bool,
    /// End the run after the first failed case
    #[arg(long, help_heading = PROCESSES)]
    pub fail_fast: bool,
    /// Write into the folder of `--results` although it holds other files; results of an earlier run are always replaced
    #[arg(long, help_heading = RESULTS)]
    pub overwrite: bool,
    /// What is printed.
    #[command(flatten)]
    pub output: OutputOptions,
    /// Known failures, flakes and skips.
    #[command(flatten)]
    pub lists: ListOptions,
    /// Handling of cases that go wrong.
    #[command(flatten)]
    pub rules: RuleOptions,
}

/// Ways to run each case.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "What is tested")]
pub struct WayOptions {
    /// Linkage profile for cases that name none; `all` runs them under each profile and compares the results bit by bit
    #[arg(long, value_name = "NAME", value_parser = profile)]
    pub profile: Option<String>,
    /// Emulate a feature, as on adapters that lack it. `clip`: the fragment stage discards the fragments that clip
    /// planes and distances cut away; cases with expectations about slots are skipped
    #[arg(long, value_name = "WHAT")]
    pub emulate: Option<Emulated>,
    /// Compare all values of every case with those that interstage's executor permits, and report what is at fault for
    /// each difference
    #[arg(long)]
    pub oracle: bool,
}

/// What a run prints.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct OutputOptions {
    /// Print piglit's protocol after each adapter: `PIGLIT: {"result": "pass" }`
    #[arg(long)]
    pub piglit: bool,
    /// Also write a `junit.xml` with the results on all adapters
    #[arg(long, value_name = "FILE", help_heading = RESULTS)]
    pub junit: Option<PathBuf>,
    /// Form of the output on stdout
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub format: RunFormat,
    /// Print only failures and the summary
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Also print a line for every case that does not fail
    #[arg(short, long)]
    pub verbose: bool,
}

/// Form of the output of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum RunFormat {
    /// For people
    Text,
    /// An event per line, as JSON
    Json,
}

impl OutputOptions {
    /// Amount of output.
    pub const fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, false) => Verbosity::Normal,
            (false, true) => Verbosity::Verbose,
        }
    }
}

impl RunOptions {
    /// Command-line options needed to reproduce a case, without those of the device.
    pub fn repeated(&self) -> Vec<String> {
        let profile = self.ways.profile.iter().map(|name| format!("--profile {name}"));
        let emulate = self.ways.emulate.iter().map(|Emulated::Clip| "--emulate clip".to_owned());
        let quick = self.rules.quick_llvmpipe.then(|| "--quick-llvmpipe".to_owned());
        let oracle = self.ways.oracle.then(|| "--oracle".to_owned());
        profile.chain(emulate).chain(oracle).chain(quick).collect()
    }

    /// Folder for what cases drew: that of `--keep`, else one inside the results. None if its path is not UTF-8, which
    /// cannot be passed to workers.
    pub fn kept(&self) -> Option<Keep> {
        let inside = self.results.as_ref().map(|folder| folder.join(evidence::FOLDER));
        let folder = self.keep.clone().or(inside).filter(|folder| folder.to_str().is_some());
        let of = if self.keep_all { KeptCases::All } else { KeptCases::Failed };
        folder.map(|folder| Keep { folder, of })
    }
}

/// Lists in deqp-runner's formats. Each option may be given several times, and `{adapter}` in a path is replaced
/// by the adapter (`vulkan-0`).
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Lists of known failures, flakes and skips")]
pub struct ListOptions {
    /// Known failures, `name,Status[,reason]` per line, with names as in results.csv; a `failures.csv` can be used here
    #[arg(long, value_name = "FILE")]
    pub known_failures: Vec<PathBuf>,
    /// Cases that fail intermittently: a regular expression per line, which must match the whole name unless it
    /// contains `.*`
    #[arg(long, value_name = "FILE")]
    pub flakes: Vec<PathBuf>,
    /// Cases to skip; lines as in --flakes
    #[arg(long, value_name = "FILE")]
    pub skips: Vec<PathBuf>,
}

/// Handling of cases that go wrong.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = PROCESSES)]
pub struct RuleOptions {
    /// Number of retries of a case that fails unexpectedly; a retry runs alone on a fresh worker, and a case that then
    /// passes is a flake
    #[arg(long, value_name = "N", default_value = "1")]
    pub retries: u32,
    /// End the run after this many consecutive cases have lost their worker, because the adapter is then stuck
    #[arg(long, value_name = "N", default_value = "10")]
    pub max_losses: NonZeroUsize,
    /// Memory limit of a worker; a case that exceeds it is stopped
    #[arg(long, value_name = "MIB", default_value = "4096")]
    pub max_memory: u64,
    /// Disable the shader caches of the drivers
    #[arg(long, help_heading = COMPILERS)]
    pub cold: bool,
    /// Folder for the shader caches of the drivers
    #[arg(long, help_heading = COMPILERS, value_name = "DIR", conflicts_with = "cold")]
    pub shader_cache: Option<PathBuf>,
    /// Reduce compilation in Mesa's software drivers: no LLVM optimisations, and on lavapipe only one compilation of
    /// each fragment stage. Cold runs take half the time, draws take longer, and a different code generator is tested
    #[arg(long, help_heading = COMPILERS)]
    pub quick_llvmpipe: bool,
    /// Compile and link the next case while one draws. Hardware adapters always do this; a software adapter needs the
    /// processors itself and becomes slower
    #[arg(long, help_heading = COMPILERS)]
    pub compile_ahead: bool,
    /// Script of case results that replaces the adapter; see `worker/scripted.rs`
    #[arg(long, value_name = "FILE", hide = true)]
    pub script: Option<PathBuf>,
}

/// Adapter, device and workers of a run.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = ADAPTER)]
pub struct PoolOptions {
    /// Adapter: `vulkan:0`, `gl`, part of a name, several of these separated by commas, `all`, `cpu` for interstage's
    /// executor, which tests no driver, or `none` [default: the one in interstage.toml, else the first hardware
    /// adapter, else the first Vulkan adapter; `cpu` if there is no driver]
    #[arg(long, env = "INTERSTAGE_ADAPTER")]
    pub adapter: Option<String>,
    /// Missing capabilities of the device.
    #[command(flatten)]
    pub pretend: PretendOptions,
    /// Other compilers.
    #[command(flatten)]
    pub through: ThroughOptions,
    /// Run a variant of every stage: other code with the same meaning, which the number and the stage choose. With
    /// `--oracle`, a difference is a fault of naga or the driver
    #[arg(long, value_name = "SEED")]
    pub vary: Option<u64>,
    /// Fail cases on messages of the Khronos validation layer (Vulkan), the driver's debug output (GL) or the debug
    /// layer (Direct3D, Metal)
    #[arg(long)]
    pub validate: bool,
    /// Workers and time.
    #[command(flatten)]
    pub workers: WorkerLimits,
}

/// A device with fewer capabilities than its adapter, as enforced by wgpu.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = ADAPTER)]
pub struct PretendOptions {
    /// Limit the device to the capabilities of a weaker one: `webgpu`, `webgl2`, `gles30`, `gles31`, `gl33`, `d3d11` or
    /// `vulkan-minimum`
    #[arg(long, value_name = "NAME", value_parser = |text: &str| Pretend::default().with_kind(text))]
    pub pretend: Option<Pretend>,
    /// Remove this wgpu feature or downlevel flag from the device; may be given several times
    #[arg(long, value_name = "FEATURE", value_parser = |text: &str| Pretend::default().without(text))]
    pub without: Vec<Pretend>,
    /// Set this wgpu limit of the device; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = |text: &str| Pretend::default().with_limit(text))]
    pub limit: Vec<Pretend>,
}

impl PretendOptions {
    /// All pretended restrictions combined.
    pub fn device(&self) -> Pretend {
        let all = self.pretend.iter().chain(&self.without).chain(&self.limit);
        all.fold(Pretend::default(), Pretend::and)
    }
}

/// Number of worker processes, and their timeout.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = PROCESSES)]
pub struct WorkerLimits {
    /// Number of worker processes on each adapter [default: one per CPU]
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Time limit of a case; a case that takes longer is stopped [default: the one in interstage.toml, else 60]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
}

/// Options of `census`.
#[derive(Debug, clap::Args)]
pub struct CensusOptions {
    /// The cases.
    #[command(flatten)]
    pub selection: Selection,
    /// Missing capabilities of a device, which is then opened on the first adapter
    #[command(flatten)]
    pub pretend: PretendOptions,
    /// Workers and time.
    #[command(flatten)]
    pub workers: WorkerLimits,
}

/// Options of `agree`.
#[derive(Debug, clap::Args)]
pub struct AgreeOptions {
    /// The `results.json` of a run
    pub results: PathBuf,
    /// Table with tab-separated columns, named in its first line: `path`, `tier`, `origin`, `reference` (`pass`,
    /// `fail`, `crash` or `skip`), and others, which are ignored
    pub reference: PathBuf,
    /// Prefix of the table's paths in the names of the results
    #[arg(long, value_name = "PREFIX")]
    pub root: Option<PathBuf>,
}

/// Options of `merge`.
#[derive(Debug, clap::Args)]
pub struct MergeOptions {
    /// Result folders of `run --results`
    #[arg(required = true)]
    pub folders: Vec<PathBuf>,
    /// Folder for the merged results
    #[arg(long, value_name = "DIR")]
    pub results: PathBuf,
    /// Print only failures and the summary
    #[arg(short, long)]
    pub quiet: bool,
}

/// Options of `report`.
#[derive(Debug, clap::Args)]
pub struct ReportOptions {
    /// Result folders of `run --results`, or files `results.json`; the oldest run first
    #[arg(required = true)]
    pub folders: Vec<PathBuf>,
    /// Only this case, as one file to send: its text, images, buffers, link map, command, adapter and driver
    #[arg(long, value_name = "NAME")]
    pub case: Option<String>,
    /// Path of the page
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    pub output: PathBuf,
}

/// Options of `compare`.
#[derive(Debug, clap::Args)]
pub struct CompareOptions {
    /// Result folder of `run --results`, or a `results.json`
    pub left: PathBuf,
    /// Second run; without it, the adapters of the first run are compared with its first adapter
    pub right: Option<PathBuf>,
}

/// Options of `watch`.
#[derive(Debug, clap::Args)]
pub struct WatchOptions {
    /// The cases.
    #[command(flatten)]
    pub selection: Selection,
    /// Adapter and workers.
    #[command(flatten)]
    pub pool: PoolOptions,
    /// End after this many changes
    #[arg(long, value_name = "N")]
    pub rounds: Option<usize>,
}

/// Options of `completions`.
#[derive(Debug, clap::Args)]
pub struct CompletionsOptions {
    /// Shell to complete commands for
    pub shell: clap_complete::Shell,
}

/// Options of `man`.
#[derive(Debug, clap::Args)]
pub struct ManOptions {
    /// Write the pages of the program and of every command into this folder instead of printing one
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Options of `worker`.
#[derive(Debug, clap::Args)]
pub struct WorkerOptions {
    /// The adapter, as `backend:index`; without it, only cases that need none run.
    #[arg(long)]
    pub adapter: Option<String>,
    /// Time after which the parent process stops a case.
    #[arg(long, value_parser = seconds)]
    pub timeout: Duration,
    /// Script that replaces the adapter.
    #[arg(long)]
    pub script: Option<PathBuf>,
}

fn profile(text: &str) -> Result<String, String> {
    if ProfileChoice::of_name(text).is_some() {
        return Ok(text.to_owned());
    }
    let names: Vec<_> = Profile::ALL.iter().map(|(name, _)| *name).collect();
    let nearest = nearest_word(text, names.iter().copied());
    let help = nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
    let all = ProfileChoice::ALL_NAME;
    Err(format!("the linkage profiles are {} and {all}{help}", names.join(", ")))
}

fn seconds(text: &str) -> Result<Duration, String> {
    time_limit(text.parse().map_err(|_| "expected a number of seconds".to_owned())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_positive_and_finite() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for wrong in ["0", "-1", "nan", "inf", "1e300", "soon"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
