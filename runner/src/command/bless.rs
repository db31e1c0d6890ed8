//! `interstage bless`.

use interstage::ir::diagnostic::counted;
use std::io::{BufRead as _, Write as _};

use anyhow::bail;

use crate::args::{BlessOptions, PoolOptions, Selection};
use crate::command::run::execution::{
    Execution, Rules, adapters_for, pool_program, print_problems,
};
use crate::command::say;
use crate::environment;
use crate::event::{Event, Report};
use crate::exit::Exit;
use crate::files::case_file;
use crate::outcome::status::Status;
use crate::plan::{PlannedCase, plan};
use crate::protocol::Purpose;
use crate::report::console::Console;
use crate::report::failure::Invocation;
use crate::report::progress::Verbosity;

/// Accepts what the cases draw and how they link, on one adapter.
pub fn bless(options: &BlessOptions) -> anyhow::Result<Exit> {
    if environment::is_in_ci() {
        bail!(
            "goldens cannot be blessed in CI, because a person must review the changes (the variable CI is set)"
        );
    }
    let selection = Selection::of(&options.cases);
    let plan = plan(&selection);
    let paths = print_problems(&plan);
    refuse_foreign(&plan.cases)?;
    if plan.cases.is_empty() {
        return Ok(paths);
    }
    let project = plan.project.as_deref();
    // The values are those of the adapter: the compilers of a project are what the cases test.
    let through = options.pool.through.instead_of(project);
    let pool = PoolOptions { through, ..options.pool.or_of(project) };
    let program = pool_program(&pool, None)?;
    let adapters = adapters_for(&program, &plan, pool.adapter.as_deref())?;
    if adapters.len() > 1 {
        bail!(
            "goldens are blessed on one adapter and must then hold on all: select one with --adapter"
        );
    }
    let is_question = options.dry_run || options.review;
    let mut console = Bystander {
        console: Console::new(anstream::stdout(), Verbosity::Normal, Invocation::of_this_process()),
        is_question,
    };
    let mut execution = Execution {
        cases: &plan.cases,
        adapters: &adapters,
        program: &program,
        limits: &pool.workers,
        purpose: Purpose::Bless { writes: !is_question },
        rules: Rules::default(),
    };
    let mut changes = Changes::default();
    let exit = execution.run(&mut [&mut console, &mut changes])?.max(paths);
    if changes.nothing > 0 {
        say(&format!("nothing to accept in {}", counted(changes.nothing, "case")))?;
    }
    if options.dry_run {
        changes.print()?;
    }
    if options.review {
        let accepted = review(&changes.cases)?;
        let is_accepted = |index: &usize| accepted.contains(index);
        let cases: Vec<_> =
            plan.cases.iter().filter(|case| is_accepted(&case.index)).cloned().collect();
        execution.cases = &cases;
        execution.purpose = Purpose::Bless { writes: true };
        let mut written = Changes::default();
        let again = if cases.is_empty() { exit } else { execution.run(&mut [&mut written])? };
        say(&format!("{} changed", counted(written.cases.len(), "case")))?;
        return Ok(exit.max(again));
    }
    Ok(exit)
}

/// Refuses cases of files that have no goldens.
fn refuse_foreign(cases: &[PlannedCase]) -> anyhow::Result<()> {
    for PlannedCase { file, .. } in cases {
        if case_file::is_script(file) {
            bail!("{file}: scripts cannot be changed; `interstage convert` converts one to a case");
        }
        if case_file::is_shader_library(file) {
            bail!("{file}: files of the shader library have no goldens");
        }
    }
    Ok(())
}

/// A console that leaves out, when nothing is written, what would change: those cases have not passed.
#[derive(Debug)]
struct Bystander<W> {
    console: Console<W>,
    /// True if nothing is written.
    is_question: bool,
}

impl<W: std::io::Write> Report for Bystander<W> {
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        let is_about_changes = match event {
            Event::CaseReported(result) => result.status == Status::Pass,
            Event::AdapterFinished => true,
            Event::AdapterStarted { .. } | Event::CaseDone(_) => false,
        };
        if self.is_question && is_about_changes { Ok(()) } else { self.console.hear(event) }
    }
}

/// Collects the cases that change.
#[derive(Debug, Default)]
struct Changes {
    /// Number of cases so far.
    done: usize,
    /// Number of cases that pass unchanged.
    nothing: usize,
    /// Number of cases that fail, whatever is accepted.
    failed: usize,
    /// Index, name and changes of the cases that change.
    cases: Vec<(usize, String, Vec<String>)>,
}

impl Changes {
    /// Prints what would change.
    fn print(&self) -> anyhow::Result<()> {
        for (_, _, notes) in &self.cases {
            say(&notes.join("\n"))?;
        }
        let (changed, failed) = (counted(self.cases.len(), "case"), self.failed);
        say(&format!("dry run: {changed} would change, {failed} would still fail"))
    }
}

impl Report for Changes {
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        if let Event::CaseReported(result) = event {
            let is_accepted = result.status == Status::Pass;
            if is_accepted && result.notes.is_empty() {
                self.nothing += 1;
            } else if is_accepted {
                self.cases.push((self.done, result.name.clone(), result.notes.clone()));
            }
            self.failed += usize::from(result.status.is_failure());
            self.done += 1;
        }
        Ok(())
    }
}

/// Asks about the changes of each case as a whole, because the case passes only with all of them. Returns the indices
/// of the accepted cases. Answers are lines of stdin, from a terminal or a pipe; at its end the remaining cases are
/// rejected.
fn review(changes: &[(usize, String, Vec<String>)]) -> anyhow::Result<Vec<usize>> {
    let mut answers = std::io::stdin().lock().lines();
    let mut accepted = Vec::new();
    for (at, (index, name, notes)) in changes.iter().enumerate() {
        say(&format!("{name}\n  {}", notes.join("\n  ")))?;
        loop {
            let mut stdout = std::io::stdout().lock();
            write!(stdout, "accept? ({} of {}) [y/n/q] ", at + 1, changes.len())?;
            stdout.flush()?;
            drop(stdout);
            let Some(answer) = answers.next().transpose()? else {
                say("")?;
                if at == 0 {
                    bail!(
                        "there is no answer on stdin; --review needs a terminal, or y, n or q per line"
                    );
                }
                return Ok(accepted);
            };
            match answer.trim() {
                "y" | "yes" => accepted.push(*index),
                "n" | "no" => {}
                "q" | "quit" => return Ok(accepted),
                _ => continue,
            }
            break;
        }
    }
    Ok(accepted)
}
