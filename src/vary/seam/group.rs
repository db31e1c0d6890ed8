//! Merges variables in pairs: two vectors into one, or any two into an array or a structure.

use std::num::NonZeroU32;

use naga::proc::Layouter;
use naga::{ArraySize, Handle, Module, StructMember, Type, TypeInner};

use ir::builder::{FunctionBuilder, add_private};
use ir::interface::{self, Member, Place, StructType, Variable};

use crate::random::Random;

use super::pair::{Code, Pair, Seam, components, like, type_at};

/// Merges some pairs of variables with equal qualifiers.
pub(super) fn change(seam: &mut Seam, random: &mut Random) {
    let mut pairs = seam.pairs();
    random.shuffle(&mut pairs);
    seam.with_code(|code| {
        while let Some(first) = pairs.pop() {
            let Some(at) = pairs.iter().position(|second| are_alike(&first, second)) else {
                continue;
            };
            let form = Form::of(first.ty(), pairs[at].ty(), random);
            let count = form.ty(first.ty(), pairs[at].ty()).location_count(0);
            let location = match first.output.location {
                None => None,
                // A variable alone in a program without a free location stays.
                Some(_) => match code.free_location(count) {
                    None => continue,
                    free => free,
                },
            };
            if random.alters() {
                merge(code, [&first, &pairs.remove(at)], form, location);
            }
        }
    });
}

/// True if one variable with the qualifiers of the first may hold both.
fn are_alike(first: &Pair, second: &Pair) -> bool {
    let qualifiers = |of: &Variable| {
        (of.interpolation, of.sampling, of.is_either, of.is_invariant, of.location.is_some())
    };
    qualifiers(&first.output) == qualifiers(&second.output)
        && qualifiers(&first.input) == qualifiers(&second.input)
}

/// Type of a variable that holds two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Vector,
    Array,
    Struct,
}

impl Form {
    /// A form that can hold values of these types.
    fn of(first: &interface::Type, second: &interface::Type, random: &mut Random) -> Self {
        let parts = [first, second].map(plain);
        let fits = matches!(parts, [Some((own, kind)), Some((other, same))] if own + other <= 4 && kind == same);
        match random.below(3) {
            0 | 1 if fits => Self::Vector,
            1 | 2 if first == second => Self::Array,
            _ => Self::Struct,
        }
    }

    /// The type of a variable of this form.
    fn ty(self, first: &interface::Type, second: &interface::Type) -> interface::Type {
        match (self, plain(first), plain(second)) {
            (Self::Vector, Some((own, scalar)), Some((other, _))) => {
                interface::Type::scalar_or_vector(own + other, scalar)
            }
            (Self::Array, ..) => first.clone().array(2),
            (Self::Vector | Self::Struct, ..) => {
                let member = |name: &str, ty: &interface::Type| Member {
                    name: name.to_owned(),
                    ty: ty.clone(),
                };
                let members = vec![member("a", first), member("b", second)];
                interface::Type::Struct(StructType { name: "merged".to_owned(), members })
            }
        }
    }
}

/// Components of a 32-bit scalar or vector.
fn plain(ty: &interface::Type) -> Option<(u8, interface::ScalarKind)> {
    let found = match ty {
        interface::Type::Scalar(scalar) => (1, *scalar),
        interface::Type::Vector { size, scalar } => (*size, *scalar),
        interface::Type::Matrix { .. }
        | interface::Type::Array { .. }
        | interface::Type::Struct(_) => {
            return None;
        }
    };
    (found.1.components() == 1).then_some(found)
}

/// Passes one variable instead of two.
fn merge(code: &mut Code<'_>, pairs: [&Pair; 2], form: Form, location: Option<u32>) -> Option<()> {
    let ty = form.ty(pairs[0].ty(), pairs[1].ty());
    let sent = pairs.map(|pair| &pair.output);
    let received = pairs.map(|pair| &pair.input);
    let (output, whole) = place_for(&mut code.producer, sent, form)?;
    let values: Vec<_> =
        sent.iter().filter_map(|one| Some(code.producer.read(one.place.as_ref()?))).collect();
    let value = code.producer.compose(whole, values);
    let pointer = code.producer.pointer(&output);
    code.producer.store(pointer, value);

    let (input, _) = place_for(&mut code.consumer, received, form)?;
    let whole = code.consumer.read(&input);
    let mut start = 0_u32;
    for (index, variable) in (0..).zip(received) {
        let part = match (form, plain(&variable.ty)) {
            (Form::Vector, Some((size, _))) => {
                let first = start;
                start += u32::from(size);
                components(&mut code.consumer, whole, first..start)
            }
            (Form::Vector | Form::Array | Form::Struct, _) => code.consumer.part(whole, index),
        };
        let pointer = code.consumer.pointer(variable.place.as_ref()?);
        code.consumer.store(pointer, part);
    }
    let name = format!("{}&{}", pairs[0].output.name, pairs[1].output.name);
    let own = |of: &Variable, place| Variable {
        location,
        component: None,
        ..like(of, &name, &ty, place)
    };
    let merged = Pair { output: own(sent[0], output), input: own(received[0], input) };
    code.replace(&pairs, [merged]);
    Some(())
}

/// A new private variable for the values of two, and its type.
fn place_for(
    code: &mut FunctionBuilder<&mut Module>,
    variables: [&Variable; 2],
    form: Form,
) -> Option<(Place, Handle<Type>)> {
    let types = [
        type_at(code.module, variables[0].place.as_ref()?)?,
        type_at(code.module, variables[1].place.as_ref()?)?,
    ];
    let ty = match form.ty(&variables[0].ty, &variables[1].ty) {
        interface::Type::Vector { size, scalar } => code.vector_type(usize::from(size), scalar),
        interface::Type::Array { .. } => array(code.module, types[0])?,
        interface::Type::Scalar(_)
        | interface::Type::Matrix { .. }
        | interface::Type::Struct(_) => structure(code.module, types)?,
    };
    Some((Place::whole(add_private(code.module, None, ty)), ty))
}

/// The type of two elements.
fn array(module: &mut Module, base: Handle<Type>) -> Option<Handle<Type>> {
    let mut layouter = Layouter::default();
    layouter.update(module.to_ctx()).ok()?;
    let stride = layouter[base].to_stride();
    let size = ArraySize::Constant(NonZeroU32::new(2)?);
    Some(ir::builder::insert_type(module, TypeInner::Array { base, size, stride }))
}

/// The type of a structure with two members.
fn structure(module: &mut Module, types: [Handle<Type>; 2]) -> Option<Handle<Type>> {
    let mut layouter = Layouter::default();
    layouter.update(module.to_ctx()).ok()?;
    let [first, second] = types.map(|ty| layouter[ty]);
    let offset = second.alignment.round_up(first.size);
    let span = first.alignment.max(second.alignment).round_up(offset + second.size);
    let member = |name: &str, ty, offset| StructMember {
        name: Some(name.to_owned()),
        ty,
        binding: None,
        offset,
    };
    let members = vec![member("a", types[0], 0), member("b", types[1], offset)];
    Some(ir::builder::insert_type(module, TypeInner::Struct { members, span }))
}
