//! Loads, stores and pointers.

use naga::{Expression, Handle, TypeInner};

use super::function::{FunctionCompiler, Value};
use super::place::{Base, Place};
use super::words::{self, member_offset};
use super::{Result, not_implemented};
use crate::code::{Element, Length, Op, Register, Shared};

impl<'a> FunctionCompiler<'a, '_> {
    /// The type that a pointer expression points to.
    pub(super) fn pointee(&self, pointer: Handle<Expression>) -> Result<TypeInner> {
        Ok(match *self.type_of(pointer) {
            TypeInner::Pointer { base, .. } => self.compiler.module.types[base].inner.clone(),
            TypeInner::ValuePointer { size: Some(size), scalar, .. } => {
                TypeInner::Vector { size, scalar }
            }
            TypeInner::ValuePointer { size: None, scalar, .. } => TypeInner::Scalar(scalar),
            _ => return not_implemented("pointers of this kind"),
        })
    }

    /// The part of a place at a constant index.
    pub(super) fn part(
        &self,
        place: Place<'a>,
        inner: &TypeInner,
        index: u32,
    ) -> Result<Place<'a>> {
        let module = self.compiler.module;
        let offset = match inner {
            TypeInner::Struct { members, .. } => {
                member_offset(module, members, index as usize, place.layout)?
            }
            _ => words::elements(module, inner, place.layout)?.stride.saturating_mul(index),
        };
        let layout = place.layout.part(index as usize)?;
        Ok(Place { layout, ..place.at(offset) })
    }

    /// The part of a place at an index that is known only at run time.
    pub(super) fn element(
        &mut self,
        place: Place<'a>,
        inner: &TypeInner,
        index: Register,
    ) -> Result<Place<'a>> {
        let parts = self.parts(place, inner)?;
        let length = match parts.length {
            Some(length) => Length::Constant(length),
            None => Length::Register(self.length(place, inner)?),
        };
        let element = Element { base: place.index, index, length, stride: parts.stride };
        let index = self.compiler.index(element)?;
        let layout = place.layout.part(0)?;
        Ok(Place { index: Some(index), layout, ..place })
    }

    /// The elements of a value of type `inner` in a place.
    pub(super) fn parts(&self, place: Place<'a>, inner: &TypeInner) -> Result<words::Parts> {
        words::elements(self.compiler.module, inner, place.layout)
    }

    /// Number of elements of a runtime-sized array.
    pub(super) fn length(&mut self, place: Place<'a>, inner: &TypeInner) -> Result<Register> {
        let stride = self.parts(place, inner)?.stride;
        let (Base::Memory(Shared::Buffer(resource)), None) = (place.base, place.index) else {
            return not_implemented("lengths of such arrays");
        };
        let to = self.compiler.allocate(1)?;
        let [offset, stride] =
            [place.offset, stride].map(|units| units.saturating_mul(place.layout.unit()));
        self.compiler.push(Op::Length { to, resource, offset, stride }, true)?;
        self.compiler.mark(to, 1, true);
        Ok(to)
    }

    /// The value that a pointer points to.
    pub(super) fn loaded(&mut self, pointer: Handle<Expression>) -> Result<Register> {
        let inner = self.pointee(pointer)?;
        match self.value(pointer)? {
            Value::Place(place) => self.load(place, &inner),
            Value::Registers(_) | Value::Resource(_) => not_implemented("loads of this"),
        }
    }

    /// The value in a place.
    pub(super) fn load(&mut self, place: Place<'a>, inner: &TypeInner) -> Result<Register> {
        let words = words::words_of_inner(self.compiler.module, inner)?;
        if let (Some(at), true) = (place.register(), place.is_fixed) {
            return Ok(at);
        }
        if let Some(address) = place.address() {
            let address = address.of(inner);
            let offsets = self.offsets(place, inner)?;
            let to = self.compiler.allocate(words)?;
            let is_once = place.is_uniform
                && place.index.is_none_or(|index| self.compiler.are_once(index, 1));
            self.compiler.push(Op::Load { to, address, offsets }, is_once)?;
            self.compiler.mark(to, words, is_once);
            return Ok(to);
        }
        let to = self.compiler.allocate(words)?;
        let Base::Registers(base) = place.base else { return not_implemented("such loads") };
        let from = base + place.offset as usize;
        match place.index {
            Some(index) => {
                self.compiler.push(Op::LoadIndexed { to, from, index, words }, false)?;
            }
            None => self.compiler.push(Op::Move { to, from, words }, false)?,
        }
        Ok(to)
    }

    /// Offsets of a value's words, relative to its place.
    fn offsets(&mut self, place: Place<'a>, inner: &TypeInner) -> Result<std::ops::Range<usize>> {
        let start = self.compiler.code.offsets.len();
        let module = self.compiler.module;
        words::offsets(module, inner, place.layout, 0, &mut self.compiler.code.offsets)?;
        let end = self.compiler.code.offsets.len();
        if end > super::MAX_REGISTERS {
            return not_implemented("stages with so many loads and stores");
        }
        Ok(start..end)
    }

    /// Writes a value to a place in the active lanes.
    pub(super) fn store(&mut self, pointer: Handle<Expression>, from: Register) -> Result<()> {
        let inner = self.pointee(pointer)?;
        let Value::Place(place) = self.value(pointer)? else {
            return not_implemented("stores to this");
        };
        if self.fix(pointer, from) {
            return Ok(());
        }
        let words = words::words_of_inner(self.compiler.module, &inner)?;
        if let Some(address) = place.address() {
            let address = address.of(&inner);
            let offsets = self.offsets(place, &inner)?;
            return self.compiler.emit_body(Op::StoreShared { address, from, offsets });
        }
        let Base::Registers(base) = place.base else { return not_implemented("such stores") };
        let to = base + place.offset as usize;
        match place.index {
            Some(index) => self.compiler.emit_body(Op::StoreIndexed { to, index, from, words }),
            None => self.compiler.emit_body(Op::Store { to, from, words }),
        }
    }

    /// Uses the stored value itself for a private variable, if this is the only statement that may write it, and all
    /// lanes execute it.
    fn fix(&mut self, pointer: Handle<Expression>, from: Register) -> bool {
        let Expression::GlobalVariable(variable) = self.function.expressions[pointer] else {
            return false;
        };
        let is_only = self.compiler.writes.get(&variable) == Some(&1);
        let is_private = matches!(
            self.compiler.module.global_variables[variable].space,
            naga::AddressSpace::Private
        );
        if !is_only || !is_private || !self.is_straight() {
            return false;
        }
        let place = Place { is_fixed: true, ..Place::registers(from) };
        self.compiler.globals.insert(variable, place);
        self.forget_pointers();
        true
    }
}
