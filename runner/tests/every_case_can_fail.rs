//! No case passes for nothing: every single expectation of every case, once it is made wrong, fails.
//!
//! Of a file with parameters the first and the last combination are taken.

mod common;
#[path = "common/sharing.rs"]
mod sharing;

use std::path::Path;

use interstage::case::query::Answer;
use interstage::case::{
    BufferProbe, Case, ColorChooser, Comparison, Expectation, LinkExpectation, Number, PackStep,
    Probe, RemovalReason, Step,
};
use interstage::compare::Goldens;
use interstage::format::{Format, FormatClass};
use interstage::gpu::Gpu;
use interstage::run_case;
use interstage::verdict::Verdict;
use interstage_runner::{case_file, golden};

#[test]
fn every_wrong_expectation_fails() {
    let checked =
        sharing::sum_of_all(&sharing::first_adapter(), &common::case_files(), |path, gpu| {
            check_file(path, gpu)
        });
    assert!(checked > 100, "only {checked} expectations were tried");
}

fn check_file(path: &Path, gpu: &Gpu) -> usize {
    let path = path.to_str().expect("case paths are plain text");
    let cases = case_file::load(path).expect("a readable case");
    let last = cases.len().saturating_sub(1);
    let picked = cases.into_iter().enumerate().filter(|(idx, _)| *idx == 0 || *idx == last);
    picked.filter_map(|(_, parsed)| parsed.result.ok()).map(|case| check_case(&case, gpu)).sum()
}

fn check_case(case: &Case, gpu: &Gpu) -> usize {
    let goldens = golden::load(case);
    if run_case(case, Some(gpu), &goldens).verdict != Verdict::Pass {
        return 0;
    }
    let mutants = link_mutants(case).chain(step_mutants(case));
    let mut count = 0;
    for (what, mutant) in mutants {
        let goldens = if what.starts_with("golden") { inverted(&goldens) } else { goldens.clone() };
        let verdict = run_case(&mutant, Some(gpu), &goldens).verdict;
        assert!(
            matches!(verdict, Verdict::Fail(_)),
            "{}: {what} made wrong gives {verdict:?}",
            case.name
        );
        count += 1;
    }
    count
}

fn link_mutants(case: &Case) -> impl Iterator<Item = (String, Case)> {
    (0..case.link.expectations.len()).map(|idx| {
        let mut mutant = case.clone();
        let expectation = &mut mutant.link.expectations[idx];
        let what = case.source.slice(expectation.span).to_owned();
        match &mut expectation.value {
            LinkExpectation::Slots(count) => *count += 1,
            LinkExpectation::Placement { chunks, .. } => chunks[0].slot += 1,
            LinkExpectation::Block { facts, .. } => facts[0].1 += 1,
            LinkExpectation::Member { facts, .. } => facts[0].1 += 1,
            LinkExpectation::Unused(name)
            | LinkExpectation::Error(name)
            | LinkExpectation::Output { text: name, .. }
            | LinkExpectation::Distances(name)
            | LinkExpectation::Captured { text: name, .. }
            | LinkExpectation::Layout(name)
            | LinkExpectation::Mismatch(name)
            | LinkExpectation::Carrier { text: name, .. } => name.push('~'),
            LinkExpectation::CaptureStride { bytes, .. } => *bytes += 4,
            LinkExpectation::Removed { reason, .. } => {
                *reason = match reason {
                    RemovalReason::Dead => RemovalReason::Constant,
                    RemovalReason::Constant => RemovalReason::Uniform,
                    RemovalReason::Uniform => RemovalReason::Duplicate,
                    RemovalReason::Duplicate => RemovalReason::Dead,
                };
            }
            LinkExpectation::Register { location: value, .. }
            | LinkExpectation::Pipelines(value)
            | LinkExpectation::Counter { value, .. } => *value += 1,
            LinkExpectation::TwoSided(chooser) => {
                *chooser = match chooser {
                    ColorChooser::Hardware => ColorChooser::Fragment,
                    ColorChooser::Fragment => ColorChooser::Hardware,
                };
            }
            LinkExpectation::Steps(steps) => match steps.pop() {
                Some(_) => {}
                None => steps.push(PackStep::Dense),
            },
        }
        (what, mutant)
    })
}

fn step_mutants(case: &Case) -> impl Iterator<Item = (String, Case)> {
    let is_expectation = |idx: &usize| matches!(case.steps[*idx].value, Step::Expect(_));
    (0..case.steps.len()).filter(is_expectation).map(|idx| {
        let mut mutant = case.clone();
        let what = case.source.slice(case.steps[idx].span).trim().to_owned();
        if let Step::Expect(expectation) = &mut mutant.steps[idx].value {
            make_wrong(expectation, case);
        }
        (what, mutant)
    })
}

fn make_wrong(expectation: &mut Expectation, case: &Case) {
    match expectation {
        Expectation::LinkSuccess => *expectation = Expectation::LinkError,
        Expectation::LinkError => *expectation = Expectation::LinkSuccess,
        Expectation::Probe(probe) => make_probe_wrong(probe, case),
        Expectation::Depth(probe) => {
            let is_near = probe.expected.to_f64().is_some_and(|depth| depth < 0.5);
            probe.expected = Number::Integer(i128::from(is_near));
        }
        Expectation::Buffer(probe) => make_buffer_wrong(probe),
        Expectation::Query(query) => match &mut query.expected {
            Answer::Numbers(numbers) => numbers.iter_mut().for_each(|number| *number += 1),
            Answer::Text(text) => text.push('x'),
        },
        Expectation::CapturedVaryings(count)
        | Expectation::CaptureCount { expected: count, .. } => *count += 1,
        // The golden itself is inverted instead.
        Expectation::Golden(_) => {}
    }
}

fn make_probe_wrong(probe: &mut Probe, case: &Case) {
    if !std::mem::take(&mut probe.alternatives).is_empty() {
        // No case has this number.
        probe.expected[0] = Number::Integer(77);
        return;
    }
    let target = case.render_targets.iter().find(|target| target.index == probe.target);
    let class = target.map_or(Format::RGBA8_UNORM, |target| target.format).class();
    probe.expected[0] = match (class, probe.expected[0]) {
        (FormatClass::Float, Number::Integer(value)) => {
            Number::Real(if value == 0 { 0.5 } else { 0.0 })
        }
        (FormatClass::Float, Number::Real(value)) => {
            Number::Real(if value.is_nan() || value.abs() < 0.25 { 0.5 } else { 0.0 })
        }
        (FormatClass::Sint | FormatClass::Uint, Number::Integer(value)) => {
            Number::Integer(if value > 0 { value - 1 } else { value + 1 })
        }
        (FormatClass::Sint | FormatClass::Uint, Number::Real(_)) => Number::Integer(1),
        (_, Number::Bits(bits)) => Number::Bits(bits ^ 0x1000),
    };
}

fn make_buffer_wrong(probe: &mut BufferProbe) {
    probe.comparison = match probe.comparison {
        Comparison::Equal => Comparison::NotEqual,
        Comparison::NotEqual => Comparison::Equal,
        Comparison::Less => Comparison::GreaterOrEqual,
        Comparison::LessOrEqual => Comparison::Greater,
        Comparison::Greater => Comparison::LessOrEqual,
        Comparison::GreaterOrEqual => Comparison::Less,
        Comparison::Near => {
            probe.expected[0] = Number::Real(1e30);
            Comparison::Near
        }
    };
}

fn inverted(goldens: &Goldens) -> Goldens {
    let mut goldens = goldens.clone();
    for image in goldens.images.values_mut().flatten() {
        image.bytes.iter_mut().for_each(|byte| *byte = !*byte);
    }
    goldens
}
