//! Random programs with a geometry stage: on the executor, linking does not change their results, and every component
//! of every vertex has the right value on every adapter.

use generate::geometry::case;
use interstage::check::verdict::Verdict;

use super::run::{check_adapters, check_executor, executor, report};

#[test]
fn the_linker_changes_nothing() {
    check_executor(case, 100, 84);
}

#[test]
fn programs_pass_on_every_adapter() {
    check_adapters(case, 20);
}

/// The comparisons in the geometry and the fragment stage detect a wrong vertex number.
#[test]
fn a_value_that_differs_is_seen() {
    let device = executor();
    let mut seen = 0;
    for seed in 0..20 {
        let text = case(seed);
        let wrong = text.replacen("float(gl_VertexID", "float(1 + gl_VertexID", 1);
        assert_ne!(text, wrong);
        seen += u32::from(matches!(report(&wrong, &device).verdict, Verdict::Fail(_)));
    }
    // Some programs read nothing of the vertex stage.
    assert!(seen > 12, "only {seen} were seen");
}
