//! Runs a program and reads its output, and stops it at the first line that reports a failure.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// End of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Well,
    /// The program failed, with the line that says so, if any.
    Badly(String),
    /// The program exceeded its time and was stopped.
    TooLate,
}

/// Runs a program until it ends, a line of its output reports a failure, or the time is over.
pub(crate) fn watch(
    command: &mut Command,
    time: Duration,
    mut is_failure: impl FnMut(&str) -> bool,
) -> Result<Ended, String> {
    let end = Instant::now() + time;
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.map_err(|error| format!("{command:?}: {error}"))?;
    let stdout = child.stdout.take().ok_or("the program has no stdout")?;
    let (sender, lines) = channel();
    let reader = std::thread::spawn(move || {
        for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                break;
            }
        }
    });
    let ended = loop {
        match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) if is_failure(&line) => break Ended::Badly(line),
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => break Ended::TooLate,
            Err(RecvTimeoutError::Disconnected) => break Ended::Well,
        }
    };
    if ended != Ended::Well {
        // The program may have ended by itself.
        let _ = child.kill();
    }
    drop(lines);
    let status = child.wait().map_err(|error| error.to_string())?;
    // A child of the program may still hold its output open.
    if ended == Ended::Well {
        let _ = reader.join();
    }
    match ended {
        Ended::Well if !status.success() => Ok(Ended::Badly(status.to_string())),
        ended @ (Ended::Well | Ended::Badly(_) | Ended::TooLate) => Ok(ended),
    }
}
