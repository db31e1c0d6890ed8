//! Functions of geometry stages (GLSL 4.60 section 8.15).

use crate::lower::Result;
use crate::lower::body::Body;
use crate::lower::geometry::Emission;
use crate::lower::operand::Value;

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
    body.emission(call, Emission::Vertex)
}

fn end(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    body.emission(call, Emission::Primitive)
}
