//! Running of generated programs: on the executor, where linking must change nothing, and on every adapter.

use interstage::case::parse::parse;
use interstage::case::{Case, Dialect};
use interstage::check::Goldens;
use interstage::check::verdict::Verdict;
use interstage::device::Device;
use interstage::{CaseReport, gpu, run_case};

use crate::soak::{is_soak, tell};

/// The case of a generated text.
pub(super) fn case_of(text: &str) -> Case {
    let parsed = parse("generated", text.as_bytes(), Dialect::Interstage).remove(0);
    parsed.result.unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

pub(super) fn report(text: &str, device: &Device) -> CaseReport {
    run_case(&case_of(text), Some(device), &Goldens::default())
}

/// True if the stages also ran unlinked.
pub(super) fn is_unlinked(report: &CaseReport) -> bool {
    let judged = report.oracle.as_ref().and_then(|judged| judged.as_ref().ok());
    judged.is_some_and(|judged| judged.unlinked.is_ok())
}

/// The executor, which is always available.
pub(super) fn executor() -> Device {
    Device::open("cpu").expect("the executor is always there")
}

/// A device of each adapter, with the adapter's name, such as `vulkan:0`.
pub(super) fn devices() -> impl Iterator<Item = (String, Device)> {
    let adapters = gpu::adapters();
    assert!(!adapters.is_empty(), "there is an adapter");
    adapters.into_iter().map(|adapter| {
        let name = format!("{}:{}", adapter.backend, adapter.index);
        let device = Device::open(&name).expect("a device");
        (name, device)
    })
}

/// Number of programs to test: `count`, and ten times as many in `cargo xtask soak`.
pub(super) fn sample(count: u64) -> u64 {
    if is_soak() { 10 * count } else { count }
}

/// Checks that the first `count` programs ([`sample`]) pass on the executor, and that at least `percent` of a hundred also
/// ran unlinked. The others interpolate by multiplying with w, which may round.
pub(super) fn check_executor(case: fn(u64) -> String, count: u64, percent: u64) {
    let device = executor();
    let count = sample(count);
    let mut unlinked = 0;
    for seed in 0..count {
        let report = report(&case(seed), &device);
        assert_eq!(report.verdict, Verdict::Pass, "seed {seed}");
        unlinked += u64::from(is_unlinked(&report));
    }
    tell(&format!("{unlinked} of {count} ran unlinked"));
    assert!(100 * unlinked >= percent * count, "only {unlinked} of {count} ran unlinked");
}

/// Checks that the first `count` programs ([`sample`]) pass on every adapter.
pub(super) fn check_adapters(case: fn(u64) -> String, count: u64) {
    check_seeds(case, || 0..sample(count));
}

/// Checks that the programs of these seeds pass on every adapter.
pub(super) fn check_seeds<I: Iterator<Item = u64>>(case: fn(u64) -> String, seeds: impl Fn() -> I) {
    for (adapter, device) in devices() {
        for seed in seeds() {
            let text = case(seed);
            let verdict = report(&text, &device).verdict;
            assert_eq!(verdict, Verdict::Pass, "seed {seed} on {adapter}:\n{text}");
        }
    }
}
