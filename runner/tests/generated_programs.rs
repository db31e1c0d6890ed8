//! Random programs: on the executor, linking does not change their results, and adapters return values that the oracle
//! permits.

use generate::programs::{Language, case};
use interstage::case::Dialect;
use interstage::case::parse::parse;
use interstage::check::Goldens;
use interstage::check::verdict::Verdict;
use interstage::device::Device;
use interstage::{gpu, run_case};

/// Runs a program. Returns how it failed, if it did. Undecided values are not a failure of the adapter.
fn run(seed: u64, language: Language, device: &Device) -> Option<String> {
    let text = case(seed, language);
    let parsed = parse("generated", text.as_bytes(), Dialect::Interstage).remove(0);
    let Ok(case) = parsed.result else { return Some(format!("seed {seed} is no case:\n{text}")) };
    let report = run_case(&case, Some(device), &Goldens::default());
    let judged = report.oracle.as_ref().and_then(|judged| judged.as_ref().ok());
    let is_unlinked = judged.is_some_and(|judged| judged.unlinked.is_ok());
    let is_right = match &report.verdict {
        Verdict::Pass => true,
        Verdict::Fail(failures) => failures.iter().all(|failure| is_undecided(&failure.details)),
        // wgpu's GL backend cannot draw into 32-bit floats on every driver.
        Verdict::Skip(reason) if reason.contains("rgba32float") => return None,
        Verdict::Skip(_)
        | Verdict::Unsupported(_)
        | Verdict::Undecided(_)
        | Verdict::Untested(_)
        | Verdict::Broken(_) => false,
    };
    let told = || format!("seed {seed} of {language:?}: {:?}\n{text}", report.verdict);
    (!is_right || !is_unlinked).then(told)
}

/// True if no value differs, but some are undecided.
fn is_undecided(details: &[String]) -> bool {
    details.iter().any(|line| line.trim_start().starts_with("values    0 of "))
        && details.iter().any(|line| line.trim_start().starts_with("blame     not decided"))
}

#[test]
fn the_linker_changes_nothing() {
    let device = Device::open("cpu").expect("the executor is always there");
    for language in [Language::Glsl, Language::Wgsl, Language::Spirv] {
        for seed in 0..200 {
            assert_eq!(run(seed, language, &device), None);
        }
    }
}

#[test]
fn adapters_give_what_the_oracle_allows() {
    for adapter in gpu::adapters() {
        let device =
            Device::open(&format!("{}:{}", adapter.backend, adapter.index)).expect("a device");
        for language in [Language::Glsl, Language::Wgsl, Language::Spirv] {
            for seed in 0..25 {
                assert_eq!(run(seed, language, &device), None, "{}", adapter.backend);
            }
        }
    }
}
