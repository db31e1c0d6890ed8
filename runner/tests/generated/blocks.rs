//! Generated blocks: every scalar has the right offset, on every adapter, and a wrong offset is detected.

use generate::blocks;
use interstage::check::Goldens;
use interstage::check::verdict::Verdict;
use interstage::run_case;

use super::run::{case_of, check_seeds, devices, report, sample};

/// Every ninth of the fixed shapes, and random blocks.
fn seeds() -> impl Iterator<Item = u64> {
    (0..blocks::SHAPES).step_by(9).chain(blocks::SHAPES..blocks::SHAPES + sample(20))
}

#[test]
fn blocks_pass_on_every_adapter() {
    check_seeds(blocks::case, seeds);
}

/// The linker reports the right offsets of all fixed shapes, and of many random blocks. This test needs no GPU.
#[test]
fn offsets_of_all_shapes_are_reported() {
    for seed in 0..blocks::SHAPES + 500 {
        let text = blocks::case(seed);
        let (head, _) = text.split_once("[test]").expect("a test section");
        let text = format!("{head}[test]\nlink success\n");
        let verdict = run_case(&case_of(&text), None, &Goldens::default()).verdict;
        assert_eq!(verdict, Verdict::Pass, "seed {seed}:\n{text}");
    }
}

/// A block with a wrong first value does not pass.
#[test]
fn a_value_that_differs_is_seen() {
    let (_, device) = devices().next().expect("an adapter");
    for seed in (0..blocks::SHAPES).step_by(31) {
        let text = blocks::case(seed);
        let wrong = text.replacen("uniform vec4 words 0 1", "uniform vec4 words 9 1", 1);
        assert_ne!(text, wrong);
        let verdict = report(&wrong, &device).verdict;
        assert!(matches!(verdict, Verdict::Fail(_)), "seed {seed}: {verdict:?}");
    }
}
