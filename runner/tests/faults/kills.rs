//! Processes killed from outside, at any moment.

#![cfg(target_os = "linux")]

use std::process::Child;
use std::time::Duration;

use crate::{Place, Random, children, finish, is_alive, signal};

/// Expected outcomes of the scripted cases: every tenth fails.
fn expected(number: usize) -> &'static str {
    if number % 10 == 3 { "Fail" } else { "Pass" }
}

const SCRIPT: &str = "fail \\d3\\.shader\nslow 1 .*\n";

/// Checks all results, and returns the number of flakes.
#[track_caller]
fn check_statuses(place: &Place, fault: &str, injected: usize, count: usize) -> usize {
    place.check_all(fault, injected, count, |name, found| {
        let expected = expected(name.parse().expect("the cases are numbered"));
        // A case whose worker was killed from outside passes when it is repeated, and is reported as a flake.
        found == expected || (found == "Flake" && expected == "Pass")
    });
    place.statuses().values().filter(|status| *status == "Flake").count()
}

#[test]
fn workers_killed_at_random_moments_lose_no_result_of_a_thousand() {
    let place = Place::numbered(1000, SCRIPT);
    let program = place.start(&["--jobs", "3", "--retries", "3", "--max-losses", "50"]);
    let mut random = Random(0x5eed);
    let mut kills = 0;
    while is_alive(program.id()) {
        // The times depend on the results so far: on a busy machine a fixed interval kills the same case again and
        // again.
        let until = place.journal_length() + 5 + random.index(40);
        while place.journal_length() < until && is_alive(program.id()) {
            std::thread::sleep(Duration::from_micros(200 + random.below(1500)));
        }
        let workers = children(program.id());
        if let Some(worker) = workers.get(random.index(workers.len())) {
            signal(*worker, "-KILL");
            kills += 1;
        }
    }
    let run = finish(program.wait_with_output().unwrap());
    let flakes = check_statuses(&place, "kill -9 of a worker, at random moments", kills, 1000);
    assert!(kills >= 10 && flakes <= kills, "{kills} kills, {flakes} flakes: {}", run.text());
    assert_eq!(run.code, Some(1), "{}", run.text());
}

#[test]
fn a_run_killed_again_and_again_is_resumed_to_its_end() {
    let place = Place::numbered(400, SCRIPT);
    let mut random = Random(0xfeed);
    let mut program = place.start(&["--jobs", "2"]);
    let mut kills = 0;
    loop {
        let length = place.journal_length();
        let until = length + 1 + random.index(60);
        while place.journal_length() < until && program.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(200 + random.below(1500)));
        }
        if program.try_wait().unwrap().is_some() {
            break;
        }
        let workers = children(program.id());
        program.kill().unwrap();
        program.wait().unwrap();
        kills += 1;
        assert_gone(&workers);
        assert!(place.journal_length() >= length, "nothing that was written is lost");
        program = resume(&place);
    }
    assert!(kills >= 5, "{kills} kills");
    let fault = "kill -9 of the program, at random moments; then --resume";
    assert_eq!(check_statuses(&place, fault, kills, 400), 0);
}

#[test]
fn ctrl_c_keeps_results_and_leaves_no_process() {
    for how in ["-INT", "-TERM", "-HUP"] {
        let place = Place::numbered(200, "once hang /0100\nslow 5 .*\n");
        let program = place.start(&["--jobs", "2"]);
        // By now one worker hangs.
        place.wait_for_results(105);
        let workers = children(program.id());
        assert_eq!(workers.len(), 2);
        signal(program.id(), how);
        let run = finish(program.wait_with_output().unwrap());
        assert_gone(&workers);
        assert_eq!(run.code, Some(3), "{}", run.text());
        let done = place.statuses().len();
        assert!((105..199).contains(&done), "{done}");
        let told = format!(
            "error: interrupted: {} cases were not run; continue with `interstage run --resume out`\n",
            200 - done
        );
        assert_eq!(run.stderr, told);
        resume(&place).wait().unwrap();
        place.check_all("Ctrl-C, SIGTERM or SIGHUP; then --resume", 1, 200, |_, it| it == "Pass");
    }
}

#[test]
fn a_worker_that_hangs_does_not_outlive_a_killed_program() {
    let place = Place::numbered(20, "hang /0010\n");
    let mut program = place.start(&["--jobs", "2"]);
    place.wait_for_results(19);
    let workers = children(program.id());
    assert!(!workers.is_empty());
    program.kill().unwrap();
    program.wait().unwrap();
    assert_gone(&workers);
}

fn resume(place: &Place) -> Child {
    let mut command = place.command(&["run", "--resume", "out"]);
    command.stdout(std::process::Stdio::null()).spawn().unwrap()
}

/// Checks that workers are gone: an idle one exits when its stdin closes, one in the middle of a case within seconds.
#[track_caller]
fn assert_gone(workers: &[u32]) {
    for _ in 0..500 {
        if !workers.iter().any(|worker| is_alive(*worker)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("a worker is left");
}
