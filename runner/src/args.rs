//! The command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};
use interstage::case::ProfileChoice;
use regex::Regex;

/// Tests the seam between shader stages on real GPUs.
#[derive(Debug, Parser)]
#[command(name = "interstage", version, after_help = NOTES)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const NOTES: &str = "\
Paths can stand in a file too, one per line: `interstage run @LIST`.

A file below a folder named `cases` is read strictly: whatever is not understood is an error. Any other file is read \
as one written for piglit: trailing text is a warning, and what only piglit knows makes the case unsupported.

Exit codes: 0 all as expected; 1 a case failed, crashed or timed out; 3 wrong use, a broken case, or no adapter.";

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run cases on one or more adapters
    Run(RunOptions),
    /// Print the names of the cases, one per line
    List(Selection),
    /// Print the link map and the lowered WGSL of every stage of a case
    Inspect(InspectOptions),
    /// Print the adapters, what they can do, and what they would skip and why
    Doctor(DoctorOptions),
    /// Count why cases do not compile and link, without a GPU
    Census(CensusOptions),
    /// Compare the results of a run with a reference table
    Agree(AgreeOptions),
    /// Accept what cases draw as their goldens, and print what changed
    Bless(BlessOptions),
    /// Run the jobs that come on stdin
    #[command(hide = true)]
    Worker(WorkerOptions),
}

/// Which cases.
#[derive(Clone, Debug, clap::Args)]
pub struct Selection {
    /// Case files, single cases (`FILE#name=value,…`), folders searched for `*.shader_test`, or `@LIST`: a text file
    /// with one of these per line
    #[arg(default_value = "cases")]
    pub paths: Vec<PathBuf>,
    /// Only cases whose name matches; the regular expression may match anywhere in it
    #[arg(long, value_name = "REGEX")]
    pub filter: Option<Regex>,
    /// Not the cases whose name matches
    #[arg(long, value_name = "REGEX")]
    pub exclude: Option<Regex>,
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
    /// Write results.csv, results.json, failures.csv and what the drivers printed (stderr.txt) into this folder; with several
    /// adapters, into one folder each inside it
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
    /// For every failed case keep its images, link map and lowered WGSL in this folder
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Link cases that name no linkage profile under this one; `all` runs them under each and compares what comes back
    /// bit by bit
    #[arg(long, value_name = "NAME", value_parser = profile)]
    pub profile: Option<String>,
    /// Print failures and the summary only
    #[arg(short, long)]
    pub quiet: bool,
}

/// Where and how cases run.
#[derive(Clone, Debug, clap::Args)]
pub struct PoolOptions {
    /// `vulkan:0`, `gl`, a part of the adapter's name, or `all` [default: the first hardware adapter, else the first
    /// Vulkan one]
    #[arg(long)]
    pub adapter: Option<String>,
    /// Workers and time.
    #[command(flatten)]
    pub workers: WorkerLimits,
}

/// How many worker processes, and how long they may take.
#[derive(Clone, Debug, clap::Args)]
pub struct WorkerLimits {
    /// Number of worker processes [default: one per CPU]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Stop a case that takes longer
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub timeout: Duration,
}

/// Options of `inspect`.
#[derive(Debug, clap::Args)]
pub struct InspectOptions {
    /// A case file, or one of its cases (`FILE#name=value,…`)
    pub case: PathBuf,
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
}

/// Options of `census`.
#[derive(Debug, clap::Args)]
pub struct CensusOptions {
    /// Which cases.
    #[command(flatten)]
    pub selection: Selection,
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

/// Options of `worker`.
#[derive(Debug, clap::Args)]
pub struct WorkerOptions {
    /// The adapter, as `backend:index`; without it only cases that need none run.
    #[arg(long)]
    pub adapter: Option<String>,
    /// When the program that started this one gives up a case.
    #[arg(long, value_parser = seconds)]
    pub timeout: Duration,
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
