//! The linker changes no pixel: on the CPU, every linked program returns the same bits as its stages before linking.
//!
//! No adapter takes part. By default the first case of every second file and each tenth after it are compared, in ten
//! seconds on two processors. `cargo xtask soak` compares all cases. Each case is a different program, and a fault of
//! the linker may show in any of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use interstage::case::Case;
use interstage::ir::readback::Extent;
use interstage::plan::ExecuteError;
use interstage::prepare::{Linking, compile, first_profile};
use interstage::{cpu, reference};
use interstage::{link, needs_gpu, unlinked_stages};
use interstage_runner::files::case_file;

mod common;
#[path = "common/soak.rs"]
mod soak;

/// Minimum number of compared programs in all cases, and in the sample. [`comparison`] gives the reasons for which the
/// others are left out.
const LEAST: [usize; 2] = [4_600, 700];

/// Result of comparing a case.
enum Comparison {
    Equal,
    Different,
    /// Reason why the case was not compared.
    NotCompared(String),
}

fn comparison(case: &Case) -> Comparison {
    let not = |reason: &str| Comparison::NotCompared(reason.to_owned());
    let Ok(compiled) = compile(case) else { return not("does not compile") };
    let rules = link::AdapterRules::default();
    let Ok(Linking::Done(linked)) = compiled.link(case, rules, first_profile(case)) else {
        return not("does not link");
    };
    let stages = unlinked_stages(&compiled, &linked);
    let unlinked = reference::executable(case, &stages, &linked);
    let unlinked = match unlinked.and_then(|unlinked| unlinked.run(Extent::Whole)) {
        Ok(readback) => readback.snapshots,
        Err(ExecuteError::Lacking(reason)) => return Comparison::NotCompared(reason),
        Err(error) => return Comparison::NotCompared(error.to_string()),
    };
    match cpu::execute(case, &linked, Extent::Whole) {
        Ok(linked) if linked.snapshots == unlinked => Comparison::Equal,
        Ok(_) | Err(_) => Comparison::Different,
    }
}

/// Names of the cases that differ, and counts of the reasons why others are not compared.
#[derive(Default)]
struct Found {
    equal: usize,
    different: Vec<String>,
    reasons: BTreeMap<String, usize>,
}

fn compare_all(cases: &[Case]) -> Found {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Found::default()));
    let work = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let comparison = comparison(case);
            let mut found = found.lock().expect("no thread panicked");
            match comparison {
                Comparison::Equal => found.equal += 1,
                Comparison::Different => found.different.push(case.name.clone()),
                Comparison::NotCompared(reason) => *found.reasons.entry(reason).or_default() += 1,
            }
        }
    };
    thread::scope(|scope| {
        let count = thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..count {
            let thread = thread::Builder::new().stack_size(case_file::STACK_BYTES);
            thread.spawn_scoped(scope, work).expect("a thread");
        }
    });
    found.into_inner().expect("no thread panicked")
}

/// Selects the cases of a file that are compared.
fn sample<T>(cases: Vec<T>) -> impl Iterator<Item = T> {
    let step = if soak::is_soak() { 1 } else { 10 };
    cases.into_iter().step_by(step)
}

#[test]
fn every_case_is_linked_without_changing_a_bit() {
    let step = if soak::is_soak() { 1 } else { 2 };
    let texts = common::case_files().into_iter().step_by(step);
    let texts = texts.map(|path| path.to_str().expect("case paths are plain text").to_owned());
    let parsed = texts.flat_map(|path| sample(case_file::load(&path).unwrap_or_default()));
    let cases: Vec<_> = parsed.filter_map(|parsed| parsed.result.ok()).filter(needs_gpu).collect();
    let found = compare_all(&cases);
    let mut reasons = String::new();
    for (reason, count) in &found.reasons {
        let _ = writeln!(reasons, "{count} × {reason}");
    }
    assert!(found.different.is_empty(), "different: {:#?}", found.different);
    soak::tell(&format!("{} are equal; the others:\n{reasons}", found.equal));
    let least = if soak::is_soak() { LEAST[0] } else { LEAST[1] };
    assert!(found.equal >= least, "{} are equal; the others:\n{reasons}", found.equal);
}
