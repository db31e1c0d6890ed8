//! The arguments of a macro call.

use std::collections::HashSet;

use crate::token::Token;
use ir::diagnostic::{Diagnostic, counted};
use ir::source::Span;

/// An entry of the stack of tokens that an expansion still has to scan. The last entry is the next one.
#[derive(Debug)]
pub(super) enum PendingTokens<'a> {
    /// A token.
    Token(Token<'a>),
    /// End of the expansion of this macro, after which its name means the macro again.
    EndOf(String),
}

/// True if the next pending token is an opening parenthesis.
pub(super) fn is_next(pending: &[PendingTokens<'_>]) -> bool {
    let next = pending.iter().rev().find_map(|pending| match pending {
        PendingTokens::Token(token) => Some(token),
        PendingTokens::EndOf(_) => None,
    });
    next.is_some_and(|token| token.is_punctuator("("))
}

/// Takes `(a, b)` from `pending`. Returns the arguments and the position of the closing parenthesis.
pub(super) fn take_arguments<'a>(
    pending: &mut Vec<PendingTokens<'a>>,
    active: &mut HashSet<String>,
    name: &Token<'a>,
) -> Result<(Vec<Vec<Token<'a>>>, Span), Diagnostic> {
    let mut arguments = Vec::new();
    let mut argument = Vec::new();
    let mut depth = 0_usize;
    while let Some(next) = pending.pop() {
        let token = match next {
            PendingTokens::EndOf(name) => {
                active.remove(&name);
                continue;
            }
            PendingTokens::Token(token) => token,
        };
        if token.is_punctuator("(") {
            depth += 1;
            if depth == 1 {
                continue;
            }
        } else if token.is_punctuator(")") {
            depth -= 1;
            if depth == 0 {
                arguments.push(argument);
                return Ok((arguments, token.span));
            }
        } else if token.is_punctuator(",") && depth == 1 {
            arguments.push(std::mem::take(&mut argument));
            continue;
        }
        argument.push(token);
    }
    let message = format!("the arguments of macro `{}` have no closing `)`", name.text);
    Err(Diagnostic::error(name.span, message))
}

/// Takes the operand of `defined` from `pending`: a name, or a name in parentheses.
pub(super) fn take_operand<'a>(
    pending: &mut Vec<PendingTokens<'a>>,
    active: &mut HashSet<String>,
) -> Vec<Token<'a>> {
    let mut taken: Vec<Token<'a>> = Vec::new();
    let is_whole = |taken: &[Token<'_>]| match taken {
        [] => false,
        [first, ..] => !first.is_punctuator("(") || taken.len() == 3,
    };
    while !is_whole(&taken) {
        match pending.pop() {
            Some(PendingTokens::Token(token)) => taken.push(token),
            Some(PendingTokens::EndOf(name)) => drop(active.remove(&name)),
            None => break,
        }
    }
    taken
}

/// Returns `arguments` if there are `count` of them. `f()` counts as a call with no argument or one.
pub(super) fn matched<'a>(
    mut arguments: Vec<Vec<Token<'a>>>,
    count: usize,
    name: &Token<'a>,
) -> Result<Vec<Vec<Token<'a>>>, Diagnostic> {
    if count == 0 && arguments.first().is_some_and(Vec::is_empty) {
        arguments.remove(0);
    }
    if arguments.len() == count {
        return Ok(arguments);
    }
    let message = format!(
        "macro `{}` has {}, but the call has {}",
        name.text,
        counted(count, "parameter"),
        counted(arguments.len(), "argument")
    );
    Err(Diagnostic::error(name.span, message))
}
