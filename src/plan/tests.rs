//! Tests of planning.

use crate::topology::ProvokingVertex;
use case::UniformStep;
use case::state::StateChange;
use case::{
    Action, BufferProbe, Case, Comparison, Dialect, DrawShape, ReadExpectation, Region, Setting,
    Step, Topology, VertexData, VertexStorage,
};
use ir::interface::{ScalarKind, Type};
use ir::layout::standard::{MatrixOrder, Standard, layout_of};
use ir::readback::Area;
use ir::scalar::Number;
use link::lower::point::POINT_STATE;
use link::program::{FlatVertex, LinkedProgram, LinkedStages};
use link::table::binding::{Attribute, StageUse, Uniform, UniformBuffer};
use link::table::shell::PointSizeRule;

use super::*;

fn render_program() -> LinkedProgram {
    let vertex = naga::Module::default();
    fixture::program(LinkedStages::Render { vertex, fragment: None })
}

fn storage_program() -> LinkedProgram {
    let mut program = fixture::program(LinkedStages::Compute(naga::Module::default()));
    let stages = StageUse { compute: true, ..StageUse::default() };
    program.storage_buffers.push(fixture::storage_buffer("Out", 2, stages));
    program
}

pub(super) fn uniform_program(name: &str, ty: Type) -> LinkedProgram {
    let mut program = render_program();
    let uniform = Uniform {
        alias: String::new(),
        functions: Vec::new(),
        name: name.to_owned(),
        layout: layout_of(&ty, Standard::Std140, MatrixOrder::ColumnMajor),
        ty,
        offset: 0,
        location: None,
        initial: None,
        span: None,
    };
    let stages = StageUse { fragment: true, ..StageUse::default() };
    program
        .uniform_buffers
        .push(UniformBuffer { uniforms: vec![uniform], ..fixture::uniform_buffer(stages) });
    program
}

/// `[vertex data]` with one float per row.
fn rows_of(attribute: &str, values: &[f32]) -> VertexData {
    let column = fixture::column(attribute, VertexStorage::Float, 1);
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let row_count = u32::try_from(values.len()).expect("a few rows");
    VertexData { columns: vec![column], stride: 4, bytes, row_count }
}

fn plan_of(steps: Vec<Step>, program: &LinkedProgram) -> Plan {
    plan(&fixture::case(steps), program, ProvokingVertex::Last).expect("the steps fit the program")
}

#[track_caller]
fn check_error(case: &Case, program: &LinkedProgram, expected: (usize, &str)) {
    match plan(case, program, ProvokingVertex::Last) {
        Err(ExecuteError::Step { step, misfit }) => assert_eq!((step, misfit.0.as_str()), expected),
        other => panic!("planned {other:?}"),
    }
}

const CLEAR: Step = Step::Run(Action::Clear);

const DISPATCH: Step = Step::Run(Action::Compute([1, 1, 1]));

fn all_black() -> Step {
    fixture::probe(0, Region::All, &[Number::Integer(0); 4])
}

fn set_color(value: f64) -> Step {
    let (name, values) = ("color".to_owned(), vec![Number::Real(value)]);
    Step::Set(Setting::Uniform(UniformStep { name, ty: Type::F32, values }))
}

fn probe_buffer(binding: u32) -> Step {
    Step::from(ReadExpectation::Buffer(BufferProbe {
        binding,
        offset: 0,
        ty: Type::F32,
        comparison: Comparison::Equal,
        expected: vec![Number::Integer(0)],
    }))
}

fn subdata(offset: u32, ty: Type, values: &[Number]) -> Step {
    Step::Set(Setting::SsboData { binding: 2, offset, ty, values: values.to_vec() })
}

#[test]
fn probes_share_a_snapshot_until_something_is_drawn() {
    let steps = vec![all_black(), all_black(), fixture::draw_all(), all_black()];
    let plan = plan_of(steps, &render_program());
    assert_eq!(plan.snapshot_of_step, [Some(0), Some(0), None, Some(1)]);
    let whole = Some(Area::whole(4, 4));
    assert_eq!(
        plan.snapshots,
        [PlannedSnapshot { source: SnapshotSource::Target(0), area: whole }; 2]
    );
}

#[test]
fn a_snapshot_is_of_all_pixels_that_are_looked_at_until_something_is_drawn() {
    let black = [Number::Integer(0); 4];
    let one = |x, y| fixture::probe(0, Region::Pixel([x, y]), &black);
    let steps = vec![one(1, 3), one(2, 0), fixture::draw_all(), one(3, 3), one(9, 9)];
    let plan = plan_of(steps, &render_program());
    let areas: Vec<_> = plan.snapshots.iter().map(|snapshot| snapshot.area).collect();
    let both = Area { x: 1, y: 0, width: 2, height: 4 };
    // A probe outside the four by four pixels fails in any case.
    assert_eq!(areas, [Some(both), Some(Area::whole(4, 4))]);
    let steps = vec![one(1, 3), one(2, 0), fixture::draw_all(), one(3, 3)];
    let plan = plan_of(steps, &render_program());
    assert_eq!(plan.snapshots[1].area, Some(Area { x: 3, y: 3, width: 1, height: 1 }));
}

#[test]
fn a_draw_leaves_targets_alone_that_the_program_does_not_write() {
    let mut program = render_program();
    program.draw.written_targets.clear();
    let plan = plan_of(vec![all_black(), fixture::draw_all(), all_black()], &program);
    assert_eq!(plan.snapshot_of_step, [Some(0), None, Some(0)]);
}

#[test]
fn a_probe_of_a_target_that_is_not_there_captures_nothing() {
    let steps = vec![fixture::probe(3, Region::All, &[Number::Integer(0); 4]), probe_buffer(7)];
    assert_eq!(plan_of(steps, &render_program()).snapshot_of_step, [None, None]);
}

#[test]
fn clear_does_nothing_until_it_is_armed() {
    let color = [0.0, 1.0, 0.0, 1.0];
    let steps = vec![CLEAR, Setting::ClearColor(color).into(), CLEAR];
    let plan = plan_of(steps, &render_program());
    assert_eq!(
        plan.operations,
        [Operation::Clear {
            to: RenderTo::Window,
            attachments: 0,
            color: Some(color),
            depth: None,
            stencil: None
        }]
    );
}

#[test]
fn every_draw_has_the_uniforms_of_its_own_moment() {
    let steps = vec![
        set_color(1.0),
        fixture::draw_all(),
        set_color(2.0),
        fixture::draw_all(),
        set_color(1.0),
        fixture::draw_all(),
    ];
    let plan = plan_of(steps, &uniform_program("color", Type::F32));
    let bindings = |operation: &Operation| {
        if let Operation::Draw(draw) = operation { Some(draw.bindings) } else { None }
    };
    let used: Vec<_> = plan.operations.iter().map(bindings).collect();
    assert_eq!(used, [Some(0), Some(1), Some(0)]);
    let words: Vec<_> = plan.uniform_contents.iter().map(|content| content[..4].to_vec()).collect();
    assert_eq!(words, [1_f32.to_le_bytes(), 2_f32.to_le_bytes()]);
}

#[test]
fn an_unknown_uniform_is_an_error_of_its_step() {
    let case = fixture::case(vec![fixture::draw_all(), set_color(1.0)]);
    check_error(
        &case,
        &render_program(),
        (1, "uniform `color` is not used by the program, which has no uniforms"),
    );
}

#[test]
fn a_storage_buffer_must_be_made_before_it_is_used() {
    let case = fixture::case(vec![DISPATCH]);
    let message = "storage buffer `Out` needs an `ssbo 2 SIZE` before this step";
    check_error(&case, &storage_program(), (0, message));
}

#[test]
fn data_is_written_between_dispatches_and_in_its_own_type() {
    let make = Setting::Ssbo { binding: 2, size: 16 }.into();
    let dispatch = Step::Run(Action::Compute([1, 2, 3]));
    let pair = Type::Vector { size: 2, scalar: ScalarKind::U32 };
    let write = subdata(8, pair, &[Number::Integer(7), Number::Bits(0xff)]);
    let steps = vec![make, dispatch.clone(), write, dispatch, probe_buffer(2)];
    let plan = plan_of(steps, &storage_program());
    let dispatch = Operation::Dispatch { groups: [1, 2, 3], bindings: 0 };
    let bytes = vec![7, 0, 0, 0, 255, 0, 0, 0];
    let write = Operation::Write { buffer: 0, offset: 8, bytes };
    assert_eq!(plan.operations, [dispatch.clone(), write, dispatch, Operation::Snapshot(0)]);
    assert_eq!(plan.snapshot_of_step[4], Some(0));
}

#[test]
fn a_dispatch_ends_the_snapshots_of_what_it_may_write() {
    let make = Setting::Ssbo { binding: 2, size: 16 }.into();
    let steps = vec![make, probe_buffer(2), probe_buffer(2), DISPATCH, probe_buffer(2)];
    let mut program = storage_program();
    let plan = plan_of(steps.clone(), &program);
    assert_eq!(plan.snapshot_of_step, [None, Some(0), Some(0), None, Some(1)]);
    program.storage_buffers[0].is_writable = false;
    let plan = plan_of(steps, &program);
    assert_eq!(plan.snapshot_of_step, [None, Some(0), Some(0), None, Some(0)]);
}

/// WebGPU's buffers are never smaller than their block, and an array's length follows from the buffer's size.
#[test]
fn arrays_of_buffers_that_are_too_small_have_no_length() {
    let impossible = |size: u32, is_measured: bool| {
        let mut program = storage_program();
        (program.storage_buffers[0].min_size, program.storage_buffers[0].is_measured) =
            (32, is_measured);
        let make = Setting::Ssbo { binding: 2, size }.into();
        plan_of(vec![make, Step::Run(Action::Compute([1; 3]))], &program).impossible
    };
    let message =
        "the length of the array in `Out`, whose buffer is smaller than WebGPU lets it be";
    assert_eq!(impossible(28, true).as_deref(), Some(message));
    assert_eq!(impossible(28, false), None);
    assert_eq!(impossible(32, true), None);
}

#[test]
fn data_must_fit_the_buffer() {
    let one = [Number::Integer(1)];
    let make = Setting::Ssbo { binding: 2, size: 6 }.into();
    let case = fixture::case(vec![make, subdata(4, Type::F32, &one)]);
    let message = "4 bytes at offset 4 do not fit storage buffer 2 of 6 bytes";
    check_error(&case, &storage_program(), (1, message));
}

#[test]
fn rows_outside_of_the_vertex_data_are_errors() {
    let arrays = DrawShape::Arrays { topology: Topology::Triangles, first: 1, count: 3 };
    let mut case = fixture::case(vec![fixture::draw(arrays)]);
    let mut program = render_program();
    program.attributes.push(Attribute::new("a", Type::F32, 0, &mut (0..)));
    let message = "the vertex stage has attributes, and there is no `[vertex data]`";
    check_error(&case, &program, (0, message));
    // In GL attributes without an array have their current value.
    case.dialect = Dialect::Piglit;
    let current = plan(&case, &program, ProvokingVertex::Last).expect("the steps fit the program");
    assert_eq!(
        bytemuck::pod_collect_to_vec::<u8, f32>(&current.vertices[48..]),
        [0.0, 0.0, 0.0, 1.0]
    );
    case.dialect = Dialect::Interstage;
    case.vertex_data = Some(rows_of("a", &[0.0; 3]));
    check_error(&case, &program, (0, "there is no row 3; `[vertex data]` has 3"));
}

#[test]
fn a_draw_of_hostile_size_is_an_error() {
    let arrays = DrawShape::Arrays { topology: Topology::Points, first: 0, count: u32::MAX };
    let case = fixture::case(vec![fixture::draw(arrays)]);
    let message = "the draws of a case may have 16777216 vertices together";
    check_error(&case, &render_program(), (0, message));
}

#[test]
fn a_step_needs_its_stage() {
    let case = fixture::case(vec![DISPATCH]);
    let message = "`compute` needs a compute stage, and the program has none";
    check_error(&case, &render_program(), (0, message));
}

#[test]
fn every_point_is_a_quad_of_four_vertices_that_repeat_its_row() {
    let mut program = LinkedProgram {
        attributes: vec![Attribute::new("a", Type::F32, 0, &mut (0..))],
        ..uniform_program(POINT_STATE, Type::Vector { size: 4, scalar: ScalarKind::F32 })
    };
    program.draw.points = Some(PointSizeRule::Always);
    let points =
        |first| fixture::draw(DrawShape::Arrays { topology: Topology::Points, first, count: 1 });
    let mut case = fixture::case(vec![points(1), points(3)]);
    case.vertex_data = Some(rows_of("a", &[10.0, 11.0, 12.0, 13.0]));
    let plan = plan(&case, &program, ProvokingVertex::Last).expect("the steps fit the program");
    assert_eq!(plan.indices, [4, 5, 6, 6, 5, 7, 12, 13, 14, 14, 13, 15]);
    let floats = |bytes: &[u8]| bytemuck::pod_collect_to_vec::<u8, f32>(bytes);
    let firsts: Vec<f32> = floats(&plan.vertices).into_iter().step_by(4).collect();
    assert_eq!(firsts, [[10.0; 4], [11.0; 4], [12.0; 4], [13.0; 4]].concat());
    // A quarter of 4 by 4 pixels, the maximum point size, and two bits of the index for the corner.
    assert_eq!(floats(&plan.uniform_contents[0]), [0.25, 0.25, 255.0, 2.0]);
}

#[test]
fn a_line_into_a_block_has_the_members_type_in_strict_cases() {
    let mut program = uniform_program("color", Type::F32);
    program.uniform_buffers[0].name = "Block".to_owned();
    let step = Step::Set(Setting::Uniform(UniformStep {
        name: "color".to_owned(),
        ty: "int".parse().expect("a type"),
        values: vec![Number::Integer(1)],
    }));
    let mut case = fixture::case(vec![step]);
    case.dialect = Dialect::Interstage;
    check_error(&case, &program, (0, "uniform `color` is float, not int"));
    case.dialect = Dialect::Piglit;
    assert!(plan(&case, &program, ProvokingVertex::Last).is_ok());
}

#[test]
fn the_programs_language_names_the_provoking_vertex_until_a_case_does() {
    let mut program = render_program();
    program.draw.flat = FlatVertex::First;
    let strip = DrawShape::Arrays { topology: Topology::TriangleStrip, first: 0, count: 4 };
    let draw = || fixture::draw(strip.clone());
    let choose = |vertex| {
        let change = StateChange::ProvokingVertex(vertex);
        Step::Set(Setting::State(change))
    };
    // The backend's provoking vertex is the last: vertices 2 and 3 in GL, and 0 and 1 by the first convention.
    let (by_last, by_first) = ([0, 1, 2, 2, 1, 3], [1, 2, 0, 3, 2, 1]);
    assert_eq!(plan_of(vec![draw()], &render_program()).indices, by_last);
    assert_eq!(plan_of(vec![draw()], &program).indices, by_first);
    let steps = vec![draw(), choose(ProvokingVertex::Last), draw()];
    assert_eq!(plan_of(steps, &program).indices, [by_first, by_last].concat());
}
