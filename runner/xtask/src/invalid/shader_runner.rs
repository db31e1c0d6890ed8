//! Verdicts of piglit's `shader_runner`: one process per file, because after a compile error a process keeps old
//! stages.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::invalid::opinion::{Opinion, Verdict};
use crate::step::say;

/// Time limit per file, in seconds.
const LIMIT: &str = "30";

/// An installed `shader_runner`.
pub(crate) struct ShaderRunner {
    folder: PathBuf,
}

impl ShaderRunner {
    pub(crate) fn new(folder: &Path) -> Result<Self, String> {
        let runner = folder.join("bin/shader_runner");
        if !runner.exists() {
            return Err(format!(
                "piglit was not found: {} does not exist; set its folder with --piglit DIR",
                runner.display()
            ));
        }
        Ok(Self { folder: folder.to_owned() })
    }

    /// Gets the verdicts on these files, in order.
    pub(crate) fn opinions(&self, files: &[PathBuf], jobs: usize) -> Result<Vec<Opinion>, String> {
        let next = AtomicUsize::new(0);
        let opinions = Mutex::new(vec![Opinion::lost("not run"); files.len()]);
        let work = || -> Result<(), String> {
            loop {
                let idx = next.fetch_add(1, Ordering::Relaxed);
                let Some(file) = files.get(idx) else { return Ok(()) };
                let opinion = self.opinion(file)?;
                opinions.lock().map_err(|error| error.to_string())?[idx] = opinion;
                if (idx + 1).is_multiple_of(1000) {
                    say(&format!("shader_runner: {} of {}", idx + 1, files.len()));
                }
            }
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
            let joined = threads.into_iter().map(|thread| {
                thread.join().unwrap_or_else(|_| Err("a thread panicked".to_owned()))
            });
            joined.collect::<Result<(), String>>()
        })?;
        opinions.into_inner().map_err(|error| error.to_string())
    }

    fn opinion(&self, file: &Path) -> Result<Opinion, String> {
        let text = std::fs::read_to_string(file);
        let text = text.map_err(|error| format!("{}: {error}", file.display()))?;
        let runner = if text.contains("\n#version 100\n") {
            "bin/shader_runner_gles2"
        } else if text.contains("\nGL ES >= ") {
            "bin/shader_runner_gles3"
        } else {
            "bin/shader_runner"
        };
        let mut command = Command::new("timeout");
        command.arg(LIMIT).arg(self.folder.join(runner)).arg(file).args(["-auto", "-fbo"]);
        command.current_dir(&self.folder).env("PIGLIT_PLATFORM", "surfaceless_egl");
        command.env("LP_NUM_THREADS", "1").env("MESA_SHADER_CACHE_DISABLE", "true");
        if text.contains("\n#version 460") {
            // llvmpipe stops at 4.5 for reasons unrelated to its compiler.
            let profile = if text.contains("compatibility\n") { "4.6COMPAT" } else { "4.6" };
            command.env("MESA_GL_VERSION_OVERRIDE", profile);
            command.env("MESA_GLSL_VERSION_OVERRIDE", "460");
        }
        let output = command.output().map_err(|error| format!("timeout: {error}"))?;
        Ok(read(&String::from_utf8_lossy(&output.stdout), &String::from_utf8_lossy(&output.stderr)))
    }
}

/// Parses the verdict in the output.
fn read(stdout: &str, stderr: &str) -> Opinion {
    let has = |result: &str| stdout.contains(&format!("{{\"result\": \"{result}\""));
    let verdict = if has("pass") {
        Verdict::Accepts
    } else if has("fail") {
        Verdict::Refuses
    } else {
        Verdict::Unknown
    };
    let first = stderr.lines().find(|line| line.contains("error"));
    let message = first.or_else(|| stderr.lines().next()).unwrap_or_default().trim().to_owned();
    Opinion { verdict, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opinion_is_read_from_what_is_printed() {
        let verdict = |stdout| read(stdout, "").verdict;
        assert_eq!(verdict("PIGLIT: {\"result\": \"pass\" }\n"), Verdict::Accepts);
        assert_eq!(verdict("Failed\nPIGLIT: {\"result\": \"fail\" }\n"), Verdict::Refuses);
        assert_eq!(verdict("PIGLIT: {\"result\": \"skip\" }\n"), Verdict::Unknown);
        assert_eq!(verdict(""), Verdict::Unknown);
        let told = read("", "Failed to compile\n0:3(2): error: `a' undeclared\n").message;
        assert_eq!(told, "0:3(2): error: `a' undeclared");
    }
}
