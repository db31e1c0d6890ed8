//! Lists of known failures, flakes, and cases to skip, in deqp-runner's formats.
//!
//! * `--known-failures`: `name,Status[,anything]` per line; names are exact and as in `results.csv`. A duplicate name,
//!   or an unknown or missing status, makes the list unusable.
//! * `--flakes`, `--skips`: a regular expression per line, which must match the whole name; one that contains `.*` may
//!   match anywhere. A line without any of `* + ? ( ) [ ] { } | ^ $ \` is a plain name.
//!
//! A line `#@ adapter "mesa" < 23.1` limits the lines below it, up to the next `#@` line, to adapters that match the
//! pattern. The pattern is that of `[expect]`. `#@ adapter any` ends the limit. Other programs read these lines as
//! comments.
//!
//! Any other line that begins with `#@` is an error. Otherwise a misspelt limit would become a comment, and the lines
//! below it would apply everywhere.
//!
//! Empty lines and lines that begin with `#` are ignored. `{adapter}` in the path of a list is replaced by the adapter,
//! such as `vulkan-0`, so that one command serves several adapters.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use interstage::case::{AdapterPattern, parse_adapter_pattern};
use interstage::ir::diagnostic::nearest_word;
use regex::{RegexSet, RegexSetBuilder};

use crate::args::ListOptions;
use crate::files::basis::digest_of;
use crate::outcome::weigh::{Known, Listed, Source};
use crate::protocol::Adapter;

/// Maximum number of errors printed per list.
const MAX_ERRORS: usize = 20;

/// Maximum size of the automaton for all lines of the lists.
const MAX_AUTOMATON_BYTES: usize = 1 << 30;

/// Prefix of a guard line, which other programs read as a comment, and the only word that may follow it.
const GUARD: &str = "#@";
const ADAPTER: &str = "adapter";

/// Status words of deqp-runner.
const WORDS: [(&str, Listed); 13] = [
    ("Fail", Listed::Fail),
    ("Crash", Listed::Crash),
    ("Timeout", Listed::Timeout),
    ("Missing", Listed::Missing),
    ("ExpectedFail", Listed::ExpectedFail),
    ("UnexpectedImprovement(Fail)", Listed::Fail),
    ("UnexpectedImprovement(Pass)", Listed::Harmless),
    ("UnexpectedImprovement(Skip)", Listed::Harmless),
    ("Pass", Listed::Harmless),
    ("Skip", Listed::Harmless),
    ("Warn", Listed::Harmless),
    ("Flake", Listed::Harmless),
    ("KnownFlake", Listed::Harmless),
];

/// The lists of a run for one adapter.
#[derive(Debug, Default)]
pub struct Lists {
    known: HashMap<String, Entry>,
    flakes: Patterns,
    skips: Patterns,
}

/// A line of known failures.
#[derive(Debug)]
struct Entry {
    known: Known,
    /// File and line number.
    place: String,
}

/// True for a status of lists of known failures and of `results.csv`.
pub fn is_status(word: &str) -> bool {
    WORDS.iter().any(|(known, _)| *known == word)
}

/// The entries of lists of regular expressions.
#[derive(Debug, Default)]
struct Patterns {
    set: RegexSet,
    /// File and line number of each entry.
    places: Vec<String>,
    /// Text of each entry.
    lines: Vec<String>,
}

impl Lists {
    /// Reads all lists for `adapter`. The error contains every problem of one list.
    pub fn read(options: &ListOptions, adapter: Option<&Adapter>) -> anyhow::Result<Self> {
        let mut known = HashMap::new();
        let title = adapter.map(|adapter| adapter.title.as_str());
        for path in &options.known_failures {
            read_known(&on_adapter(path, adapter), title, &mut known)?;
        }
        let patterns = |paths: &[PathBuf]| {
            let paths: Vec<_> = paths.iter().map(|path| on_adapter(path, adapter)).collect();
            Patterns::read(&paths, title)
        };
        let (flakes, skips) = (patterns(&options.flakes)?, patterns(&options.skips)?);
        Ok(Self { known, flakes, skips })
    }

    /// Entries of known failures and flakes that match a case.
    pub fn known(&self, case: &str) -> Vec<Known> {
        let mut known: Vec<_> =
            self.known.get(case).map(|entry| entry.known.clone()).into_iter().collect();
        known.extend(self.flakes.place(case).map(|place| Known {
            source: Source::List,
            listed: Listed::Flake,
            symptom: None,
            words: format!("a flake in {place}"),
        }));
        known
    }

    /// File and line of the skip entry for a case.
    pub fn skip(&self, case: &str) -> Option<&str> {
        self.skips.place(case)
    }

    /// Digest of everything that the lists say about a case; empty if no entry matches.
    pub fn digest(&self, case: &str) -> String {
        let (known, skip) = (self.known(case), self.skip(case));
        let is_nothing = known.is_empty() && skip.is_none();
        if is_nothing { String::new() } else { digest_of(format!("{known:?} {skip:?}").as_bytes()) }
    }

    /// Entries that match none of these cases, with their places: known failures, flakes, skips.
    pub fn idle_lines(&self, cases: &[&str]) -> Vec<String> {
        let names: std::collections::HashSet<_> = cases.iter().copied().collect();
        let mut unknown: Vec<_> =
            self.known.iter().filter(|(name, _)| !names.contains(name.as_str())).collect();
        unknown.sort_by_key(|(_, entry)| &entry.place);
        let unknown = unknown.iter().map(|(name, entry)| format!("{}: `{name}`", entry.place));
        unknown.chain(self.flakes.idle_lines(cases)).chain(self.skips.idle_lines(cases)).collect()
    }
}

impl Patterns {
    fn read(paths: &[PathBuf], title: Option<&str>) -> anyhow::Result<Self> {
        let (mut patterns, mut places, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        for path in paths {
            let mut errors = Vec::new();
            for (place, line) in lines(path, &read(path)?, title)? {
                match pattern(line) {
                    Ok(pattern) => {
                        patterns.push(pattern);
                        places.push(place);
                        texts.push(line.trim().to_owned());
                    }
                    Err(problem) => errors.push(format!("{place}: {problem}")),
                }
            }
            refuse(&errors)?;
        }
        let set = RegexSetBuilder::new(patterns).size_limit(MAX_AUTOMATON_BYTES).build();
        let set = set.context("the regular expressions of the lists are too large to compile")?;
        Ok(Self { set, places, lines: texts })
    }

    /// Entries that match none of these names, with their places.
    fn idle_lines(&self, names: &[&str]) -> Vec<String> {
        let mut is_idle = vec![true; self.places.len()];
        for name in names.iter().filter(|_| !self.places.is_empty()) {
            self.set.matches(name).iter().for_each(|line| is_idle[line] = false);
        }
        let lines = self.places.iter().zip(&self.lines).zip(is_idle);
        let idle = lines.filter(|(_, is_idle)| *is_idle);
        idle.map(|((place, line), _)| format!("{place}: `{line}`")).collect()
    }

    fn place(&self, name: &str) -> Option<&str> {
        let first = self.set.matches(name).iter().next()?;
        self.places.get(first).map(String::as_str)
    }
}

/// The path with `{adapter}` replaced. A path that is not UTF-8 is unchanged.
fn on_adapter(path: &Path, adapter: Option<&Adapter>) -> PathBuf {
    let Some(text) = path.to_str() else { return path.to_owned() };
    let name = adapter.map_or_else(|| "none".to_owned(), Adapter::folder);
    PathBuf::from(text.replace("{adapter}", &name))
}

fn read(path: &Path) -> anyhow::Result<String> {
    let read = || anyhow::Ok(String::from_utf8(std::fs::read(path)?)?);
    read().with_context(|| format!("cannot read the list {}", path.display()))
}

/// Lines that apply to the adapter with this title and are neither empty nor comments, with their places.
fn lines<'a>(
    path: &Path,
    text: &'a str,
    title: Option<&str>,
) -> anyhow::Result<Vec<(String, &'a str)>> {
    let mut pattern = AdapterPattern::Any;
    let mut found = Vec::new();
    // Editors on Windows begin files with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (line, number) in text.lines().zip(1_usize..) {
        let place = format!("{}:{number}", path.display());
        if is_guard(line) {
            pattern =
                guard(line).map_err(|(column, message)| anyhow!("{place}:{column}: {message}"))?;
        } else if !line.trim().is_empty() && !line.starts_with('#') && pattern.fits(title) {
            found.push((place, line));
        }
    }
    Ok(found)
}

/// True for a line that is meant to be a guard: one that begins with `#@`, or with `# @` before a word like `adapter`.
/// Lists of other programs may have `# @name` in comments.
fn is_guard(line: &str) -> bool {
    let Some(rest) = line.trim_start().strip_prefix('#') else { return false };
    let word = || {
        let behind = rest.trim_start().strip_prefix('@')?.split_whitespace().next()?;
        nearest_word(&behind.to_lowercase(), [ADAPTER])
    };
    rest.starts_with('@') || word().is_some()
}

/// Parses the pattern in a line `#@ adapter PATTERN`. The error has the column of the mistake.
fn guard(line: &str) -> Result<AdapterPattern, (usize, String)> {
    let expected = format!("expected `{GUARD} {ADAPTER} PATTERN`");
    let Some(rest) = line.strip_prefix(GUARD) else {
        let (start, _) = line.split_once('@').unwrap_or((line, ""));
        let message = format!("unknown directive `{start}@`; {expected} at the start of the line");
        return Err((1, message));
    };
    let start = line.len() - rest.trim_start().len();
    let word = line[start..].split_whitespace().next().unwrap_or_default();
    let column = line[..start].chars().count() + 1;
    if word != ADAPTER || start == GUARD.len() {
        let nearest = nearest_word(&word.to_lowercase(), [ADAPTER]);
        let help =
            nearest.map_or_else(String::new, |_| format!("; did you mean `{GUARD} {ADAPTER}`?"));
        return Err((column, format!("unknown directive `{word}`; {expected}{help}")));
    }
    let behind = &line[start + word.len()..];
    let column =
        column + word.len() + behind.chars().take_while(|char| char.is_whitespace()).count();
    parse_adapter_pattern(behind.trim()).map_err(|error| (column, error.message))
}

fn refuse(errors: &[String]) -> anyhow::Result<()> {
    if errors.is_empty() {
        return Ok(());
    }
    let mut told: Vec<_> = errors.iter().take(MAX_ERRORS).cloned().collect();
    if let Some(more) = errors.len().checked_sub(MAX_ERRORS).filter(|more| *more > 0) {
        told.push(format!("… and {more} more"));
    }
    bail!(told.join("\nerror: "))
}

fn read_known(
    path: &Path,
    title: Option<&str>,
    known: &mut HashMap<String, Entry>,
) -> anyhow::Result<()> {
    let mut errors = Vec::new();
    for (place, line) in lines(path, &read(path)?, title)? {
        match entry(&place, line) {
            Ok((name, entry)) => {
                if let Some(earlier) = known.get(name) {
                    errors
                        .push(format!("{place}: `{name}` is already listed in {}", earlier.place));
                } else {
                    known.insert(name.to_owned(), entry);
                }
            }
            Err(problem) => errors.push(format!("{place}: {problem}")),
        }
    }
    refuse(&errors)
}

/// Parses a line `name,Status[,reason]`.
fn entry<'a>(place: &str, line: &'a str) -> anyhow::Result<(&'a str, Entry)> {
    let mut fields = line.splitn(3, ',');
    let (name, word) = (fields.next().unwrap_or_default(), fields.next().map(str::trim));
    let Some(word) = word.filter(|word| !word.is_empty()) else {
        bail!("`{line}` has no status; expected `name,Status` or `name,Status,reason`");
    };
    let Some((_, listed)) = WORDS.iter().find(|(known, _)| *known == word) else {
        let nearest = nearest_word(word, WORDS.map(|(known, _)| known));
        let help = nearest.map_or_else(String::new, |known| format!("; did you mean `{known}`?"));
        bail!("unknown status `{word}`{help}");
    };
    let reason = fields.next().map_or_else(String::new, |reason| format!(": {}", reason.trim()));
    let words = format!("{word} in {place}{reason}");
    let known = Known { source: Source::List, listed: *listed, symptom: None, words };
    Ok((name, Entry { known, place: place.to_owned() }))
}

/// Builds the regular expression of a line.
fn pattern(line: &str) -> anyhow::Result<String> {
    let line = line.trim();
    let status = line.rsplit_once(',').map(|(_, word)| word);
    if let Some(word) = status.filter(|word| is_status(word)) {
        bail!(
            "`,{word}` belongs in a list of known failures; this list has one regular expression per line"
        );
    }
    let is_plain =
        !line.contains(['*', '+', '?', '(', ')', '[', ']', '{', '}', '|', '^', '$', '\\']);
    let expression = if is_plain { regex::escape(line) } else { line.to_owned() };
    if let Err(error) = regex::Regex::new(&expression) {
        // Only the last line has the message; those before show the expression.
        let text = error.to_string();
        let what = text.lines().last().unwrap_or(&text).trim_start_matches("error: ");
        bail!("`{line}` is not a valid regular expression: {what}");
    }
    Ok(if line.contains(".*") { expression } else { format!("^(?:{expression})$") })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// Reads lists with these contents; messages call the file `list`.
    fn read_lists(known: &str, flakes: &str, skips: &str) -> Result<Lists, String> {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            vec![path]
        };
        let options = ListOptions {
            known_failures: write("known", known),
            flakes: write("flakes", flakes),
            skips: write("skips", skips),
        };
        let prefix = format!("{}/", folder.path().display());
        Lists::read(&options, None).map_err(|error| format!("{error:#}").replace(&prefix, ""))
    }

    #[track_caller]
    fn check_errors(known: &str, skips: &str, expected: Expect) {
        expected.assert_eq(&read_lists(known, "", skips).expect_err("the list is wrong"));
    }

    #[test]
    fn every_wrong_line_of_a_list_is_told() {
        check_errors(
            "a,Fail\n# b\n\nb,Fial\nc\nd,\na,Crash\n",
            "",
            expect![[r"
                known:4: unknown status `Fial`; did you mean `Fail`?
                error: known:5: `c` has no status; expected `name,Status` or `name,Status,reason`
                error: known:6: `d,` has no status; expected `name,Status` or `name,Status,reason`
                error: known:7: `a` is already listed in known:1"]],
        );
        check_errors(
            "",
            "a(\nb,Fail\n",
            expect![[r"
                skips:1: `a(` is not a valid regular expression: unclosed group
                error: skips:2: `,Fail` belongs in a list of known failures; this list has one regular expression per line"]],
        );
    }

    #[test]
    fn lines_may_be_for_some_adapters_only() {
        let text = "a,Fail\n#@ adapter \"mesa\" < 23\nb,Fail\n#@ adapter any\nc,Fail\n";
        let known = |title: Option<&str>| {
            let lines = lines(Path::new("list"), text, title).unwrap();
            lines.iter().map(|(_, line)| &line[..1]).collect::<String>()
        };
        assert_eq!(known(Some("vulkan · llvmpipe · llvmpipe Mesa 22.3.6")), "abc");
        assert_eq!(known(Some("vulkan · llvmpipe · llvmpipe Mesa 25.0.7")), "ac");
        assert_eq!(known(None), "ac");
        let wrong = "a,Fail\n#@ adapter mesa\n";
        check_errors(
            wrong,
            "",
            expect![
                "known:2:12: expected `any` or a part of the adapter's name in quotes, found `mesa`"
            ],
        );
    }

    #[track_caller]
    fn check_guard(line: &str, expected: Expect) {
        let text = format!("a,Fail\n{line}\nb,Fail\n");
        let known = read_lists(&text, "", "").expect_err("the line is wrong");
        expected.assert_eq(&known);
        for list in ["flakes", "skips"] {
            let lines = text.replace(",Fail", "");
            let [flakes, skips] =
                ["flakes", "skips"].map(|name| if name == list { &*lines } else { "" });
            let error = read_lists("", flakes, skips).expect_err("the line is wrong");
            assert_eq!(error, known.replace("known:", &format!("{list}:")));
        }
    }

    #[test]
    fn a_misspelt_limit_is_no_comment() {
        check_guard(
            "#@ adaptor \"nvidia\"",
            expect![
                "known:2:4: unknown directive `adaptor`; expected `#@ adapter PATTERN`; did you mean `#@ adapter`?"
            ],
        );
        check_guard(
            "#@adapter \"nvidia\"",
            expect![
                "known:2:3: unknown directive `adapter`; expected `#@ adapter PATTERN`; did you mean `#@ adapter`?"
            ],
        );
        check_guard(
            "#@ Adapter \"nvidia\"",
            expect![
                "known:2:4: unknown directive `Adapter`; expected `#@ adapter PATTERN`; did you mean `#@ adapter`?"
            ],
        );
        check_guard(
            "# @ adapter \"nvidia\"",
            expect![
                "known:2:1: unknown directive `# @`; expected `#@ adapter PATTERN` at the start of the line"
            ],
        );
        check_guard(
            "  #@ adapter \"nvidia\"",
            expect![
                "known:2:1: unknown directive `  #@`; expected `#@ adapter PATTERN` at the start of the line"
            ],
        );
        check_guard(
            "#@ adapters \"nvidia\"",
            expect![
                "known:2:4: unknown directive `adapters`; expected `#@ adapter PATTERN`; did you mean `#@ adapter`?"
            ],
        );
        check_guard(
            "#@ driver \"nvidia\"",
            expect!["known:2:4: unknown directive `driver`; expected `#@ adapter PATTERN`"],
        );
        check_guard(
            "#@",
            expect!["known:2:3: unknown directive ``; expected `#@ adapter PATTERN`"],
        );
        check_guard("#@ adapter", expect!["known:2:11: missing an adapter"]);
        check_guard("#@ adapter  \"nvidia", expect!["known:2:13: a quote is not closed"]);
    }

    /// Mesa's lists have comments, empty lines and carriage returns.
    #[test]
    fn lists_of_other_programs_are_read() {
        let list = "\u{feff}# piglit: adapter @ 22\r\n# @someone: why?\r\n#\r\n##@ adapters\r\n\r\na,Fail\r\n#b,Fail\r\nc,Crash\r\n";
        let lists = read_lists(list, "", "").expect("the list is right");
        assert_eq!(["a", "b", "c"].map(|name| lists.known(name).len()), [1, 0, 1]);
    }

    #[test]
    fn known_failures_are_exact_and_named_as_in_results_csv() {
        let lists = read_lists("a#x=1;y=2,Fail,slow, and wrong\n", "", "").unwrap();
        let [known] = &lists.known("a#x=1;y=2")[..] else { panic!("one entry") };
        assert_eq!(known.listed, Listed::Fail);
        assert!(known.words.ends_with("known:1: slow, and wrong"), "{}", known.words);
        assert_eq!(lists.known("a#x=1;y=20"), []);
        assert_eq!(lists.idle_lines(&["b"]).len(), 1);
        assert_eq!(lists.idle_lines(&["a#x=1;y=2"]).len(), 0);
    }

    #[track_caller]
    fn check_pattern(line: &str, matching: &[&str], other: &[&str]) {
        let lists = read_lists("", line, line).unwrap();
        for name in matching {
            assert!(lists.skip(name).is_some() && lists.known(name).len() == 1, "{line} {name}");
        }
        for name in other {
            assert!(lists.skip(name).is_none() && lists.known(name).is_empty(), "{line} {name}");
        }
    }

    #[test]
    fn lines_that_match_no_case_are_told() {
        let lists = read_lists("", "b\n", "v/.*\nw/.*\n").unwrap();
        let idle: Vec<_> = lists.idle_lines(&["a", "v/x"]);
        let ends: Vec<_> = idle.iter().filter_map(|line| line.rsplit('/').next_back()).collect();
        assert_eq!(idle.len(), 2, "{ends:?}");
        assert!(
            idle[0].ends_with("flakes:1: `b`") && idle[1].ends_with("skips:2: `w/.*`"),
            "{idle:?}"
        );
    }

    #[test]
    fn patterns_match_whole_names_unless_they_contain_a_dot_and_a_star() {
        check_pattern("v/p.10", &["v/p.10"], &["v/p.100", "v/px10", "a/v/p.10"]);
        check_pattern("v/p.(10|20)", &["v/p.10", "v/px20"], &["v/p.100"]);
        check_pattern("p.*0", &["v/p.10", "v/p.100"], &["v/p.11"]);
        check_pattern("# p.*0", &[], &["v/p.10"]);
    }
}
