//! Random programs: on the executor, linking does not change their results, and adapters return values that the oracle
//! permits.

use generate::programs::{Language, case};
use interstage::check::verdict::Verdict;
use interstage::device::Device;

use super::run::{devices, executor, is_unlinked, report, sample};

const LANGUAGES: [Language; 3] = [Language::Glsl, Language::Wgsl, Language::Spirv];

/// Runs a program. Returns how it failed, if it did. Undecided values are not a failure of the adapter.
fn run(seed: u64, language: Language, device: &Device) -> Option<String> {
    let text = case(seed, language);
    let report = report(&text, device);
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
    (!is_right || !is_unlinked(&report)).then(told)
}

/// True if no value differs, but some are undecided.
fn is_undecided(details: &[String]) -> bool {
    details.iter().any(|line| line.trim_start().starts_with("values    0 of "))
        && details.iter().any(|line| line.trim_start().starts_with("blame     not decided"))
}

#[test]
fn the_linker_changes_nothing() {
    let device = executor();
    for language in LANGUAGES {
        for seed in 0..sample(130) {
            assert_eq!(run(seed, language, &device), None);
        }
    }
}

#[test]
fn adapters_give_what_the_oracle_allows() {
    for (adapter, device) in devices() {
        for language in LANGUAGES {
            for seed in 0..sample(20) {
                assert_eq!(run(seed, language, &device), None, "{adapter}");
            }
        }
    }
}
