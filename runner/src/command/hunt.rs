//! `interstage hunt`: runs random programs, or variants of cases, until it is stopped; reduces those that fail, and
//! writes a folder for each fault that is new.
//!
//! ```text
//! source ─batch─▶ runs ─failures─▶ examine ─new─▶ shrink ─▶ folder
//!                                     └known, or again─▶ counts in the log
//! ```

mod examine;
mod folder;
mod lacking;
mod log;
mod page;
mod report;
mod runs;
mod shrink;
mod signature;
mod source;
mod specification;
mod totals;

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use interstage::ir::diagnostic::counted;

use crate::args::HuntOptions;
use crate::exit::Exit;
use crate::stop::Stop;

use examine::{Examiner, say};
use lacking::Lacking;
use log::{Batch, Conditions, Line, Log, Tally};
use runs::Runs;
use source::{Source, Subject};
use totals::Totals;

/// Time between two lines about the progress.
const TELLS: Duration = Duration::from_mins(1);

/// A hunt.
struct Hunt<'a> {
    options: &'a HuntOptions,
    sources: Vec<Next>,
    examiner: Examiner,
    lacking: Lacking,
    began: Instant,
    told: Instant,
}

/// A kind of programs.
struct Next {
    source: Source,
    /// Number of the next program.
    number: u64,
    /// Number of those that ran.
    ran: u64,
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
    ensure!(!hunt.lacking.is_everything(), "nothing was run: all results are skipped");
    Ok(if hunt.examiner.new > 0 { Exit::Regression } else { Exit::AsExpected })
}

impl<'a> Hunt<'a> {
    fn begin(options: &'a HuntOptions) -> anyhow::Result<Self> {
        let stop = Stop::on_signals().context("cannot handle Ctrl-C")?;
        let sources = Source::all(options)?;
        std::fs::create_dir_all(&options.output)
            .with_context(|| format!("cannot create the folder {}", options.output.display()))?;
        let (mut log, lines) = Log::open(&options.output)?;
        let mut totals = Totals::of(lines);
        let runs = Runs::new(options, stop)?;
        ensure!(!runs.adapters.is_empty(), "a hunt needs an adapter");
        let titles = runs.adapters.iter().map(|adapter| adapter.title.clone());
        let conditions = Conditions::now(titles.collect());
        if let Some(before) = totals.conditions.last() {
            for change in before.changes(&conditions) {
                say(&format!("note: since the last hunt in this folder: {change}"))?;
            }
        }
        log.append(&Line::Began(conditions.clone()))?;
        totals.conditions.push(conditions);
        let next = |source: Source| {
            let end = totals.ends.get(source.name()).copied().unwrap_or(0);
            Next { source, number: options.seed.unwrap_or(end), ran: 0 }
        };
        let sources = sources.into_iter().map(next).collect();
        let now = Instant::now();
        let examiner = Examiner::new(runs, log, totals, options);
        let lacking = Lacking::default();
        Ok(Self { options, sources, examiner, lacking, began: now, told: now })
    }

    /// Number of programs that a source may still run.
    fn left(&self, next: &Next) -> u64 {
        let left = self.options.count.map_or(u64::MAX, |count| count.saturating_sub(next.ran));
        left.min(u64::MAX - next.number)
    }

    fn is_late(&self) -> bool {
        let is_late = |time| self.began.elapsed() >= time;
        self.examiner.runs.stop.is_requested() || self.options.time.is_some_and(is_late)
    }

    fn is_over(&self) -> bool {
        self.is_late() || self.sources.iter().all(|next| self.left(next) == 0)
    }

    /// Runs the next programs of a source on all adapters, and examines those that fail. A batch that is not finished runs
    /// again in the next hunt.
    fn run_batch(&mut self, number: usize) -> anyhow::Result<()> {
        let next = &self.sources[number];
        let left = self.left(next);
        if left == 0 || self.is_late() {
            return Ok(());
        }
        let (source, first) = (&next.source, next.number);
        let programs = source.batch(first, left, &self.options.output)?;
        let pool = self.examiner.runs.pool_for(programs.vary);
        let results = self.examiner.runs.run(&programs.cases(), &pool)?;
        let count = programs.all.len() as u64;
        let mut batch =
            Batch { source: source.name().to_owned(), first, count, ..Batch::default() };
        for (adapter, results) in &results {
            for result in results {
                if self.examiner.runs.stop.is_requested() {
                    return Ok(());
                }
                let own = programs.all.iter().find(|(_, case)| case.name == result.name);
                let Some((number, case)) = own else { continue };
                self.lacking.add(result);
                let pool = &pool;
                let subject = Subject { source, number: *number, case, adapter, pool, result };
                self.examiner.examine(&subject, &mut batch)?;
            }
        }
        if self.examiner.runs.stop.is_requested() {
            return Ok(());
        }
        source::clear(&self.options.output);
        source.check(&self.examiner.broken)?;
        self.examiner.totals.add(&batch);
        self.examiner.log.append(&Line::Ran(batch))?;
        self.sources[number].number += count;
        self.sources[number].ran += count;
        if self.told.elapsed() >= TELLS {
            self.told = Instant::now();
            self.write_page()?;
            say(&self.line())?;
        }
        Ok(())
    }

    fn line(&self) -> String {
        let ran: u64 = self.sources.iter().map(|next| next.ran).sum();
        let seconds = self.began.elapsed().as_secs();
        let clock = format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
        let Examiner { totals, new, .. } = &self.examiner;
        let faults = counted(totals.faults.len(), "fault");
        let skipped = match self.lacking.skipped() {
            0 => String::new(),
            skipped => format!(", {skipped} skipped"),
        };
        format!("{clock}  {ran} programs{skipped}; {faults}, {new} of them new")
    }

    fn write_page(&self) -> anyhow::Result<()> {
        let path = self.options.output.join("index.html");
        std::fs::write(&path, page::page(&self.examiner.totals))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// Prints the sums, and where the faults are.
    fn tell_all(&self) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        let totals = &self.examiner.totals;
        for ((source, target), tally) in &totals.tallies {
            writeln!(out, "{source} on {target}: {}", told(tally))?;
        }
        for fault in &totals.faults {
            let again = totals.again.get(&fault.name).copied().unwrap_or(0);
            let folder = folder::of(&self.options.output, &fault.name);
            writeln!(out, "{}: {} (and {again} more)", folder.display(), report::title(fault))?;
        }
        for line in self.lacking.lines() {
            writeln!(out, "{line}")?;
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
