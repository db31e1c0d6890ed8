//! Runs external programs, which may fail in any way.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use super::fault::Fault;

/// Number of bytes that are kept of the beginning of a program's output, and of its end; it may print gigabytes.
const OUTPUT_BYTES: usize = 2 << 10;

/// Size of the largest result, in bytes.
const RESULT_BYTES: u64 = 64 << 20;

/// Number of processors that a program may use for all of its time limit.
#[cfg(target_os = "linux")]
const PROCESSORS: u64 = 8;

/// Longest pause between two looks at a program.
const MAX_PAUSE: Duration = Duration::from_millis(20);

/// One run of a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run<'a> {
    /// The program and its arguments.
    pub(super) words: &'a [OsString],
    /// The folder in which it runs.
    pub(super) folder: &'a Path,
    /// The time after which it is stopped.
    pub(super) limit: Duration,
}

/// Runs a program to its end. Returns what it printed, on standard output first, without the middle of long texts.
pub(super) fn run(Run { words, folder, limit }: &Run<'_>) -> Result<String, Fault> {
    let [program, arguments @ ..] = words else {
        return Err(Fault::NotStarted("the command is empty".to_owned()));
    };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).env("NO_COLOR", "1");
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(|error| {
        let reason = if error.kind() == ErrorKind::NotFound {
            "there is no such program".to_owned()
        } else {
            error.to_string()
        };
        Fault::NotStarted(format!("{}: {reason}", program.to_string_lossy()))
    })?;
    limit_processor_time(&child, *limit);
    let printed = [child.stdout.take().map(kept), child.stderr.take().map(kept)];
    let status = ended(&mut child, *limit);
    // Processes that it started hold its pipes open.
    kill(&mut child);
    let status = status?;
    let printed = printed.into_iter().flatten().filter_map(|thread| thread.join().ok());
    let printed: String = printed.collect::<Vec<_>>().concat().trim().to_owned();
    // The folder has another name in every run.
    let printed = printed.replace(&format!("{}/", folder.to_string_lossy()), "");
    judged(status, printed)
}

/// Limits the processor time of a program. It ends a program that never ends itself if this process is killed before the
/// time limit. A program may use several processors at once.
fn limit_processor_time(child: &Child, limit: Duration) {
    #[cfg(target_os = "linux")]
    if let Some(id) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let seconds = Some(limit.as_secs().max(1) * PROCESSORS);
        let limits = rustix::process::Rlimit { current: seconds, maximum: seconds };
        // A program that has ended needs none.
        let _ = rustix::process::prlimit(Some(id), rustix::process::Resource::Cpu, limits);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (child, limit);
}

/// Keeps the beginning and the end of what a program prints, and reads the rest so that the program does not wait.
fn kept(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let (mut head, mut tail, mut left_out) = (Vec::new(), VecDeque::new(), 0);
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            let to_head = OUTPUT_BYTES.saturating_sub(head.len()).min(count);
            head.extend_from_slice(&buffer[..to_head]);
            tail.extend(&buffer[to_head..count]);
            let excess = tail.len().saturating_sub(OUTPUT_BYTES);
            tail.drain(..excess);
            left_out += excess;
        }
        let tail: Vec<u8> = tail.into();
        if left_out == 0 {
            return without_colours(&String::from_utf8_lossy(&[head, tail].concat()));
        }
        let [head, tail] = [head, tail].map(|part| String::from_utf8_lossy(&part).into_owned());
        let text = format!("{head}\n… {left_out} bytes left out …\n{tail}");
        without_colours(&text)
    })
}

/// The text without the sequences that colour terminals: an escape, `[`, parameters, and a letter.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let end = part.find(|letter: char| letter.is_ascii_alphabetic());
        text + end.map_or("", |end| &part[end + 1..])
    })
}

/// Waits for the end of a program.
fn ended(child: &mut Child, limit: Duration) -> Result<ExitStatus, Fault> {
    let started = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if started.elapsed() >= limit => return Err(Fault::Hung(limit)),
            Ok(None) => thread::sleep(pause),
            Err(error) => return Err(Fault::NotStarted(error.to_string())),
        }
        pause = (pause * 2).min(MAX_PAUSE);
    }
}

/// Ends a program and what it started.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

fn judged(status: ExitStatus, words: String) -> Result<String, Fault> {
    if status.success() {
        return Ok(words);
    }
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Err(Fault::Crashed { signal: format!("signal {signal}"), words });
    }
    match status.code() {
        // Windows reports exceptions so, and shells signals of what they run.
        Some(code) if code < 0 || (129..160).contains(&code) => {
            Err(Fault::Crashed { signal: format!("status {code}"), words })
        }
        code => {
            let status = code.map_or_else(|| status.to_string(), |code| format!("status {code}"));
            Err(Fault::Refused { status, words })
        }
    }
}

/// The first line that a compiler prints about its version, up to a comma; empty if it prints none.
pub(super) fn version(program: &Path) -> String {
    const LIMIT: Duration = Duration::from_secs(5);
    let words = [program.as_os_str().to_owned(), "--version".into()];
    let folder = std::env::temp_dir();
    let printed = run(&Run { words: &words, folder: &folder, limit: LIMIT }).unwrap_or_default();
    let first = printed.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let first = first.split_once(',').map_or(first, |(before, _)| before);
    first.chars().filter(|letter| !letter.is_control()).take(60).collect()
}

/// Contents of the file that a program wrote. `words` are what it printed.
pub(super) fn result(path: &Path, words: &str) -> Result<Vec<u8>, Fault> {
    let no_result = |reason: String| {
        let lines = [&*reason, words].into_iter().filter(|line| !line.is_empty());
        Err(Fault::NoResult(lines.collect::<Vec<_>>().join("\n")))
    };
    let size = match path.metadata() {
        Ok(found) if found.is_file() => found.len(),
        Ok(_) => return no_result("it is not a file".to_owned()),
        Err(_) => return no_result("there is no file".to_owned()),
    };
    match size {
        0 => no_result("the file is empty".to_owned()),
        1..=RESULT_BYTES => std::fs::read(path).or_else(|error| no_result(error.to_string())),
        _ => no_result(format!("the file has {size} bytes")),
    }
}

/// Checks a module with `spirv-val` if it is installed. An error has its words.
pub(super) fn validated(module: &[u8]) -> Result<(), String> {
    static IS_THERE: OnceLock<bool> = OnceLock::new();
    const LIMIT: Duration = Duration::from_secs(20);
    let is_there = || {
        let version = Command::new("spirv-val").arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    };
    if !IS_THERE.get_or_init(is_there) {
        return Ok(());
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = folder.path().join("module.spv");
    std::fs::write(&path, module).map_err(|error| error.to_string())?;
    let mut words = ["spirv-val", "--target-env", "vulkan1.3"].map(OsString::from).to_vec();
    words.push(path.into());
    match run(&Run { words: &words, folder: folder.path(), limit: LIMIT }) {
        Ok(_) => Ok(()),
        Err(Fault::Refused { words, .. }) => Err(words),
        Err(other) => Err(format!("spirv-val {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_kept(text: &str, expected: &str) {
        let bytes = std::io::Cursor::new(text.as_bytes().to_vec());
        assert_eq!(kept(bytes).join().expect("it reads"), expected);
    }

    #[test]
    fn the_beginning_and_the_end_of_a_long_output_are_kept() {
        let [a, b, c] = ["a", "b", "c"].map(|letter| letter.repeat(OUTPUT_BYTES));
        check_kept(&format!("{a}{c}"), &format!("{a}{c}"));
        check_kept(&format!("{a}{b}{b}{c}"), &format!("{a}\n… 4096 bytes left out …\n{c}"));
        check_kept("", "");
    }

    #[test]
    fn colours_are_removed() {
        check_kept("\u{1b}[0m\u{1b}[1m\u{1b}[38;5;9merror\u{1b}[0m: x\u{1b}[", "error: x");
    }
}
