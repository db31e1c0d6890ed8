//! The comment of a parser test that says what must happen.
//!
//! ```text
//! // [config]
//! // expect_result: fail
//! // glsl_version: 1.50
//! // require_extensions: GL_ARB_gpu_shader5 !GL_ARB_sample_shading
//! // check_link: true
//! // [end config]
//! ```
//!
//! Each line begins with `//`, `/*` or `*`. As in piglit's reader, blank lines may stand between them, and the first
//! `[config]` of a file counts.

use std::fmt;

use ir::diagnostic::{Diagnostic, nearest_word};
use ir::source::{Span, Spanned};

/// The configuration of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Config {
    /// Position of `[config]`.
    pub(super) header: Span,
    /// `expect_result`.
    pub(super) expected: Spanned<Expected>,
    /// `glsl_version`: the version that the context must have, which need not be that of the shader.
    pub(super) version: Spanned<ContextVersion>,
    /// `require_extensions`: names, with `!` in front of those that must be absent.
    pub(super) extensions: Vec<Spanned<String>>,
    /// `check_link`.
    pub(super) linked: Linked,
    /// Position of `dummy_shader_include: true` or `shader_include_path`.
    pub(super) include: Option<Span>,
}

/// The result of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// The shader is valid.
    Pass,
    /// The shader is not valid.
    Fail,
}

/// Value of `check_link`: a shader is only compiled, or also linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Linked {
    /// The shader is only compiled.
    No,
    /// The shader is compiled and linked, because of the value at this position.
    Yes(Span),
}

/// The GLSL that a context must provide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ContextVersion {
    /// Version times 100.
    pub(super) number: u16,
    /// True for GLSL ES.
    pub(super) is_es: bool,
    /// True if the context must have the compatibility profile.
    pub(super) is_compatibility: bool,
}

/// Desktop versions of GLSL and of the GL that has them, times 100 and times 10.
const DESKTOP: [(u16, u16); 13] = [
    (110, 20),
    (120, 21),
    (130, 30),
    (140, 31),
    (150, 32),
    (330, 33),
    (400, 40),
    (410, 41),
    (420, 42),
    (430, 43),
    (440, 44),
    (450, 45),
    (460, 46),
];

/// Versions of GLSL ES and of the GL ES that has them, times 100 and times 10.
const ES: [(u16, u16); 4] = [(100, 20), (300, 30), (310, 31), (320, 32)];

/// All keys.
const KEYS: [&str; 6] = [
    "expect_result",
    "glsl_version",
    "require_extensions",
    "check_link",
    "dummy_shader_include",
    "shader_include_path",
];

/// Beginnings of the lines of a comment.
const MARKS: [&str; 3] = ["//", "/*", "*"];

impl ContextVersion {
    /// The version of GL or GL ES that has this GLSL, times 10.
    pub(super) fn context(self) -> u16 {
        versions(self.is_es).iter().find(|(glsl, _)| *glsl == self.number).map_or(0, |(_, gl)| *gl)
    }
}

impl fmt::Display for ContextVersion {
    /// Writes the version as `#version` does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let profile = match self {
            Self { is_es: true, number: 100, .. } => "",
            Self { is_es: true, .. } => " es",
            Self { is_compatibility: true, number: 150.., .. } => " compatibility",
            Self { .. } => "",
        };
        write!(f, "{}{profile}", self.number)
    }
}

const fn versions(is_es: bool) -> &'static [(u16, u16)] {
    if is_es { &ES } else { &DESKTOP }
}

/// True if the text has a line with `[config]`.
pub(super) fn begins(text: &str) -> bool {
    lines(text).any(|line| line.content().is_some_and(|line| line.text.starts_with("[config]")))
}

/// Reads the configuration in the text of a file.
///
/// # Errors
/// All mistakes of the configuration, or that there is none.
pub(super) fn read(text: &str) -> Result<Config, Vec<Diagnostic>> {
    let mut all = lines(text);
    let header =
        all.by_ref().filter_map(Line::content).find(|line| line.text.starts_with("[config]"));
    let Some(header) = header else {
        let message = "the file has no comment with `[config]`, so it is not a test";
        return Err(vec![Diagnostic::error(Span::new(0, 0), message)]);
    };
    let mut reader = Reader { values: Vec::new(), errors: Vec::new() };
    reader.check_alone(header, "[config]");
    for line in all {
        match line.content() {
            _ if line.text.is_empty() => {}
            Some(line) if line.text.starts_with("[end config]") => {
                reader.check_alone(line, "[end config]");
                return reader.finish(header.span());
            }
            Some(line) if line.text.is_empty() => {}
            Some(line) => reader.read_line(line),
            None => {
                let message = "a line of `[config]` begins with `//`, `/*` or `*`";
                reader.errors.push(Diagnostic::error(line.span(), message));
            }
        }
    }
    let message = "`[config]` has no `[end config]`";
    reader.errors.push(Diagnostic::error(header.span(), message));
    reader.finish(header.span())
}

/// A part of a line, without white space around it.
#[derive(Clone, Copy, Debug)]
struct Line<'a> {
    text: &'a str,
    start: usize,
}

/// The lines of a text.
fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.split('\n').scan(0, |next, text| {
        let start = *next;
        *next += text.len() + 1;
        Some(Line { text, start }.trimmed())
    })
}

impl Line<'_> {
    fn trimmed(self) -> Self {
        let text = self.text.trim_start();
        let start = self.start + self.text.len() - text.len();
        Self { text: text.trim_end(), start }
    }

    /// The text behind the mark of a comment; `None` without a mark.
    fn content(self) -> Option<Self> {
        let rest = MARKS.iter().find_map(|mark| self.text.strip_prefix(mark))?;
        Some(self.from(self.text.len() - rest.len()).trimmed())
    }

    /// The part from byte `at` on.
    fn from(self, at: usize) -> Self {
        Self { text: &self.text[at..], start: self.start + at }
    }

    const fn span(self) -> Span {
        Span::new(self.start, self.start + self.text.len())
    }
}

/// The keys and values that were read, and the mistakes.
struct Reader<'a> {
    values: Vec<(&'a str, Line<'a>)>,
    errors: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    /// Reports text behind a header.
    fn check_alone(&mut self, line: Line<'_>, header: &str) {
        let rest = line.from(header.len()).trimmed();
        if !rest.text.is_empty() && rest.text != "*/" {
            let message = format!("unexpected text behind `{header}`");
            self.errors.push(Diagnostic::error(rest.span(), message));
        }
    }

    /// Reads `key: value`.
    fn read_line(&mut self, line: Line<'a>) {
        let length = line.text.find(|letter: char| !(letter.is_ascii_lowercase() || letter == '_'));
        let key = &line.text[..length.unwrap_or(line.text.len())];
        let value = line.text[key.len()..]
            .strip_prefix(':')
            .filter(|value| value.starts_with(char::is_whitespace));
        let span = Span::new(line.start, line.start + key.len());
        let message = match value {
            None => {
                let message = "expected `key: value` or `[end config]`";
                self.errors.push(Diagnostic::error(line.span(), message));
                return;
            }
            Some(_) if !KEYS.contains(&key) => format!("unknown key `{key}`"),
            Some(_) if self.value_of(key).is_some() => format!("`{key}` is given twice"),
            Some(_) => {
                self.values.push((key, line.from(key.len() + 1).trimmed()));
                return;
            }
        };
        let error = Diagnostic::error(span, message);
        let nearest = nearest_word(key, KEYS).filter(|nearest| *nearest != key);
        self.errors.push(match nearest {
            Some(nearest) => error.with_help(format!("did you mean `{nearest}`?")),
            None => error,
        });
    }

    fn value_of(&self, key: &str) -> Option<Line<'a>> {
        self.values.iter().find(|(known, _)| *known == key).map(|(_, value)| *value)
    }

    /// The value of a key that every file has; an error without one.
    fn needed(&mut self, key: &str, header: Span) -> Option<Line<'a>> {
        let value = self.value_of(key);
        if value.is_none() {
            let message = format!("`[config]` has no `{key}`");
            self.errors.push(Diagnostic::error(header, message));
        }
        value
    }

    /// Position of a key's value, if it is `true`. Anything else than `true` and `false` is an error.
    fn flag(&mut self, key: &str) -> Option<Span> {
        let value = self.value_of(key)?;
        if value.text.eq_ignore_ascii_case("true") {
            return Some(value.span());
        }
        if !value.text.eq_ignore_ascii_case("false") {
            let message = format!("`{key}` is `true` or `false`, not `{}`", value.text);
            self.errors.push(Diagnostic::error(value.span(), message));
        }
        None
    }

    /// The configuration, or all mistakes in the order of the file.
    fn finish(mut self, header: Span) -> Result<Config, Vec<Diagnostic>> {
        let expected = self.needed("expect_result", header);
        let expected = expected.and_then(|value| self.expected(value));
        let version = self.needed("glsl_version", header);
        let version = version.and_then(|value| self.version(value));
        let linked = self.flag("check_link").map_or(Linked::No, Linked::Yes);
        let path = self.value_of("shader_include_path").map(Line::span);
        let include = self.flag("dummy_shader_include").or(path);
        let extensions = self.value_of("require_extensions").map_or_else(Vec::new, words);
        self.errors.sort_by_key(|error| error.span.map(|span| span.start));
        match (expected, version) {
            (Some(expected), Some(version)) if self.errors.is_empty() => {
                Ok(Config { header, expected, version, extensions, linked, include })
            }
            (Some(_) | None, _) => Err(self.errors),
        }
    }

    fn expected(&mut self, value: Line<'_>) -> Option<Spanned<Expected>> {
        let expected = match value.text {
            "pass" => Expected::Pass,
            "fail" => Expected::Fail,
            other => {
                let message = format!("`expect_result` is `pass` or `fail`, not `{other}`");
                self.errors.push(Diagnostic::error(value.span(), message));
                return None;
            }
        };
        Some(Spanned::new(expected, value.span()))
    }

    /// Reads a version such as `1.50`, `3.10 es` or `1.50compatibility`. As in piglit, 1.00 and 3.00 to 3.20 are versions
    /// of GLSL ES without `es` too.
    fn version(&mut self, value: Line<'_>) -> Option<Spanned<ContextVersion>> {
        let end = value.text.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
        let (number, profile) = value.text.split_at(end.unwrap_or(value.text.len()));
        let known = number_of(number).and_then(|number| {
            let is_es_number = ES.iter().any(|(known, _)| *known == number);
            let (is_es, is_compatibility) = match profile.trim() {
                "" => (is_es_number, false),
                "es" => (true, false),
                "compatibility" => (false, true),
                _ => return None,
            };
            let is_known = versions(is_es).iter().any(|(known, _)| *known == number);
            is_known.then_some(ContextVersion { number, is_es, is_compatibility })
        });
        if known.is_none() {
            let message = format!("`{}` is not a version of GLSL", value.text);
            let help = "versions are `1.10` to `4.60`, with `compatibility` behind them or not, and `1.00`, `3.00`, \
                        `3.10` and `3.20`, with `es` behind them or not";
            self.errors.push(Diagnostic::error(value.span(), message).with_help(help));
        }
        Some(Spanned::new(known?, value.span()))
    }
}

/// The number `1.50` or `3.1`, times 100.
fn number_of(text: &str) -> Option<u16> {
    let (major, minor) = text.split_once('.')?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let minor = match minor.len() {
        1 => format!("{minor}0"),
        2 => minor.to_owned(),
        _ => return None,
    };
    let is_number = major.len() == 1 && digits(major) && digits(&minor);
    is_number.then(|| format!("{major}{minor}").parse().ok()).flatten()
}

/// The words of a value.
fn words(value: Line<'_>) -> Vec<Spanned<String>> {
    let word = |word: &str| {
        let start = value.start + word.as_ptr().addr() - value.text.as_ptr().addr();
        Spanned::new(word.to_owned(), Span::new(start, start + word.len()))
    };
    value.text.split_whitespace().map(word).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    /// Checks the configuration of a text, or the mistakes with their lines and columns.
    #[track_caller]
    fn check(text: &str, expected: &Expect) {
        let place = |span: Span| {
            let before = &text[..span.start];
            let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
            format!("{}:{column}", before.matches('\n').count() + 1)
        };
        let told = match read(text) {
            Ok(config) => {
                let extensions: Vec<_> = config
                    .extensions
                    .iter()
                    .map(|own| format!("{} {}", place(own.span), own.value))
                    .collect();
                let linked = match config.linked {
                    Linked::No => "compiled".to_owned(),
                    Linked::Yes(span) => format!("linked {}", place(span)),
                };
                let include = config
                    .include
                    .map_or(String::new(), |span| format!("; include {}", place(span)));
                format!(
                    "{}: {:?}, GL {} for {}, {linked}, [{}]{include}",
                    place(config.header),
                    config.expected.value,
                    config.version.value.context(),
                    config.version.value,
                    extensions.join(", ")
                )
            }
            Err(errors) => {
                let told = errors.iter().map(|error| {
                    let span = error.span.expect("a mistake has a place");
                    format!("{} {}", place(span), error.message)
                });
                told.collect::<Vec<_>>().join("\n")
            }
        };
        expected.assert_eq(&told);
    }

    #[track_caller]
    fn check_version(version: &str, expected: &Expect) {
        check(
            &format!(
                "// [config]\n// expect_result: pass\n// glsl_version: {version}\n// [end config]"
            ),
            expected,
        );
    }

    #[test]
    fn every_form_of_comment_is_read() {
        check(
            "#version 150\n/* [config]\n * expect_result: fail\n *\n\n * glsl_version: 1.50\n\
             \t* require_extensions: GL_A  !GL_B\n * check_link: true\n * [end config]\n * rest: x\n */",
            &expect!["2:4: Fail, GL 32 for 150, linked 8:16, [7:24 GL_A, 7:30 !GL_B]"],
        );
        check(
            "//[config]\r\n//expect_result: pass\r\n//glsl_version: 1.10\r\n//check_link: false\r\n//[end config]\r\n",
            &expect!["1:3: Pass, GL 20 for 110, compiled, []"],
        );
        check(
            "* [config] */\n* expect_result: pass\n* glsl_version: 4.60\n* shader_include_path: /a\n* [end config] */",
            &expect!["1:3: Pass, GL 46 for 460, compiled, []; include 4:24"],
        );
    }

    #[test]
    fn versions_are_of_desktop_or_es() {
        check_version("1.00", &expect!["1:4: Pass, GL 20 for 100, compiled, []"]);
        check_version("3.0 es", &expect!["1:4: Pass, GL 30 for 300 es, compiled, []"]);
        check_version("3.20", &expect!["1:4: Pass, GL 32 for 320 es, compiled, []"]);
        check_version("3.30", &expect!["1:4: Pass, GL 33 for 330, compiled, []"]);
        check_version("1.40compatibility", &expect!["1:4: Pass, GL 31 for 140, compiled, []"]);
        check_version(
            "4.50 compatibility",
            &expect!["1:4: Pass, GL 45 for 450 compatibility, compiled, []"],
        );
        for wrong in
            ["1.60", "3.30 es", "3.00compatibility", "1.500", "150", "1.5 core", ".50", "٣.30"]
        {
            let text = format!(
                "// [config]\n// expect_result: pass\n// glsl_version: {wrong}\n// [end config]"
            );
            let errors = read(&text).expect_err("no version");
            assert_eq!(errors[0].message, format!("`{wrong}` is not a version of GLSL"));
        }
    }

    #[test]
    fn all_mistakes_are_reported_in_order() {
        check(
            "void main() {}",
            &expect!["1:1 the file has no comment with `[config]`, so it is not a test"],
        );
        check(
            "// [config] now\n// expect_result: maybe\n// expect_result: pass\n// glsl_verison: 1.10\nglsl_version: 1.10\n\
             // check_link: yes\n// require_extensions:\n",
            &expect![[r"
                1:4 `[config]` has no `[end config]`
                1:4 `[config]` has no `glsl_version`
                1:13 unexpected text behind `[config]`
                2:19 `expect_result` is `pass` or `fail`, not `maybe`
                3:4 `expect_result` is given twice
                4:4 unknown key `glsl_verison`
                5:1 a line of `[config]` begins with `//`, `/*` or `*`
                6:16 `check_link` is `true` or `false`, not `yes`
                7:4 expected `key: value` or `[end config]`"]],
        );
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(
            parts in proptest::collection::vec(
                prop::sample::select(vec![
                    "// ", "/*", " * ", "[config]", "[end config]", "\n", "\r\n", "expect_result: ", "pass", "fail",
                    "glsl_version: ", "1.50", "3.0 es", "compatibility", "check_link: ", "true", "é", "\t", ":",
                    "require_extensions: ", "!", "GL_A ", "٣", "\u{feff}",
                ]),
                0..40,
            ),
        ) {
            let text = parts.concat();
            if let Err(errors) = read(&text) {
                prop_assert!(!errors.is_empty());
                for error in errors {
                    let span = error.span.expect("a mistake has a place");
                    prop_assert!(text.get(span.start..span.end).is_some());
                }
            }
        }
    }
}
