//! Detects unused stages, and cases whose stages cannot form a program.

use std::collections::BTreeSet;

use super::Subject;
use crate::{Case, ProgramExpectation, Setting, ShaderSource, UsedStages};
use ir::diagnostic::Diagnostic;
use ir::stage::{Execution, ShaderStage};

/// Reports `link success` in a case without stages.
pub(super) fn nothing_to_link(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let case = subject.case;
    let lines = case.program_expectations().filter(|_| case.shaders.is_empty());
    let is_success =
        |expectation: &ProgramExpectation| matches!(expectation, ProgramExpectation::LinkSuccess);
    let lines = lines.filter(|line| is_success(line.value));
    let message = "there is no stage that could be linked";
    lines.map(|line| Diagnostic::error(line.span, message)).collect()
}

/// Reports stage objects that no `use` names; without `use`, those after the first of their stage. A `separable` vertex
/// or fragment stage may be present only for the names of its varyings, which determine the labels of all stages.
pub(super) fn unused(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let case = subject.case;
    let has_objects = case.shaders.iter().any(|shader| shader.name.is_some());
    let is_outer = |shader: &ShaderSource| shader.stage.properties().runs_as != Execution::Compute;
    let has_names = |shader: &ShaderSource| case.link.is_separable && is_outer(shader);
    let used: Vec<&UsedStages> = case
        .settings()
        .filter_map(
            |setting| {
                if let Setting::Use(stages) = setting.value { Some(stages) } else { None }
            },
        )
        .collect();
    let first = firsts(case);
    let is_used = |(idx, shader): &(usize, &ShaderSource)| {
        if used.is_empty() {
            first.contains(idx)
        } else {
            used.iter().any(|use_| names(use_, shader))
        }
    };
    let unused = case
        .shaders
        .iter()
        .enumerate()
        .filter(|one| has_objects && !has_names(one.1) && !is_used(one));
    let report = |(_, shader): (usize, &ShaderSource)| {
        let message = format!("`{}` is never used", case.source.slice(shader.header));
        let help = if used.is_empty() {
            "without `use` the first stage of each kind is linked"
        } else {
            "no `use` names it"
        };
        Diagnostic::error(shader.header, message).with_help(help)
    };
    unused.map(report).collect()
}

/// The first stage of each kind.
fn firsts(case: &Case) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut is_first = |shader: &ShaderSource| seen.insert(shader.stage);
    let sections = case.shaders.iter().enumerate();
    sections.filter(|(_, shader)| is_first(shader)).map(|(idx, _)| idx).collect()
}

/// True if the `use` names this stage.
fn names(used: &UsedStages, shader: &ShaderSource) -> bool {
    // A compute stage is the only stage, and no `use` names it.
    let is_only = shader.stage == ShaderStage::Compute;
    is_only || shader.name.is_some() && used.names()[shader.stage] == shader.name
}
