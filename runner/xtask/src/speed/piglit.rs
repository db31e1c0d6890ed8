//! An installed piglit: its files, its `shader_runner`, and deqp-runner's piglit-runner to run them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::speed::write;

/// An installed piglit.
pub(crate) struct Piglit {
    folder: PathBuf,
    /// Paths of the chosen files.
    pub(crate) files: Vec<String>,
    /// A file that names them, one per line.
    pub(crate) list: PathBuf,
}

impl Piglit {
    pub(crate) fn new(folder: &Path) -> Result<Self, String> {
        let runner = folder.join("bin/shader_runner");
        if !runner.exists() {
            return Err(format!(
                "piglit was not found: {} does not exist; set its folder with --piglit DIR",
                runner.display()
            ));
        }
        Ok(Self { folder: folder.to_owned(), files: Vec::new(), list: PathBuf::new() })
    }

    /// Returns the files of a list, or a regular sample of all files, sorted by name.
    pub(crate) fn sample(&self, list: Option<&Path>, every: usize) -> Result<Vec<String>, String> {
        if let Some(list) = list {
            let text = std::fs::read_to_string(list);
            let text = text.map_err(|error| format!("{}: {error}", list.display()))?;
            return Ok(text.lines().map(str::to_owned).collect());
        }
        let mut all = Vec::new();
        for part in ["tests", "generated_tests"] {
            collect(&self.folder.join(part), &mut all);
        }
        all.sort();
        Ok(all.into_iter().step_by(every).collect())
    }

    /// Chooses these files.
    pub(crate) fn choose(&mut self, files: Vec<String>, folder: &Path) -> Result<(), String> {
        self.list = folder.join("files");
        write(&self.list, &(files.join("\n") + "\n"))?;
        self.files = files;
        Ok(())
    }

    /// True if `shader_runner` passes a file in a separate process.
    pub(crate) fn passes(&self, file: &str) -> bool {
        let output = self
            .command(&self.folder.join("bin/shader_runner"))
            .args([file, "-auto", "-fbo"])
            .output();
        output.is_ok_and(|output| {
            String::from_utf8_lossy(&output.stdout).contains(r#""result": "pass""#)
        })
    }

    /// True if `shader_runner` ends without running the files after this one: it cannot switch from desktop GL to ES in
    /// one process, and it ends after SPIR-V.
    pub(crate) fn ends_the_process(&self, file: &str) -> bool {
        let text = std::fs::read(self.folder.join(file)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        text.lines().any(|line| {
            ["GL ES", "GLSL ES", "SPIRV"].iter().any(|word| line.trim_start().starts_with(word))
        })
    }

    /// Command that runs all files one after the other in one process.
    pub(crate) fn all_in_one_process(&self) -> Command {
        let mut command = self.command(&self.folder.join("bin/shader_runner"));
        command.args(&self.files).args(["-auto", "-fbo"]);
        command
    }

    /// Command that runs every file in a separate process, as piglit's own runner does by default.
    pub(crate) fn each_in_a_process(&self) -> Command {
        let mut command = self.command(Path::new("sh"));
        command.args(["-c", r#"while read -r file; do "$0" "$file" -auto -fbo; done < "$1""#]);
        command.arg(self.folder.join("bin/shader_runner")).arg(&self.list);
        command
    }

    /// Command that runs all files with deqp-runner, one per process. deqp-runner counts a process with several files
    /// as crashed, because `shader_runner` then reports no overall result.
    pub(crate) fn by_runner(&self, runner: &Path, folder: &Path) -> Command {
        let ours = folder.join("piglit");
        // If the profile cannot be created, the runner fails to find it.
        let _ = self.profile(&ours);
        let mut command = self.command(runner);
        command.args(["run", "--jobs", "1", "--profile", "sample", "--piglit-folder"]);
        command.arg(ours).arg("--output").arg(folder.join("deqp-results"));
        command
    }

    /// Creates a folder like piglit's, with a test list of the chosen files.
    fn profile(&self, folder: &Path) -> std::io::Result<()> {
        std::fs::create_dir_all(folder.join("tests"))?;
        let test = |(number, file): (usize, &String)| {
            let file = file.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
            format!(
                "<Test type=\"shader\" name=\"{number}\"><option name=\"command\" value=\"['shader_runner', '{file}']\"/>\
                 <option name=\"run_concurrent\" value=\"True\"/></Test>\n"
            )
        };
        let tests: String = self.files.iter().enumerate().map(test).collect();
        let text =
            format!("<PiglitTestList count=\"1\" name=\"sample\">\n{tests}</PiglitTestList>\n");
        std::fs::write(folder.join("tests/sample.no_isolation.xml"), text)?;
        let bin = folder.join("bin");
        #[cfg(unix)]
        if !bin.exists() {
            std::os::unix::fs::symlink(self.folder.join("bin"), bin)?;
        }
        #[cfg(not(unix))]
        let _ = bin;
        Ok(())
    }

    /// A command with the environment that piglit's programs need on a machine without a screen.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.folder)
            .env("PIGLIT_SOURCE_DIR", &self.folder)
            .env("LD_LIBRARY_PATH", self.folder.join("lib"))
            .env("PIGLIT_PLATFORM", "surfaceless_egl")
            .stdin(Stdio::null());
        command
    }
}

fn collect(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "shader_test") {
            found.extend(path.to_str().map(str::to_owned));
        }
    }
}
