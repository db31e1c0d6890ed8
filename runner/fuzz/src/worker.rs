//! A process that runs the body of a target. Inputs that end it or never end are findings, and do not end the run.
//!
//! Standard input contains inputs, each preceded by its length in four bytes. Standard output contains a line for each:
//! `fine`, or the message of the panic.

use std::io::{BufRead as _, BufReader, Read as _, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context as _;

use crate::target::Target;

/// The stack that the program gives to its parsers and front ends.
const STACK_BYTES: usize = 256 << 20;

/// Memory limit of a worker, its stack included. No input needs a tenth of it.
#[cfg(unix)]
const MEMORY_BYTES: u64 = 6 << 30;

const FINE: &str = "fine";

/// The outcome of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A result or a message.
    Fine,
    /// A panic, with its place and message.
    Panicked(String),
    /// The process ended: a stack overflow, or too much memory.
    Died(String),
    /// No answer within the time limit.
    Hung,
}

/// Answers inputs from standard input until its end.
pub(crate) fn serve(target: Target) -> anyhow::Result<()> {
    #[cfg(unix)]
    limit_memory();
    with_stack(move || answer_all(target))?
}

/// Runs a function with the stack size that the program uses.
pub(crate) fn with_stack<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> anyhow::Result<T> {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    let working = thread.spawn(work).context("cannot start a thread")?;
    working.join().map_err(|_| anyhow::anyhow!("it panicked"))
}

#[cfg(unix)]
fn limit_memory() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let limit = Rlimit { current: Some(MEMORY_BYTES), maximum: Some(MEMORY_BYTES) };
    // Some systems do not have this limit; the other systems suffice to find inputs that exceed it.
    let _ = setrlimit(Resource::As, limit);
}

fn answer_all(target: Target) -> anyhow::Result<()> {
    record_panics();
    let (mut stdin, mut stdout) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut length = [0; 4];
    while stdin.read_exact(&mut length).is_ok() {
        let mut input = vec![0; usize::try_from(u32::from_le_bytes(length))?];
        stdin.read_exact(&mut input)?;
        let answer = panic_of(target, &input).unwrap_or_else(|| FINE.to_owned());
        writeln!(stdout, "{answer}")?;
        stdout.flush()?;
    }
    Ok(())
}

/// The last panic of this process.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Records panics instead of printing them.
fn record_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|place| format!("{}:{}", place.file(), place.line()));
        let message = panic.payload_as_str().unwrap_or("a panic without a message");
        let told = format!("{}: {message}", place.unwrap_or_default());
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = told;
    }));
}

/// Runs the body. Returns the panic that it caused, on one line.
fn panic_of(target: Target, input: &[u8]) -> Option<String> {
    let run = catch_unwind(AssertUnwindSafe(|| (target.body)(input)));
    run.is_err().then(|| {
        let told = PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        told.replace(['\n', '\r'], " ")
    })
}

/// A running worker.
#[derive(Debug)]
pub(crate) struct Worker {
    target: Target,
    limit: Duration,
    process: Process,
}

#[derive(Debug)]
struct Process {
    child: Child,
    stdin: ChildStdin,
    answers: Receiver<String>,
    /// Thread that returns the process's standard error.
    errors: Option<JoinHandle<String>>,
}

impl Worker {
    /// Starts a worker with a time limit for each input.
    pub(crate) fn start(target: Target, limit: Duration) -> anyhow::Result<Self> {
        Ok(Self { target, limit, process: Process::start(target)? })
    }

    /// Runs an input. Starts another process if the input ended this one.
    pub(crate) fn run(&mut self, input: &[u8]) -> anyhow::Result<Outcome> {
        let length = u32::try_from(input.len()).context("the input is too large")?;
        let stdin = &mut self.process.stdin;
        // A failed write means that the process has ended; waiting for its answer reports how.
        let _ = stdin.write_all(&[&length.to_le_bytes(), input].concat());
        let outcome = match self.process.answers.recv_timeout(self.limit) {
            Ok(answer) if answer == FINE => return Ok(Outcome::Fine),
            Ok(answer) => return Ok(Outcome::Panicked(answer)),
            Err(RecvTimeoutError::Timeout) => Outcome::Hung,
            Err(RecvTimeoutError::Disconnected) => Outcome::Died(self.process.last_words()),
        };
        self.process = Process::start(self.target)?;
        Ok(outcome)
    }
}

impl Process {
    fn start(target: Target) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("cannot find this program")?;
        let mut command = Command::new(program);
        command.args(["--worker", "--target", target.name]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().context("cannot start a worker")?;
        let stdin = child.stdin.take().context("a worker has an input")?;
        let stdout = child.stdout.take().context("a worker has an output")?;
        let mut stderr = child.stderr.take().context("a worker has an output for errors")?;
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(stdout).lines().map_while(Result::ok);
            // After a timeout the receiver is gone.
            lines.map_while(|line| sender.send(line).ok()).for_each(drop);
        });
        let errors = std::thread::spawn(move || {
            let mut told = Vec::new();
            let _ = stderr.read_to_end(&mut told);
            String::from_utf8_lossy(&told).into_owned()
        });
        Ok(Self { child, stdin, answers, errors: Some(errors) })
    }

    /// The reason why a process ended: its exit status, and its line about an overflow or an allocation.
    fn last_words(&mut self) -> String {
        let status = self.child.wait().map_or_else(|error| error.to_string(), |it| it.to_string());
        let told = self.errors.take().and_then(|errors| errors.join().ok()).unwrap_or_default();
        let is_telling = |line: &&str| line.contains("overflow") || line.contains("allocation");
        let line = told.lines().find(is_telling).unwrap_or_default();
        // The number of the thread varies between runs.
        let line = line.split_once(") ").map_or(line, |(_, rest)| rest);
        format!("{status}: {line}")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
