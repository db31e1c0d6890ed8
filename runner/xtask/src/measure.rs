//! `cargo xtask measure`: writes the figures about source code, cases and documentation to `docs/measurements.md`,
//! between two markers.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use structure::functions::Function;
use structure::package::{self, Package};
use structure::siblings;

/// The page.
const PAGE: &str = "docs/measurements.md";

/// Lines of the page around the figures.
const BEGIN: &str = "<!-- `cargo xtask measure` writes from here … -->";
const END: &str = "<!-- … to here. -->";

/// Measures the project in `root`, and writes the page.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let path = root.join(PAGE);
    let page = std::fs::read_to_string(&path).map_err(|error| format!("{PAGE}: {error}"))?;
    let tables = [code(root)?, content(root)?].concat();
    let date = git(root, &["show", "--no-patch", "--format=%cs"])?;
    let text = format!("Last commit: {}.\n{tables}", date.trim());
    let page = replace(&page, &text).ok_or_else(|| format!("{PAGE} has no line `{BEGIN}`"))?;
    std::fs::write(&path, page).map_err(|error| format!("{PAGE}: {error}"))
}

/// The page with `text` between the markers.
fn replace(page: &str, text: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, behind) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{text}\n{END}{behind}"))
}

/// A row of the table of packages: its name, and figures.
struct Row {
    name: String,
    files: usize,
    lines: usize,
    lines_for_tests: usize,
    functions: usize,
    /// Number of modules in cycles with their siblings.
    in_cycles: usize,
    /// Number of modules in a cycle with the root of the crate.
    through_root: usize,
}

impl Row {
    fn of(package: &Package) -> Self {
        Self {
            name: package.name.clone(),
            files: package.files,
            lines: package.lines - package.lines_for_tests,
            lines_for_tests: package.lines_for_tests,
            functions: package.functions.len(),
            in_cycles: package.circles.siblings.iter().map(|(_, circle)| circle.len()).sum(),
            through_root: package.circles.through_root.len(),
        }
    }

    fn sum(rows: &[Self]) -> Self {
        let sum = |of: fn(&Self) -> usize| rows.iter().map(of).sum();
        Self {
            name: "all".to_owned(),
            files: sum(|row| row.files),
            lines: sum(|row| row.lines),
            lines_for_tests: sum(|row| row.lines_for_tests),
            functions: sum(|row| row.functions),
            in_cycles: sum(|row| row.in_cycles),
            through_root: sum(|row| row.through_root),
        }
    }

    fn text(&self) -> String {
        let numbers = [
            self.files,
            self.lines,
            self.lines_for_tests,
            self.functions,
            self.in_cycles,
            self.through_root,
        ];
        format!("| {} | {} |\n", self.name, numbers.map(thousands).join(" | "))
    }
}

/// Tables about packages, functions and folders.
fn code(root: &Path) -> Result<String, String> {
    let packages = package::packages(root)?;
    let mut rows: Vec<_> = packages.iter().map(Row::of).collect();
    rows.push(Row::sum(&rows));
    let mut text = String::from(
        "\n| package | files | lines | lines for tests | functions | modules in cycles | in a cycle with the root |\n\
         |---|--:|--:|--:|--:|--:|--:|\n",
    );
    text.extend(rows.iter().map(Row::text));
    text +=
        &of_functions(&packages.iter().flat_map(|package| &package.functions).collect::<Vec<_>>());
    text += "\n| folder | modules |\n|---|--:|\n";
    let mut folders: Vec<_> = siblings::siblings(root)?.into_iter().collect();
    folders.sort_by_key(|(_, modules)| std::cmp::Reverse(*modules));
    for (folder, modules) in folders.iter().take(FOLDERS) {
        let _ = writeln!(text, "| `{folder}` | {modules} |");
    }
    Ok(text)
}

/// Number of folders in the table, the fullest first.
const FOLDERS: usize = 8;

/// The table of functions outside tests.
fn of_functions(functions: &[&Function]) -> String {
    let mut lines: Vec<usize> = functions.iter().map(|function| function.lines).collect();
    lines.sort_unstable();
    let number = |is: fn(&Function) -> bool| functions.iter().filter(|it| is(it)).count();
    let rows = [
        ("functions outside tests", functions.len()),
        ("lines of a function: median", percentile(&lines, 50)),
        ("90th percentile", percentile(&lines, 90)),
        ("99th percentile", percentile(&lines, 99)),
        ("most", percentile(&lines, 100)),
        ("functions with more than 60 lines", number(|it| it.lines > 60)),
        ("with six or more arguments", number(|it| it.arguments >= 6)),
        ("with tuples as arguments", number(|it| it.has_tuple)),
    ];
    table(&rows)
}

/// The smallest number that is at least as large as `percent` of 100 of them.
fn percentile(sorted: &[usize], percent: usize) -> usize {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or_default()
}

/// The table of cases and documentation.
fn content(root: &Path) -> Result<String, String> {
    crate::build::build_program()?;
    let list =
        Command::new(crate::build::program()).args(["list", "cases"]).current_dir(root).output();
    let list = list.map_err(|error| format!("cannot start the program: {error}"))?;
    if !list.status.success() {
        return Err(format!("the cases are not listed: {}", String::from_utf8_lossy(&list.stderr)));
    }
    let pages = tracked(root, ".md")?;
    let mut words = 0;
    for page in &pages {
        let text = std::fs::read_to_string(root.join(page));
        let text = text.map_err(|error| format!("{}: {error}", page.display()))?;
        words += text.split_whitespace().count();
    }
    let rows = [
        ("case files in `cases`", tracked(root, ".shader_test")?.len()),
        ("cases in them", String::from_utf8_lossy(&list.stdout).lines().count()),
        ("pages of documentation", pages.len()),
        ("words on them", words),
    ];
    Ok(table(&rows))
}

/// Tracked files whose names end with `ending`; for case files, those in `cases`.
fn tracked(root: &Path, ending: &str) -> Result<Vec<PathBuf>, String> {
    let files = git(root, &["ls-files", "-z"])?;
    let is_chosen =
        |file: &&str| file.ends_with(ending) && (ending == ".md" || file.starts_with("cases/"));
    let files = files.split_terminator('\0').filter(is_chosen).map(PathBuf::from);
    Ok(files.filter(|file| root.join(file).exists()).collect())
}

fn git(root: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git").args(arguments).current_dir(root).output();
    let output = output.map_err(|error| format!("cannot start git: {error}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!("git: {}", String::from_utf8_lossy(&output.stderr)))
    }
}

fn table(rows: &[(&str, usize)]) -> String {
    let head = "\n| figure | number |\n|---|--:|\n".to_owned();
    rows.iter()
        .fold(head, |text, (name, number)| format!("{text}| {name} | {} |\n", thousands(*number)))
}

/// A number with commas.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let places = digits.char_indices().map(|(idx, digit)| {
        let is_first = idx > 0 && (digits.len() - idx).is_multiple_of(3);
        if is_first { format!(",{digit}") } else { digit.to_string() }
    });
    places.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_text_between_the_markers_changes() {
        let page = format!("a\n{BEGIN}\nold\n{END}\nb\n");
        let written = replace(&page, "new\n").expect("it has the markers");
        assert_eq!(written, format!("a\n{BEGIN}\n\nnew\n\n{END}\nb\n"));
        assert_eq!(replace(&written, "new\n"), Some(written));
        assert_eq!(replace("a\nb\n", "new\n"), None);
        assert!(replace(include_str!("../../../docs/measurements.md"), "").is_some());
    }

    #[test]
    fn a_percentile_is_one_of_the_numbers() {
        let numbers: Vec<usize> = (1..=10).collect();
        assert_eq!([50, 90, 99, 100].map(|it| percentile(&numbers, it)), [5, 9, 10, 10]);
        assert_eq!(percentile(&[], 50), 0);
    }

    #[test]
    fn numbers_have_commas() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
    }
}
