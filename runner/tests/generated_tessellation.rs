//! Random programs with tessellation stages: the linker changes nothing of what they give on the executor, and every component
//! of every vertex has the right value on every adapter.

use interstage::case::Dialect;
use interstage::case::parse::parse;
use interstage::check::Goldens;
use interstage::check::verdict::Verdict;
use interstage::device::Device;
use interstage::{gpu, run_case};
use interstage_runner::generate::tessellation::case;

/// Runs a program, or another text. Returns the verdict, and whether the stages ran unlinked as well.
fn run(text: &str, device: &Device) -> (Verdict, bool) {
    let parsed = parse("generated", text.as_bytes(), Dialect::Interstage).remove(0);
    let case = parsed.result.unwrap_or_else(|_| panic!("it is no case:\n{text}"));
    let report = run_case(&case, Some(device), &Goldens::default());
    let judged = report.oracle.as_ref().and_then(|judged| judged.as_ref().ok());
    (report.verdict, judged.is_some_and(|judged| judged.unlinked.is_ok()))
}

#[test]
fn the_linker_changes_nothing() {
    let device = Device::open("cpu").expect("the executor is always there");
    let mut unlinked = 0;
    for seed in 0..150 {
        let (verdict, is_unlinked) = run(&case(seed), &device);
        assert_eq!(verdict, Verdict::Pass, "seed {seed}");
        unlinked += u32::from(is_unlinked);
    }
    // The others interpolate by multiplying with w, which may round.
    assert!(unlinked > 125, "only {unlinked} ran unlinked");
}

#[test]
fn generated_programs_pass_on_every_adapter() {
    for adapter in gpu::adapters() {
        let device =
            Device::open(&format!("{}:{}", adapter.backend, adapter.index)).expect("a device");
        for seed in 0..8 {
            let (verdict, _) = run(&case(seed), &device);
            assert_eq!(verdict, Verdict::Pass, "seed {seed} on {}", adapter.backend);
        }
    }
}

/// The comparisons of the stages detect a wrong number of a vertex, of a patch's vertex and of a patch.
#[test]
fn a_value_that_differs_is_seen() {
    let device = Device::open("cpu").expect("the executor is always there");
    for [right, wrong] in [
        ["zero + 2048.0 * float(gl_VertexID", "zero + 2048.0 * float(1 + gl_VertexID"],
        ["2048.0 * float(whole * 8 + gl_Inv", "2048.0 * float(whole * 8 + 1 + gl_Inv"],
        ["whose = ivec2(instance[0], ", "whose = ivec2(instance[0], 1 + "],
    ] {
        let (mut changed, mut seen) = (0, 0);
        for seed in 0..20 {
            let text = case(seed);
            let wrong = text.replacen(right, wrong, 1);
            changed += u32::from(text != wrong);
            seen += u32::from(matches!(run(&wrong, &device).0, Verdict::Fail(_)));
        }
        // Some programs have no control stage, or read nothing there.
        assert!(changed > 12 && seen > 9, "{seen} of {changed} were seen: {wrong}");
    }
}
