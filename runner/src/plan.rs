//! Turns the paths of a command line into a list of cases.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, mpsc};

use interstage::case::parse::{ParsedCase, UnreadCase, split, split_one};
use interstage::case::{AdapterPattern, ExpectedOutcome, ExpectedStatus};
use regex::bytes::Regex;

use crate::args::Selection;
use crate::case_file;
use crate::weigh::{Known, Listed, Source};

/// Minimum number of files per thread; fewer are not worth another thread. Few files can hold many cases.
const FILES_A_THREAD: usize = 8;

/// Section headers, searched for in files before parsing.
static TEST: LazyLock<Regex> = LazyLock::new(|| header("test"));
static PARAMETERS: LazyLock<Regex> = LazyLock::new(|| header("parameters"));
static EXPECT: LazyLock<Regex> = LazyLock::new(|| header("expect"));

fn header(section: &str) -> Regex {
    Regex::new(&format!(r"(?m)^\[{section}\]")).expect("the pattern is a constant")
}

/// Cases and problems of a command line.
#[derive(Debug, Default)]
pub struct Plan {
    /// The cases: paths in the order given, folders sorted by file name, parameters in the order of the file.
    pub cases: Vec<PlannedCase>,
    /// Paths without cases, one message each. The other cases still run.
    pub problems: Vec<String>,
}

/// One case to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedCase {
    /// The file, plus `#name=value,…` when it has parameters.
    pub name: String,
    /// The file, as given.
    pub file: String,
    /// True if it may need an adapter: it has a `[test]`.
    pub may_draw: bool,
    /// Index among all cases of the command line, before sharding.
    pub index: usize,
    /// Expectations in `[expect]`, with the adapters they apply to.
    pub expected: Vec<(AdapterPattern, Known)>,
}

impl PlannedCase {
    /// A case with only a name and an index.
    pub fn bare(name: &str, index: usize) -> Self {
        let (name, file) = (name.to_owned(), name.to_owned());
        Self { name, file, may_draw: true, index, expected: Vec::new() }
    }

    /// Expectations of the case itself on the adapter with this title.
    pub fn known(&self, adapter_title: Option<&str>) -> impl Iterator<Item = &Known> {
        let fitting = move |(pattern, _): &&(AdapterPattern, Known)| pattern.fits(adapter_title);
        self.expected.iter().filter(fitting).map(|(_, known)| known)
    }
}

/// A file to read, and the name of its case if only one is requested.
struct Wanted {
    file: String,
    case: Option<String>,
}

/// Finds the cases that `selection` names.
pub fn plan(selection: &Selection) -> Plan {
    let mut plan = Plan::default();
    let mut wanted = Vec::new();
    for path in listed(&selection.paths, &mut plan.problems) {
        match find(&path, &mut plan.problems) {
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
    plan.cases.iter_mut().enumerate().for_each(|(index, case)| case.index = index);
    if plan.cases.is_empty() && plan.problems.is_empty() {
        plan.problems.push("no case matches --filter and --exclude".to_owned());
    }
    if let Some(shard) = selection.shard {
        shard.cut(&mut plan.cases, |case| &case.name);
    }
    plan
}

fn is_selected(selection: &Selection, name: &str) -> bool {
    selection.filter.as_ref().is_none_or(|filter| filter.is_match(name))
        && !selection.exclude.as_ref().is_some_and(|exclude| exclude.is_match(name))
}

/// The paths, with `@FILE` replaced by the paths in the list file. Lists do not nest.
fn listed(paths: &[PathBuf], problems: &mut Vec<String>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in paths {
        let Some(list) = path.to_str().and_then(|text| text.strip_prefix('@')) else {
            found.push(path.clone());
            continue;
        };
        match std::fs::read_to_string(list) {
            Ok(text) => {
                let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
                found.extend(lines.map(PathBuf::from));
            }
            Err(error) => problems.push(format!("{list}: cannot read the list: {error}")),
        }
    }
    found
}

/// Files for one path of the command line. An unreadable file or folder inside it is added to `problems`.
fn find(path: &Path, problems: &mut Vec<String>) -> Result<Vec<Wanted>, String> {
    let text = utf8(path)?;
    if path.is_dir() {
        let mut files = Vec::new();
        let before = problems.len();
        walk(path, &mut files, problems);
        if files.is_empty() && problems.len() == before {
            return Err(format!("{text}: the folder has no `*.{}` file", case_file::EXTENSION));
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

/// Collects the case files below `folder`, sorted by name. Links to folders are not followed, so the walk ends.
fn walk(folder: &Path, files: &mut Vec<String>, problems: &mut Vec<String>) {
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => {
            problems.push(format!("{}: cannot read the folder: {error}", folder.display()));
            return;
        }
    };
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&path, files, problems);
        } else if path.extension().is_some_and(|extension| extension == case_file::EXTENSION) {
            match utf8(&path) {
                Ok(file) => files.push(file),
                Err(problem) => problems.push(problem),
            }
        }
    }
}

fn utf8(path: &Path) -> Result<String, String> {
    path.to_str()
        .map(str::to_owned)
        .ok_or_else(|| format!("{}: the path is not UTF-8", path.display()))
}

/// Cases of every file, in file order.
fn cases_in_parallel(files: &[Wanted]) -> Vec<Vec<PlannedCase>> {
    let threads = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(files.len().div_ceil(FILES_A_THREAD));
    let next = AtomicUsize::new(0);
    let mut cases = vec![Vec::new(); files.len()];
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next) = (sender.clone(), &next);
            let work = move || {
                while let Some((idx, wanted)) = take(files, next) {
                    let _ = sender.send((idx, cases_of(wanted)));
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

/// Cases of one file, or the one requested by name. An unreadable file is a case named as the file, so that its
/// worker reports the problem.
fn cases_of(wanted: &Wanted) -> Vec<PlannedCase> {
    let file = wanted.file.as_str();
    let text = case_file::read(file).unwrap_or_default();
    let may_draw = TEST.is_match(&text);
    let planned = |name: &str, expected| PlannedCase {
        file: file.to_owned(),
        may_draw,
        expected,
        ..PlannedCase::bare(name, 0)
    };
    // Only parameters give a file several cases. This check avoids parsing every file twice.
    if !PARAMETERS.is_match(&text) && !EXPECT.is_match(&text) {
        return vec![planned(file, Vec::new())];
    }
    let has_expectations = EXPECT.is_match(&text);
    let plan_one = |case: UnreadCase| {
        let expected = if has_expectations { expectations(file, &case.read()) } else { Vec::new() };
        planned(&case.name, expected)
    };
    let plan_all = || {
        let dialect = case_file::dialect_of(file);
        let one = wanted.case.as_ref().and_then(|name| split_one(file, &text, dialect, name));
        let cases = one.map_or_else(|| split(file, &text, dialect), |one| vec![one]);
        cases.into_iter().map(plan_one).collect::<Vec<_>>()
    };
    // A panic in the parser must lose one case and not the run; the worker will meet it again and report it.
    match catch_unwind(AssertUnwindSafe(plan_all)) {
        Ok(cases) if !cases.is_empty() => cases,
        Ok(_) | Err(_) => vec![planned(file, Vec::new())],
    }
}

fn expectations(file: &str, parsed: &ParsedCase) -> Vec<(AdapterPattern, Known)> {
    let Ok(case) = &parsed.result else { return Vec::new() };
    let known = |expected: &ExpectedOutcome| {
        let (line, _) = parsed.source.line_and_column(expected.span.start);
        let ExpectedOutcome { status, symptom, reason, link, .. } = expected;
        let listed = match status {
            ExpectedStatus::Fail => Listed::Fail,
            ExpectedStatus::Crash => Listed::Crash,
            ExpectedStatus::Timeout => Listed::Timeout,
            ExpectedStatus::Flake => Listed::Flake,
        };
        let words = format!("{file}:{line}: {reason}, {link}");
        (
            expected.adapter.clone(),
            Known { source: Source::Case, listed, symptom: symptom.clone(), words },
        )
    };
    case.expected.iter().map(known).collect()
}
