//! Terminal output during and after a run: failures in plan order as soon as possible, then the summary.

use interstage::ir::diagnostic::counted;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::time::Instant;

use crate::event::{Event, Report};
use crate::outcome::CaseResult;
use crate::outcome::status::Status;
use crate::protocol::Adapter;
use crate::report::evidence;
use crate::report::failure::{self, Invocation};
use crate::report::paint;
use crate::report::progress::{Progress, Verbosity};
use crate::report::summary::{self, Summary};

/// Prints a run.
#[derive(Debug)]
pub struct Console<W> {
    out: W,
    verbosity: Verbosity,
    invocation: Invocation,
    adapter: Option<Adapter>,
    progress: Progress,
    failed_so_far: usize,
    started: Instant,
    summary: Summary,
    /// Files that are invalid on every adapter and were already reported.
    broken: BTreeSet<String>,
    /// The reported failure of each failed case, and the first adapter with that failure.
    told: BTreeMap<String, (String, String)>,
}

impl<W: Write> Console<W> {
    /// Prints to `out`; progress goes to stderr.
    pub fn new(out: W, verbosity: Verbosity, invocation: Invocation) -> Self {
        let (adapter, progress, summary) = (None, Progress::Hidden, Summary::default());
        let (failed_so_far, started) = (0, Instant::now());
        let (broken, told) = (BTreeSet::new(), BTreeMap::new());
        Self {
            out,
            verbosity,
            invocation,
            adapter,
            progress,
            failed_so_far,
            started,
            summary,
            broken,
            told,
        }
    }

    fn report(&mut self, result: &CaseResult) -> std::io::Result<()> {
        self.summary.add(result);
        // These passed in the end, but they must be visible.
        let is_flake = matches!(result.status, Status::Flake | Status::Slow);
        let is_block = result.status.is_failure() || is_flake;
        let is_broken = result.status == Status::Broken;
        if is_broken && !self.broken.insert(result.name.clone()) {
            return Ok(());
        }
        let text = if is_block {
            let adapter = self.adapter.as_ref().filter(|_| !is_broken);
            let selector = adapter.map(Adapter::selector);
            let block = failure::draw(result, adapter, &self.invocation);
            paint::block(&self.shortened(&result.name, block, selector), result.status)
        } else {
            // The folder of kept evidence is printed for failures only.
            let notes = result.notes.iter().filter(|note| !note.starts_with(evidence::NOTE));
            notes.fold(self.line(result), |text, note| text + note + "\n")
        };
        if text.is_empty() {
            return Ok(());
        }
        let out = &mut self.out;
        self.progress.suspend(|| out.write_all(text.as_bytes()).and_then(|()| out.flush()))
    }

    /// The block about a failed case without what was said of it on an earlier adapter.
    fn shortened(&mut self, name: &str, block: String, selector: Option<String>) -> String {
        let Some(selector) = selector else { return block };
        let Some((heading, rest)) = block.split_once('\n') else { return block };
        let is_told = |line: &&str| !line.trim_start().starts_with("repeat ");
        let told: String = rest.lines().filter(is_told).flat_map(|line| [line, "\n"]).collect();
        match self.told.get(name) {
            Some((known, first)) if *known == told && *first != selector => {
                format!("{heading}\n  as on {first}\n")
            }
            _ => {
                self.told.insert(name.to_owned(), (told, selector));
                block
            }
        }
    }

    /// Formats the line of a case that did not fail.
    fn line(&self, result: &CaseResult) -> String {
        match self.verbosity {
            Verbosity::Quiet | Verbosity::Normal => String::new(),
            Verbosity::Verbose => {
                let reason = result.reason().map_or_else(String::new, |reason| {
                    format!("  {}", reason.lines().next().unwrap_or_default())
                });
                let (heading, name) = (result.status.heading(), &result.name);
                format!("{heading} {name}  {:.2} s{reason}\n", result.seconds)
            }
        }
    }

    fn sum_up(&mut self) -> std::io::Result<()> {
        self.progress.finish();
        let summary = std::mem::take(&mut self.summary);
        let title = match &self.adapter {
            Some(adapter) => adapter.line(),
            None => "without an adapter".to_owned(),
        };
        let time = summary::duration(self.started.elapsed());
        let (reasons, failed) = (summary.draw_reasons(), summary.draw_failed());
        let totals = summary.draw_totals();
        let cases = counted(summary.count(), "case");
        write!(self.out, "{title}\n{reasons}{failed}{cases} in {time}\n{totals}")?;
        self.out.flush()
    }
}

impl<W: Write> Report for Console<W> {
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        match event {
            Event::AdapterStarted { adapter, total } => {
                self.adapter = adapter.cloned();
                (self.failed_so_far, self.started) = (0, Instant::now());
                self.progress = Progress::start(*total, self.verbosity);
            }
            Event::CaseDone(result) => {
                self.failed_so_far += usize::from(result.status.is_failure());
                self.progress.step(self.failed_so_far);
            }
            Event::CaseReported(result) => self.report(result)?,
            Event::AdapterFinished => self.sum_up()?,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_alike_on_another_adapter_is_told_once() {
        let invocation = Invocation::of_this_process();
        let mut console = Console::new(Vec::new(), Verbosity::Normal, invocation);
        let block = |adapter: &str, found: &str| {
            format!(
                "FAIL a  {adapter}\n  expected 1, actual {found}\n  repeat    run a --adapter {adapter}\n"
            )
        };
        let mut told = |name: &str, adapter: &str, found: &str| {
            console.shortened(name, block(adapter, found), Some(adapter.to_owned()))
        };
        assert_eq!(told("a", "vulkan:0", "0"), block("vulkan:0", "0"));
        assert_eq!(told("a", "gl:0", "0"), "FAIL a  gl:0\n  as on vulkan:0\n");
        assert_eq!(told("a", "gl:1", "2"), block("gl:1", "2"), "another value");
        assert_eq!(told("b", "gl:0", "0"), block("gl:0", "0"), "another case");
        assert_eq!(told("b", "gl:0", "0"), block("gl:0", "0"), "the same adapter");
    }
}
