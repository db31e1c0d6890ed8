//! Comparisons with the oracle, which judges them itself.

use case::{OracleSource, Tolerance};
use ir::format::Format;

use super::kind::{Kind, Mismatch, RunResult};

impl Kind for OracleSource {
    /// Accepts any result: the oracle reports what differs, and what was not read back.
    fn check(&self, _result: &RunResult<'_>) -> Result<(), Mismatch> {
        Ok(())
    }

    fn tolerance_text(&self, _in_force: Tolerance, _format: Format) -> String {
        "the precision rules".to_owned()
    }
}
