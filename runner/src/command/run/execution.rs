//! Runs a plan on adapters and notifies the reports.

use interstage::ir::diagnostic::counted;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::num::NonZeroUsize;

use anyhow::bail;
use interstage::check::verdict::Verdict;

use crate::args::{ListOptions, PoolOptions, PretendOptions, RuleOptions, WorkerLimits};
use crate::command::run::{lanes, resumed};
use crate::event::{Event, Report};
use crate::exit::Exit;
use crate::files::basis::Input;
use crate::journal::{Journal, Line, Writer};
use crate::outcome::status::Status;
use crate::outcome::weigh::{Suspicion, weigh};
use crate::outcome::{CaseResult, Outcome};
use crate::plan::lists::Lists;
use crate::plan::{Plan, PlannedCase};
use crate::pool::child::WorkerProgram;
use crate::pool::{Arrival, End, Pool};
use crate::protocol::{Adapter, Job, Purpose};
use crate::stop::Stop;
use crate::{adapter, environment};

/// Maximum number of list entries without a case that are printed.
const MAX_UNKNOWN_NAMES: usize = 10;

/// Variable with the value of `--adapter`.
const ADAPTER: &str = "INTERSTAGE_ADAPTER";

/// A run: its cases, adapters, workers and rules.
#[derive(Debug)]
pub struct Execution<'a> {
    /// The cases.
    pub cases: &'a [PlannedCase],
    /// The adapters; if empty, only cases that need none are run.
    pub adapters: &'a [Adapter],
    /// Worker program; see [`worker_program`].
    pub program: &'a WorkerProgram,
    /// Workers and time.
    pub limits: &'a WorkerLimits,
    /// Purpose of the jobs.
    pub purpose: Purpose,
    /// Rules for cases that go wrong.
    pub rules: Rules<'a>,
}

/// Rules for cases that go wrong, and the journal. By default there are none.
#[derive(Debug, Default)]
pub struct Rules<'a> {
    /// Lists of known failures, flakes and skips.
    pub lists: Option<&'a ListOptions>,
    /// Retries and limits.
    pub options: Option<&'a RuleOptions>,
    /// Journal of all results.
    pub journal: Option<&'a Journal>,
    /// Ends the run early.
    pub stop: Stop,
    /// True if the first failed case ends the run.
    pub fails_fast: bool,
}

impl Execution<'_> {
    /// Runs every case on every adapter, different GPUs in parallel. The exit code is that of the worst case.
    pub fn run(&self, reports: &mut [&mut dyn Report]) -> anyhow::Result<Exit> {
        if self.adapters.is_empty() {
            return self.run_on(None, reports);
        }
        let run_on = |adapter: &Adapter, reports: &mut [&mut dyn Report]| {
            self.run_unless_stopped(adapter, reports)
        };
        let exits = lanes::phases(self.adapters).into_iter().map(|lanes| match &lanes[..] {
            [lane] => Exit::worst(lane.iter().map(|idx| run_on(&self.adapters[*idx], reports))),
            _ => lanes::run(self.adapters, &lanes, &run_on, reports),
        });
        Exit::worst(exits)
    }

    fn run_unless_stopped(
        &self,
        adapter: &Adapter,
        reports: &mut [&mut dyn Report],
    ) -> anyhow::Result<Exit> {
        if self.rules.stop.is_requested() && self.rules.fails_fast {
            return Ok(Exit::AsExpected);
        }
        if self.rules.stop.is_requested() {
            print_error(&format!("interrupted: nothing was run on {}", adapter.selector()));
            return Ok(Exit::Unusable);
        }
        self.run_on(Some(adapter), reports)
    }

    fn run_on(
        &self,
        adapter: Option<&Adapter>,
        reports: &mut [&mut dyn Report],
    ) -> anyhow::Result<Exit> {
        let lists = self.rules.lists.map(|lists| Lists::read(lists, adapter)).transpose()?;
        let lists = lists.unwrap_or_default();
        self.print_unknown_names(&lists);
        let mut journal = self.rules.journal.map(|journal| journal.open(adapter)).transpose()?;
        let (done, notes) = resumed::believed(self.cases, &lists, adapter, journal.as_mut())?;
        for note in &notes {
            print_note(note);
        }
        let writer = journal.map(|(writer, _)| writer);
        tell(reports, &Event::AdapterStarted { adapter, total: self.cases.len() })?;
        let stop = self.rules.fails_fast.then(|| self.rules.stop.clone());
        let (lists, exit) = (&lists, Exit::AsExpected);
        let mut delivery = Delivery { done, writer, lists, reports, exit, stop };
        delivery.begin(self.cases)?;
        let cases: Vec<_> =
            self.cases.iter().filter(|case| !delivery.done.contains_key(&case.index)).collect();
        let end = self.run_pool(adapter, &cases, lists, &mut delivery)?;
        delivery.report_until(usize::MAX)?;
        tell(delivery.reports, &Event::AdapterFinished)?;
        Ok(delivery.exit.max(self.tell_end(adapter, end)))
    }

    fn run_pool(
        &self,
        adapter: Option<&Adapter>,
        cases: &[&PlannedCase],
        lists: &Lists,
        delivery: &mut Delivery<'_, '_>,
    ) -> anyhow::Result<End> {
        let title = adapter.map(|adapter| adapter.title.as_str());
        let judge = |idx: usize, result: &mut CaseResult| {
            let Some(case) = cases.get(idx) else { return Suspicion::None };
            let mut known = lists.known(&case.name);
            known.extend(case.known(title).cloned());
            let suspicion = weigh(result, &known);
            // Cases that only link are deterministic.
            let is_by_chance = case.may_draw || result.status != Status::Fail;
            if is_by_chance { suspicion } else { Suspicion::None }
        };
        let cpus = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let options = self.rules.options;
        let pool = Pool {
            program: self.program_on(adapter),
            workers: self.limits.jobs.unwrap_or(cpus),
            timeout: self.limits.timeout(),
            retries: options.map_or(0, |options| options.retries),
            max_losses: options.map_or(NonZeroUsize::MAX, |options| options.max_losses),
            compiles_ahead: adapter.is_some_and(|adapter| adapter.is_hardware)
                || options.is_some_and(|options| options.compile_ahead),
            stop: self.rules.stop.clone(),
            judge: &judge,
        };
        let purpose = self.purpose_on(adapter);
        let job = |case: &&PlannedCase| Job {
            name: case.name.clone(),
            file: case.file.clone(),
            purpose: purpose.clone(),
        };
        let jobs: Vec<_> = cases.iter().map(job).collect();
        let index_of = |idx: usize| cases.get(idx).map_or(0, |case| case.index);
        pool.run(&jobs, |arrival| match arrival {
            Arrival::Now(idx, result) => {
                let inputs = || resumed::inputs_of(&result.file, &result.name);
                delivery.note(index_of(idx), result, inputs)
            }
            Arrival::InOrder(idx, result) => delivery.report(index_of(idx), result),
        })
    }

    /// Warns about list entries that match no case; most often the case was renamed. Does nothing for a subset of the
    /// cases, because the entry may match one of the others.
    fn print_unknown_names(&self, lists: &Lists) {
        let is_whole = self.cases.iter().enumerate().all(|(idx, case)| case.index == idx);
        let names: Vec<_> = self.cases.iter().map(|case| case.name.as_str()).collect();
        let unknown = if is_whole { lists.idle_lines(&names) } else { Vec::new() };
        for name in unknown.iter().take(MAX_UNKNOWN_NAMES) {
            print_line(&format!("note: {name} matches no case of this run"));
        }
        if let Some(more) = unknown.len().checked_sub(MAX_UNKNOWN_NAMES).filter(|more| *more > 0) {
            let verb = if more == 1 { "matches" } else { "match" };
            print_line(&format!("note: … and {} {verb} no case", counted(more, "more line")));
        }
    }

    /// Prints why some cases were not run. Returns the exit code for that.
    fn tell_end(&self, adapter: Option<&Adapter>, end: End) -> Exit {
        let (why, count) = match end {
            End::Complete => return Exit::AsExpected,
            End::Interrupted(count) if self.rules.fails_fast => {
                print_line(&format!("note: stopped at the first failure; {} not run", were(count)));
                return Exit::AsExpected;
            }
            End::Interrupted(count) => ("interrupted".to_owned(), count),
            End::Wedged(count) => {
                let losses = self.rules.options.map_or(0, |options| options.max_losses.get());
                (
                    match losses {
                        1 => "a case lost its worker, so the adapter may be stuck".to_owned(),
                        _ => format!(
                            "{losses} cases in a row lost their worker, so the adapter is probably stuck"
                        ),
                    },
                    count,
                )
            }
        };
        let resume = self.rules.journal.map_or_else(String::new, |journal| {
            format!("; continue with `interstage run --resume {}`", journal.folder().display())
        });
        let several = adapter.filter(|_| self.adapters.len() > 1);
        let place =
            several.map_or_else(String::new, |adapter| format!(" on {}", adapter.selector()));
        print_error(&format!("{why}: {} not run{place}{resume}", were(count)));
        Exit::Unusable
    }

    fn program_on(&self, adapter: Option<&Adapter>) -> WorkerProgram {
        adapter.map_or_else(|| self.program.clone(), |adapter| self.program.on(&adapter.selector()))
    }

    /// The purpose on one adapter; with several adapters, each has its own folder for evidence.
    fn purpose_on(&self, adapter: Option<&Adapter>) -> Purpose {
        let mut purpose = self.purpose.clone();
        if let (Purpose::Check { keep: Some(keep), .. }, Some(adapter)) = (&mut purpose, adapter)
            && self.adapters.len() > 1
        {
            keep.folder.push(adapter.folder());
        }
        purpose
    }
}

/// Delivers results to the journal and the reports of one adapter.
struct Delivery<'a, 'b> {
    /// Results that need no worker, by case index: those of a resumed run, and skips from lists.
    done: BTreeMap<usize, CaseResult>,
    writer: Option<Writer>,
    lists: &'a Lists,
    reports: &'a mut [&'b mut dyn Report],
    exit: Exit,
    /// Ends the run at the first failed case; none if failures do not end it.
    stop: Option<Stop>,
}

impl Delivery<'_, '_> {
    /// Delivers the results that need no worker.
    fn begin(&mut self, cases: &[PlannedCase]) -> anyhow::Result<()> {
        for result in self.done.values() {
            self.exit = self.exit.max(result.status.exit());
            tell(self.reports, &Event::CaseDone(result))?;
        }
        for case in
            cases.iter().filter(|case| !self.done.contains_key(&case.index)).collect::<Vec<_>>()
        {
            let Some(place) = self.lists.skip(&case.name) else { continue };
            let outcome = Outcome::Finished(Verdict::Skip(format!("listed in {place}")));
            let result = CaseResult::bare(&case.name, outcome, 0.0, String::new());
            let result = result.of_file(&case.file);
            self.note(case.index, &result, Vec::new)?;
            self.done.insert(case.index, result);
        }
        Ok(())
    }

    /// Handles a finished case; `inputs` are the files that it depends on, for a result that does not name them.
    fn note(
        &mut self,
        index: usize,
        result: &CaseResult,
        inputs: impl Fn() -> Vec<Input>,
    ) -> anyhow::Result<()> {
        self.exit = self.exit.max(result.status.exit());
        if let Some(stop) = self.stop.as_ref().filter(|_| result.status.is_failure()) {
            stop.request();
        }
        if let Some(writer) = &mut self.writer {
            let mut result = result.clone();
            if result.inputs.is_empty() {
                result.inputs = inputs();
            }
            writer.append(&Line { index, listed: self.lists.digest(&result.name), result })?;
        }
        tell(self.reports, &Event::CaseDone(result))
    }

    /// Handles a finished case after all earlier cases have finished.
    fn report(&mut self, index: usize, result: &CaseResult) -> anyhow::Result<()> {
        self.report_until(index)?;
        tell(self.reports, &Event::CaseReported(result))
    }

    /// Reports results that need no worker, up to this case.
    fn report_until(&mut self, index: usize) -> anyhow::Result<()> {
        while let Some(entry) = self.done.first_entry().filter(|entry| *entry.key() < index) {
            tell(self.reports, &Event::CaseReported(&entry.remove()))?;
        }
        Ok(())
    }
}

/// Sends an event to all reports.
fn tell(reports: &mut [&mut dyn Report], event: &Event<'_>) -> anyhow::Result<()> {
    reports.iter_mut().try_for_each(|report| report.hear(event))
}

/// Prints problems with the paths of the command line. A run with such problems is [`Exit::Unusable`].
pub fn print_problems(plan: &Plan) -> Exit {
    plan.problems.iter().for_each(|problem| print_error(problem));
    plan.notes.iter().for_each(|note| print_line(&format!("note: {note}")));
    if plan.problems.is_empty() { Exit::AsExpected } else { Exit::Unusable }
}

/// Worker program for these options.
pub fn pool_program(
    pool: &PoolOptions,
    options: Option<&RuleOptions>,
) -> anyhow::Result<WorkerProgram> {
    let mut program = worker_program(&pool.workers, &pool.pretend, options)?;
    let (steps, overrides) = (pool.through.steps()?, pool.through.project.is_overridden);
    program.environment.extend(environment::through(&steps, overrides)?);
    program.environment.extend(environment::varied(pool.vary));
    if pool.validate {
        program.environment.extend(environment::validated());
    }
    Ok(program)
}

/// Worker program that is not bound to an adapter.
pub fn worker_program(
    limits: &WorkerLimits,
    pretend: &PretendOptions,
    options: Option<&RuleOptions>,
) -> anyhow::Result<WorkerProgram> {
    let mut program = WorkerProgram::this(limits.timeout())?;
    program.environment.extend(environment::pretending(&pretend.device()));
    let Some(options) = options else { return Ok(program) };
    program.max_memory = options.max_memory.saturating_mul(1 << 20);
    if options.cold || environment::spoils_shader_caches() {
        program.environment.extend(environment::without_shader_cache());
    }
    if let Some(folder) = &options.shader_cache {
        program.environment.extend(environment::with_shader_cache(&std::path::absolute(folder)?));
    }
    if options.quick_llvmpipe {
        program.environment.extend(environment::quick_llvmpipe());
    }
    Ok(match &options.script {
        Some(script) => program.with_script(script),
        None => program,
    })
}

/// Selects the adapters for a plan: none if no case can need one, or if none is wanted. Cases that then lack one report
/// that.
pub fn adapters_for(
    program: &WorkerProgram,
    plan: &Plan,
    wanted: Option<&str>,
) -> anyhow::Result<Vec<Adapter>> {
    if wanted.is_none() && !plan.cases.iter().any(|case| case.may_draw) {
        return Ok(Vec::new());
    }
    let available = match adapter::list(program, wanted) {
        Ok(available) => available,
        Err(error) => {
            print_error(&format!("{error:#}"));
            if !adapter::takes_what_is_there(wanted) {
                return Ok(Vec::new());
            }
            let executor = adapter::executor_alone(program)?;
            print_note(
                "no driver is tested: the adapters cannot be listed, so interstage's executor runs the cases",
            );
            return Ok(executor);
        }
    };
    let selected = adapter::select(available, wanted).map_err(|error| {
        let is_variable = wanted.is_some() && std::env::var(ADAPTER).ok().as_deref() == wanted;
        if is_variable { error.context(format!("the variable {ADAPTER}")) } else { error }
    })?;
    let lacking = selected
        .iter()
        .find_map(|adapter| Some((adapter.selector(), adapter.unvalidated.as_ref()?)));
    if let Some((selector, reason)) = lacking {
        bail!("validation is not available on {selector}: {reason}");
    }
    if let Some(note) = adapter::note_without_driver(&selected, wanted) {
        print_note(&note);
    }
    Ok(selected)
}

/// `1 case was` or `2 cases were`.
fn were(count: usize) -> String {
    format!("{} {}", counted(count, "case"), if count == 1 { "was" } else { "were" })
}

/// Prints an error message.
pub fn print_error(message: &str) {
    print_line(&format!("error: {message}"));
}

/// Prints a message that is not an error.
pub fn print_note(message: &str) {
    print_line(&format!("note: {message}"));
}

fn print_line(line: &str) {
    // Ignored: if stderr is closed, nothing can be done.
    let _ = writeln!(std::io::stderr(), "{line}");
}
