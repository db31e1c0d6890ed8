//! Input that no editor sends: it ends the server with a message and an exit code, and never with a panic.

use serde_json::{Value, json};

use super::client::{Client, NAME};

/// The exit code and the last line of stderr after `bytes`, before `initialize`.
#[track_caller]
fn check(bytes: &[u8], code: i32, message: &str) {
    let folder = tempfile::tempdir().expect("the system has room for temporary files");
    let mut client = Client::in_folder(folder);
    client.send_bytes(bytes);
    let (found, stderr) = client.end();
    let last = stderr.lines().last().unwrap_or_default();
    assert_eq!((found, last), (Some(code), message), "{stderr}");
    assert_eq!(stderr.lines().count(), usize::from(!message.is_empty()), "{stderr}");
}

#[test]
fn rubbish_ends_the_server_with_a_message() {
    let header = "error: malformed header:";
    check(b"hello\r\n\r\n", 3, &format!("{header} `hello` is not `NAME: VALUE`"));
    check(b"A: b\r\n\r\n{}", 3, &format!("{header} `Content-Length` is missing"));
    check(
        b"Content-Length: 99999999999999\r\n\r\n{}",
        3,
        &format!("{header} `Content-Length: 99999999999999` is more than 67108864"),
    );
    check(
        b"Content-Length: 99999999999999999999\r\n\r\n{}",
        3,
        &format!("{header} `Content-Length: 99999999999999999999` is not a number"),
    );
    check(
        b"Content-Length: -1\r\n\r\n",
        3,
        &format!("{header} `Content-Length: -1` is not a number"),
    );
    check(b"Content-Length: 9\r\n\r\n{}", 3, "error: the input ends inside a message");
    let json = "error: malformed JSON:";
    check(
        b"Content-Length: 2\r\n\r\n{x",
        3,
        &format!("{json} key must be a string at line 1 column 2"),
    );
    check(
        b"Content-Length: 2\r\n\r\n\xff\xff",
        3,
        &format!("{json} expected value at line 1 column 1"),
    );
    check(&[0; 100], 3, "error: the input ends inside a message");
    check(b"", 3, "error: the input ended without `exit`");
}

#[test]
fn a_length_that_is_too_small_ends_the_server() {
    let mut client = Client::start();
    client.send_bytes(b"Content-Length: 10\r\n\r\n{\"method\":\"exit\",\"jsonrpc\":\"2.0\"}");
    let answer = client.wait(|message| message["error"]["code"] == -32700);
    assert_eq!(answer["id"], Value::Null);
    let (code, stderr) = client.end();
    assert_eq!(code, Some(3));
    assert!(stderr.starts_with("error: malformed JSON: "), "{stderr}");
}

#[test]
fn requests_have_their_time() {
    let folder = tempfile::tempdir().expect("the system has room for temporary files");
    let mut client = Client::in_folder(folder);
    let code = |answer: Value| answer["error"]["code"].as_i64();
    client.notify("textDocument/didOpen", json!({"rubbish": true}));
    assert_eq!(code(client.request("textDocument/hover", json!({}))), Some(-32002));
    assert_eq!(code(client.request("shutdown", Value::Null)), Some(-32002));
    let first = client.request("initialize", json!({"capabilities": {}}));
    assert_eq!(first["result"]["serverInfo"]["name"], "interstage");
    assert_eq!(code(client.request("initialize", json!({"capabilities": {}}))), Some(-32600));
    assert_eq!(code(client.request("textDocument/rename", json!({}))), Some(-32601));
    assert_eq!(code(client.request("$/unknown", json!({}))), Some(-32601));
    assert_eq!(code(client.request("textDocument/hover", json!({}))), Some(-32602));
    assert_eq!(code(client.request("textDocument/hover", Value::Null)), Some(-32602));
    let unknown =
        json!({"textDocument": {"uri": "file:///x"}, "position": {"line": 0, "character": 0}});
    assert_eq!(code(client.request("textDocument/hover", unknown)), Some(-32602));
    let command = json!({"command": "rm", "arguments": []});
    assert_eq!(code(client.request("workspace/executeCommand", command)), Some(-32602));
    let command = json!({"command": "interstage.run", "arguments": [7]});
    assert_eq!(code(client.request("workspace/executeCommand", command)), Some(-32602));
    client.send(&json!([1, 2]));
    let batch = client.wait(|message| message["id"].is_null() && message.get("error").is_some());
    assert_eq!(code(batch), Some(-32600));
    assert_eq!(client.request("shutdown", Value::Null)["result"], Value::Null);
    assert_eq!(code(client.request("textDocument/hover", json!({}))), Some(-32600));
    assert_eq!(code(client.request("shutdown", Value::Null)), Some(-32600));
    client.notify("exit", Value::Null);
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn exit_without_shutdown_is_a_failure() {
    let mut client = Client::start();
    client.notify("exit", Value::Null);
    assert_eq!(client.end(), (Some(1), String::new()));
    let folder = tempfile::tempdir().expect("the system has room for temporary files");
    let mut client = Client::in_folder(folder);
    client.notify("exit", Value::Null);
    assert_eq!(client.end(), (Some(1), String::new()));
}

#[test]
fn wrong_notifications_are_told_and_change_nothing() {
    let mut client = Client::start();
    client.notify("textDocument/didChange", json!({"contentChanges": []}));
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": "file:///x"}}));
    client.notify("$/cancelRequest", json!({"id": 1.5}));
    client.notify("$/cancelRequest", json!({"id": 99}));
    client.notify("workspace/unknown", json!(["x"]));
    let found = client.open(NAME, "[tset]\n");
    assert_eq!(found[0]["message"], "unknown section `[tset]`\nhelp: did you mean `test`?");
    assert_eq!(client.request("shutdown", Value::Null)["result"], Value::Null);
    client.notify("exit", Value::Null);
    let (code, stderr) = client.end();
    assert_eq!(code, Some(0));
    let lines: Vec<_> = stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{stderr}");
    assert!(
        lines[0].starts_with("interstage lsp: textDocument/didChange: invalid parameters: "),
        "{stderr}"
    );
    assert_eq!(lines[1], "interstage lsp: textDocument/didClose: the document is not open");
}

/// Texts and positions that are wrong in every way give answers.
#[test]
fn no_text_and_no_position_ends_the_server() {
    let mut client = Client::start();
    let deep = format!(
        "[fragment shader]\nvoid main() {{ {}1{}; }}\n[test]\nlink success\n",
        "(".repeat(5000),
        ")".repeat(5000)
    );
    let texts = [
        "",
        "[",
        "[]",
        "[test",
        "${",
        "[parameters]\n",
        "[test]\n@for i in 0..1000000000\n@end",
        "\u{feff}[test]\n",
        "[vertex shader]\r\n\r",
        "[test]\r[link]\r",
        "\0",
        &deep,
    ];
    for (number, text) in texts.iter().enumerate() {
        let name = format!("cases/{number}.shader_test");
        client.open(&name, text);
        for (line, character) in [(0, 0), (0, 1), (1, 3), (u32::MAX, u32::MAX)] {
            let position = json!({"line": line, "character": character});
            for method in ["hover", "definition", "completion"] {
                client.at(&format!("textDocument/{method}"), &name, position.clone());
            }
            let range = json!({"start": position, "end": {"line": 0, "character": 0}});
            client.change(&name, json!([{"range": range, "text": "x"}]));
            client.diagnostics(&name);
        }
        for method in ["documentSymbol", "codeLens", "formatting"] {
            client.about(&format!("textDocument/{method}"), &name);
        }
    }
    client.finish();
}
