//! The second phase of [`link`](crate::link()): matches outputs with inputs, interface by interface. It reports all link
//! errors about interfaces, and computes GL's reflection of the program from the shaders' declarations.
//!
//! The interfaces are matched from the last one back, because what a stage does not read need not be written by the stage
//! before it (C32).

use std::borrow::Cow;

use crate::LinkError;
use crate::compute::emulated::Emulated;
use crate::compute::geometry::liveness;
use crate::compute::geometry::pass_through::PassThrough;
use crate::compute::geometry::record::Record;
use crate::interface::Interface;
use crate::phase::lowered::Lowered;
use crate::place::routing::PairOfStages;
use crate::reflect::limit;
use crate::reflect::{self, Reflection};
use crate::table::names;
use ir::diagnostic::Diagnostic;
use ir::interface::Variable;
use ir::stage::ShaderStage;
use ir::stage_module::StageModule;

/// The stages of a program whose interfaces match.
#[derive(Debug)]
pub(crate) struct Matched<'a> {
    /// The lowered stages.
    pub(crate) lowered: Lowered<'a>,
    /// GL's reflection of the program, or of its last stage if each stage is a separate program.
    pub(crate) reflection: Reflection,
    /// GL's reflection of each stage before the last, if each stage is a separate program.
    pub(crate) earlier_reflections: Vec<(ShaderStage, Reflection)>,
    /// The interfaces whose values cross in buffers, in the order of the pipeline.
    pub(crate) in_buffers: Vec<Interface>,
    /// The record that the last stage before the drawn one gives: the values that it passes on.
    pub(crate) record: Option<Record>,
    /// The interface to the fragment stage, whose values cross in slots; `None` for a program without one.
    pub(crate) to_fragment: Option<Interface>,
}

impl<'a> Matched<'a> {
    /// Matches the varyings of a program.
    ///
    /// # Errors
    /// The interfaces do not match, or the program exceeds a limit of GL.
    pub(crate) fn new(mut lowered: Lowered<'a>) -> Result<Self, LinkError> {
        names::check(&lowered.stages.of_case(), lowered.options.labels.sharing())?;
        let mut to_fragment = Interface::to_fragment(&lowered.stages, &lowered.options)?;
        let (mut in_buffers, mut record) = (Vec::new(), None);
        if let Some(emulated) = lowered.emulated.clone() {
            let live = live_results(&lowered, &emulated.pass_through, to_fragment.as_ref())?;
            record = Some(pass_on(&mut lowered, &emulated, &live, to_fragment.as_mut()));
            in_buffers = match_buffers(&mut lowered, live)?;
        }
        let (mut earlier_reflections, mut reflection) =
            limit::reflected(&lowered.stages.of_case(), &lowered.options)?;
        if let Some(layout) = &lowered.xfb {
            let earlier = earlier_reflections.last_mut().map(|(_, earlier)| earlier);
            let own = earlier.unwrap_or(&mut reflection);
            own.set_xfb_varyings(reflect::xfb_varyings(layout));
        }
        Ok(Self { lowered, reflection, earlier_reflections, in_buffers, record, to_fragment })
    }

    /// The matched stages of a draw; `None` for a program without a fragment stage.
    pub(crate) fn pair(&self) -> Option<PairOfStages<'_>> {
        let (producer, consumer) = self.lowered.stages.pair()?;
        let matching = &self.to_fragment.as_ref()?.vertex.matching;
        let clip = self.lowered.clip.as_ref();
        Some(PairOfStages { producer, consumer, matching, clip })
    }
}

/// Makes the drawn stage pass on the outputs that are live, and returns their record.
fn pass_on(
    lowered: &mut Lowered<'_>,
    emulated: &Emulated,
    live: &[bool],
    to_fragment: Option<&mut Interface>,
) -> Record {
    let is_separable = lowered.options.labels.is_separable;
    let last = lowered.stages.last_before_raster().clone();
    let record = Record::of(&last, live);
    let drawn = lowered.stages.stage_mut(lowered.stages.drawn()).to_mut();
    if is_separable {
        // An output that is not in the record has no label.
        let dead = last.outputs.iter().zip(live).filter(|(_, is_live)| !**is_live);
        let dead = dead.filter_map(|(output, _)| output.place.as_ref());
        let dead: Vec<_> = dead.map(|place| emulated.pass_through.place(place)).collect();
        for output in &mut drawn.outputs {
            let is_dead = output.place.as_ref().is_some_and(|place| dead.contains(place));
            output.is_used &= !is_dead;
        }
        if let Some(interface) = to_fragment {
            let is_used = |idx: &usize| drawn.outputs[*idx].is_used;
            interface.vertex.matching.unread.retain(is_used);
        }
    }
    emulated.pass_through.read(drawn, &last, &record);
    record
}

/// Matches the interfaces between the stages before the drawn one. `live` are the outputs of the last of them that count.
fn match_buffers(
    lowered: &mut Lowered<'_>,
    mut live: Vec<bool>,
) -> Result<Vec<Interface>, LinkError> {
    let Lowered { stages, options, .. } = lowered;
    let mut interfaces = Vec::new();
    for consumer in (1..stages.drawn()).rev() {
        if !options.labels.is_separable {
            drop_dead_inputs(stages.stage_mut(consumer), &live);
        }
        let interface = Interface::in_buffer(stages, consumer, options)?;
        live = interface.live_outputs(&stages.before()[interface.producer]);
        interfaces.push(interface);
    }
    interfaces.reverse();
    Ok(interfaces)
}

fn drop_dead_inputs(stage: &mut Cow<'_, StageModule>, live: &[bool]) {
    for idx in liveness::dead_inputs(stage, live) {
        stage.to_mut().inputs[idx].is_used = false;
    }
}

/// True for each output of the last stage before the drawn one that the fragment stage reads by this interface, or that
/// is captured. Built-in outputs always count, and where each stage is a program all that are drawn.
///
/// # Errors
/// The fragment stage reads an output of a stream that is not drawn.
fn live_results(
    lowered: &Lowered<'_>,
    pass_through: &PassThrough,
    to_fragment: Option<&Interface>,
) -> Result<Vec<bool>, LinkError> {
    let last = lowered.stages.last_before_raster();
    let is_separable = lowered.options.labels.is_separable;
    let items = lowered.xfb.iter().flat_map(|layout| &layout.items);
    let captured: Vec<&str> = items.map(|item| &*item.variable).collect();
    let drawn = lowered.stages.all()[lowered.stages.drawn()];
    let pairs = to_fragment.iter().flat_map(|interface| &interface.vertex.matching.pairs);
    let read: Vec<_> = pairs.map(|pair| drawn.outputs[pair.output].place.as_ref()).collect();
    let is_live = |output: &Variable| {
        let place = output.place.as_ref().map(|place| pass_through.place(place));
        if place.is_some() && read.contains(&place.as_ref()) {
            check_stream(output, is_separable)?;
            return Ok(true);
        }
        let is_drawn = is_separable && output.stream == 0;
        let counts =
            output.name.starts_with("gl_") || captured.contains(&&*output.name) || is_drawn;
        Ok(output.is_used && counts)
    };
    last.outputs.iter().map(is_live).collect()
}

/// Rejects an output that the fragment stage reads and that is not of stream 0.
fn check_stream(output: &Variable, is_separable: bool) -> Result<(), LinkError> {
    let Variable { name, stream, span, .. } = output;
    if *stream == 0 {
        return Ok(());
    }
    if is_separable {
        let word = format!("`{name}` of stream {stream} before a separable stage");
        return Err(LinkError::Unsupported { word, span: *span });
    }
    let message = format!("`{name}` is of stream {stream}, and only stream 0 is drawn");
    Err(LinkError::Refused(vec![Diagnostic::error(*span, message)]))
}
