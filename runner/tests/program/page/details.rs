//! The details of a case: what is in sight, what is compared with what, and the page that holds one case alone.

use std::path::Path;

use interstage::check::verdict::{Failure, Verdict};
use interstage_runner::report::evidence::{self, BufferEvidence, Evidence, OracleEvidence, Packed};
use interstage_runner::report::html::Run;
use interstage_runner::report::json::{AdapterRecord, CaseRecord, Results};
use interstage_runner::report::origin::Origin;
use serde_json::json;

use super::{check_seen, image, operated, record};
use crate::{folder, interstage, run};

/// Script that looks at the details of the cases of [`cases`].
const PERSON: &str = include_str!("details.js");

/// A link map of a program with a geometry stage.
const CHAIN: &str = "\
vertex to geometry:
slot  class   type  x    y    z  w
0     smooth  vec2  a.x  a.y  –  –

geometry to fragment:
slot  class   type  x  y    z    w
0     smooth  vec3  f  b.x  b.y  –
unread, removed: c
";

/// A link map of a compute stage.
const NO_SLOTS: &str = "slot  class  type  x  y  z  w\n";

fn failing(line: usize, step: &str, details: &[&str]) -> Verdict {
    let details = details.iter().map(|line| (*line).to_owned()).collect();
    Verdict::Fail(vec![Failure { line: Some(line), step: step.to_owned(), details }])
}

fn cases() -> Vec<CaseRecord> {
    let one = &["expected  1", "actual    2"];
    let vector = &["expected  == 1 2 3 4 5 6", "actual    1 2 9 4 5 7"];
    vec![
        record("buffer", failing(2, "probe ssbo uint 2 0 == 1 2", one), &[]),
        record("chain", failing(2, "probe all", one), &["0.xyz <- f b.xy"]),
        record("compute", failing(2, "probe ssbo", one), &[]),
        record("far", failing(50, "probe all rgba 1 0 0 1", one), &[]),
        record("probed", failing(2, "probe rgb (0, 0)", one), &[]),
        record("vector", failing(2, "probe ssbo uint 0 0", vector), &[]),
        record(
            "quiet/pass",
            Verdict::Pass,
            &["vertex to geometry: 0.x <- a", "geometry to fragment: 0.yz <- b.xy"],
        ),
    ]
}

fn write_evidence(folder: &Path) {
    let write = |name: &str, evidence: &Evidence| {
        let folder = folder.join(format!("cases/{name}.shader_test"));
        std::fs::create_dir_all(&folder).expect("the folder is ours");
        evidence::write(&folder, evidence).expect("the folder is ours");
    };
    let map = |text: &str| Evidence { map: text.to_owned(), ..Evidence::default() };
    write("chain", &map(CHAIN));
    write("compute", &map(NO_SLOTS));
    let source = (1..60).map(|line| format!("# line {line}")).collect::<Vec<_>>().join("\n");
    write("far", &Evidence { source, ..Evidence::default() });
    let words = |words: [u32; 2]| Packed::of(words.map(u32::to_le_bytes).as_flattened());
    let buffer = |line, name: &str, oracle| {
        let (name, actual) = (name.to_owned(), words([7, 0x3f80_0000]));
        BufferEvidence { line, name, actual, oracle }
    };
    let oracle = OracleEvidence { unlinked: None, linked: words([8, 0x3f80_0000]) };
    let buffers =
        vec![buffer(2, "storage buffer 2", Some(oracle)), buffer(3, "storage buffer 4", None)];
    write("buffer", &Evidence { buffers, ..Evidence::default() });
    let mut probed = image("rgba8unorm", [&[255; 8], &[0, 0, 0, 255, 255, 255, 255, 255]], [7, 0]);
    probed.images[0].probed = Some(Packed::of(&[0b111, 0]));
    write("probed", &probed);
}

#[test]
fn details_show_what_failed_and_nothing_twice() {
    let folder = folder(&[]);
    write_evidence(folder.path());
    let (selector, title) = ("gl:0".to_owned(), "gl · llvmpipe".to_owned());
    let mut results = [Results::new(Some(AdapterRecord { selector, title }), cases())];
    std::fs::create_dir_all(folder.path().join("root/cases/quiet")).expect("the folder is ours");
    let passing = folder.path().join("root/cases/quiet/pass.shader_test");
    std::fs::write(passing, "# passes\n").expect("the folder is ours");
    results[0].roots = vec![folder.path().join("root").display().to_string()];
    results[0].run = Some(Origin { started: "9999".to_owned(), ..Origin::default() });
    let run = Run { label: "r".to_owned(), evidence: folder.path().into(), results: &results };
    let Some(seen) = operated(&folder, &[run], PERSON, ("index.html", &[])) else { return };
    check_seen(
        &seen,
        &json!({
            "chain": [["vertex to geometry", "geometry to fragment"],
                ["a.x", "a.y", "–", "–", "f", "b.x", "b.y", "–"]],
            "compute": [],
            "far": [true, "  50# line 50\n"],
            "reason": 1,
            "why": "expected 1, actual 2 · probe all rgba 1 0 0 1",
            "vector": ["placeexpectedactual", "first39", "first + 367"],
            "buffers": [
                ["storage buffer 2, 8 bytes, read in line 2: not as expected", true],
                ["storage buffer 4, 8 bytes, read in line 3", false],
            ],
            "heads": ["", "on the adapter", "linked"],
            // A small integer is no float.
            "words": ["0", "0x00000007", "7", "7", "", "0x00000008", ""],
            "hatched": [true, true, false],
            "caption": "expected (hatched: no probe looks there)",
            "pixel": ["not probed", "not probed", "not probed", "not probed"],
            "opened": ["pass", true],
            "passed": [["vertex to geometry", "geometry to fragment"],
                ["a", "–", "–", "–", "–", "b.x", "b.y", "–"], ["   1# passes\n"]],
        }),
    );
    check_saved(seen["saved"].as_str().expect("a page"));
}

/// Checks the page that the button saved: it has one case, and draws its images.
fn check_saved(text: &str) {
    let folder = folder(&[]);
    let page = folder.path().join("saved.html");
    std::fs::write(&page, text).expect("the folder is ours");
    let Some(dom) = super::dom(&page, "", &[]) else { return };
    assert!(dom.contains("<title>cases/probed.shader_test · interstage</title>"), "{dom}");
    assert!(dom.contains("data-state=\"ready\"") && dom.contains("data-single"), "{dom}");
    assert_eq!(dom.matches("<canvas").count(), 5, "{dom}");
    assert_eq!(dom.matches("type=\"application/octet-stream\" id=\"d").count(), 1, "{dom}");
    assert!(!dom.contains("vector.shader_test"), "{dom}");
}

#[test]
fn one_case_becomes_a_page_to_send() {
    let wrong = crate::GOOD.replace("slots 1", "slots 2");
    let folder = folder(&[("cases/a.shader_test", &wrong), ("cases/b.shader_test", &wrong)]);
    interstage(folder.path(), &["run", "--results", "out"]);
    let report = |name: &str| {
        let arguments = ["report", "out", "--case", name, "-o", "case.html"];
        run(crate::program(folder.path()).args(arguments))
    };
    let missing = report("cases/a");
    assert_eq!(
        missing.text(),
        "error: the results have no case `cases/a`; did you mean `cases/a.shader_test`?\nexit code 3\n"
    );
    let written = report("cases/a.shader_test");
    assert_eq!(written.text(), "exit code 0\n");
    let page = folder.path().join("case.html");
    let Some(dom) = super::dom(&page, "", &[]) else { return };
    for shown in
        ["<title>1 of 1 failed · run", "slots 2", "cases/a.shader_test", "[fragment shader]"]
    {
        assert!(dom.contains(shown), "{shown} is not shown:\n{dom}");
    }
    assert!(!dom.contains("b.shader_test"), "{dom}");
}
