//! The adapters of a run that repeats failed cases (`--failed DIR`).

use std::path::PathBuf;

use crate::command::run::execution::{adapters_for, print_note};
use crate::plan::Plan;
use crate::pool::child::WorkerProgram;
use crate::protocol::Adapter;
use crate::report::json::{self, AdapterRecord};

/// Adapters on which cases of these results failed, each once. Unreadable results are skipped, because the plan has
/// already reported them.
pub(in crate::command) fn adapters_of(folders: &[PathBuf]) -> Vec<AdapterRecord> {
    let mut found: Vec<AdapterRecord> = Vec::new();
    for results in folders.iter().flat_map(|folder| json::read_all(folder).unwrap_or_default()) {
        let has_failed = results.cases.iter().any(|case| case.kind.is_failure());
        let adapter = results.adapter.filter(|_| has_failed);
        found.extend(
            adapter.filter(|adapter| !found.iter().any(|known| known.selector == adapter.selector)),
        );
    }
    found
}

/// Returns the machine's adapters with these selectors. If one is missing, prints a note and returns none. Also prints
/// a note about each adapter that differs from the one in the results.
pub(in crate::command) fn again(
    program: &WorkerProgram,
    plan: &Plan,
    recorded: &[AdapterRecord],
) -> Option<Vec<Adapter>> {
    let selectors: Vec<_> = recorded.iter().map(|adapter| adapter.selector.as_str()).collect();
    let found = match adapters_for(program, plan, Some(&selectors.join(","))) {
        Ok(found) => found,
        Err(error) => {
            print_note(&format!("the cases do not run on the adapter of their results: {error:#}"));
            return None;
        }
    };
    for adapter in &found {
        let own = recorded.iter().find(|own| own.selector == adapter.selector());
        if let Some(own) = own.filter(|own| own.title != adapter.title) {
            print_note(&format!(
                "the results are of {}, and {} is {}",
                own.title, own.selector, adapter.title
            ));
        }
    }
    Some(found)
}
