//! Full grids of parameters, of which the files in `cases` run only a sample.
//!
//! The sample is an `only` line below the comment [`MARK`]. Each file with such a line is written without it to a
//! folder in `target`, and so has all its cases there.

use std::fs;
use std::path::{Path, PathBuf};

/// The comment above an `only` line that selects a sample.
const MARK: &str = "# A sample; `cargo xtask soak` runs all.";

/// Folder of the full grids, below the workspace's root. Its name is `cases`, so that the files are read in
/// interstage's dialect.
const FOLDER: &str = "target/soak/cases";

/// Writes all full grids, and returns their folder.
pub(crate) fn write_full(root: &Path) -> Result<PathBuf, String> {
    let from = root.join("cases");
    let to = root.join(FOLDER);
    // A file may have been renamed since the last run.
    let _ = fs::remove_dir_all(&to);
    let mut count = 0;
    for folder in entries(&from)?.into_iter().filter(|entry| entry.is_dir()) {
        for path in entries(&folder)?.into_iter().filter(|entry| is_case(entry)) {
            let text = fs::read_to_string(&path).map_err(|error| about(&path, &error))?;
            let Some(text) = in_full(&text).map_err(|error| about(&path, &error))? else {
                continue;
            };
            let copy = to.join(path.strip_prefix(&from).expect("the path is below the folder"));
            let parent = copy.parent().expect("the copy is in a folder");
            fs::create_dir_all(parent).map_err(|error| about(parent, &error))?;
            fs::write(&copy, text).map_err(|error| about(&copy, &error))?;
            count += 1;
        }
    }
    if count == 0 { Err(format!("no case has the line `{MARK}`")) } else { Ok(to) }
}

/// Returns the text without its sample; `None` if it has no sample.
fn in_full(text: &str) -> Result<Option<String>, String> {
    let Some((before, behind)) = text.split_once(&format!("{MARK}\n")) else { return Ok(None) };
    match behind.split_once('\n') {
        Some((line, rest)) if line.starts_with("only ") => Ok(Some(format!("{before}{rest}"))),
        Some(_) | None => Err(format!("an `only` line must follow `{MARK}`")),
    }
}

fn is_case(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "shader_test")
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| about(folder, &error))?;
    entries.map(|entry| Ok(entry.map_err(|error| about(folder, &error))?.path())).collect()
}

fn about(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_below_the_mark_is_left_out() {
        let text = |sample: &str| format!("a = 0..3\nonly = a < 3\n{sample}let b = a\n");
        let sample = text(&format!("{MARK}\nonly = a % 2 == 0\n"));
        assert_eq!(in_full(&sample), Ok(Some(text(""))));
        assert_eq!(in_full(&text("")), Ok(None));
        assert!(in_full(&text(&format!("{MARK}\n"))).is_err());
    }

    #[test]
    fn the_mark_stands_in_cases() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for folder in entries(&root.join("cases")).expect("there are cases") {
            for path in entries(&folder).unwrap_or_default().iter().filter(|path| is_case(path)) {
                let text = fs::read_to_string(path).expect("a case is text");
                let word = "cargo xtask soak` runs";
                let has_mark = text.lines().any(|line| line == MARK);
                assert_eq!(text.contains(word), has_mark, "{}", path.display());
                in_full(&text).expect("an `only` line follows");
            }
        }
    }
}
