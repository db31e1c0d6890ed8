//! The program as seen from a shell: its output, files and exit codes.
//!
//! Tests that are not about drawing run without any adapter, so that the results are the same on every machine.

mod adapters;
mod agree;
mod captures;
mod census;
mod commands;
mod conformance;
mod convert;
mod counts;
mod editor;
mod goldens;
mod guides;
mod help;
mod identity;
mod images;
mod languages;
mod mistakes;
mod new;
mod page;
mod reduce;
mod results;
mod schema;
mod scripts;
mod selection;
#[path = "../common/soak.rs"]
mod soak;
mod wgsl_files;

use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;

use regex::Regex;
use tempfile::TempDir;

/// Variables that hide every adapter from the loaders of Vulkan and EGL.
const NO_ADAPTER: [(&str, &str); 4] = [
    ("VK_DRIVER_FILES", "/nonexistent"),
    ("VK_ICD_FILENAMES", "/nonexistent"),
    ("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent"),
    ("LIBGL_DRIVERS_PATH", "/nonexistent"),
];

/// A case that needs no adapter and passes.
const GOOD: &str = "\
[vertex shader]
#version 450
layout(location = 0) in vec4 position;
out vec2 uv;
void main()
{
    gl_Position = position;
    uv = position.xy;
}

[fragment shader]
#version 450
in vec2 uv;
out vec4 color;
void main()
{
    color = vec4(uv, 0.0, 1.0);
}

[link]
slots 1
";

/// The duration of a run, which differs from run to run.
static DURATION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^(\d+ cases?) in .*$").expect("it is a constant"));

/// Result of a run of the program.
struct Run {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Run {
    /// All terminal output, followed by the exit code.
    fn text(&self) -> String {
        format!("{}{}exit code {}\n", self.stderr, self.stdout, self.code.unwrap_or(-1))
    }
}

/// A temporary folder with these case files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("the system has room for temporary files");
    for (name, text) in files {
        write(folder.path(), name, text.as_bytes());
    }
    folder
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("it lies in the folder"))
        .expect("the folder is ours");
    std::fs::write(path, bytes).expect("the folder is ours");
}

/// Runs the program in `folder` on a machine without adapters.
fn interstage(folder: &Path, arguments: &[&str]) -> Run {
    run(program(folder).envs(NO_ADAPTER).args(arguments))
}

/// The program with the working directory `folder`.
fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interstage"));
    command.current_dir(folder).env_remove("CI").env_remove("INTERSTAGE_ADAPTER");
    command
}

fn run(command: &mut Command) -> Run {
    let Output { status, stdout, stderr } = command.output().expect("the program was built");
    let text = |bytes: &[u8]| {
        let text =
            String::from_utf8_lossy(bytes).replace(env!("CARGO_BIN_EXE_interstage"), "interstage");
        DURATION.replace_all(&text, "$1 in some time").into_owned()
    };
    Run { code: status.code(), stdout: text(&stdout), stderr: text(&stderr) }
}
