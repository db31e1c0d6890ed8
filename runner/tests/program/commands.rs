//! Commands for analysis: compare, reduce, watch, inspect in other languages, completions, the manual; and files for
//! other programs.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;

use expect_test::expect;
use serde_json::Value;

use crate::{GOOD, NO_ADAPTER, folder, interstage, program, run, schema};

fn wrong() -> String {
    GOOD.replace("slots 1", "slots 2")
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("the run wrote it")
}

#[test]
fn results_json_is_as_its_schema_says() {
    let schema = include_str!("../../../docs/results.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    let folder = folder(&[
        ("cases/a.shader_test", GOOD),
        ("cases/b.shader_test", &wrong()),
        ("cases/c.shader_test", "[tset]\n"),
        ("d.shader_test", "[test]\nnewlist GL_COMPILE\n"),
    ]);
    interstage(folder.path(), &["run", ".", "--results", "out"]);
    let mut file: Value = serde_json::from_str(&read(folder.path(), "out/results.json")).unwrap();
    assert_eq!(schema::errors(&schema, &file), Vec::<String>::new());
    for (digest, is_one) in [("3", true), ("00112233445566ff", true), ("3f", false)] {
        let capture = serde_json::json!({ "line": 1, "what": "something", "digest": digest });
        file["cases"][0]["captures"] = Value::Array(vec![capture]);
        assert_eq!(schema::errors(&schema, &file).is_empty(), is_one, "{digest}");
    }
    file["cases"][0]["captures"] = Value::Array(Vec::new());
    file["cases"][0]["seconds"] = Value::from("soon");
    assert!(!schema::errors(&schema, &file).is_empty(), "the schema says nothing about seconds");
}

#[test]
fn junit_xml_has_a_test_per_case_and_its_totals() {
    let folder = folder(&[("cases/v/a.shader_test", GOOD), ("cases/b.shader_test", &wrong())]);
    interstage(folder.path(), &["run", "--results", "out"]);
    let text = read(folder.path(), "out/junit.xml");
    assert!(text.contains(r#"tests="2" skipped="0" failures="1" errors="0""#), "{text}");
    assert!(
        text.contains(r#"<testcase name="cases/v/a.shader_test" classname="cases.v""#),
        "{text}"
    );
    assert!(text.contains(r#"file="cases/b.shader_test" line="#), "{text}");
}

#[test]
fn a_failed_case_leaves_a_folder_of_its_own() {
    let folder = folder(&[("cases/b, b.shader_test", &wrong())]);
    interstage(folder.path(), &["run", "--results", "out"]);
    let kept = folder.path().join("out/evidence/cases/b; b.shader_test");
    for file in ["link_map.txt", "vertex.wgsl", "fragment.spv", "repeat.txt", "stderr.txt"] {
        assert!(kept.join(file).is_file(), "{file}");
    }
    let spirv = std::fs::read(kept.join("vertex.spv")).unwrap();
    assert_eq!(spirv[..4], 0x0723_0203_u32.to_le_bytes());
}

#[test]
fn keep_all_keeps_what_passes_too_and_shows_it_in_the_page() {
    let folder = folder(&[("cases/a.shader_test", GOOD)]);
    let kept = folder.path().join("out/evidence/cases/a.shader_test");
    interstage(folder.path(), &["run", "--results", "out"]);
    assert!(!kept.exists());
    let without = interstage(folder.path(), &["run", "--keep-all"]);
    expect![[r"
        error: --keep-all needs a folder; set one with --results or --keep
        exit code 3
    "]]
    .assert_eq(&without.text());
    let quiet = interstage(folder.path(), &["run", "--results", "out", "--keep-all"]);
    assert!(!quiet.stdout.contains("kept"), "{}", quiet.stdout);
    for file in ["link_map.txt", "vertex.wgsl", "fragment.spv", "evidence.json"] {
        assert!(kept.join(file).is_file(), "{file}");
    }
    // Results of an earlier run are not mistaken for those of this one.
    interstage(folder.path(), &["run", "--results", "out"]);
    assert!(!kept.join("evidence.json").exists());
}

/// naga's SPIR-V writer panics on a module of this case, which the executor runs.
#[test]
fn what_naga_cannot_write_is_left_out_of_the_evidence() {
    let case = include_str!("../../../cases/wgsl/pointers_to_parts_are_arguments.shader_test");
    let folder = folder(&[("cases/a.shader_test", case)]);
    let arguments = ["run", "--adapter", "cpu", "--results", "out", "--keep-all"];
    let ran = interstage(folder.path(), &arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.text());
    let kept = folder.path().join("out/evidence/cases/a.shader_test");
    assert!(kept.join("compute.wgsl").is_file());
    assert!(!kept.join("compute.spv").exists());
}

#[test]
fn piglit_hears_its_own_words() {
    let folder = folder(&[("a.shader_test", GOOD)]);
    let run = interstage(folder.path(), &["run", "a.shader_test", "--piglit"]);
    assert!(run.stdout.ends_with("PIGLIT: {\"result\": \"pass\" }\n"), "{}", run.stdout);
}

#[test]
fn compare_tells_what_another_run_did_otherwise() {
    let folder = folder(&[("cases/a.shader_test", GOOD), ("cases/b.shader_test", GOOD)]);
    let path = folder.path();
    interstage(path, &["run", "--results", "one"]);
    let same = interstage(path, &["compare", "one", "one"]);
    assert_eq!(same.code, Some(0), "{}", same.text());
    std::fs::write(path.join("cases/b.shader_test"), wrong()).unwrap();
    interstage(path, &["run", "--results", "two"]);
    let other = interstage(path, &["compare", "one", "two"]);
    expect![[r"
        both on without an adapter
        regression  cases/b.shader_test: pass -> fail
                      slots 2: expected  2
                      actual    1
        1 case differs (1 regression), 2 were compared
        exit code 1
    "]]
    .assert_eq(&other.text());
}

#[test]
fn runs_without_a_common_case_cannot_be_compared() {
    let folder = folder(&[("cases/a.shader_test", GOOD), ("tests/cases/b.shader_test", GOOD)]);
    let path = folder.path();
    interstage(path, &["run", "cases", "--results", "one"]);
    interstage(path, &["run", "tests/cases/b.shader_test", "--results", "two"]);
    let refused = interstage(path, &["compare", "one", "two"]);
    expect![[r"
        error: the two runs have no case in common; the first has cases/a.shader_test, the second cases/b.shader_test
        exit code 3
    "]]
    .assert_eq(&refused.text());
    let none = interstage(path, &["compare", "one", "tow"]).text();
    let expected = "expected a folder that `interstage run --results` wrote\nexit code 3\n";
    assert_eq!(none, format!("error: tow: no such file or folder; {expected}"));
    let merged = interstage(path, &["merge", "tow", "--results", "out"]).text();
    assert_eq!(merged, format!("error: tow: no such folder; {expected}"));
    let merged = interstage(path, &["merge", "cases", "--results", "out"]).text();
    assert_eq!(merged, format!("error: cases: no run.json in this folder; {expected}"));
}

/// Digests of whole images and of probed pixels differ although nothing changed.
#[test]
fn readbacks_of_runs_with_other_evidence_are_not_compared() {
    let case =
        GOOD.replace("slots 1\n", "slots 1\n[test]\ndraw rect -1 -1 2 2\nprobe rgb 0 0 0 0 0\n");
    let case = case
        .replace("vec4 position;", "vec4 piglit_vertex;")
        .replace("= position", "= piglit_vertex");
    let case = case.replace("probe rgb 0 0 0 0 0", "probe rgba (0, 0) (0, 0, 0, 1)");
    let case = case.replace("position.xy", "piglit_vertex.xy").replace("uv, 0.0", "uv * 0.0, 0.0");
    let folder = folder(&[("cases/a.shader_test", &case)]);
    for arguments in [&["--results", "one"][..], &["--results", "two", "--keep-all"]] {
        let ran = run(program(folder.path()).arg("run").args(arguments));
        assert_eq!(ran.code, Some(0), "{}", ran.text());
    }
    let compared = interstage(folder.path(), &["compare", "one", "two"]);
    assert_eq!(compared.code, Some(0), "{}", compared.text());
    let told =
        "note: only statuses, failures and link maps are compared: one run read back all pixels";
    assert!(compared.stdout.contains(told), "{}", compared.text());
}

/// Compiling a case in advance gives the same slots, verdicts and readbacks.
#[test]
fn what_is_compiled_ahead_is_the_same() {
    let folder = folder(&[]);
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases/pack");
    for (results, option) in [("a", "--quiet"), ("b", "--compile-ahead")] {
        let mut command = program(folder.path());
        command.arg("run").arg(&cases).args(["--jobs", "1", option, "--results", results]);
        let run = run(&mut command);
        assert_eq!(run.code, Some(0), "{}", run.text());
    }
    let compared = interstage(folder.path(), &["compare", "a", "b"]);
    assert!(compared.stdout.contains("no difference in "), "{}", compared.text());
}

#[test]
fn compare_of_one_adapter_with_itself_is_wrong_use() {
    let folder = folder(&[("cases/a.shader_test", GOOD)]);
    interstage(folder.path(), &["run", "--results", "one"]);
    let refused = interstage(folder.path(), &["compare", "one"]);
    assert_eq!(
        refused.text(),
        "error: one has results of one adapter only; name a second run to compare it with\nexit code 3\n"
    );
}

#[test]
fn watch_runs_again_what_was_saved_and_nothing_else() {
    let folder = folder(&[("cases/a.shader_test", GOOD), ("cases/b.shader_test", GOOD)]);
    let mut child = program(folder.path())
        .envs(NO_ADAPTER)
        .args(["watch", "--rounds", "1"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program was built");
    let mut lines =
        BufReader::new(child.stdout.take().expect("piped")).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.starts_with("watching")), "it never began to watch");
    std::fs::write(folder.path().join("cases/notes.txt"), "nothing").unwrap();
    std::fs::write(folder.path().join("cases/b.shader_test"), wrong()).unwrap();
    let rest: Vec<_> = lines.collect();
    assert!(
        rest.iter().any(|line| line.starts_with("saved: ") && line.contains("b.shader_test")),
        "{rest:?}"
    );
    assert_eq!(rest.last().map(String::as_str), Some("0 passed, 1 failed, 0 skipped"));
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn watch_of_a_path_that_does_not_exist_ends() {
    let folder = folder(&[("cases/a.shader_test", GOOD)]);
    let refused = interstage(folder.path(), &["watch", "caes"]);
    assert_eq!(
        refused.text(),
        "error: caes: no such file, folder or case; did you mean `cases`?\nexit code 3\n"
    );
}

#[test]
fn an_unknown_profile_is_answered_with_those_that_there_are() {
    let folder = folder(&[("cases/a.shader_test", GOOD)]);
    let refused = interstage(folder.path(), &["run", "--profile", "webgp"]);
    assert_eq!(refused.code, Some(3));
    let told = "the linkage profiles are webgpu, sm3, nv30, nv40, nv50, r300, r600, nvc0, i915, software and all; did you mean `webgpu`?";
    assert!(refused.stderr.contains(told), "{}", refused.stderr);
}

#[test]
fn stages_are_shown_in_every_language() {
    let folder = folder(&[("cases/a.shader_test", GOOD)]);
    let shown = |language: &str| {
        let arguments = ["inspect", "cases/a.shader_test", "--format", language];
        interstage(folder.path(), &arguments).stdout
    };
    for (language, word) in [
        ("wgsl", "@vertex"),
        ("spirv", "OpEntryPoint Vertex"),
        ("glsl", "#version"),
        ("hlsl", "SV_Position"),
        ("msl", "metal_stdlib"),
        ("dot", "digraph Module"),
    ] {
        assert!(shown(language).contains(word), "{language}: {}", shown(language));
    }
}

#[test]
fn a_stage_alone_can_be_piped() {
    let with_warning = GOOD.replace("slots 1", "slots 1\nslots 1");
    let folder = folder(&[("cases/a.shader_test", GOOD), ("cases/b.shader_test", &with_warning)]);
    let shown = |arguments: &[&str]| {
        interstage(folder.path(), &[&["inspect", "cases/a.shader_test"], arguments].concat())
    };
    let dot = shown(&["--format", "dot", "--stage", "fragment"]);
    assert!(dot.stdout.starts_with("digraph Module {"), "{}", dot.text());
    assert_eq!(dot.stdout.matches("digraph").count(), 1);
    // All stages: a graph each, and comments between them.
    let both = shown(&["--format", "dot"]).stdout;
    let outside = both.lines().filter(|line| line.starts_with(|char: char| !char.is_whitespace()));
    let mut outside = outside.filter(|line| !line.starts_with("//") && *line != "}");
    assert!(outside.all(|line| line == "digraph Module {"), "{both}");
    assert_eq!(both.matches("digraph").count(), 2);
    let wgsl = shown(&["--stage", "vertex"]).stdout;
    assert!(wgsl.contains("@vertex") && !wgsl.contains("slot  class"), "{wgsl}");
    let none = shown(&["--stage", "compute"]);
    let told = "error: the case has no compute stage; it has vertex, fragment\nexit code 3\n";
    assert_eq!(none.text(), told);
}

#[test]
fn spirv_of_one_stage_is_binary_in_a_pipe() {
    let folder = folder(&[("cases/a.shader_test", GOOD)]);
    let arguments = ["inspect", "cases/a.shader_test", "--format", "spirv", "--stage", "vertex"];
    let piped = program(folder.path()).envs(NO_ADAPTER).args(arguments).output().expect("built");
    assert_eq!(piped.stdout.get(..4), Some(&0x0723_0203_u32.to_le_bytes()[..]));
    interstage(folder.path(), &[&arguments[..4], &["--out", "out"]].concat());
    let written = std::fs::read(folder.path().join("out/vertex.spv")).expect("it was written");
    assert_eq!(piped.stdout, written);
}

#[test]
fn a_case_without_a_program_prints_nothing_into_the_pipe() {
    let unsupported = "[test]\nnewlist GL_COMPILE\n";
    let wrong = GOOD.replace("vec4(uv", "vec4(vu");
    let folder = folder(&[("a.shader_test", unsupported), ("cases/b.shader_test", &wrong)]);
    for stage in [None, Some(["--stage", "vertex"])] {
        let shown = |case: &str| {
            let stage = stage.unwrap_or(["--color", "never"]);
            interstage(folder.path(), &["inspect", case, stage[0], stage[1]])
        };
        for (case, told) in [
            ("a.shader_test", "a.shader_test:2:1: unsupported by interstage: "),
            ("cases/b.shader_test", "`vu` is not declared"),
        ] {
            let shown = shown(case);
            assert!(shown.text().contains(told), "{}", shown.text());
            assert_eq!(shown.stdout.is_empty(), stage.is_some(), "{}", shown.text());
        }
    }
}

#[test]
fn shells_and_man_hear_of_every_command() {
    let folder = folder(&[]);
    for shell in ["bash", "zsh", "fish"] {
        let script = interstage(folder.path(), &["completions", shell]).stdout;
        assert!(script.contains("reduce") && script.contains("known-failures"), "{shell}");
    }
    let page = interstage(folder.path(), &["man"]).stdout;
    assert!(page.contains(".TH interstage") && page.contains("bless"), "{page}");
    interstage(folder.path(), &["man", "--out", "pages"]);
    assert!(folder.path().join("pages/interstage-run.1").is_file());
}

#[test]
fn colours_are_for_terminals_and_for_who_asks() {
    let folder = folder(&[("cases/a.shader_test", &wrong())]);
    let printed =
        |arguments: &[&str]| interstage(folder.path(), &[&["run"], arguments].concat()).stdout;
    assert!(!printed(&[]).contains('\u{1b}'));
    assert!(printed(&["--color", "always"]).contains("\u{1b}[1m\u{1b}[31mFAIL"));
    let command = &mut program(folder.path());
    let forced =
        run(command.envs(NO_ADAPTER).args(["run", "--color", "never"]).env("CLICOLOR_FORCE", "1"));
    assert!(!forced.stdout.contains('\u{1b}'));
}

#[test]
fn a_results_folder_that_cannot_be_written_is_told_before_anything_runs() {
    let folder = folder(&[("cases/a.shader_test", GOOD), ("out", "a file")]);
    let refused = interstage(folder.path(), &["run", "--results", "out"]);
    assert_eq!(refused.code, Some(3));
    assert!(refused.stderr.contains("out"), "{}", refused.stderr);
    assert!(!refused.stdout.contains("passed"), "{}", refused.stdout);
}

/// Two distances and one varying, in the number of slots that the case expects.
fn clipping(require: &str, slots: u32) -> String {
    format!(
        "[require]\nGLSL >= 1.30\n{require}\n\
         [vertex shader]\n#version 130\nout vec4 v;\n\
         void main() {{ gl_Position = v = vec4(1.0); gl_ClipDistance[1] = 2.0; }}\n\
         [fragment shader]\n#version 130\nin vec4 v;\nout vec4 c;\nvoid main() {{ c = v; }}\n\
         [link]\nslots {slots}\n[test]\nenable GL_CLIP_PLANE1\nlink success\n"
    )
}

#[test]
fn emulated_clip_distances_take_slots_of_every_case_that_does_not_count_them() {
    let counting = clipping("feature CLIP_DISTANCES", 1);
    let (plain, more) = (clipping("", 1), clipping("", 2));
    let files = [
        ("cases/counting.shader_test", &*counting),
        ("cases/more.shader_test", &more),
        ("cases/plain.shader_test", &plain),
    ];
    let folder = folder(&files);
    let native = interstage(folder.path(), &["run", "--results", "native"]);
    assert_eq!(native.code, Some(1), "{}", native.text());
    let emulated =
        interstage(folder.path(), &["run", "--emulate", "clip", "--results", "emulated"]);
    assert_eq!(emulated.code, Some(1), "{}", emulated.text());
    let statuses = |run: &str| {
        let table = read(folder.path(), &format!("{run}/results.csv"));
        table.lines().filter_map(|line| line.split(',').nth(1)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(statuses("native"), "Pass Fail Pass");
    assert_eq!(statuses("emulated"), "Skip Pass Fail");
}
