//! Cases that a command line names twice, and files that share a name.
//!
//! Results, journals, lists and comparisons identify a case by its name alone. So two files with one name cannot be in
//! the same run, which would silently leave one of them out.

use interstage::ir::diagnostic::counted;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use super::Plan;
use crate::files::case_file;
use crate::project;

/// Maximum number of shared names that are listed.
const MAX_NAMES: usize = 10;

/// Keeps the first of cases that were named twice. If different files share a name, removes all cases and reports the
/// shared names as problems.
pub(super) fn remove(plan: &mut Plan) {
    let mut first_files: HashMap<String, String> = HashMap::new();
    let mut clashes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    plan.cases.retain(|case| match first_files.entry(case.name.clone()) {
        Entry::Vacant(entry) => {
            entry.insert(case.file.clone());
            true
        }
        Entry::Occupied(first) => {
            if !is_same(first.get(), &case.file) {
                let files = clashes.entry(case_file::file_of(&case.name).to_owned());
                let files = files.or_insert_with(|| vec![first.get().clone()]);
                if !files.iter().any(|file| is_same(file, &case.file)) {
                    files.push(case.file.clone());
                }
            }
            false
        }
    });
    if clashes.is_empty() {
        return;
    }
    plan.cases.clear();
    let told = clashes.iter().take(MAX_NAMES);
    plan.problems.extend(told.map(|(name, files)| message(name, files)));
    if let Some(more) = clashes.len().checked_sub(MAX_NAMES).filter(|more| *more > 0) {
        let verb = if more == 1 { "stands" } else { "stand" };
        let names = counted(more, "more name");
        plan.problems.push(format!("… and {names} {verb} for several files"));
    }
}

fn is_same(one: &str, other: &str) -> bool {
    let whole = |file: &str| std::fs::canonicalize(file).ok();
    one == other || whole(one).is_some_and(|one| Some(one) == whole(other))
}

fn message(name: &str, files: &[String]) -> String {
    let (last, others) = files.split_last().expect("a clash has two files");
    let number = if others.len() == 1 { "both" } else { "all" };
    let others = others.join(", ");
    format!("{others} and {last} are {number} called {name}, so nothing is run; {}", advice(files))
}

fn advice(files: &[String]) -> String {
    let roots = files.iter().filter_map(|file| project::identify(file).ok());
    let mut roots: Vec<PathBuf> = roots.map(|identity| identity.root).collect();
    roots.dedup();
    let settings = project::FILE;
    if roots.len() < 2 {
        return "commas in names are replaced, so rename all but one of them".to_owned();
    }
    if roots.iter().any(|root| root.join(settings).is_file()) {
        return format!(
            "run each project by itself, or have one `{settings}` above them in place of their own"
        );
    }
    format!("run them separately, or write an `{settings}` above them")
}
