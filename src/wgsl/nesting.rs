//! Rejects WGSL that would make naga's recursive passes overflow the stack.

use ir::diagnostic::{CompileError, Diagnostic};
use ir::source::Span;

/// Maximum nesting of brackets of any kind.
const MAX_DEPTH: usize = 120;
/// Maximum number of operators between two of the characters `;{}`.
const MAX_OPERATORS: usize = 2000;

/// Checks `shader`, which begins at byte `base` of the case's source.
pub(super) fn check(shader: &str, base: usize) -> Result<(), CompileError> {
    let (mut depth, mut operators) = (0_usize, 0_usize);
    let mut rest = shader;
    while let Some(letter) = rest.chars().next() {
        let start = shader.len() - rest.len();
        rest = match rest.get(..2) {
            Some("//") => rest.find('\n').map_or("", |end| &rest[end..]),
            Some("/*") => behind_comment(rest),
            _ => &rest[letter.len_utf8()..],
        };
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            // Commas do not count: the items of a list do not nest.
            '+' | '-' | '*' | '/' | '%' | '&' | '|' | '^' | '<' | '>' | '=' | '!' | '~' | '.' => {
                operators += 1;
            }
            _ => {}
        }
        if matches!(letter, ';' | '{' | '}') {
            operators = 0;
        }
        let message = if depth > MAX_DEPTH {
            format!("nesting is deeper than interstage's limit of {MAX_DEPTH}")
        } else if operators > MAX_OPERATORS {
            format!("an expression has more operators than interstage's limit of {MAX_OPERATORS}")
        } else {
            continue;
        };
        let span = Span::new(base + start, base + start + letter.len_utf8());
        return Err(CompileError::Diagnostics(vec![Diagnostic::error(span, message)]));
    }
    Ok(())
}

/// The text behind the block comment at the start of `text`. Comments nest.
fn behind_comment(text: &str) -> &str {
    let (mut depth, mut rest) = (0_usize, text);
    while let Some(letter) = rest.chars().next() {
        let change = match rest.get(..2) {
            Some("/*") => Some(depth + 1),
            Some("*/") => Some(depth.saturating_sub(1)),
            _ => None,
        };
        rest = &rest[change.map_or(letter.len_utf8(), |_| 2)..];
        depth = change.unwrap_or(depth);
        if depth == 0 {
            return rest;
        }
    }
    rest
}
