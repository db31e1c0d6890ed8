//! Hover texts and definitions.

use interstage::case::outline::{Content, OutlinedSection};
use interstage::ir::source::Span;
use interstage::ir::stage::ShaderStage;

use super::document::{Document, Place};
use super::lexical;
use super::names::{Declaration, Names, Role};
use super::reference;

/// A hover text in Markdown, and what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HoverText {
    /// The text.
    pub(super) markdown: String,
    /// The words that it is about.
    pub(super) span: Span,
}

/// Describes the header or the command at byte `offset`. What the names of the case tell is in [`hover_name`].
pub(super) fn hover_word(document: &Document, offset: usize) -> Option<HoverText> {
    match document.place(offset) {
        Place::Header(section) => {
            let markdown = reference::about_section(&section.words)?;
            Some(HoverText { markdown, span: section.header })
        }
        Place::Word { section, line, word } => {
            let text = document.text.slice(line);
            let term = reference::term(&section.words, text)?;
            let start = line.start + text.len() - text.trim_start().len();
            let own =
                Span::new(start, end_of_words(text, start - line.start, term.words) + line.start);
            let is_inside = word.start < own.end;
            is_inside.then(|| HoverText { markdown: reference::about(term), span: own })
        }
        Place::Identifier { .. } | Place::Nothing => None,
    }
}

/// Byte offset of the end of `words` in `line`. They begin at `start`, and any white space separates them.
fn end_of_words(line: &str, start: usize, words: &str) -> usize {
    words
        .split(' ')
        .fold(start, |at, word| at + line[at..].find(word).unwrap_or_default() + word.len())
}

/// Describes the varying, the uniform or the resource at byte `offset`.
pub(super) fn hover_name(document: &Document, offset: usize, names: &Names) -> Option<HoverText> {
    let names = &lexical::completed(document, names);
    let (section, span) = match document.place(offset) {
        Place::Word { section, word, .. } | Place::Identifier { section, word } => (section, word),
        Place::Header(_) | Place::Nothing => return None,
    };
    let word = name_in(section, document.text.slice(span));
    let mut parts: Vec<String> = Vec::new();
    let declared = names.declared(word);
    if is_shader(section) && declared.is_empty() {
        return None;
    }
    for known in &declared {
        let part = format!("{} stage: `{}`", known.stage.word(), known.text);
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    let is_varying = |known: &&Declaration| matches!(known.role, Role::Input | Role::Output);
    if declared.is_empty() || declared.iter().any(is_varying) {
        for placed in names.placed(word) {
            let has_cases = placed.cases.iter().any(|case| !case.is_empty());
            let all = placed.cases.join("`, `");
            let cases = if has_cases { format!(" (`{all}`)") } else { String::new() };
            parts.push(format!("{}{cases}", placed.text));
        }
    }
    let markdown = parts.join("\n\n");
    (!markdown.is_empty()).then_some(HoverText { markdown, span })
}

/// The name in a word of a section.
fn name_in<'a>(section: &OutlinedSection, word: &'a str) -> &'a str {
    match section.words.as_str() {
        // `position/float/vec2`
        "vertex data" => word.split('/').next().unwrap_or(word),
        _ => word.trim_matches('"'),
    }
}

fn is_shader(section: &OutlinedSection) -> bool {
    matches!(section.content, Content::Shader { .. } | Content::Include)
}

/// Places where the name at byte `offset` is declared.
pub(super) fn definitions(document: &Document, offset: usize, names: &Names) -> Vec<Span> {
    let with_fallback = lexical::completed(document, names);
    let names = &with_fallback;
    match document.place(offset) {
        Place::Word { section, line, word } => {
            let text = name_in(section, document.text.slice(word));
            let sections = stage_sections(document, section, document.text.slice(line), text);
            if !sections.is_empty() {
                return sections;
            }
            let mut found = names.declared(text);
            found.sort_by_key(|known| (known.role, known.stage));
            spans(found.into_iter())
        }
        Place::Identifier { section, word } => {
            let Content::Shader { stage, .. } = section.content else { return Vec::new() };
            of_identifier(document.text.slice(word), stage, section, names)
        }
        Place::Header(_) | Place::Nothing => Vec::new(),
    }
}

/// Headers of the stages that a line of `[test]` or `[link]` names: `use NAME…`, `pair NAME…`, `seam STAGE STAGE`.
fn stage_sections(
    document: &Document,
    section: &OutlinedSection,
    line: &str,
    word: &str,
) -> Vec<Span> {
    let first = line.split_whitespace().next().unwrap_or_default();
    let with = |is_it: &dyn Fn(ShaderStage, Option<&str>) -> bool| {
        let sections = document.sections.iter().filter(|known| match &known.content {
            Content::Shader { stage, name, .. } => is_it(*stage, name.as_deref()),
            Content::Include | Content::Lines | Content::Unknown => false,
        });
        sections.map(|known| known.header).collect()
    };
    match (section.words.as_str(), first) {
        ("test", "use") | ("link", "pair") if word != first => with(&|_, name| name == Some(word)),
        ("link", "seam" | "generics") if word != first => with(&|stage, _| stage.word() == word),
        _ => Vec::new(),
    }
}

/// Places for an identifier of a stage: for an input, the outputs of the stage before; otherwise its declarations.
fn of_identifier(
    name: &str,
    stage: ShaderStage,
    section: &OutlinedSection,
    names: &Names,
) -> Vec<Span> {
    let all = || names.declarations.iter();
    let own: Vec<_> = all().filter(|known| known.stage == stage && known.is_named(name)).collect();
    if let Some(input) = own.iter().find(|known| known.role == Role::Input) {
        let outputs = || all().filter(|known| known.role == Role::Output && known.stage < stage);
        let is_matched = |output: &&Declaration| match (input.location, output.location) {
            (Some(own), Some(other)) => own == other,
            (_, _) => output.is_named(&input.name),
        };
        let nearest = outputs().filter(is_matched).map(|output| output.stage).max();
        let found = outputs().filter(is_matched).filter(|output| Some(output.stage) == nearest);
        let found = spans(found);
        if !found.is_empty() {
            return found;
        }
    }
    let is_here = |known: &&&Declaration| {
        section.body.start <= known.span.start && known.span.start < section.body.end
    };
    let here = spans(own.iter().filter(is_here).copied());
    if here.is_empty() { spans(own.into_iter()) } else { here }
}

fn spans<'a>(found: impl Iterator<Item = &'a Declaration>) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for known in found {
        if !spans.contains(&known.span) {
            spans.push(known.span);
        }
    }
    spans
}
