//! The third phase of [`link`](crate::link()): determines the places of all inputs and outputs of the stages, as
//! tables. No code is rewritten.

use std::collections::BTreeSet;

use crate::interface::Interface;
use crate::interface::buffer::{PackedBuffer, Sides};
use crate::interface::separable;
use crate::interface::separable::{Ends, LabelRules, LabelledRouting, Labels};
use crate::labelling::LabelledPair;
use crate::phase::lowered::Lowered;
use crate::phase::matched::Matched;
use crate::place::budget::Budget;
use crate::place::conventions::{frag_coord_shift, position_rule};
use crate::place::fragment_output::FragmentOutputs;
use crate::place::map::{InterfaceMap, LinkMap};
use crate::place::routing::{PairOfStages, Routing};
use crate::place::{fragment_output, location, varying};
use crate::resource::uniform;
use crate::resource::uniform::Uniforms;
use crate::table::binding::Attribute;
use crate::table::shell::{Received, Shell};
use crate::{LinkError, LinkOptions};
use ir::stage::Execution;
use ir::stage_module::StageModule;

/// The stages of a program with the tables of their shells.
#[derive(Debug)]
pub(crate) struct Packed<'a> {
    /// The matched stages.
    pub(crate) matched: Matched<'a>,
    /// The interfaces whose values cross in buffers, in the order of the pipeline.
    pub(crate) buffers: Vec<PackedBuffer>,
    /// Routes of the varyings, if there is a fragment stage.
    pub(crate) routing: Option<Routing>,
    /// Labels of inputs that are undefined, even if the vertex stage writes these labels.
    pub(crate) undefined: BTreeSet<u32>,
    /// The shells, in the order of the stages.
    pub(crate) shells: Vec<Shell>,
    /// Vertex attributes.
    pub(crate) attributes: Vec<Attribute>,
    /// Outputs of the fragment stage.
    pub(crate) outputs: FragmentOutputs,
    /// Uniform buffers.
    pub(crate) uniforms: Uniforms,
    /// The link map, as far as it is known in this phase.
    pub(crate) map: LinkMap,
}

impl<'a> Packed<'a> {
    /// Places all inputs and outputs. `labelled` is the pair in its session, if slots are labels.
    ///
    /// # Errors
    /// There is not enough room for an input or output, or two of them are at the same place.
    pub(crate) fn new(
        matched: Matched<'a>,
        labelled: Option<&mut LabelledPair<'_>>,
    ) -> Result<Self, LinkError> {
        let Lowered { stages, options, .. } = &matched.lowered;
        let drawn = stages.drawn();
        let mut labels = labelled.and_then(|pair| pair.labelling.labels.as_mut());
        let mut shells = vec![Shell::default(); stages.all().len()];
        let buffers = pack_buffers(&matched, &mut shells, labels.as_deref_mut())?;
        let stages = stages.all();
        let LabelledRouting { routing, undefined } = match matched.pair() {
            Some(pair) => route(pair, options, &mut shells[drawn..], labels)?,
            None => LabelledRouting::default(),
        };
        let mut map = matched.link_map(&routing);
        map.earlier = maps(&stages, &buffers);
        let (attributes, mut outputs) = ends(&matched, &mut shells)?;
        map.outputs.append(&mut outputs.rows);
        map.is_in_words = matched.lowered.is_in_words;
        check_attributes(&attributes)?;
        let mut uniforms = uniform::gather_program(&stages, options.labels.sharing())?;
        for (shell, wires) in shells.iter_mut().zip(uniforms.wires.drain(..)) {
            shell.uniforms = wires;
        }
        if let (Some(pair), Some(shell)) = (matched.pair(), shells.get_mut(drawn + 1)) {
            varying::connect_uniforms(pair, &routing, &mut uniforms.buffers, shell);
        }
        let routing = matched.to_fragment.is_some().then_some(routing);
        Ok(Self {
            matched,
            buffers,
            routing,
            undefined,
            shells,
            attributes,
            outputs,
            uniforms,
            map,
        })
    }

    /// The program's lowered stages and options.
    pub(crate) const fn lowered(&self) -> &Lowered<'a> {
        &self.matched.lowered
    }

    /// The pair of stages with the routes of its varyings; `None` without a fragment stage.
    pub(crate) fn routed(&self) -> Option<(PairOfStages<'_>, &Routing)> {
        Some((self.matched.pair()?, self.routing.as_ref()?))
    }

    /// The values that emulated stage `idx` reads of each vertex that the stage before it writes.
    pub(crate) fn received(&self, idx: usize) -> Received {
        let before = idx.checked_sub(1).and_then(|before| self.buffers.get(before));
        let received = before.map_or_else(Received::default, |it| it.vertex.received.clone());
        let vertices = self.lowered().emulated.as_ref().and_then(|it| it.vertices.get(idx));
        Received { vertices: vertices.copied().unwrap_or(0), ..received }
    }
}

/// Packs the interfaces whose values cross in buffers, from the last one back.
fn pack_buffers(
    matched: &Matched<'_>,
    shells: &mut [Shell],
    mut labels: Option<&mut Labels>,
) -> Result<Vec<PackedBuffer>, LinkError> {
    let Lowered { stages, options, .. } = &matched.lowered;
    let mut buffers = Vec::new();
    for interface in matched.in_buffers.iter().rev() {
        let Interface { producer, consumer, .. } = *interface;
        let [from, to] = [producer, consumer].map(|idx| &*stages.before()[idx]);
        let sides = Sides { producer: from, consumer: to, interface, options };
        let shells = &mut shells[producer..=consumer];
        buffers.push(PackedBuffer::new(sides, shells, labels.as_deref_mut())?);
    }
    buffers.reverse();
    Ok(buffers)
}

/// The maps of the interfaces whose values cross in buffers.
fn maps(stages: &[&StageModule], buffers: &[PackedBuffer]) -> Vec<InterfaceMap> {
    let pairs = stages.windows(2).zip(buffers);
    pairs.flat_map(|(pair, buffer)| buffer.maps([pair[0].stage, pair[1].stage])).collect()
}

/// Places the program's inputs and outputs, the attributes and the render targets.
fn ends(
    matched: &Matched<'_>,
    shells: &mut [Shell],
) -> Result<(Vec<Attribute>, FragmentOutputs), LinkError> {
    let Lowered { stages, options, clip, points, .. } = &matched.lowered;
    let (drawn, passes_on) = (stages.drawn(), stages.passes_on());
    let (mut attributes, mut outputs) = (Vec::new(), FragmentOutputs::default());
    for (idx, (stage, shell)) in stages.all().into_iter().zip(shells).enumerate() {
        match stage.stage.properties().runs_as {
            Execution::Vertex => {
                if idx == drawn {
                    shell.position = position_rule(stage);
                    shell.clip.clone_from(clip);
                    shell.points = points.as_ref().map(|(expansion, _)| expansion.clone());
                }
                if passes_on != Some(idx) {
                    attributes = location::attributes(stage, shell).map_err(LinkError::Refused)?;
                }
            }
            Execution::Fragment => {
                shell.frag_coord = frag_coord_shift(stage, &options.raster)?;
                outputs = fragment_output::lower(stage, &options.raster, shell)?;
            }
            Execution::Compute => {}
        }
    }
    Ok((attributes, outputs))
}

impl Matched<'_> {
    fn link_map(&self, routing: &Routing) -> LinkMap {
        let distances = self.lowered.distances;
        let (Some(pair), Some(interface)) = (self.pair(), &self.to_fragment) else {
            let stages = &self.lowered.stages;
            let outputs = &stages.all()[stages.drawn()].outputs;
            let unread = outputs.iter().filter(|output| output.is_used);
            let unread = unread.map(|output| output.name.clone()).collect();
            return LinkMap { unread, distances, ..LinkMap::default() };
        };
        let output = |idx: &usize| pair.producer.outputs[*idx].name.clone();
        let input = |idx: &usize| pair.consumer.inputs[*idx].name.clone();
        LinkMap {
            distances,
            unread: pair.matching.unread.iter().map(output).collect(),
            unwritten: pair.matching.unwritten.iter().map(input).collect(),
            mismatches: interface.vertex.mismatches.clone(),
            ..LinkMap::of_varyings(&pair.inputs(), routing)
        }
    }
}

/// Determines the routes of the varyings, and fills the shells of both stages accordingly.
fn route(
    pair: PairOfStages<'_>,
    options: &LinkOptions,
    shells: &mut [Shell],
    labels: Option<&mut Labels>,
) -> Result<LabelledRouting, LinkError> {
    let [producer, consumer] = shells else { return Ok(LabelledRouting::default()) };
    let routed = match labels {
        Some(labels) => {
            let (outputs, inputs) = (&*pair.producer.outputs, &*pair.consumer.inputs);
            let ends = Ends { outputs, inputs, matching: pair.matching };
            let (linkage, colors) = (&options.labels.linkage, options.raster.colors);
            separable::connect(ends, labels, LabelRules { linkage, colors }, [producer, consumer])
        }
        None => varying::place(pair, options).map(|routing| {
            varying::connect(pair, &routing, [&mut *producer, &mut *consumer]);
            // Routes use the labels of the vertex stage.
            for slot in &mut consumer.inputs {
                slot.location = options.labels.linkage.paired_input(slot.location);
            }
            LabelledRouting { routing, undefined: BTreeSet::new() }
        }),
    };
    // The promise is checked even if the varyings do not fit.
    let routing = routed.as_ref().ok().map(|routed| &routed.routing);
    Budget::of(pair, options).check_promise(pair, routing)?;
    routed
}

/// Rejects attributes that share a location, because WebGPU has no component qualifiers.
fn check_attributes(attributes: &[Attribute]) -> Result<(), LinkError> {
    let mut taken = BTreeSet::new();
    if attributes.iter().all(|attribute| taken.insert(attribute.location)) {
        return Ok(());
    }
    let word = "vertex attributes that share a location".to_owned();
    Err(LinkError::Unsupported { word, span: None })
}
