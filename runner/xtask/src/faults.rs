//! `cargo xtask faults`: a table of the faults injected by the tests in `runner/tests/faults`, and their results.

use std::collections::BTreeMap;
use std::path::Path;

use crate::step::say;

/// The names of the columns.
const TITLES: [&str; 5] = ["fault", "injected", "results", "right", "lost"];

/// Numbers of injected faults, results, right results and lost results.
type Counts = [u64; 4];

/// Runs the tests and prints the table, even if a test fails.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let folder = root.join("target/xtask");
    let table = folder.join("faults.tsv");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    // There may be no table from an earlier run.
    let _ = std::fs::remove_file(&table);
    let arguments = ["test", "--quiet", "--package", "interstage-runner", "--test", "faults"];
    let mut tests = crate::build::cargo(&arguments);
    tests.env("INTERSTAGE_FAULT_TABLE", &table).env("INTERSTAGE_SOAK", "1").current_dir(root);
    let status = tests.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    let text = std::fs::read_to_string(&table).map_err(|error| {
        format!("cannot read {}, which a test writes: {error}", table.display())
    })?;
    for line in draw(&sum(&text)?) {
        say(&line);
    }
    if status.success() { Ok(()) } else { Err("a test failed".to_owned()) }
}

/// Sums the rows by fault over several runs.
fn sum(text: &str) -> Result<BTreeMap<&str, Counts>, String> {
    let mut rows: BTreeMap<&str, Counts> = BTreeMap::new();
    for line in text.lines() {
        let mut cells = line.split('\t');
        let fault = cells.next().unwrap_or_default();
        let numbers = cells.map(str::parse).collect::<Result<Vec<u64>, _>>();
        let numbers: Counts = numbers
            .ok()
            .and_then(|numbers| numbers.try_into().ok())
            .ok_or_else(|| format!("not a row: {line}"))?;
        let row = rows.entry(fault).or_default();
        row.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
    }
    Ok(rows)
}

/// Formats a Markdown table with totals.
fn draw(rows: &BTreeMap<&str, Counts>) -> Vec<String> {
    let mut total = Counts::default();
    for counts in rows.values() {
        total.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    let row = |name: &str, [injected, results, right, lost]: &Counts| {
        format!("| {name} | {injected} | {results} | {right} | {lost} |")
    };
    let titles = [format!("| {} |", TITLES.join(" | ")), "|---|--:|--:|--:|--:|".to_owned()];
    let rows = rows.iter().map(|(name, counts)| row(name, counts));
    titles.into_iter().chain(rows).chain([row("all", &total)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_one_fault_are_one_row_and_all_are_added_up() {
        let rows = sum("b\t1\t10\t9\t1\na\t2\t5\t5\t0\nb\t1\t10\t10\t0\n").unwrap();
        let expected =
            ["| a | 2 | 5 | 5 | 0 |", "| b | 2 | 20 | 19 | 1 |", "| all | 4 | 25 | 24 | 1 |"];
        assert_eq!(draw(&rows)[2..], expected);
        assert_eq!(sum("a\t1"), Err("not a row: a\t1".to_owned()));
    }
}
