//! Tests of planning draws through a geometry stage.

use case::state::{Capability, StateChange};
use case::texture::{TextureContent, TextureStep};
use case::xfb::XfbStep;
use case::{Action, Case, DrawShape, Setting, Step, Topology};
use ir::geometry::{InputPrimitive, OutputPrimitive};
use ir::interface::{ScalarKind, Type};
use ir::stage::ShaderStage;
use link::compute::geometry::NO_LAYER;
use link::compute::xfb::{Buffer, TimesW, Xfb};
use link::lower::draw_parameters::BASE_VERTEX;
use link::lower::point::POINT_STATE;
use link::program::LinkedProgram;
use link::table::shell::PointSizeRule;

use crate::tests::uniform_program;
use crate::topology::ProvokingVertex;
use crate::{ExecuteError, Operation, Plan, RenderTo, TextureLayer, XfbEvent, plan};

use super::*;

fn arrays(topology: Topology, first: u32, count: u32) -> Draw {
    Draw::once(DrawShape::Arrays { topology, first, count })
}

/// A program without attributes, whose geometry stage has these input and output primitives.
fn program(input: InputPrimitive, output: OutputPrimitive) -> LinkedProgram {
    let geometry = GeometryPass { input, output, ..fixture::geometry::stage() };
    let passes = fixture::geometry::chain(geometry);
    LinkedProgram { passes, attributes: Vec::new(), ..fixture::geometry::program() }
}

fn case(steps: Vec<Step>) -> Case {
    fixture::case(steps)
}

fn planned(case: &Case, program: &LinkedProgram) -> Result<Plan, String> {
    plan(case, program, ProvokingVertex::Last).map_err(|error| {
        let ExecuteError::Step { misfit, .. } = error else { panic!("{error:?}") };
        misfit.0
    })
}

fn draws(draws: &[Draw]) -> Case {
    case(draws.iter().map(|draw| Action::Draw(draw.clone()).into()).collect())
}

/// The lists of the only draw: vertices and primitives.
#[track_caller]
fn lists(plan: &Plan, input: InputPrimitive) -> (Vec<u32>, Vec<u32>) {
    let [vertex, geometry] = &plan.passes[..] else { panic!("{:?}", plan.passes) };
    let list = |first: u32, count: u32| plan.indices[first as usize..][..count as usize].to_vec();
    let [first, primitives] = [0, 1].map(|idx| geometry.word(idx));
    (list(vertex.word(1), vertex.word(2)), list(first, primitives * input.vertices()))
}

#[test]
fn every_vertex_of_arrays_runs_once_also_without_a_primitive() {
    let program = program(InputPrimitive::Triangles, OutputPrimitive::TriangleStrip);
    let plan = planned(&draws(&[arrays(Topology::TriangleStrip, 5, 4)]), &program);
    let (vertices, primitives) = lists(&plan.expect("it fits"), InputPrimitive::Triangles);
    assert_eq!(vertices, [5, 6, 7, 8]);
    assert_eq!(primitives, [0, 1, 2, 2, 1, 3]);
    let plan = planned(&draws(&[arrays(Topology::Triangles, 1, 4)]), &program);
    let (vertices, primitives) = lists(&plan.expect("it fits"), InputPrimitive::Triangles);
    assert_eq!((vertices, primitives), (vec![1, 2, 3, 4], vec![0, 1, 2]));
}

#[test]
fn every_index_runs_once_in_the_order_of_its_first_appearance() {
    let shape = DrawShape::Indexed { topology: Topology::LineStrip, first: 1, count: 7 };
    let mut case = draws(&[Draw { base_vertex: 10, ..Draw::once(shape) }]);
    case.indices = vec![9, 4, 2, RESTART_INDEX, 4, 7, 2, 4];
    let program = program(InputPrimitive::Lines, OutputPrimitive::LineStrip);
    let plan = planned(&case, &program).expect("it fits");
    let (vertices, primitives) = lists(&plan, InputPrimitive::Lines);
    assert_eq!(vertices, [14, 12, 17]);
    assert_eq!(primitives, [0, 1, 0, 2, 2, 1, 1, 0]);
}

#[test]
fn the_first_vertex_convention_orders_the_inputs_too() {
    let first = Setting::State(StateChange::ProvokingVertex(ProvokingVertex::First));
    let strip = Action::Draw(arrays(Topology::TriangleStrip, 0, 4));
    let program = program(InputPrimitive::Triangles, OutputPrimitive::TriangleStrip);
    let plan = planned(&case(vec![first.into(), strip.into()]), &program).expect("it fits");
    assert_eq!(lists(&plan, InputPrimitive::Triangles).1, [0, 1, 2, 1, 3, 2]);
    // The backend's provoking vertex is the last: (b, c, a) and (c, b, a).
    assert_eq!(plan.passes[1].word(4), 0b00_01_10_01_00_10);
}

#[test]
fn buffers_have_room_for_all_that_may_be_emitted() {
    let stage = GeometryPass { invocations: 2, streams: 3, ..fixture::geometry::stage() };
    let passes = fixture::geometry::chain(stage);
    let program = LinkedProgram { passes, ..program_of_squares() };
    let draw = Draw { instances: 5, ..arrays(Topology::Points, 0, 7) };
    let plan = planned(&draws(&[draw, arrays(Topology::Points, 0, 2)]), &program);
    let plan = plan.expect("it fits");
    // Six entries and four records of three words for each of 5 × 7 × 2 invocations.
    assert_eq!([1, 3].map(|idx| plan.passes[idx].word(3)), [70 * 6, 4 * 6]);
    assert_eq!(plan.storage_sizes, [7 * 5 * 4 * 4, 4 * (3 * 70 * 6 + 70 * 4 * 3)]);
    assert_eq!([0, 1].map(|idx| plan.passes[idx].groups), [[1, 5], [1, 5]]);
    assert_eq!(plan.passes[1].words, [7, 7, 7, 420, 0b10_00_01_10_01_00, 0, 0, 0]);
    let drawn = plan.operations.iter().filter_map(|operation| {
        let Operation::Draw(draw) = operation else { return None };
        Some((draw.indices.clone(), draw.instances))
    });
    // Both draw a part of the same list.
    let drawn: Vec<_> = drawn.collect();
    let start = drawn[0].0.start;
    assert_eq!(drawn, [(start..start + 420, 1), (start..start + 24, 1)]);
}

fn program_of_squares() -> LinkedProgram {
    program(InputPrimitive::Points, OutputPrimitive::TriangleStrip)
}

#[test]
fn too_many_entries_are_impossible() {
    let draw = Draw { instances: 1 << 20, ..arrays(Topology::Points, 0, 7) };
    let plan = planned(&draws(&[draw]), &program_of_squares()).expect("it fits");
    let message = "geometry stages may emit 16777216 vertices in one draw";
    assert_eq!(plan.impossible.as_deref(), Some(message));
}

#[test]
fn without_room_and_without_rasterizer_only_the_stages_run() {
    #[track_caller]
    fn check(steps: Vec<Step>, program: &LinkedProgram) {
        let plan = planned(&case(steps), program).expect("it fits");
        assert_eq!(plan.operations, [Operation::Passes(0..2)]);
    }
    let draw = || Action::Draw(arrays(Topology::Points, 0, 1)).into();
    let stage = GeometryPass { max_vertices: 2, ..fixture::geometry::stage() };
    let passes = fixture::geometry::chain(stage);
    check(vec![draw()], &LinkedProgram { passes, ..program_of_squares() });
    let off = StateChange::Switch { capability: Capability::RasterizerDiscard, is_enabled: true };
    check(vec![Setting::State(off).into(), draw()], &program_of_squares());
}

/// The program, which draws points as quads.
fn point_program(mut program: LinkedProgram) -> LinkedProgram {
    program.draw.points = Some(PointSizeRule::Always);
    program
}

#[test]
fn points_that_a_geometry_stage_emits_are_quads() {
    let program = program(InputPrimitive::Lines, OutputPrimitive::Points);
    let stage = program.geometry_pass().expect("it is set").own.clone();
    let passes = fixture::geometry::chain(GeometryPass { max_vertices: 2, ..stage });
    let vec4 = Type::Vector { size: 4, scalar: ScalarKind::F32 };
    let program = LinkedProgram { passes, ..point_program(uniform_program(POINT_STATE, vec4)) };
    let plan = planned(&draws(&[arrays(Topology::Lines, 0, 2)]), &program).expect("it fits");
    assert_eq!(plan.indices, [0, 1, 0, 1, 0, 1, 2, 2, 1, 3, 4, 5, 6, 6, 5, 7]);
    let [Operation::Passes(_), Operation::Draw(draw)] = &plan.operations[..] else {
        panic!("{:?}", plan.operations)
    };
    assert_eq!((draw.setup.primitive, draw.indices.clone()), (Primitive::Triangles, 4..16));
    // Bits of the vertex index that select a corner: none, as the stages run before the draw.
    let corner_bits = |bindings: usize| {
        let content = plan.bindings[bindings].uniforms[0];
        plan.uniform_contents[content][12..16].to_vec()
    };
    assert_eq!(corner_bits(plan.passes[0].bindings), 0_f32.to_le_bytes());
    assert_eq!(corner_bits(draw.bindings), 2_f32.to_le_bytes());
}

/// OpenGL 4.6 core, 11.3.1: the topology must have primitives of the stage's type.
#[test]
fn a_topology_that_gives_other_primitives_does_not_fit() {
    #[track_caller]
    fn check(input: InputPrimitive, topology: Topology, expected: &str) {
        let program = program(input, OutputPrimitive::Points);
        let found = planned(&draws(&[arrays(topology, 0, 6)]), &program).err();
        assert_eq!(found.as_deref(), Some(expected));
    }
    let message = "the geometry stage takes lines, and GL_POINTS has none";
    check(InputPrimitive::Lines, Topology::Points, message);
    let message = "the geometry stage takes triangles, and GL_QUADS has none";
    check(InputPrimitive::Triangles, Topology::Quads, message);
    let message = "the geometry stage takes triangles, and GL_TRIANGLES_ADJACENCY has none";
    check(InputPrimitive::Triangles, Topology::TrianglesAdjacency, message);
    let message = "the geometry stage takes lines_adjacency, and GL_LINE_STRIP has none";
    check(InputPrimitive::LinesAdjacency, Topology::LineStrip, message);
}

/// A program that draws the squares and captures one word per vertex.
fn capturing() -> LinkedProgram {
    let buffers = vec![Buffer { number: 0, stride: 1, is_active: true, stream: 0 }];
    let captured = Xfb { buffers, runs: Vec::new(), times_w: TimesW::default(), stride: 1 };
    let mut program = LinkedProgram { captured: Some(captured), ..program_of_squares() };
    program.passes.extend(fixture::captures(1));
    program
}

#[test]
fn a_captured_draw_runs_the_stages_once() {
    let begin = [XfbStep::Buffer { buffer: 0, size: 64, fill: 0 }, XfbStep::Begin];
    let mut steps: Vec<Step> = begin.into_iter().map(|step| Action::Xfb(step).into()).collect();
    let draw = || Step::from(Action::Draw(arrays(Topology::Points, 0, 3)));
    steps.extend([draw(), Action::Xfb(XfbStep::Pause).into(), draw()]);
    let found = plan(&case(steps), &capturing(), ProvokingVertex::First).expect("it fits");
    let kind = |operation: &Operation| match operation {
        Operation::Passes(range) if found.passes[range.start].number == 0 => "geometry",
        Operation::Passes(_) => "xfb",
        Operation::Snapshot(_) => "snapshot",
        Operation::Draw(_) => "draw",
        Operation::Clear { .. }
        | Operation::Fill { .. }
        | Operation::Rows(_)
        | Operation::Dispatch { .. }
        | Operation::Write { .. }
        | Operation::CopyWords(_)
        | Operation::ReadDepth(_) => "other",
    };
    let kinds: Vec<_> = found.operations.iter().map(kind).collect();
    let captured = ["geometry", "xfb", "snapshot", "snapshot", "snapshot", "draw"];
    assert_eq!(kinds, [&captured[..], &["geometry", "snapshot", "draw"]].concat());
    // Captured in GL's order: the backend's first vertex comes last.
    let captured = found.passes[2].vertices().expect("it reads rows").indices;
    let list = &found.indices[captured.start as usize..captured.end as usize];
    assert_eq!(list[..6], [1, 2, 0, 4, 5, 3]);
    let entries =
        |snapshot| Some(crate::EmittedEntries { snapshot, first: 0, count: 18, vertices: 3 });
    let last = found.xfb_events.last();
    assert_eq!(last, Some(&XfbEvent::Paused { primitives: 6, entries: entries(3) }));
}

#[test]
fn the_stages_run_once_for_all_layers() {
    let program = LinkedProgram {
        passes: fixture::geometry::chain(fixture::geometry::stage()),
        ..uniform_program(LAYER, Type::Scalar(ScalarKind::U32))
    };
    let content = TextureContent::Junk { size: [2, 2, 3] };
    let steps = vec![
        Setting::Texture(TextureStep { unit: 5, content }).into(),
        Setting::FramebufferLayers(5).into(),
        Action::Draw(arrays(Topology::Points, 0, 1)).into(),
    ];
    let plan = planned(&case(steps), &program).expect("it fits");
    let layer = |bindings: usize| {
        let content = plan.bindings[bindings].uniforms[0];
        plan.uniform_contents[content][..4].to_vec()
    };
    let [Operation::Passes(_), draws @ ..] = &plan.operations[..] else {
        panic!("{:?}", plan.operations)
    };
    assert_eq!(layer(plan.passes[0].bindings), NO_LAYER.to_le_bytes());
    assert_eq!(draws.len(), 3);
    for (number, operation) in (0_u32..).zip(draws) {
        let Operation::Draw(draw) = operation else { panic!("{operation:?}") };
        // The layer, and a code for the last of three vertices as the provoking one.
        assert_eq!(layer(draw.bindings), (4 * number + 2).to_le_bytes());
        let RenderTo::Textures { framebuffer: idx, .. } = draw.setup.to else { panic!("{draw:?}") };
        assert_eq!(plan.framebuffers[idx], [TextureLayer { texture: 0, layer: number }]);
    }
}

#[test]
fn draws_of_nothing_run_nothing() {
    let nothing =
        [arrays(Topology::Points, 3, 0), Draw { instances: 0, ..arrays(Topology::Points, 0, 1) }];
    let plan = planned(&draws(&nothing), &program_of_squares()).expect("it fits");
    assert!(plan.operations.is_empty() && plan.passes.is_empty(), "{:?}", plan.operations);
}

#[test]
fn lists_grow_with_the_draws() {
    let ranges = |program: &LinkedProgram, topology| {
        let all = [1, 3].map(|count| arrays(topology, 0, 2 * count));
        let plan = planned(&draws(&all), program).expect("it fits");
        let draws = plan.operations.iter().filter_map(|operation| {
            let Operation::Draw(draw) = operation else { return None };
            let range = draw.indices.start as usize..draw.indices.end as usize;
            Some(plan.indices[range].to_vec())
        });
        draws.collect::<Vec<_>>()
    };
    // Each point has six entries.
    let all = ranges(&program_of_squares(), Topology::Points);
    assert_eq!(all, [(0..12).collect::<Vec<u32>>(), (0..36).collect()]);
    // Each point from a line has six corners.
    let program = program(InputPrimitive::Lines, OutputPrimitive::Points);
    let stage = program.geometry_pass().expect("it is set").own.clone();
    let passes = fixture::geometry::chain(GeometryPass { max_vertices: 1, ..stage });
    let vec4 = Type::Vector { size: 4, scalar: ScalarKind::F32 };
    let quads = LinkedProgram { passes, ..point_program(uniform_program(POINT_STATE, vec4)) };
    let all = ranges(&quads, Topology::Lines);
    let corners = |point: u32| [0, 1, 2, 2, 1, 3].map(|corner| 4 * point + corner);
    assert_eq!(all, [corners(0).to_vec(), [corners(0), corners(1), corners(2)].concat()]);
}

#[test]
fn the_vertex_stage_counts_from_the_first_instance_in_wgsl() {
    let draw = Draw { first_instance: 5, ..arrays(Topology::Points, 0, 1) };
    let first = |counts_first_instance| {
        let mut program = program_of_squares();
        program.draw.counts_first_instance = counts_first_instance;
        let plan = planned(&draws(std::slice::from_ref(&draw)), &program).expect("it fits");
        plan.passes[0].word(3)
    };
    assert_eq!([first(true), first(false)], [5, 0]);
}

#[test]
fn the_stages_before_the_draw_know_its_base_vertex() {
    let program = LinkedProgram {
        passes: fixture::geometry::chain(fixture::geometry::stage()),
        ..uniform_program(BASE_VERTEX, Type::Scalar(ScalarKind::I32))
    };
    let shape = DrawShape::Indexed { topology: Topology::Points, first: 0, count: 1 };
    let mut case = draws(&[Draw { base_vertex: 7, ..Draw::once(shape) }]);
    case.indices = vec![0];
    let plan = planned(&case, &program).expect("it fits");
    let content = plan.bindings[plan.passes[0].bindings].uniforms[0];
    assert_eq!(plan.uniform_contents[content][..4], 7_i32.to_le_bytes());
}

#[test]
fn what_is_drawn_reads_the_buffer_that_the_stages_write() {
    let plan = planned(&draws(&[arrays(Topology::Points, 0, 1)]), &program_of_squares());
    let plan = plan.expect("it fits");
    let [first, second] = &plan.passes[..] else { panic!("{:?}", plan.passes) };
    assert_ne!(first.output, second.output);
    let [_, Operation::Draw(draw)] = &plan.operations[..] else { panic!("{:?}", plan.operations) };
    for bindings in [first.bindings, second.bindings, draw.bindings] {
        assert_eq!(plan.bindings[bindings].storage, [second.output]);
    }
}

/// The changes made for a layered draw end with it.
#[test]
fn layers_are_those_of_one_draw() {
    let program = LinkedProgram {
        passes: fixture::geometry::chain(fixture::geometry::stage()),
        ..uniform_program(LAYER, Type::Scalar(ScalarKind::U32))
    };
    let draw = || Step::from(Action::Draw(arrays(Topology::Points, 0, 1)));
    let content = TextureContent::Junk { size: [2, 2, 2] };
    let steps = vec![
        Setting::Texture(TextureStep { unit: 5, content }).into(),
        Setting::FramebufferLayers(5).into(),
        draw(),
        draw(),
    ];
    let plan = plan(&case(steps), &program, ProvokingVertex::First).expect("it fits");
    let layer = |bindings: usize| {
        let content = &plan.uniform_contents[plan.bindings[bindings].uniforms[0]];
        u32::from_le_bytes([content[0], content[1], content[2], content[3]])
    };
    assert_eq!([0, 2].map(|idx| layer(plan.passes[idx].bindings)), [NO_LAYER; 2]);
    let drawn = plan.operations.iter().filter_map(|operation| {
        let Operation::Draw(draw) = operation else { return None };
        Some(layer(draw.bindings))
    });
    // The provoking vertex of the backend is the first of three.
    assert_eq!(drawn.collect::<Vec<_>>(), [0, 4, 0, 4]);
}

#[test]
fn primitives_of_the_first_stream_count_though_another_is_captured() {
    let mut program = capturing();
    let stage = GeometryPass {
        output: OutputPrimitive::Points,
        streams: 2,
        ..program.geometry_pass().expect("it is set").own.clone()
    };
    program.passes.splice(..2, fixture::geometry::chain(stage));
    program.captured.as_mut().expect("it captures").buffers[0].stream = 1;
    let begin = [XfbStep::Buffer { buffer: 0, size: 64, fill: 0 }, XfbStep::Begin];
    let mut steps: Vec<Step> = begin.into_iter().map(|step| Action::Xfb(step).into()).collect();
    steps.push(Action::Draw(arrays(Topology::Points, 0, 2)).into());
    let plan = planned(&case(steps), &program).expect("it fits");
    let draws = plan.xfb_events.iter().filter_map(|event| {
        let XfbEvent::Draw { stream, primitives, records, .. } = event else { return None };
        Some((*stream, *primitives, records.is_some()))
    });
    assert_eq!(draws.collect::<Vec<_>>(), [(0, 8, false), (1, 8, true)]);
}

/// A program that does not write `gl_Layer` draws to layer 0, also after a draw to all layers.
#[test]
fn another_program_draws_to_the_first_layer() {
    let layered = LinkedProgram {
        passes: fixture::geometry::chain(fixture::geometry::stage()),
        ..uniform_program(LAYER, Type::Scalar(ScalarKind::U32))
    };
    let programs = [layered, program_of_squares()];
    let programs = crate::Programs { all: &programs, uses: &[0, 1], objects: &[] };
    let stages = || {
        let later = [(ShaderStage::Fragment, "f".to_owned())];
        Step::Set(Setting::Use(case::UsedStages::new("v".to_owned(), later)))
    };
    let draw = || Step::from(Action::Draw(arrays(Topology::Points, 0, 1)));
    let content = TextureContent::Junk { size: [2, 2, 2] };
    let to_layers = [
        Setting::Texture(TextureStep { unit: 5, content }).into(),
        Setting::FramebufferLayers(5).into(),
    ];
    let steps = to_layers.into_iter().chain([stages(), draw(), stages(), draw()]).collect();
    let plan = plan(&case(steps), programs, ProvokingVertex::Last).expect("it fits");
    let layers = plan.operations.iter().filter_map(|operation| {
        let Operation::Draw(draw) = operation else { return None };
        let RenderTo::Textures { framebuffer: idx, .. } = draw.setup.to else { panic!("{draw:?}") };
        Some(plan.framebuffers[idx][0].layer)
    });
    assert_eq!(layers.collect::<Vec<_>>(), [0, 1, 0]);
}
