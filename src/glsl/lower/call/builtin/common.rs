//! Component-wise functions: trigonometry, exponentials, common functions, derivatives (GLSL 4.60 sections 8.1 to
//! 8.3 and 8.14).

use DerivativeAxis::{Width, X, Y};
use DerivativeControl::{Coarse, Fine, None as Default};
use naga::{BinaryOperator, DerivativeAxis, DerivativeControl, Expression, MathFunction as Math};

use crate::lower::Result;
use crate::lower::body::Body;
use crate::lower::operand::Value;

use super::{Call, Emit, Row};

const fn derivative(name: &'static str, axis: DerivativeAxis, control: DerivativeControl) -> Row {
    Row { name, signature: "genF(genF)", emit: Emit::Derivative(axis, control) }
}

/// The functions of this file.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row::math("radians", "genF(genF)", Math::Radians),
    Row::math("degrees", "genF(genF)", Math::Degrees),
    Row::math("sin", "genF(genF)", Math::Sin),
    Row::math("cos", "genF(genF)", Math::Cos),
    Row::math("tan", "genF(genF)", Math::Tan),
    Row::math("asin", "genF(genF)", Math::Asin),
    Row::math("acos", "genF(genF)", Math::Acos),
    Row::math("atan", "genF(genF, genF)", Math::Atan2),
    Row::math("atan", "genF(genF)", Math::Atan),
    Row::math("sinh", "genF(genF)", Math::Sinh),
    Row::math("cosh", "genF(genF)", Math::Cosh),
    Row::math("tanh", "genF(genF)", Math::Tanh),
    Row::math("asinh", "genF(genF)", Math::Asinh),
    Row::math("acosh", "genF(genF)", Math::Acosh),
    Row::math("atanh", "genF(genF)", Math::Atanh),
    Row::math("pow", "genF(genF, genF)", Math::Pow),
    Row::math("exp", "genF(genF)", Math::Exp),
    Row::math("log", "genF(genF)", Math::Log),
    Row::math("exp2", "genF(genF)", Math::Exp2),
    Row::math("log2", "genF(genF)", Math::Log2),
    Row::math("sqrt", "genF(genF)", Math::Sqrt),
    Row::math("inversesqrt", "genF(genF)", Math::InverseSqrt),
    Row::math("abs", "genF(genF)", Math::Abs),
    Row::math("abs", "genI(genI)", Math::Abs),
    Row::math("sign", "genF(genF)", Math::Sign),
    Row::math("sign", "genI(genI)", Math::Sign),
    Row::math("floor", "genF(genF)", Math::Floor),
    Row::math("trunc", "genF(genF)", Math::Trunc),
    Row::math("truncate", "genF(genF)", Math::Trunc),
    Row::math("round", "genF(genF)", Math::Round),
    Row::math("roundEven", "genF(genF)", Math::Round),
    Row::math("ceil", "genF(genF)", Math::Ceil),
    Row::math("fract", "genF(genF)", Math::Fract),
    Row::math("min", "genF(genF, genF)", Math::Min),
    Row::math("min", "genF(genF, float)", Math::Min),
    Row::math("min", "genI(genI, genI)", Math::Min),
    Row::math("min", "genI(genI, int)", Math::Min),
    Row::math("min", "genU(genU, genU)", Math::Min),
    Row::math("min", "genU(genU, uint)", Math::Min),
    Row::math("max", "genF(genF, genF)", Math::Max),
    Row::math("max", "genF(genF, float)", Math::Max),
    Row::math("max", "genI(genI, genI)", Math::Max),
    Row::math("max", "genI(genI, int)", Math::Max),
    Row::math("max", "genU(genU, genU)", Math::Max),
    Row::math("max", "genU(genU, uint)", Math::Max),
    Row::math("clamp", "genF(genF, genF, genF)", Math::Clamp),
    Row::math("clamp", "genF(genF, float, float)", Math::Clamp),
    Row::math("clamp", "genI(genI, genI, genI)", Math::Clamp),
    Row::math("clamp", "genI(genI, int, int)", Math::Clamp),
    Row::math("clamp", "genU(genU, genU, genU)", Math::Clamp),
    Row::math("clamp", "genU(genU, uint, uint)", Math::Clamp),
    Row::math("mix", "genF(genF, genF, genF)", Math::Mix),
    Row::math("mix", "genF(genF, genF, float)", Math::Mix),
    Row::math("step", "genF(genF, genF)", Math::Step),
    Row::math("step", "genF(float, genF)", Math::Step),
    Row::math("smoothstep", "genF(genF, genF, genF)", Math::SmoothStep),
    Row::math("smoothstep", "genF(float, float, genF)", Math::SmoothStep),
    Row::math("fma", "genF(genF, genF, genF)", Math::Fma),
    Row::binary("mod", "genF(genF, genF)", modulo),
    Row::binary("mod", "genF(genF, float)", modulo),
    Row::custom("modf", "genF(genF, out genF)", modf),
    Row::ternary("mix", "genF(genF, genF, genB)", mix_by_bool),
    Row::ternary("mix", "genI(genI, genI, genB)", mix_by_bool),
    Row::ternary("mix", "genU(genU, genU, genB)", mix_by_bool),
    Row::ternary("mix", "genB(genB, genB, genB)", mix_by_bool),
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

/// Emits `x - y * floor(x / y)`. naga's remainder differs: it takes its sign from `x`.
fn modulo(body: &mut Body<'_, '_>, [x, y]: [Value; 2], call: &Call) -> Value {
    let size = body.shape(x.ty).components().unwrap_or(1);
    let y = body.splat(y, size, call.span);
    let quotient = body.plain(BinaryOperator::Divide, x, y, call.span);
    let floor = body.math(Math::Floor, &[quotient], x.ty, call.span);
    let product = body.plain(BinaryOperator::Multiply, y, floor, call.span);
    let difference =
        Expression::Binary { op: BinaryOperator::Subtract, left: x.handle, right: product.handle };
    body.value(difference, x.ty, call.span)
}

/// Emits `modf`: writes the integral part and returns the rest. Both have the sign of `x`.
fn modf(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [x, _] = call.values[..] else { return Ok(None) };
    let whole = body.math(Math::Trunc, &[x], x.ty, call.span);
    let rest = body.plain(BinaryOperator::Subtract, x, whole, call.span);
    body.write_out(call, 1, whole)?;
    Ok(Some(rest))
}

/// Emits `mix` with a boolean: returns the second value where the third is true, else the first.
fn mix_by_bool(body: &mut Body<'_, '_>, [x, y, condition]: [Value; 3], call: &Call) -> Value {
    body.choose(condition, y, x, call.span)
}
