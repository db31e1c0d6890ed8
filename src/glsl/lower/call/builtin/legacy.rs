//! Functions of old versions: `ftransform` and noise.

use crate::ast::{BinaryOp, Expr, ExprKind};
use crate::lower::Result;
use crate::lower::body::Body;
use crate::lower::operand::Value;

use super::{Call, Row};

/// The functions of this file.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row::custom("ftransform", "vec4()", transform_vertex),
    Row::unary("noise1", "float(genF)", noise),
    Row::unary("noise2", "vec2(genF)", noise),
    Row::unary("noise3", "vec3(genF)", noise),
    Row::unary("noise4", "vec4(genF)", noise),
];

/// Emits `gl_ModelViewProjectionMatrix * gl_Vertex`.
fn transform_vertex(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let variable =
        |name: &str| Box::new(Expr { kind: ExprKind::Variable(name.to_owned()), span: call.span });
    let (matrix, vertex) = (variable("gl_ModelViewProjectionMatrix"), variable("gl_Vertex"));
    let kind = ExprKind::Binary(BinaryOp::Mul, matrix, vertex);
    body.rvalue(&Expr { kind, span: call.span }).map(Some)
}

/// Emits a noise function, which returns zero, as required since GLSL 4.40. The functions are deprecated, and drivers
/// also return zero in older versions.
fn noise(body: &mut Body<'_, '_>, _: Value, call: &Call) -> Value {
    body.zero(call.ty, call.span)
}
