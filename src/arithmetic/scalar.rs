//! Scalars in registers, and functions of them.

use half::f16;

use super::{BinaryFunction, Kind, Operand, Split, UnaryFunction};

/// A scalar that fits in registers.
pub trait Word: Copy {
    /// Registers of one scalar.
    const WORDS: usize;
    /// Reads the scalar of one lane from its registers, which have `width` lanes.
    fn read(words: &[u32], lane: usize, width: usize) -> Self;
    /// Writes the scalar of one lane to its registers, which have `width` lanes.
    fn write(self, words: &mut [u32], lane: usize, width: usize);
}

macro_rules! narrow {
    ($($ty:ty: $from:expr, $to:expr;)*) => {$(
        impl Word for $ty {
            const WORDS: usize = 1;
            fn read(words: &[u32], lane: usize, _: usize) -> Self {
                $from(words[lane])
            }
            fn write(self, words: &mut [u32], lane: usize, _: usize) {
                words[lane] = $to(self);
            }
        }
    )*};
}

narrow! {
    u32: |word| word, |value| value;
    i32: u32::cast_signed, i32::cast_unsigned;
    f32: f32::from_bits, f32::to_bits;
    bool: |word| word != 0, u32::from;
    u16: low_half, u32::from;
    i16: |word| low_half(word).cast_signed(), |value: i16| u32::from(value.cast_unsigned());
    f16: |word| f16::from_bits(low_half(word)), |value: f16| u32::from(value.to_bits());
}

#[expect(clippy::cast_possible_truncation, reason = "the high half is 0")]
const fn low_half(word: u32) -> u16 {
    word as u16
}

macro_rules! wide {
    ($($ty:ty: $from:expr, $to:expr;)*) => {$(
        impl Word for $ty {
            const WORDS: usize = 2;
            fn read(words: &[u32], lane: usize, width: usize) -> Self {
                $from(u64::from(words[lane]) | u64::from(words[width + lane]) << 32)
            }
            #[expect(clippy::cast_possible_truncation, reason = "the low and the high word")]
            fn write(self, words: &mut [u32], lane: usize, width: usize) {
                let bits: u64 = $to(self);
                (words[lane], words[width + lane]) = (bits as u32, (bits >> 32) as u32);
            }
        }
    )*};
}

wide! {
    u64: |bits| bits, |value| value;
    i64: u64::cast_signed, i64::cast_unsigned;
    f64: f64::from_bits, f64::to_bits;
}

/// A float.
pub trait Real: Word + PartialOrd {
    /// The nearest float of this type.
    fn of(value: f64) -> Self;
    /// The float in double precision.
    fn wide(self) -> f64;
    /// self × b + c, rounded once.
    #[must_use]
    fn fma(self, b: Self, c: Self) -> Self;
    /// Applies a function of two operands to `count` pairs. `None` if floats have no such function.
    fn arithmetic(
        function: BinaryFunction,
        split: &mut Split<'_>,
        operands: [Operand; 2],
        count: usize,
    ) -> Option<()>;
}

/// Applies one of the listed functions of two operands; `None` if it is another one. Each function has its own loop, so
/// that the compiler can vectorise it.
macro_rules! loops {
    ($function:ident, $split:ident, $operands:ident, $count:ident; $($name:ident: $apply:expr;)*) => {
        match $function {
            $(BinaryFunction::$name => {
                $split.binary::<Self, Self, Self>($operands, $count, $apply);
            })*
            _ => return None,
        }
    };
}

macro_rules! real {
    ($ty:ident, $fma:path, $of:expr) => {
        impl Real for $ty {
            fn of(value: f64) -> Self {
                $of(value)
            }
            fn wide(self) -> f64 {
                f64::from(self)
            }
            fn fma(self, b: Self, c: Self) -> Self {
                $fma(self, b, c)
            }
            fn arithmetic(
                function: BinaryFunction,
                split: &mut Split<'_>,
                operands: [Operand; 2],
                count: usize,
            ) -> Option<()> {
                loops! { function, split, operands, count;
                Add: |a, b| a + b;
                Subtract: |a, b| a - b;
                Multiply: |a, b| a * b;
                Divide: |a, b| a / b;
                // WGSL, 8.7: e1 - e2 * trunc(e1 / e2).
                Modulo: |a, b| a - b * (a / b).trunc();
                Min: Self::min;
                Max: Self::max;
                Step: |edge, x| if x < edge { 0.0 } else { 1.0 };
                }
                Some(())
            }
        }
    };
}

#[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is the point")]
const fn single(value: f64) -> f32 {
    value as f32
}

/// Each step is computed in double precision, which has more than twice as many bits, so rounding a second time changes
/// nothing.
impl Real for f16 {
    fn of(value: f64) -> Self {
        Self::from_f64(value)
    }
    fn wide(self) -> f64 {
        self.to_f64()
    }
    fn fma(self, b: Self, c: Self) -> Self {
        Self::of(libm::fma(self.wide(), b.wide(), c.wide()))
    }
    fn arithmetic(
        function: BinaryFunction,
        split: &mut Split<'_>,
        operands: [Operand; 2],
        count: usize,
    ) -> Option<()> {
        loops! { function, split, operands, count;
        Add: |a, b| Self::of(a.wide() + b.wide());
        Subtract: |a, b| Self::of(a.wide() - b.wide());
        Multiply: |a, b| Self::of(a.wide() * b.wide());
        Divide: |a, b| Self::of(a.wide() / b.wide());
        // Rounds after each step, as for the wider kinds.
        Modulo: |a, b| {
            let quotient = Self::of(a.wide() / b.wide());
            let product = Self::of(b.wide() * quotient.wide().trunc());
            Self::of(a.wide() - product.wide())
        };
        Min: |a, b| Self::of(a.wide().min(b.wide()));
        Max: |a, b| Self::of(a.wide().max(b.wide()));
        Step: |edge, x| if x < edge { Self::ZERO } else { Self::ONE };
        }
        Some(())
    }
}

real!(f32, libm::fmaf, single);
real!(f64, libm::fma, |value| value);

/// The double-precision form of a function of one float.
fn real_function(function: UnaryFunction) -> Option<fn(f64) -> f64> {
    use UnaryFunction as F;
    Some(match function {
        F::Sign => |x| {
            if x > 0.0 {
                1.0
            } else if x < 0.0 {
                -1.0
            } else {
                0.0
            }
        },
        F::Ceil => f64::ceil,
        F::Floor => f64::floor,
        F::Round => f64::round_ties_even,
        F::Trunc => f64::trunc,
        F::Sqrt => f64::sqrt,
        F::InverseSqrt => |x| 1.0 / x.sqrt(),
        F::Cos => libm::cos,
        F::Cosh => libm::cosh,
        F::Sin => libm::sin,
        F::Sinh => libm::sinh,
        F::Tan => libm::tan,
        F::Tanh => libm::tanh,
        F::Acos => libm::acos,
        F::Asin => libm::asin,
        F::Atan => libm::atan,
        F::Asinh => libm::asinh,
        F::Acosh => libm::acosh,
        F::Atanh => libm::atanh,
        F::Exp => libm::exp,
        F::Exp2 => libm::exp2,
        F::Log => libm::log,
        F::Log2 => libm::log2,
        F::Radians => f64::to_radians,
        F::Degrees => f64::to_degrees,
        F::QuantizeToF16 => |x| half::f16::from_f64(x).to_f64(),
        F::Mantissa => |x| libm::frexp(x).0,
        F::Not
        | F::Negate
        | F::Abs
        | F::Fract
        | F::IsNan
        | F::IsInf
        | F::CountOneBits
        | F::ReverseBits
        | F::CountLeadingZeros
        | F::CountTrailingZeros
        | F::FirstLeadingBit
        | F::FirstTrailingBit
        | F::Exponent => return None,
    })
}

impl Split<'_> {
    /// Applies a function to `count` scalars. `None` if the kind has no such function.
    pub fn function(
        &mut self,
        function: UnaryFunction,
        kind: Kind,
        [from, count]: [usize; 2],
    ) -> Option<()> {
        match kind {
            Kind::F32 => self.real_function::<f32>(function, from, count),
            Kind::F64 => self.real_function::<f64>(function, from, count),
            Kind::F16 => self.real_function::<f16>(function, from, count),
            Kind::Bool if function == UnaryFunction::Not => {
                self.unary(from, count, |x: bool| !x);
                Some(())
            }
            Kind::Bool => None,
            Kind::I32 | Kind::U32 if is_of_bits(function) => {
                self.bit_function(function, kind, from, count)
            }
            Kind::I16 => self.integer_function::<i16>(function, from, count),
            Kind::U16 => self.integer_function::<u16>(function, from, count),
            Kind::I32 => self.integer_function::<i32>(function, from, count),
            Kind::U32 => self.integer_function::<u32>(function, from, count),
            Kind::I64 => self.integer_function::<i64>(function, from, count),
            Kind::U64 => self.integer_function::<u64>(function, from, count),
        }
    }

    fn real_function<T: Real>(
        &mut self,
        function: UnaryFunction,
        from: usize,
        count: usize,
    ) -> Option<()> {
        match function {
            UnaryFunction::IsNan => self.unary(from, count, |x: T| x.wide().is_nan()),
            UnaryFunction::IsInf => self.unary(from, count, |x: T| x.wide().is_infinite()),
            UnaryFunction::Exponent => {
                self.unary(from, count, |x: T| libm::frexp(x.wide()).1);
            }
            UnaryFunction::Negate => self.unary(from, count, |x: T| T::of(-x.wide())),
            UnaryFunction::Abs => self.unary(from, count, |x: T| T::of(x.wide().abs())),
            // x − floor(x), where both steps round.
            UnaryFunction::Fract => {
                self.unary(from, count, |x: T| T::of(x.wide() - x.wide().floor()));
            }
            _ => {
                let function = real_function(function)?;
                self.unary(from, count, |x: T| T::of(function(x.wide())));
            }
        }
        Some(())
    }

    fn integer_function<T: Integer>(
        &mut self,
        function: UnaryFunction,
        from: usize,
        count: usize,
    ) -> Option<()> {
        let function: fn(T) -> T = match function {
            UnaryFunction::Negate => T::negate,
            UnaryFunction::Not => T::invert,
            UnaryFunction::Abs => T::abs,
            UnaryFunction::Sign => T::sign,
            _ => return None,
        };
        self.unary(from, count, function);
        Some(())
    }

    fn bit_function(
        &mut self,
        function: UnaryFunction,
        kind: Kind,
        from: usize,
        count: usize,
    ) -> Option<()> {
        let leading = |x: u32| 31_u32.wrapping_sub(x.leading_zeros());
        match (function, kind) {
            (UnaryFunction::CountOneBits, _) => self.unary(from, count, u32::count_ones),
            (UnaryFunction::ReverseBits, _) => self.unary(from, count, u32::reverse_bits),
            (UnaryFunction::CountLeadingZeros, _) => self.unary(from, count, u32::leading_zeros),
            (UnaryFunction::CountTrailingZeros, _) => {
                self.unary(from, count, u32::trailing_zeros);
            }
            (UnaryFunction::FirstTrailingBit, _) => {
                self.unary(
                    from,
                    count,
                    |x: u32| if x == 0 { u32::MAX } else { x.trailing_zeros() },
                );
            }
            // The highest bit that differs from the sign bit.
            (UnaryFunction::FirstLeadingBit, Kind::I32) => {
                self.unary(from, count, |x: i32| {
                    leading(if x < 0 { !x.cast_unsigned() } else { x.cast_unsigned() })
                });
            }
            (UnaryFunction::FirstLeadingBit, _) => self.unary(from, count, leading),
            _ => return None,
        }
        Some(())
    }

    /// Applies a function of two operands to `count` pairs of scalars. `None` if the kind has no such function.
    pub fn function_of_two(
        &mut self,
        function: BinaryFunction,
        kind: Kind,
        operands: [Operand; 2],
        count: usize,
    ) -> Option<()> {
        match kind {
            Kind::F32 => self.real::<f32>(function, operands, count),
            Kind::F64 => self.real::<f64>(function, operands, count),
            Kind::F16 => self.real::<f16>(function, operands, count),
            Kind::I16 => self.integer::<i16>(function, operands, count),
            Kind::U16 => self.integer::<u16>(function, operands, count),
            Kind::I32 => self.integer::<i32>(function, operands, count),
            Kind::U32 => self.integer::<u32>(function, operands, count),
            Kind::I64 => self.integer::<i64>(function, operands, count),
            Kind::U64 => self.integer::<u64>(function, operands, count),
            Kind::Bool => {
                let function: fn(bool, bool) -> bool = match function {
                    BinaryFunction::Equal => |a, b| a == b,
                    BinaryFunction::NotEqual | BinaryFunction::ExclusiveOr => |a, b| a != b,
                    BinaryFunction::And => |a, b| a && b,
                    BinaryFunction::InclusiveOr => |a, b| a || b,
                    _ => return None,
                };
                self.binary(operands, count, function);
                Some(())
            }
        }
    }

    /// Compares `count` pairs of scalars. False if `function` is not a comparison.
    fn compare<T: Word + PartialOrd>(
        &mut self,
        function: BinaryFunction,
        operands: [Operand; 2],
        count: usize,
    ) -> bool {
        match function {
            BinaryFunction::Equal => self.binary(operands, count, |a: T, b: T| a == b),
            BinaryFunction::NotEqual => self.binary(operands, count, |a: T, b: T| a != b),
            BinaryFunction::Less => self.binary(operands, count, |a: T, b: T| a < b),
            BinaryFunction::LessEqual => self.binary(operands, count, |a: T, b: T| a <= b),
            BinaryFunction::Greater => self.binary(operands, count, |a: T, b: T| a > b),
            BinaryFunction::GreaterEqual => self.binary(operands, count, |a: T, b: T| a >= b),
            _ => return false,
        }
        true
    }

    fn real<T: Real>(
        &mut self,
        function: BinaryFunction,
        operands: [Operand; 2],
        count: usize,
    ) -> Option<()> {
        if self.compare::<T>(function, operands, count) {
            return Some(());
        }
        match function {
            BinaryFunction::Pow => {
                self.binary(operands, count, |a: T, b: T| T::of(libm::pow(a.wide(), b.wide())));
            }
            BinaryFunction::Atan2 => {
                self.binary(operands, count, |a: T, b: T| T::of(libm::atan2(a.wide(), b.wide())));
            }
            BinaryFunction::Ldexp => {
                self.binary(operands, count, |a: T, b: i32| T::of(libm::ldexp(a.wide(), b)));
            }
            _ => T::arithmetic(function, self, operands, count)?,
        }
        Some(())
    }

    fn integer<T: Integer>(
        &mut self,
        function: BinaryFunction,
        operands: [Operand; 2],
        count: usize,
    ) -> Option<()> {
        if self.compare::<T>(function, operands, count) {
            return Some(());
        }
        match function {
            BinaryFunction::ShiftLeft => self.binary(operands, count, T::shift_left),
            BinaryFunction::ShiftRight => self.binary(operands, count, T::shift_right),
            _ => T::arithmetic(function, self, operands, count)?,
        }
        Some(())
    }

    /// Converts `count` scalars from `kinds[0]` to `kinds[1]`.
    pub fn convert(&mut self, kinds: [Kind; 2], from: usize, count: usize) {
        macro_rules! to {
            ($source:ty) => {
                to!($source, |x| x)
            };
            ($source:ty, $number:expr) => {
                match kinds[1] {
                    Kind::I16 => self.unary(from, count, |x: $source| $number(x) as i16),
                    Kind::U16 => self.unary(from, count, |x: $source| $number(x) as u16),
                    // Integers in the range of half precision are exact in double precision.
                    Kind::F16 => {
                        self.unary(from, count, |x: $source| f16::from_f64($number(x) as f64))
                    }
                    Kind::Bool => self.unary(from, count, |x: $source| x != <$source>::default()),
                    Kind::I32 => self.unary(from, count, |x: $source| $number(x) as i32),
                    Kind::U32 => self.unary(from, count, |x: $source| $number(x) as u32),
                    Kind::I64 => self.unary(from, count, |x: $source| $number(x) as i64),
                    Kind::U64 => self.unary(from, count, |x: $source| $number(x) as u64),
                    Kind::F32 => self.unary(from, count, |x: $source| $number(x) as f32),
                    Kind::F64 => self.unary(from, count, |x: $source| $number(x) as f64),
                }
            };
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_possible_wrap,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            clippy::cast_lossless,
            clippy::float_cmp,
            reason = "these are the conversions of shaders: wrapping, rounding, and floats clamped to integers"
        )]
        match kinds[0] {
            // A boolean is the word 0 or 1.
            Kind::Bool | Kind::U32 => to!(u32),
            Kind::I16 => to!(i16),
            Kind::U16 => to!(u16),
            Kind::F16 => to!(f16, f16::to_f32),
            Kind::I32 => to!(i32),
            Kind::I64 => to!(i64),
            Kind::U64 => to!(u64),
            Kind::F32 if kinds[1] == Kind::I32 => {
                self.unary(from, count, |x: f32| (x as i32).min(LARGEST_I32_AS_F32));
            }
            Kind::F32 if kinds[1] == Kind::U32 => {
                self.unary(from, count, |x: f32| (x as u32).min(LARGEST_U32_AS_F32));
            }
            Kind::F32 => to!(f32),
            Kind::F64 => to!(f64),
        }
    }
}

/// The largest `i32` that is an `f32` as well: 2³¹ − 128. Larger floats become this number (WGSL, 15.7.6).
const LARGEST_I32_AS_F32: i32 = 0x7fff_ff80;
/// The largest `u32` that is an `f32` as well: 2³² − 256. Larger floats become this number (WGSL, 15.7.6).
const LARGEST_U32_AS_F32: u32 = 0xffff_ff00;

fn is_of_bits(function: UnaryFunction) -> bool {
    matches!(
        function,
        UnaryFunction::CountOneBits
            | UnaryFunction::ReverseBits
            | UnaryFunction::CountLeadingZeros
            | UnaryFunction::CountTrailingZeros
            | UnaryFunction::FirstLeadingBit
            | UnaryFunction::FirstTrailingBit
    )
}

/// An integer.
pub(crate) trait Integer: Word + PartialOrd {
    fn negate(self) -> Self;
    fn invert(self) -> Self;
    fn abs(self) -> Self;
    fn sign(self) -> Self;
    fn shift_left(self, bits: u32) -> Self;
    fn shift_right(self, bits: u32) -> Self;
    /// Applies a function of two operands to `count` pairs. `None` if integers have no such function.
    fn arithmetic(
        function: BinaryFunction,
        split: &mut Split<'_>,
        operands: [Operand; 2],
        count: usize,
    ) -> Option<()>;
}

macro_rules! integer {
    ($($ty:ty: $abs:expr, $sign:expr;)*) => {$(
        impl Integer for $ty {
            fn negate(self) -> Self {
                self.wrapping_neg()
            }
            fn invert(self) -> Self {
                !self
            }
            fn abs(self) -> Self {
                $abs(self)
            }
            fn sign(self) -> Self {
                $sign(self)
            }
            fn shift_left(self, bits: u32) -> Self {
                self.wrapping_shl(bits)
            }
            fn shift_right(self, bits: u32) -> Self {
                self.wrapping_shr(bits)
            }
            fn arithmetic(
                function: BinaryFunction,
                split: &mut Split<'_>,
                operands: [Operand; 2],
                count: usize,
            ) -> Option<()> {
 loops! { function, split, operands, count;
                    Add: Self::wrapping_add;
                    Subtract: Self::wrapping_sub;
                    Multiply: Self::wrapping_mul;
                    // WGSL, 8.7: x / 0 is x, x % 0 is 0, and the least integer divided by -1 is itself.
                    Divide: |a, b| if b == 0 { a } else { a.wrapping_div(b) };
                    Modulo: |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) };
                    And: |a, b| a & b;
                    ExclusiveOr: |a, b| a ^ b;
                    InclusiveOr: |a, b| a | b;
                    Min: Ord::min;
                    Max: Ord::max;
                    }
 Some(())
 }
        }
    )*};
}

integer! {
    i16: i16::wrapping_abs, i16::signum;
    u16: |x| x, |x: u16| x.min(1);
    i32: i32::wrapping_abs, i32::signum;
    i64: i64::wrapping_abs, i64::signum;
    u32: |x| x, |x: u32| x.min(1);
    u64: |x| x, |x: u64| x.min(1);
}

#[cfg(test)]
mod tests;
