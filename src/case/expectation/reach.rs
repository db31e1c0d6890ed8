//! Detects vacuous comparisons: a probe for a number that its channel or type cannot hold, or that every number
//! satisfies, shows nothing about a program.

use super::{BufferProbe, Comparison, GoldenRule, Probe, Tolerance};
use ir::format::{ChannelValue, Encoding, Format};
use ir::interface::ScalarKind;
use ir::scalar::{self, Number};

use super::tolerance::{ChannelRule, single};

const CHANNELS: [&str; 4] = ["red", "green", "blue", "alpha"];

/// A comparison that shows nothing about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    /// The values for which the comparison holds.
    pub(crate) holds: Holds,
    /// The message.
    pub(crate) message: String,
}

/// The values for which a comparison holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// All possible values.
    Always,
    /// No value.
    Never,
}

fn always_holds(message: impl Into<String>) -> Mistake {
    Mistake { holds: Holds::Always, message: message.into() }
}

fn never_holds(message: String) -> Mistake {
    Mistake { holds: Holds::Never, message }
}

/// The condition under which the tolerance of a float is too wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wide {
    /// The tolerance is at least the expected number's magnitude, and at least 1.
    AsTheNumber,
    /// The tolerance includes every finite value of the type.
    AsTheType,
}

/// Message about a probe of a target of `format` that can never hold, or always does.
pub(crate) fn mistake_of_probe(
    probe: &Probe,
    format: Format,
    tolerance: Tolerance,
    wide: Wide,
) -> Option<Mistake> {
    let tolerance = probe.tolerance.unwrap_or(tolerance);
    let form = probe.form();
    let numbers = |channel: usize| {
        let others = probe.alternatives.iter().filter(move |(at, _)| *at == channel);
        probe.expected.get(channel).into_iter().chain(others.map(|(_, number)| number)).copied()
    };
    let channels = 0..usize::from(probe.channels).min(CHANNELS.len());
    for channel in channels.clone() {
        if let Some(message) =
            numbers(channel).find_map(|number| unreachable(format, channel, number))
        {
            return Some(never_holds(message));
        }
        let rules = numbers(channel)
            .map(|number| ChannelRule::new(format, channel, form, number, tolerance));
        let rules: Vec<ChannelRule> = rules.collect::<Result<_, _>>().ok()?;
        if is_always_kept(format, channel, &rules, wide) {
            let channel = CHANNELS[channel];
            return Some(always_holds(format!(
                "{channel} of this probe is right whatever is there"
            )));
        }
    }
    let has_choice = |channel: usize| numbers(channel).count() > 1;
    channels.filter(|channel| format.channel_bits(*channel) > 0).all(has_choice).then(|| {
        always_holds("every channel of this probe has a choice, so it cannot tell one from another")
    })
}

/// Message about a number that this channel cannot hold.
fn unreachable(format: Format, channel: usize, number: Number) -> Option<String> {
    let (width, name, color) = (format.channel_bits(channel), format.name(), CHANNELS[channel]);
    let text = scalar::notation(number);
    if width == 0 {
        let constant = u8::from(channel == 3);
        let is_it =
            number.to_f64().is_some_and(|value| value.total_cmp(&f64::from(constant)).is_eq());
        let is_it = is_it || number == Number::Bits(constant.into());
        return (!is_it).then(|| format!("`{name}` has no {color}, which reads {constant}"));
    }
    let bits = 1_i128 << width;
    let range = match format.encoding() {
        Encoding::Uint => 0..=bits - 1,
        Encoding::Sint => -bits / 2..=bits / 2 - 1,
        Encoding::Unorm | Encoding::UnormSrgb => return outside(number, 0.0, name),
        Encoding::Snorm => return outside(number, -1.0, name),
        Encoding::Float => return unreachable_float(format, channel, number),
    };
    let is_there = match number {
        Number::Integer(value) => range.contains(&value),
        Number::Bits(pattern) => i128::from(pattern) < bits,
        // Another check reports that integers are required.
        Number::Real(_) => true,
    };
    let (low, high) = range.into_inner();
    (!is_there).then(|| format!("`{text}` is never in `{name}`, whose {color} is {low} to {high}"))
}

fn outside(number: Number, low: f32, name: &str) -> Option<String> {
    let is_inside = single(number).is_ok_and(|value| (low..=1.0).contains(&value));
    let text = scalar::notation(number);
    (!is_inside).then(|| format!("`{text}` is never in `{name}`, which holds {low} to 1"))
}

fn unreachable_float(format: Format, channel: usize, number: Number) -> Option<String> {
    let (width, name) = (format.channel_bits(channel), format.name());
    let value = match number {
        Number::Bits(pattern) => {
            let is_pattern = pattern >> width == 0;
            let text = scalar::notation(number);
            return (!is_pattern)
                .then(|| format!("`{text}` has more than the {width} bits of `{name}`"));
        }
        Number::Integer(_) | Number::Real(_) => {
            number.to_f64().filter(|value| value.is_finite())?
        }
    };
    let mut stored = [0; 4];
    stored[channel] = format.encode_real(channel, value);
    let held = format.decode(&format.pack(stored)).values[channel];
    let is_held = matches!(held, ChannelValue::Float(held) if held.is_finite());
    let is_signed = width >= 16 || value >= 0.0;
    let text = scalar::notation(number);
    (!is_held || !is_signed)
        .then(|| format!("`{text}` is never in `{name}`: it is beyond its range"))
}

/// True if every value that the channel can hold matches one of the rules.
fn is_always_kept(format: Format, channel: usize, rules: &[ChannelRule], wide: Wide) -> bool {
    let width = format.channel_bits(channel);
    if width == 0 {
        return false;
    }
    if format.encoding() == Encoding::Float {
        return match wide {
            Wide::AsTheNumber => rules.iter().any(|rule| is_too_wide(format, channel, rule)),
            Wide::AsTheType => {
                largest_floats(width).iter().all(|bits| keeps(format, channel, rules, *bits))
            }
        };
    }
    if let [ChannelRule::IntegerNear { .. }] = rules {
        let ends = [0, u32::MAX >> (32 - width), 1 << (width - 1), (1 << (width - 1)) - 1];
        return ends.into_iter().all(|bits| keeps(format, channel, rules, bits));
    }
    width <= 16 && (0..=u32::MAX >> (32 - width)).all(|bits| keeps(format, channel, rules, bits))
}

/// Bits of the largest finite floats of this width, of both signs if it has signs; infinity for an unknown width.
const fn largest_floats(width: u32) -> [u32; 2] {
    match width {
        10 => [0x3df, 0],
        11 => [0x7bf, 0],
        16 => [0x7bff, 0xfbff],
        32 => [f32::MAX.to_bits(), f32::MIN.to_bits()],
        _ => [f32::INFINITY.to_bits(), f32::NEG_INFINITY.to_bits()],
    }
}

/// True if one of the rules accepts these bits of a channel.
fn keeps(format: Format, channel: usize, rules: &[ChannelRule], bits: u32) -> bool {
    let mut stored = [0; 4];
    stored[channel] = bits;
    let texel = format.decode(&format.pack(stored));
    rules.iter().any(|rule| rule.accepts(channel, &texel))
}

/// True if the tolerance is at least the expected float's magnitude and at least 1, so that 0 matches as well. For a
/// tolerance in units in the last place, true if both 0 and 1 match.
fn is_too_wide(format: Format, channel: usize, rule: &ChannelRule) -> bool {
    match *rule {
        ChannelRule::Near { expected, tolerance } => is_wide(expected.into(), tolerance.into()),
        ChannelRule::Ulp { .. } => {
            let one = format.encode_real(channel, 1.0);
            [0, one].into_iter().all(|bits| keeps(format, channel, &[*rule], bits))
        }
        ChannelRule::Byte { .. }
        | ChannelRule::Nan
        | ChannelRule::Bits(_)
        | ChannelRule::Integer(_)
        | ChannelRule::IntegerNear { .. } => false,
    }
}

fn is_wide(expected: f64, tolerance: f64) -> bool {
    expected.is_finite() && (!tolerance.is_finite() || tolerance >= expected.abs().max(1.0))
}

/// Message about a depth probe that can never hold, or always does.
pub(crate) fn mistake_of_depth(expected: Number, tolerance: Tolerance) -> Option<Mistake> {
    let text = scalar::notation(expected);
    let Some(depth) = expected.to_f64().filter(|depth| (0.0..=1.0).contains(depth)) else {
        return Some(never_holds(format!("`{text}` is never a depth, which is 0 to 1")));
    };
    match tolerance {
        Tolerance::Absolute([limit, ..]) => (limit >= depth.max(1.0 - depth))
            .then(|| always_holds("this probe is right whatever is there")),
        Tolerance::Ulp(_) => None,
    }
}

/// Message about a stencil probe that can never hold.
pub(crate) fn mistake_of_stencil(expected: Number) -> Option<Mistake> {
    let text = scalar::notation(expected);
    let is_there = expected.to_f64().is_some_and(|value| (0.0..=255.0).contains(&value));
    (!is_there)
        .then(|| never_holds(format!("`{text}` is never a stencil value, which is 0 to 255")))
}

/// Message about a golden of a target of `format` that always matches.
pub(crate) fn mistake_of_golden(rule: GoldenRule, format: Format) -> Option<Mistake> {
    let widest = (0..format.channel_count()).map(|channel| format.channel_bits(channel)).max();
    let steps = widest.map_or(u32::MAX, |bits| u32::MAX >> (32 - bits));
    match rule {
        GoldenRule::Tolerance(tolerance) if tolerance >= steps => {
            let name = format.name();
            let message =
                format!("a tolerance of {tolerance} steps is all of `{name}`, so any image fits");
            Some(always_holds(message))
        }
        GoldenRule::Tolerance(_) | GoldenRule::Exact | GoldenRule::Flip(_) => None,
    }
}

/// Message about a buffer probe that can never hold, or always does.
pub(crate) fn mistake_of_buffer(
    probe: &BufferProbe,
    tolerance: Tolerance,
    wide: Wide,
) -> Option<Mistake> {
    let leaves = probe.ty.leaves();
    let kinds =
        leaves.iter().flat_map(|leaf| (0..leaf.size).map(|component| (leaf.scalar, component)));
    let kinds: Vec<_> = kinds.collect();
    let values = probe.expected.iter().zip(kinds.into_iter().cycle());
    let mut truths = values.map(|(number, (kind, component))| {
        let limit = match tolerance {
            Tolerance::Absolute(limits) => limits[usize::from(component).min(3)],
            Tolerance::Ulp(_) => 0.0,
        };
        (scalar::notation(*number), certain(kind, probe.comparison, *number, Near { limit, wide }))
    });
    truths.find_map(|(text, certain)| {
        let message =
            |which| format!("a comparison with `{text}` that holds for {which} value of its type");
        Some(if certain? { always_holds(message("every")) } else { never_holds(message("no")) })
    })
}

/// A tolerance, and the condition under which it is too wide.
#[derive(Clone, Copy)]
struct Near {
    limit: f64,
    wide: Wide,
}

/// `Some(true)` if the comparison holds for every value of the kind, `Some(false)` if it holds for none.
fn certain(kind: ScalarKind, comparison: Comparison, number: Number, near: Near) -> Option<bool> {
    let is_pattern = matches!(number, Number::Bits(_));
    if is_pattern && matches!(comparison, Comparison::Equal | Comparison::NotEqual) {
        return None;
    }
    let (low, high) = match kind {
        ScalarKind::F32 => {
            return certain_float(comparison, number.to_f64()?, near, f32::MAX.into());
        }
        ScalarKind::F64 => return certain_float(comparison, number.to_f64()?, near, f64::MAX),
        ScalarKind::Bool => (0, 1),
        ScalarKind::U32 => (0, i128::from(u32::MAX)),
        ScalarKind::I32 => (i128::from(i32::MIN), i128::from(i32::MAX)),
        ScalarKind::U64 => (0, i128::from(u64::MAX)),
        ScalarKind::I64 => (i128::from(i64::MIN), i128::from(i64::MAX)),
    };
    let value = match number {
        Number::Integer(value) => value,
        Number::Bits(_) | Number::Real(_) => return None,
    };
    match comparison {
        Comparison::Equal | Comparison::NotEqual => None,
        Comparison::Less => never(value <= low).or(always(value > high)),
        Comparison::LessOrEqual => always(value >= high).or(never(value < low)),
        Comparison::Greater => never(value >= high).or(always(value < low)),
        Comparison::GreaterOrEqual => always(value <= low).or(never(value > high)),
        Comparison::Near => {
            let distance = |end: i128| Number::Integer((end - value).abs()).to_f64();
            always(distance(low)? <= near.limit && distance(high)? <= near.limit)
        }
    }
}

/// Like [`certain`], for a float of a type whose largest number is `most`.
fn certain_float(comparison: Comparison, value: f64, near: Near, most: f64) -> Option<bool> {
    match comparison {
        Comparison::NotEqual => always(value.is_nan()),
        Comparison::Equal
        | Comparison::Less
        | Comparison::LessOrEqual
        | Comparison::Greater
        | Comparison::GreaterOrEqual => never(
            value.is_nan()
                || comparison == Comparison::Less && value == f64::NEG_INFINITY
                || comparison == Comparison::Greater && value == f64::INFINITY,
        ),
        Comparison::Near => always(match near.wide {
            Wide::AsTheNumber => is_wide(value, near.limit),
            Wide::AsTheType => near.limit >= most + value.abs(),
        }),
    }
}

fn always(is_so: bool) -> Option<bool> {
    is_so.then_some(true)
}

fn never(is_so: bool) -> Option<bool> {
    is_so.then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The widest channel counts: 2^32 - 1 steps span all of a 32-bit channel, one step fewer does not.
    #[test]
    fn a_golden_may_not_allow_every_step_of_its_widest_channel() {
        let is_mistake = |format: &str, steps: u32| {
            let format = Format::from_name(format).expect("the test names a format");
            mistake_of_golden(GoldenRule::Tolerance(steps), format).is_some()
        };
        assert!(is_mistake("r8unorm", 255));
        assert!(!is_mistake("r8unorm", 254));
        assert!(is_mistake("rgb10a2unorm", 1023));
        assert!(!is_mistake("rgb10a2unorm", 1022));
        assert!(is_mistake("r32uint", u32::MAX));
        assert!(!is_mistake("r32uint", u32::MAX - 1));
    }

    /// Patterns of eight bits end at 0xff.
    #[test]
    fn a_pattern_must_fit_its_channel() {
        let format = Format::from_name("rgba8uint").expect("it is a format");
        assert_eq!(unreachable(format, 0, Number::Bits(0xff)), None);
        assert!(unreachable(format, 0, Number::Bits(0x100)).is_some());
    }

    #[test]
    fn a_pattern_of_more_than_32_bits_is_no_stencil_value() {
        assert!(mistake_of_stencil(Number::Bits(1 << 32)).is_some());
        assert!(mistake_of_stencil(Number::Integer(256)).is_some());
        assert_eq!(mistake_of_stencil(Number::Integer(255)), None);
    }
}
