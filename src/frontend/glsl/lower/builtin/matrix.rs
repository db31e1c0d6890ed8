//! Matrix functions (GLSL 4.60 section 8.6).
//!
//! The inverse is spelled out: only some of naga's back ends have one.

use naga::{BinaryOperator, MathFunction as Math};

use super::{Call, Row};
use crate::frontend::glsl::lower::Result;
use crate::frontend::glsl::lower::body::{Body, Value};
use crate::source::Span;

/// The functions of this file.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row::custom("matrixCompMult", "mat2(mat2, mat2)", multiply_components),
    Row::custom("matrixCompMult", "mat3(mat3, mat3)", multiply_components),
    Row::custom("matrixCompMult", "mat4(mat4, mat4)", multiply_components),
    Row::custom("matrixCompMult", "mat2x3(mat2x3, mat2x3)", multiply_components),
    Row::custom("matrixCompMult", "mat2x4(mat2x4, mat2x4)", multiply_components),
    Row::custom("matrixCompMult", "mat3x2(mat3x2, mat3x2)", multiply_components),
    Row::custom("matrixCompMult", "mat3x4(mat3x4, mat3x4)", multiply_components),
    Row::custom("matrixCompMult", "mat4x2(mat4x2, mat4x2)", multiply_components),
    Row::custom("matrixCompMult", "mat4x3(mat4x3, mat4x3)", multiply_components),
    Row::custom("outerProduct", "mat2(vec2, vec2)", outer_product),
    Row::custom("outerProduct", "mat3(vec3, vec3)", outer_product),
    Row::custom("outerProduct", "mat4(vec4, vec4)", outer_product),
    Row::custom("outerProduct", "mat2x3(vec3, vec2)", outer_product),
    Row::custom("outerProduct", "mat3x2(vec2, vec3)", outer_product),
    Row::custom("outerProduct", "mat2x4(vec4, vec2)", outer_product),
    Row::custom("outerProduct", "mat4x2(vec2, vec4)", outer_product),
    Row::custom("outerProduct", "mat3x4(vec4, vec3)", outer_product),
    Row::custom("outerProduct", "mat4x3(vec3, vec4)", outer_product),
    Row::custom("transpose", "mat2(mat2)", transpose),
    Row::custom("transpose", "mat3(mat3)", transpose),
    Row::custom("transpose", "mat4(mat4)", transpose),
    Row::custom("transpose", "mat2x3(mat3x2)", transpose),
    Row::custom("transpose", "mat3x2(mat2x3)", transpose),
    Row::custom("transpose", "mat2x4(mat4x2)", transpose),
    Row::custom("transpose", "mat4x2(mat2x4)", transpose),
    Row::custom("transpose", "mat3x4(mat4x3)", transpose),
    Row::custom("transpose", "mat4x3(mat3x4)", transpose),
    Row::custom("determinant", "float(mat2)", determinant),
    Row::custom("determinant", "float(mat3)", determinant),
    Row::custom("determinant", "float(mat4)", determinant),
    Row::custom("inverse", "mat2(mat2)", inverse),
    Row::custom("inverse", "mat3(mat3)", inverse),
    Row::custom("inverse", "mat4(mat4)", inverse),
];

fn multiply_components(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [x, y] = call.values[..] else { return Ok(None) };
    let (left, right) = (body.parts(x, call.span), body.parts(y, call.span));
    let pairs = left.into_iter().zip(right);
    let columns: Vec<_> =
        pairs.map(|(a, b)| body.plain(BinaryOperator::Multiply, a, b, call.span)).collect();
    Ok(Some(body.compose(call.ty, &columns, call.span)))
}

/// Column `i` is the first vector times component `i` of the second.
fn outer_product(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [column, row] = call.values[..] else { return Ok(None) };
    let factors = body.parts(row, call.span);
    let columns: Vec<_> =
        factors.into_iter().map(|factor| body.scaled(column, factor, call.span)).collect();
    Ok(Some(body.compose(call.ty, &columns, call.span)))
}

fn transpose(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [matrix] = call.values[..] else { return Ok(None) };
    if !body.is_known(matrix) {
        return Ok(Some(body.math(Math::Transpose, &[matrix], call.ty, call.span)));
    }
    let scalars = scalars(body, matrix, call.span);
    let mut columns = Vec::new();
    for idx in 0..body.stage.child_count(call.ty) {
        let row: Vec<_> =
            scalars.iter().filter_map(|column| column.get(idx as usize).copied()).collect();
        let ty = body.stage.child(call.ty, idx);
        columns.push(body.compose(ty, &row, call.span));
    }
    Ok(Some(body.compose(call.ty, &columns, call.span)))
}

fn determinant(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [matrix] = call.values[..] else { return Ok(None) };
    if !body.is_known(matrix) {
        return Ok(Some(body.math(Math::Determinant, &[matrix], call.ty, call.span)));
    }
    let scalars = scalars(body, matrix, call.span);
    let all: Vec<usize> = (0..scalars.len()).collect();
    Ok(minor(body, &scalars, &all, &all, call.span))
}

/// The adjugate divided by the determinant.
fn inverse(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [matrix] = call.values[..] else { return Ok(None) };
    let scalars = scalars(body, matrix, call.span);
    let size = scalars.len();
    let all: Vec<usize> = (0..size).collect();
    let Some(whole) = minor(body, &scalars, &all, &all, call.span) else { return Ok(None) };
    let without = |skipped: usize| (0..size).filter(|idx| *idx != skipped).collect::<Vec<_>>();
    let mut columns = Vec::new();
    for column in 0..size {
        let mut entries = Vec::new();
        for row in 0..size {
            let minor = minor(body, &scalars, &without(row), &without(column), call.span);
            let Some(minor) = minor else { return Ok(None) };
            let is_negative = (row + column) % 2 == 1;
            entries.push(if is_negative { body.negate(minor, call.span) } else { minor });
        }
        let child = u32::try_from(column).unwrap_or(0);
        let ty = body.stage.child(call.ty, child);
        let entries = body.compose(ty, &entries, call.span);
        let size = u8::try_from(size).unwrap_or(4);
        let divisor = body.splat(whole, size, call.span);
        columns.push(body.plain(BinaryOperator::Divide, entries, divisor, call.span));
    }
    Ok(Some(body.compose(call.ty, &columns, call.span)))
}

/// The scalars of a matrix, column by column.
fn scalars(body: &mut Body<'_, '_>, matrix: Value, span: Span) -> Vec<Vec<Value>> {
    let columns = body.parts(matrix, span);
    columns.into_iter().map(|column| body.parts(column, span)).collect()
}

/// The determinant of the part of a matrix in these columns and rows, expanded along the first column.
fn minor(
    body: &mut Body<'_, '_>,
    scalars: &[Vec<Value>],
    columns: &[usize],
    rows: &[usize],
    span: Span,
) -> Option<Value> {
    let (first, rest) = columns.split_first()?;
    let column = scalars.get(*first)?;
    let mut sum: Option<Value> = None;
    for (idx, row) in rows.iter().enumerate() {
        let entry = *column.get(*row)?;
        if rest.is_empty() {
            return Some(entry);
        }
        let others: Vec<usize> = rows.iter().copied().filter(|other| other != row).collect();
        let minor = minor(body, scalars, rest, &others, span)?;
        let term = body.plain(BinaryOperator::Multiply, entry, minor, span);
        let op = if idx % 2 == 0 { BinaryOperator::Add } else { BinaryOperator::Subtract };
        sum = Some(sum.map_or(term, |sum| body.plain(op, sum, term, span)));
    }
    sum
}
