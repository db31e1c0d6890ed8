//! Expansion of one combination of values in the text below `[parameters]`: `${…}`, `@for` and `@end`.
//!
//! The text is read once into [`Line`]s. An error in a line is reported when the line is expanded, so that what a loop
//! never repeats may be wrong.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use crate::limits::{MAX_ERRORS, MAX_EXPANSION_BYTES, MAX_FILE_BYTES, MAX_LOOP_DEPTH};
use crate::read::parameters::ByteBudget;
use crate::read::parameters::expression::{Expression, UnknownName, Value};
use crate::read::section::is_name;
use crate::vacuous;
use ir::diagnostic::{Diagnostic, nearest_word};
use ir::source::{Source, Span};

/// A text with its loops matched and its expressions parsed.
#[derive(Debug)]
pub(super) struct Expander<'a> {
    source: &'a Source,
    lines: Vec<Line<'a>>,
    /// Values of parameters, which expressions may compare with.
    words: BTreeSet<&'a str>,
}

/// A line of the file.
#[derive(Debug)]
enum Line<'a> {
    Text(Vec<Piece<'a>>),
    Loop {
        looped: Result<Box<Loop<'a>>, Diagnostic>,
        /// Index of the line of its `@end`.
        end: usize,
    },
}

/// A part of a line.
#[derive(Debug)]
enum Piece<'a> {
    Text(&'a str),
    /// `${name}` of the parameter with this index.
    Parameter(usize),
    /// `${expression}`.
    Number(Number<'a>),
    /// `${` without `}`.
    Unclosed(Diagnostic),
}

/// An expression whose value is an integer.
#[derive(Debug)]
struct Number<'a> {
    text: &'a str,
    /// Position of the text in the source.
    span: Span,
    expression: Result<Expression, Diagnostic>,
    /// Indices of the parameters that the expression names.
    uses: Vec<usize>,
}

impl<'a> Number<'a> {
    fn parse(text: &'a str, start: usize, names: &[&str]) -> Self {
        let is_used = |name: &str| text.contains(name);
        let uses = names.iter().enumerate().filter(|(_, name)| is_used(name));
        Self {
            text,
            span: Span::new(start, start + text.len()),
            expression: Expression::parse(text, start),
            uses: uses.map(|(idx, _)| idx).collect(),
        }
    }
}

/// `@for NAME in LOW..HIGH`.
#[derive(Debug)]
struct Loop<'a> {
    name: &'a str,
    low: Number<'a>,
    high: Number<'a>,
}

/// Output text, and the values of names at this point.
struct Output<'a> {
    text: String,
    file_lines: Vec<usize>,
    parameters: &'a [(&'a str, &'a str)],
    words: &'a BTreeSet<&'a str>,
    used: &'a mut [bool],
    loops: Vec<(&'a str, i64)>,
    errors: Vec<Diagnostic>,
    budget: &'a mut ByteBudget,
}

impl<'a> Expander<'a> {
    /// Reads the lines. Those before `first_below` (0-based) are not expanded. `words` are the values of parameters,
    /// and `names` those of parameters and derived numbers.
    pub(super) fn new(
        source: &'a Source,
        first_below: usize,
        words: BTreeSet<&'a str>,
        names: &[&str],
    ) -> Result<Self, Vec<Diagnostic>> {
        let ends = loop_ends(source, first_below)?;
        let lines = ends.into_iter().enumerate().map(|(idx, end)| {
            let line = source.line_span(idx);
            let text = source.slice(line);
            match end {
                Some(end) => Line::Loop { looped: read_loop(text, line, names).map(Box::new), end },
                None if idx < first_below => Line::Text(vec![Piece::Text(text)]),
                None => Line::Text(pieces(text, line.start, names)),
            }
        });
        Ok(Self { source, lines: lines.collect(), words })
    }

    /// Expands the text with `values`, which have the order of the names. Sets `used` for the values that were needed.
    pub(super) fn fill_in(
        &self,
        values: &[(&str, &str)],
        used: &mut [bool],
        budget: &mut ByteBudget,
    ) -> Result<Source, Vec<Diagnostic>> {
        let mut output = Output {
            text: String::new(),
            file_lines: Vec::new(),
            parameters: values,
            words: &self.words,
            used,
            loops: Vec::new(),
            errors: Vec::new(),
            budget,
        };
        self.lines(&mut output, 0, self.lines.len());
        if !output.errors.is_empty() {
            return Err(output.errors);
        }
        if output.file_lines.is_empty() {
            output.file_lines.push(1);
        }
        Ok(Source::with_file_lines(self.source.path(), output.text, output.file_lines))
    }

    fn lines<'o>(&'o self, output: &mut Output<'o>, first: usize, end: usize) {
        let mut idx = first;
        while idx < end && !output.is_over() {
            let line = self.source.line_span(idx);
            match &self.lines[idx] {
                Line::Loop { looped, end } => {
                    self.repeat(output, looped, idx, *end);
                    idx = *end;
                }
                Line::Text(pieces) => match output.replace(pieces) {
                    Ok(text) => output.push_line(&text, idx + 1, line),
                    Err(error) => output.report(error),
                },
            }
            idx += 1;
        }
    }

    /// Repeats the lines between that of the loop and its end.
    fn repeat<'o>(
        &'o self,
        output: &mut Output<'o>,
        looped: &'o Result<Box<Loop<'o>>, Diagnostic>,
        start: usize,
        end: usize,
    ) {
        let line = self.source.line_span(start);
        let bounds = looped.as_ref().map_err(Clone::clone);
        let bounds = bounds.and_then(|looped| Ok((looped.name, output.bounds(looped, line)?)));
        let (name, values) = match bounds {
            Ok(bounds) => bounds,
            Err(error) => return output.report(error),
        };
        for value in values {
            output.charge(line.end - line.start + 1, line);
            if output.is_over() {
                return;
            }
            output.loops.push((name, value));
            self.lines(output, start + 1, end);
            output.loops.pop();
        }
    }
}

/// For the line of each `@for`, the line of its `@end`.
fn loop_ends(source: &Source, first_below: usize) -> Result<Vec<Option<usize>>, Vec<Diagnostic>> {
    let mut ends = vec![None; source.line_count()];
    let mut open = Vec::new();
    let mut errors = Vec::new();
    for idx in first_below..source.line_count() {
        let line = source.line_span(idx);
        match first_word(source.slice(line)) {
            "@for" if open.len() >= MAX_LOOP_DEPTH => {
                let message = format!("more than {MAX_LOOP_DEPTH} `@for` inside each other");
                return Err(vec![Diagnostic::error(line, message)]);
            }
            "@for" => open.push(idx),
            "@end" => match open.pop() {
                Some(start) => ends[start] = Some(idx),
                None => errors.push(Diagnostic::error(line, "`@end` without `@for`")),
            },
            _ => {}
        }
    }
    let unclosed = open.into_iter().map(|idx| source.line_span(idx));
    errors.extend(unclosed.map(|line| Diagnostic::error(line, "`@for` without `@end`")));
    errors.truncate(MAX_ERRORS);
    if errors.is_empty() { Ok(ends) } else { Err(errors) }
}

/// Cuts `text`, which starts at byte `start`, at every `${…}`.
fn pieces<'a>(text: &'a str, start: usize, names: &[&str]) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find("${") {
        let at = start + text.len() - rest.len() + open;
        pieces.push(Piece::Text(&rest[..open]));
        let inside = &rest[open + 2..];
        let Some(length) = inside.find('}') else {
            let span = Span::new(at, start + text.len());
            pieces.push(Piece::Unclosed(Diagnostic::error(span, "`${` is not closed by `}`")));
            return pieces;
        };
        let inside_text = &inside[..length];
        let parameter = names.iter().position(|name| *name == inside_text.trim());
        let number = || Piece::Number(Number::parse(inside_text, at + 2, names));
        pieces.push(parameter.map_or_else(number, Piece::Parameter));
        rest = &inside[length + 1..];
    }
    pieces.push(Piece::Text(rest));
    pieces
}

fn malformed(line: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(line, message)
        .with_help("a loop is `@for i in 0..count`, where `i` is below `count`")
}

/// Reads `@for NAME in LOW..HIGH`, with an optional comment.
fn read_loop<'a>(text: &'a str, line: Span, names: &[&str]) -> Result<Loop<'a>, Diagnostic> {
    let code = text.split('#').next().unwrap_or("");
    let bounds = code.trim_start().strip_prefix("@for").and_then(|rest| {
        let (name, range) = rest.split_once(" in ")?;
        let (low, high) = range.split_once("..")?;
        Some((name.trim(), low, high))
    });
    let Some((name, low, high)) = bounds else {
        return Err(malformed(line, "malformed `@for`"));
    };
    if !is_name(name) {
        return Err(malformed(line, format!("expected a name, found `{name}`")));
    }
    let low_start = line.start + (low.as_ptr() as usize - text.as_ptr() as usize);
    let high_start = low_start + low.len() + 2;
    let low = Number::parse(low, low_start, names);
    let high = Number::parse(high, high_start, names);
    Ok(Loop { name, low, high })
}

impl<'a> Output<'a> {
    /// True if expansion must stop: too many errors, or the budget is used up.
    fn is_over(&self) -> bool {
        self.errors.len() >= MAX_ERRORS || self.budget.0 == 0
    }

    /// Reports an error, once per position.
    fn report(&mut self, error: Diagnostic) {
        if !self.errors.iter().any(|known| known.span == error.span) {
            self.errors.push(error);
        }
    }

    fn charge(&mut self, bytes: usize, span: Span) {
        if !self.is_over() && !self.budget.charge(bytes) {
            self.report(too_much(span));
        }
    }

    fn push_line(&mut self, text: &str, file_line: usize, span: Span) {
        self.charge(text.len() + span.end - span.start + 1, span);
        if self.text.len() + text.len() >= MAX_FILE_BYTES {
            self.budget.0 = 0;
            let message = format!(
                "the case has more than {MAX_FILE_BYTES} bytes with its parameters filled in"
            );
            return self.report(Diagnostic::error(span, message));
        }
        if !self.file_lines.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
        self.file_lines.push(file_line);
    }

    /// Text of the pieces with the values of this combination.
    fn replace(&mut self, pieces: &[Piece<'a>]) -> Result<Cow<'a, str>, Diagnostic> {
        if let [Piece::Text(text)] = pieces {
            return Ok(Cow::Borrowed(text));
        }
        let mut result = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => result.push_str(text),
                Piece::Parameter(idx) => {
                    self.used[*idx] = true;
                    result.push_str(self.parameters[*idx].1);
                }
                Piece::Number(number) => result.push_str(&self.integer(number)?.to_string()),
                Piece::Unclosed(error) => return Err(error.clone()),
            }
        }
        Ok(Cow::Owned(result))
    }

    fn integer(&mut self, number: &Number<'_>) -> Result<i64, Diagnostic> {
        for idx in &number.uses {
            self.used[*idx] = true;
        }
        let expression = number.expression.as_ref().map_err(Clone::clone)?;
        expression.evaluate(&|name| self.look_up(name))?.number().ok_or_else(|| {
            Diagnostic::error(number.span, format!("`{}` is not an integer", number.text.trim()))
        })
    }

    /// The values that the name of a loop takes.
    fn bounds(&mut self, looped: &Loop<'_>, line: Span) -> Result<Range<i64>, Diagnostic> {
        let Loop { name, low, high } = looped;
        if self.known(name).is_some() {
            return Err(malformed(line, format!("`{name}` has a value already")));
        }
        let is_constant = ![low, high].iter().any(|end| end.text.contains(char::is_alphabetic));
        let values = self.integer(low)?..self.integer(high)?;
        if is_constant && values.is_empty() {
            let error = vacuous::EMPTY_LOOP.error(line, "this loop never runs");
            return Err(error.with_help("the number behind `..` is not among the values"));
        }
        Ok(values)
    }

    fn known(&self, name: &str) -> Option<Value> {
        if let Some((_, value)) = self.loops.iter().find(|(known, _)| *known == name) {
            return Some(Value::Integer(*value));
        }
        let (_, value) = self.parameters.iter().find(|(known, _)| *known == name)?;
        Some(Value::from_text(value))
    }

    fn look_up(&self, name: &str) -> Result<Value, UnknownName> {
        if let Some(value) = self.known(name) {
            return Ok(value);
        }
        if self.words.contains(name) {
            return Ok(Value::Word(name.to_owned()));
        }
        let names = self.parameters.iter().map(|(known, _)| *known);
        let nearest = nearest_word(name, names.chain(self.loops.iter().map(|(known, _)| *known)));
        let hint = nearest.map_or(String::new(), |known| format!(", did you mean `{known}`?"));
        Err(UnknownName(format!("no parameter is called `{name}`{hint}")))
    }
}

/// The error for too much text; the same message wherever the limit is reached.
pub(super) fn too_much(span: Span) -> Diagnostic {
    let message = format!(
        "more than {MAX_EXPANSION_BYTES} bytes are read and written to fill in the parameters"
    );
    Diagnostic::error(span, message)
}

fn first_word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::read::parameters;
    use crate::read::parse::tests::describe;

    use super::*;

    #[track_caller]
    fn check(below: &str, expect: &Expect) {
        let source = Source::new("a", format!("[parameters]\nn = 2\n[test]\n# ${{n}}\n{below}"));
        let found = match parameters::expand(&source) {
            Ok(all) => {
                let text = &all[0].source;
                (4..text.line_count())
                    .map(|idx| {
                        format!("{}: {}", text.file_line(idx), text.slice(text.line_span(idx)))
                    })
                    .collect::<Vec<_>>()
                    .join("\n")
            }
            Err(error) => describe(&source, &error),
        };
        expect.assert_eq(&found);
    }

    #[test]
    fn words_are_compared_with_values_of_parameters() {
        let text = "[parameters]\nkind = A B\n[test]\n@for once in 0..(kind == B)\n${kind} ${kind != A}\n@end\n@for once in 0..(kind == C)\n@end";
        let source = Source::new("a", text.to_owned());
        let found = parameters::expand(&source).map_err(|error| describe(&source, &error));
        expect!["7:26: no parameter is called `C`"].assert_eq(&found.expect_err("C is no value"));
        let source = Source::new("a", text.replace("kind == C", "kind == A"));
        let all = parameters::expand(&source).map_err(|error| describe(&source, &error));
        let texts: Vec<_> =
            all.expect("is right").iter().map(|case| case.source.text().to_owned()).collect();
        assert!(!texts[0].contains("A 0") && texts[1].contains("B 1"), "{texts:?}");
    }

    #[test]
    fn loops_repeat_lines_and_lines_keep_their_numbers() {
        check(
            "@for i in 0..n # why\n  @for j in i..n\n${i}${j}\n  @end\nx${i*10}\n@end\nlast",
            &expect![[r"
            7: 00
            7: 01
            9: x0
            7: 11
            9: x10
            11: last"]],
        );
        check("@for i in 0..(n == 2)\n${n > 2}\n@end", &expect!["6: 0"]);
        check("@for i in 2..n\nnever\n@end\nlast", &expect!["8: last"]);
    }

    #[test]
    fn mistakes_are_named() {
        check("@for i in 0..n\n", &expect!["5:1: `@for` without `@end`"]);
        check("@end", &expect!["5:1: `@end` without `@for`"]);
        check(
            "@for i = 0\n@end",
            &expect![
                "5:1: malformed `@for` (help: a loop is `@for i in 0..count`, where `i` is below `count`)"
            ],
        );
        check(
            "@for n in 0..1\n@end",
            &expect![
                "5:1: `n` has a value already (help: a loop is `@for i in 0..count`, where `i` is below `count`)"
            ],
        );
        check("@for i in 0..m\n@end", &expect!["5:14: no parameter is called `m`"]);
        check(
            "${n / 0} ${n}\n${n\n${w}\n${n m}",
            &expect![[r"
            5:3: division by zero
            6:1: `${` is not closed by `}`
            7:3: no parameter is called `w`
            8:5: expected an operator or the end, found `m`"]],
        );
    }

    #[test]
    fn endless_loops_end() {
        let nested = "@for i in 0..1000000000\n@for j in 0..1000000000\n@end\n@end";
        check(
            nested,
            &expect![
                "6:1: more than 67108864 bytes are read and written to fill in the parameters"
            ],
        );
        let long = "@for i in 0..1000000\n0123456789\n@end";
        check(
            long,
            &expect!["6:1: the case has more than 4194304 bytes with its parameters filled in"],
        );
    }
}
