//! Blames compilers between the linker and the driver.

use case::Case;
use check::verdict::Failure;
use ir::readback::{Extent, Readback};
use link::session::LinkedPrograms;

use crate::device::Device;

/// Begins the lines of a failure that say who is to blame.
const BLAME: &str = "blame     ";

/// Whom the oracle blames when it cannot tell a compiler from the driver.
const DIRECT: &str = "naga or the driver";

/// A case that ran through other compilers, and what came back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ran<'a> {
    pub(crate) case: &'a Case,
    pub(crate) device: &'a Device,
    pub(crate) programs: &'a LinkedPrograms,
    pub(crate) readback: &'a Readback,
}

/// Runs a case that failed through other compilers once more on the same device without them, and adds to each failure
/// whether it fails then, too. A failure that the oracle explains otherwise, such as values that nothing decides, is left
/// alone. `failures_of` finds what is wrong with a readback. Without other compilers, nothing happens.
pub(crate) fn blame(
    ran: Ran<'_>,
    failures_of: &impl Fn(&Readback) -> Vec<Failure>,
    failures: &mut [Failure],
) {
    let Ran { case, device, programs, readback: through } = ran;
    let Some(names) = device.compilers() else { return };
    if failures.is_empty() {
        return;
    }
    let found = device.without_compilers(|| device.execute(case, programs, Extent::Whole));
    let Ok(readback) = found else { return };
    let (direct, own) = (failures_of(&readback), failures_of(through));
    let is_judged = |line| own.iter().any(|own| own.line == line);
    let is_open = |failure: &&mut Failure| {
        let mut blames = failure.details.iter().filter_map(|line| line.strip_prefix(BLAME));
        blames.all(|blamed| blamed.starts_with(DIRECT))
    };
    // Failures of linking come before any compiler.
    let open = failures.iter_mut().filter(is_open).filter(|failure| is_judged(failure.line));
    for failure in open {
        let same = direct.iter().find(|own| own.line == failure.line);
        let blame = match same {
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
