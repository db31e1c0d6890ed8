//! The fuzzer on a target that misbehaves when its input says so. Each kind of finding is found once, minimised and
//! written, and none ends the run.

use std::path::Path;
use std::process::{Command, Output};

/// Runs the program on inputs of one seed.
fn fuzz(folder: &Path, seed: &str, limit: &str) -> Output {
    let corpus = folder.join("corpus");
    std::fs::create_dir_all(&corpus).expect("the folder is ours");
    std::fs::write(corpus.join("seed.txt"), seed).expect("the folder is ours");
    Command::new(env!("CARGO_BIN_EXE_interstage-fuzz"))
        .args(["--target", "unruly", "--seconds", "2", "--only-corpus", "--limit", limit])
        .arg("--corpus")
        .arg(corpus)
        .arg("--out")
        .arg(folder.join("out"))
        .output()
        .expect("the program starts")
}

/// Checks that a run on an input that contains `wish` finds one thing, and that the minimised input is hardly larger
/// than `wish`.
#[track_caller]
fn check_found(wish: &str, kind: &str, limit: &str) {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let seed = format!("first 1\nsecond 2\nplease {wish} third 3\nfourth 4\n");
    let output = fuzz(folder.path(), &seed, limit);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains(" 1 findings (seed 0)"), "{told}");
    let file = folder.path().join(format!("out/unruly/1-{kind}.txt"));
    let smallest = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{error}: {told}"));
    assert!(smallest.contains(&format!("please {wish}")), "{smallest}");
    assert!(!smallest.contains("first"), "it is not minimised: {smallest}");
}

#[test]
fn a_panic_is_found_and_minimised() {
    check_found("panic", "panic", "20");
}

#[cfg(unix)]
#[test]
fn a_stack_that_overflows_is_found() {
    check_found("overflow", "crash", "60");
}

#[cfg(unix)]
#[test]
fn memory_without_bound_is_found() {
    check_found("take everything", "crash", "60");
}

#[test]
fn what_never_ends_is_found() {
    check_found("hang", "hang", "1");
}

#[test]
fn an_input_that_asks_for_nothing_is_no_finding() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let output = fuzz(folder.path(), "a quiet input\n", "20");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(told.contains(" 0 findings (seed 0)"), "{told}");
}
