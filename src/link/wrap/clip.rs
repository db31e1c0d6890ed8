//! Builds the clip distances that a vertex stage's epilog writes.

use naga::{
    ArraySize, BinaryOperator, BuiltIn, Expression, Handle, MathFunction, Module, TypeInner,
};

use crate::table::shell::{ClipDistances, ClipSource};
use ir::builder::FunctionBuilder;
use ir::interface::{Place, ScalarKind};
use ir::stage_module::{Direction, StageModule};

use super::builtins;

/// Builds the array of clip distances. Returns its type and value.
pub(super) fn build(
    builder: &mut FunctionBuilder<&mut Module>,
    stage: &StageModule,
    clip: &ClipDistances,
) -> Option<(Handle<naga::Type>, Handle<Expression>)> {
    let size = ArraySize::Constant(std::num::NonZeroU32::new(clip.count)?);
    let base = builder.scalar_type(ScalarKind::F32);
    let ty = builder.insert_type(TypeInner::Array { base, size, stride: 4 });
    let components = gated_distances(builder, stage, clip);
    let value = builder.compose(ty, components);
    Some((ty, value))
}

/// The distance from every enabled plane, and 1 for every disabled plane.
pub(crate) fn gated_distances(
    builder: &mut FunctionBuilder<&mut Module>,
    stage: &StageModule,
    clip: &ClipDistances,
) -> Vec<Handle<Expression>> {
    let distances = distances(builder, stage, clip);
    let enables = clip.enables.as_ref().map(|place| builder.read(place));
    let gate = |(plane, distance)| match enables {
        Some(enables) => gated(builder, distance, enables, plane),
        None => distance,
    };
    (0..clip.count).zip(distances).map(gate).collect()
}

/// The distance from every plane, enabled or not.
fn distances(
    builder: &mut FunctionBuilder<&mut Module>,
    stage: &StageModule,
    clip: &ClipDistances,
) -> Vec<Handle<Expression>> {
    match &clip.source {
        ClipSource::Written { global, length } => (0..clip.count)
            .map(|plane| {
                if plane >= *length {
                    return builder.number(1, ScalarKind::F32);
                }
                let pointer = builder.pointer_into(*global, &[plane]);
                builder.load(pointer)
            })
            .collect(),
        ClipSource::Planes { planes, point } => {
            let point = match point {
                Some(place) => builder.read(place),
                None => position(builder, stage),
            };
            (0..clip.count).map(|plane| dot(builder, planes, plane, point)).collect()
        }
    }
}

/// Loads `gl_Position` as the user's code left it.
fn position(builder: &mut FunctionBuilder<&mut Module>, stage: &StageModule) -> Handle<Expression> {
    let written = builtins(stage, Direction::Output)
        .find(|builtin| matches!(builtin.builtin, BuiltIn::Position { .. }));
    let ty = builder.vector_type(4, ScalarKind::F32);
    let Some(written) = written else { return builder.emit(Expression::ZeroValue(ty)) };
    let pointer = builder.pointer_into(written.global, &[]);
    builder.load(pointer)
}

fn dot(
    builder: &mut FunctionBuilder<&mut Module>,
    planes: &Place,
    plane: u32,
    point: Handle<Expression>,
) -> Handle<Expression> {
    let mut place = planes.clone();
    place.path.push(plane);
    let plane = builder.read(&place);
    builder.math(MathFunction::Dot, &[plane, point])
}

/// Selects `distance` if bit `plane` of `enables` is set, else 1.
fn gated(
    builder: &mut FunctionBuilder<&mut Module>,
    distance: Handle<Expression>,
    enables: Handle<Expression>,
    plane: u32,
) -> Handle<Expression> {
    let bit = builder.uint(1_u32 << plane);
    let masked = builder.binary(BinaryOperator::And, enables, bit);
    let zero = builder.number(0, ScalarKind::U32);
    let condition = builder.binary(BinaryOperator::NotEqual, masked, zero);
    let reject = builder.number(1, ScalarKind::F32);
    builder.select(condition, distance, reject)
}
