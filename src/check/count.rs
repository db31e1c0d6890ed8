//! Probes of the number of primitives of a query.

use case::CountProbe;
use ir::readback::Snapshot;

use super::kind::{Kind, Mismatch, RunResult};

impl Kind for CountProbe {
    fn check(&self, result: &RunResult<'_>) -> Result<(), Mismatch> {
        let expected = self.expected;
        match result.snapshot {
            Some(Snapshot::Count(actual)) if *actual == expected => Ok(()),
            Some(Snapshot::Count(actual)) => {
                Err(Mismatch(vec![format!("expected  {expected}"), format!("actual    {actual}")]))
            }
            Some(Snapshot::Image(_) | Snapshot::Buffer(_)) | None => {
                Err(Mismatch::from("nothing was read back"))
            }
        }
    }
}
