//! Matrix functions (GLSL 4.60 section 8.6).
//!
//! The inverse is generated as arithmetic: only some of naga's back ends have one.

use naga::{BinaryOperator, MathFunction as Math};

use crate::lower::body::Body;
use crate::lower::operand::Value;
use ir::source::Span;

use super::{Call, Row};

/// The functions of this file.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row::binary("matrixCompMult", "mat2(mat2, mat2)", multiply_components),
    Row::binary("matrixCompMult", "mat3(mat3, mat3)", multiply_components),
    Row::binary("matrixCompMult", "mat4(mat4, mat4)", multiply_components),
    Row::binary("matrixCompMult", "mat2x3(mat2x3, mat2x3)", multiply_components),
    Row::binary("matrixCompMult", "mat2x4(mat2x4, mat2x4)", multiply_components),
    Row::binary("matrixCompMult", "mat3x2(mat3x2, mat3x2)", multiply_components),
    Row::binary("matrixCompMult", "mat3x4(mat3x4, mat3x4)", multiply_components),
    Row::binary("matrixCompMult", "mat4x2(mat4x2, mat4x2)", multiply_components),
    Row::binary("matrixCompMult", "mat4x3(mat4x3, mat4x3)", multiply_components),
    Row::binary("outerProduct", "mat2(vec2, vec2)", outer_product),
    Row::binary("outerProduct", "mat3(vec3, vec3)", outer_product),
    Row::binary("outerProduct", "mat4(vec4, vec4)", outer_product),
    Row::binary("outerProduct", "mat2x3(vec3, vec2)", outer_product),
    Row::binary("outerProduct", "mat3x2(vec2, vec3)", outer_product),
    Row::binary("outerProduct", "mat2x4(vec4, vec2)", outer_product),
    Row::binary("outerProduct", "mat4x2(vec2, vec4)", outer_product),
    Row::binary("outerProduct", "mat3x4(vec4, vec3)", outer_product),
    Row::binary("outerProduct", "mat4x3(vec3, vec4)", outer_product),
    Row::unary("transpose", "mat2(mat2)", transpose),
    Row::unary("transpose", "mat3(mat3)", transpose),
    Row::unary("transpose", "mat4(mat4)", transpose),
    Row::unary("transpose", "mat2x3(mat3x2)", transpose),
    Row::unary("transpose", "mat3x2(mat2x3)", transpose),
    Row::unary("transpose", "mat2x4(mat4x2)", transpose),
    Row::unary("transpose", "mat4x2(mat2x4)", transpose),
    Row::unary("transpose", "mat3x4(mat4x3)", transpose),
    Row::unary("transpose", "mat4x3(mat3x4)", transpose),
    Row::unary("determinant", "float(mat2)", determinant),
    Row::unary("determinant", "float(mat3)", determinant),
    Row::unary("determinant", "float(mat4)", determinant),
    Row::unary("inverse", "mat2(mat2)", inverse),
    Row::unary("inverse", "mat3(mat3)", inverse),
    Row::unary("inverse", "mat4(mat4)", inverse),
];

fn multiply_components(body: &mut Body<'_, '_>, [x, y]: [Value; 2], call: &Call) -> Value {
    let (left, right) = (body.parts(x, call.span), body.parts(y, call.span));
    let pairs = left.into_iter().zip(right);
    let columns: Vec<_> =
        pairs.map(|(a, b)| body.plain(BinaryOperator::Multiply, a, b, call.span)).collect();
    body.compose(call.ty, &columns, call.span)
}

/// Emits `outerProduct`: column `i` is the first vector times component `i` of the second.
fn outer_product(body: &mut Body<'_, '_>, [column, row]: [Value; 2], call: &Call) -> Value {
    let factors = body.parts(row, call.span);
    let columns: Vec<_> =
        factors.into_iter().map(|factor| body.scaled(column, factor, call.span)).collect();
    body.compose(call.ty, &columns, call.span)
}

fn transpose(body: &mut Body<'_, '_>, matrix: Value, call: &Call) -> Value {
    if !body.is_known(matrix) {
        return body.math(Math::Transpose, &[matrix], call.ty, call.span);
    }
    let scalars = scalars(body, matrix, call.span);
    let mut columns = Vec::new();
    for idx in 0..body.stage.child_count(call.ty) {
        let row: Vec<_> =
            scalars.iter().filter_map(|column| column.get(idx as usize).copied()).collect();
        let ty = body.stage.child(call.ty, idx);
        columns.push(body.compose(ty, &row, call.span));
    }
    body.compose(call.ty, &columns, call.span)
}

fn determinant(body: &mut Body<'_, '_>, matrix: Value, call: &Call) -> Value {
    if !body.is_known(matrix) {
        return body.math(Math::Determinant, &[matrix], call.ty, call.span);
    }
    let scalars = scalars(body, matrix, call.span);
    let all: Vec<usize> = (0..scalars.len()).collect();
    minor(body, &scalars, &all, &all, call.span)
}

/// Emits `inverse` as the adjugate divided by the determinant.
fn inverse(body: &mut Body<'_, '_>, matrix: Value, call: &Call) -> Value {
    let scalars = scalars(body, matrix, call.span);
    let size = scalars.len();
    let all: Vec<usize> = (0..size).collect();
    let without = |skipped: usize| all.iter().copied().filter(|idx| *idx != skipped).collect();
    let whole = minor(body, &scalars, &all, &all, call.span);
    let column_ty = body.stage.child(call.ty, 0);
    let divisor = body.splat(whole, u8::try_from(size).unwrap_or(4), call.span);
    let mut columns = Vec::new();
    for column in 0..size {
        let mut entries = Vec::new();
        for row in 0..size {
            let (kept_columns, kept_rows): (Vec<_>, Vec<_>) = (without(row), without(column));
            let minor = minor(body, &scalars, &kept_columns, &kept_rows, call.span);
            let is_negative = (row + column) % 2 == 1;
            entries.push(if is_negative { body.negate(minor, call.span) } else { minor });
        }
        let entries = body.compose(column_ty, &entries, call.span);
        columns.push(body.plain(BinaryOperator::Divide, entries, divisor, call.span));
    }
    body.compose(call.ty, &columns, call.span)
}

/// Scalars of a matrix, column by column.
fn scalars(body: &mut Body<'_, '_>, matrix: Value, span: Span) -> Vec<Vec<Value>> {
    let columns = body.parts(matrix, span);
    columns.into_iter().map(|column| body.parts(column, span)).collect()
}

/// Determinant of the submatrix with these columns and rows, expanded along the first column.
fn minor(
    body: &mut Body<'_, '_>,
    scalars: &[Vec<Value>],
    columns: &[usize],
    rows: &[usize],
    span: Span,
) -> Value {
    let mut sum: Option<Value> = None;
    if let Some((first, rest)) = columns.split_first() {
        for (idx, row) in rows.iter().enumerate() {
            let Some(entry) = scalars.get(*first).and_then(|column| column.get(*row)) else {
                continue;
            };
            let others: Vec<usize> = rows.iter().copied().filter(|other| other != row).collect();
            let mut term = *entry;
            if !rest.is_empty() {
                let minor = minor(body, scalars, rest, &others, span);
                term = body.plain(BinaryOperator::Multiply, term, minor, span);
            }
            let op = if idx % 2 == 0 { BinaryOperator::Add } else { BinaryOperator::Subtract };
            sum = Some(sum.map_or(term, |sum| body.plain(op, sum, term, span)));
        }
    }
    // The determinant of an empty matrix.
    sum.unwrap_or_else(|| body.literal(naga::Literal::F32(1.0), span))
}
