//! Packs an interface whose values cross in a buffer.
//!
//! Nothing is interpolated there, so everything is of the flat class, whatever its qualifiers (C12). Where a tessellation
//! stage reads, or a control stage writes, nothing is packed, and the variables of a patch have separate slots (C20).

use std::collections::BTreeSet;

use crate::compute::geometry::built_in;
use crate::interface::separable::{Ends, Labels};
use crate::label::label_limit::{self, UsedLabels};
use crate::match_up::{self, Matching, sent_from};
use crate::pack::{PackItem, PackingClass, Position, pack};
use crate::place::map::{InterfaceMap, LinkMap};
use crate::place::routing::{PairOfStages, Route, Routing};
use crate::place::varying;
use crate::table::front::{ELEMENT_WORDS, LEVEL_WORDS, place_of};
use crate::table::shell::{Received, ResultChunk, ResultWire, Shell, VertexResults};
use crate::verify::Defect;
use crate::verify::words::{self, Crossed, Extent, Side};
use crate::{LinkError, LinkOptions};
use ir::diagnostic::Diagnostic;
use ir::interface::{Place, ScalarKind, Type, Variable};
use ir::options::PackMode;
use ir::stage::ShaderStage;
use ir::stage_module::StageModule;
use ir::tessellation::{INNER_LEVELS, MAX_PATCH_COMPONENTS, OUTER_LEVELS};

use super::labelled::{self, Slots};
use super::part::{self, only};
use super::{Interface, Varyings};

/// An interface whose values cross in a buffer, packed.
#[derive(Clone, Debug)]
pub(crate) struct PackedBuffer {
    /// The values of each vertex.
    pub(crate) vertex: BufferValues,
    /// The values of each patch, from a control stage to an evaluation stage.
    pub(crate) patch: Option<PatchBuffer>,
}

/// The values of a patch.
#[derive(Clone, Debug)]
pub(crate) struct PatchBuffer {
    /// The values.
    pub(crate) values: BufferValues,
    /// The shells with the slots of the values, in the producer and in the consumer.
    pub(crate) shells: [Shell; 2],
}

/// Values of a vertex or of a patch.
#[derive(Clone, Debug)]
pub(crate) struct BufferValues {
    /// What the producer writes.
    pub(crate) results: VertexResults,
    /// What the consumer reads.
    pub(crate) received: Received,
    /// What must cross, for the check of the final modules.
    pub(crate) crossed: Vec<Crossed>,
    map: LinkMap,
}

impl BufferValues {
    /// Number of words of a vertex's or patch's values.
    pub(crate) fn stride(&self) -> u32 {
        self.received.stride
    }
}

/// Everything that packing an interface depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides<'a> {
    /// The stage that writes.
    pub(crate) producer: &'a StageModule,
    /// The stage that reads.
    pub(crate) consumer: &'a StageModule,
    pub(crate) interface: &'a Interface,
    pub(crate) options: &'a LinkOptions,
}

impl PackedBuffer {
    /// Packs an interface, and fills the shells of its two stages. With `labels` each stage is a program, and slots are
    /// labels.
    ///
    /// # Errors
    /// There is not enough room for the values, or two of them are at the same place.
    pub(crate) fn new(
        sides: Sides<'_>,
        shells: &mut [Shell],
        mut labels: Option<&mut Labels>,
    ) -> Result<Self, LinkError> {
        let Sides { interface, .. } = sides;
        let vertex = Part { varyings: &interface.vertex, is_patch: false };
        let vertex = sides.pack(vertex, shells, labels.as_deref_mut())?;
        let mut shells = [Shell::default(), Shell::default()];
        let patch = match &interface.patch {
            Some(varyings) => {
                Some(sides.pack(Part { varyings, is_patch: true }, &mut shells, labels)?)
            }
            None => None,
        };
        let patch = patch.map(|values| PatchBuffer { values, shells });
        Ok(Self { vertex, patch })
    }

    /// Number of words of a patch's values, apart from those of its vertices.
    pub(crate) fn patch_words(&self) -> u32 {
        self.patch.as_ref().map_or(0, |patch| patch.values.stride())
    }

    /// Its maps.
    pub(crate) fn maps(&self, stages: [ShaderStage; 2]) -> Vec<InterfaceMap> {
        let of = |is_patch: bool, values: &BufferValues| InterfaceMap {
            stages,
            is_patch,
            map: values.map.clone(),
        };
        let patch = self.patch.iter().map(|patch| of(true, &patch.values));
        std::iter::once(of(false, &self.vertex)).chain(patch).collect()
    }

    /// Checks that all values cross from one module to the other. `vertices` are those that the consumer reads.
    ///
    /// # Errors
    /// A value does not arrive.
    pub(crate) fn verify(
        &self,
        from: &Side<'_>,
        to: &Side<'_>,
        vertices: Extent,
    ) -> Result<(), Defect> {
        words::verify([from, to], &self.vertex.crossed, vertices)?;
        match &self.patch {
            Some(patch) => words::verify([from, to], &patch.values.crossed, Extent::One),
            None => Ok(()),
        }
    }
}

/// The varyings of vertices or those of patches.
#[derive(Clone, Copy)]
struct Part<'a> {
    varyings: &'a Varyings,
    is_patch: bool,
}

impl<'a> Sides<'a> {
    fn pack(
        self,
        part: Part<'a>,
        shells: &mut [Shell],
        labels: Option<&mut Labels>,
    ) -> Result<BufferValues, LinkError> {
        let Self { producer, consumer, options, .. } = self;
        let Part { varyings: Varyings { matching, mismatches }, is_patch } = part;
        let outputs = only(&producer.outputs, is_patch, "output");
        let inputs = only(&consumer.inputs, is_patch, "input");
        let [sender, receiver] = shells else { unreachable!("an interface has two sides") };
        let pair = PairOfStages { producer, consumer, matching, clip: None };
        let Slots { routing, sources, used } = if let Some(labels) = labels {
            let ends = Ends { outputs: &outputs, inputs: &inputs, matching };
            labelled::connect(ends, labels, [sender, receiver], options.labels.unwritten)?
        } else {
            let routing = place(pair, self.pack_mode())?;
            varying::connect(pair, &routing, [&mut *sender, &mut *receiver]);
            let sources = (0..sender.outputs.len()).collect();
            let slots: BTreeSet<u32> = routing.classes.keys().copied().collect();
            Slots { routing, sources, used: [slots.clone(), slots] }
        };
        check_slots(pair, used, is_patch, options)?;
        let map = LinkMap { mismatches: mismatches.clone(), ..link_map(pair, &routing) };
        let mut crossed = crossed(&outputs, &inputs, matching, &routing);
        let (written, built_ins, first) = if is_patch {
            (levels_of(&producer.outputs), levels_of(&consumer.inputs), LEVEL_WORDS)
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
            word = place_of(word, u32::from(known.width));
            words.push(word);
            results.chunks.push(ResultChunk { slot, component: 0, count: known.width, word });
            word += u32::from(known.width);
        }
        if is_patch {
            add_missing_levels(&mut results);
        }
        let slot_words = sources.into_iter().map(|source| words[source]).collect();
        let stride = word.next_multiple_of(ELEMENT_WORDS);
        let received = Received { vertices: 0, stride, slot_words, built_ins };
        Ok(BufferValues { results, received, crossed, map })
    }

    /// Nothing is packed where other invocations read what one wrote (C20).
    fn pack_mode(self) -> PackMode {
        let is_read_by_others =
            part::has_patches(self.producer) || self.consumer.tessellation.is_some();
        if is_read_by_others { PackMode::Off } else { self.options.packing.mode }
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
        let output = &pair.producer.outputs[pair.matching.pairs[idx].output];
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
    let stages = [pair.producer.stage, pair.consumer.stage];
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

fn link_map(pair: PairOfStages<'_>, routing: &Routing) -> LinkMap {
    let matching = pair.matching;
    let is_user = |name: &String| !name.starts_with("gl_");
    let output = |idx: &usize| pair.producer.outputs[*idx].name.clone();
    let input = |idx: &usize| pair.consumer.inputs[*idx].name.clone();
    LinkMap {
        unread: matching.unread.iter().map(output).filter(is_user).collect(),
        unwritten: matching.unwritten.iter().map(input).collect(),
        ..LinkMap::of_varyings(&pair.inputs(), routing)
    }
}
