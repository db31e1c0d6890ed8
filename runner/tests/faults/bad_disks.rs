//! Full disks, unwritable folders, unusual names.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use crate::{Place, run};

/// `/dev/full` fails every write like a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_run_at_once_and_says_so() {
    let place = Place::numbered(100, "slow 2 .*\n");
    place.write("out/x", "");
    symlink("/dev/full", place.path().join("out/journal.jsonl")).unwrap();
    let full = place.run(&["--overwrite"]);
    assert_eq!(
        full.text(),
        "error: cannot write out/journal.jsonl; earlier results are kept, continue with `interstage run --resume \
         out`: No space left on device (os error 28)\nexit code Some(3)\n"
    );
    // Resume later, when space is free again.
    std::fs::remove_file(place.path().join("out/journal.jsonl")).unwrap();
    let resumed = run(&mut place.command(&["run", "--resume", "out"]));
    assert_eq!(resumed.code, Some(0), "{}", resumed.text());
    place.check_all("disk full from the first result on; then --resume", 1, 100, |_, it| {
        it == "Pass"
    });
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
    assert_eq!(run(&mut place.command(&["run", "--resume", "out"])).code, Some(0));
    place.check_all("disk full at the end of a run; then --resume", 1, 10, |_, it| it == "Pass");
}

/// Script for commands in their own mount namespace, with a disk of a few pages at `out`.
#[cfg(target_os = "linux")]
const SMALL_DISK: &str = "\
mkdir out && mount -t tmpfs -o size=64k tmpfs out || exit 77
\"$0\" run --script script --results out --jobs 2; echo \"first: $?\"
wc -l < out/journal.jsonl
mount -o remount,size=64m out
\"$0\" run --resume out; echo \"then: $?\"
mkdir kept && cp out/results.csv kept
umount out && cp kept/results.csv out
";

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_during_a_run_keeps_what_it_took() {
    let place = Place::numbered(1000, "fail \\d3\\.shader\n");
    let mut shell = std::process::Command::new("unshare");
    shell.args(["--user", "--map-root-user", "--mount", "sh", "-c", SMALL_DISK]);
    let shell = shell.arg(env!("CARGO_BIN_EXE_interstage")).current_dir(place.path()).output();
    let Ok(shell) = shell.map(crate::finish) else { return };
    if shell.code == Some(77) || shell.stderr.starts_with("unshare: ") {
        return crate::say("not tried: this system lets nobody mount a small disk");
    }
    let text = shell.text();
    assert!(
        text.contains("error: cannot write out/journal.jsonl; earlier results are kept"),
        "{text}"
    );
    assert!(text.contains("first: 3\n") && text.contains("then: 1\n"), "{text}");
    let kept: usize = shell.stdout.lines().find_map(|line| line.parse().ok()).expect("wc tells");
    assert!((10..900).contains(&kept), "{kept} results fit: {text}");
    let expected = |name: &str| if name.ends_with('3') { "Fail" } else { "Pass" };
    place.check_all("disk full in the middle of a run; then --resume", 1, 1000, |name, status| {
        status == expected(name)
    });
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
        "error: cannot create the folder /proc/none/out; check its path and permissions, or name another folder with \
         --results: No such file or directory (os error 2)\nexit code Some(3)\n"
    );
}

#[test]
fn paths_that_are_not_utf8_are_named_and_cost_no_other_case() {
    let place = Place::numbered(3, "");
    std::fs::write(place.path().join(OsStr::from_bytes(b"cases/\xff.shader_test")), "").unwrap();
    let run = place.run(&[]);
    assert!(run.stderr.contains(".shader_test: the path is not UTF-8"), "{}", run.text());
    assert_eq!(run.code, Some(3), "{}", run.text());
    place.check_all("a path that is not UTF-8", 1, 3, |_, status| status == "Pass");
    let folder = OsStr::from_bytes(b"out\xff");
    let mut command =
        place.command(&["run", "--script", "script", "cases/0000.shader_test", "--results"]);
    assert_eq!(crate::run(command.arg(folder)).code, Some(0));
    let resumed = crate::run(place.command(&["run", "--resume"]).arg(folder));
    assert!(resumed.stderr.contains("has a path that is not UTF-8"), "{}", resumed.text());
}
