//! The interface between two stages of the chain, whose values cross in a buffer.
//!
//! Nothing is interpolated there, so everything is of the flat class, whatever its qualifiers (C12). Where a tessellation
//! stage reads, or a control stage writes, nothing is packed, and the variables of a patch have slots of their own (C20).

use std::collections::BTreeSet;

use crate::binding::BindingPoint;
use crate::front::LEVEL_WORDS;
use crate::geometry::built_in;
use crate::label_limit::{self, UsedLabels};
use crate::map::{LinkMap, SeamMap};
use crate::match_up::{self, LinkRules, Matching, sent_from};
use crate::pack::{PackItem, PackingClass, Position, pack};
use crate::routing::{PairOfStages, Route, Routing};
use crate::separable::Labels;
use crate::shell::{
    ControlShell, PatchShell, Received, ResultChunk, ResultWire, Shell, VertexResults,
};
use crate::verify::words::Crossed;
use crate::{LinkError, LinkOptions, varying};
use ir::diagnostic::Diagnostic;
use ir::interface::{Place, ScalarKind, Type, Variable};
use ir::linkage_table::LinkageTable;
use ir::options::PackMode;
use ir::stage::ShaderStage;
use ir::stage_module::StageModule;
use ir::tessellation::{INNER_LEVELS, MAX_PATCH_COMPONENTS, OUTER_LEVELS};

use super::apart::{self, Apart, Part};
use super::part::only;

/// The stages on both sides of an interface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides<'a> {
    /// The stage that writes.
    pub(crate) producer: &'a StageModule,
    /// The stage that reads.
    pub(crate) consumer: &'a StageModule,
}

/// An interface.
#[derive(Clone, Debug)]
pub(crate) struct Seam {
    /// What crosses for each vertex.
    pub(crate) vertex: Crossing,
    /// What crosses for each patch, from a control stage to an evaluation stage. Its slots are in shells of their own.
    pub(crate) patch: Option<(Crossing, [Shell; 2])>,
}

/// Values of a vertex or of a patch.
#[derive(Clone, Debug)]
pub(crate) struct Crossing {
    /// What the producer writes.
    pub(crate) results: VertexResults,
    /// What the consumer reads.
    pub(crate) received: Received,
    /// Indices of the outputs that cross in slots.
    outputs: Vec<usize>,
    /// What must cross.
    pub(crate) crossed: Vec<Crossed>,
    map: LinkMap,
}

impl Crossing {
    /// Words of a vertex's or patch's values.
    pub(crate) fn stride(&self) -> u32 {
        self.received.stride
    }
}

impl Seam {
    /// Links the two stages, and fills their shells.
    ///
    /// # Errors
    /// The interfaces do not match.
    pub(crate) fn link(
        sides: Sides<'_>,
        shells: &mut [Shell],
        options: &LinkOptions,
        mut labels: Option<&mut Labels>,
    ) -> Result<Self, LinkError> {
        if labels.is_none() {
            check_patches(sides.producer, sides.consumer)?;
        }
        let has_patches = is_control(sides.producer);
        let vertex = Crossing::link(sides, false, shells, options, labels.as_deref_mut())?;
        let mut own = [Shell::default(), Shell::default()];
        let patch = has_patches
            .then(|| Crossing::link(sides, true, &mut own, options, labels))
            .transpose()?;
        Ok(Self { vertex, patch: patch.map(|patch| (patch, own)) })
    }

    /// True for each output of the producer that crosses, and for its built-in ones.
    pub(crate) fn live_outputs(&self, producer: &StageModule) -> Vec<bool> {
        let patch = self.patch.iter().flat_map(|(patch, _)| &patch.outputs);
        let crossing: Vec<_> = self.vertex.outputs.iter().chain(patch).collect();
        let is_live = |(idx, output): (usize, &Variable)| {
            crossing.contains(&&idx) || output.is_used && output.name.starts_with("gl_")
        };
        producer.outputs.iter().enumerate().map(is_live).collect()
    }

    /// Words of what crosses for each vertex.
    pub(crate) fn stride(&self) -> u32 {
        self.vertex.stride()
    }

    /// Words of what crosses for each patch.
    pub(crate) fn patch_words(&self) -> u32 {
        self.patch.as_ref().map_or(0, |(patch, _)| patch.stride())
    }

    /// The shell of the control stage that writes this, and reads the values `received` of each vertex.
    pub(crate) fn control_shell(&self, received: Received, at: BindingPoint) -> ControlShell {
        let patch = self.patch.as_ref();
        ControlShell {
            at,
            received,
            results: self.vertex.results.clone(),
            vertex_stride: self.stride(),
            patch: patch.map(|(_, [shell, _])| shell.clone()).unwrap_or_default(),
            patch_results: patch.map(|(patch, _)| patch.results.clone()).unwrap_or_default(),
            first_vertex: self.patch_words(),
        }
    }

    /// How the evaluation stage reads this of a patch with so many vertices.
    pub(crate) fn patch_shell(&self, vertices: u32) -> Option<PatchShell> {
        let (patch, [_, shell]) = self.patch.as_ref()?;
        let first_vertex = patch.stride();
        Some(PatchShell {
            shell: shell.clone(),
            received: patch.received.clone(),
            stride: first_vertex + vertices * self.stride(),
            first_vertex,
        })
    }

    /// Its maps.
    pub(crate) fn maps(&self, stages: [ShaderStage; 2]) -> Vec<SeamMap> {
        let of = |is_patch: bool, crossing: &Crossing| SeamMap {
            stages,
            is_patch,
            map: crossing.map.clone(),
        };
        let patch = self.patch.iter().map(|(patch, _)| of(true, patch));
        std::iter::once(of(false, &self.vertex)).chain(patch).collect()
    }
}

impl Crossing {
    fn link(
        sides: Sides<'_>,
        is_patch: bool,
        shells: &mut [Shell],
        options: &LinkOptions,
        labels: Option<&mut Labels>,
    ) -> Result<Self, LinkError> {
        let Sides { producer, consumer } = sides;
        let rules = LinkRules {
            has_labels: options.labels.are_used(),
            ..LinkRules::of(producer, consumer, options)
        };
        let outputs = only(&producer.outputs, is_patch, "output");
        let inputs = only(&consumer.inputs, is_patch, "input");
        let [sender, receiver] = shells else { unreachable!("an interface has two sides") };
        let Apart { matching, mismatches, routing, sources, slots } = if let Some(labels) = labels {
            let unwritten = options.labels.unwritten;
            let is_whole = apart::is_whole(producer, consumer, rules);
            let part = Part { outputs: &outputs, inputs: &inputs, is_whole, rules };
            apart::cross(part, labels, [sender, receiver], unwritten)?
        } else {
            let matching = match_up::match_up(&outputs, &inputs, &LinkageTable::default(), rules)
                .map_err(LinkError::Refused)?;
            let pair = sides.paired(&matching);
            let routing = place(pair, sides.pack_mode(options))?;
            varying::connect(pair, &routing, [&mut *sender, &mut *receiver]);
            let sources = (0..sender.outputs.len()).collect();
            let slots: BTreeSet<u32> = routing.classes.keys().copied().collect();
            let slots = [slots.clone(), slots];
            Apart { matching, mismatches: Vec::new(), routing, sources, slots }
        };
        let pair = sides.paired(&matching);
        check_slots(pair, slots, is_patch, options)?;
        let map = LinkMap { mismatches, ..link_map(pair, &routing, &matching) };
        let mut crossed = crossed(&outputs, &inputs, &matching, &routing);
        let (written, built_ins, first) = if is_patch {
            let (written, read) = level_wires(producer, consumer);
            (written, read, LEVEL_WORDS)
        } else {
            let (written, read) = built_in::wires(producer, consumer, 0);
            let end = written.iter().map(|wire| wire.word + u32::from(wire.size)).max();
            (written, read, end.unwrap_or(0))
        };
        crossed.extend(crossed_built_ins(&written, &built_ins));
        let mut results = VertexResults { wires: written, ..VertexResults::default() };
        let mut words = Vec::new();
        let mut word = first;
        for (slot, known) in sender.outputs.iter().enumerate() {
            words.push(word);
            results.chunks.push(ResultChunk { slot, component: 0, count: known.width, word });
            word += u32::from(known.width);
        }
        if is_patch {
            add_missing_levels(&mut results);
        }
        let slot_words = sources.into_iter().map(|source| words[source]).collect();
        let outputs = matching.pairs.iter().map(|pair| pair.output).collect();
        let received = Received { vertices: 0, stride: word, slot_words, built_ins };
        Ok(Self { results, received, outputs, crossed, map })
    }
}

/// The matched varyings.
fn crossed(
    outputs: &[Variable],
    inputs: &[Variable],
    matching: &Matching,
    routing: &Routing,
) -> Vec<Crossed> {
    let one = |(pair, routes): (&match_up::Pair, &Vec<Route>)| {
        let (output, input) = (&outputs[pair.output], &inputs[pair.input]);
        let (from, to) = (sent_from(output, input)?, input.place.clone()?);
        let (name, ty, routes) = (input.name.clone(), input.ty.clone(), routes.clone());
        Some(Crossed { name, ty, from, to, routes })
    };
    matching.pairs.iter().zip(&routing.routes).filter_map(one).collect()
}

/// The built-in variables that both sides have, part by part.
fn crossed_built_ins<'a>(
    written: &'a [ResultWire],
    read: &'a [ResultWire],
) -> impl Iterator<Item = Crossed> + 'a {
    read.iter().filter_map(|to| {
        let from = written.iter().find(|from| from.word == to.word)?;
        Some(Crossed {
            name: "a built-in variable".to_owned(),
            ty: Type::scalar_or_vector(to.size, to.scalar),
            from: from.place.clone(),
            to: to.place.clone(),
            routes: Vec::new(),
        })
    })
}

impl<'a> Sides<'a> {
    const fn paired(self, matching: &'a Matching) -> PairOfStages<'a> {
        PairOfStages { vertex: self.producer, fragment: self.consumer, matching, clip: None }
    }

    fn pack_mode(self, options: &LinkOptions) -> PackMode {
        let is_read_by_others = is_control(self.producer) || self.consumer.tessellation.is_some();
        if is_read_by_others { PackMode::Off } else { options.packing.mode }
    }
}

const fn is_control(stage: &StageModule) -> bool {
    matches!(stage.stage, ShaderStage::TessellationControl)
}

/// `patch` must be on both sides or on none (C40).
fn check_patches(producer: &StageModule, consumer: &StageModule) -> Result<(), LinkError> {
    let mut errors = Vec::new();
    for input in &consumer.inputs {
        let differs =
            |output: &&Variable| output.name == input.name && output.is_patch != input.is_patch;
        if let Some(output) = producer.outputs.iter().find(differs) {
            let [with, without] = if input.is_patch {
                [consumer.stage.name(), producer.stage.name()]
            } else {
                [producer.stage.name(), consumer.stage.name()]
            };
            let message = format!(
                "`{}` is `patch` in the {with} stage but not in the {without} stage",
                output.name
            );
            errors.push(Diagnostic::error(input.span, message));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(LinkError::Refused(errors)) }
}

/// The levels as the control stage writes them, and as the evaluation stage reads them.
fn level_wires(
    producer: &StageModule,
    consumer: &StageModule,
) -> (Vec<ResultWire>, Vec<ResultWire>) {
    (levels_of(&producer.outputs), levels_of(&consumer.inputs))
}

/// A wire for each level that is used. The outer ones come first.
pub(crate) fn levels_of(variables: &[Variable]) -> Vec<ResultWire> {
    let mut wires = Vec::new();
    for (name, first, count) in [(OUTER_LEVELS, 0, 4), (INNER_LEVELS, 4, 2)] {
        let known = variables.iter().find(|variable| variable.name == name && variable.is_used);
        let Some(place) = known.and_then(|variable| variable.place.as_ref()) else { continue };
        wires.extend((0..count).map(|idx| {
            let path = [place.path.as_slice(), &[idx]].concat();
            let place = Place { global: place.global, path };
            ResultWire { place, scalar: ScalarKind::F32, size: 1, word: first + idx }
        }));
    }
    wires
}

/// Levels that the stage does not write are zero.
fn add_missing_levels(results: &mut VertexResults) {
    for word in 0..LEVEL_WORDS {
        if !results.wires.iter().any(|wire| wire.word == word) {
            results.constants.push((word, 0));
        }
    }
}

fn place(pair: PairOfStages<'_>, mode: PackMode) -> Result<Routing, LinkError> {
    let inputs = pair.inputs();
    let item = |(idx, input): (usize, &&Variable)| {
        let output = &pair.vertex.outputs[pair.matching.pairs[idx].output];
        let explicit = output.location.map(|slot| {
            let component = u8::try_from(input.component.unwrap_or(0).min(3)).unwrap_or(3);
            Position { slot, component }
        });
        PackItem {
            ty: input.ty.clone(),
            class: PackingClass::FLAT,
            explicit,
            is_convergent: false,
            is_aligned: false,
        }
    };
    let items: Vec<PackItem> = inputs.iter().enumerate().map(item).collect();
    let slots =
        pack(&items, mode).map_err(|error| varying::misplaced(&inputs, |item| item, &error))?;
    Ok(Routing::plain(&inputs, &slots))
}

/// The limits on what crosses, which are written and read in these slots: GL's (`GL_MAX_TESS_CONTROL_INPUT_COMPONENTS` and
/// its kind; `GL_MAX_TESS_PATCH_COMPONENTS`), counted in slots as Mesa counts them, and those of labels.
fn check_slots(
    pair: PairOfStages<'_>,
    slots: [BTreeSet<u32>; 2],
    is_patch: bool,
    options: &LinkOptions,
) -> Result<(), LinkError> {
    let stages = [pair.vertex.stage, pair.fragment.stage];
    let span = pair.inputs().last().and_then(|input| input.span);
    let (most, what) = if is_patch {
        (MAX_PATCH_COMPONENTS / 4, "variables of a patch".to_owned())
    } else {
        let [from, to] = stages.map(ShaderStage::name);
        let most = options.labels.profile.traits().earlier_slots;
        (most, format!("varyings from the {from} to the {to} stage"))
    };
    // A location that is no label stands for all slots below it.
    let end = |slots: &BTreeSet<u32>| slots.last().map_or(0, |last| *last as usize + 1);
    let has_labels = options.labels.are_used();
    let count = |slots: &BTreeSet<u32>| if has_labels { slots.len() } else { end(slots) };
    let count = slots.iter().map(count).max().unwrap_or(0);
    if count > most as usize {
        let message = format!("the {what} take {count} slots but GL has {most}");
        return Err(LinkError::Refused(vec![Diagnostic::error(span, message)]));
    }
    if is_patch || !has_labels {
        return Ok(());
    }
    let [written, read] = slots;
    let [producer, consumer] = stages;
    let written = UsedLabels { stage: producer, keys: written };
    let read = UsedLabels { stage: consumer, keys: read };
    label_limit::check_earlier([&written, &read], &options.labels, span)
}

fn link_map(pair: PairOfStages<'_>, routing: &Routing, matching: &Matching) -> LinkMap {
    let is_user = |name: &String| !name.starts_with("gl_");
    let output = |idx: &usize| pair.vertex.outputs[*idx].name.clone();
    let input = |idx: &usize| pair.fragment.inputs[*idx].name.clone();
    LinkMap {
        unread: matching.unread.iter().map(output).filter(is_user).collect(),
        unwritten: matching.unwritten.iter().map(input).collect(),
        ..LinkMap::of_varyings(&pair.inputs(), routing)
    }
}
