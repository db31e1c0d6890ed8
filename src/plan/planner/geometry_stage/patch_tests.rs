//! Tests of planning draws of patches.

use case::patch::RECT_VERTICES;
use case::state::{PatchChange, StateChange};
use case::{Action, Case, DrawShape, Setting, Step, Topology};
use ir::geometry::InputPrimitive;
use ir::readback::Snapshot;
use ir::tessellation::{Domain, Spacing, TessellationPattern};
use link::program::LinkedProgram;
use link::table::pass::{Pass, Role};

use crate::planner::plan_with;
use crate::topology::ProvokingVertex;
use crate::{ExecuteError, Operation, Plan, Programs, plan_by_runs};

use super::*;

/// The control stage of a program.
#[derive(Clone, Copy)]
enum Control {
    None,
    /// A control stage with these known levels.
    Known(TessellationLevels),
    /// A control stage whose levels are known only after a run.
    Unknown,
}

/// The pattern of the evaluation stage.
const QUADS: TessellationPattern = TessellationPattern {
    domain: Domain::Quads,
    spacing: Spacing::Equal,
    is_clockwise: false,
    is_point_mode: false,
};

/// A vertex stage, an evaluation stage of quads, and a control stage that outputs one vertex per patch and these
/// levels.
fn stages(control: Control) -> Vec<Pass> {
    let levels = match control {
        Control::Known(levels) => Some(KnownLevels {
            outer: levels.outer.map(KnownLevel::Constant),
            inner: levels.inner.map(KnownLevel::Constant),
        }),
        Control::None | Control::Unknown => None,
    };
    let own = ControlPass { vertices: 1, first_vertex: 7, vertex_stride: 2, levels };
    let control = (!matches!(control, Control::None)).then_some((Role::Control(own), 9));
    let roles = [(Role::Vertex, 4)].into_iter().chain(control);
    let roles = roles.chain([(Role::Evaluation(QUADS), 5)]);
    roles.map(|(role, stride)| fixture::pass(role, stride)).collect()
}

fn program(passes: Vec<Pass>) -> LinkedProgram {
    LinkedProgram { passes, attributes: Vec::new(), ..fixture::geometry::program() }
}

/// The passes, followed by a geometry stage for these primitives.
fn with_geometry(mut passes: Vec<Pass>, input: InputPrimitive) -> Vec<Pass> {
    let geometry = GeometryPass { input, ..fixture::geometry::stage() };
    passes.push(fixture::pass(Role::Geometry(geometry), 3));
    passes
}

fn patches(vertices: u32) -> Step {
    Step::Set(Setting::State(StateChange::Patch(PatchChange::Vertices(vertices))))
}

fn outer(levels: [f32; 4]) -> Step {
    Step::Set(Setting::State(StateChange::Patch(PatchChange::OuterLevels(levels))))
}

fn draw(count: u32, instances: u32) -> Step {
    let shape = DrawShape::Arrays { topology: Topology::Patches, first: 3, count };
    Step::Run(Action::Draw(Draw { instances, ..Draw::once(shape) }))
}

fn planned(
    case: &Case,
    program: &LinkedProgram,
    levels: &[Vec<TessellationLevels>],
) -> Result<Plan, String> {
    plan_with(case, program, ProvokingVertex::Last, levels).map_err(|error| {
        let ExecuteError::Step { misfit, .. } = error else { panic!("{error:?}") };
        misfit.0
    })
}

fn plan_of(steps: Vec<Step>, passes: Vec<Pass>, levels: &[Vec<TessellationLevels>]) -> Plan {
    planned(&fixture::case(steps), &program(passes), levels).expect("it fits")
}

/// `count` words of the index lists from `first` on.
fn list(plan: &Plan, first: u32, count: u32) -> Vec<u32> {
    plan.indices[first as usize..][..count as usize].to_vec()
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

/// Levels that leave every edge undivided.
const WHOLE: TessellationLevels = TessellationLevels { outer: [1.0; 4], inner: [1.0; 2] };

#[test]
fn vertices_that_fill_no_patch_are_in_none() {
    let plan = plan_of(vec![patches(2), draw(5, 1)], stages(Control::None), &[]);
    let [vertex, evaluation] = &plan.passes[..] else { panic!("{:?}", plan.passes) };
    assert_eq!(list(&plan, vertex.word(1), vertex.word(2)), [3, 4, 5, 6, 7]);
    assert_eq!((evaluation.word(3), list(&plan, evaluation.word(4), 4)), (2, vec![0, 1, 2, 3]));
    // GL's initial state is patches of three vertices.
    let plan = plan_of(vec![draw(5, 1)], stages(Control::None), &[]);
    assert_eq!(plan.passes[1].word(3), 1);
    let plan = plan_of(vec![patches(6), draw(5, 1)], stages(Control::None), &[]);
    assert_eq!(plan.passes[1].word(7), 0);
}

#[test]
fn a_restart_begins_a_new_patch() {
    let shape = DrawShape::Indexed { topology: Topology::Patches, first: 0, count: 7 };
    let draw = Step::Run(Action::Draw(Draw::once(shape)));
    let mut case = fixture::case(vec![patches(2), draw]);
    case.indices = vec![9, 9, 4, RESTART_INDEX, 4, 7, 2];
    let plan = planned(&case, &program(stages(Control::None)), &[]).expect("it fits");
    let [vertex, evaluation] = &plan.passes[..] else { panic!("{:?}", plan.passes) };
    assert_eq!(list(&plan, vertex.word(1), vertex.word(2)), [9, 4, 7, 2]);
    assert_eq!((evaluation.word(3), list(&plan, evaluation.word(4), 4)), (2, vec![0, 0, 1, 2]));
}

#[test]
fn only_patches_and_rects_as_patches_can_be_drawn() {
    let shape = DrawShape::Arrays { topology: Topology::Triangles, first: 0, count: 3 };
    let case = fixture::case(vec![Step::Run(Action::Draw(Draw::once(shape)))]);
    let error = planned(&case, &program(stages(Control::None)), &[]);
    let message = "tessellation stages take patches, and GL_TRIANGLES has none";
    assert_eq!(error.expect_err("it has no patches"), message);
    let rect = Draw { is_patch: true, ..Draw::once(DrawShape::Rect([-1.0, -1.0, 2.0, 2.0])) };
    let plan = plan_of(vec![Step::Run(Action::Draw(rect))], stages(Control::None), &[]);
    assert_eq!((plan.passes[1].word(3), plan.passes[0].word(2)), (1, RECT_VERTICES));
}

#[test]
fn without_a_control_stage_the_evaluation_stage_reads_the_vertices() {
    let levels = [1.0, 2.0, 1.0, 1.0];
    let plan = plan_of(vec![patches(2), outer(levels), draw(4, 3)], stages(Control::None), &[]);
    let [vertex, evaluation] = &plan.passes[..] else { panic!("{:?}", plan.passes) };
    assert_eq!(vertex.input, PassInput::Rows(0..0));
    assert_eq!(evaluation.input, PassInput::Buffer(vertex.output));
    assert_eq!(vertex.groups, [1, 3]);
    // Each has seven points: four corners, one on the edge, and two inside, as the inner levels count as 2.
    let known =
        crate::tessellator::tessellate(QUADS, &TessellationLevels { outer: levels, ..WHOLE });
    let points = length(&known.points.iter().map(|_| 0).collect::<Vec<_>>());
    let corners = length(&known.indices);
    let words = &evaluation.words;
    assert_eq!((&words[1..4], words[5], words[7]), (&[6 * points, 2, 2][..], 4, 6 * corners));
    assert_eq!(list(&plan, words[4], 4), [0, 1, 2, 3]);
    assert_eq!(words[8..], bits(&[1.0, 2.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0]));
    let tuple = list(&plan, words[0] + 4 * points, 2);
    assert_eq!(tuple, [1, known.points[0][0].to_bits()], "the second patch");
    let second = list(&plan, words[6] + corners, corners);
    let expected: Vec<_> = known.indices.iter().map(|idx| idx + points).collect();
    // GL's provoking vertex of a list is the last, so no primitive is rotated.
    assert_eq!(second, expected);
    assert_eq!(evaluation.groups, [(6 * corners).max(6 * points).div_ceil(WORKGROUP_SIZE), 1]);
    let written = plan.storage_sizes[evaluation.output];
    // The records begin with a vector.
    assert_eq!(written, 4 * ((6 * corners).next_multiple_of(4) + 6 * points * 5));
}

#[test]
fn a_control_stage_has_a_workgroup_for_each_patch() {
    let plan = plan_of(vec![patches(2), draw(4, 3)], stages(Control::Known(WHOLE)), &[]);
    let [vertex, control, evaluation] = &plan.passes[..] else { panic!("{:?}", plan.passes) };
    assert_eq!(control.input, PassInput::Buffer(vertex.output));
    assert_eq!(evaluation.input, PassInput::Buffer(control.output));
    assert_eq!(control.groups, [2, 3]);
    assert_eq!(control.words[1..], [2, 4, 2, 0, 0, 0, 0]);
    assert_eq!(list(&plan, control.word(0), 4), [0, 1, 2, 3]);
    assert_eq!(plan.storage_sizes[control.output], 2 * 3 * 9 * 4);
    // The words of the evaluation stage contain the control stage's number of vertices.
    assert_eq!(evaluation.words[1..4], [6 * 4, 1, 2]);
    assert!(plan.wanted_levels.is_none());
}

#[test]
fn a_plan_ends_where_levels_are_unknown_and_goes_on_when_they_are_told() {
    let steps = || vec![patches(2), draw(4, 1), draw(2, 1)];
    let plan = plan_of(steps(), stages(Control::Unknown), &[]);
    let wanted = plan.wanted_levels.expect("the levels are unknown");
    assert_eq!((wanted.patches, wanted.stride), (2, 9));
    let of_instances = plan_of(vec![patches(2), draw(4, 3)], stages(Control::Unknown), &[]);
    assert_eq!(of_instances.wanted_levels.map(|wanted| wanted.patches), Some(6));
    assert_eq!(plan.operations.last(), Some(&Operation::Snapshot(plan.snapshots.len() - 1)));
    assert_eq!(
        plan.snapshots.last().map(|all| all.source),
        Some(SnapshotSource::Buffer(wanted.buffer))
    );
    let told = vec![WHOLE, TessellationLevels { outer: [0.0; 4], ..WHOLE }];
    let plan = plan_of(steps(), stages(Control::Unknown), std::slice::from_ref(&told));
    assert_eq!(plan.passes[2].word(7), 6, "the second patch is discarded");
    assert_eq!(
        plan.wanted_levels.map(|wanted| wanted.patches),
        Some(1),
        "those of the second draw"
    );
    let plan = plan_of(steps(), stages(Control::Unknown), &[told, vec![WHOLE]]);
    assert_eq!([2, 5].map(|idx| plan.passes[idx].word(7)), [6, 6]);
    assert!(plan.wanted_levels.is_none());
}

#[test]
fn told_levels_are_the_first_words_of_each_patch() {
    let wanted = WantedLevels { buffer: 0, patches: 2, stride: 7 };
    let words: Vec<f32> = (0_u8..14).map(f32::from).collect();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let snapshots = [None, Some(Snapshot::Buffer(bytes.clone().into()))];
    let levels = wanted.read(&snapshots).expect("they are there");
    let second = TessellationLevels { outer: [7.0, 8.0, 9.0, 10.0], inner: [11.0, 12.0] };
    assert_eq!((levels.len(), levels[1]), (2, second));
    assert!(wanted.read(&[None]).is_none());
    assert!(wanted.read(&[Some(Snapshot::Buffer(bytes[..48].to_vec().into()))]).is_none());
}

/// Plans draws of patches with unknown levels; `words` are the levels that runs return. Returns the number of runs too.
fn by_runs(draws: usize, words: &[f32]) -> (Result<Plan, String>, usize) {
    let case = fixture::case(std::iter::repeat_n(draw(3, 1), draws).collect());
    let program = program(stages(Control::Unknown));
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let snapshots = vec![Some(Snapshot::Buffer(bytes.into()))];
    let mut runs = 0;
    let plan = plan_by_runs(&case, Programs::from(&program), ProvokingVertex::Last.into(), |_| {
        runs += 1;
        Ok(snapshots.clone())
    });
    (plan.map_err(|error| error.to_string()), runs)
}

#[test]
fn planning_goes_on_with_the_levels_of_a_run() {
    let (plan, runs) = by_runs(3, &[1.0; 9]);
    let plan = plan.expect("all levels are told");
    assert_eq!((plan.wanted_levels, runs, plan.passes.len()), (None, 3, 9));
}

#[test]
fn planning_fails_where_a_run_does_not_give_levels_or_too_many_runs_are_needed() {
    let unread = "the tessellation levels that a control stage wrote were not read back";
    let (plan, runs) = by_runs(3, &[1.0; 5]);
    assert_eq!((plan.err().as_deref(), runs), (Some(unread), 1));
    let (plan, runs) = by_runs(64, &[1.0; 9]);
    assert_eq!((plan.err(), runs), (None, 64));
    let (plan, runs) = by_runs(65, &[1.0; 9]);
    assert_eq!((plan.err(), runs), (Some(crate::too_many_unknown_draws()), 64));
}

#[test]
fn nothing_is_drawn_where_all_patches_are_discarded() {
    let plan = plan_of(vec![outer([0.0; 4]), draw(3, 1)], stages(Control::None), &[]);
    assert_eq!(plan.operations, [Operation::Passes(0..2)]);
}

#[test]
fn a_geometry_stage_reads_points_as_vertices_and_the_numbers_of_patches() {
    let passes = with_geometry(stages(Control::None), InputPrimitive::Triangles);
    let program = program(passes);
    let case = fixture::case(vec![patches(2), draw(4, 2)]);
    let plan = planned(&case, &program, &[]).expect("it fits");
    let [_, evaluation, geometry] = &plan.passes[..] else { panic!("{:?}", plan.passes) };
    assert_eq!(evaluation.words[7], 0, "there are no corners to enter");
    assert_eq!(plan.storage_sizes[evaluation.output], 4 * 4 * 4 * 5);
    assert_eq!(geometry.input, PassInput::Buffer(evaluation.output));
    // Two triangles of four points in each of four patches, in one instance.
    assert_eq!(geometry.words[1..3], [8, 16]);
    assert_eq!(geometry.groups, [1, 1]);
    assert_eq!(list(&plan, geometry.words[5], 8), [0, 0, 1, 1, 0, 0, 1, 1]);
    assert_eq!(list(&plan, geometry.words[0], 24).iter().max(), Some(&15));
}

#[test]
fn triangles_are_turned_for_the_backend_that_draws_them_alone() {
    let first = Setting::State(StateChange::ProvokingVertex(ProvokingVertex::First));
    let steps = || vec![Step::Set(first.clone()), patches(1), draw(1, 1)];
    let known = crate::tessellator::tessellate(QUADS, &WHOLE).indices;
    let plan = plan_of(steps(), stages(Control::None), &[]);
    let corners = list(&plan, plan.passes[1].word(6), 3);
    assert_eq!(corners, [known[1], known[2], known[0]], "the first vertex is the last here");
    let program = program(with_geometry(stages(Control::None), InputPrimitive::Triangles));
    let plan = planned(&fixture::case(steps()), &program, &[]).expect("it fits");
    assert_eq!(list(&plan, plan.passes[2].word(0), 3), known[..3]);
}

#[test]
fn too_many_domain_points_are_impossible() {
    let steps = vec![patches(1), outer([64.0; 4]), draw(1 << 20, 1)];
    let plan = plan_of(steps, stages(Control::None), &[]);
    let message = "tessellation stages may emit 16777216 vertices in one draw";
    assert_eq!(plan.impossible.as_deref(), Some(message));
}

#[test]
fn a_geometry_stage_takes_the_primitives_of_the_patches() {
    let draws = |domain, is_point_mode, input| {
        let mut passes = with_geometry(stages(Control::Known(WHOLE)), input);
        passes[2].role = Role::Evaluation(TessellationPattern { domain, is_point_mode, ..QUADS });
        let program = program(passes);
        planned(&fixture::case(vec![draw(3, 1)]), &program, &[]).map(|_| ())
    };
    let wrong = |taken, given| {
        let why = format!(
            "the geometry stage takes `{taken}`, but the tessellation evaluation stage gives {given}"
        );
        Err(why)
    };
    let points = InputPrimitive::Points;
    assert_eq!(draws(Domain::Quads, true, points), Ok(()));
    assert_eq!(draws(Domain::Isolines, false, InputPrimitive::Lines), Ok(()));
    assert_eq!(draws(Domain::Triangles, false, InputPrimitive::Triangles), Ok(()));
    assert_eq!(draws(Domain::Quads, false, points), wrong("points", "triangles"));
    assert_eq!(draws(Domain::Isolines, true, InputPrimitive::Lines), wrong("lines", "points"));
    let adjacent = InputPrimitive::LinesAdjacency;
    assert_eq!(draws(Domain::Isolines, false, adjacent), wrong("lines_adjacency", "lines"));
}
