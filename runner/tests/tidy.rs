//! Repository checks that no compiler makes: readable files, and nothing unused.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use interstage_runner::files::{case_file, golden};

/// Maximum number of lines of a source file, tests included.
const MAX_LINES: usize = 600;

/// Root of the repository.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All files below `folder` with one of these extensions, as paths relative to the repository.
fn files(folder: &str, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(&root(), Path::new(folder), &mut found);
    found.retain(|path| {
        path.extension()
            .is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted))
    });
    found.sort();
    found
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
        let path = folder.join(entry.file_name());
        if entry.path().is_dir() {
            collect(root, &path, found);
        } else {
            found.push(path);
        }
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(root().join(path))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every source file of every package, with its text.
fn sources() -> Vec<(PathBuf, String)> {
    let folders = ["src", "tests", "examples", "benches", "runner"];
    let paths = folders.iter().flat_map(|folder| files(folder, &["rs"]));
    let sources: Vec<_> = paths.map(|path| (path.clone(), read(&path))).collect();
    assert!(sources.len() > 20, "the sources are not where this test looks for them");
    sources
}

/// Fails with one line per file in which `wrong` finds a problem.
#[track_caller]
fn check_sources(wrong: impl Fn(&str) -> Option<String>) {
    let found: Vec<_> = sources()
        .iter()
        .filter_map(|(path, text)| wrong(text).map(|wrong| format!("{}: {wrong}", path.display())))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_source_file_begins_with_what_it_is_for() {
    check_sources(|text| (!text.starts_with("//! ")).then(|| "no module documentation".to_owned()));
}

#[test]
fn no_source_file_is_too_long_to_read() {
    check_sources(|text| {
        let lines = text.lines().count();
        (lines > MAX_LINES).then(|| format!("{lines} lines; at most {MAX_LINES}"))
    });
}

#[test]
fn nothing_is_left_undone_or_silenced() {
    // Assembled here, so that this file does not contain them.
    let words = [
        ["TO", "DO"],
        ["FIX", "ME"],
        ["#[ign", "ore"],
        ["#[al", "low("],
        ["#![al", "low("],
        ["#[should_", "panic"],
    ];
    let words: Vec<_> = words.iter().map(|parts| parts.concat()).collect();
    check_sources(|text| {
        let is_in =
            |(_, line): &(usize, &str)| words.iter().any(|word| line.contains(word.as_str()));
        let (idx, line) = text.lines().enumerate().find(is_in)?;
        Some(format!("line {}: {}", idx + 1, line.trim()))
    });
}

#[test]
fn every_golden_is_named_by_a_case() {
    let mut named = BTreeSet::new();
    for path in files("cases", &[case_file::EXTENSION]) {
        let absolute = root().join(&path);
        let path = absolute.to_str().expect("the repository has plain names");
        let cases = case_file::load(path).unwrap_or_else(|message| panic!("{path}: {message}"));
        for case in cases.iter().filter_map(|parsed| parsed.result.as_ref().ok()) {
            let paths = golden::named_by(case).filter_map(|golden| golden::path(case, golden).ok());
            named.extend(paths.filter_map(|path| path.canonicalize().ok()));
        }
    }
    let mut found = Vec::new();
    collect(&root(), Path::new(golden::FOLDER), &mut found);
    let unused: Vec<_> = found
        .iter()
        .filter(|path| {
            path.extension().is_some_and(|extension| extension == "png" || extension == "npy")
        })
        .filter(|path| !root().join(path).canonicalize().is_ok_and(|path| named.contains(&path)))
        .collect();
    assert!(unused.is_empty(), "named by no case: {unused:?}");
}

#[test]
fn the_page_of_rules_names_files_that_are_there() {
    let page = read(Path::new("docs/checklist.md"));
    let folders = ["cases/", "src/", "runner/", "docs/"];
    let named = code_in(&page).filter(|code| folders.iter().any(|it| code.starts_with(it)));
    let named: BTreeSet<&str> = named.collect();
    assert!(named.len() > 100, "the page names {} files", named.len());
    let absent: Vec<_> = named.into_iter().filter(|path| !root().join(path).exists()).collect();
    assert!(absent.is_empty(), "docs/checklist.md names {absent:?}");
}

/// Pages name a source file with its path from the root, or from `src`.
#[test]
fn the_documentation_names_source_files_that_are_there() {
    let mut absent = Vec::new();
    let mut count = 0;
    for page in files("docs", &["md"]) {
        let text = read(&page);
        let is_source = |code: &str| Path::new(code).extension().is_some_and(|it| it == "rs");
        let is_file = |code: &&str| is_source(code) && code.contains('/') && !code.contains('{');
        for file in code_in(&text).filter(is_file) {
            count += 1;
            let is_there = |folder: &str| root().join(folder).join(file).exists();
            if !["", "src"].into_iter().any(is_there) {
                absent.push(format!("{}: {file}", page.display()));
            }
        }
    }
    assert!(count > 100, "the pages name {count} files");
    assert!(absent.is_empty(), "{absent:#?}");
}

#[test]
fn every_word_of_the_case_format_is_documented() {
    let reference: Vec<_> = files("docs/format", &["md"]).iter().map(|page| read(page)).collect();
    let words = interstage::case::known_words();
    assert!(words.len() > 20, "the library names only {} words", words.len());
    let documented: Vec<_> =
        reference.iter().flat_map(|page| code_in(page)).map(case_words).collect();
    let is_missing = |word: &&str| {
        let word = case_words(word);
        !documented.iter().any(|code| code.windows(word.len()).any(|part| part == word))
    };
    let missing: Vec<_> = words.into_iter().filter(is_missing).collect();
    assert!(missing.is_empty(), "not in docs/format: {missing:?}");
}

#[test]
fn every_folder_of_cases_is_described() {
    let page = read(Path::new("cases/README.md"));
    let described: BTreeSet<_> = code_in(&page).filter_map(|code| code.strip_suffix('/')).collect();
    let entries = std::fs::read_dir(root().join("cases")).expect("there are cases").flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    let names: BTreeSet<_> =
        folders.map(|folder| folder.file_name().to_string_lossy().into_owned()).collect();
    assert_eq!(described, names.iter().map(String::as_str).collect());
}

#[test]
fn the_grammar_for_editors_has_every_command() {
    let grammar = read(Path::new("docs/editors/syntaxes/shader_test.tmLanguage.json"));
    let words: BTreeSet<&str> =
        grammar.split(|char: char| !char.is_ascii_alphanumeric() && char != '_').collect();
    let firsts = interstage::case::commands::known_words()
        .filter_map(|command| command.split(' ').next())
        .filter(|word| word.starts_with(|char: char| char.is_ascii_lowercase()));
    let missing: BTreeSet<_> = firsts.filter(|word| !words.contains(word)).collect();
    assert!(missing.is_empty(), "not in the grammar: {missing:?}");
}

/// Text between backticks, and lines of grammar. Examples do not count: they use a word, but do not explain it.
fn code_in(markdown: &str) -> impl Iterator<Item = &str> {
    let mut fence = None;
    markdown.lines().flat_map(move |line| {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            fence = if fence.is_none() { Some(language) } else { None };
            return Vec::new();
        }
        match fence {
            None => line.split('`').skip(1).step_by(2).collect(),
            Some("text") => vec![line],
            Some(_) => Vec::new(),
        }
    })
}

fn case_words(code: &str) -> Vec<&str> {
    let is_part = |char: char| char.is_alphanumeric() || "_<>=!~".contains(char);
    code.split(|char| !is_part(char)).filter(|word| !word.is_empty()).collect()
}
