//! No case passes vacuously: each expectation and requirement of a case is made wrong, and the change must be detected.
//!
//! For a file with parameters, the first and the last combination are used. Mutants that only change expectations about
//! a readback reuse the one readback of the case. The first expectation of each case, and mutants that need another
//! program, run in full. In each *class* of probes (target and kind), every number of the first probe is made wrong,
//! and one number of each later probe, the next one each time.
//!
//! By default every sixth file is used; `cargo xtask soak` uses all files, in a minute on two processors.

mod common;
#[path = "every_case_can_fail/mutants.rs"]
mod mutants;
#[path = "every_case_can_fail/probes.rs"]
mod probes;
#[path = "common/sharing.rs"]
mod sharing;
#[path = "common/soak.rs"]
mod soak;

use std::path::Path;
use std::sync::Mutex;

use interstage::case::{Case, LinkExpectation};
use interstage::check as compare;
use interstage::check::Goldens;
use interstage::check::verdict::Verdict;
use interstage::device::Device;
use interstage::ir::readback::Readback;
use interstage::run_case;
use interstage_runner::files::{case_file, golden};

#[test]
fn every_wrong_expectation_fails() {
    let unnoticed = Unnoticed::default();
    let step = if soak::is_soak() { 1 } else { 6 };
    let files: Vec<_> = common::case_files().into_iter().step_by(step).collect();
    let adapter = sharing::first_adapter();
    let checked =
        sharing::sum_of_all(&adapter, &files, |path, device| check_file(path, device, &unnoticed));
    soak::tell(&format!("{checked} expectations of {} files were made wrong", files.len()));
    let unnoticed = unnoticed.0.into_inner().expect("no check panicked");
    assert!(
        unnoticed.is_empty(),
        "{} were not noticed:\n{}",
        unnoticed.len(),
        unnoticed.join("\n")
    );
    assert!(checked > 10_000 / step, "only {checked} expectations were tried");
}

/// Mutants that were not detected.
#[derive(Default)]
struct Unnoticed(Mutex<Vec<String>>);

impl Unnoticed {
    fn check(&self, is_noticed: bool, case: &Case, what: &str, found: impl std::fmt::Debug) {
        if !is_noticed {
            let line = format!("{}: `{what}` made wrong gives {found:?}", case.name);
            self.0.lock().expect("no check panicked").push(line);
        }
    }
}

fn check_file(path: &Path, device: &Device, unnoticed: &Unnoticed) -> usize {
    let path = path.to_str().expect("case paths are plain text");
    let cases = case_file::load(path).expect("a readable case");
    let last = cases.len().saturating_sub(1);
    let picked = cases.into_iter().enumerate().filter(|(idx, _)| *idx == 0 || *idx == last);
    picked
        .filter_map(|(_, parsed)| parsed.result.ok())
        .map(|case| check_case(&case, device, unnoticed))
        .sum()
}

fn check_case(case: &Case, device: &Device, unnoticed: &Unnoticed) -> usize {
    let goldens = golden::load(case);
    let report = run_case(case, Some(device), &goldens);
    if report.verdict != Verdict::Pass {
        return 0;
    }
    let mut count = 0;
    for (what, mutant) in mutants::of_requirements(case, device) {
        let verdict = run_case(&mutant, Some(device), &goldens).verdict;
        unnoticed.check(matches!(verdict, Verdict::Skip(_)), case, &what, verdict);
        count += 1;
    }
    for (what, mutant) in mutants::of_linking(case) {
        let verdict = run_case(&mutant, Some(device), &goldens).verdict;
        unnoticed.check(matches!(verdict, Verdict::Fail(_)), case, &what, verdict);
        count += 1;
    }
    if let Some(readback) = &report.readback {
        count += check_readback(case, device, (&goldens, readback), unnoticed);
    }
    count
}

/// Checks the mutants of expectations that compare a readback.
fn check_readback(
    case: &Case,
    device: &Device,
    (goldens, readback): (&Goldens, &Readback),
    unnoticed: &Unnoticed,
) -> usize {
    let mut count = 0;
    for (what, mutant) in probes::mutants(case) {
        let is_golden = what.starts_with("golden");
        let goldens = if is_golden { inverted(goldens) } else { goldens.clone() };
        if count == 0 {
            let verdict = run_case(&mutant, Some(device), &goldens).verdict;
            unnoticed.check(matches!(verdict, Verdict::Fail(_)), case, &what, verdict);
        }
        let failures = compare::check(&mutant, readback, &goldens);
        unnoticed.check(!failures.is_empty(), case, &what, "a pass");
        count += 1;
    }
    count
}

/// True if the case expects an error instead of a program.
fn expects_error(case: &Case) -> bool {
    let is_line = |line: &LinkExpectation| matches!(line, LinkExpectation::Error(_));
    case.program_expectations().any(|line| line.value.is_error())
        || case.link.expectations.iter().any(|line| is_line(&line.value))
}

fn inverted(goldens: &Goldens) -> Goldens {
    let mut goldens = goldens.clone();
    for image in goldens.images.values_mut().flatten() {
        image.bytes.iter_mut().for_each(|byte| *byte = !*byte);
    }
    goldens
}
