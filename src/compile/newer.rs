//! What newer GLSL has in place of a name that it lacks.

use ir::diagnostic::Diagnostic;

/// Adds the replacement to the message that a version lacks an old name, if newer versions have one.
pub(crate) fn with_replacement(lacking: Diagnostic) -> Diagnostic {
    let name = lacking.message.strip_prefix('`').and_then(|rest| rest.split('`').next());
    let is_lacking = lacking.message.contains("not available in this version");
    match name.filter(|_| is_lacking).and_then(replacement) {
        Some(help) if lacking.help.is_none() => lacking.with_help(help),
        Some(_) | None => lacking,
    }
}

fn replacement(name: &str) -> Option<String> {
    let help = match name {
        "attribute" | "varying" => "inputs are declared with `in`, outputs with `out`",
        "gl_FragColor" => "declare an output: `out vec4 color;`",
        "gl_FragData" => {
            "declare an output for each render target: `layout(location = 1) out vec4 second;`"
        }
        _ => return lookup(name).map(|new| format!("use `{new}`")),
    };
    Some(help.to_owned())
}

/// The name without the type of the sampler: `textureProjLod` for `texture2DProjLod` and `shadow2DProjLod`.
fn lookup(name: &str) -> Option<String> {
    let rest = name.strip_prefix("texture").or_else(|| name.strip_prefix("shadow"))?;
    let types = ["1D", "2DRect", "2D", "3D", "Cube"];
    let kind = types.iter().find_map(|ty| rest.strip_prefix(ty))?;
    ["", "Lod", "Proj", "ProjLod"].contains(&kind).then(|| format!("texture{kind}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(message: &str, help: Option<&str>) {
        let found = with_replacement(Diagnostic::error(None, message)).help;
        assert_eq!(found.as_deref(), help, "{message}");
    }

    #[test]
    fn old_names_have_replacements() {
        let lacks = |name| format!("`{name}` is not available in this version");
        check(&lacks("gl_FragColor"), Some("declare an output: `out vec4 color;`"));
        check(&lacks("texture2DProjLod"), Some("use `textureProjLod`"));
        check(&lacks("shadow1D"), Some("use `texture`"));
        check(&lacks("textureCubeLod"), Some("use `textureLod`"));
        check(&lacks("fma"), None);
        check(&lacks("texture2DProjOffset"), None);
        check("`gl_FragColor` cannot be redeclared", None);
        check(
            "`attribute` and `varying` are not available in this version",
            Some("inputs are declared with `in`, outputs with `out`"),
        );
    }
}
