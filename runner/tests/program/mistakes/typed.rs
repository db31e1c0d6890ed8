//! Mistakes that users made, and what the program answers to exactly what they typed.

use std::path::Path;

use crate::{GOOD, folder, interstage, run};

/// A case that draws green and expects this.
fn drawn(probe: &str) -> String {
    format!(
        "[vertex shader passthrough]\n\n[fragment shader]\nout vec4 color;\nvoid main() {{ color = vec4(0.0, 1.0, 0.0, 1.0); }}\n\n[test]\ndraw rect -1 -1 2 2\n{probe}\n"
    )
}

/// Checks that a run of the text says this.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let folder = folder(&[("cases/a.shader_test", text)]);
    let run = interstage(folder.path(), &["run", "cases", "--adapter", "cpu"]);
    for expected in expected {
        assert!(run.text().contains(expected), "no {expected:?} in {}", run.text());
    }
    assert_ne!(run.code, Some(0), "{}", run.text());
}

#[test]
fn words_of_a_probe_in_another_order_are_explained() {
    let help = "`target N` and `sample K` come before `rect`, `all` and the channels";
    check(&drawn("probe all target 1"), &["a.shader_test:9:11", help]);
    check(&drawn("probe all sample 1"), &["a.shader_test:9:11", help]);
}

#[test]
fn a_probe_without_a_place_offers_one_of_all_pixels() {
    let error = "a probe of a pixel needs its x and y";
    check(&drawn("probe rgba 0 1 0 1"), &[error, "did you mean `probe all rgba`?"]);
    check(&drawn("probe rgb 0.25 0.5 0.75"), &[error, "did you mean `probe all rgb`?"]);
}

#[test]
fn a_byte_order_mark_is_named() {
    let text = format!("\u{feff}{}", drawn("probe all rgba 0 1 0 1"));
    let error = "a byte order mark before the first section";
    check(&text, &[error, "save the file as UTF-8 without it"]);
}

#[test]
fn a_case_without_a_draw_is_offered_one() {
    let text = drawn("probe all rgba 0 1 0 1").replace("draw rect -1 -1 2 2\n", "");
    check(&text, &["no draw runs it; `draw rect -1 -1 2 2` covers the target"]);
}

#[test]
fn components_of_one_slot_are_one_place() {
    let text = GOOD.replace("slots 1", "uv 0.x 0.y");
    check(&text, &["are written together", "write `0.xy`"]);
}

#[test]
fn a_location_in_one_stage_only_is_told() {
    let text = "[vertex shader wgsl]
struct Out { @builtin(position) p: vec4f, @location(0) a: vec4f }
@vertex fn main() -> Out { return Out(vec4f(0.0, 0.0, 0.0, 1.0), vec4f(1.0)); }
[fragment shader wgsl]
@fragment fn main(b: vec4f) -> @location(0) vec4f { return b; }
[test]
draw rect -1 -1 2 2
probe all rgba 1 1 1 1
";
    check(text, &["`b` is read by the fragment stage", "`a` has location 0 and `b` has none"]);
}

#[test]
fn a_version_is_named_where_it_lacks_something() {
    let text = drawn("probe all rgba 0 1 0 1")
        .replace("out vec4 color;", "#version 450\nvarying vec4 x;\nout vec4 color;");
    let help = "inputs are declared with `in`, outputs with `out`";
    check(&text, &["`attribute` and `varying` are not available in GLSL 4.50 core", help]);
    let text = drawn("probe all rgba 0 1 0 1")
        .replace("out vec4 color;", "#version 300 es\nprecision highp float;\nout vec4 color;")
        .replace("color = vec4(", "color = fma(vec4(1.0), vec4(0.0), vec4(1.0)) * vec4(");
    check(&text, &["`fma` is not available in GLSL ES 3.00"]);
}

#[test]
fn an_unknown_adapter_of_the_variable_names_the_variable() {
    let folder = folder(&[("cases/a.shader_test", &drawn("probe all rgba 0 1 0 1"))]);
    let mut program = crate::program(folder.path());
    program.args(["run", "cases"]).env("INTERSTAGE_ADAPTER", "voodoo");
    let run = run(&mut program);
    assert!(
        run.stderr.contains("the variable INTERSTAGE_ADAPTER: no adapter matches `voodoo`"),
        "{}",
        run.text()
    );
    let named = interstage(folder.path(), &["run", "cases", "--adapter", "voodoo"]);
    assert!(named.stderr.contains("error: no adapter matches `voodoo`"), "{}", named.text());
}

#[test]
fn names_of_cases_have_no_blanks() {
    let folder = folder(&[]);
    let run = interstage(folder.path(), &["new", "bad name.shader_test"]);
    assert_eq!(run.code, Some(3), "{}", run.text());
    assert!(run.stderr.contains("`bad name` is not a valid name"), "{}", run.text());
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
}

#[test]
fn a_dry_blessing_passes_nothing_and_a_review_shows_each_change_once() {
    let folder = folder(&[("cases/a.shader_test", &drawn("probe all rgba 0 0 0 1"))]);
    let run = |option| {
        let options = ["bless", option, "cases/a.shader_test", "--adapter", "cpu"];
        interstage(folder.path(), &options)
    };
    let dry = run("--dry-run");
    assert!(
        dry.stdout.ends_with("dry run: 1 case would change, 0 would still fail\n"),
        "{}",
        dry.text()
    );
    assert!(!dry.stdout.contains("passed"), "{}", dry.text());
    let review = run("--review");
    assert_eq!(review.stdout.matches("- probe all rgba 0 0 0 1").count(), 1, "{}", review.text());
}

#[test]
fn annotations_leave_json_alone_and_each_case_has_its_adapter() {
    let folder = folder(&[("cases/a.shader_test", &drawn("probe all rgba 0 0 0 1"))]);
    let mut program = crate::program(folder.path());
    program.args(["run", "cases", "--adapter", "cpu", "--format", "json"]);
    let run = run(program.env("GITHUB_ACTIONS", "true"));
    let lines = run.stdout.lines().map(serde_json::from_str::<serde_json::Value>);
    let lines = lines.collect::<Result<Vec<_>, _>>().expect("only JSON");
    let case = lines.iter().find(|line| line["event"] == "case").expect("a case");
    assert_eq!(case["adapter"], "cpu:0");
    assert!(run.stderr.contains("::error file="), "{}", run.text());
}

#[test]
fn missing_shards_are_named_with_what_to_do() {
    let folder = folder(&[("cases/a.shader_test", GOOD)]);
    for number in 1..=2 {
        let (shard, results) = (format!("{number}/3"), format!("s{number}"));
        interstage(folder.path(), &["run", "--shard", &shard, "--results", &results]);
    }
    let check = |folders: &[&str], expected: &str| {
        let run = interstage(folder.path(), &[&["merge", "--results", "all"], folders].concat());
        assert_eq!(run.code, Some(3), "{}", run.text());
        assert!(run.stderr.contains(expected), "{}", run.text());
    };
    let folders = "also name the results folder of `interstage run … --shard";
    check(&["s1", "s2"], &format!("shard 3/3 is missing; {folders} 3/3`"));
    check(&["s1"], &format!("shards 2/3, 3/3 are missing; {folders} 2/3`"));
}

/// A folder in place of a file stands for one without permissions, which an administrator lacks nowhere.
#[test]
fn results_that_cannot_be_written_are_no_run_to_continue() {
    let folder = folder(&[("cases/a.shader_test", GOOD), ("r/run.json/x", ""), ("file", "")]);
    let check = |results: &str, expected: &str| {
        let arguments = ["run", "cases", "--overwrite", "--results", results];
        let run = interstage(folder.path(), &arguments);
        assert_eq!(run.code, Some(3), "{}", run.text());
        let hint = "check its path and permissions, or name another folder with --results";
        assert!(run.stderr.contains(&format!("{expected}; {hint}")), "{}", run.text());
        assert!(!run.stderr.contains("--resume"), "{}", run.text());
    };
    check("r", &Path::new("cannot write r").join("run.json").display().to_string());
    check("file", "cannot create the folder file");
}

#[test]
fn a_reader_that_has_enough_is_no_failure_of_a_list() {
    let folder = folder(&[("cases/a.shader_test", GOOD)]);
    let code = |arguments: &[&str]| {
        let (reader, writer) = std::io::pipe().expect("the system has pipes");
        drop(reader);
        let mut program = crate::program(folder.path());
        let status = program.args(arguments).stdout(writer).status();
        status.expect("the program starts").code()
    };
    assert_eq!(code(&["list", "cases"]), Some(0));
    assert_eq!(code(&["inspect", "cases/a.shader_test"]), Some(0));
    assert_eq!(code(&["run", "cases"]), Some(3));
}

#[test]
fn results_of_other_adapters_are_replaced_and_other_runs_stay() {
    let folder = folder(&[("cases/a.shader_test", GOOD)]);
    let run = || interstage(folder.path(), &["run", "cases", "--results", "r"]);
    run();
    let of = |path: &str| folder.path().join(path);
    for (earlier, files) in [
        ("r/vulkan-0", &["journal.jsonl", "results.json"][..]),
        ("r/night", &["run.json", "journal.jsonl"]),
    ] {
        std::fs::create_dir(of(earlier)).unwrap();
        for file in files {
            std::fs::copy(of("r").join(file), of(earlier).join(file)).unwrap();
        }
    }
    assert_eq!(run().code, Some(0));
    assert!(!of("r/vulkan-0").exists());
    assert!(of("r/night/journal.jsonl").exists());
    assert!(of("r/results.json").exists());
}

#[test]
fn one_of_a_kind_is_singular() {
    let wgsl = "@group(0) @binding(0) var<storage, read_write> a: array<u32, 1>;
@compute @workgroup_size(1) fn one() { a[0] += 1u; }
";
    let folder = folder(&[("cases/a.shader_test", GOOD), ("one.wgsl", wgsl)]);
    let check = |arguments: &[&str], expected: &str| {
        let run = interstage(folder.path(), arguments);
        assert!(run.text().contains(expected), "{}", run.text());
    };
    check(&["generate", "varyings", "--count", "1", "--out", "g"], "1 case in ");
    check(&["generate", "wgsl", "one.wgsl", "--output", "w"], "1 case in ");
    check(&["census", "cases"], "1 of 1 case compiles and links");
    check(&["run", "cases", "--results", "r"], "1 passed, 0 failed");
    check(&["compare", "r", "r"], "no difference in 1 case\n");
    check(
        &["run", "--oracle", "--adapter", "cpu", "one.wgsl"],
        "oracle: 1 case compared, 1 of them",
    );
    check(
        &["run", "--oracle", "--adapter", "cpu", "one.wgsl"],
        "changed 1 of 1 word and 0 of 0 pixels",
    );
    check(&["inspect", "cases", "--out", "i"], "i/vertex.wgsl");
}

#[test]
fn a_folder_without_cases_names_all_kinds_of_cases() {
    let folder = folder(&[("empty/a.txt", "")]);
    let run = interstage(folder.path(), &["run", "empty", "--adapter", "cpu"]);
    let kinds = "`*.shader_test`, `*.amber`, `*.vkscript`, `*.vk_shader_test` or `*.wgsl`";
    let message = format!("error: empty: the folder has no case ({kinds})\n");
    assert_eq!((run.code, run.stderr), (Some(3), message));
}
