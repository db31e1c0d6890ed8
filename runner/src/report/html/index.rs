//! Data that the page loads at once: every case of every run and adapter. Stored in columns of equal length, which
//! deflate better than rows.

use std::collections::HashMap;

use serde::Serialize;

use crate::outcome::status::{Class, Status};
use crate::report::html::{Run, has_detail};
use crate::report::json::{AdapterRecord, CaseRecord, Results};
use crate::report::origin::Origin;
use crate::report::summary::slow::SLOW_AFTER;

/// The index. Numbers refer to positions in its other tables.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Index<'a> {
    runs: Vec<RunRow<'a>>,
    /// Words for the classes that results count as, in the order of totals.
    classes: Vec<&'static str>,
    /// Seconds from which on a case is slow.
    slow_after: f32,
    statuses: Vec<StatusRow>,
    /// Distinct reasons; the first is empty.
    reasons: Vec<&'a str>,
    /// Distinct slot tables, each with its lines joined; the first is empty.
    maps: Vec<String>,
    /// Names of all cases.
    names: Vec<&'a str>,
    /// One column for each adapter of each run.
    columns: Vec<Column<'a>>,
}

#[derive(Debug, Serialize)]
struct RunRow<'a> {
    label: &'a str,
    interstage: &'a str,
    origin: Option<&'a Origin>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct StatusRow {
    name: Status,
    class: &'static str,
    is_failure: bool,
}

/// The results of an adapter in a run, in the order in which the cases were reported.
#[derive(Debug, Default, Serialize)]
struct Column<'a> {
    run: usize,
    selector: &'a str,
    title: &'a str,
    /// Number of results of each class.
    tally: Vec<usize>,
    case: Vec<usize>,
    status: Vec<usize>,
    reason: Vec<usize>,
    map: Vec<usize>,
    seconds: Vec<f32>,
    /// Seconds on processors, or null.
    cpu: Vec<Option<f32>>,
    /// Number of the case's details element, or −1.
    detail: Vec<i64>,
}

/// Numbers values in the order of their first occurrence.
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

impl<T: Clone + Eq + std::hash::Hash> Numbers<T> {
    fn number_of(&mut self, value: T) -> usize {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        self.numbers.insert(value.clone(), self.values.len());
        self.values.push(value);
        self.values.len() - 1
    }
}

/// The tables under construction.
#[derive(Debug, Default)]
struct Tables<'a> {
    statuses: Numbers<Status>,
    reasons: Numbers<&'a str>,
    maps: Numbers<String>,
    names: Numbers<&'a str>,
    details: i64,
}

/// Builds the index of these runs. Details are numbered in the order of runs, adapters and cases.
pub(super) fn index<'a>(runs: &'a [Run<'_>]) -> Index<'a> {
    let mut tables = Tables::default();
    tables.reasons.number_of("");
    tables.maps.number_of(String::new());
    let mut columns = Vec::new();
    for (run, number) in runs.iter().zip(0..) {
        columns.extend(run.results.iter().map(|results| column(&mut tables, number, results)));
    }
    let status = |name: Status| {
        let class = name.class().word();
        StatusRow { name, class, is_failure: name.is_failure() }
    };
    Index {
        classes: Class::ALL.map(Class::word).to_vec(),
        slow_after: SLOW_AFTER,
        runs: runs.iter().map(row).collect(),
        statuses: tables.statuses.values.into_iter().map(status).collect(),
        reasons: tables.reasons.values,
        maps: tables.maps.values,
        names: tables.names.values,
        columns,
    }
}

fn row<'a>(run: &'a Run<'_>) -> RunRow<'a> {
    let first = run.results.first();
    RunRow {
        label: &run.label,
        interstage: first.map_or("", |results| &results.interstage),
        // The results written last know the duration of the whole run.
        origin: run
            .results
            .iter()
            .filter_map(|results| results.run.as_ref())
            .max_by(|left, right| left.seconds.total_cmp(&right.seconds)),
    }
}

fn column<'a>(tables: &mut Tables<'a>, run: usize, results: &'a Results) -> Column<'a> {
    let adapter = results.adapter.as_ref();
    let (selector, title) = adapter.map_or(("none", "without an adapter"), names_of);
    let tally = Class::ALL.map(|class| results.counts.count(class)).to_vec();
    let mut column = Column { run, selector, title, tally, ..Column::default() };
    for case in &results.cases {
        column.add(tables, case);
    }
    column
}

fn names_of(adapter: &AdapterRecord) -> (&str, &str) {
    (&adapter.selector, &adapter.title)
}

impl<'a> Column<'a> {
    fn add(&mut self, tables: &mut Tables<'a>, case: &'a CaseRecord) {
        self.case.push(tables.names.number_of(&case.name));
        self.status.push(tables.statuses.number_of(case.kind));
        self.reason.push(tables.reasons.number_of(case.reason.as_deref().unwrap_or_default()));
        self.map.push(tables.maps.number_of(case.slots.join("\n")));
        self.seconds.push((case.seconds * 1e3).round() / 1e3);
        self.cpu.push(case.cpu_seconds.map(|seconds| (seconds * 1e2).round() / 1e2));
        self.detail.push(if has_detail(case) { tables.details } else { -1 });
        tables.details += i64::from(has_detail(case));
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use interstage::check::verdict::Verdict;

    use super::*;
    use crate::outcome::{CaseResult, Outcome};

    fn case(name: &str, verdict: Verdict, slots: &[&str]) -> CaseRecord {
        let mut result = CaseResult::bare(name, Outcome::Finished(verdict), 0.1, String::new());
        result.slots = slots.iter().map(|slot| (*slot).to_owned()).collect();
        CaseRecord::from(&result)
    }

    #[test]
    fn equal_reasons_link_maps_and_names_are_written_once() {
        let skip = || Verdict::Skip("x".to_owned());
        let cases =
            || vec![case("a", skip(), &[]), case("b", Verdict::Pass, &["0.x <- u", "1.x <- v"])];
        let results = [Results::new(None, cases()), Results::new(None, cases())];
        let run = Run { label: "r".to_owned(), evidence: Path::new("").into(), results: &results };
        let runs = [run];
        let index = index(&runs);
        assert_eq!((&index.names[..], &index.reasons[..]), (&["a", "b"][..], &["", "x"][..]));
        assert_eq!(index.maps, ["", "0.x <- u\n1.x <- v"]);
        assert_eq!(index.statuses.len(), 2);
        for column in &index.columns {
            assert_eq!((&column.case[..], &column.reason[..]), (&[0, 1][..], &[1, 0][..]));
            assert_eq!((&column.map[..], &column.detail[..]), (&[0, 1][..], &[-1, -1][..]));
        }
    }
}
