//! Probes of storage and transform feedback buffers.

use case::{BufferProbe, Case, Comparison, Dialect, Tolerance};
use ir::interface::ScalarKind;
use ir::readback::Snapshot;
use ir::scalar::{self, Number};

use super::kind::{Kind, Mismatch, RunResult};

/// piglit's bound for equal floats: one unit in the last place of 1.0 in double precision. In strict cases equal floats
/// must not differ at all.
const EQUAL_WITHIN: f64 = 2.2e-16;

/// Maximum number of values in a message, from the first difference on.
const MAX_SHOWN: usize = 8;

impl Kind for BufferProbe {
    fn check(&self, result: &RunResult<'_>) -> Result<(), Mismatch> {
        let case = result.case;
        match result.snapshot {
            Some(Snapshot::Buffer(bytes)) => check(case, self, bytes, result.tolerance),
            Some(Snapshot::Image(_) | Snapshot::Count(_)) | None => {
                Err(Mismatch::from(format!("{} was not read back", case.buffer_name(self.binding))))
            }
        }
    }
}

/// Checks one probe of a case; `~=` uses `tolerance`.
fn check(
    case: &Case,
    probe: &BufferProbe,
    bytes: &[u8],
    tolerance: Tolerance,
) -> Result<(), Mismatch> {
    let values = values(case, probe, bytes)?;
    let holds = |value: &CheckedScalar| value.holds(probe.comparison, tolerance, case.dialect);
    let Some(first) = values.iter().position(|value| !holds(value)) else { return Ok(()) };
    let count = values.iter().filter(|value| !holds(value)).count();
    let total = values.len();
    let shown = &values[first..total.min(first + MAX_SHOWN)];
    let row =
        |cell: fn(&CheckedScalar) -> String| shown.iter().map(cell).collect::<Vec<_>>().join(" ");
    let (buffer, at) = (case.buffer_name(probe.binding), values[first].offset);
    // Values of a script with tolerances are probes of one value each, so a count would mislead.
    let counted =
        if total == 1 { String::new() } else { format!("; {count} of {total} values differ") };
    let place = format!("first difference at byte {at} of {buffer}{counted}");
    let operator = probe.comparison.operator();
    let expected = format!("expected  {operator} {}", row(CheckedScalar::expected_text));
    Err(Mismatch(vec![place, expected, format!("actual    {}", row(CheckedScalar::actual_text))]))
}

/// One scalar of the buffer and its expected value.
struct CheckedScalar {
    kind: ScalarKind,
    /// Component inside its scalar or vector: selects the tolerance.
    component: usize,
    offset: usize,
    actual: u64,
    expected: u64,
    /// True if the expected value was written as `0x…`.
    is_pattern: bool,
}

fn values(case: &Case, probe: &BufferProbe, bytes: &[u8]) -> Result<Vec<CheckedScalar>, Mismatch> {
    let kinds: Vec<_> = probe
        .ty
        .leaves()
        .iter()
        .flat_map(|leaf| (0..usize::from(leaf.size)).map(|component| (leaf.scalar, component)))
        .collect();
    if kinds.is_empty() || probe.expected.is_empty() {
        return Err(Mismatch::from("the probe expects nothing"));
    }
    let mut values = Vec::new();
    let mut offset = usize::try_from(probe.offset).unwrap_or(usize::MAX);
    for (number, (kind, component)) in probe.expected.iter().zip(kinds.into_iter().cycle()) {
        let end = offset.saturating_add(scalar::byte_size(kind));
        let Some(cell) = bytes.get(offset..end) else {
            let (buffer, size) = (case.buffer_name(probe.binding), bytes.len());
            return Err(Mismatch::from(format!(
                "byte {offset} lies outside of {buffer} of {size} bytes"
            )));
        };
        values.push(CheckedScalar {
            kind,
            component,
            offset,
            actual: cell.iter().rev().fold(0, |bits, byte| (bits << 8) | u64::from(*byte)),
            expected: scalar::bits(*number, kind)?,
            is_pattern: matches!(number, Number::Bits(_)),
        });
        offset = end;
    }
    Ok(values)
}

impl CheckedScalar {
    fn holds(&self, comparison: Comparison, tolerance: Tolerance, dialect: Dialect) -> bool {
        if self.is_pattern && comparison == Comparison::Equal {
            return self.actual == self.expected;
        }
        if self.is_pattern && comparison == Comparison::NotEqual {
            return self.actual != self.expected;
        }
        match self.kind {
            ScalarKind::F32 | ScalarKind::F64 => self.float_holds(comparison, tolerance, dialect),
            ScalarKind::I32
            | ScalarKind::U32
            | ScalarKind::I64
            | ScalarKind::U64
            | ScalarKind::Bool => self.integer_holds(comparison, tolerance),
        }
    }

    fn float_holds(&self, comparison: Comparison, tolerance: Tolerance, dialect: Dialect) -> bool {
        let actual = float(self.kind, self.actual);
        let expected = float(self.kind, self.expected);
        // Equal infinities have no difference.
        let within =
            |limit: f64| actual.total_cmp(&expected).is_eq() || (actual - expected).abs() <= limit;
        let equal_within = match dialect {
            Dialect::Piglit => EQUAL_WITHIN.next_down(),
            Dialect::Interstage | Dialect::ShaderLibrary | Dialect::Vulkan => 0.0,
        };
        let is_equal = !actual.is_nan() && !expected.is_nan() && within(equal_within);
        match comparison {
            Comparison::Equal => is_equal,
            Comparison::NotEqual => !is_equal,
            Comparison::Less => actual < expected,
            Comparison::LessOrEqual => actual <= expected,
            Comparison::Greater => actual > expected,
            Comparison::GreaterOrEqual => actual >= expected,
            Comparison::Near if expected.is_nan() => actual.is_nan(),
            Comparison::Near => match tolerance {
                Tolerance::Absolute(limits) => within(limits[self.component.min(3)]),
                Tolerance::Ulp(limit) => self.is_within_ulps(limit),
            },
        }
    }

    fn integer_holds(&self, comparison: Comparison, tolerance: Tolerance) -> bool {
        let actual = integer(self.kind, self.actual);
        let expected = integer(self.kind, self.expected);
        match comparison {
            Comparison::Equal => actual == expected,
            Comparison::NotEqual => actual != expected,
            Comparison::Less => actual < expected,
            Comparison::LessOrEqual => actual <= expected,
            Comparison::Greater => actual > expected,
            Comparison::GreaterOrEqual => actual >= expected,
            Comparison::Near => match tolerance {
                Tolerance::Absolute(limits) => {
                    to_real(actual.abs_diff(expected)) <= limits[self.component.min(3)]
                }
                Tolerance::Ulp(limit) => actual.abs_diff(expected) <= u128::from(limit),
            },
        }
    }

    /// True if the distance is at most `limit` units in the last place of the float's type.
    fn is_within_ulps(&self, limit: u32) -> bool {
        let is_nan = |bits| float(self.kind, bits).is_nan();
        if is_nan(self.actual) || is_nan(self.expected) {
            return false;
        }
        let sign = 1 << (8 * scalar::byte_size(self.kind) - 1);
        let ordinal = |bits: u64| {
            let magnitude = i128::from(bits & (sign - 1));
            if bits & sign == 0 { magnitude } else { -magnitude }
        };
        ordinal(self.actual).abs_diff(ordinal(self.expected)) <= u128::from(limit)
    }

    fn actual_text(&self) -> String {
        self.text(self.actual)
    }

    fn expected_text(&self) -> String {
        self.text(self.expected)
    }

    /// Formats a number in the notation of the expected one. Floats include their bits, as the difference is often too
    /// small for the decimals.
    fn text(&self, bits: u64) -> String {
        match self.kind {
            ScalarKind::F32 => format!("{:?} (0x{bits:08x})", f32::from_bits(low_word(bits))),
            ScalarKind::F64 => format!("{:?} (0x{bits:016x})", f64::from_bits(bits)),
            ScalarKind::I32
            | ScalarKind::U32
            | ScalarKind::I64
            | ScalarKind::U64
            | ScalarKind::Bool => scalar::notation(if self.is_pattern {
                Number::Bits(bits)
            } else {
                Number::Integer(integer(self.kind, bits))
            }),
        }
    }
}

fn float(kind: ScalarKind, bits: u64) -> f64 {
    if kind == ScalarKind::F64 {
        f64::from_bits(bits)
    } else {
        f64::from(f32::from_bits(low_word(bits)))
    }
}

fn integer(kind: ScalarKind, bits: u64) -> i128 {
    match kind {
        ScalarKind::I32 => i128::from(low_word(bits).cast_signed()),
        ScalarKind::I64 => i128::from(bits.cast_signed()),
        ScalarKind::U32
        | ScalarKind::U64
        | ScalarKind::Bool
        | ScalarKind::F32
        | ScalarKind::F64 => i128::from(bits),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a 32-bit scalar stands in the low bits")]
const fn low_word(bits: u64) -> u32 {
    bits as u32
}

#[expect(clippy::cast_precision_loss, reason = "a tolerance is small")]
const fn to_real(value: u128) -> f64 {
    value as f64
}

#[cfg(test)]
mod tests {
    use ir::interface::Type;

    use super::*;

    fn probe(kind: ScalarKind, comparison: Comparison, expected: &[Number]) -> BufferProbe {
        let ty = Type::Scalar(kind);
        BufferProbe { binding: 2, offset: 4, ty, comparison, expected: expected.to_vec() }
    }

    fn checked(
        dialect: Dialect,
        probe: &BufferProbe,
        bytes: &[u8],
        tolerance: Tolerance,
    ) -> Result<(), Mismatch> {
        check(&Case { dialect, ..fixture::case(Vec::new()) }, probe, bytes, tolerance)
    }

    /// True if a float at offset 4 passes.
    fn float_passes(actual: f32, comparison: Comparison, expected: Number) -> bool {
        let bytes = [0_f32.to_le_bytes(), actual.to_le_bytes()].concat();
        let tolerance = Tolerance::Absolute([0.25; 4]);
        let probe = probe(ScalarKind::F32, comparison, &[expected]);
        checked(Dialect::Interstage, &probe, &bytes, tolerance).is_ok()
    }

    #[test]
    fn in_piglits_files_differences_below_a_bound_pass() {
        let passes = |actual: f32, dialect| {
            let probe = probe(ScalarKind::F32, Comparison::Equal, &[Number::Integer(0)]);
            let bytes = [0_f32.to_le_bytes(), actual.to_le_bytes()].concat();
            checked(dialect, &probe, &bytes, Tolerance::Ulp(0)).is_ok()
        };
        assert!(passes(1e-16, Dialect::Piglit) && !passes(3e-16, Dialect::Piglit));
        assert!(!passes(1e-40, Dialect::Interstage) && passes(-0.0, Dialect::Interstage));
    }

    #[test]
    fn equal_floats_are_equal_in_single_precision() {
        // 0.1 is not a float; the expected value is rounded like the stored one.
        assert!(float_passes(0.1, Comparison::Equal, Number::Real(0.1)));
        assert!(!float_passes(0.1_f32.next_up(), Comparison::Equal, Number::Real(0.1)));
        assert!(float_passes(-0.0, Comparison::Equal, Number::Integer(0)));
        assert!(!float_passes(1e-16, Comparison::Equal, Number::Integer(0)));
        assert!(float_passes(f32::INFINITY, Comparison::Equal, Number::Real(f64::INFINITY)));
        assert!(!float_passes(f32::INFINITY, Comparison::NotEqual, Number::Real(f64::INFINITY)));
    }

    #[test]
    fn nan_equals_nothing_but_its_own_bits() {
        assert!(!float_passes(f32::NAN, Comparison::Equal, Number::Real(f64::NAN)));
        assert!(float_passes(f32::NAN, Comparison::NotEqual, Number::Real(f64::NAN)));
        let bits = Number::Bits(u64::from(f32::NAN.to_bits()));
        assert!(float_passes(f32::NAN, Comparison::Equal, bits));
        assert!(!float_passes(f32::NAN, Comparison::NotEqual, bits));
        assert!(!float_passes(0.0, Comparison::Equal, Number::Bits(0x8000_0000)));
        assert!(float_passes(0.0, Comparison::NotEqual, Number::Bits(0x8000_0000)));
        assert!(float_passes(f32::NAN, Comparison::Near, Number::Real(f64::NAN)));
    }

    #[test]
    fn near_uses_the_tolerance_in_force() {
        assert!(float_passes(1.25, Comparison::Near, Number::Integer(1)));
        assert!(!float_passes(1.26, Comparison::Near, Number::Integer(1)));
        let one = [Number::Integer(1)];
        let near = BufferProbe { offset: 0, ..probe(ScalarKind::F32, Comparison::Near, &one) };
        let bytes = 0x3f80_0002_u32.to_le_bytes();
        assert!(checked(Dialect::Interstage, &near, &bytes, Tolerance::Ulp(2)).is_ok());
        assert!(checked(Dialect::Interstage, &near, &bytes, Tolerance::Ulp(1)).is_err());
    }

    /// The smallest float and its negative lie two steps apart, with one zero between them.
    #[test]
    fn ulps_are_counted_across_zero() {
        let smallest = [Number::Real(f64::from(f32::from_bits(1)))];
        let near = BufferProbe { offset: 0, ..probe(ScalarKind::F32, Comparison::Near, &smallest) };
        let bytes = 0x8000_0001_u32.to_le_bytes();
        assert!(checked(Dialect::Interstage, &near, &bytes, Tolerance::Ulp(2)).is_ok());
        assert!(checked(Dialect::Interstage, &near, &bytes, Tolerance::Ulp(1)).is_err());
    }

    /// A tolerance in steps is the largest distance that passes, and each component has its own absolute tolerance.
    #[test]
    fn integers_and_components_are_near_within_their_own_limits() {
        let seven = [Number::Integer(7)];
        let near = BufferProbe { offset: 0, ..probe(ScalarKind::U32, Comparison::Near, &seven) };
        let holds = |value: u32, limit| {
            checked(Dialect::Interstage, &near, &value.to_le_bytes(), Tolerance::Ulp(limit)).is_ok()
        };
        assert!(holds(9, 2) && holds(5, 2));
        assert!(!holds(10, 2) && !holds(4, 2));
        let ty = Type::Vector { size: 2, scalar: ScalarKind::F32 };
        let zeros = vec![Number::Integer(0); 2];
        let near = BufferProbe { binding: 2, offset: 0, ty, expected: zeros, ..near };
        let holds = |values: [f32; 2]| {
            let bytes = values.map(f32::to_le_bytes).concat();
            checked(Dialect::Interstage, &near, &bytes, Tolerance::Absolute([0.5, 2.0, 0.0, 0.0]))
                .is_ok()
        };
        assert!(holds([0.5, 2.0]));
        assert!(!holds([0.75, 2.0]) && !holds([0.5, 2.25]));
    }

    #[test]
    fn integers_compare_with_their_sign() {
        let passes = |kind, comparison| {
            let one = [Number::Integer(1)];
            let bytes = [[0; 4], [0xff; 4]].concat();
            checked(Dialect::Interstage, &probe(kind, comparison, &one), &bytes, Tolerance::Ulp(0))
                .is_ok()
        };
        assert!(passes(ScalarKind::I32, Comparison::Less));
        assert!(passes(ScalarKind::U32, Comparison::GreaterOrEqual));
        assert!(!passes(ScalarKind::U32, Comparison::LessOrEqual));
        assert!(!passes(ScalarKind::I32, Comparison::Greater));
    }

    #[test]
    fn the_first_difference_is_shown_with_what_follows() {
        let bytes: Vec<u8> = [0_u32, 1, 7, 3].into_iter().flat_map(u32::to_le_bytes).collect();
        let expected = [1, 2, 3].map(Number::Integer);
        let probe = probe(ScalarKind::U32, Comparison::Equal, &expected);
        let mismatch = checked(Dialect::Interstage, &probe, &bytes, Tolerance::Ulp(0))
            .expect_err("7 is not 2");
        assert_eq!(
            mismatch.0,
            [
                "first difference at byte 8 of storage buffer 2; 1 of 3 values differ",
                "expected  == 2 3",
                "actual    7 3",
            ]
        );
    }

    /// A script's vector with a tolerance is one probe per component, so "1 of 1" would not count the vector's
    /// components.
    #[test]
    fn one_value_is_not_counted() {
        let probe = probe(ScalarKind::U32, Comparison::Equal, &[Number::Integer(1)]);
        let mismatch = checked(Dialect::Interstage, &probe, &[0; 8], Tolerance::Ulp(0))
            .expect_err("0 is not 1");
        assert_eq!(mismatch.0[0], "first difference at byte 4 of storage buffer 2");
    }

    #[test]
    fn integers_are_shown_in_the_notation_of_the_case() {
        let expected = [Number::Bits(0xdead_beef), Number::Integer(-7)];
        let probe = probe(ScalarKind::I32, Comparison::Equal, &expected);
        let bytes: Vec<u8> =
            [0, 0xdead_bee0, 0xffff_fff8_u32].into_iter().flat_map(u32::to_le_bytes).collect();
        let mismatch = checked(Dialect::Interstage, &probe, &bytes, Tolerance::Ulp(0))
            .expect_err("both differ");
        assert_eq!(mismatch.0[1..], ["expected  == 0xdeadbeef -7", "actual    0xdeadbee0 -8"]);
    }

    #[test]
    fn what_lies_outside_never_passes() {
        let zero = [Number::Integer(0); 2];
        let probe = probe(ScalarKind::U32, Comparison::Equal, &zero);
        let mismatch = checked(Dialect::Interstage, &probe, &[0; 8], Tolerance::Ulp(0))
            .expect_err("two values need 12 bytes");
        assert_eq!(mismatch.0, ["byte 8 lies outside of storage buffer 2 of 8 bytes"]);
    }
}
