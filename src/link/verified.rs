//! The last phase of [`link`](crate::link()): a program whose final modules have been checked.

use naga::Module;

use crate::binding::BindingPoint;
use crate::complete::Complete;
use crate::match_up::{Pair, sent_from};
use crate::matched::Matched;
use crate::pack::PackingClass;
use crate::packed::Packed;
use crate::program::{DrawRules, FlatVertex, LinkedProgram, LinkedStages, MaskRule, mark_passes};
use crate::resource::Resources;
use crate::routing::{PairOfStages, Route, Routing};
use crate::stages::ProgramStages;
use crate::verify::{self, Defect, Expected};
use crate::{LinkError, RasterState, legacy, vertex_compute};
use ir::interface::{Interpolation, Variable};
use ir::stage_module::StageModule;

/// The vertex that flat inputs come from: the fragment stage says what is flat, and its language says which vertex that is.
fn flat_vertex(fragment: &StageModule) -> FlatVertex {
    let is_flat =
        |input: &Variable| input.interpolation == Interpolation::Flat || input.ty.has_always_flat();
    let mut inputs = fragment.inputs.iter().filter(|input| input.is_used);
    let is_first = !fragment.rules.has_gl_conventions()
        && inputs.any(|input| is_flat(input) && !input.is_either);
    if is_first { FlatVertex::First } else { FlatVertex::Last }
}

/// The draws of these stages in which sample masks have an effect, and the vertex that flat varyings take.
fn draw_rules(stages: &ProgramStages<'_>) -> (MaskRule, FlatVertex) {
    let fragment = match stages {
        ProgramStages::Render(render) | ProgramStages::Chain { render, .. } => &render.fragment,
        ProgramStages::Compute(_) => &None,
    };
    match fragment {
        Some(fragment) => (MaskRule::of(fragment.rules), flat_vertex(fragment)),
        None => (MaskRule::Always, FlatVertex::Last),
    }
}

/// Checks that each scalar of every interface arrives as the routes say, and gives the program.
///
/// # Errors
/// A scalar does not arrive: a fault of the linker's.
pub(crate) fn verified(complete: Complete<'_>) -> Result<LinkedProgram, LinkError> {
    let Complete { packed, modules, resources, needs_capabilities, passes, captured } = complete;
    let at = vertex_compute::own_buffers(&packed.lowered().stages.all());
    check_interfaces(&packed, &modules, at).map_err(wrong)?;
    let Packed { matched, attributes, outputs, mut uniforms, map, .. } = packed;
    let Matched { lowered, reflection, earlier_reflections, .. } = matched;
    let Resources { storage_buffers, uniform_buffers, opaques } = resources;
    uniforms.buffers.extend(uniform_buffers);
    let counts = |stage: &StageModule| !stage.rules.has_gl_conventions();
    let mut modules = modules.into_iter();
    let first = modules.next().expect("a program has a stage");
    let (masks, flat) = draw_rules(&lowered.stages);
    let (stages, counts_first_instance) = match &lowered.stages {
        ProgramStages::Render(render) => {
            let stages = LinkedStages::Render { vertex: first, fragment: modules.next() };
            (stages, counts(&render.vertex))
        }
        ProgramStages::Chain { render, front } => {
            let fragment = render.fragment.as_ref().and_then(|_| modules.next());
            let stages = LinkedStages::Render { vertex: first, fragment };
            (stages, front.first().is_some_and(|stage| counts(stage)))
        }
        ProgramStages::Compute(_) => (LinkedStages::Compute(first), false),
    };
    let mut all = match (lowered.chain, &lowered.stages) {
        (Some(chain), ProgramStages::Chain { front, .. }) => chain.passes(at, front, modules),
        (Some(_) | None, _) => Vec::new(),
    };
    all.extend(passes);
    let draw = DrawRules {
        written_targets: outputs.written_targets,
        is_dual_source: outputs.is_dual_source,
        points: lowered.points.map(|(_, size_rule)| size_rule),
        counts_first_instance,
        flat,
        masks,
    };
    let mut program = LinkedProgram {
        stages,
        map,
        reflection,
        earlier_reflections,
        attributes,
        uniform_buffers: uniforms.buffers,
        storage_buffers,
        opaques,
        passes: all,
        draw,
        needs_capabilities,
        captured,
    };
    mark_passes(&mut program);
    Ok(program)
}

/// Checks the interface of a draw, and those between the stages that run before it, whose own buffers begin `at`.
fn check_interfaces(
    packed: &Packed<'_>,
    modules: &[Module],
    at: BindingPoint,
) -> Result<(), Defect> {
    if let (Some((pair, routing)), [vertex, fragment, ..]) = (packed.routed(), modules) {
        let expected = expected(pair, routing, &packed.lowered().options.raster);
        verify::verify(vertex, fragment, &expected)?;
    }
    let Some(chain) = &packed.lowered().chain else { return Ok(()) };
    let (drawn, front) = modules.split_at(packed.lowered().stages.drawn());
    chain.verify(front, &drawn[0], at)
}

fn wrong(defect: Defect) -> LinkError {
    LinkError::Invalid { message: format!("the linked modules are wrong: {defect}"), span: None }
}

/// What must arrive, for the check of the final modules.
pub(crate) fn expected<'a>(
    pair: PairOfStages<'a>,
    routing: &'a Routing,
    raster: &RasterState,
) -> Vec<Expected<'a>> {
    let one = |(matched, routes): (&Pair, &'a Vec<Route>)| {
        let (output, input) =
            (&pair.vertex.outputs[matched.output], &pair.fragment.inputs[matched.input]);
        let (from, to) = (sent_from(output, input)?, input.place.clone()?);
        let interpolation = legacy::interpolation(input, raster.colors);
        let class = PackingClass::of(&input.ty, interpolation, input.sampling);
        let has_one_sample = !raster.is_multisampled;
        Some(Expected { name: &input.name, ty: &input.ty, from, to, class, routes, has_one_sample })
    };
    pair.matching.pairs.iter().zip(&routing.routes).filter_map(one).collect()
}
