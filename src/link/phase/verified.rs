//! The last phase of [`link`](crate::link()): a program whose final modules have been checked.

mod emulated;

use naga::Module;

use crate::compute::vertex_compute;
use crate::lower::legacy;
use crate::match_up::{Pair, sent_from};
use crate::pack::PackingClass;
use crate::phase::complete::Complete;
use crate::phase::matched::Matched;
use crate::phase::packed::Packed;
use crate::place::routing::{PairOfStages, Route, Routing};
use crate::program::{DrawRules, FlatVertex, LinkedProgram, LinkedStages, MaskRule, mark_passes};
use crate::resource::Resources;
use crate::stages::ProgramStages;
use crate::table::binding::BindingPoint;
use crate::table::word_block::InPlaceBlocks;
use crate::verify::words::{self, Crossed, Extent, Side};
use crate::verify::{self, Defect, Expected};
use crate::{LinkError, RasterState};
use ir::interface::{Interpolation, Place, Variable};
use ir::stage::ShaderStage;
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
    match stages.fragment() {
        Some(fragment) => (MaskRule::of(fragment.rules), flat_vertex(fragment)),
        None => (MaskRule::Always, FlatVertex::Last),
    }
}

/// Checks that each scalar of every interface arrives as the routes say, and gives the program.
///
/// # Errors
/// A scalar does not arrive: a fault of the linker's.
pub(crate) fn verified(complete: Complete<'_>) -> Result<LinkedProgram, LinkError> {
    let Complete { packed, modules, in_place, resources, needs_capabilities, passes, captured } =
        complete;
    let stages = &packed.lowered().stages;
    let at = vertex_compute::own_buffers(&stages.all());
    check_interfaces(&packed, &modules, &in_place, at).map_err(wrong)?;
    let counts_first_instance = counts_first_instance(stages);
    let (masks, flat) = draw_rules(stages);
    let mut modules = modules.into_iter();
    let before: Vec<Module> = modules.by_ref().take(stages.drawn()).collect();
    let first = modules.next().expect("a program has a stage");
    let linked = if stages.is_dispatch() {
        LinkedStages::Compute(first)
    } else {
        LinkedStages::Render { vertex: first, fragment: modules.next() }
    };
    let mut all = emulated::passes(&packed, at, before, &in_place);
    all.extend(passes);
    let Packed { matched, attributes, outputs, mut uniforms, map, .. } = packed;
    let Matched { lowered, reflection, earlier_reflections, .. } = matched;
    let Resources { storage_buffers, uniform_buffers, opaques } = resources;
    uniforms.buffers.extend(uniform_buffers);
    let draw = DrawRules {
        written_targets: outputs.written_targets,
        is_dual_source: outputs.is_dual_source,
        points: lowered.points.map(|(_, size_rule)| size_rule),
        counts_first_instance,
        flat,
        masks,
    };
    let mut program = LinkedProgram {
        stages: linked,
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

/// True if the vertex stage counts instances from the first instance of a draw.
fn counts_first_instance(stages: &ProgramStages<'_>) -> bool {
    let first = stages.all()[0];
    first.stage == ShaderStage::Vertex && !first.rules.has_gl_conventions()
}

/// Checks every interface of the program. The buffers of the stages before the drawn one begin `at`; `in_place` are the
/// variables that these stages access there.
fn check_interfaces(
    packed: &Packed<'_>,
    modules: &[Module],
    in_place: &[InPlaceBlocks],
    at: BindingPoint,
) -> Result<(), Defect> {
    let (before, drawn) = modules.split_at(packed.lowered().stages.drawn());
    if let (Some((pair, routing)), [vertex, fragment]) = (packed.routed(), drawn) {
        let expected = expected(pair, routing, &packed.lowered().options.raster);
        verify::verify(vertex, fragment, &expected)?;
    }
    let buffer = |number: u32| Some(BindingPoint { binding: at.binding + number, ..at });
    for (idx, (pair, values)) in before.windows(2).zip(&packed.buffers).enumerate() {
        let from = Side { module: &pair[0], at: buffer(2), in_place: &in_place[idx].outputs };
        let to = Side { module: &pair[1], at: buffer(0), in_place: &in_place[idx + 1].inputs };
        let is_control = packed.lowered().stages.before()[idx].control().is_some();
        let of = if is_control { Extent::OfPatch } else { Extent::Vertices };
        values.verify(&from, &to, of(packed.received(idx + 1).vertices))?;
    }
    let (Some(last), Some(own)) = (before.last(), in_place.last()) else { return Ok(()) };
    let from = Side { module: last, at: buffer(2), in_place: &own.outputs };
    let to = Side { module: &drawn[0], at: None, in_place: &[] };
    words::verify([&from, &to], &passed_on(packed), Extent::One)
}

/// The values in the record of the last stage before the drawn one, which passes them on.
fn passed_on(packed: &Packed<'_>) -> Vec<Crossed> {
    let (stages, record) = (&packed.lowered().stages, &packed.matched.record);
    let (Some(emulated), Some(record)) = (&packed.lowered().emulated, record) else {
        return Vec::new();
    };
    let is_recorded = |place: &&Place| {
        record.wires.iter().any(|wire| {
            wire.place.global == place.global && wire.place.path.starts_with(&place.path)
        })
    };
    let one = |output: &Variable| {
        let from = output.place.as_ref().filter(is_recorded)?.clone();
        let to = emulated.pass_through.place(&from);
        let (name, ty) = (output.name.clone(), output.ty.clone());
        Some(Crossed { name, ty, from, to, routes: Vec::new() })
    };
    stages.last_before_raster().outputs.iter().filter_map(one).collect()
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
            (&pair.producer.outputs[matched.output], &pair.consumer.inputs[matched.input]);
        let (from, to) = (sent_from(output, input)?, input.place.clone()?);
        let interpolation = legacy::interpolation(input, raster.colors);
        let class = PackingClass::of(&input.ty, interpolation, input.sampling);
        let has_one_sample = !raster.is_multisampled;
        Some(Expected { name: &input.name, ty: &input.ty, from, to, class, routes, has_one_sample })
    };
    pair.matching.pairs.iter().zip(&routing.routes).filter_map(one).collect()
}
