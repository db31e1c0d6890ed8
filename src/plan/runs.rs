//! Plans cases whose tessellation levels only runs determine.

use case::Case;
use ir::readback::Snapshot;

use crate::error::ExecuteError;
use crate::levels::{MAX_UNKNOWN_DRAWS, too_many_unknown_draws};
use crate::plan::Plan;
use crate::planner::{PlanOptions, plan_with};
use crate::programs::Programs;

/// Plans a case. `run` returns the snapshots of a plan that ends where it needs levels; the last one has them. Then
/// planning starts again with these levels.
///
/// # Errors
/// As for [`crate::plan()`] and `run`; [`ExecuteError::LevelsNotRead`] if a run does not return its last snapshot, and
/// [`ExecuteError::Lacking`] if too many draws need a run.
pub fn plan_by_runs(
    case: &Case,
    programs: Programs<'_>,
    options: PlanOptions,
    mut run: impl FnMut(Plan) -> Result<Vec<Option<Snapshot>>, ExecuteError>,
) -> Result<Plan, ExecuteError> {
    let mut levels = Vec::new();
    loop {
        let plan = plan_with(case, programs, options, &levels)?;
        let Some(wanted) = plan.wanted_levels else { return Ok(plan) };
        if levels.len() >= MAX_UNKNOWN_DRAWS {
            return Err(ExecuteError::Lacking(too_many_unknown_draws()));
        }
        levels.push(wanted.read(&run(plan)?).ok_or(ExecuteError::LevelsNotRead)?);
    }
}
