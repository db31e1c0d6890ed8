//! Reads `ssbo …` and `uniform …`: buffers, and what is written into them.

use std::sync::Arc;

use ir::source::{Span, Spanned};

use super::Reader;
use super::data_type::data_type;
use crate::layout::Element;
use crate::read::limits::{MAX_ATTACHED, MAX_DATA_BYTES};
use crate::read::number::bits;
use crate::read::problem::{Parsed, Problem};
use crate::syntax::command::Command;
use crate::syntax::data::{DataFormat, DataType, Scalar, Standard};
use crate::syntax::pipeline::{Binding, BufferRange, Resource};
use crate::syntax::{Buffer, BufferId, BufferKind, Content};

/// A buffer whose size shows at the end of the script.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// The buffer.
    pub(super) buffer: BufferId,
    /// Where it is named first.
    pub(super) span: Span,
    is_uniform: bool,
    /// Whether something says what its elements are.
    has_format: bool,
    /// Elements as `ssbo B SIZE` says.
    count: u32,
    /// One past the last byte that is written or looked at.
    end: u64,
}

/// A type with the layout of its elements.
pub(super) struct Typed {
    /// The type.
    pub(super) data_type: DataType,
    /// The layout.
    pub(super) element: Element,
    /// Numbers that belong together: those of a column.
    pub(super) rows: usize,
}

impl Typed {
    fn new(data_type: DataType, layout: Standard) -> Self {
        let rows = match &data_type {
            DataType::Scalar(_) | DataType::Struct(_) => 1,
            DataType::Vector(rows, _) | DataType::Matrix { rows, .. } => usize::from(*rows),
        };
        let format = DataFormat::Type(data_type);
        let element = format.element(layout, false);
        let DataFormat::Type(data_type) = format else { unreachable!("it is a type") };
        Self { data_type, element, rows }
    }
}

impl Reader<'_> {
    /// Reads `ssbo BINDING SIZE` or `ssbo BINDING subdata TYPE OFFSET VALUES`.
    pub(super) fn read_storage(&mut self, start: Span) -> Parsed<()> {
        let place = self.set_and_binding()?;
        let index = self.bound_at(place, false, start)?;
        if self.cursor.accept("subdata") {
            let typed = self.typed(Standard::Std430)?;
            let command = self.read_write(&typed, index, start)?;
            self.script.commands.push(command);
            return Ok(());
        }
        let count = self.cursor.unsigned("the size")?.value;
        let bound = &mut self.bound[index].1;
        bound.count = bound.count.max(count);
        Ok(())
    }

    /// Reads `uniform ubo BINDING TYPE OFFSET VALUES` or `uniform TYPE OFFSET VALUES`.
    pub(super) fn read_uniform(&mut self, start: Span) -> Parsed<()> {
        if self.cursor.accept("ubo") {
            let place = self.set_and_binding()?;
            let index = self.bound_at(place, true, start)?;
            let typed = self.typed(Standard::Std140)?;
            let command = self.read_write(&typed, index, start)?;
            self.script.commands.push(command);
            return Ok(());
        }
        let typed = self.typed(Standard::Std430)?;
        let mut bound = match self.push_constant {
            Some(bound) => bound,
            None => self.new_bound("push_constant".to_owned(), false, start),
        };
        let command = self.read_write_into(&typed, &mut bound, start)?;
        self.push_constant = Some(bound);
        self.script.commands.push(command);
        Ok(())
    }

    /// Passes `BINDING` or `SET:BINDING`.
    pub(super) fn set_and_binding(&mut self) -> Parsed<(u32, u32)> {
        let first = self.cursor.unsigned("a binding")?.value;
        let Some(word) = self.cursor.peek_word() else { return Ok((0, first)) };
        let Some(digits) = word.value.strip_prefix(':') else { return Ok((0, first)) };
        let second = digits.parse().map_err(|_| Problem::error(word.span, "this is no binding"))?;
        self.cursor.advance();
        Ok((first, second))
    }

    /// Passes a type.
    pub(super) fn typed(&mut self, layout: Standard) -> Parsed<Typed> {
        let name = self.cursor.word("a type")?;
        Ok(Typed::new(data_type(name)?, layout))
    }

    /// The place in `bound` of the buffer at a set and binding, which may be new.
    fn bound_at(&mut self, place: (u32, u32), is_uniform: bool, span: Span) -> Parsed<usize> {
        if let Some(index) = self.places.get(&place).copied() {
            if self.bound[index].1.is_uniform != is_uniform {
                let message = "this binding is both a uniform and a storage buffer";
                return Err(Problem::error(span, message));
            }
            return Ok(index);
        }
        if self.bound.len() >= MAX_ATTACHED {
            let message = format!("a script has at most {MAX_ATTACHED} bindings");
            return Err(Problem::error(span, message));
        }
        let bound = self.new_bound(format!("{}:{}", place.0, place.1), is_uniform, span);
        self.bound.push((place, bound));
        self.places.insert(place, self.bound.len() - 1);
        Ok(self.bound.len() - 1)
    }

    /// The storage buffer at a set and binding, which is looked at up to byte `end` as elements of this type.
    pub(super) fn look_at(
        &mut self,
        place: (u32, u32),
        typed: &Typed,
        end: u64,
        span: Span,
    ) -> Parsed<BufferId> {
        let index = self.places.get(&place).copied().filter(|index| !self.bound[*index].1.is_uniform);
        let index = index.ok_or_else(|| {
            let message = format!("there is no storage buffer {}:{}", place.0, place.1);
            Problem::error(span, message)
        })?;
        let mut bound = self.bound[index].1;
        self.grow(&mut bound, typed, end, span)?;
        self.bound[index].1 = bound;
        Ok(bound.buffer)
    }

    fn new_bound(&mut self, name: String, is_uniform: bool, span: Span) -> Bound {
        let layout = if is_uniform { Standard::Std140 } else { Standard::Std430 };
        let buffer = self.add_buffer(Buffer {
            name,
            span,
            kind: BufferKind::Plain,
            format: DataFormat::Type(DataType::Scalar(Scalar::Int8)),
            is_array: false,
            layout,
            content: Content::Zero,
            count: None,
        });
        Bound { buffer, span, is_uniform, has_format: false, count: 0, end: 0 }
    }

    /// Lets a buffer reach up to byte `end`, and have this type if it has none.
    fn grow(&mut self, bound: &mut Bound, typed: &Typed, end: u64, span: Span) -> Parsed<()> {
        if end > MAX_DATA_BYTES {
            let message = format!("a buffer has at most {} MiB", MAX_DATA_BYTES >> 20);
            return Err(Problem::error(span, message));
        }
        bound.end = bound.end.max(end);
        if !bound.has_format {
            bound.has_format = true;
            let buffer = &mut self.script.buffers[bound.buffer.0];
            buffer.format = DataFormat::Type(typed.data_type.clone());
        }
        Ok(())
    }

    fn read_write(
        &mut self,
        typed: &Typed,
        index: usize,
        start: Span,
    ) -> Parsed<Spanned<Command>> {
        let mut bound = self.bound[index].1;
        let command = self.read_write_into(typed, &mut bound, start);
        self.bound[index].1 = bound;
        command
    }

    /// Reads `OFFSET VALUES`.
    fn read_write_into(
        &mut self,
        typed: &Typed,
        bound: &mut Bound,
        start: Span,
    ) -> Parsed<Spanned<Command>> {
        let offset = self.cursor.unsigned("the offset")?;
        let element = &typed.element;
        if offset.value % element.stride != 0 {
            let message = format!("the offset is no multiple of {}", element.stride);
            return Err(Problem::error(offset.span, message));
        }
        let mut bytes = Vec::new();
        for (at, value) in self.values(element, typed.rows)?.into_iter().enumerate() {
            let component = element.components[at % element.components.len()];
            let whole = at / element.components.len() * element.stride as usize;
            bytes.resize(whole + component.offset as usize, 0);
            let value = bits(value, component.scalar)?.to_le_bytes();
            bytes.extend_from_slice(&value[..component.scalar.size() as usize]);
        }
        let span = self.cursor.since(start);
        self.grow(bound, typed, u64::from(offset.value) + bytes.len() as u64, span)?;
        let bytes = Arc::from(bytes);
        let command = Command::Write { buffer: bound.buffer, offset: offset.value, bytes };
        Ok(Spanned::new(command, span))
    }

    /// Gives the buffers their sizes, and the pipelines the buffers.
    pub(super) fn finish_buffers(&mut self) -> Parsed<()> {
        let push_constant = self.push_constant;
        let all: Vec<_> = self.bound.iter().map(|(_, bound)| *bound).chain(push_constant).collect();
        for bound in all {
            let buffer = &mut self.script.buffers[bound.buffer.0];
            let stride = buffer.format.element(buffer.layout, false).stride;
            let elements = bound.end.div_ceil(u64::from(stride)).max(bound.count.into());
            self.budget.reserve(elements, stride, bound.span)?;
            buffer.count = u32::try_from(elements).ok();
        }
        let bindings = self.bound.iter().map(|((set, binding), bound)| {
            let range = BufferRange { buffer: bound.buffer, offset: 0, range: None };
            let resource =
                if bound.is_uniform { Resource::Uniform(range) } else { Resource::Storage(range) };
            Spanned::new(Binding { set: *set, binding: *binding, resource }, bound.span)
        });
        let bindings: Vec<_> = bindings.collect();
        let push_constant = push_constant.map(|bound| Spanned::new(bound.buffer, bound.span));
        for pipeline in &mut self.script.pipelines {
            pipeline.bindings.clone_from(&bindings);
            pipeline.push_constant.clone_from(&push_constant);
        }
        Ok(())
    }
}
