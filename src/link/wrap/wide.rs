//! Converts 64-bit scalars and vectors to words and back.
//!
//! The low word comes first. In a stage, a 64-bit value has naga's 64-bit type. If the adapter has no 64-bit types, a
//! scalar is a `vec2<u32>` and a vector is an array of these (see [`crate::lower::words`]).

use naga::{BinaryOperator, Expression, Handle, Module, ScalarKind as NagaKind, TypeInner};

use ir::builder::FunctionBuilder;
use ir::interface::{Place, ScalarKind};

/// Stores a 64-bit scalar or vector of `kind`, whose words are given.
pub(super) fn store(
    builder: &mut FunctionBuilder<&mut Module>,
    place: &Place,
    kind: ScalarKind,
    words: &[Handle<Expression>],
) {
    let ty = type_at(builder, place);
    let is_native = is_native(builder.module, ty);
    let mut scalars: Vec<_> = words
        .chunks(2)
        .map(|pair| if is_native { join(builder, kind, pair) } else { pair_of(builder, pair) })
        .collect();
    let value = if scalars.len() == 1 { scalars.remove(0) } else { builder.compose(ty, scalars) };
    let pointer = builder.pointer(place);
    builder.store(pointer, value);
}

/// Reads a 64-bit scalar or vector as words, two for each of its `size` scalars.
pub(super) fn load(
    builder: &mut FunctionBuilder<&mut Module>,
    place: &Place,
    kind: ScalarKind,
    size: usize,
) -> Vec<Handle<Expression>> {
    let ty = type_at(builder, place);
    let is_native = is_native(builder.module, ty);
    let whole = builder.read(place);
    let mut words = Vec::new();
    for idx in (0..).take(size) {
        let scalar = if size == 1 { whole } else { builder.part(whole, idx) };
        if is_native {
            words.extend(split(builder, kind, scalar));
        } else {
            words.extend([0, 1].map(|half| builder.part(scalar, half)));
        }
    }
    words
}

/// The type of a place.
fn type_at(builder: &mut FunctionBuilder<&mut Module>, place: &Place) -> Handle<naga::Type> {
    let mut ty = builder.module.global_variables[place.global].ty;
    for index in &place.path {
        ty = match builder.module.types[ty].inner {
            TypeInner::Struct { ref members, .. } => members[*index as usize].ty,
            TypeInner::Array { base, .. } => base,
            TypeInner::Matrix { rows: size, scalar, .. } => {
                builder.insert_type(TypeInner::Vector { size, scalar })
            }
            TypeInner::Vector { scalar, .. } => builder.insert_type(TypeInner::Scalar(scalar)),
            // Other types have no parts.
            TypeInner::Scalar(_)
            | TypeInner::CooperativeMatrix { .. }
            | TypeInner::Atomic(_)
            | TypeInner::Pointer { .. }
            | TypeInner::ValuePointer { .. }
            | TypeInner::Image { .. }
            | TypeInner::Sampler { .. }
            | TypeInner::AccelerationStructure { .. }
            | TypeInner::RayQuery { .. }
            | TypeInner::BindingArray { .. } => ty,
        };
    }
    ty
}

/// True for naga's own 64-bit types.
fn is_native(module: &Module, ty: Handle<naga::Type>) -> bool {
    module.types[ty].inner.scalar_width() == Some(8)
}

fn join(
    builder: &mut FunctionBuilder<&mut Module>,
    kind: ScalarKind,
    pair: &[Handle<Expression>],
) -> Handle<Expression> {
    let wide = |expr| Expression::As { expr, kind: NagaKind::Uint, convert: Some(8) };
    let [low, high] = [pair[0], pair[1]].map(|word| builder.emit(wide(word)));
    let by = builder.uint(32);
    let high = builder.binary(BinaryOperator::ShiftLeft, high, by);
    let bits = builder.binary(BinaryOperator::InclusiveOr, high, low);
    builder.bitcast(bits, ScalarKind::U64, kind)
}

fn split(
    builder: &mut FunctionBuilder<&mut Module>,
    kind: ScalarKind,
    scalar: Handle<Expression>,
) -> [Handle<Expression>; 2] {
    let bits = builder.bitcast(scalar, kind, ScalarKind::U64);
    let by = builder.uint(32);
    let high = builder.binary(BinaryOperator::ShiftRight, bits, by);
    let narrow = |expr| Expression::As { expr, kind: NagaKind::Uint, convert: Some(4) };
    [bits, high].map(|half| builder.emit(narrow(half)))
}

fn pair_of(
    builder: &mut FunctionBuilder<&mut Module>,
    pair: &[Handle<Expression>],
) -> Handle<Expression> {
    let ty = builder.vector_type(2, ScalarKind::U32);
    builder.compose(ty, pair.to_vec())
}
