//! The server: open documents, requests that wait for an analysis, and the phases of the protocol.

mod requests;
mod told;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use gen_lsp_types::json_rpc::Id;
use gen_lsp_types::{
    Diagnostic, DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, ErrorCodes, TextDocumentContentChangeEvent,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::analysis::{Analysis, Job};
use super::document::Document;
use super::position::{Encoding, Text};
use super::queue::{Analysed, Queue, Results};
use super::runs::{Ran, Runs};
use super::transport::{Broken, Message, failure, notification, success};
use super::uri::path_of;
use crate::exit::Exit;

/// The client cancelled the request.
const CANCELLED: ErrorCodes = ErrorCodes::Custom(-32800);

/// The document changed before the request was answered.
const MODIFIED: ErrorCodes = ErrorCodes::Custom(-32801);

/// The request is right, and failed.
const FAILED: ErrorCodes = ErrorCodes::Custom(-32803);

/// What the server reacts to.
#[derive(Debug)]
pub(super) enum Event {
    /// The client sent a message.
    Message(Message),
    /// The input ended, or cannot be read any further.
    Ended(Option<Broken>),
    /// A document was analysed.
    Analysed(Analysed),
    /// A run ended.
    Ran(Ran),
    /// A document was formatted: the response.
    Formatted(Value),
}

/// Phase of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Before `initialize`.
    New,
    /// Between `initialize` and `shutdown`.
    Running,
    /// After `shutdown`.
    ShutDown,
}

/// An open document with what is known about it.
#[derive(Debug)]
struct Open {
    document: Document,
    /// Number of this version, which a later one exceeds.
    generation: u64,
    /// The analysis of this version, once it is done.
    analysis: Option<Analysis>,
    /// Messages of the last run.
    ran: Vec<Diagnostic>,
    /// Requests that wait for the analysis.
    waiting: Vec<Waiting>,
}

/// A request that needs the analysis of a document.
#[derive(Debug)]
struct Waiting {
    id: Id,
    question: Question,
}

/// What a request asks about the analysed document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    /// The description of the name at this byte.
    Hover(usize),
    /// Declarations of the name at this byte.
    Definition(usize),
    /// Code lenses.
    Lenses,
}

/// The server.
#[derive(Debug)]
pub(super) struct Server {
    phase: Phase,
    encoding: Encoding,
    documents: BTreeMap<String, Open>,
    /// Number of versions of all documents so far.
    generations: u64,
    queue: Arc<Queue>,
    runs: Runs,
    events: Sender<Event>,
    outgoing: Sender<Value>,
    /// Adapter for runs.
    adapter: Option<String>,
}

impl Server {
    /// A server before `initialize`.
    pub(super) fn new(
        queue: Arc<Queue>,
        events: Sender<Event>,
        outgoing: Sender<Value>,
        adapter: Option<String>,
    ) -> Self {
        Self {
            phase: Phase::New,
            encoding: Encoding::Utf16,
            documents: BTreeMap::new(),
            generations: 0,
            queue,
            runs: Runs::default(),
            events,
            outgoing,
            adapter,
        }
    }

    /// Sends a message to the client.
    pub(super) fn send(&self, message: Value) {
        // A client that does not read any more closes stdin too, which ends the server.
        let _ = self.outgoing.send(message);
    }

    /// True after `shutdown`.
    pub(super) fn is_shut_down(&self) -> bool {
        self.phase == Phase::ShutDown
    }

    /// Ends what is running.
    pub(super) fn stop(&self) {
        self.runs.stop();
    }

    /// Reacts to an event. Returns the exit status when the client says `exit`.
    pub(super) fn handle(&mut self, event: Event) -> Option<Exit> {
        match event {
            Event::Message(Message::Request { id, method, params }) => {
                self.request(&id, &method, params);
            }
            Event::Message(Message::Notification { method, .. }) if method == "exit" => {
                let is_regular = self.is_shut_down();
                return Some(if is_regular { Exit::AsExpected } else { Exit::Regression });
            }
            Event::Message(Message::Notification { method, params }) => {
                if let Err(problem) = self.notified(&method, params) {
                    complain(&format!("{method}: {problem}"));
                }
            }
            Event::Message(Message::Malformed { id, reason }) => {
                self.send(failure(&id, ErrorCodes::InvalidRequest, reason));
            }
            Event::Message(Message::Response) | Event::Ended(_) => {}
            Event::Analysed(analysed) => self.analysed(analysed),
            Event::Ran(ran) => self.ran(ran),
            Event::Formatted(response) => self.send(response),
        }
        None
    }

    /// Reacts to a notification. Unknown ones are ignored, as the protocol says, and so are all before `initialize` and
    /// after `shutdown`.
    fn notified(&mut self, method: &str, params: Value) -> Result<(), String> {
        if self.phase != Phase::Running {
            return Ok(());
        }
        match method {
            "textDocument/didOpen" => {
                let DidOpenTextDocumentParams { text_document: opened } = read(params)?;
                let text = Text::new(opened.text, self.encoding);
                self.open(&opened.uri.0, opened.version, text);
            }
            "textDocument/didChange" => self.change(read(params)?)?,
            "textDocument/didSave" => {
                // Files that the case names may have changed too.
                let DidSaveTextDocumentParams { text_document, .. } = read(params)?;
                self.analyse_again(&text_document.uri.0)?;
            }
            "textDocument/didClose" => {
                let DidCloseTextDocumentParams { text_document } = read(params)?;
                let uri = text_document.uri.0;
                self.queue.forget(&uri);
                let open = self.documents.remove(&uri).ok_or("the document is not open")?;
                self.refuse(open.waiting);
                self.publish_none(&uri);
            }
            "$/cancelRequest" => self.cancel(&params),
            _ => {}
        }
        Ok(())
    }

    /// Begins with a version of a document.
    fn open(&mut self, uri: &str, version: i32, text: Text) {
        self.generations += 1;
        let path = path_of(uri);
        let generation = self.generations;
        let job = Job { uri: uri.into(), path: path.clone(), generation, text: text.clone() };
        let document = Document::new(path, version, text);
        let (analysis, ran, waiting) = (None, Vec::new(), Vec::new());
        let open = Open { document, generation, analysis, ran, waiting };
        let before = self.documents.insert(uri.to_owned(), open);
        self.refuse(before.map(|before| before.waiting).unwrap_or_default());
        self.queue.put(job);
    }

    /// Analyses the same version of a document again. Waiting requests wait for the new analysis.
    fn analyse_again(&mut self, uri: &str) -> Result<(), String> {
        let open = self.documents.get_mut(uri).ok_or("the document is not open")?;
        self.generations += 1;
        open.generation = self.generations;
        open.analysis = None;
        let (path, text) = (open.document.path.clone(), open.document.text.clone());
        self.queue.put(Job { uri: uri.into(), path, generation: self.generations, text });
        Ok(())
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) -> Result<(), String> {
        let uri = params.text_document.text_document_identifier.uri.0;
        let open = self.documents.get(&uri).ok_or("the document is not open")?;
        let text = open.document.text.clone();
        let changed = params.content_changes.iter().fold(text, |text, change| match change {
            TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                text.replaced(part.range, &part.text)
            }
            TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => {
                text.with(whole.text.clone())
            }
        });
        self.open(&uri, params.text_document.version, changed);
        Ok(())
    }

    /// Answers requests whose document changed.
    fn refuse(&self, waiting: Vec<Waiting>) {
        for Waiting { id, .. } in waiting {
            self.send(failure(&id, MODIFIED, "the document was changed"));
        }
    }

    /// Answers a waiting request that the client cancels. Any other one is answered already.
    fn cancel(&mut self, params: &Value) {
        let Ok(cancelled) = serde_json::from_value::<Id>(params["id"].clone()) else { return };
        let mut found = false;
        for open in self.documents.values_mut() {
            let before = open.waiting.len();
            open.waiting.retain(|waiting| waiting.id != cancelled);
            found |= open.waiting.len() < before;
        }
        if found {
            self.send(failure(&cancelled, CANCELLED, "the request was cancelled"));
        }
    }

    fn analysed(&mut self, Analysed { uri, generation, results }: Analysed) {
        let open = self.documents.get_mut(&uri).filter(|open| open.generation == generation);
        let Some(open) = open else { return };
        match results {
            Results::Early(messages) => {
                self.publish(&uri, &messages.iter().collect::<Vec<_>>());
                return;
            }
            Results::Whole(analysis) => open.analysis = Some(analysis),
        }
        let waiting = std::mem::take(&mut open.waiting);
        self.publish_all(&uri);
        for Waiting { id, question } in waiting {
            self.answer(&uri, &id, question);
        }
    }

    /// Sends the messages of the analysis and of the last run.
    fn publish_all(&self, uri: &str) {
        let Some(open) = self.documents.get(uri) else { return };
        let known = open.analysis.as_ref().map_or(&[][..], |analysis| &analysis.diagnostics);
        // A run finds again what the analysis found.
        let is_new = |told: &&Diagnostic| {
            !known.iter().any(|own| own.range == told.range && own.message == told.message)
        };
        let all: Vec<_> = known.iter().chain(open.ran.iter().filter(is_new)).collect();
        self.publish(uri, &all);
    }

    /// Sends these messages about an open document.
    fn publish(&self, uri: &str, all: &[&Diagnostic]) {
        let version = self.documents.get(uri).map(|open| open.document.version);
        let params = json!({"uri": uri, "version": version, "diagnostics": all});
        self.send(notification("textDocument/publishDiagnostics", params));
    }

    fn publish_none(&self, uri: &str) {
        let params = json!({"uri": uri, "diagnostics": []});
        self.send(notification("textDocument/publishDiagnostics", params));
    }

    fn succeed(&self, id: &Id, result: Value) {
        self.send(success(id, result));
    }
}

/// Reads parameters.
fn read<T: DeserializeOwned>(params: Value) -> Result<T, String> {
    serde_json::from_value(params).map_err(|error| format!("invalid parameters: {error}"))
}

/// Prints a problem of the client's on stderr, which editors keep as the server's log.
fn complain(problem: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "interstage lsp: {problem}");
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    const URI: &str = "file:///cases/a.shader_test";

    /// A server whose documents nobody analyses, and what it sends.
    fn server() -> (Server, Receiver<Value>) {
        let ((events, _), (outgoing, sent)) = (channel(), channel());
        let mut server = Server::new(Arc::default(), events, outgoing, None);
        ask(&mut server, 0, "initialize", json!({"capabilities": {}}));
        notify(
            &mut server,
            "textDocument/didOpen",
            json!({"textDocument": {"uri": URI, "languageId": "", "version": 1, "text": "[link]\na 0.x\n"}}),
        );
        sent.recv().expect("the answer to initialize");
        (server, sent)
    }

    fn ask(server: &mut Server, id: i64, method: &str, params: Value) {
        let (id, method) = (Id::Number(id), method.to_owned());
        server.handle(Event::Message(Message::Request { id, method, params }));
    }

    fn notify(server: &mut Server, method: &str, params: Value) {
        let method = method.to_owned();
        server.handle(Event::Message(Message::Notification { method, params }));
    }

    fn hover(server: &mut Server, id: i64) {
        let position = json!({"line": 1, "character": 0});
        let params = json!({"textDocument": {"uri": URI}, "position": position});
        ask(server, id, "textDocument/hover", params);
    }

    /// The numbers and the error codes of the answers so far.
    fn answers(sent: &Receiver<Value>) -> Vec<(i64, Option<i64>)> {
        let answers = sent.try_iter().filter_map(|message| {
            Some((message["id"].as_i64()?, message["error"]["code"].as_i64()))
        });
        answers.collect()
    }

    #[test]
    fn a_cancelled_request_is_answered_once() {
        let (mut server, sent) = server();
        hover(&mut server, 1);
        hover(&mut server, 2);
        assert_eq!(answers(&sent), []);
        for _ in 0..2 {
            notify(&mut server, "$/cancelRequest", json!({"id": 1}));
        }
        assert_eq!(answers(&sent), [(1, Some(-32800))]);
        let results = Results::Whole(Analysis::default());
        let analysed = Analysed { uri: URI.to_owned(), generation: 1, results };
        server.handle(Event::Analysed(analysed.clone()));
        assert_eq!(answers(&sent), [(2, None)]);
        hover(&mut server, 3);
        assert_eq!(answers(&sent), [(3, None)]);
    }

    #[test]
    fn a_saved_document_is_analysed_again() {
        let (mut server, sent) = server();
        let analysed = |generation| {
            let results = Results::Whole(Analysis::default());
            Event::Analysed(Analysed { uri: URI.to_owned(), generation, results })
        };
        server.handle(analysed(1));
        notify(&mut server, "textDocument/didSave", json!({"textDocument": {"uri": URI}}));
        hover(&mut server, 1);
        server.handle(analysed(1));
        assert_eq!(answers(&sent), []);
        server.handle(analysed(2));
        assert_eq!(answers(&sent), [(1, None)]);
    }

    #[test]
    fn a_change_answers_waiting_requests_and_outdates_the_analysis() {
        let (mut server, sent) = server();
        hover(&mut server, 1);
        let document = json!({"uri": URI, "version": 2});
        let params = json!({"textDocument": document, "contentChanges": [{"text": "[link]\n"}]});
        notify(&mut server, "textDocument/didChange", params);
        assert_eq!(answers(&sent), [(1, Some(-32801))]);
        hover(&mut server, 2);
        let results = Results::Whole(Analysis::default());
        let old = Analysed { uri: URI.to_owned(), generation: 1, results };
        server.handle(Event::Analysed(old));
        assert_eq!(answers(&sent), []);
        let document = json!({"uri": URI});
        notify(&mut server, "textDocument/didClose", json!({ "textDocument": document }));
        assert_eq!(answers(&sent), [(2, Some(-32801))]);
    }
}
