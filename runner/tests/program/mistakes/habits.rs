//! Options that users of other runners expect, and runs that must not succeed because nothing was run.

use serde_json::Value;

use crate::{GOOD, folder, interstage, program, run};

/// A case with a link error.
fn wrong() -> String {
    GOOD.replace("slots 1", "slots 2")
}

/// A piglit file that interstage does not support.
const UNSUPPORTED: &str = "[require]\nGLSL >= 1.30\n[test]\nnewlist GL_COMPILE\n";

#[test]
fn a_run_in_which_nothing_ran_is_no_success() {
    let folder = folder(&[("a.shader_test", UNSUPPORTED), ("cases/b.shader_test", GOOD)]);
    let unsupported = interstage(folder.path(), &["run", "a.shader_test", "--adapter", "none"]);
    assert_eq!(unsupported.code, Some(3), "{}", unsupported.text());
    let told = "nothing was run: the only result is skipped or unsupported\n";
    assert_eq!(unsupported.stderr, format!("error: {told}"));
    std::fs::write(folder.path().join("skips.txt"), ".*\n").unwrap();
    let skipped = interstage(folder.path(), &["run", "--skips", "skips.txt"]);
    assert_eq!(skipped.code, Some(3), "{}", skipped.text());
    let both = interstage(folder.path(), &["run", "a.shader_test", "cases"]);
    assert_eq!(both.code, Some(0), "{}", both.text());
}

#[test]
fn a_path_or_filter_that_matches_nothing_is_told() {
    let folder = folder(&[("cases/varying/a.shader_test", GOOD), ("README.md", "# Text\n")]);
    let check = |arguments: &[&str], expected: &str| {
        let run = interstage(folder.path(), &[&["run"], arguments].concat());
        assert_eq!(run.code, Some(3), "{}", run.text());
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    };
    check(&["cases/varyin"], "no such file, folder or case; did you mean `cases/varying`?");
    check(&["-t", "a", "-t", "b_c"], "--filter `b_c` matches no case");
    check(&["-x", "varying"], "no case is left by --filter and --exclude");
    let idle = interstage(folder.path(), &["run", "-x", "b_c"]);
    assert_eq!(
        (idle.code, idle.stderr.as_str()),
        (Some(0), "note: --exclude `b_c` matches no case\n")
    );
    let text = interstage(folder.path(), &["run", "README.md"]);
    assert_eq!(text.code, Some(3), "{}", text.text());
}

#[test]
fn an_unknown_word_of_a_piglit_file_is_an_error_with_its_place() {
    let typo = "[vertex shader passthrough]\n[fragment shader]\nvoid main() {}\n[test]\nprob all rgba 0 0 0 0\n";
    let folder = folder(&[("tests/a.shader_test", typo)]);
    let run = interstage(folder.path(), &["run", "tests"]);
    assert_eq!(run.code, Some(3), "{}", run.text());
    for part in ["unknown command `prob`", "tests/a.shader_test:5:1", "did you mean `probe`?"] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
}

#[test]
fn results_are_not_written_over_other_files() {
    let folder = folder(&[("cases/a.shader_test", GOOD), ("site/index.html", "mine")]);
    let page = || std::fs::read_to_string(folder.path().join("site/index.html")).unwrap();
    let refused = interstage(folder.path(), &["run", "--results", "site"]);
    assert_eq!(refused.code, Some(3), "{}", refused.text());
    assert!(refused.stderr.contains("--overwrite"), "{}", refused.stderr);
    assert_eq!(page(), "mine");
    let forced = interstage(folder.path(), &["run", "--results", "site", "--overwrite"]);
    assert_eq!(forced.code, Some(0), "{}", forced.text());
    let again = interstage(folder.path(), &["run", "--results", "site"]);
    assert_eq!(again.code, Some(0), "{}", again.text());
    assert_ne!(page(), "mine");
}

#[test]
fn the_first_failure_can_end_the_run() {
    let names: Vec<_> = (10..40).map(|idx| format!("cases/{idx}.shader_test")).collect();
    let wrong = wrong();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), wrong.as_str())).collect();
    let folder = folder(&files);
    let run = interstage(folder.path(), &["run", "--fail-fast", "-j", "1"]);
    assert_eq!(run.code, Some(1), "{}", run.text());
    assert!(run.stderr.contains("stopped at the first failure"), "{}", run.stderr);
    assert!(run.stdout.matches("FAIL ").count() < names.len(), "{}", run.stdout);
}

#[test]
fn several_failures_are_named_at_the_end() {
    let wrong = wrong();
    let folder = folder(&[
        ("cases/a.shader_test", &wrong),
        ("cases/b.shader_test", GOOD),
        ("cases/c.shader_test", ""),
    ]);
    let run = interstage(folder.path(), &["run", "-v"]);
    assert!(run.stdout.contains("PASS cases/b.shader_test  0."), "{}", run.stdout);
    let end =
        "failed:\n  cases/a.shader_test\n  cases/c.shader_test  (broken)\n3 cases in some time\n";
    assert!(run.stdout.contains(end), "{}", run.stdout);
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{}", run.stdout);
}

#[test]
fn a_broken_file_is_told_once_for_all_adapters() {
    let folder = folder(&[("cases/a.shader_test", ""), ("cases/b.shader_test", GOOD)]);
    let result = run(program(folder.path()).args(["run", "--adapter", "all"]));
    assert_eq!(
        result.stdout.matches("BROKEN cases/a.shader_test\n").count(),
        1,
        "{}",
        result.text()
    );
    let adapters = result.stdout.matches("2 cases in ").count();
    assert_eq!(result.stdout.matches("among the failed: 1 broken\n").count(), adapters);
}

#[test]
fn other_programs_can_follow_a_run() {
    let wrong = wrong();
    let folder = folder(&[("cases/a.shader_test", GOOD), ("cases/b.shader_test", &wrong)]);
    let stream = interstage(folder.path(), &["run", "--format", "json", "--junit", "j.xml"]);
    let events: Vec<Value> =
        stream.stdout.lines().map(|line| serde_json::from_str(line).expect("is JSON")).collect();
    let cases = events.iter().filter(|event| event["event"] == "case");
    let told: Vec<_> = cases.map(|case| (case["name"].as_str(), case["status"].as_str())).collect();
    let expected = [("cases/a.shader_test", "Pass"), ("cases/b.shader_test", "Fail")];
    assert_eq!(told, expected.map(|(name, status)| (Some(name), Some(status))));
    let junit = std::fs::read_to_string(folder.path().join("j.xml")).expect("it was written");
    assert!(junit.contains(r#"tests="2" skipped="0" failures="1""#), "{junit}");
    let mut command = program(folder.path());
    command.envs(crate::NO_ADAPTER).args(["run", "-q"]);
    let actions = run(command.env("GITHUB_ACTIONS", "true").env_remove("GITHUB_WORKSPACE"));
    let annotation = "::error file=cases/b.shader_test,line=21,title=FAIL cases/b.shader_test::";
    assert!(actions.stderr.contains(annotation), "{}", actions.text());
}

#[test]
fn a_variable_chooses_the_adapter() {
    let folder = folder(&[("cases/a.shader_test", GOOD)]);
    let mut command = program(folder.path());
    command.envs(crate::NO_ADAPTER).args(["run"]).env("INTERSTAGE_ADAPTER", "nobody's");
    let run = run(&mut command);
    assert_eq!(run.code, Some(3), "{}", run.text());
    assert!(run.stderr.contains("no adapter matches `nobody's`"), "{}", run.stderr);
}
