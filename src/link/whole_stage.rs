//! Link errors about stages as wholes: their languages, and the built-in outputs that they must write or redeclare.

use naga::BuiltIn;

use ir::diagnostic::Diagnostic;
use ir::options::PerVertexRule;
use ir::stage_module::{LanguageRules, StageModule};

use super::{LinkError, LinkOptions, language};

/// Checks all rules.
pub(super) fn check_pair(
    vertex: &StageModule,
    fragment: &StageModule,
    options: &LinkOptions,
) -> Result<(), LinkError> {
    language::check(vertex, fragment, &options.rules)?;
    check_position(vertex)?;
    check_per_vertex(vertex, fragment, options)
}

/// Checks that a program before GLSL 1.40 writes a position. Later ones link without it, and draw nothing that counts.
pub(super) fn check_position(vertex: &StageModule) -> Result<(), LinkError> {
    let LanguageRules::Glsl { version: ..140, is_es: false } = vertex.rules else { return Ok(()) };
    let is_it = |builtin: BuiltIn| matches!(builtin, BuiltIn::Position { .. });
    if vertex.builtins.iter().any(|builtin| is_it(builtin.builtin)) {
        return Ok(());
    }
    let message = "the vertex stage does not write `gl_Position`";
    Err(LinkError::Refused(vec![Diagnostic::error(None, message)]))
}

/// Checks that a separable program redeclares `gl_PerVertex` to use a member of it (GLSL 4.60 section 7.1), if its
/// version has blocks (`ARB_separate_shader_objects`, issue 28).
pub(super) fn check_per_vertex(
    vertex: &StageModule,
    fragment: &StageModule,
    options: &LinkOptions,
) -> Result<(), LinkError> {
    let has_blocks = |stage: &StageModule| {
        matches!(stage.rules, LanguageRules::Glsl { version: 150.., is_es: false })
    };
    // The version of a program is the highest of its stages.
    let has_rule = has_blocks(vertex) || !options.labels.is_separable && has_blocks(fragment);
    match (&vertex.unredeclared_member, options.rules.per_vertex) {
        (Some((name, span)), PerVertexRule::Redeclared) if has_rule => {
            let message = format!(
                "`{name}` is used without a redeclaration of `gl_PerVertex`, which a separable program needs"
            );
            Err(LinkError::Refused(vec![Diagnostic::error(*span, message)]))
        }
        (Some(_) | None, PerVertexRule::Free | PerVertexRule::Redeclared) => Ok(()),
    }
}
