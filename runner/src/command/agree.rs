//! `interstage agree`: compares the results of a run with those of another implementation.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, anyhow};

use crate::args::AgreeOptions;
use crate::exit::Exit;
use crate::outcome::status::Status;
use crate::report::json::{self, CaseRecord};

/// One line of the reference table.
#[derive(Debug)]
struct Reference<'a> {
    path: &'a str,
    tier: &'a str,
    origin: &'a str,
    verdict: &'a str,
}

/// Agreement of a result with the reference, in the order of the printed columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Agreement {
    /// Both pass, both fail (or crash), or both skip.
    Same,
    /// interstage passes; the reference fails or crashes.
    WrongPass,
    /// interstage fails; the reference passes.
    WrongFailure,
    /// interstage does not support the case.
    Unsupported,
    /// interstage passes; the reference was skipped. The case may not need what that driver lacks, but a person should
    /// check.
    Unjudged,
    /// interstage skipped it, or neither passes and the reference was skipped.
    Skipped,
    /// There is no result for the case.
    Missing,
}

const COLUMNS: [(Agreement, &str); 7] = [
    (Agreement::Same, "same"),
    (Agreement::WrongPass, "wrong passes"),
    (Agreement::WrongFailure, "wrong failures"),
    (Agreement::Unsupported, "unsupported"),
    (Agreement::Unjudged, "passes unjudged"),
    (Agreement::Skipped, "skipped by one"),
    (Agreement::Missing, "no result"),
];

/// Prints the agreement by tier and origin, then every wrong case. The exit code is 1 if any case is wrong.
pub fn agree(options: &AgreeOptions) -> anyhow::Result<Exit> {
    let results = json::read(&options.results)?;
    let path = options.reference.display();
    let text = std::fs::read_to_string(&options.reference)
        .with_context(|| format!("cannot read the reference {path}"))?;
    let table = read_table(&text).with_context(|| format!("{path} is not a reference table"))?;
    let root = options.root.as_deref().unwrap_or(Path::new(""));
    let below_root =
        |case: &CaseRecord| Some(Path::new(&case.name).strip_prefix(root).ok()?.to_owned());
    let ours: HashMap<_, _> =
        results.cases.iter().filter_map(|case| Some((below_root(case)?, case))).collect();
    let compared: Vec<_> = table
        .into_iter()
        .map(|reference| {
            let case = ours.get(Path::new(reference.path)).copied();
            (compare(case.map(|case| case.kind), reference.verdict), reference, case)
        })
        .collect();
    let text = draw_groups(&compared) + &draw_wrong(&compared);
    std::io::stdout().lock().write_all(text.as_bytes())?;
    let is_wrong = |(agreement, ..): &Compared<'_>| is_wrong(*agreement);
    Ok(if compared.iter().any(is_wrong) { Exit::Regression } else { Exit::AsExpected })
}

type Compared<'a> = (Agreement, Reference<'a>, Option<&'a CaseRecord>);

fn read_table(text: &str) -> anyhow::Result<Vec<Reference<'_>>> {
    let mut lines = text.lines();
    let header: Vec<_> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| {
        let found = header.iter().position(|column| *column == name);
        found.ok_or_else(|| anyhow!("the first line has no column `{name}`"))
    };
    let [path, tier, origin, verdict] =
        [column("path")?, column("tier")?, column("origin")?, column("reference")?];
    lines
        .zip(2..)
        .map(|(line, number)| {
            let cells: Vec<_> = line.split('\t').collect();
            let cell = |idx: usize| {
                let cell = cells.get(idx).copied();
                cell.ok_or_else(|| anyhow!("line {number} has too few columns"))
            };
            let (path, tier) = (cell(path)?, cell(tier)?);
            Ok(Reference { path, tier, origin: cell(origin)?, verdict: cell(verdict)? })
        })
        .collect()
}

fn compare(ours: Option<Status>, reference: &str) -> Agreement {
    let Some(ours) = ours else { return Agreement::Missing };
    match (ours.observed(), reference) {
        (Status::Unsupported, _) => Agreement::Unsupported,
        (Status::Pass, "pass") | (Status::Skip, "skip") => Agreement::Same,
        (Status::Pass, "skip") => Agreement::Unjudged,
        (Status::Pass, _) => Agreement::WrongPass,
        (Status::Skip | Status::Undecided | Status::Untested | Status::NoAdapter, _)
        | (_, "skip") => Agreement::Skipped,
        (_, "pass") => Agreement::WrongFailure,
        (_, _) => Agreement::Same,
    }
}

fn is_wrong(agreement: Agreement) -> bool {
    matches!(agreement, Agreement::WrongPass | Agreement::WrongFailure)
}

/// Formats a line for each tier and origin, and one for the total.
fn draw_groups(compared: &[Compared<'_>]) -> String {
    let mut groups = BTreeMap::<_, BTreeMap<Agreement, usize>>::new();
    for (agreement, reference, _) in compared {
        for key in [(false, reference.tier, reference.origin), (true, "all", "")] {
            *groups.entry(key).or_default().entry(*agreement).or_default() += 1;
        }
    }
    let mut text = format!("{:<8}{:<12}{:>7}", "tier", "origin", "cases");
    for (_, name) in COLUMNS {
        let _ = write!(text, "  {name}");
    }
    for ((_, tier, origin), counts) in &groups {
        let _ = write!(text, "\n{tier:<8}{origin:<12}{:>7}", counts.values().sum::<usize>());
        for (agreement, name) in COLUMNS {
            let count = counts.get(&agreement).unwrap_or(&0);
            let _ = write!(text, "  {count:>width$}", width = name.len());
        }
    }
    text + "\n"
}

/// Formats the wrong cases, each with the first line of its reason.
fn draw_wrong(compared: &[Compared<'_>]) -> String {
    let mut text = String::new();
    for (agreement, reference, case) in compared {
        let what = match agreement {
            Agreement::WrongPass => "wrong pass",
            Agreement::WrongFailure => "wrong failure",
            Agreement::Unjudged => "unjudged pass",
            Agreement::Same | Agreement::Unsupported | Agreement::Skipped | Agreement::Missing => {
                continue;
            }
        };
        let reason = case.and_then(|case| case.reason.as_deref()?.lines().next());
        let reason = reason
            .map_or_else(|| format!("the reference says {}", reference.verdict), str::to_owned);
        let _ = writeln!(text, "{what}  {}\n  {reason}", reference.path);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(ours: Status, expected: [Agreement; 3]) {
        let found = ["pass", "fail", "skip"].map(|reference| compare(Some(ours), reference));
        assert_eq!(found, expected, "{ours:?}");
    }

    #[test]
    fn only_a_pass_is_wrong_against_a_failure_and_only_a_failure_against_a_pass() {
        use Agreement::{Same, Skipped, Unjudged, Unsupported, WrongFailure, WrongPass};
        check(Status::Pass, [Same, WrongPass, Unjudged]);
        check(Status::Fail, [WrongFailure, Same, Skipped]);
        check(Status::Timeout, [WrongFailure, Same, Skipped]);
        check(Status::Skip, [Skipped, Skipped, Same]);
        check(Status::Unsupported, [Unsupported; 3]);
    }

    #[test]
    fn columns_are_found_by_name() {
        let table = read_table("x\treference\torigin\ttier\tpath\n1\tpass\thand\tT1\ta\n");
        let table = table.expect("a table");
        let [row] = &table[..] else { panic!("one row") };
        assert_eq!((row.path, row.tier, row.origin, row.verdict), ("a", "T1", "hand", "pass"));
        assert!(read_table("path\ttier\n").is_err());
        assert!(read_table("path\ttier\torigin\treference\na\tT1\n").is_err());
    }
}
