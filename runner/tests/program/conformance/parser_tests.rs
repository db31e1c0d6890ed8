//! piglit's parser tests, as their users run them.

use crate::{GOOD, folder, interstage};

const VALID: &str = "\
// [config]
// expect_result: pass
// glsl_version: 1.50
// [end config]
#version 150
in vec2 read_by_nobody;
void main() {}
";

fn invalid() -> String {
    VALID.replace("expect_result: pass", "expect_result: fail").replace("{}", "{ undeclared = 1; }")
}

#[test]
fn a_folder_gives_the_files_with_a_config() {
    let folder = folder(&[
        ("tests/a.frag", VALID),
        ("tests/b/c.vert", &invalid()),
        ("tests/b/part.frag", "void part() {}\n"),
        ("tests/b/part.txt", VALID),
        ("tests/case.shader_test", GOOD),
    ]);
    let told = interstage(folder.path(), &["list", "tests"]);
    assert_eq!(told.stdout, "tests/a.frag\ntests/b/c.vert\ntests/case.shader_test\n");
    let told = interstage(folder.path(), &["run", "tests", "--exclude", "case"]);
    assert_eq!(told.code, Some(0), "{}", told.text());
    assert!(told.stdout.ends_with("2 passed, 0 failed, 0 skipped\n"), "{}", told.text());
    let told = interstage(folder.path(), &["run", "tests/b/part.frag", "tests/a.frag"]);
    assert_eq!(told.code, Some(3), "{}", told.text());
    assert!(told.stdout.contains("the file has no comment with `[config]`"), "{}", told.text());
    assert!(told.stdout.ends_with("1 passed, 1 failed, 0 skipped\n"), "{}", told.text());
}

#[test]
fn a_failure_has_the_line_of_the_file() {
    let wrong = [VALID.replace("pass", "fail"), invalid().replace(": fail", ": pass")];
    let folder = folder(&[("a.frag", &wrong[0]), ("b.vert", &wrong[1])]);
    let told = interstage(folder.path(), &["run", "a.frag", "b.vert"]);
    assert_eq!(told.code, Some(1), "{}", told.text());
    assert!(told.stdout.contains("a.frag:2: fail\n    the stages compile"), "{}", told.text());
    assert!(told.stdout.contains("`undeclared` is not declared"), "{}", told.text());
    assert!(told.stdout.contains("b.vert:7:15"), "{}", told.text());
}

#[test]
fn mistakes_have_line_and_column() {
    let bad = VALID.replace("1.50", "1.55").replace("// [end", "// check-link: true\n// [end");
    let folder = folder(&[("bad.frag", &bad), ("good.frag", VALID)]);
    let told = interstage(folder.path(), &["run", "bad.frag", "good.frag"]);
    assert_eq!(told.code, Some(3), "{}", told.text());
    for place in ["bad.frag:3:18", "bad.frag:4:4"] {
        assert!(told.stdout.contains(place), "{}", told.text());
    }
    assert!(told.stdout.ends_with("1 passed, 1 failed, 0 skipped\n"), "{}", told.text());
}

#[test]
fn other_commands_know_these_files() {
    let wrong = invalid().replace(": fail", ": pass");
    let folder = folder(&[("a.frag", VALID), ("b.vert", &wrong)]);
    let told = interstage(folder.path(), &["reduce", "b.vert"]);
    assert!(
        told.stdout.contains("undeclared") && !told.stdout.contains("nobody"),
        "{}",
        told.text()
    );
    let told = interstage(folder.path(), &["reduce", "b.vert", "-o", "c.frag"]);
    assert!(told.text().contains("the reduced case has the format of `*.vert`"), "{}", told.text());
    let told = interstage(folder.path(), &["inspect", "a.frag"]);
    assert!(
        told.text().contains("the case has no linked program, as it expects"),
        "{}",
        told.text()
    );
    let told = interstage(folder.path(), &["fmt", "a.frag"]);
    assert_eq!(told.code, Some(3), "{}", told.text());
    assert!(told.text().contains("not a case file"), "{}", told.text());
    let told = interstage(folder.path(), &["census", "."]);
    assert!(told.stdout.contains("1 of 2 cases compile and link"), "{}", told.text());
}

#[test]
fn tests_become_case_files() {
    let folder = folder(&[("a.frag", VALID), ("b.vert", &invalid()), ("interstage.toml", "")]);
    let told = interstage(folder.path(), &["convert", "b.vert"]);
    assert!(
        told.stdout.ends_with("[test]\ncompile error \"`undeclared` is not declared\"\n"),
        "{}",
        told.text()
    );
    let told = interstage(folder.path(), &["convert", "a.frag"]);
    assert!(told.stdout.ends_with("[test]\nlink success\n"), "{}", told.text());
}
