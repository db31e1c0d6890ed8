//! A case has one name, however its path is typed.

use std::path::Path;

use tempfile::TempDir;

use crate::{GOOD, Run, folder, interstage};

/// A project with two cases, one of which has parameters and fails.
fn project() -> TempDir {
    let failing = GOOD.replace("uv", "uv${n}").replace("slots 1", "slots ${m}");
    let failing = format!("[parameters]\nn = 1\nm = 2\n\n{failing}");
    folder(&[
        ("cases/v/two.shader_test", &failing),
        ("cases/v/a.shader_test", GOOD),
        ("elsewhere/notes.txt", ""),
    ])
}

const FAILING: &str = "cases/v/two.shader_test#n=1;m=2";

#[track_caller]
fn check_list(folder: &Path, path: &str) {
    let run = interstage(folder, &["list", path]);
    let expected = format!("cases/v/a.shader_test\n{FAILING}\nexit code 0\n");
    assert_eq!(run.text(), expected, "{path} in {}", folder.display());
}

#[test]
fn a_case_has_one_name_however_its_path_is_typed() {
    let project = project();
    let absolute = project.path().join("cases/v");
    for path in ["cases", "./cases", "cases/../cases/v", absolute.to_str().unwrap()] {
        check_list(project.path(), path);
    }
    check_list(&project.path().join("cases"), "v");
    check_list(&project.path().join("cases"), ".");
    check_list(&project.path().join("cases/v"), "../v");
    check_list(&project.path().join("elsewhere"), "../cases");
    check_list(&project.path().join("elsewhere"), absolute.to_str().unwrap());
}

/// Checks everything that prints a name, for a run in the folder `cases`.
fn names_in_results(run: &Run, results: &Path) -> Vec<(&'static str, bool)> {
    let has = |file: &str, text: &str| {
        std::fs::read_to_string(results.join(file)).expect("the run wrote it").contains(text)
    };
    vec![
        ("terminal", run.stdout.contains(&format!("FAIL {FAILING}"))),
        ("results.csv", has("results.csv", &format!("{FAILING},Fail,"))),
        ("failures.csv", has("failures.csv", &format!("{FAILING},Fail\n"))),
        ("results.json", has("results.json", &format!("\"{FAILING}\""))),
        ("junit.xml", has("junit.xml", &format!("name=\"{FAILING}\""))),
    ]
}

#[test]
fn every_report_prints_the_same_name() {
    let project = project();
    let run = interstage(&project.path().join("cases"), &["run", "./v", "--results", "../out"]);
    assert_eq!(run.code, Some(1), "{}", run.text());
    for (place, is_there) in names_in_results(&run, &project.path().join("out")) {
        assert!(is_there, "{place}");
    }
    let repeat = run.stdout.lines().find_map(|line| line.trim().strip_prefix("repeat"));
    assert_eq!(
        repeat.map(str::trim),
        Some("interstage run './v/two.shader_test#n=1;m=2' --keep out/"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_printed_name_can_be_given_to_every_command() {
    let project = project();
    for folder in [project.path().to_owned(), project.path().join("cases/v")] {
        let commas = FAILING.replace(';', ",");
        for name in [FAILING, commas.as_str()] {
            assert_eq!(interstage(&folder, &["list", name]).stdout, format!("{FAILING}\n"));
            assert_eq!(interstage(&folder, &["run", name]).code, Some(1), "{name}");
            let inspected = interstage(&folder, &["inspect", name]);
            assert!(inspected.stdout.contains("uv1"), "{}", inspected.text());
        }
        let filter = format!("^{FAILING}$");
        let run = interstage(&folder, &["list", "--filter", &filter]);
        assert_eq!(run.stdout, format!("{FAILING}\n"), "{}", run.stderr);
        std::fs::write(folder.join("list.txt"), format!("{FAILING},Fail\n")).unwrap();
        let run = interstage(&folder, &["run", "--known-failures", "list.txt", "@list.txt"]);
        assert_eq!(run.code, Some(0), "{}", run.text());
    }
}

#[test]
fn failed_cases_of_a_run_are_selected_by_its_folder() {
    let project = project();
    interstage(project.path(), &["run", "--results", "out"]);
    let run = interstage(&project.path().join("cases"), &["list", "--failed", "../out"]);
    assert_eq!(run.text(), format!("{FAILING}\nexit code 0\n"));
    interstage(project.path(), &["run", "cases/v/a.shader_test", "--results", "good"]);
    let run = interstage(project.path(), &["run", "--failed", "good"]);
    assert_eq!(run.text(), "error: good: no case of this run failed\nexit code 3\n");
}

/// Projects below, beside and above the current folder, and files without a project: printed names can be used again.
#[test]
fn names_of_a_run_lead_back_to_its_cases_from_any_folder() {
    let failing = GOOD.replace("slots 1", "slots 2");
    let piglit = "usr/lib/piglit/tests/spec/glsl-4.50/a, b.shader_test";
    let folder = folder(&[
        ("work/vendor/driver/cases/v/a.shader_test", &failing),
        (piglit, &failing),
        ("tests/cases/draw.amber", "#!amber\nSHADER vertex\n"),
        ("work/deep/notes.txt", ""),
        ("plain/one.shader_test", &failing),
    ]);
    let work = folder.path().join("work");
    let runs = [
        ("vendor/driver", "cases/v/a.shader_test"),
        ("../usr/lib/piglit/tests/spec/glsl-4.50", "tests/spec/glsl-4.50/a; b.shader_test"),
        ("../tests/cases", "cases/draw.amber"),
        ("../plain/one.shader_test", "one.shader_test"),
    ];
    for (given, name) in runs {
        let _ = std::fs::remove_dir_all(work.join("R"));
        let first = interstage(&work, &["run", given, "--adapter", "none", "--results", "R"]);
        assert!(first.code == Some(1) || first.code == Some(3), "{}", first.text());
        let failures = std::fs::read_to_string(work.join("R/failures.csv")).unwrap();
        assert!(failures.ends_with(&format!("{name},Fail\n")), "{failures}");
        for (place, results) in [("", "R"), ("deep", "../R"), ("..", "work/R")] {
            let place = work.join(place);
            let list = format!("@{results}/failures.csv");
            for again in [&["list", "--failed", results][..], &["list", &list]] {
                let told = interstage(&place, again);
                assert_eq!(told.code, Some(0), "{again:?} in {place:?}: {}", told.text());
                assert!(told.stdout.ends_with(&format!("{name}\n")), "{}", told.text());
            }
        }
    }
}

/// A path that names a case of the run selects that case, not another one with this name in the current folder.
#[test]
fn a_name_of_a_run_is_no_case_of_another_project() {
    let wrong = GOOD.replace("slots 1", "slots 2");
    let folder = folder(&[("p/cases/a.shader_test", &wrong), ("q/cases/a.shader_test", GOOD)]);
    let (p, q) = (folder.path().join("p"), folder.path().join("q"));
    interstage(&p, &["run", "--results", "R"]);
    assert_eq!(interstage(&q, &["run"]).code, Some(0));
    let told = interstage(&q, &["run", "--failed", "../p/R"]);
    assert_eq!(told.code, Some(1), "{}", told.text());
    // Results from another machine: the name is looked up as any other.
    std::fs::rename(&p, folder.path().join("elsewhere")).unwrap();
    let told = interstage(&q, &["run", "--failed", "../elsewhere/R"]);
    assert_eq!(told.code, Some(0), "{}", told.text());
}

#[test]
fn a_printed_name_is_found_in_a_project_below() {
    let two = GOOD.replace("uv", "uv${n}");
    let two = format!("[parameters]\nn = 1 2\n\n{two}");
    let folder = folder(&[
        ("a/b/cases/two.shader_test", &two),
        ("a/target/cases/two.shader_test", &two),
        ("a/.hidden/cases/two.shader_test", &two),
    ]);
    let name = "cases/two.shader_test#n=2";
    assert_eq!(interstage(folder.path(), &["list", name]).stdout, format!("{name}\n"));
    assert_eq!(interstage(folder.path(), &["run", "cases/two.shader_test"]).code, Some(0));
    crate::write(folder.path(), "c/cases/two.shader_test", two.as_bytes());
    let told = interstage(folder.path(), &["list", name]);
    assert_eq!(
        told.text(),
        "error: cases/two.shader_test#n=2: several cases have this name; name one of these files: \
         c/cases/two.shader_test, a/b/cases/two.shader_test\nexit code 3\n"
    );
    // This is not a name, because it does not begin at a root.
    let told = interstage(folder.path(), &["list", "b/cases/two.shader_test"]);
    assert_eq!(told.code, Some(3), "{}", told.text());
}

#[test]
fn two_files_of_one_name_are_not_mixed() {
    let folder = folder(&[("p/cases/a.shader_test", GOOD), ("q/cases/a.shader_test", GOOD)]);
    let both = "p/cases/a.shader_test and q/cases/a.shader_test are both called cases/a.shader_test, so nothing is \
                run; run them separately, or write an `interstage.toml` above them";
    for command in ["list", "run"] {
        let run = interstage(folder.path(), &[command, "p", "q"]);
        assert_eq!(run.text(), format!("error: {both}\nexit code 3\n"), "{command}");
    }
    std::fs::write(folder.path().join("interstage.toml"), "").unwrap();
    let run = interstage(folder.path(), &["list", "p", "q"]);
    assert_eq!(run.text(), "p/cases/a.shader_test\nq/cases/a.shader_test\nexit code 0\n");
}

/// None of three cases is silently left out, although results could hold only one of them.
#[test]
fn projects_with_equal_names_are_not_run_together() {
    let three = ["a", "b", "c"];
    let files =
        three.map(|name| (format!("{name}/interstage.toml"), format!("{name}/p_1.shader_test")));
    let files =
        files.iter().flat_map(|(settings, case)| [(settings.as_str(), ""), (case.as_str(), GOOD)]);
    let folder = folder(&files.collect::<Vec<_>>());
    let all = "a/p_1.shader_test, b/p_1.shader_test and c/p_1.shader_test are all called p_1.shader_test, so nothing \
               is run; run each project by itself, or have one `interstage.toml` above them in place of their own";
    let run = interstage(folder.path(), &["run", "a", "b", "c", "--results", "R"]);
    assert_eq!(run.text(), format!("error: {all}\nexit code 3\n"));
    let run = interstage(folder.path(), &["run", "a", "a/p_1.shader_test", "./b/../a"]);
    assert!(run.stdout.contains("1 passed"), "{}", run.text());
    assert_eq!(run.code, Some(0), "{}", run.text());
}

#[test]
fn a_name_without_its_comma_stands_for_one_file() {
    let folder = folder(&[("cases/a,b.shader_test", GOOD), ("cases/a;b.shader_test", GOOD)]);
    let both = "cases/a,b.shader_test and cases/a;b.shader_test are both called cases/a;b.shader_test, so nothing is \
                run; commas in names are replaced, so rename all but one of them";
    assert_eq!(interstage(folder.path(), &["run"]).text(), format!("error: {both}\nexit code 3\n"));
}

#[test]
fn settings_give_roots_lists_and_a_dialect() {
    let settings = "roots = [\"tests\"]\nknown-failures = [\"fails.txt\"]\ntimeout = 30\n";
    let failing = GOOD.replace("slots 1", "slots 2");
    let folder = folder(&[
        ("interstage.toml", settings),
        ("fails.txt", "tests/a.shader_test,Fail\n"),
        ("tests/a.shader_test", &failing),
        ("other/b.shader_test", GOOD),
    ]);
    let run = interstage(&folder.path().join("other"), &["run"]);
    assert_eq!(run.code, Some(0), "{}", run.text());
    assert!(run.stdout.contains(", 1 known failure"), "{}", run.text());
    std::fs::write(folder.path().join("interstage.toml"), "\nroot = [\"tests\"]\n").unwrap();
    let run = interstage(&folder.path().join("other"), &["run"]);
    let place = std::fs::canonicalize(folder.path()).unwrap().join("interstage.toml");
    let expected =
        format!("error: {}:2:1: unknown key `root`; did you mean `roots`?\n", place.display());
    assert_eq!(run.text(), format!("{expected}exit code 3\n"));
}
