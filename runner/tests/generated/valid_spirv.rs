//! Random programs in SPIR-V are valid: a reader may refuse an invalid module, or take it for anything.

use std::io::Write as _;
use std::process::{Command, Stdio};

use generate::programs::{Language, Recipe, case};

use super::run::sample;
use crate::soak::tell;

/// Runs a program of SPIRV-Tools on an input. Returns its standard output, or its errors if it fails.
fn piped(name: &str, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, String> {
    let mut tool = Command::new(name)
        .args(arguments)
        .args(["--target-env", "spv1.3", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("SPIRV-Tools are installed");
    // A tool that does not want all of it says why.
    let _ = tool.stdin.take().map(|mut stdin| stdin.write_all(input));
    let output = tool.wait_with_output().expect("the tool ends");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(output.stdout) } else { Err(told) }
}

/// The error of `spirv-as` or `spirv-val` about a stage; `None` if the stage is valid.
fn objection(assembly: &str) -> Option<String> {
    let module = piped("spirv-as", &["-o", "-"], assembly.as_bytes());
    module.and_then(|module| piped("spirv-val", &[], &module)).err()
}

/// The stages of a case in SPIR-V assembly.
fn assemblies(case: &str) -> impl Iterator<Item = &str> {
    let stages = case.split("shader spirv]\n").skip(1);
    stages.map(|rest| rest.split("\n[").next().unwrap_or(rest))
}

/// `cargo xtask test` installs SPIRV-Tools on Linux.
#[test]
fn programs_in_spirv_are_valid() {
    if !cfg!(target_os = "linux") && Command::new("spirv-val").arg("--version").output().is_err() {
        tell("spirv-val is not installed, and nothing checks the SPIR-V of programs");
        return;
    }
    for seed in 0..sample(25) {
        let text = case(seed, &Recipe::new(Language::Spirv));
        assert!(assemblies(&text).count() > 0, "{text}");
        for assembly in assemblies(&text) {
            assert_eq!(objection(assembly), None, "seed {seed}:\n{assembly}");
            assert!(objection(&assembly.replace("OpReturn\n", "")).is_some(), "seed {seed}");
        }
    }
}
