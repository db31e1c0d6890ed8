//! Syntax of numbers in cases.

use ir::scalar::Number;

/// Error of [`parse_number`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberError {
    /// The word is not a number.
    Malformed,
    /// The number does not fit any 64-bit type.
    OutOfRange,
}

/// Reads `12`, `-1.5e3`, `0x3f800000`, `inf`, `-inf` or `nan`.
pub(super) fn parse_number(text: &str) -> Result<Number, NumberError> {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return parse_bits(digits);
    }
    if let Some(digits) = text.strip_prefix("-0x").or_else(|| text.strip_prefix("-0X")) {
        return parse_negative(digits);
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return match text.parse() {
            // Kept as a real, because an integer zero would lose the sign.
            Ok(0) if text.starts_with('-') => Ok(Number::Real(-0.0)),
            Ok(value) => Ok(Number::Integer(value)),
            Err(_) => Err(NumberError::OutOfRange),
        };
    }
    let lower = digits.to_ascii_lowercase();
    let is_special = matches!(lower.as_str(), "inf" | "nan");
    if !is_special && !lower.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Err(NumberError::Malformed);
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_infinite() && !is_special => Err(NumberError::OutOfRange),
        Ok(value) => Ok(Number::Real(value)),
        Err(_) => Err(NumberError::Malformed),
    }
}

/// Reads the part after `-`; `-0x15` is an integer and not a bit pattern.
fn parse_negative(digits: &str) -> Result<Number, NumberError> {
    match parse_bits(digits)? {
        Number::Bits(bits) => Ok(Number::Integer(-i128::from(bits))),
        other @ (Number::Integer(_) | Number::Real(_)) => Ok(other),
    }
}

fn parse_bits(digits: &str) -> Result<Number, NumberError> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(NumberError::Malformed);
    }
    u64::from_str_radix(digits, 16).map(Number::Bits).map_err(|_| NumberError::OutOfRange)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_how_they_were_written() {
        assert_eq!(parse_number("12"), Ok(Number::Integer(12)));
        assert_eq!(parse_number("+3"), Ok(Number::Integer(3)));
        assert_eq!(parse_number("-.5"), Ok(Number::Real(-0.5)));
        assert_eq!(parse_number("1e3"), Ok(Number::Real(1000.0)));
        assert_eq!(parse_number("0xFF"), Ok(Number::Bits(255)));
        assert_eq!(parse_number("-0x15"), Ok(Number::Integer(-21)));
        assert_eq!(parse_number("-inf"), Ok(Number::Real(f64::NEG_INFINITY)));
        let zero = parse_number("-0").expect("a number").to_f64().expect("a float");
        assert!(zero == 0.0 && zero.is_sign_negative());
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "-", "0x", "0xg", "1.0f", "infinity", "e5", "--1", "1e", "é"] {
            assert_eq!(parse_number(text), Err(NumberError::Malformed), "{text}");
        }
        for text in ["1e400", "0x11112222333344445", &"9".repeat(60)] {
            assert_eq!(parse_number(text), Err(NumberError::OutOfRange), "{text}");
        }
    }
}
