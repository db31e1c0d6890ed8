//! Selection of cases on the command line.

use crate::{GOOD, folder, interstage, write};

#[track_caller]
fn check(arguments: &[&str], expected: &str) {
    let with_parameters = format!("[parameters]\nn = 1..2\n\n{}", GOOD.replace("uv", "uv${n}"));
    let folder = folder(&[
        ("cases/b/two.shader_test", &with_parameters),
        ("cases/a.shader_test", GOOD),
        ("cases/b.shader_test", GOOD),
        ("cases/notes.txt", ""),
        ("list.txt", "cases/b.shader_test\n\ncases/b/two.shader_test#n=1 \nlost\n"),
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
        "error: cases/b/two.shader_test#n=3: the file has no case with these parameters; it has `#n=1`, \
         `#n=2`\n",
    );
}

#[test]
fn filters_match_anywhere_in_the_name() {
    check(
        &["--filter", "two|a\\.", "--exclude", "=2$"],
        "cases/a.shader_test cases/b/two.shader_test#n=1",
    );
    check(&["--filter", "nothing"], "error: --filter `nothing` matches no case\n");
}

#[test]
fn a_list_stands_for_the_paths_in_it() {
    check(
        &["cases/a.shader_test", "@list.txt", "@lost.txt"],
        "cases/a.shader_test cases/b.shader_test cases/b/two.shader_test#n=1\
         error: lost.txt: cannot read the list: No such file or directory (os error 2)\n\
         error: lost: no such file, folder or case\n",
    );
}

#[test]
fn inspecting_a_case_that_must_not_link_is_no_failure() {
    let unlinked = GOOD.replace("in vec2 uv", "in vec3 uv").replace("(uv, 0.0,", "(uv,");
    let (stages, _) = unlinked.split_once("[link]").expect("the case has the section");
    let error = "[link]\nerror \"`uv` is vec2 in the vertex stage\"\n";
    let folder = folder(&[("cases/a.shader_test", &format!("{stages}{error}"))]);
    let run = interstage(folder.path(), &["inspect", "cases/a.shader_test"]);
    assert_eq!(run.text(), "the case has no linked program, as it expects\nexit code 0\n");
}

/// Three cases in eight shards, each of which uses the adapter that it finds. A shard without a case looks for none.
#[test]
fn shards_without_a_case_merge_with_those_that_have_one() {
    const CASE: &str = "\
[compute shader]
#version 430
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer B { uint n; };
void main() { n = 7u; }
[test]
ssbo 0 4
compute 1 1 1
probe ssbo uint 0 0 == 7
";
    let folder = folder(&[]);
    for name in ["a", "b", "c"] {
        write(folder.path(), &format!("cases/{name}.shader_test"), CASE.as_bytes());
    }
    let mut folders = Vec::new();
    for number in 1..=8 {
        let (shard, results) = (format!("{number}/8"), format!("part{number}"));
        let ran = interstage(folder.path(), &["run", "--shard", &shard, "--results", &results]);
        assert_eq!(ran.code, Some(0), "{}", ran.text());
        assert!(folder.path().join(&results).join("results.json").is_file(), "{results}");
        folders.push(results);
    }
    let folders: Vec<_> = folders.iter().map(String::as_str).collect();
    let merged =
        interstage(folder.path(), &[&["merge", "--results", "all"], &folders[..]].concat());
    assert_eq!(merged.code, Some(0), "{}", merged.text());
    let results = std::fs::read_to_string(folder.path().join("all/results.csv")).unwrap();
    assert_eq!(results.matches(",Pass,").count(), 3, "{results}");
}
