//! Colours for the report of one case. They are removed when the output is not a terminal.

use anstyle::{AnsiColor, Style};

use crate::outcome::status::Status;

/// Colours the heading's first word and the expected and actual values, and dims the command that repeats the case.
pub fn block(text: &str, status: Status) -> String {
    let heading = if status.is_failure() { AnsiColor::Red } else { AnsiColor::Yellow };
    let mut painted = String::new();
    for (idx, line) in text.split_inclusive('\n').enumerate() {
        let word = line.trim_start().split(' ').next().unwrap_or_default();
        match word {
            _ if idx == 0 => {
                let split = status.heading().len().min(line.len());
                let (word, rest) = line.split_at_checked(split).unwrap_or((line, ""));
                painted += &paint(word, heading.on_default().bold());
                painted += rest;
            }
            "expected" => painted += &paint(line, AnsiColor::Green.on_default()),
            "actual" => painted += &paint(line, AnsiColor::Red.on_default()),
            "repeat" => painted += &paint(line, Style::new().dimmed()),
            _ => painted += line,
        }
    }
    painted
}

/// Colours a line without its line end, so that no colour continues on the next line.
fn paint(text: &str, style: Style) -> String {
    let line = text.trim_end_matches('\n');
    format!("{style}{line}{style:#}{}", &text[line.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_its_colours_a_block_is_what_it_was() {
        let text = "FAIL a  vulkan\n    expected  1\n    actual    0\n  repeat    x\n";
        let painted = block(text, Status::Fail);
        assert!(painted.starts_with("\u{1b}[1m\u{1b}[31mFAIL\u{1b}[0m a  vulkan\n"), "{painted:?}");
        assert!(painted.contains("\u{1b}[32m    expected  1\u{1b}[0m\n"), "{painted:?}");
        assert_eq!(anstream::adapter::strip_str(&painted).to_string(), text);
    }
}
