//! What the client is told about a run.

use gen_lsp_types::{Diagnostic, DiagnosticSeverity, MessageType};
use interstage::ir::source::Span;
use serde_json::json;

use super::super::document::Document;
use super::super::findings::failure_message;
use super::super::origin::Origin;
use super::super::runs::Ran;
use super::super::transport::notification;
use super::{Open, Server};
use crate::files::case_file;
use crate::outcome::status::Status;
use crate::report::json::CaseRecord;

/// Name of the program in messages about runs.
const SOURCE: &str = "interstage run";

/// Number of failed cases that a message names.
const TOLD: usize = 5;

impl Server {
    /// The open document of the case called `name`.
    pub(super) fn document_of(&self, name: &str) -> Option<(&String, &Open)> {
        let file = case_file::file_of(name);
        self.documents.iter().find(|(_, open)| open.document.path == file)
    }

    /// Tells the result of a run, and marks the lines that failed.
    pub(super) fn ran(&mut self, Ran { name, generation, records }: Ran) {
        let found = self.document_of(&name);
        let current = found.filter(|(_, open)| Some(open.generation) == generation);
        let current = current.map(|(uri, open)| (uri.clone(), is_unsaved(&open.document)));
        let is_unsaved = current.as_ref().is_some_and(|(_, is_unsaved)| *is_unsaved);
        match records {
            Err(reason) => self.show(MessageType::Error, &format!("{name}: {reason}")),
            Ok(records) => {
                let (kind, message) = summary(&name, &records);
                let note =
                    "\nThe file has changes that are not saved: the run used the saved file.";
                self.show(kind, &format!("{message}{}", if is_unsaved { note } else { "" }));
                // Lines of the saved file may be others in the editor.
                let Some((uri, false)) = current else { return };
                if let Some(open) = self.documents.get_mut(&uri) {
                    open.ran = diagnostics(&open.document, &records);
                }
                self.publish_all(&uri);
            }
        }
    }

    fn show(&self, kind: MessageType, message: &str) {
        let params = json!({"type": kind, "message": message});
        self.send(notification("window/showMessage", params));
    }
}

/// True if the file has another text than the document.
fn is_unsaved(document: &Document) -> bool {
    case_file::read(&document.path).map_or(true, |bytes| bytes != document.text.as_str().as_bytes())
}

fn summary(name: &str, records: &[CaseRecord]) -> (MessageType, String) {
    let failed: Vec<_> = records.iter().filter(|record| record.kind.is_failure()).collect();
    let line = |record: &CaseRecord| {
        let reason = record.reason.as_deref().and_then(|reason| reason.lines().next());
        let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        format!("{} {}{reason}", record.kind.heading(), record.name)
    };
    let kind = if failed.is_empty() { MessageType::Info } else { MessageType::Error };
    match (&failed[..], records) {
        ([], [only]) => (kind, line(only)),
        ([], all) => (kind, format!("{name}: no failure in {} cases", all.len())),
        ([only], [_]) => (kind, line(only)),
        (some, all) => {
            let lines = some.iter().take(TOLD).map(|record| format!("\n{}", line(record)));
            let lines: String = lines.collect();
            (kind, format!("{name}: {} of {} cases failed{lines}", some.len(), all.len()))
        }
    }
}

/// Messages at the lines that failed; each once, if several cases failed in the same way.
fn diagnostics(document: &Document, records: &[CaseRecord]) -> Vec<Diagnostic> {
    let text = &document.text;
    let origin = Origin::new(text.as_str());
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut add = |span: Span, message: String| {
        let told = Diagnostic {
            range: text.range(span),
            severity: Some(DiagnosticSeverity::Error),
            source: Some(SOURCE.to_owned()),
            message: message.into(),
            ..Diagnostic::default()
        };
        if !found.contains(&told) {
            found.push(told);
        }
    };
    // The analysis of the document has the messages of the reader.
    let is_told = |record: &&CaseRecord| record.kind.is_failure() && record.kind != Status::Broken;
    for record in records.iter().filter(is_told) {
        let parameters = case_file::parameters_of(&record.name);
        let of_case =
            if parameters.is_empty() { String::new() } else { format!("\nin `{parameters}`") };
        for failure in &record.failures {
            let span = origin.words_of_line(failure.line.unwrap_or(1));
            add(span, failure_message(failure) + &of_case);
        }
        if record.failures.is_empty() {
            let reason = record.reason.clone().unwrap_or_else(|| record.diagnostics.clone());
            add(origin.words_of_line(1), format!("{} {reason}{of_case}", record.kind.heading()));
        }
    }
    found
}
