//! From matched pairs to slots, and from slots to the shells of both stages.

use crate::diagnostic::Diagnostic;
use crate::frontend::StageModule;
use crate::frontend::stage_module::Direction;
use crate::link::interface::{Interpolation, Place, ScalarKind, Type, Variable};
use crate::link::map::LinkMap;
use crate::link::match_up::{Matched, Pair};
use crate::link::pack::{PackError, PackItem, PackingClass, Position, SlotMap, pack};
use crate::link::shell::{ClipDistances, Shell, Slot, Wire};
use crate::link::{LinkError, LinkOptions, legacy};
use crate::source::Span;

/// Packs the matched varyings and checks that they fit the adapter. The consumer's qualifiers count.
pub fn place(
    vertex: &StageModule,
    fragment: &StageModule,
    matched: &Matched,
    clip: Option<&ClipDistances>,
    options: &LinkOptions,
) -> Result<SlotMap, LinkError> {
    let inputs: Vec<&Variable> =
        matched.pairs.iter().map(|pair| &fragment.inputs[pair.input]).collect();
    if let Some(wide) = inputs.iter().find(|input| has_64_bit(&input.ty)) {
        return Err(LinkError::Unsupported {
            word: wide.ty.to_string(),
            span: wide.span.unwrap_or_default(),
        });
    }
    let items: Vec<PackItem> =
        matched.pairs.iter().map(|pair| item(vertex, fragment, *pair, options)).collect();
    let packed = pack(&items, options.pack).map_err(|error| refused(&inputs, &error))?;
    check_limit(fragment, &inputs, &packed, clip, options)?;
    Ok(packed)
}

/// Adds the slots to both shells, and for every pair the wires from the producer's to the consumer's variable.
pub fn connect(
    vertex: &StageModule,
    fragment: &StageModule,
    matched: &Matched,
    packed: &SlotMap,
    (producer, consumer): (&mut Shell, &mut Shell),
) {
    for (location, class) in (0..).zip(&packed.classes) {
        let Some(class) = *class else { continue };
        let kind = if class.interpolation == Interpolation::Flat {
            ScalarKind::U32
        } else {
            ScalarKind::F32
        };
        let slot =
            Slot { location, kind, class: Some(class), blend_source: None, is_alpha_one: false };
        producer.outputs.push(slot);
        consumer.inputs.push(slot);
    }
    for (pair, positions) in matched.pairs.iter().zip(&packed.items) {
        producer.output_wires.extend(wires(
            &vertex.outputs[pair.output],
            positions,
            &producer.outputs,
        ));
        consumer.input_wires.extend(wires(
            &fragment.inputs[pair.input],
            positions,
            &consumer.inputs,
        ));
    }
}

fn item(
    vertex: &StageModule,
    fragment: &StageModule,
    pair: Pair,
    options: &LinkOptions,
) -> PackItem {
    let (output, input) = (&vertex.outputs[pair.output], &fragment.inputs[pair.input]);
    let component = input.component.unwrap_or(0).min(3) as u8;
    PackItem {
        ty: input.ty.clone(),
        class: PackingClass::of(&input.ty, legacy::interpolation(input, options), input.sampling),
        explicit: output.location.map(|slot| Position { slot, component }),
    }
}

fn has_64_bit(ty: &Type) -> bool {
    match ty {
        Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => {
            scalar.components() == 2
        }
        Type::Array { element, .. } => has_64_bit(element),
        Type::Struct(ty) => ty.members.iter().any(|member| has_64_bit(&member.ty)),
    }
}

/// One wire per leaf, taking its positions in order.
fn wires(variable: &Variable, positions: &[Position], slots: &[Slot]) -> Vec<Wire> {
    let Some(place) = &variable.place else { return Vec::new() };
    let slot_index = |at: &Position| slots.iter().position(|slot| slot.location == at.slot);
    let mut positions = positions.iter();
    let wire = |leaf: crate::link::interface::Leaf| {
        let mut path = place.path.clone();
        path.extend(&leaf.path);
        let own = positions.by_ref().take(usize::from(leaf.size));
        let components = own.filter_map(|at| Some((slot_index(at)?, at.component))).collect();
        Wire { place: Place { global: place.global, path }, scalar: leaf.scalar, components }
    };
    variable.ty.leaves().into_iter().map(wire).collect()
}

/// Slots, points, clip distances and some built-ins share the adapter's budget of inter-stage variables.
fn check_limit(
    fragment: &StageModule,
    inputs: &[&Variable],
    packed: &SlotMap,
    clip: Option<&ClipDistances>,
    options: &LinkOptions,
) -> Result<(), LinkError> {
    let builtins = fragment.builtins.iter().filter(|builtin| {
        builtin.direction == Direction::Input && takes_a_variable(builtin.builtin)
    });
    let taken = builtins.count() + usize::from(options.has_points);
    // Every four clip distances take a location from the end.
    let clip_vectors = clip.map_or(0, |clip| clip.count.div_ceil(4));
    let available = options.max_inter_stage_variables.saturating_sub(clip_vectors) as usize;
    let limit = available.saturating_sub(taken);
    let used = packed.used_slots();
    if used <= limit && packed.classes.len() <= available {
        return Ok(());
    }
    let map = LinkMap::new(inputs, packed);
    let span = inputs.last().and_then(|input| input.span).unwrap_or_default();
    let last = packed.classes.len().saturating_sub(1);
    let message = if used > limit {
        format!("the varyings take {used} slots but there are {limit}")
    } else {
        format!(
            "a varying is at location {last} but the last one is {}",
            available.saturating_sub(1)
        )
    };
    Err(LinkError::Refused(vec![
        Diagnostic::error(span, message).with_help(map.slot_lines().join("\n")),
    ]))
}

/// WebGPU counts these fragment inputs as inter-stage variables.
const fn takes_a_variable(builtin: naga::BuiltIn) -> bool {
    matches!(
        builtin,
        naga::BuiltIn::FrontFacing
            | naga::BuiltIn::SampleIndex
            | naga::BuiltIn::SampleMask
            | naga::BuiltIn::PrimitiveIndex
    )
}

fn refused(inputs: &[&Variable], error: &PackError) -> LinkError {
    let name = |idx: usize| inputs.get(idx).map_or("", |input| input.name.as_str());
    let (idx, message) = match error {
        PackError::TooLarge { item } => {
            (*item, format!("`{}` does not fit any adapter", name(*item)))
        }
        PackError::Overlap { first, second, at } => {
            (*second, format!("`{}` and `{}` overlap at {at}", name(*first), name(*second)))
        }
        PackError::MixedSlot { first, second, slot } => (
            *second,
            format!(
                "`{}` and `{}` share location {slot} but differ in interpolation or sampling",
                name(*first),
                name(*second)
            ),
        ),
    };
    let span = inputs.get(idx).and_then(|input| input.span).unwrap_or(Span::default());
    LinkError::Refused(vec![Diagnostic::error(span, message)])
}
