//! Runs hand-written geometry stages on every adapter of the machine.

use case::{Draw, DrawShape, Topology};
use fixture::geometry::{
    CAPTURED_COUNTS, CAPTURED_WORDS, CULLED, PIXELS, SQUARES, captured_case, capturing, culling,
    program, stage,
};
use ir::readback::Extent;
use ir::tessellation::{Domain, Spacing, TessellationPattern};
use link::table::pass::{ControlPass, Role};

use crate::adapter_tests::{bytes, look_at, on_every_adapter, readback};
use link::program::LinkedProgram;

#[track_caller]
fn check_pixels(program: &LinkedProgram, expected: &[[u8; 4]; 4]) {
    let case = fixture::geometry::case(&SQUARES, vec![look_at(0)]);
    on_every_adapter(|gpu| {
        let pixels = bytes(&readback(gpu, &case, program), 1);
        let reds: Vec<u8> = pixels.into_iter().step_by(4).collect();
        assert_eq!(reds, expected.as_flattened(), "{}", gpu.info());
    });
}

#[test]
fn what_a_geometry_stage_emits_is_drawn() {
    check_pixels(&program(), &PIXELS);
}

#[test]
fn what_a_geometry_stage_emits_is_culled() {
    check_pixels(&culling(), &CULLED);
}

#[test]
fn what_a_geometry_stage_emits_is_captured_and_counted() {
    let case = captured_case();
    let first = case.steps.len() - 3;
    let captured: Vec<u8> = CAPTURED_WORDS.iter().flat_map(|word| word.to_le_bytes()).collect();
    let counts = CAPTURED_COUNTS.map(|count| count.to_le_bytes().to_vec());
    on_every_adapter(|gpu| {
        let readback = readback(gpu, &case, &capturing());
        assert_eq!(bytes(&readback, first), captured, "{}", gpu.info());
        let found = [1, 2].map(|idx| bytes(&readback, first + idx));
        assert_eq!(found, counts, "{}", gpu.info());
    });
}

/// A control stage that an adapter refuses gives no levels: the case has the adapter's messages and nothing else.
#[test]
fn a_control_stage_that_is_refused_gives_messages() {
    let pattern = TessellationPattern {
        domain: Domain::Triangles,
        spacing: Spacing::Equal,
        is_clockwise: false,
        is_point_mode: false,
    };
    let control = ControlPass { vertices: 3, first_vertex: 6, vertex_stride: 1, levels: None };
    let mut passes = fixture::geometry::chain(stage());
    passes.truncate(1);
    // Neither has an entry point.
    passes.push(fixture::pass(Role::Control(control), 9));
    passes.push(fixture::pass(Role::Evaluation(pattern), 1));
    let program = LinkedProgram { passes, ..program() };
    let shape = DrawShape::Arrays { topology: Topology::Patches, first: 0, count: 3 };
    let mut case = fixture::geometry::case(&SQUARES, vec![look_at(0)]);
    case.steps[0].value = case::Step::Run(case::Action::Draw(Draw::once(shape)));
    on_every_adapter(|gpu| {
        let readback = crate::execute(gpu, &case, &program, Extent::Whole).expect("it is planned");
        assert_ne!(readback.messages, [""; 0], "{}", gpu.info());
        assert_eq!(readback.snapshots, [None, None]);
    });
}
