//! Packages of the workspace, and their parsed source files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use syn::spanned::Spanned as _;
use syn::visit::Visit;

/// The path of a module inside its crate; the crate's root has the empty one.
pub(crate) type Module = Vec<String>;

/// A package with source files.
#[derive(Clone, Debug)]
pub(crate) struct Package {
    /// Name of the package, for a crate of the library that of its folder.
    pub(crate) name: String,
    /// Folder of the source files.
    pub(crate) folder: PathBuf,
}

/// A source file of a package.
pub(crate) struct Source {
    /// Path relative to the package's folder.
    pub(crate) path: PathBuf,
    /// The module that the file contains.
    pub(crate) module: Module,
    /// The syntax tree.
    pub(crate) syntax: syn::File,
    /// Number of lines, with comments and empty ones.
    pub(crate) lines: usize,
    /// True if the module, or one around it, is declared for tests only.
    pub(crate) is_for_tests: bool,
}

impl Source {
    /// Number of lines that only tests compile.
    pub(crate) fn lines_for_tests(&self) -> usize {
        if self.is_for_tests {
            return self.lines;
        }
        let mut parts = PartsForTests::default();
        parts.visit_file(&self.syntax);
        parts.lines
    }
}

/// Counts the lines of modules and functions for tests in a file for the product.
#[derive(Default)]
struct PartsForTests {
    lines: usize,
}

impl<'ast> Visit<'ast> for PartsForTests {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if is_for_tests(&item.attrs) {
            self.lines += lines_of(item.span());
        } else {
            syn::visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if is_for_tests(&item.attrs) {
            self.lines += lines_of(item.span());
        }
    }
}

/// Number of lines from the first to the last of `span`.
pub(crate) fn lines_of(span: proc_macro2::Span) -> usize {
    span.end().line - span.start().line + 1
}

/// True for items with `#[test]`, or with a `#[cfg(…)]` that contains `test`.
pub fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    let mut words = attributes.iter().map(|attribute| match &attribute.meta {
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::List(list) => list.path.is_ident("cfg") && has_test(list.tokens.clone()),
        syn::Meta::NameValue(_) => false,
    });
    words.any(|is_test| is_test)
}

fn has_test(tokens: proc_macro2::TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        proc_macro2::TokenTree::Ident(name) => name == "test",
        proc_macro2::TokenTree::Group(group) => has_test(group.stream()),
        proc_macro2::TokenTree::Punct(_) | proc_macro2::TokenTree::Literal(_) => false,
    })
}

/// The folders of the crates in `src`, in alphabetical order.
pub fn library(root: &Path) -> Result<Vec<PathBuf>, String> {
    Ok(entries(&root.join("src"))?.into_iter().filter(|path| is_package(path)).collect())
}

/// Every package: the crates in `src`, the crate that joins them, the program and the tools.
pub(crate) fn packages(root: &Path) -> Result<Vec<Package>, String> {
    let others = [
        ("interstage", "src"),
        ("runner", "runner/src"),
        ("fuzz", "runner/fuzz/src"),
        ("structure", "runner/structure/src"),
        ("xtask", "runner/xtask/src"),
    ];
    let others =
        others.map(|(name, folder)| Package { name: name.to_owned(), folder: root.join(folder) });
    let library = library(root)?;
    let library = library.into_iter().map(|folder| Package { name: stem(&folder), folder });
    Ok(library.chain(others).collect())
}

/// Folders beside a crate's files whose files cargo makes crates of, none of them for the product.
const CRATES: [&str; 3] = ["benches", "examples", "tests"];

/// Parses the source files of a package.
pub(crate) fn sources(package: &Package) -> Result<Vec<Source>, String> {
    let mut sources = Vec::new();
    collect(package, &Module::new(), &mut sources)?;
    let declared: Vec<Module> = sources.iter().flat_map(declared_for_tests).collect();
    for source in &mut sources {
        let is_own_crate = source.module.first().is_some_and(|name| CRATES.contains(&&**name));
        source.is_for_tests =
            is_own_crate || declared.iter().any(|module| source.module.starts_with(module));
    }
    Ok(sources)
}

/// Parses the files of the module `at` of a package and of the modules below it.
fn collect(package: &Package, at: &Module, sources: &mut Vec<Source>) -> Result<(), String> {
    let entries = entries(&at.iter().fold(package.folder.clone(), |path, name| path.join(name)))?;
    let has_library = entries.iter().any(|path| path.ends_with("lib.rs"));
    for path in entries {
        let name = stem(&path);
        let below = || at.iter().cloned().chain([name.clone()]).collect::<Module>();
        if path.is_dir() {
            if !is_package(&path) {
                collect(package, &below(), sources)?;
            }
        } else if is_rust(&path) {
            let is_root = name == "lib" || name == "main" && !has_library;
            let module = if at.is_empty() && is_root { Module::new() } else { below() };
            sources.push(parse(package, &path, module)?);
        }
    }
    Ok(())
}

fn parse(package: &Package, path: &Path, module: Module) -> Result<Source, String> {
    let error = |message: &dyn std::fmt::Display| format!("{}: {message}", path.display());
    let text = std::fs::read_to_string(path).map_err(|message| error(&message))?;
    let syntax = syn::parse_file(&text).map_err(|message| error(&message))?;
    let path = path.strip_prefix(&package.folder).unwrap_or(path).to_owned();
    Ok(Source { path, module, syntax, lines: text.lines().count(), is_for_tests: false })
}

/// The modules that a file declares for tests only.
fn declared_for_tests(source: &Source) -> BTreeSet<Module> {
    let modules = source.syntax.items.iter().filter_map(|item| {
        let syn::Item::Mod(item) = item else { return None };
        is_for_tests(&item.attrs).then(|| item.ident.to_string())
    });
    let below = |name| source.module.iter().cloned().chain([name]).collect();
    modules.map(below).collect()
}

/// The entries of a folder, in alphabetical order.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let error = |message: std::io::Error| format!("{}: {message}", folder.display());
    let entries = std::fs::read_dir(folder).map_err(error)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()).map_err(error));
    let mut paths = paths.collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    Ok(paths)
}

pub(crate) fn is_package(folder: &Path) -> bool {
    folder.join("Cargo.toml").exists()
}

pub(crate) fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rs")
}

/// Name of a file without its extension.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source {
            path: "a.rs".into(),
            module: vec!["a".to_owned()],
            syntax: syn::parse_file(text).expect("it is Rust"),
            lines: text.lines().count(),
            is_for_tests: false,
        }
    }

    #[test]
    fn an_attribute_says_what_is_for_tests() {
        let text =
            "#[cfg(test)] mod b; #[cfg(all(test, unix))] mod c {} #[cfg(unix)] mod d; mod e;";
        let expected = ["b", "c"].map(|name| vec!["a".to_owned(), name.to_owned()]);
        assert_eq!(declared_for_tests(&source(text)), BTreeSet::from(expected));
    }

    #[test]
    fn lines_for_tests_are_those_of_their_items() {
        let text = "fn f() {}\n\n#[cfg(test)]\nmod tests {\n}\n#[test]\nfn g() {\n}\n";
        let mut source = source(text);
        assert_eq!(source.lines_for_tests(), 6);
        source.is_for_tests = true;
        assert_eq!(source.lines_for_tests(), 8);
    }
}
