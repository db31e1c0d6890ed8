//! The copy of the tree with the mutants, and its build folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::mutants::code::{Code, update};

/// Text to insert in files of the copy, after the given lines: in the lowest crate, the module that selects mutants and
/// the name by which all crates refer to it; and the call that marks the start of a case.
const HOOKS: [(&str, &str, &str); 2] = [
    (
        "src/ir/lib.rs",
        "pub mod linkage_table;\n",
        // The crate's own tests already have this name.
        "#[cfg(not(test))]\nextern crate self as ir;\npub mod mutant;\n",
    ),
    (
        "src/lib.rs",
        "pub fn prepare(case: &Case, device: Option<&Device>) -> Prepared {\n",
        "    ir::mutant::begin(&case.name);\n",
    ),
];

/// The hook where naga selects mutants.
const NAGA_HOOKS: [(&str, &str, &str); 1] =
    [("src/lib.rs", HOOKS[1].1, "    naga::mutant::begin(&case.name);\n")];

/// The module of the copy that selects mutants.
const SELECTOR: &str = "src/ir/mutant.rs";

/// Folders of a mutation test.
#[derive(Debug)]
pub(crate) struct Tree {
    /// Root of the workspace.
    pub(crate) root: PathBuf,
    /// Folder for all output.
    pub(crate) folder: PathBuf,
    /// The copy of the workspace.
    pub(crate) copy: PathBuf,
    /// Build folder of the copy.
    pub(crate) target: PathBuf,
    /// The code that is mutated.
    pub(crate) code: Code,
}

impl Tree {
    /// Copies the tracked files except the `mutated` ones, and the compiled dependencies.
    pub(crate) fn new(root: &Path, mutated: &BTreeSet<String>) -> Result<Self, String> {
        let root = root.canonicalize().map_err(|error| error.to_string())?;
        let folder = built(&root).join("mutants");
        let copy = folder.join("tree");
        let code = Code::of_workspace(&root, &copy);
        let tree = Self { root, target: folder.join("build"), folder, copy, code };
        tree.copy_files(mutated, &HOOKS)?;
        tree.write(SELECTOR, include_bytes!("added.rs.txt"))?;
        tree.copy_dependencies()?;
        Ok(tree)
    }

    /// Copies the tracked files, the compiled dependencies, and naga's files from `naga` except the `mutated` ones.
    pub(crate) fn of_naga(root: &Path, naga: &Path, mutated: &[&str]) -> Result<Self, String> {
        let root = root.canonicalize().map_err(|error| error.to_string())?;
        let folder = built(&root).join("mutants/naga");
        let copy = folder.join("tree");
        let code = Code::of_naga(naga, &folder.join("source"), mutated)?;
        let tree = Self { root, target: folder.join("build"), folder, copy, code };
        tree.copy_files(&BTreeSet::new(), &NAGA_HOOKS)?;
        tree.copy_dependencies()?;
        Ok(tree)
    }

    /// Writes a file of the copy.
    fn write(&self, file: &str, text: &[u8]) -> Result<(), String> {
        update(&self.copy.join(file), text)
    }

    /// Text of a file in the workspace.
    pub(crate) fn read(&self, file: &str) -> Result<String, String> {
        std::fs::read_to_string(self.root.join(file)).map_err(|error| format!("{file}: {error}"))
    }

    fn copy_files(
        &self,
        mutated: &BTreeSet<String>,
        hooks: &[(&str, &str, &str)],
    ) -> Result<(), String> {
        let mut git = Command::new("git");
        let listed = git.args(["ls-files", "-z"]).current_dir(&self.root).output();
        let listed = listed.map_err(|error| format!("cannot start git: {error}"))?;
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let listed: Vec<&str> = listed.split_terminator('\0').collect();
        remove_stale(&self.copy, Path::new(""), &listed)?;
        let is_hooked = |file: &str| hooks.iter().any(|(hooked, ..)| *hooked == file);
        for file in listed {
            if is_hooked(file) || mutated.contains(file) {
                continue;
            }
            // A deleted file may still be tracked.
            let Ok(text) = std::fs::read(self.root.join(file)) else { continue };
            self.write(file, &text)?;
        }
        for (file, line, hook) in hooks {
            let text = self.read(file)?;
            let Some((before, behind)) = text.split_once(line) else {
                return Err(format!("{file} does not contain the line that mutants need"));
            };
            self.write(file, format!("{before}{line}{hook}{behind}").as_bytes())?;
        }
        Ok(())
    }

    /// Names of the library's crates.
    pub(crate) fn crates(&self) -> Result<Vec<String>, String> {
        let folders =
            std::fs::read_dir(self.root.join("src")).map_err(|error| error.to_string())?;
        let crates = folders.flatten().filter(|folder| folder.path().join("Cargo.toml").exists());
        Ok(crates.map(|folder| folder.file_name().to_string_lossy().into_owned()).collect())
    }

    /// Links to the compiled dependencies: crates of the registry are the same for every workspace.
    fn copy_dependencies(&self) -> Result<(), String> {
        if self.target.exists() {
            return Ok(());
        }
        let built = built(&self.root).join("debug");
        let (to, crates) = (self.target.join("debug"), self.crates()?);
        std::fs::create_dir_all(&to).map_err(|error| error.to_string())?;
        for (folder, options) in [("deps", "-al"), ("build", "-a"), (".fingerprint", "-a")] {
            let mut copy = Command::new("cp");
            copy.arg(options).arg(built.join(folder)).arg(&to);
            let status = copy.status().map_err(|error| error.to_string())?;
            if !status.success() {
                return Err(format!("cannot copy {}", built.join(folder).display()));
            }
            let files = std::fs::read_dir(to.join(folder)).map_err(|error| error.to_string())?;
            for file in files.flatten() {
                let name = file.file_name().to_string_lossy().into_owned();
                // Files are named after crates, folders after packages.
                let of = name.split('-').next().unwrap_or_default();
                let is_own = |own: &String| own == of || of.strip_prefix("lib") == Some(own);
                if ["interstage", "xtask"].iter().any(|package| name.contains(package))
                    || crates.iter().any(is_own)
                {
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

/// Cargo's build folder.
fn built(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into)
}

/// Removes the files of the copy's folder `inside` that are no longer tracked: cargo finds tests and modules by their
/// names.
fn remove_stale(copy: &Path, inside: &Path, tracked: &[&str]) -> Result<(), String> {
    let told = |error: std::io::Error| format!("{}: {error}", copy.join(inside).display());
    // The first copy has not been made.
    let Ok(entries) = std::fs::read_dir(copy.join(inside)) else { return Ok(()) };
    for entry in entries {
        let entry = entry.map_err(told)?;
        let path = inside.join(entry.file_name());
        let is_kept =
            path == Path::new(SELECTOR) || tracked.iter().any(|file| path == Path::new(file));
        if entry.file_type().map_err(told)?.is_dir() {
            remove_stale(copy, &path, tracked)?;
        } else if !is_kept {
            std::fs::remove_file(entry.path()).map_err(told)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_no_longer_tracked_leave_the_copy() {
        let folder = tempfile::tempdir().expect("a folder");
        let copy = folder.path();
        for file in ["runner/tests/old.rs", "runner/tests/new.rs", SELECTOR] {
            let path = copy.join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("it is made");
            std::fs::write(path, "").expect("it is written");
        }
        remove_stale(copy, Path::new(""), &["runner/tests/new.rs"]).expect("they are removed");
        assert!(!copy.join("runner/tests/old.rs").exists());
        assert!(copy.join("runner/tests/new.rs").exists() && copy.join(SELECTOR).exists());
    }
}
