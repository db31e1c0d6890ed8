//! Random programs with tessellation stages: on the executor, linking does not change their results, and every
//! component of every vertex has the right value on every adapter.

use generate::tessellation::case;
use interstage::check::verdict::Verdict;

use super::run::{check_adapters, check_executor, executor, report};

#[test]
fn the_linker_changes_nothing() {
    check_executor(case, 100, 84);
}

#[test]
fn programs_pass_on_every_adapter() {
    check_adapters(case, 8);
}

/// The comparisons in the stages detect a wrong number of a vertex, of a patch's vertex and of a patch.
#[test]
fn a_value_that_differs_is_seen() {
    let device = executor();
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
            seen += u32::from(matches!(report(&wrong, &device).verdict, Verdict::Fail(_)));
        }
        // Some programs have no control stage, or read nothing there.
        assert!(changed > 12 && seen > 9, "{seen} of {changed} were seen: {wrong}");
    }
}
