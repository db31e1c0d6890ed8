//! Tests of scalar functions on extreme values.

use super::*;

const KINDS: [Kind; 10] = [
    Kind::Bool,
    Kind::I16,
    Kind::U16,
    Kind::F16,
    Kind::I32,
    Kind::U32,
    Kind::F32,
    Kind::I64,
    Kind::U64,
    Kind::F64,
];

/// Words whose pairs are the extremes of all kinds: the least and largest integers, infinities, NaNs, denormals.
const WORDS: [u32; 12] = [
    0,
    1,
    31,
    32,
    64,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7ff0_0000,
    0xfff0_0000,
];

/// Applies all functions of a kind to all pairs of extreme numbers, and returns the number of results.
fn all(kind: Kind) -> usize {
    let pairs: Vec<_> = WORDS.iter().flat_map(|low| WORDS.map(|high| [*low, high])).collect();
    let words = |pair: [u32; 2]| if kind == Kind::Bool { [pair[0] & 1, 0] } else { pair };
    let mut count = 0;
    for first in &pairs {
        let mut file = [0; 6];
        file[..2].copy_from_slice(&words(*first));
        for to in KINDS {
            Split::new(&mut file, 1, 4).convert([kind, to], 0, 1);
        }
        for function in UNARY {
            count +=
                usize::from(Split::new(&mut file, 1, 4).function(function, kind, [0, 1]).is_some());
        }
        for second in &pairs {
            file[2..4].copy_from_slice(&words(*second));
            let operands = [Operand { at: 0, step: 0 }, Operand { at: 2, step: 0 }];
            for function in BINARY {
                let done = Split::new(&mut file, 1, 4).function_of_two(function, kind, operands, 1);
                count += usize::from(done.is_some());
            }
        }
    }
    count
}

#[test]
fn nothing_panics_on_extremes() {
    for kind in KINDS {
        assert!(all(kind) > 1000, "{kind:?}");
    }
}

fn two<T: Word, U: Word, R: Word>(function: BinaryFunction, kind: Kind, a: T, b: U) -> R {
    let mut file = [0; 6];
    a.write(&mut file, 0, 1);
    b.write(&mut file[2..], 0, 1);
    let operands = [Operand { at: 0, step: 0 }, Operand { at: 2, step: 0 }];
    let mut split = Split::new(&mut file, 1, 4);
    split.function_of_two(function, kind, operands, 1).expect("there is such a function");
    R::read(&file[4..], 0, 1)
}

/// WGSL, 8.7, and Vulkan's shifts by at least the width, which are modulo the width.
#[test]
fn integers_at_their_limits() {
    use BinaryFunction::{Divide, Modulo, ShiftLeft, ShiftRight};
    let narrow = |function, a: i32, b: i32| two::<_, _, i32>(function, Kind::I32, a, b);
    assert_eq!([Divide, Modulo].map(|of| narrow(of, i32::MIN, -1)), [i32::MIN, 0]);
    assert_eq!([Divide, Modulo].map(|of| narrow(of, 7, 0)), [7, 0]);
    let wide = |function, a: i64, b: i64| two::<_, _, i64>(function, Kind::I64, a, b);
    assert_eq!([Divide, Modulo].map(|of| wide(of, i64::MIN, -1)), [i64::MIN, 0]);
    assert_eq!([Divide, Modulo].map(|of| wide(of, 7, 0)), [7, 0]);
    assert_eq!(two::<_, _, u64>(Divide, Kind::U64, u64::MAX, 0_u64), u64::MAX);
    let shifted = |function, bits: u32| two::<_, _, i32>(function, Kind::I32, -8_i32, bits);
    assert_eq!([32, 33, 63, u32::MAX].map(|bits| shifted(ShiftRight, bits)), [-8, -4, -1, -1]);
    assert_eq!([32, 33].map(|bits| shifted(ShiftLeft, bits)), [-8, -16]);
    assert_eq!(two::<_, _, u64>(ShiftLeft, Kind::U64, 3_u64, 65_u32), 6);
}

fn converted<T: Word, R: Word>(kinds: [Kind; 2], value: T) -> R {
    let mut file = [0; 4];
    value.write(&mut file, 0, 1);
    Split::new(&mut file, 1, 2).convert(kinds, 0, 1);
    R::read(&file[2..], 0, 1)
}

/// WGSL, 15.7.6: an out-of-range float becomes the nearest integer that is a float of its type. NaN becomes 0.
#[test]
fn floats_beyond_integers_become_the_nearest_float() {
    let [signed, unsigned] = [Kind::I32, Kind::U32].map(|to| [Kind::F32, to]);
    let all = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 3e9, -3e9, -1.5];
    assert_eq!(
        all.map(|value| converted::<_, i32>(signed, value)),
        [0, 2_147_483_520, i32::MIN, 2_147_483_520, i32::MIN, -1]
    );
    assert_eq!(
        all.map(|value| converted::<_, u32>(unsigned, value)),
        [0, 4_294_967_040, 0, 3_000_000_000, 0, 0]
    );
    assert_eq!(converted::<_, i64>([Kind::F64, Kind::I64], 1e300), i64::MAX);
}

/// Values computed by hand: half precision holds every integer up to 2048 and only even ones above it; the largest
/// number is 65504.
#[test]
#[expect(clippy::float_cmp, reason = "these numbers are exact")]
fn halves_round_to_eleven_bits() {
    let half = f16::from_f32;
    let of = |function, a: f32, b: f32| -> f32 {
        two::<f16, f16, f16>(function, Kind::F16, half(a), half(b)).to_f32()
    };
    assert!(of(BinaryFunction::Add, 2048.0, 1.0) == 2048.0);
    assert!(of(BinaryFunction::Add, 2048.0, 3.0) == 2052.0);
    assert!(of(BinaryFunction::Subtract, 2.0, 2050.0) == -2048.0);
    assert!(of(BinaryFunction::Multiply, 45.0, 46.0) == 2070.0);
    assert!(of(BinaryFunction::Multiply, 45.0, 47.0) == 2116.0);
    assert!(of(BinaryFunction::Multiply, 300.0, 300.0) == f32::INFINITY);
    // 1 / 3 is 1365.33 / 2^12.
    assert!(of(BinaryFunction::Divide, 1.0, 3.0) == 1365.0 / 4096.0);
    assert!(of(BinaryFunction::Modulo, -7.5, 2.0) == -1.5);
    assert!(of(BinaryFunction::Max, -7.5, 2.0) == 2.0);
    assert!(two::<f16, f16, bool>(BinaryFunction::Less, Kind::F16, half(-1.0), half(0.5)));
}

#[test]
#[expect(clippy::float_cmp, reason = "these numbers are exact")]
fn integers_of_sixteen_bits_wrap() {
    let of = |function, a: i16, b: i16| two::<i16, i16, i16>(function, Kind::I16, a, b);
    assert_eq!(of(BinaryFunction::Add, i16::MAX, 1), i16::MIN);
    assert_eq!(of(BinaryFunction::Divide, i16::MIN, -1), i16::MIN);
    assert_eq!(of(BinaryFunction::Min, -2, 300), -2);
    let shift = BinaryFunction::ShiftRight;
    assert_eq!(two::<i16, u32, i16>(shift, Kind::I16, -2, 1), -1);
    assert_eq!(two::<u16, u32, u16>(shift, Kind::U16, 0xfffe, 1), 0x7fff);
    assert_eq!(converted::<_, i32>([Kind::I16, Kind::I32], -2_i16), -2);
    assert_eq!(converted::<_, u32>([Kind::U16, Kind::U32], 0xfffe_u16), 0xfffe);
    assert_eq!(converted::<_, i16>([Kind::U32, Kind::I16], 70000_u32), 4464);
    assert_eq!(converted::<_, u16>([Kind::F32, Kind::U16], 3.75_f32), 3);
    assert_eq!(converted::<_, f32>([Kind::F16, Kind::F32], f16::from_f32(0.1)), 1638.0 / 16384.0);
    assert_eq!(converted::<_, f16>([Kind::I32, Kind::F16], -70000), f16::NEG_INFINITY);
}

#[rustfmt::skip]
const UNARY: [UnaryFunction; 40] = {
    use UnaryFunction::*;
    [
        Negate, Not, Abs, Sign, Ceil, Floor, Round, Trunc, Fract, Sqrt, InverseSqrt, Cos, Cosh, Sin, Sinh, Tan, Tanh,
        Acos, Asin, Atan, Asinh, Acosh, Atanh, Exp, Exp2, Log, Log2, Radians, Degrees, QuantizeToF16, IsNan, IsInf,
        CountOneBits, ReverseBits, CountLeadingZeros, CountTrailingZeros, FirstLeadingBit, FirstTrailingBit, Mantissa,
        Exponent,
    ]
};

#[rustfmt::skip]
const BINARY: [BinaryFunction; 22] = {
    use BinaryFunction::*;
    [
        Add, Subtract, Multiply, Divide, Modulo, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, And,
        ExclusiveOr, InclusiveOr, ShiftLeft, ShiftRight, Min, Max, Pow, Atan2, Step, Ldexp,
    ]
};
