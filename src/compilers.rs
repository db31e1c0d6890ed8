//! Blames compilers between the linker and the driver.

use case::Case;
use check::Goldens;
use check::verdict::Failure;
use ir::readback::{Extent, Readback};
use link::session::LinkedPrograms;

use crate::device::Device;

/// Begins the lines of a failure that say who is to blame.
const BLAME: &str = "blame     ";

/// Whom the oracle blames when it cannot tell a compiler from the driver.
const DIRECT: &str = "naga or the driver";

/// The readback of a case through other compilers, and the goldens of its expectations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observed<'a> {
    pub(crate) readback: &'a Readback,
    pub(crate) goldens: &'a Goldens,
}

/// Runs a case that failed through other compilers once more on the same device without them, and adds to each failure
/// whether it fails then, too. A failure that the oracle explains otherwise, such as values that nothing decides, is left
/// alone. Without other compilers, nothing happens.
pub(crate) fn blame(
    case: &Case,
    device: &Device,
    programs: &LinkedPrograms,
    Observed { readback: through, goldens }: Observed<'_>,
    failures: &mut [Failure],
) {
    let Some(names) = device.compilers() else { return };
    if failures.is_empty() {
        return;
    }
    let found = device.without_compilers(|| device.execute(case, programs, Extent::Whole));
    let Ok(readback) = found else { return };
    let direct = check::check(case, &readback, goldens);
    let expected = check::check(case, through, goldens);
    let is_expectation = |line| expected.iter().any(|own| own.line == line);
    let is_open = |failure: &&mut Failure| {
        let mut blames = failure.details.iter().filter_map(|line| line.strip_prefix(BLAME));
        blames.all(|blamed| blamed.starts_with(DIRECT))
    };
    for failure in failures.iter_mut().filter(is_open) {
        let same = direct.iter().find(|own| own.line == failure.line);
        let blame = match same {
            // Only the oracle objects, and it has not seen what the adapter gives without the compiler.
            None if !is_expectation(failure.line) => {
                if readback.snapshots == through.snapshots {
                    format!("{BLAME}not {names}: without it, the adapter gives the same")
                } else {
                    format!("{BLAME}not decided: without {names}, the adapter gives other values")
                }
            }
            None => {
                // The oracle blamed the direct way, which turned out to be right.
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
