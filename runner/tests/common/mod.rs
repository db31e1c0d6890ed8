//! Helpers shared by several tests.

use std::path::{Path, PathBuf};

use interstage_runner::files::case_file;

/// Files of all cases of the project, sorted.
pub(crate) fn case_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases");
    let mut folders = vec![root.canonicalize().expect("the project's cases")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if case_file::is_case(&path) || case_file::is_parser_test(&path) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
