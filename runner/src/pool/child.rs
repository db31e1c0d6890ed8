//! Worker child processes: starting them, exchanging messages, and ending them.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::environment;
use crate::pool::effort::Effort;
use crate::protocol::{Answer, Request};
use crate::stop::Stop;

/// Limit on the worker output that is kept per case.
const STDERR_BYTES: usize = 16 << 10;

/// Time for a worker to exit by itself, and for its last output to arrive.
const GRACE: Duration = Duration::from_secs(2);

/// Default memory limit of a worker, in bytes. A software driver's compiler that inlines endlessly allocates hundreds
/// of megabytes a second and would exhaust the machine long before a usual timeout.
const MAX_MEMORY: u64 = 4 << 30;

/// Interval between checks of a worker's memory.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Command line and environment of workers.
#[derive(Clone, Debug)]
pub struct WorkerProgram {
    program: PathBuf,
    arguments: Vec<OsString>,
    /// Environment variables, in addition to those for all drivers.
    pub environment: Vec<(&'static str, OsString)>,
    /// Memory limit, in bytes.
    pub max_memory: u64,
    /// Adapter of the worker, as `backend:index`.
    adapter: Option<String>,
    /// A worker that has listed the adapters and run nothing; its drivers are loaded.
    spare: Arc<Mutex<Option<Worker>>>,
    /// Mesa extension overrides that one of the listed adapters needs.
    extensions: Arc<Mutex<String>>,
}

impl WorkerProgram {
    /// Creates the command line of any program that implements the protocol.
    pub fn new<A: Into<OsString>>(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            environment: Vec::new(),
            max_memory: MAX_MEMORY,
            adapter: None,
            spare: Arc::default(),
            extensions: Arc::default(),
        }
    }

    /// This program as a worker, with `timeout` per case. Without an adapter it runs only cases that need none.
    pub fn this(timeout: Duration) -> io::Result<Self> {
        let seconds = timeout.as_secs_f64().to_string();
        Ok(Self::new(std::env::current_exe()?, ["worker", "--timeout", &seconds]))
    }

    /// Returns a copy of this program for an adapter (`backend:index`).
    #[must_use]
    pub fn on(&self, adapter: &str) -> Self {
        Self { adapter: Some(adapter.to_owned()), ..self.clone() }
    }

    /// Keeps a worker that has listed adapters and loaded only their driver. It is used as the next worker for one of
    /// them.
    pub fn keep(&self, worker: Worker) {
        *lock(&self.spare) = Some(worker);
    }

    /// Sets the Mesa extension overrides of all workers from now on.
    pub fn tell_extensions(&self, words: &str) {
        words.clone_into(&mut lock(&self.extensions));
    }

    /// Returns this program with a script in place of an adapter.
    #[must_use]
    pub fn with_script(mut self, script: &Path) -> Self {
        self.arguments.extend(["--script".into(), script.into()]);
        self
    }

    /// Starts a worker.
    pub fn start(&self) -> io::Result<Worker> {
        self.spare().map_or_else(|| self.spawn(), Ok)
    }

    /// Takes the spare worker, if there is one and it is healthy.
    fn spare(&self) -> Option<Worker> {
        let adapter = self.adapter.as_ref()?;
        let mut worker = lock(&self.spare).take()?;
        worker.ask(&Request::Take(adapter.clone())).is_ok().then_some(worker)
    }

    fn spawn(&self) -> io::Result<Worker> {
        let mut command = Command::new(&self.program);
        let adapter = self.adapter.iter().flat_map(|adapter| ["--adapter", adapter]);
        command
            .args(&self.arguments)
            .args(adapter)
            .envs(environment::for_workers(&lock(&self.extensions)))
            .envs(self.environment.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        lead_group(&mut command);
        let mut child = command.spawn()?;
        let output = Arc::new(Mutex::new(VecDeque::new()));
        let (answer_sender, answers) = channel();
        let (end_sender, ends) = channel();
        if let Some(stdout) = child.stdout.take() {
            let (output, end) = (Arc::clone(&output), end_sender.clone());
            std::thread::spawn(move || read_answers(stdout, &answer_sender, &output, &end));
        }
        if let Some(stderr) = child.stderr.take() {
            let output = Arc::clone(&output);
            std::thread::spawn(move || collect_stderr(stderr, &output, &end_sender));
        }
        let max_memory = self.max_memory;
        let (stdin, ran) = (child.stdin.take(), None);
        Ok(Worker { child, stdin, answers, ends, output, max_memory, ran })
    }
}

/// A running worker. Dropping it ends the process.
#[derive(Debug)]
pub struct Worker {
    child: Child,
    stdin: Option<ChildStdin>,
    answers: Receiver<Answer>,
    /// Receives one message when stdout closes and one when stderr does.
    ends: Receiver<()>,
    output: Arc<Mutex<VecDeque<u8>>>,
    max_memory: u64,
    /// Time on processors before the last answer or loss, if the system reports it.
    ran: Option<Duration>,
}

/// Reason why a worker was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// The worker exited.
    Ended,
    /// The worker did not answer in time.
    TimedOut,
    /// The worker used too much memory.
    OutOfMemory,
    /// The worker is healthy, but the run ends.
    Stopped,
}

impl Worker {
    /// Sends a request; an error means that the worker is gone.
    pub fn ask(&mut self, request: &Request) -> io::Result<()> {
        let stdin = self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        stdin.write_all(&line)?;
        stdin.flush()
    }

    /// Waits for the next answer. Time in which the worker waits for a processor does not count towards `timeout`.
    pub fn answer(&mut self, timeout: Duration, stop: &Stop) -> Result<Answer, Loss> {
        let mut effort = Effort::of(self.child.id());
        let answer = self.wait_for_answer(timeout, stop, &mut effort);
        effort.look();
        self.ran = effort.ran();
        answer
    }

    /// Time on processors from the last question to its answer, summed over the worker's threads; `None` where the system
    /// does not report it, or if the worker has ended.
    pub const fn ran(&self) -> Option<Duration> {
        self.ran
    }

    fn wait_for_answer(
        &mut self,
        timeout: Duration,
        stop: &Stop,
        effort: &mut Effort,
    ) -> Result<Answer, Loss> {
        loop {
            let left = timeout.saturating_sub(effort.look());
            if left.is_zero() {
                return Err(Loss::TimedOut);
            }
            match self.answers.recv_timeout(left.min(POLL_INTERVAL)) {
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Disconnected) => return Err(Loss::Ended),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if stop.is_requested() {
                return Err(Loss::Stopped);
            }
            if held_memory(self.child.id()).is_some_and(|bytes| bytes > self.max_memory) {
                return Err(Loss::OutOfMemory);
            }
        }
    }

    /// Takes the output since the last call.
    pub fn take_stderr(&mut self) -> String {
        let bytes: Vec<u8> = lock(&self.output).drain(..).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Ends a lost worker. Returns its exit status as text, and its last output.
    pub fn end_after(mut self, loss: Loss) -> (String, String) {
        match loss {
            Loss::Ended => self.wait_for_end(),
            Loss::TimedOut | Loss::OutOfMemory | Loss::Stopped => self.kill(),
        }
        let status = self.child.try_wait().ok().flatten();
        // A grandchild may hold the pipes open, so the wait for their end is limited.
        for _ in 0..2 {
            let _ = self.ends.recv_timeout(GRACE);
        }
        (
            status.map_or_else(|| "no exit status".to_owned(), |status| status.to_string()),
            self.take_stderr(),
        )
    }

    /// Waits for the worker to exit by itself, so that drivers can write their caches; kills it if it does not.
    fn wait_for_end(&mut self) {
        self.stdin = None;
        if !self.wait_for(GRACE) {
            self.kill();
        }
    }

    /// Kills the worker. A driver can block the exit, for example while it tears down a hung GPU; such a worker is left
    /// behind after a while. It exits by itself, and the run does not wait for it.
    fn kill(&mut self) {
        let compilers = groups_below(self.child.id());
        kill_group(self.child.id());
        let _ = self.child.kill();
        compilers.into_iter().for_each(kill_group);
        self.wait_for(GRACE);
    }

    /// Waits at most `limit` for the worker to exit; true if it did.
    fn wait_for(&mut self, limit: Duration) -> bool {
        let started = Instant::now();
        while started.elapsed() < limit {
            match self.child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(2)),
                Ok(Some(_)) | Err(_) => return true,
            }
        }
        false
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.wait_for_end();
    }
}

/// Makes the worker the leader of a process group: Ctrl-C in a terminal then reaches only this program, and processes
/// that a driver starts are killed together with the worker.
fn lead_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// Kills the process group of `leader`. The leader must not have been waited for yet, or its number may have been
/// reused.
fn kill_group(leader: u32) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(leader).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = leader;
}

/// The groups that processes of a worker lead: compilers of `--through`, which it stops itself if it lives.
fn groups_below(worker: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let stats = entries.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    stats.filter_map(|stat| group_led(&stat, worker)).collect()
}

/// The group of a process that leads one and whose parent is `parent`, from its line of `/proc`. The name of its program is in
/// parentheses, and may have any letters.
fn group_led(stat: &str, parent: u32) -> Option<u32> {
    let (id, rest) = stat.split_once(" (")?;
    let (_, rest) = rest.rsplit_once(") ")?;
    let mut fields = rest.split(' ').skip(1);
    let mut number = || fields.next()?.parse::<u32>().ok();
    let is_child = number()? == parent;
    let group = number()?;
    (is_child && id.parse() == Ok(group)).then_some(group)
}

/// Memory that a process uses, in bytes, if the system reports it.
fn held_memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1 << 10)
}

/// Reads answers. Other lines come from drivers and count as stderr output.
fn read_answers(
    stdout: impl Read,
    answers: &Sender<Answer>,
    output: &Mutex<VecDeque<u8>>,
    end: &Sender<()>,
) {
    for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
        match serde_json::from_slice(&line) {
            Ok(answer) => {
                let _ = answers.send(answer);
            }
            Err(_) => append(output, line.into_iter().chain([b'\n'])),
        }
    }
    let _ = end.send(());
}

fn collect_stderr(mut stderr: impl Read, output: &Mutex<VecDeque<u8>>, end: &Sender<()>) {
    let mut buffer = [0; 4096];
    while let Ok(count) = stderr.read(&mut buffer)
        && count > 0
    {
        append(output, buffer.iter().take(count).copied());
    }
    let _ = end.send(());
}

fn append(output: &Mutex<VecDeque<u8>>, bytes: impl Iterator<Item = u8>) {
    let mut output = lock(output);
    output.extend(bytes);
    let excess = output.len().saturating_sub(STDERR_BYTES);
    output.drain(..excess);
}

fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaders_of_groups_below_a_worker_are_found() {
        assert_eq!(group_led("12 (a) b (c) S 7 12 7 0", 7), Some(12));
        assert_eq!(group_led("12 (sh) S 7 7 7 0", 7), None, "it is in the worker's group");
        assert_eq!(group_led("12 (sh) S 8 12 7 0", 7), None, "it is another's");
        assert_eq!(group_led("", 7), None);
    }
}
