//! Preprocessor: from text to tokens, with directives executed and macros replaced.
//!
//! The lines between two directives are expanded together, so a macro call may span lines but not directives.

mod call;
mod condition;
mod expand;
mod include;
mod lexer;
mod macros;
mod predefined;
mod splice;

use std::borrow::Cow;
use std::rc::Rc;

use ir::diagnostic::Diagnostic;
use ir::source::Span;

use self::condition::UndefinedName;
use self::expand::{Builtins, Expander, TokenContext};
use self::macros::{Macro, MacroTable};
use super::ast::{Extension, Version};
use super::target::{Target, VULKAN};
use super::token::{Token, TokenKind};

pub use self::include::Include;
pub(super) use self::include::Library;
pub(super) use self::splice::Spliced;

/// Maximum number of errors reported for one shader object.
pub(super) const MAX_ERRORS: usize = 20;
/// Maximum nesting depth of `#if` directives.
const MAX_NESTED_CONDITIONS: usize = 1000;
/// Maximum number of tokens of a shader after preprocessing.
const MAX_TOKENS: usize = 1_000_000;
/// Extensions with `#include`.
const INCLUDE_EXTENSIONS: [&str; 2] =
    ["GL_ARB_shading_language_include", "GL_GOOGLE_include_directive"];
/// Extensions with names of files in `#line`.
const NAMED_LINES: [&str; 2] =
    ["GL_GOOGLE_cpp_style_line_directive", "GL_ARB_shading_language_include"];
/// Maximum length of a name, in ES from 3.00 on (GLSL ES 3.00 section 3.9).
const MAX_NAME_LENGTH: usize = 1024;
/// Pragmas that are only allowed outside of function definitions (GLSL 4.60 and ES 3.20 section 3.4).
const OUTER_PRAGMAS: [&str; 2] = ["optimize", "debug"];
/// Maximum nesting depth of includes.
const MAX_NESTED_INCLUDES: usize = 32;
/// Maximum number of includes in a shader, counting repeated ones.
const MAX_INCLUDES: usize = 1000;

/// A shader after preprocessing.
#[derive(Clone, Debug)]
pub(super) struct Preprocessed<'a> {
    /// The version in `#version`, or the default.
    pub(super) version: Version,
    /// The `#extension` directives, in order.
    pub(super) extensions: Vec<Extension>,
    /// The first required extension that is not supported.
    pub(super) unsupported: Option<(String, Span)>,
    /// Position of `#pragma STDGL invariant(all)`, if present.
    pub(super) invariant_all: Option<Span>,
    /// The remaining tokens.
    pub(super) tokens: Vec<Token<'a>>,
}

/// Extensions that `#extension` accepts.
pub(super) const fn extensions(is_es: bool) -> &'static [&'static str] {
    predefined::extensions(Version { number: 0, is_es, is_compatibility: false })
}

/// Extensions that `#extension` accepts only where nothing runs the shader.
pub(super) const fn checked_extensions(is_es: bool) -> &'static [&'static str] {
    predefined::checked_extensions(is_es)
}

/// Executes the directives of `spliced`. All errors are found in one run.
pub(super) fn preprocess<'a>(
    spliced: &'a Spliced<'a>,
    library: &'a Library<'a>,
    default_version: Version,
    target: Target,
) -> Result<Preprocessed<'a>, Vec<Diagnostic>> {
    let tokens = lexer::tokenize(spliced).map_err(|error| vec![error])?;
    let end = spliced.span(0, spliced.text.len()).end;
    let mut preprocessor = Preprocessor {
        version: default_version,
        target,
        is_version_fixed: false,
        extensions: Vec::new(),
        invariant_all: None,
        unsupported: None,
        macros: MacroTable::new(),
        conditions: Vec::new(),
        out: Vec::new(),
        made: 0,
        place: SourceText::new(spliced, None),
        library,
        include_depth: 0,
        include_count: 0,
        errors: Vec::new(),
        braces: (0, 0),
    };
    preprocessor.run(&tokens);
    preprocessor.check_names();
    if let Some(open) = preprocessor.conditions.last()
        && preprocessor.errors.len() < MAX_ERRORS
    {
        let error = Diagnostic::error(open.span, "this `#if` has no `#endif`");
        preprocessor.errors.push(error);
    }
    if preprocessor.out.len() > MAX_TOKENS {
        let message = format!("interstage supports at most {MAX_TOKENS} tokens in a shader");
        preprocessor.errors.push(Diagnostic::error(Span::new(end, end), message));
    }
    if preprocessor.errors.is_empty() {
        let Preprocessor { version, extensions, invariant_all, unsupported, out, .. } =
            preprocessor;
        Ok(Preprocessed { version, extensions, unsupported, invariant_all, tokens: out })
    } else {
        Err(preprocessor.errors)
    }
}

/// An open `#if`.
struct Conditional {
    /// Position of the `#if`, for the message that its `#endif` is missing.
    span: Span,
    group: IfState,
    has_else: bool,
    /// True inside inactive text, where only the nesting of directives counts.
    is_skipped: bool,
}

/// State of an `#if`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IfState {
    /// No condition has been true yet.
    Before,
    /// Inside the active group.
    Taken,
    /// After the active group, or inside inactive text.
    After,
}

/// The text being read.
struct SourceText<'a> {
    text: &'a Spliced<'a>,
    /// The folder of the text, if it is an included text.
    folder: Option<&'a str>,
    line_starts: Vec<usize>,
    line_shift: i64,
    file: i64,
}

impl<'a> SourceText<'a> {
    fn new(text: &'a Spliced<'a>, folder: Option<&'a str>) -> Self {
        Self { text, folder, line_starts: text.line_starts(), line_shift: 0, file: 0 }
    }
}

struct Preprocessor<'a> {
    version: Version,
    target: Target,
    /// True if `#version` may no longer occur.
    is_version_fixed: bool,
    extensions: Vec<Extension>,
    invariant_all: Option<Span>,
    unsupported: Option<(String, Span)>,
    macros: MacroTable<'a>,
    conditions: Vec<Conditional>,
    out: Vec<Token<'a>>,
    /// Number of tokens produced by macros so far.
    made: usize,
    place: SourceText<'a>,
    library: &'a Library<'a>,
    include_depth: usize,
    include_count: usize,
    errors: Vec<Diagnostic>,
    /// The number of tokens of `out` in which braces were counted, and how many of them are open.
    braces: (usize, usize),
}

impl<'a> Preprocessor<'a> {
    /// Processes directives and the text between them in turn.
    fn run(&mut self, tokens: &[Token<'a>]) {
        let mut rest = tokens;
        while let Some(first) = rest.first() {
            if self.errors.len() >= MAX_ERRORS || self.out.len() > MAX_TOKENS {
                return;
            }
            let is_directive = starts_directive(first);
            let length = 1 + rest
                .iter()
                .skip(1)
                .take_while(|t| if is_directive { !t.starts_line } else { !starts_directive(t) })
                .count();
            let (run, after) = rest.split_at(length);
            rest = after;
            let result = if is_directive {
                self.directive(run)
            } else if self.counts() {
                self.fix_version(first.span);
                self.expand(run, TokenContext::Text).map(|mut tokens| self.out.append(&mut tokens))
            } else {
                Ok(())
            };
            if let Err(error) = result {
                self.errors.push(error);
            }
        }
        if let Some(last) = tokens.last() {
            self.fix_version(last.span);
        }
    }

    /// Rejects names that are too long for ES.
    fn check_names(&mut self) {
        if !self.version.is_es || self.version.number < 300 {
            return;
        }
        let is_long = |token: &&Token<'_>| {
            token.kind == TokenKind::Word && token.text.len() > MAX_NAME_LENGTH
        };
        if let Some(long) = self.out.iter().find(is_long) {
            let message = format!("a name has at most {MAX_NAME_LENGTH} characters");
            self.errors.push(Diagnostic::error(long.span, message));
        }
    }

    /// True if the text here is active.
    fn counts(&self) -> bool {
        self.conditions.last().is_none_or(|open| open.group == IfState::Taken)
    }

    fn expand(
        &mut self,
        tokens: &[Token<'a>],
        context: TokenContext,
    ) -> Result<Vec<Token<'a>>, Diagnostic> {
        let builtins = Builtins {
            version: self.version.number,
            file: self.place.file,
            line_shift: self.place.line_shift,
            line_starts: &self.place.line_starts,
        };
        Expander::new(&self.macros, builtins, context, &mut self.made).expand(tokens)
    }

    /// Fixes the version at `place`, and defines its macros.
    fn fix_version(&mut self, place: Span) {
        if self.is_version_fixed {
            return;
        }
        self.is_version_fixed = true;
        let number = |text: &'static str| Token {
            kind: TokenKind::Number,
            text: Cow::Borrowed(text),
            span: place,
            starts_line: false,
            is_spaced: true,
            is_painted: false,
        };
        let names = predefined::macros(self.version, self.target);
        for name in macros::POSITIONAL {
            let definition = Macro { parameters: None, body: Rc::from([]) };
            self.macros.insert(Cow::Borrowed(name), definition);
        }
        for (name, value) in names {
            let definition = Macro { parameters: None, body: Rc::from([number(value)]) };
            self.macros.insert(Cow::Borrowed(name), definition);
        }
    }

    /// Processes one line that starts with `#`.
    fn directive(&mut self, line: &[Token<'a>]) -> Result<(), Diagnostic> {
        let Some((hash, [word, operands @ ..])) = line.split_first() else { return Ok(()) };
        let span = hash.span.to(word.span);
        if word.is_word("version") && self.counts() {
            return self.set_version(operands, span);
        }
        self.fix_version(span);
        match &*word.text {
            "if" | "ifdef" | "ifndef" => self.open_condition(&word.text, operands, span),
            "elif" | "else" => self.next_group(&word.text, operands, span),
            "endif" => match self.conditions.pop() {
                // Directives within a skipped group have no effect.
                Some(_) if !self.counts() => Ok(()),
                Some(_) => macros::nothing_after(operands, 0, "#endif"),
                None => Err(Diagnostic::error(span, "`#endif` without `#if`")),
            },
            _ if !self.counts() => Ok(()),
            "define" => macros::define(&mut self.macros, operands, span, self.version.is_es),
            "undef" => macros::undefine(&mut self.macros, operands, span, self.version.is_es),
            "extension" => self.extension(operands, span),
            "line" => self.set_line(operands, span),
            "error" => Err(user_error(operands, span)),
            "include" => self.include(operands, span),
            "pragma" => self.pragma(operands, span),
            _ => Err(Diagnostic::error(span, format!("unknown directive `#{}`", word.text))),
        }
    }

    fn set_version(&mut self, operands: &[Token<'a>], span: Span) -> Result<(), Diagnostic> {
        if self.is_version_fixed {
            return Err(Diagnostic::error(span, "`#version` must come before everything else"));
        }
        self.version = predefined::parse_version(operands, span)?;
        self.fix_version(span);
        Ok(())
    }

    /// Processes a pragma; only `STDGL invariant(all)` has a meaning here.
    fn pragma(&mut self, operands: &[Token<'a>], span: Span) -> Result<(), Diagnostic> {
        let words: Vec<&str> = operands.iter().map(|token| &*token.text).collect();
        if words == ["STDGL", "invariant", "(", "all", ")"] {
            self.invariant_all = Some(span);
        }
        let is_outer = words.first().is_some_and(|word| OUTER_PRAGMAS.contains(word));
        if is_outer && self.is_in_braces() {
            return Err(Diagnostic::error(span, "this pragma must stand outside of functions"));
        }
        Ok(())
    }

    /// True if more braces were opened than closed so far.
    fn is_in_braces(&mut self) -> bool {
        let (counted, mut depth) = self.braces;
        for token in self.out.iter().skip(counted) {
            if token.is_punctuator("{") {
                depth += 1;
            } else if token.is_punctuator("}") {
                depth = depth.saturating_sub(1);
            }
        }
        self.braces = (self.out.len(), depth);
        depth > 0
    }

    fn extension(&mut self, operands: &[Token<'a>], span: Span) -> Result<(), Diagnostic> {
        let [name, colon, behaviour] = operands else {
            return Err(Diagnostic::error(span, "expected `#extension NAME : BEHAVIOUR`"));
        };
        let is_known_behaviour =
            matches!(&*behaviour.text, "require" | "enable" | "warn" | "disable");
        if !colon.is_punctuator(":") || !is_known_behaviour {
            return Err(Diagnostic::error(behaviour.span, "unknown extension behaviour")
                .with_help("`require`, `enable`, `warn` or `disable`"));
        }
        if name.is_word("all") && matches!(&*behaviour.text, "require" | "enable") {
            return Err(Diagnostic::error(name.span, "`all` cannot be required or enabled"));
        }
        if !self.out.is_empty() {
            return Err(Diagnostic::error(span, "`#extension` must come before any code"));
        }
        if name.is_word(VULKAN) {
            // The target determines this.
            return Ok(());
        }
        let is_known = predefined::has_extension(&name.text, self.version, self.target);
        if behaviour.is_word("require") && !is_known && self.unsupported.is_none() {
            self.unsupported = Some((name.text.to_string(), name.span));
        }
        self.extensions.push(Extension {
            name: name.text.to_string(),
            behaviour: behaviour.text.to_string(),
            is_provided: is_known,
            span: span.to(behaviour.span),
        });
        Ok(())
    }

    fn include(&mut self, operands: &[Token<'a>], span: Span) -> Result<(), Diagnostic> {
        let [name, _] = INCLUDE_EXTENSIONS;
        if !self.extensions.iter().any(|extension| {
            INCLUDE_EXTENSIONS.contains(&&*extension.name) && extension.behaviour != "disable"
        }) {
            return Err(Diagnostic::error(
                span,
                format!("`#include` needs the extension `{name}`"),
            ));
        }
        let [first, .., last] = operands else {
            return Err(Diagnostic::error(span, "`#include` needs a path in quotes"));
        };
        let operand = first.span.to(last.span);
        let (library, words) = (self.library, self.place.text.source(operand));
        let Some((path, text)) = library.find(words, self.place.folder) else {
            return Err(Diagnostic::error(operand, format!("there is no include text {words}")));
        };
        self.include_count += 1;
        if self.include_depth >= MAX_NESTED_INCLUDES || self.include_count > MAX_INCLUDES {
            let message = format!(
                "interstage supports {MAX_INCLUDES} `#include` directives, nested {MAX_NESTED_INCLUDES} deep"
            );
            return Err(Diagnostic::error(operand, message));
        }
        let tokens = lexer::tokenize(text)?;
        let around = std::mem::replace(
            &mut self.place,
            SourceText::new(text, Some(include::folder_of(path))),
        );
        self.include_depth += 1;
        self.run(&tokens);
        self.include_depth -= 1;
        self.place = around;
        Ok(())
    }

    /// Processes `#line LINE` and `#line LINE FILE`: the line after the directive gets that number. Only
    /// [`NAMED_LINES`] allow a file's name.
    fn set_line(&mut self, operands: &[Token<'a>], span: Span) -> Result<(), Diagnostic> {
        let operands = self.expand(operands, TokenContext::Text)?;
        let number = |token: &Token<'_>| token.text.parse::<i32>().ok().map(i64::from);
        let line = operands.first().and_then(number);
        let line = line.ok_or_else(|| Diagnostic::error(span, "`#line` needs a number"))?;
        let has_names = self.extensions.iter().any(|one| NAMED_LINES.contains(&&*one.name));
        let file = match operands.get(1) {
            Some(token) if !has_names => Some(number(token).ok_or_else(|| {
                Diagnostic::error(token.span, "the second operand of `#line` is a number")
            })?),
            Some(token) => number(token),
            None => None,
        };
        if !has_names {
            macros::nothing_after(&operands, 2, "#line")?;
        }
        let after = self.place.line_starts.partition_point(|start| *start <= span.start) + 1;
        self.place.line_shift = line - i64::try_from(after).unwrap_or(i64::MAX);
        self.place.file = file.unwrap_or(self.place.file);
        Ok(())
    }

    fn open_condition(
        &mut self,
        word: &str,
        operands: &[Token<'a>],
        span: Span,
    ) -> Result<(), Diagnostic> {
        if self.conditions.len() >= MAX_NESTED_CONDITIONS {
            let message = format!(
                "interstage supports at most {MAX_NESTED_CONDITIONS} nested `#if` directives"
            );
            return Err(Diagnostic::error(span, message));
        }
        let is_relevant = self.counts();
        let verdict = if !is_relevant {
            Ok(false)
        } else if word == "if" {
            self.condition(operands, span)
        } else {
            self.is_defined(operands, span).map(|is_defined| is_defined == (word == "ifdef"))
        };
        let group = match (is_relevant, &verdict) {
            (false, _) | (true, Err(_)) => IfState::After,
            (true, Ok(true)) => IfState::Taken,
            (true, Ok(false)) => IfState::Before,
        };
        let is_skipped = !is_relevant;
        self.conditions.push(Conditional { span, group, has_else: false, is_skipped });
        verdict.map(|_| ())
    }

    /// Processes `#elif` and `#else`.
    fn next_group(
        &mut self,
        word: &str,
        operands: &[Token<'a>],
        span: Span,
    ) -> Result<(), Diagnostic> {
        let Some(open) = self.conditions.last_mut() else {
            return Err(Diagnostic::error(span, format!("`#{word}` without `#if`")));
        };
        if open.has_else {
            return Err(Diagnostic::error(span, format!("`#{word}` after `#else`")));
        }
        open.has_else = word == "else";
        let is_open = open.group == IfState::Before;
        open.group = IfState::After;
        if word == "else" && !open.is_skipped {
            macros::nothing_after(operands, 0, "#else")?;
        }
        let is_taken = is_open && (word == "else" || self.condition(operands, span)?);
        if let Some(open) = self.conditions.last_mut().filter(|_| is_open) {
            open.group = if is_taken { IfState::Taken } else { IfState::Before };
        }
        Ok(())
    }

    fn condition(&mut self, operands: &[Token<'a>], span: Span) -> Result<bool, Diagnostic> {
        let tokens = condition::replace_defined(operands, &self.macros)?;
        let tokens = self.expand(&tokens, TokenContext::Condition)?;
        let undefined =
            if self.version.is_es { UndefinedName::IsError } else { UndefinedName::IsZero };
        condition::evaluate(&tokens, span, undefined)
    }

    fn is_defined(&self, operands: &[Token<'a>], span: Span) -> Result<bool, Diagnostic> {
        let name = operands.first().filter(|token| token.kind == TokenKind::Word);
        let name = name.ok_or_else(|| Diagnostic::error(span, "expected the name of a macro"))?;
        macros::nothing_after(operands, 1, "#ifdef")?;
        Ok(self.macros.contains_key(&*name.text))
    }
}

/// The error of an `#error` directive.
fn user_error(operands: &[Token<'_>], span: Span) -> Diagnostic {
    let words: Vec<&str> = operands.iter().map(|token| &*token.text).collect();
    let span = operands.last().map_or(span, |last| span.to(last.span));
    Diagnostic::error(span, format!("#error {}", words.join(" ")).trim_end().to_owned())
}

fn starts_directive(token: &Token<'_>) -> bool {
    token.starts_line && token.is_punctuator("#")
}

#[cfg(test)]
mod tests;
