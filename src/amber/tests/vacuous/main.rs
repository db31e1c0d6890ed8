//! Checks that readers refuse cases and scripts that are made vacuous in one way each.
//!
//! Every way in [`WAYS`] is tried on the first files that a change applies to: 200 changed files in all. The unchanged
//! files must be accepted, so that the change is the reason for the refusal.

mod changes;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use case::Dialect;
use case::parse::{CaseError, Files, Picture, UnreadCase, parse};
use case::vacuous::WAYS;

use changes::{CHANGES, Change, Kind};

/// Files that each change is tried on.
const TRIES: usize = 8;

/// A case or script.
struct Text {
    path: String,
    kind: Kind,
    content: String,
}

/// The files next to a script.
struct Beside<'a>(&'a Path);

impl Files for Beside<'_> {
    fn bytes(&self, path: &str) -> Result<Vec<u8>, String> {
        std::fs::read(self.0.join(path)).map_err(|error| error.to_string())
    }

    fn picture(&self, _: &str) -> Result<Picture, String> {
        Err("no picture is decoded here".to_owned())
    }
}

#[test]
fn two_hundred_vacuous_files_are_refused() {
    let texts = texts();
    let (mut tried, mut accepted) = (0, Vec::new());
    for change in CHANGES {
        let changed = texts.iter().filter(|text| text.kind == change.kind);
        let changed = changed.filter_map(|text| Some((text, (change.apply)(&text.content)?)));
        let right = changed.filter(|(text, _)| errors(text, &text.content).is_none());
        let mut count = 0;
        for (text, vacuous) in right.take(TRIES) {
            count += 1;
            accepted.extend(unnoticed(change, text, &vacuous));
        }
        assert!(count > 0, "`{}` applies to no file", change.name);
        tried += count;
    }
    assert!(accepted.is_empty(), "{}", accepted.join("\n"));
    assert!(tried >= 200, "only {tried} files were tried");
}

#[test]
fn every_way_is_tried() {
    let tried: BTreeSet<&str> = CHANGES.iter().map(|change| change.way).collect();
    let all: BTreeSet<&str> = WAYS.iter().map(|way| way.name).collect();
    assert_eq!(tried, all);
}

/// The problem if the changed text is not refused with the message of the change.
fn unnoticed(change: &Change, text: &Text, vacuous: &str) -> Option<String> {
    let found = errors(text, vacuous).unwrap_or_else(|| "accepted".to_owned());
    let (name, path) = (change.name, &text.path);
    (!found.contains(change.message)).then(|| format!("`{name}` in {path}: {found}"))
}

/// The messages about a text, in the format of its reader; `None` if it is accepted.
fn errors(text: &Text, content: &str) -> Option<String> {
    let folder = Path::new(&text.path).parent().unwrap_or(Path::new(""));
    let parsed = match text.kind {
        Kind::Case => parse(&text.path, content.as_bytes(), Dialect::Interstage),
        Kind::Amber | Kind::VkScript => {
            let unread = UnreadCase::of_script(&text.path, content.as_bytes(), amber::read_case);
            vec![unread.read_with(&Beside(folder))]
        }
    };
    let told = |error: &CaseError| match error {
        CaseError::Unsupported { word, .. } => format!("unsupported: {word}"),
        CaseError::Excluded { reason } => format!("excluded: {reason}"),
        CaseError::Broken(errors) => {
            assert!(errors.iter().all(|error| error.span.is_some()), "{errors:?}");
            errors.iter().map(|error| error.message.as_str()).collect::<Vec<_>>().join("; ")
        }
    };
    parsed.iter().find_map(|case| case.result.as_ref().err().map(told))
}

/// All cases without parameters and all scripts, by name.
fn texts() -> Vec<Text> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.sort();
    let read = |path: PathBuf| {
        let kind = match path.extension()?.to_str()? {
            "shader_test" => Kind::Case,
            "amber" => Kind::Amber,
            "vkscript" | "vk_shader_test" => Kind::VkScript,
            _ => return None,
        };
        let content = std::fs::read_to_string(&path).ok()?;
        (!content.contains("[parameters]")).then(|| Text {
            path: path.to_string_lossy().into_owned(),
            kind,
            content,
        })
    };
    paths.into_iter().filter_map(read).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
        let path = entry.path();
        if path.is_dir() { collect(&path, paths) } else { paths.push(path) }
    }
}
