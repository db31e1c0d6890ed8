//! The command line.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Parser, Subcommand};
use interstage::case::ProfileChoice;
use interstage::gpu::Pretend;
use regex::Regex;

use crate::protocol::{Emulated, Keep, KeptCases};
use crate::report::evidence;
use crate::shard::Shard;

/// Tests the seam between shader stages on real GPUs.
#[derive(Debug, Parser)]
#[command(name = "interstage", version, after_help = NOTES)]
pub struct Args {
    /// Colours on the terminal; the variables `NO_COLOR` and `CLICOLOR_FORCE` count unless this says otherwise
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// When output has colours.
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
Paths can stand in a file too, one per line: `interstage run @LIST`.

A file below a folder named `cases` is read strictly: whatever is not understood is an error. Any other file is read \
as one written for piglit: trailing text is a warning, and what only piglit knows makes the case unsupported.

Exit codes: 0 all as expected; 1 a case failed, crashed or timed out; 2 all as listed or better; 3 wrong use, a broken \
case, no adapter, or a run that did not come to its end.";

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run cases on one or more adapters
    Run(Box<RunOptions>),
    /// Print the names of the cases, one per line
    List(Selection),
    /// Write random cases that check themselves
    Generate(GenerateOptions),
    /// Print the link map and the lowered WGSL of every stage of a case
    Inspect(InspectOptions),
    /// Print the linkage profiles, and what labels are called in shader model 3
    Labels(LabelsOptions),
    /// Print the adapters, what they can do, and what they would skip and why
    Doctor(DoctorOptions),
    /// Count why cases do not compile and link, without a GPU
    Census(CensusOptions),
    /// Compare the results of a run with a reference table
    Agree(AgreeOptions),
    /// Join the results of shards, or of runs on several machines
    Merge(MergeOptions),
    /// Accept what cases draw as their goldens and as the values of their probes, and print what changed
    Bless(BlessOptions),
    /// Compare two runs, or the adapters of one run: statuses, link maps, and the bytes that came back
    Compare(CompareOptions),
    /// Run cases, and again whenever one of their files is saved
    Watch(WatchOptions),
    /// Make a case that goes wrong as small as it can be and still go wrong in the same way
    Reduce(ReduceOptions),
    /// Print the completions for a shell
    Completions(CompletionsOptions),
    /// Print the manual page
    Man(ManOptions),
    /// Run the jobs that come on stdin
    #[command(hide = true)]
    Worker(WorkerOptions),
}

/// `interstage labels`.
#[derive(Clone, Debug, clap::Args)]
pub struct LabelsOptions {
    /// Labels (`GENERIC[17]`, `BCOLOR[0]`) or declarations of shader model 3 (`TEXCOORD3`); all labels without any
    #[arg(value_name = "LABEL")]
    pub labels: Vec<String>,
    /// Read COLOR2 and COLOR3 as the back colours
    #[arg(long)]
    pub back_colors: bool,
}

/// `interstage generate`.
#[derive(Clone, Debug, clap::Args)]
pub struct GenerateOptions {
    /// What the cases are about
    pub what: Generated,
    /// The first case's seed; each further case has the next one
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// How many cases
    #[arg(long, default_value_t = 100)]
    pub count: u64,
    /// Where they are written: `out/cases`, below a folder named `cases`, so that they are read strictly, and
    /// `out/invalid` for invalid programs, which are read as files for piglit are
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Only print the rules that `invalid` breaks: name, section, versions, and what is right
    #[arg(long)]
    pub rules: bool,
    /// Break this rule only (`invalid`)
    #[arg(long, value_name = "NAME")]
    pub rule: Option<String>,
}

/// What random cases can be about.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Generated {
    /// Varyings of all types and qualifiers, with a value of its own in every component
    Varyings,
    /// Blocks of all layouts; seeds below 270 are the shapes of piglit's generator, the others are random
    Blocks,
    /// Programs that break one rule of the language, or none; in piglit's dialect
    Invalid,
}

/// Which cases.
#[derive(Clone, Debug, clap::Args)]
pub struct Selection {
    /// Case files, single cases (`FILE#name=value,…`), folders searched for `*.shader_test`, or `@LIST`: a text file
    /// with one of these per line
    #[arg(default_value = CASES)]
    pub paths: Vec<PathBuf>,
    /// Only cases whose name matches; the regular expression may match anywhere in it
    #[arg(long, value_name = "REGEX")]
    pub filter: Option<Regex>,
    /// Not the cases whose name matches
    #[arg(long, value_name = "REGEX")]
    pub exclude: Option<Regex>,
    /// Only the K-th of N parts of what is left; each case is in exactly one, the same on every machine
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,
}

/// Default folder for cases where no path is given.
const CASES: &str = "cases";

impl Selection {
    /// True if no path was given and the default folder does not exist.
    pub fn is_of_nothing(&self) -> bool {
        self.paths == [Path::new(CASES)] && !Path::new(CASES).exists()
    }

    /// All cases of these paths.
    pub fn of(paths: &[PathBuf]) -> Self {
        Self { paths: paths.to_vec(), filter: None, exclude: None, shard: None }
    }
}

/// Options of `run`.
#[derive(Debug, clap::Args)]
pub struct RunOptions {
    /// Which cases.
    #[command(flatten)]
    pub selection: Selection,
    /// Where and how.
    #[command(flatten)]
    pub pool: PoolOptions,
    /// What is known of the cases.
    #[command(flatten)]
    pub lists: ListOptions,
    /// What is done about cases that go wrong.
    #[command(flatten)]
    pub rules: RuleOptions,
    /// Go on with the run that wrote into DIR and did not come to its end, with its own command line
    #[arg(long, value_name = "DIR", exclusive = true)]
    pub resume: Option<PathBuf>,
    /// Write results.csv, failures.csv, results.json and stderr.txt into this folder, with several adapters into one
    /// folder each inside it; also junit.xml, index.html, and below `failed` what `--keep` keeps
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
    /// Print piglit's protocol after each adapter: `PIGLIT: {"result": "pass" }`
    #[arg(long)]
    pub piglit: bool,
    /// For every failed case keep its images, link map, WGSL and SPIR-V in this folder
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Keep this of every case that links, not only of those that fail
    #[arg(long)]
    pub keep_all: bool,
    /// Link cases that name no linkage profile under this one; `all` runs them under each and compares what comes back
    /// bit by bit
    #[arg(long, value_name = "NAME", value_parser = profile)]
    pub profile: Option<String>,
    /// Do this without the adapter's help, as on adapters that lack it. `clip`: the fragment stage discards what clip
    /// planes and distances cut away; cases that expect something of slots are skipped
    #[arg(long, value_name = "WHAT")]
    pub emulate: Option<Emulated>,
    /// Print failures and the summary only
    #[arg(short, long)]
    pub quiet: bool,
}

impl RunOptions {
    /// Command-line options needed to reproduce a case, without those of the device.
    pub fn repeated(&self) -> Vec<String> {
        let profile = self.profile.iter().map(|name| format!("--profile {name}"));
        let emulate = self.emulate.iter().map(|Emulated::Clip| "--emulate clip".to_owned());
        let quick = self.rules.quick_llvmpipe.then(|| "--quick-llvmpipe".to_owned());
        profile.chain(emulate).chain(quick).collect()
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

/// Lists in deqp-runner's formats. Each option may be given several times, and `{adapter}` in a path stands for the
/// adapter (`vulkan-0`).
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ListOptions {
    /// Known failures, `name,Status[,reason]` per line, with names as in results.csv; `failures.csv` of a run is one
    #[arg(long, value_name = "FILE")]
    pub known_failures: Vec<PathBuf>,
    /// Cases that go wrong now and then: a regular expression per line, which must match the whole name unless it
    /// contains `.*`
    #[arg(long, value_name = "FILE")]
    pub flakes: Vec<PathBuf>,
    /// Cases that are not run; lines as in --flakes
    #[arg(long, value_name = "FILE")]
    pub skips: Vec<PathBuf>,
}

/// What is done about cases that go wrong.
#[derive(Clone, Debug, clap::Args)]
pub struct RuleOptions {
    /// How often a case that goes wrong otherwise than known is run again, alone and on a fresh worker; when it passes
    /// then, it is a flake
    #[arg(long, value_name = "N", default_value = "1")]
    pub retries: u32,
    /// End the run when so many cases in a row cost their worker: the adapter is wedged
    #[arg(long, value_name = "N", default_value = "10")]
    pub max_losses: NonZeroUsize,
    /// Stop a case whose worker holds more memory
    #[arg(long, value_name = "MIB", default_value = "4096")]
    pub max_memory: u64,
    /// Take and leave no compiled shaders: switch off the drivers' shader caches
    #[arg(long)]
    pub cold: bool,
    /// Keep the drivers' shader caches in this folder
    #[arg(long, value_name = "DIR", conflicts_with = "cold")]
    pub shader_cache: Option<PathBuf>,
    /// Let Mesa's software drivers compile less: without LLVM's optimisations, and on lavapipe every fragment stage only
    /// once. Cold runs take half the time, draws more, and another code generator is under test
    #[arg(long)]
    pub quick_llvmpipe: bool,
    /// Compile and link the next case while one draws. With a hardware adapter this is always done; a software adapter
    /// needs the processors itself, and loses more than it gains
    #[arg(long)]
    pub compile_ahead: bool,
    /// Instead of an adapter, a script of what becomes of which cases; see `worker/scripted.rs`
    #[arg(long, value_name = "FILE", hide = true)]
    pub script: Option<PathBuf>,
}

/// Where and how cases run.
#[derive(Clone, Debug, clap::Args)]
pub struct PoolOptions {
    /// `vulkan:0`, `gl`, a part of the adapter's name, or `all` [default: the first hardware adapter, else the first
    /// Vulkan one]
    #[arg(long)]
    pub adapter: Option<String>,
    /// What the device is to lack.
    #[command(flatten)]
    pub pretend: PretendOptions,
    /// Fail cases for what the Khronos validation layer (Vulkan), the driver's debug output (GL) or the debug layer
    /// (Direct3D, Metal) objects to
    #[arg(long)]
    pub validate: bool,
    /// Workers and time.
    #[command(flatten)]
    pub workers: WorkerLimits,
}

/// A device that has less than its adapter, as wgpu then enforces it.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct PretendOptions {
    /// Pretend to have less: `webgpu`, `webgl2`, `gles30`, `gles31`, `gl33`, `d3d11` or `vulkan-minimum`
    #[arg(long, value_name = "NAME", value_parser = |text: &str| Pretend::default().with_kind(text))]
    pub pretend: Option<Pretend>,
    /// Pretend to lack this feature or downlevel flag of wgpu; may be given several times
    #[arg(long, value_name = "FEATURE", value_parser = |text: &str| Pretend::default().without(text))]
    pub without: Vec<Pretend>,
    /// Pretend to have this limit of wgpu; may be given several times
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

/// How many worker processes, and how long they may take.
#[derive(Clone, Debug, clap::Args)]
pub struct WorkerLimits {
    /// Number of worker processes on each adapter [default: one per CPU]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Stop a case that takes longer
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub timeout: Duration,
}

/// Options of `inspect`.
#[derive(Debug, clap::Args)]
pub struct InspectOptions {
    /// A case file, or one of its cases (`FILE#name=value,…`); with --out also several, and folders
    #[arg(required = true)]
    pub cases: Vec<PathBuf>,
    /// The language that the lowered stages are shown in; SPIR-V, which is binary, as a hex dump
    #[arg(long, value_name = "LANGUAGE", default_value = "wgsl")]
    pub format: Format,
    /// Write the stages into this folder instead, one file each: `vertex.spv`, `fragment.spv`; of several cases, each
    /// has a folder of its own there
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// A language for `inspect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// WebGPU
    Wgsl,
    /// Vulkan
    Spirv,
    /// GL
    Glsl,
    /// Direct3D
    Hlsl,
    /// Metal
    Msl,
    /// naga's IR as a graph for Graphviz
    Dot,
}

/// Options of `doctor`.
#[derive(Debug, clap::Args)]
pub struct DoctorOptions {
    /// Which cases.
    #[command(flatten)]
    pub selection: Selection,
    /// `vulkan:0`, `gl`, a part of the adapter's name, or `all`
    #[arg(long, default_value = "all")]
    pub adapter: String,
    /// What the device is to lack.
    #[command(flatten)]
    pub pretend: PretendOptions,
    /// Print what interstage provides as GL on each adapter instead: versions, extensions and limits
    #[arg(long)]
    pub gl: bool,
}

/// Options of `census`.
#[derive(Debug, clap::Args)]
pub struct CensusOptions {
    /// Which cases.
    #[command(flatten)]
    pub selection: Selection,
    /// What a device lacks, which is opened then, on the first adapter
    #[command(flatten)]
    pub pretend: PretendOptions,
    /// Workers and time.
    #[command(flatten)]
    pub workers: WorkerLimits,
}

/// Options of `agree`.
#[derive(Debug, clap::Args)]
pub struct AgreeOptions {
    /// The results.json of a run
    pub results: PathBuf,
    /// A table with tab-separated columns, named in its first line: `path`, `tier`, `origin`, `reference` (`pass`,
    /// `fail`, `crash` or `skip`), and others, which are ignored
    pub reference: PathBuf,
    /// What stands before the table's paths in the names of the results
    #[arg(long, value_name = "PREFIX")]
    pub root: Option<PathBuf>,
}

/// Options of `merge`.
#[derive(Debug, clap::Args)]
pub struct MergeOptions {
    /// Folders that `run --results` wrote
    #[arg(required = true)]
    pub folders: Vec<PathBuf>,
    /// Where the joined results go
    #[arg(long, value_name = "DIR")]
    pub results: PathBuf,
    /// Print failures and the summary only
    #[arg(short, long)]
    pub quiet: bool,
}

/// Options of `bless`.
#[derive(Debug, clap::Args)]
pub struct BlessOptions {
    /// Case files, or single cases (`FILE#name=value,…`)
    #[arg(required = true)]
    pub cases: Vec<PathBuf>,
    /// Where and how.
    #[command(flatten)]
    pub pool: PoolOptions,
}

/// Options of `compare`.
#[derive(Debug, clap::Args)]
pub struct CompareOptions {
    /// A folder that `run --results` wrote, or a results.json
    pub left: PathBuf,
    /// Another; without it, the adapters of the first are compared with its first one
    pub right: Option<PathBuf>,
}

/// Options of `watch`.
#[derive(Debug, clap::Args)]
pub struct WatchOptions {
    /// Which cases.
    #[command(flatten)]
    pub selection: Selection,
    /// Where and how.
    #[command(flatten)]
    pub pool: PoolOptions,
    /// End after so many changes
    #[arg(long, value_name = "N")]
    pub rounds: Option<usize>,
}

/// Options of `reduce`.
#[derive(Debug, clap::Args)]
pub struct ReduceOptions {
    /// A case file, or one of its cases (`FILE#name=value,…`)
    pub case: PathBuf,
    /// Keep the names and numbers of the reason too: the same wrong value at the same pixel
    #[arg(long)]
    pub exact: bool,
    /// Write the smaller case into this file instead of printing it
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Where and how.
    #[command(flatten)]
    pub pool: PoolOptions,
}

/// Options of `completions`.
#[derive(Debug, clap::Args)]
pub struct CompletionsOptions {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Options of `man`.
#[derive(Debug, clap::Args)]
pub struct ManOptions {
    /// Write the pages of the program and of every command into this folder instead
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Options of `worker`.
#[derive(Debug, clap::Args)]
pub struct WorkerOptions {
    /// The adapter, as `backend:index`; without it only cases that need none run.
    #[arg(long)]
    pub adapter: Option<String>,
    /// When the program that started this one gives up a case.
    #[arg(long, value_parser = seconds)]
    pub timeout: Duration,
    /// A script instead of an adapter.
    #[arg(long)]
    pub script: Option<PathBuf>,
}

fn profile(text: &str) -> Result<String, String> {
    match ProfileChoice::of_name(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err("there is no such linkage profile".to_owned()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    if seconds <= 0.0 {
        return Err("must be more than 0".to_owned());
    }
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
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
