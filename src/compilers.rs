//! Blames compilers between the linker and the driver.

use case::Case;
use check::Goldens;
use check::verdict::Failure;
use ir::readback::Extent;
use link::session::LinkedPrograms;

use crate::device::Device;

/// Begins the lines of a failure that say who is to blame.
const BLAME: &str = "blame     ";

/// Runs a case that failed through other compilers once more on the same device without them, and adds to each failure
/// whether it fails then, too. Without other compilers, nothing happens.
pub(crate) fn blame(
    case: &Case,
    device: &Device,
    programs: &LinkedPrograms,
    goldens: &Goldens,
    failures: &mut [Failure],
) {
    let Some(names) = device.compilers() else { return };
    if failures.is_empty() {
        return;
    }
    let found = device.without_compilers(|| device.execute(case, programs, Extent::Whole));
    let Ok(readback) = found else { return };
    let direct = check::check(case, &readback, goldens);
    for failure in failures {
        let same = direct.iter().find(|own| own.line == failure.line);
        let blame = match same {
            None => {
                // What the oracle blames then is the direct way, which is right.
                failure.details.retain(|line| !line.starts_with(BLAME));
                format!("{BLAME}{names}: without it, the adapter gives what is expected")
            }
            Some(own) if values_of(own) == values_of(failure) => {
                format!("{BLAME}not {names}: without it, the adapter gives the same")
            }
            Some(_) => format!(
                "{BLAME}not {names} alone: without it, the adapter gives something else that is wrong"
            ),
        };
        failure.details.push(blame);
    }
}

/// The details of a failure, without who is to blame.
fn values_of(failure: &Failure) -> Vec<&str> {
    let lines = failure.details.iter().map(String::as_str);
    lines.filter(|line| !line.starts_with(BLAME) && !line.starts_with("values ")).collect()
}
