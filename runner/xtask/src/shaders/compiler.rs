//! Compilers that read HLSL or WGSL, and their messages about one module.

use std::fs::File;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::reason;

/// Time limit; slower compilation counts as a rejection.
const TIME: Duration = Duration::from_secs(5);

/// Polling interval for the end of a compiler.
const PAUSE: Duration = Duration::from_millis(2);

/// A compiler of this machine.
pub(super) struct Compiler {
    /// Name of the compiler in `docs/shaders.md`.
    pub(super) name: &'static str,
    /// Version as the compiler reports it.
    pub(super) version: String,
    /// Language that it reads, as `interstage inspect --format` calls it.
    pub(super) language: &'static str,
    program: &'static str,
    arguments: fn(Stage) -> Vec<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Vertex,
    Fragment,
    Compute,
}

/// A compiler that may be installed.
struct Candidate {
    name: &'static str,
    /// Possible names of the program; the first that starts is used.
    programs: &'static [&'static str],
    language: &'static str,
    /// Option that shows whether the compiler reads the language, and the text to find in its output.
    asked: Option<(&'static str, &'static str)>,
    /// Arguments before the output file, whose option comes last, and the input file.
    arguments: fn(Stage) -> Vec<&'static str>,
}

const CANDIDATES: [Candidate; 4] = [
    Candidate {
        name: "vkd3d-compiler",
        programs: &["vkd3d-compiler"],
        language: "hlsl",
        asked: Some(("--print-source-types", "hlsl")),
        arguments: |stage| {
            let profile = of(stage, "vs_5_1", "ps_5_1", "cs_5_1");
            vec!["-x", "hlsl", "-b", "dxbc-tpf", "-p", profile, "-e", "main", "-o"]
        },
    },
    Candidate {
        name: "glslang",
        programs: &["glslang", "glslangValidator"],
        language: "hlsl",
        asked: None,
        arguments: |stage| {
            let stage = of(stage, "vert", "frag", "comp");
            vec!["-D", "-V", "-S", stage, "-e", "main", "-o"]
        },
    },
    Candidate {
        name: "dxc",
        programs: &["dxc"],
        language: "hlsl",
        asked: None,
        arguments: |stage| {
            let profile = of(stage, "vs_6_2", "ps_6_2", "cs_6_2");
            let target = ["-spirv", "-fspv-target-env=vulkan1.1"];
            [&target[..], &["-T", profile, "-E", "main", "-Fo"]].concat()
        },
    },
    Candidate {
        name: "tint",
        programs: &["tint"],
        language: "wgsl",
        asked: None,
        arguments: |_| vec!["--format", "spirv", "-o"],
    },
];

fn of(
    stage: Stage,
    vertex: &'static str,
    fragment: &'static str,
    compute: &'static str,
) -> &'static str {
    match stage {
        Stage::Vertex => vertex,
        Stage::Fragment => fragment,
        Stage::Compute => compute,
    }
}

/// Finds the installed compilers, and the reasons why the others cannot be used.
pub(super) fn find() -> (Vec<Compiler>, Vec<String>) {
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for Candidate { name, programs, language, asked, arguments } in CANDIDATES {
        let mut started =
            programs.iter().filter_map(|program| Some((*program, said(program, "--version")?)));
        let Some((program, version)) = started.next() else {
            missing.push(format!("== {name}: not installed"));
            continue;
        };
        let version = version.lines().next().unwrap_or_default().trim().to_owned();
        // Some programs have no option for it.
        let version = if version.starts_with("Usage") { String::new() } else { version };
        let reads = asked.is_none_or(|(question, answer)| {
            said(program, question).is_some_and(|said| said.contains(answer))
        });
        if reads {
            found.push(Compiler { name, version, language, program, arguments });
        } else {
            missing.push(format!("== {name} ({version}): has no support for HLSL"));
        }
    }
    (found, missing)
}

/// Runs a program and returns its output; `None` if it cannot be started.
fn said(program: &str, argument: &str) -> Option<String> {
    let output = Command::new(program).arg(argument).stdin(Stdio::null()).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

impl Compiler {
    /// Compiles a module. Returns the reason if it is rejected. Temporary output is in `scratch`.
    pub(super) fn compile(&self, module: &Path, scratch: &Path) -> Result<Option<String>, String> {
        let explain = |error: std::io::Error| format!("{}: {error}", self.program);
        let messages = scratch.with_extension("txt");
        let file = File::create(&messages).map_err(explain)?;
        let mut command = Command::new(self.program);
        command.args((self.arguments)(stage_of(module))).arg(scratch).arg(module);
        command.stdin(Stdio::null());
        command.stdout(file.try_clone().map_err(explain)?).stderr(file);
        let status = end_of(&mut command).map_err(explain)?;
        let said = std::fs::read(&messages).map_err(explain)?;
        let said = String::from_utf8_lossy(&said);
        Ok(match status {
            Some(status) if status.success() => None,
            Some(status) => Some(reason::of(&said, &module.to_string_lossy(), &how(status))),
            None => Some(format!("takes more than {} s", TIME.as_secs())),
        })
    }
}

/// Runs the program. Returns its exit status; `None` if it did not end in time.
fn end_of(command: &mut Command) -> std::io::Result<Option<ExitStatus>> {
    let end = Instant::now() + TIME;
    let mut child = command.spawn()?;
    while Instant::now() < end {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        std::thread::sleep(PAUSE);
    }
    // The program may have ended by itself.
    let _ = child.kill();
    child.wait()?;
    Ok(None)
}

fn how(status: ExitStatus) -> String {
    if status.code().is_some() { "says nothing".to_owned() } else { format!("crashes, {status}") }
}

/// Stage of a module, from its file name, which has a number for later programs: `vertex_2.hlsl`. A vertex stage before a
/// geometry or tessellation stage is a compute stage, which its text tells.
fn stage_of(module: &Path) -> Stage {
    let text = std::fs::read_to_string(module).unwrap_or_default();
    match module.file_name().and_then(|name| name.to_str()) {
        _ if text.contains("[numthreads(") => Stage::Compute,
        Some(name) if name.starts_with("vertex") || name.starts_with("pass_through") => {
            Stage::Vertex
        }
        Some(name) if name.starts_with("fragment") => Stage::Fragment,
        Some(_) | None => Stage::Compute,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_called_after_their_stage() {
        let check = |name: &str, stage: Stage| assert_eq!(stage_of(Path::new(name)), stage);
        check("fragment/vertex.hlsl", Stage::Vertex);
        check("vertex_12.hlsl", Stage::Vertex);
        check("fragment.hlsl", Stage::Fragment);
        check("capture_slots_2.hlsl", Stage::Compute);
        check("compute.hlsl", Stage::Compute);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("vertex.hlsl");
        std::fs::write(&path, "[numthreads(64, 1, 1)]\nvoid main() {}").expect("a file");
        assert_eq!(stage_of(&path), Stage::Compute);
    }
}
