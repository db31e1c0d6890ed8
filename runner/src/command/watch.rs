//! `interstage watch`: runs cases again whenever one of their files is saved.
//!
//! A saved case file affects its own cases, and a golden affects the cases of its file; other files are ignored.
//! Editors save in several steps, so saves in quick succession count as one change.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::Context as _;
use notify::{Event, EventKind, RecursiveMode, Watcher as _};

use crate::args::{PoolOptions, Selection, WatchOptions};
use crate::command::run::execution::{
    Execution, Rules, adapters_for, pool_program, print_problems,
};
use crate::command::say;
use crate::exit::Exit;
use crate::files::{case_file, golden};
use crate::plan::{Plan, plan};
use crate::project;
use crate::protocol::Purpose;
use crate::report::console::Console;
use crate::report::failure::Invocation;
use crate::report::progress::Verbosity;

/// Time without further saves before the cases are run.
const SETTLED: Duration = Duration::from_millis(100);

/// Runs the cases once, then again after each change until interrupted.
pub fn watch(options: &WatchOptions) -> anyhow::Result<Exit> {
    let first = plan(&options.selection);
    if !first.problems.is_empty() {
        // There is nothing to watch.
        return Ok(print_problems(&first));
    }
    let paths = paths_of(&options.selection, &first);
    let (sender, changes) = channel();
    let mut watcher = notify::recommended_watcher(sender).context("cannot watch files")?;
    for folder in watched(&paths) {
        watcher
            .watch(&folder, RecursiveMode::Recursive)
            .with_context(|| format!("cannot watch {}", folder.display()))?;
    }
    let mut exit = run(&options.selection, &options.pool)?;
    say("watching for changes; press Ctrl-C to stop")?;
    let mut rounds = 0;
    while options.rounds.is_none_or(|most| rounds < most) {
        let Some(saved) = next_change(&changes) else { break };
        let files = affected(&saved, &paths);
        if files.is_empty() {
            continue;
        }
        let names: Vec<_> = files.iter().map(|file| file.display().to_string()).collect();
        say(&format!("saved: {}", names.join(", ")))?;
        let selection = Selection { paths: files, ..options.selection.clone() };
        exit = run(&selection, &options.pool)?;
        rounds += 1;
    }
    Ok(exit)
}

/// Files and folders of the selection, as paths that can be opened from the current folder. A case's name stands for
/// its file. Lists, the failed cases of a run, and the default stand for the files of their cases.
fn paths_of(selection: &Selection, plan: &Plan) -> Vec<PathBuf> {
    let file_of = |path: &PathBuf| {
        let text = path.to_str()?;
        project::find(path).or_else(|| project::find(Path::new(case_file::file_of(text))))
    };
    let found: Vec<_> = selection.paths.iter().map(file_of).collect();
    let are_all_found = !found.is_empty() && selection.failed.is_empty();
    match found.into_iter().collect::<Option<Vec<_>>>().filter(|_| are_all_found) {
        Some(found) => found,
        None => plan.cases.iter().map(|case| PathBuf::from(&case.file)).collect(),
    }
}

fn run(selection: &Selection, pool: &PoolOptions) -> anyhow::Result<Exit> {
    let plan = plan(selection);
    let paths = print_problems(&plan);
    if plan.cases.is_empty() {
        return Ok(paths);
    }
    let pool = &pool.or_of(plan.project.as_deref());
    let program = pool_program(pool, None)?;
    let adapters = adapters_for(&program, &plan, pool.adapter.as_deref())?;
    let mut console =
        Console::new(anstream::stdout(), Verbosity::Normal, Invocation::of_this_process());
    let execution = Execution {
        cases: &plan.cases,
        adapters: &adapters,
        program: &program,
        limits: &pool.workers,
        purpose: Purpose::Check { keep: None, profile: None, emulated: None, asks_oracle: false },
        rules: Rules::default(),
    };
    Ok(execution.run(&mut [&mut console])?.max(paths))
}

/// Folders to watch: those of the cases and of their goldens.
fn watched(paths: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut folders = BTreeSet::new();
    for path in paths {
        let folder = if path.is_dir() { path.clone() } else { parent(path) };
        let inside = folder.join("x");
        if let Some(Ok(Some((beside, _)))) = inside.to_str().map(project::golden_place) {
            let goldens = beside.join(golden::FOLDER);
            folders.extend(goldens.is_dir().then_some(goldens));
        }
        folders.insert(folder);
    }
    folders
}

fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        Some(_) | None => PathBuf::from("."),
    }
}

/// Waits until no more files are saved, and returns the saved ones; `None` if the watcher is gone.
fn next_change(changes: &Receiver<notify::Result<Event>>) -> Option<BTreeSet<PathBuf>> {
    let mut saved = BTreeSet::new();
    let add = |saved: &mut BTreeSet<_>, event: notify::Result<Event>| {
        let is_change = |event: &Event| {
            matches!(event.kind, EventKind::Create(_) | EventKind::Modify(_) | EventKind::Any)
        };
        if let Some(event) = event.ok().filter(is_change) {
            saved.extend(event.paths);
        }
    };
    while saved.is_empty() {
        add(&mut saved, changes.recv().ok()?);
    }
    while let Ok(event) = changes.recv_timeout(SETTLED) {
        add(&mut saved, event);
    }
    Some(saved)
}

/// Case files affected by the saved files, as named on the command line.
fn affected(saved: &BTreeSet<PathBuf>, paths: &[PathBuf]) -> Vec<PathBuf> {
    let current = std::env::current_dir().unwrap_or_default();
    let relative = |path: &Path| path.strip_prefix(&current).unwrap_or(path).to_owned();
    let files: BTreeSet<_> = saved
        .iter()
        .map(|path| relative(path))
        .filter_map(|path| case_file_of(&path))
        .filter(|file| file.is_file())
        .collect();
    let is_wanted = |file: &PathBuf| {
        let whole = std::path::absolute(file).unwrap_or_default();
        paths.iter().any(|path| {
            let text = path.to_string_lossy();
            let path = Path::new(text.split('#').next().unwrap_or_default());
            std::path::absolute(path).is_ok_and(|path| whole.starts_with(tidy(&path)))
        })
    };
    files.into_iter().filter(is_wanted).collect()
}

/// Removes `.` components from the path.
fn tidy(path: &Path) -> PathBuf {
    path.components().filter(|component| *component != Component::CurDir).collect()
}

/// Returns the path itself for a case file, or the case file that a golden belongs to.
fn case_file_of(path: &Path) -> Option<PathBuf> {
    if path.extension().is_some_and(|extension| extension == case_file::EXTENSION) {
        return Some(path.to_owned());
    }
    let is_golden =
        path.extension().is_some_and(|extension| extension == "png" || extension == "npy");
    let components: Vec<_> = path.components().collect();
    let at = components.iter().rposition(|component| component.as_os_str() == golden::FOLDER)?;
    let case = is_golden.then(|| path.parent()).flatten()?.file_name()?.to_str()?;
    let name = case.split('#').next().unwrap_or_default();
    let root: PathBuf = components.get(..at)?.iter().collect();
    let last = components.len().checked_sub(2)?;
    let between: PathBuf = components.get(at + 1..last)?.iter().collect();
    Some(root.join("cases").join(between).join(format!("{name}.{}", case_file::EXTENSION)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(saved: &str, expected: Option<&str>) {
        assert_eq!(case_file_of(Path::new(saved)).as_deref(), expected.map(Path::new), "{saved}");
    }

    #[test]
    fn a_saved_case_affects_itself_and_a_golden_its_case() {
        check("x/cases/v/a.shader_test", Some("x/cases/v/a.shader_test"));
        check("x/golden/v/a/green.png", Some("x/cases/v/a.shader_test"));
        check("golden/v/a#n=1/green.npy", Some("cases/v/a.shader_test"));
        check("golden/a/green.partial", None);
        check("golden/green.png", None);
        check("cases/notes.txt", None);
    }
}
