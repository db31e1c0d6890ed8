//! Splits a script into sections.

use ir::source::Span;

use super::Reader;
use crate::read::text::at::At;
use crate::read::text::problem::{Parsed, Problem};
use crate::syntax::{Shader, ShaderKind, ShaderLanguage};

/// One section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    /// Kind of the section.
    pub(super) kind: SectionKind,
    /// The section's first line.
    pub(super) header: Span,
    /// The lines below the header.
    pub(super) body: Span,
    /// The words between the brackets.
    name: String,
}

/// Kind of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SectionKind {
    /// `[comment]`
    Comment,
    /// `[require]`
    Require,
    /// `[… shader]`
    Shader {
        /// The stage.
        stage: ShaderKind,
        /// The language.
        language: ShaderLanguage,
    },
    /// `[indices]`
    Indices,
    /// `[vertex data]`
    VertexData,
    /// `[test]`
    Test,
}

impl SectionKind {
    /// True if a script may have at most one section of this kind.
    const fn is_unique(self) -> bool {
        match self {
            Self::Indices | Self::VertexData | Self::Test => true,
            // Shaders are distinguished by stage, whatever their language.
            Self::Comment | Self::Require | Self::Shader { .. } => false,
        }
    }
}

const KINDS: [(&str, SectionKind); 5] = [
    ("comment", SectionKind::Comment),
    ("require", SectionKind::Require),
    ("indices", SectionKind::Indices),
    ("vertex data", SectionKind::VertexData),
    ("test", SectionKind::Test),
];

const STAGES: [(&str, ShaderKind); 6] = [
    ("vertex shader", ShaderKind::Vertex),
    ("fragment shader", ShaderKind::Fragment),
    ("compute shader", ShaderKind::Compute),
    ("geometry shader", ShaderKind::Geometry),
    ("tessellation control shader", ShaderKind::TessellationControl),
    ("tessellation evaluation shader", ShaderKind::TessellationEvaluation),
];

const LANGUAGES: [(&str, ShaderLanguage); 4] = [
    ("", ShaderLanguage::Glsl),
    (" spirv", ShaderLanguage::SpirvAssembly),
    (" spirv hex", ShaderLanguage::SpirvHex),
    (" passthrough", ShaderLanguage::Passthrough),
];

/// The sections of a script, in order. The lines above the first one are empty or comments.
pub(super) fn split(text: &str) -> Parsed<Vec<Section>> {
    let mut sections: Vec<Section> = Vec::new();
    let lines = text.trim_start_matches('\u{feff}');
    let mut start = text.len() - lines.len();
    for line in lines.split_inclusive('\n') {
        let end = start + line.len();
        let span = Span::new(start, start + line.trim_end().len());
        let is_header = line.starts_with('[');
        if is_header {
            let (kind, name) = header(line.trim_end(), span)?;
            let is_again = sections.iter().any(|other| other.kind == kind);
            if is_again && kind.is_unique() {
                let message = format!("there is a `[{name}]` already");
                return Err(Problem::error(span, message));
            }
            sections.push(Section { kind, header: span, body: Span::new(end, end), name });
        } else if let Some(section) = sections.last_mut() {
            section.body.end = end;
        } else if !line.trim().is_empty() && !line.starts_with('#') {
            let message = "a script begins with a section, such as `[require]`";
            return Err(Problem::error(span, message));
        }
        start = end;
    }
    Ok(sections)
}

/// The kind and the name of the section with this first line.
fn header(line: &str, span: Span) -> Parsed<(SectionKind, String)> {
    let Some(end) = line.rfind(']') else {
        return Err(Problem::error(span, "the name of a section ends with `]`"));
    };
    let name = &line[1..end];
    let found = KINDS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
    let shaders = STAGES.iter().filter_map(|(start, stage)| {
        let behind = name.strip_prefix(start)?;
        let (_, language) = LANGUAGES.iter().find(|(known, _)| *known == behind)?;
        let is_possible = *language != ShaderLanguage::Passthrough || *stage == ShaderKind::Vertex;
        is_possible.then_some(SectionKind::Shader { stage: *stage, language: *language })
    });
    let Some(kind) = found.or_else(|| shaders.clone().next()) else {
        let known = KINDS.iter().map(|(known, _)| *known).chain(STAGES.iter().map(|(s, _)| *s));
        let place = Span::new(span.start + 1, span.start + end);
        return Err(Problem::unknown("section", At::new(name, place), known));
    };
    Ok((kind, name.to_owned()))
}

impl Reader<'_> {
    /// Adds the shader of a section.
    pub(super) fn add_shader(&mut self, section: &Section) -> Parsed<()> {
        let SectionKind::Shader { stage, language } = section.kind else { return Ok(()) };
        let text = if language == ShaderLanguage::Passthrough {
            Span::new(section.header.end, section.header.end)
        } else {
            section.body
        };
        let (name, header) = (section.name.clone(), section.header);
        if self.script.shaders.iter().any(|other| other.stage == stage) {
            return Err(Problem::unsupported("several shaders of one stage", header));
        }
        let shader = Shader { name, stage, language, target_env: None, header, text, file: None };
        self.script.shaders.push(shader);
        Ok(())
    }
}
