//! The command line, and the loop over the targets.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use clap::Parser;

use crate::corpus::{files, seeds};
use crate::findings::Findings;
use crate::mutate::Mutator;
use crate::target::{TARGETS, Target};
use crate::worker::{Worker, serve, with_stack};

/// Number of inputs derived from one file before the next file is chosen.
const INPUTS_OF_A_FILE: usize = 16;

/// Mutate the files of a corpus, and run their readers on the results
#[derive(Debug, Parser)]
#[command(name = "cargo xtask fuzz")]
struct Options {
    /// Total time for all targets, in seconds
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
    /// Run only this target; may be given several times
    #[arg(long, value_name = "NAME")]
    target: Vec<String>,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Additional folder with seeds; may be given several times
    #[arg(long, value_name = "DIR")]
    corpus: Vec<PathBuf>,
    /// Use only the folders given with `--corpus`
    #[arg(long)]
    only_corpus: bool,
    /// Time limit of an input, in seconds; a slower input is a finding
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u64,
    /// Only run the input in this file, on the given target
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Only write the target's seeds to this folder, for cargo-fuzz
    #[arg(long, value_name = "DIR")]
    write_seeds: Option<PathBuf>,
    /// Folder for the findings
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Answer inputs on standard input
    #[arg(long, hide = true)]
    worker: bool,
}

/// Runs the program.
pub fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::from(3)
        }
    }
}

/// Runs as the options ask; returns the number of findings.
fn run(options: &Options) -> anyhow::Result<usize> {
    let targets = options.targets()?;
    if let Some(path) = &options.file {
        let input = std::fs::read(path).with_context(|| path.display().to_string())?;
        let [target] = targets[..] else { bail!("`--file` needs one `--target`") };
        with_stack(move || (target.body)(&input))?;
        say("the input ends in a result or in a message");
        return Ok(0);
    }
    if let Some(folder) = &options.write_seeds {
        let [target] = targets[..] else { bail!("`--write-seeds` needs one `--target`") };
        return write_seeds(target, &options.corpora(), folder).map(|()| 0);
    }
    if options.worker {
        let [target] = targets[..] else { bail!("`--worker` needs one `--target`") };
        return serve(target).map(|()| 0);
    }
    let count = u32::try_from(targets.len())?;
    let time = Duration::from_secs(options.seconds) / count;
    let mut findings = 0;
    for target in targets {
        findings += fuzz(target, options, time)?;
    }
    Ok(findings)
}

impl Options {
    fn targets(&self) -> anyhow::Result<Vec<Target>> {
        if self.target.is_empty() {
            return Ok(TARGETS.to_vec());
        }
        let named = |name: &String| {
            let names = TARGETS.map(|target| target.name).join(", ");
            Target::named(name).with_context(|| format!("no target `{name}`; there are {names}"))
        };
        self.target.iter().map(named).collect()
    }

    /// Folders with seeds.
    fn corpora(&self) -> Vec<PathBuf> {
        let own = if self.only_corpus { &[][..] } else { &["cases", "examples"] };
        let own = own.iter().map(|folder| root().join(folder));
        own.chain(self.corpus.iter().cloned()).collect()
    }
}

/// Runs one target for a time, prints its findings and returns their number.
fn fuzz(target: Target, options: &Options, time: Duration) -> anyhow::Result<usize> {
    let files = files(&options.corpora(), target.diet)?;
    ensure!(!files.is_empty(), "no folder has seeds for the target `{}`", target.name);
    let out = options.out.clone().unwrap_or_else(|| root().join("target/fuzz"));
    let mut findings = Findings::new(target, &out);
    let mut worker = Worker::start(target, Duration::from_secs(options.limit))?;
    let mut mutator = Mutator::new(options.seed);
    let (started, mut inputs, mut donor) = (Instant::now(), 0_u64, Vec::new());
    while started.elapsed() < time {
        let Some(file) = mutator.choose(&files) else { break };
        let seeds = quietly(|| seeds(file, target.diet));
        let Some(seed) = mutator.choose(&seeds) else { continue };
        for _ in 0..INPUTS_OF_A_FILE {
            let input = mutator.mutated(seed, &donor);
            let outcome = worker.run(&input)?;
            inputs += 1;
            if let Some(line) = findings.add(&input, &outcome, &mut worker)? {
                say(&line);
            }
            if started.elapsed() >= time {
                break;
            }
        }
        donor.clone_from(seed);
    }
    let (name, seconds) = (target.name, started.elapsed().as_secs());
    let count = findings.count();
    say(&format!(
        "{name}: {inputs} inputs in {seconds} s, {count} findings (seed {})",
        options.seed
    ));
    Ok(count)
}

fn write_seeds(target: Target, corpora: &[PathBuf], folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let files = files(corpora, target.diet)?;
    let seeds = files.iter().flat_map(|file| quietly(|| seeds(file, target.diet)));
    let mut count = 0;
    for (seed, number) in seeds.zip(1..) {
        std::fs::write(folder.join(format!("{number}")), seed)?;
        count = number;
    }
    say(&format!("{count} seeds in {}", folder.display()));
    Ok(())
}

/// Runs `work` without printing messages about panics that are caught in it.
fn quietly<T>(work: impl FnOnce() -> T) -> T {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = work();
    std::panic::set_hook(hook);
    result
}

/// Root of the repository.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Prints a line.
fn say(line: &str) {
    // Ignored: if stderr is closed, nothing can be done.
    let _ = writeln!(std::io::stderr(), "{line}");
}
