//! Checks the invariance of built-in variables of two stages: in ES 1.00 a variable that is invariant in the fragment
//! stage must be invariant in the vertex stage.

use ir::diagnostic::Diagnostic;
use ir::stage_module::{LanguageRules, StageModule};

/// Built-in inputs of the fragment stage, with the outputs of the vertex stage that they come from (GLSL ES 1.00
/// section 4.6.4).
const PAIRS: [(&str, &str); 2] =
    [("gl_FragCoord", "gl_Position"), ("gl_PointCoord", "gl_PointSize")];

/// Reports every built-in variable that is invariant in the fragment stage only.
pub(crate) fn check_builtins(
    vertex: &StageModule,
    fragment: &StageModule,
) -> Result<(), Vec<Diagnostic>> {
    let LanguageRules::Glsl { is_es: true, version: ..300 } = fragment.rules else {
        return Ok(());
    };
    let is_invariant =
        |name: &str| vertex.invariant_builtins.iter().any(|(known, _)| known == name);
    let mut errors = Vec::new();
    for (name, span) in &fragment.invariant_builtins {
        if let Some((_, source)) = PAIRS.iter().find(|(read, _)| read == name)
            && !is_invariant(source)
        {
            let message = format!("`{name}` is invariant but `{source}` is not");
            errors.push(Diagnostic::error(*span, message));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
