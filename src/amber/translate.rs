//! Translates a script to a case: its shaders become sections, and its commands become steps.
//!
//! Every buffer and image has a number ([`script_point`]), by which steps bind and probe it; the sets and bindings of
//! shaders are points. Row 0 of an image is at y = −1 in Vulkan's clip space, which is interstage's lowest row, so
//! nothing is flipped.

mod command;
mod expect;
mod file;
mod fixed_state;
mod format;
mod framebuffer;
mod program;
mod requirement;
mod resource;
#[cfg(test)]
mod tests;
mod vertices;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use case::bind::script_point;
use case::parse::{CaseError, Files, ParsedCase};
use case::{Case, Dialect, Expectation, ReadExpectation, Step, vacuous};
use ir::diagnostic::Diagnostic;
use ir::source::{Source, Span, Spanned};

use crate::syntax::command::Command;
use crate::syntax::{BufferId, PipelineId, Script};
use crate::{is_vkscript, parse_amber, parse_vkscript};

use framebuffer::Framebuffers;
use program::Programs;

/// Result of translating part of a script.
type Translated<T> = Result<T, CaseError>;

/// Reads a script and translates it to a case.
pub fn read(name: String, source: Arc<Source>, files: &dyn Files) -> ParsedCase {
    let result =
        unchecked(&name, &source, files).and_then(|case| check_expectations(&case).map(|()| case));
    ParsedCase { name, source, result }
}

/// Reads a script, without checking that it expects something.
fn unchecked(name: &str, source: &Arc<Source>, files: &dyn Files) -> Translated<Case> {
    let text = source.text();
    let script = if is_vkscript(text) {
        parse_vkscript(text)
    } else if text.starts_with("#!amber") {
        parse_amber(text)
    } else {
        Err(broken(
            Span::new(0, 0),
            "a script begins with `#!amber`, or with a section of VkScript",
        ))
    };
    let (script, files) = script.and_then(|script| file::supplied(script, files))?;
    Ok(Case { files, ..translate(name, source, &script)? })
}

fn translate(name: &str, source: &Arc<Source>, script: &Script) -> Translated<Case> {
    let mut case = Case::empty(name.to_owned(), Arc::clone(source), Dialect::Vulkan);
    case.render_targets.clear();
    case.script_buffers = script.buffers.iter().map(|buffer| buffer.name.clone()).collect();
    requirement::translate(&script.requirements, &mut case)?;
    let used = used_pipelines(script);
    if used.is_empty() && script.commands.is_empty() {
        return Err(broken(Span::new(0, 0), "the script has no commands"));
    }
    let programs = Programs::of(script, source.text(), &used)?;
    let framebuffers = Framebuffers::of(script, &used, &mut case)?;
    let mut translator = Translator {
        script,
        case,
        programs,
        framebuffers,
        contents: BTreeMap::new(),
        made: BTreeSet::new(),
        current: Current::default(),
        clear: BTreeMap::new(),
        kept: BTreeMap::new(),
        copied: BTreeMap::new(),
        moved: BTreeSet::new(),
        place: Span::new(0, 0),
    };
    translator.make_resources(&used)?;
    translator.commands(&script.commands)?;
    let Translator { mut case, programs, .. } = translator;
    programs.finish(&mut case);
    Ok(case)
}

/// Checks that the script can fail. A script without any expectation is valid for Amber and `VkRunner`, so it is
/// unsupported.
fn check_expectations(case: &Case) -> Translated<()> {
    let expects = |step: &Step| match step.expectation() {
        Some(Expectation::Read(ReadExpectation::Kept(_))) | None => false,
        Some(_) => true,
    };
    if !case.steps.iter().any(|step| expects(&step.value)) {
        return Err(unsupported(Span::new(0, 0), "a script that expects nothing"));
    }
    match vacuous::of_script(case) {
        found if found.is_empty() => Ok(()),
        found => Err(CaseError::Broken(found)),
    }
}

/// State of the translation.
struct Translator<'a> {
    script: &'a Script,
    case: Case,
    programs: Programs,
    framebuffers: Framebuffers,
    /// Bytes of the buffers that only the script writes, by number.
    contents: BTreeMap<usize, Arc<[u8]>>,
    /// Storage buffers and textures that steps have created.
    made: BTreeSet<usize>,
    current: Current,
    /// Clear values of the pipelines.
    clear: BTreeMap<PipelineId, framebuffer::ClearValues>,
    /// For the destination of each copy, the step that kept the content.
    kept: BTreeMap<BufferId, usize>,
    /// For the destination of each copy, the source.
    copied: BTreeMap<BufferId, BufferId>,
    /// Positions of the expectations about copies that were checked at the copy.
    moved: BTreeSet<usize>,
    /// Position of the current command.
    place: Span,
}

/// The selections of the last steps.
#[derive(Default)]
struct Current {
    program: Option<usize>,
    pipeline: Option<PipelineId>,
    framebuffer: Option<Vec<BufferId>>,
    /// True if the case's depth buffer is combined with the textures that are drawn to.
    has_depth: bool,
}

impl Translator<'_> {
    fn push(&mut self, step: impl Into<Step>) -> Translated<()> {
        if self.case.steps.len() >= case::limits::MAX_STEPS {
            let most = case::limits::MAX_STEPS;
            return Err(broken(self.place, format!("the script has more than {most} steps")));
        }
        self.case.steps.push(Spanned::new(step.into(), self.place));
        Ok(())
    }

    /// Number of a buffer.
    fn point(buffer: BufferId) -> u32 {
        script_point(buffer.0)
    }
}

/// Pipelines that commands use, in the order of their first use; if none is used, all.
fn used_pipelines(script: &Script) -> Vec<PipelineId> {
    let mut used = Vec::new();
    collect(&script.commands, &mut used);
    if used.is_empty() {
        used.extend((0..script.pipelines.len()).map(PipelineId));
    }
    used
}

fn collect(commands: &[Spanned<Command>], used: &mut Vec<PipelineId>) {
    for command in commands {
        let pipeline = match &command.value {
            Command::Run { pipeline, .. } | Command::Clear(pipeline) => *pipeline,
            Command::Repeat { commands, .. } => {
                collect(commands, used);
                continue;
            }
            Command::ClearColor { .. }
            | Command::ClearDepth { .. }
            | Command::ClearStencil { .. }
            | Command::Copy { .. }
            | Command::Expect(_)
            | Command::Write { .. } => continue,
        };
        if !used.contains(&pipeline) {
            used.push(pipeline);
        }
    }
}

/// True if the pipeline draws or dispatches, and does not only clear.
fn is_run(script: &Script, pipeline: PipelineId) -> bool {
    fn any(commands: &[Spanned<Command>], wanted: PipelineId) -> bool {
        commands.iter().any(|command| match &command.value {
            Command::Run { pipeline, .. } => *pipeline == wanted,
            Command::Repeat { commands, .. } => any(commands, wanted),
            Command::Clear(_)
            | Command::ClearColor { .. }
            | Command::ClearDepth { .. }
            | Command::ClearStencil { .. }
            | Command::Copy { .. }
            | Command::Expect(_)
            | Command::Write { .. } => false,
        })
    }
    any(&script.commands, pipeline)
}

fn broken(span: Span, message: impl Into<String>) -> CaseError {
    CaseError::Broken(vec![Diagnostic::error(span, message.into())])
}

fn unsupported(span: Span, word: impl Into<String>) -> CaseError {
    CaseError::Unsupported { word: word.into(), span }
}
