//! The program's exit codes.

use std::process::ExitCode;

/// Exit status of the program; with several cases, that of the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// 0: every result was as expected.
    AsExpected,
    /// 2: every result was as listed or better.
    Improvement,
    /// 1: a case failed, crashed or timed out.
    Regression,
    /// 3: wrong usage, a broken case, no adapter, or an incomplete run.
    Unusable,
}

impl Exit {
    /// The numeric exit code.
    pub const fn code(self) -> u8 {
        match self {
            Self::AsExpected => 0,
            Self::Improvement => 2,
            Self::Regression => 1,
            Self::Unusable => 3,
        }
    }

    /// The worst exit, or the first error.
    pub fn worst(exits: impl IntoIterator<Item = anyhow::Result<Self>>) -> anyhow::Result<Self> {
        exits.into_iter().try_fold(Self::AsExpected, |worst, exit| Ok(worst.max(exit?)))
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
