//! Which cases a command line means.

use crate::{GOOD, folder, interstage};

#[track_caller]
fn check(arguments: &[&str], expected: &str) {
    let with_parameters = format!("[parameters]\nn = 1..2\n\n{}", GOOD.replace("uv", "uv${n}"));
    let folder = folder(&[
        ("cases/b/two.shader_test", &with_parameters),
        ("cases/a.shader_test", GOOD),
        ("cases/b.shader_test", GOOD),
        ("cases/notes.txt", ""),
    ]);
    let run = interstage(folder.path(), &[&["list"], arguments].concat());
    assert_eq!(run.stdout.lines().collect::<Vec<_>>().join(" ") + &run.stderr, expected);
}

#[test]
fn folders_are_searched_in_the_order_of_names() {
    check(
        &[],
        "cases/a.shader_test cases/b/two.shader_test#n=1 cases/b/two.shader_test#n=2 cases/b.shader_test",
    );
}

#[test]
fn a_case_named_twice_is_run_once() {
    check(&["cases/b.shader_test", "cases/b.shader_test"], "cases/b.shader_test");
}

#[test]
fn one_combination_of_parameters_can_be_named() {
    check(&["cases/b/two.shader_test#n=2"], "cases/b/two.shader_test#n=2");
    check(
        &["cases/b/two.shader_test#n=3"],
        "error: cases/b/two.shader_test#n=3: the file has no case with these parameters\n",
    );
}

#[test]
fn filters_match_anywhere_in_the_name() {
    check(
        &["--filter", "two|a\\.", "--exclude", "=2$"],
        "cases/a.shader_test cases/b/two.shader_test#n=1",
    );
    check(&["--filter", "nothing"], "error: no case is left after --filter and --exclude\n");
}
