//! Turns the paths of a command line into a list of cases.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use crate::args::Selection;
use crate::case_file;

/// What a command line asks for.
#[derive(Debug, Default)]
pub struct Plan {
    /// The cases: paths in the order given, folders in the order of their file names, parameters as the file has them.
    pub cases: Vec<PlannedCase>,
    /// Paths that gave nothing, one message each. The cases are run all the same.
    pub problems: Vec<String>,
}

/// One case to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedCase {
    /// The file, plus `#name=value,…` when it has parameters.
    pub name: String,
    /// The file, as given.
    pub file: String,
    /// Whether it can run only on an adapter.
    pub needs_gpu: bool,
}

/// A file to be looked into, and the one case of it that was asked for, if not all.
struct Wanted {
    file: String,
    case: Option<String>,
}

/// Finds the cases that `selection` names.
pub fn plan(selection: &Selection) -> Plan {
    let mut plan = Plan::default();
    let mut wanted = Vec::new();
    for path in &selection.paths {
        match find(path) {
            Ok(found) => wanted.extend(found),
            Err(problem) => plan.problems.push(problem),
        }
    }
    for (wanted, cases) in wanted.iter().zip(cases_in_parallel(&wanted)) {
        let before = plan.cases.len();
        let is_wanted =
            |case: &PlannedCase| wanted.case.as_ref().is_none_or(|name| *name == case.name);
        plan.cases.extend(cases.into_iter().filter(is_wanted));
        if let Some(case) = wanted.case.as_ref().filter(|_| plan.cases.len() == before) {
            plan.problems.push(format!("{case}: the file has no case with these parameters"));
        }
    }
    plan.cases.retain(|case| is_selected(selection, &case.name));
    let mut seen = HashSet::new();
    plan.cases.retain(|case| seen.insert(case.name.clone()));
    if plan.cases.is_empty() && plan.problems.is_empty() {
        plan.problems.push("no case is left after --filter and --exclude".to_owned());
    }
    plan
}

fn is_selected(selection: &Selection, name: &str) -> bool {
    selection.filter.as_ref().is_none_or(|filter| filter.is_match(name))
        && !selection.exclude.as_ref().is_some_and(|exclude| exclude.is_match(name))
}

/// The files that one path of the command line means.
fn find(path: &Path) -> Result<Vec<Wanted>, String> {
    let text = utf8(path)?;
    if path.is_dir() {
        let mut files = Vec::new();
        walk(path, &mut files)?;
        if files.is_empty() {
            return Err(format!("{text}: no `*.{}` file in this folder", case_file::EXTENSION));
        }
        return Ok(files.into_iter().map(|file| Wanted { file, case: None }).collect());
    }
    if path.exists() {
        return Ok(vec![Wanted { file: text, case: None }]);
    }
    let file_of_case =
        text.split_once('#').map(|(file, _)| file).filter(|file| Path::new(file).is_file());
    match file_of_case {
        Some(file) => Ok(vec![Wanted { file: file.to_owned(), case: Some(text.clone()) }]),
        None => Err(format!("{text}: no such file or folder")),
    }
}

/// Collects the case files below `folder`, in the order of their names. Links to folders are not followed,
/// so the walk ends.
fn walk(folder: &Path, files: &mut Vec<String>) -> Result<(), String> {
    let explain =
        |error: std::io::Error| format!("{}: cannot read the folder: {error}", folder.display());
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut entries = entries.map_err(explain)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == case_file::EXTENSION) {
            files.push(utf8(&path)?);
        }
    }
    Ok(())
}

fn utf8(path: &Path) -> Result<String, String> {
    path.to_str()
        .map(str::to_owned)
        .ok_or_else(|| format!("{}: the path is not UTF-8", path.display()))
}

/// The cases of every file, in the files' order.
fn cases_in_parallel(files: &[Wanted]) -> Vec<Vec<PlannedCase>> {
    let threads =
        std::thread::available_parallelism().map_or(1, usize::from).min(files.len().div_ceil(64));
    let next = AtomicUsize::new(0);
    let mut cases = vec![Vec::new(); files.len()];
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next) = (sender.clone(), &next);
            let work = move || {
                while let Some((idx, wanted)) = take(files, next) {
                    let _ = sender.send((idx, cases_of(&wanted.file)));
                }
            };
            std::thread::Builder::new()
                .stack_size(case_file::STACK_BYTES)
                .spawn_scoped(scope, work)
                .expect("the system can start a thread");
        }
        drop(sender);
        for (idx, found) in receiver {
            cases[idx] = found;
        }
    });
    cases
}

fn take<'a, T>(items: &'a [T], next: &AtomicUsize) -> Option<(usize, &'a T)> {
    let idx = next.fetch_add(1, Ordering::Relaxed);
    items.get(idx).map(|item| (idx, item))
}

/// The cases of one file. One that cannot be read is a case named as the file, so that its worker reports what is
/// wrong with it.
fn cases_of(file: &str) -> Vec<PlannedCase> {
    // A panic in the parser must cost one case and not the run; the worker will meet it again and report it.
    let parsed = catch_unwind(AssertUnwindSafe(|| case_file::load(file)));
    let planned = |name, needs_gpu| PlannedCase { name, file: file.to_owned(), needs_gpu };
    match parsed {
        Ok(Ok(cases)) if !cases.is_empty() => cases
            .into_iter()
            .map(|case| planned(case.name, case.result.as_ref().is_ok_and(interstage::needs_gpu)))
            .collect(),
        Ok(Ok(_) | Err(_)) | Err(_) => vec![planned(file.to_owned(), false)],
    }
}
