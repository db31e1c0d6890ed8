//! Builds the rows of draws: the vertex buffers of a pipeline combined, with every number as one of 32 or 64 bits.

use std::sync::Arc;

use case::bind::{BindStep, StoredColumn, VertexTable};
use case::{Setting, VertexColumn, VertexData, VertexStorage};
use half::f16;
use ir::source::Span;

use super::{Translated, Translator, broken, unsupported};
use crate::layout::{Component, Element};
use crate::syntax::data::{ChannelMode, ChannelName, DataFormat, Scalar};
use crate::syntax::pipeline::{InputRate, Pipeline, VertexBuffer};

/// Maximum number of rows of one draw.
const MAX_ROWS: usize = 1 << 20;

/// The numbers of one attribute.
struct Column {
    location: u32,
    storage: VertexStorage,
    components: u8,
    /// Bytes of each row.
    rows: Vec<Vec<u8>>,
    rate: InputRate,
    /// The rows in a storage buffer when a draw runs, if shaders may write them.
    stored: Option<StoredColumn>,
    span: Span,
}

/// Conversion of a number's bytes to a number of 32 or 64 bits.
#[derive(Clone, Copy)]
enum Reading {
    Plain,
    /// Divided by the largest number.
    Normalized,
    /// Converted to a float.
    Scaled,
}

impl Translator<'_> {
    /// Number of rows in the vertex buffers of a pipeline that advance per vertex.
    pub(super) fn row_count(&self, pipeline: &Pipeline) -> Translated<Option<u32>> {
        let mut least = None;
        for buffer in pipeline.vertex_buffers.iter().filter(|one| one.rate == InputRate::Vertex) {
            let count = u32::try_from(self.column(buffer)?.rows.len()).unwrap_or(u32::MAX);
            least = Some(least.map_or(count, |least: u32| least.min(count)));
        }
        Ok(least)
    }

    /// Numbers of the rows in the index buffer of a pipeline.
    pub(super) fn indices(&self, pipeline: &Pipeline) -> Translated<Vec<u32>> {
        let Some(index_buffer) = &pipeline.index_buffer else { return Ok(Vec::new()) };
        let buffer = &self.script.buffers[index_buffer.value.0];
        if self.made.contains(&index_buffer.value.0) {
            return Err(unsupported(index_buffer.span, "indices that shaders may write"));
        }
        let bytes = self.bytes_of(index_buffer.value)?;
        let element = buffer.format.element(buffer.layout, buffer.is_array);
        let size = match element.components[..] {
            [component] => component.scalar.size(),
            _ => 0,
        };
        if !matches!(size, 1 | 2 | 4) || element.stride != size {
            let message = "indices are numbers of 8, 16 or 32 bits";
            return Err(broken(index_buffer.span, message));
        }
        let size = usize::try_from(size).unwrap_or(4);
        let number = |bytes: &[u8]| {
            bytes.iter().rev().fold(0_u32, |number, byte| number << 8 | u32::from(*byte))
        };
        Ok(bytes.chunks_exact(size).map(number).collect())
    }

    /// Makes the vertex buffers of a pipeline the rows of the next draw. Attributes that advance per instance have the
    /// element of `instance` in all rows.
    pub(super) fn bind_vertices(
        &mut self,
        pipeline: &Pipeline,
        indices: Vec<u32>,
        instance: u32,
    ) -> Translated<()> {
        let columns = pipeline.vertex_buffers.iter().map(|buffer| self.column(buffer));
        let columns = columns.collect::<Translated<Vec<_>>>()?;
        let data = (!columns.is_empty()).then(|| joined(&columns, instance)).flatten();
        let numbered = columns.iter().enumerate();
        let stored =
            numbered.filter_map(|(column, own)| Some(StoredColumn { column, ..own.stored? }));
        let table = VertexTable { data, indices, stored: stored.collect() };
        self.push(Setting::Bind(BindStep::Vertices(Arc::new(table))))
    }

    /// Makes these positions, at location 0, the rows of the next draw.
    pub(super) fn bind_positions(&mut self, positions: &[[f32; 2]]) -> Translated<()> {
        let rows = positions.iter().map(|position| {
            position.iter().flat_map(|coordinate| coordinate.to_le_bytes()).collect()
        });
        let column = Column {
            location: 0,
            storage: VertexStorage::Float,
            components: 2,
            rows: rows.collect(),
            rate: InputRate::Vertex,
            stored: None,
            span: self.place,
        };
        let table = VertexTable { data: joined(&[column], 0), ..VertexTable::default() };
        self.push(Setting::Bind(BindStep::Vertices(Arc::new(table))))
    }

    fn column(&self, vertex: &VertexBuffer) -> Translated<Column> {
        let buffer = &self.script.buffers[vertex.buffer.0];
        let format = vertex.format.as_ref().unwrap_or(&buffer.format);
        let element = format.element(buffer.layout, buffer.is_array);
        let stride = usize::try_from(vertex.stride.unwrap_or(element.stride)).unwrap_or(usize::MAX);
        let first = usize::try_from(vertex.offset).unwrap_or(usize::MAX);
        let bytes = self.bytes_of(vertex.buffer)?;
        let bytes = bytes.get(first..).unwrap_or(&[]);
        let needed = needed_bytes(&element);
        let (reading, order) = reading_of(format);
        let found = storage_of(&element, reading).filter(|_| !is_packed_or_srgb(format));
        let Some((storage, convert)) = found else {
            return Err(unsupported(vertex.span, "vertex attributes of this format"));
        };
        let mut rows = Vec::new();
        let mut at = 0_usize;
        while let Some(row) = at.checked_add(needed).and_then(|end| bytes.get(at..end)) {
            if rows.len() >= MAX_ROWS {
                return Err(broken(vertex.span, format!("a draw has at most {MAX_ROWS} rows")));
            }
            rows.push(row_of(row, &element, &order, convert));
            if stride == 0 {
                break;
            }
            at = at.saturating_add(stride);
        }
        let stored = if self.made.contains(&vertex.buffer.0) {
            Some(Self::stored(vertex, &element, reading, stride)?)
        } else {
            None
        };
        let components = u8::try_from(element.components.len()).unwrap_or(u8::MAX);
        if !(1..=4).contains(&components) {
            return Err(unsupported(vertex.span, "vertex attributes with several locations"));
        }
        let (location, rate, span) = (vertex.location, vertex.rate, vertex.span);
        Ok(Column { location, storage, components, rows, rate, stored, span })
    }

    /// The stored rows of an attribute that shaders may write. The bytes are copied, so they must already be words.
    fn stored(
        vertex: &VertexBuffer,
        element: &Element,
        reading: Reading,
        stride: usize,
    ) -> Translated<StoredColumn> {
        let is_in_words = |(idx, one): (u32, &Component)| {
            one.scalar.size() == 4 && one.offset == idx * 4 && one.scalar != Scalar::Float16
        };
        let is_plain = matches!(reading, Reading::Plain)
            && (0..).zip(&element.components).all(is_in_words)
            && stride.is_multiple_of(4)
            && vertex.offset.is_multiple_of(4)
            && vertex.rate == InputRate::Vertex;
        if !is_plain {
            return Err(unsupported(vertex.span, "such vertices that shaders may write"));
        }
        let (buffer, offset) = (Self::point(vertex.buffer), vertex.offset);
        let stride = u32::try_from(stride).unwrap_or(u32::MAX);
        Ok(StoredColumn { column: 0, buffer, offset, stride })
    }
}

/// Bytes of an element up to its last number.
fn needed_bytes(element: &Element) -> usize {
    let ends = element.components.iter().map(|one| one.offset + one.scalar.size());
    usize::try_from(ends.max().unwrap_or(1)).unwrap_or(usize::MAX)
}

/// How the numbers of a format are read, and the index of each among red, green, blue and alpha.
fn reading_of(format: &DataFormat) -> (Reading, Vec<usize>) {
    let DataFormat::Pixel(format) = format else { return (Reading::Plain, Vec::new()) };
    let reading = match format.channels.first().map(|channel| channel.mode) {
        Some(ChannelMode::Unorm | ChannelMode::Snorm | ChannelMode::Srgb) => Reading::Normalized,
        Some(ChannelMode::Uscaled | ChannelMode::Sscaled) => Reading::Scaled,
        Some(ChannelMode::Uint | ChannelMode::Sint | ChannelMode::Sfloat | ChannelMode::Ufloat)
        | None => Reading::Plain,
    };
    let place = |name: ChannelName| match name {
        ChannelName::Green => 1,
        ChannelName::Blue => 2,
        ChannelName::Alpha => 3,
        ChannelName::Red | ChannelName::Depth | ChannelName::Stencil | ChannelName::Unused => 0,
    };
    let order = format.channels.iter().map(|channel| place(channel.name)).collect();
    (reading, order)
}

/// True for a format whose channels are not whole bytes, or not plain numbers.
fn is_packed_or_srgb(format: &DataFormat) -> bool {
    let DataFormat::Pixel(format) = format else { return false };
    let is_srgb = format.channels.iter().any(|channel| channel.mode == ChannelMode::Srgb);
    is_srgb || format.pack.is_some()
}

/// Converts the bytes of one number.
type Convert = fn(&[u8], Scalar) -> Vec<u8>;

fn storage_of(element: &Element, reading: Reading) -> Option<(VertexStorage, Convert)> {
    let scalar = element.components.first()?.scalar;
    if element.components.iter().any(|component| component.scalar != scalar) {
        return None;
    }
    let is_signed = matches!(scalar, Scalar::Int8 | Scalar::Int16 | Scalar::Int32 | Scalar::Int64);
    match reading {
        Reading::Normalized => Some((VertexStorage::Float, normalized)),
        Reading::Scaled => Some((VertexStorage::Float, scaled)),
        Reading::Plain => match scalar {
            Scalar::Float => Some((VertexStorage::Float, same)),
            Scalar::Float16 => Some((VertexStorage::Float, widened_half)),
            Scalar::Double => Some((VertexStorage::Double, same)),
            Scalar::Int64 => Some((VertexStorage::Int64, same)),
            Scalar::Uint64 => Some((VertexStorage::Uint64, same)),
            Scalar::Int8 | Scalar::Int16 | Scalar::Int32 if is_signed => {
                Some((VertexStorage::Int, widened))
            }
            Scalar::Int8
            | Scalar::Int16
            | Scalar::Int32
            | Scalar::Uint8
            | Scalar::Uint16
            | Scalar::Uint32 => Some((VertexStorage::Uint, widened)),
        },
    }
}

/// The numbers of a row in the order of the attribute's components.
fn row_of(row: &[u8], element: &Element, order: &[usize], convert: Convert) -> Vec<u8> {
    let mut numbers: Vec<(usize, Vec<u8>)> = Vec::new();
    for (idx, component) in element.components.iter().enumerate() {
        let first = usize::try_from(component.offset).unwrap_or(usize::MAX);
        let last = first.saturating_add(usize::try_from(component.scalar.size()).unwrap_or(0));
        let bytes = row.get(first..last).unwrap_or(&[]);
        let place = order.get(idx).copied().unwrap_or(idx);
        numbers.push((place, convert(bytes, component.scalar)));
    }
    numbers.sort_by_key(|(place, _)| *place);
    numbers.into_iter().flat_map(|(_, bytes)| bytes).collect()
}

fn integer(bytes: &[u8], scalar: Scalar) -> i64 {
    let bits = bytes.iter().rev().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
    let unused = 64 - 8 * scalar.size();
    match scalar {
        Scalar::Int8 | Scalar::Int16 | Scalar::Int32 | Scalar::Int64 => {
            (bits << unused).cast_signed() >> unused
        }
        Scalar::Uint8
        | Scalar::Uint16
        | Scalar::Uint32
        | Scalar::Uint64
        | Scalar::Float16
        | Scalar::Float
        | Scalar::Double => bits.cast_signed(),
    }
}

fn same(bytes: &[u8], _: Scalar) -> Vec<u8> {
    bytes.to_vec()
}

fn widened(bytes: &[u8], scalar: Scalar) -> Vec<u8> {
    integer(bytes, scalar).to_le_bytes()[..4].to_vec()
}

fn widened_half(bytes: &[u8], scalar: Scalar) -> Vec<u8> {
    let bits = u16::try_from(integer(bytes, scalar)).unwrap_or(0);
    f16::from_bits(bits).to_f32().to_le_bytes().to_vec()
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "numbers of at most 32 bits, rounded as a vertex fetch does"
)]
fn normalized(bytes: &[u8], scalar: Scalar) -> Vec<u8> {
    let is_signed = matches!(scalar, Scalar::Int8 | Scalar::Int16 | Scalar::Int32);
    let bits = 8 * scalar.size() - u32::from(is_signed);
    let largest = ((1_u64 << bits) - 1) as f64;
    ((integer(bytes, scalar) as f64 / largest).max(-1.0) as f32).to_le_bytes().to_vec()
}

#[expect(clippy::cast_precision_loss, reason = "a vertex fetch rounds as well")]
fn scaled(bytes: &[u8], scalar: Scalar) -> Vec<u8> {
    (integer(bytes, scalar) as f32).to_le_bytes().to_vec()
}

/// Joins all columns in one table; `None` if there are no rows.
fn joined(columns: &[Column], instance: u32) -> Option<VertexData> {
    let of_vertices = columns.iter().filter(|column| column.rate == InputRate::Vertex);
    let row_count = of_vertices.map(|column| column.rows.len()).min();
    // Without vertex buffers that advance per vertex, a draw may have any number of rows.
    let row_count = row_count.unwrap_or(MAX_ROWS.min(1 << 10));
    let mut table = VertexData {
        columns: Vec::new(),
        stride: 0,
        bytes: Vec::new(),
        row_count: u32::try_from(row_count).ok()?,
    };
    for column in columns {
        table.columns.push(VertexColumn {
            attribute: column.location.to_string(),
            element: 0,
            matrix_column: 0,
            storage: column.storage,
            components: column.components,
            is_integer: !matches!(column.storage, VertexStorage::Float | VertexStorage::Double),
            is_wide: column.storage.size() == 8,
            offset: table.stride,
            span: column.span,
        });
        table.stride += column.storage.size() * u32::from(column.components);
    }
    let instance = usize::try_from(instance).ok()?;
    for row in 0..row_count {
        for column in columns {
            let row = match column.rate {
                InputRate::Vertex => row,
                InputRate::Instance => instance,
            };
            let width = column.storage.size() as usize * usize::from(column.components);
            let zeros = || vec![0; width];
            table.bytes.extend(column.rows.get(row).cloned().unwrap_or_else(zeros));
        }
    }
    Some(table)
}
