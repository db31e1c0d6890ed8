//! The expressions of `only`, `@for` and `${…}`: integers, words, comparisons and logic, no side effects.
//!
//! ```text
//! or      = and ("||" and)*
//! and     = compare ("&&" compare)*
//! compare = sum [("==" | "!=" | "<" | "<=" | ">" | ">=") sum]
//! sum     = product (("+" | "-") product)*
//! product = unary (("*" | "/" | "%") unary)*
//! unary   = "-" unary | "!" unary | "(" or ")" | number | name
//! ```
//!
//! `/` and `%` round towards zero. A comparison counts as 1 or 0 where a number is expected. Both sides of `&&` and
//! `||` are always evaluated. A word equals another word letter by letter, and never equals a number.

use crate::limits::MAX_EXPRESSION_DEPTH;
use ir::diagnostic::Diagnostic;
use ir::source::Span;

/// Value of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::read) enum Value {
    /// An integer.
    Integer(i64),
    /// A parameter's value that is not a number.
    Word(String),
    /// The result of a comparison.
    Truth(bool),
}

impl Value {
    /// A parameter's value: an integer if it is written as one.
    pub(in crate::read) fn from_text(text: &str) -> Self {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(value) if is_integer => Self::Integer(value),
            Ok(_) | Err(_) => Self::Word(text.to_owned()),
        }
    }

    /// The value as a number: a comparison is 1 or 0, and a word is `None`.
    pub(in crate::read) fn number(&self) -> Option<i64> {
        match self {
            Self::Integer(number) => Some(*number),
            Self::Truth(truth) => Some(i64::from(*truth)),
            Self::Word(_) => None,
        }
    }
}

/// The case's fault: a name without a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(in crate::read) struct UnknownName(pub(in crate::read) String);

/// Returns the value of a name, or an error if it has none.
pub(in crate::read) type Lookup<'a> = &'a dyn Fn(&str) -> Result<Value, UnknownName>;

/// Evaluates `text`, which starts at byte `start` of the source.
pub(in crate::read) fn evaluate(
    text: &str,
    start: usize,
    lookup: Lookup<'_>,
) -> Result<Value, Diagnostic> {
    let mut parser = Parser { text, at: 0, start, lookup, depth: 0 };
    let value = parser.or()?;
    parser.skip_blanks();
    if parser.at < text.len() {
        return Err(parser.error_here("an operator or the end"));
    }
    Ok(value)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    start: usize,
    lookup: Lookup<'a>,
    depth: usize,
}

type Computed = Result<Value, Diagnostic>;

impl Parser<'_> {
    fn or(&mut self) -> Computed {
        self.logic("||", Self::and, |left, right| left || right)
    }

    fn and(&mut self) -> Computed {
        self.logic("&&", Self::compare, |left, right| left && right)
    }

    fn logic(
        &mut self,
        operator: &str,
        operand: fn(&mut Self) -> Computed,
        combine: fn(bool, bool) -> bool,
    ) -> Computed {
        let from = self.blank_end();
        let mut left = operand(self)?;
        while self.take(operator) {
            let right = operand(self)?;
            left = match (left, right) {
                (Value::Truth(left), Value::Truth(right)) => Value::Truth(combine(left, right)),
                (_, _) => {
                    return Err(
                        self.error(from, format!("`{operator}` needs a comparison on each side"))
                    );
                }
            };
        }
        Ok(left)
    }

    fn compare(&mut self) -> Computed {
        let from = self.blank_end();
        let left = self.sum()?;
        let operators = ["==", "!=", "<=", ">=", "<", ">"];
        let Some(operator) = operators.into_iter().find(|operator| self.take(operator)) else {
            return Ok(left);
        };
        let right = self.sum()?;
        let truth = match (operator, &left, &right) {
            ("==", Value::Integer(_) | Value::Word(_), Value::Integer(_) | Value::Word(_)) => {
                left == right
            }
            ("!=", Value::Integer(_) | Value::Word(_), Value::Integer(_) | Value::Word(_)) => {
                left != right
            }
            ("<", Value::Integer(left), Value::Integer(right)) => left < right,
            ("<=", Value::Integer(left), Value::Integer(right)) => left <= right,
            (">", Value::Integer(left), Value::Integer(right)) => left > right,
            (">=", Value::Integer(left), Value::Integer(right)) => left >= right,
            (_, _, _) => return Err(self.error(from, format!("`{operator}` cannot compare these"))),
        };
        Ok(Value::Truth(truth))
    }

    fn sum(&mut self) -> Computed {
        let from = self.blank_end();
        let mut left = self.product()?;
        loop {
            let combine = if self.take("+") {
                i64::checked_add
            } else if self.take("-") {
                i64::checked_sub
            } else {
                return Ok(left);
            };
            let right = self.product()?;
            left = self.arithmetic(from, &left, &right, combine)?;
        }
    }

    fn product(&mut self) -> Computed {
        let from = self.blank_end();
        let mut left = self.unary()?;
        loop {
            let combine = if self.take("*") {
                i64::checked_mul
            } else if self.take("/") {
                i64::checked_div
            } else if self.take("%") {
                i64::checked_rem
            } else {
                return Ok(left);
            };
            let right = self.unary()?;
            left = self.arithmetic(from, &left, &right, combine)?;
        }
    }

    fn arithmetic(
        &self,
        from: usize,
        left: &Value,
        right: &Value,
        combine: fn(i64, i64) -> Option<i64>,
    ) -> Computed {
        let (Some(left), Some(right)) = (left.number(), right.number()) else {
            return Err(self.error(from, "arithmetic needs integers"));
        };
        let is_division = combine(1, 0).is_none();
        combine(left, right).map(Value::Integer).ok_or_else(|| {
            let is_by_zero = is_division && right == 0;
            let what =
                if is_by_zero { "division by zero" } else { "the result does not fit 64 bits" };
            self.error(from, what)
        })
    }

    fn unary(&mut self) -> Computed {
        self.depth += 1;
        if self.depth > MAX_EXPRESSION_DEPTH {
            let message =
                format!("more than {MAX_EXPRESSION_DEPTH} parentheses and signs inside each other");
            return Err(self.error(self.at, message));
        }
        let value = self.unary_inside();
        self.depth -= 1;
        value
    }

    fn unary_inside(&mut self) -> Computed {
        let from = self.blank_end();
        if self.take("-") {
            let value = self.unary()?;
            return self.arithmetic(from, &Value::Integer(0), &value, i64::checked_sub);
        }
        if self.take("!") {
            return match self.unary()? {
                Value::Truth(truth) => Ok(Value::Truth(!truth)),
                Value::Integer(_) | Value::Word(_) => {
                    Err(self.error(from, "`!` needs a comparison"))
                }
            };
        }
        if self.take("(") {
            let value = self.or()?;
            if !self.take(")") {
                return Err(self.error_here("`)`"));
            }
            return Ok(value);
        }
        self.atom(from)
    }

    fn atom(&mut self, from: usize) -> Computed {
        let rest = &self.text[from..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let word = &rest[..length];
        if word.is_empty() {
            return Err(self.error_here("a number or a name"));
        }
        self.at = from + length;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let value = word.parse().map(Value::Integer);
            return value
                .map_err(|_| self.error(from, format!("`{word}` is not a 64-bit integer")));
        }
        (self.lookup)(word).map_err(|unknown| self.error(from, unknown.0))
    }

    /// Position after blanks.
    fn blank_end(&self) -> usize {
        let rest = &self.text[self.at..];
        // Fast path: a visible character needs no search.
        if rest.bytes().next().is_some_and(|next| next.is_ascii_graphic()) {
            return self.at;
        }
        self.text.len() - rest.trim_start().len()
    }

    fn skip_blanks(&mut self) {
        self.at = self.blank_end();
    }

    fn take(&mut self, operator: &str) -> bool {
        let from = self.blank_end();
        let rest = &self.text[from..];
        // `!` must not match the start of `!=`.
        let is_next = rest.starts_with(operator) && !(operator == "!" && rest.starts_with("!="));
        if is_next {
            self.at = from + operator.len();
        }
        is_next
    }

    fn error(&self, from: usize, message: impl Into<String>) -> Diagnostic {
        let end = self.at.max(from);
        Diagnostic::error(Span::new(self.start + from, self.start + end), message)
    }

    fn error_here(&self, expected: &str) -> Diagnostic {
        let from = self.blank_end();
        let next = self.text[from..].chars().next();
        let end = from + next.map_or(0, char::len_utf8);
        let found = next.map_or_else(|| "the end".to_owned(), |c| format!("`{c}`"));
        let span = Span::new(self.start + from, self.start + end);
        Diagnostic::error(span, format!("expected {expected}, found {found}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compute(text: &str) -> Computed {
        evaluate(text, 100, &|name| match name {
            "count" => Ok(Value::Integer(3)),
            "type" | "mat3" => Ok(Value::Word("mat3".into())),
            "vec2" => Ok(Value::Word("vec2".into())),
            other => Err(UnknownName(format!("no {other}"))),
        })
    }

    #[track_caller]
    fn check_integer(text: &str, expect: i64) {
        assert_eq!(compute(text), Ok(Value::Integer(expect)), "{text}");
    }

    #[track_caller]
    fn check_truth(text: &str, expect: bool) {
        assert_eq!(compute(text), Ok(Value::Truth(expect)), "{text}");
    }

    #[track_caller]
    fn check_error(text: &str, underlined: &str, message: &str) {
        let error = compute(text).expect_err("is wrong");
        let span = error.span.expect("an error in an expression has a place");
        let range = span.start - 100..span.end - 100;
        assert_eq!((&text[range], &error.message[..]), (underlined, message), "{text}");
    }

    #[test]
    fn operators_bind_as_in_c() {
        check_integer("1 + 2 * 3", 7);
        check_integer("(1 + 2) * count", 9);
        check_integer("10 - 2 - 3", 5);
        check_integer("-7 / 2", -3);
        check_integer("-7 % 2", -1);
        check_integer("--2", 2);
        check_integer("1 + (count >= 3) * 4 - (type == vec2)", 5);
        check_truth("1 + 1 == 2 && 3 < 2 || 1 <= 1", true);
        check_truth("1 == 1 || 1 == 1 && 1 == 2", true);
        check_truth("!(1 == 1)", false);
    }

    #[test]
    fn words_are_equal_or_not() {
        check_truth("type == mat3", true);
        check_truth("type != vec2 && count >= 3", true);
        check_truth("type == 3", false);
    }

    #[test]
    fn mistakes_are_underlined() {
        check_error("1 + 4 / 0", "4 / 0", "division by zero");
        check_error("1 % 0", "1 % 0", "division by zero");
        check_error(
            "9223372036854775807 + 1",
            "9223372036854775807 + 1",
            "the result does not fit 64 bits",
        );
        check_error(
            "99999999999999999999",
            "99999999999999999999",
            "`99999999999999999999` is not a 64-bit integer",
        );
        check_error("nope == 1", "nope", "no nope");
        check_error("(1", "", "expected `)`, found the end");
        check_error("1 +", "", "expected a number or a name, found the end");
        check_error("1 $ 2", "$", "expected an operator or the end, found `$`");
        check_error("type < mat3", "type < mat3", "`<` cannot compare these");
        check_error("type + 1", "type + 1", "arithmetic needs integers");
        check_error("1 && 2", "1 && 2", "`&&` needs a comparison on each side");
        check_error("!1", "!1", "`!` needs a comparison");
    }

    #[test]
    fn depth_is_limited() {
        let text = format!("{}1{}", "(".repeat(65), ")".repeat(65));
        assert!(compute(&text).is_err());
        let text = format!("{}1", "-".repeat(100_000));
        assert!(compute(&text).is_err());
    }
}
