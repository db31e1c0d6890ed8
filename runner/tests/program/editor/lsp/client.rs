//! A client of the language server.

use std::io::{BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{NO_ADAPTER, program, write};

/// Time after which a server that does not answer fails a test.
const PATIENCE: Duration = Duration::from_mins(2);

/// Name of the document of most tests.
pub(crate) const NAME: &str = "cases/a.shader_test";

/// A client with its server.
pub(crate) struct Client {
    pub(crate) folder: TempDir,
    child: Child,
    stdin: Option<ChildStdin>,
    incoming: Receiver<Value>,
    /// Messages that no test has asked for yet.
    seen: Vec<Value>,
    requests: i64,
    versions: i64,
}

impl Client {
    /// Starts a server that runs cases on the executor. Its positions count units of UTF-16.
    pub(crate) fn start() -> Self {
        Self::with_capabilities(json!({})).0
    }

    /// Starts a server, and returns its answer to `initialize` too.
    pub(crate) fn with_capabilities(capabilities: Value) -> (Self, Value) {
        let folder = tempfile::tempdir().expect("the system has room for temporary files");
        let mut client = Self::in_folder(folder);
        let answer = client.request("initialize", json!({ "capabilities": capabilities }));
        client.notify("initialized", json!({}));
        (client, answer["result"].clone())
    }

    /// Starts a server without a word.
    pub(crate) fn in_folder(folder: TempDir) -> Self {
        let mut command = program(folder.path());
        command.envs(NO_ADAPTER).args(["lsp", "--stdio", "--adapter", "cpu"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program was built");
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().expect("it is piped"));
        let (sender, incoming) = channel();
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            while let Some(message) = read(&mut stdout) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let (seen, requests, versions) = (Vec::new(), 0, 0);
        Self { folder, child, stdin, incoming, seen, requests, versions }
    }

    pub(crate) fn uri(&self, name: &str) -> String {
        let path = self.folder.path().join(name).display().to_string().replace('\\', "/");
        // On Windows a path begins with a drive.
        format!("file:///{}", path.trim_start_matches('/'))
    }

    /// Sends bytes.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("it is open");
        // A server that ended reads no more.
        let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request, and returns its number.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Sends a request, and waits for the response.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.response(id)
    }

    /// Waits for the response to the request of this number.
    pub(crate) fn response(&mut self, id: i64) -> Value {
        self.wait(|message| message["id"] == id)
    }

    /// Waits for the first message that is wanted.
    pub(crate) fn wait(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.seen.iter().position(&is_wanted) {
            return self.seen.remove(at);
        }
        loop {
            let message = self.incoming.recv_timeout(PATIENCE).expect("the server answers");
            if is_wanted(&message) {
                return message;
            }
            self.seen.push(message);
        }
    }

    /// Opens a document, and waits for the messages about it.
    pub(crate) fn open(&mut self, name: &str, text: &str) -> Vec<Value> {
        self.versions += 1;
        let document = json!({
            "uri": self.uri(name), "languageId": "shader-test", "version": self.versions, "text": text,
        });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        self.diagnostics(name)
    }

    /// Replaces the text of a document, without waiting.
    pub(crate) fn change(&mut self, name: &str, changes: Value) {
        self.versions += 1;
        let document = json!({"uri": self.uri(name), "version": self.versions});
        let params = json!({"textDocument": document, "contentChanges": changes});
        self.notify("textDocument/didChange", params);
    }

    /// Waits for the messages about the newest version of a document.
    pub(crate) fn diagnostics(&mut self, name: &str) -> Vec<Value> {
        let (uri, version) = (self.uri(name), self.versions);
        let is_wanted = |message: &Value| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri.as_str()
                && message["params"]["version"] == version
        };
        let message = self.wait(is_wanted);
        message["params"]["diagnostics"].as_array().expect("it is a list").clone()
    }

    /// Messages about the newest version of a document that came already, and that nothing has waited for.
    pub(crate) fn further_diagnostics(&mut self, name: &str) -> Vec<Value> {
        let uri = self.uri(name);
        let is_wanted = |message: &Value| {
            message["params"]["uri"] == uri.as_str()
                && message["params"]["version"] == self.versions
        };
        let found = self.seen.iter().filter(|message| is_wanted(message));
        let lists = found.filter_map(|message| message["params"]["diagnostics"].as_array());
        lists.flatten().cloned().collect()
    }

    /// Asks about a position of a document.
    pub(crate) fn at(&mut self, method: &str, name: &str, position: Value) -> Value {
        let document = json!({"uri": self.uri(name)});
        let answer = self.request(method, json!({"textDocument": document, "position": position}));
        answer["result"].clone()
    }

    /// Asks about a document as a whole.
    pub(crate) fn about(&mut self, method: &str, name: &str) -> Value {
        let document = json!({"uri": self.uri(name)});
        let options = json!({"tabSize": 4, "insertSpaces": true});
        let answer = self.request(method, json!({"textDocument": document, "options": options}));
        answer["result"].clone()
    }

    /// Writes a file into the folder.
    pub(crate) fn save(&self, name: &str, text: &str) {
        write(self.folder.path(), name, text.as_bytes());
    }

    /// Closes stdin, and returns the exit code and what was printed on stderr.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        drop(self.stdin.take());
        let mut stderr = String::new();
        let pipe = self.child.stderr.as_mut().expect("it is piped");
        pipe.read_to_string(&mut stderr).expect("it is text");
        let status = self.child.wait().expect("the server is ours");
        (status.code(), stderr)
    }

    /// Ends the server as an editor does.
    #[track_caller]
    pub(crate) fn finish(mut self) {
        assert_eq!(self.request("shutdown", Value::Null)["result"], Value::Null);
        self.notify("exit", Value::Null);
        let (code, stderr) = self.end();
        assert_eq!((code, stderr.as_str()), (Some(0), ""));
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Only a test that failed leaves a server.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(input: &mut impl std::io::BufRead) -> Option<Value> {
    let mut header = String::new();
    input.read_line(&mut header).ok().filter(|count| *count > 0)?;
    let length = header.trim().strip_prefix("Content-Length: ")?.parse().ok()?;
    input.read_line(&mut String::new()).ok()?;
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// The position of `what` in `text`, in units of UTF-16.
pub(crate) fn position(text: &str, what: &str) -> Value {
    let before = &text[..text.find(what).unwrap_or_else(|| panic!("{what:?} is not there"))];
    let line = before.rsplit('\n').next().unwrap_or_default();
    json!({"line": before.matches('\n').count(), "character": line.encode_utf16().count()})
}

/// The text of a range of `text` in units of UTF-16.
pub(crate) fn slice(text: &str, range: &Value) -> String {
    let number = |end: &str, part: &str| {
        usize::try_from(range[end][part].as_u64().expect("it is a number")).expect("it is small")
    };
    let at = |end: &str| {
        let line: usize =
            text.split('\n').take(number(end, "line")).map(|line| line.len() + 1).sum();
        let units = text[line..].char_indices().scan(0, |units, (at, letter)| {
            let here = *units;
            *units += letter.len_utf16();
            Some((here, at))
        });
        let mut units = units.filter(|(here, _)| *here >= number(end, "character"));
        line + units.next().map_or(text.len() - line, |(_, at)| at)
    };
    text[at("start")..at("end")].to_owned()
}

/// Path of a file in the folder, as the server names it.
pub(crate) fn path(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}
