//! The workspace and its builds: cargo, and the programs that it builds.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the program.
pub(crate) fn build_program() -> Result<(), String> {
    build("interstage")
}

/// Builds a program of the workspace. Also builds a test, because cargo then gives the dependencies the same features
/// as `cargo test`, and does not compile them again.
pub(crate) fn build(program: &str) -> Result<(), String> {
    let build = ["build", "--quiet", "--workspace", "--bin", program, "--test", "tidy"];
    let status = cargo(&build).current_dir(root()).status().map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err(status.to_string()) }
}

/// Path of the program built by cargo.
pub(crate) fn program() -> PathBuf {
    beside_this("interstage")
}

/// Path of a program that cargo built with this one.
pub(crate) fn beside_this(program: &str) -> PathBuf {
    let this = std::env::current_exe().unwrap_or_default();
    this.with_file_name(program).with_extension(std::env::consts::EXE_EXTENSION)
}

/// The release build of the program.
pub(crate) fn release_build(root: &Path) -> Result<PathBuf, String> {
    let arguments =
        ["build", "--quiet", "--release", "--package", "interstage-runner", "--bin", "interstage"];
    let status = cargo(&arguments).current_dir(root).status();
    let status = status.map_err(|error| format!("cannot start cargo: {error}"))?;
    if !status.success() {
        return Err("cannot build the program".to_owned());
    }
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    Ok(target.join("release/interstage"))
}

pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}

/// Root of the workspace.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}
