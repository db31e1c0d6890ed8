//! Symbols, code lenses and completions: what the sections and the tables of words tell.

use gen_lsp_types::{
    CodeLens, Command, CompletionItem, CompletionItemKind, DocumentSymbol, MarkupContent,
    MarkupKind, SymbolKind, TextEdit,
};
use interstage::case::outline::{Content, OutlinedSection};
use interstage::case::vocabulary::headers;
use interstage::ir::source::Span;
use serde_json::json;

use super::document::Document;
use super::reference;

/// The command that runs a case.
pub(super) const RUN: &str = "interstage.run";

/// Number of cases of a file that have a code lens of their own.
const LENSES: usize = 20;

/// The sections of a document.
pub(super) fn symbols(document: &Document) -> Vec<DocumentSymbol> {
    let text = &document.text;
    let symbol = |section: &OutlinedSection| {
        let kind = match section.content {
            Content::Shader { .. } | Content::Include => SymbolKind::Module,
            Content::Lines | Content::Unknown => SymbolKind::Namespace,
        };
        let whole = Span::new(section.header.start, section.body.end.max(section.header.end));
        let (name, range) = (format!("[{}]", section.words), text.range(whole));
        let selection = text.range(section.header);
        DocumentSymbol::new(name, None, kind, None, None, range, selection, None)
    };
    document.sections.iter().map(symbol).collect()
}

/// A lens for the file, and one for each of its cases if it has several.
pub(super) fn lenses(document: &Document, cases: &[String]) -> Vec<CodeLens> {
    let header = |words: &str| {
        let section = document.sections.iter().find(|section| section.words == words);
        section.map_or_else(|| document.text.line_at(0), |section| section.header)
    };
    let lens = |words: &str, title: String, parameters: &str| {
        let name = format!("{}{parameters}", document.path);
        let command = Command {
            title,
            command: RUN.to_owned(),
            arguments: Some(vec![json!(name)]),
            ..Command::default()
        };
        CodeLens { range: document.text.range(header(words)), command: Some(command), data: None }
    };
    match cases {
        [] => Vec::new(),
        [only] => vec![lens("test", "Run this case".to_owned(), only)],
        several => {
            let all = lens("test", format!("Run all {} cases", several.len()), "");
            let each = several.iter().take(LENSES).map(|case| {
                lens("parameters", format!("Run {}", case.trim_start_matches('#')), case)
            });
            std::iter::once(all).chain(each).collect()
        }
    }
}

/// What may stand at byte `offset`: headers, or the words that begin a line of the section.
pub(super) fn completions(document: &Document, offset: usize) -> Vec<CompletionItem> {
    if !document.is_case_file() {
        return Vec::new();
    }
    let line = document.text.line_at(offset);
    let typed = document.text.slice(Span::new(line.start, offset));
    if typed.starts_with('[') {
        let all = headers().into_iter().map(|header| {
            let about = reference::about_section(&header);
            item(
                document,
                Span::new(line.start, end_of_header(document, offset)),
                &format!("[{header}]"),
                about,
            )
        });
        return all.collect();
    }
    let Some(section) = document.section_at(line.start.saturating_sub(1)) else {
        return Vec::new();
    };
    if section.content != Content::Lines || section.header.start == line.start {
        return Vec::new();
    }
    let start = line.start + typed.len() - typed.trim_start().len();
    let words: Vec<&str> = typed.split_whitespace().collect();
    let is_possible = |known: &str| {
        let own: Vec<&str> = known.split(' ').collect();
        let Some((last, before)) = words.split_last() else { return true };
        let is_open = !typed.ends_with(char::is_whitespace);
        if is_open {
            own.len() > before.len()
                && own.starts_with(before)
                && own[before.len()].starts_with(last)
        } else {
            own.len() > words.len() && own.starts_with(&words)
        }
    };
    let known = reference::WORDS.iter();
    let known = known.filter(|term| term.section == section.words && is_possible(term.words));
    let items = known.map(|term| {
        let usage = reference::usage(term);
        let own =
            item(document, Span::new(start, offset), term.words, Some(reference::about(term)));
        CompletionItem { detail: Some(usage), ..own }
    });
    items.collect()
}

/// The end of what a header replaces: byte `offset`, or the bracket behind it that an editor closed by itself.
fn end_of_header(document: &Document, offset: usize) -> usize {
    let is_closed = document.text.as_str()[offset..].starts_with(']');
    offset + usize::from(is_closed)
}

fn item(document: &Document, span: Span, text: &str, about: Option<String>) -> CompletionItem {
    let documentation = about.map(|value| MarkupContent { kind: MarkupKind::Markdown, value });
    let edit = TextEdit { range: document.text.range(span), new_text: text.to_owned() };
    CompletionItem {
        label: text.to_owned(),
        kind: Some(CompletionItemKind::Keyword),
        filter_text: Some(text.to_owned()),
        text_edit: Some(edit.into()),
        documentation: documentation.map(Into::into),
        ..CompletionItem::default()
    }
}
