//! Generated blocks: every scalar has the right offset, on every adapter, and a wrong offset is detected.

use generate::blocks;
use interstage::case::parse::parse;
use interstage::case::{Case, Dialect};
use interstage::check::Goldens;
use interstage::check::verdict::Verdict;
use interstage::device::Device;
use interstage::gpu;
use interstage::run_case;

/// Every ninth of the fixed shapes, and as many random blocks.
fn seeds() -> impl Iterator<Item = u64> {
    (0..blocks::SHAPES).step_by(9).chain(blocks::SHAPES..blocks::SHAPES + 30)
}

fn case_of(text: &str) -> Case {
    let parsed = parse("generated", text.as_bytes(), Dialect::Interstage).remove(0);
    parsed.result.unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

#[test]
fn generated_blocks_pass_on_every_adapter() {
    let adapters = gpu::adapters();
    assert!(!adapters.is_empty(), "there is an adapter");
    for adapter in adapters {
        let device =
            Device::open(&format!("{}:{}", adapter.backend, adapter.index)).expect("a device");
        for seed in seeds() {
            let text = blocks::case(seed);
            let verdict = run_case(&case_of(&text), Some(&device), &Goldens::default()).verdict;
            assert_eq!(verdict, Verdict::Pass, "seed {seed} on {}:\n{text}", adapter.backend);
        }
    }
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
    let adapter = gpu::adapters().into_iter().next().expect("an adapter");
    let device = Device::open(&format!("{}:{}", adapter.backend, adapter.index)).expect("a device");
    for seed in (0..blocks::SHAPES).step_by(31) {
        let text = blocks::case(seed);
        let wrong = text.replacen("uniform vec4 words 0 1", "uniform vec4 words 9 1", 1);
        assert_ne!(text, wrong);
        let verdict = run_case(&case_of(&wrong), Some(&device), &Goldens::default()).verdict;
        assert!(matches!(verdict, Verdict::Fail(_)), "seed {seed}: {verdict:?}");
    }
}
