//! Worked tables of the std140 and std430 offsets, strides and sizes of eleven blocks, by OpenGL 4.6 §7.6.2.2 (the
//! second is the specification's example, the last two are piglit's).

use crate::interface::Type;
use crate::notation::variables;

use super::standard::{MatrixOrder, Standard, layout_of, round_up};
use super::{BlockLayout, Shape};

/// Path, offset, array stride and matrix stride; a stride is 0 if there is no array or matrix.
type Line = (String, u32, u32, u32);

/// All lines of a block with these members, each of which may begin with `row_major`, and the size as GL reports it.
fn table(members: &str, standard: Standard) -> (Vec<Line>, u32) {
    let mut lines = Vec::new();
    let (mut end, mut last) = (0, 0);
    for member in members.split(';').filter(|text| !text.trim().is_empty()) {
        // Members of structs are separated by commas here.
        let member = member.trim().replace(',', ";");
        let (order, member) = match member.strip_prefix("row_major ") {
            Some(rest) => (MatrixOrder::RowMajor, rest.to_owned()),
            None => (MatrixOrder::ColumnMajor, member),
        };
        let variable = variables(&member).remove(0);
        let layout = layout_of(&variable.ty, standard, order);
        let offset = round_up(end, layout.alignment);
        collect(variable.name, &variable.ty, &layout, offset, 0, &mut lines);
        end = offset + layout.size;
        last = offset + used(&layout);
    }
    (lines, round_up(last, 16))
}

/// Bytes up to the end of the last scalar: a matrix and an array include their last stride, a struct does not.
fn used(layout: &BlockLayout) -> u32 {
    match &layout.shape {
        Shape::Struct(members) => {
            members.iter().map(|(at, member)| at + used(member)).max().unwrap_or(0)
        }
        Shape::Leaf | Shape::Matrix { .. } | Shape::Array { .. } => layout.size,
    }
}

fn collect(
    path: String,
    ty: &Type,
    layout: &BlockLayout,
    at: u32,
    stride: u32,
    lines: &mut Vec<Line>,
) {
    match (ty, &layout.shape) {
        (Type::Struct(ty), Shape::Struct(members)) => {
            for (member, (offset, layout)) in ty.members.iter().zip(members) {
                let path = format!("{path}.{}", member.name);
                collect(path, &member.ty, layout, at + offset, 0, lines);
            }
        }
        (Type::Array { element: ty, length }, Shape::Array { stride, element })
            if matches!(**ty, Type::Array { .. } | Type::Struct(_)) =>
        {
            for idx in 0..*length {
                let path = format!("{path}[{idx}]");
                collect(path, ty, element, at + idx * stride, 0, lines);
            }
        }
        (Type::Array { element: ty, .. }, Shape::Array { stride, element }) => {
            collect(path, ty, element, at, *stride, lines);
        }
        (_, Shape::Matrix { stride: matrix, .. }) => lines.push((path, at, stride, *matrix)),
        (_, _) => lines.push((path, at, stride, 0)),
    }
}

/// A block with the offset of every leaf; where a leaf has strides, `offset/array` or `offset/array/matrix`.
struct Table {
    name: &'static str,
    members: &'static str,
    std140: (&'static str, u32),
    std430: (&'static str, u32),
}

const TABLES: [Table; 11] = [
    Table {
        name: "L1",
        members: "float a; vec2 b; vec3 c; float d; vec4 e; float f",
        std140: ("a 0, b 8, c 16, d 28, e 32, f 48", 64),
        std430: ("a 0, b 8, c 16, d 28, e 32, f 48", 64),
    },
    Table {
        name: "L2",
        members: "float a; vec2 b; vec3 c; struct{int d, bvec2 e,} f; float g; float h[2]; mat2x3 i; \
                  struct{uvec3 j, vec2 k, float l[2], vec2 m, mat3 n[2],} o[2]",
        std140: (
            "a 0, b 8, c 16, f.d 32, f.e 40, g 48, h 64/16, i 96/0/16, \
             o[0].j 128, o[0].k 144, o[0].l 160/16, o[0].m 192, o[0].n 208/48/16, \
             o[1].j 304, o[1].k 320, o[1].l 336/16, o[1].m 368, o[1].n 384/48/16",
            480,
        ),
        std430: (
            "a 0, b 8, c 16, f.d 32, f.e 40, g 48, h 52/4, i 64/0/16, \
             o[0].j 96, o[0].k 112, o[0].l 120/4, o[0].m 128, o[0].n 144/48/16, \
             o[1].j 240, o[1].k 256, o[1].l 264/4, o[1].m 272, o[1].n 288/48/16",
            384,
        ),
    },
    Table {
        name: "L3",
        members: "float a[3]; float b; vec2 c[3]; float d; vec3 e[2]; float f",
        std140: ("a 0/16, b 48, c 64/16, d 112, e 128/16, f 160", 176),
        std430: ("a 0/4, b 12, c 16/8, d 40, e 48/16, f 80", 96),
    },
    Table {
        name: "L4",
        members: "struct{vec3 p, float q,} s; float t; struct{float r,} u; float v",
        std140: ("s.p 0, s.q 12, t 16, u.r 32, v 48", 64),
        std430: ("s.p 0, s.q 12, t 16, u.r 20, v 24", 32),
    },
    Table {
        name: "L5",
        members: "mat3x2 a; row_major mat3x2 b; mat2x3 c; row_major mat2x3 d; float e",
        std140: ("a 0/0/16, b 48/0/16, c 80/0/16, d 112/0/16, e 160", 176),
        std430: ("a 0/0/8, b 32/0/16, c 64/0/16, d 96/0/8, e 120", 128),
    },
    Table {
        name: "L6",
        members: "float a; double b; dvec3 c; float d; dmat2x3 m; dmat3 e",
        std140: ("a 0, b 8, c 32, d 56, m 64/0/32, e 128/0/32", 224),
        std430: ("a 0, b 8, c 32, d 56, m 64/0/32, e 128/0/32", 224),
    },
    Table {
        name: "L7",
        members: "vec2 x[2][3]; float y; struct{vec2 a, float b,} z[2]",
        std140: (
            "x[0] 0/16, x[1] 48/16, y 96, z[0].a 112, z[0].b 120, z[1].a 128, z[1].b 136",
            144,
        ),
        std430: ("x[0] 0/8, x[1] 24/8, y 48, z[0].a 56, z[0].b 64, z[1].a 72, z[1].b 80", 96),
    },
    // An unsized array counts as one element.
    Table {
        name: "L8",
        members: "float h; struct{vec3 p, mat2 m,} last[1]",
        std140: ("h 0, last[0].p 16, last[0].m 32/0/16", 64),
        std430: ("h 0, last[0].p 16, last[0].m 32/0/8", 48),
    },
    Table {
        name: "L9",
        members: "uint b[5]; ivec3 v; int w; mat2 k[2]",
        std140: ("b 0/16, v 80, w 92, k 96/32/16", 160),
        std430: ("b 0/4, v 32, w 44, k 48/16/8", 80),
    },
    Table {
        name: "L10",
        members: "float c1; vec2 c2; row_major struct{vec3 c3[3], vec4 c4, mat2 m22[3],} s[3]",
        std140: (
            "c1 0, c2 8, s[0].c3 16/16, s[0].c4 64, s[0].m22 80/32/16, \
             s[1].c3 176/16, s[1].c4 224, s[1].m22 240/32/16, \
             s[2].c3 336/16, s[2].c4 384, s[2].m22 400/32/16",
            496,
        ),
        // Computed by hand: rows of two components are 8 apart, so s[k] is 112 bytes.
        std430: (
            "c1 0, c2 8, s[0].c3 16/16, s[0].c4 64, s[0].m22 80/16/8, \
             s[1].c3 128/16, s[1].c4 176, s[1].m22 192/16/8, \
             s[2].c3 240/16, s[2].c4 288, s[2].m22 304/16/8",
            352,
        ),
    },
    Table {
        name: "L11",
        members: "row_major mat2 r; mat2x3 a; mat2x4 b; mat3x2 c; mat3 d; mat3x4 e; mat4x2 f; mat4x3 g; mat4 h",
        std140: (
            "r 0/0/16, a 32/0/16, b 64/0/16, c 96/0/16, d 144/0/16, e 192/0/16, f 240/0/16, \
             g 304/0/16, h 368/0/16",
            432,
        ),
        // Computed by hand: columns of two components are 8 apart.
        std430: (
            "r 0/0/8, a 16/0/16, b 48/0/16, c 80/0/8, d 112/0/16, e 160/0/16, f 208/0/8, \
             g 240/0/16, h 304/0/16",
            368,
        ),
    },
];

#[test]
fn every_table_holds_to_the_last_stride() {
    for Table { name, members, std140, std430 } in &TABLES {
        for (standard, (expect, size)) in [(Standard::Std140, std140), (Standard::Std430, std430)] {
            let (lines, actual_size) = table(members, standard);
            let shown: Vec<String> = lines.iter().map(line).collect();
            let expect: Vec<&str> = expect.split(", ").map(str::trim).collect();
            assert_eq!(shown, expect, "{name} in {standard:?}");
            assert_eq!(actual_size, *size, "{name} in {standard:?}");
        }
    }
}

fn line((path, at, array, matrix): &Line) -> String {
    match (array, matrix) {
        (0, 0) => format!("{path} {at}"),
        (array, 0) => format!("{path} {at}/{array}"),
        (array, matrix) => format!("{path} {at}/{array}/{matrix}"),
    }
}

/// `scalar` pads only for the alignment of 64-bit scalars: sizes are sums, and matrices are as dense as arrays.
#[test]
fn scalar_blocks_have_no_gaps() {
    let (lines, size) = table(
        "float a; vec3 b; mat3x2 c; row_major mat3x2 d; struct{vec3 p, float q,} s[2]; double e; float f",
        Standard::Scalar,
    );
    let shown: Vec<String> = lines.iter().map(line).collect();
    let expect =
        "a 0, b 4, c 16/0/8, d 40/0/12, s[0].p 64, s[0].q 76, s[1].p 80, s[1].q 92, e 96, f 104";
    assert_eq!(shown.join(", "), expect);
    assert_eq!(size, 112);
}
