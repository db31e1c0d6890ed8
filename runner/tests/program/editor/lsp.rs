//! `interstage lsp`, as an editor uses it.

mod client;
mod rubbish;

use serde_json::{Value, json};

use client::{Client, NAME, path, position, slice};

/// A case with varyings, a uniform, and letters outside ASCII.
const TEXT: &str = "\
# é𝄞: a case
[require]
GLSL >= 4.50
size 8 8

[vertex shader]
#version 450
in vec4 piglit_vertex;
out vec2 uv;
flat out int id;
out float unread;
void main() { gl_Position = piglit_vertex; uv = piglit_vertex.xy; id = 3; unread = 1.0; }

[fragment shader]
#version 450
in vec2 uv;
flat in int id;
uniform vec4 tint;
out vec4 color;
void main() { color = vec4(uv, float(id), 1.0) * tint; }

[link]
uv 0.xy
id 1.x
unused unread

[test]
uniform vec4 tint 0 0 0 1
draw rect -1 -1 2 2
probe all rgb 0 0 0
";

/// Each message as `text in the document: message`.
fn shown(text: &str, diagnostics: &[Value]) -> Vec<String> {
    let show = |told: &Value| {
        let message = told["message"].as_str().expect("it is text");
        format!("{}: {message}", slice(text, &told["range"]))
    };
    diagnostics.iter().map(show).collect()
}

#[track_caller]
fn check_messages(text: &str, expect: &[&str]) {
    let mut client = Client::start();
    let found = client.open(NAME, text);
    assert_eq!(shown(text, &found), expect);
    client.finish();
}

#[test]
fn a_right_case_has_no_messages() {
    check_messages(TEXT, &[]);
}

#[test]
fn messages_have_the_ranges_of_the_reader_the_compiler_and_the_linker() {
    check_messages(
        &TEXT.replace("probe all", "probee all"),
        &["probee: unknown command `probee`\nhelp: did you mean `probe`?"],
    );
    check_messages(&TEXT.replace("* tint; }", "/* 𝄞 */ * tnt; }"), &["tnt: `tnt` is not declared"]);
    check_messages(
        &TEXT.replace("in vec2 uv;\nflat", "in vec3 uv;\nflat").replace("vec4(uv,", "vec4(uv.xy,"),
        &["uv: `uv` is vec2 in the vertex stage but vec3 in the fragment stage"],
    );
    check_messages(
        &TEXT.replace("uv 0.xy", "uv 0.zw"),
        &["uv 0.zw: expected  0.zw\nactual    0.xy"],
    );
    let found = TEXT.replace("uniform vec4 tint 0 0 0 1", "uniform vec3 tint 0 0 0");
    let mut client = Client::start();
    let found = shown(&found, &client.open(NAME, &found));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("uniform vec3 tint 0 0 0: "), "{found:?}");
    client.finish();
}

#[test]
fn a_message_of_the_linker_names_the_other_declaration() {
    let text =
        TEXT.replace("in vec2 uv;\nflat", "in vec3 uv;\nflat").replace("vec4(uv,", "vec4(uv.xy,");
    let mut client = Client::start();
    let found = client.open(NAME, &text);
    let related = found[0]["relatedInformation"].as_array().expect("it has some");
    let places: Vec<_> = related
        .iter()
        .map(|other| {
            let range = &other["location"]["range"];
            (range["start"]["line"].as_u64(), slice(&text, range), other["message"].as_str())
        })
        .collect();
    assert_eq!(places, [(Some(8), "uv".to_owned(), Some("vertex stage: `out vec2 uv`"))]);
    // The reader names a line by its number.
    let text = TEXT.replace("size 8 8", "size 8 8\nsize 8 8");
    client.change(NAME, json!([{ "text": text }]));
    let found = client.diagnostics(NAME);
    assert_eq!(found[0]["relatedInformation"][0]["location"]["range"]["start"]["line"], 3);
    client.finish();
}

#[test]
fn expected_errors_are_no_messages() {
    let head = TEXT.split("[link]").next().expect("it has one");
    let wrong =
        head.replace("in vec2 uv;\nflat", "in vec3 uv;\nflat").replace("vec4(uv,", "vec4(uv.xy,");
    check_messages(&format!("{wrong}[test]\nlink error \"`uv` is vec2 in\"\n"), &[]);
    let wrong = head.replace("* tint", "* tnt");
    check_messages(&format!("{wrong}[test]\ncompile error \"`tnt` is not declared\"\n"), &[]);
}

#[test]
fn warnings_are_warnings_and_what_is_not_judged_is_told() {
    let mut client = Client::start();
    let text = "[vertex shader passthrough]\n[test]\nlink success really\n";
    let found = client.open("tests/a.shader_test", text);
    assert_eq!(shown(text, &found), ["really: unexpected `really` at the end of the line"]);
    assert_eq!(found[0]["severity"], 2);
    let text = TEXT.replace("size 8 8", "size 8 8\nGL_MAX_VARYING_COMPONENTS >= 100000");
    let found = client.open(NAME, &text);
    assert_eq!(found[0]["severity"], 3);
    assert!(found[0]["message"].as_str().is_some_and(|told| told.starts_with("skipped: ")));
    client.finish();
}

#[test]
fn a_file_with_parameters_has_each_message_once() {
    let text = format!("[parameters]\nn = 1 2 3\n\n{}", TEXT.replace("uv 0.xy", "uv ${n}.xy"));
    let mut client = Client::start();
    let found = shown(&text, &client.open(NAME, &text));
    assert_eq!(found, ["uv ${n}.xy: expected  1.xy\nactual    0.xy"]);
    let text = text.replace("uv ${n}.xy", "uv ${n - 1}.xy");
    client.change(NAME, json!([{ "text": text }]));
    let found = shown(&text, &client.diagnostics(NAME));
    assert_eq!(found, ["uv ${n - 1}.xy: expected  1.xy\nactual    0.xy\nin `#n=2`, `#n=3`"]);
    client.finish();
}

#[test]
fn scripts_and_wgsl_files_have_the_messages_of_their_readers() {
    let mut client = Client::start();
    let text = "#!amber\nSHADER vertex v PASSTHROUGH\nCLEAR nothing\n";
    let found = client.open("a.amber", text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["range"]["start"]["line"], 2, "{found:?}");
    let text = "@fragment fn main() -> @location(0) vec4f { return vec4g(1.0); }\n";
    let found = client.open("a.wgsl", text);
    assert_eq!(slice(text, &found[0]["range"]), "vec4g", "{found:?}");
    let found = client.open("b.wgsl", &text.replace("vec4g", "vec4f"));
    assert!(found.is_empty(), "{found:?}");
    client.finish();
}

#[test]
fn positions_count_bytes_if_the_client_knows_them() {
    let general = json!({"general": {"positionEncodings": ["utf-16", "utf-8"]}});
    let text = TEXT.replace("* tint; }", "/* 𝄞 */ * tnt; }");
    let column =
        |client: &mut Client| client.open(NAME, &text)[0]["range"]["start"]["character"].as_u64();
    let (mut bytes, answer) = Client::with_capabilities(general);
    assert_eq!(answer["capabilities"]["positionEncoding"], "utf-8");
    let (mut units, answer) = Client::with_capabilities(json!({}));
    assert_eq!(answer["capabilities"]["positionEncoding"], "utf-16");
    assert_eq!(column(&mut bytes), column(&mut units).map(|column| column + 2));
    bytes.finish();
    units.finish();
}

/// The cases of this repository pass on the executor, or list why they do not.
#[test]
fn cases_that_pass_have_no_errors() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases");
    let root = root.canonicalize().expect("it is there");
    let mut client = Client::start();
    let mut wrong = Vec::new();
    let files = super::fmt::files(&root);
    for path in files.iter().step_by(60) {
        let text = std::fs::read_to_string(path).expect("it is text");
        let name = path.to_str().expect("the repository has plain names");
        let mut found = client.open(name, &text);
        // The lenses come after the messages about all cases.
        client.about("textDocument/codeLens", name);
        found.extend(client.further_diagnostics(name));
        found.retain(|told| told["severity"] == 1 || told["severity"] == 2);
        wrong.extend(shown(&text, &found).into_iter().map(|told| format!("{name}: {told}")));
    }
    assert!(files.len() > 1000 && wrong.is_empty(), "{wrong:#?}");
    client.finish();
}

#[test]
fn failures_that_the_case_lists_are_information() {
    let expect = "[expect]\nany fail with \"0.zw\" \"nobody packs so\" https://example.org/1\n";
    let text = format!("{}\n{expect}", TEXT.replace("uv 0.xy", "uv 0.zw"));
    let mut client = Client::start();
    let found = client.open(NAME, &text);
    let told = "uv 0.zw: expected  0.zw\nactual    0.xy\nexpected: nobody packs so";
    assert_eq!(shown(&text, &found), [told]);
    assert_eq!(found[0]["severity"], 3);
    client.change(NAME, json!([{"text": text.replace("\"0.zw\"", "\"1.zw\"")}]));
    assert_eq!(client.diagnostics(NAME)[0]["severity"], 1);
    client.finish();
}

/// The hover text at `what`.
fn hover(client: &mut Client, what: &str) -> Option<String> {
    let found = client.at("textDocument/hover", NAME, position(TEXT, what));
    found["contents"]["value"].as_str().map(str::to_owned)
}

#[test]
fn hover_describes_words_sections_and_places() {
    let mut client = Client::start();
    client.open(NAME, TEXT);
    let check = |client: &mut Client, what: &str, parts: &[&str]| {
        let found = hover(client, what).unwrap_or_else(|| panic!("nothing at {what:?}"));
        for part in parts {
            assert!(found.contains(part), "{part:?} is not in {found:?}");
        }
    };
    check(&mut client, "[require]", &["This section lists what the adapter must provide"]);
    check(&mut client, "GLSL >=", &["`GLSL >= 1.30`", "GLSL version"]);
    check(&mut client, "probe all", &["```text\nprobe [target N]", "every pixel"]);
    check(&mut client, "unused", &["`unused b`", "nothing reads it"]);
    check(&mut client, "uv 0.xy", &["`vec2 uv`: slot `0.xy`; carrier smooth vec2"]);
    check(&mut client, "id 1.x", &["`int id`: slot `1.x`; carrier flat int"]);
    check(&mut client, "unread\n", &["out float unread", "removed, because nothing reads it"]);
    check(&mut client, "uv;\nflat in", &["in vec2 uv", "slot `0.xy`"]);
    check(&mut client, "tint 0", &["fragment stage: `uniform vec4 tint`"]);
    assert_eq!(hover(&mut client, "é"), None);
    assert_eq!(hover(&mut client, "gl_Position"), None);
    client.finish();
}

#[test]
fn hover_names_the_interface_where_a_program_has_several() {
    let text = "\
[vertex shader]
#version 450
in vec4 piglit_vertex;
out vec3 v;
void main() { gl_Position = piglit_vertex; v = piglit_vertex.xyz; }

[geometry shader]
#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in vec3 v[];
out vec3 w;
void main() { for (int i = 0; i < 3; i++) { gl_Position = gl_in[i].gl_Position; w = v[i]; EmitVertex(); } }

[fragment shader]
#version 450
in vec3 w;
out vec4 color;
void main() { color = vec4(w, 1.0); }

[link]
w 0.xyz
";
    let mut client = Client::start();
    assert_eq!(shown(text, &client.open(NAME, text)), [""; 0]);
    let mut hover = |what: &str| {
        let found = client.at("textDocument/hover", NAME, position(text, what));
        found["contents"]["value"].as_str().map(str::to_owned).unwrap_or_default()
    };
    let found = hover("v[i]");
    assert!(found.contains("vertex to geometry: `vec3 v`: slot `0.xyz`"), "{found}");
    let found = hover("w 0");
    assert!(
        found.contains("geometry to fragment: `vec3 w`: slot `0.xyz`; carrier smooth vec3"),
        "{found}"
    );
    client.finish();
}

/// Lines of the definitions of what is at `what`.
fn definitions(client: &mut Client, text: &str, what: &str) -> Vec<u64> {
    let found = client.at("textDocument/definition", NAME, position(text, what));
    let found = found.as_array().expect("it is a list").clone();
    let line = |place: &Value| place["range"]["start"]["line"].as_u64().expect("it is a number");
    found.iter().map(line).collect()
}

#[test]
fn definitions_are_declarations_outputs_and_sections() {
    let mut client = Client::start();
    client.open(NAME, TEXT);
    assert_eq!(definitions(&mut client, TEXT, "uv 0.xy"), [8, 15]);
    assert_eq!(definitions(&mut client, TEXT, "tint 0"), [17]);
    assert_eq!(definitions(&mut client, TEXT, "uv, float"), [8]);
    assert_eq!(definitions(&mut client, TEXT, "uv;\nflat in"), [8]);
    assert_eq!(definitions(&mut client, TEXT, "tint; }"), [17]);
    assert_eq!(definitions(&mut client, TEXT, "piglit_vertex.xy"), [7]);
    assert_eq!(definitions(&mut client, TEXT, "GLSL"), [0; 0]);
    let data = format!("{TEXT}\n[vertex data]\npiglit_vertex/float/vec2\n-1 -1\n");
    client.change(NAME, json!([{ "text": data }]));
    assert_eq!(definitions(&mut client, &data, "piglit_vertex/"), [7]);
    // A stage that does not compile has the declarations that its words show.
    let broken = TEXT.replace("* tint; }", "* ; }");
    client.change(NAME, json!([{ "text": broken }]));
    assert_eq!(definitions(&mut client, &broken, "uv 0.xy"), [8, 15]);
    client.finish();
}

#[test]
fn names_of_stages_lead_to_their_sections() {
    let text = TEXT
        .replace("[vertex shader]", "[vertex shader low]")
        .replace("[fragment shader]", "[fragment shader both]")
        .replace("draw rect", "use low both\ndraw rect");
    let mut client = Client::start();
    client.open(NAME, &text);
    assert_eq!(definitions(&mut client, &text, "low both"), [5]);
    assert_eq!(definitions(&mut client, &text, "both\ndraw"), [13]);
    client.finish();
}

#[test]
fn varyings_of_wgsl_lead_to_the_output_at_their_location() {
    let text = "\
[vertex shader wgsl]
struct Out { @builtin(position) position: vec4f, @location(2) written: vec2f }
@vertex fn main(piglit_vertex: vec4f) -> Out { return Out(piglit_vertex, vec2f(0.25, 0.75)); }

[fragment shader wgsl]
@fragment fn main(@location(2) read: vec2f) -> @location(0) vec4f { return vec4f(read, 0, 1); }

[link]
read 2.xy
";
    let mut client = Client::start();
    let found = client.open(NAME, text);
    assert_eq!(shown(text, &found), [""; 0]);
    assert_eq!(definitions(&mut client, text, "read, 0"), [1]);
    assert_eq!(definitions(&mut client, text, "read 2"), [5]);
    client.finish();
}

/// Labels of the completions behind `typed`, which ends the document.
fn completions(client: &mut Client, text: &str) -> Vec<(String, String)> {
    client.change(NAME, json!([{ "text": text }]));
    let line = text.rsplit('\n').next().unwrap_or_default();
    let position = json!({"line": text.matches('\n').count(), "character": line.len()});
    let found = client.at("textDocument/completion", NAME, position);
    let part = |item: &Value, name: &str| item[name].as_str().unwrap_or_default().to_owned();
    let found = found.as_array().expect("it is a list").iter();
    found.map(|item| (part(item, "label"), part(item, "detail"))).collect()
}

#[test]
fn completions_are_headers_and_the_words_of_the_section() {
    let mut client = Client::start();
    client.open(NAME, TEXT);
    let has = |found: &[(String, String)], label: &str, detail: &str| {
        found.iter().any(|(known, usage)| known == label && usage == detail)
    };
    let found = completions(&mut client, &format!("{TEXT}\n["));
    assert!(
        has(&found, "[vertex shader passthrough]", "") && has(&found, "[test]", ""),
        "{found:?}"
    );
    let found = completions(&mut client, &format!("{TEXT}probe d"));
    assert_eq!(found, [("probe depth".to_owned(), "probe depth x y z".to_owned())]);
    let found = completions(&mut client, "[require]\n");
    assert!(has(&found, "size", "size W H") && !has(&found, "probe", ""), "{found:?}");
    let found = completions(&mut client, "[link]\nsl");
    assert_eq!(found, [("slots".to_owned(), "slots 3".to_owned())]);
    let found = completions(&mut client, "[test]\nprobe atomic ");
    let usage = "probe atomic counter INDEX OPERATOR value, or probe atomic counter buffer N OFFSET OPERATOR value";
    assert_eq!(found, [("probe atomic counter".to_owned(), usage.to_owned())]);
    assert_eq!(completions(&mut client, "[link]\nslots "), []);
    assert_eq!(completions(&mut client, "[vertex shader]\n"), []);
    assert_eq!(completions(&mut client, "pro"), []);
    client.finish();
}

#[test]
fn sections_are_symbols_and_formatting_is_that_of_fmt() {
    let mut client = Client::start();
    let text = "[ require ]\nGLSL   >= 4.50\n[vertex shader passthrough]\n[test]\nlink success\n";
    client.open(NAME, text);
    let found = client.about("textDocument/documentSymbol", NAME);
    let names: Vec<_> = found
        .as_array()
        .expect("it is a list")
        .iter()
        .map(|symbol| symbol["name"].as_str())
        .collect();
    assert_eq!(names, [Some("[require]"), Some("[vertex shader passthrough]"), Some("[test]")]);
    let edits = client.about("textDocument/formatting", NAME);
    assert_eq!(slice(text, &edits[0]["range"]), text);
    let formatted =
        "[require]\nGLSL >= 4.50\n\n[vertex shader passthrough]\n\n[test]\nlink success\n";
    assert_eq!(edits[0]["newText"], formatted);
    client.change(NAME, json!([{ "text": formatted }]));
    assert_eq!(client.about("textDocument/formatting", NAME), json!([]));
    client.finish();
}

#[test]
fn changes_of_parts_apply_in_order_and_the_last_version_counts() {
    let mut client = Client::start();
    client.open(NAME, TEXT);
    // Each key changes one letter, as fast as the pipe takes it.
    for number in 0..200 {
        let start = position(TEXT, "probe all");
        let end = json!({"line": start["line"], "character": 1});
        let letter = if number % 2 == 0 { "x" } else { "p" };
        client.change(NAME, json!([{"range": {"start": start, "end": end}, "text": letter}]));
    }
    assert_eq!(shown(TEXT, &client.diagnostics(NAME)), [""; 0]);
    let start = position(TEXT, "probe all");
    let insert = |text: &str| json!({"range": {"start": start, "end": start}, "text": text});
    client.change(NAME, json!([insert("é"), insert("ab")]));
    let found = client.diagnostics(NAME);
    assert!(
        found[0]["message"]
            .as_str()
            .is_some_and(|told| told.starts_with("unknown command `abéprobe`")),
        "{found:?}"
    );
    client.finish();
}

#[test]
fn a_closed_document_has_no_messages() {
    let mut client = Client::start();
    client.open(NAME, "[tset]\n");
    let uri = client.uri(NAME);
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    let is_empty = |message: &Value| message["params"]["diagnostics"] == json!([]);
    client.wait(is_empty);
    client.finish();
}

/// Runs what the first lens with this title says, and returns the message about it.
fn run(client: &mut Client, title: &str) -> String {
    let lenses = client.about("textDocument/codeLens", NAME);
    let lenses = lenses.as_array().expect("it is a list");
    let lens = lenses.iter().find(|lens| lens["command"]["title"] == title);
    let command =
        lens.unwrap_or_else(|| panic!("{title:?} is not among {lenses:?}"))["command"].clone();
    let params = json!({"command": command["command"], "arguments": command["arguments"]});
    assert_eq!(client.request("workspace/executeCommand", params)["result"], Value::Null);
    let message = client.wait(|message| message["method"] == "window/showMessage");
    message["params"]["message"].as_str().expect("it is text").to_owned()
}

#[test]
fn a_lens_runs_the_case_and_shows_what_failed() {
    let mut client = Client::start();
    client.save(NAME, TEXT);
    client.open(NAME, TEXT);
    assert_eq!(run(&mut client, "Run this case"), format!("PASS {NAME}"));
    assert_eq!(client.diagnostics(NAME), [Value::Null; 0]);
    let wrong = TEXT.replace("probe all rgb 0 0 0", "probe all rgb 1 0 0");
    client.save(NAME, &wrong);
    client.change(NAME, json!([{ "text": wrong }]));
    client.diagnostics(NAME);
    assert!(run(&mut client, "Run this case").starts_with(&format!("FAIL {NAME}: ")));
    let found = client.diagnostics(NAME);
    assert_eq!(found[0]["source"], "interstage run");
    assert!(shown(&wrong, &found)[0].starts_with("probe all rgb 1 0 0: "), "{found:?}");
    // A change may move the line, so that the message goes.
    client.change(NAME, json!([{ "text": format!("# x\n{wrong}") }]));
    assert_eq!(client.diagnostics(NAME), [Value::Null; 0]);
    let told = run(&mut client, "Run this case");
    assert!(told.contains("the run used the saved file"), "{told}");
    client.finish();
}

#[test]
fn each_case_of_a_file_has_a_lens() {
    let mut client = Client::start();
    let text = format!(
        "[parameters]\nn = 1 2\n\n{}",
        TEXT.replace("probe all rgb 0 0 0", "probe all rgb 0 0 ${n - 1}")
    );
    client.save(NAME, &text);
    client.open(NAME, &text);
    assert_eq!(run(&mut client, "Run n=1"), format!("PASS {NAME}#n=1"));
    client.diagnostics(NAME);
    let told = run(&mut client, "Run all 2 cases");
    let file = path(client.folder.path(), NAME);
    assert!(told.starts_with(&format!("{file}: 1 of 2 cases failed\nFAIL {NAME}#n=2")), "{told}");
    let found = shown(&text, &client.diagnostics(NAME));
    assert!(
        found[0].starts_with("probe all rgb 0 0 ${n - 1}: ") && found[0].ends_with("in `#n=2`"),
        "{found:?}"
    );
    client.finish();
}

#[test]
fn a_run_that_cannot_begin_is_told() {
    let mut client = Client::start();
    let params = json!({"command": "interstage.run", "arguments": ["/nonexistent.shader_test"]});
    assert_eq!(client.request("workspace/executeCommand", params)["result"], Value::Null);
    let told = client.wait(|message| message["method"] == "window/showMessage");
    let told = told["params"]["message"].as_str().expect("it is text");
    assert!(told.contains("no such file, folder or case"), "{told}");
    client.finish();
}

/// The extension for Visual Studio Code reads settings that its manifest declares, and starts the server.
#[test]
fn the_extension_and_its_manifest_agree() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/editors");
    let manifest = std::fs::read_to_string(folder.join("package.json")).expect("it is there");
    let manifest: Value = serde_json::from_str(&manifest).expect("it is JSON");
    let main = manifest["main"].as_str().expect("it has code");
    let code = std::fs::read_to_string(folder.join(main)).expect("it is there");
    let declared = manifest["contributes"]["configuration"]["properties"].as_object();
    let mut declared: Vec<_> = declared.expect("it has settings").keys().cloned().collect();
    let named = code.split("settings.get(\"").skip(1).filter_map(|rest| rest.split('"').next());
    let mut named: Vec<_> = named.map(|name| format!("interstage.{name}")).collect();
    declared.sort();
    named.sort();
    assert_eq!(named, declared);
    assert!(manifest["dependencies"]["vscode-languageclient"].is_string());
    let language = manifest["contributes"]["languages"][0]["id"].as_str().expect("it has one");
    assert!(code.contains(&format!("language: \"{language}\"")), "{language}");
    assert!(code.contains("\"lsp\""));
}
