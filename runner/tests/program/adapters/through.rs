//! Compilers between the linker and the driver: `--through`.

mod commands;

use std::process::Command;

use crate::{Run, folder, program, run};

/// A case whose fragment stage writes 0.25 in red, and one without that number.
const CASES: [(&str, &str); 2] =
    [("cases/quarter.shader_test", "0.25"), ("cases/three_quarters.shader_test", "0.75")];

fn case(red: &str) -> String {
    format!(
        "[vertex shader passthrough]\n\n[fragment shader]\n#version 450\nout vec4 color;\n\
         void main() {{ color = vec4({red}, 0.0, 0.0, 1.0); }}\n\n\
         [render targets]\n0 rgba32float\n\n\
         [test]\ndraw rect -1 -1 2 2\nprobe all rgba {red} 0 0 1\n"
    )
}

/// Runs both cases through compilers that a shell runs. The files are `$1` and `$2`.
fn through(scripts: &[&str], options: &[&str]) -> Run {
    let texts = CASES.map(|(name, red)| (name, case(red)));
    let folder = folder(&texts.each_ref().map(|(name, text)| (*name, text.as_str())));
    let mut command = program(folder.path());
    command.args(["run", "--adapter", "vulkan:0"]).args(options);
    for script in scripts {
        command.args(["--through", &format!("sh -c '{script}' sh {{in}} {{out}}")]);
    }
    run(&mut command)
}

/// Replaces the number 0.25 in SPIR-V by 0.5.
const WRONG: &str = r#"LC_ALL=C sed "s/\x00\x00\x80\x3e/\x00\x00\x00\x3f/g" "$1" > "$2""#;

#[track_caller]
fn check(told: &Run, expected: &[&str]) {
    for line in expected {
        assert!(told.stdout.contains(line), "{line}:\n{}", told.text());
    }
}

#[test]
fn a_stage_that_comes_back_unchanged_passes_and_the_adapter_names_the_compilers() {
    let told = through(&["cp $1 $2", "cp $1 $2"], &[]);
    check(&told, &[" · through sh+sh\n", "2 passed, 0 failed, 0 skipped\n"]);
}

#[test]
fn a_compiler_that_changes_a_value_is_blamed() {
    for options in [&[][..], &["--oracle"]] {
        let told = through(&[WRONG], options);
        check(
            &told,
            &[
                "FAIL cases/quarter.shader_test",
                "    expected  0.25 (0x3e800000)",
                "    actual    0.5 (0x3f000000)",
                "    blame     sh: without it, the adapter gives what is expected\n",
                "1 passed, 1 failed, 0 skipped\n",
            ],
        );
        assert!(!told.stdout.contains("naga or the driver"), "{}", told.text());
    }
}

/// A compiler is not blamed if the case fails without it as well.
#[test]
fn a_compiler_is_not_blamed_for_the_faults_of_others() {
    let text = case("0.25").replace("probe all rgba 0.25", "probe all rgba 0.125");
    let folder = folder(&[("cases/a.shader_test", &text)]);
    let run_through = |script: &str| {
        let command = format!("sh -c '{script}' sh {{in}} {{out}}");
        run(program(folder.path()).args(["run", "--adapter", "vulkan:0", "--through", &command]))
    };
    check(
        &run_through("cp $1 $2"),
        &["    blame     not sh: without it, the adapter gives the same\n"],
    );
    check(
        &run_through(WRONG),
        &[
            "    blame     not sh alone: without it, the adapter gives something else that is wrong\n",
        ],
    );
}

/// Without the compiler, the oracle has nothing to say.
#[test]
fn a_difference_that_only_the_oracle_sees_is_blamed_too() {
    let text = case("0.25").replace("probe all rgba 0.25 0 0 1", "compare oracle");
    let folder = folder(&[("cases/a.shader_test", &text)]);
    let command = format!("sh -c '{WRONG}' sh {{in}} {{out}}");
    let arguments = ["run", "--adapter", "vulkan:0", "--through", &command];
    check(
        &run(program(folder.path()).args(arguments)),
        &[
            "    blame     sh: without it, the adapter gives what is expected\n",
            "0 passed, 1 failed",
        ],
    );
}

#[test]
fn a_compiler_that_fails_costs_only_its_stages() {
    let is_quarter = r#"if LC_ALL=C grep -aqP "\x00\x00\x80\x3e" "$1"; then"#;
    let only = |what: &str| format!("{is_quarter} {what}; else cp $1 $2; fi");
    for (what, expected) in [
        ("echo no such thing; exit 3", "sh refuses the stage (status 3)\n    no such thing\n"),
        ("kill -SEGV $$", "sh crashes (signal 11)\n"),
        (": > $2", "sh writes no result: the file is empty\n"),
        ("head -c 100 $1 > $2", "sh writes invalid SPIR-V\n"),
    ] {
        let told = through(&[&only(what)], &[]);
        let first = format!("    fragment stage through sh: {expected}");
        check(
            &told,
            &[
                "FAIL cases/quarter.shader_test",
                "cases/quarter.shader_test: compiler\n",
                &first,
                "1 passed, 1 failed, 0 skipped\n",
            ],
        );
    }
}

/// naga writes no offsets of members in WGSL, so such a block becomes words.
#[test]
fn a_block_that_wgsl_cannot_lay_out_is_an_array_of_words() {
    let text = "[compute shader]\n#version 450\nlayout(local_size_x = 1) in;\n\
                layout(std430, binding = 0) buffer B { float a; layout(offset = 64) float value; } b;\n\
                void main() { b.value = 0.25; }\n\n\
                [test]\nssbo 0 80\ncompute 1 1 1\nprobe buffer 0 float 64 == 0.25\n";
    let folder = folder(&[("cases/a.shader_test", text)]);
    let told = |script: &str, language: &str| {
        let command = format!("sh -c '{script}' sh {{in}} {{out}}");
        let arguments = ["run", "--adapter", "vulkan:0", "--through", &command];
        run(program(folder.path()).args(arguments).args(["--through-language", language]))
    };
    check(&told("cp $1 $2", "spirv"), &["1 passed, 0 failed, 0 skipped\n"]);
    check(&told("cat $1 >&2; exit 1", "wgsl"), &["words: array<u32>,\n", "(64u, 0.25f);\n"]);
}

#[test]
fn a_stage_that_wgsl_cannot_express_is_a_skip() {
    let early = case("0.25").replace("out vec4", "layout(early_fragment_tests) in;\nout vec4");
    let folder = folder(&[("cases/a.shader_test", &early)]);
    let arguments = ["run", "--adapter", "vulkan:0", "--through", "cp {in} {out}"];
    let told = |language: &str| {
        run(program(folder.path()).args(arguments).args(["--through-language", language]))
    };
    check(&told("spirv"), &["1 passed, 0 failed, 0 skipped\n"]);
    check(
        &told("wgsl"),
        &["WGSL has no early fragment tests\n", "0 passed, 0 failed, 1 skipped\n"],
    );
}

#[test]
fn adapters_that_take_no_shaders_of_others_say_so() {
    let folder = folder(&[("cases/a.shader_test", &case("0.25"))]);
    for (adapter, reason) in [
        (
            "gl:0",
            "other compilers need a Vulkan adapter, because they write SPIR-V; this is one of gl\n",
        ),
        ("cpu", "interstage's executor takes no shaders of other compilers\n"),
    ] {
        let arguments = ["run", "--adapter", adapter, "--through", "cp {in} {out}"];
        check(&run(program(folder.path()).args(arguments)), &[reason, "0 passed, 1 failed"]);
    }
}

#[test]
fn mistakes_in_the_option_end_the_run_before_it_begins() {
    let folder = folder(&[("cases/a.shader_test", &case("0.25"))]);
    for (words, expected) in [
        (
            &["tinto"][..],
            "error: --through: `tinto` is neither a command with `{in}` and `{out}` nor one of naga, ",
        ),
        (&["cp {in} x"], "error: --through: the command has no `{out}`\n"),
        (&["no-such-program {in} {out}"], "error: --through: `no-such-program` is not in PATH\n"),
        (
            &["spirv-opt=/bin/cp", "--through", "dxc=/bin/cp"],
            "error: --through: spirv-opt writes spirv, and dxc reads hlsl\n",
        ),
        (&["cp '{in} {out}"], "error: --through: `'` has no closing partner\n"),
        (
            &["spirv-opt", "--through-language", "wgsl"],
            "error: --through-language is for commands with `{in}` and `{out}`, and there is none\n",
        ),
        (
            &["cp {in} {out}", "--through-language", "msl"],
            "the languages are spirv, wgsl, hlsl, glsl",
        ),
    ] {
        let arguments = [&["run", "--adapter", "vulkan:0", "--through"], words].concat();
        let told = run(program(folder.path()).args(arguments));
        assert!(told.stderr.contains(expected), "{}", told.text());
        assert!(told.stdout.is_empty(), "{}", told.text());
    }
}

/// Programs run in a folder of their own, so a relative path is made absolute.
#[cfg(unix)]
#[test]
fn a_relative_path_is_that_of_the_user() {
    let folder = folder_with_settings("");
    let arguments = ["run", "--adapter", "vulkan:0", "--through", "bin/copy {in} {out}"];
    let told = run(program(folder.path()).args(arguments));
    check(&told, &[" · through copy\n", "1 passed, 0 failed"]);
}

/// A folder with a case and `bin/copy`, a compiler that `interstage.toml` names.
#[cfg(unix)]
fn folder_with_settings(settings: &str) -> tempfile::TempDir {
    let script = "#!/bin/sh\ncp $1 $2\n";
    let files = [
        ("cases/a.shader_test", &*case("0.25")),
        ("bin/copy", script),
        ("interstage.toml", settings),
    ];
    let folder = folder(&files);
    make_executable(&folder.path().join("bin/copy"));
    folder
}

#[cfg(unix)]
fn make_executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let permissions = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(path, permissions).expect("permissions");
}

/// Paths of the settings are relative to their folder, and the command line overrides the settings.
#[cfg(unix)]
#[test]
fn the_settings_of_a_project_name_compilers() {
    let folder = folder_with_settings("through = [\"bin/copy {in} {out}\"]\n");
    let of = |options: &[&str]| {
        let mut command = program(&folder.path().join("cases"));
        run(command.args(["run", "a.shader_test", "--adapter", "vulkan:0"]).args(options))
    };
    check(&of(&[]), &[" · through copy\n", "1 passed, 0 failed"]);
    check(&of(&["--through", "cp {in} {out}"]), &[" · through cp\n", "1 passed, 0 failed"]);
    let told = of(&["--through", "none"]);
    check(&told, &["1 passed, 0 failed"]);
    assert!(!told.stdout.contains("through"), "{}", told.text());
    let folder = folder_with_settings("through-language = \"wgsl\"\n");
    let told = run(program(folder.path()).args(["run", "--adapter", "vulkan:0"]));
    let expected = "interstage.toml: through-language needs through\n";
    assert!(told.stderr.contains(expected), "{}", told.text());
}

/// A compiler that runs when its worker is stopped ends with it.
#[cfg(target_os = "linux")]
#[test]
fn a_stopped_worker_leaves_no_compiler_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("id");
    let told = through(
        &[&format!("echo $$ > {}; exec sleep 1000", file.display())],
        &["--timeout", "2", "--retries", "0"],
    );
    check(&told, &["TIMEOUT cases/quarter.shader_test"]);
    let id = std::fs::read_to_string(file).expect("the compiler has started");
    let is_there = || std::path::Path::new("/proc").join(id.trim()).exists();
    for _ in 0..100 {
        if !is_there() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("the compiler {id} is still there");
}

/// The words of a compiler are followed by the lines of its input that they name.
#[test]
fn the_lines_that_a_compiler_names_are_quoted() {
    let words = "echo in.wgsl:$(grep -n @vertex $1 | cut -d: -f1): no such stage; exit 1";
    let told = through(&[words], &["--through-language", "wgsl"]);
    let (_, after) = told.stdout.split_once(": no such stage\n    in.wgsl:").expect("its words");
    let (number, line) = after.split_once(": `").expect("a line");
    assert!(number.parse::<u32>().is_ok_and(|number| number > 1), "{after}");
    assert!(line.starts_with("@vertex`\n"), "{after}");
}

/// Results of an older build of a compiler are not those of this one.
#[cfg(unix)]
#[test]
fn a_resumed_run_repeats_the_cases_if_a_compiler_was_built_anew() {
    let folder = folder_with_settings("");
    let of = |words: &[&str]| run(program(folder.path()).args(words));
    let first = ["run", "--adapter", "vulkan:0", "--through", "bin/copy {in} {out}"];
    check(&of(&[&first[..], &["--results", "out"]].concat()), &["1 passed, 0 failed"]);
    std::fs::write(folder.path().join("bin/copy"), "#!/bin/sh\nexit 3\n").expect("a file");
    check(
        &of(&["run", "--resume", "out"]),
        &["copy refuses the stage (status 3)", "0 passed, 1 failed"],
    );
}

/// A checkout of wgpu is built, and its commit is part of the version.
#[cfg(unix)]
#[test]
fn naga_is_built_in_a_checkout() {
    let main = "fn main() {
        if std::env::args().nth(1).as_deref() == Some(\"--version\") { println!(\"30.0.99\"); return; }
        eprintln!(\"no such branch\");
        std::process::exit(1);
    }";
    let manifest = "[package]\nname = \"naga-cli\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
                    [[bin]]\nname = \"naga\"\npath = \"main.rs\"\n[workspace]\n";
    let folder = folder(&[
        ("cases/a.shader_test", &case("0.25")),
        ("wgpu/Cargo.toml", manifest),
        ("wgpu/main.rs", main),
        ("empty/a", ""),
    ]);
    let of = |text: &str| {
        let mut command = program(folder.path());
        command.env_remove("CARGO_TARGET_DIR");
        run(command.args(["run", "--adapter", "vulkan:0", "--through", text]))
    };
    let git = |words: &[&str]| {
        let who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        let mut git = Command::new("git");
        let output = git.args(who).args(words).current_dir(folder.path().join("wgpu")).output();
        assert!(output.expect("git is installed").status.success(), "{words:?}");
    };
    git(&["init", "--quiet"]);
    git(&["add", "main.rs"]);
    git(&["commit", "--quiet", "--message", "naga"]);
    let told = of("naga=wgpu");
    let (_, version) = told.stdout.split_once(" · through naga (30.0.99 ").expect("a version");
    let (commit, _) = version.split_once(")\n").expect("a commit");
    assert!(commit.len() >= 7 && commit.chars().all(|it| it.is_ascii_hexdigit()), "{commit}");
    std::fs::write(folder.path().join("wgpu/main.rs"), format!("{main}\n")).expect("a file");
    check(
        &of("naga=wgpu"),
        &["-dirty)\n", "naga refuses the stage (status 1)\n    no such branch"],
    );
    let told = of("naga=empty");
    assert!(
        told.stderr.contains("error: --through: cargo cannot build naga in empty"),
        "{}",
        told.text()
    );
    let told = of("tint=wgpu");
    assert!(told.stderr.contains("error: --through: wgpu is a folder\n"), "{}", told.text());
}

/// Each step is shown; a fault ends the list and the exit code tells of it.
#[test]
fn inspect_shows_what_each_compiler_writes() {
    let folder = folder(&[("cases/a.shader_test", &case("0.25"))]);
    let of = |words: &[&str]| {
        let mut command = program(folder.path());
        run(command.args(["inspect", "cases/a.shader_test"]).args(words))
    };
    let script = |text: &str| format!("sh -c '{text}' sh {{in}} {{out}}");
    let (wrong, broken) = (script(WRONG), script("exit 3"));
    let told = of(&["--through", &wrong, "--through", &broken]);
    check(
        &told,
        &[
            "// fragment stage, 0: spirv by interstage's naga\n",
            "OpConstant  %4  0.25\n",
            "// fragment stage, 1: spirv by sh\n",
            "OpConstant  %4  0.5\n",
            "// fragment stage, 2: sh refuses the stage (status 3)\n",
        ],
    );
    assert_eq!(told.code, Some(1), "{}", told.text());
    let told = of(&["--through", &wrong, "--out", "out"]);
    check(
        &told,
        &["out/vertex.0.spv: spirv by interstage's naga\n", "out/fragment.1.spv: spirv by sh\n"],
    );
    assert_eq!(told.code, Some(0), "{}", told.text());
    let written = std::fs::read(folder.path().join("out/fragment.1.spv")).expect("a module");
    assert!(written.windows(4).any(|word| word == 0.5_f32.to_le_bytes()));
    let told = of(&["--through", &wrong, "--format", "hlsl"]);
    assert!(told.stderr.contains("cannot be used with"), "{}", told.text());
}

/// A preset in `PATH` is listed with its version; others are not.
#[cfg(unix)]
#[test]
fn doctor_lists_the_compilers() {
    let script = "#!/bin/sh\necho 30.0.99, of today\n";
    let folder = folder(&[("bin/naga", script), ("bin/tinto", script)]);
    make_executable(&folder.path().join("bin/naga"));
    make_executable(&folder.path().join("bin/tinto"));
    let of = |path: &str| {
        let mut command = program(folder.path());
        run(command.args(["doctor", "--adapter", "cpu"]).env("PATH", folder.path().join(path)))
    };
    check(&of("bin"), &["compilers for --through: naga (30.0.99)\n"]);
    check(&of("no"), &["compilers for --through: none of naga, tint, spirv-opt, dxc, glslang, "]);
}

/// The command that repeats a case has the compilers, quoted for a shell.
#[test]
fn the_repeating_command_has_the_compilers() {
    let told = through(&["exit 1"], &[]);
    check(&told, &[r"--through 'sh -c '\''exit 1'\'' sh {in} {out}'"]);
}

/// SPIRV-Tools' optimiser, which `cargo xtask test` installs on Linux.
#[test]
fn an_optimiser_is_a_preset() {
    if !cfg!(target_os = "linux") && !is_installed("spirv-opt") {
        return;
    }
    let texts = CASES.map(|(name, red)| (name, case(red)));
    let folder = folder(&texts.each_ref().map(|(name, text)| (*name, text.as_str())));
    for (option, passes) in
        [("spirv-opt", true), ("spirv-opt:-Os", true), ("spirv-opt:--no-such", false)]
    {
        let arguments = ["run", "--adapter", "vulkan:0", "--through", option];
        let told = run(program(folder.path()).args(arguments));
        let expected = if passes { "2 passed, 0 failed" } else { "spirv-opt refuses the stage" };
        check(&told, &[" · through spirv-opt (SPIRV-Tools v20", expected]);
    }
}

fn is_installed(program: &str) -> bool {
    let version = Command::new(program).arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}
