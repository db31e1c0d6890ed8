//! Splits a case into its sections. A section starts with `[` in column one and ends before the next line that does.

pub(crate) mod capture;
pub(crate) mod expected;
pub(super) mod include;
pub(crate) mod link;
pub(crate) mod require;
pub(super) mod specialization;
pub(crate) mod spirv;
pub(crate) mod targets;
pub(crate) mod varyings;
pub(super) mod vertex_data;

use crate::read::problem::{Parsed, Problem};
use crate::read::reader::Reader;
use crate::{Dialect, Language};
use ir::diagnostic::{Diagnostic, nearest_word};
use ir::source::{Source, Span};
use ir::stage::ShaderStage;

/// Kind of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SectionKind {
    /// `[require]`.
    Require,
    /// `[parameters]`: already expanded before sections are read.
    Parameters,
    /// `[vertex shader]` and the headers of other stages.
    Shader {
        /// The stage.
        stage: ShaderStage,
        /// The language.
        language: Language,
        /// `[vertex shader NAME]`.
        name: Option<String>,
    },
    /// `[vertex shader specializations]` and the headers of other stages.
    Specializations(ShaderStage),
    /// `[shader include]`.
    Include,
    /// `[shader include paths]`.
    IncludePaths,
    /// `[varyings]`.
    Varyings,
    /// `[vertex data]`.
    VertexData,
    /// `[index data]`.
    IndexData,
    /// `[render targets]`.
    RenderTargets,
    /// `[link]`.
    Link,
    /// `[capture]`.
    Capture,
    /// `[test]`.
    Test,
    /// `[expect]`.
    Expect,
}

/// A section of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    /// Kind of the section.
    pub(super) kind: SectionKind,
    /// The header, brackets included.
    pub(super) header: Span,
    /// The lines below the header.
    pub(super) body: Span,
}

/// Sections without a stage, by header.
const PLAIN_SECTIONS: [(&str, SectionKind); 12] = [
    ("shader include", SectionKind::Include),
    ("shader include paths", SectionKind::IncludePaths),
    ("require", SectionKind::Require),
    ("parameters", SectionKind::Parameters),
    ("varyings", SectionKind::Varyings),
    ("vertex data", SectionKind::VertexData),
    ("index data", SectionKind::IndexData),
    ("render targets", SectionKind::RenderTargets),
    ("link", SectionKind::Link),
    ("capture", SectionKind::Capture),
    ("test", SectionKind::Test),
    ("expect", SectionKind::Expect),
];

const LANGUAGES: [(&str, Language); 3] = [
    ("wgsl", Language::Wgsl),
    ("spirv", Language::SpirvAssembly),
    ("passthrough", Language::Passthrough),
];

/// Starts of headers that piglit or a later version of the format knows.
const KNOWN_ELSEWHERE: [&str; 6] = [
    "geometry layout",
    "task shader",
    "mesh shader",
    "vertex program",
    "fragment program",
    "vertex layout",
];

/// Sections that only strict cases have.
const OURS: [&str; 2] = ["parameters", "expect"];

/// Words after `… shader` that have a meaning in piglit and are not names.
const KNOWN_SUFFIXES: [&str; 2] = ["file", "binary"];

/// Word after `… shader` in the header for specialization constants of a SPIR-V stage.
const SPECIALIZATIONS: &str = "specializations";

/// Keywords of headers.
pub(super) fn known_words() -> impl Iterator<Item = &'static str> {
    let plain = PLAIN_SECTIONS.iter().map(|(word, _)| *word);
    let shader = ShaderStage::ALL.into_iter().map(header_of);
    let languages = LANGUAGES.iter().map(|(word, _)| *word);
    plain.chain(shader).chain(languages).chain([SPECIALIZATIONS])
}

/// All headers, without brackets and names.
pub(super) fn headers() -> Vec<String> {
    let plain = PLAIN_SECTIONS.iter().map(|(word, _)| (*word).to_owned());
    let of_stage = |stage: ShaderStage| {
        let is_allowed = move |language: &&(&str, Language)| {
            language.1 != Language::Passthrough || stage == ShaderStage::Vertex
        };
        let languages = LANGUAGES.iter().filter(is_allowed).map(|(word, _)| *word);
        let suffixes = languages.chain([SPECIALIZATIONS]);
        let header = header_of(stage);
        let with = suffixes.map(move |suffix| format!("{header} {suffix}"));
        std::iter::once(header.to_owned()).chain(with)
    };
    plain.chain(ShaderStage::ALL.into_iter().flat_map(of_stage)).collect()
}

/// The header of a stage's section without a language and a name.
const fn header_of(stage: ShaderStage) -> &'static str {
    stage.properties().header
}

/// Splits the text into sections. Errors in headers are reported to `reader`.
pub(super) fn split(reader: &mut Reader<'_>) -> Vec<Section> {
    let source = reader.source;
    let mut sections: Vec<Section> = Vec::new();
    let mut open: Option<Section> = None;
    let mut is_before_first = true;
    for idx in 0..source.line_count() {
        let line = source.line_span(idx);
        let text = source.slice(line);
        if !text.starts_with('[') || is_piglit_test(reader, open.as_ref()) {
            if is_before_first && report_text_before(reader, line) {
                // Only the first line before a section is reported.
                is_before_first = false;
            }
            continue;
        }
        is_before_first = false;
        sections.extend(close(open.take(), line.start));
        match read_header(reader, line) {
            Ok(section) => open = Some(section),
            Err(problem) => reader.report(problem),
        }
    }
    sections.extend(close(open, source.text().len()));
    sections
}

/// Line of the `[parameters]` header and the range of lines below it, in a text that is not expanded yet.
pub(super) fn find_parameters(source: &Source) -> Option<(usize, std::ops::Range<usize>)> {
    let is_header = |idx: &usize| source.slice(source.line_span(*idx)).starts_with('[');
    let header = (0..source.line_count())
        .find(|idx| source.slice(source.line_span(*idx)).starts_with("[parameters]"))?;
    let end = (header + 1..source.line_count()).find(is_header).unwrap_or(source.line_count());
    Some((header, header + 1..end))
}

/// True inside `[test]` of a piglit file, which is always the last section.
fn is_piglit_test(reader: &Reader<'_>, open: Option<&Section>) -> bool {
    !reader.is_strict() && open.is_some_and(|section| section.kind == SectionKind::Test)
}

fn close(section: Option<Section>, end: usize) -> Option<Section> {
    section.map(|section| Section { body: Span::new(section.body.start.min(end), end), ..section })
}

/// Reports a line before the first section, and returns true if it was not blank or a comment.
fn report_text_before(reader: &mut Reader<'_>, line: Span) -> bool {
    let text = reader.source.slice(line).trim();
    if text.is_empty() || text.starts_with('#') {
        return false;
    }
    let (message, help) = if text.starts_with('\u{feff}') {
        ("a byte order mark before the first section", "save the file as UTF-8 without it")
    } else {
        let help = "sections start with a header such as `[require]` in column one";
        ("text before the first section", help)
    };
    let error = Diagnostic::error(line, message).with_help(help);
    reader.report_lenient(error);
    true
}

fn read_header(reader: &mut Reader<'_>, line: Span) -> Parsed<Section> {
    let text = reader.source.slice(line);
    let Some(length) = text.find(']') else {
        return Err(Diagnostic::error(line, "the section header has no closing `]`").into());
    };
    let header = Span::new(line.start, line.start + length + 1);
    let after = &text[length + 1..];
    let rest = after.trim();
    // In strict cases a comment needs a blank before it; `#version` is not a comment.
    let is_comment = rest.strip_prefix('#').is_some_and(|comment| {
        let is_directive = comment.starts_with(|c: char| c.is_ascii_alphabetic());
        !reader.is_strict() || !after.starts_with('#') && !is_directive
    });
    if !rest.is_empty() && !is_comment {
        let span = Span::new(header.end, line.end);
        reader.report_lenient(Diagnostic::error(
            span,
            format!("unexpected `{rest}` after the header"),
        ));
    }
    let words: Vec<_> = text[1..length].split_whitespace().collect();
    let kind = kind_of(&words, header, reader.dialect)?;
    Ok(Section { kind, header, body: Span::new(line.end + 1, line.end + 1) })
}

pub(super) fn kind_of(words: &[&str], header: Span, dialect: Dialect) -> Parsed<SectionKind> {
    let name = words.join(" ");
    let is_ours = OURS.contains(&name.as_str()) && dialect == Dialect::Piglit;
    if let Some((_, kind)) = PLAIN_SECTIONS.iter().find(|(known, _)| *known == name && !is_ours) {
        return Ok(kind.clone());
    }
    let stage = ShaderStage::ALL.into_iter().find_map(|stage| {
        let known: Vec<_> = header_of(stage).split(' ').collect();
        Some((stage, words.strip_prefix(&*known)?))
    });
    if let Some((stage, rest)) = stage {
        return shader(stage, rest, &name, header, dialect);
    }
    if KNOWN_ELSEWHERE.iter().any(|known| name.starts_with(known)) {
        return Err(Problem::unsupported(name, header));
    }
    Err(unknown(&name, header, dialect))
}

fn unknown(name: &str, header: Span, dialect: Dialect) -> Problem {
    let error = Problem::from(Diagnostic::error(header, format!("unknown section `[{name}]`")));
    if dialect == Dialect::Piglit && OURS.contains(&name) {
        return error.with_help(
            "piglit's files do not have it; put the file below a folder named `cases`, or write an `interstage.toml`",
        );
    }
    let known = PLAIN_SECTIONS.iter().map(|(known, _)| *known);
    error.nearest(name, known.chain(ShaderStage::ALL.into_iter().map(header_of)))
}

fn shader(
    stage: ShaderStage,
    words: &[&str],
    header_text: &str,
    header: Span,
    dialect: Dialect,
) -> Parsed<SectionKind> {
    if words == [SPECIALIZATIONS] {
        return Ok(SectionKind::Specializations(stage));
    }
    let language = words
        .first()
        .and_then(|word| LANGUAGES.iter().find(|(known, _)| known == word))
        .map(|(_, language)| *language);
    let names = if language.is_some() { &words[1..] } else { words };
    let language = language.unwrap_or(Language::Glsl);
    if words.iter().any(|word| KNOWN_SUFFIXES.contains(word)) {
        return Err(Problem::unsupported(header_text, header));
    }
    if language == Language::Passthrough && stage != ShaderStage::Vertex {
        return Err(Diagnostic::error(header, "only a vertex shader can be `passthrough`").into());
    }
    let name = match names {
        [] => None,
        [_, ..] if dialect == Dialect::Piglit => return Err(unknown(header_text, header, dialect)),
        [name] if is_name(name) => Some((*name).to_owned()),
        [..] => {
            let message = format!("`{}` is neither a language nor a name", names.join(" "));
            let help =
                "a header is `[vertex shader]`, then `wgsl`, `spirv` or `passthrough`, then a name";
            return Err(Diagnostic::error(header, message).with_help(help).into());
        }
    };
    let typo =
        name.as_deref().and_then(|name| nearest_word(name, LANGUAGES.map(|(known, _)| known)));
    if let (Some(name), Some(known)) = (&name, typo) {
        let error = Diagnostic::error(header, format!("`{name}` looks like a language"));
        return Err(error.with_help(format!("did you mean `{known}`?")).into());
    }
    Ok(SectionKind::Shader { stage, language, name })
}

/// True if `text` is a valid name for a shader object, a golden or a parameter.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(header: &str, dialect: Dialect, expect: Result<SectionKind, &str>) {
        let source = Source::new("a", format!("{header}\nbody"));
        let mut reader = Reader::new(&source, dialect);
        let sections = split(&mut reader);
        let found = sections.first().map(|section| section.kind.clone());
        match (reader.finish(), expect) {
            (Ok(_), Ok(kind)) => assert_eq!(found, Some(kind)),
            (Err(error), Err(expect)) => {
                assert!(format!("{error:?}").contains(expect), "{error:?}");
            }
            (found, expect) => panic!("{found:?} instead of {expect:?}"),
        }
    }

    fn shader(stage: ShaderStage, language: Language, name: Option<&str>) -> SectionKind {
        SectionKind::Shader { stage, language, name: name.map(str::to_owned) }
    }

    #[test]
    fn a_stage_has_a_language_and_a_name() {
        let strict = Dialect::Interstage;
        check("[vertex shader]", strict, Ok(shader(ShaderStage::Vertex, Language::Glsl, None)));
        check("[geometry shader]", strict, Ok(shader(ShaderStage::Geometry, Language::Glsl, None)));
        let control = shader(ShaderStage::TessellationControl, Language::Glsl, None);
        check("[tessellation control shader]", strict, Ok(control));
        let evaluation = shader(ShaderStage::TessellationEvaluation, Language::Wgsl, None);
        check("[tessellation evaluation shader wgsl]", strict, Ok(evaluation));
        let spirv = shader(ShaderStage::Compute, Language::SpirvAssembly, None);
        check("[compute shader spirv] # why", strict, Ok(spirv));
        let named = shader(ShaderStage::Fragment, Language::Wgsl, Some("fs_b"));
        check("[fragment shader wgsl fs_b]", strict, Ok(named));
        check("[fragment shader passthrough]", strict, Err("passthrough"));
        check("[vertex shader wgls]", strict, Err("did you mean `wgsl`?"));
        check("[vertex shader a b]", strict, Err("neither a language nor a name"));
    }

    #[test]
    fn other_stages_are_unsupported_and_unknown_sections_wrong() {
        for dialect in [Dialect::Interstage, Dialect::Piglit] {
            check("[geometry layout]", dialect, Err("Unsupported { word: \"geometry layout\""));
            check("[vertex shader file]", dialect, Err("Unsupported"));
        }
        check("[vertex dta]", Dialect::Interstage, Err("did you mean `vertex data`?"));
        check("[vertex dta]", Dialect::Piglit, Err("did you mean `vertex data`?"));
        check("[parameters]", Dialect::Piglit, Err("piglit's files do not have it"));
    }

    #[test]
    fn a_header_stands_alone_in_column_one() {
        check("[test", Dialect::Interstage, Err("closing"));
        check("[test] clear", Dialect::Interstage, Err("after the header"));
        check(" [test]", Dialect::Interstage, Err("before the first section"));
        check("[test] clear", Dialect::Piglit, Ok(SectionKind::Test));
    }

    #[test]
    fn bodies_run_to_the_next_header() {
        let source = Source::new("a", "[link]\n\n[test]\nclear\n");
        let sections = split(&mut Reader::new(&source, Dialect::Interstage));
        let bodies: Vec<_> = sections.iter().map(|section| source.slice(section.body)).collect();
        assert_eq!(bodies, ["\n", "clear\n"]);
    }
}
