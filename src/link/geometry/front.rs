//! The interface between the vertex and the geometry stage, whose values cross in a storage buffer: slot after slot, and
//! then the built-in outputs.
//!
//! In one program the varyings are packed. Where each stage is a program, a slot is a label: the vertex stage writes all
//! that it has, and the geometry stage reads those that match. No profile places anything there.

use crate::map::LinkMap;
use crate::match_up::{self, LinkRules, Matching};
use crate::pack::{PackItem, PackingClass, Position, pack};
use crate::routing::{PairOfStages, Routing};
use crate::separable::{Ends, LabelledRouting, Labels};
use crate::shell::{Constant, ResultChunk, Shell, VertexResults, Wire};
use crate::{LinkError, LinkOptions, separable, varying};
use ir::geometry::GeometryStage;
use ir::interface::{Interpolation, Place, Sampling, Variable};
use ir::linkage_table::LinkageTable;
use ir::options::ColorState;
use ir::profile::UnwrittenInput;
use ir::stage_module::StageModule;

use super::record::Record;
use super::{Front, built_in};

/// What crosses, apart from built-in outputs.
pub(super) struct Crossing {
    /// The shells of both stages.
    shells: [Shell; 2],
    /// For each slot that the geometry stage reads, the index of the vertex stage's slot.
    sources: Vec<usize>,
    map: LinkMap,
}

/// The tables between a vertex and a geometry stage.
pub(super) fn front(
    (vertex, geometry): (&StageModule, &StageModule),
    own: GeometryStage,
    (record, streams): (Record, u32),
    Crossing { shells, sources, map }: Crossing,
) -> Front {
    let mut results = VertexResults::default();
    let mut words = Vec::new();
    for (idx, slot) in shells[0].outputs.iter().enumerate() {
        let word = results.end();
        words.push(word);
        results.chunks.push(ResultChunk { slot: idx, component: 0, count: slot.width, word });
    }
    let slot_words = sources.into_iter().map(|source| words[source]).collect();
    let (written, built_ins) = built_in::wires(vertex, geometry, results.end());
    results.wires = written;
    Front { geometry: own, shells, results, slot_words, built_ins, record, streams, map }
}

/// The varyings between the stages of one program.
///
/// # Errors
/// The interfaces do not match.
pub(super) fn cross(
    (vertex, geometry): (&StageModule, &StageModule),
    options: &LinkOptions,
) -> Result<Crossing, LinkError> {
    let rules = LinkRules::of(vertex.rules, geometry.rules).between("vertex", "geometry");
    let inputs: Vec<Variable> = geometry.inputs.iter().map(built_in::hidden).collect();
    let matching = match_up::match_up(&vertex.outputs, &inputs, &LinkageTable::default(), rules)
        .map_err(LinkError::Refused)?;
    let pair = PairOfStages { vertex, fragment: geometry, matching: &matching, clip: None };
    let routing = place(pair, options)?;
    let mut shells = [Shell::default(), Shell::default()];
    let [producer, consumer] = &mut shells;
    varying::connect(pair, &routing, (producer, consumer));
    let sources = (0..producer.outputs.len()).collect();
    Ok(Crossing { shells, sources, map: link_map(pair, &routing) })
}

/// Packs what crosses. Nothing is interpolated there, so everything is of the flat class, whatever its qualifiers (C12).
fn place(pair: PairOfStages<'_>, options: &LinkOptions) -> Result<Routing, LinkError> {
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
    let slots = pack(&items, options.packing.mode)
        .map_err(|error| varying::misplaced(&inputs, |item| item, &error))?;
    Ok(Routing::plain(&inputs, &slots))
}

/// The varyings between stages that are programs of their own.
///
/// # Errors
/// Varyings of one stage overlap, or one has a type that cannot cross.
pub(super) fn cross_apart(
    (vertex, geometry): (&StageModule, &StageModule),
    labels: &mut Labels,
    options: &LinkOptions,
) -> Result<Crossing, LinkError> {
    let rules = LinkRules::of(vertex.rules, geometry.rules).between("vertex", "geometry");
    let inputs: Vec<Variable> = geometry.inputs.iter().map(built_in::hidden).collect();
    let (matching, mismatches) = separable::match_up(&vertex.outputs, &inputs, rules);
    let [outputs, inputs] = [&vertex.outputs, &inputs].map(|all| all.iter().map(flat).collect());
    let (outputs, inputs): (Vec<Variable>, Vec<Variable>) = (outputs, inputs);
    let ends = Ends { outputs: &outputs, inputs: &inputs, matching: &matching };
    let mut shells = [Shell::default(), Shell::default()];
    let [producer, consumer] = &mut shells;
    // Tables of linkage are about the fragment stage.
    let rules = (&LinkageTable::default(), ColorState::default());
    let LabelledRouting { routing, undefined } =
        separable::connect(ends, labels, rules, (producer, consumer))?;
    let source = |label: u32| {
        let written = producer.outputs.iter().position(|slot| slot.location == label);
        written.filter(|_| !undefined.contains(&label))
    };
    let sources: Vec<Option<usize>> =
        consumer.inputs.iter().map(|slot| source(slot.location)).collect();
    let pair = PairOfStages { vertex, fragment: geometry, matching: &matching, clip: None };
    let map = LinkMap { mismatches, ..link_map(pair, &routing) };
    let sources = leave_written(consumer, &sources, options.labels.unwritten);
    Ok(Crossing { shells, sources, map })
}

/// A varying before the geometry stage, where nothing is interpolated (C12).
fn flat(variable: &Variable) -> Variable {
    let (interpolation, sampling) = (Interpolation::Flat, Sampling::Center);
    Variable { interpolation, sampling, ..variable.clone() }
}

/// Removes the slots that have no source from the shell, and gives what is read there the value of `unwritten`. Returns
/// the sources that are left.
fn leave_written(
    consumer: &mut Shell,
    sources: &[Option<usize>],
    unwritten: UnwrittenInput,
) -> Vec<usize> {
    let numbers: Vec<Option<usize>> = sources
        .iter()
        .scan(0, |next, source| {
            let number = source.map(|_| *next);
            *next += usize::from(source.is_some());
            Some(number)
        })
        .collect();
    let mut kept = sources.iter().map(Option::is_some);
    consumer.inputs.retain(|_| kept.next().unwrap_or(false));
    for mut wire in std::mem::take(&mut consumer.input_wires) {
        match numbers[wire.components[0].0] {
            Some(_) => {
                for (slot, _) in &mut wire.components {
                    *slot = numbers[*slot].unwrap_or(0);
                }
                consumer.input_wires.push(wire);
            }
            None if unwritten == UnwrittenInput::ZeroOne => consumer.constants.extend(one(&wire)),
            None => {}
        }
    }
    sources.iter().copied().flatten().collect()
}

/// One in the last component of a slot; all others are zero, as globals are at first.
fn one(wire: &Wire) -> Option<Constant> {
    let last = wire.components.iter().position(|(_, component)| *component == 3)?;
    let index = u32::try_from(last).ok().filter(|_| wire.components.len() > 1);
    let path = wire.place.path.iter().copied().chain(index).collect();
    let place = Place { global: wire.place.global, path };
    Some(Constant { place, scalar: wire.scalar, bits: 1.0_f32.to_bits() })
}

fn link_map(pair: PairOfStages<'_>, routing: &Routing) -> LinkMap {
    let output = |idx: &usize| pair.vertex.outputs[*idx].name.clone();
    let input = |idx: &usize| pair.fragment.inputs[*idx].name.clone();
    let Matching { unread, unwritten, .. } = pair.matching;
    LinkMap {
        unread: unread.iter().map(output).collect(),
        unwritten: unwritten.iter().map(input).collect(),
        ..LinkMap::of_varyings(&pair.inputs(), routing)
    }
}
