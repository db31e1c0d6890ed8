//! `index.html` in a real browser: headless Chromium, from the disk. Without a browser these tests check nothing and
//! say so.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use interstage::check::verdict::{Failure, Verdict};
use interstage::ir::diagnostic::Diagnostic;
use interstage_runner::outcome::{CaseResult, Outcome};
use interstage_runner::report::evidence::{
    self, BufferEvidence, Evidence, ImageEvidence, OracleEvidence, Packed,
};
use interstage_runner::report::html::{self, Run};
use interstage_runner::report::json::{AdapterRecord, CaseRecord, Results};
use interstage_runner::report::origin::Origin;

use serde_json::json;
use tempfile::TempDir;

use crate::{folder, interstage, program, run};

mod details;
mod runs;

/// A case that draws a gradient and expects a single colour.
const GRADIENT: &str = "\
[require]
size 4 4

[render targets]
0 rgba32float

[vertex shader]
#version 450
layout(location = 0) in vec4 piglit_vertex;
out vec2 uv;
void main() { gl_Position = piglit_vertex; uv = piglit_vertex.xy * 0.5 + 0.5; }

[fragment shader]
#version 450
in vec2 uv;
out vec4 color;
void main() { color = vec4(uv, 0.25, 1.0); }

[test]
draw rect -1 -1 2 2
probe rgba (1, 2) (0.375, 0.5, 0.25, 1)
";

/// Script that operates the page and writes down its contents.
const PERSON: &str = include_str!("page.js");

/// Functions for such scripts.
const TOOLS: &str = include_str!("page/tools.js");

/// The page of a narrow window has the contents written into it.
const FRAME: &str = "if (top === window) addEventListener('message', (event) => document.body.append(event.data));\n";

/// The page's elements after its script has finished; `None` if there is no browser.
pub(crate) fn dom(page: &Path, address: &str, options: &[&str]) -> Option<String> {
    let browser = chromium()?;
    let profile = tempfile::tempdir().expect("the system has room for temporary files");
    let output = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--window-size=1400,1000", "--virtual-time-budget=20000", "--dump-dom"])
        .args(options)
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}{address}", page.display()))
        .output()
        .expect("Chromium starts");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn chromium() -> Option<OsString> {
    let named = std::env::var_os("CHROME");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = named.or_else(|| {
        let all = std::env::split_paths(&path).flat_map(|folder| names.map(|it| folder.join(it)));
        all.into_iter().find(|path| path.is_file()).map(Into::into)
    });
    if found.is_none() {
        let mut stderr = std::io::stderr();
        let _ = writeln!(stderr, "skipped: no Chromium; name one in the variable CHROME");
    }
    found
}

fn failed(name: &str) -> CaseRecord {
    let details = vec!["expected  1".to_owned(), "actual    2".to_owned()];
    let failure = Failure { line: Some(2), step: "probe all rgba 1 2 3 4".to_owned(), details };
    record(name, Verdict::Fail(vec![failure]), &[])
}

fn record(name: &str, verdict: Verdict, slots: &[&str]) -> CaseRecord {
    let name = format!("cases/{name}.shader_test");
    let mut result = CaseResult::bare(&name, Outcome::Finished(verdict), 0.01, String::new());
    result.slots = slots.iter().map(|slot| (*slot).to_owned()).collect();
    CaseRecord::from(&result)
}

/// Evidence with an image of two by one pixels.
fn image(format: &str, [actual, expected]: [&[u8]; 2], unaccepted: [u8; 2]) -> Evidence {
    let image = ImageEvidence {
        lines: vec![2],
        target: 0,
        name: None,
        format: format.to_owned(),
        width: 2,
        height: 1,
        actual: Packed::of(actual),
        expected: Some(Packed::of(expected)),
        oracle: None,
        unaccepted: Some(Packed::of(&unaccepted)),
        probed: None,
        tolerance: "0.01".to_owned(),
    };
    Evidence { images: vec![image], source: "[test]\nprobe\n".to_owned(), ..Evidence::default() }
}

/// Writes the evidence of the cases of [`results`].
fn write_evidence(folder: &Path) {
    let write = |name: &str, evidence: &Evidence| {
        let folder = folder.join(format!("cases/{name}.shader_test"));
        std::fs::create_dir_all(&folder).expect("the folder is ours");
        evidence::write(&folder, evidence).expect("the folder is ours");
    };
    let floats = |values: [f32; 8]| values.map(f32::to_le_bytes).as_flattened().to_vec();
    let alpha: [&[u8]; 2] = [&[9, 9, 9, 0, 9, 9, 9, 255], &[9, 9, 9, 255, 9, 9, 9, 255]];
    write("alpha", &image("rgba8unorm", alpha, [8, 0]));
    write("flat", &image("rgba8unorm", [&[51; 8], &[255; 8]], [15, 15]));
    let near: [&[u8]; 2] = [&[10, 0, 0, 0, 11, 0, 0, 0], &[99, 0, 0, 0, 12, 0, 0, 0]];
    write("near", &image("rgba8unorm", near, [1, 0]));
    let wide = floats([-4.0, 0.0, 0.0, 1.0, 16.0, 0.0, 0.0, 1.0]);
    write("wide", &image("rgba32float", [&wide, &floats([1.0; 8])], [1, 1]));
    let source = "[test]\nxyzzy 1\nprobe all rgba 1 1 1 1\n".to_owned();
    let failure = Failure { line: Some(2), step: "no such word".to_owned(), details: Vec::new() };
    write("broken", &Evidence { source, failures: vec![failure], ..Evidence::default() });
}

fn results() -> Results {
    let broken = Verdict::Broken(vec![Diagnostic::error(None, "no such word")]);
    let names = ["alpha", "flat", "near", "wide"];
    let mut cases: Vec<_> = names.into_iter().map(failed).collect();
    cases.push(record("broken", broken, &[]));
    cases.push(record("pass", Verdict::Pass, &["0.xyz <- a.xy b", "1.x <- c"]));
    cases.push(record("skip", Verdict::Skip("needs GL 4.6".to_owned()), &[]));
    cases.push(record("skip_more", Verdict::Skip("needs GL 3.3".to_owned()), &[]));
    let (selector, title) = ("gl:0".to_owned(), "gl · llvmpipe · Mesa 22.3.6".to_owned());
    let mut results = Results::new(Some(AdapterRecord { selector, title }), cases);
    results.run = Some(Origin {
        started: "2026-11-23T16:41:20Z".to_owned(),
        command: vec!["run".to_owned(), "cases".to_owned()],
        commit: "0123456789abcdef".to_owned(),
        seconds: 75.0,
    });
    results
}

/// Shows the page in a narrow frame.
const NARROW: &str = "<!doctype html><body><iframe src='index.html' width=420 height=900 \
    style='border:0'></iframe><script>addEventListener('message', (event) => \
    document.body.append(event.data));</script>";

/// Contents of a page of [`results`] in a browser with these options; `None` if there is no browser.
fn seen(start: &str, options: &[&str]) -> Option<serde_json::Value> {
    let folder = folder(&[]);
    write_evidence(folder.path());
    let run = Run { label: "r".to_owned(), evidence: folder.path().into(), results: &[results()] };
    operated(&folder, &[run], PERSON, (start, options))
}

/// What a script of a person writes into `seen` on the page of these runs, beside [`TOOLS`]; `None` if there is no
/// browser. `start` is the page that is opened: `index.html`, or `narrow.html` for a frame of 420 pixels.
fn operated(
    folder: &TempDir,
    runs: &[Run<'_>],
    person: &str,
    (start, options): (&str, &[&str]),
) -> Option<serde_json::Value> {
    let mut text = Vec::new();
    html::draw(&mut text, runs).expect("memory can be written");
    let page = folder.path().join("index.html");
    write!(
        &mut text,
        "<script>{FRAME}(async () => {{\n{TOOLS}\n{person}\ntell(seen);\n}})().catch((error) => \
         top.postMessage(`BEGIN${{JSON.stringify({{ error: `${{error.stack}} after ${{JSON.stringify(window.seen)}}` }})}}END`, '*'));</script>"
    )
    .expect("memory can be written");
    std::fs::write(&page, text).expect("the folder is ours");
    std::fs::write(folder.path().join("narrow.html"), NARROW).expect("the folder is ours");
    let dom = dom(&folder.path().join(start), "", options)?;
    let seen = dom.split_once("BEGIN{").and_then(|(_, rest)| rest.split_once("}END"));
    let (seen, _) = seen.unwrap_or_else(|| panic!("the page is not ready: {dom}"));
    let seen = seen.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    Some(serde_json::from_str(&format!("{{{seen}}}")).expect("the script writes JSON"))
}

/// Checks what was seen under several names.
#[track_caller]
fn check_seen(seen: &serde_json::Value, expected: &serde_json::Value) {
    assert!(seen["error"].is_null(), "{}", seen["error"]);
    let expected = expected.as_object().expect("names and values");
    let wrong = expected.iter().filter(|(name, value)| seen[name.as_str()] != **value);
    let wrong: Vec<_> = wrong
        .map(|(name, value)| format!("{name}: expected {value}, seen {}", seen[name.as_str()]))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn everything_can_be_chosen_by_mouse_keys_and_address() {
    let Some(seen) = seen("index.html", &[]) else { return };
    let ratio = seen["contrast"]["ratio"].as_f64();
    assert!(ratio.is_some_and(|ratio| ratio >= 4.5), "{}", seen["contrast"]);
    let mut wrong = Vec::new();
    let mut see = |name: &str, expected: serde_json::Value| {
        if seen[name] != expected {
            wrong.push(format!("{name}: expected {expected}, seen {}", seen[name]));
        }
    };
    see("title", json!("5 of 8 failed · run cases · 2026-11-23 16:41 · interstage"));
    for part in [
        "8 cases: 1 passed 5 failed 2 skipped",
        "interstage run cases",
        "16:41:20 UTC",
        "0123456789ab",
        "1 min 15 s",
    ] {
        assert!(seen["runs"].as_str().is_some_and(|runs| runs.contains(part)), "{}", seen["runs"]);
    }
    see("first", json!("cases/alpha.shader_test"));
    see("solo", json!([4, "#case=cases/alpha.shader_test&status=Fail"]));
    see("added", json!([5, "#case=cases/alpha.shader_test&status=Fail,Pass"]));
    see("alone", json!([1, "#case=cases/alpha.shader_test&status=Broken"]));
    see("alpha", json!(["a", "1 of 2 pixels differ, tolerance 0.01", 5]));
    let moved = "pixel (1, 0), counted from the lower left, within the tolerance (0.01)";
    see("moved", json!(["#case=cases/alpha.shader_test&pixel=1,0", moved]));
    see("flat", json!([["expectedr 1g 1b 1a 1", "actualr 0.2g 0.2b 0.2a 0.2"], 0]));
    see("near", json!(["1 of 2 pixels differ, tolerance 0.01", moved]));
    see("wide", json!(["-4", "16"]));
    see("broken", json!(["   2xyzzy 1\n"]));
    see("coloured", json!(1));
    see("pass", json!([["a.x", "a.y", "b", "–", "c", "–", "–", "–"], 3]));
    see("before", json!(["cases/broken.shader_test", 1]));
    see("back", json!("cases/pass.shader_test"));
    let groups = [
        "▾probe all rgba …: expected …4 of 4",
        "▾no such word1 of 1",
        "▸needs GL …2",
        "▸no reason1",
    ];
    see("grouped", json!(["#case=cases/pass.shader_test&group=reason", groups]));
    see("searching", json!("search"));
    see("left", json!("list"));
    see("help", json!(true));
    see("reachable", json!(["list", "row", "divider"]));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn text_can_be_read_in_the_dark_and_in_a_narrow_window() {
    let dark = ["--blink-settings=preferredColorScheme=0"];
    let Some(seen) = seen("narrow.html", &dark) else { return };
    let ratio = seen["contrast"]["ratio"].as_f64();
    assert!(ratio.is_some_and(|ratio| ratio >= 4.5), "{}", seen["contrast"]);
    assert_eq!((&seen["width"], &seen["overflow"]), (&json!(420), &json!(0)));
    let boxes = seen["boxes"].as_array().expect("a list");
    assert!(boxes.iter().all(|ratio| ratio.as_f64() >= Some(4.5)), "{boxes:?}");
}

#[test]
fn a_failed_pixel_is_shown_with_its_value_and_bits() {
    let folder = folder(&[("cases/a.shader_test", GRADIENT)]);
    let result = run(program(folder.path()).args(["run", "--results", "out"]));
    assert_eq!(result.code, Some(1), "{}", result.text());
    let page = folder.path().join("out/index.html");
    let Some(dom) = dom(&page, "#case=cases/a.shader_test", &[]) else { return };
    assert!(dom.contains("data-state=\"ready\""), "{dom}");
    assert_eq!(
        dom.matches("<canvas").count(),
        5,
        "expected, actual, difference, and two below a slider"
    );
    // The centre of pixel (1, 2) is at (1.5, 2.5) of 4.
    for shown in
        ["pixel (1, 2)", "0.625", "0x3f200000", "0.5", "0x3f000000", "1 of 16 pixels differ"]
    {
        assert!(dom.contains(shown), "{shown} is not shown:\n{dom}");
    }
    for shown in ["lowered stages", "link map", "interstage run", "@fragment"] {
        assert!(dom.contains(shown), "{shown} is not shown:\n{dom}");
    }
}

/// The adapter returns the same values as the linked program, and the unlinked stages return others.
#[test]
fn results_of_the_executor_stand_beside_those_of_the_adapter() {
    let folder = folder(&[]);
    let case = folder.path().join("cases/flat.shader_test");
    std::fs::create_dir_all(&case).expect("the folder is ours");
    let oracle = |bytes: [&[u8]; 2]| {
        let [unlinked, linked] = bytes.map(Packed::of);
        Some(OracleEvidence { unlinked: Some(unlinked), linked })
    };
    let mut both = image("rgba8unorm", [&[51; 8], &[255; 8]], [15, 15]);
    both.images[0].oracle = oracle([&[102; 8], &[51; 8]]);
    let words = oracle([&1_u32.to_le_bytes(), &9_u32.to_le_bytes()]);
    both.buffers = vec![BufferEvidence {
        line: 2,
        name: "storage buffer 1:0".to_owned(),
        actual: Packed::of(&[9, 0, 0, 0]),
        oracle: words,
    }];
    evidence::write(&case, &both).expect("the folder is ours");
    let run = Run { label: "r".to_owned(), evidence: folder.path().into(), results: &[results()] };
    let page = folder.path().join("index.html");
    let mut file = std::fs::File::create(&page).expect("the folder is ours");
    html::draw(&mut file, &[run]).expect("there is room");
    let Some(dom) = dom(&page, "#case=cases/flat.shader_test", &[]) else { return };
    let told = "On the executor: unlinked differs, linked gives the same, unlinked and linked differ: the linker.";
    assert_eq!(dom.matches(told).count(), 2, "of the image and of the buffer:\n{dom}");
    assert_eq!(dom.matches("<canvas").count(), 7, "two more than without an oracle");
    for shown in [
        "unlinked, on the executor",
        "linked, on the executor",
        "actual, on the adapter",
        "0x00000001",
    ] {
        assert!(dom.contains(shown), "{shown} is not shown:\n{dom}");
    }
    // 0.4 is 102 of 255.
    assert!(dom.contains("<td>0.4</td>") || dom.contains(">0.4<"), "{dom}");
}

#[test]
fn a_run_with_the_oracle_keeps_what_the_executor_gave() {
    let folder = folder(&[("cases/a.shader_test", GRADIENT)]);
    let result =
        interstage(folder.path(), &["run", "--oracle", "--adapter", "cpu", "--results", "out"]);
    assert_eq!(result.code, Some(1), "{}", result.text());
    let evidence = evidence::read(&folder.path().join("out/evidence/cases/a.shader_test"));
    let image = &evidence.expect("evidence is kept").images[0];
    let oracle = image.oracle.as_ref().expect("the oracle was asked");
    assert_eq!((oracle.unlinked.as_ref(), &oracle.linked), (Some(&image.actual), &image.actual));
}

#[test]
fn of_40_000_cases_only_the_rows_in_sight_are_elements() {
    let case = |idx: usize| {
        let verdict = match idx % 50 {
            0 => Verdict::Fail(Vec::new()),
            1..10 => Verdict::Skip("needs GL 4.6 </script>".to_owned()),
            _ => Verdict::Pass,
        };
        let name = format!("cases/area{}/some claim about varyings {idx}.shader_test", idx / 500);
        CaseRecord::from(&CaseResult::bare(&name, Outcome::Finished(verdict), 0.01, String::new()))
    };
    let results = [Results::new(None, (0..40_000).map(case).collect())];
    let folder = folder(&[]);
    let page = folder.path().join("index.html");
    let mut file = std::fs::File::create(&page).expect("the folder is ours");
    let (label, evidence) = ("r".to_owned(), folder.path().into());
    html::draw(&mut file, &[Run { label, evidence, results: &results }]).expect("there is room");
    let Some(dom) = dom(&page, "#q=claim 39950", &[]) else { return };
    assert!(dom.contains("data-state=\"ready\""), "the page is not ready");
    assert!(dom.contains("some claim about varyings 39950"), "the search finds its case");
    let rows = |dom: &str| dom.matches("class=\"row case").count();
    assert_eq!(rows(&dom), 1);
    let Some(all) = self::dom(&page, "#group=status", &[]) else { return };
    assert!((20..200).contains(&rows(&all)), "{} rows", rows(&all));
    assert!(all.contains("Pass 32000"), "the counts are of all cases");
}
