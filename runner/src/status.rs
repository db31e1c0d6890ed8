//! How an outcome counts.

use interstage::verdict::Verdict;
use serde::{Deserialize, Serialize};

use crate::exit::Exit;
use crate::outcome::Outcome;

/// How a case counts in summaries, result files and the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Status {
    /// Every expectation held.
    Pass,
    /// Some expectation did not hold.
    Fail,
    /// The adapter lacks something that the case requires.
    Skip,
    /// interstage cannot run it yet.
    Unsupported,
    /// The file is wrong.
    Broken,
    /// There is no adapter at all.
    NoAdapter,
    /// There is an adapter, but it gives no device.
    NoDevice,
    /// The worker died, panicked, lost its device, or took too much memory.
    Crash,
    /// The worker was killed because it took too long.
    Timeout,
}

impl Status {
    /// Weighs an outcome.
    pub const fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Finished(verdict) => match verdict {
                Verdict::Pass => Self::Pass,
                Verdict::Fail(_) => Self::Fail,
                Verdict::Skip(_) => Self::Skip,
                Verdict::Unsupported(_) => Self::Unsupported,
                Verdict::Broken(_) => Self::Broken,
            },
            Outcome::NoAdapter => Self::NoAdapter,
            Outcome::NoDevice(_) => Self::NoDevice,
            Outcome::DeviceLost(_)
            | Outcome::Panicked(_)
            | Outcome::Crashed { .. }
            | Outcome::OutOfMemory { .. } => Self::Crash,
            Outcome::TimedOut { .. } => Self::Timeout,
        }
    }

    /// deqp-runner's word for it.
    pub const fn csv_word(self) -> &'static str {
        match self {
            Self::Pass => "Pass",
            Self::Fail | Self::Broken | Self::NoDevice => "Fail",
            Self::Skip | Self::Unsupported | Self::NoAdapter => "Skip",
            Self::Crash => "Crash",
            Self::Timeout => "Timeout",
        }
    }

    /// The first word of what is printed about a case.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Skip => "SKIP",
            Self::Unsupported => "UNSUPPORTED",
            Self::Broken => "BROKEN",
            Self::NoAdapter => "NO ADAPTER",
            Self::NoDevice => "NO DEVICE",
            Self::Crash => "CRASH",
            Self::Timeout => "TIMEOUT",
        }
    }

    /// Whether it counts as failed.
    pub const fn is_failure(self) -> bool {
        match self {
            Self::Fail | Self::Broken | Self::NoDevice | Self::Crash | Self::Timeout => true,
            Self::Pass | Self::Skip | Self::Unsupported | Self::NoAdapter => false,
        }
    }

    /// The exit code of a run with only this status.
    pub const fn exit(self) -> Exit {
        match self {
            Self::Pass | Self::Skip | Self::Unsupported => Exit::AsExpected,
            Self::Fail | Self::Crash | Self::Timeout => Exit::Regression,
            Self::Broken | Self::NoAdapter | Self::NoDevice => Exit::Unusable,
        }
    }
}
