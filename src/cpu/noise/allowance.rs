//! Maximum errors of functions, as absolute numbers.
//!
//! Source: Vulkan 1.3, "Precision of Individual Operations" (GLSL 4.60, 4.7.1 has the same numbers). A function that is
//! "inherited from" an expression may have the errors of the steps of that expression.

use arithmetic::{BinaryFunction, UnaryFunction};

/// Distance between neighbouring numbers around 1 in single precision.
pub(crate) const SINGLE: f64 = 1.0 / 8_388_608.0;

/// Distance between neighbouring numbers around 1 in half precision.
pub(crate) const HALF: f64 = 1.0 / 1024.0;

/// Distance between neighbouring numbers around 1 in double precision.
pub(crate) const DOUBLE: f64 = f64::EPSILON;

/// Error of an interpolated depth: a step of 24 bits. It depends only on the pixel, so the same triangle drawn twice
/// has the same depths.
pub(crate) const DEPTH_ERROR: f64 = 1.0 / 16_777_216.0;

/// Error of a function of `x`. `unit` is [`SINGLE`], [`HALF`] or [`DOUBLE`].
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are exact")]
pub(crate) fn of_one(function: UnaryFunction, x: f64, result: f64, unit: f64) -> f64 {
    use UnaryFunction as F;
    let ulps = |count: f64| count * unit * result.abs();
    let exp = |x: f64| exponential(x, unit);
    match function {
        F::InverseSqrt | F::Radians | F::Degrees => ulps(2.0),
        // 1 / inversesqrt(x)
        F::Sqrt => ulps(4.5),
        F::Sin | F::Cos => trigonometric(x, unit),
        // sin(x) / cos(x)
        F::Tan => {
            let secant = result.hypot(1.0);
            trigonometric(x, unit).mul_add(secant * (1.0 + result.abs()), ulps(2.5))
        }
        F::Exp | F::Exp2 => exp(x) * result.abs(),
        F::Log | F::Log2 => logarithm(x, result, unit),
        // (exp(x) ± exp(−x)) / 2
        F::Sinh | F::Cosh => (exp(x) + unit) * x.abs().exp(),
        F::Tanh => 2.0_f64.mul_add(exp(x) + unit, ulps(2.5)),
        F::Atan => ulps(arctangent(unit)),
        // atan2(x, sqrt(1 − x · x)), or with both arguments exchanged
        F::Asin | F::Acos => {
            let root = 2.0_f64.mul_add(-x.abs(), 2.0).max(unit).sqrt();
            ulps(arctangent(unit)) + 4.0 * unit / root + 4.5 * unit * root
        }
        // log(x + sqrt(x · x + 1))
        F::Asinh => {
            let sum = x.mul_add(x, 1.0).sqrt() + x;
            logarithm(sum, result, unit) + 6.0 * unit * (x.abs() + 1.0) / sum.max(unit)
        }
        // log(x + sqrt(x · x − 1))
        F::Acosh => {
            let root = x.mul_add(x, -1.0).max(unit).sqrt();
            logarithm(x + root, result, unit) + unit * x.abs() / root + 6.0 * unit
        }
        // log((1 + x) / (1 − x)) / 2
        F::Atanh => logarithm((1.0 + x) / (1.0 - x), 2.0 * result, unit) + 4.0 * unit + ulps(1.0),
        _ => 0.0,
    }
}

/// Error of an exponential: 3 + 2 · |x| ulp; in half precision 1 + 2 · |x|.
fn exponential(x: f64, unit: f64) -> f64 {
    let least = if unit > SINGLE { 1.0 } else { 3.0 };
    2.0_f64.mul_add(x.abs(), least) * unit
}

/// Error of an arctangent in units in the last place.
fn arctangent(unit: f64) -> f64 {
    if unit > SINGLE { 5.0 } else { 4096.0 }
}

/// Error of a sine or cosine: 2⁻¹¹ between −π and π, in half precision 2⁻⁷. Vulkan specifies none for larger numbers,
/// where errors grow with the range reduction.
fn trigonometric(x: f64, unit: f64) -> f64 {
    let least = if unit < SINGLE {
        4.0 * unit
    } else if unit > SINGLE {
        8.0 * unit
    } else {
        1.0 / 2048.0
    };
    least * (x.abs() / std::f64::consts::PI).max(1.0)
}

/// Error of a logarithm: 3 ulp, but 2⁻²¹ between 0.5 and 2, in half precision 2⁻⁷.
fn logarithm(x: f64, result: f64, unit: f64) -> f64 {
    let least = if unit > SINGLE { 8.0 } else { 4.0 };
    if (0.5..=2.0).contains(&x) { least * unit } else { 3.0 * unit * result.abs() }
}

/// Error of `a + b`. An inexact sum may be rounded either way (Vulkan 1.3, "Precision of Individual Operations"), and
/// sums of sums may be evaluated in another order (GLSL 4.60, 4.9; WGSL, 15.7.5; SPIR-V without `NoContraction`), so
/// the error is relative to the largest number. Sums of numbers that leave two bits free are exact, since partial sums
/// in another order may be larger.
pub(crate) fn of_sum([a, b]: [f64; 2], result: f64, unit: f64) -> f64 {
    let most = a.abs().max(b.abs()).max(result.abs());
    // The number without its mantissa: a power of two.
    let power = f64::from_bits(most.to_bits() & !0 << (f64::MANTISSA_DIGITS - 1));
    let step = 4.0 * unit * power;
    let has_room = [a, b].iter().all(|part| (part / step).fract() == 0.0);
    let is_exact = has_room || a == 0.0 || b == 0.0 || result == 0.0;
    if is_exact { 0.0 } else { unit * most }
}

/// Error of a function of `a` and `b`. Results that overflow or divide by zero have no limit.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are exact or rounded correctly")]
pub(crate) fn of_two(function: BinaryFunction, [a, b]: [f64; 2], result: f64, unit: f64) -> f64 {
    use BinaryFunction as F;
    let ulps = |count: f64| count * unit * result.abs();
    match function {
        F::Add => of_sum([a, b], result, unit),
        F::Subtract => of_sum([a, -b], result, unit),
        // A product that is added to something, instead of used directly, may keep all its bits.
        F::Multiply => {
            let is_exact = a.mul_add(b, -result) == 0.0;
            if is_exact { 0.0 } else { ulps(1.0) }
        }
        F::Divide => {
            // Vulkan allows this for divisors from 2⁻¹²⁶ to 2¹²⁶. Dividing by a power of two is not always exact.
            ulps(2.5)
        }
        F::Pow => {
            let power = b * a.abs().log2();
            let exponent = logarithm(a.abs(), a.abs().log2(), unit) * b.abs() + unit * power.abs();
            exponent.mul_add(std::f64::consts::LN_2, exponential(power, unit)) * result.abs()
        }
        F::Atan2 => ulps(arctangent(unit)),
        // x − y · trunc(x / y): if the quotient is nearly whole, it may be off by one.
        F::Modulo => {
            let quotient = a / b;
            let is_nearly_whole =
                (quotient - quotient.round()).abs() <= 2.5 * unit * quotient.abs();
            if is_nearly_whole { b.abs() } else { unit * a.abs() }
        }
        _ => 0.0,
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these numbers are exact")]
mod tests {
    use super::*;

    #[test]
    fn products_are_exact_if_their_bits_fit() {
        let product = |a: f32, b: f32| {
            let all = [f64::from(a), f64::from(b)];
            of_two(BinaryFunction::Multiply, all, f64::from(a * b), SINGLE)
        };
        assert!(product(0.75, 1.5) == 0.0);
        assert!(product(0.1, 0.1) > 0.0);
    }

    #[test]
    fn sums_are_exact_if_their_bits_fit_in_any_order() {
        let sum = |a: f32, b: f32| {
            of_two(BinaryFunction::Add, [a.into(), b.into()], f64::from(a + b), SINGLE)
        };
        assert!(sum(1.75, 0.125) == 0.0);
        assert!(sum(0.1, 0.0) == 0.0);
        assert!(sum(0.1, -0.1) == 0.0);
        assert!(sum(0.1, 0.2) > 0.0);
        // These sums are exact, but 2 + (0.3 - 2) would not be.
        assert!(sum(0.3, -0.25) == f64::from(0.3_f32) * SINGLE);
        // The first number has two free bits.
        assert!(sum(1.0, 4.0 * f32::EPSILON) == 0.0);
        assert!(sum(1.0, 2.0 * f32::EPSILON) > SINGLE);
        assert!(sum(1e30, 1e-30) > 0.0);
        let difference = of_two(BinaryFunction::Subtract, [0.75, 0.5], 0.25, SINGLE);
        assert!(difference == 0.0);
        let difference = of_two(BinaryFunction::Subtract, [1.0, 1e-30], 1.0, DOUBLE);
        assert!(difference == DOUBLE);
    }

    #[test]
    fn a_remainder_may_miss_one_divisor_where_the_quotient_is_whole() {
        let remainder = |a: f64, b: f64| of_two(BinaryFunction::Modulo, [a, b], a % b, SINGLE);
        assert!(remainder(6.0, 1.5) == 1.5);
        assert!(remainder(7.0, 1.5) == 7.0 * SINGLE);
    }

    #[test]
    fn the_allowances_are_those_of_the_table() {
        let sine = of_one(UnaryFunction::Sin, 1.0, 1.0_f64.sin(), SINGLE);
        assert!(sine == 1.0 / 2048.0);
        // 3 + 2 · 2 ulp of 4.
        let power = of_one(UnaryFunction::Exp2, 2.0, 4.0, SINGLE);
        assert!(power == 28.0 * SINGLE);
        let root = of_one(UnaryFunction::InverseSqrt, 4.0, 0.5, SINGLE);
        assert!(root == SINGLE);
        assert!(of_one(UnaryFunction::Floor, 1.5, 1.0, SINGLE) == 0.0);
    }
}
