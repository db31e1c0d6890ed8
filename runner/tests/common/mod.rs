//! Helpers shared by several tests.

use std::path::{Path, PathBuf};

use interstage_runner::files::case_file;

/// Files of all cases of the project, sorted, without those that crash some driver: in a test, many cases share a process
/// and a device.
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
    files.retain(|path| !is_expected_to_crash(path));
    files.sort();
    files
}

/// True if the `[expect]` of a file names a crash.
fn is_expected_to_crash(path: &Path) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let expected = text.split("\n[expect]\n").nth(1).unwrap_or_default();
    expected.lines().any(|line| line.contains("\" crash "))
}
