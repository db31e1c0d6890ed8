//! The page of a hunt: what ran, and what was found.

use std::fmt::Write as _;

use super::log::Tally;
use super::report;
use super::totals::Totals;

const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Hunt</title>\n<style>\n\
    body { font: 15px/1.5 sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color-scheme: light dark }\n\
    table { border-collapse: collapse } td, th { padding: .2em .8em; text-align: left; border-bottom: 1px solid #8884 }\n\
    td.n { text-align: right } code { font-size: 13px }\n</style>\n<h1>Hunt</h1>\n";

/// The page.
pub(super) fn page(totals: &Totals) -> String {
    let mut text = HEAD.to_owned();
    text += "<h2>Faults</h2>\n";
    if totals.faults.is_empty() {
        text += "<p>None yet.</p>\n";
    } else {
        text += "<table>\n<tr><th>folder<th>what<th>on<th>lines<th>programs\n";
    }
    for fault in &totals.faults {
        let name = escaped(&fault.name);
        let again = totals.again.get(&fault.name).copied().unwrap_or(0) + 1;
        let _ = writeln!(
            text,
            "<tr><td><a href=\"faults/{name}/report.md\">{name}</a><td>{}<td>{}<td class=\"n\">{}<td class=\"n\">{again}",
            escaped(&report::title(fault)),
            escaped(&fault.signature.target),
            fault.lines
        );
    }
    if !totals.faults.is_empty() {
        text += "</table>\n";
    }
    text += "<h2>Programs</h2>\n<table>\n<tr><th>kind<th>on<th>all<th>passed<th>failed<th>not examined<th>passed again<th>not decided<th>skipped\n";
    for ((source, target), tally) in &totals.tallies {
        let Tally { passed, skipped, undecided, failed, unexamined, passed_again } = tally;
        let _ = write!(text, "<tr><td>{}<td>{}", escaped(source), escaped(target));
        for count in [&tally.all(), passed, failed, unexamined, passed_again, undecided, skipped] {
            let _ = write!(text, "<td class=\"n\">{count}");
        }
        text.push('\n');
    }
    text += "</table>\n<h2>Versions</h2>\n<ul>\n";
    let mut told: Vec<String> = Vec::new();
    for conditions in &totals.conditions {
        for target in &conditions.targets {
            let line = format!("interstage {} · {target}", conditions.interstage);
            if !told.contains(&line) {
                told.push(line);
            }
        }
    }
    for line in told {
        let _ = writeln!(text, "<li>{}", escaped(&line));
    }
    text + "</ul>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::log::{Batch, Conditions, Fault};
    use super::super::signature::Signature;
    use super::*;

    #[test]
    fn the_page_counts_programs_and_escapes_text() {
        let target = "gl <1>".to_owned();
        let signature =
            Signature { target: target.clone(), kind: "a & b".to_owned(), is_value: false };
        let fault = Fault {
            name: "001_x".to_owned(),
            signature,
            features: vec!["< of int".to_owned()],
            source: "programs_glsl".to_owned(),
            number: 4,
            lines: 20,
        };
        let tally = Tally { passed: 5, failed: 2, ..Tally::default() };
        let mut totals = Totals { faults: vec![fault], ..Totals::default() };
        totals.conditions.push(Conditions::now(vec![target.clone()]));
        totals.add(&Batch {
            source: "programs_glsl".to_owned(),
            tallies: [(target, tally)].into(),
            again: [("001_x".to_owned(), 1)].into(),
            ..Batch::default()
        });
        let page = page(&totals);
        for part in [
            "<a href=\"faults/001_x/report.md\">001_x</a><td>a &amp; b: &lt; of int<td>gl &lt;1><td class=\"n\">20<td class=\"n\">2",
            "<td class=\"n\">7<td class=\"n\">5<td class=\"n\">2",
            &format!("<li>interstage {} · gl &lt;1>", env!("CARGO_PKG_VERSION")),
        ] {
            assert!(page.contains(part), "{part} is missing in:\n{page}");
        }
    }
}
