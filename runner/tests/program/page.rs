//! `index.html` in a real browser: headless Chromium, from the disk. `cargo xtask test` installs it.

use std::path::Path;
use std::process::Command;

use interstage::check::verdict::Verdict;
use interstage_runner::outcome::{CaseResult, Outcome};
use interstage_runner::report::html;
use interstage_runner::report::json::{CaseRecord, Results};

use crate::{folder, program, run};

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

/// The page's elements after its script has finished.
fn dom(page: &Path, address: &str) -> String {
    let profile = tempfile::tempdir().expect("the system has room for temporary files");
    let output = Command::new(chromium())
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--window-size=1400,1000", "--virtual-time-budget=20000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}{address}", page.display()))
        .output()
        .expect("Chromium starts");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn chromium() -> std::ffi::OsString {
    if let Some(named) = std::env::var_os("CHROME") {
        return named;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = std::env::split_paths(&path)
        .find_map(|folder| names.map(|name| folder.join(name)).into_iter().find(|it| it.is_file()));
    found.expect("no Chromium; `cargo xtask test` installs it, or name one in CHROME").into()
}

#[test]
fn a_failed_pixel_is_shown_with_its_value_and_bits() {
    let folder = folder(&[("cases/a.shader_test", GRADIENT)]);
    let result = run(program(folder.path()).args(["run", "--results", "out"]));
    assert_eq!(result.code, Some(1), "{}", result.text());
    let dom = dom(&folder.path().join("out/index.html"), "#case=cases/a.shader_test");
    assert!(dom.contains("data-state=\"ready\""), "{dom}");
    assert_eq!(
        dom.matches("<canvas").count(),
        5,
        "expected, actual, difference, and two below a slider"
    );
    // Pixel (1, 2) has its centre at (1.5, 2.5) of 4.
    for shown in
        ["pixel (1, 2)", "0.625", "0x3f200000", "0.5", "0x3f000000", "1 of 16 pixels differ"]
    {
        assert!(dom.contains(shown), "{shown} is not shown:\n{dom}");
    }
    for shown in ["lowered stages", "link map", "interstage run", "@fragment"] {
        assert!(dom.contains(shown), "{shown} is not shown:\n{dom}");
    }
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
    html::draw(&mut file, folder.path(), &results).expect("there is room");
    let dom = dom(&page, "#q=claim 39950");
    assert!(dom.contains("data-state=\"ready\""), "the page is not ready");
    assert!(dom.contains("some claim about varyings 39950"), "the search finds its case");
    let rows = |dom: &str| dom.matches("class=\"row case").count();
    assert_eq!(rows(&dom), 1);
    let all = self::dom(&page, "#group=status");
    assert!((20..200).contains(&rows(&all)), "{} rows", rows(&all));
    assert!(all.contains("Pass 32000"), "the counts are of all cases");
}
