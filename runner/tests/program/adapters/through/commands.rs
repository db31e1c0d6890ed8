//! Commands beside `run` in a project with compilers, and what they leave on the disk.

use std::path::Path;

use super::{WRONG, case};
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

/// What a case expects comes from the adapter, unless the command line names a compiler.
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
