//! `interstage reduce`: the same bug, in a readable case, and nothing lost.

mod hunt;

use std::collections::BTreeSet;
use std::path::Path;

use regex::Regex;

use crate::{GOOD, Run, folder, interstage, program, run};

/// A case whose second probe fails, with much unrelated code.
const DRAWN: &str = "\
# A note.
[require]
size 4 4

[vertex shader]
#version 450
layout(location = 0) in vec4 piglit_vertex;
out vec2 unused;
out float fraction;
void main()
{
    gl_Position = piglit_vertex;
    unused = vec2(0.0);
    fraction = 0.5;
}

[fragment shader]
#version 450
in float fraction;
layout(location = 0) out vec4 color;
float helper(float x)
{
    return x * 2.0;
}
void main()
{
    color = vec4(helper(fraction), 0.0, 0.0, 1.0); // red
}

[test]
clear color 0 0 0 0
clear
draw rect -1 -1 2 2
probe rgba (0, 0) (1, 0, 0, 1)
probe rgba (1, 1) (0, 1, 0, 1)
relative probe rgba (0.5, 0.5) (1, 0, 0, 1)
";

/// Reduces a case of `folder` into `cases/small.shader_test`.
fn reduce(folder: &Path, case: &str, arguments: &[&str]) -> Run {
    let output = ["reduce", case, "-o", "cases/small.shader_test"];
    run(program(folder).args(output).args(arguments))
}

fn small(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("cases/small.shader_test")).unwrap_or_default()
}

/// Everything that a run prints about its failure, without places in files.
fn failure(folder: &Path, name: &str) -> BTreeSet<String> {
    let ran = run(program(folder).args(["run", name]));
    let told = ["error: ", "expected ", "actual ", "first difference ", ".shader_test:"];
    let lines = ran.stdout.lines().filter(|line| told.iter().any(|told| line.contains(told)));
    let lines = lines.filter(|line| !line.contains('┌'));
    let place = Regex::new(r"^.*shader_test:\d+: ").expect("it is a constant");
    lines.map(|line| place.replace(line, "").trim().to_owned()).collect()
}

/// Checks that the reduced case fails in the same way when it is run, except for line numbers.
#[track_caller]
fn check_same(folder: &Path, case: &str, reduced: &Run) {
    assert_eq!(reduced.code, Some(0), "{}", reduced.text());
    assert!(!reduced.stderr.contains("warning"), "{}", reduced.stderr);
    let [before, after] = [case, "cases/small.shader_test"].map(|name| failure(folder, name));
    assert!(!after.is_empty() && after.is_subset(&before), "{before:?} {after:?}");
}

#[test]
fn the_same_probe_fails_with_the_same_value_in_a_case_that_draws() {
    let folder = folder(&[("cases/a.shader_test", DRAWN)]);
    let reduced = reduce(folder.path(), "cases/a.shader_test", &[]);
    check_same(folder.path(), "cases/a.shader_test", &reduced);
    let small = small(folder.path());
    for kept in
        ["[vertex shader]", "[fragment shader]", "draw rect", "probe rgba (1, 1)", "color = "]
    {
        assert!(small.contains(kept), "{kept}: {small}");
    }
    for gone in ["unused", "# A note", "probe rgba (0, 0)", "relative", "clear"] {
        assert!(!small.contains(gone), "{gone}: {small}");
    }
}

/// The wrong value is black, which a case without any code has too.
#[test]
fn a_value_that_is_there_without_a_draw_does_not_make_the_draw_go() {
    let black = DRAWN.replace("helper(fraction), 0.0, 0.0, 1.0", "helper(fraction) * 0.0");
    let folder = folder(&[("cases/a.shader_test", &black)]);
    let reduced = reduce(folder.path(), "cases/a.shader_test", &[]);
    check_same(folder.path(), "cases/a.shader_test", &reduced);
    let small = small(folder.path());
    for kept in ["gl_Position = ", "draw rect", "probe rgba (0, 0)", "color = "] {
        assert!(small.contains(kept), "{kept}: {small}");
    }
}

#[test]
fn what_does_not_compile_link_or_parse_is_reduced_too() {
    let undeclared = GOOD.replace("color = vec4(uv", "color = vec4(vu");
    let mismatch = GOOD.replace("in vec2 uv;", "in vec3 uv;").replace("vec4(uv, 0.0", "vec4(uv");
    let broken = GOOD.replace("slots 1", "slots one");
    let slots = GOOD.replace("slots 1", "slots 2");
    for text in [undeclared, mismatch, broken, slots] {
        let text = text.replace("[link]", "float unused() { return 1.0; }\n\n[link]");
        let folder = folder(&[("cases/a.shader_test", &text)]);
        let reduced = reduce(folder.path(), "cases/a.shader_test", &[]);
        check_same(folder.path(), "cases/a.shader_test", &reduced);
        let small = small(folder.path());
        assert!(!small.contains("unused"), "{small}");
        assert!(small.lines().count() < text.lines().count(), "{small}");
    }
}

#[test]
fn a_combination_is_reduced_with_its_values_and_goldens() {
    let (before, _) = DRAWN.split_once("probe").expect("it has one");
    let case = format!("[parameters]\nred = 0.5 0.25\n\n{before}golden target 0 all exact\n");
    let case = case.replace("helper(fraction)", "${red} * fraction");
    let folder = folder(&[("cases/a.shader_test", &case)]);
    let name = "cases/a.shader_test#red=0.25";
    let blessed = run(program(folder.path()).args(["bless", name]));
    assert_eq!(blessed.code, Some(0), "{}", blessed.text());
    std::fs::write(
        folder.path().join("cases/a.shader_test"),
        case.replace("1.0); // red", "0.5);"),
    )
    .unwrap();
    let reduced = reduce(folder.path(), name, &[]);
    check_same(folder.path(), name, &reduced);
    let small = small(folder.path());
    assert!(!small.contains("[parameters]") && small.contains("vec4(0.25 * fraction"), "{small}");
    assert!(folder.path().join("golden/small/all.png").is_file());
}

#[test]
fn a_crash_and_a_hang_are_kept_and_a_difference_between_adapters_too() {
    let text = GOOD.replace("out vec2 uv;", "out vec2 uv;\nfloat bug = 1.0;\nfloat good = 2.0;");
    let scripts = [
        ("text crash bug\n", "bug", &["--timeout", "20"][..]),
        ("text hang bug\n", "bug", &["--timeout", "1", "--jobs", "8"]),
        ("text device-lost bug\n", "bug", &[]),
        (
            "on 0 text fail bug\non 1 text slow 0 good\non 1 fail .*\n",
            "good",
            &["--against", "scripted:1"],
        ),
    ];
    for (script, kept, arguments) in scripts {
        let folder = folder(&[("cases/a.shader_test", &text), ("script", script)]);
        let arguments = [&["--script", "script", "--adapter", "scripted:0"], arguments].concat();
        let reduced = reduce(folder.path(), "cases/a.shader_test", &arguments);
        assert_eq!(reduced.code, Some(0), "{}", reduced.text());
        let small = small(folder.path());
        assert!(small.contains("bug") && small.contains(kept), "{script}: {small}");
        assert!(small.lines().count() < text.lines().count() - 3, "{script}: {small}");
        let is_without_good = !small.contains("good");
        assert!(is_without_good || kept == "good", "{script}: {small}");
    }
}

#[test]
fn a_case_that_passes_cannot_be_reduced_nor_against_an_adapter_where_it_fails() {
    let folder = folder(&[("cases/a.shader_test", GOOD), ("script", "fail /a\n")]);
    let refused = interstage(folder.path(), &["reduce", "cases/a.shader_test"]);
    assert_eq!(refused.code, Some(3));
    assert!(refused.stderr.contains("only a failing case can be reduced"), "{}", refused.stderr);
    let arguments = ["--script", "script", "--adapter", "scripted:0", "--against", "scripted:1"];
    let refused = reduce(folder.path(), "cases/a.shader_test", &arguments);
    assert_eq!(refused.code, Some(3));
    let told = "error: the case does not pass on scripted:1 (fail: script: as the script says)";
    assert!(refused.stderr.contains(told), "{}", refused.stderr);
    assert!(!folder.path().join("cases/small.shader_test").exists());
}

/// Adapters of two drivers, each of which needs its own workers.
#[test]
fn a_bug_of_both_adapters_is_no_difference_between_them() {
    let folder = folder(&[("cases/a.shader_test", DRAWN)]);
    for (adapter, other) in [("vulkan", "gl"), ("gl", "vulkan")] {
        let arguments = ["--adapter", adapter, "--against", other];
        let refused = reduce(folder.path(), "cases/a.shader_test", &arguments);
        assert_eq!(refused.code, Some(3));
        let line = DRAWN.lines().position(|line| line.starts_with("probe rgba (1, 1)"));
        let line = line.expect("it has one") + 1;
        let keeping = format!("keeping: line {line}: probe rgba (1, 1) (0, 1, 0, 1): ");
        let told = format!("error: the case does not pass on {other}:0 (fail: probe rgba (1, 1)");
        for told in [keeping, told] {
            assert!(refused.stderr.contains(&told), "{told}: {}", refused.stderr);
        }
    }
}

#[test]
fn a_file_that_cannot_be_written_is_told_first_and_otherwise_the_text_is_printed() {
    let wrong = GOOD.replace("slots 1", "slots 2");
    let folder = folder(&[("cases/a.shader_test", &wrong), ("file", "")]);
    let reduce =
        |output: &str| interstage(folder.path(), &["reduce", "cases/a.shader_test", "-o", output]);
    let refused = reduce("file/small.shader_test");
    assert_eq!(refused.code, Some(3));
    assert!(refused.stderr.starts_with("error: cannot write file/small"), "{}", refused.stderr);
    assert!(reduce("new/folder/small.shader_test").stderr.contains("reduced"));
    assert!(folder.path().join("new/folder/small.shader_test").is_file());
    if Path::new("/dev/full").exists() {
        let full = reduce("/dev/full");
        assert_eq!(full.code, Some(3), "{}", full.text());
        assert!(full.stdout.contains("slots 2"), "{}", full.text());
        assert!(full.stderr.contains("the reduced case is printed instead"), "{}", full.stderr);
    }
}

#[test]
fn loosely_any_failure_of_the_kind_will_do() {
    let folder = folder(&[("cases/a.shader_test", &GOOD.replace("slots 1", "slots 2"))]);
    let reduced = interstage(folder.path(), &["reduce", "cases/a.shader_test", "--loose"]);
    assert_eq!(reduced.code, Some(0), "{}", reduced.text());
    assert!(reduced.stdout.contains("slots 2"), "{}", reduced.text());
}

/// A WGSL file with three programs, two of which fail in different ways.
const WGSL: &str = "\
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
fn helper(x: u32) -> u32 { return x + 1u; }
@compute @workgroup_size(1) fn good() { numbers[0] = helper(1u); }
@compute @workgroup_size(1) fn bad() {
    var extra = helper(2u);
    extra = extra * 3u;
    numbers[1] = 77u;
}
@compute @workgroup_size(1) fn other() { numbers[2] = 99u; }
override unset: f32;
@compute @workgroup_size(1) fn nothing() { numbers[0] = u32(unset); }
";

#[test]
fn the_failure_of_one_entry_point_is_reduced_and_nothing_else() {
    let scripts = [("script", "text fail 77u\n"), ("second", "text crash 99u\n")];
    let files = [("a.wgsl", WGSL), scripts[0], scripts[1], ("cases/x.txt", "")];
    let folder = folder(&files);
    let script = ["--script", "script", "--adapter", "scripted:0"];
    let reduced = reduce(folder.path(), "a.wgsl#bad", &script);
    assert_eq!(reduced.code, Some(0), "{}", reduced.text());
    assert!(
        reduced.stderr.starts_with("keeping: line 1: script: as the script says\n"),
        "{}",
        reduced.text()
    );
    assert!(!reduced.stderr.contains("warning"), "{}", reduced.text());
    let case = small(folder.path());
    assert!(case.contains("[compute shader wgsl]") && case.contains("77u"), "{case}");
    assert!(!case.contains("extra") && !case.contains("numbers[0]"), "{case}");
    // The result is a case that fails in the same way.
    let again = ["run", "cases/small.shader_test", "--script", "script", "--adapter", "scripted:0"];
    let again = run(program(folder.path()).args(again));
    assert_eq!(again.code, Some(1), "{}", again.text());
    let second = ["--script", "second", "--adapter", "scripted:0"];
    let other = reduce(folder.path(), "a.wgsl#other", &second);
    assert_eq!(other.code, Some(0), "{}", other.text());
    assert!(small(folder.path()).contains("99u"), "{}", small(folder.path()));
}

/// Undecided values make a case fail, but not a program of a WGSL file.
#[test]
fn an_entry_point_whose_values_are_not_decided_has_no_failure() {
    let file = "@group(0) @binding(0) var<storage, read_write> some: array<f32>;\n\
                @compute @workgroup_size(8) fn vague(@builtin(local_invocation_index) i: u32) {\n\
                some[i] = fract(sin(f32(i) + 1.0) * 40000.0);\n}\n";
    let folder = folder(&[("a.wgsl", file)]);
    let refused = reduce(folder.path(), "a.wgsl#vague", &["--adapter", "cpu"]);
    let told = "error: the case has the status `not decided`; only a failing case can be reduced\n";
    assert_eq!((refused.code, refused.stderr.as_str()), (Some(3), told), "{}", refused.text());
}

#[test]
fn what_is_no_failure_of_an_entry_point_is_refused_by_name() {
    let folder = folder(&[("a.wgsl", WGSL), ("script", "fail #bad\n")]);
    for (case, told) in [
        ("a.wgsl", "error: a.wgsl has 4 cases; name one of them, such as a.wgsl#good\n"),
        (
            "a.wgsl#god",
            "error: a.wgsl#god: the file has no case with these entry points; it has `#good`, `#bad`, `#other`, \
             `#nothing`\n",
        ),
        (
            "a.wgsl#good",
            "error: the case has the status `pass`; only a failing case can be reduced\n",
        ),
        (
            "a.wgsl#nothing",
            "error: a.wgsl#nothing: unsupported: overrides without a value, such as `unset`; only a \
             failing case can be reduced\n",
        ),
    ] {
        let refused =
            reduce(folder.path(), case, &["--script", "script", "--adapter", "scripted:0"]);
        assert_eq!((refused.code, refused.stderr.as_str()), (Some(3), told), "{}", refused.text());
        assert!(!folder.path().join("cases/small.shader_test").exists());
    }
    let refused = interstage(folder.path(), &["reduce", "a.wgsl#bad", "-o", "b.wgsl"]);
    let told = "error: b.wgsl: the reduced case has the format of `*.shader_test`\n";
    assert_eq!((refused.code, refused.stderr.as_str()), (Some(3), told), "{}", refused.text());
}
