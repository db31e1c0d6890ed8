//! GLSL replacements for the fixed-function stages that GL uses if a program of an old version lacks a stage.

use ir::interface::Variable;
use ir::stage::ShaderStage;
use ir::stage_module::{LanguageRules, StageModule};

/// Number of texture coordinates of the compatibility profile.
const TEXTURE_COORDINATES: usize = 8;

/// The vertex stage for `fragment`: it outputs the transformed position, and the current vertex attributes that
/// `fragment` reads.
pub fn vertex(fragment: &StageModule) -> Option<StageModule> {
    let mut text = String::from("void main() {\ngl_Position = ftransform();\n");
    let mut copy = |read: &str, statement: &str| {
        if fragment.inputs.iter().any(|input| input.is_used && input.name == read) {
            text.push_str(statement);
            text.push('\n');
        }
    };
    copy("gl_Color", "gl_FrontColor = gl_Color;");
    copy("gl_SecondaryColor", "gl_FrontSecondaryColor = gl_SecondaryColor;");
    copy("gl_FogFragCoord", "gl_FogFragCoord = gl_FogCoord;");
    for idx in 0..TEXTURE_COORDINATES {
        let product = format!("gl_TextureMatrix[{idx}] * gl_MultiTexCoord{idx}");
        let element = format!("gl_TexCoord[{idx}]");
        copy(&element, &format!("{element} = {product};"));
    }
    text.push('}');
    let stage = compile(&text, ShaderStage::Vertex)?;
    Some(StageModule { rules: LanguageRules::FixedFunction, ..stage })
}

/// The fragment stage after `producer`, in versions where it is optional, and in the compatibility profile, where the
/// producer may write a colour. It outputs this colour.
pub fn fragment(producer: &StageModule) -> Option<StageModule> {
    let is_colour = |output: &Variable| output.name == "gl_FrontColor" && output.is_used;
    let writes_colour = producer.outputs.iter().any(is_colour);
    match producer.rules {
        LanguageRules::Glsl { version, is_es: false } if version < 140 || writes_colour => {
            compile("void main() { gl_FragColor = gl_Color; }", ShaderStage::Fragment)
        }
        LanguageRules::Glsl { .. }
        | LanguageRules::Wgsl
        | LanguageRules::Spirv
        | LanguageRules::FixedFunction
        | LanguageRules::Vulkan => None,
    }
}

/// Compiles a generated stage, without positions in the case's text.
fn compile(text: &str, stage: ShaderStage) -> Option<StageModule> {
    let unit = crate::parse(text, 0, &crate::ParseOptions::default()).ok()?;
    let mut module = crate::compile(&[unit], stage, &crate::Hints::default()).ok()?;
    for variable in module.inputs.iter_mut().chain(&mut module.outputs) {
        variable.span = None;
    }
    for uniform in &mut module.uniforms {
        uniform.span = None;
    }
    Some(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(variables: &[ir::interface::Variable]) -> String {
        variables.iter().map(|variable| &*variable.name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_vertex_stage_writes_what_the_fragment_stage_reads() {
        let text = "void main() { gl_FragColor = gl_Color + gl_TexCoord[1]; }";
        let reader = compile(text, ShaderStage::Fragment).expect("the text is right");
        let stage = vertex(&reader).expect("it compiles");
        assert_eq!(names(&stage.inputs), "gl_Vertex gl_Color gl_MultiTexCoord0 gl_MultiTexCoord1");
        assert_eq!(names(&stage.outputs), "gl_FrontColor gl_TexCoord[0] gl_TexCoord[1]");
    }

    #[test]
    fn only_the_compatibility_profile_has_a_fragment_stage() {
        let has = |version: &str, body: &str| {
            let text =
                format!("#version {version}\nvoid main() {{ gl_Position = vec4(0.0); {body} }}");
            let producer = compile(&text, ShaderStage::Vertex).expect("the text is right");
            fragment(&producer).is_some()
        };
        assert_eq!([has("130", ""), has("140", ""), has("100", "")], [true, false, false]);
        assert!(has("150 compatibility", "gl_FrontColor = vec4(1.0);"));
    }
}
