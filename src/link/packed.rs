//! The third phase of [`link`](crate::link()): determines the places of all inputs and outputs of the stages, as
//! tables. No code is rewritten.

use std::collections::BTreeSet;

use crate::binding::Attribute;
use crate::budget::Budget;
use crate::conventions::{frag_coord_shift, position_rule};
use crate::fragment_output::FragmentOutputs;
use crate::labelling::LabelledPair;
use crate::lowered::Lowered;
use crate::map::LinkMap;
use crate::matched::Matched;
use crate::routing::{PairOfStages, Routing};
use crate::separable::{Ends, LabelRules, LabelledRouting};
use crate::shell::Shell;
use crate::uniform::Uniforms;
use crate::{LinkError, LinkOptions, fragment_output, location, separable, uniform, varying};
use ir::stage::ShaderStage;

/// The stages of a program with the tables of their shells.
#[derive(Debug)]
pub(crate) struct Packed<'a> {
    /// The matched stages.
    pub(crate) matched: Matched<'a>,
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
        let Lowered { stages, options, clip, points, chain, .. } = &matched.lowered;
        let drawn = stages.drawn();
        let stages = stages.all();
        let mut shells = vec![Shell::default(); drawn];
        let LabelledRouting { routing, undefined } = match matched.pair() {
            Some(pair) => route(pair, options, &mut shells, labelled)?,
            None => LabelledRouting::default(),
        };
        let mut map = matched.link_map(&routing);
        let (mut attributes, mut outputs) = (Vec::new(), FragmentOutputs::default());
        for (stage, shell) in stages.iter().zip(&mut shells) {
            match stage.stage {
                ShaderStage::Vertex => {
                    shell.position = position_rule(stage);
                    shell.clip.clone_from(clip);
                    shell.points = points.as_ref().map(|(expansion, _)| expansion.clone());
                    attributes = location::attributes(stage, shell).map_err(LinkError::Refused)?;
                }
                ShaderStage::Fragment => {
                    shell.frag_coord = frag_coord_shift(stage, &options.raster)?;
                    outputs = fragment_output::lower(stage, &options.raster, shell)?;
                }
                ShaderStage::TessellationControl
                | ShaderStage::TessellationEvaluation
                | ShaderStage::Geometry
                | ShaderStage::Compute => {}
            }
        }
        if let Some(chain) = chain {
            shells.extend(chain.shells.iter().cloned());
            attributes = location::attributes(stages[drawn], &mut shells[drawn])
                .map_err(LinkError::Refused)?;
            map.front = chain.maps(&stages[drawn..]);
        }
        map.outputs.append(&mut outputs.rows);
        map.is_in_words = matched.lowered.is_in_words;
        check_attributes(&attributes)?;
        let mut uniforms = uniform::gather_program(&stages, options.labels.sharing())?;
        for (shell, wires) in shells.iter_mut().zip(uniforms.wires.drain(..)) {
            shell.uniforms = wires;
        }
        if let (Some(pair), Some(shell)) = (matched.pair(), shells.get_mut(1)) {
            varying::connect_uniforms(pair, &routing, &mut uniforms.buffers, shell);
        }
        let routing = matched.varyings.is_some().then_some(routing);
        Ok(Self { matched, routing, undefined, shells, attributes, outputs, uniforms, map })
    }

    /// The program's lowered stages and options.
    pub(crate) const fn lowered(&self) -> &Lowered<'a> {
        &self.matched.lowered
    }

    /// The pair of stages with the routes of its varyings; `None` without a fragment stage.
    pub(crate) fn routed(&self) -> Option<(PairOfStages<'_>, &Routing)> {
        Some((self.matched.pair()?, self.routing.as_ref()?))
    }
}

impl Matched<'_> {
    fn link_map(&self, routing: &Routing) -> LinkMap {
        let distances = self.lowered.distances;
        let (Some(pair), Some(varyings)) = (self.pair(), &self.varyings) else {
            let last = self.lowered.stages.all().into_iter().take(1);
            let outputs = last.flat_map(|stage| &stage.outputs);
            let unread = outputs.filter(|output| output.is_used).map(|output| output.name.clone());
            return LinkMap { distances, unread: unread.collect(), ..LinkMap::default() };
        };
        let output = |idx: &usize| pair.vertex.outputs[*idx].name.clone();
        let input = |idx: &usize| pair.fragment.inputs[*idx].name.clone();
        LinkMap {
            distances,
            unread: pair.matching.unread.iter().map(output).collect(),
            unwritten: pair.matching.unwritten.iter().map(input).collect(),
            mismatches: varyings.mismatches.clone(),
            ..LinkMap::of_varyings(&pair.inputs(), routing)
        }
    }
}

/// Determines the routes of the varyings, and fills the shells accordingly.
fn route(
    pair: PairOfStages<'_>,
    options: &LinkOptions,
    shells: &mut [Shell],
    labelled: Option<&mut LabelledPair<'_>>,
) -> Result<LabelledRouting, LinkError> {
    let [producer, consumer] = shells else { return Ok(LabelledRouting::default()) };
    let labels = labelled.and_then(|pair| pair.labelling.labels.as_mut());
    let routed = match labels {
        Some(labels) => {
            let (outputs, inputs) = (&*pair.vertex.outputs, &*pair.fragment.inputs);
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
