//! Results of the mutants: a line of JSON each, and the table.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::mutants::sample::Mutant;

/// Result of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    UnitTest,
    /// A test or case ran much longer than without the mutant.
    Timeout,
    /// No unit test detected it; cases have not run yet.
    NoUnitTest,
    Case,
    /// Neither unit tests nor cases detected it.
    Nothing,
}

impl End {
    const ALL: [Self; 5] =
        [Self::UnitTest, Self::Timeout, Self::NoUnitTest, Self::Case, Self::Nothing];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::UnitTest => "unit test",
            Self::Timeout => "timeout",
            Self::NoUnitTest => "no unit test",
            Self::Case => "case",
            Self::Nothing => "nothing",
        }
    }
}

/// The result of a trial.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) end: End,
    /// The test or case that detected it.
    pub(crate) by: String,
    pub(crate) seconds: f64,
}

/// All results so far, also stored in the file.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    ends: BTreeMap<String, End>,
}

impl Journal {
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        let told = |error: std::io::Error| format!("{}: {error}", path.display());
        let file = File::options().create(true).append(true).open(path).map_err(told)?;
        let text = std::fs::read_to_string(path).map_err(told)?;
        // A trial with an incomplete line is repeated. Of several lines of a mutant, the last counts.
        let ends = text.lines().filter_map(|line| {
            let line: Value = serde_json::from_str(line).ok()?;
            let end = End::ALL.into_iter().find(|end| line["noticed by"] == end.name())?;
            Some((line["key"].as_str()?.to_owned(), end))
        });
        Ok(Self { file, ends: ends.collect() })
    }

    pub(crate) fn end_of(&self, mutant: &Mutant) -> Option<End> {
        self.ends.get(&mutant.key()).copied()
    }

    pub(crate) fn add(&mut self, mutant: &Mutant, record: Record) -> Result<(), String> {
        let line = json!({
            "key": mutant.key(),
            "file": mutant.file,
            "line": mutant.site.line,
            "number": mutant.number,
            "kind": mutant.site.kind,
            "original": mutant.site.original,
            "mutated": mutant.site.mutated,
            "noticed by": record.end.name(),
            "name": record.by,
            "seconds": record.seconds,
        });
        self.ends.insert(mutant.key(), record.end);
        self.file.write_all(format!("{line}\n").as_bytes()).map_err(|error| error.to_string())
    }
}

/// Formats a Markdown table by the kind of change, and the survivors.
pub(crate) fn draw(mutants: &[Mutant], journal: &Journal) -> Vec<String> {
    let mut rows: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
    let mut survivors = Vec::new();
    for mutant in mutants {
        let Some(end) = journal.end_of(mutant) else { continue };
        let column = End::ALL.iter().position(|known| *known == end).expect("all are listed");
        for row in [mutant.site.kind, "~"] {
            rows.entry(row).or_default()[column] += 1;
        }
        if matches!(end, End::Nothing | End::NoUnitTest) {
            survivors.push(format!("{} {}: {mutant}", end.name(), mutant.number));
        }
    }
    let titles =
        "| change | tried | unit tests | timeout | cases | nothing | not tried with cases |";
    let mut lines = vec![titles.to_owned(), "|---|--:|--:|--:|--:|--:|--:|".to_owned()];
    for (kind, row @ [unit, timeout, open, case, nothing]) in rows {
        let (kind, tried) = (if kind == "~" { "all" } else { kind }, row.iter().sum::<usize>());
        lines.push(format!(
            "| {kind} | {tried} | {unit} | {timeout} | {case} | {nothing} | {open} |"
        ));
    }
    lines.extend(survivors);
    lines
}
