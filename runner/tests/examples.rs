//! Every example of a case in the documentation is a valid case and passes. Program output in the documentation is
//! correct.

use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn every_example_passes() {
    let folder = tempfile::tempdir().expect("the system has room for temporary files");
    let cases = folder.path().join("cases");
    std::fs::create_dir(&cases).expect("the folder is ours");
    let mut count = 0;
    for page in pages() {
        for (line, text) in examples(&read(&page)) {
            let name = format!("{}_line_{line}.shader_test", page.replace(['/', '.'], "_"));
            std::fs::write(cases.join(name), text).expect("the folder is ours");
            count += 1;
        }
    }
    assert!(count > 10, "the pages have {count} examples");
    let output = Command::new(env!("CARGO_BIN_EXE_interstage"))
        .arg("run")
        .arg(&cases)
        .output()
        .expect("the program was built");
    let text = String::from_utf8_lossy(&output.stdout);
    let totals = text.lines().last().unwrap_or_default();
    assert!(totals.ends_with(" passed, 0 failed, 0 skipped"), "{text}");
    assert!(output.status.success(), "{text}");
}

/// The output of `interstage inspect` on documentation pages is correct, up to a line that is `…`.
#[test]
fn inspect_prints_what_the_pages_show() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut compared = 0;
    for page in ["README.md", "docs/blocks.md", "docs/link-maps.md"] {
        let text = read(page);
        for shown in text.split("```text\n$ interstage inspect ").skip(1) {
            let shown = shown.split("```").next().unwrap_or_default();
            let (case, lines) = shown.split_once('\n').expect("a command and its output");
            let expected = lines.split("\n…").next().unwrap_or_default();
            let output = Command::new(env!("CARGO_BIN_EXE_interstage"))
                .args(["inspect", case.trim_matches('\'')])
                .current_dir(&root)
                .output()
                .expect("the program was built");
            let printed = String::from_utf8_lossy(&output.stdout);
            assert!(printed.starts_with(expected), "{page}: {case} prints\n{printed}");
            compared += 1;
        }
    }
    assert_eq!(compared, 8);
}

/// Pages of the documentation, as paths from the repository; their examples are fenced as `shader_test`.
fn pages() -> Vec<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut pages = vec!["README.md".to_owned()];
    for folder in ["docs", "docs/format"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("the folder is there").flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let markdown =
            names.filter(|name| Path::new(name).extension().is_some_and(|it| it == "md"));
        pages.extend(markdown.map(|name| format!("{folder}/{name}")));
    }
    pages.sort();
    pages
}

/// Line and text of every fenced case. A case inside a list has the indentation of its fence.
fn examples(page: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut lines = page.lines().zip(1..);
    while let Some((fence, line)) = lines.next() {
        let Some(indent) = fence.strip_suffix("```shader_test") else { continue };
        let inside = lines.by_ref().take_while(|(text, _)| text.trim() != "```");
        let text = inside.map(|(text, _)| text.strip_prefix(indent).unwrap_or(text));
        found.push((line, text.collect::<Vec<_>>().join("\n") + "\n"));
    }
    found
}

fn read(page: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(Path::new(page));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
