//! The copy of the tree that has the mutants in it, and its build folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Keeps the compiler quiet about the copy, whose changed code would break every lint.
const QUIET: &str = concat!("#![al", "low(warnings)]");

/// Where things are.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The workspace.
    pub(crate) root: PathBuf,
    /// All that is made.
    pub(crate) folder: PathBuf,
    /// The copy of the workspace.
    pub(crate) copy: PathBuf,
    /// cargo's folder for the copy.
    pub(crate) target: PathBuf,
}

impl Tree {
    /// Copies the tracked files but those that are `mutated`, and what is built of other people's crates.
    pub(crate) fn new(root: &Path, mutated: &BTreeSet<String>) -> Result<Self, String> {
        let root = root.canonicalize().map_err(|error| error.to_string())?;
        let built =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
        let folder = built.join("mutants");
        let (copy, target) = (folder.join("tree"), folder.join("build"));
        let tree = Self { root, folder, copy, target };
        tree.copy_files(mutated)?;
        if !tree.target.exists() {
            tree.copy_dependencies(&built.join("debug"))?;
        }
        Ok(tree)
    }

    /// Writes a file of the copy. One that is so already keeps its time, and is not compiled again.
    pub(crate) fn write(&self, file: &str, text: &[u8]) -> Result<(), String> {
        let path = self.copy.join(file);
        if std::fs::read(&path).is_ok_and(|old| old == text) {
            return Ok(());
        }
        let told = |error: std::io::Error| format!("{}: {error}", path.display());
        path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(told)?;
        std::fs::write(&path, text).map_err(told)
    }

    /// The text of a file as it is in the workspace.
    pub(crate) fn read(&self, file: &str) -> Result<String, String> {
        std::fs::read_to_string(self.root.join(file)).map_err(|error| format!("{file}: {error}"))
    }

    fn copy_files(&self, mutated: &BTreeSet<String>) -> Result<(), String> {
        let mut git = Command::new("git");
        let listed = git.args(["ls-files", "-z"]).current_dir(&self.root).output();
        let listed = listed.map_err(|error| format!("git cannot be started: {error}"))?;
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let listed = listed.split_terminator('\0');
        for file in listed.filter(|it| *it != "src/lib.rs" && !mutated.contains(*it)) {
            // A file that is deleted may still be tracked.
            let Ok(text) = std::fs::read(self.root.join(file)) else { continue };
            self.write(file, &text)?;
        }
        self.write("src/mutant.rs", include_bytes!("added.rs.txt"))?;
        self.write("src/lib.rs", with_hooks(&self.read("src/lib.rs")?)?.as_bytes())
    }

    /// Links to the files of the dependencies: crates of the registry are the same for every workspace.
    fn copy_dependencies(&self, built: &Path) -> Result<(), String> {
        let to = self.target.join("debug");
        std::fs::create_dir_all(&to).map_err(|error| error.to_string())?;
        for (folder, options) in [("deps", "-al"), ("build", "-a"), (".fingerprint", "-a")] {
            let mut copy = Command::new("cp");
            copy.arg(options).arg(built.join(folder)).arg(&to);
            let status = copy.status().map_err(|error| error.to_string())?;
            if !status.success() {
                return Err(format!("{}: cannot be copied", built.join(folder).display()));
            }
            let files = std::fs::read_dir(to.join(folder)).map_err(|error| error.to_string())?;
            for file in files.flatten() {
                let name = file.file_name().to_string_lossy().into_owned();
                if name.contains("interstage") || name.contains("xtask") {
                    let path = file.path();
                    let removed = if path.is_dir() {
                        std::fs::remove_dir_all(&path)
                    } else {
                        std::fs::remove_file(&path)
                    };
                    removed.map_err(|error| format!("{}: {error}", path.display()))?;
                }
            }
        }
        Ok(())
    }
}

/// The library with the module that chooses mutants, told when a case begins.
fn with_hooks(text: &str) -> Result<String, String> {
    let module = "pub mod case;\n";
    let begin = "pub fn prepare(case: &Case, gpu: Option<&Gpu>) -> Prepared {\n";
    if !text.contains(module) || !text.contains(begin) {
        return Err("src/lib.rs has not the lines that mutants need".to_owned());
    }
    let text = text.replace(module, &format!("{QUIET}\npub mod mutant;\n{module}"));
    Ok(text.replace(begin, &format!("{begin}    crate::mutant::begin(&case.name);\n")))
}
