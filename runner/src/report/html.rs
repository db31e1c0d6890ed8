//! `index.html`: the report of a run, in one file that needs no server, no network and no other file.
//!
//! The page contains an index of all cases in columns, and for every case with more than one line of information an
//! element with all details. Both are JSON, deflated and in base64, and a detail element is unpacked only when
//! the case is chosen; so a page with 40,000 cases is small and appears at once. Scripts and style are in
//! `runner/src/html`, written by hand.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use serde::Serialize;

use crate::report::evidence::{self, Evidence, Packed};
use crate::report::json::{AdapterRecord, CaseRecord, Results};
use crate::status::Status;

const PAGE: &str = include_str!("../html/page.html");
const STYLE: &str = include_str!("../html/style.css");
const SCRIPTS: [&str; 6] = [
    include_str!("../html/data.js"),
    include_str!("../html/formats.js"),
    include_str!("../html/viewer.js"),
    include_str!("../html/detail.js"),
    include_str!("../html/list.js"),
    include_str!("../html/main.js"),
];

/// Limit on the evidence in the page, in bytes; beyond it, details are text only. Browsers support more, but such a
/// file is hard to share.
const MAX_EVIDENCE: usize = 96 << 20;

/// Data that the page loads at once. Columns of equal length deflate better than rows.
#[derive(Debug, Serialize)]
struct Index<'a> {
    interstage: &'a str,
    adapters: Vec<AdapterRecord>,
    statuses: Vec<StatusColumn>,
    reasons: Vec<&'a str>,
    cases: Columns<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct StatusColumn {
    name: Status,
    is_failure: bool,
}

/// All cases of all adapters. Numbers are indices into the other tables.
#[derive(Debug, Default, Serialize)]
struct Columns<'a> {
    name: Vec<&'a str>,
    adapter: Vec<usize>,
    status: Vec<usize>,
    reason: Vec<usize>,
    seconds: Vec<f32>,
    /// Number of the element with the details, or −1.
    detail: Vec<i64>,
}

/// Contents of a detail element.
#[derive(Debug, Serialize)]
struct Detail<'a> {
    record: &'a CaseRecord,
    evidence: Option<Evidence>,
    note: Option<&'static str>,
}

/// Writes the page for a run with evidence below `evidence`.
pub fn draw(out: &mut impl Write, evidence: &Path, results: &[Results]) -> std::io::Result<()> {
    for part in parts(PAGE) {
        match part {
            Part::Text(text) => out.write_all(text.as_bytes())?,
            Part::Hole("style") => out.write_all(STYLE.as_bytes())?,
            Part::Hole("script") => out.write_all(SCRIPTS.join("\n").as_bytes())?,
            Part::Hole("index") => {
                let json = serde_json::to_vec(&index(results))?;
                out.write_all(Packed::of(&json).as_str().as_bytes())?;
            }
            Part::Hole(_) => draw_details(out, evidence, results)?,
        }
    }
    Ok(())
}

enum Part<'a> {
    Text(&'a str),
    Hole(&'a str),
}

/// The page split at its `{{placeholders}}`.
fn parts(page: &str) -> impl Iterator<Item = Part<'_>> {
    page.split("{{").flat_map(|piece| match piece.split_once("}}") {
        Some((hole, text)) => vec![Part::Hole(hole), Part::Text(text)],
        None => vec![Part::Text(piece)],
    })
}

fn index(results: &[Results]) -> Index<'_> {
    let nowhere =
        || AdapterRecord { selector: "none".to_owned(), title: "without an adapter".to_owned() };
    let adapters =
        results.iter().map(|results| results.adapter.clone().unwrap_or_else(nowhere)).collect();
    let (mut statuses, mut reasons) = (Numbers::default(), Numbers::default());
    let mut columns = Columns::default();
    let mut details = 0;
    reasons.number_of("");
    for (adapter, results) in results.iter().enumerate() {
        for case in &results.cases {
            columns.name.push(&case.name);
            columns.adapter.push(adapter);
            columns.status.push(statuses.number_of(case.kind));
            columns.reason.push(reasons.number_of(case.reason.as_deref().unwrap_or_default()));
            columns.seconds.push((case.seconds * 1e4).round() / 1e4);
            columns.detail.push(if has_detail(case) { details } else { -1 });
            details += i64::from(has_detail(case));
        }
    }
    let status = |name: Status| StatusColumn { name, is_failure: name.is_failure() };
    Index {
        interstage: results.first().map_or("", |results| &results.interstage),
        adapters,
        statuses: statuses.values.into_iter().map(status).collect(),
        reasons: reasons.values,
        cases: columns,
    }
}

/// Numbers values in the order in which they first occur.
#[derive(Debug)]
struct Numbers<T> {
    values: Vec<T>,
    numbers: HashMap<T, usize>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Self { values: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Copy + Eq + std::hash::Hash> Numbers<T> {
    fn number_of(&mut self, value: T) -> usize {
        let next = self.values.len();
        let number = *self.numbers.entry(value).or_insert(next);
        if number == next {
            self.values.push(value);
        }
        number
    }
}

/// True if a case has more than the index shows.
fn has_detail(case: &CaseRecord) -> bool {
    case.kind.is_failure()
        || !case.failures.is_empty()
        || !case.attempts.is_empty()
        || !case.warnings.is_empty()
        || case.known.is_some()
        || is_kept(case)
}

/// True if evidence was kept, whatever the outcome.
fn is_kept(case: &CaseRecord) -> bool {
    case.notes.iter().any(|note| note.starts_with(evidence::NOTE))
}

fn draw_details(out: &mut impl Write, evidence: &Path, results: &[Results]) -> std::io::Result<()> {
    let mut bytes_left = MAX_EVIDENCE;
    let mut number = 0;
    for adapter in results {
        let folder = adapter.folder_in(evidence, results.len() > 1);
        for case in adapter.cases.iter().filter(|case| has_detail(case)) {
            let packed = packed_detail(case, &folder, &mut bytes_left)?;
            let open = "<script type=\"application/octet-stream\" id=\"d";
            writeln!(out, "{open}{number}\">{}</script>", packed.as_str())?;
            number += 1;
        }
    }
    Ok(())
}

fn packed_detail(
    case: &CaseRecord,
    folder: &Path,
    bytes_left: &mut usize,
) -> std::io::Result<Packed> {
    let mut detail = Detail { record: case, evidence: None, note: None };
    // A case that did not run may have a folder from an earlier run.
    if case.kind.is_failure() || !case.attempts.is_empty() || is_kept(case) {
        detail.evidence = evidence::read(&evidence::folder_of(folder, &case.name));
    }
    let packed = Packed::of(&serde_json::to_vec(&detail)?);
    if let Some(rest) = bytes_left.checked_sub(packed.as_str().len()) {
        *bytes_left = rest;
        return Ok(packed);
    }
    detail.evidence = None;
    detail.note =
        Some("the images of this case would make the page too large; see the folder of the case");
    Ok(Packed::of(&serde_json::to_vec(&detail)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{CaseResult, Outcome};
    use interstage::check::verdict::Verdict;

    fn results(count: usize) -> Vec<Results> {
        let case = |idx: usize| {
            let verdict =
                if idx.is_multiple_of(2) { Verdict::Pass } else { Verdict::Skip("x".to_owned()) };
            let name = format!("cases/</script>{idx}.shader_test");
            CaseRecord::from(&CaseResult::bare(
                &name,
                Outcome::Finished(verdict),
                0.1,
                String::new(),
            ))
        };
        vec![Results::new(None, (0..count).map(case).collect())]
    }

    #[test]
    fn nothing_in_a_run_can_end_an_element_of_the_page() {
        let mut page = Vec::new();
        draw(&mut page, Path::new("/nonexistent"), &results(4)).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
        assert!(!page.contains("{{") && !page.contains("http://") && !page.contains("https://"));
    }

    #[test]
    fn equal_reasons_are_written_once() {
        let results = results(100);
        let index = index(&results);
        assert_eq!(index.reasons, ["", "x"]);
        assert_eq!(index.cases.reason[..4], [0, 1, 0, 1]);
        assert_eq!(index.statuses.len(), 2);
    }
}
