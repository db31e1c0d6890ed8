//! Generated self-checking programs: on the executor, where the linker must change nothing, and on every adapter.

use interstage::case::Dialect;
use interstage::case::parse::parse;
use interstage::check::Goldens;
use interstage::check::verdict::Verdict;
use interstage::device::Device;
use interstage::{gpu, run_case};

/// Runs a program. Returns the verdict, and whether the stages also ran unlinked.
pub(crate) fn run(text: &str, device: &Device) -> (Verdict, bool) {
    let parsed = parse("generated", text.as_bytes(), Dialect::Interstage).remove(0);
    let case = parsed.result.unwrap_or_else(|_| panic!("it is no case:\n{text}"));
    let report = run_case(&case, Some(device), &Goldens::default());
    let judged = report.oracle.as_ref().and_then(|judged| judged.as_ref().ok());
    (report.verdict, judged.is_some_and(|judged| judged.unlinked.is_ok()))
}

/// The executor, which is always available.
pub(crate) fn executor() -> Device {
    Device::open("cpu").expect("the executor is always there")
}

/// Checks that the first `count` programs pass on the executor, and that more than `least` of them also ran unlinked.
/// The others interpolate by multiplying with w, which may round.
pub(crate) fn check_executor(case: fn(u64) -> String, (count, least): (u64, u64)) {
    let device = executor();
    let mut unlinked = 0;
    for seed in 0..count {
        let (verdict, is_unlinked) = run(&case(seed), &device);
        assert_eq!(verdict, Verdict::Pass, "seed {seed}");
        unlinked += u64::from(is_unlinked);
    }
    assert!(unlinked > least, "only {unlinked} ran unlinked");
}

/// Checks that the first `count` programs pass on every adapter.
pub(crate) fn check_adapters(case: fn(u64) -> String, count: u64) {
    for adapter in gpu::adapters() {
        let device =
            Device::open(&format!("{}:{}", adapter.backend, adapter.index)).expect("a device");
        for seed in 0..count {
            let (verdict, _) = run(&case(seed), &device);
            assert_eq!(verdict, Verdict::Pass, "seed {seed} on {}", adapter.backend);
        }
    }
}
