//! Messages of the protocol on stdin and stdout: headers, an empty line, and JSON.

use std::io::{BufRead, Read as _, Write};

use gen_lsp_types::ErrorCodes;
use gen_lsp_types::json_rpc::{Error, Id, ResponseObject};
use serde::Deserialize;
use serde_json::{Value, json};

/// Most bytes of a message. Documents have at most 4 MiB, and JSON may write six bytes for one.
const MAX_BYTES: u64 = 64 << 20;

/// Most bytes of a line of the header.
const MAX_HEADER: u64 = 4096;

/// A message from the client.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Message {
    /// A request, which needs a response.
    Request {
        /// Identifies the response.
        id: Id,
        /// The method.
        method: String,
        /// The parameters; null if there are none.
        params: Value,
    },
    /// A notification.
    Notification {
        /// The method.
        method: String,
        /// The parameters; null if there are none.
        params: Value,
    },
    /// A response to a request of the server.
    Response,
    /// JSON that is no message.
    Malformed {
        /// The request that it may be.
        id: Id,
        /// What is wrong.
        reason: String,
    },
}

/// Input after which no message can be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum Broken {
    /// The client's: the header is malformed.
    #[error("malformed header: {0}")]
    Header(String),
    /// The client's: the text is not JSON.
    #[error("malformed JSON: {0}")]
    Json(String),
    /// The client's: the input ends inside a message.
    #[error("the input ends inside a message")]
    Cut,
    /// The system's.
    #[error("cannot read stdin: {0}")]
    Input(#[from] std::io::Error),
}

/// The members of a message that tell its kind.
#[derive(Deserialize)]
struct Raw {
    #[serde(default)]
    id: Option<Value>,
    #[serde(default)]
    method: Option<Value>,
    #[serde(default)]
    params: Value,
}

/// Reads one message; `None` at the end of the input.
///
/// # Errors
/// The input is not a message, and it is unknown where the next one starts.
pub(super) fn read(input: &mut impl BufRead) -> Result<Option<Message>, Broken> {
    let Some(length) = read_header(input)? else { return Ok(None) };
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length {
        return Err(Broken::Cut);
    }
    let value = serde_json::from_slice(&bytes).map_err(|error| Broken::Json(error.to_string()))?;
    Ok(Some(message_of(value)))
}

/// Reads the header, and returns the length of the content; `None` at the end of the input.
fn read_header(input: &mut impl BufRead) -> Result<Option<u64>, Broken> {
    let mut length = None;
    let mut is_first = true;
    loop {
        let mut line = Vec::new();
        let count = input.by_ref().take(MAX_HEADER).read_until(b'\n', &mut line)?;
        if count == 0 {
            return if is_first { Ok(None) } else { Err(Broken::Cut) };
        }
        is_first = false;
        let text = String::from_utf8_lossy(&line);
        let Some(text) = text.strip_suffix('\n') else {
            let is_long = line.len() as u64 == MAX_HEADER;
            let long = || Broken::Header(format!("a line has more than {MAX_HEADER} bytes"));
            return Err(if is_long { long() } else { Broken::Cut });
        };
        let text = text.trim_end_matches('\r');
        if text.is_empty() {
            break;
        }
        let Some((name, value)) = text.split_once(':') else {
            return Err(Broken::Header(format!("`{text}` is not `NAME: VALUE`")));
        };
        if name.trim().eq_ignore_ascii_case("Content-Length") {
            length = Some(content_length(value.trim())?);
        }
    }
    length.map(Some).ok_or_else(|| Broken::Header("`Content-Length` is missing".to_owned()))
}

fn content_length(text: &str) -> Result<u64, Broken> {
    let told = |problem: &str| Broken::Header(format!("`Content-Length: {text}` {problem}"));
    let length: u64 = text.parse().map_err(|_| told("is not a number"))?;
    if length > MAX_BYTES {
        return Err(told(&format!("is more than {MAX_BYTES}")));
    }
    Ok(length)
}

fn message_of(value: Value) -> Message {
    let is_object = value.is_object();
    let has_result = value.get("result").is_some() || value.get("error").is_some();
    let malformed = |id, reason: &str| Message::Malformed { id, reason: reason.to_owned() };
    let raw: Raw = match serde_json::from_value(value) {
        Ok(raw) if is_object => raw,
        Ok(_) | Err(_) => return malformed(Id::Null, "a message is a JSON object"),
    };
    let id = raw.id.map(serde_json::from_value::<Id>);
    match (id, raw.method) {
        (Some(Err(_)), _) => malformed(Id::Null, "an `id` is a number or a string"),
        (Some(Ok(id)), Some(Value::String(method))) => {
            Message::Request { id, method, params: raw.params }
        }
        (None, Some(Value::String(method))) => Message::Notification { method, params: raw.params },
        (Some(Ok(_)), None) if has_result => Message::Response,
        (id, _) => malformed(id.and_then(Result::ok).unwrap_or(Id::Null), "`method` is missing"),
    }
}

/// Writes a message.
///
/// # Errors
/// The client does not read.
pub(super) fn write(output: &mut impl Write, message: &Value) -> std::io::Result<()> {
    let text = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

/// A response with a result.
pub(super) fn success(id: &Id, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// A response with an error.
pub(super) fn failure(id: &Id, code: ErrorCodes, message: impl Into<String>) -> Value {
    let error = Error { code, message: message.into(), data: None };
    json!(ResponseObject::from_error(id.clone(), error))
}

/// A notification.
pub(super) fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(mut input: &[u8]) -> Result<Vec<Message>, String> {
        let mut messages = Vec::new();
        while let Some(message) = read(&mut input).map_err(|error| error.to_string())? {
            messages.push(message);
        }
        Ok(messages)
    }

    fn framed(text: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    }

    #[test]
    fn messages_are_read_one_after_another() {
        let request = framed(r#"{"jsonrpc":"2.0","id":"a","method":"m","params":[1]}"#);
        let lines = "content-length:  26 \nContent-Type: x\n\n{\"method\":\"n\",\"jsonrpc\":1}";
        let found = read_all((request + lines).as_bytes()).expect("both are right");
        let id = Id::String("a".to_owned());
        assert_eq!(
            found,
            [
                Message::Request { id, method: "m".to_owned(), params: json!([1]) },
                Message::Notification { method: "n".to_owned(), params: Value::Null },
            ]
        );
    }

    #[test]
    fn json_that_is_no_message_is_told() {
        for (text, expect) in [
            ("[1]", "a message is a JSON object"),
            ("7", "a message is a JSON object"),
            ("{}", "`method` is missing"),
            (r#"{"id":[],"method":"m"}"#, "an `id` is a number or a string"),
            (r#"{"id":1,"method":7}"#, "`method` is missing"),
        ] {
            let found = read_all(framed(text).as_bytes()).expect("it is framed");
            let Message::Malformed { reason, .. } = &found[0] else { panic!("{found:?}") };
            assert_eq!(reason, expect, "{text}");
        }
        let response = read_all(framed(r#"{"id":1,"result":null}"#).as_bytes());
        assert_eq!(response.expect("it is framed"), [Message::Response]);
    }

    #[test]
    fn rubbish_ends_the_input_with_a_message() {
        let long = "x".repeat(5000);
        for (input, expect) in [
            ("hello\n", "malformed header: `hello` is not `NAME: VALUE`"),
            ("a: b\r\n\r\n{}", "malformed header: `Content-Length` is missing"),
            ("Content-Length: x\r\n", "malformed header: `Content-Length: x` is not a number"),
            ("Content-Length: -1\r\n", "malformed header: `Content-Length: -1` is not a number"),
            (
                "Content-Length: 99999999999\r\n\r\n",
                "malformed header: `Content-Length: 99999999999` is more than 67108864",
            ),
            ("Content-Length: 5\r\n\r\n{}", "the input ends inside a message"),
            ("Content-Length: 5\r\n", "the input ends inside a message"),
            ("Content-Length: 5", "the input ends inside a message"),
            (&long, "malformed header: a line has more than 4096 bytes"),
            (
                "Content-Length: 1\r\n\r\n{}",
                "malformed JSON: EOF while parsing an object at line 1 column 1",
            ),
        ] {
            assert_eq!(read_all(input.as_bytes()).expect_err(input), expect);
        }
        assert_eq!(read_all(b""), Ok(Vec::new()));
    }
}
