//! Every kind of bad input gives a message with the problem and its place, and affects no other case.

use std::fs::File;

use expect_test::{Expect, expect};

use crate::{GOOD, folder, interstage, write};

/// Runs `cases/bad.shader_test` with this content.
#[track_caller]
fn check(content: &[u8], expected: Expect) {
    let folder = folder(&[]);
    write(folder.path(), "cases/bad.shader_test", content);
    expected.assert_eq(&interstage(folder.path(), &["run", "--adapter", "none"]).text());
}

#[test]
fn empty_file() {
    check(
        b"",
        expect![[r#"
            BROKEN cases/bad.shader_test
              error: the file is empty
                ┌─ cases/bad.shader_test:1:1
                │
              1 │
                │ ^
              repeat    interstage run 'cases/bad.shader_test'
            without an adapter
            1 case in some time
            among the failed: 1 broken
            0 passed, 1 failed, 0 skipped
            exit code 3
        "#]],
    );
}

#[test]
fn binary_file() {
    check(
        b"\x7fELF\x02\x01\x01\0\0\0\xff\xfe",
        expect![[r#"
            BROKEN cases/bad.shader_test
              error: this is not a text file: byte 7 is zero
                ┌─ cases/bad.shader_test:1:1
                │
              1 │
                │ ^
              repeat    interstage run 'cases/bad.shader_test'
            without an adapter
            1 case in some time
            among the failed: 1 broken
            0 passed, 1 failed, 0 skipped
            exit code 3
        "#]],
    );
}

/// Without `main`, the lines of `[link]` have no answer and are not reported.
#[test]
fn stage_without_main() {
    check(
        GOOD.replace("void main()\n{\n    color", "void mein()\n{\n    color").as_bytes(),
        expect![[r#"
            FAIL cases/bad.shader_test
              cases/bad.shader_test:11: link
                error: the fragment stage has no `main`
                   ┌─ cases/bad.shader_test:11:1
                   │
                11 │ [fragment shader]
                   │ ^^^^^^^^^^^^^^^^^
              repeat    interstage run 'cases/bad.shader_test' --keep out/
            without an adapter
            1 case in some time
            0 passed, 1 failed, 0 skipped
            exit code 1
        "#]],
    );
}

#[test]
fn case_without_expectation() {
    let without = GOOD.replace("[link]\nslots 1\n", "[test]\ndraw rect -1 -1 2 2\n");
    check(
        without.as_bytes(),
        expect![[r#"
            BROKEN cases/bad.shader_test
              error: the case expects nothing, so it cannot fail
                 ┌─ cases/bad.shader_test:20:1
                 │
              20 │ [test]
                 │ ^^^^^^
                 │
                 = help: add a `probe`, a `golden`, `link success`, `link error` or a line of `[link]`
              repeat    interstage run 'cases/bad.shader_test'
            without an adapter
            1 case in some time
            among the failed: 1 broken
            0 passed, 1 failed, 0 skipped
            exit code 3
        "#]],
    );
}

#[test]
fn fifty_thousand_parentheses() {
    let deep = format!("{}1.0{}", "(".repeat(50_000), ")".repeat(50_000));
    let case = GOOD.replace("vec4(uv, 0.0, 1.0)", &format!("vec4({deep})"));
    let folder = folder(&[("cases/bad.shader_test", &case)]);
    let run = interstage(folder.path(), &["run"]);
    assert_eq!(run.code, Some(3), "{}", run.text());
    let told = "unsupported: 1 × more than 100 levels of nesting";
    assert!(run.stdout.contains(told), "{}", run.stdout);
    assert!(run.stdout.len() < 5000, "{}", run.stdout);
}

#[test]
fn huge_file() {
    let folder = folder(&[("cases/bad.shader_test", "")]);
    let file = File::create(folder.path().join("cases/bad.shader_test")).unwrap();
    // The file is sparse: nothing is written to the disk.
    file.set_len(100_000_000).unwrap();
    expect![[r#"
        BROKEN cases/bad.shader_test
          error: cases/bad.shader_test: the file has 100000000 bytes; the limit for a case file is 4194304
          repeat    interstage run 'cases/bad.shader_test'
        without an adapter
        1 case in some time
        among the failed: 1 broken
        0 passed, 1 failed, 0 skipped
        exit code 3
    "#]].assert_eq(&interstage(folder.path(), &["run"]).text());
}

#[test]
fn missing_path_beside_a_good_one() {
    let folder = folder(&[("cases/good.shader_test", GOOD)]);
    let run = interstage(folder.path(), &["run", "cases", "nowhere/a.shader_test"]);
    expect![[r#"
        error: nowhere/a.shader_test: no such file, folder or case
        without an adapter
        1 case in some time
        1 passed, 0 failed, 0 skipped
        exit code 3
    "#]]
    .assert_eq(&run.text());
}

#[test]
fn missing_default_folder() {
    let folder = folder(&[]);
    expect![[r#"
        error: cases: no such file, folder or case
        exit code 3
    "#]]
    .assert_eq(&interstage(folder.path(), &["run"]).text());
}

#[test]
fn folder_without_cases() {
    let folder = folder(&[("cases/README.md", "no case")]);
    expect![[r"
        error: cases: the folder has no case (`*.shader_test`, `*.amber`, `*.vkscript`, `*.vk_shader_test` or `*.wgsl`)
        exit code 3
    "]]
    .assert_eq(&interstage(folder.path(), &["run", "cases"]).text());
}

#[test]
fn folder_named_like_a_case() {
    let folder = folder(&[("cases/a.shader_test/b.shader_test", GOOD)]);
    expect![[r#"
        without an adapter
        1 case in some time
        1 passed, 0 failed, 0 skipped
        exit code 0
    "#]]
    .assert_eq(&interstage(folder.path(), &["run"]).text());
}

#[test]
fn results_where_a_file_is_in_the_way() {
    let folder = folder(&[("cases/good.shader_test", GOOD), ("results", "a file")]);
    let run = interstage(folder.path(), &["run", "--results", "results"]);
    expect![[r"
        error: cannot create the folder results; check its path and permissions, or name another folder with --results: File exists (os error 17)
        exit code 3
    "]]
    .assert_eq(&run.text());
}

#[test]
fn wrong_use() {
    let folder = folder(&[]);
    let run = interstage(folder.path(), &["run", "--timeout", "0"]);
    expect![[r"
        error: invalid value '0' for '--timeout <SECONDS>': the time must be greater than 0

        For more information, try '--help'.
        exit code 3
    "]]
    .assert_eq(&run.text());
}

/// An error about two stages together is reported at the later stage's section.
#[test]
fn stages_that_do_not_go_together_have_a_place() {
    let text = GOOD.replace(
        "[fragment shader]\n#version 450\n",
        "[fragment shader]\n#version 320 es\nprecision highp float;\n",
    );
    let folder = folder(&[("cases/a.shader_test", &text)]);
    let told = interstage(folder.path(), &["run", "--adapter", "none"]);
    expect![[r#"
        FAIL cases/a.shader_test
          cases/a.shader_test:11: link
            error: the vertex stage is in GLSL 4.50 but the fragment stage is in GLSL ES 3.20
               ┌─ cases/a.shader_test:11:1
               │
            11 │ [fragment shader]
               │ ^^^^^^^^^^^^^^^^^
          repeat    interstage run 'cases/a.shader_test' --keep out/
        without an adapter
        1 case in some time
        0 passed, 1 failed, 0 skipped
        exit code 1
    "#]]
    .assert_eq(&told.text());
}

/// Messages about a script use the names of its commands, not those of case files.
#[test]
fn what_a_script_does_not_bind_is_told_in_its_own_words() {
    let script = "#!amber\nSHADER compute s GLSL\n#version 450\n\
                  layout(set = 0, binding = 0, std430) buffer A { vec4 v; };\n\
                  layout(set = 1, binding = 2, std430) buffer B { vec4 w; };\n\
                  void main() { v = w; }\nEND\n\
                  BUFFER numbers DATA_TYPE vec4<float> DATA 1 2 3 4 END\n\
                  PIPELINE compute p\nATTACH s\nBIND BUFFER numbers AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\n\
                  RUN p 1 1 1\nEXPECT numbers IDX 0 EQ 1 2 3 4\n";
    let folder = folder(&[("cases/a.amber", script)]);
    let told = interstage(folder.path(), &["run", "--adapter", "cpu"]);
    let place =
        "cases/a.amber:13: RUN p 1 1 1\n    no buffer is bound as storage to set 1, binding 2\n";
    assert!(told.stdout.contains(place), "{}", told.text());
}
