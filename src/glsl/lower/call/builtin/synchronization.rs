//! Atomic memory functions, barriers (GLSL 4.60 sections 8.11, 8.16 and 8.17).

use naga::{AtomicFunction, Barrier, Expression, Statement};

use crate::lower::body::Body;
use crate::lower::global::Role;
use crate::lower::operand::{Place, Value};
use crate::lower::types::Kind;
use crate::lower::{Result, unsupported, wrong};
use ir::stage::ShaderStage;

use super::{Call, Row};

/// The functions of this file.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row::custom("atomicAdd", "int(mem int, int)", atomic),
    Row::custom("atomicAdd", "uint(mem uint, uint)", atomic),
    Row::custom("atomicMin", "int(mem int, int)", atomic),
    Row::custom("atomicMin", "uint(mem uint, uint)", atomic),
    Row::custom("atomicMax", "int(mem int, int)", atomic),
    Row::custom("atomicMax", "uint(mem uint, uint)", atomic),
    Row::custom("atomicAnd", "int(mem int, int)", atomic),
    Row::custom("atomicAnd", "uint(mem uint, uint)", atomic),
    Row::custom("atomicOr", "int(mem int, int)", atomic),
    Row::custom("atomicOr", "uint(mem uint, uint)", atomic),
    Row::custom("atomicXor", "int(mem int, int)", atomic),
    Row::custom("atomicXor", "uint(mem uint, uint)", atomic),
    Row::custom("atomicExchange", "int(mem int, int)", atomic),
    Row::custom("atomicExchange", "uint(mem uint, uint)", atomic),
    Row::custom("atomicCompSwap", "int(mem int, int, int)", compare_and_swap),
    Row::custom("atomicCompSwap", "uint(mem uint, uint, uint)", compare_and_swap),
    Row::custom("barrier", "void()", barrier),
    Row::custom("memoryBarrier", "void()", memory_barrier),
    Row::custom("memoryBarrierShared", "void()", memory_barrier),
    Row::custom("memoryBarrierBuffer", "void()", memory_barrier),
    Row::custom("memoryBarrierImage", "void()", memory_barrier),
    Row::custom("memoryBarrierAtomicCounter", "void()", memory_barrier),
    Row::custom("groupMemoryBarrier", "void()", memory_barrier),
];

fn atomic(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [_, value] = call.values[..] else { return Ok(None) };
    let fun = match call.name {
        "atomicAdd" => AtomicFunction::Add,
        "atomicMin" => AtomicFunction::Min,
        "atomicMax" => AtomicFunction::Max,
        "atomicAnd" => AtomicFunction::And,
        "atomicOr" => AtomicFunction::InclusiveOr,
        "atomicXor" => AtomicFunction::ExclusiveOr,
        _ => AtomicFunction::Exchange { compare: None },
    };
    emit(body, call, fun, value).map(Some)
}

fn compare_and_swap(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [_, compare, value] = call.values[..] else { return Ok(None) };
    let fun = AtomicFunction::Exchange { compare: Some(compare.handle) };
    emit(body, call, fun, value).map(Some)
}

/// Emits an atomic operation and returns the old value.
fn emit(body: &mut Body<'_, '_>, call: &Call, fun: AtomicFunction, value: Value) -> Result<Value> {
    let Some(Some(place)) = call.places.first() else {
        return wrong(call.span, "the first argument of an atomic function must be a variable");
    };
    let role =
        place.root.and_then(|root| body.stage.globals.get(&root.global)).map(|info| info.role);
    if !matches!(role, Some(Role::Storage | Role::Shared)) {
        return wrong(
            call.span,
            "the first argument of an atomic function must be a buffer or shared variable",
        );
    }
    if place.swizzle.is_some() {
        return unsupported(
            call.span,
            "an atomic function on a vector component, which naga does not support",
        );
    }
    if place.pieces.is_some() {
        let act = |body: &mut Body<'_, '_>, part: &Place| Ok(emit_at(body, call, fun, value, part));
        return body.read_chosen(place, call.ty, call.span, act);
    }
    Ok(emit_at(body, call, fun, value, place))
}

fn emit_at(
    body: &mut Body<'_, '_>,
    call: &Call,
    fun: AtomicFunction,
    value: Value,
    place: &Place,
) -> Value {
    body.record(place, true);
    body.record(place, false);
    let is_comparison = matches!(fun, AtomicFunction::Exchange { compare: Some(_) });
    let ty = if is_comparison {
        let scalar = body.shape(call.ty).kind().map(Kind::scalar);
        let scalar = scalar.unwrap_or(naga::Scalar::U32);
        let kind = naga::PredeclaredType::AtomicCompareExchangeWeakResult(scalar);
        body.stage.module.generate_predeclared_type(kind)
    } else {
        call.ty
    };
    let result =
        body.value(Expression::AtomicResult { ty, comparison: is_comparison }, ty, call.span);
    let pointer = place.pointer;
    let statement =
        Statement::Atomic { pointer, fun, value: value.handle, result: Some(result.handle) };
    body.push(statement, call.span);
    if !is_comparison {
        return result;
    }
    // naga returns a struct with the old value and whether it was exchanged.
    body.value(Expression::AccessIndex { base: result.handle, index: 0 }, call.ty, call.span)
}

fn barrier(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let has_barrier = |stage: &ShaderStage| stage.properties().has_barrier;
    if !has_barrier(&body.stage.stage) {
        let all = ShaderStage::ALL.into_iter().rev().filter(has_barrier);
        let names: Vec<_> = all.map(ShaderStage::name).collect();
        let message = format!("`barrier` is only available in {} stages", names.join(" and "));
        return wrong(call.span, message);
    }
    body.push(Statement::ControlBarrier(Barrier::WORK_GROUP), call.span);
    Ok(None)
}

/// Emits a memory barrier in compute stages. naga has none in other stages, where a barrier would affect only the order
/// of buffer accesses by different invocations, which remains undefined anyway.
fn memory_barrier(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    if body.stage.stage != ShaderStage::Compute {
        return match call.name {
            "memoryBarrierShared" | "groupMemoryBarrier" => {
                wrong(call.span, format!("`{}` is only available in the compute stage", call.name))
            }
            _ => Ok(None),
        };
    }
    let kind = match call.name {
        "memoryBarrierShared" => Barrier::WORK_GROUP,
        "memoryBarrierBuffer" | "memoryBarrierAtomicCounter" => Barrier::STORAGE,
        "memoryBarrierImage" => Barrier::TEXTURE,
        _ => Barrier::STORAGE | Barrier::WORK_GROUP,
    };
    body.push(Statement::MemoryBarrier(kind), call.span);
    Ok(None)
}
