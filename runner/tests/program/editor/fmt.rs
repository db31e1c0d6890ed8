//! `interstage fmt`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use interstage::case::Dialect;
use interstage_runner::command::fmt::format_text;

use crate::{Run, folder, interstage, program};

/// A case that is not formatted, with CRLF and a continued line.
const ROUGH: &str = "\r\n# why\r\n[ require ]  # this\r\nGLSL  >=   1.30\r\n\r\n\r\n[vertex shader passthrough]\r\n[fragment shader]\r\n#version 130\r\n#define RED \\\r\n    vec4(1.0,   0.0, 0.0, 1.0)  \r\nout vec4 color;\r\nvoid main() { color = RED; }\r\n\r\n\r\n[test]\r\ndraw   rect -1 -1  2 2 # all  of it\r\nprobe all\trgba (1,  0, 0, 1)";

/// The same case, formatted.
const FORMATTED: &str = "# why\n[require] # this\nGLSL >= 1.30\n\n[vertex shader passthrough]\n\n[fragment shader]\n#version 130\n#define RED \\\n    vec4(1.0,   0.0, 0.0, 1.0)\nout vec4 color;\nvoid main() { color = RED; }\n\n[test]\ndraw rect -1 -1 2 2 # all of it\nprobe all rgba (1, 0, 0, 1)\n";

/// A case that is formatted.
const WELL: &str = "[vertex shader passthrough]\n\n[test]\nlink success\n";

fn read(folder: &Path, name: &str) -> String {
    String::from_utf8(std::fs::read(folder.join(name)).expect("it is there")).expect("it is text")
}

fn formatted() -> String {
    // Comments stay as written.
    FORMATTED.replace("# all of it", "# all  of it")
}

#[test]
fn files_are_formatted_and_said_to_be() {
    let folder = folder(&[("cases/a.shader_test", ROUGH), ("cases/b.shader_test", WELL)]);
    let check = interstage(folder.path(), &["fmt", "--check", "cases"]);
    assert_eq!(check.text(), "cases/a.shader_test:1: not formatted\nexit code 1\n");
    assert_eq!(read(folder.path(), "cases/a.shader_test"), ROUGH);
    let run = interstage(folder.path(), &["fmt", "cases"]);
    assert_eq!(run.text(), "formatted cases/a.shader_test\nexit code 0\n");
    assert_eq!(read(folder.path(), "cases/a.shader_test"), formatted());
    for arguments in [["fmt", "cases"].as_slice(), &["fmt", "--check", "cases"]] {
        assert_eq!(interstage(folder.path(), arguments).text(), "exit code 0\n");
    }
}

fn fmt_stdin(arguments: &[&str], input: &[u8]) -> Run {
    let folder = folder(&[("interstage.toml", "")]);
    let mut command = program(folder.path());
    command.arg("fmt").args(arguments).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program was built");
    child.stdin.take().expect("it is piped").write_all(input).expect("it reads all");
    let output = child.wait_with_output().expect("it is ours");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Run { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

#[test]
fn stdin_is_formatted_to_stdout() {
    let run = fmt_stdin(&["-"], ROUGH.as_bytes());
    assert_eq!((run.code, run.stdout), (Some(0), formatted()));
    let run = fmt_stdin(&["-", "--check"], ROUGH.as_bytes());
    assert_eq!(run.text(), "stdin is not formatted\nexit code 1\n");
    assert_eq!(fmt_stdin(&["-", "--check"], formatted().as_bytes()).text(), "exit code 0\n");
    let run = fmt_stdin(&["-"], b"[tset]\n");
    assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""));
    assert!(run.stderr.contains("stdin:1:1"), "{}", run.stderr);
    let run = fmt_stdin(&["-", "a.shader_test"], b"");
    assert_eq!(run.code, Some(3), "{}", run.stderr);
}

#[track_caller]
fn check_unchanged(name: &str, bytes: &[u8], told: &str) {
    let folder = folder(&[("interstage.toml", "")]);
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("the folder is ours");
    for arguments in [["fmt", name].as_slice(), &["fmt", "--check", name]] {
        let run = interstage(folder.path(), arguments);
        assert_eq!(run.code, Some(3), "{}", run.text());
        assert!(run.stderr.contains(told), "{}", run.stderr);
        assert_eq!(std::fs::read(&path).expect("it is there"), bytes);
    }
}

#[test]
fn what_is_no_case_is_told_with_its_place_and_stays_as_it_is() {
    check_unchanged("a.shader_test", b"[test]\nlink   success\nprobee  all\n", "a.shader_test:3:1");
    check_unchanged("a.shader_test", b"[test]\n@for i in  0..2\nclear\n", "a.shader_test:2:1");
    check_unchanged("a.shader_test", b"", "the file is empty");
    check_unchanged(
        "a.shader_test",
        b"[test]\nlink  \xff\n",
        "a.shader_test:2:7: error: this is not UTF-8",
    );
    check_unchanged(
        "a.shader_test",
        b"\xef\xbb\xbf[test]\nlink  success\n",
        "a.shader_test:1:1: error: the file begins with a byte order mark",
    );
    check_unchanged("a.amber", b"#!amber\n", "a.amber: not a case file");
    check_unchanged("a.wgsl", b"\n", "a.wgsl: not a case file");
    check_unchanged("a.vkscript", b"[test]\n", "a.vkscript: not a case file");
}

#[test]
fn files_that_cannot_be_read_or_written_are_told() {
    let folder =
        folder(&[("cases/a.shader_test", ROUGH), ("cases/b.shader_test", ROUGH), ("w/a.wgsl", "")]);
    let path = folder.path().join("cases/a.shader_test");
    let mut permissions = std::fs::metadata(&path).expect("it is there").permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).expect("it is ours");
    let run = interstage(folder.path(), &["fmt", "cases"]);
    assert_eq!(run.code, Some(3));
    assert_eq!(run.stderr, "error: cases/a.shader_test: the file is read-only\n");
    assert_eq!(run.stdout, "formatted cases/b.shader_test\n");
    assert_eq!(read(folder.path(), "cases/a.shader_test"), ROUGH);
    let missing = interstage(folder.path(), &["fmt", "cases/c.shader_test"]);
    assert_eq!(missing.code, Some(3));
    assert!(missing.stderr.contains("no such file, folder or case"), "{}", missing.stderr);
    let none = interstage(folder.path(), &["fmt", "w"]);
    assert_eq!(
        none.text(),
        "error: no case files found: only `*.shader_test` is formatted\nexit code 3\n"
    );
    assert_eq!(interstage(folder.path(), &["fmt"]).code, Some(3));
}

#[track_caller]
fn check_odd(text: &str, formatted: &str) {
    let once = fmt_stdin(&["-"], text.as_bytes());
    assert_eq!((once.code, once.stdout.as_str()), (Some(0), formatted), "{}", once.stderr);
    let twice = fmt_stdin(&["-"], formatted.as_bytes());
    assert_eq!(twice.stdout, formatted);
}

#[test]
fn odd_texts_are_formatted_once() {
    check_odd(
        "[vertex shader passthrough]\n\n\n\n[test]\n\n\nlink success\n\n\n",
        "[vertex shader passthrough]\n\n[test]\n\nlink success\n",
    );
    check_odd(
        "[parameters]\nn = 1  2\n[vertex shader passthrough]\n[test]\n@for i in  0..1\n  link   success # ${n  + 1}\n@end",
        "[parameters]\nn = 1  2\n\n[vertex shader passthrough]\n\n[test]\n@for i in  0..1\n  link success # ${n  + 1}\n@end\n",
    );
    check_odd(
        "[fragment shader]\n#define A \\  \n#define B \\\r\n\r\nvoid main() {}\n[vertex shader passthrough]\n[test]\nlink success # x\\ ",
        "[fragment shader]\n#define A \\  \n#define B \\\n\nvoid main() {}\n\n[vertex shader passthrough]\n\n[test]\nlink success # x\\\n",
    );
    let refused = fmt_stdin(&["-"], b"[vertex shader passthrough][test]\n");
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(3), ""));
    assert!(refused.stderr.contains("stdin:1:"), "{}", refused.stderr);
}

/// Blanks that are added to a case where they have no meaning are removed.
#[test]
fn added_blanks_are_removed_from_every_case() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../cases");
    let mut count = 0;
    for path in files(&root).iter().step_by(25) {
        let text = std::fs::read_to_string(path).expect("it is text");
        let name = path.to_str().expect("the repository has plain names");
        let with_lines = text.replace("\n\n[", "\n\n\n\n[");
        let is_joined = |line: &str| line.ends_with('\\');
        let with_ends = with_lines.lines().map(|line| {
            if is_joined(line) { format!("{line}\r\n") } else { format!("{line} \t\r\n") }
        });
        let rough = format!("{}\n\n", with_ends.collect::<String>());
        let formatted = format_text(name, &rough, Dialect::Interstage);
        assert_eq!(formatted.as_ref(), Ok(&text), "{name}");
        count += 1;
    }
    assert!(count > 40, "{count} cases");
}

/// All case files below a folder, sorted.
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("it is a folder") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "shader_test") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The cases of this repository are the reference of the style.
#[test]
fn the_cases_of_this_repository_are_formatted() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    // The templates of `interstage new` are beside its code.
    let run = interstage(&root, &["fmt", "--check", "cases", "runner/src/command/new"]);
    assert_eq!(run.text(), "exit code 0\n", "run `interstage fmt` with these paths");
}
