//! The code whose mutants programs are to detect, naga or the linker: its parts, and what is left out.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::mutants::code::files;
use crate::mutants::sample::{self, Mutant};
use crate::mutants::site;
use crate::mutants::tree::Tree;

/// Folders of naga that are mutated, each with a sample of its own.
const NAGA: [&str; 3] = ["src/back/spv", "src/back/glsl", "src/front/wgsl"];

/// Folder of the linker.
const LINKER: [&str; 1] = ["src/link"];

/// The linker's check of its own result, which is off beside its mutants.
const OWN_CHECK: &str = "src/link/verify";

/// Files that are left out: tests, and the texts of errors.
const LEFT_OUT: [&str; 2] = ["tests.rs", "error.rs"];

/// Methods whose arguments make an error.
const MAKE_ERRORS: [&str; 4] = ["ok_or", "ok_or_else", "map_err", "expect"];

/// Code whose mutants programs are to detect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The version of naga that the workspace uses.
    Naga,
    /// The linker, whose check of its own result is off.
    Linker,
}

impl Subject {
    /// The subject that an option names.
    pub(crate) fn named(option: &str) -> Option<Self> {
        match option {
            "--naga" => Some(Self::Naga),
            "--linker" => Some(Self::Linker),
            _ => None,
        }
    }

    /// Folders that are mutated, each with a sample of its own.
    pub(super) const fn parts(self) -> &'static [&'static str] {
        match self {
            Self::Naga => &NAGA,
            Self::Linker => &LINKER,
        }
    }

    /// The copy of the code, and its mutants.
    pub(super) fn copied(self, root: &Path) -> Result<(Tree, Vec<Mutant>), String> {
        match self {
            Self::Naga => {
                let source = source(root)?;
                let mutants = candidates(&source)?;
                let mutated: Vec<&str> =
                    mutants.iter().map(|mutant| mutant.file.as_str()).collect();
                Ok((Tree::of_naga(root, &source, &mutated)?, mutants))
            }
            Self::Linker => {
                let mutants = of_linker(root)?;
                let mutated = mutants.iter().map(|mutant| mutant.file.clone()).collect();
                let tree = Tree::new(root, &mutated)?;
                let folder = tree.folder.join("linker");
                std::fs::create_dir_all(&folder)
                    .map_err(|error| format!("{}: {error}", folder.display()))?;
                Ok((Tree { folder, ..tree }, mutants))
            }
        }
    }
}

/// All mutants of the linker but those of its own check and of what makes an error.
fn of_linker(root: &Path) -> Result<Vec<Mutant>, String> {
    let mut mutants = sample::candidates(root)?;
    mutants.retain(|mutant| {
        mutant.file.starts_with("src/link/") && !mutant.file.starts_with(OWN_CHECK)
    });
    let files: BTreeSet<String> = mutants.iter().map(|mutant| mutant.file.clone()).collect();
    for file in files {
        let text = std::fs::read_to_string(root.join(&file))
            .map_err(|error| format!("{file}: {error}"))?;
        let errors = Errors::of(&text).map_err(|error| format!("{file}: {error}"))?;
        mutants.retain(|mutant| mutant.file != file || !errors.make(&mutant.site));
    }
    Ok(mutants)
}

/// Folder of the naga that the workspace uses.
fn source(root: &Path) -> Result<PathBuf, String> {
    let arguments = ["metadata", "--format-version", "1", "--locked"];
    let output = crate::build::cargo(&arguments).current_dir(root).output();
    let output = output.map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let metadata: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    let mut folders =
        packages.iter().filter(|package| package["name"] == "naga").filter_map(|package| {
            Some(Path::new(package["manifest_path"].as_str()?).parent()?.to_owned())
        });
    match (folders.next(), folders.next()) {
        (Some(folder), None) => Ok(folder),
        (None, _) => Err("the workspace does not use naga".to_owned()),
        (Some(_), Some(_)) => Err("the workspace uses several versions of naga".to_owned()),
    }
}

/// All mutants of naga's parts, numbered in file order.
fn candidates(source: &Path) -> Result<Vec<Mutant>, String> {
    let mut mutants = Vec::new();
    for part in NAGA {
        for path in files(&source.join(part))? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if LEFT_OUT.contains(&&*name) || path.extension().is_none_or(|it| it != "rs") {
                continue;
            }
            let file = path.strip_prefix(source).map_err(|error| error.to_string())?;
            let file = file.to_string_lossy().into_owned();
            let text =
                std::fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
            let sites = sites(&text).map_err(|error| format!("{file}: {error}"))?;
            mutants.extend(sites.into_iter().map(|site| (file.clone(), site)));
        }
    }
    Ok(sample::numbered(mutants))
}

/// The sites of a file, without those in what makes an error.
fn sites(text: &str) -> Result<Vec<site::Site>, String> {
    let (mut sites, _) = site::find(text)?;
    let errors = Errors::of(text)?;
    sites.retain(|site| !errors.make(site));
    Ok(sites)
}

/// Byte ranges of what makes an error.
struct Errors(Vec<Range<usize>>);

impl Errors {
    fn of(text: &str) -> Result<Self, String> {
        let file = syn::parse_file(text).map_err(|error| error.to_string())?;
        let mut errors = Self(Vec::new());
        errors.visit_file(&file);
        Ok(errors)
    }

    /// True if the site is inside what makes an error.
    fn make(&self, site: &site::Site) -> bool {
        self.0.iter().any(|error| error.start <= site.bytes.start && site.bytes.end <= error.end)
    }
}

impl<'ast> Visit<'ast> for Errors {
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if matches!(&*call.func, syn::Expr::Path(path) if path.path.is_ident("Err")) {
            self.0.push(call.span().byte_range());
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if MAKE_ERRORS.contains(&call.method.to_string().as_str()) {
            self.0.extend(call.args.iter().map(|argument| argument.span().byte_range()));
        }
        visit::visit_expr_method_call(self, call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_an_error_is_left_out() {
        let found = |text: &str| {
            let sites = sites(&format!("fn f() -> T {{ {text} }}")).unwrap();
            sites.into_iter().map(|site| site.original).collect::<Vec<_>>()
        };
        assert_eq!(found("return Err(Error::A(1, b.is_empty()))"), Vec::<String>::new());
        assert_eq!(found("if a < 1 { return Err(E(2)); }"), ["a < 1", "a < 1", "1", "1"]);
        assert_eq!(found("a(1).ok_or(E(2))"), ["1", "1"]);
        assert_eq!(found("a(1).map_err(|e| E(e, 2))"), ["1", "1"]);
        assert_eq!(found("unreachable!(\"{}\", a < 1)"), Vec::<String>::new());
    }

    #[test]
    fn only_the_parts_are_mutated_without_tests_and_errors() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = ["back/spv/a.rs", "back/spv/b/mod.rs", "back/hlsl/a.rs", "back/glsl/c.rs"];
        let others = ["front/wgsl/tests.rs", "front/wgsl/error.rs", "front/wgsl/d.md"];
        for file in files.iter().chain(&others) {
            let path = folder.path().join("src").join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("it is made");
            std::fs::write(path, "fn f() -> T { true }").expect("it is written");
        }
        std::fs::create_dir_all(folder.path().join("src/front/wgsl")).expect("it is made");
        let found = candidates(folder.path()).expect("they are found");
        let found: Vec<_> = found.iter().map(|it| (it.number, it.file.as_str())).collect();
        let expected =
            [(1, "src/back/glsl/c.rs"), (2, "src/back/spv/a.rs"), (3, "src/back/spv/b/mod.rs")];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_linker_is_mutated_without_its_own_check() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace");
        let mutants = of_linker(root).expect("they are found");
        let is_in = |part: &str| mutants.iter().any(|mutant| mutant.file.starts_with(part));
        assert!(is_in("src/link/pack"));
        assert!(!is_in(OWN_CHECK) && !is_in("src/check"));
    }
}
