//! Detects lines of `[link]` that have no effect, or cannot fail, in a case.

use std::collections::BTreeSet;

use super::Subject;
use crate::linking::{MapExpectation, OutputExpectation, SlotExpectation, VaryingExpectation};
use crate::state::StateChange;
use crate::state::output::OutputChange;
use crate::{Case, Language, LinkExpectation, ProfileChoice, Setting, UsedStages};
use ir::diagnostic::Diagnostic;
use ir::options::PackMode;
use ir::profile::Profile;
use ir::source::Spanned;

/// Reports lines that hold for every program under these settings, and settings without effect.
pub(super) fn search(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let case = subject.case;
    let lines = case.link.expectations.iter().filter_map(|line| {
        let (message, help) =
            mistake_of_pair(case, &line.value).or_else(|| mistake(case, &line.value))?;
        Some(Diagnostic::error(line.span, message).with_help(help))
    });
    let labels = labels(subject);
    settings(subject).into_iter().chain(labels).chain(lines).collect()
}

/// Settings that another one makes ineffective.
fn settings(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let case = subject.case;
    let mut found = Vec::new();
    let packing = case.link.packing;
    let is_unpacked = matches!(packing.mode, PackMode::Off | PackMode::Inside);
    let without_effect = [
        (case.link.is_separable, "pack", PACKED_APART),
        (case.link.is_separable, "optimise", PACKED_APART),
        (case.link.is_separable, "share", PACKED_APART),
        (case.link.is_separable, "fallback", PACKED_APART),
        (case.link.is_separable, "native", PACKED_APART),
        (is_unpacked, "fallback", "`pack off` and `pack inside` never fall back"),
    ];
    for (_, setting, why) in without_effect.into_iter().filter(|(is_there, _, _)| *is_there) {
        if let Some(span) = (subject.setting)(setting) {
            let message = format!("`{setting}` has no effect here");
            found.push(Diagnostic::error(span, message).with_help(why));
        }
    }
    let is_spirv = |language: Language| language == Language::SpirvAssembly;
    if let (Some(span), false) = (
        (subject.setting)("debug_names"),
        case.shaders.iter().any(|shader| is_spirv(shader.language)),
    ) {
        let error = Diagnostic::error(span, "`debug_names` has no effect here");
        found.push(error.with_help("only SPIR-V modules have debug names"));
    }
    found
}

/// Label limits that exceed the profile's, or that concern stages that the case lacks.
fn labels(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let case = subject.case;
    let mut found = Vec::new();
    let profiles = match case.link.profile {
        Some(ProfileChoice::One(profile)) => vec![profile],
        Some(ProfileChoice::All) => Profile::ALL.iter().map(|(_, profile)| *profile).collect(),
        None => vec![Profile::Webgpu],
    };
    let most = profiles.into_iter().map(Profile::nameable_labels).max().unwrap_or(0);
    for (stage, limit) in case.link.generics.present() {
        let setting = format!("generics {}", stage.word());
        let Some(span) = (subject.setting)(&setting) else { continue };
        if *limit > most {
            let error = Diagnostic::error(span, format!("there are only {most} labels here"));
            found.push(error.with_help("`profile software` takes more"));
        }
        if !case.shaders.iter().any(|shader| shader.stage == stage) {
            let message = format!("`{setting}` has no effect here");
            let help = format!("the case has no {} stage", stage.name());
            found.push(Diagnostic::error(span, message).with_help(help));
        }
    }
    found
}

/// Message about an expectation for one pair that cannot hold, or cannot fail.
fn mistake_of_pair(case: &Case, line: &LinkExpectation) -> Option<(String, &'static str)> {
    if matches!(line, LinkExpectation::Map(MapExpectation::Alone(_))) {
        let help = "put it below `pair VERTEX FRAGMENT`";
        return Some(("`alone` is about one pair".to_owned(), help));
    }
    let LinkExpectation::OfPair { pair, line } = line else { return None };
    let uses = |setting: Spanned<&Setting>| {
        let Setting::Use(stages) = setting.value else { return None };
        Some(stages.clone())
    };
    let used: BTreeSet<UsedStages> = case.settings().filter_map(uses).collect();
    if !used.contains(pair) {
        let help = "a line `use` of `[test]` with the same names links the pair";
        return Some((format!("no step uses the pair `{pair}`"), help));
    }
    (used.len() < 2 && matches!(line, MapExpectation::Alone(_))).then(|| {
        let help = "`use` another pair, too";
        ("the pair is alone: there is nothing to compare with".to_owned(), help)
    })
}

/// Reason why packing has no effect between separable stages.
const PACKED_APART: &str =
    "varyings of `separable` stages are not packed: each has labels of its own";

fn mistake(case: &Case, line: &LinkExpectation) -> Option<(String, &'static str)> {
    match line {
        LinkExpectation::Counter { .. } => mistake_of_label(case),
        LinkExpectation::Map(line) | LinkExpectation::OfPair { line, .. } => match line {
            MapExpectation::Slots(SlotExpectation::Mismatch(_)) if !case.link.is_separable => {
                let help = "in a program that is linked as a whole this is a link error";
                Some(("only inputs of `separable` stages are undefined".to_owned(), help))
            }
            MapExpectation::Varyings(line) => mistake_of_varyings(case, line),
            MapExpectation::Output(line) => mistake_of_output(case, line),
            MapExpectation::Slots(_) | MapExpectation::Alone(_) => None,
        },
        LinkExpectation::OfSeam { .. }
        | LinkExpectation::Block(_)
        | LinkExpectation::Pipelines(_)
        | LinkExpectation::Error(_) => None,
    }
}

/// Message about an expectation for labels in a case without labels.
fn mistake_of_label(case: &Case) -> Option<(String, &'static str)> {
    (!has_labels(case)).then(|| {
        let help =
            "labels come with `separable`, `semantic`, `linkage`, or a profile other than `webgpu`";
        ("nothing has a label here that could get a location".to_owned(), help)
    })
}

/// Message about an expectation for transform feedback in a case without captures.
fn mistake_of_capture(case: &Case) -> Option<(String, &'static str)> {
    (!captures(case)).then(|| {
        let help = "captures are those of `[capture]`, or of the shader's `xfb_…`";
        ("nothing is captured".to_owned(), help)
    })
}

fn mistake_of_varyings(case: &Case, line: &VaryingExpectation) -> Option<(String, &'static str)> {
    match line {
        VaryingExpectation::Layout(_) | VaryingExpectation::Register { .. } => {
            mistake_of_label(case)
        }
        VaryingExpectation::XfbChunks { .. } => mistake_of_capture(case),
        VaryingExpectation::Steps(_) if case.link.is_separable => {
            Some(("nothing is packed here".to_owned(), PACKED_APART))
        }
        VaryingExpectation::Steps(steps) if steps.is_empty() && !has_fallback(case) => {
            let help = "the packer takes no steps with `fallback off`, `pack off` or `pack inside`";
            Some(("`steps none` holds for every program here".to_owned(), help))
        }
        VaryingExpectation::Steps(_) | VaryingExpectation::Removed { .. } => None,
    }
}

fn mistake_of_output(case: &Case, line: &OutputExpectation) -> Option<(String, &'static str)> {
    match line {
        OutputExpectation::Fragment { buffer, .. } if !has_draw_buffer(case, *buffer) => {
            let help = "declare it in `[render targets]`, or name it in `drawbuffers`";
            Some((format!("there is no draw buffer {buffer}"), help))
        }
        OutputExpectation::XfbStride { .. } => mistake_of_capture(case),
        OutputExpectation::Distances(_) if !has_text(case, &["clip", "cull"]) => {
            Some(("no stage names a distance".to_owned(), "it holds for every such program"))
        }
        OutputExpectation::Fragment { .. }
        | OutputExpectation::Distances(_)
        | OutputExpectation::TwoSided(_) => None,
    }
}

/// True if slots are labels under the profile that the expectations are written for.
fn has_labels(case: &Case) -> bool {
    let is_webgpu = match case.link.profile {
        Some(ProfileChoice::One(profile)) => profile == Profile::Webgpu,
        Some(ProfileChoice::All) | None => true,
    };
    let has_table = !case.link.linkage.is_empty();
    case.link.is_separable || !case.link.semantics.is_empty() || has_table || !is_webgpu
}

/// True if the case has this draw buffer, or one with a higher index.
fn has_draw_buffer(case: &Case, buffer: u32) -> bool {
    let names = |change: &StateChange| {
        let StateChange::Output(OutputChange::DrawBuffers(map)) = change else { return false };
        map.len() > usize::try_from(buffer).unwrap_or(usize::MAX)
    };
    case.render_targets.iter().any(|target| target.index >= buffer)
        || case.state_changes().any(names)
        || case.draws_to_textures()
}

/// True if the text of a stage contains one of these words, ignoring case, or if a stage is a binary file.
fn has_text(case: &Case, words: &[&str]) -> bool {
    case.shaders.iter().any(|shader| {
        let text = case.source.slice(shader.text).to_lowercase();
        shader.file.is_some() || words.iter().any(|word| text.contains(word))
    })
}

fn captures(case: &Case) -> bool {
    case.capture.is_some()
        || has_text(case, &["xfb"])
        || case.shaders.iter().any(|shader| shader.language == Language::SpirvAssembly)
}

fn has_fallback(case: &Case) -> bool {
    let packing = case.link.packing;
    let is_packed = match packing.mode {
        PackMode::On | PackMode::Scalar | PackMode::Dense => true,
        PackMode::Off | PackMode::Inside => false,
    };
    packing.has_fallback && is_packed
}
