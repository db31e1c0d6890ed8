//! Stages in the languages of other APIs, written to files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use expect_test::expect;
use interstage_runner::files::case_file;

use crate::interstage;

/// Number of files per folder.
const FILES: usize = 3;

fn cases() -> PathBuf {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases");
    cases.canonicalize().expect("the project's cases")
}

/// The first case of a few files in every folder of cases.
fn sample() -> Vec<String> {
    let mut folders: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    let mut waiting = vec![cases()];
    while let Some(folder) = waiting.pop() {
        for entry in folder.read_dir().expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|it| it == case_file::EXTENSION) {
                folders.entry(folder.clone()).or_default().push(path);
            }
        }
    }
    let files = folders.into_values().flat_map(|mut files| {
        files.sort();
        let step = files.len().div_ceil(FILES);
        files.into_iter().step_by(step)
    });
    files.map(|file| first_case(file.to_str().expect("case paths are plain text"))).collect()
}

fn first_case(file: &str) -> String {
    let text = case_file::read(file).expect("a readable case");
    let cases = case_file::split_at(file, &text).expect("a case of the project");
    format!("{file}{}", case_file::parameters_of(&cases[0].name))
}

#[test]
fn stages_of_every_folder_can_be_written_for_direct3d_and_metal() {
    let out = tempfile::tempdir().expect("the system has room for temporary files");
    let cases = sample();
    assert!(cases.len() > 40, "{cases:?}");
    for language in ["hlsl", "msl"] {
        let mut arguments = vec!["inspect", "--format", language, "--out", language];
        arguments.extend(cases.iter().map(String::as_str));
        let told = interstage(out.path(), &arguments);
        let last = told.stdout.lines().last().unwrap_or_default();
        assert!(last.ends_with("modules written, 0 not expressible"), "{}", told.text());
        let modules: usize = last
            .split_whitespace()
            .rev()
            .find_map(|word| word.parse().ok().filter(|count| *count > 0))
            .unwrap_or(0);
        assert!(told.code == Some(0) && modules > cases.len(), "{}", told.text());
    }
}

#[test]
fn stages_of_later_programs_have_a_number_behind_their_name() {
    let out = tempfile::tempdir().expect("the system has room for temporary files");
    let case = cases().join("semantic/a_label_that_nobody_writes_reads_zero.shader_test");
    let case = case.to_str().expect("case paths are plain text");
    let told = interstage(out.path(), &["inspect", case, "--format", "msl", "--out", "."]);
    assert_eq!(told.code, Some(0), "{}", told.text());
    let read = |name: &str| {
        let text = std::fs::read_to_string(out.path().join(name)).expect("it was written");
        assert!(text.contains("metal_stdlib"), "{name}: {text}");
        text
    };
    // The case's vertex stages write different values, and both use the same fragment stage.
    assert_ne!(read("vertex.metal"), read("vertex_2.metal"));
    assert_eq!(read("fragment.metal"), read("fragment_2.metal"));
    assert!(!out.path().join("vertex_3.metal").exists());
}

#[test]
fn of_equal_stages_in_the_folder_of_a_case_there_is_one() {
    let out = tempfile::tempdir().expect("the system has room for temporary files");
    let source = cases().join("semantic/a_label_that_nobody_writes_reads_zero.shader_test");
    let cases = ["cases/a.shader_test", "cases/b.shader_test"];
    std::fs::create_dir(out.path().join("cases")).expect("the folder is ours");
    for case in cases {
        std::fs::copy(&source, out.path().join(case)).expect("the folder is ours");
    }
    let told = interstage(out.path(), &["inspect", cases[0], cases[1], "--out", "out"]);
    expect![[r"
        2 cases, 0 without a program: 6 modules written, 0 not expressible
        exit code 0
    "]]
    .assert_eq(&told.text());
    for case in cases {
        let has = |stage: &str| out.path().join("out").join(case).join(stage).exists();
        let names = ["vertex.wgsl", "fragment.wgsl", "vertex_2.wgsl", "fragment_2.wgsl"];
        assert_eq!(names.map(has), [true, true, true, false]);
    }
}
