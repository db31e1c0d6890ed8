//! Reads `[vertex data]` and `[indices]`.

use ir::scalar::Number;
use ir::source::{Span, Spanned};

use super::Reader;
use super::data_type::column_type;
use crate::layout::Element;
use crate::read::format::pixel_format;
use crate::read::text::at::At;
use crate::read::text::cursor::Cursor;
use crate::read::text::limits::MAX_ATTACHED;
use crate::read::text::number::bits;
use crate::read::text::problem::{Parsed, Problem, shown};
use crate::syntax::data::{DataFormat, DataType, Scalar, Standard};
use crate::syntax::pipeline::{InputRate, VertexBuffer};
use crate::syntax::{Buffer, BufferId, BufferKind, Content};

/// A column of the table.
struct Column {
    location: u32,
    format: DataFormat,
    element: Element,
    span: Span,
    data: Vec<u8>,
}

/// A format with the same bytes whose channels are separate numbers, if there is one.
fn unpacked(format: DataFormat) -> DataFormat {
    let DataFormat::Pixel(packed) = &format else { return format };
    let mode = packed.name.strip_prefix("A8B8G8R8_").and_then(|rest| rest.strip_suffix("_PACK32"));
    let same = mode.and_then(|mode| pixel_format(&format!("R8G8B8A8_{mode}")));
    same.map_or(format, DataFormat::Pixel)
}

impl Reader<'_> {
    /// Reads `[indices]`.
    pub(super) fn read_indices(&mut self, header: Span, body: Span) -> Parsed<()> {
        self.cursor = Cursor::new(self.text, body);
        let mut data = Vec::new();
        loop {
            self.cursor.skip_empty_lines();
            if self.cursor.is_text_end() {
                break;
            }
            let index = self.cursor.unsigned("an index")?.value;
            data.extend_from_slice(&index.to_le_bytes());
        }
        if data.is_empty() {
            return Ok(());
        }
        let format = DataFormat::Type(DataType::Scalar(Scalar::Uint32));
        let buffer = self.add_filled("indices".to_owned(), header, format, data)?;
        self.index_buffer = Some(Spanned::new(buffer, header));
        Ok(())
    }

    /// The indices, each with `first_vertex` added.
    pub(super) fn indices_from(
        &mut self,
        first_vertex: u32,
        span: Span,
    ) -> Parsed<Option<Spanned<BufferId>>> {
        let Some(indices) = self.index_buffer.clone().filter(|_| first_vertex > 0) else {
            return Ok(self.index_buffer.clone());
        };
        let Content::Bytes(bytes) = &self.script.buffers[indices.value.0].content else {
            return Ok(Some(indices));
        };
        let mut shifted = Vec::with_capacity(bytes.len());
        for index in bytes.chunks_exact(4) {
            let index = index.iter().rev().fold(0_u64, |index, byte| index << 8 | u64::from(*byte));
            let index = u32::try_from(index + u64::from(first_vertex));
            let index = index.map_err(|_| Problem::error(span, "there is no such vertex"))?;
            shifted.extend_from_slice(&index.to_le_bytes());
        }
        let format = DataFormat::Type(DataType::Scalar(Scalar::Uint32));
        let name = format!("indices + {first_vertex}");
        let buffer = self.add_filled(name, indices.span, format, shifted)?;
        Ok(Some(Spanned::new(buffer, indices.span)))
    }

    /// Reads `[vertex data]`: a line with the columns, and a line for every vertex.
    pub(super) fn read_vertex_data(&mut self, header: Span, body: Span) -> Parsed<()> {
        self.cursor = Cursor::new(self.text, body);
        self.cursor.skip_empty_lines();
        let mut columns: Vec<Column> = Vec::new();
        while !self.cursor.is_line_end() {
            let column = self.read_column()?;
            if columns.iter().any(|other| other.location == column.location) {
                let message = format!("there is a column for location {} already", column.location);
                return Err(Problem::error(column.span, message));
            }
            if columns.len() >= MAX_ATTACHED {
                let message = format!("there are at most {MAX_ATTACHED} columns");
                return Err(Problem::error(column.span, message));
            }
            columns.push(column);
        }
        loop {
            self.cursor.skip_empty_lines();
            if self.cursor.is_text_end() {
                break;
            }
            for column in &mut columns {
                self.read_cell(column)?;
            }
            self.cursor.finish_line()?;
        }
        for column in columns {
            let Column { location, format, span, data, .. } = column;
            let name = format!("vertices {location}");
            let buffer = self.add_filled(name, header, format, data)?;
            let rate = InputRate::Vertex;
            let vertices = VertexBuffer {
                buffer,
                location,
                rate,
                format: None,
                offset: 0,
                stride: None,
                span,
            };
            self.vertex_buffers.push(vertices);
        }
        Ok(())
    }

    /// Reads `LOCATION/FORMAT` or `LOCATION/TYPE/TYPE`.
    fn read_column(&mut self) -> Parsed<Column> {
        let location = self.cursor.unsigned("the location of a column")?;
        let word = self.cursor.word("`/` and the format of the column")?;
        let span = location.span.to(word.span);
        let found = word.value.strip_prefix('/').and_then(|name| match name.split_once('/') {
            Some((stored, shader)) => column_type(stored, shader).map(DataFormat::Type),
            None => pixel_format(name).map(DataFormat::Pixel),
        });
        let format = found.ok_or_else(|| {
            let message = format!("`{}` is no format of a column", shown(word.value));
            Problem::error(word.span, message)
        })?;
        let element = format.element(Standard::Std430, false);
        if element.components.is_empty() {
            return Err(Problem::unsupported("data with depths of 24 bits", word.span));
        }
        let format = unpacked(format);
        Ok(Column { location: location.value, format, element, span, data: Vec::new() })
    }

    /// Reads the numbers of one vertex for one column.
    fn read_cell(&mut self, column: &mut Column) -> Parsed<()> {
        let start = column.data.len();
        column.data.resize(start + column.element.stride as usize, 0);
        for component in &column.element.components {
            let number = self.cursor.number("a number")?;
            let bytes = bits(number, component.scalar)?.to_le_bytes();
            let at = start + component.offset as usize;
            let size = component.scalar.size() as usize;
            column.data[at..at + size].copy_from_slice(&bytes[..size]);
        }
        Ok(())
    }

    /// Adds a buffer with these bytes, which are elements of this format.
    fn add_filled(
        &mut self,
        name: String,
        span: Span,
        format: DataFormat,
        data: Vec<u8>,
    ) -> Parsed<BufferId> {
        let stride = format.element(Standard::Std430, false).stride;
        let count = u32::try_from(data.len() / stride as usize).unwrap_or(u32::MAX);
        self.budget.reserve(count.into(), stride, span)?;
        Ok(self.add_buffer(Buffer {
            name,
            span,
            kind: BufferKind::Plain,
            format,
            is_array: false,
            layout: Standard::Std430,
            content: Content::Bytes(data.into()),
            count: Some(count),
        }))
    }

    /// Reads numbers up to the end of the line, for consecutive numbers of elements.
    pub(super) fn values(&mut self, element: &Element, rows: usize) -> Parsed<Vec<At<Number>>> {
        let start = self.cursor.peek().span;
        let mut values = Vec::new();
        while !self.cursor.is_line_end() || values.is_empty() {
            let value = self.cursor.number("a number")?;
            let scalar = element.components[values.len() % element.components.len()].scalar;
            bits(value, scalar)?;
            values.push(value);
        }
        if values.len() % rows != 0 {
            let message = format!("the number of values is no multiple of {rows}");
            return Err(Problem::error(self.cursor.since(start), message));
        }
        Ok(values)
    }
}
