//! Compares what two texts of a case file mean.

use std::sync::Arc;

use interstage::case::parse::{CaseError, ParsedCase};
use interstage::case::{Case, Language};
use interstage::ir::diagnostic;
use interstage::ir::source::{Source, Span};

use crate::files::case_file;

/// The meaning of a text, as text without positions: equal for equal cases.
///
/// # Errors
/// The text is not a case: the message, with file, line and column.
pub(super) fn meaning(path: &str, text: &str) -> Result<String, String> {
    let mut meaning = String::new();
    each_case(path, text, |case| meaning.push_str(&of_case(case)))?;
    Ok(meaning)
}

/// Checks that a text is a case.
///
/// # Errors
/// As for [`meaning`].
pub(super) fn check(path: &str, text: &str) -> Result<(), String> {
    each_case(path, text, |_| {})
}

/// Reads the cases of a text, without the files that they name.
fn each_case(path: &str, text: &str, mut see: impl FnMut(&Case)) -> Result<(), String> {
    let cases = case_file::split_at(path, text.as_bytes());
    for case in cases.map_err(|error| format!("{path}: {error}\n"))? {
        let parsed = case.read();
        match &parsed.result {
            Ok(case) => see(case),
            Err(error) => return Err(explained(&parsed, error)),
        }
    }
    Ok(())
}

fn explained(parsed: &ParsedCase, error: &CaseError) -> String {
    match error {
        CaseError::Broken(errors) => diagnostic::render(&parsed.source, errors),
        CaseError::Excluded { reason } => format!("{}: excluded: {reason}\n", parsed.name),
        CaseError::Unsupported { word, span } => {
            let (line, column) = parsed.source.line_and_column(span.start);
            let path = parsed.source.path();
            format!("{path}:{line}:{column}: unsupported by interstage: {word}\n")
        }
    }
}

/// The data of a case and the text of its shaders.
fn of_case(case: &Case) -> String {
    let shaders = case.shaders.iter().map(|shader| {
        let text = case.source.slice(shader.text);
        match shader.language {
            // A string may continue in the next line.
            Language::SpirvAssembly if has_open_string(text) => text.trim_end().to_owned(),
            Language::SpirvAssembly | Language::Glsl | Language::Wgsl | Language::Passthrough => {
                code(text)
            }
        }
    });
    let includes = case.includes.iter().map(|include| code(case.source.slice(include.text)));
    let texts: Vec<_> = shaders.chain(includes).collect();
    let bare = Case { source: Arc::new(Source::new("", "")), ..case.clone() };
    format!("{}\n{texts:?}\n", without_spans(&format!("{bare:?}")))
}

/// True if some line has a string that does not end in it.
pub(super) fn has_open_string(text: &str) -> bool {
    text.lines().any(|line| line.matches('"').count() % 2 == 1)
}

/// The text without white space at the ends of lines, except behind a backslash, and without blank lines at its end.
fn code(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let trimmed = line.trim_end();
        if trimmed.ends_with('\\') { line } else { trimmed }
    });
    let lines: Vec<_> = lines.collect();
    lines.join("\n").trim_end().to_owned()
}

/// Removes the numbers from every position in the text form of data.
fn without_spans(data: &str) -> String {
    let name = format!("{:?}", Span::new(0, 0));
    let open = name.split('0').next().unwrap_or_default();
    let mut result = String::with_capacity(data.len());
    let mut rest = data;
    while let Some((before, behind)) = rest.split_once(open) {
        result.push_str(before);
        rest = behind.split_once('}').map_or("", |(_, after)| after);
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[vertex shader]\nvoid main() {} \n[fragment shader]\n#define A \\\n 1\n[test]\nlink  success\n";

    fn of(text: &str) -> Result<String, String> {
        meaning("cases/a.shader_test", text)
    }

    #[test]
    fn positions_and_blanks_have_no_meaning() {
        let other =
            TEXT.replace("{} ", "{}").replace("[test]", "\n\n[test] # why").replace("  ", " ");
        assert_ne!(TEXT, other);
        assert_eq!(of(TEXT), of(&other));
        assert!(of(TEXT).is_ok());
    }

    #[test]
    fn words_lines_and_continuations_have_meaning() {
        for (from, to) in [
            ("success", "error \"some message\""),
            ("main", "other"),
            ("\\\n", "\\ \n"),
            ("void", "\nvoid"),
            ("[vertex shader]", "[vertex shader a]"),
        ] {
            let other = TEXT.replace(from, to);
            assert_ne!(of(TEXT), of(&other), "{to}");
        }
    }

    #[test]
    fn a_text_that_is_no_case_is_told_with_its_place() {
        let told = of("[test]\nprobee all\n").expect_err("it is no case");
        assert!(told.contains("cases/a.shader_test:2:1"), "{told}");
    }
}
