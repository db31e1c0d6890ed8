//! A page of several runs, and the page in a narrow window.

use std::path::Path;

use interstage::check::verdict::Verdict;
use interstage_runner::report::evidence;
use interstage_runner::report::html::Run;
use interstage_runner::report::json::{CaseRecord, Results};
use serde_json::json;
use tempfile::TempDir;

use super::{check_seen, dom, failed, image, operated, record};
use crate::{folder, interstage};

/// Script that looks at a page of two runs.
const PERSON: &str = include_str!("runs.js");

/// Script for a narrow window.
const NARROW_PERSON: &str = include_str!("narrow.js");

fn slow(case: CaseRecord, cpu_seconds: f32) -> CaseRecord {
    CaseRecord { cpu_seconds: Some(cpu_seconds), ..case }
}

/// Two runs: one case becomes worse, one is fixed, one fails in both.
fn runs() -> [Results; 2] {
    let pass = |name| record(name, Verdict::Pass, &[]);
    let old = vec![failed("fixed"), pass("broke"), failed("worse"), pass("same")];
    let new = vec![slow(pass("fixed"), 12.5), failed("broke"), failed("worse"), pass("same")];
    [old, new].map(|cases| Results::new(None, cases))
}

/// Evidence of the runs: of each failed case an image of one colour.
fn write_evidence(folder: &Path, run: &str, red: u8, names: &[&str]) {
    for name in names {
        let folder = folder.join(run).join(format!("cases/{name}.shader_test"));
        std::fs::create_dir_all(&folder).expect("the folder is ours");
        let actual = [red, 0, 0, 255].repeat(2);
        let images = image("rgba8unorm", [&actual, &[255; 8]], [15, 15]);
        evidence::write(&folder, &images).expect("the folder is ours");
    }
}

fn seen(person: &str, start: (&str, &[&str])) -> Option<serde_json::Value> {
    let folder: TempDir = folder(&[]);
    write_evidence(folder.path(), "old", 51, &["fixed", "worse"]);
    write_evidence(folder.path(), "new", 102, &["broke", "worse"]);
    let [old, new] = runs();
    let run = |label: &str, results| Run {
        label: format!("runs/{label}"),
        evidence: folder.path().join(label),
        results: std::slice::from_ref(results),
    };
    operated(&folder, &[run("old", &old), run("new", &new)], person, start)
}

#[test]
fn two_runs_begin_with_the_first_regression_in_the_newest_column() {
    let Some(seen) = seen(PERSON, ("index.html", &[])) else { return };
    check_seen(
        &seen,
        &json!({
            "first": ["cases/broke.shader_test", "new"],
            "group": "change",
            "groups": ["Regression", "Fix", "no change"],
            "heads": ["new", "old"],
            "runs": ["4 cases: 2 passed 2 failed 0 skipped ", "4 cases: 2 passed 2 failed 0 skipped ",
                "changes: 1 regression 1 fix 0 changes 0 new 0 gone "],
            "missing": "old kept no such image; a run with --keep-all keeps those of cases that pass",
            "slow": ["12.5 CPU s"],
            "chips": ["results of new", "Fail 2", "Pass 2", "Regression 1", "Fix 1"],
            "images": ["expected", "actual", "actual of old"],
            "values": ["r 1", "r 0.4", "r 0.2"],
            "overview": ["Results", "Regressions: 1", "Fixes: 1", "Changes: none", "New: none", "Gone: none",
                "Slowest cases: 1 took 10 CPU s or longer"],
            "totals": ["passedfailedcases", "new224", "old224"],
            "slowest": ["CPU sscase", "12.500.01cases/fixed.shader_test", "0.010.01cases/broke.shader_test"],
            "address": "#view=overview",
            "chosen": "cases/broke.shader_test",
        }),
    );
}

#[test]
fn a_narrow_window_shows_the_list_or_the_case() {
    let Some(seen) = seen(NARROW_PERSON, ("narrow.html", &[])) else { return };
    check_seen(
        &seen,
        &json!({
            "width": 420,
            "first": [true, false, true, false],
            "more": true,
            "tapped": [false, true, "cases/broke.shader_test"],
            "back": [true, false],
            "overflow": 0,
        }),
    );
}

#[test]
fn two_runs_are_columns_of_one_row_and_their_changes_are_named() {
    let wrong = crate::GOOD.replace("slots 1", "slots 2");
    let files = [("a.shader_test", crate::GOOD), ("b.shader_test", &wrong)];
    let folder = folder(&files);
    let path = |name: &str| folder.path().join(name);
    interstage(folder.path(), &["run", ".", "--results", "old"]);
    std::fs::write(path("a.shader_test"), &wrong).expect("the folder is ours");
    std::fs::write(path("b.shader_test"), crate::GOOD).expect("the folder is ours");
    interstage(folder.path(), &["run", ".", "--results", "new"]);
    let report = interstage(folder.path(), &["report", "old", "new", "-o", "page.html"]);
    assert_eq!((report.code, report.text().as_str()), (Some(0), "exit code 0\n"));
    let missing = interstage(folder.path(), &["report", "old", "none"]);
    assert!(missing.code != Some(0) && missing.text().contains("none"), "{}", missing.text());
    let Some(dom) = dom(&path("page.html"), "#group=folder", &[]) else { return };
    for shown in ["old → new · interstage", "Regression 1", "Fix 1", ">old</span>", ">new</span>"]
    {
        assert!(dom.contains(shown), "{shown} is not shown:\n{dom}");
    }
    let rows: Vec<_> = dom.split("class=\"row case").skip(1).collect();
    let is_named = |row: usize, file: &str, change: &str| {
        rows[row].contains(file) && rows[row].contains(&format!(">{change}</span>"))
    };
    assert_eq!(rows.len(), 2);
    let is_right =
        is_named(0, "a.shader_test", "Regression") && is_named(1, "b.shader_test", "Fix");
    assert!(is_right, "{rows:?}");
    assert_eq!(dom.matches("data-column=").count(), 4);
}
