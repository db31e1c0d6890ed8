//! Random programs with WGSL stages: on the executor, linking does not change their results; every component has the right
//! value on every adapter; and a wrong value is seen.

use generate::{geometry, tessellation, wgsl};
use interstage::check::verdict::Verdict;

use super::run::{check_adapters, check_executor, devices, executor, report, sample};

/// The generators.
const VARYINGS: fn(u64) -> String = wgsl::varyings::case;
const BLOCKS: fn(u64) -> String = wgsl::blocks::case;
const GEOMETRY: fn(u64) -> String = geometry::case_with_wgsl;
const TESSELLATION: fn(u64) -> String = tessellation::case_with_wgsl;

#[test]
fn the_linker_changes_no_varyings() {
    check_executor(VARYINGS, 60, 90);
}

#[test]
fn the_linker_changes_no_blocks() {
    check_executor(BLOCKS, 60, 96);
}

#[test]
fn the_linker_changes_nothing_around_geometry_stages() {
    check_executor(GEOMETRY, 60, 81);
}

#[test]
fn the_linker_changes_nothing_around_tessellation_stages() {
    check_executor(TESSELLATION, 60, 84);
}

/// Programs with halves skip on an adapter without them.
#[test]
fn varyings_pass_on_every_adapter() {
    for (adapter, device) in devices() {
        let mut passed = 0;
        for seed in 0..sample(15) {
            match report(&VARYINGS(seed), &device).verdict {
                Verdict::Pass => passed += 1,
                Verdict::Skip(reason) if reason.contains("SHADER_F16") => {}
                other @ (Verdict::Skip(_)
                | Verdict::Fail(_)
                | Verdict::Unsupported(_)
                | Verdict::Undecided(_)
                | Verdict::Untested(_)
                | Verdict::Broken(_)) => panic!("seed {seed} on {adapter}: {other:?}"),
            }
        }
        assert!(passed > 10, "only {passed} passed on {adapter}");
    }
}

#[test]
fn blocks_pass_on_every_adapter() {
    check_adapters(BLOCKS, 15);
}

#[test]
fn geometry_stages_pass_on_every_adapter() {
    check_adapters(GEOMETRY, 10);
}

#[test]
fn tessellation_stages_pass_on_every_adapter() {
    check_adapters(TESSELLATION, 5);
}

/// Number of programs, and of failures, among 20 that contain one of the texts and get another instead.
fn seen(case: fn(u64) -> String, changes: &[[&str; 2]]) -> [u32; 2] {
    let device = executor();
    let (mut changed, mut failed) = (0, 0);
    for seed in 0..20 {
        let text = case(seed);
        let change = changes.iter().find(|[right, _]| text.contains(right));
        let Some([right, wrong]) = change else { continue };
        changed += 1;
        let wrong = text.replacen(right, wrong, 1);
        failed += u32::from(matches!(report(&wrong, &device).verdict, Verdict::Fail(_)));
    }
    [changed, failed]
}

/// The fragment stage compares every component: a swapped pair, or another number, is red.
#[test]
fn varyings_with_swapped_or_wrong_components_are_seen() {
    let swapped = [["(1, 2", "(2, 1"], ["32(1) + ", "32(9) + "], ["16(1) + ", "16(9) + "]];
    let [changed, failed] = seen(VARYINGS, &swapped);
    // Some programs do not read the first varying.
    assert!(changed > 15 && failed >= 10, "{failed} of {changed} were seen");
}

/// A wrong interpolation draws red.
#[test]
fn another_interpolation_is_seen() {
    let ways = [["let linear = 16.0 * part;", "let linear = 32.0 * part / (4.0 - part);"]];
    let [changed, failed] = seen(VARYINGS, &ways);
    assert!(changed == 20 && failed >= 8, "{failed} of {changed} were seen");
    let ways = [["32.0 * part / (4.0 - part)", "16.0 * part"]];
    let [changed, failed] = seen(VARYINGS, &ways);
    assert!(changed == 20 && failed >= 8, "{failed} of {changed} were seen");
    let vertices = [["64.0 * f32(vertex) + zero", "64.0 * f32(vertex) + 64.0"]];
    let [changed, failed] = seen(VARYINGS, &vertices);
    assert!(changed == 20 && failed >= 8, "{failed} of {changed} were seen");
}

/// A buffer with a wrong first word is seen.
#[test]
fn blocks_with_wrong_words_are_seen() {
    let words = [["words 0 1", "words 9 1"], ["float 0 0", "float 0 9"]];
    let [changed, failed] = seen(BLOCKS, &words);
    assert!(changed >= 13 && failed == changed, "{failed} of {changed} were seen");
}

/// The comparisons in the stages detect a wrong number of a vertex.
#[test]
fn wrong_vertices_are_seen() {
    let numbers = [["* f32(vertex + ", "* f32(1 + vertex + "]];
    for case in [GEOMETRY, TESSELLATION] {
        let [changed, failed] = seen(case, &numbers);
        // Some programs read nothing of the vertex stage.
        assert!(changed == 20 && failed > 11, "{failed} of {changed} were seen");
    }
    // The fragment stage compares what the stage before it gives.
    let numbers = [["f32(in.stamp.", "f32(1 + in.stamp."]];
    for case in [GEOMETRY, TESSELLATION] {
        let [changed, failed] = seen(case, &numbers);
        assert!(changed > 10 && failed == changed, "{failed} of {changed} were seen");
    }
}
