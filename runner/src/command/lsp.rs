//! `interstage lsp`: a language server on stdin and stdout.
//!
//! ```text
//! stdin ─▶ transport ─▶ Event ─▶ server ─▶ transport ─▶ stdout
//!                         ▲        │
//!        queue and runs ──┘ ◀──────┘
//! ```
//! The server answers from one thread. One worker analyses documents with the reader, the compiler and the linker of a
//! run, and every run is a child process.

mod analysis;
mod answers;
mod document;
mod findings;
mod lexical;
mod names;
mod origin;
mod position;
mod queue;
mod reference;
mod runs;
mod server;
mod structure;
mod transport;
mod uri;

use std::io::BufReader;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use anyhow::{Context as _, bail};
use gen_lsp_types::ErrorCodes;
use gen_lsp_types::json_rpc::Id;
use interstage::device::Device;
use serde_json::Value;

use crate::args::LspOptions;
use crate::exit::Exit;
use crate::files::case_file;
use queue::Queue;
use server::{Event, Server};
use transport::{Broken, failure};

/// Serves an editor until it says `exit`.
pub fn lsp(options: &LspOptions) -> anyhow::Result<Exit> {
    let device = Device::open("cpu").context("cannot open the executor")?;
    let (events, incoming) = channel();
    let (outgoing, messages) = channel();
    let writer = std::thread::spawn(move || write_all(&messages));
    let sender = events.clone();
    std::thread::spawn(move || read_all(&sender));
    let queue = Arc::new(Queue::default());
    let (shared, sender) = (Arc::clone(&queue), events.clone());
    std::thread::Builder::new()
        .stack_size(case_file::STACK_BYTES)
        .spawn(move || shared.work(&device, |done| sender.send(Event::Analysed(done)).is_ok()))
        .context("cannot start a thread")?;
    let server = Server::new(queue, events, outgoing, options.adapter.clone());
    let ended = serve(server, &incoming);
    // The last messages must reach the client.
    if writer.join().is_err() {
        bail!("interstage panicked, which is a bug; see the message above");
    }
    ended
}

/// Handles events until the client says `exit`.
fn serve(mut server: Server, incoming: &Receiver<Event>) -> anyhow::Result<Exit> {
    let ended = loop {
        let Ok(event) = incoming.recv() else {
            break Err(anyhow::anyhow!("no thread reads stdin"));
        };
        let event = match event {
            Event::Ended(Some(broken)) => {
                if matches!(broken, Broken::Json(_)) {
                    let message = broken.to_string();
                    server.send(failure(&Id::Null, ErrorCodes::ParseError, message));
                }
                break Err(broken.into());
            }
            Event::Ended(None) if server.is_shut_down() => break Ok(Exit::AsExpected),
            Event::Ended(None) => break Err(anyhow::anyhow!("the input ended without `exit`")),
            event @ (Event::Message(_)
            | Event::Analysed(_)
            | Event::Ran(_)
            | Event::Formatted(_)) => event,
        };
        if let Some(exit) = server.handle(event) {
            break Ok(exit);
        }
    };
    server.stop();
    ended
}

/// Passes on the messages of the client.
fn read_all(events: &Sender<Event>) {
    let mut input = BufReader::new(std::io::stdin());
    loop {
        let (event, is_last) = match transport::read(&mut input) {
            Ok(Some(message)) => (Event::Message(message), false),
            Ok(None) => (Event::Ended(None), true),
            Err(broken) => (Event::Ended(Some(broken)), true),
        };
        if events.send(event).is_err() || is_last {
            return;
        }
    }
}

/// Writes messages until there are no more, or until the client does not read.
fn write_all(messages: &Receiver<Value>) {
    let mut output = std::io::stdout().lock();
    for message in messages {
        if transport::write(&mut output, &message).is_err() {
            return;
        }
    }
}
