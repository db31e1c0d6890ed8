//! Macro expansion of a run of tokens.
//!
//! The rules are C's, without `#`. Arguments are expanded before they replace a parameter (except next to `##`), the
//! result is scanned again together with the following tokens, and a macro's name inside its own expansion is not
//! replaced.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::token::{Token, TokenKind};
use ir::diagnostic::Diagnostic;
use ir::source::Span;

use super::call::{self, PendingTokens};
use super::macros::{Macro, MacroTable};
use super::{condition, lexer};

/// Maximum number of tokens that all expansions of a shader produce. It bounds time and memory for hostile macros.
const MAX_EXPANDED_TOKENS: usize = 1 << 18;
/// Maximum nesting depth of macro calls in the arguments of macro calls.
const MAX_NESTED_CALLS: usize = 100;
/// Maximum length of a token made by `##`; GLSL ES allows words of 1024 characters.
const MAX_PASTED_LENGTH: usize = 1024;

/// Macros whose value depends on their position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Builtins<'m> {
    /// Value of `__VERSION__`.
    pub(super) version: u16,
    /// Value of `__FILE__`: the number set by `#line`.
    pub(super) file: i64,
    /// Number that is added to a line's own number, set by `#line`.
    pub(super) line_shift: i64,
    /// Offsets in the case's source at which the shader's lines start.
    pub(super) line_starts: &'m [usize],
}

/// Context of the tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenContext {
    /// The shader's text.
    Text,
    /// The condition of an `#if`, where the operand of `defined` in a macro's body is a name and is not expanded.
    Condition,
}

/// One run of expansion.
#[derive(Debug)]
pub(super) struct Expander<'m, 'a> {
    macros: &'m MacroTable<'a>,
    builtins: Builtins<'m>,
    context: TokenContext,
    /// Tokens made so far, over the whole shader.
    made: &'m mut usize,
    /// Macros being expanded.
    active: HashSet<String>,
    /// Number of nested macro calls whose arguments contain the scanned tokens.
    depth: usize,
}

/// A token of a substituted body.
struct Part<'a> {
    token: Token<'a>,
    /// True if the token comes from the macro's definition and not from an argument.
    is_from_body: bool,
}

impl<'m, 'a> Expander<'m, 'a> {
    /// An expander with the current macros. `made` counts tokens over all runs.
    pub(super) fn new(
        macros: &'m MacroTable<'a>,
        builtins: Builtins<'m>,
        context: TokenContext,
        made: &'m mut usize,
    ) -> Self {
        Self { macros, builtins, context, made, active: HashSet::new(), depth: 0 }
    }

    /// Replaces all macros in `tokens`.
    pub(super) fn expand(&mut self, tokens: &[Token<'a>]) -> Result<Vec<Token<'a>>, Diagnostic> {
        let mut pending: Vec<_> = tokens.iter().rev().cloned().map(PendingTokens::Token).collect();
        let mut out = Vec::with_capacity(tokens.len());
        while let Some(next) = pending.pop() {
            match next {
                PendingTokens::EndOf(name) => {
                    self.active.remove(&name);
                }
                PendingTokens::Token(token) => self.scan(token, &mut pending, &mut out)?,
            }
        }
        Ok(out)
    }

    /// Moves one token to `out`, or its replacement back to `pending`.
    fn scan(
        &mut self,
        token: Token<'a>,
        pending: &mut Vec<PendingTokens<'a>>,
        out: &mut Vec<Token<'a>>,
    ) -> Result<(), Diagnostic> {
        if token.kind != TokenKind::Word || token.is_painted {
            out.push(token);
        } else if let Some(definition) = self.macros.get(&*token.text) {
            if let Some(text) = self.builtins.value(&token) {
                out.push(Token { kind: TokenKind::Number, text: Cow::Owned(text), ..token });
            } else if self.active.contains(&*token.text) {
                out.push(Token { is_painted: true, ..token });
            } else if definition.parameters.is_some() && !call::is_next(pending) {
                out.push(token);
            } else {
                self.replace(&token, definition, pending)?;
            }
        } else {
            out.push(token);
        }
        Ok(())
    }

    /// Replaces one use of a macro, whose name was just taken from `pending`.
    fn replace(
        &mut self,
        name: &Token<'a>,
        definition: &Macro<'a>,
        pending: &mut Vec<PendingTokens<'a>>,
    ) -> Result<(), Diagnostic> {
        let mut span = name.span;
        let mut arguments = Vec::new();
        if let Some(parameters) = &definition.parameters {
            let (found, close) = call::take_arguments(pending, &mut self.active, name)?;
            arguments = call::matched(found, parameters.len(), name)?;
            span = span.to(close);
        }
        let body = self.substitute(definition, &arguments, name)?.into_iter().map(|part| {
            let span = if part.is_from_body { span } else { part.token.span };
            Token { span, starts_line: false, ..part.token }
        });
        let mut body: Vec<_> = body.collect();
        if self.context == TokenContext::Condition {
            // The operand of a `defined` at the end of the body comes behind the use, and is not expanded either.
            if body.last().is_some_and(|last| last.is_word("defined")) {
                body.append(&mut call::take_operand(pending, &mut self.active));
            }
            body = condition::replace_defined(&body, self.macros)?;
        }
        self.active.insert(name.text.to_string());
        pending.push(PendingTokens::EndOf(name.text.to_string()));
        pending.extend(body.into_iter().rev().map(PendingTokens::Token));
        Ok(())
    }

    /// The body of `definition` with its parameters replaced and `##` applied.
    fn substitute(
        &mut self,
        definition: &Macro<'a>,
        arguments: &[Vec<Token<'a>>],
        name: &Token<'a>,
    ) -> Result<Vec<Part<'a>>, Diagnostic> {
        let mut expanded: Vec<Option<Vec<Token<'a>>>> = vec![None; arguments.len()];
        let mut out: Vec<Part<'a>> = Vec::new();
        let is_glue = |idx: Option<usize>| {
            idx.and_then(|idx| definition.body.get(idx)).is_some_and(|t| t.is_punctuator("##"))
        };
        // True if the operand before a `##` left a token at the end of `out`.
        let mut has_left = false;
        for (idx, token) in definition.body.iter().enumerate() {
            if is_glue(Some(idx)) {
                continue;
            }
            let is_glued = is_glue(idx.checked_sub(1));
            let mut piece = match definition.parameter_index(token) {
                None => vec![Part { token: token.clone(), is_from_body: true }],
                Some(at) if is_glued || is_glue(Some(idx + 1)) => parts_of(arguments.get(at)),
                Some(at) => {
                    self.expand_argument(arguments, &mut expanded, at, name)?;
                    parts_of(expanded.get(at).and_then(Option::as_ref))
                }
            };
            self.charge(piece.len(), name.span)?;
            if is_glued && has_left && !piece.is_empty() {
                let right = piece.remove(0);
                if let Some(left) = out.pop() {
                    out.push(paste(&left.token, &right.token, name.span)?);
                }
                has_left = true;
            } else {
                has_left = !piece.is_empty() || (is_glued && has_left);
            }
            out.append(&mut piece);
        }
        Ok(out)
    }

    /// Expands the argument `at` into `expanded[at]`, unless this was done before.
    fn expand_argument(
        &mut self,
        arguments: &[Vec<Token<'a>>],
        expanded: &mut [Option<Vec<Token<'a>>>],
        at: usize,
        name: &Token<'a>,
    ) -> Result<(), Diagnostic> {
        let (Some(raw), Some(slot @ None)) = (arguments.get(at), expanded.get_mut(at)) else {
            return Ok(());
        };
        if self.depth >= MAX_NESTED_CALLS {
            let message =
                format!("interstage supports at most {MAX_NESTED_CALLS} nested macro calls");
            return Err(Diagnostic::error(name.span, message));
        }
        self.charge(raw.len(), name.span)?;
        self.depth += 1;
        *slot = Some(self.expand(raw)?);
        self.depth -= 1;
        Ok(())
    }

    fn charge(&mut self, count: usize, span: Span) -> Result<(), Diagnostic> {
        *self.made += count;
        if *self.made > MAX_EXPANDED_TOKENS {
            let message = format!(
                "interstage supports at most {MAX_EXPANDED_TOKENS} tokens from macro expansion"
            );
            return Err(Diagnostic::error(span, message));
        }
        Ok(())
    }
}

impl Builtins<'_> {
    fn value(&self, name: &Token<'_>) -> Option<String> {
        match &*name.text {
            "__VERSION__" => Some(self.version.to_string()),
            "__FILE__" => Some(self.file.to_string()),
            // The span of a token from a macro's body is the whole call; its line is the one on which the call ends.
            "__LINE__" => {
                let last = name.span.end.saturating_sub(1);
                let line = self.line_starts.partition_point(|start| *start <= last);
                let line = i64::try_from(line).unwrap_or(i64::MAX);
                Some(line.saturating_add(self.line_shift).to_string())
            }
            _ => None,
        }
    }
}

fn parts_of<'a>(tokens: Option<&Vec<Token<'a>>>) -> Vec<Part<'a>> {
    let tokens = tokens.map_or(&[][..], Vec::as_slice);
    tokens.iter().map(|token| Part { token: token.clone(), is_from_body: false }).collect()
}

/// Pastes two tokens: `left ## right`.
fn paste<'a>(left: &Token<'a>, right: &Token<'a>, place: Span) -> Result<Part<'a>, Diagnostic> {
    let text = format!("{}{}", left.text, right.text);
    let kind = lexer::kind_of_whole(&text).filter(|_| text.len() <= MAX_PASTED_LENGTH);
    let Some(kind) = kind else {
        let message = format!("`##` cannot join `{}` and `{}` to one token", left.text, right.text);
        return Err(Diagnostic::error(place, message));
    };
    let token = Token { kind, text: Cow::Owned(text), is_painted: false, ..left.clone() };
    Ok(Part { token, is_from_body: true })
}
