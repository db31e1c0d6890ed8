//! The rules of the formatter: text to text.
//!
//! * Lines end in `\n`, without white space before it, and the last line ends too.
//! * One blank line precedes each header; none does if a comment or a line of `@for` directly above belongs to it.
//! * Headers have single blanks between their words.
//! * In `[require]`, `[link]` and `[test]`, single blanks separate words and precede comments. Indentation stays.
//! * Outside shader text, several blank lines become one.
//!
//! Shader text keeps everything else, and its line numbers. SPIR-V with a string of several lines stays as written.

use interstage::case::outline::{Content, OutlinedSection, outline};
use interstage::case::{Dialect, Language};
use interstage::ir::source::Span;

use super::meaning::has_open_string;

/// Sections in which single blanks separate words.
const SPACED: [&str; 3] = ["require", "link", "test"];

/// Formats the text of a case file.
pub(super) fn formatted(text: &str, dialect: Dialect) -> String {
    let sections = outline(text, dialect);
    let mut output = Output::default();
    let top = sections.first().map_or(text.len(), |first| first.header.start);
    for line in text[..top].lines() {
        output.push_sparse(trimmed(line));
    }
    for section in &sections {
        output.push_header(&header(text, section));
        output.is_shader = section.content != Content::Lines;
        let body = &text[section.body.start..section.body.end];
        let is_kept = is_assembly(section) && has_open_string(body);
        for line in body.lines() {
            if is_kept {
                output.lines.push(line.to_owned());
            } else {
                output.push_body(line, section);
            }
        }
    }
    output.finish()
}

fn is_assembly(section: &OutlinedSection) -> bool {
    matches!(section.content, Content::Shader { language: Language::SpirvAssembly, .. })
}

/// The formatted lines so far.
#[derive(Debug, Default)]
struct Output {
    lines: Vec<String>,
    /// True if the last section has shader text, or may have.
    is_shader: bool,
}

impl Output {
    /// Adds a line of a body.
    fn push_body(&mut self, line: &str, section: &OutlinedSection) {
        match section.content {
            Content::Shader { .. } | Content::Include | Content::Unknown => {
                self.lines.push(trimmed(line).to_owned());
            }
            Content::Lines if SPACED.contains(&section.words.as_str()) => {
                let line = spaced(line, section.words == "test");
                self.push_sparse(&line);
            }
            Content::Lines => self.push_sparse(trimmed(line)),
        }
    }

    /// Adds a line, unless it is blank and follows a blank line.
    fn push_sparse(&mut self, line: &str) {
        let is_after_blank = self.lines.last().is_none_or(String::is_empty);
        if !line.is_empty() || !is_after_blank {
            self.lines.push(line.to_owned());
        }
    }

    /// Adds a header, with a blank line above it.
    fn push_header(&mut self, header: &str) {
        let count = self.lines.len();
        self.trim();
        let had_blank = self.lines.len() < count;
        let belongs = self.lines.last().is_some_and(|last| {
            let first = last.split_whitespace().next().unwrap_or("");
            matches!(first, "@for" | "@end") || first.starts_with('#') && !self.is_shader
        });
        if !self.lines.is_empty() && (had_blank || !belongs) {
            self.lines.push(String::new());
        }
        self.lines.push(header.to_owned());
    }

    /// Removes blank lines at the end.
    fn trim(&mut self) {
        while self.lines.last().is_some_and(String::is_empty) {
            self.lines.pop();
        }
    }

    fn finish(mut self) -> String {
        self.trim();
        self.lines.into_iter().map(|line| line + "\n").collect()
    }
}

/// The line of a section's header.
fn header(text: &str, section: &OutlinedSection) -> String {
    let Span { start, end } = section.header;
    let written = &text[start..end];
    let rest = text[end..].lines().next().unwrap_or("").trim();
    let is_known = section.content != Content::Unknown && written.ends_with(']');
    let own = if is_known { format!("[{}]", section.words) } else { written.to_owned() };
    if rest.is_empty() { own } else { format!("{own} {rest}") }
}

/// The line without white space at its end, unless a backslash would then be the last character: a backslash continues
/// a line of GLSL only if nothing follows it.
fn trimmed(line: &str) -> &str {
    let trimmed = line.trim_end();
    if trimmed.ends_with('\\') { line } else { trimmed }
}

/// The line with single blanks between words. Parentheses and commas separate words if `has_punctuation`.
fn spaced(line: &str, has_punctuation: bool) -> String {
    let line = line.trim_end();
    let code = line.trim_start();
    if code.starts_with(['@', '#']) {
        return line.to_owned();
    }
    let mut result = line[..line.len() - code.len()].to_owned();
    let mut rest = code;
    while !rest.is_empty() {
        let length = word_length(rest, has_punctuation);
        let (word, behind) = rest.split_at(length);
        result.push_str(word);
        rest = behind.trim_start();
        if rest.len() < behind.len() {
            result.push(' ');
        }
    }
    result
}

/// Length of the word, the comment or the punctuation mark at the start of `text`, which is not blank.
fn word_length(text: &str, has_punctuation: bool) -> usize {
    let is_mark = |letter: char| has_punctuation && matches!(letter, '(' | ')' | ',');
    match text.chars().next() {
        Some('#') | None => text.len(),
        Some('"') => text[1..].find('"').map_or(text.len(), |length| length + 2),
        Some(first) if is_mark(first) => first.len_utf8(),
        Some(_) => {
            let mut length = 0;
            while let Some(letter) = text[length..].chars().next() {
                if letter.is_whitespace() || is_mark(letter) {
                    break;
                }
                let expression = text[length..].starts_with("${").then(|| text[length..].find('}'));
                length += expression.flatten().map_or(letter.len_utf8(), |closing| closing + 1);
            }
            length
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let found = formatted(text, Dialect::Interstage);
        assert_eq!(found, expect);
        assert_eq!(formatted(&found, Dialect::Interstage), expect, "not idempotent");
    }

    #[test]
    fn words_are_separated_by_single_blanks_outside_quotes_and_expressions() {
        check(
            "[test]\n  draw   rect\t-1 -1  2 2 # why  so\nlink error  \"two  words\"#x\nprobe  all rgba (1,  ${a  +  b}) \n",
            "[test]\n  draw rect -1 -1 2 2 # why  so\nlink error \"two  words\"#x\nprobe all rgba (1, ${a  +  b})\n",
        );
        check(
            "[require]\nGLSL  >=  1.30\n[link]\na   0.xy\n",
            "[require]\nGLSL >= 1.30\n\n[link]\na 0.xy\n",
        );
    }

    #[test]
    fn other_sections_keep_their_columns() {
        let text = "[parameters]\nvalue = 1  2\nonly  = value == 1\n\n[vertex data]\na/float/vec2\n-1 -1\n 1 -1\n";
        check(text, text);
    }

    #[test]
    fn one_blank_line_precedes_a_header() {
        check(
            "\n\n# top\n\n\n[test]\nclear\n\n\n\nclear\n[link]\n\n\n",
            "# top\n\n[test]\nclear\n\nclear\n\n[link]\n",
        );
        check(
            "# top\n[test]\n@for i in 0..2\n[link]\n@end\n[expect]\n",
            "# top\n[test]\n@for i in 0..2\n[link]\n@end\n[expect]\n",
        );
    }

    #[test]
    fn shader_text_keeps_its_lines_and_continuations() {
        check(
            "[ vertex  shader ]\n\n#define A \\ \n  int   x;  \n\n\n#endif\n[fragment shader] # last\r\nx\r\n\r\n",
            "[vertex shader]\n\n#define A \\ \n  int   x;\n\n\n#endif\n\n[fragment shader] # last\nx\n",
        );
    }

    #[test]
    fn strings_of_several_lines_stay_as_written() {
        let text = "[vertex shader spirv]\nOpString \"a  \nb\" \n";
        check(text, text);
        check("[vertex shader spirv]\nOpNop  \n", "[vertex shader spirv]\nOpNop\n");
    }

    #[test]
    fn wrong_headers_stay_as_written() {
        check("[tset  x]\na   b  \n[test", "[tset  x]\na   b\n\n[test\n");
    }
}
