//! Random pairs of stages link within a number of slots that is certain to suffice, and every component has the right
//! value on every adapter.

use generate::varyings;
use interstage::case::Dialect;
use interstage::case::parse::parse;
use interstage::check::Goldens;
use interstage::check::verdict::Verdict;
use interstage::device::Device;
use interstage::gpu;
use interstage::run_case;

const PROGRAMS: u64 = 150;

#[test]
fn generated_programs_pass_on_every_adapter() {
    let adapters = gpu::adapters();
    assert!(!adapters.is_empty(), "there is an adapter");
    for adapter in adapters {
        let device =
            Device::open(&format!("{}:{}", adapter.backend, adapter.index)).expect("a device");
        for seed in 0..PROGRAMS {
            let text = varyings::case(seed);
            let parsed = parse("generated", text.as_bytes(), Dialect::Interstage).remove(0);
            let case = parsed.result.unwrap_or_else(|_| panic!("seed {seed} is no case:\n{text}"));
            let verdict = run_case(&case, Some(&device), &Goldens::default()).verdict;
            assert_eq!(verdict, Verdict::Pass, "seed {seed} on {}:\n{text}", adapter.backend);
        }
    }
}

/// The comparison in the fragment stage detects a wrong component.
#[test]
fn a_value_that_differs_is_seen() {
    let adapter = gpu::adapters().into_iter().next().expect("an adapter");
    let device = Device::open(&format!("{}:{}", adapter.backend, adapter.index)).expect("a device");
    let mut tried = 0;
    for seed in 0..20 {
        let text = varyings::case(seed);
        // The vertex stage comes first, so the first write gets another value.
        let wrong = text.replacen("(1", "(9991", 1).replacen("2654435761u + ", "7u + ", 1);
        assert_ne!(text, wrong);
        let parsed = parse("generated", wrong.as_bytes(), Dialect::Interstage).remove(0);
        let case = parsed.result.expect("a case");
        let verdict = run_case(&case, Some(&device), &Goldens::default()).verdict;
        assert!(matches!(verdict, Verdict::Fail(_)), "seed {seed}: {verdict:?}");
        tried += 1;
    }
    assert_eq!(tried, 20);
}
