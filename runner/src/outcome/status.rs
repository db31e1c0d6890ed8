//! Status of a case, after weighing its outcome against lists.

use serde::{Deserialize, Serialize};

use crate::exit::Exit;

/// Status of a case in summaries, result files and the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Status {
    /// Every expectation held.
    Pass,
    /// Some expectation did not hold.
    Fail,
    /// The adapter lacks something that the case requires.
    Skip,
    /// interstage does not support the case yet.
    Unsupported,
    /// The case ran, but too many values depend on rounding or are undefined.
    Undecided,
    /// The case ran, but changed nothing that is compared.
    Untested,
    /// The file is invalid.
    Broken,
    /// There is no adapter at all.
    NoAdapter,
    /// There is an adapter, but it provides no device.
    NoDevice,
    /// The worker died, panicked, lost its device, or used too much memory.
    Crash,
    /// The worker was killed because it took too long.
    Timeout,
    /// The case failed at first, but passed when it was repeated alone on a fresh worker.
    Flake,
    /// The case timed out beside others, but passed when it was repeated alone on a fresh worker.
    Slow,
    /// The case failed and is listed as a flake.
    KnownFlake,
    /// The case failed as listed.
    ExpectedFail,
    /// The case passed, but another outcome is listed.
    ImprovedToPass,
    /// The case was skipped, but is listed to fail.
    ImprovedToSkip,
    /// The case only failed, but is listed to crash or to take too long.
    ImprovedToFail,
}

/// What a result counts as in totals. Every result counts once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Passed at the first attempt.
    Passed,
    /// Failed in a way that no list names, or improved over a list.
    Failed,
    /// Did not run.
    Skipped,
    /// Failed as listed.
    Known,
    /// Failed at first and passed when run again.
    Flaky,
    /// Timed out beside others and passed alone.
    Slow,
    /// Ran, but too many values depend on rounding or are undefined.
    Undecided,
    /// Ran, but changed nothing that is compared.
    Untested,
}

impl Class {
    /// All classes, in the order of totals.
    pub const ALL: [Self; 8] = [
        Self::Passed,
        Self::Failed,
        Self::Skipped,
        Self::Known,
        Self::Flaky,
        Self::Slow,
        Self::Undecided,
        Self::Untested,
    ];

    /// The word for several results of the class.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Known => "known failures",
            Self::Flaky => "flakes",
            Self::Slow => "slow",
            Self::Undecided => "not decided",
            Self::Untested => "not tested",
        }
    }

    /// True for the classes that totals always name.
    pub const fn is_always_named(self) -> bool {
        matches!(self, Self::Passed | Self::Failed | Self::Skipped)
    }
}

impl Status {
    /// The status before weighing against lists and `[expect]`.
    #[must_use]
    pub const fn observed(self) -> Self {
        match self {
            Self::Flake | Self::Slow | Self::ImprovedToPass => Self::Pass,
            Self::ImprovedToSkip => Self::Skip,
            Self::KnownFlake | Self::ExpectedFail | Self::ImprovedToFail => Self::Fail,
            Self::Pass
            | Self::Fail
            | Self::Skip
            | Self::Unsupported
            | Self::Undecided
            | Self::Untested
            | Self::Broken
            | Self::NoAdapter
            | Self::NoDevice
            | Self::Crash
            | Self::Timeout => self,
        }
    }

    /// deqp-runner's word for the status.
    pub const fn csv_word(self) -> &'static str {
        match self {
            Self::Pass => "Pass",
            Self::Fail | Self::Broken | Self::NoDevice => "Fail",
            Self::Skip | Self::Unsupported | Self::Undecided | Self::Untested | Self::NoAdapter => {
                "Skip"
            }
            Self::Crash => "Crash",
            Self::Timeout => "Timeout",
            // deqp-runner has no word for a case that only takes long.
            Self::Flake | Self::Slow => "Flake",
            Self::KnownFlake => "KnownFlake",
            Self::ExpectedFail => "ExpectedFail",
            Self::ImprovedToPass => "UnexpectedImprovement(Pass)",
            Self::ImprovedToSkip => "UnexpectedImprovement(Skip)",
            Self::ImprovedToFail => "UnexpectedImprovement(Fail)",
        }
    }

    /// First word of the printed report of a case.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Skip => "SKIP",
            Self::Unsupported => "UNSUPPORTED",
            Self::Undecided => "NOT DECIDED",
            Self::Untested => "NOT TESTED",
            Self::Broken => "BROKEN",
            Self::NoAdapter => "NO ADAPTER",
            Self::NoDevice => "NO DEVICE",
            Self::Crash => "CRASH",
            Self::Timeout => "TIMEOUT",
            Self::Flake => "FLAKE",
            Self::Slow => "SLOW",
            Self::KnownFlake => "KNOWN FLAKE",
            Self::ExpectedFail => "EXPECTED FAIL",
            Self::ImprovedToPass | Self::ImprovedToSkip | Self::ImprovedToFail => "IMPROVED",
        }
    }

    /// What the status counts as.
    pub const fn class(self) -> Class {
        match self {
            Self::Pass => Class::Passed,
            Self::Fail
            | Self::Broken
            | Self::NoDevice
            | Self::Crash
            | Self::Timeout
            | Self::ImprovedToPass
            | Self::ImprovedToSkip
            | Self::ImprovedToFail => Class::Failed,
            Self::Skip | Self::Unsupported | Self::NoAdapter => Class::Skipped,
            Self::ExpectedFail | Self::KnownFlake => Class::Known,
            Self::Flake => Class::Flaky,
            Self::Slow => Class::Slow,
            Self::Undecided => Class::Undecided,
            Self::Untested => Class::Untested,
        }
    }

    /// True if the status counts as a failure, because it differs from the lists. An improvement also counts, so that
    /// the lists stay up to date.
    pub const fn is_failure(self) -> bool {
        matches!(self.class(), Class::Failed)
    }

    /// True if an attempt with this status justifies another one.
    pub const fn is_suspect(self) -> bool {
        match self {
            Self::Fail | Self::Crash | Self::Timeout | Self::NoDevice => true,
            Self::Pass
            | Self::Skip
            | Self::Unsupported
            | Self::Undecided
            | Self::Untested
            | Self::Broken
            | Self::NoAdapter
            | Self::Flake
            | Self::Slow
            | Self::KnownFlake
            | Self::ExpectedFail
            | Self::ImprovedToPass
            | Self::ImprovedToSkip
            | Self::ImprovedToFail => false,
        }
    }

    /// Exit code of a run with only this status.
    pub const fn exit(self) -> Exit {
        match self {
            Self::Pass
            | Self::Skip
            | Self::Unsupported
            | Self::Undecided
            | Self::Untested
            | Self::Flake
            | Self::Slow
            | Self::KnownFlake
            | Self::ExpectedFail => Exit::AsExpected,
            Self::ImprovedToPass | Self::ImprovedToSkip | Self::ImprovedToFail => Exit::Improvement,
            Self::Fail | Self::Crash | Self::Timeout => Exit::Regression,
            Self::Broken | Self::NoAdapter | Self::NoDevice => Exit::Unusable,
        }
    }
}
