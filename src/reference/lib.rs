//! The reference of the linker: wires unlinked programs for the executor. Varyings match by name and location, and each
//! has its own place.
//!
//! The linker determines the locations of attributes, the places of uniforms and resources, and the draw buffers of
//! outputs without a location. This crate independently determines matches of varyings and how each stage passes them
//! to the next, points, clip and cull distances, the layout of captures, colours, and everything else around the user's
//! code. The steps, including the domain points of patches, are planned for a program that this crate describes.

mod captures;
mod clip;
mod context;
mod crossing;
mod fragment;
mod geometry;
mod interface;
mod numbers;
mod outputs;
mod program;
mod sprites;
mod uniforms;
mod varyings;
mod vertex;
mod wires;

use case::state::ProvokingVertex;
use case::{Case, draws};
use cpu::Executable;
use cpu::wired::{
    Layer, Passes, ProgramStages, RecordLayout, RenderStages, Stage, WiredCapture, WiredProgram,
    WiredStages, Wiring, lacking,
};
use ir::stage::{PerStage, ShaderStage};
use ir::stage_module::{Direction, StageModule};
use link::compute::geometry::LAYER;
use link::program::LinkedProgram;
use link::session::LinkedPrograms;
use link::table::binding::BindingPoint;
use link::table::pass::Pass;
use naga::BuiltIn;
use plan::ExecuteError;

use crate::numbers::index;
use context::Context;
use geometry::{Chain, Leaving};

/// The stages of a program as they were compiled.
pub type UnlinkedStages<'a> = PerStage<Option<&'a StageModule>>;

/// Compiles `case` with the unlinked stages of its programs. `linked` are the same programs linked, for the places of
/// resources that are visible from outside.
///
/// # Errors
/// A step does not fit the program, or the executor lacks something that the programs need.
pub fn executable<'a>(
    case: &'a Case,
    stages: &[UnlinkedStages<'_>],
    linked: &LinkedPrograms,
) -> Result<Executable<'a>, ExecuteError> {
    let colors = draws::color_state(case).map_err(|unknown| lacking(unknown.0))?;
    let program = |(stages, linked): (&UnlinkedStages<'_>, &LinkedProgram)| {
        if let Some(stage) = stages[ShaderStage::Compute] {
            return compute(stage, linked);
        }
        let before = stages.present().filter(|(stage, _)| *stage < ShaderStage::Fragment);
        let chain: Vec<_> = before.map(|(_, stage)| *stage).collect();
        render(Context { case, linked, colors }, &chain, stages[ShaderStage::Fragment])
    };
    let programs = stages.iter().zip(&linked.programs).map(program);
    Executable::wired(case, programs.collect::<Result<_, _>>()?, linked)
}

/// Compiles a compute program.
fn compute(stage: &StageModule, linked: &LinkedProgram) -> Result<WiredProgram, ExecuteError> {
    let wiring = Wiring {
        inputs: wires::builtins(stage, Direction::Input)?,
        uniforms: uniforms::uniforms(stage, linked)?,
        ..Wiring::default()
    };
    let compute = Some(uniforms::compiled(stage, linked, &wiring)?);
    let stages = ProgramStages { compute, ..ProgramStages::default() };
    Ok(WiredProgram { described: program::compute(linked, stage), stages })
}

/// Compiles a program that draws.
fn render(
    context: Context<'_>,
    chain: Chain<'_>,
    fragment: Option<&StageModule>,
) -> Result<WiredProgram, ExecuteError> {
    let Context { case, linked, colors } = context;
    program::check_exact(linked)?;
    let [earlier @ .., last] = chain else { return Err(lacking("vertex stage")) };
    let is_alone = earlier.is_empty();
    let given = fragment.filter(|_| !is_alone).map(geometry::fragment_stage);
    let numbered = given.as_ref().and_then(|_| geometry::numbered(last));
    let fragment = given.as_ref().or(fragment);
    let last = numbered.as_ref().unwrap_or(last);
    let chain = &[earlier, &[last]].concat();
    let interface = interface::Interface::of(&case.link, last, fragment);
    let sprites = sprites::of(case, last, fragment);
    let varyings = varyings::of(&interface, colors, last, fragment, sprites.as_ref())?;
    let outputs = match fragment {
        Some(fragment) => outputs::of(case, fragment, linked)?,
        None => outputs::Outputs::default(),
    };
    let layout = captures::layout(last, case.capture.as_ref())?;
    let leaving = vertex::leaving(last, linked, colors, varyings.outputs.clone())?;
    let wired = fragment.map(|fragment| {
        let wiring = fragment::wiring(context, fragment, &varyings, &outputs)?;
        uniforms::compiled(fragment, linked, &wiring)
    });
    let fragment_stage = wired.transpose()?;
    let before = if is_alone {
        Before::plain(linked, last, leaving, layout.as_ref())?
    } else {
        let provoking = program::provoking(fragment);
        Before::emitting(context, chain, provoking, leaving, layout.as_ref())?
    };
    // Without a position, vertices can be captured but not drawn.
    let render = before.records.map(|mut records| {
        let sprites = varyings.finish(&mut records, sprites);
        // A vertex stage that is the last one does not select layers.
        let layer = varyings.layer_word(&records).filter(|_| before.vertex.is_none());
        let layer = layer.map(|word| self::layer(linked, word)).transpose()?;
        let (vertex, fragment) = (before.vertex, fragment_stage);
        Ok::<_, ExecuteError>(RenderStages { vertex, records, fragment, sprites, layer })
    });
    let render = render.transpose()?;
    let captured = layout.map(|layout| layout.xfb);
    let passes = before.passes.into_iter().chain(captures::described(captured.as_ref()));
    let passes = passes.collect();
    let program = program::render(linked, chain, fragment, outputs);
    let described = LinkedProgram { passes, captured, ..program };
    let draws_nothing = render.is_none() && fragment.is_none();
    let passes = Passes::Wired { chain: before.chain, capture: before.capture };
    let stages = ProgramStages { render, draws_nothing, compute: None, passes };
    Ok(WiredProgram { described, stages })
}

/// The selection of layers for primitives that have theirs at `word`.
fn layer(linked: &LinkedProgram, word: usize) -> Result<Layer, ExecuteError> {
    let drawn = uniforms::words_of(linked, LAYER);
    let drawn = drawn.and_then(|(buffer, words)| Some((buffer, *words.first()?)));
    let (buffer, at) = drawn.ok_or_else(|| lacking("place for the layer that is drawn to"))?;
    let (group, binding) = (buffer.group, buffer.binding);
    Ok(Layer { word, drawn: (BindingPoint { group, binding }, index(at)) })
}

/// The stages before the rasteriser.
struct Before {
    /// The vertex stage, if it is the last one.
    vertex: Option<Stage>,
    /// Layout of the drawn records. `None` without a position.
    records: Option<RecordLayout>,
    /// Without further stages, the vertex stage for captures.
    capture: Option<Box<WiredCapture>>,
    /// The stages, if there are others besides a vertex stage.
    chain: Option<Box<WiredStages>>,
    /// These stages as far as the plan reads them.
    passes: Vec<Pass>,
}

/// True if a stage writes a position.
fn has_position(stage: &StageModule) -> bool {
    wires::builtin(stage, BuiltIn::Position { invariant: false }, Direction::Output).is_some()
}

impl Before {
    /// Compiles a vertex stage that is the last one.
    fn plain(
        linked: &LinkedProgram,
        vertex: &StageModule,
        leaving: Wiring,
        layout: Option<&captures::Layout>,
    ) -> Result<Self, ExecuteError> {
        let wiring = Wiring { inputs: vertex::inputs(vertex, linked)?, ..leaving };
        let stage = uniforms::compiled(vertex, linked, &wiring)?;
        let capture = layout.map(|layout| {
            let stage = uniforms::compiled(vertex, linked, &layout.wiring(&wiring))?;
            let records = RecordLayout::of_all(&stage)?;
            Ok::<_, ExecuteError>(Box::new(WiredCapture { stage, records }))
        });
        let records = has_position(vertex).then(|| RecordLayout::new(&stage)).transpose()?;
        let capture = capture.transpose()?;
        Ok(Self { vertex: Some(stage), records, capture, chain: None, passes: Vec::new() })
    }

    /// Compiles a vertex stage and the stages after it.
    fn emitting(
        context: Context<'_>,
        chain: Chain<'_>,
        provoking: ProvokingVertex,
        drawn: Wiring,
        layout: Option<&captures::Layout>,
    ) -> Result<Self, ExecuteError> {
        let captured = layout.map_or_else(Vec::new, |layout| layout.outputs.clone());
        let streams = layout.map_or(1, captures::Layout::streams);
        let leaving = Leaving { drawn, captured, streams, provoking };
        let own = geometry::stages(context, chain, leaving)?;
        let has_position = chain.last().is_some_and(|last| has_position(last));
        let last = own.last().filter(|_| has_position);
        let records = last.map(RecordLayout::new).transpose()?;
        let passes = geometry::described(&own);
        let chain = Some(Box::new(own));
        Ok(Self { vertex: None, records, capture: None, chain, passes })
    }
}
