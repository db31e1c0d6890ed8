//! `interstage census`: reasons why cases do not compile or link, most frequent first.
//!
//! Workers compile the cases, so a panic or crash of a case becomes a row of the table.

use interstage::ir::diagnostic::counted;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::LazyLock;

use interstage::check::verdict::Verdict;
use regex::Regex;

use crate::adapter;
use crate::args::CensusOptions;
use crate::command::run::execution::{Execution, Rules, print_problems, worker_program};
use crate::event::{Event, Report};
use crate::exit::Exit;
use crate::outcome::Outcome;
use crate::outcome::status::Status;
use crate::plan::plan;
use crate::protocol::Purpose;
use crate::report::progress::{Progress, Verbosity};

/// Maximum width of a reason.
const REASON_WIDTH: usize = 120;

/// Parts of a message that vary between cases: names and strings, numbers, lists of them.
static NAMES: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"(?:`[^`]*`|"[^"]*"|\b\d+(?:\.\w+)*\b)(?:, `[^`]*`)*"#;
    Regex::new(pattern).expect("the pattern is a constant")
});

/// Prints the table.
pub fn census(options: &CensusOptions) -> anyhow::Result<Exit> {
    let plan = plan(&options.selection);
    let exit = print_problems(&plan);
    let mut table = Table::default();
    let program = &worker_program(&options.workers, &options.pretend, None)?;
    let is_pretended = !options.pretend.device().is_nothing();
    // Only an open device reports its missing capabilities.
    let adapters = if is_pretended {
        adapter::select(adapter::list(program, None)?, None)?
    } else {
        Vec::new()
    };
    let execution = Execution {
        cases: &plan.cases,
        adapters: &adapters,
        program,
        limits: &options.workers,
        purpose: if is_pretended { Purpose::WouldSkip } else { Purpose::Census },
        rules: Rules::default(),
    };
    // This command is about failing cases, so they do not change the exit code.
    execution.run(&mut [&mut table])?;
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(table.draw().as_bytes())?;
    stdout.flush()?;
    Ok(exit)
}

/// Counts reasons.
#[derive(Debug)]
struct Table {
    progress: Progress,
    total: usize,
    rows: BTreeMap<(Status, String), Row>,
}

/// The cases that share a reason.
#[derive(Debug)]
struct Row {
    count: usize,
    /// The first case with this reason.
    example: String,
}

impl Default for Table {
    fn default() -> Self {
        Self { progress: Progress::Hidden, total: 0, rows: BTreeMap::new() }
    }
}

impl Report for Table {
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        match event {
            Event::AdapterStarted { total, .. } => {
                self.progress = Progress::start(*total, Verbosity::Normal);
            }
            Event::CaseDone(_) => self.progress.step(0),
            Event::CaseReported(result) => {
                self.total += 1;
                if let Some(reason) = reason(&result.outcome) {
                    let key = (result.status, reason);
                    let new = || Row { count: 0, example: result.name.clone() };
                    self.rows.entry(key).or_insert_with(new).count += 1;
                }
            }
            Event::AdapterFinished => self.progress.finish(),
        }
        Ok(())
    }
}

/// The reason of an outcome, with the case-specific parts removed.
pub fn reason(outcome: &Outcome) -> Option<String> {
    let reason = outcome.reason()?;
    let first = reason.lines().next().unwrap_or_default();
    let is_word = matches!(outcome, Outcome::Finished(Verdict::Unsupported(_)));
    Some(if is_word { first.to_owned() } else { NAMES.replace_all(first, "…").into_owned() })
}

impl Table {
    fn draw(&self) -> String {
        let mut rows: Vec<_> = self.rows.iter().collect();
        rows.sort_by_key(|(_, row)| std::cmp::Reverse(row.count));
        let width = |(_, reason): &(Status, String)| reason.chars().count().min(REASON_WIDTH);
        let widest = rows.iter().map(|(key, _)| width(key)).max().unwrap_or(0);
        let mut text = String::new();
        for ((status, reason), row) in &rows {
            let (count, heading) = (row.count, status.heading().to_lowercase());
            let reason: String = reason.chars().take(REASON_WIDTH).collect();
            let _ = writeln!(text, "{count:>6}  {heading:<11}  {reason:<widest$}  {}", row.example);
        }
        let stuck: usize = rows.iter().map(|(_, row)| row.count).sum();
        let (linked, all) = (self.total - stuck, counted(self.total, "case"));
        let verbs = if self.total == 1 { "compiles and links" } else { "compile and link" };
        let _ = writeln!(text, "{linked} of {all} {verbs}");
        text
    }
}

#[cfg(test)]
mod tests {
    use interstage::check::verdict::Failure;

    use super::*;

    #[track_caller]
    fn check(message: &str, expected: &str) {
        let failure =
            Failure { line: Some(3), step: "link".to_owned(), details: vec![message.to_owned()] };
        let found = reason(&Outcome::Finished(Verdict::Fail(vec![failure])));
        assert_eq!(found.as_deref(), Some(expected));
    }

    #[test]
    fn messages_that_differ_in_names_and_numbers_are_one_reason() {
        check("error: `a` is not declared", "link: error: … is not declared");
        check("error: `m` is vec4[2] here", "link: error: … is vec4[…] here");
        check("error: `a`, `b` but `c`", "link: error: … but …");
        check("error: there is no text \"a b\"", "link: error: there is no text …");
        check("expression [12] at 2.x", "link: expression […] at …");
    }

    #[test]
    fn what_is_unsupported_is_named() {
        let outcome = Outcome::Finished(Verdict::Unsupported("command: texture 2".to_owned()));
        assert_eq!(reason(&outcome).as_deref(), Some("command: texture 2"));
    }
}
