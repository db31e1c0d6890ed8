//! Macro definitions: parsing of `#define`, and the table of macros.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use crate::token::{Token, TokenKind};
use ir::diagnostic::Diagnostic;
use ir::source::Span;

/// The macros defined at one point of the text.
pub(super) type MacroTable<'a> = HashMap<Cow<'a, str>, Macro<'a>>;

/// A macro's definition.
#[derive(Clone, Debug)]
pub(super) struct Macro<'a> {
    /// Names of the parameters; `None` for a macro without parentheses.
    pub(super) parameters: Option<Vec<String>>,
    /// Replacement tokens.
    pub(super) body: Rc<[Token<'a>]>,
}

/// Predefined macros whose values are not in the table.
pub(super) const POSITIONAL: [&str; 3] = ["__LINE__", "__FILE__", "__VERSION__"];

impl Macro<'_> {
    /// Index of the parameter that `token` names, if it names one.
    pub(super) fn parameter_index(&self, token: &Token<'_>) -> Option<usize> {
        let parameters = self.parameters.as_ref().filter(|_| token.kind == TokenKind::Word)?;
        parameters.iter().position(|name| *name == token.text)
    }

    /// Rejects the operators that the language lacks: C's `#`, and in ES also `##` (GLSL 4.60 and ES 3.20 section 3.4).
    fn check_operators(&self, is_es: bool) -> Result<(), Diagnostic> {
        let pasting = self.body.iter().find(|token| is_es && token.is_punctuator("##"));
        if let Some(pasting) = pasting {
            return Err(Diagnostic::error(pasting.span, "GLSL ES has no operator `##`"));
        }
        let pairs = self.body.iter().zip(self.body.iter().skip(1));
        let mut strings = pairs.filter(|(hash, operand)| {
            hash.is_punctuator("#") && self.parameter_index(operand).is_some()
        });
        match strings.next() {
            Some((hash, _)) => {
                Err(Diagnostic::error(hash.span, "GLSL has no operator `#`, for it has no strings"))
            }
            None => Ok(()),
        }
    }

    /// True if a second `#define` is compatible: same parameters, same tokens, same positions of white space.
    fn is_same(&self, other: &Self) -> bool {
        let same_token = |(idx, (a, b)): (usize, (&Token, &Token))| {
            a.text == b.text && (idx == 0 || a.is_spaced == b.is_spaced)
        };
        self.parameters == other.parameters
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&*other.body).enumerate().all(same_token)
    }
}

/// Processes `#define`. `line` contains the tokens after that word. ES does not reserve the name `defined`.
pub(super) fn define<'a>(
    table: &mut MacroTable<'a>,
    line: &[Token<'a>],
    directive: Span,
    is_es: bool,
) -> Result<(), Diagnostic> {
    let name = match line.first().filter(|name| is_es && name.is_word("defined")) {
        Some(name) => name,
        None => macro_name(line, directive, "#define")?,
    };
    let after = line.get(1..).unwrap_or(&[]);
    let (parameters, body) = match after.first() {
        Some(open) if open.is_punctuator("(") && !open.is_spaced => {
            let (parameters, length) = parameter_list(after, name.span)?;
            (Some(parameters), after.get(length..).unwrap_or(&[]))
        }
        _ => (None, after),
    };
    let edge = body.first().filter(|t| t.is_punctuator("##"));
    if let Some(glue) = edge.or_else(|| body.last().filter(|t| t.is_punctuator("##"))) {
        return Err(Diagnostic::error(glue.span, "`##` needs a token on both sides"));
    }
    let new = Macro { parameters, body: body.into() };
    new.check_operators(is_es)?;
    if table.get(&*name.text).is_some_and(|old| !old.is_same(&new)) {
        let message = format!("macro `{}` is already defined with another body", name.text);
        return Err(Diagnostic::error(name.span, message));
    }
    table.insert(name.text.clone(), new);
    Ok(())
}

/// Processes `#undef`. `line` contains the tokens after that word. Only desktop GLSL lets programs remove macros such as
/// `__VERSION__` (GLSL ES 3.00 section 3.4).
pub(super) fn undefine(
    table: &mut MacroTable<'_>,
    line: &[Token<'_>],
    directive: Span,
    is_es: bool,
) -> Result<(), Diagnostic> {
    let is_removable = |name: &&Token<'_>| !is_es && POSITIONAL.contains(&&*name.text);
    let name = match line.first().filter(is_removable) {
        Some(name) => name,
        None => macro_name(line, directive, "#undef")?,
    };
    nothing_after(line, 1, "#undef")?;
    table.remove(&*name.text);
    Ok(())
}

/// Rejects tokens of a directive behind the first `count`.
pub(super) fn nothing_after(
    line: &[Token<'_>],
    count: usize,
    directive: &str,
) -> Result<(), Diagnostic> {
    match line.get(count) {
        Some(token) => {
            let message = format!("unexpected `{}` at the end of `{directive}`", token.text);
            Err(Diagnostic::error(token.span, message))
        }
        None => Ok(()),
    }
}

/// The first token of `line`, which must be a name that programs may define.
fn macro_name<'t, 'a>(
    line: &'t [Token<'a>],
    directive: Span,
    word: &str,
) -> Result<&'t Token<'a>, Diagnostic> {
    let name = line.first().filter(|token| token.kind == TokenKind::Word).ok_or_else(|| {
        let span = line.first().map_or(directive, |token| token.span);
        Diagnostic::error(span, format!("`{word}` needs the name of a macro"))
    })?;
    let is_builtin = POSITIONAL.contains(&&*name.text) || name.is_word("defined");
    if is_builtin || name.text.starts_with("GL_") {
        let message =
            format!("`{}` is a predefined or reserved macro name and cannot be changed", name.text);
        return Err(Diagnostic::error(name.span, message));
    }
    Ok(name)
}

/// Parses `(a, b)`. Returns the names and the number of tokens.
fn parameter_list(tokens: &[Token<'_>], name: Span) -> Result<(Vec<String>, usize), Diagnostic> {
    let mut names: Vec<String> = Vec::new();
    let mut length = 1;
    if tokens.get(1).is_some_and(|token| token.is_punctuator(")")) {
        return Ok((names, 2));
    }
    while let Some(token) = tokens.get(length) {
        if token.kind != TokenKind::Word {
            let message = format!("expected the name of a parameter, found `{}`", token.text);
            return Err(Diagnostic::error(token.span, message));
        }
        if names.iter().any(|known| *known == token.text) {
            let message = format!("the parameter `{}` is declared twice", token.text);
            return Err(Diagnostic::error(token.span, message));
        }
        names.push(token.text.to_string());
        match tokens.get(length + 1) {
            Some(token) if token.is_punctuator(")") => return Ok((names, length + 2)),
            Some(token) if token.is_punctuator(",") => length += 2,
            Some(token) => {
                let message = format!("expected `,` or `)`, found `{}`", token.text);
                return Err(Diagnostic::error(token.span, message));
            }
            None => break,
        }
    }
    Err(Diagnostic::error(name, "the parameter list of this macro has no closing `)`"))
}
