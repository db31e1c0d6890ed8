//! `interstage hunt`: runs random programs, or variants of cases, until it is stopped; reduces those that fail, and
//! writes a folder for each fault that is new.
//!
//! ```text
//! source ─batch─▶ execution ─failures─▶ examine ─new─▶ shrink ─▶ folder
//!                                          └known, or again─▶ counts in the log
//! ```

mod examine;
mod folder;
mod log;
mod page;
mod report;
mod shrink;
mod signature;
mod source;
mod specification;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use interstage::ir::diagnostic::counted;

use crate::adapter::{self, is_executor};
use crate::args::{HuntOptions, PoolOptions};
use crate::command::run::execution::{Execution, Rules, adapters_for, pool_program};
use crate::environment;
use crate::event::{Event, Report};
use crate::exit::Exit;
use crate::outcome::CaseResult;
use crate::outcome::status::Status;
use crate::plan::{Plan, PlannedCase};
use crate::pool::child::WorkerProgram;
use crate::protocol::{Adapter, Purpose};
use crate::stop::Stop;
use crate::worker::scripted;

use examine::{Subject, Verdicts};
use log::{Batch, Conditions, Fault, Line, Log, Tally};
use source::{Programs, Source};

/// Time between two lines about the progress.
const TELLS: Duration = Duration::from_mins(1);

/// A hunt.
struct Hunt<'a> {
    options: &'a HuntOptions,
    pool: PoolOptions,
    adapters: Vec<Adapter>,
    program: WorkerProgram,
    sources: Vec<Source>,
    /// For each source, the number of the next program, and the number of those that ran.
    next: Vec<(u64, u64)>,
    log: Log,
    totals: Totals,
    verdicts: Verdicts,
    stop: Stop,
    began: Instant,
    told: Instant,
}

/// Sums over all batches of a folder.
#[derive(Debug, Default)]
struct Totals {
    faults: Vec<Fault>,
    conditions: Vec<Conditions>,
    tallies: BTreeMap<(String, String), Tally>,
    again: BTreeMap<String, u64>,
    /// For each source, the number behind its last program.
    ends: BTreeMap<String, u64>,
    /// Number of faults that this hunt has found.
    new: usize,
}

/// Hunts until the time or the programs are used up, or a signal asks for the end.
pub fn hunt(options: &HuntOptions) -> anyhow::Result<Exit> {
    ensure!(!options.language.is_empty(), "--language names no language");
    let mut hunt = Hunt::begin(options)?;
    while !hunt.is_over() {
        for number in 0..hunt.sources.len() {
            hunt.run_batch(number)?;
        }
    }
    source::clear(&options.output);
    hunt.write_page()?;
    hunt.tell_all()?;
    let found = hunt.totals.new > 0;
    Ok(if found { Exit::Regression } else { Exit::AsExpected })
}

impl<'a> Hunt<'a> {
    fn begin(options: &'a HuntOptions) -> anyhow::Result<Self> {
        let stop = Stop::on_signals().context("cannot handle Ctrl-C")?;
        let sources = Source::all(options)?;
        std::fs::create_dir_all(&options.output)
            .with_context(|| format!("cannot create the folder {}", options.output.display()))?;
        let (mut log, lines) = Log::open(&options.output)?;
        let totals = Totals::of(lines);
        let pool = options.pool.or_of(None);
        let program = program(&pool, options.script.as_deref())?;
        let any = Plan { cases: vec![PlannedCase::bare("", 0)], ..Plan::default() };
        let wanted = pool.adapter.as_deref();
        let adapters = match &options.script {
            Some(_) => adapter::select(scripted::adapters(), wanted)?,
            None => adapters_for(&program, &any, wanted)?,
        };
        ensure!(!adapters.is_empty(), "a hunt needs an adapter");
        let targets = adapters.iter().map(|adapter| adapter.title.clone()).collect();
        let conditions = Conditions::now(targets);
        if let Some(before) = totals.conditions.last() {
            for change in before.changes(&conditions) {
                say(&format!("note: since the last hunt in this folder: {change}"))?;
            }
        }
        log.append(&Line::Began(conditions.clone()))?;
        let end = |source: &Source| totals.ends.get(source.name()).copied().unwrap_or(0);
        let next =
            sources.iter().map(|source| (options.seed.unwrap_or_else(|| end(source)), 0)).collect();
        let now = Instant::now();
        let mut totals = totals;
        totals.conditions.push(conditions);
        Ok(Self {
            options,
            pool,
            adapters,
            program,
            sources,
            next,
            log,
            totals,
            verdicts: Verdicts::default(),
            stop,
            began: now,
            told: now,
        })
    }

    /// Number of programs that a source may still run.
    fn left(&self, number: usize) -> u64 {
        let (next, ran) = self.next[number];
        self.options.count.map_or(u64::MAX, |count| count.saturating_sub(ran)).min(u64::MAX - next)
    }

    fn is_late(&self) -> bool {
        self.stop.is_requested() || self.options.time.is_some_and(|time| self.began.elapsed() >= time)
    }

    fn is_over(&self) -> bool {
        self.is_late() || (0..self.sources.len()).all(|number| self.left(number) == 0)
    }

    /// Runs the next programs of a source on all adapters, and examines those that fail.
    fn run_batch(&mut self, number: usize) -> anyhow::Result<()> {
        let left = self.left(number);
        if left == 0 || self.is_late() {
            return Ok(());
        }
        let first = self.next[number].0;
        let source = &self.sources[number];
        let programs = source.batch(first, left, &self.options.output)?;
        let pool = self.pool_for(&programs);
        let results = self.results(&programs, &pool)?;
        let count = programs.all.len() as u64;
        let mut batch =
            Batch { source: source.name().to_owned(), first, count, ..Batch::default() };
        for (adapter, results) in &results {
            for result in results {
                let own = programs.all.iter().find(|(_, case)| case.name == result.name);
                let Some((own, case)) = own else { continue };
                let (source, pool) = (number, &pool);
                let subject = Subject { source, number: *own, case, adapter, pool, result };
                self.examine(&subject, &mut batch)?;
                if self.stop.is_requested() {
                    // The batch is not finished, and runs again.
                    return Ok(());
                }
            }
        }
        source::clear(&self.options.output);
        self.next[number].0 += count;
        self.next[number].1 += count;
        self.totals.add(&batch);
        self.log.append(&Line::Ran(batch))?;
        if self.told.elapsed() >= TELLS {
            self.told = Instant::now();
            self.write_page()?;
            say(&self.line())?;
        }
        Ok(())
    }

    /// The options of the workers: those of variants have the seed of their batch.
    fn pool_for(&self, programs: &Programs) -> PoolOptions {
        PoolOptions { vary: programs.vary.or(self.pool.vary), ..self.pool.clone() }
    }

    /// Runs programs, and returns for each adapter the results with the numbers of the programs in the batch.
    fn results(
        &self,
        programs: &Programs,
        pool: &PoolOptions,
    ) -> anyhow::Result<Vec<(Adapter, Vec<CaseResult>)>> {
        let cases: Vec<_> = (0..)
            .zip(&programs.all)
            .map(|(index, (_, case))| PlannedCase { index, ..case.clone() })
            .collect();
        let own;
        let program = if pool.vary == self.pool.vary {
            &self.program
        } else {
            own = program(pool, self.options.script.as_deref())?;
            &own
        };
        self.execute(program, &self.adapters, &cases, pool)
    }

    /// Runs a case on one adapter.
    fn run_on(
        &self,
        program: &WorkerProgram,
        adapter: &Adapter,
        case: &PlannedCase,
        pool: &PoolOptions,
    ) -> anyhow::Result<Vec<CaseResult>> {
        let adapters = std::slice::from_ref(adapter);
        let results = self.execute(program, adapters, std::slice::from_ref(case), pool)?;
        Ok(results.into_iter().flat_map(|(_, results)| results).collect())
    }

    fn execute(
        &self,
        program: &WorkerProgram,
        adapters: &[Adapter],
        cases: &[PlannedCase],
        pool: &PoolOptions,
    ) -> anyhow::Result<Vec<(Adapter, Vec<CaseResult>)>> {
        let mut collected = Collected::default();
        let execution = Execution {
            cases,
            adapters,
            program,
            limits: &pool.workers,
            purpose: Purpose::Check {
                keep: None,
                profile: None,
                emulated: None,
                asks_oracle: pool.vary.is_some(),
            },
            rules: Rules { stop: self.stop.clone(), ..Rules::default() },
        };
        execution.run(&mut [&mut collected])?;
        Ok(collected.0)
    }

    fn line(&self) -> String {
        let ran: u64 = self.next.iter().map(|(_, ran)| ran).sum();
        let seconds = self.began.elapsed().as_secs();
        let clock = format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
        let faults = counted(self.totals.faults.len(), "fault");
        format!("{clock}  {ran} programs; {faults}, {} of them new", self.totals.new)
    }

    fn write_page(&self) -> anyhow::Result<()> {
        let path = self.options.output.join("index.html");
        std::fs::write(&path, page::page(&self.totals))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// Prints the sums, and where the faults are.
    fn tell_all(&self) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        for ((source, target), tally) in &self.totals.tallies {
            writeln!(out, "{source} on {target}: {}", told(tally))?;
        }
        for fault in &self.totals.faults {
            let again = self.totals.again.get(&fault.name).copied().unwrap_or(0);
            let folder = folder::of(&self.options.output, &fault.name);
            writeln!(out, "{}: {} (and {again} more)", folder.display(), report::title(fault))?;
        }
        writeln!(out, "{}", self.line())?;
        Ok(())
    }
}

/// The counts in words.
fn told(tally: &Tally) -> String {
    let Tally { passed, skipped, undecided, failed, unexamined, passed_again } = tally;
    let mut text = format!("{passed} passed, {failed} failed");
    for (count, word) in [
        (skipped, "skipped"),
        (undecided, "not decided"),
        (unexamined, "of the failed not examined"),
        (passed_again, "of the failed passed when they ran again"),
    ] {
        if *count > 0 {
            let _ = write!(text, ", {count} {word}");
        }
    }
    text
}

fn say(line: &str) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stderr(), "{line}")?)
}

/// The workers' program. Random programs would fill the caches of drivers.
fn program(pool: &PoolOptions, script: Option<&Path>) -> anyhow::Result<WorkerProgram> {
    let mut program = pool_program(pool, None)?;
    program.environment.extend(environment::without_shader_cache());
    Ok(match script {
        Some(script) => program.with_script(script),
        None => program,
    })
}

impl Totals {
    /// The sums of a log.
    fn of(lines: Vec<Line>) -> Self {
        let mut totals = Self::default();
        for line in lines {
            match line {
                Line::Began(conditions) => totals.conditions.push(conditions),
                Line::Ran(batch) => totals.add(&batch),
                Line::Found(fault) => totals.faults.push(fault),
            }
        }
        totals
    }

    fn add(&mut self, batch: &Batch) {
        let Batch { source, first, count, tallies, again } = batch;
        let end = self.ends.entry(source.clone()).or_default();
        *end = (*end).max(first + count);
        for (target, tally) in tallies {
            self.tallies.entry((source.clone(), target.clone())).or_default().add(tally);
        }
        for (name, count) in again {
            *self.again.entry(name.clone()).or_default() += count;
        }
    }
}

/// Counts a result; true if it is a failure to examine.
fn count(tally: &mut Tally, result: &CaseResult) -> bool {
    let is_undecided = signature::is_undecided(&result.outcome);
    let status = if is_undecided { Status::Undecided } else { result.status };
    let field = match status {
        Status::Pass
        | Status::Flake
        | Status::Slow
        | Status::KnownFlake
        | Status::ExpectedFail
        | Status::ImprovedToFail => &mut tally.passed,
        Status::Skip | Status::Unsupported | Status::ImprovedToSkip => &mut tally.skipped,
        Status::Undecided | Status::Untested => &mut tally.undecided,
        Status::Fail
        | Status::Broken
        | Status::NoAdapter
        | Status::NoDevice
        | Status::Crash
        | Status::Timeout
        | Status::ImprovedToPass => &mut tally.failed,
    };
    *field += 1;
    matches!(status, Status::Fail | Status::Broken | Status::Crash | Status::Timeout)
}

/// Collects the results on each adapter.
#[derive(Default)]
struct Collected(Vec<(Adapter, Vec<CaseResult>)>);

impl Report for Collected {
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        match event {
            Event::AdapterStarted { adapter, .. } => {
                self.0.extend(adapter.map(|adapter| (adapter.clone(), Vec::new())));
            }
            Event::CaseReported(result) => {
                if let Some((_, results)) = self.0.last_mut() {
                    results.push((*result).clone());
                }
            }
            Event::CaseDone(_) | Event::AdapterFinished => {}
        }
        Ok(())
    }
}

/// True if an adapter of the machine is another one than that of a fault, and no compiler is before it.
fn is_elsewhere(adapter: &Adapter, own: &Adapter) -> bool {
    adapter.selector() != own.selector() || is_executor(adapter)
}
