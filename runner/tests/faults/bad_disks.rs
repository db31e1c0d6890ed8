//! Disks that are full, folders that cannot be written, names that nobody expects.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use crate::{Place, run};

/// `/dev/full` answers every write as a full disk does.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_run_at_once_and_says_so() {
    let place = Place::numbered(100, "slow 2 .*\n");
    place.write("out/x", "");
    symlink("/dev/full", place.path().join("out/journal.jsonl")).unwrap();
    let full = place.run(&[]);
    assert_eq!(
        full.text(),
        "error: cannot write out/journal.jsonl; what it has is kept, and `interstage run --resume out` goes on from \
         there: No space left on device (os error 28)\nexit code Some(3)\n"
    );
    // Later, with room again.
    std::fs::remove_file(place.path().join("out/journal.jsonl")).unwrap();
    let resumed = run(&mut place.command(&["run", "--resume", "out"]));
    assert_eq!((resumed.code, place.statuses().len()), (Some(0), 100), "{}", resumed.text());
}

#[cfg(target_os = "linux")]
#[test]
fn results_that_cannot_be_written_in_the_end_are_still_in_the_journal() {
    let place = Place::numbered(10, "");
    place.run(&[]);
    std::fs::remove_file(place.path().join("out/results.json")).unwrap();
    symlink("/dev/full", place.path().join("out/results.json.part")).unwrap();
    let full = run(&mut place.command(&["run", "--resume", "out"]));
    assert!(
        full.stderr.contains("cannot write out/results.json: No space left on device"),
        "{}",
        full.text()
    );
    assert_eq!(full.code, Some(3));
    assert_eq!(place.journal_length(), 10);
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_nobody_can_take_is_no_success() {
    let place = Place::numbered(3, "");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = place.command(&["run", "--script", "script"]);
    let run = run(command.stdout(full));
    assert_eq!(run.text(), "error: No space left on device (os error 28)\nexit code Some(3)\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_made_is_told_before_anything_runs() {
    let place = Place::numbered(3, "crash .*\n");
    let run =
        run(&mut place.command(&["run", "--script", "script", "--results", "/proc/none/out"]));
    assert_eq!(
        run.text(),
        "error: cannot make the folder /proc/none/out: No such file or directory (os error 2)\nexit code Some(3)\n"
    );
}

#[test]
fn paths_that_are_not_utf8_are_named_and_cost_no_other_case() {
    let place = Place::numbered(3, "");
    std::fs::write(place.path().join(OsStr::from_bytes(b"cases/\xff.shader_test")), "").unwrap();
    let run = place.run(&[]);
    assert!(run.stderr.contains(".shader_test: the path is not UTF-8"), "{}", run.text());
    assert_eq!((run.code, place.statuses().len()), (Some(3), 3), "{}", run.text());
    let folder = OsStr::from_bytes(b"out\xff");
    let mut command =
        place.command(&["run", "--script", "script", "cases/0000.shader_test", "--results"]);
    assert_eq!(crate::run(command.arg(folder)).code, Some(0));
    let resumed = crate::run(place.command(&["run", "--resume"]).arg(folder));
    assert!(resumed.stderr.contains("has a path that is not UTF-8"), "{}", resumed.text());
}
