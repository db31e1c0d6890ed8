//! Random programs with a geometry stage: the linker changes nothing of what they give on the executor, and every component
//! of every vertex has the right value on every adapter.

use interstage::case::Dialect;
use interstage::case::parse::parse;
use interstage::check::Goldens;
use interstage::check::verdict::Verdict;
use interstage::device::Device;
use interstage::{gpu, run_case};
use interstage_runner::generate::geometry::case;

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
    for seed in 0..300 {
        let (verdict, is_unlinked) = run(&case(seed), &device);
        assert_eq!(verdict, Verdict::Pass, "seed {seed}");
        unlinked += u32::from(is_unlinked);
    }
    // The others interpolate by multiplying with w, which may round.
    assert!(unlinked > 250, "only {unlinked} ran unlinked");
}

#[test]
fn generated_programs_pass_on_every_adapter() {
    for adapter in gpu::adapters() {
        let device =
            Device::open(&format!("{}:{}", adapter.backend, adapter.index)).expect("a device");
        for seed in 0..25 {
            let (verdict, _) = run(&case(seed), &device);
            assert_eq!(verdict, Verdict::Pass, "seed {seed} on {}", adapter.backend);
        }
    }
}

/// The comparisons of the geometry and the fragment stage detect a wrong number of a vertex.
#[test]
fn a_value_that_differs_is_seen() {
    let device = Device::open("cpu").expect("the executor is always there");
    let mut seen = 0;
    for seed in 0..20 {
        let text = case(seed);
        let wrong = text.replacen("float(gl_VertexID", "float(1 + gl_VertexID", 1);
        assert_ne!(text, wrong);
        seen += u32::from(matches!(run(&wrong, &device).0, Verdict::Fail(_)));
    }
    // Some programs read nothing of the vertex stage.
    assert!(seen > 12, "only {seen} were seen");
}
