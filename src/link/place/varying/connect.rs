//! Fills the shells of both stages from routes.

use std::collections::BTreeMap;

use crate::place::routing::{PairOfStages, Route, Routing};
use crate::resource::uniform::word_of;
use crate::table::binding::UniformBuffer;
use crate::table::shell::{Constant, Shell, Slot, UniformWire, UniformWires, Wire};
use ir::interface::{Place, Variable};

/// Adds the slots to both shells, and the wires from the producer's to the consumer's variables. Uniforms that the
/// consumer loads are not wired here.
pub(crate) fn connect(
    pair: PairOfStages<'_>,
    routing: &Routing,
    [producer, consumer]: [&mut Shell; 2],
) {
    for (location, carrier) in &routing.carriers {
        let slot = Slot {
            location: *location,
            kind: carrier.kind,
            width: carrier.width,
            class: routing.classes.get(location).copied(),
            blend_source: None,
            is_alpha_one: false,
        };
        producer.outputs.push(slot);
        consumer.inputs.push(slot);
    }
    let indices: BTreeMap<u32, usize> =
        producer.outputs.iter().enumerate().map(|(idx, slot)| (slot.location, idx)).collect();
    for (matched, routes) in pair.matching.pairs.iter().zip(&routing.routes) {
        let (output, input) =
            (&pair.producer.outputs[matched.output], &pair.consumer.inputs[matched.input]);
        let sent = leaves(output, routes, &producer.outputs, &indices);
        producer.output_wires.extend(sent.iter().flat_map(|leaf| leaf.wires(Side::Producer)));
        for leaf in leaves(input, routes, &consumer.inputs, &indices) {
            consumer.constants.extend(leaf.constants());
            consumer.input_wires.extend(leaf.wires(Side::Consumer));
        }
    }
}

/// Adds loads of the producer's uniforms to the consumer.
pub(crate) fn connect_uniforms(
    pair: PairOfStages<'_>,
    routing: &Routing,
    buffers: &mut [UniformBuffer],
    consumer: &mut Shell,
) {
    for (matched, routes) in pair.matching.pairs.iter().zip(&routing.routes) {
        let input = &pair.consumer.inputs[matched.input];
        for leaf in leaves(input, routes, &[], &BTreeMap::new()) {
            for (component, route) in (0..).zip(leaf.routes) {
                let Route::Uniform(known) = route else { continue };
                let uniform = &pair.producer.uniforms[known.uniform];
                let Some((buffer, word)) = word_of(uniform, known.scalar, buffers) else {
                    continue;
                };
                buffers[buffer].stages.fragment = true;
                let wire = UniformWire {
                    place: leaf.component(component),
                    scalar: leaf.scalar,
                    words: vec![word],
                };
                add_uniform(&mut consumer.uniforms, &buffers[buffer], wire);
            }
        }
    }
}

fn add_uniform(uniforms: &mut Vec<UniformWires>, buffer: &UniformBuffer, wire: UniformWire) {
    let known = uniforms.iter_mut().find(|known| known.at == buffer.at);
    if let Some(known) = known {
        known.wires.push(wire);
    } else {
        let (at, vectors) = (buffer.at, buffer.size / 16);
        uniforms.push(UniformWires { at, vectors, wires: vec![wire] });
    }
}

/// The end of a wire: producer or consumer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Producer,
    Consumer,
}

/// A leaf of a varying (a scalar or vector), with the routes of the words of its scalars.
struct RoutedLeaf<'a> {
    place: Place,
    scalar: ir::interface::ScalarKind,
    routes: &'a [Route],
    /// True if further scalars without routes follow.
    is_part: bool,
    slots: &'a [Slot],
    /// For every location, the index in the list of slots.
    indices: &'a BTreeMap<u32, usize>,
}

fn leaves<'a>(
    variable: &Variable,
    routes: &'a [Route],
    slots: &'a [Slot],
    indices: &'a BTreeMap<u32, usize>,
) -> Vec<RoutedLeaf<'a>> {
    let Some(place) = &variable.place else { return Vec::new() };
    let mut rest = routes;
    let leaf = |leaf: ir::interface::Leaf| {
        let mut path = place.path.clone();
        path.extend(&leaf.path);
        // In Vulkan an output may have more components than its input. Only those of the input have routes.
        let (own, behind) = rest.split_at(leaf.words().min(rest.len()));
        rest = behind;
        RoutedLeaf {
            place: Place { global: place.global, path },
            scalar: leaf.scalar,
            routes: own,
            is_part: own.len() < leaf.words(),
            slots,
            indices,
        }
    };
    variable.ty.leaves().into_iter().map(leaf).collect()
}

impl RoutedLeaf<'_> {
    /// The wires of the leaf: one wire for all scalars if they are passed in the same way, else one for each scalar
    /// that is in a slot. A duplicate is received but not sent.
    fn wires(&self, side: Side) -> Vec<Wire> {
        let ends: Vec<Option<SlotComponent>> =
            self.routes.iter().map(|route| self.end(*route, side)).collect();
        let plain: Option<Vec<(usize, u8)>> = ends
            .iter()
            .map(|end| end.filter(|end| !end.is_over_w).map(|end| (end.slot, end.component)))
            .collect();
        let plain = plain.filter(|_| !self.is_part);
        let kind = |slot: usize| self.slots[slot].kind;
        match plain.filter(|plain| plain.iter().all(|(slot, _)| kind(*slot) == kind(plain[0].0))) {
            Some(components) if components.is_empty() => Vec::new(),
            Some(components) => vec![self.wire(self.place.clone(), components, false)],
            None => (0..)
                .zip(ends.chunks(self.scalar.components() as usize))
                .filter_map(|(component, ends)| {
                    let is_over_w = ends.first().copied()??.is_over_w;
                    let ends = ends.iter().map(|end| end.map(|end| (end.slot, end.component)));
                    Some((component, ends.collect::<Option<Vec<_>>>()?, is_over_w))
                })
                .map(|(component, components, is_over_w)| {
                    self.wire(self.component(component), components, is_over_w)
                })
                .collect(),
        }
    }

    /// The scalars that are constants in the consumer.
    fn constants(&self) -> Vec<Constant> {
        let constant = |(component, route): (u32, &Route)| match route {
            Route::Constant(bits) => Some(Constant {
                place: self.component(component),
                scalar: self.scalar,
                bits: *bits,
            }),
            Route::Slot { .. } | Route::Uniform(_) | Route::Dead => None,
        };
        (0..).zip(self.routes).filter_map(constant).collect()
    }

    fn wire(&self, place: Place, components: Vec<(usize, u8)>, is_over_w: bool) -> Wire {
        Wire { place, scalar: self.scalar, components, is_over_w }
    }

    /// The place of component `idx` of the vector, or of the scalar itself.
    fn component(&self, idx: u32) -> Place {
        let mut place = self.place.clone();
        if self.is_part || self.routes.len() > self.scalar.components() as usize {
            place.path.push(idx);
        }
        place
    }

    fn end(&self, route: Route, side: Side) -> Option<SlotComponent> {
        let Route::Slot { at, is_over_w, is_duplicate, .. } = route else { return None };
        if is_duplicate && side == Side::Producer {
            return None;
        }
        let slot = *self.indices.get(&at.slot)?;
        Some(SlotComponent { slot, component: at.component, is_over_w })
    }
}

/// A component of a slot in the shell's list.
#[derive(Clone, Copy)]
struct SlotComponent {
    slot: usize,
    component: u8,
    is_over_w: bool,
}
