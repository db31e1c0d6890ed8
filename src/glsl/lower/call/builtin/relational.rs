//! Vector relational functions (GLSL 4.60 section 8.7).

use naga::{BinaryOperator, Expression, RelationalFunction};

use crate::lower::body::Body;
use crate::lower::operand::Value;

use super::{Call, Row};

/// The functions of this file.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row::binary("lessThan", "bvec(vec, vec)", compare),
    Row::binary("lessThan", "bvec(ivec, ivec)", compare),
    Row::binary("lessThan", "bvec(uvec, uvec)", compare),
    Row::binary("lessThanEqual", "bvec(vec, vec)", compare),
    Row::binary("lessThanEqual", "bvec(ivec, ivec)", compare),
    Row::binary("lessThanEqual", "bvec(uvec, uvec)", compare),
    Row::binary("greaterThan", "bvec(vec, vec)", compare),
    Row::binary("greaterThan", "bvec(ivec, ivec)", compare),
    Row::binary("greaterThan", "bvec(uvec, uvec)", compare),
    Row::binary("greaterThanEqual", "bvec(vec, vec)", compare),
    Row::binary("greaterThanEqual", "bvec(ivec, ivec)", compare),
    Row::binary("greaterThanEqual", "bvec(uvec, uvec)", compare),
    Row::binary("equal", "bvec(vec, vec)", compare),
    Row::binary("equal", "bvec(ivec, ivec)", compare),
    Row::binary("equal", "bvec(uvec, uvec)", compare),
    Row::binary("equal", "bvec(bvec, bvec)", compare),
    Row::binary("notEqual", "bvec(vec, vec)", not_equal),
    Row::binary("notEqual", "bvec(ivec, ivec)", not_equal),
    Row::binary("notEqual", "bvec(uvec, uvec)", not_equal),
    Row::binary("notEqual", "bvec(bvec, bvec)", not_equal),
    Row::unary("any", "bool(bvec)", any_or_all),
    Row::unary("all", "bool(bvec)", any_or_all),
    Row::unary("not", "bvec(bvec)", not),
];

fn compare(body: &mut Body<'_, '_>, [x, y]: [Value; 2], call: &Call) -> Value {
    let op = match call.name {
        "lessThan" => BinaryOperator::Less,
        "lessThanEqual" => BinaryOperator::LessEqual,
        "greaterThan" => BinaryOperator::Greater,
        "greaterThanEqual" => BinaryOperator::GreaterEqual,
        _ => BinaryOperator::Equal,
    };
    body.compare(op, x, y, call.span)
}

/// Emits `notEqual` as the negation of `equal`, so that a NaN differs from itself.
fn not_equal(body: &mut Body<'_, '_>, [x, y]: [Value; 2], call: &Call) -> Value {
    let equal = body.compare(BinaryOperator::Equal, x, y, call.span);
    body.not(equal, call.span)
}

fn any_or_all(body: &mut Body<'_, '_>, vector: Value, call: &Call) -> Value {
    let fun = if call.name == "any" { RelationalFunction::Any } else { RelationalFunction::All };
    let test = Expression::Relational { fun, argument: vector.handle };
    body.value(test, call.ty, call.span)
}

fn not(body: &mut Body<'_, '_>, vector: Value, call: &Call) -> Value {
    body.not(vector, call.span)
}
