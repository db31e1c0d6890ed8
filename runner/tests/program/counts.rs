//! The numbers of a run are the same in the terminal, in every result file, in GitHub's summary and on the page.

use std::path::Path;

use regex::Regex;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::page::dom;
use crate::{Run, folder, program, run};

/// On the first adapter: three passes, and one result of every other class. On the second, one of the passes fails.
const SCRIPT: &str =
    "fail /(wrong|known)\nonce crash /flaky\nskip /skip\non 1 fail /only_on_the_second\n";

const NAMES: [&str; 7] =
    ["first", "second", "only_on_the_second", "wrong", "known", "flaky", "skip"];

/// The last line in the terminal, for both adapters.
const TOTALS: [&str; 2] = [
    "3 passed, 1 failed, 1 skipped, 1 known failure, 1 flake",
    "2 passed, 2 failed, 1 skipped, 1 known failure, 1 flake",
];

/// A folder with the cases, and a run of them on two scripted adapters.
fn scripted(arguments: &[&str]) -> (TempDir, Run) {
    let names = NAMES.map(|name| format!("cases/{name}.shader_test"));
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), "[test]\n")).collect();
    let folder = folder(&files);
    crate::write(folder.path(), "script", SCRIPT.as_bytes());
    crate::write(folder.path(), "known.csv", b"cases/known.shader_test,Fail\n");
    let fixed = ["run", "--script", "script", "--adapter", "all", "--known-failures", "known.csv"];
    let mut command = program(folder.path());
    command.env("GITHUB_STEP_SUMMARY", folder.path().join("summary.md"));
    let ran = run(command.args(fixed).args(arguments));
    assert_eq!(ran.code, Some(1), "{}", ran.text());
    (folder, ran)
}

fn read(folder: &TempDir, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name))
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The totals that these counts have in the terminal.
fn text_of(counts: &Value) -> String {
    let count = |name: &str| counts[name].as_u64().unwrap_or_else(|| panic!("{name} in {counts}"));
    assert_eq!(count("slow") + count("not_decided") + count("not_tested"), 0);
    let [passed, failed, skipped, known, flakes] =
        ["passed", "failed", "skipped", "known_failures", "flakes"].map(count);
    assert_eq!((known, flakes), (1, 1));
    format!("{passed} passed, {failed} failed, {skipped} skipped, 1 known failure, 1 flake")
}

/// Checks the files of one adapter.
fn check_adapter(folder: &TempDir, number: usize, totals: &str) {
    let results: Value =
        serde_json::from_str(&read(folder, &format!("out/scripted-{number}/results.json")))
            .expect("it is JSON");
    assert_eq!(text_of(&results["counts"]), totals, "results.json");
    let csv = read(folder, &format!("out/scripted-{number}/results.csv"));
    let count = |word: &str| csv.lines().filter(|line| line.contains(&format!(",{word},"))).count();
    let [passed, failed, skipped, known, flakes] =
        ["Pass", "Fail", "Skip", "ExpectedFail", "Flake"].map(count);
    let of_csv = json!({ "passed": passed, "failed": failed, "skipped": skipped, "known_failures": known,
        "flakes": flakes, "slow": 0, "not_decided": 0, "not_tested": 0 });
    assert_eq!(text_of(&of_csv), totals, "results.csv");
}

#[test]
fn every_output_has_the_same_counts() {
    let (folder, ran) = scripted(&["--results", "out"]);
    let told: Vec<_> = ran.stdout.lines().filter(|line| line.contains(" passed, ")).collect();
    assert_eq!(told, TOTALS, "{}", ran.stdout);
    TOTALS.iter().enumerate().for_each(|(number, totals)| check_adapter(&folder, number, totals));

    let junit = read(&folder, "out/junit.xml");
    let property = Regex::new(r#"<property name="([a-z ]+)" value="(\d+)"/>"#).expect("a pattern");
    let suites: Vec<_> = junit.split("<testsuite ").skip(1).collect();
    for (suite, totals) in suites.iter().zip(TOTALS) {
        let counts = property.captures_iter(suite).map(|found| {
            let word = if &found[2] == "1" { found[1].trim_end_matches('s') } else { &found[1] };
            format!("{} {word}", &found[2])
        });
        assert_eq!(counts.collect::<Vec<_>>().join(", "), totals, "junit.xml");
        // Known failures are skipped there, and flakes have passed.
        let failed = totals.split(", ").nth(1).and_then(|part| part.split(' ').next());
        let failed = failed.expect("a number of failures");
        let own = format!(r#"tests="7" skipped="2" errors="0" failures="{failed}""#);
        assert!(suite.contains(&own), "{own}: {}", suite.lines().next().unwrap_or_default());
    }

    let summary = read(&folder, "summary.md");
    let rows = [
        "| scripted · adapter 0 | 7 | 3 | 1 | 1 | 1 | 1 |",
        "| scripted · adapter 1 | 7 | 2 | 2 | 1 | 1 | 1 |",
    ];
    assert!(rows.iter().all(|row| summary.contains(row)), "{summary}");

    check_page(&folder.path().join("out/index.html"));
}

/// Checks the title, the head and the chips of the page. Chips count results, so those of both adapters are added.
fn check_page(page: &Path) {
    let Some(dom) = dom(page, "", &[]) else { return };
    let tags = Regex::new("<[^>]*>").expect("a pattern");
    let text_of = |id: &str| {
        let start = dom.find(&format!("id=\"{id}\"")).unwrap_or_else(|| panic!("no {id}: {dom}"));
        let end = dom[start..].find("</header>").map_or(dom.len(), |end| start + end);
        tags.replace_all(&dom[start..end], " ").split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(dom.contains("<title>3 of 14 results failed · "), "{dom}");
    let head = text_of("runs");
    for part in [
        "7 cases on 2 adapters",
        "7 cases: 3 passed 1 failed 1 skipped 1 known failure 1 flake",
        "7 cases: 2 passed 2 failed 1 skipped 1 known failure 1 flake",
    ] {
        assert!(head.contains(part), "{part}: {head}");
    }
    let chips = text_of("chips");
    let shown = "results Fail 3 Pass 5 Skip 2 ExpectedFail 2 Flake 2";
    assert!(chips.contains(shown), "{shown}: {chips}");
    let Some(overview) = self::dom(page, "#view=overview", &[]) else { return };
    // The flake on each adapter.
    assert!(overview.contains("Passed only when run again: 2"), "{overview}");
}

#[test]
fn the_stream_of_json_names_the_adapter_and_ends_with_the_counts() {
    let (_folder, ran) = scripted(&["--format", "json"]);
    let events: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
    let of = |name: &str| events.iter().filter(|event| event["event"] == name).collect::<Vec<_>>();
    let ended: Vec<_> =
        of("adapter-finished").iter().map(|event| text_of(&event["counts"])).collect();
    assert_eq!(ended, TOTALS);
    let adapters = of("case").iter().map(|event| event["adapter"].clone()).collect::<Vec<_>>();
    assert_eq!(adapters, [vec![json!("scripted:0"); 7], vec![json!("scripted:1"); 7]].concat());
}

/// GitHub reads annotations from both streams, and a program reads JSON from stdout.
#[test]
fn annotations_are_not_among_the_json() {
    let names = ("cases/a.shader_test", "[tset]\n");
    let folder = folder(&[names]);
    let mut command = program(folder.path());
    command.env("GITHUB_ACTIONS", "true").envs(crate::NO_ADAPTER);
    let ran = run(command.args(["run", "--format", "json"]));
    assert!(ran.stdout.lines().all(|line| line.starts_with('{')), "{}", ran.stdout);
    assert!(ran.stderr.contains("::error file=cases/a.shader_test"), "{}", ran.stderr);
}
