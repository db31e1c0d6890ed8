//! The project of a case file: it names the case and determines how the file is read.
//!
//! The root of a project is the nearest folder above a case file that holds `interstage.toml`, or else the folder that
//! holds the innermost `cases` above it. A case's name is its path below the root, however the path was typed. piglit's
//! files have no project; their names begin at `tests/` or `generated_tests/` of piglit's tree. Names of other files
//! without a project begin at the current folder; a file outside of it is named by its absolute path.

pub(crate) mod settings;

use std::collections::{HashMap, VecDeque};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use interstage::case::Dialect;

pub use crate::project::settings::{FILE, Settings, SettingsError, time_limit};

/// Name of the folder for cases in a project without settings, and of the default root.
pub const CASES: &str = "cases";

/// Maximum number of folders in which a name is searched for.
const MAX_FOLDERS: usize = 10_000;

/// A folder with cases, its root and its settings.
#[derive(Debug, Default, PartialEq)]
pub struct Project {
    /// Absolute path of the root.
    pub root: PathBuf,
    /// Content of `interstage.toml`; the defaults if there is none.
    pub settings: Settings,
}

/// Name and dialect of a case file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Path below the root of the project, with `/`. Commas and control characters are replaced, because result files
    /// and lists cannot hold them.
    pub name: String,
    /// Absolute path of the folder that the name is relative to.
    pub root: PathBuf,
    /// Dialect of the file.
    pub dialect: Dialect,
}

/// The known data of one folder.
#[derive(Clone, Debug)]
struct Place {
    /// Absolute path without symbolic links.
    folder: PathBuf,
    project: Option<Arc<Project>>,
}

/// Folders that were examined. The answers stay the same while the program runs.
static PLACES: LazyLock<Mutex<HashMap<PathBuf, Result<Place, SettingsError>>>> =
    LazyLock::new(Mutex::default);

/// Returns the identity of the case file at `path`.
///
/// # Errors
/// The settings of its project cannot be read.
pub fn identify(path: &str) -> Result<Identity, SettingsError> {
    let (folder, file) = parts(Path::new(path));
    let place = place_of(folder)?;
    let whole = place.folder.join(file);
    let root = root_of(&whole, place.project.as_deref());
    let name = name_of(&whole, root.as_deref());
    let dialect = place.project.as_ref().map_or(Dialect::Piglit, |project| project.dialect(&name));
    let top = || whole.ancestors().last().unwrap_or(&whole).to_owned();
    Ok(Identity { name: plain(&name), root: root.unwrap_or_else(top), dialect })
}

/// Place of the goldens of the case file at `path`: the folder that holds `cases`, or else the root of the project, and
/// the path of the case below `cases` or the root, without the extension. `None` without a project.
///
/// # Errors
/// The settings of its project cannot be read.
pub fn golden_place(path: &str) -> Result<Option<(PathBuf, String)>, SettingsError> {
    let (folder, file) = parts(Path::new(path));
    let Place { folder, project } = place_of(folder)?;
    let Some(Project { root, .. }) = project.as_deref() else { return Ok(None) };
    let whole = folder.join(file);
    let cases = folder.ancestors().find(|above| above.ends_with(CASES));
    let cases = cases.filter(|cases| cases.starts_with(root));
    let beside = cases.and_then(Path::parent).unwrap_or(root);
    let below = whole.strip_prefix(cases.unwrap_or(root)).unwrap_or(&whole).with_extension("");
    Ok(Some((shown(beside), below.to_string_lossy().into_owned())))
}

/// Finds the project of the case file or folder at `path`.
///
/// # Errors
/// Its settings cannot be read.
pub fn of(path: &Path) -> Result<Option<Arc<Project>>, SettingsError> {
    let folder = if path.is_dir() { path } else { parts(path).0 };
    Ok(place_of(folder)?.project)
}

/// Finds a file or folder by this relative path in the current folder, or in the nearest folder above that has it.
pub fn find(name: &Path) -> Option<PathBuf> {
    if name.exists() {
        return Some(name.to_owned());
    }
    let here = std::env::current_dir().ok().filter(|_| name.is_relative())?;
    let found = |(idx, above): (usize, &Path)| {
        let up: PathBuf = std::iter::repeat_n("..", idx).collect();
        above.join(name).exists().then(|| up.join(name))
    };
    here.ancestors().enumerate().skip(1).find_map(found)
}

/// Finds the files with this name in projects below the current folder; those in deeper folders come last.
pub fn find_below(name: &str) -> Vec<PathBuf> {
    let mut folders = VecDeque::from([PathBuf::new()]);
    let mut found = Vec::new();
    for _ in 0..MAX_FOLDERS {
        let Some(folder) = folders.pop_front() else { break };
        let file = folder.join(name);
        let is_named = |text: &str| identify(text).is_ok_and(|identity| identity.name == name);
        if file.is_file() && file.to_str().is_some_and(is_named) {
            found.push(file);
        }
        folders.extend(folders_in(&folder));
    }
    found
}

/// Lists the folders in a folder, sorted, except hidden ones and those with compiler output. Does not follow links.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let listed = if folder == Path::new("") { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(listed).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let names = folders.filter_map(|entry| entry.file_name().into_string().ok());
    let is_wanted = |name: &String| !name.starts_with('.') && name != "target";
    let mut folders: Vec<_> = names.filter(is_wanted).map(|name| folder.join(name)).collect();
    folders.sort();
    folders
}

impl Project {
    /// Dialect of the file with this name.
    fn dialect(&self, name: &str) -> Dialect {
        self.settings.dialect_of(name).unwrap_or(Dialect::Interstage)
    }
}

fn place_of(folder: &Path) -> Result<Place, SettingsError> {
    let known = || PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(place) = known().get(folder) {
        return place.clone();
    }
    let whole = canonical(folder);
    let place = project_above(&whole).map(|project| Place { folder: whole, project });
    known().insert(folder.to_owned(), place.clone());
    place
}

/// Splits a path into its folder, which is never empty, and its file name.
fn parts(path: &Path) -> (&Path, &Path) {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    (folder.unwrap_or(Path::new(".")), path.file_name().map_or(path, Path::new))
}

/// The absolute path without links, `.` and `..`; for a folder that does not exist, only without `.`.
fn canonical(folder: &Path) -> PathBuf {
    let lexical = || std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    std::fs::canonicalize(folder).unwrap_or_else(|_| lexical())
}

fn project_above(folder: &Path) -> Result<Option<Arc<Project>>, SettingsError> {
    for root in folder.ancestors() {
        let file = root.join(FILE);
        if file.is_file() {
            let settings = Settings::read(&file)?;
            return Ok(Some(Arc::new(Project { root: root.to_owned(), settings })));
        }
    }
    let above_cases = folder.ancestors().find(|above| above.ends_with(CASES));
    let root = above_cases.and_then(Path::parent).map(Path::to_owned);
    Ok(root.map(|root| Arc::new(Project { root, settings: Settings::default() })))
}

/// The folder that the name of a file is relative to: the root of its project, the folder that holds piglit's tests, or
/// the current folder. `None` for any other file, whose name is its absolute path.
fn root_of(whole: &Path, project: Option<&Project>) -> Option<PathBuf> {
    let here = || Some(canonical(Path::new("."))).filter(|here| whole.starts_with(here));
    let of_project = project.map(|project| project.root.clone());
    of_project.or_else(|| above_piglit(whole)).or_else(here)
}

fn name_of(whole: &Path, root: Option<&Path>) -> String {
    let named = root.and_then(|root| whole.strip_prefix(root).ok()).unwrap_or(whole);
    let mut name = String::new();
    for part in named.components() {
        let is_first = name.is_empty() || name == "/";
        let text = part.as_os_str().to_string_lossy();
        name.push_str(if is_first { "" } else { "/" });
        name.push_str(if part == Component::RootDir { "/" } else { &text });
    }
    name
}

/// The folder of piglit's tree that holds `tests` or `generated_tests`, which hold `spec` and `shaders`.
fn above_piglit(whole: &Path) -> Option<PathBuf> {
    let parts: Vec<_> = whole.components().map(Component::as_os_str).collect();
    let is_tree = |pair: &[&std::ffi::OsStr]| {
        ["tests", "generated_tests"].iter().any(|name| pair[0] == *name)
            && ["spec", "shaders"].iter().any(|name| pair[1] == *name)
    };
    let at = parts.windows(2).position(is_tree)?;
    Some(parts[..at].iter().collect())
}

/// The shortest form of the path: relative to the current folder if it lies below it.
pub fn shown(path: &Path) -> PathBuf {
    let here = canonical(Path::new("."));
    path.strip_prefix(here).map_or_else(|_| path.to_owned(), Path::to_owned)
}

/// Replaces the characters of a name that lists and result files cannot hold.
fn plain(name: &str) -> String {
    let plain = |char: char| match char {
        ',' => ';',
        char if char.is_control() => '?',
        char => char,
    };
    name.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with these files. A file with text gets it as settings; the others are empty.
    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    #[track_caller]
    fn check(folder: &tempfile::TempDir, path: &str, name: &str, dialect: Dialect) {
        let path = folder.path().join(path);
        let found = identify(path.to_str().unwrap()).unwrap();
        assert_eq!((found.name.as_str(), found.dialect), (name, dialect), "{}", path.display());
    }

    #[test]
    fn a_name_is_the_same_however_the_path_is_typed() {
        let folder = tree(&[("p/cases/v/a.shader_test", ""), ("p/cases/w/b.shader_test", "")]);
        let name = "cases/v/a.shader_test";
        for path in [
            "p/cases/v/a.shader_test",
            "./p/cases/w/../v/a.shader_test",
            "p/./cases/v/a.shader_test",
        ] {
            check(&folder, path, name, Dialect::Interstage);
        }
    }

    #[test]
    fn the_innermost_cases_is_the_root_unless_there_are_settings() {
        let files = [("x/cases/y/cases/a.shader_test", ""), ("z/cases.shader_test", "")];
        let folder = tree(&files);
        check(&folder, "x/cases/y/cases/a.shader_test", "cases/a.shader_test", Dialect::Interstage);
        let without = folder.path().join("z/cases.shader_test");
        let found = identify(without.to_str().unwrap()).unwrap();
        assert_eq!(found.dialect, Dialect::Piglit);
        assert_eq!(golden_place(without.to_str().unwrap()), Ok(None));
        let folder = tree(&[files[0], (FILE, "")]);
        let name = files[0].0;
        check(&folder, name, name, Dialect::Interstage);
    }

    #[test]
    fn the_settings_choose_dialects_by_folder() {
        let settings =
            "dialect = \"strict\"\n[dialects]\n\"old\" = \"piglit\"\n\"old/new\" = \"strict\"\n";
        let folder =
            tree(&[(FILE, settings), ("old/new/a.shader_test", ""), ("older/a.shader_test", "")]);
        check(&folder, "old/a.shader_test", "old/a.shader_test", Dialect::Piglit);
        check(&folder, "old/new/a.shader_test", "old/new/a.shader_test", Dialect::Interstage);
        check(&folder, "older/a.shader_test", "older/a.shader_test", Dialect::Interstage);
    }

    #[test]
    fn files_of_piglit_are_named_from_its_tree() {
        let path = "some/where/tests/spec/glsl-1.10/a.shader_test";
        let folder = tree(&[(path, "")]);
        check(&folder, path, "tests/spec/glsl-1.10/a.shader_test", Dialect::Piglit);
    }

    #[test]
    fn goldens_lie_beside_the_folder_cases() {
        let folder = tree(&[
            ("p/cases/v/a.shader_test", ""),
            ("q/t/b.shader_test", ""),
            ("q/interstage.toml", ""),
        ]);
        let place = |path: &str| {
            let path = folder.path().join(path);
            let (beside, below) = golden_place(path.to_str().unwrap()).unwrap().unwrap();
            let root = std::fs::canonicalize(folder.path()).unwrap();
            (beside.strip_prefix(root).unwrap().to_owned(), below)
        };
        assert_eq!(place("p/cases/v/a.shader_test"), ("p".into(), "v/a".to_owned()));
        assert_eq!(place("q/t/b.shader_test"), ("q".into(), "t/b".to_owned()));
    }

    #[test]
    fn what_lists_cannot_hold_is_replaced() {
        assert_eq!(plain("a,b\tc"), "a;b?c");
    }
}
