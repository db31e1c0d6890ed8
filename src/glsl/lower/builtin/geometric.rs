//! Geometric functions (GLSL 4.60 section 8.5).
//!
//! naga has most of them for vectors only. Reflection and refraction are spelled out as the specification does.

use naga::{BinaryOperator, Literal, MathFunction as Math};

use crate::lower::body::{Body, Value};
use crate::lower::types::Kind;
use ir::source::Span;

use super::{Call, Row};

/// The functions of this file.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row::unary("length", "float(genF)", length),
    Row::binary("distance", "float(genF, genF)", distance),
    Row::binary("dot", "float(genF, genF)", dot),
    Row::binary("cross", "vec3(vec3, vec3)", cross),
    Row::unary("normalize", "genF(genF)", normalize),
    Row::ternary("faceforward", "genF(genF, genF, genF)", face_forward),
    Row::binary("reflect", "genF(genF, genF)", reflect),
    Row::ternary("refract", "genF(genF, genF, float)", refract),
];

fn length(body: &mut Body<'_, '_>, x: Value, call: &Call) -> Value {
    length_of(body, x, call.span)
}

fn distance(body: &mut Body<'_, '_>, [x, y]: [Value; 2], call: &Call) -> Value {
    let difference = body.plain(BinaryOperator::Subtract, x, y, call.span);
    length_of(body, difference, call.span)
}

fn length_of(body: &mut Body<'_, '_>, x: Value, span: Span) -> Value {
    if body.is_scalar(x) {
        return body.math(Math::Abs, &[x], x.ty, span);
    }
    let float = body.stage.scalar(Kind::Float);
    if !body.is_known(x) {
        return body.math(Math::Length, &[x], float, span);
    }
    let square = dot_of(body, x, x, span);
    body.math(Math::Sqrt, &[square], float, span)
}

fn dot(body: &mut Body<'_, '_>, [x, y]: [Value; 2], call: &Call) -> Value {
    dot_of(body, x, y, call.span)
}

fn dot_of(body: &mut Body<'_, '_>, x: Value, y: Value, span: Span) -> Value {
    let is_spelled = body.is_scalar(x) || (body.is_known(x) && body.is_known(y));
    if !is_spelled {
        let float = body.stage.scalar(Kind::Float);
        return body.math(Math::Dot, &[x, y], float, span);
    }
    let products = body.plain(BinaryOperator::Multiply, x, y, span);
    if body.is_scalar(products) {
        return products;
    }
    let mut parts = body.parts(products, span).into_iter();
    let first = parts.next().unwrap_or(products);
    parts.fold(first, |sum, part| body.plain(BinaryOperator::Add, sum, part, span))
}

fn cross(body: &mut Body<'_, '_>, [x, y]: [Value; 2], call: &Call) -> Value {
    if !body.is_known(x) || !body.is_known(y) {
        return body.math(Math::Cross, &[x, y], x.ty, call.span);
    }
    let mut product = |a: &[u8], b: &[u8]| {
        let (left, right) = (body.swizzle(x, a, call.span), body.swizzle(y, b, call.span));
        body.plain(BinaryOperator::Multiply, left, right, call.span)
    };
    let (first, second) = (product(&[1, 2, 0], &[2, 0, 1]), product(&[2, 0, 1], &[1, 2, 0]));
    body.plain(BinaryOperator::Subtract, first, second, call.span)
}

/// Of a scalar its sign.
fn normalize(body: &mut Body<'_, '_>, x: Value, call: &Call) -> Value {
    if body.is_scalar(x) {
        return body.math(Math::Sign, &[x], x.ty, call.span);
    }
    if !body.is_known(x) {
        return body.math(Math::Normalize, &[x], x.ty, call.span);
    }
    let square = dot_of(body, x, x, call.span);
    let factor = body.math(Math::InverseSqrt, &[square], square.ty, call.span);
    body.scaled(x, factor, call.span)
}

fn face_forward(
    body: &mut Body<'_, '_>,
    [normal, incident, reference]: [Value; 3],
    call: &Call,
) -> Value {
    let cosine = dot_of(body, reference, incident, call.span);
    let zero = body.literal(Literal::F32(0.0), call.span);
    let is_facing = body.compare(BinaryOperator::Less, cosine, zero, call.span);
    let reversed = body.negate(normal, call.span);
    body.choose(is_facing, normal, reversed, call.span)
}

/// `incident - 2 * dot(normal, incident) * normal`
fn reflect(body: &mut Body<'_, '_>, [incident, normal]: [Value; 2], call: &Call) -> Value {
    let cosine = dot_of(body, normal, incident, call.span);
    let double = body.plain(BinaryOperator::Add, cosine, cosine, call.span);
    let change = body.scaled(normal, double, call.span);
    body.plain(BinaryOperator::Subtract, incident, change, call.span)
}

/// Zero when `k = 1 - eta² (1 - dot(normal, incident)²)` is negative, else
/// `eta * incident - (eta * dot(normal, incident) + sqrt(k)) * normal`.
fn refract(body: &mut Body<'_, '_>, [incident, normal, eta]: [Value; 3], call: &Call) -> Value {
    use BinaryOperator::{Add, Less, Multiply, Subtract};
    let span = call.span;
    let (zero, one) =
        (body.literal(Literal::F32(0.0), span), body.literal(Literal::F32(1.0), span));
    let cosine = dot_of(body, normal, incident, span);
    let square = body.plain(Multiply, cosine, cosine, span);
    let sine_square = body.plain(Subtract, one, square, span);
    let eta_square = body.plain(Multiply, eta, eta, span);
    let bent = body.plain(Multiply, eta_square, sine_square, span);
    let k = body.plain(Subtract, one, bent, span);
    let is_total = body.compare(Less, k, zero, span);
    // The root of a negative number is never asked for.
    let positive = body.math(Math::Max, &[k, zero], k.ty, span);
    let root = body.math(Math::Sqrt, &[positive], k.ty, span);
    let along = body.plain(Multiply, eta, cosine, span);
    let factor = body.plain(Add, along, root, span);
    let (forward, sideways) = (body.scaled(incident, eta, span), body.scaled(normal, factor, span));
    let refracted = body.plain(Subtract, forward, sideways, span);
    let nothing = body.literal_like(refracted, Literal::F32(0.0), span);
    body.choose(is_total, nothing, refracted, span)
}
