//! The parts of an interface, which are matched and cross separately: the variables of each vertex, and those of each
//! patch.

use crate::LinkError;
use crate::compute::geometry::built_in;
use ir::diagnostic::Diagnostic;
use ir::interface::Variable;
use ir::stage_module::StageModule;
use ir::tessellation::is_level;

/// True if the stage writes variables of patches.
pub(super) const fn has_patches(producer: &StageModule) -> bool {
    producer.stage.outputs().have_patches()
}

/// The variables for matching: what is not of this kind, and what crosses as a built-in, counts as unused, has no place,
/// and meets nothing.
pub(super) fn only(variables: &[Variable], is_patch: bool, side: &str) -> Vec<Variable> {
    let shown = |variable: &Variable| {
        if variable.is_patch == is_patch && !is_level(&variable.name) {
            return built_in::hidden(variable);
        }
        Variable {
            name: format!("other {side} {}", variable.name),
            location: None,
            component: None,
            is_used: false,
            is_statically_used: false,
            is_block_member: false,
            ..variable.clone()
        }
    };
    variables.iter().map(shown).collect()
}

/// Rejects a variable that is `patch` on one side only (C40).
///
/// # Errors
/// There is one.
pub(super) fn check_patches(
    producer: &StageModule,
    consumer: &StageModule,
) -> Result<(), LinkError> {
    let mut errors = Vec::new();
    for input in &consumer.inputs {
        let differs =
            |output: &&Variable| output.name == input.name && output.is_patch != input.is_patch;
        if let Some(output) = producer.outputs.iter().find(differs) {
            let [with, without] = if input.is_patch {
                [consumer.stage.name(), producer.stage.name()]
            } else {
                [producer.stage.name(), consumer.stage.name()]
            };
            let message = format!(
                "`{}` is `patch` in the {with} stage but not in the {without} stage",
                output.name
            );
            errors.push(Diagnostic::error(input.span, message));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(LinkError::Refused(errors)) }
}
