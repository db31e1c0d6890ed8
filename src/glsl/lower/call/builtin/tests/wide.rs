//! Constant expressions of doubles and 64-bit integers, bit by bit.

use super::*;

#[track_caller]
fn check(text: &str, expected: &[u64]) {
    let actual = evaluate(text);
    assert_eq!(actual, expected, "{text} is {actual:x?}, not {expected:x?}");
}

#[track_caller]
fn check_doubles(text: &str, expected: &[f64]) {
    check(text, &expected.iter().map(|value| value.to_bits()).collect::<Vec<_>>());
}

#[track_caller]
fn check_signed(text: &str, expected: &[i64]) {
    check(text, &expected.iter().map(|value| value.cast_unsigned()).collect::<Vec<_>>());
}

const HALF_RANGE: u64 = 1 << 63;

#[test]
fn doubles_are_computed_in_double_precision() {
    check("0.1lf", &[0x3fb9_9999_9999_999a]);
    check("0.1lf + 0.2lf", &[0x3fd3_3333_3333_3334]);
    check("0.1lf * 0.1lf", &[0x3f84_7ae1_47ae_147c]);
    check("1.0lf / 3.0lf", &[0x3fd5_5555_5555_5555]);
    check("-0.0lf", &[HALF_RANGE]);
    check("1e308lf * 10.0lf", &[0x7ff0_0000_0000_0000]);
    check("9007199254740991.0lf + 1.0lf", &[0x4340_0000_0000_0000]);
    check("dvec2(0.1lf, 1.0) * 3.0", &[0x3fd3_3333_3333_3334, 0x4008_0000_0000_0000]);
    check("sqrt(2.0lf)", &[0x3ff6_a09e_667f_3bcd]);
    check_doubles(
        "dmat2(1.0lf, 2.0lf, 3.0lf, 4.0lf) * dvec2(134217728.0lf, 1.0lf)",
        &[134_217_731.0, 268_435_460.0],
    );
    check_doubles("inverse(dmat2(1, 2, 3, 4))", &[-2.0, 1.0, 1.5, -0.5]);
}

/// A float next to a double is converted to a double, after it was rounded to a float.
#[test]
fn literals_without_a_suffix_are_floats() {
    check("double(0.1)", &[0x3fb9_9999_a000_0000]);
    check("0.1lf == 0.1", &[0]);
    check("0.5lf == 0.5", &[1]);
    check("float(0.1lf)", &[0x3dcc_cccd]);
    check("float(1e300lf)", &[0x7f80_0000]);
    check("float(-0.0lf)", &[0x8000_0000]);
    check("16777217 + 0.0lf", &[0x4170_0000_1000_0000]);
}

#[test]
fn integers_keep_the_low_64_bits() {
    check("1l << 40", &[1 << 40]);
    check("1ul << 63", &[HALF_RANGE]);
    check("18446744073709551615ul + 1ul", &[0]);
    check("0ul - 1ul", &[u64::MAX]);
    check_signed("9223372036854775807l + 1l", &[i64::MIN]);
    check_signed("-9223372036854775807l - 2l", &[i64::MAX]);
    check_signed("-9223372036854775808l >> 62", &[-2]);
    check("9223372036854775808ul >> 62", &[2]);
    check("18446744073709551615ul / 3ul", &[0x5555_5555_5555_5555]);
    check("18446744073709551615ul % 10ul", &[5]);
    check_signed("-9223372036854775807l / 10l", &[-922_337_203_685_477_580]);
    check_signed("3037000499l * 3037000499l", &[9_223_372_030_926_249_001]);
    check("~0ul ^ 4294967295ul", &[0xffff_ffff_0000_0000]);
    check_signed("i64vec2(5l, -5l) & -2l", &[4, -6]);
    check(
        "bvec4(-1l < 0l, 18446744073709551615ul < 0ul, 4294967296l != 0l, 1l == 4294967297l)",
        &[1, 0, 1, 0],
    );
    check_signed(
        "i64vec3(abs(-4294967296l), sign(-4294967296l), min(1l, -4294967296l))",
        &[1 << 32, -1, -(1 << 32)],
    );
    check("clamp(18446744073709551615ul, 1ul, 9223372036854775808ul)", &[HALF_RANGE]);
    check_signed("mix(i64vec2(1l, 2l), i64vec2(3l, 4l), bvec2(true, false))", &[3, 2]);
}

#[test]
fn conversions_of_constants_are_exact() {
    check_signed("int64_t(4294967295u)", &[0xffff_ffff]);
    check("uint64_t(-1)", &[u64::MAX]);
    check("u64vec2(ivec2(-2, 2))", &[u64::MAX - 1, 2]);
    check("uvec2(-1l, 4294967297l)", &[0xffff_ffff, 1]);
    check("int(4294967297ul)", &[1]);
    check("bvec3(4294967296l, 0l, 0.5lf)", &[1, 0, 1]);
    check_signed("int64_t(-2.75lf)", &[-2]);
    check("uint64_t(18446744073709549568.0lf)", &[18_446_744_073_709_549_568]);
    check_signed("int64_t(true)", &[1]);
    check_doubles("double(false)", &[0.0]);
    // 2^53 + 1 and 2^64 - 1 are between two doubles. The first rounds to the even one, the second to the nearest one.
    check("double((1l << 53) + 1l)", &[0x4340_0000_0000_0000]);
    check("double(18446744073709551615ul)", &[0x43f0_0000_0000_0000]);
    check("double(-9223372036854775808l)", &[0xc3e0_0000_0000_0000]);
    check("float((1l << 40) + 1l)", &[0x5380_0000]);
}

#[test]
fn functions_on_doubles_follow_the_specification() {
    check_doubles("floor(dvec2(2251799813685249.5lf, -0.5lf))", &[2_251_799_813_685_249.0, -1.0]);
    check_doubles("roundEven(dvec2(2251799813685249.5lf, 0.5lf))", &[2_251_799_813_685_250.0, 0.0]);
    check_doubles("mod(9007199254740992.0lf, 3.0lf)", &[2.0]);
    check_doubles(
        "dot(dvec2(100000001.0lf, 2.0lf), dvec2(100000002.0lf, 5.0lf))",
        &[10_000_000_300_000_012.0],
    );
    check_doubles("length(dvec2(3e200lf, 4.0lf) / 1e200lf)", &[3.0]);
    check_doubles("ldexp(1.0lf, 1023)", &[8.988_465_674_311_58e307]);
    // The least normal double is 2^-1022.
    check_doubles("ldexp(-1.0lf, -1022)", &[-f64::MIN_POSITIVE]);
    check("floatBitsToUint(ldexp(vec2(-1.0, 1.0), ivec2(-126, -127)))", &[0x8080_0000, 0]);
    check("unpackDouble2x32(ldexp(-1.0lf, -1023))", &[0, 0x8000_0000]);
    check_doubles("smoothstep(0.0lf, 2.0lf, 0.5lf)", &[0.156_25]);
    check("notEqual(dvec2(0.1lf, 1.0lf), dvec2(0.1lf + 5e-18lf, 1.0lf + 3e-16lf))", &[0, 1]);
}

#[test]
fn halves_of_constants_are_packed_low_word_first() {
    check("packDouble2x32(uvec2(1u, 0x7ff00000u))", &[0x7ff0_0000_0000_0001]);
    check("unpackDouble2x32(-2.0lf)", &[0, 0xc000_0000]);
    check("packInt2x32(ivec2(-1, 0))", &[0xffff_ffff]);
    check("packUint2x32(uvec2(0u, 7u))", &[7 << 32]);
    check("unpackInt2x32(-4294967296l)", &[0, 0xffff_ffff]);
    check("unpackUint2x32(4294967298ul)", &[2, 1]);
    check_signed("doubleBitsToInt64(-0.0lf)", &[i64::MIN]);
    check("doubleBitsToUint64(dvec2(1.0lf, 0.0lf))", &[0x3ff0_0000_0000_0000, 0]);
    check("uint64BitsToDouble(4607182418800017409ul)", &[0x3ff0_0000_0000_0001]);
    check(
        "bvec3(isnan(packDouble2x32(uvec2(1u, 0x7ff00000u))), isinf(1.0lf / 0.0lf), isnan(1.0lf))",
        &[1, 1, 0],
    );
}

#[test]
fn a_double_is_split_into_fraction_and_power() {
    let cases = [
        (1.0_f64, 0.5, 1),
        (-10.0, -0.625, 4),
        (0.0, 0.0, 0),
        (-0.0, -0.0, 0),
        (f64::MAX, 1.0_f64.next_down(), 1024),
        (f64::MIN_POSITIVE, 0.5, -1021),
    ];
    for (x, fraction, power) in cases {
        let part = |is_power: bool| {
            built(|body| {
                let x = body.literal(Literal::F64(x), Span::new(0, 0));
                let (fraction, power) = exponent::split(body, x, Span::new(0, 0));
                if is_power { power } else { fraction }
            })
        };
        assert_eq!(part(false), [f64::to_bits(fraction)], "{x}");
        assert_eq!(part(true), [u64::from(i32::cast_unsigned(power))], "{x}");
    }
}

/// `max` of a `uint` and an `int64_t` is the overload for `uint64_t`, not for doubles, because `uint` only gets more
/// bits.
#[test]
fn the_overload_of_more_bits_is_better_than_one_of_doubles() {
    check("max(1u, 18446744073709551615l)", &[u64::MAX]);
    check("min(1, 4294967296l)", &[1]);
    check("sqrt(4)", &[0x4000_0000]);
    check("max(1, 2.5lf)", &[0x4004_0000_0000_0000]);
}
