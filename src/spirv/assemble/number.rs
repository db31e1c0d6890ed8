//! Number literals in the assembly. The notation of a constant depends on its type.

use rspirv::spirv::Op;

use ir::diagnostic::Diagnostic;

use super::token::Token;

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberType {
    Integer { width: u32, is_signed: bool },
    Float { width: u32 },
}

impl Default for NumberType {
    fn default() -> Self {
        Self::Integer { width: 32, is_signed: true }
    }
}

impl NumberType {
    /// The type that the instruction in `words` declares, if it declares one.
    pub(super) fn declared(op: Op, words: &[u32]) -> Option<Self> {
        let operand = |idx: usize| words.get(idx).copied();
        if op == Op::TypeInt {
            Some(Self::Integer { width: operand(2)?, is_signed: operand(3)? != 0 })
        } else if op == Op::TypeFloat {
            Some(Self::Float { width: operand(2)? })
        } else {
            None
        }
    }

    /// The literal as one word for up to 32 bits, else two, the lower first.
    pub(super) fn words(self, token: &Token<'_>) -> Result<Vec<u32>, Diagnostic> {
        let bits = match self {
            Self::Integer { width, is_signed } => integer(token.text)
                .filter(|value| fits(*value, width, is_signed))
                .and_then(|value| Some((value_bits(value, width)?, width))),
            Self::Float { width } => float_bits(token.text, width).map(|bits| (bits, width)),
        };
        let wrong = || {
            Diagnostic::error(
                token.span,
                format!("`{}` is not a valid number of this type", token.text),
            )
        };
        let (bits, width) = bits.ok_or_else(wrong)?;
        let low = (bits & 0xffff_ffff) as u32;
        Ok(if width > 32 { vec![low, (bits >> 32) as u32] } else { vec![low] })
    }
}

/// A literal without a type: an integer of one word.
pub(super) fn literal(token: &Token<'_>) -> Result<Vec<u32>, Diagnostic> {
    let ty = NumberType::Integer { width: 32, is_signed: token.text.starts_with('-') };
    ty.words(token)
}

fn integer(text: &str) -> Option<i128> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let value: i128 = match hexadecimal {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?.into(),
        None => digits.parse::<u64>().ok()?.into(),
    };
    Some(if is_negative { -value } else { value })
}

/// True if the value fits. Hexadecimal may be the bits of a negative number.
fn fits(value: i128, width: u32, is_signed: bool) -> bool {
    let least = if is_signed { -(1_i128 << width.clamp(1, 64).saturating_sub(1)) } else { 0 };
    (8..=64).contains(&width) && value >= least && value < 1_i128 << width
}

/// The bits of a value; narrow integers are sign-extended to a whole word.
fn value_bits(value: i128, width: u32) -> Option<u64> {
    let mask = if width > 32 { u128::from(u64::MAX) } else { u128::from(u32::MAX) };
    u64::try_from(value.cast_unsigned() & mask).ok()
}

fn float_bits(text: &str, width: u32) -> Option<u64> {
    let value: f64 = match hexadecimal_float(text) {
        Some(value) => value,
        None => text.parse().ok().filter(|value: &f64| value.is_finite())?,
    };
    match width {
        16 => Some(half::f16::from_f64(value).to_bits().into()),
        32 if hexadecimal_float(text).is_none() => {
            text.parse::<f32>().ok().map(|value| value.to_bits().into())
        }
        #[expect(clippy::cast_possible_truncation, reason = "rounding to the constant's type")]
        32 => Some((value as f32).to_bits().into()),
        64 => Some(value.to_bits()),
        _ => None,
    }
}

/// Parses `0x1.8p+3`; the exponent 128 is for infinities and NaNs, as spirv-dis writes them.
fn hexadecimal_float(text: &str) -> Option<f64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    let (mantissa, exponent) = digits.strip_prefix("0x")?.split_once(['p', 'P'])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if fraction.len() > 13 || whole.len() > 2 {
        return None;
    }
    let scale = 16_f64.powi(i32::try_from(fraction.len()).ok()?);
    let digits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    #[expect(clippy::cast_precision_loss, reason = "at most 15 digits, of which 13 can be set")]
    let mantissa = digits as f64 / scale;
    let exponent: i32 = exponent.trim_start_matches('+').parse().ok()?;
    let value = match exponent {
        128 if digits.is_power_of_two() => f64::INFINITY,
        128.. => f64::NAN,
        _ => mantissa * 2_f64.powi(exponent.max(-1100)),
    };
    Some(sign * value)
}
