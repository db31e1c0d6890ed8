//! The number of modules in a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::source::{entries, is_package, is_rust, stem};

/// Folders with source files, relative to the root of the repository.
const FOLDERS: [&str; 4] = ["fuzz/fuzz_targets", "runner", "src", "tests"];

/// Number of modules in each folder with source files. A file and a folder of one name are one module; packages and
/// the roots of crates are none.
pub fn siblings(root: &Path) -> Result<BTreeMap<String, usize>, String> {
    let mut found = BTreeMap::new();
    for folder in FOLDERS {
        count(&root.join(folder), folder, &mut found)?;
    }
    Ok(found)
}

/// Counts the modules in `folder` and below it. Returns true if there are source files.
fn count(folder: &Path, name: &str, found: &mut BTreeMap<String, usize>) -> Result<bool, String> {
    let mut modules = BTreeSet::new();
    let mut has_files = false;
    for path in entries(folder)? {
        let module = stem(&path);
        if path.is_dir() {
            let has_modules = count(&path, &format!("{name}/{module}"), found)?;
            if has_modules && !is_package(&path) {
                modules.insert(module);
            }
        } else if is_rust(&path) {
            has_files = true;
            if !["lib", "main", "mod"].contains(&module.as_str()) {
                modules.insert(module);
            }
        }
    }
    let has_files = has_files || !modules.is_empty();
    if has_files {
        found.insert(name.to_owned(), modules.len());
    }
    Ok(has_files)
}
