//! Progress of a run: a bar on a terminal, otherwise a line at regular intervals.

use interstage::ir::diagnostic::counted;
use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Time between two plain lines.
const INTERVAL: Duration = Duration::from_secs(10);

/// Progress on stderr.
#[derive(Debug)]
pub enum Progress {
    /// No progress (`--quiet`).
    Hidden,
    /// A progress bar.
    Bar(ProgressBar),
    /// Plain lines.
    Lines {
        /// Time of the last line.
        last: Instant,
        /// Number of finished cases.
        done: usize,
        /// Number of all cases.
        total: usize,
    },
}

/// Amount of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbosity {
    /// Failures and summary.
    Quiet,
    /// Progress, failures and summary.
    Normal,
    /// Also a line for every case.
    Verbose,
}

impl Progress {
    /// Starts at 0 of `total`.
    pub fn start(total: usize, verbosity: Verbosity) -> Self {
        match verbosity {
            Verbosity::Quiet => Self::Hidden,
            Verbosity::Normal | Verbosity::Verbose if std::io::stderr().is_terminal() => {
                Self::Bar(bar(total))
            }
            Verbosity::Normal | Verbosity::Verbose => {
                Self::Lines { last: Instant::now(), done: 0, total }
            }
        }
    }

    /// Advances by one case; `failed` cases have failed so far.
    pub fn step(&mut self, failed: usize) {
        match self {
            Self::Hidden => {}
            Self::Bar(bar) => {
                if failed > 0 {
                    bar.set_message(format!("{failed} failed"));
                }
                bar.inc(1);
            }
            Self::Lines { last, done, total } => {
                *done += 1;
                if last.elapsed() >= INTERVAL {
                    *last = Instant::now();
                    let total = counted(*total, "case");
                    let _ = writeln!(std::io::stderr(), "{done} of {total}, {failed} failed");
                }
            }
        }
    }

    /// Hides the bar while `print` runs.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        match self {
            Self::Hidden | Self::Lines { .. } => print(),
            Self::Bar(bar) => bar.suspend(print),
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        match self {
            Self::Hidden | Self::Lines { .. } => {}
            Self::Bar(bar) => bar.finish_and_clear(),
        }
    }
}

fn bar(total: usize) -> ProgressBar {
    // At most 40 columns besides the bar, which fills the rest.
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len}  {eta} left  {msg}");
    ProgressBar::new(total as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
