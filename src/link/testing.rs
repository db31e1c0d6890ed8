//! A small notation for interfaces, for the tests of the linker: `flat ivec3 n; struct{float f; vec2 a[2];} s`. And
//! compiled stages.

use crate::Verdict;
use crate::case::parse::parse;
use crate::case::{Dialect, ShaderStage};
use crate::frontend::StageModule;
use crate::frontend::glsl::{self, Hints, ParseOptions};
use crate::link::interface::{Interpolation, Member, Sampling, StructType, Type, Variable};

/// The variables of a list separated by `;`. Panics when the notation is wrong.
pub(crate) fn variables(text: &str) -> Vec<Variable> {
    split_outside_braces(text).iter().map(|part| variable(part)).collect()
}

/// A compiled stage of GLSL. Panics when the text is wrong.
pub(crate) fn stage(stage: ShaderStage, text: &str) -> StageModule {
    let unit = glsl::parse(text, 0, &ParseOptions::default()).expect("the test's GLSL is right");
    glsl::compile(&[unit], stage, &Hints::default()).expect("the test's GLSL is right")
}

fn variable(text: &str) -> Variable {
    let mut rest = text.trim();
    let mut interpolation = Interpolation::Unqualified;
    let mut sampling = Sampling::Center;
    let mut location = None;
    loop {
        let word = rest.split_whitespace().next().expect("a type");
        match word {
            "smooth" => interpolation = Interpolation::Smooth,
            "flat" => interpolation = Interpolation::Flat,
            "noperspective" => interpolation = Interpolation::NoPerspective,
            "centroid" => sampling = Sampling::Centroid,
            "sample" => sampling = Sampling::Sample,
            _ if word.starts_with('@') => location = Some(word[1..].parse().expect("a location")),
            _ => break,
        }
        rest = rest[word.len()..].trim_start();
    }
    let (ty, name) = typed_name(rest);
    Variable { interpolation, sampling, location, ..Variable::new(name, ty) }
}

fn typed_name(text: &str) -> (Type, String) {
    let (base, name) = if let Some(body) = text.strip_prefix("struct{") {
        let (members, name) = body.rsplit_once('}').expect("a closing brace");
        let members = split_outside_braces(members)
            .iter()
            .map(|part| typed_name(part.trim()))
            .map(|(ty, name)| Member { name, ty })
            .collect();
        (Type::Struct(StructType { name: "S".into(), members }), name.trim())
    } else {
        let (ty, name) = text.split_once(' ').expect("a type and a name");
        (ty.parse().expect("a known type"), name.trim())
    };
    let mut dimensions = name.split('[');
    let name = dimensions.next().expect("a name");
    let sizes: Vec<u32> =
        dimensions.map(|size| size.trim_end_matches(']').parse().expect("an array size")).collect();
    (sizes.into_iter().rev().fold(base, Type::array), name.to_owned())
}

fn split_outside_braces(text: &str) -> Vec<String> {
    let mut depth = 0;
    let mut parts = vec![String::new()];
    for letter in text.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if letter == ';' && depth == 0 {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// The link map of a pair of GLSL stages, or the verdict that ended linking. `link` is the case's section. The stages
/// declare `interface` with `VARYING` for the direction; the vertex stage runs `vertex`, the fragment stage gives
/// `color`.
pub(crate) fn map_of_glsl(link: &str, interface: &str, vertex: &str, color: &str) -> String {
    let text = format!(
        "[require]\nGLSL >= 4.50\n\
         [vertex shader]\nin vec4 position;\nuniform vec4 u;\nuniform float k[2];\nuniform bool on;\n{}\n\
         void helper(out float target, float value) {{ target = value; }}\n\
         void main() {{ gl_Position = position;\n{vertex}\n}}\n\
         [fragment shader]\n{}\nout vec4 color;\nvec4 pass(vec4 value) {{ return value; }}\n\
         void main() {{ color = {color}; }}\n\
         [link]\n{link}\n[test]\nlink success\n",
        interface.replace("VARYING", "out"),
        interface.replace("VARYING", "in"),
    );
    map_of_case(&text)
}

/// The map of the case `text`, or what is wrong with it.
pub(crate) fn map_of_case(text: &str) -> String {
    let case = parse("a.shader_test", text.as_bytes(), Dialect::Interstage).remove(0);
    let case = case.result.expect("a right case");
    match crate::linked_program(&case, None) {
        Ok(program) => program.map.to_string(),
        Err(Verdict::Fail(failures)) => {
            let details = failures.iter().flat_map(|failure| &failure.details);
            details.flat_map(|line| [line.as_str(), "\n"]).collect()
        }
        Err(verdict) => format!("{verdict:?}"),
    }
}
