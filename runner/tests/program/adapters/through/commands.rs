//! Commands beside `run` in a project with compilers, and what they leave on the disk.

use std::path::Path;

use super::case;
use crate::{Run, folder, program, run};

fn of(folder: &Path, words: &[&str]) -> Run {
    run(program(folder).args(words))
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
