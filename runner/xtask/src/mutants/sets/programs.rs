//! Sets of programs that mutants are tried with.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::mutants::sets::Options;
use crate::mutants::tree::Tree;
use crate::step::say;

/// Generators and their languages, and the option of programs with the values that another language gives: the oracle
/// detects no mutants of a reader.
const GENERATORS: [(&str, &[&str]); 6] = [
    ("programs", &["glsl", "wgsl", "spirv"]),
    ("programs --common", &["wgsl"]),
    ("varyings", &["glsl", "wgsl"]),
    ("blocks", &["glsl", "wgsl"]),
    ("geometry", &["glsl", "wgsl"]),
    ("tessellation", &["glsl", "wgsl"]),
];

/// First seed of the generators, for the first seed of mutants.
const FIRST_SEED: u64 = 100_000;

/// A set of programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Set {
    pub(super) name: String,
    /// Name of the files with its results. Generated programs of another number are in the same row of the table.
    pub(super) file_name: String,
    /// The folder that names of programs are relative to.
    pub(super) folder: PathBuf,
    /// Argument of `interstage run`.
    pub(super) path: String,
    /// Seed of the variants that run instead of the programs.
    pub(super) vary: Option<u64>,
    /// Compiler behind naga's writer of SPIR-V.
    pub(super) through: Option<String>,
}

impl Set {
    /// Finds, or generates, the programs that an option names.
    pub(super) fn make(
        text: &str,
        tree: &Tree,
        program: &Path,
        options: &Options,
    ) -> Result<Self, String> {
        let set = match text {
            "generated" => generated(tree, program, options)?,
            "cases" => Self {
                name: text.to_owned(),
                file_name: text.to_owned(),
                folder: tree.copy.clone(),
                path: "cases".to_owned(),
                vary: None,
                through: None,
            },
            _ => named(text, &tree.root)?,
        };
        let set = options.vary.map_or(set.clone(), |seed| set.varied(seed));
        Ok(match &options.through {
            Some(compiler) => set.through(compiler),
            None => set,
        })
    }

    /// The programs through a compiler.
    fn through(self, compiler: &str) -> Self {
        let plain: String = compiler.chars().filter(char::is_ascii_alphanumeric).collect();
        Self {
            name: format!("{}, through {compiler}", self.name),
            file_name: format!("{}-through-{plain}", self.file_name),
            through: Some(compiler.to_owned()),
            ..self
        }
    }

    /// Variants of the programs.
    fn varied(self, seed: u64) -> Self {
        Self {
            name: format!("{}, varied by {seed}", self.name),
            file_name: format!("{}-varied-{seed}", self.file_name),
            vary: Some(seed),
            ..self
        }
    }
}

/// A set `NAME=PATH`. Programs in a folder `cases` have names from there, others from the root of the workspace.
fn named(text: &str, root: &Path) -> Result<Set, String> {
    let told = || format!("`{text}` is no set: `generated`, `cases`, or NAME=PATH");
    let (name, path) = text.split_once('=').ok_or_else(told)?;
    let (folder, path) = if let Some(list) = path.strip_prefix('@') {
        (root.to_owned(), format!("@{}", root.join(list).display()))
    } else {
        let whole = root.join(path);
        let above = whole.ancestors().find(|it| it.file_name().is_some_and(|it| it == "cases"));
        let folder = above.and_then(Path::parent).unwrap_or(root).to_owned();
        (folder, whole.display().to_string())
    };
    let (name, file_name) = (name.to_owned(), name.to_owned());
    Ok(Set { name, file_name, folder, path, vary: None, through: None })
}

/// Generates programs of each kind and language, unless that was done before with this program.
fn generated(tree: &Tree, program: &Path, options: &Options) -> Result<Set, String> {
    let Options { count, seed, .. } = options;
    let file_name = format!("generated-{seed}-{count}");
    let folder = tree.folder.join(&file_name);
    let (name, path) = ("generated".to_owned(), "cases".to_owned());
    let set = Set { name, file_name, folder, path, vary: None, through: None };
    let done = set.folder.join("done");
    let time = |file: &Path| file.metadata().and_then(|metadata| metadata.modified()).ok();
    if time(&done) > time(program) {
        return Ok(set);
    }
    say(&format!("{count} programs of each kind and language"));
    for (kind, languages) in GENERATORS {
        for language in languages {
            let mut generate = Command::new(program);
            generate.arg("generate").args(kind.split(' '));
            generate.args(["--language", language, "--count"]);
            generate.args([
                count.to_string(),
                "--seed".to_owned(),
                (FIRST_SEED * seed).to_string(),
            ]);
            // Files of the same seed have the same name.
            let cases = set.folder.join("cases");
            let folder = if kind.contains(' ') { cases.join("common") } else { cases };
            let output = generate.arg("--output").arg(folder).output();
            let output = output.map_err(|error| format!("{}: {error}", program.display()))?;
            if !output.status.success() {
                let message = String::from_utf8_lossy(&output.stderr).into_owned();
                return Err(format!("generate {kind} {language}: {message}"));
            }
        }
    }
    std::fs::write(&done, "").map_err(|error| format!("{}: {error}", done.display()))?;
    Ok(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_named_and_has_a_folder() {
        let set = |text| {
            let set = named(text, Path::new("/root")).unwrap();
            (set.name, set.folder.display().to_string(), set.path)
        };
        let expected = |name: &str, folder: &str, path: &str| {
            (name.to_owned(), folder.to_owned(), path.to_owned())
        };
        assert_eq!(set("a=out/cases"), expected("a", "/root/out", "/root/out/cases"));
        assert_eq!(set("a=/b/cases/c"), expected("a", "/b", "/b/cases/c"));
        assert_eq!(set("a=b/c"), expected("a", "/root", "/root/b/c"));
        assert_eq!(set("a=@list"), expected("a", "/root", "@/root/list"));
        assert!(named("b", Path::new("/root")).is_err());
        let varied = named("a=b", Path::new("/root")).unwrap().varied(7);
        assert_eq!((varied.name.as_str(), varied.vary), ("a, varied by 7", Some(7)));
        let through = varied.through("cp {in} {out}");
        assert_eq!(through.name, "a, varied by 7, through cp {in} {out}");
        assert_eq!(through.file_name, "a-varied-7-through-cpinout");
    }
}
