//! Results of mutants with sets of programs: a line of JSON for each mutant and set of programs, and the table.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::mutants::sample::Mutant;

/// Kinds of failures: a wrong value, an error of naga or of the driver, a panic, a crash, a hang, and the end of a run
/// before any program failed.
const KINDS: [&str; 6] = ["value", "error", "panic", "crash", "timeout", "run"];

/// Result of a mutant with a set of programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum End {
    /// No program reaches it.
    #[default]
    NotReached,
    /// Programs reach it, and none of those that ran fails.
    Survived,
    Detected,
}

impl End {
    const ALL: [Self; 3] = [Self::NotReached, Self::Survived, Self::Detected];

    const fn name(self) -> &'static str {
        match self {
            Self::NotReached => "not reached",
            Self::Survived => "survived",
            Self::Detected => "detected",
        }
    }
}

/// The result of a trial.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Record {
    pub(super) end: End,
    /// Kind of the failure.
    pub(super) kind: String,
    /// The program that failed.
    pub(super) by: String,
    /// Number of programs that reach the mutant.
    pub(super) reached_by: usize,
    /// Number of programs that it was tried with.
    pub(super) tried: usize,
    pub(super) seconds: f64,
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { end, kind, by, reached_by, tried, seconds } = self;
        write!(f, "{}", end.name())?;
        if *end == End::Detected {
            write!(f, " ({kind}) by {by}")?;
        }
        write!(f, ", {tried} of {reached_by} programs, {seconds:.1} s")
    }
}

/// All results so far, also stored in the file.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    records: BTreeMap<(String, String), Record>,
}

impl Journal {
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let told = |error: std::io::Error| format!("{}: {error}", path.display());
        let file = File::options().create(true).append(true).open(path).map_err(told)?;
        let text = std::fs::read_to_string(path).map_err(told)?;
        // A trial with an incomplete line is repeated. Of several lines of a mutant and set, the last counts.
        Ok(Self { file, records: text.lines().filter_map(read).collect() })
    }

    pub(super) fn end_of(&self, mutant: &Mutant, set: &str) -> Option<End> {
        self.record(mutant, set).map(|record| record.end)
    }

    fn record(&self, mutant: &Mutant, set: &str) -> Option<&Record> {
        self.records.get(&(mutant.key(), set.to_owned()))
    }

    pub(super) fn add(
        &mut self,
        mutant: &Mutant,
        set: &str,
        record: &Record,
    ) -> Result<(), String> {
        let line = json!({
            "key": mutant.key(),
            "set": set,
            "number": mutant.number,
            "line": mutant.site.line,
            "end": record.end.name(),
            "kind": record.kind,
            "by": record.by,
            "reached by": record.reached_by,
            "tried": record.tried,
            "seconds": record.seconds,
        });
        self.records.insert((mutant.key(), set.to_owned()), record.clone());
        self.file.write_all(format!("{line}\n").as_bytes()).map_err(|error| error.to_string())
    }

    /// Formats a Markdown table of parts and sets, and the survivors.
    pub(super) fn draw(&self, parts: &[&str], mutants: &[Mutant], sets: &[String]) -> Vec<String> {
        let mut lines = vec![
            format!(
                "| part | programs | mutants | reached | detected | {} | survivors |",
                KINDS.join(" | ")
            ),
            format!("|---|---|{}", "--:|".repeat(KINDS.len() + 4)),
        ];
        let mut survivors = Vec::new();
        for part in parts {
            for set in sets {
                let own = mutants.iter().filter(|mutant| Path::new(&mutant.file).starts_with(part));
                let own = own.filter_map(|mutant| Some((mutant, self.record(mutant, set)?)));
                let own: Vec<(&Mutant, &Record)> = own.collect();
                lines.push(row(part, set, &own));
                let left = own.iter().filter(|(_, record)| record.end == End::Survived);
                survivors.extend(left.map(|(mutant, record)| {
                    let Record { tried, reached_by, .. } = record;
                    format!("{set} {}, {tried} of {reached_by} programs: {mutant}", mutant.number)
                }));
            }
        }
        lines.extend(survivors);
        lines
    }
}

/// A row of the table.
fn row(part: &str, set: &str, records: &[(&Mutant, &Record)]) -> String {
    let count = |end: End| records.iter().filter(|(_, record)| record.end == end).count();
    let (detected, survived) = (count(End::Detected), count(End::Survived));
    let kinds = KINDS
        .map(|kind| records.iter().filter(|(_, record)| record.kind == kind).count().to_string());
    format!(
        "| `{part}` | {set} | {} | {} | {detected} | {} | {survived} |",
        records.len(),
        detected + survived,
        kinds.join(" | ")
    )
}

/// Reads a line of the journal.
fn read(line: &str) -> Option<((String, String), Record)> {
    let line: Value = serde_json::from_str(line).ok()?;
    let text = |name: &str| line[name].as_str().map(str::to_owned);
    let number = |name: &str| usize::try_from(line[name].as_u64()?).ok();
    let end = End::ALL.into_iter().find(|end| line["end"] == end.name())?;
    let record = Record {
        end,
        kind: text("kind")?,
        by: text("by")?,
        reached_by: number("reached by")?,
        tried: number("tried")?,
        seconds: line["seconds"].as_f64()?,
    };
    Some(((text("key")?, text("set")?), record))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(number: usize, file: &str) -> Mutant {
        let site = crate::mutants::site::find("fn f() -> T { true }").unwrap().0.remove(0);
        Mutant::alone(number, file, site)
    }

    fn record(end: End, kind: &str) -> Record {
        let (reached_by, tried) = if end == End::NotReached { (0, 0) } else { (30, 10) };
        let (kind, by) = (kind.to_owned(), "a".to_owned());
        Record { end, kind, by, reached_by, tried, seconds: 0.5 }
    }

    #[test]
    fn results_are_read_again_and_the_last_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal");
        let (one, other) = (mutant(1, "src/back/spv/a.rs"), mutant(2, "src/back/spv/b.rs"));
        let mut journal = Journal::open(&path).unwrap();
        journal.add(&one, "x", &record(End::Survived, "")).unwrap();
        journal.add(&one, "x", &record(End::Detected, "panic")).unwrap();
        journal.add(&other, "y", &record(End::NotReached, "")).unwrap();
        let mut file = File::options().append(true).open(&path).unwrap();
        file.write_all(b"{\"key\": \"unfinished").unwrap();
        let journal = Journal::open(&path).unwrap();
        assert_eq!(journal.record(&one, "x"), Some(&record(End::Detected, "panic")));
        assert_eq!(journal.end_of(&other, "y"), Some(End::NotReached));
        assert_eq!((journal.end_of(&one, "y"), journal.end_of(&other, "x")), (None, None));
    }

    #[test]
    fn the_table_counts_by_part_and_set_and_lists_survivors() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut journal = Journal::open(&folder.path().join("journal")).unwrap();
        let files = ["src/back/spv/a.rs", "src/back/spv/b.rs", "src/back/glsl/c.rs"];
        let mutants: Vec<_> = (1..).zip(files).map(|(number, file)| mutant(number, file)).collect();
        journal.add(&mutants[0], "x", &record(End::Detected, "value")).unwrap();
        journal.add(&mutants[1], "x", &record(End::Survived, "")).unwrap();
        journal.add(&mutants[2], "x", &record(End::NotReached, "")).unwrap();
        let parts = ["src/back/spv", "src/back/glsl", "src/front/wgsl"];
        let lines = journal.draw(&parts, &mutants, &["x".to_owned()]);
        let expected = [
            "| `src/back/spv` | x | 2 | 2 | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 1 |",
            "| `src/back/glsl` | x | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |",
            "| `src/front/wgsl` | x | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |",
            "x 2, 10 of 30 programs: src/back/spv/b.rs:1: boolean: `true` → `false`",
        ];
        assert_eq!(lines[2..], expected);
    }
}
