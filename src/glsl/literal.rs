//! Values of number literals.

use super::ast::ExprKind;

/// An error of the shader: a text that is not a number, or a number that is too large.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct LiteralError(pub(super) String);

impl From<LiteralError> for String {
    fn from(error: LiteralError) -> Self {
        error.0
    }
}

/// Parses the number `text`.
pub(super) fn parse(text: &str) -> Result<ExprKind, LiteralError> {
    let is_hex = text.starts_with("0x") || text.starts_with("0X");
    if !is_hex && text.contains(['.', 'e', 'E', 'f', 'F']) { float(text) } else { integer(text) }
}

fn float(text: &str) -> Result<ExprKind, LiteralError> {
    let end = text.find(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E'));
    let (digits, suffix) = text.split_at(end.unwrap_or(text.len()));
    let malformed = || LiteralError(format!("`{text}` is not a number"));
    match suffix {
        // An integer needs a dot or an exponent before a float suffix.
        "f" | "F" | "lf" | "LF" if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Err(malformed())
        }
        "" | "f" | "F" => digits.parse().map(ExprKind::Float).map_err(|_| malformed()),
        "lf" | "LF" => digits.parse().map(ExprKind::Double).map_err(|_| malformed()),
        _ => Err(malformed()),
    }
}

/// A signed literal is the bit pattern of its value: `0xffffffff` is -1.
fn integer(text: &str) -> Result<ExprKind, LiteralError> {
    let (digits, is_wide) = match text.strip_suffix(['l', 'L']) {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    let (digits, is_unsigned) = match digits.strip_suffix(['u', 'U']) {
        Some(digits) => (digits, true),
        None => (digits, false),
    };
    let (digits, radix) = if let Some(hex) = digits.strip_prefix("0x").or(digits.strip_prefix("0X"))
    {
        (hex, 16)
    } else if digits.len() > 1 && digits.starts_with('0') {
        (digits, 8)
    } else {
        (digits, 10)
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(LiteralError(format!("`{text}` is not a number")));
    }
    let bits = if is_wide { 64 } else { 32 };
    let too_large = || LiteralError(format!("`{text}` does not fit in {bits} bits"));
    let value = u64::from_str_radix(digits, radix).map_err(|_| too_large())?;
    match (is_wide, is_unsigned) {
        (true, true) => Ok(ExprKind::Uint64(value)),
        (true, false) => Ok(ExprKind::Int64(value.cast_signed())),
        (false, _) => {
            let value = u32::try_from(value).map_err(|_| too_large())?;
            let signed = || ExprKind::Int(value.cast_signed());
            Ok(if is_unsigned { ExprKind::Uint(value) } else { signed() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: ExprKind) {
        assert_eq!(parse(text), Ok(expected));
    }

    #[test]
    fn integers_have_three_bases_and_two_signs() {
        check("0", ExprKind::Int(0));
        check("017", ExprKind::Int(15));
        check("0x1f", ExprKind::Int(31));
        check("0xffffffff", ExprKind::Int(-1));
        check("4294967295u", ExprKind::Uint(u32::MAX));
        check("4294967296l", ExprKind::Int64(1 << 32));
        check("0xffffffffffffffffL", ExprKind::Int64(-1));
        check("0x8000000000000000ul", ExprKind::Uint64(1 << 63));
        check("1UL", ExprKind::Uint64(1));
    }

    #[test]
    fn floats_keep_every_digit() {
        check("1.", ExprKind::Float(1.0));
        check(".5f", ExprKind::Float(0.5));
        check("1e3", ExprKind::Float(1000.0));
        check("16777217.0lf", ExprKind::Double(16_777_217.0));
    }

    #[test]
    fn malformed_numbers_are_refused() {
        for text in [
            "08",
            "0x",
            "1f",
            "1lf",
            "1.0lF",
            "1.0q",
            "1lu",
            "4294967296",
            "18446744073709551616ul",
            "1e",
            "0xgu",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
