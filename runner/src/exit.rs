//! The program's exit codes.

use std::process::ExitCode;

/// How the program ends. Code 2 (only improvements over a list of known failures) is reserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// 0: everything was as expected.
    AsExpected,
    /// 1: a case failed, crashed or timed out.
    Regression,
    /// 3: wrong use, a broken case, or no adapter.
    Unusable,
}

impl Exit {
    /// The number that the shell sees.
    pub const fn code(self) -> u8 {
        match self {
            Self::AsExpected => 0,
            Self::Regression => 1,
            Self::Unusable => 3,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
