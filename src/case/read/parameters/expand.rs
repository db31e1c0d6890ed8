//! Expansion of one combination of values in the text below `[parameters]`: `${…}`, `@for` and `@end`.

use std::collections::BTreeSet;

use crate::limits::{MAX_ERRORS, MAX_EXPANSION_BYTES, MAX_FILE_BYTES, MAX_LOOP_DEPTH};
use crate::read::parameters::ByteBudget;
use crate::read::parameters::expression::{UnknownName, Value, evaluate};
use crate::read::section::is_name;
use crate::vacuous;
use ir::diagnostic::{Diagnostic, nearest_word};
use ir::source::{Source, Span};

/// A text with its loops matched.
#[derive(Debug)]
pub(super) struct Expander<'a> {
    source: &'a Source,
    /// First line below `[parameters]`; lines above are not expanded.
    first_below: usize,
    /// For the line of each `@for`, the line of its `@end`.
    ends: Vec<Option<usize>>,
    /// Values of parameters, which expressions may compare with.
    words: BTreeSet<&'a str>,
}

/// Output text, and the values of names at this point.
struct Output<'a> {
    text: String,
    file_lines: Vec<usize>,
    parameters: &'a [(&'a str, &'a str)],
    words: &'a BTreeSet<&'a str>,
    used: &'a mut [bool],
    loops: Vec<(String, i64)>,
    errors: Vec<Diagnostic>,
    budget: &'a mut ByteBudget,
}

/// `@for NAME in LOW..HIGH`.
struct Loop {
    name: String,
    low: i64,
    high: i64,
}

impl<'a> Expander<'a> {
    /// Matches the loops from line `first_below` (0-based) on.
    pub(super) fn new(
        source: &'a Source,
        first_below: usize,
        words: BTreeSet<&'a str>,
    ) -> Result<Self, Vec<Diagnostic>> {
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
        if errors.is_empty() { Ok(Self { source, first_below, ends, words }) } else { Err(errors) }
    }

    /// Expands the text with `values`. Sets `used` for the values that were needed.
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
        for idx in 0..self.first_below {
            let line = self.source.line_span(idx);
            output.push_line(self.source.slice(line), idx + 1, line);
        }
        self.lines(&mut output, self.first_below, self.source.line_count());
        if !output.errors.is_empty() {
            return Err(output.errors);
        }
        if output.file_lines.is_empty() {
            output.file_lines.push(1);
        }
        Ok(Source::with_file_lines(self.source.path(), output.text, output.file_lines))
    }

    fn lines(&self, output: &mut Output<'_>, first: usize, end: usize) {
        let mut idx = first;
        while idx < end && !output.is_over() {
            let line = self.source.line_span(idx);
            let text = self.source.slice(line);
            if let Some(loop_end) = self.ends[idx] {
                self.repeat(output, line, idx + 1, loop_end);
                idx = loop_end + 1;
                continue;
            }
            match output.replace(text, line.start) {
                Ok(text) => output.push_line(&text, idx + 1, line),
                Err(error) => output.report(error),
            }
            idx += 1;
        }
    }

    fn repeat(&self, output: &mut Output<'_>, line: Span, first: usize, end: usize) {
        let looped = match output.read_loop(self.source.slice(line), line) {
            Ok(looped) => looped,
            Err(error) => return output.report(error),
        };
        for value in looped.low..looped.high {
            output.charge(line.end - line.start + 1, line);
            if output.is_over() {
                return;
            }
            output.loops.push((looped.name.clone(), value));
            self.lines(output, first, end);
            output.loops.pop();
        }
    }
}

impl Output<'_> {
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

    /// Replaces every `${…}` in `text`, which starts at byte `start`.
    fn replace(&mut self, text: &str, start: usize) -> Result<String, Diagnostic> {
        let mut result = String::new();
        let mut rest = text;
        while let Some(open) = rest.find("${") {
            let at = start + text.len() - rest.len() + open;
            let inside = &rest[open + 2..];
            let Some(length) = inside.find('}') else {
                let span = Span::new(at, start + text.len());
                return Err(Diagnostic::error(span, "`${` is not closed by `}`"));
            };
            result.push_str(&rest[..open]);
            result.push_str(&self.replacement(&inside[..length], at + 2)?);
            rest = &inside[length + 1..];
        }
        result.push_str(rest);
        Ok(result)
    }

    fn replacement(&mut self, text: &str, start: usize) -> Result<String, Diagnostic> {
        let name = text.trim();
        let position = self.parameters.iter().position(|(known, _)| *known == name);
        if let Some((position, (_, value))) =
            position.and_then(|at| Some((at, self.parameters.get(at)?)))
        {
            if let Some(is_used) = self.used.get_mut(position) {
                *is_used = true;
            }
            return Ok((*value).to_owned());
        }
        self.integer(text, start).map(|value| value.to_string())
    }

    fn integer(&mut self, text: &str, start: usize) -> Result<i64, Diagnostic> {
        for ((name, _), is_used) in self.parameters.iter().zip(self.used.iter_mut()) {
            *is_used = *is_used || text.contains(name);
        }
        evaluate(text, start, &|name| self.look_up(name))?.number().ok_or_else(|| {
            let span = Span::new(start, start + text.len());
            Diagnostic::error(span, format!("`{}` is not an integer", text.trim()))
        })
    }

    fn known(&self, name: &str) -> Option<Value> {
        if let Some((_, value)) = self.loops.iter().find(|(known, _)| known == name) {
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
        let nearest =
            nearest_word(name, names.chain(self.loops.iter().map(|(known, _)| known.as_str())));
        let hint = nearest.map_or(String::new(), |known| format!(", did you mean `{known}`?"));
        Err(UnknownName(format!("no parameter is called `{name}`{hint}")))
    }

    /// Reads `@for NAME in LOW..HIGH`, with an optional comment.
    fn read_loop(&mut self, text: &str, line: Span) -> Result<Loop, Diagnostic> {
        let malformed = |message: String| {
            Diagnostic::error(line, message)
                .with_help("a loop is `@for i in 0..count`, where `i` is below `count`")
        };
        let code = text.split('#').next().unwrap_or("");
        let bounds = code.trim_start().strip_prefix("@for").and_then(|rest| {
            let (name, range) = rest.split_once(" in ")?;
            let (low, high) = range.split_once("..")?;
            Some((name.trim(), low, high))
        });
        let Some((name, low, high)) = bounds else {
            return Err(malformed("malformed `@for`".to_owned()));
        };
        if !is_name(name) {
            return Err(malformed(format!("expected a name, found `{name}`")));
        }
        if self.known(name).is_some() {
            return Err(malformed(format!("`{name}` has a value already")));
        }
        let low_start = line.start + (low.as_ptr() as usize - text.as_ptr() as usize);
        let high_start = low_start + low.len() + 2;
        let is_constant = !low.contains(char::is_alphabetic) && !high.contains(char::is_alphabetic);
        let low = self.integer(low, low_start)?;
        let high = self.integer(high, high_start)?;
        if is_constant && low >= high {
            let error = vacuous::EMPTY_LOOP.error(line, "this loop never runs");
            return Err(error.with_help("the number behind `..` is not among the values"));
        }
        Ok(Loop { name: name.to_owned(), low, high })
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
