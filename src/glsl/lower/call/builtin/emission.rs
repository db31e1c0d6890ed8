//! Functions of geometry stages (GLSL 4.60 section 8.15).

use naga::{Expression, Literal, Statement};

use crate::lower::body::Body;
use crate::lower::operand::Value;
use crate::lower::{Result, mismatch, wrong};
use ir::geometry::MAX_STREAMS;

use super::{Call, Row};

/// The functions of this file.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row::custom("EmitVertex", "void()", emit),
    Row::custom("EndPrimitive", "void()", end),
    Row::custom("EmitStreamVertex", "void(int)", emit),
    Row::custom("EmitStreamVertex", "void(uint)", emit),
    Row::custom("EndStreamPrimitive", "void(int)", end),
    Row::custom("EndStreamPrimitive", "void(uint)", end),
];

fn emit(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    ended(body, call, Ended::Vertex)
}

fn end(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    ended(body, call, Ended::Primitive)
}

/// The unit that a call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Vertex,
    Primitive,
}

/// Emits a call that ends a vertex or a primitive. Its argument, if any, is the number of a stream.
fn ended(body: &mut Body<'_, '_>, call: &Call, what: Ended) -> Result<Option<Value>> {
    let stream = constant_stream(body, call)?;
    if stream >= MAX_STREAMS {
        let message =
            format!("`{}` has no such stream; the last is {}", call.name, MAX_STREAMS - 1);
        return mismatch(call.span, message);
    }
    let Some(state) = &mut body.stage.geometry else {
        let message = format!("`{}` is only available in the geometry stage", call.name);
        return wrong(call.span, message);
    };
    if stream > 0 {
        state.note_stream_call(call.span);
    }
    let [vertex, primitive] = state.functions();
    let function = match what {
        Ended::Vertex => vertex,
        Ended::Primitive => primitive,
    };
    let argument = body.emit(Expression::Literal(Literal::U32(stream)), call.span);
    body.push(Statement::Call { function, arguments: vec![argument], result: None }, call.span);
    Ok(None)
}

/// Number of the stream that a call names, or 0 without an argument.
fn constant_stream(body: &mut Body<'_, '_>, call: &Call) -> Result<u32> {
    let Some(value) = call.values.first() else { return Ok(0) };
    let known = body.evaluate(value.handle);
    let Some(bits) = known.as_ref().and_then(|constant| constant.bits.first()) else {
        return wrong(call.span, format!("the stream of `{}` must be constant", call.name));
    };
    Ok(u32::try_from(*bits).unwrap_or(u32::MAX))
}
