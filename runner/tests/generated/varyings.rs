//! Random pairs of stages link within a number of slots that is certain to suffice, and every component has the right
//! value on every adapter.

use generate::varyings;
use interstage::check::verdict::Verdict;

use super::run::{check_adapters, devices, report};

#[test]
fn programs_pass_on_every_adapter() {
    check_adapters(varyings::case, 100);
}

/// The comparison in the fragment stage detects a wrong component.
#[test]
fn a_value_that_differs_is_seen() {
    let (_, device) = devices().next().expect("an adapter");
    let mut tried = 0;
    for seed in 0..20 {
        let text = varyings::case(seed);
        // The vertex stage comes first, so the first write gets another value.
        let wrong = text.replacen("(1", "(9991", 1).replacen("2654435761u + ", "7u + ", 1);
        assert_ne!(text, wrong);
        let verdict = report(&wrong, &device).verdict;
        assert!(matches!(verdict, Verdict::Fail(_)), "seed {seed}: {verdict:?}");
        tried += 1;
    }
    assert_eq!(tried, 20);
}
