//! Runs on a machine without drivers or without any adapter, and with a wrong adapter name.

mod planted;
mod through;
mod vary;

use expect_test::expect;

use crate::{GOOD, folder, interstage, program, run};

#[test]
fn unknown_adapter() {
    let folder = folder(&[("cases/good.shader_test", GOOD)]);
    let run = interstage(folder.path(), &["run", "--adapter", "voodoo"]);
    expect![[r"
        error: no adapter matches `voodoo`; available: cpu:0 (interstage's executor)
        exit code 3
    "]]
    .assert_eq(&run.text());
}

#[test]
fn without_an_adapter_only_linking_is_tested_and_the_run_is_no_success() {
    let folder =
        folder(&[("cases/draws.shader_test", &drawing()), ("cases/links.shader_test", GOOD)]);
    expect![[r#"
        without an adapter
        skipped: 1 × no adapter; `--adapter cpu` runs them on interstage's executor
          cases/draws.shader_test
        2 cases in some time
        among the skipped: 1 without an adapter
        1 passed, 0 failed, 1 skipped
        exit code 3
    "#]]
    .assert_eq(&interstage(folder.path(), &["run", "--adapter", "none"]).text());
}

/// A run that uses the executor by default first prints that no driver was tested.
#[test]
fn without_a_driver_the_executor_runs_the_cases_and_the_run_says_so() {
    let folder = folder(&[("cases/draws.shader_test", &drawing())]);
    let note = "note: no driver is tested: none is installed, so interstage's executor runs the cases; on Debian, install \
                one with `apt-get install mesa-vulkan-drivers`\n";
    let title = concat!("cpu:0 · interstage's executor · ", env!("CARGO_PKG_VERSION"), "\n");
    for (arguments, note) in [
        (&["run"][..], note),
        (&["run", "--adapter", "all"], note),
        (&["run", "--adapter", "cpu"], ""),
        (&["run", "--adapter", "executor"], ""),
    ] {
        let told = interstage(folder.path(), arguments);
        assert!(told.stderr.starts_with(note), "{}", told.text());
        assert_eq!(told.stderr.contains("no driver"), !note.is_empty(), "{}", told.text());
        assert!(told.stdout.contains(title), "{}", told.text());
        assert!(told.stdout.ends_with("1 passed, 0 failed, 0 skipped\n"), "{}", told.text());
    }
}

/// A CI job that tests no driver fails, unless it asks for the executor.
#[test]
fn in_ci_a_run_that_tests_no_driver_is_no_success() {
    let folder =
        folder(&[("cases/draws.shader_test", &drawing()), ("links/cases/a.shader_test", GOOD)]);
    let in_ci = |arguments: &[&str]| {
        run(program(folder.path()).envs(crate::NO_ADAPTER).env("CI", "true").args(arguments))
    };
    let told = "error: no driver was tested, and the variable CI is set; install a driver, or ask for the executor with \
                `--adapter cpu`\n";
    for arguments in [&["run"][..], &["run", "--adapter", "all"]] {
        let ran = in_ci(arguments);
        assert_eq!(ran.code, Some(3), "{}", ran.text());
        assert!(ran.stderr.ends_with(told), "{}", ran.text());
        assert!(ran.stdout.ends_with("1 passed, 0 failed, 0 skipped\n"), "{}", ran.text());
    }
    // Options that ask for the executor, and a case that needs no adapter.
    for arguments in
        [&["run", "--adapter", "cpu"][..], &["run", "links"], &["run", "links", "--adapter", "all"]]
    {
        let ran = in_ci(arguments);
        assert_eq!(ran.code, Some(0), "{}", ran.text());
        assert!(!ran.stderr.contains("error"), "{}", ran.text());
    }
}

#[test]
fn the_executor_has_no_driver_to_validate() {
    let folder = folder(&[("cases/draws.shader_test", &drawing())]);
    expect![[r"
        error: validation is not available on cpu:0: the executor has no driver to validate
        exit code 3
    "]]
    .assert_eq(&interstage(folder.path(), &["run", "--adapter", "cpu", "--validate"]).text());
}

/// A case that draws with a stage that reads a vertex attribute, which no command sets.
fn drawing() -> String {
    GOOD.replace(
        "[link]\nslots 1\n",
        "[test]\ndraw rect -1 -1 2 2\nprobe rgb (249, 249) 0.996 0.996 0\n",
    )
}

#[test]
fn a_machine_without_adapters_is_good_enough_for_cases_that_only_link() {
    let folder = folder(&[("cases/links.shader_test", GOOD)]);
    expect![[r#"
        without an adapter
        1 case in some time
        1 passed, 0 failed, 0 skipped
        exit code 0
    "#]]
    .assert_eq(&interstage(folder.path(), &["run"]).text());
}

#[test]
fn doctor_says_that_there_is_no_driver() {
    let folder = folder(&[("cases/links.shader_test", GOOD)]);
    let told = interstage(folder.path(), &["doctor"]);
    let note = "note: there is no driver to test; on Debian, install one with `apt-get install mesa-vulkan-drivers`\n";
    assert_eq!((told.code, told.stderr.as_str()), (Some(0), note), "{}", told.text());
    assert!(told.stdout.starts_with("cpu:0 · interstage's executor · "), "{}", told.stdout);
    let features = interstage(folder.path(), &["doctor", "--adapter", "cpu", "--features"]);
    assert_eq!((features.code, features.stderr.as_str()), (Some(0), ""), "{}", features.text());
    assert!(features.stdout.contains("CLIP_DISTANCES"), "{}", features.stdout);
    let none = interstage(folder.path(), &["doctor", "--adapter", "none"]);
    assert_eq!(none.stderr, "error: no adapter was requested\n", "{}", none.text());
    assert_eq!(none.code, Some(3));
}

#[test]
fn doctor_tells_of_adapters_where_there_are_no_cases() {
    let folder = folder(&[]);
    let told = run(program(folder.path()).arg("doctor"));
    assert_eq!((told.code, told.stderr.as_str()), (Some(0), ""), "{}", told.text());
    let long = ["max_bind_groups", "would run", "INDEPENDENT_BLEND", "GL_ARB_"];
    assert!(!long.iter().any(|long| told.stdout.contains(long)), "{}", told.stdout);
    let short = ["GLSL 4.60", " features and ", "more: --features"];
    assert!(short.iter().all(|short| told.stdout.contains(short)), "{}", told.stdout);
    let wrong = run(program(folder.path()).args(["doctor", "caes"]));
    assert_eq!(wrong.stderr, "error: caes: no such file, folder or case\n");
    assert_eq!(wrong.code, Some(3));
}

#[test]
fn doctor_tells_on_request_which_cases_would_not_run() {
    let needy =
        GOOD.replace("[link]\nslots 1\n", "[test]\ndraw rect -1 -1 2 2\nprobe all rgba 0 0 0 1\n");
    let needy = format!("[require]\nGL_ARB_bindless_texture\n\n{needy}");
    let folder = folder(&[("cases/a.shader_test", GOOD), ("cases/b.shader_test", &needy)]);
    let short = run(program(folder.path()).arg("doctor"));
    assert!(!short.stdout.contains("would run"), "{}", short.stdout);
    for arguments in [&["doctor", "--skips"][..], &["doctor", "cases"]] {
        let told = run(program(folder.path()).args(arguments));
        // A case that would not run is not a failure of the machine.
        assert_eq!(told.code, Some(0), "{}", told.text());
        assert!(told.stdout.contains("  would run 1 of 2 cases\n"), "{}", told.stdout);
        assert!(told.stdout.contains("      cases/b.shader_test\n"), "{}", told.stdout);
    }
}

#[test]
fn doctor_prints_what_requirements_about_gl_are_answered_with() {
    let folder = folder(&[]);
    let told = run(program(folder.path()).args(["doctor", "--gl"]));
    assert_eq!((told.code, told.stderr.as_str()), (Some(0), ""), "{}", told.text());
    let versions =
        "cases may require GL 4.6 core, GL 4.6 compatibility, GL ES 3.2, GLSL 4.60, GLSL ES 3.20";
    assert!(told.stdout.contains(versions), "{}", told.stdout);
    let words: Vec<&str> = told.stdout.split_whitespace().collect();
    assert!(words.contains(&"GL_ARB_separate_shader_objects"), "{}", told.stdout);
    assert!(!words.contains(&"GL_ARB_bindless_texture"), "{}", told.stdout);
    assert!(words.windows(2).any(|pair| pair == ["GL_MAX_DRAW_BUFFERS", "8"]), "{}", told.stdout);
}

#[test]
fn a_device_that_pretends_is_checked_and_named() {
    let folder = folder(&[("cases/links.shader_test", GOOD)]);
    let wrong = |arguments: &[&str], expected: &str| {
        let told = interstage(folder.path(), &[&["run"], arguments].concat());
        assert_eq!(told.code, Some(3), "{}", told.text());
        assert!(told.stderr.contains(expected), "{}", told.text());
    };
    wrong(&["--pretend", "gl34"], "no device is called `gl34`; there are webgpu, webgl2,");
    wrong(&["--without", "CLIP_DISTANCE"], "did you mean `CLIP_DISTANCES`?");
    wrong(&["--limit", "max_bind_groups"], "expected NAME=VALUE, found `max_bind_groups`");
    let doctor = |arguments: &[&str]| {
        let told = run(program(folder.path())
            .args(["doctor", "--features", "--adapter", "vulkan"])
            .args(arguments));
        assert_eq!(told.stderr, "", "{}", told.text());
        told.stdout
    };
    let has = |text: &str, word: &str| text.split_whitespace().any(|it| it == word);
    assert!(has(&doctor(&[]), "INDEPENDENT_BLEND"));
    let weak = doctor(&["--pretend", "vulkan-minimum", "--limit", "max_bind_groups=2"]);
    assert!(weak.contains("pretending vulkan-minimum max_bind_groups=2"), "{weak}");
    assert!(!has(&weak, "INDEPENDENT_BLEND") && !has(&weak, "CLIP_DISTANCES"), "{weak}");
    let limit = weak.lines().find(|line| line.trim().starts_with("max_bind_groups "));
    assert_eq!(limit.and_then(|line| line.split_whitespace().last()), Some("2"));
}

/// With one variable both floats share a slot, and the line about two slots exceeds this device. With as many variables
/// as WebGPU guarantees, a wrong line fails.
#[test]
fn lines_about_more_slots_than_there_are_make_a_skip() {
    let case = "[require]\nGLSL >= 3.30\n[vertex shader]\n#version 330\nin vec4 piglit_vertex;\n\
        out float a;\ncentroid out float b;\n\
        void main() { gl_Position = piglit_vertex; a = 0.5; b = piglit_vertex.w; }\n\
        [fragment shader]\n#version 330\nin float a;\ncentroid in float b;\nout vec4 color;\n\
        void main() { color = vec4(a, b, 0.0, 1.0); }\n\
        [link]\nslots SLOTS\n[test]\ndraw rect -1 -1 2 2\nprobe all rgba 0.5 1 0 1\n";
    let told = |slots: &str, variables: &str| {
        let folder = folder(&[("cases/a.shader_test", &case.replace("SLOTS", slots))]);
        let limit = format!("max_inter_stage_shader_variables={variables}");
        let arguments = ["run", "--adapter", "vulkan", "--limit", &limit];
        run(program(folder.path()).args(arguments)).stdout
    };
    assert!(told("2", "16").contains("1 passed, 0 failed, 0 skipped"));
    assert!(told("3", "16").contains("0 passed, 1 failed, 0 skipped"));
    let few = told("2", "1");
    assert!(few.contains("`[link]` tells what more than the adapter's 1 slots hold"), "{few}");
    assert!(told("3", "1").contains("0 passed, 1 failed, 0 skipped"));
}

/// A folder without layers hides all installed layers from the loader.
#[test]
fn validation_without_a_layer_is_refused_before_any_case() {
    let folder = folder(&[("cases/draws.shader_test", &failing())]);
    let mut command = program(folder.path());
    command.env("VK_LAYER_PATH", "/nonexistent").env_remove("VK_ADD_LAYER_PATH");
    let told = run(command.args(["run", "--adapter", "vulkan", "--validate"]));
    assert_eq!((told.code, told.stdout.as_str()), (Some(3), ""), "{}", told.text());
    assert!(
        told.stderr.starts_with("error: validation is not available on vulkan:0: "),
        "{}",
        told.stderr
    );
    assert!(told.stderr.contains("`apt-get install vulkan-validationlayers`"), "{}", told.stderr);
}

#[test]
fn a_repeat_line_has_all_that_decides_what_becomes_of_a_case() {
    let folder = folder(&[("cases/draws.shader_test", &failing())]);
    let options = [
        "--pretend=webgpu",
        "--without=CLIP_DISTANCES",
        "--limit=max_bind_groups=2",
        "--validate",
        "--profile=webgpu",
        "--quick-llvmpipe",
        "--results=r",
    ];
    let told = run(program(folder.path()).args(["run", "--adapter", "gl"]).args(options));
    let repeat = "--adapter gl:0 --pretend webgpu --without CLIP_DISTANCES --limit max_bind_groups=2 --validate \
                  --profile webgpu --quick-llvmpipe --keep out/\n";
    assert!(told.stdout.contains(repeat), "{}", told.text());
    let title = "· pretending webgpu -CLIP_DISTANCES max_bind_groups=2 · validated\n";
    assert!(told.stdout.contains(title), "{}", told.text());
    let results = std::fs::read_to_string(folder.path().join("r/results.json"));
    assert!(results.expect("it was written").contains(repeat.trim_end()));
}

/// A case that draws, with a wrong probe.
fn failing() -> String {
    GOOD.replace("[link]\nslots 1\n", "[test]\ndraw rect -1 -1 2 2\nprobe all rgba 1 0 0 1\n")
        .replace("in vec4 position", "in vec4 piglit_vertex")
        .replace("position;", "piglit_vertex;")
        .replace("position.xy", "piglit_vertex.xy")
}

/// Failed cases are repeated on the adapter on which they failed, whatever the project's adapter is, unless another one
/// is named.
#[test]
fn failed_cases_run_again_on_the_adapter_of_their_results() {
    let wrong = drawing().replace("0.996 0.996 0", "0.5 0.5 0");
    let folder =
        folder(&[("interstage.toml", "adapter = \"none\"\n"), ("cases/a.shader_test", &wrong)]);
    let first = interstage(folder.path(), &["run", "--adapter", "cpu", "--results", "R"]);
    assert_eq!(first.code, Some(1), "{}", first.text());
    let again = |arguments: &[&str]| {
        interstage(folder.path(), &[&["run", "--failed", "R"], arguments].concat())
    };
    assert_eq!(again(&[]).code, Some(1), "{}", again(&[]).text());
    assert_eq!(again(&["--adapter", "none"]).code, Some(3));
    let results = folder.path().join("R/results.json");
    let text = std::fs::read_to_string(&results).expect("the run wrote it");
    std::fs::write(&results, text.replace("interstage's executor", "Voodoo 3")).unwrap();
    let told = again(&[]);
    assert!(told.stderr.starts_with("note: the results are of cpu · Voodoo 3"), "{}", told.text());
    std::fs::write(&results, text.replace("cpu:0", "vulkan:7")).unwrap();
    let told = again(&[]);
    let note =
        "note: the cases do not run on the adapter of their results: no adapter matches `vulkan:7`";
    assert!(told.stderr.starts_with(note), "{}", told.text());
    assert_eq!(told.code, Some(3), "{}", told.text());
}
