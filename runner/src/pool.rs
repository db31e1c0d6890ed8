//! Feeds jobs to worker processes and loses exactly the case that takes one down.
//!
//! Every worker has a thread here that hands it one job at a time from a common list. A worker that dies or does not
//! answer in time is replaced, and the case it had announced gets the blame; the rest goes on.

pub mod child;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::outcome::{CaseResult, Outcome};
use crate::pool::child::{Loss, Worker, WorkerProgram};
use crate::protocol::{Answer, Finished, Job, Request};

/// How jobs are run.
#[derive(Debug)]
pub struct Pool {
    /// What to start as a worker.
    pub program: WorkerProgram,
    /// How many workers.
    pub workers: NonZeroUsize,
    /// Longest time between two answers of a worker.
    pub timeout: Duration,
}

/// A result on its way: at once, and again in the order of the jobs.
#[derive(Debug)]
pub enum Arrival<'a> {
    /// It just came.
    Now(&'a CaseResult),
    /// Everything before it has been given too.
    InOrder(&'a CaseResult),
}

impl Pool {
    /// Runs all jobs. Results go to `arrive`; its first error ends the run.
    pub fn run<E>(
        &self,
        jobs: &[Job],
        mut arrive: impl FnMut(Arrival<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let next = AtomicUsize::new(0);
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..self.workers.get().min(jobs.len()) {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || self.feed(jobs, next, &sender));
            }
            drop(sender);
            let mut waiting = BTreeMap::new();
            let mut reported = 0;
            for (idx, result) in receiver {
                arrive(Arrival::Now(&result)).inspect_err(|_| stop(&next, jobs))?;
                waiting.insert(idx, result);
                while let Some(result) = waiting.remove(&reported) {
                    arrive(Arrival::InOrder(&result)).inspect_err(|_| stop(&next, jobs))?;
                    reported += 1;
                }
            }
            Ok(())
        })
    }

    /// One worker's thread: takes jobs until none is left.
    fn feed(&self, jobs: &[Job], next: &AtomicUsize, results: &mpsc::Sender<(usize, CaseResult)>) {
        let mut worker = None;
        loop {
            let idx = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(idx) else { return };
            if results.send((idx, self.run_one(&mut worker, job))).is_err() {
                return;
            }
        }
    }

    /// Runs one job. A worker that ends before it announces the case did not end because of the case: the job is
    /// given to a fresh worker, once.
    fn run_one(&self, worker: &mut Option<Worker>, job: &Job) -> CaseResult {
        let started = Instant::now();
        let attempt = self.attempt(worker, job).or_else(|_| self.attempt(worker, job));
        attempt.unwrap_or_else(|NotBegun { status, stderr }| {
            let seconds = started.elapsed().as_secs_f32();
            CaseResult::bare(&job.name, Outcome::Crashed { status }, seconds, stderr)
        })
    }

    /// Runs one job on `worker`, starting one where there is none, and leaves it there if it can be used again.
    fn attempt(&self, worker: &mut Option<Worker>, job: &Job) -> Result<CaseResult, NotBegun> {
        let started = Instant::now();
        let mut current = worker.take().map_or_else(|| self.program.start(), Ok)?;
        let bare = |outcome, stderr| {
            Ok(CaseResult::bare(&job.name, outcome, started.elapsed().as_secs_f32(), stderr))
        };
        match converse(&mut current, job, self.timeout) {
            Conversation::Finished(finished) => {
                let result = finished_result(job, *finished, current.take_stderr());
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
                match loss {
                    Loss::TimedOut => {
                        bare(Outcome::TimedOut { seconds: self.timeout.as_secs_f32() }, stderr)
                    }
                    Loss::OutOfMemory => {
                        bare(Outcome::OutOfMemory { bytes: self.program.max_memory }, stderr)
                    }
                    Loss::Ended if is_announced => bare(Outcome::Crashed { status }, stderr),
                    Loss::Ended => {
                        let status = format!("before it announced the case: {status}");
                        Err(NotBegun { status, stderr })
                    }
                }
            }
        }
    }
}

/// No worker came as far as announcing the case.
struct NotBegun {
    status: String,
    stderr: String,
}

impl From<std::io::Error> for NotBegun {
    fn from(error: std::io::Error) -> Self {
        Self { status: format!("it cannot be started: {error}"), stderr: String::new() }
    }
}

/// How giving a job to a worker went.
enum Conversation {
    /// The case ended, and the worker waits for the next.
    Finished(Box<Finished>),
    /// The case could not be run, but others can.
    NotRun(Outcome),
    /// The worker told what became of the case, and is of no more use.
    Spoiled(Outcome),
    /// The worker was lost.
    Lost { loss: Loss, is_announced: bool },
}

fn converse(worker: &mut Worker, job: &Job, timeout: Duration) -> Conversation {
    let mut is_announced = false;
    // What a driver printed after the case before was reported belongs to no case.
    worker.take_stderr();
    if worker.ask(&Request::Run(job.clone())).is_err() {
        return Conversation::Lost { loss: Loss::Ended, is_announced };
    }
    loop {
        let answer = match worker.answer(timeout) {
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
            Answer::NoDevice(reason) => Conversation::NotRun(Outcome::NoDevice(reason)),
            Answer::DeviceLost(reason) => Conversation::Spoiled(Outcome::DeviceLost(reason)),
            Answer::Panicked(message) => Conversation::Spoiled(Outcome::Panicked(message)),
            Answer::Adapters(_) | Answer::Device(_) => {
                let message = "the worker answered something else".to_owned();
                Conversation::Spoiled(Outcome::Panicked(message))
            }
        };
    }
}

fn finished_result(job: &Job, finished: Finished, stderr: String) -> CaseResult {
    let Finished { verdict, seconds, slots, diagnostics, warnings, notes } = finished;
    let outcome = Outcome::Finished(verdict);
    CaseResult {
        name: job.name.clone(),
        outcome,
        seconds,
        slots,
        diagnostics,
        warnings,
        notes,
        stderr,
    }
}

/// Leaves nothing for the workers to take.
fn stop(next: &AtomicUsize, jobs: &[Job]) {
    next.store(jobs.len(), Ordering::Relaxed);
}

#[cfg(all(test, unix))]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::protocol::Purpose;

    /// A worker for tests: a shell script that finds the case's name in `$name`, and passes unless it says otherwise.
    fn scripted(script: &str) -> WorkerProgram {
        let finished = r#"{"Finished":{"verdict":"Pass","seconds":0,"slots":[],"diagnostics":"","warnings":[],"notes":[]}}"#;
        let script = format!(
            r#"while read -r line; do
                name=${{line#*name\":\"}}; name=${{name%%\"*}}
                {script}
                echo "{{\"Started\":{{\"name\":\"$name\"}}}}"
                case $name in crash*) echo "segfault at 0" >&2; kill -SEGV $$;; hang*) exec sleep 100;; esac
                case $name in panic*) echo '{{"Panicked":"index out of bounds"}}'; exit 1;; esac
                echo '{finished}'
            done"#
        );
        WorkerProgram::new("/bin/sh", ["-c", &script])
    }

    #[track_caller]
    fn check(script: &str, names: &[&str], workers: usize, expected: Expect) {
        let pool = Pool {
            program: scripted(script),
            workers: NonZeroUsize::new(workers).unwrap(),
            timeout: Duration::from_millis(500),
        };
        let purpose = Purpose::Check { keep: None, profile: None };
        let job = |name: &&str| Job {
            name: (*name).to_owned(),
            file: String::new(),
            purpose: purpose.clone(),
        };
        let jobs: Vec<_> = names.iter().map(job).collect();
        let mut lines = String::new();
        let run: Result<(), ()> = pool.run(&jobs, |arrival| {
            if let Arrival::InOrder(result) = arrival {
                let CaseResult { name, outcome, stderr, .. } = result;
                let _ = writeln!(lines, "{name}: {outcome:?} {:?}", stderr.trim_end());
            }
            Ok(())
        });
        run.unwrap();
        expected.assert_eq(&lines);
    }

    #[test]
    fn a_lost_worker_costs_exactly_the_announced_case() {
        check(
            "",
            &["a", "crash", "b", "hang", "c", "panic", "d"],
            2,
            expect![[r#"
                a: Finished(Pass) ""
                crash: Crashed { status: "signal: 11 (SIGSEGV)" } "segfault at 0"
                b: Finished(Pass) ""
                hang: TimedOut { seconds: 0.5 } ""
                c: Finished(Pass) ""
                panic: Panicked("index out of bounds") ""
                d: Finished(Pass) ""
            "#]],
        );
    }

    #[test]
    fn a_worker_that_cannot_even_begin_is_tried_twice_and_told_apart_from_a_crash() {
        check(
            "echo 'no such library' >&2; exit 7",
            &["a"],
            1,
            expect![[r#"
                a: Crashed { status: "before it announced the case: exit status: 7" } "no such library"
            "#]],
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_worker_that_takes_too_much_memory_is_stopped_before_its_time_is_over() {
        let mut program = scripted("x=$(head -c 50000000 /dev/zero | tr '\\0' x); sleep 100");
        program.max_memory = 20 << 20;
        let pool = Pool { program, workers: NonZeroUsize::MIN, timeout: Duration::from_mins(1) };
        let job = Job {
            name: "a".to_owned(),
            file: String::new(),
            purpose: Purpose::Check { keep: None, profile: None },
        };
        let mut outcomes = Vec::new();
        let run: Result<(), ()> = pool.run(&[job], |arrival| {
            if let Arrival::Now(result) = arrival {
                outcomes.push(result.outcome.clone());
            }
            Ok(())
        });
        run.unwrap();
        assert_eq!(outcomes, [Outcome::OutOfMemory { bytes: 20 << 20 }]);
    }

    #[test]
    fn noise_of_drivers_on_stdout_is_kept_apart_from_answers() {
        check(
            "echo 'driver says hello'",
            &["a"],
            1,
            expect![[r#"
            a: Finished(Pass) "driver says hello"
        "#]],
        );
    }

    #[test]
    fn a_missing_worker_program_is_an_outcome_and_no_panic() {
        let program = WorkerProgram::new("/nonexistent/worker", [""; 0]);
        let pool = Pool { program, workers: NonZeroUsize::MIN, timeout: Duration::from_secs(1) };
        let purpose = Purpose::WouldSkip;
        let jobs = [Job { name: "a".to_owned(), file: String::new(), purpose }];
        let mut outcomes = Vec::new();
        let run: Result<(), ()> = pool.run(&jobs, |arrival| {
            if let Arrival::Now(result) = arrival {
                outcomes.push(result.outcome.clone());
            }
            Ok(())
        });
        run.unwrap();
        assert!(
            matches!(&outcomes[..], [Outcome::Crashed { status }] if status.starts_with("it cannot be started"))
        );
    }
}
