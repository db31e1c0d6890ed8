//! Sources of stages: the text of a shader without backslashes, with its placeholders filled in, as numbered lines.

use ir::diagnostic::{Diagnostic, nearest_word};
use ir::source::{Source, Span};

use super::read::escape;
use super::syntax::Shader;
use super::templates::Parameters;

/// Maximum size of a composed case.
pub(super) const MAX_BYTES: usize = case::limits::MAX_FILE_BYTES;

/// A line of a composed case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// The text, without its line end.
    pub(super) text: String,
    /// Number of the line of the file that it comes from.
    pub(super) number: usize,
}

/// A `#extension` line, and the number of the line that requires the extension.
pub(super) type ExtensionLine = Line;

/// The lines of a text, all of which come from one line of the file.
pub(super) fn lines_at(text: &str, number: usize) -> impl Iterator<Item = Line> {
    text.lines().map(move |text| Line { text: text.to_owned(), number })
}

/// The lines of a shader with its placeholders filled in, and with `extensions` above the first line that is no
/// directive.
///
/// # Errors
/// A placeholder is unknown or not closed, or the text becomes too large.
pub(super) fn filled(
    source: &Source,
    shader: &Shader,
    parameters: &Parameters,
    extensions: &[ExtensionLine],
) -> Result<Vec<Line>, Diagnostic> {
    check_placeholders(source, shader, parameters)?;
    let mut lines = Vec::new();
    let mut bytes = 0_usize;
    let mut plain = plain_lines(source, shader);
    unindent_continued(&mut plain);
    for line in plain {
        let first = lines.len();
        fill(&line, parameters, &mut lines);
        bytes += lines[first..].iter().map(|line| line.text.len() + 1).sum::<usize>();
        if bytes > MAX_BYTES {
            let message = "the shader is too large with its placeholders filled in";
            return Err(Diagnostic::error(shader.keyword, message));
        }
    }
    let is_directive = |line: &Line| line.text.trim_start_matches([' ', '\t']).starts_with('#');
    if let Some(at) = lines.iter().position(|line| !is_directive(line)) {
        lines.splice(at..at, extensions.iter().cloned());
    }
    Ok(lines)
}

/// The lines of the source without backslashes. The line of the opening quotation marks counts only if it has text,
/// which stays in its column.
fn plain_lines(source: &Source, shader: &Shader) -> Vec<Line> {
    let raw = source.slice(shader.text);
    let (mut number, column) = source.line_and_column(shader.text.start);
    let trimmed = raw.trim_start_matches(' ');
    let blanks = raw.len() - trimmed.len();
    let unmarked = trimmed.strip_prefix('\r').unwrap_or(trimmed);
    let (text, mut line) = match unmarked.strip_prefix('\n') {
        Some(text) => {
            number += 1;
            (text, String::new())
        }
        None => (trimmed, " ".repeat(column - 1 + blanks)),
    };
    let mut lines = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let (letter, is_escaped) = match letter {
            '\\' => (letters.next().unwrap_or('\\'), true),
            '\r' if letters.peek() == Some(&'\n') => continue,
            other => (other, false),
        };
        let meant = if is_escaped { escape(letter) } else { letter };
        if meant == '\n' {
            lines.push(Line { text: std::mem::take(&mut line), number });
            number += usize::from(letter == '\n');
        } else {
            line.push(meant);
        }
    }
    lines.push(Line { text: line, number });
    lines
}

/// Removes the indentation of the first line from lines that continue the line before, because a token may go on there.
/// The suite removes it from every line; here the others keep their columns.
fn unindent_continued(lines: &mut [Line]) {
    let width = |blank: char| match blank {
        ' ' => Some(1),
        '\t' => Some(4),
        _ => None,
    };
    let Some(first) = lines.first() else { return };
    let indentation: usize = first.text.chars().map_while(width).sum();
    let mut is_continued = false;
    for line in lines {
        if is_continued {
            let mut removed = 0;
            let is_indentation = |blank: char| {
                let is_it = removed < indentation && width(blank).is_some();
                removed += width(blank).unwrap_or(0);
                is_it
            };
            line.text = line.text.trim_start_matches(is_indentation).to_owned();
        }
        is_continued = line.text.ends_with('\\');
    }
}

/// A placeholder in a line.
struct Placeholder<'a> {
    /// Text before it.
    before: &'a str,
    name: &'a str,
    /// The word behind the name and a colon; empty without one.
    flag: &'a str,
    /// Text behind it.
    after: &'a str,
}

/// The first placeholder of a text.
fn placeholder(text: &str) -> Option<Placeholder<'_>> {
    let (before, rest) = text.split_once("${")?;
    let (inside, after) = rest.split_once('}')?;
    let (name, flag) = inside.split_once(':').unwrap_or((inside, ""));
    Some(Placeholder { before, name, flag, after })
}

/// The flag of a placeholder whose text becomes one line.
const SINGLE_LINE: &str = "single-line";

/// Adds the lines that a line becomes.
fn fill(line: &Line, parameters: &Parameters, lines: &mut Vec<Line>) {
    let number = line.number;
    let mut text = String::new();
    let mut rest = line.text.as_str();
    while let Some(found) = placeholder(rest) {
        text += found.before;
        let value = parameters.text(found.name).unwrap_or("");
        if found.flag == SINGLE_LINE {
            text += &value.replace('\n', " ");
        } else {
            let mut parts = value.split('\n');
            text += parts.next().unwrap_or("");
            for part in parts {
                lines.push(Line { text: std::mem::take(&mut text), number });
                text += part;
            }
        }
        rest = found.after;
        // Text behind a placeholder that ends a line keeps its column.
        if text.is_empty() && !rest.trim().is_empty() {
            text = " ".repeat(line.text[..line.text.len() - rest.len()].chars().count());
        }
    }
    text += rest;
    lines.push(Line { text, number });
}

/// Checks that all placeholders are closed on their line and known.
fn check_placeholders(
    source: &Source,
    shader: &Shader,
    parameters: &Parameters,
) -> Result<(), Diagnostic> {
    let mut at = shader.text.start;
    for line in source.slice(shader.text).split_inclusive('\n') {
        let mut rest = line;
        while let Some(start) = rest.find("${") {
            let begin = at + (line.len() - rest.len()) + start;
            let Some(found) = placeholder(&rest[start..]) else {
                let span = Span::new(begin, begin + "${".len());
                return Err(Diagnostic::error(span, "the closing `}` is missing"));
            };
            let end = begin + (rest.len() - start) - found.after.len();
            check_placeholder(&found, parameters, Span::new(begin, end))?;
            rest = found.after;
        }
        at += line.len();
    }
    Ok(())
}

fn check_placeholder(
    found: &Placeholder<'_>,
    parameters: &Parameters,
    span: Span,
) -> Result<(), Diagnostic> {
    if !matches!(found.flag, "" | SINGLE_LINE) {
        return Err(Diagnostic::error(span, format!("unknown flag `{}`", found.flag)));
    }
    if parameters.text(found.name).is_some() {
        return Ok(());
    }
    let known: Vec<&str> = parameters.names().collect();
    let message = format!("this shader has no placeholder `{}`", found.name);
    let help = match nearest_word(found.name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it has {}", known.join(", ")),
    };
    Err(Diagnostic::error(span, message).with_help(help))
}
