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

impl Macro<'_> {
    /// Index of the parameter that `token` names, if it names one.
    pub(super) fn parameter_index(&self, token: &Token<'_>) -> Option<usize> {
        let parameters = self.parameters.as_ref().filter(|_| token.kind == TokenKind::Word)?;
        parameters.iter().position(|name| *name == token.text)
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

/// Processes `#define`. `line` contains the tokens after that word.
pub(super) fn define<'a>(
    table: &mut MacroTable<'a>,
    line: &[Token<'a>],
    directive: Span,
) -> Result<(), Diagnostic> {
    let name = macro_name(line, directive, "#define")?;
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
    if table.get(&*name.text).is_some_and(|old| !old.is_same(&new)) {
        let message = format!("macro `{}` is already defined with another body", name.text);
        return Err(Diagnostic::error(name.span, message));
    }
    table.insert(name.text.clone(), new);
    Ok(())
}

/// Processes `#undef`. `line` contains the tokens after that word.
pub(super) fn undefine(
    table: &mut MacroTable<'_>,
    line: &[Token<'_>],
    directive: Span,
) -> Result<(), Diagnostic> {
    let name = macro_name(line, directive, "#undef")?;
    table.remove(&*name.text);
    Ok(())
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
    let is_builtin = matches!(&*name.text, "__LINE__" | "__FILE__" | "__VERSION__" | "defined");
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
