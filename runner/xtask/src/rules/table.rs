//! The table of rules that can be switched off, `table.txt`.
//!
//! An entry is a line with the rules and a file, then the code that implements them after `-`, and the code without the
//! rule after `+`:
//!
//! ```text
//! C2 E1 src/link/pack.rs
//! - parts.sort_by_key(by_order)
//! + parts.sort_unstable_by_key(by_order)
//! ```
//!
//! The code is matched by its words, regardless of line breaks, and must occur in the file once. If it has a part in
//! «», only that part is replaced, and the rest identifies the place. The replacement is an expression, or any code
//! with `$old` for the original code and `$off`, which is true if the entry is selected. A line that begins with `#` is
//! a comment. An entry for the rule `any` is switched off together with every other entry.

use std::ops::Range;

use crate::mutants::sample::Mutant;
use crate::mutants::site::{IS, Site};

const TABLE: &str = include_str!("table.txt");

/// Delimiters of the replaced part.
const MARKS: [char; 2] = ['«', '»'];

/// Code that can be switched off, and its rules.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) rules: Vec<String>,
    /// Line of the entry in the table.
    pub(super) line: usize,
    pub(super) file: String,
    old: String,
    new: String,
}

/// All entries.
pub(super) fn entries() -> Result<Vec<Entry>, String> {
    parse(TABLE)
}

fn parse(text: &str) -> Result<Vec<Entry>, String> {
    let mut entries: Vec<Entry> = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let wrong = |what: &str| format!("table.txt:{line}: {what}");
        let (mark, rest) = text.split_at_checked(1).unwrap_or_default();
        match mark {
            "" | "#" => {}
            "-" | "+" => {
                let entry = entries.last_mut().ok_or_else(|| {
                    wrong("a line with `-` or `+` must follow the head of an entry")
                })?;
                let part = if mark == "-" { &mut entry.old } else { &mut entry.new };
                part.push_str(rest);
                part.push('\n');
            }
            _ => {
                let (rules, file) =
                    text.rsplit_once(' ').ok_or_else(|| wrong("expected rules and a file"))?;
                let rules = rules.split_whitespace().map(str::to_owned).collect();
                let (old, new) = (String::new(), String::new());
                entries.push(Entry { rules, line, file: file.to_owned(), old, new });
            }
        }
    }
    match entries.iter().find(|entry| entry.old.trim().is_empty() || entry.new.trim().is_empty()) {
        Some(entry) => {
            Err(format!("table.txt:{}: an entry needs lines with `-` and with `+`", entry.line))
        }
        None => Ok(entries),
    }
}

impl Entry {
    /// True if the entry is switched off together with every other one.
    pub(super) fn is_for_any(&self) -> bool {
        self.rules == ["any"]
    }

    /// Converts the entry to a change of the file with this text.
    pub(super) fn change(&self, number: usize, text: &str) -> Result<Mutant, String> {
        let [ref whole] = places_of(&self.old.replace(MARKS, ""), text)[..] else {
            let Self { line, file, old, .. } = self;
            return Err(format!(
                "table.txt:{line}: {file} does not contain this exactly once: {}",
                old.trim()
            ));
        };
        let bytes = self.marked(whole.clone(), text);
        // No entry has the number 0.
        let off = if self.is_for_any() { "!ir::mutant::is(0)" } else { IS };
        let new = self.new.trim().replace("$off", off);
        let (before, behind) = match new.split_once("$old") {
            Some((before, behind)) => (before.to_owned(), behind.to_owned()),
            None => (format!("(if {off} {{ {new} }} else {{ "), " })".to_owned()),
        };
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let site = Site {
            within: self.rules.join(" "),
            line: text[..bytes.start].matches('\n').count() + 1,
            bytes,
            kind: "rule",
            original: one_line(&self.old),
            mutated: one_line(&self.new),
            before,
            behind,
        };
        Ok(Mutant::alone(number, &self.file, site))
    }
}

impl Entry {
    /// The replaced part of the code at `whole`.
    fn marked(&self, whole: Range<usize>, text: &str) -> Range<usize> {
        let parts: Vec<&str> = self.old.split(MARKS).collect();
        let [before, part, _] = parts[..] else { return whole };
        let first = |piece: &str, from: usize| {
            let found = places_of(piece, &text[from..]).into_iter().next();
            found.map_or(from..from, |place| from + place.start..from + place.end)
        };
        first(part, first(before, whole.start).end)
    }
}

/// Positions in `text` where the words of `piece` occur in order, with any white space between them.
fn places_of(piece: &str, text: &str) -> Vec<Range<usize>> {
    let words: Vec<&str> = piece.split_whitespace().collect();
    let Some(first) = words.first() else { return Vec::new() };
    let end_at = |start: usize| {
        words.iter().enumerate().try_fold(start, |at, (idx, word)| {
            let rest = &text[at..];
            let trimmed = rest.trim_start();
            // Words must be separated here if and only if they are in the piece.
            let is_apart = trimmed.len() < rest.len();
            let behind = trimmed.strip_prefix(word)?;
            (idx == 0 || is_apart).then_some(text.len() - behind.len())
        })
    };
    let starts = text.match_indices(first);
    starts.filter_map(|(start, _)| Some(start..end_at(start)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Entry, entries, parse};

    /// An entry whose code has changed would switch nothing off.
    #[test]
    fn the_code_of_every_entry_is_where_the_table_says() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for entry in entries().expect("the table is right") {
            let text = std::fs::read_to_string(root.join(&entry.file)).unwrap_or_default();
            if let Err(error) = entry.change(1, &text) {
                panic!("{error}");
            }
        }
    }

    /// Without an entry, nothing shows that a rule matters.
    #[test]
    fn every_rule_with_tests_has_an_entry() {
        let page = include_str!("../../../../docs/checklist.md");
        let entries = entries().expect("the table is right");
        let rows = super::super::checklist::rows(page);
        let is_open = |number: &String| !entries.iter().any(|it| it.rules.contains(number));
        let open: Vec<String> = rows.into_iter().map(|row| row.number).filter(is_open).collect();
        assert_eq!(open, [""; 0]);
    }

    const TEXT: &str = "fn f() {\n    let a = b(\n        c,\n    );\n    g(a);\n}\n";

    fn change(table: &str) -> Result<(String, String), String> {
        let entries: Vec<Entry> = parse(table)?;
        let site = entries[0].change(7, TEXT)?.site;
        Ok((site.before, site.behind))
    }

    #[test]
    fn a_piece_is_found_by_its_words() {
        let expression = change("C1 E1 a.rs\n- b( c, )\n+ 1\n");
        assert_eq!(expression, Ok(("(if \u{1} { 1 } else { ".to_owned(), " })".to_owned())));
        let statement = change("C1 a.rs\n# why\n- g(a);\n+ if !$off {\n+ $old }\n");
        assert_eq!(statement, Ok(("if !\u{1} {\n ".to_owned(), " }".to_owned())));
        let change =
            parse("C1 a.rs\n- let a = «b( c, )»;\n+ 1\n").expect("right")[0].change(7, TEXT);
        assert_eq!(
            change.map(|mutant| TEXT[mutant.site.bytes].to_owned()),
            Ok("b(\n        c,\n    )".to_owned())
        );
    }

    #[test]
    fn what_is_wrong_in_the_table_is_named() {
        let error = |table| change(table).expect_err("wrong");
        assert_eq!(
            error("- a\n"),
            "table.txt:1: a line with `-` or `+` must follow the head of an entry"
        );
        assert_eq!(error("C1\n- a\n"), "table.txt:1: expected rules and a file");
        assert_eq!(
            error("\nC1 a.rs\n- g(a);\n"),
            "table.txt:2: an entry needs lines with `-` and with `+`"
        );
        assert_eq!(
            error("C1 a.rs\n- h(a)\n+ 1\n"),
            "table.txt:1: a.rs does not contain this exactly once: h(a)"
        );
        assert_eq!(
            error("C1 a.rs\n- a\n+ 1\n"),
            "table.txt:1: a.rs does not contain this exactly once: a"
        );
    }
}
