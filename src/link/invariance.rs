//! Invariance of built-in variables across stages. That of varyings is checked where they are paired.

use crate::diagnostic::Diagnostic;
use crate::frontend::StageModule;
use crate::frontend::stage_module::LanguageRules;
use crate::link::LinkError;

/// What the fragment stage reads, and what of the vertex stage it is made from.
const PAIRS: [(&str, &str); 2] =
    [("gl_FragCoord", "gl_Position"), ("gl_PointCoord", "gl_PointSize")];

/// In GLSL ES 1.00 (4.6.4) the built-in variables of the fragment stage can only be invariant when those are that they
/// are made from.
pub(super) fn check(vertex: &StageModule, fragment: &StageModule) -> Result<(), LinkError> {
    let LanguageRules::Glsl { version: 100, is_es: true } = fragment.rules else { return Ok(()) };
    let errors: Vec<Diagnostic> = PAIRS
        .iter()
        .filter(|(_, written)| vertex.invariant_builtins.iter().all(|(name, _)| name != written))
        .filter_map(|(read, written)| {
            let found = fragment.invariant_builtins.iter().find(|(name, _)| name == read);
            let message = format!(
                "`{read}` is invariant in the fragment stage, but `{written}` is not in the vertex stage"
            );
            found.map(|(_, span)| Diagnostic::error(*span, message))
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(LinkError::Refused(errors)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::ShaderStage;
    use crate::link::testing;

    #[track_caller]
    fn check_stages(version: &str, vertex: &str, fragment: &str, expected: Option<&str>) {
        let stage = |stage, text: &str| {
            let body = "void main() {}";
            testing::stage(stage, &format!("#version {version}\n{text}\n{body}"))
        };
        let vertex = stage(ShaderStage::Vertex, vertex);
        let fragment = stage(ShaderStage::Fragment, fragment);
        let message = match check(&vertex, &fragment) {
            Ok(()) => None,
            Err(LinkError::Refused(errors)) => Some(errors[0].message.clone()),
            Err(other) => panic!("{other}"),
        };
        assert_eq!(message.as_deref(), expected);
    }

    #[test]
    fn what_is_made_from_something_is_only_as_invariant() {
        let (point, window) = ("invariant gl_PointCoord;", "invariant gl_FragCoord;");
        let message = "`gl_PointCoord` is invariant in the fragment stage, but `gl_PointSize` is not in the vertex stage";
        check_stages("100", "", point, Some(message));
        check_stages("100", "invariant gl_Position;", point, Some(message));
        check_stages("100", "invariant gl_PointSize;", point, None);
        let message = "`gl_FragCoord` is invariant in the fragment stage, but `gl_Position` is not in the vertex stage";
        check_stages("100", "", window, Some(message));
        check_stages("100", "invariant gl_Position;", window, None);
        check_stages("100", "invariant gl_Position;", "", None);
        check_stages("120", "", point, None);
    }
}
