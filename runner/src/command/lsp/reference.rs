//! Descriptions of sections and words, from the reference of the case format.

use std::sync::LazyLock;

use interstage::case::vocabulary::{Term, vocabulary};

/// Pages of the reference, which a test compares with the words of the reader, and the sections that each describes.
const PAGES: [(&[&str], &str); 9] = [
    (&["require"], include_str!("../../../../docs/format/require.md")),
    (&["parameters"], include_str!("../../../../docs/format/parameters.md")),
    (&["varyings"], include_str!("../../../../docs/format/varyings.md")),
    (&["vertex data", "index data"], include_str!("../../../../docs/format/vertex-data.md")),
    (&["render targets"], include_str!("../../../../docs/format/render-targets.md")),
    (&["link"], include_str!("../../../../docs/format/link.md")),
    (&["capture"], include_str!("../../../../docs/format/capture.md")),
    (&["test"], include_str!("../../../../docs/format/test.md")),
    (&["expect"], include_str!("../../../../docs/format/expect.md")),
];

/// The page about shader sections.
const SHADER_PAGE: &str = include_str!("../../../../docs/format/shaders.md");

/// A row of a table of the reference: one or several forms of a line, and their meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Header of the section, without brackets.
    pub(super) section: &'static str,
    /// The forms.
    pub(super) forms: Vec<String>,
    /// Their meaning, in Markdown.
    pub(super) meaning: String,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(rows);

/// The words that begin lines of cases.
pub(super) static WORDS: LazyLock<Vec<Term>> = LazyLock::new(vocabulary);

/// Sections without a heading of their own, with the first words of the paragraph about them.
const PARAGRAPHS: [(&str, &str); 2] = [
    ("shader include", "`[shader include]` is text"),
    ("shader include paths", "`[shader include]` is text"),
];

/// First words of the paragraph about shader sections.
const SHADERS: &str = "The sections are `[vertex shader]`";

/// The words of the section at the start of `line` that begin its meaning: the longest entry that fits.
pub(super) fn term(section: &str, line: &str) -> Option<&'static Term> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let fits = |term: &&Term| {
        let own: Vec<&str> = term.words.split(' ').collect();
        term.section == section && words.starts_with(&own)
    };
    WORDS.iter().filter(fits).max_by_key(|term| term.words.len())
}

/// The forms and the meaning of the lines that begin with these words, in Markdown.
pub(super) fn about(term: &Term) -> String {
    let arguments = term.arguments.map(|arguments| format!("{} {arguments}", term.words));
    let usage = arguments.map(|usage| format!("```text\n{}\n```", usage.trim_end()));
    let is_about = |row: &&Row| {
        let is_form = |form: &String| self::term(row.section, form) == Some(term);
        row.section == term.section && row.forms.iter().any(is_form)
    };
    let rows = ROWS.iter().filter(is_about).map(|row| {
        let forms = row.forms.iter().map(|form| format!("`{form}`")).collect::<Vec<_>>();
        format!("{} — {}", forms.join(", "), row.meaning)
    });
    usage.into_iter().chain(rows).collect::<Vec<_>>().join("\n\n")
}

/// A short form of the lines that begin with these words.
pub(super) fn usage(term: &Term) -> String {
    if let Some(arguments) = term.arguments {
        return format!("{} {arguments}", term.words).trim_end().to_owned();
    }
    let forms = ROWS.iter().filter(|row| row.section == term.section).flat_map(|row| &row.forms);
    let mut forms = forms.filter(|form| self::term(term.section, form) == Some(term));
    forms.next().cloned().unwrap_or_else(|| term.words.to_owned())
}

/// The description of the section with these words in its header, in Markdown.
pub(super) fn about_section(words: &str) -> Option<String> {
    let is_shader = words.contains(" shader");
    let paragraph = PARAGRAPHS.iter().find(|(header, _)| *header == words);
    let start = paragraph.map(|(_, start)| *start).or(is_shader.then_some(SHADERS));
    if let Some(start) = start {
        let line = SHADER_PAGE.lines().find(|line| line.starts_with(start))?;
        return Some(without_links(line));
    }
    let (_, page) = PAGES.iter().find(|(sections, _)| sections.contains(&words))?;
    let is_text = |line: &&str| !line.is_empty() && !line.starts_with(['#', '|', '`']);
    page.lines().find(is_text).map(without_links)
}

/// All rows of tables of the pages.
fn rows() -> Vec<Row> {
    let lines =
        PAGES.iter().flat_map(|(sections, page)| page.lines().map(|line| (sections[0], line)));
    let row = |(section, line): (&'static str, &str)| match &cells(line)[..] {
        [forms, meaning] => {
            let forms = forms.split('`').skip(1).step_by(2).map(str::to_owned).collect();
            Some(Row { section, forms, meaning: without_links(meaning) })
        }
        _ => None,
    };
    lines.filter_map(row).collect()
}

/// The cells of a row of a table; none in any other line.
fn cells(line: &str) -> Vec<String> {
    let Some(inside) = line.strip_prefix("| ").and_then(|line| line.strip_suffix('|')) else {
        return Vec::new();
    };
    // `\|` is a bar inside a cell.
    let cells = inside.replace("\\|", "\u{0}");
    cells.split('|').map(|cell| cell.trim().replace('\u{0}', "|")).collect()
}

/// Markdown with the texts of links, but without their targets, which the editor cannot open.
fn without_links(markdown: &str) -> String {
    let mut result = String::new();
    let mut rest = markdown;
    while let Some((before, behind)) = rest.split_once("](") {
        let Some((text, after)) = before.rsplit_once('[').zip(behind.split_once(')')) else {
            result.push_str(before);
            result.push_str("](");
            rest = behind;
            continue;
        };
        let ((lead, name), (_, tail)) = (text, after);
        result.push_str(lead);
        result.push_str(name);
        rest = tail;
    }
    // Nothing is below a text in an editor.
    let words = [", see below", "; see below"];
    words.iter().fold(result + rest, |text, words| text.replace(words, ""))
}

#[cfg(test)]
mod tests {
    use interstage::case::vocabulary::headers;

    use super::*;

    #[test]
    fn every_word_and_every_section_has_a_description() {
        let lacking: Vec<_> = WORDS
            .iter()
            .filter(|term| ["require", "link", "test"].contains(&term.section))
            .filter(|term| !about(term).contains(" — "))
            .map(|term| format!("[{}] {}", term.section, term.words))
            .collect();
        assert!(lacking.is_empty(), "{lacking:#?}");
        for header in headers() {
            assert!(about_section(&header).is_some(), "{header}");
        }
        assert_eq!(about_section("tset"), None);
    }

    #[test]
    fn the_longest_words_that_fit_decide() {
        let words = |section, line| term(section, line).map(|term| term.words);
        assert_eq!(words("test", "clear color 0 0 0 0"), Some("clear color"));
        assert_eq!(words("test", "clear"), Some("clear"));
        assert_eq!(words("test", "  probe  depth 1"), Some("probe depth"));
        assert_eq!(words("link", "slots 3"), Some("slots"));
        assert_eq!(words("link", "probe"), None);
        assert_eq!(words("require", "GLSL >= 1.30"), Some("GLSL"));
    }

    #[test]
    fn a_description_has_the_usage_and_the_rows_of_the_reference() {
        let found = about(term("test", "probe depth").expect("it is a command"));
        assert_eq!(
            found,
            "```text\nprobe depth x y z\n```\n\n`probe depth x y z` — the depth buffer at a pixel, compared as a float"
        );
        let found = about(term("link", "slots 1").expect("it is a line"));
        assert_eq!(found, "`slots 3` — this number of used slots");
    }

    #[test]
    fn links_become_text_and_bars_stay() {
        assert_eq!(without_links("b, see [below](#x) or [a][b](c), f(x)"), "b or [a]b, f(x)");
        assert_eq!(cells("| `a\\|b` | c |"), ["`a|b`", "c"]);
    }
}
