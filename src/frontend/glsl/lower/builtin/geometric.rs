//! Vector, matrix and relational functions (GLSL 4.60 sections 8.5 to 8.7).

use naga::{BinaryOperator, Expression, MathFunction as Math, RelationalFunction};

use super::{Call, Emit, Row};
use crate::frontend::glsl::lower::Result;
use crate::frontend::glsl::lower::body::{Body, Value};

const fn math(name: &'static str, signature: &'static str, fun: Math) -> Row {
    Row { name, signature, emit: Emit::Math(fun) }
}

const fn custom(
    name: &'static str,
    signature: &'static str,
    emit: fn(&mut Body<'_, '_>, &Call) -> Result<Option<Value>>,
) -> Row {
    Row { name, signature, emit: Emit::Custom(emit) }
}

/// The functions of this file.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    math("length", "float(genF)", Math::Length),
    math("distance", "float(genF, genF)", Math::Distance),
    math("cross", "vec3(vec3, vec3)", Math::Cross),
    math("normalize", "vec(vec)", Math::Normalize),
    math("reflect", "vec(vec, vec)", Math::Reflect),
    math("dot", "float(vec, vec)", Math::Dot),
    custom("dot", "float(float, float)", product),
    math("determinant", "float(mat2)", Math::Determinant),
    math("determinant", "float(mat3)", Math::Determinant),
    math("determinant", "float(mat4)", Math::Determinant),
    custom("lessThan", "bvec(vec, vec)", compare),
    custom("lessThan", "bvec(ivec, ivec)", compare),
    custom("lessThan", "bvec(uvec, uvec)", compare),
    custom("lessThanEqual", "bvec(vec, vec)", compare),
    custom("lessThanEqual", "bvec(ivec, ivec)", compare),
    custom("lessThanEqual", "bvec(uvec, uvec)", compare),
    custom("greaterThan", "bvec(vec, vec)", compare),
    custom("greaterThan", "bvec(ivec, ivec)", compare),
    custom("greaterThan", "bvec(uvec, uvec)", compare),
    custom("greaterThanEqual", "bvec(vec, vec)", compare),
    custom("greaterThanEqual", "bvec(ivec, ivec)", compare),
    custom("greaterThanEqual", "bvec(uvec, uvec)", compare),
    custom("equal", "bvec(vec, vec)", compare),
    custom("equal", "bvec(ivec, ivec)", compare),
    custom("equal", "bvec(uvec, uvec)", compare),
    custom("equal", "bvec(bvec, bvec)", compare),
    custom("notEqual", "bvec(vec, vec)", not_equal),
    custom("notEqual", "bvec(ivec, ivec)", not_equal),
    custom("notEqual", "bvec(uvec, uvec)", not_equal),
    custom("notEqual", "bvec(bvec, bvec)", not_equal),
    custom("any", "bool(bvec)", any_or_all),
    custom("all", "bool(bvec)", any_or_all),
    custom("not", "bvec(bvec)", not),
];

fn product(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [x, y] = call.values[..] else { return Ok(None) };
    Ok(Some(body.plain(BinaryOperator::Multiply, x, y, call.span)))
}

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
