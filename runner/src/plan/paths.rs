//! The files that a command line names, by paths, names of cases, folders, or lists of these.

use std::path::{Path, PathBuf};

use interstage::ir::diagnostic::nearest_word;

use crate::args::Selection;
use crate::files::case_file;
use crate::plan::Wanted;
use crate::plan::lists;
use crate::project;
use crate::project::Project;
use crate::report::json;

/// Expands the paths of `selection`: lists and folders of results are replaced by their contents. Without any path,
/// returns the roots of the project.
pub(super) fn of(selection: &Selection, problems: &mut Vec<String>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in &selection.paths {
        match path.to_str().and_then(|text| text.strip_prefix('@')) {
            Some(list) => found.extend(of_list(Path::new(list), problems)),
            None => found.push(path.clone()),
        }
    }
    for folder in &selection.failed {
        found.extend(failed_in(folder, problems));
    }
    if selection.paths.is_empty() && selection.failed.is_empty() {
        found.extend(roots(problems));
    }
    found
}

/// Folders with cases of the project that contains the current folder; `cases` if there is no project.
fn roots(problems: &mut Vec<String>) -> Vec<PathBuf> {
    let project = match project::of(Path::new(".")) {
        Ok(project) => project.unwrap_or_default(),
        Err(error) => {
            problems.push(error.to_string());
            return Vec::new();
        }
    };
    let Project { root, settings } = &*project;
    let is_here =
        root.as_os_str().is_empty() || std::env::current_dir().is_ok_and(|here| here == *root);
    let within = |folder: PathBuf| if is_here { folder } else { root.join(folder) };
    settings.roots().into_iter().map(within).collect()
}

/// Reads the lines of a list: paths, names of cases, or lines of a `results.csv` or `failures.csv`. Lists do not nest.
/// Names in a results folder are first looked up in the roots of these results.
fn of_list(list: &Path, problems: &mut Vec<String>) -> Vec<PathBuf> {
    let text = match std::fs::read_to_string(list) {
        Ok(text) => text,
        Err(error) => {
            problems.push(format!("{}: cannot read the list: {error}", list.display()));
            return Vec::new();
        }
    };
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let roots = json::roots_beside(list);
    let found: Vec<_> = lines.map(|line| below_roots(&roots, without_status(line))).collect();
    if found.is_empty() {
        problems.push(format!("{}: the list is empty", list.display()));
    }
    found
}

/// Path of the case with this name below one of these roots; the name itself if there is no such file.
fn below_roots(roots: &[String], name: &str) -> PathBuf {
    let file = case_file::file_of(name);
    let found = roots.iter().find_map(|root| file_in(Path::new(root), file));
    found.map_or_else(
        || PathBuf::from(name),
        |found| {
            let mut path = project::shown(&found).into_os_string();
            path.push(case_file::parameters_of(name));
            PathBuf::from(path)
        },
    )
}

/// Finds the file of a name, in which commas are replaced.
fn file_in(root: &Path, file: &str) -> Option<PathBuf> {
    [root.join(file), root.join(file.replace(';', ","))].into_iter().find(|path| path.is_file())
}

/// The name in a line `name,Status,…`; any other line is a name as a whole.
fn without_status(line: &str) -> &str {
    let status_at = |at: usize| line[at + 1..].split(',').next().is_some_and(lists::is_status);
    line.match_indices(',')
        .map(|(at, _)| at)
        .find(|at| status_at(*at))
        .map_or(line, |at| &line[..at])
}

/// Finds the failed cases of a run, on any of its adapters.
fn failed_in(folder: &Path, problems: &mut Vec<String>) -> Vec<PathBuf> {
    const FILE: &str = "failures.csv";
    let below = std::fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|entry| entry.path().join(FILE)).collect::<Vec<_>>());
    let mut files = below.unwrap_or_default();
    files.push(folder.join(FILE));
    files.sort();
    let files: Vec<_> = files.into_iter().filter(|file| file.is_file()).collect();
    if files.is_empty() {
        problems.push(format!("{}: the folder has no `{FILE}`", folder.display()));
        return Vec::new();
    }
    let mut none = Vec::new();
    let failed: Vec<_> = files.iter().flat_map(|file| of_list(file, &mut none)).collect();
    if failed.is_empty() {
        problems.push(format!("{}: no case of this run failed", folder.display()));
    }
    failed
}

/// Finds the files for one path of the command line. Unreadable files and folders inside it are added to `problems`.
pub(super) fn find(path: &Path, problems: &mut Vec<String>) -> Result<Vec<Wanted>, String> {
    let text = utf8(path)?;
    let parameters = case_file::parameters_of(&text);
    let whole = project::find(path).map(|found| (found, None));
    let found = whole.or_else(|| {
        let file = case_file::file_of(&text);
        // In names, commas are replaced.
        let file = project::find(Path::new(file))
            .or_else(|| project::find(Path::new(&file.replace(';', ","))))?;
        let parameters = Some(parameters.replace(',', ";")).filter(|text| !text.is_empty());
        file.is_file().then_some((file, parameters))
    });
    let (found, parameters) = found.map_or_else(|| find_below(&text), Ok)?;
    project::of(&found).map_err(|error| error.to_string())?;
    let file = utf8(&found)?;
    if !found.is_dir() {
        return Ok(vec![Wanted { file, parameters }]);
    }
    let mut files = Vec::new();
    let before = problems.len();
    let is_wanted = |path: &Path| case_file::is_case(path) || case_file::is_parser_test(path);
    walk(&found, &is_wanted, &mut files, problems);
    // WGSL files beside cases may be parts of them.
    if files.is_empty() {
        let is_wgsl = |path: &Path| path.to_str().is_some_and(case_file::is_wgsl);
        walk(&found, &is_wgsl, &mut files, problems);
    }
    if files.is_empty() && problems.len() == before {
        let extensions = [case_file::EXTENSION].into_iter().chain(case_file::SCRIPTS);
        let named: Vec<_> = extensions.map(|extension| format!("`*.{extension}`")).collect();
        return Err(format!(
            "{text}: the folder has no case ({} or `*.{}`)",
            named.join(", "),
            case_file::WGSL
        ));
    }
    Ok(files.into_iter().map(|file| Wanted { file, parameters: None }).collect())
}

/// Finds the file and the parameters of a name in a project below the current folder.
fn find_below(name: &str) -> Result<(PathBuf, Option<String>), String> {
    let (file, parameters) = (case_file::file_of(name), case_file::parameters_of(name));
    match <[PathBuf; 1]>::try_from(project::find_below(file)) {
        Ok([found]) => {
            let parameters = Some(parameters.replace(',', ";")).filter(|text| !text.is_empty());
            Ok((found, parameters))
        }
        Err(none) if none.is_empty() => {
            let help = suggestion(Path::new(file));
            Err(format!("{name}: no such file, folder or case{help}"))
        }
        Err(several) => {
            let several: Vec<_> = several.iter().map(|path| path.display().to_string()).collect();
            let several = several.join(", ");
            Err(format!("{name}: several cases have this name; name one of these files: {several}"))
        }
    }
}

/// Suggests the nearest path that exists, as help.
fn suggestion(path: &Path) -> String {
    let existing = path.ancestors().skip(1).find(|above| *above == Path::new("") || above.is_dir());
    let Some(folder) = existing else { return String::new() };
    let Some(wrong) = path.strip_prefix(folder).ok().and_then(|rest| rest.iter().next()) else {
        return String::new();
    };
    let listed = if folder == Path::new("") { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(listed).map(|entries| {
        entries
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect::<Vec<_>>()
    });
    let mut names = entries.unwrap_or_default();
    names.sort();
    let nearest = nearest_word(&wrong.to_string_lossy(), names.iter().map(String::as_str));
    nearest.map_or_else(String::new, |nearest| {
        format!("; did you mean `{}`?", folder.join(nearest).display())
    })
}

/// Collects the case files below `folder`, sorted by name. Links to folders are not followed, so the walk ends.
fn walk(
    folder: &Path,
    is_wanted: &dyn Fn(&Path) -> bool,
    files: &mut Vec<String>,
    problems: &mut Vec<String>,
) {
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => {
            problems.push(format!("{}: cannot read the folder: {error}", folder.display()));
            return;
        }
    };
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&path, is_wanted, files, problems);
        } else if is_wanted(&path) {
            match utf8(&path) {
                Ok(file) => files.push(file),
                Err(problem) => problems.push(problem),
            }
        }
    }
}

fn utf8(path: &Path) -> Result<String, String> {
    path.to_str()
        .map(str::to_owned)
        .ok_or_else(|| format!("{}: the path is not UTF-8", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_result_files_are_names() {
        for (line, name) in [
            ("a.shader_test", "a.shader_test"),
            ("a.shader_test#n=1;m=2,Fail", "a.shader_test#n=1;m=2"),
            ("a.shader_test#n=1,m=2,UnexpectedImprovement(Pass),0.5", "a.shader_test#n=1,m=2"),
            ("a.shader_test#n=1,m=2", "a.shader_test#n=1,m=2"),
        ] {
            assert_eq!(without_status(line), name);
        }
    }
}
