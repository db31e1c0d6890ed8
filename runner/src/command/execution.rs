//! Runs a plan on adapters and tells the reports.

use std::io::Write as _;
use std::num::NonZeroUsize;

use crate::adapter;
use crate::args::WorkerLimits;
use crate::event::{Event, Report};
use crate::exit::Exit;
use crate::plan::{Plan, PlannedCase};
use crate::pool::child::WorkerProgram;
use crate::pool::{Arrival, Pool};
use crate::protocol::{Adapter, Job, Purpose};
use crate::status::Status;

/// What is run, where and how.
#[derive(Debug)]
pub struct Execution<'a> {
    /// The cases.
    pub cases: &'a [PlannedCase],
    /// The adapters; with none, only the cases that need none are run.
    pub adapters: &'a [Adapter],
    /// Workers and time.
    pub limits: &'a WorkerLimits,
    /// What for.
    pub purpose: Purpose,
}

impl Execution<'_> {
    /// Runs every case on every adapter. The exit code is that of the worst case.
    pub fn run(&self, reports: &mut [&mut dyn Report]) -> anyhow::Result<Exit> {
        if self.adapters.is_empty() {
            return self.run_on(None, reports);
        }
        let mut exit = Exit::AsExpected;
        for adapter in self.adapters {
            exit = exit.max(self.run_on(Some(adapter), reports)?);
        }
        Ok(exit)
    }

    fn run_on(
        &self,
        adapter: Option<&Adapter>,
        reports: &mut [&mut dyn Report],
    ) -> anyhow::Result<Exit> {
        let selector = adapter.map(Adapter::selector);
        let cpus = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let pool = Pool {
            program: WorkerProgram::this(selector.as_deref(), self.limits.timeout)?,
            workers: self.limits.jobs.unwrap_or(cpus),
            timeout: self.limits.timeout,
        };
        let purpose = self.purpose_on(adapter);
        let job = |case: &PlannedCase| Job {
            name: case.name.clone(),
            file: case.file.clone(),
            purpose: purpose.clone(),
        };
        let jobs: Vec<_> = self.cases.iter().map(job).collect();
        let mut exit = Exit::AsExpected;
        tell(reports, &Event::AdapterStarted { adapter, total: jobs.len() })?;
        pool.run(&jobs, |arrival| match arrival {
            Arrival::Now(result) => {
                exit = exit.max(Status::of(&result.outcome).exit());
                tell(reports, &Event::CaseDone(result))
            }
            Arrival::InOrder(result) => tell(reports, &Event::CaseReported(result)),
        })?;
        tell(reports, &Event::AdapterFinished)?;
        Ok(exit)
    }

    /// With several adapters, each keeps its failures in a folder of its own.
    fn purpose_on(&self, adapter: Option<&Adapter>) -> Purpose {
        let mut purpose = self.purpose.clone();
        if let (Purpose::Check { keep: Some(folder), .. }, Some(adapter)) = (&mut purpose, adapter)
            && self.adapters.len() > 1
        {
            folder.push(adapter.folder());
        }
        purpose
    }
}

/// Tells all reports.
fn tell(reports: &mut [&mut dyn Report], event: &Event<'_>) -> anyhow::Result<()> {
    reports.iter_mut().try_for_each(|report| report.hear(event))
}

/// Prints what is wrong with the command line's paths; such a run cannot end as expected.
pub fn print_problems(plan: &Plan) -> Exit {
    plan.problems.iter().for_each(|problem| print_error(problem));
    if plan.problems.is_empty() { Exit::AsExpected } else { Exit::Unusable }
}

/// The adapters that a plan is to be run on: none when no case can need one, or the machine has none. Cases that miss
/// one then say so.
pub fn adapters_for(plan: &Plan, wanted: Option<&str>) -> anyhow::Result<Vec<Adapter>> {
    if wanted.is_none() && !plan.cases.iter().any(|case| case.may_draw) {
        return Ok(Vec::new());
    }
    let available = adapter::list().unwrap_or_else(|error| {
        print_error(&format!("{error:#}"));
        Vec::new()
    });
    adapter::select(available, wanted)
}

fn print_error(message: &str) {
    // Nothing can be done when stderr is gone.
    let _ = writeln!(std::io::stderr(), "error: {message}");
}
