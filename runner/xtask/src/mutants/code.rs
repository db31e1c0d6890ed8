//! The code that is mutated: where its files come from, where they go, and how they refer to what selects mutants.

use std::path::{Path, PathBuf};

/// The text of the module that selects mutants.
const SELECTOR: &str = include_str!("added.rs.txt");

/// Line of naga's root after which modules are added. naga has no standard library unless a feature asks for it.
const ROOT_LINE: &str = "#[cfg(std)]\nextern crate std;\n";

/// The code that is mutated.
#[derive(Debug)]
pub(crate) struct Code {
    /// Folder of the original files.
    from: PathBuf,
    /// Folder of the mutated files.
    to: PathBuf,
    /// Path of the module that selects mutants.
    pub(crate) selector: &'static str,
    owner: Owner,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Workspace,
    Naga,
}

impl Code {
    /// Code of the workspace `from`, which has the copy `to`.
    pub(crate) fn of_workspace(from: &Path, to: &Path) -> Self {
        let (from, to) = (from.to_owned(), to.to_owned());
        Self { from, to, selector: "ir::mutant", owner: Owner::Workspace }
    }

    /// Code of naga. Copies all files, and adds the module that selects mutants; the mutated files are then replaced.
    pub(crate) fn of_naga(from: &Path, to: &Path, mutated: &[&str]) -> Result<Self, String> {
        let (from, to) = (from.to_owned(), to.to_owned());
        let code = Self { from, to, selector: "crate::mutant", owner: Owner::Naga };
        for file in files(&code.from)? {
            let name = file.strip_prefix(&code.from).map_err(|error| error.to_string())?;
            let name = name.to_string_lossy();
            if mutated.contains(&&*name) {
                continue;
            }
            let text = std::fs::read(&file).map_err(|error| format!("{name}: {error}"))?;
            let text = if name == "src/lib.rs" { naga_root(&text)? } else { text };
            code.write(&name, &text)?;
        }
        code.write("src/mutant.rs", naga_selector().as_bytes())?;
        Ok(code)
    }

    /// Text of an original file.
    pub(crate) fn read(&self, file: &str) -> Result<String, String> {
        std::fs::read_to_string(self.from.join(file)).map_err(|error| format!("{file}: {error}"))
    }

    /// Writes a mutated file.
    pub(crate) fn write(&self, file: &str, text: &[u8]) -> Result<(), String> {
        update(&self.to.join(file), text)
    }

    /// Name of a file in the compiler's messages, which shorten only the names of the workspace's files.
    pub(crate) fn name_in_errors(&self, file: &str) -> String {
        match self.owner {
            Owner::Workspace => file.to_owned(),
            Owner::Naga => self.to.join(file).display().to_string(),
        }
    }

    /// Arguments of cargo that use the mutated code.
    pub(crate) fn arguments(&self) -> Vec<String> {
        match self.owner {
            Owner::Workspace => Vec::new(),
            Owner::Naga => {
                let patch = format!("patch.crates-io.naga.path='{}'", self.to.display());
                vec!["--config".to_owned(), patch]
            }
        }
    }
}

/// Writes a file. An unchanged file keeps its modification time, so that it is not compiled again.
pub(crate) fn update(path: &Path, text: &[u8]) -> Result<(), String> {
    if std::fs::read(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    let told = |error: std::io::Error| format!("{}: {error}", path.display());
    path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(told)?;
    std::fs::write(path, text).map_err(told)
}

/// All files below a folder, in alphabetical order.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let told = |error: std::io::Error| format!("{}: {error}", folder.display());
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(told)? {
            let path = entry.map_err(told)?.path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

/// naga's root with the module that selects mutants, which needs the standard library.
fn naga_root(text: &[u8]) -> Result<Vec<u8>, String> {
    let text = String::from_utf8_lossy(text);
    let (before, behind) =
        text.split_once(ROOT_LINE).ok_or("naga's src/lib.rs lacks the line that mutants need")?;
    Ok(format!("{before}extern crate std;\npub mod mutant;\n{behind}").into_bytes())
}

/// The module that selects mutants, which imports the prelude that a crate without the standard library lacks.
fn naga_selector() -> String {
    SELECTOR.replacen("\n\n", "\n\nuse std::format;\nuse std::prelude::v1::*;\n", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn naga_gets_a_module_and_the_standard_library() {
        let root = "#![no_std]\n\n#[cfg(std)]\nextern crate std;\n\nmod arena;\n";
        let made = String::from_utf8(naga_root(root.as_bytes()).unwrap()).unwrap();
        let expected = "#![no_std]\n\nextern crate std;\npub mod mutant;\n\nmod arena;\n";
        assert_eq!(made, expected);
        assert!(naga_root(b"mod arena;").is_err());
        syn::parse_file(&naga_selector()).unwrap();
        assert!(naga_selector().contains("use std::prelude::v1::*;\n"));
    }

    #[test]
    fn naga_is_copied_and_mutated_files_are_left_to_the_build() {
        let folder = tempfile::tempdir().expect("a folder");
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        let root = b"#![no_std]\n#[cfg(std)]\nextern crate std;\n";
        for (file, text) in [("src/lib.rs", &root[..]), ("src/a.rs", b"a"), ("Cargo.toml", b"")] {
            update(&from.join(file), text).expect("it is written");
        }
        let code = Code::of_naga(&from, &to, &["src/a.rs"]).expect("it is copied");
        let names: Vec<_> = files(&to).expect("a folder").into_iter().collect();
        let expected = ["Cargo.toml", "src/lib.rs", "src/mutant.rs"].map(|file| to.join(file));
        assert_eq!(names, expected);
        assert_eq!(code.read("src/a.rs").as_deref(), Ok("a"));
        assert_eq!(code.name_in_errors("src/a.rs"), to.join("src/a.rs").display().to_string());
    }
}
