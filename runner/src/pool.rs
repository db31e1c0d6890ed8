//! Feeds jobs to worker processes. If a case crashes a worker, only that case is lost.
//!
//! Every worker has a thread here that sends it one job at a time from a common queue. A worker that dies or does not
//! answer in time is replaced, and the case that it had announced is blamed; all others continue.

pub mod child;
mod effort;
mod queue;

#[cfg(all(test, unix))]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, mpsc};
use std::time::{Duration, Instant};

use crate::outcome::status::Status;
use crate::outcome::weigh::Suspicion;
use crate::outcome::{CaseResult, Outcome};
use crate::pool::child::{Loss, Worker, WorkerProgram};
use crate::pool::queue::Queue;
use crate::protocol::{Answer, Finished, Job, Request};
use crate::stop::Stop;

/// Maximum number of retries of cases that failed on a healthy worker. If more fail, the adapter is at fault, not
/// chance, and retrying all of them one at a time would only take long.
const MAX_FAILURES_AGAIN: usize = 50;

/// Configuration of a pool of workers.
pub struct Pool<'a> {
    /// Worker program.
    pub program: WorkerProgram,
    /// Number of workers.
    pub workers: NonZeroUsize,
    /// Maximum time between two answers of a worker, not counting the time in which it waits for a processor.
    pub timeout: Duration,
    /// Number of retries of a suspect case, each alone and on a fresh worker.
    pub retries: u32,
    /// Number of consecutive cases lost with their worker after which the run ends.
    pub max_losses: NonZeroUsize,
    /// True if a worker compiles the next case while one runs.
    pub compiles_ahead: bool,
    /// Ends the run early.
    pub stop: Stop,
    /// Weighs the result of the job with this index, and returns whether the job should be repeated.
    pub judge: &'a (dyn Fn(usize, &mut CaseResult) -> Suspicion + Sync),
}

/// The result of the job with this index: delivered at once, and again in job order.
#[derive(Debug)]
pub enum Arrival<'a> {
    /// Delivered at once.
    Now(usize, &'a CaseResult),
    /// Delivered after all earlier jobs with a result.
    InOrder(usize, &'a CaseResult),
}

/// End of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All jobs have a result.
    Complete,
    /// The end was requested; this many jobs have no result.
    Interrupted(usize),
    /// Too many consecutive cases lost their worker; this many jobs have no result.
    Wedged(usize),
}

/// State shared by the threads of one run.
#[derive(Debug, Default)]
struct Run {
    /// Distribution of the jobs.
    queue: Queue,
    /// Held for reading while a case runs beside others, and for writing while one runs alone.
    gate: RwLock<()>,
    /// Consecutive cases that lost their worker.
    losses: AtomicUsize,
    /// Number of retries of failed cases.
    failures_again: AtomicUsize,
}

impl Pool<'_> {
    /// Runs all jobs. Results are passed to `arrive`; its first error ends the run.
    pub fn run<E>(
        &self,
        jobs: &[Job],
        mut arrive: impl FnMut(Arrival<'_>) -> Result<(), E>,
    ) -> Result<End, E> {
        let workers = self.workers.get().min(jobs.len());
        let run = Run { queue: Queue::of(jobs.len(), workers), ..Run::default() };
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            for worker in 0..workers {
                let (sender, run) = (sender.clone(), &run);
                scope.spawn(move || self.feed(worker, jobs, run, &sender));
            }
            drop(sender);
            let give_up = |_: &E| run.queue.close();
            let mut waiting = BTreeMap::new();
            let (mut arrived, mut reported) = (0, 0);
            for (idx, result) in receiver {
                arrive(Arrival::Now(idx, &result)).inspect_err(give_up)?;
                arrived += 1;
                waiting.insert(idx, result);
                while let Some(result) = waiting.remove(&reported) {
                    arrive(Arrival::InOrder(reported, &result)).inspect_err(give_up)?;
                    reported += 1;
                }
            }
            // After an early end, results before these are missing.
            waiting.iter().try_for_each(|(idx, result)| arrive(Arrival::InOrder(*idx, result)))?;
            Ok(self.end(&run, jobs.len() - arrived))
        })
    }

    fn end(&self, run: &Run, not_run: usize) -> End {
        if not_run == 0 {
            End::Complete
        } else if self.is_wedged(run) {
            End::Wedged(not_run)
        } else {
            End::Interrupted(not_run)
        }
    }

    fn is_wedged(&self, run: &Run) -> bool {
        run.losses.load(Ordering::Relaxed) >= self.max_losses.get()
    }

    /// The thread of one worker: takes jobs until none is left.
    fn feed(
        &self,
        number: usize,
        jobs: &[Job],
        run: &Run,
        results: &mpsc::Sender<(usize, CaseResult)>,
    ) {
        let mut worker = None;
        while !self.stop.is_requested() && !self.is_wedged(run) {
            let Some((idx, next)) = run.queue.take(number) else { return };
            let Some(job) = jobs.get(idx) else { return };
            let next = next.filter(|_| self.compiles_ahead).and_then(|next| jobs.get(next));
            let assignment = Assignment { job, next };
            let Ok(result) = self.run_one(&mut worker, idx, assignment, run) else { return };
            if results.send((idx, result)).is_err() {
                return;
            }
        }
    }

    /// Runs one job. A suspect is repeated, alone and on a fresh worker, and the last result counts.
    fn run_one(
        &self,
        worker: &mut Option<Worker>,
        idx: usize,
        assignment: Assignment<'_>,
        run: &Run,
    ) -> Result<CaseResult, Stopped> {
        let job = assignment.job;
        let mut result = {
            let _among_others = run.gate.read().unwrap_or_else(PoisonError::into_inner);
            self.run_begun(worker, assignment)?
        };
        while (self.judge)(idx, &mut result) == Suspicion::Suspect
            && self.wants_another_attempt(&result)
            && may_run_again(&result, run)
        {
            let _alone = run.gate.write().unwrap_or_else(PoisonError::into_inner);
            let again = self.run_begun(&mut None, Assignment::alone(&job.again()))?;
            let mut attempts = std::mem::take(&mut result.attempts);
            attempts.push(result.into_attempt());
            result = CaseResult { attempts, ..again };
        }
        if is_loss(&result) {
            run.losses.fetch_add(1, Ordering::Relaxed);
        } else if !self.is_wedged(run) {
            run.losses.store(0, Ordering::Relaxed);
        }
        Ok(result)
    }

    /// True if a suspect needs another attempt. Two failures in a row on healthy workers are final. If the last two
    /// attempts disagree, one more attempt decides.
    fn wants_another_attempt(&self, result: &CaseResult) -> bool {
        let now = result.outcome.status();
        let Some(before) = result.attempts.last().map(|attempt| attempt.outcome.status()) else {
            return self.retries > 0;
        };
        let retried = u32::try_from(result.attempts.len()).unwrap_or(u32::MAX);
        let is_certain = before == Status::Fail && now == Status::Fail;
        let is_disputed = retried == self.retries && before != now;
        !is_certain && (retried < self.retries || is_disputed)
    }

    /// Runs one job to a result. If its worker ended before it announced the case, or was killed by preparing the next
    /// case, this case is not at fault: it is run once more, on a fresh worker.
    fn run_begun(
        &self,
        worker: &mut Option<Worker>,
        assignment: Assignment<'_>,
    ) -> Result<CaseResult, Stopped> {
        let job = assignment.job;
        let started = Instant::now();
        let attempt = match self.attempt(worker, assignment) {
            Err(NoResult::NotBegun { .. }) => self.attempt(worker, Assignment::alone(job)),
            attempt @ (Ok(_) | Err(NoResult::Stopped)) => attempt,
        };
        let result = attempt.or_else(|no_result| match no_result {
            NoResult::Stopped => Err(Stopped),
            NoResult::NotBegun { status, stderr } => {
                let seconds = started.elapsed().as_secs_f32();
                Ok(CaseResult::bare(&job.name, Outcome::Crashed { status }, seconds, stderr))
            }
        });
        result.map(|result| result.of_file(&job.file))
    }

    /// Runs one job on `worker`, starting one if there is none. Keeps the worker if it can be reused.
    fn attempt(
        &self,
        worker: &mut Option<Worker>,
        assignment: Assignment<'_>,
    ) -> Result<CaseResult, NoResult> {
        let job = assignment.job;
        let started = Instant::now();
        let mut current = worker.take().map_or_else(|| self.program.start(), Ok)?;
        let bare = |outcome, stderr| {
            Ok(CaseResult::bare(&job.name, outcome, started.elapsed().as_secs_f32(), stderr))
        };
        match converse(&mut current, assignment, self.timeout, &self.stop) {
            Conversation::Finished(finished) => {
                let stderr = current.take_stderr();
                let cpu_seconds = current.ran().map(|ran| ran.as_secs_f32());
                let result = CaseResult { cpu_seconds, ..finished_result(job, *finished, stderr) };
                *worker = Some(current);
                Ok(result)
            }
            Conversation::NotRun(outcome) => {
                let stderr = current.take_stderr();
                *worker = Some(current);
                bare(outcome, stderr)
            }
            Conversation::Spoiled(outcome) => bare(outcome, current.end_after(Loss::Ended).1),
            Conversation::Lost { loss, is_announced } => {
                let (status, stderr) = current.end_after(loss);
                if assignment.next.is_some_and(|next| self.is_ended_by(loss, next)) {
                    return Err(NoResult::NotBegun { status, stderr });
                }
                let outcome = self.outcome_of_loss(loss, is_announced, status, &stderr)?;
                bare(outcome, stderr)
            }
        }
    }

    /// True if preparing the case `next` on a fresh worker kills that worker too.
    fn is_ended_by(&self, loss: Loss, next: &Job) -> bool {
        match loss {
            Loss::Ended | Loss::OutOfMemory => {}
            // A timeout needs no check: its time already shows which case is at fault.
            Loss::TimedOut | Loss::Stopped => return false,
        }
        let Ok(mut worker) = self.program.start() else { return false };
        let is_asked = worker.ask(&Request::Prepare(next.clone())).is_ok();
        match worker.answer(self.timeout, &self.stop) {
            Err(again @ (Loss::Ended | Loss::OutOfMemory)) => {
                worker.end_after(again);
                is_asked
            }
            Err(again @ (Loss::TimedOut | Loss::Stopped)) => {
                worker.end_after(again);
                false
            }
            Ok(_) => false,
        }
    }

    fn outcome_of_loss(
        &self,
        loss: Loss,
        is_announced: bool,
        status: String,
        stderr: &str,
    ) -> Result<Outcome, NoResult> {
        match loss {
            Loss::TimedOut => Ok(Outcome::TimedOut { seconds: self.timeout.as_secs_f32() }),
            Loss::OutOfMemory => Ok(Outcome::OutOfMemory { bytes: self.program.max_memory }),
            Loss::Ended if is_announced => Ok(Outcome::Crashed { status }),
            Loss::Ended => {
                let status = format!("{status}, before it announced the case");
                Err(NoResult::NotBegun { status, stderr: stderr.to_owned() })
            }
            Loss::Stopped => Err(NoResult::Stopped),
        }
    }
}

impl fmt::Debug for Pool<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("program", &self.program).finish_non_exhaustive()
    }
}

/// True if a suspect may have another attempt.
fn may_run_again(result: &CaseResult, run: &Run) -> bool {
    result.status != Status::Fail
        || run.failures_again.fetch_add(1, Ordering::Relaxed) < MAX_FAILURES_AGAIN
}

/// True if a case lost its worker in a way that a wedged adapter could cause, and is not listed as a crash.
fn is_loss(result: &CaseResult) -> bool {
    let is_bug_of_ours = matches!(result.outcome, Outcome::Panicked(_));
    matches!(result.status, Status::Crash | Status::Timeout | Status::NoDevice) && !is_bug_of_ours
}

/// A job, and the next one, which its worker may prepare in the meantime.
#[derive(Clone, Copy)]
struct Assignment<'a> {
    job: &'a Job,
    next: Option<&'a Job>,
}

impl<'a> Assignment<'a> {
    const fn alone(job: &'a Job) -> Self {
        Self { job, next: None }
    }
}

/// The run ends before the case has a result.
struct Stopped;

/// Reason why an attempt gave no result.
enum NoResult {
    /// No worker announced the case, or another case ended the worker.
    NotBegun { status: String, stderr: String },
    /// The run ends.
    Stopped,
}

impl From<std::io::Error> for NoResult {
    fn from(error: std::io::Error) -> Self {
        let status = format!("it could not be started: {error}");
        Self::NotBegun { status, stderr: String::new() }
    }
}

/// Result of sending a job to a worker.
enum Conversation {
    /// The case ended, and the worker waits for the next.
    Finished(Box<Finished>),
    /// The case could not be run, but others can.
    NotRun(Outcome),
    /// The worker reported the outcome and cannot be reused.
    Spoiled(Outcome),
    /// The worker was lost.
    Lost { loss: Loss, is_announced: bool },
}

fn converse(
    worker: &mut Worker,
    assignment: Assignment<'_>,
    timeout: Duration,
    stop: &Stop,
) -> Conversation {
    let job = assignment.job;
    let mut is_announced = false;
    // Output after the report of the previous case belongs to no case.
    worker.take_stderr();
    if worker.ask(&Request::Run { job: job.clone(), next: assignment.next.cloned() }).is_err() {
        return Conversation::Lost { loss: Loss::Ended, is_announced };
    }
    loop {
        let answer = match worker.answer(timeout, stop) {
            Ok(answer) => answer,
            Err(loss) => return Conversation::Lost { loss, is_announced },
        };
        return match answer {
            Answer::Started { name } => {
                is_announced = name == job.name;
                continue;
            }
            Answer::Finished(finished) => Conversation::Finished(Box::new(finished)),
            Answer::NoAdapter => Conversation::NotRun(Outcome::NoAdapter),
            // A fresh worker may get a device: a driver needs time after a reset.
            Answer::NoDevice(reason) => Conversation::Spoiled(Outcome::NoDevice(reason)),
            Answer::DeviceLost(reason) => Conversation::Spoiled(Outcome::DeviceLost(reason)),
            Answer::Panicked(message) => Conversation::Spoiled(Outcome::Panicked(message)),
            Answer::Adapters(_) | Answer::Device(_) | Answer::Prepared => {
                let message = "the worker sent an unexpected answer".to_owned();
                Conversation::Spoiled(Outcome::Panicked(message))
            }
        };
    }
}

fn finished_result(job: &Job, finished: Finished, stderr: String) -> CaseResult {
    let Finished {
        verdict,
        seconds,
        slots,
        diagnostics,
        warnings,
        notes,
        captures,
        oracle,
        is_in_words,
        varied,
        inputs,
    } = finished;
    let outcome = Outcome::Finished(verdict);
    CaseResult {
        slots,
        diagnostics,
        warnings,
        notes,
        captures,
        oracle,
        is_in_words,
        varied,
        inputs,
        ..CaseResult::bare(&job.name, outcome, seconds, stderr)
    }
}
