//! Checks stages as a whole: their languages, and the built-in outputs that they must write or redeclare.

use naga::BuiltIn;

use ir::diagnostic::Diagnostic;
use ir::options::PerVertexRule;
use ir::source::Span;
use ir::stage_module::{LanguageRules, RedeclaredBlock, StageModule};

use crate::{LinkError, LinkOptions};

/// Checks the rules for a vertex stage with or without a fragment stage.
pub(crate) fn check_vertex(vertex: &StageModule, options: &LinkOptions) -> Result<(), LinkError> {
    check_position(vertex, options)?;
    check_per_vertex(vertex, options)
}

/// Checks that a program before GLSL 1.40 writes a position. Programs of later versions link without it, and their
/// drawn results are undefined.
fn check_position(vertex: &StageModule, options: &LinkOptions) -> Result<(), LinkError> {
    let LanguageRules::Glsl { version: ..140, is_es: false } = vertex.rules else { return Ok(()) };
    if options.rules.newest_version >= 140 {
        return Ok(());
    }
    let is_it = |builtin: BuiltIn| matches!(builtin, BuiltIn::Position { .. });
    if vertex.builtins.iter().any(|builtin| is_it(builtin.builtin)) {
        return Ok(());
    }
    let message = "the vertex stage does not write `gl_Position`";
    Err(LinkError::Refused(vec![Diagnostic::error(None, message)]))
}

/// Checks that a separable program redeclares `gl_PerVertex` to use a member of it (GLSL 4.60 section 7.1), if its
/// version has blocks (`ARB_separate_shader_objects`, issue 28).
pub(crate) fn check_per_vertex(
    vertex: &StageModule,
    options: &LinkOptions,
) -> Result<(), LinkError> {
    let has_rule = has_blocks(vertex) || options.rules.newest_version >= 150;
    match (&vertex.unredeclared_member, options.rules.per_vertex) {
        (Some((name, span)), PerVertexRule::Redeclared) if has_rule => {
            Err(LinkError::Refused(vec![Diagnostic::error(*span, unredeclared(name))]))
        }
        (Some(_) | None, PerVertexRule::Free | PerVertexRule::Redeclared) => Ok(()),
    }
}

/// True if the stage's version has interface blocks.
const fn has_blocks(stage: &StageModule) -> bool {
    matches!(stage.rules, LanguageRules::Glsl { version: 150.., is_es: false })
}

/// Checks that both of two stages redeclare the `gl_PerVertex` between them in the same way, or that no stage that uses
/// it redeclares it (GLSL 4.60 section 7.1). Also checks that a tessellation or geometry stage that is a separate
/// program redeclares both of its blocks if it uses them.
pub(crate) fn check_redeclarations(
    producer: &StageModule,
    consumer: &StageModule,
    options: &LinkOptions,
) -> Result<(), LinkError> {
    let (given, taken) = (&producer.per_vertex, &consumer.per_vertex);
    let (before, after) = (producer.stage.name(), consumer.stage.name());
    let is_apart = options.labels.is_separable;
    let found = match (&given.output, &taken.input, options.rules.per_vertex) {
        (_, _, PerVertexRule::Redeclared) if is_apart && has_blocks(consumer) => {
            own_redeclarations(consumer)
        }
        _ if is_apart => None,
        (Some(out), Some(input), _) if out.members != input.members => {
            let message = format!("`gl_PerVertex` is redeclared differently in the {before} stage");
            Some(Diagnostic::error(input.span, message))
        }
        (Some(out), None, _) if out.is_used => taken.unredeclared_input.map(|span| {
            let message = format!(
                "`gl_in` is used without the redeclaration of `gl_PerVertex` that the {before} stage has"
            );
            Diagnostic::error(span, message)
        }),
        (None, Some(input), _) if input.is_used => {
            unredeclared_output(producer, input).map(|(name, span)| {
                let message = format!(
                    "`{name}` is used without the redeclaration of `gl_PerVertex` that the {after} stage has"
                );
                Diagnostic::error(span, message)
            })
        }
        (Some(_) | None, Some(_) | None, _) => None,
    };
    match (found, &given.output, &taken.input) {
        (Some(error), _, _) => Err(LinkError::Refused(vec![error])),
        (None, Some(out), Some(input)) if !out.names().eq(input.names()) => {
            // GL leaves the values that cross undefined.
            let word = "`gl_PerVertex` with other members in the next separable stage".to_owned();
            Err(LinkError::Unsupported { word, span: Some(input.span) })
        }
        (None, _, _) => Ok(()),
    }
}

/// The output block, or a member, that the stage uses without redeclaring it. As in Mesa, a control stage always uses
/// `gl_out`. If no code does, the position is that of the block in the next stage.
fn unredeclared_output(stage: &StageModule, next: &RedeclaredBlock) -> Option<(String, Span)> {
    let always = stage.control().map(|_| ("gl_out".to_owned(), next.span));
    stage.unredeclared_member.clone().or(always)
}

/// The error for a block that a tessellation or geometry stage uses and does not redeclare.
fn own_redeclarations(stage: &StageModule) -> Option<Diagnostic> {
    let input = stage.per_vertex.unredeclared_input.map(|span| ("gl_in".to_owned(), span));
    let (name, span) = input.or_else(|| stage.per_vertex.unredeclared_output.clone())?;
    let message = unredeclared(&name);
    Some(Diagnostic::error(span, message))
}

fn unredeclared(name: &str) -> String {
    format!(
        "`{name}` is used without a redeclaration of `gl_PerVertex`, which a separable program needs"
    )
}
