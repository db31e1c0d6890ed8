//! `index.html`: the report of one or several runs, in one file that needs no server, no network and no other file.
//!
//! The page contains an index of all cases in columns, the texts of their files, and a details element for every case
//! with more than one line of information. All are JSON, deflated and base64-encoded. A details element is only unpacked when its case is
//! selected, so a page with 40,000 cases is small and appears at once. The hand-written scripts and style are in
//! `runner/src/html`.

mod index;
mod texts;

use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::report::evidence::{self, Evidence, Packed};
use crate::report::json::{CaseRecord, Results};

const PAGE: &str = include_str!("../html/page.html");
const STYLES: [&str; 2] = [include_str!("../html/style.css"), include_str!("../html/detail.css")];
const SCRIPTS: [&str; 18] = [
    include_str!("../html/data.js"),
    include_str!("../html/model.js"),
    include_str!("../html/address.js"),
    include_str!("../html/formats.js"),
    include_str!("../html/colours.js"),
    include_str!("../html/pixel.js"),
    include_str!("../html/viewer.js"),
    include_str!("../html/syntax.js"),
    include_str!("../html/slots.js"),
    include_str!("../html/failure.js"),
    include_str!("../html/detail.js"),
    include_str!("../html/save.js"),
    include_str!("../html/overview.js"),
    include_str!("../html/header.js"),
    include_str!("../html/arrange.js"),
    include_str!("../html/list.js"),
    include_str!("../html/keys.js"),
    include_str!("../html/main.js"),
];

/// Limit on the evidence in the page, in bytes. Beyond it, details are text only. Browsers support more, but a larger
/// file is hard to share.
const MAX_EVIDENCE: usize = 96 << 20;

/// A run; each of its adapters is a column of the page.
#[derive(Debug)]
pub struct Run<'a> {
    /// Name of the run among the others.
    pub label: String,
    /// Folder with the evidence of its failed cases.
    pub evidence: PathBuf,
    /// Results on every adapter.
    pub results: &'a [Results],
}

/// Contents of a detail element.
#[derive(Debug, Serialize)]
struct Detail<'a> {
    record: &'a CaseRecord,
    evidence: Option<Evidence>,
    note: Option<&'static str>,
}

/// Writes the page of these runs.
pub fn draw(out: &mut impl Write, runs: &[Run<'_>]) -> std::io::Result<()> {
    for part in parts(PAGE) {
        match part {
            Part::Text(text) => out.write_all(text.as_bytes())?,
            Part::Hole("title") => out.write_all(escaped(&title(runs)).as_bytes())?,
            Part::Hole("style") => out.write_all(STYLES.join("\n").as_bytes())?,
            Part::Hole("script") => out.write_all(SCRIPTS.join("\n").as_bytes())?,
            Part::Hole("index") => {
                let json = serde_json::to_vec(&index::index(runs))?;
                out.write_all(Packed::small(&json).as_str().as_bytes())?;
            }
            Part::Hole("texts") => {
                let texts = texts::texts(runs);
                if !texts.is_empty() {
                    let packed = Packed::small(&serde_json::to_vec(&texts)?);
                    out.write_all(packed.as_str().as_bytes())?;
                }
            }
            Part::Hole(_) => draw_details(out, runs)?,
        }
    }
    Ok(())
}

enum Part<'a> {
    Text(&'a str),
    Hole(&'a str),
}

/// Splits the page at its `{{placeholders}}`.
fn parts(page: &str) -> impl Iterator<Item = Part<'_>> {
    page.split("{{").flat_map(|piece| match piece.split_once("}}") {
        Some((hole, text)) => vec![Part::Hole(hole), Part::Text(text)],
        None => vec![Part::Text(piece)],
    })
}

/// The tested adapters, the time, and the number of failed cases.
fn title(runs: &[Run<'_>]) -> String {
    let of_run = |run: &Run<'_>| {
        let failed: usize = run.results.iter().map(|results| results.counts.failed).sum();
        let all: usize = run.results.iter().map(|results| results.counts.all()).sum();
        let unit = if run.results.len() > 1 { " results" } else { "" };
        let mut text = format!("{failed} of {all}{unit} failed");
        if let Some(origin) = run.results.last().and_then(|results| results.run.as_ref()) {
            let started = origin.started.replace('T', " ");
            let started = started.get(..16).unwrap_or_default();
            text = format!("{text} · {} · {started}", origin.command.join(" "));
        }
        text
    };
    if let [run] = runs {
        return format!("{} · interstage", of_run(run));
    }
    let labels: Vec<_> = runs.iter().map(|run| run.label.as_str()).collect();
    format!("{} · interstage", labels.join(" → "))
}

/// Escapes text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// True if the index does not show all data of a case.
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

/// True if there may be evidence of this run. A case that did not run may have a folder from an earlier run.
fn may_have_evidence(case: &CaseRecord) -> bool {
    case.kind.is_failure() || !case.attempts.is_empty() || is_kept(case)
}

fn draw_details(out: &mut impl Write, runs: &[Run<'_>]) -> std::io::Result<()> {
    let mut bytes_left = MAX_EVIDENCE;
    let mut number = 0;
    for run in runs {
        for adapter in run.results {
            let folder = adapter.folder_in(&run.evidence, run.results.len() > 1);
            for case in adapter.cases.iter().filter(|case| has_detail(case)) {
                let packed = packed_detail(case, &folder, &mut bytes_left)?;
                let open = "<script type=\"application/octet-stream\" id=\"d";
                writeln!(out, "{open}{number}\">{}</script>", packed.as_str())?;
                number += 1;
            }
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
    if may_have_evidence(case) {
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
    use crate::report::origin::Origin;
    use interstage::check::verdict::Verdict;

    fn page(count: usize) -> String {
        let case = |idx: usize| {
            let name = format!("cases/</script>{idx}.shader_test");
            let skipped = Outcome::Finished(Verdict::Skip("</script>".to_owned()));
            CaseRecord::from(&CaseResult::bare(&name, skipped, 0.1, String::new()))
        };
        let mut results = Results::new(None, (0..count).map(case).collect());
        let (started, command) = ("2026-11-23T16:41:20Z".to_owned(), vec!["</title>".to_owned()]);
        results.run = Some(Origin { started, command, ..Origin::default() });
        let (label, evidence) = ("</title>".to_owned(), Path::new("/nonexistent").into());
        let mut page = Vec::new();
        draw(&mut page, &[Run { label, evidence, results: &[results] }]).unwrap();
        String::from_utf8(page).unwrap()
    }

    #[test]
    fn nothing_in_a_run_can_end_an_element_of_the_page() {
        let page = page(4);
        for element in ["script", "title", "style"] {
            let (open, close) = (format!("<{element}"), format!("</{element}>"));
            assert_eq!(page.matches(&open).count(), page.matches(&close).count(), "{element}");
        }
        assert!(!page.contains("{{") && !page.contains("http://") && !page.contains("https://"));
    }

    /// All scripts share one scope, where a second function of a name would replace the first.
    #[test]
    fn functions_of_the_scripts_have_different_names() {
        let mut names: Vec<_> = SCRIPTS
            .iter()
            .flat_map(|script| script.lines())
            .filter_map(|line| line.trim_start_matches("async ").strip_prefix("function "))
            .filter_map(|rest| rest.split('(').next())
            .collect();
        names.sort_unstable();
        assert!(names.len() > 50, "{names:?}");
        let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }

    #[test]
    fn the_title_says_which_run_it_is() {
        let page = page(2);
        let title = "0 of 2 failed · &lt;/title> · 2026-11-23 16:41 · interstage";
        assert!(page.contains(title), "{}", page.lines().nth(5).unwrap_or_default());
    }
}
