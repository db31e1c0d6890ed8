//! Tests with shell scripts as workers: every kind of loss, without any hardware.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::*;
use crate::outcome::weigh::weigh;
use crate::protocol::Purpose;

/// A worker for tests: a shell script with the case's name in `$name`. Cases pass by default.
fn scripted(script: &str) -> WorkerProgram {
    let finished = r#"{"Finished":{"verdict":"Pass","seconds":0,"slots":[],"diagnostics":"","warnings":[],"notes":[]}}"#;
    let script = format!(
        r#"while read -r line; do
            case $line in '{{"Prepare"'*) echo '"Prepared"'; continue;; esac
            name=${{line#*name\":\"}}; name=${{name%%\"*}}
            {script}
            echo "{{\"Started\":{{\"name\":\"$name\"}}}}"
            case $name in crash*) echo "segfault at 0" >&2; kill -SEGV $$;; hang*) exec sleep 100;; esac
            case $name in panic*) echo '{{"Panicked":"index out of bounds"}}'; exit 1;; esac
            echo '{finished}'
        done"#
    );
    WorkerProgram::new("/bin/sh", ["-c", &script])
}

/// A pool without lists.
fn pool(program: WorkerProgram, retries: u32) -> Pool<'static> {
    Pool {
        program,
        workers: NonZeroUsize::MIN,
        timeout: Duration::from_millis(500),
        retries,
        max_losses: NonZeroUsize::MAX,
        compiles_ahead: true,
        stop: Stop::default(),
        judge: &|_, result| weigh(result, &[]),
    }
}

fn job(name: &&str) -> Job {
    let purpose = Purpose::Check { keep: None, profile: None, emulated: None, asks_oracle: false };
    Job { name: (*name).to_owned(), file: String::new(), purpose }
}

/// Checks the results in job order, one per line, and the end.
#[track_caller]
fn check_pool(pool: &Pool<'_>, names: &[&str], expected: Expect) {
    let jobs: Vec<_> = names.iter().map(job).collect();
    let mut lines = String::new();
    let run: Result<End, ()> = pool.run(&jobs, |arrival| {
        if let Arrival::InOrder(idx, result) = arrival {
            let CaseResult { name, outcome, status, attempts, stderr, .. } = result;
            assert_eq!(name, names[idx]);
            let _ = write!(lines, "{name}: {status:?} {outcome:?} {:?}", stderr.trim_end());
            for attempt in attempts {
                let _ = write!(lines, " after {:?}", attempt.outcome);
            }
            lines.push('\n');
        }
        Ok(())
    });
    let _ = writeln!(lines, "{:?}", run.unwrap());
    expected.assert_eq(&lines);
}

#[track_caller]
fn check(script: &str, names: &[&str], workers: usize, expected: Expect) {
    let workers = NonZeroUsize::new(workers).unwrap();
    check_pool(&Pool { workers, ..pool(scripted(script), 0) }, names, expected);
}

#[test]
fn a_lost_worker_costs_exactly_the_announced_case() {
    check(
        "",
        &["a", "crash", "b", "hang", "c", "panic", "d"],
        2,
        expect![[r#"
            a: Pass Finished(Pass) ""
            crash: Crash Crashed { status: "signal: 11 (SIGSEGV)" } "segfault at 0"
            b: Pass Finished(Pass) ""
            hang: Timeout TimedOut { seconds: 0.5 } ""
            c: Pass Finished(Pass) ""
            panic: Crash Panicked("index out of bounds") ""
            d: Pass Finished(Pass) ""
            Complete
        "#]],
    );
}

#[test]
fn a_worker_that_cannot_even_begin_is_tried_twice_and_told_apart_from_a_crash() {
    check(
        "echo 'no such library' >&2; exit 7",
        &["a"],
        1,
        expect![[r#"
            a: Crash Crashed { status: "exit status: 7, before it announced the case" } "no such library"
            Complete
        "#]],
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_takes_too_much_memory_is_stopped_before_its_time_is_over() {
    let mut program = scripted("x=$(head -c 50000000 /dev/zero | tr '\\0' x); sleep 100");
    program.max_memory = 20 << 20;
    let pool = Pool { timeout: Duration::from_mins(1), ..pool(program, 0) };
    check_pool(
        &pool,
        &["a"],
        expect![[r#"
        a: Crash OutOfMemory { bytes: 20971520 } ""
        Complete
    "#]],
    );
}

#[test]
fn a_suspect_is_run_again_alone_and_on_a_fresh_worker() {
    // `suspect` crashes if another case runs beside it or ran before it on the same worker.
    let folder = tempfile::tempdir().unwrap();
    let script = format!(
        r#"cd {}; mkdir busy.$name; sleep 0.02
        test $name = suspect && {{ test $(ls -d busy.* | wc -l) = 1 && test -z "$used" || {{
            echo "{{\"Started\":{{\"name\":\"$name\"}}}}"; rmdir busy.$name; kill -SEGV $$; }} }}
        rmdir busy.$name; used=yes"#,
        folder.path().display()
    );
    let workers = NonZeroUsize::new(3).unwrap();
    let names = ["a", "b", "c", "suspect", "d", "e", "f", "g"];
    check_pool(
        &Pool { workers, ..pool(scripted(&script), 1) },
        &names,
        expect![[r#"
        a: Pass Finished(Pass) ""
        b: Pass Finished(Pass) ""
        c: Pass Finished(Pass) ""
        suspect: Flake Finished(Pass) "" after Crashed { status: "signal: 11 (SIGSEGV)" }
        d: Pass Finished(Pass) ""
        e: Pass Finished(Pass) ""
        f: Pass Finished(Pass) ""
        g: Pass Finished(Pass) ""
        Complete
    "#]],
    );
}

#[test]
fn what_goes_wrong_again_is_what_it_was() {
    check_pool(
        &pool(scripted(""), 2),
        &["crash", "a", "hang"],
        expect![[r#"
            crash: Crash Crashed { status: "signal: 11 (SIGSEGV)" } "segfault at 0" after Crashed { status: "signal: 11 (SIGSEGV)" } after Crashed { status: "signal: 11 (SIGSEGV)" }
            a: Pass Finished(Pass) ""
            hang: Timeout TimedOut { seconds: 0.5 } "" after TimedOut { seconds: 0.5 } after TimedOut { seconds: 0.5 }
            Complete
        "#]],
    );
}

#[test]
fn losses_in_a_row_end_the_run_and_others_do_not() {
    let pool = Pool { max_losses: NonZeroUsize::new(2).unwrap(), ..pool(scripted(""), 0) };
    check_pool(
        &pool,
        &["crash1", "a", "crash2", "b", "crash3", "crash4", "c", "d"],
        expect![[r#"
            crash1: Crash Crashed { status: "signal: 11 (SIGSEGV)" } "segfault at 0"
            a: Pass Finished(Pass) ""
            crash2: Crash Crashed { status: "signal: 11 (SIGSEGV)" } "segfault at 0"
            b: Pass Finished(Pass) ""
            crash3: Crash Crashed { status: "signal: 11 (SIGSEGV)" } "segfault at 0"
            crash4: Crash Crashed { status: "signal: 11 (SIGSEGV)" } "segfault at 0"
            Wedged(2)
        "#]],
    );
}

#[test]
fn a_stopped_run_keeps_what_is_done_and_waits_for_nothing() {
    let stop = Stop::default();
    let asked = stop.clone();
    let pool = Pool {
        timeout: Duration::from_mins(10),
        stop,
        judge: &move |_, result| {
            asked.request();
            weigh(result, &[])
        },
        workers: NonZeroUsize::new(2).unwrap(),
        ..pool(scripted("test $name = a && sleep 0.3"), 1)
    };
    check_pool(
        &pool,
        &["hang", "a", "a", "a"],
        expect![[r#"
            a: Pass Finished(Pass) ""
            Interrupted(3)
        "#]],
    );
}

#[test]
fn noise_of_drivers_on_stdout_is_kept_apart_from_answers() {
    check(
        "echo 'driver says hello'",
        &["a"],
        1,
        expect![[r#"
            a: Pass Finished(Pass) "driver says hello"
            Complete
        "#]],
    );
}

#[test]
fn a_missing_worker_program_is_an_outcome_and_no_panic() {
    let program = WorkerProgram::new("/nonexistent/worker", [""; 0]);
    check_pool(
        &pool(program, 0),
        &["a"],
        expect![[r#"
            a: Crash Crashed { status: "it could not be started: No such file or directory (os error 2)" } ""
            Complete
        "#]],
    );
}

/// A worker that lists these adapters. It prints whether it got its adapter by a message after listing or by its
/// command line, and then runs the script.
fn listing(adapters: &[&str], then: &str) -> WorkerProgram {
    let describe = |adapter: &&str| {
        let (backend, index) = adapter.split_once(':').unwrap();
        format!(
            r#"{{"backend":"{backend}","index":{index},"name":"","title":"","is_hardware":true}}"#
        )
    };
    let adapters = adapters.iter().map(describe).collect::<Vec<_>>().join(",");
    let answer = format!(r#"echo '{{"Adapters":[{adapters}]}}'"#);
    scripted(&format!(
        r#"case $line in
            *Adapters*) {answer}; {then}; continue;;
            *Take*) adapter=${{line#*Take\":\"}}; adapter="taken ${{adapter%%\"*}}"; continue;;
            *) echo "${{adapter:-$0 $*}}";;
        esac"#
    ))
}

fn lists(program: &WorkerProgram, wanted: Option<&str>) {
    crate::adapter::list(program, wanted).expect("the worker answers");
}

#[test]
fn the_worker_that_listed_adapters_runs_the_first_case() {
    let program = listing(&["vulkan:0", "vulkan:1"], ":");
    lists(&program, Some("vulkan:1"));
    check_pool(
        &pool(program.on("vulkan:1"), 0),
        &["a", "panic b", "c"],
        expect![[r#"
            a: Pass Finished(Pass) "taken vulkan:1"
            panic b: Crash Panicked("index out of bounds") "taken vulkan:1"
            c: Pass Finished(Pass) "--adapter vulkan:1"
            Complete
        "#]],
    );
}

/// The driver crashes when its adapters are listed; the worker that looks for the executor loads no driver.
#[test]
fn where_listing_crashes_the_executor_is_left() {
    let executor = r#"{"backend":"cpu","index":0,"name":"","title":"","is_hardware":false}"#;
    let program = scripted(&format!(
        r#"case $line in
            *Adapters*Fitting*cpu*) echo '{{"Adapters":[{executor}]}}';;
            *Adapters*) kill -SEGV $$;;
        esac"#
    ));
    let error = crate::adapter::list(&program, Some("all")).expect_err("the driver crashes");
    assert!(error.to_string().starts_with("cannot list the adapters: "), "{error}");
    let left = crate::adapter::executor_alone(&program).expect("the executor is everywhere");
    assert_eq!(left.iter().map(crate::protocol::Adapter::selector).collect::<Vec<_>>(), ["cpu:0"]);
}

#[test]
fn a_worker_with_drivers_of_other_backends_runs_nothing() {
    let program = listing(&["vulkan:0", "gl:0"], ":");
    lists(&program, None);
    check_pool(
        &pool(program.on("gl:0"), 0),
        &["a"],
        expect![[r#"
            a: Pass Finished(Pass) "--adapter gl:0"
            Complete
        "#]],
    );
}

#[test]
fn a_worker_that_dies_after_it_listed_adapters_costs_no_case() {
    let program = listing(&["vulkan:0"], "exit 1");
    lists(&program, None);
    check_pool(
        &pool(program.on("vulkan:0"), 0),
        &["a"],
        expect![[r#"
            a: Pass Finished(Pass) "--adapter vulkan:0"
            Complete
        "#]],
    );
}
