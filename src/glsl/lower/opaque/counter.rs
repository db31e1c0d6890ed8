//! Atomic counters (GLSL 4.60 sections 4.1.7.3 and 8.10): they become words of one storage buffer per binding point.

use naga::{AtomicFunction, Expression, Literal, Statement};

use crate::ast::Qualifiers;
use crate::lower::body::Body;
use crate::lower::operand::{Operand, Value};
use crate::lower::qualifier::At;
use crate::lower::types::Kind;
use crate::lower::{Result, Stage, wrong};
use ir::stage_module::{CounterVariable, ResourceKind};

use super::{Opaque, OpaqueCall, OpaqueDeclaration, OpaqueType, counter_buffer};

impl Stage<'_> {
    /// Handles `layout(binding = b, offset = o) uniform atomic_uint;`, which sets the offset of the next counters.
    pub(in crate::lower) fn set_counter_offset(
        &mut self,
        at: At,
        qualifiers: &Qualifiers,
    ) -> Result<()> {
        let binding = self.layout_value(at, qualifiers, "binding")?.unwrap_or(0);
        let offset = self.layout_value(at, qualifiers, "offset")?.unwrap_or(0);
        self.opaques.counter_offsets.insert(binding, offset);
        Ok(())
    }

    /// Completes the last recorded declaration with the place of its first counter, which is counter number `first` of
    /// the stage. Does nothing if the declaration has no counters.
    pub(super) fn note_counter(&mut self, first: usize) {
        if let (Some(counter), Some(declared)) =
            (self.counters.get(first), self.declared_uniforms.last_mut())
        {
            declared.binding = Some(counter.binding);
            declared.offset = Some(counter.offset);
        }
    }

    /// Adds the next counter of a declaration.
    pub(super) fn counter(
        &mut self,
        owner: &mut OpaqueDeclaration<'_>,
        ty: OpaqueType,
        name: &str,
    ) -> Result<Opaque> {
        let binding = owner.unit.unwrap_or(0);
        let known = self.opaques.counters.get(&binding).map(|(global, _)| *global);
        let global = known.unwrap_or_else(|| {
            let inner = counter_buffer(self);
            let name = format!("atomic counters {binding}");
            let owner = OpaqueDeclaration { unit: Some(binding), location: None, ..*owner };
            self.resource(&owner, &name, ResourceKind::AtomicCounters, inner)
        });
        // Only the first element of an array is at the declared offset.
        let is_first = !name.contains('[') || name.ends_with("[0]") && !name.contains("][");
        let declared = self.layout_value(owner.at, owner.qualifiers, "offset")?;
        let next = self.opaques.counter_offsets.get(&binding).copied().unwrap_or(0);
        let offset = declared.filter(|_| is_first && !is_later(name)).unwrap_or(next);
        if !offset.is_multiple_of(4) {
            return wrong(owner.span, format!("the offset {offset} is not a multiple of 4"));
        }
        let taken = self
            .counters
            .iter()
            .find(|counter| (counter.binding, counter.offset) == (binding, offset));
        if let Some(other) = taken {
            let message = format!("`{name}` has the same binding and offset as `{}`", other.name);
            return wrong(owner.span, message);
        }
        self.counters.push(CounterVariable {
            name: name.to_owned(),
            binding,
            offset,
            span: Some(owner.span),
        });
        self.opaques.counter_offsets.insert(binding, offset.saturating_add(4));
        self.opaques.counters.insert(binding, (global, 0));
        Ok(Opaque { word: offset / 4, ..Opaque::new(name, ty, global) })
    }
}

/// True for any element of an array of arrays except the first.
fn is_later(name: &str) -> bool {
    name.split('[').skip(1).any(|index| !index.starts_with("0]"))
}

impl Body<'_, '_> {
    pub(super) fn counter_call(&mut self, call: &OpaqueCall<'_>) -> Result<Option<Operand>> {
        let name = call.name.name.strip_suffix("ARB").unwrap_or(&call.name.name);
        let Some(function) = name.strip_prefix("atomicCounter") else { return Ok(None) };
        let ty = self.stage.scalar(Kind::Uint);
        if function.is_empty() {
            let read = |body: &mut Self, idx: usize| {
                let pointer = body.counter_pointer(idx, call);
                Ok(body.load_pointer(pointer, ty, call.span))
            };
            return self.choose_opaque(call, ty, read).map(|value| Some(Operand::Value(value)));
        }
        let result = self.local("counter", ty, call.span);
        let mut is_known = true;
        self.with_opaque(call, |body, idx| {
            match body.counter_operation(function, idx, call) {
                Some(value) => body.store_pointer(result, value.handle, call.span),
                None => is_known = false,
            }
            Ok(())
        })?;
        let value = self.load_pointer(result, ty, call.span);
        Ok(is_known.then_some(Operand::Value(value)))
    }

    fn counter_pointer(&mut self, idx: usize, call: &OpaqueCall<'_>) -> naga::Handle<Expression> {
        let index = self.stage.opaques.all[idx].word;
        let base = self.opaque_global(idx, call.span);
        self.emit(Expression::AccessIndex { base, index }, call.span)
    }

    /// Emits an atomic operation; the result in GLSL is the old value, except that a decrement returns the new one.
    fn counter_operation(
        &mut self,
        function: &str,
        idx: usize,
        call: &OpaqueCall<'_>,
    ) -> Option<Value> {
        let span = call.span;
        let one = self.literal(Literal::U32(1), span);
        let (fun, value) = match (function, &call.values[1..]) {
            ("Increment", []) => (AtomicFunction::Add, one),
            ("Decrement", []) => (AtomicFunction::Subtract, one),
            ("Add", [value]) => (AtomicFunction::Add, *value),
            ("Subtract", [value]) => (AtomicFunction::Subtract, *value),
            ("Min", [value]) => (AtomicFunction::Min, *value),
            ("Max", [value]) => (AtomicFunction::Max, *value),
            ("And", [value]) => (AtomicFunction::And, *value),
            ("Or", [value]) => (AtomicFunction::InclusiveOr, *value),
            ("Xor", [value]) => (AtomicFunction::ExclusiveOr, *value),
            ("Exchange", [value]) => (AtomicFunction::Exchange { compare: None }, *value),
            ("CompSwap", [compare, value]) => {
                let compare = Some(compare.handle);
                (AtomicFunction::Exchange { compare }, *value)
            }
            _ => return None,
        };
        let value = value.handle;
        let uint = self.stage.scalar(Kind::Uint);
        let comparison = matches!(fun, AtomicFunction::Exchange { compare: Some(_) });
        let ty = if comparison {
            let scalar = naga::Scalar::U32;
            let pair = naga::PredeclaredType::AtomicCompareExchangeWeakResult(scalar);
            self.stage.module.generate_predeclared_type(pair)
        } else {
            uint
        };
        let pointer = self.counter_pointer(idx, call);
        let result = self.value(Expression::AtomicResult { ty, comparison }, ty, span);
        let statement = Statement::Atomic { pointer, fun, value, result: Some(result.handle) };
        self.push(statement, span);
        Some(if comparison {
            let old = Expression::AccessIndex { base: result.handle, index: 0 };
            self.value(old, uint, span)
        } else if function == "Decrement" {
            self.plain(naga::BinaryOperator::Subtract, result, one, span)
        } else {
            result
        })
    }
}
