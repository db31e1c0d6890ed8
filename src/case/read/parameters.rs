//! `[parameters]`: one file with many cases. It is expanded as text, before anything else in the file is read.
//!
//! `name = value…` lists the values of a parameter; `a..b` stands for the integers from a to b, both included.
//! `let name = expression` defines a number computed from parameters, and `only = expression` keeps the combinations
//! for which it is true. Below the section `${name}` and `${expression}` are replaced, and `@for i in a..b` … `@end`
//! repeats lines for i from a to b, b **not** included.

mod computed;
mod expand;
pub(super) mod expression;

use std::collections::BTreeSet;
use std::ops::Range;

use crate::Dialect;
use crate::limits::{self, MAX_COMBINATIONS, MAX_EXPANSION_BYTES, MAX_PARAMETERS, MAX_VALUE_BYTES};
use crate::read::line::{Punctuation, Word, Words, wrong};
use crate::read::once::Once;
use crate::read::parameters::expand::Expander;
use crate::read::problem::{CaseError, Parsed, Problem};
use crate::read::reader::Reader;
use crate::read::section::{find_parameters, is_name};
use computed::Computed;
use ir::diagnostic::Diagnostic;
use ir::source::{Source, Span};

/// One combination of values, with the expanded text.
#[derive(Debug)]
pub(super) struct Combination {
    /// `#type=vec3,count=2`; empty without parameters.
    pub(super) suffix: String,
    /// The text.
    pub(super) source: Source,
}

/// A parameter of a file.
#[derive(Debug)]
struct Parameter {
    name: String,
    values: Vec<String>,
    span: Span,
}

/// `let NAME = expression`.
#[derive(Debug)]
struct Derived {
    name: String,
    text: String,
    /// Offset of the expression in the source.
    start: usize,
}

/// Content of `[parameters]`.
#[derive(Debug, Default)]
struct Parameters {
    list: Vec<Parameter>,
    /// Derived numbers. Each may use parameters and earlier derived numbers.
    derived: Vec<Derived>,
    /// The filters: text and offset.
    only: Vec<(String, usize)>,
}

impl Parameters {
    /// Names of the parameters, then those of the derived numbers.
    fn names(&self) -> Vec<&str> {
        let derived = self.derived.iter().map(|derived| derived.name.as_str());
        self.list.iter().map(|parameter| parameter.name.as_str()).chain(derived).collect()
    }
}

/// Bytes that may still be read and written for this file.
#[derive(Debug)]
struct ByteBudget(usize);

impl ByteBudget {
    /// Subtracts `bytes`; returns false when nothing is left.
    fn charge(&mut self, bytes: usize) -> bool {
        let is_enough = bytes < self.0;
        self.0 = self.0.saturating_sub(bytes);
        is_enough
    }
}

/// Expands the parameters of `source`, in the order of the file; the last parameter changes fastest. A file without
/// parameters gives one combination, in which `@for` and `${…}` still work.
pub(super) fn expand(source: &Source) -> Result<Vec<Combination>, CaseError> {
    let section = Section::read(source)?;
    let total = section.total().map_err(|error| CaseError::Broken(vec![error]))?;
    combine(source, &section, 0..total).map_err(CaseError::Broken)
}

/// Like [`expand`], but expands only the combination with this suffix. [`expand`] must accept the file.
pub(super) fn expand_one(source: &Source, suffix: &str) -> Result<Option<Combination>, CaseError> {
    let section = Section::read(source)?;
    let Some(number) = number_of(&section.parameters, suffix) else { return Ok(None) };
    let found = combine(source, &section, number..number + 1).map_err(CaseError::Broken)?;
    Ok(found.into_iter().next())
}

/// The `[parameters]` of a file.
#[derive(Debug, Default)]
struct Section {
    parameters: Parameters,
    /// First line below the section, 0-based.
    first_below: usize,
}

impl Section {
    /// Reads the section, which is empty in a file without parameters.
    fn read(source: &Source) -> Result<Self, CaseError> {
        let Some((header, lines)) = find_parameters(source) else { return Ok(Self::default()) };
        let start = source.line_span(header).start;
        let end = if lines.end < source.line_count() {
            source.line_span(lines.end).start
        } else {
            source.text().len()
        };
        let body = Span::new(source.line_span(header).end.saturating_add(1).min(end), end);
        let header = Span::new(start, source.line_span(header).end);
        Ok(Self { parameters: read(source, header, body)?, first_below: lines.end })
    }

    /// Number of combinations before `only` filters them.
    fn total(&self) -> Result<usize, Diagnostic> {
        let list = &self.parameters.list;
        let total = list.iter().try_fold(1_usize, |product, parameter| {
            product.checked_mul(parameter.values.len()).filter(|total| *total <= MAX_COMBINATIONS)
        });
        let last = list.last().map(|parameter| parameter.span);
        total.ok_or_else(|| {
            let message = format!("more than {MAX_COMBINATIONS} combinations of values");
            Diagnostic::error(last, message)
        })
    }
}

/// Section key for duplicate parameter names.
const PARAMETERS: &str = "[parameters]";

fn read(source: &Source, header: Span, body: Span) -> Result<Parameters, CaseError> {
    let mut reader = Reader::new(source, Dialect::Interstage);
    let mut parameters = Parameters::default();
    reader.each_line(body, Punctuation::IsText, |reader, words| {
        let mut name = words.need("a parameter's name")?;
        let is_derived = name.text == "let";
        if is_derived {
            name = words.need("a name")?;
        }
        if !words.take("=") {
            let error =
                Diagnostic::error(words.span, format!("expected `=` after `{}`", name.text));
            let help = "a line is `name = value value …`, `let name = expression` or \
                        `only = expression`";
            return Err(error.with_help(help).into());
        }
        if is_derived || name.text == "only" {
            let Some(rest) = words.rest() else {
                return Err(Diagnostic::error(words.span, "missing an expression").into());
            };
            let (text, start) = (reader.source.slice(rest).to_owned(), rest.start);
            words.skip(limits::MAX_LINE_BYTES);
            if is_derived {
                check_name(name, &parameters)?;
                reader.give(PARAMETERS, vec![(name.text.to_owned(), name.span)]);
                parameters.derived.push(Derived { name: name.text.to_owned(), text, start });
            } else {
                reader.give(PARAMETERS, Once::Whole.settings(words.all()));
                parameters.only.push((text, start));
            }
            return Ok(());
        }
        let parameter = read_parameter(words, name, &parameters)?;
        reader.give(PARAMETERS, vec![(name.text.to_owned(), name.span)]);
        parameters.list.push(parameter);
        Ok(())
    });
    if parameters.list.is_empty() && reader.is_intact(body) {
        reader.report(Diagnostic::error(header, "`[parameters]` has no parameters"));
    }
    check_values(&parameters, &mut reader);
    reader.finish().map(|_| parameters)
}

/// Checks that no value is also the name of a parameter or derived number: an expression would use the latter.
fn check_values(parameters: &Parameters, reader: &mut Reader<'_>) {
    let names = parameters.names();
    for parameter in &parameters.list {
        let is_name = |value: &&String| names.contains(&value.as_str());
        if let Some(value) = parameter.values.iter().find(is_name) {
            let message =
                format!("value `{value}` of `{}` is the name of a parameter too", parameter.name);
            let help = "an expression cannot tell them apart; give the parameter another name";
            reader.report(Diagnostic::error(parameter.span, message).with_help(help));
        }
    }
}

/// Checks a name for a parameter or a derived number.
fn check_name(name: Word<'_>, known: &Parameters) -> Parsed<()> {
    if !is_name(name.text) {
        return Err(wrong(name, format!("expected a name, found `{}`", name.text)));
    }
    if known.list.len().max(known.derived.len()) >= MAX_PARAMETERS {
        return Err(wrong(name, format!("a file has at most {MAX_PARAMETERS} parameters")));
    }
    Ok(())
}

fn read_parameter(words: &mut Words<'_>, name: Word<'_>, known: &Parameters) -> Parsed<Parameter> {
    check_name(name, known)?;
    let mut values = Vec::new();
    let span = words.span;
    values.extend(read_values(words.need("a value")?)?);
    while let Some(word) = words.take_word() {
        values.extend(read_values(word)?);
        if values.len() > MAX_COMBINATIONS {
            return Err(too_many(span));
        }
    }
    let mut sorted: Vec<_> = values.iter().collect();
    sorted.sort();
    if let Some([twice, _]) = sorted.array_windows().find(|[one, other]| one == other) {
        let message = format!("value `{twice}` of `{}` is given twice", name.text);
        return Err(Diagnostic::error(span, message).into());
    }
    Ok(Parameter { name: name.text.to_owned(), values, span })
}

fn too_many(span: Span) -> Problem {
    Diagnostic::error(span, format!("more than {MAX_COMBINATIONS} combinations of values")).into()
}

/// Reads one value, or the integers of `a..b`.
fn read_values(word: Word<'_>) -> Parsed<Vec<String>> {
    if let Some((low, high)) = word.text.split_once("..") {
        let bounds = low.parse::<i32>().ok().zip(high.parse::<i32>().ok());
        let Some((low, high)) = bounds.filter(|(low, high)| low <= high) else {
            let error = wrong(word, format!("`{}` is not a range of integers", word.text));
            return Err(error.with_help("`1..4` means 1, 2, 3 and 4"));
        };
        if high.abs_diff(low) as usize >= MAX_COMBINATIONS {
            return Err(too_many(word.span));
        }
        return Ok((low..=high).map(|value| value.to_string()).collect());
    }
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_.+-[]<>".contains(&byte);
    if word.text.is_empty() || word.text.len() > MAX_VALUE_BYTES || !word.text.bytes().all(is_part)
    {
        let error = wrong(word, format!("`{}` cannot be a parameter's value", word.text));
        let help = format!("a value has at most {MAX_VALUE_BYTES} letters, digits and `_.+-[]<>`");
        return Err(error.with_help(help));
    }
    Ok(vec![word.text.to_owned()])
}

/// Expands the combinations with these numbers.
fn combine(
    source: &Source,
    section: &Section,
    numbers: Range<usize>,
) -> Result<Vec<Combination>, Vec<Diagnostic>> {
    let Section { parameters, first_below } = section;
    let only_one = |error| vec![error];
    let mut budget = ByteBudget(MAX_EXPANSION_BYTES);
    let words = parameters.list.iter().flat_map(|parameter| &parameter.values);
    let words: BTreeSet<_> = words.map(String::as_str).collect();
    let names = parameters.names();
    let expander = Expander::new(source, *first_below, words.clone(), &names)?;
    let computed = Computed::parse(parameters, &names, words).map_err(only_one)?;
    let mut used = vec![false; names.len()];
    let mut combinations = Vec::new();
    let is_whole = section.total().is_ok_and(|total| total == numbers.len());
    for number in numbers {
        let chosen = values_of(parameters, number);
        let derived = computed.derive(&chosen, &mut budget).map_err(only_one)?;
        let derived = derived.iter().map(|(name, number)| (*name, number.as_str()));
        let values: Vec<_> = chosen.iter().copied().chain(derived).collect();
        if !computed.is_wanted(&values, &mut budget).map_err(only_one)? {
            continue;
        }
        let expanded = expander.fill_in(&values, &mut used, &mut budget)?;
        combinations.push(Combination { suffix: suffix_of(&chosen), source: expanded });
    }
    if is_whole {
        check_used(parameters, &combinations, used)?;
    }
    Ok(combinations)
}

/// Checks that every parameter and derived number is used, directly or by a used derived number.
fn check_used(
    parameters: &Parameters,
    combinations: &[Combination],
    mut used: Vec<bool>,
) -> Result<(), Vec<Diagnostic>> {
    let names = parameters.list.iter().map(|parameter| (parameter.name.as_str(), parameter.span));
    let derived = parameters.derived.iter();
    let derived = derived.map(|derived| {
        (derived.name.as_str(), Span::new(derived.start, derived.start + derived.text.len()))
    });
    let names: Vec<_> = names.chain(derived).collect();
    for (idx, derived) in parameters.derived.iter().enumerate().rev() {
        if used[parameters.list.len() + idx] {
            for ((name, _), is_used) in names.iter().zip(&mut used) {
                *is_used |= derived.text.contains(name);
            }
        }
    }
    let unused = names.iter().zip(&used).find(|(_, is_used)| !**is_used).map(|(name, _)| *name);
    if combinations.is_empty() {
        let only = parameters.only.first();
        let last = parameters.list.last().map(|parameter| parameter.span);
        let span = only.map(|(text, start)| Span::new(*start, start + text.len())).or(last);
        return Err(vec![Diagnostic::error(span, "`only` keeps no combination")]);
    }
    if let Some((name, span)) = unused {
        let help = format!("write `${{{name}}}` where its value belongs");
        let message = format!("parameter `{name}` is never used");
        return Err(vec![Diagnostic::error(span, message).with_help(help)]);
    }
    Ok(())
}

/// Values of combination `number`; the last parameter changes fastest.
fn values_of(parameters: &Parameters, mut number: usize) -> Vec<(&str, &str)> {
    let mut values: Vec<_> = parameters
        .list
        .iter()
        .rev()
        .map(|parameter| {
            let count = parameter.values.len().max(1);
            let value = parameter.values.get(number % count).map_or("", String::as_str);
            number /= count;
            (parameter.name.as_str(), value)
        })
        .collect();
    values.reverse();
    values
}

/// Separator of parameters in a name. It is not a comma, which cannot occur in the lists and `results.csv` of a run;
/// names given by users may have commas instead.
const SEPARATOR: &str = ";";

fn suffix_of(values: &[(&str, &str)]) -> String {
    let list: Vec<_> = values.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let list = list.join(SEPARATOR).replace(',', SEPARATOR);
    if list.is_empty() { String::new() } else { format!("#{list}") }
}

/// The number of the combination with this suffix, the inverse of [`suffix_of`] and [`values_of`].
fn number_of(parameters: &Parameters, suffix: &str) -> Option<usize> {
    let mut given = suffix.strip_prefix('#')?.split([',', ';']);
    let number = parameters.list.iter().try_fold(0_usize, |number, parameter| {
        let (name, given) = given.next()?.split_once('=')?;
        let at = parameter.values.iter().position(|value| value == given);
        let at = at.filter(|_| name == parameter.name)?;
        number.checked_mul(parameter.values.len())?.checked_add(at)
    });
    number.filter(|_| given.next().is_none())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::read::parse::tests::describe;

    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &Expect) {
        let source = Source::new("a", text);
        let found = match expand(&source) {
            Ok(all) => all
                .iter()
                .map(|one| {
                    let text = one.source.text();
                    let below = text.split_once("[test]\n").map_or(text, |(_, below)| below);
                    format!("{}: {}", one.suffix, below.trim_end().replace('\n', " | "))
                })
                .collect::<Vec<_>>()
                .join("\n"),
            Err(error) => describe(&source, &error),
        };
        expect.assert_eq(&found);
    }

    #[test]
    fn one_combination_is_the_same_without_the_others() {
        let text = "[parameters]\nt = vec2 vec3\nn = 1..3\nlet m = n * 2\nonly = n != 2\n[test]\n${t}\n@for i in 0..n\n${m + i}\n@end\n";
        let source = Source::new("a", text);
        let one = |suffix: &str| {
            let one = expand_one(&source, suffix).unwrap();
            one.map(|one| (one.suffix, one.source.text().to_owned()))
        };
        let all = expand(&source).unwrap();
        assert_eq!(all.len(), 4);
        for each in &all {
            let expected = (each.suffix.clone(), each.source.text().to_owned());
            assert_eq!(one(&each.suffix), Some(expected));
        }
        // The suffix is filtered by `only`, unknown, or incomplete.
        for suffix in ["#t=vec2,n=2", "#t=vec4,n=1", "#t=vec2"] {
            assert_eq!(one(suffix), None, "{suffix}");
        }
    }

    #[test]
    fn the_last_parameter_changes_fastest() {
        check(
            "[parameters]\ntype = vec2 vec3\ncount = 1..2\n[test]\n${type} ${count}\n",
            &expect![[r#"
                #type=vec2;count=1: vec2 1
                #type=vec2;count=2: vec2 2
                #type=vec3;count=1: vec3 1
                #type=vec3;count=2: vec3 2"#]],
        );
    }

    #[test]
    fn only_removes_combinations() {
        check(
            "[parameters]\ntype = vec2 mat3\nn = 1..3\nonly = type != mat3 || n == 1\nonly = n < 3 # why\n[test]\n${type}${n}\n",
            &expect![[r#"
                #type=vec2;n=1: vec21
                #type=vec2;n=2: vec22
                #type=mat3;n=1: mat31"#]],
        );
    }

    #[test]
    fn numbers_follow_from_parameters() {
        check(
            "[parameters]\norder = row column\nn = 1 2\nlet rows = order == row\n\
             let end = n * 8 + rows # bytes\nonly = end != 8\n[test]\n${end}\n\
             @for i in 0..rows\nrow\n@end\n",
            &expect![[r#"
                #order=row;n=1: 9 | row
                #order=row;n=2: 17 | row
                #order=column;n=2: 16"#]],
        );
        check(
            "[parameters]\na = x y\nlet b = a\nlet c = 1\nlet a = 2\nlet 3\n[test]\n${b}",
            &expect![[r#"
                5:5: `a` is given twice, first in line 2 (help: one of them has no effect, or contradicts the other; keep one)
                6:1: expected `=` after `3` (help: a line is `name = value value …`, `let name = expression` or `only = expression`)"#]],
        );
        check(
            "[parameters]\na = x y\nlet b = a\n[test]\n${b}",
            &expect!["3:9: `a` is not an integer"],
        );
        check(
            "[parameters]\na = 1\nlet b = a + c\nlet c = 2\n[test]\n${b}",
            &expect!["3:13: `c` is neither a parameter nor a value of one"],
        );
        check(
            "[parameters]\na = 1\nlet b = a\nlet c = b\n[test]\n${b}",
            &expect![[r"
            4:9: parameter `c` is never used (help: write `${c}` where its value belongs)"]],
        );
    }

    #[test]
    fn mistakes_are_named() {
        check(
            "[parameters]\na b\nb = 4..1\nc = x x\nc = 1\nc = 2\nd = \"\"\n[test]\n",
            &expect![[r#"
                2:1: expected `=` after `a` (help: a line is `name = value value …`, `let name = expression` or `only = expression`)
                3:5: `4..1` is not a range of integers (help: `1..4` means 1, 2, 3 and 4)
                4:1: value `x` of `c` is given twice
                6:1: `c` is given twice, first in line 5 (help: one of them has no effect, or contradicts the other; keep one)
                7:5: `` cannot be a parameter's value (help: a value has at most 64 letters, digits and `_.+-[]<>`)"#]],
        );
        check(
            "[parameters]\na = vec2 vec3\nonly = a == vce2\n[test]\n${a}",
            &expect![[r"
            3:13: `vce2` is neither a parameter nor a value of one, did you mean `vec2`?"]],
        );
        check(
            "[parameters]\na = 1\nonly = a\n[test]\n${a}",
            &expect!["3:8: `only` needs a comparison"],
        );
        check(
            "[parameters]\na = 1 2\nonly = a > 2\n[test]\n${a}",
            &expect!["3:8: `only` keeps no combination"],
        );
        check(
            "[parameters]\na = 1\n[test]\n",
            &expect![[r"
            2:1: parameter `a` is never used (help: write `${a}` where its value belongs)"]],
        );
        check("[parameters]\n[test]\n", &expect!["1:1: `[parameters]` has no parameters"]);
    }

    #[test]
    fn a_value_is_not_the_name_of_a_parameter() {
        let help = "an expression cannot tell them apart; give the parameter another name";
        for line in ["apart = 0 1", "let apart = mode == together"] {
            let text = format!(
                "[parameters]\nmode = together apart\n{line}\nonly = mode == apart\n[test]\n${{mode}}${{apart}}\n"
            );
            let source = Source::new("a", &*text);
            let error = expand(&source).expect_err("`apart` is both");
            let message = format!(
                "2:1: value `apart` of `mode` is the name of a parameter too (help: {help})"
            );
            assert_eq!(describe(&source, &error), message, "{line}");
        }
    }

    #[test]
    fn there_are_at_most_ten_thousand_combinations() {
        let expect = expect!["3:1: more than 10000 combinations of values"];
        check("[parameters]\na = 1..100\nb = 1..101\n[test]\n${a}${b}\n", &expect);
        check(
            "[parameters]\na = 1..2000000000\n[test]\n",
            &expect!["2:5: more than 10000 combinations of values"],
        );
    }
}
