//! Cases with wrong requirements or wrong expectations about linking.

use interstage::case::linking::{
    BlockExpectation, MapExpectation, OutputExpectation, SlotExpectation, VaryingExpectation,
};
use interstage::case::query::Answer;
use interstage::case::{
    Case, Expectation, Likeness, LinkExpectation, ProgramExpectation, Requirement, Step,
};
use interstage::case::{DeviceRequirement, GlRequirement};
use interstage::device::Device;
use interstage::ir::backend::Backend;
use interstage::ir::options::{ColorChooser, PackStep, RemovalReason};
use interstage::ir::semantic::Semantic;
use interstage::ir::source::{Span, Spanned};

use super::expects_error;

/// A text that no message contains.
const NO_MESSAGE: &str = "no message has this text";

/// Features; every adapter lacks some of them.
const FEATURES: [&str; 6] = [
    "TEXTURE_COMPRESSION_ASTC_HDR",
    "TEXTURE_COMPRESSION_ETC2",
    "TEXTURE_COMPRESSION_BC",
    "TEXTURE_FORMAT_NV12",
    "SHADER_F64",
    "PIPELINE_STATISTICS_QUERY",
];

/// Changes each requirement to one that the adapter does not meet, and inverts each negation.
pub(crate) fn of_requirements(case: &Case, device: &Device) -> Vec<(String, Case)> {
    let mutant = |idx: usize| {
        let mut mutant = case.clone();
        let line = &mut mutant.requirements[idx];
        let what = case.source.slice(line.span).to_owned();
        is_unsatisfiable(&mut line.value, device).then_some((what, mutant))
    };
    (0..case.requirements.len()).filter_map(mutant).collect()
}

/// Makes the requirement unsatisfiable, if that is possible.
fn is_unsatisfiable(requirement: &mut Requirement, device: &Device) -> bool {
    match requirement {
        Requirement::Gl(GlRequirement::Version { version, .. }) => *version = 99,
        Requirement::Gl(GlRequirement::Glsl { version, .. }) => *version = 990,
        Requirement::Gl(GlRequirement::Limit { minimum, .. }) => *minimum = i64::from(u32::MAX),
        Requirement::Device(DeviceRequirement::Limit { minimum, .. }) => *minimum = u64::MAX,
        Requirement::Gl(GlRequirement::Extension { is_wanted, .. })
        | Requirement::Device(DeviceRequirement::Adapter { is_wanted, .. }) => {
            *is_wanted = !*is_wanted;
        }
        Requirement::Device(DeviceRequirement::Backend(backends)) => {
            let own = device.info().backend;
            *backends = Backend::ALL.into_iter().filter(|backend| *backend != own).collect();
        }
        Requirement::Device(DeviceRequirement::Feature(name)) => {
            let has = device.offer().features();
            let Some(other) = FEATURES.into_iter().find(|it| !has.contains(it)) else {
                return false;
            };
            other.clone_into(name);
        }
        // These only choose what is created; other tests cover adapters that lack it.
        Requirement::DepthBuffer | Requirement::Size(_) | Requirement::ClipDistances => {
            return false;
        }
    }
    true
}

/// Makes each expectation about linking wrong, including success instead of an error and an error instead of success.
pub(crate) fn of_linking(case: &Case) -> Vec<(String, Case)> {
    let mut mutants = Vec::new();
    for (idx, line) in case.link.expectations.iter().enumerate() {
        let what = case.source.slice(line.span).to_owned();
        let is_drawn = matches!(line.value, LinkExpectation::Pipelines(_));
        for wrong in wrong_lines(&line.value) {
            let mut mutant = if is_drawn { case.clone() } else { only_linked(case) };
            mutant.link.expectations[idx].value = wrong;
            mutants.push((what.clone(), mutant));
        }
    }
    for (idx, step) in case.steps.iter().enumerate() {
        let Step::Expect(Expectation::Program(expectation)) = &step.value else { continue };
        let what = case.source.slice(step.span).trim().to_owned();
        for wrong in wrong_expectations(expectation) {
            let mut mutant = case.clone();
            mutant.steps[idx].value = wrong.into();
            mutants.push((what.clone(), only_linked(&mutant)));
        }
    }
    mutants.push(other_outcome(case));
    mutants
}

/// The case without drawing and readback. Points stay, because they take a variable.
fn only_linked(case: &Case) -> Case {
    let mut linked = case.clone();
    if !case.rasterised_draws().any(|draw| draw.shape.is_of_points()) {
        linked.steps.retain(|step| !step.value.needs_gpu());
    }
    linked
}

/// Expects success instead of an error, and an error instead of success.
fn other_outcome(case: &Case) -> (String, Case) {
    let mut mutant = only_linked(case);
    let other = if expects_error(case) {
        let is_error = |line: &LinkExpectation| matches!(line, LinkExpectation::Error(_));
        mutant.link.expectations.retain(|line| !is_error(&line.value));
        mutant.steps.retain(|step| !matches!(step.value, Step::Expect(_)));
        ProgramExpectation::LinkSuccess
    } else if case.program_expectations().any(|line| line.value.is_of_compiling()) {
        ProgramExpectation::CompileError(None)
    } else {
        ProgramExpectation::LinkError(None)
    };
    mutant.steps.push(Spanned::new(other.into(), Span::new(0, 0)));
    ("the other outcome".to_owned(), mutant)
}

fn wrong_expectations(expectation: &ProgramExpectation) -> Vec<ProgramExpectation> {
    match expectation {
        ProgramExpectation::LinkSuccess => vec![ProgramExpectation::LinkError(None)],
        ProgramExpectation::CompileSuccess => vec![ProgramExpectation::CompileError(None)],
        ProgramExpectation::CompileOrLinkError => vec![ProgramExpectation::LinkSuccess],
        ProgramExpectation::LinkError(_) => {
            vec![ProgramExpectation::LinkError(Some(NO_MESSAGE.to_owned()))]
        }
        ProgramExpectation::CompileError(_) => {
            vec![ProgramExpectation::CompileError(Some(NO_MESSAGE.to_owned()))]
        }
        // Cases of this project do not have it.
        ProgramExpectation::XfbVaryings(count) => vec![ProgramExpectation::XfbVaryings(count + 1)],
        ProgramExpectation::Query(query) => {
            let with = |expected| {
                let mut query = query.clone();
                query.expected = expected;
                ProgramExpectation::Query(query)
            };
            match &query.expected {
                Answer::Text(text) => vec![with(Answer::Text(format!("{text}x")))],
                Answer::Numbers(numbers) => each(numbers, |number| *number += 1)
                    .map(|it| with(Answer::Numbers(it)))
                    .collect(),
            }
        }
    }
}

/// Returns a copy of `items` for each element, with that element changed.
fn each<T: Clone>(items: &[T], change: impl Fn(&mut T)) -> impl Iterator<Item = Vec<T>> {
    (0..items.len()).map(move |idx| {
        let mut items = items.to_vec();
        change(&mut items[idx]);
        items
    })
}

fn wrong_lines(line: &LinkExpectation) -> Vec<LinkExpectation> {
    match line {
        LinkExpectation::Map(line) => wrong_maps(line).map(LinkExpectation::Map).collect(),
        LinkExpectation::OfPair { pair, line } => wrong_maps(line)
            .map(|line| LinkExpectation::OfPair { pair: pair.clone(), line })
            .collect(),
        LinkExpectation::OfSeam { seam, line } => wrong_slots(line)
            .into_iter()
            .map(|line| LinkExpectation::OfSeam { seam: *seam, line })
            .collect(),
        LinkExpectation::Block(line) => {
            wrong_blocks(line).into_iter().map(LinkExpectation::Block).collect()
        }
        LinkExpectation::Counter { counter, value } => {
            vec![LinkExpectation::Counter { counter: *counter, value: value + 1 }]
        }
        LinkExpectation::Pipelines(number) => vec![LinkExpectation::Pipelines(number + 1)],
        LinkExpectation::Error(_) => vec![LinkExpectation::Error(NO_MESSAGE.to_owned())],
    }
}

fn wrong_maps(line: &MapExpectation) -> impl Iterator<Item = MapExpectation> {
    let wrong = match line {
        MapExpectation::Slots(line) => {
            wrong_slots(line).into_iter().map(MapExpectation::Slots).collect()
        }
        MapExpectation::Varyings(line) => {
            wrong_varyings(line).into_iter().map(MapExpectation::Varyings).collect()
        }
        MapExpectation::Output(line) => vec![MapExpectation::Output(wrong_output(line.clone()))],
        MapExpectation::Alone(Likeness::Same) => vec![MapExpectation::Alone(Likeness::Different)],
        MapExpectation::Alone(Likeness::Different) => vec![MapExpectation::Alone(Likeness::Same)],
    };
    wrong.into_iter()
}

fn wrong_blocks(line: &BlockExpectation) -> Vec<BlockExpectation> {
    match line {
        BlockExpectation::Whole { name, facts } => each(facts, |(_, number)| *number += 1)
            .map(|facts| BlockExpectation::Whole { name: name.clone(), facts })
            .collect(),
        BlockExpectation::Member { path, facts } => each(facts, |(_, number)| *number += 1)
            .map(|facts| BlockExpectation::Member { path: path.clone(), facts })
            .collect(),
    }
}

fn wrong_slots(line: &SlotExpectation) -> Vec<SlotExpectation> {
    match line {
        SlotExpectation::Placement { name, chunks } => each(chunks, |chunk| chunk.slot += 1)
            .map(|chunks| SlotExpectation::Placement { name: name.clone(), chunks })
            .collect(),
        SlotExpectation::Count(number) => vec![SlotExpectation::Count(number + 1)],
        SlotExpectation::Unused(name) => vec![SlotExpectation::Unused(format!("{name}~"))],
        SlotExpectation::Mismatch(name) => vec![SlotExpectation::Mismatch(format!("{name}~"))],
        SlotExpectation::Carrier { slot, text } => {
            vec![SlotExpectation::Carrier { slot: *slot, text: format!("{text}~") }]
        }
    }
}

fn wrong_varyings(line: &VaryingExpectation) -> Vec<VaryingExpectation> {
    match line {
        VaryingExpectation::Steps(steps) if steps.is_empty() => {
            vec![VaryingExpectation::Steps(vec![PackStep::Dense])]
        }
        VaryingExpectation::Steps(steps) => (0..steps.len())
            .map(|idx| {
                let mut steps = steps.clone();
                steps.remove(idx);
                VaryingExpectation::Steps(steps)
            })
            .collect(),
        VaryingExpectation::Removed { name, reason } => {
            let others = RemovalReason::ALL.into_iter().filter(|other| other != reason);
            others
                .map(|reason| VaryingExpectation::Removed { name: name.clone(), reason })
                .collect()
        }
        VaryingExpectation::Register { semantic, reader, location } => {
            let (semantic, reader) = (*semantic, *reader);
            let wrong =
                |reader, location| VaryingExpectation::Register { semantic, reader, location };
            let other = reader.map(|reader| Semantic { index: reader.index + 1, ..reader });
            let others = other.map(|other| wrong(Some(other), *location)).into_iter();
            others.chain([wrong(reader, location + 1)]).collect()
        }
        VaryingExpectation::XfbChunks { name, text } => {
            let (name, text) = (name.clone(), format!("{text}~"));
            vec![VaryingExpectation::XfbChunks { name, text }]
        }
        VaryingExpectation::Layout(text) => vec![VaryingExpectation::Layout(format!("{text}~"))],
    }
}

/// Makes one value of the line wrong.
fn wrong_output(mut line: OutputExpectation) -> OutputExpectation {
    match &mut line {
        OutputExpectation::XfbStride { bytes, .. } => *bytes += 4,
        OutputExpectation::Fragment { text, .. } | OutputExpectation::Distances(text) => {
            text.push('~');
        }
        OutputExpectation::TwoSided(chooser) => {
            *chooser = match chooser {
                ColorChooser::Hardware => ColorChooser::Fragment,
                ColorChooser::Fragment => ColorChooser::Hardware,
            };
        }
    }
    line
}
