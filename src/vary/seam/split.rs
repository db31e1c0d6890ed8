//! Splits variables: vectors into two, matrices into columns, arrays into elements, and structures into members.

use std::ops::Range;

use naga::{Handle, Module, Type};

use ir::builder::{FunctionBuilder, add_private};
use ir::interface::{self, Place, Variable};

use crate::random::Random;

use super::pair::{Code, Pair, Seam, components, like, part_type, type_at};

/// Most parts of a variable that is split.
const MAX_PARTS: u32 = 8;

/// Splits some variables.
pub(super) fn change(seam: &mut Seam, random: &mut Random) {
    let (pairs, has_components) = (seam.pairs(), seam.has_components());
    seam.with_code(|code| {
        for pair in pairs {
            let pieces = match pair.ty() {
                interface::Type::Vector { .. } => {
                    let shares = has_components && random.coin();
                    halves(code, &pair, random, shares)
                }
                interface::Type::Scalar(_)
                | interface::Type::Matrix { .. }
                | interface::Type::Array { .. }
                | interface::Type::Struct(_) => children(&pair),
            };
            if let Some(pieces) = pieces
                && random.alters()
            {
                split(code, &pair, pieces);
            }
        }
    });
}

/// A part of a variable that becomes a variable of its own.
struct Piece {
    ty: interface::Type,
    /// The components of a vector, or the one member, element or column.
    indices: Range<u32>,
    location: Option<u32>,
    component: Option<u32>,
}

/// Two parts of a vector, which share its location if they may. Otherwise the second has a location that is free.
fn halves(code: &Code<'_>, pair: &Pair, random: &mut Random, shares: bool) -> Option<Vec<Piece>> {
    let interface::Type::Vector { size, scalar } = *pair.ty() else { return None };
    let size = u32::from(size);
    let cut = 1 + random.below(size - 1);
    let Variable { location, component, .. } = pair.output;
    let shared = component.unwrap_or(0) + cut;
    let shares = shares && scalar.components() == 1;
    let (second, inside) = match location {
        None => (None, None),
        Some(_) if shares => (location, Some(shared)),
        Some(_) => (Some(code.free_location(scalar.components())?), None),
    };
    let piece = |indices: Range<u32>, location, component| {
        let length = u8::try_from(indices.len()).unwrap_or(1);
        let ty = interface::Type::scalar_or_vector(length, scalar);
        Piece { ty, indices, location, component }
    };
    Some(vec![piece(0..cut, location, component), piece(cut..size, second, inside)])
}

/// The members, elements or columns of a variable at successive locations.
fn children(pair: &Pair) -> Option<Vec<Piece>> {
    let types = match pair.ty() {
        interface::Type::Matrix { columns, rows, scalar } => {
            vec![interface::Type::scalar_or_vector(*rows, *scalar); usize::from(*columns)]
        }
        interface::Type::Array { element, length } if *length <= MAX_PARTS => {
            vec![(**element).clone(); *length as usize]
        }
        interface::Type::Scalar(_)
        | interface::Type::Vector { .. }
        | interface::Type::Array { .. } => return None,
        interface::Type::Struct(own) => own.members.iter().map(|one| one.ty.clone()).collect(),
    };
    if pair.output.component.unwrap_or(0) > 0 {
        return None;
    }
    let mut next = pair.output.location;
    let piece = |(index, ty): (u32, interface::Type)| {
        let location = next;
        next = next.map(|first| first + ty.location_count(0));
        Piece { ty, indices: index..index + 1, location, component: None }
    };
    Some((0..).zip(types).map(piece).collect())
}

/// Passes the pieces of a variable in its stead.
fn split(code: &mut Code<'_>, pair: &Pair, pieces: Vec<Piece>) -> Option<()> {
    let (from, to) = (pair.output.place.as_ref()?, pair.input.place.as_ref()?);
    let types = [type_at(code.producer.module, from)?, type_at(code.consumer.module, to)?];
    let whole = code.producer.read(from);
    let (mut pairs, mut values) = (Vec::new(), Vec::new());
    for (number, piece) in pieces.into_iter().enumerate() {
        let sent = place_of(&mut code.producer, types[0], &piece)?;
        let received = place_of(&mut code.consumer, types[1], &piece)?;
        let value = components(&mut code.producer, whole, piece.indices.clone());
        let pointer = code.producer.pointer(&sent);
        code.producer.store(pointer, value);
        values.push(code.consumer.read(&received));
        let name = format!("{}/{number}", pair.output.name);
        let own = |of: &Variable, place| Variable {
            location: piece.location,
            component: piece.component,
            ..like(of, &name, &piece.ty, place)
        };
        pairs.push(Pair { output: own(&pair.output, sent), input: own(&pair.input, received) });
    }
    let value = code.consumer.compose(types[1], values);
    let pointer = code.consumer.pointer(to);
    code.consumer.store(pointer, value);
    code.replace(&[pair], pairs);
    Some(())
}

/// A new private variable for a piece of a value of type `whole`.
fn place_of(
    code: &mut FunctionBuilder<&mut Module>,
    whole: Handle<Type>,
    piece: &Piece,
) -> Option<Place> {
    let ty = match piece.ty {
        interface::Type::Vector { size, scalar } if piece.indices.len() > 1 => {
            code.vector_type(usize::from(size), scalar)
        }
        interface::Type::Scalar(_)
        | interface::Type::Vector { .. }
        | interface::Type::Matrix { .. }
        | interface::Type::Array { .. }
        | interface::Type::Struct(_) => part_type(code.module, whole, piece.indices.start)?,
    };
    Some(Place::whole(add_private(code.module, None, ty)))
}
