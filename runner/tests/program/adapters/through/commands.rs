//! Commands beside `run` in a project with compilers, and what they leave on the disk.

use std::path::Path;

use super::{WRONG, case, check};
use crate::{Run, folder, program, run};

/// A compiler that a shell runs. The files are `$1` and `$2`.
fn shell(script: &str) -> String {
    format!("sh -c '{script}' sh {{in}} {{out}}")
}

/// Settings that name the compiler [`WRONG`].
fn settings() -> String {
    format!("through = ['''{}''']\n", shell(WRONG))
}

fn of(folder: &Path, words: &[&str]) -> Run {
    run(program(folder).args(words))
}

/// Runs the only case through compilers that a shell runs, and writes results into `to`.
fn results(folder: &Path, script: &str, to: &str) -> Run {
    let command = shell(script);
    of(folder, &["run", "--adapter", "vulkan:0", "--through", &command, "--results", to])
}

/// `bless` takes expected values from the adapter, and from a compiler only if the command line names it.
#[test]
fn bless_takes_no_values_of_the_compilers_of_a_project() {
    let wrong_probe = case("0.25").replace("probe all rgba 0.25", "probe all rgba 0.125");
    let folder = folder(&[("cases/a.shader_test", &wrong_probe), ("interstage.toml", &settings())]);
    let blessed = |options: &[&str]| {
        let words = ["bless", "cases/a.shader_test", "--adapter", "vulkan:0"];
        let told = of(folder.path(), &[&words, options].concat());
        assert_eq!(told.code, Some(0), "{}", told.text());
        std::fs::read_to_string(folder.path().join("cases/a.shader_test")).expect("a case")
    };
    assert_eq!(blessed(&[]), case("0.25"));
    let command = shell(WRONG);
    let text = blessed(&["--through", &command]);
    assert!(text.contains("probe all rgba 0.5 0 0 1\n"), "{text}");
}

/// Without the option, the command would repeat the case through the compilers of the project.
#[test]
fn the_repeating_command_leaves_out_the_compilers_of_a_project() {
    let wrong_probe = case("0.25").replace("probe all rgba 0.25", "probe all rgba 0.125");
    let folder = folder(&[("cases/a.shader_test", &wrong_probe), ("interstage.toml", &settings())]);
    let repeated = |options: &[&str]| {
        let told = of(folder.path(), &[&["run", "--adapter", "vulkan:0"], options].concat());
        let (_, repeat) = told.stdout.split_once("  repeat ").expect("a failure");
        repeat.lines().next().unwrap_or_default().to_owned()
    };
    let repeat = repeated(&["--through", "none"]);
    assert!(repeat.contains(" --adapter vulkan:0 --through none "), "{repeat}");
    std::fs::remove_file(folder.path().join("interstage.toml")).expect("a file");
    let repeat = repeated(&["--through", "none"]);
    assert!(!repeat.contains("--through"), "{repeat}");
}

/// Texts that an earlier command wrote for the same stage are no results of this one. Other files stay.
#[test]
fn inspect_removes_the_texts_of_an_earlier_command() {
    let folder = folder(&[
        ("cases/a.shader_test", &case("0.25")),
        ("out/fragment.spv", ""),
        ("out/fragment.1.txt", ""),
        ("out/fragment.x.spv", ""),
        ("out/compute.1.spv", ""),
    ]);
    let inspected = |scripts: &[&str]| {
        let commands: Vec<_> = scripts.iter().map(|script| shell(script)).collect();
        let options = commands.iter().flat_map(|command| ["--through", command.as_str()]);
        let words = ["inspect", "cases/a.shader_test", "--out", "out"];
        let code = of(folder.path(), &words.into_iter().chain(options).collect::<Vec<_>>()).code;
        let entries = std::fs::read_dir(folder.path().join("out")).expect("a folder");
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.expect("an entry").file_name().into_string().expect("UTF-8")
        };
        let mut names: Vec<_> = entries.map(name).collect();
        names.sort();
        (code, names.join(" "))
    };
    let others = "compute.1.spv fragment.0.spv fragment.1.spv fragment.1.txt fragment.2.spv \
                  fragment.spv fragment.x.spv vertex.0.spv vertex.1.spv vertex.2.spv";
    assert_eq!(inspected(&["cp $1 $2", "cp $1 $2"]), (Some(0), others.to_owned()));
    let others =
        "compute.1.spv fragment.0.spv fragment.1.txt fragment.spv fragment.x.spv vertex.0.spv";
    assert_eq!(inspected(&["exit 3"]), (Some(1), others.to_owned()));
}

/// A case that fails twice, but not in the same way, has changed.
#[test]
fn compare_tells_another_failure_of_the_same_case() {
    let folder = folder(&[("cases/a.shader_test", &case("0.25"))]);
    for (script, to) in [
        (WRONG, "wrong"),
        ("kill -SEGV $$", "crash"),
        ("echo once; exit 3", "refused"),
        ("echo twice; exit 3", "refused_again"),
    ] {
        results(folder.path(), script, to);
    }
    let compared = |one: &str, other: &str| of(folder.path(), &["compare", one, other]);
    let told = compared("wrong", "crash");
    check(
        &told,
        &[
            "failure     cases/a.shader_test: probe all rgba 0.25 0 0 1: first difference at ",
            " -> compiler: vertex stage through sh: sh crashes (signal 11)\n",
            "1 case differs, 1 was compared\n",
        ],
    );
    assert_eq!(told.code, Some(1), "{}", told.text());
    let told = compared("crash", "refused");
    check(&told, &["sh crashes (signal 11) -> compiler: vertex stage through sh: sh refuses the "]);
    let told = compared("refused", "refused_again");
    check(&told, &["no difference in 1 case\n"]);
    assert_eq!(told.code, Some(0), "{}", told.text());
}

/// Evidence has no SPIR-V of naga if the driver got that of another compiler.
#[test]
fn the_evidence_has_no_spirv_of_naga() {
    let folder = folder(&[("cases/a.shader_test", &case("0.25"))]);
    let spirv = folder.path().join("out/evidence/cases/a.shader_test/fragment.spv");
    let wrong_probe = case("0.25").replace("probe all rgba 0.25", "probe all rgba 0.125");
    std::fs::write(folder.path().join("cases/a.shader_test"), wrong_probe).expect("a file");
    of(folder.path(), &["run", "--adapter", "vulkan:0", "--results", "out"]);
    assert!(spirv.exists());
    results(folder.path(), WRONG, "out");
    assert!(spirv.with_extension("wgsl").exists());
    assert!(!spirv.exists());
}

/// A mistake in the settings is not one of the command line.
#[test]
fn mistakes_in_the_settings_name_the_file() {
    for (settings, options, expected) in [
        (
            "through = [\"tinto\"]",
            &[][..],
            "interstage.toml: through: `tinto` is neither a command",
        ),
        ("through-language = \"wgsl\"", &[], "interstage.toml: through-language needs through\n"),
        (
            "through = [\"spirv-opt=/bin/sh\"]\nthrough-language = \"wgsl\"",
            &[],
            "interstage.toml: through-language is for commands with `{in}` and `{out}`, ",
        ),
        (
            "through = [\"spirv-opt=/bin/sh\"]",
            &["--through-language", "wgsl"],
            "error: --through-language is for commands with `{in}` and `{out}`, ",
        ),
        ("through = [\"cp {in} {out}\"]", &["--through", "tinto"], "error: --through: `tinto` is"),
    ] {
        let folder =
            folder(&[("cases/a.shader_test", &case("0.25")), ("interstage.toml", settings)]);
        let told = of(folder.path(), &[&["run", "--adapter", "vulkan:0"], options].concat());
        assert!(told.stderr.contains(expected), "{settings}: {}", told.text());
    }
}
