//! Known failures and flakes, from lists and from the cases themselves, in whole runs.

use crate::{Place, run};

#[track_caller]
fn check(place: &Place, arguments: &[&str], statuses: &[(&str, &str)], code: i32) {
    let run = place.run(arguments);
    let found = place.statuses();
    for (name, status) in statuses {
        assert_eq!(found.get(*name).map(String::as_str), Some(*status), "{name}: {}", run.text());
    }
    assert_eq!(run.code, Some(code), "{}", run.text());
}

#[test]
fn failures_of_one_run_are_the_known_failures_of_the_next() {
    let place = Place::new(
        ["a b", "crash", "fail,1", "hang", "it's \"q\"", "ok"],
        "crash crash\nfail fail\nfail q\nhang hang\n",
    );
    let arguments = ["--timeout", "1", "--known-failures", "known"];
    place.write("known", "");
    let names = [
        ("crash", "Crash"),
        ("fail;1", "Fail"),
        ("it's \"q\"", "Fail"),
        ("hang", "Timeout"),
        ("a b", "Pass"),
    ];
    check(&place, &arguments, &names, 1);
    std::fs::copy(place.path().join("out/failures.csv"), place.path().join("known")).unwrap();
    let expected =
        names.map(|(name, status)| (name, if status == "Pass" { status } else { "ExpectedFail" }));
    check(&place, &arguments, &expected, 0);
    place.write("script", "fail crash\nfail q\nhang hang\n");
    let better = [
        ("crash", "UnexpectedImprovement(Fail)"),
        ("fail;1", "UnexpectedImprovement(Pass)"),
        ("hang", "ExpectedFail"),
    ];
    check(&place, &arguments, &better, 2);
    // A regression outweighs improvements.
    place.write("script", "fail ok\n");
    check(&place, &arguments, &[("ok", "Fail"), ("crash", "UnexpectedImprovement(Pass)")], 1);
}

#[test]
fn flakes_and_skips_are_patterns() {
    let place = Place::new(["a1", "a2", "a10", "b"], "fail a1\\.\ncrash b\nhang a10\n");
    place.write("flakes", "cases/a[0-9].shader_test\ncases/b.shader_test\n");
    place.write("skips", "# hangs\n.*a10.*\n");
    let expected = [("a1", "KnownFlake"), ("a2", "Pass"), ("a10", "Skip"), ("b", "KnownFlake")];
    check(&place, &["--flakes", "flakes", "--skips", "skips"], &expected, 0);
    assert!(place.read("out/results.json").contains("listed in skips:2"));
}

#[test]
fn each_adapter_can_have_its_own_lists() {
    let place = Place::new(["a"], "fail a\n");
    place.write("scripted-0.txt", "cases/a.shader_test,Fail\n");
    place.write("scripted-1.txt", "");
    let run = place.run(&["--adapter", "all", "--known-failures", "{adapter}.txt"]);
    assert_eq!(run.code, Some(1), "{}", run.text());
    assert_eq!(place.statuses_in("out/scripted-0")["a"], "ExpectedFail");
    assert_eq!(place.statuses_in("out/scripted-1")["a"], "Fail");
}

#[test]
fn a_list_that_cannot_be_read_or_names_no_case_is_told() {
    let place = Place::new(["a"], "");
    let run = |list: &str| {
        place.write("known", list);
        place.run(&["--known-failures", "known"])
    };
    let twice = run("x,Fail\ny,Crash\nx,Fail\ny,Maybe\n");
    assert_eq!(
        twice.text(),
        "error: known:3: `x` is already listed in known:1\nerror: known:4: unknown status `Maybe`\nexit code Some(3)\n"
    );
    let unknown = run("cases/a.shader_test,Pass\ngone,Fail\n");
    assert_eq!(unknown.stderr, "note: known:2: `gone` matches no case of this run\n");
    assert_eq!(unknown.code, Some(0));
    std::fs::write(place.path().join("known"), b"\xff,Fail\n").unwrap();
    let binary = place.run(&["--known-failures", "known"]);
    assert!(
        binary.stderr.starts_with("error: cannot read the list known: invalid utf-8"),
        "{}",
        binary.text()
    );
    let missing = place.run(&["--skips", "nowhere"]);
    assert!(
        missing.stderr.starts_with("error: cannot read the list nowhere: "),
        "{}",
        missing.text()
    );
}

/// A case that declares how it fails.
fn known_by_itself(line: &str) -> String {
    format!("[vertex shader passthrough]\n\n[test]\nlink success\n\n[expect]\n{line}\n")
}

#[test]
fn a_case_can_say_where_it_goes_wrong_and_is_told_when_it_does_not() {
    let place = Place::new([], "fail /wrong\n");
    let expect = |name: &str, line: &str| {
        place.write(&format!("cases/{name}.shader_test"), &known_by_itself(line));
    };
    expect("wrong", "\"ADAPTER 0\" fail \"a bug\" https://issues/1");
    expect("wrong-other-adapter", "\"adapter 1\" fail \"a bug\" https://issues/1");
    expect("wrong-symptom", "any fail with \"script says\" \"a bug\" https://issues/1");
    expect("wrong-other-symptom", "any fail with \"red\" \"a bug\" https://issues/1");
    expect("wrong-flake", "any flake \"a bug\" https://issues/1");
    expect("stale", "any crash \"a bug\" https://issues/2");
    let expected = [
        ("wrong", "ExpectedFail"),
        ("wrong-other-adapter", "Fail"),
        ("wrong-symptom", "ExpectedFail"),
        ("wrong-other-symptom", "Fail"),
        ("wrong-flake", "KnownFlake"),
        ("stale", "UnexpectedImprovement(Pass)"),
    ];
    check(&place, &[], &expected, 1);
    let stale = run(&mut place.command(&["run", "--script", "script", "cases/stale.shader_test"]));
    let told = "known     cases/stale.shader_test:7: a bug, https://issues/2";
    assert!(stale.code == Some(2) && stale.stdout.contains(told), "{}", stale.text());
}
