//! Entry points in the text of a WGSL module.

use std::ops::Range;

/// Attributes that make a function an entry point.
const STAGES: [&str; 5] = ["vertex", "fragment", "compute", "task", "mesh"];

/// The text without the other entry points, which become blanks, so that everything stays where it is.
pub(super) fn with_only(source: &str, kept: &str) -> String {
    let mut text = source.as_bytes().to_vec();
    for (name, whole) in entry_points(source) {
        if name != kept {
            text[whole].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        }
    }
    // Only whole tokens became blanks.
    String::from_utf8(text).unwrap_or_else(|_| source.to_owned())
}

/// Names of the entry points, and where they are, with their attributes.
fn entry_points(source: &str) -> Vec<(&str, Range<usize>)> {
    let mut found = Vec::new();
    // The first attribute of what comes next, and whether one of them names a stage.
    let mut attributes: Option<(usize, bool)> = None;
    // Parentheses: arguments of attributes.
    let mut depth = 0_usize;
    let mut at = 0;
    while at < source.len() {
        let rest = &source[at..];
        if let Some(length) = comment(rest) {
            at += length;
        } else if let Some(attribute) = rest.strip_prefix('@') {
            let name = word(attribute.trim_start());
            let (start, is_stage) = attributes.unwrap_or((at, false));
            attributes = Some((start, is_stage || STAGES.contains(&name)));
            at += 1 + attribute.len() - attribute.trim_start().len() + name.len();
        } else if !word(rest).is_empty() {
            let own = word(rest);
            at += own.len();
            if own == "fn" {
                let end = at + body_end(&source[at..]);
                if let Some((start, true)) = attributes.take() {
                    found.push((word(source[at..].trim_start()), start..end));
                }
                at = end;
            }
        } else {
            let character = rest.chars().next().unwrap_or(' ');
            match character {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                ';' | ',' | '{' | '}' if depth == 0 => attributes = None,
                _ => {}
            }
            at += character.len_utf8();
        }
    }
    found
}

/// Length of the text up to the end of the first block in braces.
fn body_end(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < text.len() {
        if let Some(length) = comment(&text[at..]) {
            at += length;
            continue;
        }
        let character = text[at..].chars().next().unwrap_or(' ');
        at += character.len_utf8();
        match character {
            '{' => depth += 1,
            '}' if depth <= 1 => return at,
            '}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// Length of the comment at the start of the text, if there is one. Block comments nest (WGSL, 3.2).
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if !text.starts_with("/*") {
        return None;
    }
    let mut depth = 0_usize;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    Some(text.len())
}

/// The identifier at the start of the text.
fn word(text: &str) -> &str {
    let end = text.find(|character: char| !character.is_alphanumeric() && character != '_');
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_entry_points_become_blanks() {
        let source = "/* @compute /* fn x */ */ @compute @workgroup_size(1, (2)) fn a() { if true { /* } */ } }\n\
                      struct S { @builtin(position) p: vec4f } fn f() {}\n\
                      @diagnostic(off, x) @ vertex fn b() -> @builtin(position) vec4f {\n }// @fragment fn c";
        let only = with_only(source, "b");
        assert_eq!(only.len(), source.len());
        let words: Vec<_> = only.split_whitespace().collect();
        assert_eq!(
            words.join(" "),
            "/* @compute /* fn x */ */ struct S { @builtin(position) p: vec4f } fn f() {} \
             @diagnostic(off, x) @ vertex fn b() -> @builtin(position) vec4f { }// @fragment fn c"
        );
        let only = with_only(source, "a");
        assert!(only.contains("fn a() { if true { /* } */ } }\nstruct S {"), "{only}");
        assert!(only.trim_end().ends_with("// @fragment fn c"), "{only}");
    }

    #[test]
    fn what_is_no_wgsl_is_left_alone() {
        for text in ["", "@", "@compute", "/* /*", "@workgroup_size(", "fn", "é @ ü", "@vertex var"]
        {
            assert_eq!(with_only(text, ""), text);
        }
        assert_eq!(with_only("@compute fn x( {", ""), " ".repeat(16));
    }
}
