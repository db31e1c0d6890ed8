//! Every kind of worker loss has its own outcome and affects exactly one case.

use crate::{Place, tell};

const SCRIPT: &str = "\
once crash /torn
fail /torn
crash /crash
ahead /ahead
die /die
hang /hang
memory /memory
device-lost /lost
panic /panic
no-device /no-device
fail /fail
once crash /flaky-crash
once hang /flaky-hang
once device-lost /flaky-lost
once fail /flaky-fail
once no-device /flaky-device
";

#[test]
fn every_loss_is_told_for_the_case_it_belongs_to_and_costs_no_other() {
    let expected = [
        ("crash", "Crash"),
        ("ahead", "Crash"),
        ("die", "Crash"),
        ("hang", "Timeout"),
        ("memory", "Crash"),
        ("lost", "Crash"),
        ("panic", "Crash"),
        ("no-device", "Fail"),
        ("fail", "Fail"),
        ("flaky-crash", "Flake"),
        ("flaky-hang", "Flake"),
        ("flaky-lost", "Flake"),
        ("flaky-fail", "Flake"),
        ("flaky-device", "Flake"),
        ("torn", "Fail"),
    ];
    let good: Vec<_> = (0..40).map(|number| format!("{number}")).collect();
    let names = good.iter().map(String::as_str).chain(expected.map(|(name, _)| name));
    let place = Place::new(names, SCRIPT);
    let run = place.run(&["--timeout", "1", "--max-memory", "64", "--jobs", "3"]);
    let statuses = place.statuses();
    for (name, status) in expected {
        let injected = if status == "Flake" { 1 } else { 2 };
        let found = statuses.get(name);
        let (right, lost) = (found.is_some_and(|it| it == status), found.is_none());
        let row =
            format!("{name} (scripted)\t{injected}\t1\t{}\t{}", u8::from(right), u8::from(lost));
        tell(&row);
        assert_eq!(found.map(String::as_str), Some(status), "{name}: {}", run.text());
    }
    let right = good.iter().filter(|&name| statuses.get(name).is_some_and(|it| it == "Pass"));
    let (right, lost) = (right.count(), 55 - statuses.len());
    tell(&format!("cases beside the scripted ones (no fault)\t0\t40\t{right}\t{lost}"));
    assert_eq!((right, statuses.len()), (40, 55), "{}", run.text());
    assert_eq!(run.code, Some(3), "{}", run.text());
    for told in [
        "the worker process ended: signal: 6 (SIGABRT)",
        "the worker process ended: exit status: 7, before it announced the case",
        "stopped because it did not end within 1 s",
        "stopped because it used more than 64 MiB of memory",
        "the device was lost: as the script says",
        "interstage panicked, which is a bug: as the script says",
        "FLAKE cases/flaky-crash.shader_test",
    ] {
        assert!(run.stdout.contains(told), "{told}: {}", run.stdout);
    }
}

/// A case crashes the worker while it is compiled beside the previous case. That case is repeated, and is not a flake.
#[test]
fn who_dies_early_is_blamed_and_not_the_case_that_runs() {
    let place = Place::numbered(30, "ahead /0007\nahead /0012\nahead /0013\nonce crash /0020\n");
    let run = place.run(&["--jobs", "1"]);
    let statuses = place.statuses();
    assert_eq!(statuses.len(), 30);
    for (name, status) in statuses {
        let expected = match name.as_str() {
            "0007" | "0012" | "0013" => "Crash",
            "0020" => "Flake",
            _ => "Pass",
        };
        assert_eq!(status, expected, "{name}: {}", run.text());
    }
}

#[test]
fn a_wedged_adapter_ends_the_run_and_what_is_done_is_kept() {
    let place = Place::numbered(30, "slow 1 /000\ndevice-lost .*\n");
    let run = place.run(&["--jobs", "1", "--retries", "0", "--max-losses", "4"]);
    assert_eq!(run.code, Some(3), "{}", run.text());
    let expected = "error: 4 cases in a row lost their worker, so the adapter is probably stuck: \
                    16 cases were not run; continue with `interstage run --resume out`\n";
    assert_eq!(run.stderr, expected);
    assert_eq!(place.statuses().len(), 14);
    assert_eq!(run.stdout.lines().last(), Some("10 passed, 4 failed, 0 skipped"));
}

#[test]
fn retries_can_be_switched_off_and_repeated() {
    let place = Place::new(["a", "b"], "once crash /a\nonce crash /b\nonce fail /b\n");
    place.run(&["--retries", "0", "--filter", "/a"]);
    assert_eq!(place.statuses()["a"], "Crash");
    place.run(&["--retries", "2", "--filter", "/b"]);
    assert_eq!(place.statuses()["b"], "Flake");
}
