//! Spells numbers in other ways.

/// Length of the number at the start of a text, with its suffix.
pub(super) fn length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = 0;
    while let Some(byte) = bytes.get(end) {
        let is_after_e = end > 0 && bytes[end - 1] == b'e';
        let is_part = byte.is_ascii_alphanumeric()
            || *byte == b'.'
            || (is_after_e && matches!(byte, b'-' | b'+'));
        if !is_part {
            break;
        }
        end += 1;
    }
    end
}

/// Suffix of WGSL's literals of a type.
pub(super) fn suffix(ty: &str) -> Option<&'static str> {
    match ty {
        "f32" => Some("f"),
        "i32" => Some("i"),
        "u32" => Some("u"),
        "f16" => Some("h"),
        _ => None,
    }
}

/// A number in another spelling. If it is an argument of a constructor whose elements have the suffix `implied`, it may
/// lose its type. `choose` returns a number below its second argument, and takes a salt.
pub(super) fn respelled(
    text: &str,
    implied: Option<&str>,
    is_wgsl: bool,
    choose: &mut dyn FnMut(u8, usize) -> usize,
) -> String {
    let end = text.find(|letter: char| letter.is_ascii_alphabetic() && letter != 'e');
    let (digits, suffix) = text.split_at(end.unwrap_or(text.len()));
    if digits.contains('e') {
        return text.to_owned();
    }
    let is_float = digits.contains('.');
    if choose(10, 3) == 0
        && (implied == Some(suffix) || (implied == Some("f") && suffix.is_empty() && is_float))
    {
        return digits.strip_suffix(".0").unwrap_or(digits).to_owned();
    }
    let spelled = if is_float {
        float(digits, suffix, is_wgsl, choose(11, 9))
    } else {
        integer(digits, suffix, is_wgsl, choose(12, 5))
    };
    let suffix = match (is_wgsl, is_float) {
        (false, true) if suffix.is_empty() && choose(13, 4) == 0 => "f".to_owned(),
        (false, _) if choose(14, 3) == 0 => suffix.to_uppercase(),
        _ => suffix.to_owned(),
    };
    spelled + &suffix
}

fn integer(digits: &str, suffix: &str, is_wgsl: bool, way: usize) -> String {
    let Ok(value) = digits.parse::<u64>() else { return digits.to_owned() };
    // Without a suffix, a number of GLSL that needs 32 bits is negative.
    if suffix.is_empty() && value > 0x7fff_ffff {
        return digits.to_owned();
    }
    match way {
        0 => format!("0x{value:x}"),
        1 => format!("0X{value:05X}"),
        2 if !is_wgsl => format!("0{value:o}"),
        _ => digits.to_owned(),
    }
}

fn float(digits: &str, suffix: &str, is_wgsl: bool, way: usize) -> String {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let shifted = format!("{whole}{fraction}");
    let shifted = shifted.trim_start_matches('0');
    let shifted = if shifted.is_empty() { "0" } else { shifted };
    match way {
        0 => format!("{shifted}e-{}", fraction.len()),
        1 => {
            format!("0.{shifted}E{:+}", shifted.len().cast_signed() - fraction.len().cast_signed())
        }
        2 => format!("{digits}00"),
        3 if fraction == "0" => format!("{whole}."),
        4 if whole == "0" => format!(".{fraction}"),
        5 if is_wgsl && fraction == "0" && !suffix.is_empty() => whole.to_owned(),
        6..=8 if is_wgsl => hexadecimal(digits, suffix, way).unwrap_or_else(|| digits.to_owned()),
        _ => digits.to_owned(),
    }
}

/// A hexadecimal float of the same value; `None` for a half, of which naga reads none
/// (<https://github.com/gfx-rs/wgpu/issues/7046>).
fn hexadecimal(digits: &str, suffix: &str, way: usize) -> Option<String> {
    let value = match suffix {
        "h" => return None,
        "lf" => digits.parse::<f64>().ok()?,
        _ => f64::from(digits.parse::<f32>().ok()?),
    };
    let bits = value.to_bits();
    let exponent = i64::try_from(bits >> 52).ok()? - 1023;
    let mut mantissa = bits & ((1 << 52) - 1);
    if value == 0.0 {
        return Some(["0x0p0", "0x0.0p-5", "0x.0P+1"][way % 3].to_owned());
    }
    // The point may stand behind the first bit, or behind four more.
    let (whole, moved) = if way == 6 { (1, 0) } else { (0x10 | (mantissa >> 48), 4) };
    mantissa = (mantissa << moved) & ((1 << 52) - 1);
    let fraction = format!("{mantissa:013x}");
    let fraction = fraction.trim_end_matches('0');
    let exponent = exponent - moved;
    Some(match way {
        8 if fraction.is_empty() => format!("0X{whole:X}P{exponent}"),
        8 => format!("0X{whole:X}.{}P{exponent}", fraction.to_uppercase()),
        _ => format!("0x{whole:x}.{fraction}p{exponent:+}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Value of a hexadecimal float.
    fn value(text: &str) -> f64 {
        let text = text.to_lowercase();
        let (mantissa, exponent) = text["0x".len()..].split_once('p').expect("an exponent");
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: f64 = format!("{whole}{fraction}")
            .chars()
            .fold(0.0, |sum, digit| sum * 16.0 + f64::from(digit.to_digit(16).expect("a digit")));
        let exponent: i32 = exponent.parse().expect("a number");
        let length = i32::try_from(fraction.len()).expect("few digits");
        digits * 2.0_f64.powi(exponent - 4 * length)
    }

    #[test]
    fn spellings_have_the_same_value() {
        for digits in ["0.0", "1.0", "1.5", "0.75", "10.0", "0.0625", "63.9375", "0.1", "3.3"] {
            let is = |text: &str| {
                let other: f64 = text.parse().unwrap_or_else(|_| panic!("{text}"));
                assert!((other - digits.parse::<f64>().unwrap()).abs() < 1e-12, "{digits}: {text}");
            };
            for way in 0..6 {
                is(&float(digits, "f", true, way));
                is(&float(digits, "", false, way));
            }
            for way in 6..9 {
                let exact = digits.parse::<f64>().unwrap();
                assert!((value(&float(digits, "lf", true, way)) - exact).abs() < 1e-15);
                let single = f64::from(digits.parse::<f32>().unwrap());
                let text = float(digits, "f", true, way);
                assert!((value(&text) - single).abs() < 1e-15, "{digits}: {text}");
                let text = float(digits, "", false, way);
                assert_eq!(text, digits);
            }
        }
        for way in 0..5 {
            for (digits, suffix) in [("0", "u"), ("7", ""), ("4000000000", "u")] {
                let text = integer(digits, suffix, true, way).to_lowercase();
                let radix = if text.starts_with("0x") { 16 } else { 10 };
                let value = u64::from_str_radix(text.trim_start_matches("0x"), radix);
                assert_eq!(value, digits.parse(), "{text}");
            }
        }
        assert_eq!(integer("8", "u", false, 2), "010");
        assert_eq!(integer("4000000000", "", false, 0), "4000000000");
    }

    #[test]
    fn halves_stay_decimal() {
        assert_eq!(float("1.5", "h", true, 6), "1.5");
        assert_eq!(float("1.5", "f", true, 6), "0x1.8p+0");
    }

    #[test]
    fn a_number_ends_before_an_operator() {
        assert_eq!(["1.5f)", "1e-7f-2", "12u;", "3"].map(length), [4, 5, 3, 1]);
    }
}
