//! Case files on disk: dialect and names from the path, and size-limited reading.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use interstage::case::parse::{CaseError, ParsedCase, UnreadCase, split, split_one};
use interstage::case::{Case, Dialect};
use interstage::ir::diagnostic::Diagnostic;

/// Maximum size of a case file.
pub const MAX_BYTES: u64 = interstage::case::limits::MAX_FILE_BYTES as u64;

/// File name extension of case files.
pub const EXTENSION: &str = "shader_test";

/// Stack for every thread that reads cases or compiles their shaders, so that depth limits are the library's
/// and never the platform's.
pub const STACK_BYTES: usize = 256 << 20;

/// Dialect of a file: interstage's below a folder named `cases`, else piglit's.
pub fn dialect_of(path: &str) -> Dialect {
    if split_root(path).is_some() { Dialect::Interstage } else { Dialect::Piglit }
}

/// Splits a path into the folder that holds `cases`, and the path below `cases` without extension, which names the
/// goldens.
///
/// A name may follow the file: `repo/cases/varying/a.shader_test#count=2` gives `repo` and `varying/a#count=2`.
pub fn split_root(case: &str) -> Option<(PathBuf, String)> {
    let components: Vec<_> = Path::new(case).components().collect();
    let at = components.iter().rposition(|component| component.as_os_str() == "cases")?;
    let below: PathBuf = components.get(at + 1..).filter(|rest| !rest.is_empty())?.iter().collect();
    Some((components[..at].iter().collect(), without_extension(below.to_str()?)))
}

/// Case name for headings: relative to `cases` if it lies there, without the extension.
pub fn short_name(case: &str) -> String {
    split_root(case).map_or_else(|| without_extension(case), |(_, below)| below)
}

/// Case name for result files and lists, with commas and line ends replaced.
pub fn list_name(case: &str) -> String {
    let plain = |char: char| match char {
        ',' => ';',
        char if char.is_control() => '?',
        char => char,
    };
    case.chars().map(plain).collect()
}

/// The user's fault, or the file system's: a file that is no text of a case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

/// Reads the file at `path`.
pub fn read(path: &str) -> Result<Vec<u8>, Unreadable> {
    let explain = |error: std::io::Error| Unreadable(format!("cannot read the file: {error}"));
    // Check the size first, so that a huge file is not read only to be refused.
    let metadata = std::fs::metadata(path).map_err(explain)?;
    if !metadata.is_file() {
        return Err(Unreadable("the path is not a file".to_owned()));
    }
    refuse_large(metadata.len())?;
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
        .map_err(explain)?;
    refuse_large(bytes.len() as u64)?;
    Ok(bytes)
}

/// Reads and parses the file at `path`: one entry per combination of its parameters.
pub fn load(path: &str) -> Result<Vec<ParsedCase>, Unreadable> {
    Ok(parse_at(path, &read(path)?))
}

/// Parses the text of a case at `path`, and reads the files it references.
pub fn parse_at(path: &str, text: &[u8]) -> Vec<ParsedCase> {
    split(path, text, dialect_of(path)).iter().map(|case| supplied(path, case)).collect()
}

/// Parses the case called `name` in the text of the file at `path`, if there is one.
pub fn parse_one(path: &str, text: &[u8], name: &str) -> Option<ParsedCase> {
    Some(supplied(path, &split_one(path, text, dialect_of(path), name)?))
}

/// Reads one case of the file at `path`, and the files it references.
fn supplied(path: &str, case: &UnreadCase) -> ParsedCase {
    let mut parsed = case.read();
    if let Ok(case) = &mut parsed.result
        && let Err(errors) = supply(path, case)
    {
        parsed.result = Err(CaseError::Broken(errors));
    }
    parsed
}

/// Files that a case references, in its folder.
pub fn files_of(case: &Case) -> impl Iterator<Item = &str> {
    case.shaders.iter().filter_map(|shader| Some(&*shader.file.as_ref()?.path.value))
}

fn supply(path: &str, case: &mut Case) -> Result<(), Vec<Diagnostic>> {
    let folder = Path::new(path).parent().unwrap_or(Path::new(""));
    let mut errors = Vec::new();
    for shader in &mut case.shaders {
        let Some(file) = &shader.file else { continue };
        let content = folder.join(&file.path.value);
        let content =
            content.to_str().ok_or_else(|| Unreadable("the file name is not UTF-8".to_owned()));
        let content = content.and_then(read).map_err(|unreadable| unreadable.0);
        if let Err(reason) = &content {
            errors.push(Diagnostic::error(file.path.span, reason.clone()));
        }
        shader.supply(content);
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn refuse_large(size: u64) -> Result<(), Unreadable> {
    if size > MAX_BYTES {
        return Err(Unreadable(format!(
            "the file has {size} bytes; the limit for a case file is {MAX_BYTES}"
        )));
    }
    Ok(())
}

fn without_extension(name: &str) -> String {
    let (file, parameters) = name.find('#').map_or((name, ""), |at| name.split_at(at));
    let stem = file.strip_suffix(EXTENSION).and_then(|stem| stem.strip_suffix('.')).unwrap_or(file);
    format!("{stem}{parameters}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(case: &str, expected: Option<(&str, &str)>) {
        let found = split_root(case);
        let found = found.as_ref().map(|(root, below)| (root.to_str().unwrap(), below.as_str()));
        assert_eq!(found, expected);
    }

    #[test]
    fn the_innermost_cases_folder_is_the_root() {
        check("cases/a.shader_test", Some(("", "a")));
        check("./x/cases/v/a.shader_test#n=1,m=2", Some(("./x", "v/a#n=1,m=2")));
        check("/cases/y/cases/a.shader_test", Some(("/cases/y", "a")));
        check("tests/cases.shader_test", None);
        check("cases", None);
    }

    #[test]
    fn only_files_below_cases_are_read_strictly() {
        assert_eq!(dialect_of("cases/a.shader_test"), Dialect::Interstage);
        assert_eq!(dialect_of("piglit/tests/a.shader_test"), Dialect::Piglit);
    }
}
