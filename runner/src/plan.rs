//! Turns the paths of a command line into a list of cases.

mod duplicates;
pub mod lists;
mod paths;

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, mpsc};

use interstage::case::parse::{ParsedCase, UnreadCase};
use interstage::case::{AdapterPattern, ExpectedOutcome, ExpectedStatus};
use regex::bytes::Regex;

use crate::args::Selection;
use crate::files::case_file;
use crate::outcome::weigh::{Known, Listed, Source};
use crate::project;
use crate::project::Project;

/// Minimum number of files per thread, although few files can hold many cases.
const FILES_A_THREAD: usize = 8;

/// Maximum number of other cases that a message about a case names.
const MAX_TOLD: usize = 8;

/// Section headers, searched for in files before parsing.
static TEST: LazyLock<Regex> = LazyLock::new(|| header("test"));
static PARAMETERS: LazyLock<Regex> = LazyLock::new(|| header("parameters"));
static EXPECT: LazyLock<Regex> = LazyLock::new(|| header("expect"));

/// Lines of `[require]` that only an adapter can answer.
static OF_ADAPTER: LazyLock<Regex> = LazyLock::new(|| {
    let lines = r"(?m)^(feature|limit|backend|adapter|(INT\s+)?GL_M\w+)\s";
    Regex::new(lines).expect("the pattern is a constant")
});

fn header(section: &str) -> Regex {
    Regex::new(&format!(r"(?m)^\[{section}\]")).expect("the pattern is a constant")
}

/// Cases and problems of a command line.
#[derive(Debug, Default)]
pub struct Plan {
    /// The cases: paths in the order given, folders sorted by file name, parameters in the order of the file.
    pub cases: Vec<PlannedCase>,
    /// One message each for paths without cases and filters that select nothing; the other cases still run. If several
    /// files share a name, these are the messages about them, and there are no cases.
    pub problems: Vec<String>,
    /// Possible mistakes that do not change the exit code.
    pub notes: Vec<String>,
    /// The project of the cases; none if they belong to no project.
    pub project: Option<Arc<Project>>,
}

/// One case of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedCase {
    /// Path of the file below the root of its project, followed by `#name=value;…` if it has parameters.
    pub name: String,
    /// The file: as given, or as found for a given name.
    pub file: String,
    /// True if the case may need an adapter: it has a `[test]`, requires something of an adapter, or is a script, a WGSL
    /// file or a file of the shader library.
    pub may_draw: bool,
    /// Index among all cases of the command line, before sharding.
    pub index: usize,
    /// Expectations in `[expect]`, with the adapters that they apply to.
    pub expected: Vec<(AdapterPattern, Known)>,
}

impl PlannedCase {
    /// A case with only a name and an index.
    pub fn bare(name: &str, index: usize) -> Self {
        let (name, file) = (name.to_owned(), name.to_owned());
        Self { name, file, may_draw: true, index, expected: Vec::new() }
    }

    /// The case's own expectations for the adapter with this title.
    pub fn known(&self, adapter_title: Option<&str>) -> impl Iterator<Item = &Known> {
        let fitting = move |(pattern, _): &&(AdapterPattern, Known)| pattern.fits(adapter_title);
        self.expected.iter().filter(fitting).map(|(_, known)| known)
    }
}

/// A file to read, and the parameters of its case if only one is requested.
#[derive(Clone, Debug)]
struct Wanted {
    file: String,
    /// Parameters of the requested case, `#name=value;…` as in its name; all cases if `None`.
    parameters: Option<String>,
}

/// Finds the cases that `selection` names.
pub fn plan(selection: &Selection) -> Plan {
    let mut plan = Plan::default();
    let wanted = wanted(selection, &mut plan.problems);
    for (wanted, cases) in wanted.iter().zip(cases_in_parallel(&wanted)) {
        let Some(parameters) = &wanted.parameters else {
            plan.cases.extend(cases);
            continue;
        };
        let is_wanted = |case: &PlannedCase| case_file::parameters_of(&case.name) == parameters;
        if !cases.iter().any(is_wanted) {
            plan.problems.push(no_such_case(&wanted.file, parameters, &cases));
        }
        plan.cases.extend(cases.into_iter().filter(is_wanted));
    }
    plan.choose_project();
    let has_cases = !plan.cases.is_empty();
    select(selection, &mut plan);
    duplicates::remove(&mut plan);
    plan.cases.iter_mut().enumerate().for_each(|(index, case)| case.index = index);
    if !has_cases && plan.problems.is_empty() {
        plan.problems.push("no cases found".to_owned());
    }
    if let Some(shard) = selection.shard {
        shard.cut(&mut plan.cases, |case| &case.name);
    }
    plan
}

/// Finds the files that the paths of `selection` name, without reading them.
pub fn files(selection: &Selection, problems: &mut Vec<String>) -> Vec<String> {
    wanted(selection, problems).into_iter().map(|wanted| wanted.file).collect()
}

fn wanted(selection: &Selection, problems: &mut Vec<String>) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for path in paths::of(selection, problems) {
        match paths::find(&path, problems) {
            Ok(found) => wanted.extend(found),
            Err(problem) => problems.push(problem),
        }
    }
    wanted
}

/// The message that a file has no case with these parameters, and the cases that it has.
fn no_such_case(file: &str, parameters: &str, cases: &[PlannedCase]) -> String {
    let what = match (case_file::is_wgsl(file), case_file::is_shader_library(file)) {
        (true, _) => "entry points",
        (_, true) => "groups and this name",
        _ => "parameters",
    };
    let known = cases.iter().map(|case| case_file::parameters_of(&case.name));
    let known: Vec<_> = known.filter(|known| !known.is_empty()).collect();
    let told: Vec<_> = known.iter().take(MAX_TOLD).map(|known| format!("`{known}`")).collect();
    let told = match known.len().saturating_sub(MAX_TOLD) {
        _ if told.is_empty() => String::new(),
        0 => format!("; it has {}", told.join(", ")),
        more => format!("; it has {} and {more} more", told.join(", ")),
    };
    format!("{file}{parameters}: the file has no case with these {what}{told}")
}

impl Plan {
    /// Finds the project whose settings apply. Cases of two projects with settings are a problem.
    fn choose_project(&mut self) {
        let mut folders = HashSet::new();
        for case in &self.cases {
            let file = Path::new(&case.file);
            if !folders.insert(file.parent()) {
                continue;
            }
            let Ok(Some(found)) = project::of(file) else { continue };
            match &self.project {
                Some(first) if first.root != found.root && first.settings != found.settings => {
                    self.problems.push(format!(
                        "the cases belong to two projects, {} and {}; run them separately",
                        first.root.display(),
                        found.root.display()
                    ));
                    return;
                }
                Some(_) => {}
                None => self.project = Some(found),
            }
        }
    }
}

/// Applies `--filter` and `--exclude`. A filter that selects nothing is a problem.
fn select(selection: &Selection, plan: &mut Plan) {
    if plan.cases.is_empty() {
        return;
    }
    let fits = |pattern: &regex::Regex, case: &PlannedCase| pattern.is_match(&case.name);
    for filter in &selection.filter {
        if !plan.cases.iter().any(|case| fits(filter, case)) {
            plan.problems.push(format!("--filter `{filter}` matches no case"));
        }
    }
    for exclude in &selection.exclude {
        if !plan.cases.iter().any(|case| fits(exclude, case)) {
            plan.notes.push(format!("--exclude `{exclude}` matches no case"));
        }
    }
    let (filters, excludes) = (&selection.filter, &selection.exclude);
    plan.cases.retain(|case| {
        (filters.is_empty() || filters.iter().any(|filter| fits(filter, case)))
            && !excludes.iter().any(|exclude| fits(exclude, case))
    });
    if plan.cases.is_empty() && plan.problems.is_empty() {
        plan.problems.push("no case is left by --filter and --exclude".to_owned());
    }
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

/// Returns the cases of a file, or the one requested by name. For an unreadable file, returns a case with the file's
/// name, so that its worker reports the problem.
fn cases_of(wanted: &Wanted) -> Vec<PlannedCase> {
    let file = wanted.file.as_str();
    let text = case_file::read(file).unwrap_or_default();
    // Entry points, and the cases of a file of the shader library.
    let has_parts = case_file::is_wgsl(file) || case_file::is_shader_library(file);
    let is_stage = case_file::is_stage(file);
    let may_draw = has_parts || case_file::is_script(file) || TEST.is_match(&text);
    let may_draw = !is_stage && (may_draw || OF_ADAPTER.is_match(&text));
    let name = project::identify(file).map_or_else(|_| file.to_owned(), |identity| identity.name);
    let planned = |name: &str, expected| PlannedCase {
        file: file.to_owned(),
        may_draw,
        expected,
        ..PlannedCase::bare(name, 0)
    };
    // Other files have several cases only by their parameters. This check avoids parsing every file twice.
    let has_one = is_stage || !PARAMETERS.is_match(&text) && !EXPECT.is_match(&text);
    if !has_parts && has_one {
        return vec![planned(&name, Vec::new())];
    }
    let has_expectations = EXPECT.is_match(&text);
    let plan_one = |case: UnreadCase| {
        let expected = if has_expectations { expectations(file, &case.read()) } else { Vec::new() };
        planned(&case.name, expected)
    };
    let plan_all = || {
        let parameters = wanted.parameters.as_ref().map(|parameters| format!("{file}{parameters}"));
        let one = parameters.and_then(|one| case_file::split_one_at(file, &text, &one).ok()?);
        let cases = one.map_or_else(|| case_file::split_at(file, &text), |one| Ok(vec![one]));
        cases.unwrap_or_default().into_iter().map(plan_one).collect::<Vec<_>>()
    };
    // A panic in the parser must lose only one case, not the run. The worker panics on it again and reports it.
    match catch_unwind(AssertUnwindSafe(plan_all)) {
        Ok(cases) if !cases.is_empty() => cases,
        Ok(_) | Err(_) => vec![planned(&name, Vec::new())],
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
