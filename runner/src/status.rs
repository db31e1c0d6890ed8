//! How an outcome counts.

use interstage::check::verdict::Verdict;
use serde::{Deserialize, Serialize};

use crate::exit::Exit;
use crate::outcome::Outcome;

/// How a case counts in summaries, result files and the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
    /// It went wrong, and passed when it was run again, alone and on a fresh worker.
    Flake,
    /// It went wrong, and is listed as a flake.
    KnownFlake,
    /// It went wrong as listed.
    ExpectedFail,
    /// It passed, though another outcome is listed.
    ImprovedToPass,
    /// It is skipped, though it is listed to go wrong.
    ImprovedToSkip,
    /// It only fails, though it is listed to crash or to take too long.
    ImprovedToFail,
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

    /// What it would be if nothing were known of the case.
    #[must_use]
    pub const fn observed(self) -> Self {
        match self {
            Self::Flake | Self::ImprovedToPass => Self::Pass,
            Self::ImprovedToSkip => Self::Skip,
            Self::KnownFlake | Self::ExpectedFail | Self::ImprovedToFail => Self::Fail,
            Self::Pass
            | Self::Fail
            | Self::Skip
            | Self::Unsupported
            | Self::Broken
            | Self::NoAdapter
            | Self::NoDevice
            | Self::Crash
            | Self::Timeout => self,
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
            Self::Flake => "Flake",
            Self::KnownFlake => "KnownFlake",
            Self::ExpectedFail => "ExpectedFail",
            Self::ImprovedToPass => "UnexpectedImprovement(Pass)",
            Self::ImprovedToSkip => "UnexpectedImprovement(Skip)",
            Self::ImprovedToFail => "UnexpectedImprovement(Fail)",
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
            Self::Flake => "FLAKE",
            Self::KnownFlake => "KNOWN FLAKE",
            Self::ExpectedFail => "EXPECTED FAIL",
            Self::ImprovedToPass | Self::ImprovedToSkip | Self::ImprovedToFail => "IMPROVED",
        }
    }

    /// Whether it counts as failed: it is not as the lists say. Being better than listed counts too, so that no list
    /// grows old.
    pub const fn is_failure(self) -> bool {
        match self {
            Self::Fail
            | Self::Broken
            | Self::NoDevice
            | Self::Crash
            | Self::Timeout
            | Self::ImprovedToPass
            | Self::ImprovedToSkip
            | Self::ImprovedToFail => true,
            Self::Pass
            | Self::Skip
            | Self::Unsupported
            | Self::NoAdapter
            | Self::Flake
            | Self::KnownFlake
            | Self::ExpectedFail => false,
        }
    }

    /// Whether one attempt like this is reason enough for another.
    pub const fn is_suspect(self) -> bool {
        match self {
            Self::Fail | Self::Crash | Self::Timeout | Self::NoDevice => true,
            Self::Pass
            | Self::Skip
            | Self::Unsupported
            | Self::Broken
            | Self::NoAdapter
            | Self::Flake
            | Self::KnownFlake
            | Self::ExpectedFail
            | Self::ImprovedToPass
            | Self::ImprovedToSkip
            | Self::ImprovedToFail => false,
        }
    }

    /// The exit code of a run with only this status.
    pub const fn exit(self) -> Exit {
        match self {
            Self::Pass
            | Self::Skip
            | Self::Unsupported
            | Self::Flake
            | Self::KnownFlake
            | Self::ExpectedFail => Exit::AsExpected,
            Self::ImprovedToPass | Self::ImprovedToSkip | Self::ImprovedToFail => Exit::Improvement,
            Self::Fail | Self::Crash | Self::Timeout => Exit::Regression,
            Self::Broken | Self::NoAdapter | Self::NoDevice => Exit::Unusable,
        }
    }
}
