//! Reads `ssbo …`, `ubo …`, `uniform …` and `push …`: buffers, and the values written into them.

use std::sync::Arc;

use ir::source::{Span, Spanned};

use super::Reader;
use super::data_type::data_type;
use crate::layout::Element;
use crate::read::text::limits::{MAX_ATTACHED, MAX_DATA_BYTES};
use crate::read::text::number::bits;
use crate::read::text::problem::{Parsed, Problem};
use crate::syntax::command::Command;
use crate::syntax::data::{DataFormat, DataType, Scalar, Standard};
use crate::syntax::pipeline::{Binding, BufferRange, Resource};
use crate::syntax::{Buffer, BufferId, BufferKind, Content};

/// A buffer whose size is known only at the end of the script.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// The buffer.
    pub(super) buffer: BufferId,
    /// Position where the buffer is named first.
    pub(super) span: Span,
    is_uniform: bool,
    /// True if the type of the elements is known.
    has_format: bool,
    /// Number of elements from `ssbo B SIZE`.
    count: u32,
    /// One past the last byte that is written.
    end: u64,
    /// One past the last byte that is probed, and the position of the probe.
    seen: (u64, Span),
}

/// Layout of elements in buffers of one kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    standard: Standard,
    /// True if `layout` set it. Elements then belong to an array, which std140 aligns like a vec4.
    is_own: bool,
    /// `row_major`: true if the numbers of a row of a matrix are adjacent.
    is_by_rows: bool,
}

/// Layout of elements in buffers of each kind, as set by the last `layout`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layouts {
    /// Storage buffers.
    pub(super) storage: Layout,
    uniform: Layout,
    push: Layout,
}

impl Default for Layouts {
    fn default() -> Self {
        let of = |standard| Layout { standard, is_own: false, is_by_rows: false };
        let (std140, std430) = (of(Standard::Std140), of(Standard::Std430));
        Self { storage: std430, uniform: std140, push: std430 }
    }
}

/// A type with the layout of its elements.
pub(super) struct Typed {
    /// The type.
    pub(super) data_type: DataType,
    /// The layout.
    pub(super) element: Element,
    /// Numbers that form a unit: those of a column.
    pub(super) rows: usize,
    /// True if `layout` set the layout.
    pub(super) has_own_layout: bool,
    /// True for a matrix stored row by row.
    is_by_rows: bool,
}

impl Typed {
    fn new(data_type: DataType, layout: Layout) -> Self {
        let rows = match &data_type {
            DataType::Scalar(_) | DataType::Struct(_) => 1,
            DataType::Vector(rows, _) | DataType::Matrix { rows, .. } => usize::from(*rows),
        };
        let element = match &data_type {
            DataType::Matrix { columns, rows, scalar } if layout.is_by_rows => {
                by_rows([*columns, *rows], *scalar, layout.standard)
            }
            DataType::Scalar(_)
            | DataType::Vector(..)
            | DataType::Matrix { .. }
            | DataType::Struct(_) => {
                DataFormat::Type(data_type.clone()).element(layout.standard, layout.is_own)
            }
        };
        let is_by_rows = layout.is_by_rows && matches!(data_type, DataType::Matrix { .. });
        Self { data_type, element, rows, has_own_layout: layout.is_own, is_by_rows }
    }

    /// Offset and type of the number at an index, counted over all elements.
    pub(super) fn cell(&self, index: usize) -> (u64, Scalar) {
        let components = &self.element.components;
        let component = components[index % components.len()];
        let whole = u64::try_from(index / components.len()).unwrap_or(u64::MAX);
        let start = whole.saturating_mul(u64::from(self.element.stride));
        (start.saturating_add(u64::from(component.offset)), component.scalar)
    }

    /// One past the last byte of `count` numbers.
    pub(super) fn end(&self, count: usize) -> u64 {
        // Only numbers of the same element may end after the last number.
        let first = count.saturating_sub(self.element.components.len());
        let ends = (first..count).map(|at| {
            let (offset, scalar) = self.cell(at);
            offset.saturating_add(u64::from(scalar.size()))
        });
        ends.max().unwrap_or(0)
    }

    /// True if the numbers are floats.
    pub(super) fn is_float(&self) -> bool {
        self.element.components.iter().all(|component| component.scalar.is_float())
    }
}

/// Layout of a matrix stored row by row. Its numbers are still listed column by column.
fn by_rows([columns, rows]: [u8; 2], scalar: Scalar, standard: Standard) -> Element {
    let turned = DataType::Matrix { columns: rows, rows: columns, scalar };
    let Element { stride, components } = DataFormat::Type(turned).element(standard, true);
    let [columns, rows] = [columns, rows].map(usize::from);
    let place = |index: usize| index % rows * columns + index / rows;
    Element { stride, components: (0..components.len()).map(|at| components[place(at)]).collect() }
}

impl Reader<'_> {
    /// Reads the rest of an `ssbo` line: `BINDING SIZE`, `BINDING subdata TYPE OFFSET VALUES` or `layout …`. The size
    /// is in elements, as in Amber.
    pub(super) fn read_storage(&mut self, start: Span) -> Parsed<()> {
        if self.cursor.accept("layout") {
            self.layouts.storage = self.read_layout(Standard::Std430)?;
            return Ok(());
        }
        let place = self.set_and_binding()?;
        if self.cursor.accept("subdata") {
            return self.read_subdata(place, false, self.layouts.storage, start);
        }
        let index = self.bound_at(place, false, start)?;
        let count = self.cursor.unsigned("the size")?.value;
        let bound = &mut self.bound[index].1;
        bound.count = bound.count.max(count);
        Ok(())
    }

    /// Reads the rest of a `ubo` line, which is like that of `ssbo`. Only `VkRunner` has this word, so elements have
    /// the layout of an array, and the size is in bytes.
    pub(super) fn read_uniform_buffer(&mut self, start: Span) -> Parsed<()> {
        if self.cursor.accept("layout") {
            self.layouts.uniform = self.read_layout(Standard::Std140)?;
            return Ok(());
        }
        let place = self.set_and_binding()?;
        if self.cursor.accept("subdata") {
            let layout = Layout { is_own: true, ..self.layouts.uniform };
            return self.read_subdata(place, true, layout, start);
        }
        let index = self.bound_at(place, true, start)?;
        let size = self.cursor.unsigned("the size")?;
        if u64::from(size.value) > MAX_DATA_BYTES {
            return Err(too_large(size.span));
        }
        let bound = &mut self.bound[index].1;
        bound.end = bound.end.max(size.value.into());
        Ok(())
    }

    /// Reads the rest of a `uniform` line: `ubo BINDING TYPE OFFSET VALUES` or `TYPE OFFSET VALUES`.
    pub(super) fn read_uniform(&mut self, start: Span) -> Parsed<()> {
        if self.cursor.accept("ubo") {
            let place = self.set_and_binding()?;
            return self.read_subdata(place, true, self.layouts.uniform, start);
        }
        self.read_constants(start)
    }

    /// Reads the rest of a `push` line: `TYPE OFFSET VALUES` or `layout …`.
    pub(super) fn read_push(&mut self, start: Span) -> Parsed<()> {
        if self.cursor.accept("layout") {
            self.layouts.push = self.read_layout(Standard::Std430)?;
            return Ok(());
        }
        self.read_constants(start)
    }

    fn read_constants(&mut self, start: Span) -> Parsed<()> {
        let typed = self.typed(self.layouts.push)?;
        let mut bound = match self.push_constant {
            Some(bound) => bound,
            None => self.new_bound("push_constant".to_owned(), false, start),
        };
        let command = self.read_write(&typed, &mut bound, start)?;
        self.push_constant = Some(bound);
        self.script.commands.push(command);
        Ok(())
    }

    fn read_subdata(
        &mut self,
        place: [u32; 2],
        is_uniform: bool,
        layout: Layout,
        start: Span,
    ) -> Parsed<()> {
        let typed = self.typed(layout)?;
        let index = self.bound_at(place, is_uniform, start)?;
        let mut bound = self.bound[index].1;
        let command = self.read_write(&typed, &mut bound, start)?;
        self.bound[index].1 = bound;
        self.script.commands.push(command);
        Ok(())
    }

    /// Reads `[std140 | std430] [row_major | column_major]`.
    fn read_layout(&mut self, default: Standard) -> Parsed<Layout> {
        let mut layout = Layout { standard: default, is_own: true, is_by_rows: false };
        while !self.cursor.is_line_end() {
            let word = self.cursor.word("a layout")?;
            match word.value {
                "std140" => layout.standard = Standard::Std140,
                "std430" => layout.standard = Standard::Std430,
                "column_major" => layout.is_by_rows = false,
                "row_major" => layout.is_by_rows = true,
                _ => {
                    let known = ["std140", "std430", "column_major", "row_major"];
                    return Err(Problem::unknown("layout", word, known));
                }
            }
        }
        Ok(layout)
    }

    /// Consumes `BINDING` or `SET:BINDING`.
    pub(super) fn set_and_binding(&mut self) -> Parsed<[u32; 2]> {
        let first = self.cursor.unsigned("a binding")?.value;
        let Some(word) = self.cursor.peek_word() else { return Ok([0, first]) };
        let Some(digits) = word.value.strip_prefix(':') else { return Ok([0, first]) };
        let second = digits.parse().map_err(|_| Problem::error(word.span, "this is no binding"))?;
        self.cursor.advance();
        Ok([first, second])
    }

    /// Consumes a type.
    pub(super) fn typed(&mut self, layout: Layout) -> Parsed<Typed> {
        let name = self.cursor.word("a type")?;
        Ok(Typed::new(data_type(name)?, layout))
    }

    /// Consumes the offset of numbers of a type.
    pub(super) fn offset(&mut self, typed: &Typed) -> Parsed<u32> {
        let offset = self.cursor.unsigned("the offset")?;
        let (_, scalar) = typed.cell(0);
        if !offset.value.is_multiple_of(scalar.size()) {
            let message = format!("the offset is no multiple of {}", scalar.size());
            return Err(Problem::error(offset.span, message));
        }
        Ok(offset.value)
    }

    /// The index in `bound` of the buffer at a set and binding, which is added if it is new.
    fn bound_at(&mut self, place: [u32; 2], is_uniform: bool, span: Span) -> Parsed<usize> {
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
        let bound = self.new_bound(format!("{}:{}", place[0], place[1]), is_uniform, span);
        self.bound.push((place, bound));
        self.places.insert(place, self.bound.len() - 1);
        Ok(self.bound.len() - 1)
    }

    /// The storage buffer at a set and binding, of which the bytes up to `end` are probed as elements of this type.
    pub(super) fn look_at(
        &mut self,
        place: [u32; 2],
        typed: &Typed,
        end: u64,
        span: Span,
    ) -> Parsed<BufferId> {
        let is_storage = |index: &usize| !self.bound[*index].1.is_uniform;
        let Some(index) = self.places.get(&place).copied().filter(is_storage) else {
            let message = format!("there is no storage buffer {}:{}", place[0], place[1]);
            return Err(Problem::error(span, message));
        };
        let mut bound = self.bound[index].1;
        self.give_format(&mut bound, typed);
        if end > bound.seen.0 {
            bound.seen = (end, span);
        }
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
        Bound { buffer, span, is_uniform, has_format: false, count: 0, end: 0, seen: (0, span) }
    }

    /// Sets the type of a buffer's elements, unless it has one.
    fn give_format(&mut self, bound: &mut Bound, typed: &Typed) {
        if !bound.has_format {
            bound.has_format = true;
            let buffer = &mut self.script.buffers[bound.buffer.0];
            buffer.format = DataFormat::Type(typed.data_type.clone());
        }
    }

    /// Reads `OFFSET VALUES`.
    fn read_write(
        &mut self,
        typed: &Typed,
        bound: &mut Bound,
        start: Span,
    ) -> Parsed<Spanned<Command>> {
        let offset = self.offset(typed)?;
        let place = self.cursor.peek().span;
        let values = self.values(&typed.element, typed.rows)?;
        let end = usize::try_from(typed.end(values.len())).unwrap_or(usize::MAX);
        let mut bytes = vec![0; end];
        for (at, value) in values.iter().enumerate() {
            let (offset, scalar) = typed.cell(at);
            let first = usize::try_from(offset).unwrap_or(usize::MAX);
            let size = scalar.size() as usize;
            bytes[first..first + size]
                .copy_from_slice(&bits(*value, scalar)?.to_le_bytes()[..size]);
        }
        if typed.is_by_rows && !values.len().is_multiple_of(typed.element.components.len()) {
            let message = "matrices by rows are written as wholes";
            return Err(Problem::error(self.cursor.since(place), message));
        }
        let span = self.cursor.since(start);
        let end = u64::from(offset) + bytes.len() as u64;
        if end > MAX_DATA_BYTES {
            return Err(too_large(span));
        }
        bound.end = bound.end.max(end);
        self.give_format(bound, typed);
        let command = Command::Write { buffer: bound.buffer, offset, bytes: Arc::from(bytes) };
        Ok(Spanned::new(command, span))
    }

    /// Sets the sizes of the buffers, and adds them to the pipelines.
    pub(super) fn finish_buffers(&mut self) -> Parsed<()> {
        let push_constant = self.push_constant;
        let all: Vec<_> = self.bound.iter().map(|(_, bound)| *bound).chain(push_constant).collect();
        for bound in all {
            let buffer = &mut self.script.buffers[bound.buffer.0];
            let stride = buffer.format.element(buffer.layout, false).stride;
            let elements = bound.end.div_ceil(u64::from(stride)).max(bound.count.into());
            let bytes = self.budget.reserve(elements, stride, bound.span)?;
            let (seen, span) = bound.seen;
            if seen > bytes as u64 {
                let message = format!("the buffer has {bytes} bytes, and this is behind them");
                return Err(Problem::error(span, message));
            }
            buffer.count = u32::try_from(elements).ok();
        }
        let bindings = self.bound.iter().map(|([set, binding], bound)| {
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

fn too_large(span: Span) -> Problem {
    Problem::error(span, format!("a buffer has at most {} MiB", MAX_DATA_BYTES >> 20))
}
