//! The results of an interrupted run that a resumed run keeps, and the files of a case whose worker was lost.

use interstage::ir::diagnostic::counted;
use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::bail;

use crate::files::basis::{Files, Input};
use crate::files::{case_file, golden};
use crate::journal::{Earlier, Line, Writer};
use crate::outcome::CaseResult;
use crate::plan::PlannedCase;
use crate::plan::lists::Lists;
use crate::protocol::Adapter;

/// Maximum number of reasons that are printed.
const MAX_REASONS: usize = 10;

/// Results by index of the case, and notes for the user.
type Believed = (BTreeMap<usize, CaseResult>, Vec<String>);

/// Returns the earlier results that are still valid. The notes say how many are not, and why; these are removed from
/// the journal.
pub(in crate::command) fn believed(
    cases: &[PlannedCase],
    lists: &Lists,
    adapter: Option<&Adapter>,
    journal: Option<&mut (Writer, Earlier)>,
) -> anyhow::Result<Believed> {
    let mut notes = Vec::new();
    let Some((writer, earlier)) = journal else { return Ok((BTreeMap::new(), notes)) };
    let Earlier { lines, dropped, changes } = std::mem::take(earlier);
    let place = adapter.map_or_else(String::new, |adapter| format!(" on {}", adapter.selector()));
    if dropped > 0 {
        let why = changes.join(", ");
        let all = match dropped {
            1 => format!("the only result{place} is"),
            _ => format!("all {dropped} results{place} are"),
        };
        notes.push(format!("{all} out of date: {why}"));
    }
    let names: HashMap<_, _> = cases.iter().map(|case| (case.index, case.name.as_str())).collect();
    let total = lines.len();
    let mut files = Files::default();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut believed = BTreeMap::new();
    for (index, line) in lines {
        refuse_changed_case(&names, index, &line)?;
        match change(&line, &mut files, lists) {
            Some(reason) => *reasons.entry(reason).or_default() += 1,
            None => drop(believed.insert(index, line)),
        }
    }
    if believed.len() < total {
        let count = total - believed.len();
        let (why, verb) = (listed(&reasons), if count == 1 { "is" } else { "are" });
        let total = counted(total, "result");
        notes.push(format!("{count} of {total}{place} {verb} out of date: {why}"));
        writer.restart(believed.values())?;
    }
    let believed = believed.into_iter().map(|(index, line)| (index, line.result));
    Ok((believed.collect(), notes))
}

/// Describes a change since a result was recorded, if there is one.
fn change(line: &Line, files: &mut Files, lists: &Lists) -> Option<String> {
    let file = files.changed(&line.result.inputs).map(|path| format!("`{path}` changed"));
    let is_listed_as_before = lists.digest(&line.result.name) == line.listed;
    let list = || (!is_listed_as_before).then(|| "the lists changed".to_owned());
    file.or_else(list)
}

/// Lists the reasons with their numbers of results, most frequent first.
fn listed(reasons: &BTreeMap<String, usize>) -> String {
    let mut reasons: Vec<_> = reasons.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let shown = reasons.iter().take(MAX_REASONS);
    let mut texts: Vec<_> = shown.map(|(reason, count)| format!("{count} × {reason}")).collect();
    if let Some(more) = reasons.len().checked_sub(MAX_REASONS).filter(|more| *more > 0) {
        texts.push(format!("… and {}", counted(more, "more reason")));
    }
    texts.join(", ")
}

/// The journal identifies cases by index, so the plan must be unchanged.
fn refuse_changed_case(
    names: &HashMap<usize, &str>,
    index: usize,
    line: &Line,
) -> anyhow::Result<()> {
    let then = &line.result.name;
    match names.get(&index) {
        Some(name) if name == then => Ok(()),
        Some(name) => bail!(
            "the case list changed since the run started: expected `{then}` at index {index}, found `{name}`"
        ),
        None => bail!(
            "the case list changed since the run started: `{then}` at index {index} is missing"
        ),
    }
}

/// Files of the case `name` in `file` with their present contents, for a case whose worker was lost.
pub(in crate::command) fn inputs_of(file: &str, name: &str) -> Vec<Input> {
    let read = || {
        let text = case_file::read(file).ok()?;
        let loaded = case_file::load_one(file, &text, name).ok().flatten()?;
        let goldens = loaded.parsed.result.as_ref().map(golden::inputs).unwrap_or_default();
        Some([loaded.inputs, goldens].concat())
    };
    // The text of the case may have crashed the worker's parser.
    let caught = || catch_unwind(AssertUnwindSafe(read)).ok().flatten();
    let found = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(case_file::STACK_BYTES);
        thread.spawn_scoped(scope, caught).ok().and_then(|thread| thread.join().ok().flatten())
    });
    found.unwrap_or_else(|| vec![Input::of_file(file)])
}
