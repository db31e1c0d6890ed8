//! Figures about each package.

use std::path::{Path, PathBuf};

use crate::functions::{Function, functions};
use crate::modules::{Circles, circles};
use crate::source::{self, Source};

/// Figures about a package.
#[derive(Debug)]
pub struct Package {
    /// Its name; for a crate of the library that of its folder.
    pub name: String,
    /// Folder of its source files, relative to the root of the repository.
    pub folder: PathBuf,
    /// Number of source files.
    pub files: usize,
    /// Number of lines, with comments and empty ones.
    pub lines: usize,
    /// Number of lines that only tests compile.
    pub lines_for_tests: usize,
    /// Its functions outside tests.
    pub functions: Vec<Function>,
    /// The cycles of its modules.
    pub circles: Circles,
}

/// Measures every package of the project in `root`.
pub fn packages(root: &Path) -> Result<Vec<Package>, String> {
    let packages = source::packages(root)?;
    let measure = |package: &source::Package| {
        let sources = source::sources(package)?;
        Ok(Package {
            name: package.name.clone(),
            folder: package.folder.strip_prefix(root).unwrap_or(&package.folder).to_owned(),
            files: sources.len(),
            lines: sources.iter().map(|source| source.lines).sum(),
            lines_for_tests: sources.iter().map(Source::lines_for_tests).sum(),
            functions: sources.iter().flat_map(functions).collect(),
            circles: circles(&package.name, &sources),
        })
    };
    packages.iter().map(measure).collect()
}
