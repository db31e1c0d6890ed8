//! The value of a `#if` or `#elif` expression.
//!
//! Numbers are 64 bits wide and wrap. A name that is not a macro is 0, except in GLSL ES, where it is an error
//! unless the operand is not evaluated (`defined(X) && X`).

use std::borrow::Cow;

use crate::token::{Token, TokenKind};
use ir::diagnostic::Diagnostic;
use ir::source::Span;

use super::macros::MacroTable;

/// Maximum nesting depth of parentheses and prefix operators.
const MAX_NESTING: usize = 100;

/// Meaning of an undefined name in a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UndefinedName {
    /// The name is 0, as in desktop GLSL.
    IsZero,
    /// The name is an error, as in GLSL ES.
    IsError,
}

/// Replaces `defined X` and `defined(X)` in `tokens` by 1 or 0.
pub(super) fn replace_defined<'a>(
    tokens: &[Token<'a>],
    macros: &MacroTable<'a>,
) -> Result<Vec<Token<'a>>, Diagnostic> {
    let mut out = Vec::with_capacity(tokens.len());
    let mut idx = 0;
    while let Some(token) = tokens.get(idx) {
        idx += 1;
        if !token.is_word("defined") {
            out.push(token.clone());
            continue;
        }
        let has_parenthesis = tokens.get(idx).is_some_and(|next| next.is_punctuator("("));
        idx += usize::from(has_parenthesis);
        let name = tokens.get(idx).filter(|name| name.kind == TokenKind::Word);
        let is_closed = tokens.get(idx + 1).is_some_and(|next| next.is_punctuator(")"));
        let Some(name) = name.filter(|_| is_closed || !has_parenthesis) else {
            return Err(Diagnostic::error(token.span, "`defined` needs the name of a macro"));
        };
        idx += 1 + usize::from(has_parenthesis);
        let value = if macros.contains_key(&*name.text) { "1" } else { "0" };
        out.push(Token { kind: TokenKind::Number, text: Cow::Borrowed(value), ..token.clone() });
    }
    Ok(out)
}

/// True if the expression `tokens`, fully expanded, is not zero; `directive` is the position for errors if it is empty.
pub(super) fn evaluate(
    tokens: &[Token<'_>],
    directive: Span,
    undefined: UndefinedName,
) -> Result<bool, Diagnostic> {
    let mut evaluator = Evaluator { tokens, at: 0, directive, undefined, depth: 0 };
    let value = evaluator.binary(0, Wanted::Value)?;
    match evaluator.peek() {
        Some(token) => Err(Diagnostic::error(token.span, "unexpected text after the condition")),
        None => Ok(value != 0),
    }
}

/// Evaluation mode of an operand: the right side of a decided `&&` or `||` is not evaluated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Value,
    Nothing,
}

struct Evaluator<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
    directive: Span,
    undefined: UndefinedName,
    depth: usize,
}

impl<'t, 'a> Evaluator<'t, 'a> {
    fn peek(&self) -> Option<&'t Token<'a>> {
        self.tokens.get(self.at)
    }

    /// Evaluates operators of at least this precedence.
    fn binary(&mut self, minimum: u8, wanted: Wanted) -> Result<i64, Diagnostic> {
        let mut left = self.unary(wanted)?;
        while let Some(token) = self.peek() {
            let Some(precedence) = precedence(token).filter(|found| *found >= minimum) else {
                break;
            };
            self.at += 1;
            let is_decided = match &*token.text {
                "&&" => left == 0,
                "||" => left != 0,
                _ => false,
            };
            let right =
                self.binary(precedence + 1, if is_decided { Wanted::Nothing } else { wanted })?;
            left = match (apply(&token.text, left, right), wanted) {
                (Some(value), _) => value,
                (None, Wanted::Nothing) => 0,
                (None, Wanted::Value) => {
                    return Err(Diagnostic::error(token.span, "division by zero"));
                }
            };
        }
        Ok(left)
    }

    fn unary(&mut self, wanted: Wanted) -> Result<i64, Diagnostic> {
        let Some(token) = self.peek() else {
            let before = self.at.checked_sub(1).and_then(|idx| self.tokens.get(idx));
            let span = before.map_or(self.directive, |token| token.span);
            return Err(Diagnostic::error(span, "expected a value after this"));
        };
        self.at += 1;
        match token.kind {
            TokenKind::Number => number(token),
            TokenKind::Word if self.undefined == UndefinedName::IsZero => Ok(0),
            TokenKind::Word if wanted == Wanted::Nothing => Ok(0),
            TokenKind::Word => {
                Err(Diagnostic::error(token.span, format!("`{}` is not defined", token.text)))
            }
            TokenKind::Punctuator | TokenKind::Stray => self.prefixed(token, wanted),
        }
    }

    /// Evaluates the expression after a prefix operator or an opening parenthesis.
    fn prefixed(&mut self, token: &Token<'_>, wanted: Wanted) -> Result<i64, Diagnostic> {
        if self.depth >= MAX_NESTING {
            let message = format!(
                "this condition is nested too deeply; interstage supports {MAX_NESTING} levels"
            );
            return Err(Diagnostic::error(token.span, message));
        }
        self.depth += 1;
        let value = match &*token.text {
            "(" => {
                let value = self.binary(0, wanted)?;
                if !self.peek().is_some_and(|close| close.is_punctuator(")")) {
                    return Err(Diagnostic::error(token.span, "this parenthesis is not closed"));
                }
                self.at += 1;
                value
            }
            "!" => i64::from(self.unary(wanted)? == 0),
            "~" => !self.unary(wanted)?,
            "-" => self.unary(wanted)?.wrapping_neg(),
            "+" => self.unary(wanted)?,
            _ => {
                let message = format!("expected a value, found `{}`", token.text);
                return Err(Diagnostic::error(token.span, message));
            }
        };
        self.depth -= 1;
        Ok(value)
    }
}

fn precedence(token: &Token<'_>) -> Option<u8> {
    if token.kind != TokenKind::Punctuator {
        return None;
    }
    Some(match &*token.text {
        "||" => 0,
        "&&" => 1,
        "|" => 2,
        "^" => 3,
        "&" => 4,
        "==" | "!=" => 5,
        "<" | ">" | "<=" | ">=" => 6,
        "<<" | ">>" => 7,
        "+" | "-" => 8,
        "*" | "/" | "%" => 9,
        _ => return None,
    })
}

/// Applies an operator. Returns `None` for a division by zero.
fn apply(operator: &str, left: i64, right: i64) -> Option<i64> {
    // Shift counts are taken modulo 64; larger counts are unspecified.
    let count = u32::try_from(right & 63).unwrap_or(0);
    Some(match operator {
        "||" => i64::from(left != 0 || right != 0),
        "&&" => i64::from(left != 0 && right != 0),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<" => i64::from(left < right),
        ">" => i64::from(left > right),
        "<=" => i64::from(left <= right),
        ">=" => i64::from(left >= right),
        "<<" => left.wrapping_shl(count),
        ">>" => left.wrapping_shr(count),
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        "/" if right != 0 => left.wrapping_div(right),
        _ if right != 0 => left.wrapping_rem(right),
        _ => return None,
    })
}

fn number(token: &Token<'_>) -> Result<i64, Diagnostic> {
    let text = token.text.strip_suffix(['u', 'U']).unwrap_or(&token.text);
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let parsed = match hex {
        Some(digits) => i64::from_str_radix(digits, 16),
        None if text.len() > 1 && text.starts_with('0') => i64::from_str_radix(text, 8),
        None => text.parse(),
    };
    parsed.map_err(|_| Diagnostic::error(token.span, format!("`{}` is not an integer", token.text)))
}
