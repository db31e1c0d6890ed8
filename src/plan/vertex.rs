//! Vertex data in the adapter's layout: one four-component vector of 32-bit scalars for each attribute location,
//! interleaved. Missing components and attributes have GL's current value: 0, 0, 0, 1, or one set by a command.

use std::ops::Range;

use half::f16;

use crate::error::Misfit;
use case::{VertexColumn, VertexData, VertexStorage};
use ir::interface::{ScalarKind, Type};
use link::table::binding::Attribute;

/// Size of the vector at one location.
pub const LOCATION_BYTES: usize = 16;

/// Scalar type of the vector at one location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VertexScalar {
    /// `f32`.
    Float,
    /// `i32`.
    Sint,
    /// `u32`.
    Uint,
    /// `f64`, as words in vectors of `u32`.
    Double,
    /// `i64`, as words.
    Sint64,
    /// `u64`, as words.
    Uint64,
}

impl VertexScalar {
    /// Number of 32-bit words of a scalar.
    pub(super) const fn words(self) -> usize {
        match self {
            Self::Float | Self::Sint | Self::Uint => 1,
            Self::Double | Self::Sint64 | Self::Uint64 => 2,
        }
    }
}

/// A vector that the vertex stage reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexLocation {
    /// WebGPU's shader location.
    pub location: u32,
    /// Scalar type.
    pub scalar: VertexScalar,
    /// True for the second half of a 64-bit vector, which follows the first in the row.
    is_second: bool,
    /// Bits of the current value, for vertices without data.
    unset: [u32; 4],
}

/// Layout of vertex rows, in the order of the program's attributes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VertexLayout {
    /// Locations; the n-th is at byte [`LOCATION_BYTES`] × n of the row.
    pub locations: Vec<VertexLocation>,
}

impl VertexLayout {
    /// The layout of rows for `attributes`.
    ///
    /// # Errors
    /// If no adapter supports an attribute's type.
    pub(super) fn new(attributes: &[Attribute]) -> Result<Self, Misfit> {
        let mut locations = Vec::new();
        for attribute in attributes {
            let mut vectors = attribute.vectors.iter();
            for leaf in attribute.ty.leaves() {
                let scalar = vertex_scalar(leaf.scalar).ok_or_else(|| {
                    let Attribute { name, ty, .. } = attribute;
                    Misfit(format!(
                        "attribute `{name}` is a {ty}, which WebGPU has no vertex format for"
                    ))
                })?;
                let count = leaf.words().div_ceil(4);
                for (half, location) in vectors.by_ref().take(count).enumerate() {
                    let (is_second, unset) = (half > 0, unset(attribute, scalar, half));
                    locations.push(VertexLocation {
                        location: *location,
                        scalar,
                        is_second,
                        unset,
                    });
                }
            }
        }
        Ok(Self { locations })
    }

    /// Bytes from one row to the next.
    pub const fn stride(&self) -> usize {
        self.locations.len() * LOCATION_BYTES
    }

    /// Sets the current value at `location`, if it is a float attribute.
    pub(super) fn set_unset(&mut self, location: u32, value: [f32; 4]) {
        let mut places = self.locations.iter_mut();
        if let Some(place) = places.find(|place| place.location == location)
            && place.scalar == VertexScalar::Float
        {
            place.unset = value.map(f32::to_bits);
        }
    }

    /// Makes `rows` rows of current values.
    pub(super) fn unset_rows(&self, rows: usize) -> Vec<u8> {
        let mut row = Vec::with_capacity(self.stride());
        for place in &self.locations {
            row.extend(place.unset.into_iter().flat_map(u32::to_le_bytes));
        }
        row.repeat(rows)
    }

    /// Bytes in a row of the vector at index `idx`, with its second half if there is one.
    fn bytes_of(&self, idx: usize) -> Range<usize> {
        let has_second = self.locations.get(idx + 1).is_some_and(|next| next.is_second);
        let count = if has_second { 2 } else { 1 };
        idx * LOCATION_BYTES..(idx + count) * LOCATION_BYTES
    }

    fn index_of(&self, location: u32) -> Option<usize> {
        self.locations.iter().position(|place| place.location == location && !place.is_second)
    }
}

/// Words of the current value 0, 0, 0, 1 of an attribute that nothing sets, in one of its vectors.
fn unset(attribute: &Attribute, scalar: VertexScalar, half: usize) -> [u32; 4] {
    let one = match scalar {
        VertexScalar::Float => return attribute.unset().map(f32::to_bits),
        VertexScalar::Sint | VertexScalar::Uint => return [0, 0, 0, 1],
        VertexScalar::Double => 1_f64.to_bits(),
        VertexScalar::Sint64 | VertexScalar::Uint64 => 1,
    };
    if half == 0 { [0; 4] } else { [0, 0, low_word(one), low_word(one >> 32)] }
}

/// Minimum number of attribute locations in OpenGL.
const MIN_ATTRIBUTES: u32 = 16;

/// The rule for columns at a location without an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnreadColumns {
    /// Unread columns are an error.
    Refused,
    /// Unread columns are ignored, as in GL.
    Ignored,
}

/// The rows of `[vertex data]`.
///
/// # Errors
/// If a column does not match any attribute.
pub(super) fn data_rows(
    layout: &VertexLayout,
    attributes: &[Attribute],
    data: &VertexData,
    unread: UnreadColumns,
) -> Result<Vec<u8>, Misfit> {
    let stride = usize::try_from(data.stride).unwrap_or(usize::MAX).max(1);
    let mut rows = layout.unset_rows(data.bytes.len() / stride);
    for column in &data.columns {
        let Some((idx, scalar)) = column_place(layout, attributes, column, unread)? else {
            continue;
        };
        let offset = usize::try_from(column.offset).unwrap_or(usize::MAX);
        for (row, source) in
            rows.chunks_exact_mut(layout.stride()).zip(data.bytes.chunks_exact(stride))
        {
            let cells = source.get(offset..).unwrap_or(&[]);
            write_cells(&mut row[layout.bytes_of(idx)], cells, column, scalar);
        }
    }
    Ok(rows)
}

/// Destination of a column: index and scalar type of the vector. `None` if the column is ignored.
///
/// # Errors
/// If the column does not match any attribute.
pub(super) fn column_place(
    layout: &VertexLayout,
    attributes: &[Attribute],
    column: &VertexColumn,
    unread: UnreadColumns,
) -> Result<Option<(usize, VertexScalar)>, Misfit> {
    let location = column_location(attributes, column)?;
    let Some(idx) = layout.index_of(location) else {
        if unread == UnreadColumns::Ignored && location < MIN_ATTRIBUTES {
            return Ok(None);
        }
        return Err(Misfit(format!("the vertex stage reads no attribute at location {location}")));
    };
    let scalar = layout.locations[idx].scalar;
    check_class(column, scalar)?;
    Ok(Some((idx, scalar)))
}

/// Rows for a rectangle: `positions` for the attribute that piglit draws rectangles with, and `texture` for texture
/// coordinates.
///
/// # Errors
/// One of these attributes is not of a float type.
pub(super) fn rect_rows(
    layout: &VertexLayout,
    attributes: &[Attribute],
    positions: [[f32; 2]; 4],
    texture: Option<[[f32; 2]; 4]>,
) -> Result<Vec<u8>, Misfit> {
    let mut rows = layout.unset_rows(positions.len());
    let named = |name| attributes.iter().find(|attribute| attribute.name == name);
    // In GL the position array is also generic attribute 0, whatever its name. Without any of the three, the vertex
    // stage computes positions from `gl_VertexID`.
    let first = || attributes.iter().find(|attribute| attribute.location == 0);
    if let Some(attribute) = named("piglit_vertex").or_else(|| named("gl_Vertex")).or_else(first) {
        write_corners(layout, &mut rows, attribute, positions)?;
    }
    let coordinates = named("piglit_texcoord").or_else(|| named("gl_MultiTexCoord0"));
    if let (Some(attribute), Some(texture)) = (coordinates, texture) {
        write_corners(layout, &mut rows, attribute, texture)?;
    }
    Ok(rows)
}

fn write_corners(
    layout: &VertexLayout,
    rows: &mut [u8],
    attribute: &Attribute,
    corners: [[f32; 2]; 4],
) -> Result<(), Misfit> {
    let Some(idx) = layout.index_of(attribute.location) else { return Ok(()) };
    if layout.locations[idx].scalar != VertexScalar::Float {
        return Err(Misfit(format!(
            "`{}` is not a float attribute, but `draw rect` gives it floats",
            attribute.name
        )));
    }
    for (row, [x, y]) in rows.chunks_exact_mut(layout.stride()).zip(corners) {
        let cells = [x, y, 0.0, 1.0].map(f32::to_le_bytes);
        row[idx * LOCATION_BYTES..][..LOCATION_BYTES].copy_from_slice(cells.as_flattened());
    }
    Ok(())
}

/// True if the column has values of one of the attributes.
pub(super) fn is_read(attributes: &[Attribute], column: &VertexColumn) -> bool {
    let is_at = |location: u32| {
        attributes.iter().any(|attribute| {
            let count = u32::try_from(attribute.location_count()).unwrap_or(u32::MAX);
            location.checked_sub(attribute.location).is_some_and(|at| at < count)
        })
    };
    column_location(attributes, column).is_ok_and(is_at)
}

fn column_location(attributes: &[Attribute], column: &VertexColumn) -> Result<u32, Misfit> {
    let name = &column.attribute;
    if let Some(attribute) = attributes.iter().find(|attribute| attribute.name == *name) {
        let columns = match attribute.ty.without_arrays() {
            Type::Matrix { columns, .. } => u32::from(*columns),
            Type::Scalar(_) | Type::Vector { .. } | Type::Struct(_) | Type::Array { .. } => 1,
        };
        let place = column.element.checked_mul(columns);
        let place = place.and_then(|place| place.checked_add(column.matrix_column));
        let count = u32::try_from(attribute.location_count()).unwrap_or(u32::MAX);
        return place
            .filter(|place| *place < count && (column.matrix_column < columns || columns == 1))
            .and_then(|place| place.checked_add(attribute.location))
            .ok_or_else(|| {
                Misfit(format!(
                    "`{name}` is a {}, which has no such element or column",
                    attribute.ty
                ))
            });
    }
    if let Ok(location) = name.parse::<u32>() {
        let location = location.checked_add(column.element);
        let location = location.and_then(|location| location.checked_add(column.matrix_column));
        return location.ok_or_else(|| Misfit(format!("location `{name}` is out of range")));
    }
    Err(unknown_attribute(attributes, name))
}

fn unknown_attribute(attributes: &[Attribute], name: &str) -> Misfit {
    let known: Vec<_> =
        attributes.iter().map(|attribute| format!("`{}`", attribute.name)).collect();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    Misfit(format!("`{name}` is not an attribute of the vertex stage; it has {known}"))
}

fn check_class(column: &VertexColumn, scalar: VertexScalar) -> Result<(), Misfit> {
    let name = &column.attribute;
    match scalar {
        VertexScalar::Float if column.is_integer => Err(Misfit(format!(
            "`{name}` is a float attribute, but its column in `[vertex data]` has integers"
        ))),
        VertexScalar::Sint | VertexScalar::Uint if !column.is_integer => Err(Misfit(format!(
            "`{name}` is an integer attribute, but its column in `[vertex data]` has floats"
        ))),
        VertexScalar::Double if column.storage != VertexStorage::Double => Err(Misfit(format!(
            "`{name}` is an attribute of doubles, but its column in `[vertex data]` is not"
        ))),
        VertexScalar::Sint64 | VertexScalar::Uint64
            if !matches!(column.storage, VertexStorage::Int64 | VertexStorage::Uint64) =>
        {
            Err(Misfit(format!(
                "`{name}` is an attribute of 64-bit integers, but its column in `[vertex data]` is not"
            )))
        }
        VertexScalar::Float
        | VertexScalar::Sint
        | VertexScalar::Uint
        | VertexScalar::Double
        | VertexScalar::Sint64
        | VertexScalar::Uint64 => Ok(()),
    }
}

const fn vertex_scalar(kind: ScalarKind) -> Option<VertexScalar> {
    match kind {
        ScalarKind::F32 => Some(VertexScalar::Float),
        ScalarKind::I32 => Some(VertexScalar::Sint),
        ScalarKind::U32 => Some(VertexScalar::Uint),
        ScalarKind::F64 => Some(VertexScalar::Double),
        ScalarKind::I64 => Some(VertexScalar::Sint64),
        ScalarKind::U64 => Some(VertexScalar::Uint64),
        ScalarKind::Bool => None,
    }
}

fn write_cells(place: &mut [u8], cells: &[u8], column: &VertexColumn, scalar: VertexScalar) {
    let size = column.storage.size() as usize;
    let cells = cells.chunks_exact(size);
    let count = usize::from(column.components.min(4));
    if scalar.words() == 2 {
        for (slot, cell) in place.chunks_exact_mut(8).zip(cells).take(count) {
            slot.copy_from_slice(cell);
        }
        return;
    }
    for (slot, cell) in place.chunks_exact_mut(4).zip(cells).take(count) {
        let word = match scalar {
            VertexScalar::Float => float_word(column.storage, cell),
            VertexScalar::Sint
            | VertexScalar::Uint
            | VertexScalar::Double
            | VertexScalar::Sint64
            | VertexScalar::Uint64 => integer_word(column.storage, cell),
        };
        slot.copy_from_slice(&word.to_le_bytes());
    }
}

/// Converts a number to a 32-bit float; integers are not normalised, and floats keep their bits.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "GL converts to the nearest single-precision float"
)]
fn float_word(storage: VertexStorage, cell: &[u8]) -> u32 {
    let bits = cell_bits(cell);
    let value = match storage {
        VertexStorage::Float => return low_word(bits),
        VertexStorage::Half => f16::from_bits(bits as u16).to_f32(),
        VertexStorage::Double => f64::from_bits(bits) as f32,
        VertexStorage::Ubyte
        | VertexStorage::Ushort
        | VertexStorage::Uint
        | VertexStorage::Uint64 => bits as f32,
        VertexStorage::Byte | VertexStorage::Short | VertexStorage::Int | VertexStorage::Int64 => {
            sign_extend(bits, cell.len()) as f32
        }
    };
    value.to_bits()
}

/// Widens a number to 32 bits. Floats keep their bits; no header allows them here.
fn integer_word(storage: VertexStorage, cell: &[u8]) -> u32 {
    let bits = cell_bits(cell);
    match storage {
        VertexStorage::Byte | VertexStorage::Short | VertexStorage::Int => {
            low_word(sign_extend(bits, cell.len()).cast_unsigned())
        }
        VertexStorage::Int64
        | VertexStorage::Uint64
        | VertexStorage::Ubyte
        | VertexStorage::Ushort
        | VertexStorage::Uint
        | VertexStorage::Half
        | VertexStorage::Float
        | VertexStorage::Double => low_word(bits),
    }
}

fn cell_bits(cell: &[u8]) -> u64 {
    cell.iter().rev().fold(0, |bits, byte| (bits << 8) | u64::from(*byte))
}

const fn sign_extend(bits: u64, size: usize) -> i64 {
    let unused = 64 - 8 * size;
    (bits << unused).cast_signed() >> unused
}

#[expect(clippy::cast_possible_truncation, reason = "the lowest 32 bits are meant")]
const fn low_word(bits: u64) -> u32 {
    bits as u32
}

#[cfg(test)]
mod tests {
    use fixture::column;

    use super::*;

    fn attribute(name: &str, ty: Type, location: u32) -> Attribute {
        Attribute::new(name, ty, location, &mut (8..))
    }

    fn vector(size: u8, scalar: ScalarKind) -> Type {
        Type::scalar_or_vector(size, scalar)
    }

    /// Checks the words of the rows from one column of `bytes`, or the error.
    #[track_caller]
    fn check(ty: Type, column: VertexColumn, bytes: &[u8], expected: Result<&[u32], &str>) {
        let attributes = [attribute("a", ty, 1)];
        let layout = VertexLayout::new(&attributes).expect("the types can be fetched");
        let stride = bytes.len().try_into().expect("a short row");
        let data =
            VertexData { columns: vec![column], stride, bytes: bytes.to_vec(), row_count: 1 };
        let rows = data_rows(&layout, &attributes, &data, UnreadColumns::Refused);
        let words = rows.map(|rows| bytemuck::pod_collect_to_vec::<u8, u32>(&rows));
        assert_eq!(words, expected.map(<[u32]>::to_vec).map_err(|text| Misfit(text.to_owned())));
    }

    #[test]
    fn components_that_are_missing_are_0_0_0_1() {
        let bits = 2.5_f32.to_bits();
        let column = column("a", VertexStorage::Float, 1);
        let words = [bits, 0, 0, 1_f32.to_bits()];
        check(vector(4, ScalarKind::F32), column, &bits.to_le_bytes(), Ok(&words));
    }

    #[test]
    fn doubles_keep_their_bits_and_take_two_words_each() {
        let double = |count| column("a", VertexStorage::Double, count);
        let (bits, one) = (0xfff0_0000_0000_0001_u64, 1_f64.to_bits());
        let words = [1, 0xfff0_0000, 0, 0, 0, 0, 0, 0x3ff0_0000];
        check(vector(4, ScalarKind::F64), double(1), &bits.to_le_bytes(), Ok(&words));
        let bytes = [one, bits].map(u64::to_le_bytes).concat();
        let words = [0, 0x3ff0_0000, 1, 0xfff0_0000];
        check(vector(2, ScalarKind::F64), double(2), &bytes, Ok(&words));
        let integers = VertexColumn { is_integer: true, ..column("a", VertexStorage::Uint64, 1) };
        let words = [1, 0xfff0_0000, 0, 0, 0, 0, 1, 0];
        check(vector(3, ScalarKind::I64), integers, &bits.to_le_bytes(), Ok(&words));
    }

    #[test]
    fn components_that_an_attribute_lacks_are_dropped() {
        let attributes =
            [attribute("a", vector(1, ScalarKind::F64), 1), attribute("b", Type::F32, 2)];
        let layout = VertexLayout::new(&attributes).expect("the types can be fetched");
        let columns = vec![
            column("b", VertexStorage::Float, 1),
            VertexColumn { offset: 4, ..column("a", VertexStorage::Double, 4) },
        ];
        let bytes = [2.5_f32.to_le_bytes().to_vec(), [7_u8; 32].to_vec()].concat();
        let data = VertexData { columns, stride: 36, bytes, row_count: 1 };
        let rows = data_rows(&layout, &attributes, &data, UnreadColumns::Refused);
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&rows.expect("the columns are right"));
        assert_eq!(words[4..], [2.5_f32.to_bits(), 0, 0, 1_f32.to_bits()]);
    }

    #[test]
    fn bit_patterns_of_floats_survive() {
        let column = column("a", VertexStorage::Float, 1);
        let words = [0x7f80_0001, 0, 0, 1_f32.to_bits()];
        check(Type::F32, column, &0x7f80_0001_u32.to_le_bytes(), Ok(&words));
    }

    #[test]
    fn integer_storage_of_float_attributes_is_not_normalised() {
        let one = 1_f32.to_bits();
        let words = [(-2_f32).to_bits(), 3_f32.to_bits(), 0, one];
        check(Type::F32, column("a", VertexStorage::Byte, 2), &[0xfe, 3], Ok(&words));
        let words = [254_f32.to_bits(), 3_f32.to_bits(), 0, one];
        check(Type::F32, column("a", VertexStorage::Ubyte, 2), &[0xfe, 3], Ok(&words));
        let words = [one, 0, 0, one];
        check(
            Type::F32,
            column("a", VertexStorage::Half, 1),
            &0x3c00_u16.to_le_bytes(),
            Ok(&words),
        );
        let bytes = 1_f64.to_le_bytes();
        check(Type::F32, column("a", VertexStorage::Double, 1), &bytes, Ok(&words));
    }

    #[test]
    fn integer_attributes_widen_with_their_sign() {
        let integer = |storage| VertexColumn { is_integer: true, ..column("a", storage, 1) };
        let ty = Type::Scalar(ScalarKind::I32);
        let bytes = (-2_i16).to_le_bytes();
        check(ty.clone(), integer(VertexStorage::Short), &bytes, Ok(&[0xffff_fffe, 0, 0, 1]));
        check(ty, integer(VertexStorage::Ushort), &bytes, Ok(&[0xfffe, 0, 0, 1]));
    }

    #[test]
    fn a_column_of_the_wrong_class_is_an_error() {
        let message = "`a` is an integer attribute, but its column in `[vertex data]` has floats";
        let column = column("a", VertexStorage::Float, 1);
        check(Type::Scalar(ScalarKind::U32), column, &[0; 4], Err(message));
    }

    #[test]
    fn a_column_of_32_bits_does_not_fill_an_attribute_of_64() {
        let message = "`a` is an attribute of doubles, but its column in `[vertex data]` is not";
        let float = column("a", VertexStorage::Float, 1);
        check(Type::Scalar(ScalarKind::F64), float, &[0; 4], Err(message));
        let message =
            "`a` is an attribute of 64-bit integers, but its column in `[vertex data]` is not";
        for scalar in [ScalarKind::I64, ScalarKind::U64] {
            let int = VertexColumn { is_integer: true, ..column("a", VertexStorage::Int, 1) };
            check(Type::Scalar(scalar), int, &[0; 4], Err(message));
            let double = column("a", VertexStorage::Double, 1);
            check(Type::Scalar(scalar), double, &[0; 8], Err(message));
        }
    }

    #[test]
    fn an_unknown_attribute_is_an_error_that_lists_the_known_ones() {
        let message = "`b` is not an attribute of the vertex stage; it has `a`";
        check(Type::F32, column("b", VertexStorage::Float, 1), &[0; 4], Err(message));
    }

    #[test]
    fn columns_of_matrix_arrays_have_consecutive_locations() {
        let ty = Type::Matrix { columns: 2, rows: 2, scalar: ScalarKind::F32 }.array(2);
        let attributes = [attribute("m", ty, 3)];
        let place = |element, matrix_column| {
            let column =
                VertexColumn { element, matrix_column, ..column("m", VertexStorage::Float, 2) };
            column_location(&attributes, &column)
        };
        assert_eq!(place(1, 1), Ok(6));
        let misfit = Misfit("`m` is a mat2[2], which has no such element or column".to_owned());
        assert_eq!(place(2, 0), Err(misfit.clone()));
        assert_eq!(place(0, 2), Err(misfit));
    }

    #[test]
    fn a_rect_goes_to_piglits_attribute_and_leaves_the_others_unset() {
        let attributes = [
            attribute("uv", vector(2, ScalarKind::F32), 0),
            attribute("piglit_vertex", Type::F32, 4),
        ];
        let layout = VertexLayout::new(&attributes).expect("the types can be fetched");
        let rows = rect_rows(&layout, &attributes, [[2.0, 3.0]; 4], None).expect("it is of floats");
        let words: Vec<f32> = bytemuck::pod_collect_to_vec(&rows[..32]);
        assert_eq!(words, [0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.0, 1.0]);
        assert_eq!(rows.len(), 4 * 32);
    }
}
