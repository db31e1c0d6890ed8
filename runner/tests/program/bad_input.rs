//! Every kind of bad input ends in a message that says what is wrong and where, and costs no other case.

use std::fs::File;

use expect_test::{Expect, expect};

use crate::{GOOD, folder, interstage, write};

/// Runs `cases/bad.shader_test` with this content.
#[track_caller]
fn check(content: &[u8], expected: Expect) {
    let folder = folder(&[]);
    write(folder.path(), "cases/bad.shader_test", content);
    expected.assert_eq(&interstage(folder.path(), &["run"]).text());
}

#[test]
fn empty_file() {
    check(b"", expect![[r#""#]]);
}

#[test]
fn binary_file() {
    check(b"\x7fELF\x02\x01\x01\0\0\0\xff\xfe", expect![[r#""#]]);
}

#[test]
fn case_without_expectation() {
    let without = GOOD.replace("[link]\nslots 1\n", "[test]\ndraw rect -1 -1 2 2\n");
    check(without.as_bytes(), expect![[r#""#]]);
}

#[test]
fn fifty_thousand_parentheses() {
    let deep = format!("{}1.0{}", "(".repeat(50_000), ")".repeat(50_000));
    let case = GOOD.replace("vec4(uv, 0.0, 1.0)", &format!("vec4({deep})"));
    let folder = folder(&[("cases/bad.shader_test", &case)]);
    let run = interstage(folder.path(), &["run"]);
    // The line itself is too long to be compared.
    let error = run.stdout.lines().find(|line| line.contains("error:")).unwrap_or(&run.stdout);
    expect![[r#""#]].assert_eq(error);
    assert_eq!(run.code, Some(3));
}

#[test]
fn huge_file() {
    let folder = folder(&[("cases/bad.shader_test", "")]);
    let file = File::create(folder.path().join("cases/bad.shader_test")).unwrap();
    // Nothing is written to the disk.
    file.set_len(100_000_000).unwrap();
    expect![[r#""#]].assert_eq(&interstage(folder.path(), &["run"]).text());
}

#[test]
fn missing_path_beside_a_good_one() {
    let folder = folder(&[("cases/good.shader_test", GOOD)]);
    let run = interstage(folder.path(), &["run", "cases", "nowhere/a.shader_test"]);
    expect![[r#""#]].assert_eq(&run.text());
}

#[test]
fn missing_default_folder() {
    let folder = folder(&[]);
    expect![[r#""#]].assert_eq(&interstage(folder.path(), &["run"]).text());
}

#[test]
fn folder_without_cases() {
    let folder = folder(&[("cases/README.md", "no case")]);
    expect![[r#""#]].assert_eq(&interstage(folder.path(), &["run", "cases"]).text());
}

#[test]
fn folder_named_like_a_case() {
    let folder = folder(&[("cases/a.shader_test/b.shader_test", GOOD)]);
    expect![[r#""#]].assert_eq(&interstage(folder.path(), &["run"]).text());
}

#[test]
fn results_where_a_file_is_in_the_way() {
    let folder = folder(&[("cases/good.shader_test", GOOD), ("results", "a file")]);
    let run = interstage(folder.path(), &["run", "--results", "results"]);
    expect![[r#""#]].assert_eq(&run.text());
}

#[test]
fn wrong_use() {
    let folder = folder(&[]);
    let run = interstage(folder.path(), &["run", "--timeout", "0"]);
    expect![[r#""#]].assert_eq(&run.text());
}
