//! Builds the shell around a vertex stage whose points are drawn as quads.
//!
//! A corner is size / 2 pixels from the centre. In clip space this is w · (2 / width) · (size / 2) = w · size / width,
//! with the width of the render target in pixels and w of the centre.

use naga::{
    BinaryOperator, BuiltIn, Expression, Handle, Literal, MathFunction, Module,
    ScalarKind as NagaKind, UnaryOperator,
};

use crate::table::shell::{PointExpansion, ReplacedVarying};
use ir::builder::FunctionBuilder;
use ir::interface::ScalarKind;
use ir::stage_module::{Direction, StageModule};

use super::builtins;

/// Replaces the vertex index of the corner by that of the point for the user's code. Returns the number of the corner.
pub(super) fn enter(
    builder: &mut FunctionBuilder<&mut Module>,
    stage: &StageModule,
    points: &PointExpansion,
    index: Handle<Expression>,
) -> Handle<Expression> {
    let bits = corner_bits(builder, points);
    let own = builder.binary(BinaryOperator::ShiftRight, index, bits);
    for builtin in builtins(stage, Direction::Input) {
        if builtin.builtin == BuiltIn::VertexIndex {
            let pointer = builder.pointer_into(builtin.global, &[]);
            builder.store(pointer, own);
        }
    }
    let corners = builder.binary(BinaryOperator::ShiftLeft, own, bits);
    builder.binary(BinaryOperator::Subtract, index, corners)
}

/// The position of the corner, computed from that of the centre. Both are in wgpu's clip space, in which y points down
/// here. Also fills the coordinate.
pub(super) fn leave(
    builder: &mut FunctionBuilder<&mut Module>,
    points: &PointExpansion,
    corner: Handle<Expression>,
    centre: Handle<Expression>,
) -> Handle<Expression> {
    let bits = corner_bits(builder, points);
    let zero = builder.number(0, ScalarKind::U32);
    let is_point = builder.binary(BinaryOperator::NotEqual, bits, zero);
    let one = builder.number(1, ScalarKind::U32);
    let right = builder.binary(BinaryOperator::And, corner, one);
    let right = to_float(builder, right);
    let top = builder.binary(BinaryOperator::ShiftRight, corner, one);
    let top = to_float(builder, top);
    fill_coordinate(builder, points, is_point, [right, top]);
    replace_varyings(builder, points, is_point, [right, top]);
    let displaced = displaced(builder, points, [right, top], centre);
    let is_inside = is_inside(builder, centre);
    let outside = outside(builder);
    let accept = builder.select(is_inside, displaced, outside);
    builder.select(is_point, accept, centre)
}

/// The number of bits of the index that select the corner.
fn corner_bits(
    builder: &mut FunctionBuilder<&mut Module>,
    points: &PointExpansion,
) -> Handle<Expression> {
    let bits = state(builder, points, 3);
    let (kind, convert) = (NagaKind::Uint, Some(4));
    builder.emit(Expression::As { expr: bits, kind, convert })
}

fn state(
    builder: &mut FunctionBuilder<&mut Module>,
    points: &PointExpansion,
    component: u32,
) -> Handle<Expression> {
    let mut place = points.state.clone();
    place.path.push(component);
    builder.read(&place)
}

/// Fills the point coordinate, which increases from left to right and from top to bottom; 0 for other primitives.
fn fill_coordinate(
    builder: &mut FunctionBuilder<&mut Module>,
    points: &PointExpansion,
    is_point: Handle<Expression>,
    [right, top]: [Handle<Expression>; 2],
) {
    let Some(place) = &points.coordinate else { return };
    let one = builder.number(1, ScalarKind::F32);
    let down = builder.binary(BinaryOperator::Subtract, one, top);
    let ty = builder.vector_type(2, ScalarKind::F32);
    let coordinate = builder.compose(ty, vec![right, down]);
    let zero = builder.emit(Expression::ZeroValue(ty));
    let value = builder.select(is_point, coordinate, zero);
    let pointer = builder.pointer(place);
    builder.store(pointer, value);
}

/// Sets the replaced varyings to (s, t, 0, 1) in points.
fn replace_varyings(
    builder: &mut FunctionBuilder<&mut Module>,
    points: &PointExpansion,
    is_point: Handle<Expression>,
    [right, top]: [Handle<Expression>; 2],
) {
    if points.replaced.is_empty() {
        return;
    }
    let zero = builder.number(0, ScalarKind::F32);
    let one = builder.number(1, ScalarKind::F32);
    let down = builder.binary(BinaryOperator::Subtract, one, top);
    let all = [right, if points.is_lower_left { top } else { down }, zero, one];
    for ReplacedVarying { place, start, size } in &points.replaced {
        let components = all.iter().skip(usize::from(*start)).take(usize::from(*size));
        for (index, value) in (0..).zip(components) {
            let mut own = place.clone();
            if *size > 1 {
                own.path.push(index);
            }
            let pointer = builder.pointer(&own);
            let written = builder.load(pointer);
            let value = builder.select(is_point, *value, written);
            builder.store(pointer, value);
        }
    }
}

fn displaced(
    builder: &mut FunctionBuilder<&mut Module>,
    points: &PointExpansion,
    [right, top]: [Handle<Expression>; 2],
    centre: Handle<Expression>,
) -> Handle<Expression> {
    let size = size(builder, points);
    let [x, y, z, w] = [0, 1, 2, 3].map(|index| builder.part(centre, index));
    let reach = builder.binary(BinaryOperator::Multiply, size, w);
    let [across, up] = [(0, right), (1, top)].map(|(axis, side)| {
        let inverse = state(builder, points, axis);
        let distance = builder.binary(BinaryOperator::Multiply, reach, inverse);
        let sign = signed(builder, side);
        builder.binary(BinaryOperator::Multiply, distance, sign)
    });
    let x = builder.binary(BinaryOperator::Add, x, across);
    let y = builder.binary(BinaryOperator::Subtract, y, up);
    let ty = builder.vector_type(4, ScalarKind::F32);
    builder.compose(ty, vec![x, y, z, w])
}

/// The point size in pixels, clamped from 1 to the maximum.
fn size(builder: &mut FunctionBuilder<&mut Module>, points: &PointExpansion) -> Handle<Expression> {
    let least = builder.number(1, ScalarKind::F32);
    let Some(global) = points.size else { return least };
    let pointer = builder.pointer_into(global, &[]);
    let written = builder.load(pointer);
    let most = state(builder, points, 2);
    builder.math(MathFunction::Clamp, &[written, least, most])
}

/// Maps 0 to −1 and 1 to 1.
fn signed(
    builder: &mut FunctionBuilder<&mut Module>,
    side: Handle<Expression>,
) -> Handle<Expression> {
    let one = builder.number(1, ScalarKind::F32);
    let twice = builder.binary(BinaryOperator::Add, side, side);
    builder.binary(BinaryOperator::Subtract, twice, one)
}

/// Tests whether the centre is in the clip volume: −w ≤ x, y ≤ w and 0 ≤ z ≤ w. False for NaN.
fn is_inside(
    builder: &mut FunctionBuilder<&mut Module>,
    centre: Handle<Expression>,
) -> Handle<Expression> {
    let [x, y, z, w] = [0, 1, 2, 3].map(|index| builder.part(centre, index));
    let least = builder.emit(Expression::Unary { op: UnaryOperator::Negate, expr: w });
    let zero = builder.number(0, ScalarKind::F32);
    let positive = builder.binary(BinaryOperator::Greater, w, zero);
    let mut all = positive;
    for (axis, least) in [(x, least), (y, least), (z, zero)] {
        for (low, high) in [(least, axis), (axis, w)] {
            let is_ordered = builder.binary(BinaryOperator::LessEqual, low, high);
            all = builder.binary(BinaryOperator::LogicalAnd, all, is_ordered);
        }
    }
    all
}

/// A position outside the clip volume.
fn outside(builder: &mut FunctionBuilder<&mut Module>) -> Handle<Expression> {
    let ty = builder.vector_type(4, ScalarKind::F32);
    let two = builder.literal(Literal::F32(2.0));
    let one = builder.number(1, ScalarKind::F32);
    builder.compose(ty, vec![two, two, two, one])
}

fn to_float(
    builder: &mut FunctionBuilder<&mut Module>,
    word: Handle<Expression>,
) -> Handle<Expression> {
    builder.emit(Expression::As { expr: word, kind: NagaKind::Float, convert: Some(4) })
}
