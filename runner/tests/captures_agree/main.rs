//! Transform feedback that is read from the function's outputs equals that read from the packed slots, and equals the
//! values that the program wrote. The programs are generated: outputs of every shape, read by a fragment stage or not,
//! packed in every way (C96).
//!
//! Environment variables: `CAPTURED_PROGRAMS` is the number of programs, by default 250, in `cargo xtask soak` 1000. `CAPTURED_FIRST` is the number of the first
//! one, so that several processes can share a long run. `CAPTURED_ADAPTER` is the adapter, by default the first. A
//! program is the same on every adapter. Most of the time is spent in the adapter's compiler, twice per program.

mod generate;
#[path = "../common/sharing.rs"]
mod sharing;
#[path = "../common/soak.rs"]
mod soak;

use interstage::case::Dialect;
use interstage::case::parse::parse;
use interstage::check::Goldens;
use interstage::check::verdict::Verdict;
use interstage::run_case;

/// Default number of programs.
fn programs() -> u64 {
    if soak::is_soak() { 1000 } else { 250 }
}

#[test]
fn both_ways_to_capture_agree() {
    let adapter = std::env::var("CAPTURED_ADAPTER").unwrap_or_else(|_| sharing::first_adapter());
    let (first, count) = (number("CAPTURED_FIRST", 0), number("CAPTURED_PROGRAMS", programs()));
    let seeds: Vec<_> = (first..first + count).collect();
    let passed = sharing::sum_of_all(&adapter, &seeds, |seed, gpu| {
        let text = generate::program(*seed);
        let case = parse("generated", text.as_bytes(), Dialect::Interstage).remove(0);
        let case = case.result.unwrap_or_else(|error| panic!("{seed}: {error:?}\n{text}"));
        let verdict = run_case(&case, Some(gpu), &Goldens::default()).verdict;
        assert!(verdict == Verdict::Pass, "program {seed} gives {verdict:?}:\n{text}");
        1
    });
    soak::tell(&format!("{passed} programs"));
    assert_eq!(passed, seeds.len());
}

/// A number from the environment, or the default.
fn number(name: &str, usual: u64) -> u64 {
    let Ok(text) = std::env::var(name) else { return usual };
    text.parse().unwrap_or_else(|error| panic!("{name}={text}: {error}"))
}
