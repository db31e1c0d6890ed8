//! `--resume` repeats the cases for which something has changed since their results were recorded. Each dependency of a
//! result is changed alone.
//!
//! The cases are real, and run on the executor.

use crate::{Place, Run, run};

/// Draws to one half of the target.
const CASE: &str = "\
[require]
GLSL >= 4.50
size 4 4

[vertex shader passthrough]

[fragment shader]
#version 450
out vec4 color;
void main() { color = vec4(0.5); }

[test]
draw rect -1 -1 2 2
";

/// Adds 1 to the numbers of a file.
const SCRIPT: &str = "\
#!amber
SHADER compute kAdd GLSL
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Numbers { uint numbers[]; };
void main() { numbers[0] += 1u; }
END
BUFFER kNumbers DATA_TYPE uint32 SIZE 1 FILE BINARY numbers.bin
PIPELINE compute kAdding
  ATTACH kAdd
  BIND BUFFER kNumbers AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN kAdding 1 1 1
EXPECT kNumbers IDX 0 EQ 8
";

/// A run of four cases that passed, with results in `out`.
fn passed() -> Place {
    let place = Place::new([], "");
    let probed = format!("{CASE}probe all rgba 0.5 0.5 0.5 0.5\n");
    place.write("cases/a.shader_test", &probed);
    place.write("cases/b.shader_test", &probed);
    place.write("cases/golden.shader_test", &format!("{CASE}golden target 0 half exact\n"));
    place.write("cases/script.amber", SCRIPT);
    place.write("cases/numbers.bin", "\u{7}\0\0\0");
    place.write("list.txt", "# nothing\n");
    let bless = ["bless", "cases/golden.shader_test", "--adapter", "cpu"];
    let blessed = run(&mut place.command(&bless));
    assert_eq!(blessed.code, Some(0), "{}", blessed.text());
    let arguments = ["run", "--adapter", "cpu", "--results", "out", "--known-failures", "list.txt"];
    let first = run(&mut place.command(&arguments));
    assert_eq!(first.code, Some(0), "{}", first.text());
    assert_eq!(place.journal_length(), 4);
    place
}

fn resume(place: &Place) -> Run {
    run(&mut place.command(&["run", "--resume", "out"]))
}

/// Checks that the resumed run reports this about the repeated cases and has these failures, and that another resumed
/// run repeats no case.
#[track_caller]
fn check(place: &Place, told: &str, failures: &str) {
    let resumed = resume(place);
    assert_eq!(resumed.stderr, told, "{}", resumed.text());
    assert_eq!(place.read("out/failures.csv"), failures, "{}", resumed.text());
    assert_eq!(place.journal_length(), 4, "{}", place.read("out/journal.jsonl"));
    assert_eq!(resumed.code, Some(i32::from(!failures.is_empty())), "{}", resumed.text());
    let again = resume(place);
    assert_eq!(again.stderr, "", "{}", again.text());
    assert_eq!(place.read("out/failures.csv"), failures);
}

#[test]
fn what_has_not_changed_is_not_judged_again() {
    let place = passed();
    let journal = place.read("out/journal.jsonl");
    check(&place, "", "");
    assert_eq!(place.read("out/journal.jsonl"), journal);
}

#[test]
fn an_edited_case_is_judged_again() {
    let place = passed();
    place.write("cases/a.shader_test", &format!("{CASE}probe all rgba 0.9 0.5 0.5 0.5\n"));
    let told = "note: 1 of 4 results on cpu:0 is out of date: 1 × `cases/a.shader_test` changed\n";
    check(&place, told, "cases/a.shader_test,Fail\n");
}

#[test]
fn a_case_with_another_golden_or_file_is_judged_again() {
    let place = passed();
    place.write("golden/golden/half.png", "no picture");
    place.write("cases/numbers.bin", "\u{8}\0\0\0");
    let told = "note: 2 of 4 results on cpu:0 are out of date: 1 × `cases/numbers.bin` changed, 1 × \
                `golden/golden/half.png` changed\n";
    check(&place, told, "cases/golden.shader_test,Fail\ncases/script.amber,Fail\n");
    std::fs::remove_file(place.path().join("golden/golden/half.png")).unwrap();
    let told =
        "note: 1 of 4 results on cpu:0 is out of date: 1 × `golden/golden/half.png` changed\n";
    check(&place, told, "cases/golden.shader_test,Fail\ncases/script.amber,Fail\n");
}

#[test]
fn a_case_about_which_a_list_says_something_else_is_judged_again() {
    let place = passed();
    place.write("list.txt", "cases/b.shader_test,Fail\n");
    let resumed = resume(&place);
    let told = "note: 1 of 4 results on cpu:0 is out of date: 1 × the lists changed\n";
    assert_eq!(resumed.stderr, told, "{}", resumed.text());
    assert_eq!(place.statuses()["b"], "UnexpectedImprovement(Pass)", "{}", resumed.text());
}

/// Changes the project's settings, the time limit among the options, and a variable that drivers read.
#[test]
fn all_is_judged_again_under_other_conditions() {
    let place = passed();
    place.write("cases/a.shader_test", &format!("{CASE}probe all rgba 0.5 0.5 0.5 0.5\n\n"));
    place.write("interstage.toml", "timeout = 50\n");
    let told = "note: all 4 results on cpu:0 are out of date: the project's settings changed, the options changed\n";
    check(&place, told, "");
    let mut command = place.command(&["run", "--resume", "out"]);
    let elsewhere = run(command.env("MESA_OF_ANOTHER_RUN", "1"));
    let told =
        "note: all 4 results on cpu:0 are out of date: the environment of the drivers changed\n";
    assert_eq!((elsewhere.stderr.as_str(), elsewhere.code), (told, Some(0)));
}

/// Changes the journal to that of another build of this program, and to that of another driver version.
#[test]
fn all_is_judged_again_by_another_program_or_driver() {
    let place = passed();
    let journal = place.read("out/journal.jsonl");
    let version = format!("\"program\":\"{} ", env!("CARGO_PKG_VERSION"));
    assert!(journal.contains(&version), "{journal}");
    place.write("out/journal.jsonl", &journal.replace(&version, &format!("{version}f")));
    check(&place, "note: all 4 results on cpu:0 are out of date: the program changed\n", "");
    let title = concat!("executor · ", env!("CARGO_PKG_VERSION"));
    let journal = place.read("out/journal.jsonl");
    assert!(journal.contains(title), "{journal}");
    place.write("out/journal.jsonl", &journal.replace(title, "executor · 0.0.9"));
    let told = "note: all 4 results on cpu:0 are out of date: the adapter was cpu:0 · interstage's executor · 0.0.9 \
                and is cpu:0 · interstage's executor · ";
    let resumed = resume(&place);
    assert!(resumed.stderr.starts_with(told), "{}", resumed.text());
    assert_eq!((place.journal_length(), resumed.code), (4, Some(0)));
}

/// A lost worker does not name the case's files. The case file and the files that it names are recorded as they are at
/// that time.
#[test]
fn a_crash_is_believed_until_the_case_changes() {
    let place = Place::numbered(2, "crash /0001\n");
    place.run(&[]);
    assert_eq!(place.statuses()["0001"], "Crash");
    let resumed = resume(&place);
    assert_eq!((resumed.stderr.as_str(), resumed.code), ("", Some(1)), "{}", resumed.text());
    place.write("cases/0001.shader_test", "[test]\n\n");
    place.write("script", "");
    let resumed = resume(&place);
    let told =
        "note: 1 of 2 results on scripted:0 is out of date: 1 × `cases/0001.shader_test` changed\n";
    assert_eq!((resumed.stderr.as_str(), resumed.code), (told, Some(0)), "{}", resumed.text());
}
