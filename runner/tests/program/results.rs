//! Result files, exit codes, and the command that repeats a case.

use std::process::Command;

use expect_test::expect;

use crate::{GOOD, NO_ADAPTER, folder, interstage, run};

/// A case with a wrong expectation about linking.
fn wrong() -> String {
    GOOD.replace("slots 1", "slots 2")
}

/// An invalid case file.
const BROKEN: &str = "[tset]\n";

#[test]
fn results_csv_has_a_line_per_case_sorted_by_name() {
    let folder = folder(&[
        ("cases/b.shader_test", GOOD),
        ("cases/a.shader_test", &wrong()),
        ("cases/c.shader_test", BROKEN),
    ]);
    interstage(folder.path(), &["run", "--results", "out"]);
    let read = |name| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let results = read("out/results.csv");
    let without_time: Vec<_> = results.lines().map(|line| line.rsplit_once(',').unwrap()).collect();
    assert!(without_time.iter().all(|(_, seconds)| seconds.parse::<f32>().is_ok()), "{results}");
    let names: Vec<_> = without_time.iter().map(|(rest, _)| *rest).collect();
    assert_eq!(
        names,
        ["cases/a.shader_test,Fail", "cases/b.shader_test,Pass", "cases/c.shader_test,Fail"]
    );
    assert_eq!(read("out/failures.csv"), "cases/a.shader_test,Fail\ncases/c.shader_test,Fail\n");
}

#[test]
fn commas_between_parameters_become_semicolons_in_results_csv() {
    let case = format!(
        "[parameters]\nx = 1 2\ny = 1\n\n{}",
        GOOD.replace("slots 1", "slots ${y}").replace("uv", "uv${x}")
    );
    let folder = folder(&[("cases/a.shader_test", &case)]);
    interstage(folder.path(), &["run", "--results", "out"]);
    let results = std::fs::read_to_string(folder.path().join("out/results.csv")).unwrap();
    let names: Vec<_> = results.lines().map(|line| line.rsplit_once(',').unwrap().0).collect();
    assert_eq!(names, ["cases/a.shader_test#x=1;y=1,Pass", "cases/a.shader_test#x=2;y=1,Pass"]);
}

#[test]
fn the_exit_code_is_that_of_the_worst_case() {
    let files = [
        ("cases/good.shader_test", GOOD),
        ("cases/wrong.shader_test", &wrong()),
        ("cases/z.shader_test", BROKEN),
    ];
    let folder = folder(&files);
    let code = |paths: &[&str]| interstage(folder.path(), &[&["run"], paths].concat()).code;
    assert_eq!(code(&["cases/good.shader_test"]), Some(0));
    assert_eq!(code(&["cases/good.shader_test", "cases/wrong.shader_test"]), Some(1));
    assert_eq!(code(&["cases"]), Some(3));
}

#[test]
fn the_last_line_is_the_totals_and_nothing_else() {
    let folder = folder(&[("cases/a.shader_test", GOOD), ("cases/b.shader_test", &wrong())]);
    let run = interstage(folder.path(), &["run", "--quiet"]);
    assert_eq!(run.stdout.lines().last(), Some("1 passed, 1 failed, 0 skipped"));
}

#[test]
fn failures_come_in_the_order_of_the_cases_whichever_worker_ran_them() {
    let names: Vec<_> = (10..40).map(|idx| format!("cases/{idx}.shader_test")).collect();
    let wrong = wrong();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), wrong.as_str())).collect();
    let folder = folder(&files);
    let run = interstage(folder.path(), &["run", "--jobs", "4"]);
    let failed: Vec<_> = run.stdout.lines().filter_map(|line| line.strip_prefix("FAIL ")).collect();
    let order: Vec<_> = failed.iter().map(|line| line.trim_end()).collect();
    assert_eq!(order, names);
}

/// Needs a POSIX shell.
#[cfg(unix)]
#[test]
fn the_repeat_command_works_when_pasted() {
    let folder = folder(&[("it's $HOME/cases/a b.shader_test", &wrong())]);
    let first = interstage(folder.path(), &["run", "it's $HOME"]);
    let repeat = first.stdout.lines().find_map(|line| line.trim_start().strip_prefix("repeat"));
    let repeat = repeat.expect("a failure says how to repeat it").trim();
    assert!(repeat.starts_with("interstage run "), "{repeat}");
    let pasted = repeat.replacen("interstage", env!("CARGO_BIN_EXE_interstage"), 1);
    let mut shell = Command::new("/bin/sh");
    let second = run(shell.args(["-c", &pasted]).current_dir(folder.path()).envs(NO_ADAPTER));
    assert_eq!((second.code, first.code), (Some(1), Some(1)), "{}", second.text());
    assert!(second.stdout.contains("kept in out/"), "{}", second.stdout);
}

#[test]
fn results_json_tells_what_cannot_be_run_from_what_fails() {
    let folder = folder(&[
        ("a.shader_test", GOOD),
        ("b.shader_test", &wrong()),
        ("c.shader_test", "[test]\nnewlist GL_COMPILE\n"),
    ]);
    interstage(folder.path(), &["run", ".", "--results", "out"]);
    let text = std::fs::read_to_string(folder.path().join("out/results.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["schema"], 3);
    let cases = json["cases"].as_array().unwrap();
    let lines: Vec<_> = cases
        .iter()
        .map(|case| {
            assert!(case["seconds"].is_f64(), "{case}");
            format!("{} {} {} {}", case["name"], case["status"], case["kind"], case["reason"])
        })
        .collect();
    expect![[r#"
        "a.shader_test" "Pass" "Pass" null
        "b.shader_test" "Fail" "Fail" "slots 2: expected  2\nactual    1"
        "c.shader_test" "Skip" "Unsupported" "newlist""#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn the_text_of_a_case_that_does_not_compile_is_kept_with_its_wrong_line() {
    let files = [
        ("cases/a.shader_test", &GOOD.replace("position.xy", "nowhere")[..]),
        ("cases/b.shader_test", "[require]\n\n[tset]\n"),
    ];
    let folder = folder(&files);
    interstage(folder.path(), &["run", "--results", "out"]);
    for ((name, text), line) in files.into_iter().zip([8, 3]) {
        let kept = folder.path().join("out/evidence").join(name).join("evidence.json");
        let kept = std::fs::read_to_string(kept).unwrap();
        let evidence: serde_json::Value = serde_json::from_str(&kept).unwrap();
        assert_eq!(evidence["source"], text, "{name}");
        let failures = evidence["failures"].as_array().unwrap();
        assert!(failures.iter().any(|failure| failure["line"] == line), "{name}: {failures:?}");
    }
}

#[test]
fn results_json_says_when_and_by_what_command_the_run_began() {
    let folder = folder(&[("cases/a.shader_test", GOOD)]);
    let arguments = ["run", "cases", "--results", "out"];
    let mut command = crate::program(folder.path());
    run(command.envs(NO_ADAPTER).env("INTERSTAGE_COMMIT", "1234").args(arguments));
    let text = std::fs::read_to_string(folder.path().join("out/results.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["run"]["command"], serde_json::json!(arguments));
    assert_eq!(json["run"]["commit"], "1234");
    let started = json["run"]["started"].as_str().unwrap();
    assert!(started.len() == 20 && started.starts_with("20"), "{started}");
    let page = std::fs::read_to_string(folder.path().join("out/index.html")).unwrap();
    let day = started[..10].to_owned();
    let title = format!("<title>0 of 1 failed · run cases --results out · {day} ");
    assert!(page.contains(&title), "{title}");
}
