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

/// An expression, parsed once and evaluated for every combination of values.
///
/// It is a list of instructions for a stack of values, so that a long expression needs no deep recursion.
#[derive(Clone, Debug)]
pub(in crate::read) struct Expression {
    instructions: Vec<Instruction>,
}

/// One step of an evaluation.
#[derive(Clone, Debug)]
struct Instruction {
    action: Action,
    /// Text that an error of this step underlines.
    span: Span,
}

#[derive(Clone, Debug)]
enum Action {
    /// Pushes a number.
    Integer(i64),
    /// Pushes the value of a name.
    Name(String),
    /// Replaces a number by its negative.
    Negate,
    /// Replaces a truth value by its opposite.
    Not,
    /// Replaces two values by one.
    Operate(Operator),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    LessOrEqual,
    GreaterOrEqual,
    Less,
    Greater,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Operator {
    const COMPARISONS: [Self; 6] = [
        Self::Equal,
        Self::NotEqual,
        Self::LessOrEqual,
        Self::GreaterOrEqual,
        Self::Less,
        Self::Greater,
    ];

    /// The operator as it is written.
    fn text(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::LessOrEqual => "<=",
            Self::GreaterOrEqual => ">=",
            Self::Less => "<",
            Self::Greater => ">",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
        }
    }

    /// The result, or the message of an error.
    fn apply(self, left: &Value, right: &Value) -> Result<Value, String> {
        let combine = match self {
            Self::Add => i64::checked_add,
            Self::Subtract => i64::checked_sub,
            Self::Multiply => i64::checked_mul,
            Self::Divide => i64::checked_div,
            Self::Remainder => i64::checked_rem,
            Self::Or | Self::And => return self.connect(left, right),
            Self::Equal
            | Self::NotEqual
            | Self::LessOrEqual
            | Self::GreaterOrEqual
            | Self::Less
            | Self::Greater => return self.compare(left, right),
        };
        let (Some(left), Some(right)) = (left.number(), right.number()) else {
            return Err("arithmetic needs integers".to_owned());
        };
        combine(left, right).map(Value::Integer).ok_or_else(|| {
            let is_division = matches!(self, Self::Divide | Self::Remainder);
            let is_by_zero = is_division && right == 0;
            let what =
                if is_by_zero { "division by zero" } else { "the result does not fit 64 bits" };
            what.to_owned()
        })
    }

    fn connect(self, left: &Value, right: &Value) -> Result<Value, String> {
        let (Value::Truth(left), Value::Truth(right)) = (left, right) else {
            return Err(format!("`{}` needs a comparison on each side", self.text()));
        };
        Ok(Value::Truth(if self == Self::Or { *left || *right } else { *left && *right }))
    }

    fn compare(self, left: &Value, right: &Value) -> Result<Value, String> {
        let truth = match (self, left, right) {
            (
                Self::Equal,
                Value::Integer(_) | Value::Word(_),
                Value::Integer(_) | Value::Word(_),
            ) => left == right,
            (
                Self::NotEqual,
                Value::Integer(_) | Value::Word(_),
                Value::Integer(_) | Value::Word(_),
            ) => left != right,
            (Self::Less, Value::Integer(left), Value::Integer(right)) => left < right,
            (Self::LessOrEqual, Value::Integer(left), Value::Integer(right)) => left <= right,
            (Self::Greater, Value::Integer(left), Value::Integer(right)) => left > right,
            (Self::GreaterOrEqual, Value::Integer(left), Value::Integer(right)) => left >= right,
            (_, _, _) => return Err(format!("`{}` cannot compare these", self.text())),
        };
        Ok(Value::Truth(truth))
    }
}

impl Expression {
    /// Parses `text`, which starts at byte `start` of the source.
    ///
    /// # Errors
    /// The text is not an expression.
    pub(in crate::read) fn parse(text: &str, start: usize) -> Result<Self, Diagnostic> {
        let mut parser = Parser { text, at: 0, start, depth: 0, instructions: Vec::new() };
        parser.or()?;
        parser.at = parser.blank_end();
        if parser.at < text.len() {
            return Err(parser.error_here("an operator or the end"));
        }
        Ok(Self { instructions: parser.instructions })
    }

    /// Computes the value.
    ///
    /// # Errors
    /// A name has no value, or an operator cannot combine its operands.
    pub(in crate::read) fn evaluate(&self, lookup: Lookup<'_>) -> Result<Value, Diagnostic> {
        let mut stack = Vec::new();
        for Instruction { action, span } in &self.instructions {
            let value = match action {
                Action::Integer(value) => Ok(Value::Integer(*value)),
                Action::Name(name) => lookup(name).map_err(|unknown| unknown.0),
                Action::Negate => Operator::Subtract.apply(&Value::Integer(0), &pop(&mut stack)),
                Action::Not => match pop(&mut stack) {
                    Value::Truth(truth) => Ok(Value::Truth(!truth)),
                    Value::Integer(_) | Value::Word(_) => Err("`!` needs a comparison".to_owned()),
                },
                Action::Operate(operator) => {
                    let right = pop(&mut stack);
                    operator.apply(&pop(&mut stack), &right)
                }
            };
            stack.push(value.map_err(|message| Diagnostic::error(*span, message))?);
        }
        Ok(pop(&mut stack))
    }
}

/// The topmost value. The parser emits operands before their operator, so that there is one.
fn pop(stack: &mut Vec<Value>) -> Value {
    stack.pop().unwrap_or(Value::Integer(0))
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    start: usize,
    depth: usize,
    instructions: Vec<Instruction>,
}

type Parsed = Result<(), Diagnostic>;

impl Parser<'_> {
    fn or(&mut self) -> Parsed {
        self.chain(&[Operator::Or], Self::and)
    }

    fn and(&mut self) -> Parsed {
        self.chain(&[Operator::And], Self::compare)
    }

    fn compare(&mut self) -> Parsed {
        let from = self.blank_end();
        self.sum()?;
        let Some(operator) = self.take_one(&Operator::COMPARISONS) else { return Ok(()) };
        self.sum()?;
        self.emit(from, Action::Operate(operator));
        Ok(())
    }

    fn sum(&mut self) -> Parsed {
        self.chain(&[Operator::Add, Operator::Subtract], Self::product)
    }

    fn product(&mut self) -> Parsed {
        self.chain(&[Operator::Multiply, Operator::Divide, Operator::Remainder], Self::unary)
    }

    /// Operands with any of these operators between them, from left to right.
    fn chain(&mut self, operators: &[Operator], operand: fn(&mut Self) -> Parsed) -> Parsed {
        let from = self.blank_end();
        operand(self)?;
        while let Some(operator) = self.take_one(operators) {
            operand(self)?;
            self.emit(from, Action::Operate(operator));
        }
        Ok(())
    }

    fn unary(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > MAX_EXPRESSION_DEPTH {
            let message =
                format!("more than {MAX_EXPRESSION_DEPTH} parentheses and signs inside each other");
            return Err(Diagnostic::error(self.span_from(self.at), message));
        }
        self.unary_inside()?;
        self.depth -= 1;
        Ok(())
    }

    fn unary_inside(&mut self) -> Parsed {
        let from = self.blank_end();
        if self.take("-") {
            self.unary()?;
            self.emit(from, Action::Negate);
            return Ok(());
        }
        if self.take("!") {
            self.unary()?;
            self.emit(from, Action::Not);
            return Ok(());
        }
        if self.take("(") {
            self.or()?;
            return if self.take(")") { Ok(()) } else { Err(self.error_here("`)`")) };
        }
        self.atom(from)
    }

    fn atom(&mut self, from: usize) -> Parsed {
        let rest = &self.text[from..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let word = &rest[..length];
        if word.is_empty() {
            return Err(self.error_here("a number or a name"));
        }
        self.at = from + length;
        let action = if word.starts_with(|c: char| c.is_ascii_digit()) {
            let value = word.parse().map_err(|_| {
                let message = format!("`{word}` is not a 64-bit integer");
                Diagnostic::error(self.span_from(from), message)
            })?;
            Action::Integer(value)
        } else {
            Action::Name(word.to_owned())
        };
        self.emit(from, action);
        Ok(())
    }

    /// Adds an instruction whose text starts at `from` and ends here.
    fn emit(&mut self, from: usize, action: Action) {
        let span = self.span_from(from);
        self.instructions.push(Instruction { action, span });
    }

    fn span_from(&self, from: usize) -> Span {
        Span::new(self.start + from, self.start + self.at.max(from))
    }

    fn take_one(&mut self, operators: &[Operator]) -> Option<Operator> {
        operators.iter().copied().find(|operator| self.take(operator.text()))
    }

    /// Position after blanks.
    fn blank_end(&self) -> usize {
        self.text.len() - self.text[self.at..].trim_start().len()
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

    fn compute(text: &str) -> Result<Value, Diagnostic> {
        Expression::parse(text, 100)?.evaluate(&|name| match name {
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
