//! The std140 and std430 layouts (OpenGL 4.6, §7.6.2.2), and `scalar` (`GL_EXT_scalar_block_layout`).
//!
//! A scalar aligns to its size N, a two-component vector to 2N, three and four components to 4N. An array's
//! alignment and stride are its element's size rounded up to the element's alignment; a matrix is an array of its
//! columns, or rows when row-major; a struct aligns to its strictest member and its size is rounded up to that.
//! std140 rounds alignment and stride of arrays and structs up to 16. In `scalar` every vector aligns like its scalars.

use crate::interface::{ScalarKind, Type};
use crate::layout::{BlockLayout, Shape};

/// Layout standard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standard {
    /// std140, the default for uniform blocks.
    #[default]
    Std140,
    /// std430: no padding of arrays and structs to 16 bytes.
    Std430,
    /// scalar: no padding except for the alignment of 64-bit scalars.
    Scalar,
}

/// Matrix order in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MatrixOrder {
    /// The default.
    #[default]
    ColumnMajor,
    /// `layout(row_major)`.
    RowMajor,
}

/// The layout of `ty` with one matrix order throughout.
pub fn layout_of(ty: &Type, standard: Standard, order: MatrixOrder) -> BlockLayout {
    match ty {
        Type::Scalar(scalar) => leaf(1, *scalar, standard),
        Type::Vector { size, scalar } => leaf(*size, *scalar, standard),
        Type::Matrix { columns, rows, scalar } => {
            let (count, vector) = match order {
                MatrixOrder::ColumnMajor => (*columns, leaf(*rows, *scalar, standard)),
                MatrixOrder::RowMajor => (*rows, leaf(*columns, *scalar, standard)),
            };
            let array = array_of(vector, u32::from(count), standard);
            let stride = array.size / u32::from(count);
            let shape = Shape::Matrix { stride, is_row_major: order == MatrixOrder::RowMajor };
            BlockLayout { shape, ..array }
        }
        Type::Array { element, length } => {
            array_of(layout_of(element, standard, order), *length, standard)
        }
        Type::Struct(ty) => {
            let members = ty.members.iter().map(|member| layout_of(&member.ty, standard, order));
            struct_of(members, standard)
        }
    }
}

/// Layout of a struct with these members in order.
pub fn struct_of(
    members: impl IntoIterator<Item = BlockLayout>,
    standard: Standard,
) -> BlockLayout {
    let mut placed = Vec::new();
    let mut end = 0_u32;
    let mut alignment = minimum_alignment(standard);
    for member in members {
        let offset = round_up(end, member.alignment);
        end = offset.saturating_add(member.size);
        alignment = alignment.max(member.alignment);
        placed.push((offset, member));
    }
    BlockLayout { size: round_up(end, alignment), alignment, shape: Shape::Struct(placed) }
}

/// Rounds `value` up to a multiple of `alignment` (a power of two), saturating.
pub fn round_up(value: u32, alignment: u32) -> u32 {
    value.checked_next_multiple_of(alignment.max(1)).unwrap_or(u32::MAX / 16 * 16)
}

fn leaf(size: u8, scalar: ScalarKind, standard: Standard) -> BlockLayout {
    let unit = scalar.components() * 4;
    let alignment = match (standard, size) {
        (Standard::Scalar, _) | (_, 1) => unit,
        (Standard::Std140 | Standard::Std430, 2) => 2 * unit,
        (Standard::Std140 | Standard::Std430, _) => 4 * unit,
    };
    BlockLayout { size: u32::from(size) * unit, alignment, shape: Shape::Leaf }
}

fn array_of(element: BlockLayout, length: u32, standard: Standard) -> BlockLayout {
    let alignment = element.alignment.max(minimum_alignment(standard));
    let stride = round_up(element.size, alignment);
    let size = stride.saturating_mul(length);
    BlockLayout { size, alignment, shape: Shape::Array { stride, element: Box::new(element) } }
}

const fn minimum_alignment(standard: Standard) -> u32 {
    match standard {
        Standard::Std140 => 16,
        Standard::Std430 | Standard::Scalar => 1,
    }
}

#[cfg(test)]
mod tests {
    use crate::notation::variables;

    use super::*;

    /// Checks offsets of the members of a block in both layouts, `std140|std430`, then both sizes.
    #[track_caller]
    fn check(members: &str, expected: &str) {
        let types: Vec<Type> = variables(members).into_iter().map(|variable| variable.ty).collect();
        let of = |standard| {
            let block = struct_of(
                types.iter().map(|ty| layout_of(ty, standard, MatrixOrder::ColumnMajor)),
                standard,
            );
            let Shape::Struct(members) = block.shape else { panic!("a struct") };
            let mut numbers: Vec<u32> = members.iter().map(|(offset, _)| *offset).collect();
            numbers.push(round_up(block.size, 16));
            numbers
        };
        let pairs: Vec<String> = of(Standard::Std140)
            .into_iter()
            .zip(of(Standard::Std430))
            .map(|(std140, std430)| format!("{std140}|{std430}"))
            .collect();
        assert_eq!(pairs.join(" "), expected);
    }

    /// L1: vectors align to a power of two.
    #[test]
    fn vectors_align_to_a_power_of_two() {
        check(
            "float a; vec2 b; vec3 c; float d; vec4 e; float f",
            "0|0 8|8 16|16 28|28 32|32 48|48 64|64",
        );
    }

    /// L2: the example of the GL specification.
    #[test]
    fn the_specifications_example() {
        check(
            "float a; vec2 b; vec3 c; struct{int d; bvec2 e;} f; float g; float h[2]; mat2x3 i; \
             struct{uvec3 j; vec2 k; float l[2]; vec2 m; mat3 n[2];} o[2]",
            "0|0 8|8 16|16 32|32 48|48 64|52 96|64 128|96 480|384",
        );
    }

    /// L3: std140 rounds array strides up to 16.
    #[test]
    fn std140_rounds_array_strides_to_16() {
        check(
            "float a[3]; float b; vec2 c[3]; float d; vec3 e[2]; float f",
            "0|0 48|12 64|16 112|40 128|48 160|80 176|96",
        );
    }

    /// L4: structs end at a multiple of their alignment.
    #[test]
    fn structs_end_at_their_alignment() {
        check(
            "struct{vec3 p; float q;} s; float t; struct{float r;} u; float v",
            "0|0 16|16 32|20 48|24 64|32",
        );
    }

    /// L7 and L9: nested arrays and matrices.
    #[test]
    fn nested_arrays_and_matrices() {
        check("vec2 x[2][3]; float y; struct{vec2 a; float b;} z[2]", "0|0 96|48 112|56 144|96");
        check("uint b[5]; ivec3 v; int w; mat2 k[2]", "0|0 80|32 92|44 96|48 160|80");
    }

    /// L6: the strides of double matrices.
    #[test]
    fn doubles_align_to_twice_as_much() {
        check(
            "float a; double b; dvec3 c; float d; dmat2x3 m; dmat3 e",
            "0|0 8|8 32|32 56|56 64|64 128|128 224|224",
        );
    }

    /// L5: column-major mat3x2 has three columns of vec2, row-major two rows of vec3.
    #[test]
    fn scalars_of_a_row_major_matrix_are_a_stride_apart() {
        let ty: Type = "mat3x2".parse().expect("a type");
        let columns = layout_of(&ty, Standard::Std430, MatrixOrder::ColumnMajor);
        assert_eq!(columns.scalar_offsets(&ty), [0, 4, 8, 12, 16, 20]);
        let rows = layout_of(&ty, Standard::Std140, MatrixOrder::RowMajor);
        assert_eq!((rows.size, rows.scalar_offsets(&ty)), (32, vec![0, 16, 4, 20, 8, 24]));
    }

    #[test]
    fn parts_are_found_by_path() {
        let ty = &variables("struct{float a; vec3 b[2];} s[2]")[0].ty;
        let layout = layout_of(ty, Standard::Std140, MatrixOrder::ColumnMajor);
        let (part, offset) = layout.part(&[1, 1, 1]).expect("a part");
        assert_eq!((part.size, offset), (12, 48 + 16 + 16));
        assert_eq!(layout.part(&[1, 0, 0]), None);
    }
}
