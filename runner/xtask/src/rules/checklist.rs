//! The rows of `docs/checklist.md`, and the tests they name.

use std::path::Path;

use crate::mutants::sample::{folder_of, module_of};

/// Letters before the numbers: rules of the linker, examples of packing, of layouts and of captures, and rules of the
/// GLSL front end.
const PREFIXES: [char; 5] = ['C', 'E', 'L', 'X', 'F'];

/// Heading of the table of what holds in WGSL instead of some rules. Its cases do not fail without them.
const INSTEAD: &str = "\n## Rules without a WGSL case";

/// One rule, or one example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// `C1`, `E21`, `F3`.
    pub(super) number: String,
    /// Tests in the order of the row, each once.
    pub(super) named: Vec<Named>,
}

/// A test named in a row, by its path relative to the root of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Named {
    Case(String),
    /// A file with unit tests.
    UnitTests(String),
    /// A test of the runner, which takes minutes and is not run here.
    Long(String),
}

impl Named {
    pub(super) fn path(&self) -> &str {
        match self {
            Self::Case(path) | Self::UnitTests(path) | Self::Long(path) => path,
        }
    }
}

/// The rows that name tests.
pub(super) fn rows(text: &str) -> Vec<Row> {
    let (before, rest) = text.split_once(INSTEAD).unwrap_or((text, ""));
    let behind = rest.split_once("\n## ").map_or("", |(_, behind)| behind);
    before
        .lines()
        .chain(behind.lines())
        .filter_map(row)
        .filter(|row| !row.named.is_empty())
        .collect()
}

fn row(line: &str) -> Option<Row> {
    let cells: Vec<&str> = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect();
    let ([number, ..], Some(tests)) = (&cells[..], cells.last()) else { return None };
    let digits = number.strip_prefix(PREFIXES)?;
    if digits.parse::<u32>().is_err() {
        return None;
    }
    let mut named = Vec::new();
    // A row that begins with a dash explains why there is no test.
    let code = if tests.starts_with('–') { "" } else { tests };
    for path in code.split('`').skip(1).step_by(2) {
        let test = match path.split_once('/') {
            Some(("cases", _)) => Named::Case(path.to_owned()),
            Some(("src", _)) => Named::UnitTests(path.to_owned()),
            Some(("runner", _)) => Named::Long(path.to_owned()),
            Some(_) | None => continue,
        };
        if !named.contains(&test) {
            named.push(test);
        }
    }
    Some(Row { number: (*number).to_owned(), named })
}

/// True if a unit test, by its name after the crate's, is in this file and not in a submodule with its own file.
pub(super) fn is_in_file(test: &str, file: &str, root: &Path) -> bool {
    let inside = test.strip_prefix(&module_of(file)).and_then(|rest| rest.strip_prefix("::"));
    match inside.map(|rest| rest.split_once("::")) {
        Some(Some((module, _))) => {
            !root.join(folder_of(file)).join(module).with_extension("rs").exists()
        }
        Some(None) => true,
        None => false,
    }
}

/// Tests of a file that are about the rule: their comments mention it, or their names begin with it.
pub(super) fn tests_about(rule: &str, text: &str) -> Vec<String> {
    let mut about = Vec::new();
    let mut is_named = false;
    for line in text.lines().map(str::trim) {
        if let Some(comment) = line.strip_prefix("///") {
            is_named |=
                comment.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == rule);
        } else if let Some((name, _)) =
            line.strip_prefix("fn ").and_then(|rest| rest.split_once('('))
        {
            let is_about = is_named || name.starts_with(&format!("{}_", rule.to_lowercase()));
            about.extend(is_about.then(|| name.to_owned()));
            is_named = false;
        } else if !line.starts_with("#[") {
            is_named = false;
        }
    }
    about
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_row_names_tests_in_its_last_cell() {
        let text = "| number | rule | where |\n\
            | C7 | See `src/x.rs`. | `src/a/tests.rs` (`b`), `cases/c.shader_test`; `runner/tests/d.rs`, `src/a/tests.rs` |\n\
            | C32 | None. | –, see `src/link/lib.rs` |\n\
            | F2 | Rule. | `cases/e.shader_test` |\n\
            | Y2 | No rule. | `cases/f.shader_test` |\n\
            ## Rules without a WGSL case, and why\n\
            | C8 | Another rule: `cases/g.shader_test` |\n\
            ## Examples\n\
            | E1 | An example. | `cases/h.shader_test` |\n";
        let named = vec![
            Named::UnitTests("src/a/tests.rs".to_owned()),
            Named::Case("cases/c.shader_test".to_owned()),
            Named::Long("runner/tests/d.rs".to_owned()),
        ];
        let front_end = vec![Named::Case("cases/e.shader_test".to_owned())];
        let row = |number: &str, named| Row { number: number.to_owned(), named };
        let example = vec![Named::Case("cases/h.shader_test".to_owned())];
        let expected = [row("C7", named), row("F2", front_end), row("E1", example)];
        assert_eq!(rows(text), expected);
    }

    /// A comment that cites a number finds its row, and the table at the top tells how many there are.
    #[test]
    fn the_numbers_of_the_page_are_those_of_its_first_table() {
        let page = include_str!("../../../../docs/checklist.md");
        for prefix in PREFIXES {
            let numbers = page.lines().filter_map(|line| {
                let number = line.strip_prefix("| ")?.split(" | ").next()?.strip_prefix(prefix)?;
                number.parse::<usize>().ok()
            });
            let numbers: BTreeSet<usize> = numbers.collect();
            assert_eq!(numbers, (1..=numbers.len()).collect(), "{prefix}");
            let row = format!("| {prefix}1 to {prefix}{} |", numbers.len());
            assert!(page.contains(&row), "{row}");
        }
    }

    #[test]
    fn a_test_is_in_the_file_of_its_innermost_module() {
        let is_in = |test, file| is_in_file(test, file, &crate::build::root());
        assert!(is_in("link::pack::tests::a", "src/link/pack/tests.rs"));
        assert!(!is_in("link::pack::tests::a", "src/link/pack.rs"));
        assert!(!is_in("link::pack::tests::a", "src/link/lib.rs"));
        assert!(is_in("ir::profile::tests::a", "src/ir/profile.rs"));
        assert!(is_in("interstage::tests::a", "src/lib.rs"));
    }

    #[test]
    fn comments_tell_which_tests_are_about_a_rule() {
        let text =
            "/// C3, C33\n#[test]\nfn a() {}\n/// C33\nconst X: u32 = 1;\nfn b() {}\nfn x1_c() {}";
        assert_eq!(tests_about("C3", text), ["a"]);
        assert_eq!(tests_about("C33", text), ["a"]);
        assert_eq!(tests_about("X1", text), ["x1_c"]);
        assert!(tests_about("C1", text).is_empty());
    }
}
