//! The summary of a job of GitHub Actions: a table of the results, and of the failed cases with their reasons.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Context as _;

use crate::event::{Event, Report};
use crate::outcome::status::Class;
use crate::report::collect::Collector;
use crate::report::failure::Invocation;
use crate::report::json::Results;
use crate::report::tally::Tally;

/// Variable with the path of the file that GitHub shows.
const VARIABLE: &str = "GITHUB_STEP_SUMMARY";

/// Maximum number of failed cases that are named. GitHub shows at most 1 MiB.
const NAMES: usize = 50;

/// Maximum length of a reason.
const REASON: usize = 300;

/// Writes the summary.
#[derive(Debug)]
pub struct StepSummary {
    path: PathBuf,
    /// Text that the file had before the run; earlier commands of the step wrote it.
    before: String,
    collector: Collector,
}

impl StepSummary {
    /// Writes to the file that the environment names; `None` without one.
    pub fn in_actions(invocation: Invocation) -> Option<Self> {
        let path = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from)?;
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        Some(Self { path, before, collector: Collector::new(invocation) })
    }
}

impl Report for StepSummary {
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        if !self.collector.hear(event) {
            return Ok(());
        }
        let text = self.before.clone() + &draw(&self.collector.finished);
        std::fs::write(&self.path, text)
            .with_context(|| format!("cannot write {}, named by {VARIABLE}", self.path.display()))
    }
}

/// Formats the results of all adapters as Markdown.
fn draw(all: &[Results]) -> String {
    let total = all.iter().fold(Tally::default(), |total, results| total.and(results.counts));
    let classes: Vec<Class> = total.named().map(|(class, _)| class).collect();
    let words = classes.iter().map(|class| class.word());
    let head: Vec<_> = ["adapter", "cases"].into_iter().chain(words).collect();
    let mut text = format!("### interstage\n\n{}", row(&head));
    text += &row(&vec!["---"; head.len()]);
    for results in all {
        let adapter = results.adapter.as_ref();
        let name = adapter.map_or("without an adapter", |adapter| &adapter.title);
        let counts = classes.iter().map(|class| results.counts.count(*class).to_string());
        let cells = [escaped(name), results.counts.all().to_string()].into_iter().chain(counts);
        text += &row(&cells.collect::<Vec<_>>());
    }
    text.push('\n');
    draw_failed(&mut text, all);
    text
}

fn draw_failed(text: &mut String, all: &[Results]) {
    let cases = |results: &'_ Results| {
        let selector = results.adapter.as_ref().map(|adapter| adapter.selector.clone());
        let failed = results.cases.iter().filter(|case| case.kind.is_failure()).cloned();
        failed.map(move |case| (selector.clone(), case)).collect::<Vec<_>>()
    };
    let failed: Vec<_> = all.iter().flat_map(cases).collect();
    if failed.is_empty() {
        return;
    }
    text.push_str(&row(&["failed", "on", "", "reason"]));
    text.push_str(&row(&["---"; 4]));
    for (selector, case) in failed.iter().take(NAMES) {
        let reason: String =
            case.reason.iter().flat_map(|reason| reason.chars()).take(REASON).collect();
        let cells = [&case.name, selector.as_deref().unwrap_or("–"), case.kind.heading(), &reason];
        text.push_str(&row(&cells.map(escaped)));
    }
    if let Some(more) = failed.len().checked_sub(NAMES).filter(|more| *more > 0) {
        let _ = writeln!(text, "\n… and {more} more");
    }
    text.push('\n');
}

fn row(cells: &[impl AsRef<str>]) -> String {
    let cells: Vec<_> = cells.iter().map(AsRef::as_ref).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// Escapes text for a cell of a table, in which it must not become markup.
fn escaped(text: &str) -> String {
    let special = |char: char| match char {
        '\n' => "<br>".to_owned(),
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        char if "\\|`*_[]#~!".contains(char) => format!("\\{char}"),
        char if char.is_control() => " ".to_owned(),
        char => char.to_string(),
    };
    text.trim_end().chars().map(special).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use interstage::check::verdict::{Failure, Verdict};

    use super::*;
    use crate::outcome::{CaseResult, Outcome};
    use crate::report::json::{AdapterRecord, CaseRecord};

    #[test]
    fn results_and_failed_cases_are_tables() {
        let case = |name: &str, verdict| {
            let outcome = Outcome::Finished(verdict);
            CaseRecord::from(&CaseResult::bare(name, outcome, 0.0, String::new()))
        };
        let details = vec!["expected  1 | <b>".to_owned(), "actual    2".to_owned()];
        let failure = Failure { line: Some(7), step: "probe a_b".to_owned(), details };
        let cases = vec![
            case("cases/a_b.shader_test", Verdict::Fail(vec![failure])),
            case("cases/c.shader_test", Verdict::Pass),
            case("cases/d.shader_test", Verdict::Untested("nothing changed".to_owned())),
        ];
        let (selector, title) = ("gl:0".to_owned(), "gl · llvmpipe".to_owned());
        let drawn = draw(&[
            Results::new(Some(AdapterRecord { selector, title }), cases),
            Results::new(None, vec![case("cases/c.shader_test", Verdict::Pass)]),
        ]);
        expect![[r"
            ### interstage

            | adapter | cases | passed | failed | skipped | not tested |
            | --- | --- | --- | --- | --- | --- |
            | gl · llvmpipe | 3 | 1 | 1 | 0 | 1 |
            | without an adapter | 1 | 1 | 0 | 0 | 0 |

            | failed | on |  | reason |
            | --- | --- | --- | --- |
            | cases/a\_b.shader\_test | gl:0 | FAIL | probe a\_b: expected  1 \| &lt;b><br>actual    2 |

        "]]
        .assert_eq(&drawn);
    }
}
