//! Vector relational functions (GLSL 4.60 section 8.7).

use naga::{BinaryOperator, Expression, RelationalFunction};

use super::{Call, Row};
use crate::frontend::glsl::lower::Result;
use crate::frontend::glsl::lower::body::{Body, Value};

/// The functions of this file.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row::custom("lessThan", "bvec(vec, vec)", compare),
    Row::custom("lessThan", "bvec(ivec, ivec)", compare),
    Row::custom("lessThan", "bvec(uvec, uvec)", compare),
    Row::custom("lessThanEqual", "bvec(vec, vec)", compare),
    Row::custom("lessThanEqual", "bvec(ivec, ivec)", compare),
    Row::custom("lessThanEqual", "bvec(uvec, uvec)", compare),
    Row::custom("greaterThan", "bvec(vec, vec)", compare),
    Row::custom("greaterThan", "bvec(ivec, ivec)", compare),
    Row::custom("greaterThan", "bvec(uvec, uvec)", compare),
    Row::custom("greaterThanEqual", "bvec(vec, vec)", compare),
    Row::custom("greaterThanEqual", "bvec(ivec, ivec)", compare),
    Row::custom("greaterThanEqual", "bvec(uvec, uvec)", compare),
    Row::custom("equal", "bvec(vec, vec)", compare),
    Row::custom("equal", "bvec(ivec, ivec)", compare),
    Row::custom("equal", "bvec(uvec, uvec)", compare),
    Row::custom("equal", "bvec(bvec, bvec)", compare),
    Row::custom("notEqual", "bvec(vec, vec)", not_equal),
    Row::custom("notEqual", "bvec(ivec, ivec)", not_equal),
    Row::custom("notEqual", "bvec(uvec, uvec)", not_equal),
    Row::custom("notEqual", "bvec(bvec, bvec)", not_equal),
    Row::custom("any", "bool(bvec)", any_or_all),
    Row::custom("all", "bool(bvec)", any_or_all),
    Row::custom("not", "bvec(bvec)", not),
];

fn compare(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [x, y] = call.values[..] else { return Ok(None) };
    let op = match call.name {
        "lessThan" => BinaryOperator::Less,
        "lessThanEqual" => BinaryOperator::LessEqual,
        "greaterThan" => BinaryOperator::Greater,
        "greaterThanEqual" => BinaryOperator::GreaterEqual,
        _ => BinaryOperator::Equal,
    };
    Ok(Some(body.compare(op, x, y, call.span)))
}

/// The negation of `equal`, so that a NaN differs from itself.
fn not_equal(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [x, y] = call.values[..] else { return Ok(None) };
    let equal = body.compare(BinaryOperator::Equal, x, y, call.span);
    Ok(Some(body.not(equal, call.span)))
}

fn any_or_all(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [vector] = call.values[..] else { return Ok(None) };
    let fun = if call.name == "any" { RelationalFunction::Any } else { RelationalFunction::All };
    let test = Expression::Relational { fun, argument: vector.handle };
    Ok(Some(body.value(test, call.ty, call.span)))
}

fn not(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [vector] = call.values[..] else { return Ok(None) };
    Ok(Some(body.not(vector, call.span)))
}
