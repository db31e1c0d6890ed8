//! Component-wise functions: trigonometry, exponentials, common functions, derivatives (GLSL 4.60 sections 8.1 to
//! 8.3 and 8.14).

use naga::{BinaryOperator, DerivativeAxis, DerivativeControl, Expression, MathFunction as Math};

use super::{Call, Emit, Row};
use crate::frontend::glsl::lower::Result;
use crate::frontend::glsl::lower::body::{Body, Value};

const fn math(name: &'static str, signature: &'static str, fun: Math) -> Row {
    Row { name, signature, emit: Emit::Math(fun) }
}

const fn derivative(name: &'static str, axis: DerivativeAxis, control: DerivativeControl) -> Row {
    Row { name, signature: "genF(genF)", emit: Emit::Derivative(axis, control) }
}

use DerivativeAxis::{Width, X, Y};
use DerivativeControl::{Coarse, Fine, None as Default};

/// The functions of this file.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    math("radians", "genF(genF)", Math::Radians),
    math("degrees", "genF(genF)", Math::Degrees),
    math("sin", "genF(genF)", Math::Sin),
    math("cos", "genF(genF)", Math::Cos),
    math("tan", "genF(genF)", Math::Tan),
    math("asin", "genF(genF)", Math::Asin),
    math("acos", "genF(genF)", Math::Acos),
    math("atan", "genF(genF, genF)", Math::Atan2),
    math("atan", "genF(genF)", Math::Atan),
    math("sinh", "genF(genF)", Math::Sinh),
    math("cosh", "genF(genF)", Math::Cosh),
    math("tanh", "genF(genF)", Math::Tanh),
    math("asinh", "genF(genF)", Math::Asinh),
    math("acosh", "genF(genF)", Math::Acosh),
    math("atanh", "genF(genF)", Math::Atanh),
    math("pow", "genF(genF, genF)", Math::Pow),
    math("exp", "genF(genF)", Math::Exp),
    math("log", "genF(genF)", Math::Log),
    math("exp2", "genF(genF)", Math::Exp2),
    math("log2", "genF(genF)", Math::Log2),
    math("sqrt", "genF(genF)", Math::Sqrt),
    math("inversesqrt", "genF(genF)", Math::InverseSqrt),
    math("abs", "genF(genF)", Math::Abs),
    math("abs", "genI(genI)", Math::Abs),
    math("sign", "genF(genF)", Math::Sign),
    math("sign", "genI(genI)", Math::Sign),
    math("floor", "genF(genF)", Math::Floor),
    math("trunc", "genF(genF)", Math::Trunc),
    math("round", "genF(genF)", Math::Round),
    math("roundEven", "genF(genF)", Math::Round),
    math("ceil", "genF(genF)", Math::Ceil),
    math("fract", "genF(genF)", Math::Fract),
    math("min", "genF(genF, genF)", Math::Min),
    math("min", "genF(genF, float)", Math::Min),
    math("min", "genI(genI, genI)", Math::Min),
    math("min", "genI(genI, int)", Math::Min),
    math("min", "genU(genU, genU)", Math::Min),
    math("min", "genU(genU, uint)", Math::Min),
    math("max", "genF(genF, genF)", Math::Max),
    math("max", "genF(genF, float)", Math::Max),
    math("max", "genI(genI, genI)", Math::Max),
    math("max", "genI(genI, int)", Math::Max),
    math("max", "genU(genU, genU)", Math::Max),
    math("max", "genU(genU, uint)", Math::Max),
    math("clamp", "genF(genF, genF, genF)", Math::Clamp),
    math("clamp", "genF(genF, float, float)", Math::Clamp),
    math("clamp", "genI(genI, genI, genI)", Math::Clamp),
    math("clamp", "genI(genI, int, int)", Math::Clamp),
    math("clamp", "genU(genU, genU, genU)", Math::Clamp),
    math("clamp", "genU(genU, uint, uint)", Math::Clamp),
    math("mix", "genF(genF, genF, genF)", Math::Mix),
    math("mix", "genF(genF, genF, float)", Math::Mix),
    math("step", "genF(genF, genF)", Math::Step),
    math("step", "genF(float, genF)", Math::Step),
    math("smoothstep", "genF(genF, genF, genF)", Math::SmoothStep),
    math("smoothstep", "genF(float, float, genF)", Math::SmoothStep),
    math("fma", "genF(genF, genF, genF)", Math::Fma),
    Row { name: "mod", signature: "genF(genF, genF)", emit: Emit::Custom(modulo) },
    Row { name: "mod", signature: "genF(genF, float)", emit: Emit::Custom(modulo) },
    derivative("dFdx", X, Default),
    derivative("dFdy", Y, Default),
    derivative("fwidth", Width, Default),
    derivative("dFdxFine", X, Fine),
    derivative("dFdyFine", Y, Fine),
    derivative("fwidthFine", Width, Fine),
    derivative("dFdxCoarse", X, Coarse),
    derivative("dFdyCoarse", Y, Coarse),
    derivative("fwidthCoarse", Width, Coarse),
];

/// `x - y * floor(x / y)`, unlike naga's remainder, which takes its sign from `x`.
fn modulo(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [x, y] = call.values[..] else { return Ok(None) };
    let size = body.shape(x.ty).components().unwrap_or(1);
    let y = body.splat(y, size, call.span);
    let quotient = body.plain(BinaryOperator::Divide, x, y, call.span);
    let floor = body.math(Math::Floor, &[quotient], x.ty, call.span);
    let product = body.plain(BinaryOperator::Multiply, y, floor, call.span);
    let difference =
        Expression::Binary { op: BinaryOperator::Subtract, left: x.handle, right: product.handle };
    Ok(Some(body.value(difference, x.ty, call.span)))
}
