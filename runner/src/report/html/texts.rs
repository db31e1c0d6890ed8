//! Texts of the files of cases without evidence, which are those that passed. Cases of one file share its text.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::files::case_file;
use crate::report::html::{Run, may_have_evidence};
use crate::report::origin;

/// Limit on the size of a file, in bytes.
const MAX_FILE: u64 = 256 << 10;

/// Limit on the size of all texts together, in bytes. Deflated and base64-encoded, they are about a third of that.
const MAX_ALL: usize = 16 << 20;

/// The texts by the names of their files, from the roots of the newest run that has a file. A file that was saved after
/// the run began is left out, as its text may not be that of the run.
pub(super) fn texts<'a>(runs: &[Run<'a>]) -> BTreeMap<&'a str, String> {
    let mut texts = BTreeMap::new();
    let mut left = MAX_ALL;
    for results in runs.iter().rev().flat_map(|run| run.results) {
        let Some(origin) = &results.run else { continue };
        let mut tried = HashSet::new();
        for case in results.cases.iter().filter(|case| !may_have_evidence(case)) {
            let file = case_file::file_of(&case.name);
            if texts.contains_key(file) || !tried.insert(file) {
                continue;
            }
            let paths = results.roots.iter().map(|root| Path::new(root).join(file));
            let Some(text) = paths.into_iter().find_map(|path| text_of(&path, &origin.started))
            else {
                continue;
            };
            let Some(rest) = left.checked_sub(text.len()) else { return texts };
            left = rest;
            texts.insert(file, text);
        }
    }
    texts
}

/// The text of a file that was saved before the time `started`.
fn text_of(path: &Path, started: &str) -> Option<String> {
    let known = std::fs::metadata(path).ok().filter(|known| known.len() <= MAX_FILE)?;
    let saved = known.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let is_older = origin::utc(saved.as_secs()).as_str() <= started;
    is_older.then(|| std::fs::read_to_string(path).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use interstage::check::verdict::Verdict;

    use super::*;
    use crate::outcome::{CaseResult, Outcome};
    use crate::report::json::{CaseRecord, Results};
    use crate::report::origin::Origin;

    #[test]
    fn files_of_passing_cases_are_there_once_unless_they_were_saved_since() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.shader_test"), "the text").unwrap();
        let case = |name: &str, verdict| {
            let outcome = Outcome::Finished(verdict);
            CaseRecord::from(&CaseResult::bare(name, outcome, 0.1, String::new()))
        };
        let cases = vec![
            case("a.shader_test#n=1", Verdict::Pass),
            case("a.shader_test#n=2", Verdict::Pass),
            case("none.shader_test", Verdict::Pass),
        ];
        let mut results = Results::new(None, cases);
        results.roots = vec![folder.path().display().to_string()];
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let found = |started| {
            let mut results = results.clone();
            results.run = Some(Origin { started: origin::utc(started), ..Origin::default() });
            let results = [results];
            let label = "r".to_owned();
            let runs = [Run { label, evidence: folder.path().into(), results: &results }];
            let texts = texts(&runs);
            texts.into_iter().map(|(file, text)| (file.to_owned(), text)).collect::<Vec<_>>()
        };
        assert_eq!(found(now + 9), [("a.shader_test".to_owned(), "the text".to_owned())]);
        assert_eq!(found(now - 9), []);
    }
}
