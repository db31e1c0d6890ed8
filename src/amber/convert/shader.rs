//! Shader sections with OpenGL's conventions.

use case::{Case, Language, ShaderSource};
use ir::stage::ShaderStage;

use super::{Written, unsupported};

/// Names in a shader whose value differs with OpenGL's conventions, or that only Vulkan has.
const OTHERWISE: [&str; 9] = [
    "FrontFacing",
    "PointCoord",
    "FragDepth",
    "SamplePosition",
    "VertexIndex",
    "InstanceIndex",
    "PushConstant",
    "push_constant",
    "constant_id",
];

/// Writes the section of one shader.
pub(super) fn section(case: &Case, shader: &ShaderSource) -> Written<String> {
    let refuse = |word: &str| Err(unsupported(shader.header, word));
    let stage = shader.stage.name();
    if shader.stage.properties().family.is_some() {
        let mut families: Vec<_> =
            ShaderStage::ALL.iter().filter_map(|stage| stage.properties().family).collect();
        families.dedup();
        return refuse(&format!("{} shaders", families.join(" and ")));
    }
    if shader.language == Language::Passthrough {
        return Ok(format!("[{stage} shader passthrough]\n\n"));
    }
    if shader.stage == ShaderStage::Vertex {
        // Depths of clip space go from 0 to 1 in Vulkan and from −1 to 1 in OpenGL.
        return refuse("a vertex shader other than PASSTHROUGH");
    }
    if shader.file.is_some() {
        return refuse("a shader in a file of its own");
    }
    let text = text_of(case, shader);
    if let Some(word) = OTHERWISE.iter().find(|word| text.contains(**word)) {
        return refuse(&format!("`{word}`"));
    }
    let (suffix, text) = match shader.language {
        Language::SpirvAssembly => (" spirv", spirv(text)),
        Language::Glsl => ("", glsl(text)),
        Language::Wgsl | Language::Passthrough => return refuse("WGSL"),
    };
    let text = if text.trim().is_empty() { return refuse("a shader without text") } else { text };
    let entry = shader.entry.as_ref();
    let entry = entry.map(|name| format!("entry = \"{}\"\n", name.value)).unwrap_or_default();
    Ok(format!("[{stage} shader{suffix}]\n{entry}{}\n\n", text.trim_matches('\n').trim_end()))
}

/// The shader's text in the script.
pub(super) fn text_of<'a>(case: &'a Case, shader: &ShaderSource) -> &'a str {
    case.source.text().get(std::ops::Range::from(shader.text)).unwrap_or("")
}

/// True if the shader's text has a binding of this number: `Binding 3` of SPIR-V, `binding = 3` of GLSL.
pub(super) fn has_binding(case: &Case, shader: &ShaderSource, binding: u32) -> bool {
    let text = text_of(case, shader);
    let mut words =
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut is_next = false;
    words.any(|word| {
        let is_number = is_next && word.parse() == Ok(binding);
        is_next = word == "Binding" || word == "binding";
        is_number
    })
}

/// Converts SPIR-V. Row 0 is the lowest row of a case and the first row of a script, so window coordinates count from
/// it in both.
fn spirv(text: &str) -> String {
    text.replace("OriginUpperLeft", "OriginLowerLeft")
}

/// Converts GLSL. OpenGL's GLSL has no sets, and uses the layout `std430` only if it is declared. A line that starts
/// with `[` would start a section.
fn glsl(text: &str) -> String {
    let is_head = |line: &str| line.starts_with("#version") || line.starts_with("#extension");
    let head = text.lines().enumerate().filter(|(_, line)| is_head(line)).last();
    let below = head.map_or(0, |(idx, _)| idx + 1);
    let mut written = String::new();
    for (idx, line) in text.lines().enumerate() {
        if idx == below && text.contains("buffer") {
            written += "layout(std430) buffer;\n";
        }
        let line = without_set(line);
        if line.starts_with('[') {
            written.push(' ');
        }
        written += &line;
        written.push('\n');
    }
    written
}

/// The line without the qualifier of set 0.
fn without_set(line: &str) -> String {
    let mut line = line.to_owned();
    while let Some((from, to)) = set_qualifier(&line) {
        line.replace_range(from..to, "");
    }
    line
}

/// The position of `set = 0` in a list of qualifiers, including the comma that goes with it.
fn set_qualifier(line: &str) -> Option<(usize, usize)> {
    let at = line.match_indices("set").map(|(at, _)| at).find(|at| {
        line[..*at].trim_end().ends_with(['(', ',']) && line[at + 3..].trim_start().starts_with('=')
    })?;
    let value = at + line[at..].find('=')? + 1;
    let rest = line[value..].trim_start();
    let behind = rest.strip_prefix('0')?;
    let end = line.len() - behind.len();
    let trimmed = behind.trim_start();
    if let Some(next) = trimmed.strip_prefix(',') {
        return Some((at, line.len() - next.trim_start().len()));
    }
    let before = line[..at].trim_end();
    let is_last = trimmed.starts_with(')') && before.ends_with(',');
    is_last.then(|| (before.len() - 1, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_qualifier_of_set_0_goes_with_its_comma() {
        let check = |line: &str, expected: &str| assert_eq!(without_set(line), expected);
        check("layout(set = 0, binding = 1) uniform U {", "layout(binding = 1) uniform U {");
        check("layout(binding=1,set=0) buffer B {", "layout(binding=1) buffer B {");
        check(
            "layout( std430, set=0 , binding=2) buffer B {",
            "layout( std430, binding=2) buffer B {",
        );
        // Variables and other sets are kept.
        check("int offset = 0; set = 0;", "int offset = 0; set = 0;");
        check(
            "layout(set = 1, binding = 0) uniform U {",
            "layout(set = 1, binding = 0) uniform U {",
        );
        check(
            "layout(set = 01, binding = 0) uniform U {",
            "layout(set = 01, binding = 0) uniform U {",
        );
    }

    #[test]
    fn buffers_are_laid_out_below_the_extensions() {
        let text = "#version 450\n#extension E : require\nbuffer B { uint b; };\n[x\n";
        let expected = "#version 450\n#extension E : require\nlayout(std430) buffer;\nbuffer B { uint b; };\n [x\n";
        assert_eq!(glsl(text), expected);
        assert_eq!(glsl("#version 450\nvoid main() {}\n"), "#version 450\nvoid main() {}\n");
    }
}
