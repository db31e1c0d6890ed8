//! Cases with wrong expectations about pixels, depths, buffers and goldens.

use std::collections::BTreeMap;

use interstage::case::depth_stencil::DepthAspect;
use interstage::case::{
    BufferProbe, Case, Comparison, ContentComparison, ContentRule, CountProbe, DepthProbe, Probe,
    ReadExpectation,
};
use interstage::ir::format::{Encoding, Format};
use interstage::ir::interface::ScalarKind;
use interstage::ir::scalar::Number;

/// Makes each expectation about a readback wrong.
pub(crate) fn mutants(case: &Case) -> impl Iterator<Item = (String, Case)> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut all = Vec::new();
    for (idx, step) in case.steps.iter().enumerate() {
        let Some(expectation) = step.value.reading() else { continue };
        let wrong = wrong(expectation, case);
        let count = seen.entry(class_of(expectation)).or_default();
        // The first probe of a class in all ways, each later one in the next way.
        let turn = *count;
        *count += 1;
        let ways = wrong.len().max(1);
        let picked =
            wrong.into_iter().enumerate().filter(|(way, _)| turn == 0 || turn % ways == *way);
        all.extend(picked.map(|(_, wrong)| (idx, wrong)));
    }
    all.into_iter().map(|(idx, wrong)| {
        let mut mutant = case.clone();
        mutant.steps[idx].value = wrong.into();
        (case.source.slice(case.steps[idx].span).trim().to_owned(), mutant)
    })
}

/// Target and kind of an expectation.
fn class_of(expectation: &ReadExpectation) -> String {
    match expectation {
        ReadExpectation::Probe(Probe { target, sample, region, channels, .. }) => {
            let region = format!("{region:?}");
            let region = region.split('(').next().unwrap_or_default();
            format!("probe {target} {sample:?} {region} {channels}")
        }
        ReadExpectation::Buffer(BufferProbe { binding, ty, comparison, .. }) => {
            format!("buffer {binding} {ty} {comparison:?}")
        }
        ReadExpectation::Depth(DepthProbe { aspect, .. }) => format!("{aspect:?}"),
        ReadExpectation::Alike(comparison) => format!("{comparison:?}"),
        ReadExpectation::XfbCount(probe) => format!("{:?}", probe.query),
        ReadExpectation::Golden(golden) => format!("golden {}", golden.name),
        ReadExpectation::Kept(_) | ReadExpectation::Oracle(_) => String::new(),
    }
}

/// Every wrong variant of an expectation.
fn wrong(expectation: &ReadExpectation, case: &Case) -> Vec<ReadExpectation> {
    match expectation {
        ReadExpectation::Probe(probe) => {
            let all = 0..usize::from(probe.channels);
            all.map(|channel| ReadExpectation::Probe(wrong_probe(probe, channel, case))).collect()
        }
        ReadExpectation::Buffer(probe) => {
            wrong_buffers(probe).into_iter().map(ReadExpectation::Buffer).collect()
        }
        ReadExpectation::Depth(probe) => vec![ReadExpectation::Depth(wrong_depth(*probe))],
        ReadExpectation::Alike(comparison) => {
            wrong_comparison(*comparison).into_iter().map(ReadExpectation::Alike).collect()
        }
        ReadExpectation::XfbCount(CountProbe { query, expected }) => {
            vec![ReadExpectation::XfbCount(CountProbe { query: *query, expected: expected + 1 })]
        }
        // The golden itself is inverted.
        ReadExpectation::Golden(_) => vec![expectation.clone()],
        // These have no number that could be wrong.
        ReadExpectation::Kept(_) | ReadExpectation::Oracle(_) => Vec::new(),
    }
}

/// The comparison with a distance below all distances. An equality has no number that could be wrong.
fn wrong_comparison(comparison: ContentComparison) -> Option<ContentComparison> {
    let rule = match comparison.rule {
        ContentRule::Equal => return None,
        ContentRule::RootMeanSquare(_) => ContentRule::RootMeanSquare(-1.0),
        ContentRule::HistogramDistance(_) => ContentRule::HistogramDistance(-1.0),
    };
    Some(ContentComparison { rule, ..comparison })
}

fn wrong_depth(probe: DepthProbe) -> DepthProbe {
    let expected = match probe.aspect {
        DepthAspect::Depth => {
            let is_near = probe.expected.to_f64().is_some_and(|depth| depth < 0.5);
            Number::Integer(i128::from(is_near))
        }
        DepthAspect::Stencil => other_integer(probe.expected),
    };
    DepthProbe { expected, ..probe }
}

/// The probe with a wrong number in one channel, and no alternatives there.
fn wrong_probe(probe: &Probe, channel: usize, case: &Case) -> Probe {
    let mut probe = probe.clone();
    let target = case.render_targets.iter().find(|target| target.index == probe.target);
    let format = target.map_or(Format::RGBA8_UNORM, |target| target.format);
    let has_choice = probe.alternatives.iter().any(|(at, _)| *at == channel);
    probe.alternatives.retain(|(at, _)| *at != channel);
    let number = probe.expected[channel];
    probe.expected[channel] = match format.encoding() {
        // No case uses this number.
        _ if has_choice => Number::Integer(77),
        Encoding::Sint | Encoding::Uint => other_integer(number),
        Encoding::Float | Encoding::Unorm | Encoding::UnormSrgb | Encoding::Snorm => match number {
            Number::Bits(bits) if format.encoding() == Encoding::Float => {
                Number::Bits(bits ^ 0x100)
            }
            Number::Bits(_) | Number::Integer(_) | Number::Real(_) => {
                other_float(number.to_f64().unwrap_or(f64::NAN))
            }
        },
    };
    probe
}

fn other_float(value: f64) -> Number {
    Number::Real(if value.is_nan() || value.abs() < 0.25 { 0.5 } else { 0.0 })
}

fn other_integer(number: Number) -> Number {
    match number {
        Number::Integer(value) => Number::Integer(if value > 0 { value - 1 } else { value + 1 }),
        Number::Bits(bits) => Number::Bits(bits ^ 1),
        Number::Real(_) => Number::Integer(1),
    }
}

/// The probe inverted as a whole, and with a wrong number in each place.
fn wrong_buffers(probe: &BufferProbe) -> Vec<BufferProbe> {
    let comparison = match probe.comparison {
        Comparison::Equal => Comparison::NotEqual,
        Comparison::NotEqual => Comparison::Equal,
        Comparison::Less => Comparison::GreaterOrEqual,
        Comparison::LessOrEqual => Comparison::Greater,
        Comparison::Greater => Comparison::LessOrEqual,
        Comparison::GreaterOrEqual => Comparison::Less,
        Comparison::Near => Comparison::Near,
    };
    let scalars = probe.ty.leaves().into_iter();
    let kinds = scalars.flat_map(|leaf| (0..leaf.size).map(move |_| leaf.scalar));
    let kinds: Vec<ScalarKind> = kinds.collect();
    let other = |idx: usize| {
        let mut probe = probe.clone();
        let (number, kind) = (probe.expected[idx], kinds[idx % kinds.len()]);
        probe.expected[idx] = wrong_number(probe.comparison, number, kind)?;
        Some(probe)
    };
    let turned = BufferProbe { comparison, ..probe.clone() };
    let turned = (comparison != probe.comparison).then_some(turned);
    turned.into_iter().chain((0..probe.expected.len()).filter_map(other)).collect()
}

/// A number for which the comparison fails; `None` if that depends on the value read back.
fn wrong_number(comparison: Comparison, number: Number, kind: ScalarKind) -> Option<Number> {
    let is_float = matches!(kind, ScalarKind::F32 | ScalarKind::F64);
    match comparison {
        Comparison::Equal | Comparison::Near => Some(match number {
            Number::Bits(bits) if comparison == Comparison::Equal => Number::Bits(bits ^ 1),
            Number::Integer(value) if !is_float => {
                let is_high = value >= 0x4000_0000;
                Number::Integer(if is_high { value - 0x1000_0000 } else { value + 0x1000_0000 })
            }
            Number::Bits(bits) => Number::Bits(bits ^ 0x4000_0000),
            Number::Integer(_) | Number::Real(_) => {
                let value = number.to_f64().unwrap_or(f64::NAN);
                // Scripts may have tolerances of more than one.
                let distance = if comparison == Comparison::Near { 1e6 } else { 1.0 };
                Number::Real(if value.is_finite() { value + value.abs() + distance } else { 7.0 })
            }
        }),
        Comparison::Less | Comparison::LessOrEqual if is_float => {
            Some(Number::Real(f64::NEG_INFINITY))
        }
        Comparison::Greater | Comparison::GreaterOrEqual if is_float => {
            Some(Number::Real(f64::INFINITY))
        }
        Comparison::NotEqual
        | Comparison::Less
        | Comparison::LessOrEqual
        | Comparison::Greater
        | Comparison::GreaterOrEqual => None,
    }
}
