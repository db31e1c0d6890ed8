//! Answers to requests.

use gen_lsp_types::json_rpc::Id;
use gen_lsp_types::{
    CodeLensOptions, CompletionOptions, ErrorCodes, ExecuteCommandOptions, ExecuteCommandParams,
    Hover, InitializeResult, Location, MarkupContent, MarkupKind, ServerCapabilities, ServerInfo,
    TextDocumentIdentifier, TextDocumentPositionParams, TextDocumentSyncKind, TextEdit,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::answers::{HoverText, definitions, hover_name, hover_word};
use super::super::document::Document;
use super::super::position::Encoding;
use super::super::structure::{RUN, completions, lenses, symbols};
use super::super::transport::{failure, success};
use super::super::uri::path_of;
use super::{Event, FAILED, Open, Phase, Question, Server, Waiting, read};
use crate::command::fmt::{Refusal, format_text};
use crate::command::lsp::runs::Ran;
use crate::files::case_file;

/// Parameters that name a document.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfDocument {
    text_document: TextDocumentIdentifier,
}

/// An error response: its code and its message.
type Refused = (ErrorCodes, String);

impl Server {
    /// Answers a request, now or when the document is analysed.
    pub(super) fn request(&mut self, id: &Id, method: &str, params: Value) {
        let answered = match (self.phase, method) {
            (Phase::New, "initialize") => Ok(Some(self.initialize(&params))),
            (Phase::New, _) => {
                let message = "the first request is `initialize`".to_owned();
                Err((ErrorCodes::ServerNotInitialized, message))
            }
            (Phase::Running, "initialize") => {
                Err((ErrorCodes::InvalidRequest, "the server is initialized".to_owned()))
            }
            (Phase::Running, _) => self.running(id, method, params),
            (Phase::ShutDown, _) => {
                Err((ErrorCodes::InvalidRequest, "the server is shut down".to_owned()))
            }
        };
        match answered {
            Ok(Some(result)) => self.succeed(id, result),
            Ok(None) => {}
            Err((code, message)) => self.send(failure(id, code, message)),
        }
    }

    /// The answer to a request, or `None` if it comes later.
    fn running(&mut self, id: &Id, method: &str, params: Value) -> Result<Option<Value>, Refused> {
        match method {
            "shutdown" => {
                self.phase = Phase::ShutDown;
                self.stop();
                Ok(Some(Value::Null))
            }
            "textDocument/hover" => self.hover(id, params),
            "textDocument/definition" => {
                let at: TextDocumentPositionParams = read(params).map_err(invalid)?;
                let document = &self.open_document(&at.text_document)?.document;
                let offset = document.text.offset(at.position);
                Ok(self.ask(&at.text_document.uri.0, id, Question::Definition(offset)))
            }
            "textDocument/completion" => {
                let at: TextDocumentPositionParams = read(params).map_err(invalid)?;
                let document = &self.open_document(&at.text_document)?.document;
                let found = completions(document, document.text.offset(at.position));
                Ok(Some(json!(found)))
            }
            "textDocument/documentSymbol" => {
                let OfDocument { text_document } = read(params).map_err(invalid)?;
                let found = symbols(&self.open_document(&text_document)?.document);
                Ok(Some(json!(found)))
            }
            "textDocument/codeLens" => {
                let OfDocument { text_document } = read(params).map_err(invalid)?;
                self.open_document(&text_document)?;
                Ok(self.ask(&text_document.uri.0, id, Question::Lenses))
            }
            "textDocument/formatting" => self.format(id, params),
            "workspace/executeCommand" => self.execute(params).map(Some),
            other => Err((ErrorCodes::MethodNotFound, format!("`{other}` is not supported"))),
        }
    }

    fn open_document(&self, document: &TextDocumentIdentifier) -> Result<&Open, Refused> {
        let not_open = || invalid(format!("{} is not open", document.uri));
        self.documents.get(&document.uri.0).ok_or_else(not_open)
    }

    /// Chooses the encoding, and says what the server can do.
    fn initialize(&mut self, params: &Value) -> Value {
        self.phase = Phase::Running;
        let offered = params.pointer("/capabilities/general/positionEncodings");
        let offered = offered.and_then(Value::as_array).into_iter().flatten();
        let knows_bytes = offered.into_iter().any(|kind| kind == "utf-8");
        self.encoding = if knows_bytes { Encoding::Utf8 } else { Encoding::Utf16 };
        let triggers = ["[", " "].map(str::to_owned).to_vec();
        let capabilities = ServerCapabilities {
            position_encoding: Some(self.encoding.kind()),
            text_document_sync: Some(TextDocumentSyncKind::Incremental.into()),
            hover_provider: Some(true.into()),
            definition_provider: Some(true.into()),
            document_symbol_provider: Some(true.into()),
            document_formatting_provider: Some(true.into()),
            completion_provider: Some(CompletionOptions {
                trigger_characters: Some(triggers),
                ..CompletionOptions::default()
            }),
            code_lens_provider: Some(CodeLensOptions::default()),
            execute_command_provider: Some(ExecuteCommandOptions {
                commands: vec![RUN.to_owned()],
                ..ExecuteCommandOptions::default()
            }),
            ..ServerCapabilities::default()
        };
        let version = Some(env!("CARGO_PKG_VERSION").to_owned());
        let server_info = Some(ServerInfo { name: "interstage".to_owned(), version });
        let mut result = json!(InitializeResult { capabilities, server_info });
        // With the number alone, some clients do not say when a document is saved.
        result["capabilities"]["textDocumentSync"] =
            json!({"openClose": true, "change": TextDocumentSyncKind::Incremental, "save": true});
        result
    }

    fn hover(&mut self, id: &Id, params: Value) -> Result<Option<Value>, Refused> {
        let at: TextDocumentPositionParams = read(params).map_err(invalid)?;
        let document = &self.open_document(&at.text_document)?.document;
        let offset = document.text.offset(at.position);
        if let Some(found) = hover_word(document, offset) {
            return Ok(Some(hover(document, found)));
        }
        Ok(self.ask(&at.text_document.uri.0, id, Question::Hover(offset)))
    }

    /// The answer to a question about an analysed document; otherwise the request waits.
    fn ask(&mut self, uri: &str, id: &Id, question: Question) -> Option<Value> {
        let open = self.documents.get_mut(uri)?;
        if open.analysis.is_none() {
            open.waiting.push(Waiting { id: id.clone(), question });
            return None;
        }
        Some(answer_of(uri, open, question))
    }

    /// Answers a request that waited.
    pub(super) fn answer(&self, uri: &str, id: &Id, question: Question) {
        if let Some(open) = self.documents.get(uri) {
            self.succeed(id, answer_of(uri, open, question));
        }
    }

    /// Formats a document on a thread of its own.
    fn format(&self, id: &Id, params: Value) -> Result<Option<Value>, Refused> {
        let OfDocument { text_document } = read(params).map_err(invalid)?;
        let document = self.open_document(&text_document)?.document.clone();
        if !document.is_case_file() {
            let message = format!("{}: not a case file", document.path);
            return Err((FAILED, message));
        }
        let (id, events) = (id.clone(), self.events.clone());
        let builder = std::thread::Builder::new().stack_size(case_file::STACK_BYTES);
        let formatting = move || {
            let work = || format_text(&document.path, document.text.as_str(), document.dialect());
            let response = match std::panic::catch_unwind(work) {
                Ok(Ok(formatted)) => success(&id, json!(edits(&document, formatted))),
                Ok(Err(Refusal::NoCase(told))) => failure(&id, FAILED, told.trim_end()),
                Ok(Err(refusal @ Refusal::OtherMeaning(_))) => {
                    failure(&id, FAILED, refusal.to_string())
                }
                Err(_) => failure(&id, ErrorCodes::InternalError, "interstage panicked"),
            };
            // The server may have ended.
            let _ = events.send(Event::Formatted(response));
        };
        let started = builder.spawn(formatting);
        started.map_err(|error| (FAILED, format!("cannot start a thread: {error}")))?;
        Ok(None)
    }

    /// Begins to run a case. Its result is a message, and messages at the lines that failed.
    fn execute(&mut self, params: Value) -> Result<Value, Refused> {
        let ExecuteCommandParams { command, arguments, .. } = read(params).map_err(invalid)?;
        if command != RUN {
            return Err(invalid(format!("there is no command `{command}`; there is `{RUN}`")));
        }
        let arguments = arguments.unwrap_or_default();
        let [Value::String(case)] = &arguments[..] else {
            let message = format!("`{RUN}` has one argument: a path, a URI or the name of a case");
            return Err(invalid(message));
        };
        let name = if case.contains("://") { path_of(case) } else { case.clone() };
        let generation = self.document_of(&name).map(|(_, open)| open.generation);
        let (events, own) = (self.events.clone(), name.clone());
        let done = move |records| {
            // The server may have ended.
            let _ = events.send(Event::Ran(Ran { name: own, generation, records }));
        };
        let started = self.runs.start(&name, self.adapter.as_deref(), done);
        started.map_err(|error| (FAILED, format!("{error:#}")))?;
        Ok(Value::Null)
    }
}

fn invalid(message: String) -> Refused {
    (ErrorCodes::InvalidParams, message)
}

fn hover(document: &Document, HoverText { markdown, span }: HoverText) -> Value {
    let contents = MarkupContent { kind: MarkupKind::Markdown, value: markdown };
    json!(Hover { contents: contents.into(), range: Some(document.text.range(span)) })
}

fn answer_of(uri: &str, open: &Open, question: Question) -> Value {
    let Open { document, analysis: Some(analysis), .. } = open else { return Value::Null };
    match question {
        Question::Hover(offset) => {
            let found = hover_name(document, offset, &analysis.names);
            found.map_or(Value::Null, |found| hover(document, found))
        }
        Question::Definition(offset) => {
            let found = definitions(document, offset, &analysis.names);
            let location = |span| Location { uri: uri.into(), range: document.text.range(span) };
            json!(found.into_iter().map(location).collect::<Vec<_>>())
        }
        Question::Lenses => json!(lenses(document, &analysis.cases)),
    }
}

/// The edit that replaces the whole text, or none.
fn edits(document: &Document, formatted: String) -> Vec<TextEdit> {
    if document.text.as_str() == formatted {
        return Vec::new();
    }
    vec![TextEdit { range: document.text.whole(), new_text: formatted }]
}
