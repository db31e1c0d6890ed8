//! Tests OpenGL 4.6 §7.6.2.2 with tables computed by hand, the sizes that GL reports for explicit layouts, and random
//! types against a second implementation of the rules.

use proptest::prelude::*;

use crate::interface::{Member, StructType, Type};

use super::explicit::{Container, first_error};
use super::standard::{MatrixOrder, Standard, layout_of, round_up, struct_of};
use super::{BlockLayout, Shape};

/// Parses a structure such as `a float; b vec2[3]`: members with names, and types by name or from `known`.
fn structure(notation: &str, known: &[(&str, Type)]) -> Type {
    let member = |text: &str| {
        let (name, ty) = text.trim().split_once(' ').expect("name and type");
        let (bare, dimensions) = ty.find('[').map_or((ty, ""), |at| ty.split_at(at));
        let own = known.iter().find(|(known, _)| *known == bare).map(|(_, ty)| ty.clone());
        let ty = match own {
            None => ty.parse().expect("a type"),
            Some(own) => dimensions.split('[').skip(1).fold(own, |ty, length| {
                ty.array(length.trim_end_matches(']').parse().expect("a length"))
            }),
        };
        Member { name: name.to_owned(), ty }
    };
    let members = notation.split(';').map(member).collect();
    Type::Struct(StructType { name: "S".to_owned(), members })
}

fn members(layout: &BlockLayout) -> &[(u32, BlockLayout)] {
    match &layout.shape {
        Shape::Struct(members) => members,
        Shape::Leaf | Shape::Matrix { .. } | Shape::Array { .. } => &[],
    }
}

/// Checks the offsets of the members and the size, in both standards.
#[track_caller]
fn check(ty: &Type, std140: (&[u32], u32), std430: (&[u32], u32)) {
    for (standard, expect) in [(Standard::Std140, std140), (Standard::Std430, std430)] {
        let layout = layout_of(ty, standard, MatrixOrder::ColumnMajor);
        let offsets: Vec<u32> = members(&layout).iter().map(|(offset, _)| *offset).collect();
        assert_eq!((offsets.as_slice(), round_up(layout.size, 16)), expect, "{standard:?}");
    }
}

#[test]
fn scalars_fill_the_gap_behind_three_components() {
    let ty = structure("a float; b vec2; c vec3; d float; e vec4; f float", &[]);
    let offsets = [0, 8, 16, 28, 32, 48];
    check(&ty, (&offsets, 64), (&offsets, 64));
}

#[test]
fn the_example_of_the_specification() {
    let f = structure("d int; e bvec2", &[]);
    let o = structure("j uvec3; k vec2; l float[2]; m vec2; n mat3[2]", &[]);
    let ty = structure(
        "a float; b vec2; c vec3; f F; g float; h float[2]; i mat2x3; o O[2]",
        &[("F", f), ("O", o.clone())],
    );
    check(&ty, (&[0, 8, 16, 32, 48, 64, 96, 128], 480), (&[0, 8, 16, 32, 48, 52, 64, 96], 384));
    check(&o, (&[0, 16, 32, 64, 80], 176), (&[0, 16, 24, 32, 48], 144));
}

#[test]
fn arrays_of_small_elements_are_padded_in_std140_only() {
    let ty = structure("a float[3]; b float; c vec2[3]; d float; e vec3[2]; f float", &[]);
    check(&ty, (&[0, 48, 64, 112, 128, 160], 176), (&[0, 12, 16, 40, 48, 80], 96));
}

#[test]
fn structs_are_padded_at_their_end() {
    let s = structure("p vec3; q float", &[]);
    let u = structure("r float", &[]);
    let ty = structure("s S; t float; u U; v float", &[("S", s), ("U", u)]);
    check(&ty, (&[0, 16, 32, 48], 64), (&[0, 16, 20, 24], 32));
}

#[test]
fn arrays_of_arrays_and_of_structs() {
    let z = structure("a vec2; b float", &[]);
    let ty = structure("x vec2[2][3]; y float; z Z[2]", &[("Z", z)]);
    check(&ty, (&[0, 96, 112], 144), (&[0, 48, 56], 96));
    let ty = structure("b uint[5]; v ivec3; w int; k mat2[2]", &[]);
    check(&ty, (&[0, 80, 92, 96], 160), (&[0, 32, 44, 48], 80));
}

#[test]
fn doubles_take_two_words() {
    let ty = structure("a float; b double; c dvec3; d float; m dmat2x3; e dmat3", &[]);
    let offsets = [0, 8, 32, 56, 64, 128];
    check(&ty, (&offsets, 224), (&offsets, 224));
}

#[test]
fn matrices_of_either_order_in_one_struct() {
    let types = ["mat3x2", "mat3x2", "mat2x3", "mat2x3", "float"];
    let orders = [false, true, false, true, false];
    let layouts = |standard| {
        types.iter().zip(orders).map(move |(name, is_row_major)| {
            let order = if is_row_major { MatrixOrder::RowMajor } else { MatrixOrder::ColumnMajor };
            layout_of(&name.parse().expect("a type"), standard, order)
        })
    };
    let offsets = |standard| -> Vec<u32> {
        let layout = struct_of(layouts(standard), standard);
        members(&layout).iter().map(|(offset, _)| *offset).collect()
    };
    assert_eq!(offsets(Standard::Std140), [0, 48, 80, 112, 160]);
    assert_eq!(offsets(Standard::Std430), [0, 32, 64, 96, 120]);
    let strides: Vec<u32> = layouts(Standard::Std430)
        .filter_map(|layout| match layout.shape {
            Shape::Matrix { stride, .. } => Some(stride),
            Shape::Leaf | Shape::Array { .. } | Shape::Struct(_) => None,
        })
        .collect();
    assert_eq!(strides, [8, 16, 16, 8]);
}

fn types() -> impl Strategy<Value = Type> {
    let names = [
        "float", "int", "uint", "vec2", "vec3", "vec4", "ivec2", "uvec3", "mat2", "mat2x3",
        "mat3x2", "mat3", "mat4x3", "mat4", "double", "dvec3", "dmat2x4",
    ];
    let leaf =
        prop::sample::select(names.to_vec()).prop_map(|name| name.parse::<Type>().expect("a type"));
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            (inner.clone(), 1_u32..4).prop_map(|(element, length)| element.array(length)),
            prop::collection::vec(inner, 1..5).prop_map(|types| {
                let named = |(idx, ty)| Member { name: format!("m{idx}"), ty };
                let members = types.into_iter().enumerate().map(named).collect();
                Type::Struct(StructType { name: "S".to_owned(), members })
            }),
        ]
    })
}

/// A second implementation of the rules, which has no layout values: it walks the type with a cursor, aligns it before
/// every value, and records the offset of each scalar.
struct Cursor {
    at: u32,
    minimum: u32,
    /// True if vectors align like their scalars.
    is_scalar: bool,
    is_row_major: bool,
    offsets: Vec<u32>,
}

impl Cursor {
    fn alignment(&self, ty: &Type) -> u32 {
        let vector = |count: u8, words: u32| match count {
            _ if self.is_scalar => 4 * words,
            1 => 4 * words,
            2 => 8 * words,
            _ => 16 * words,
        };
        match ty {
            Type::Scalar(scalar) => vector(1, scalar.components()),
            Type::Vector { size, scalar } => vector(*size, scalar.components()),
            Type::Matrix { columns, rows, scalar } => {
                let size = if self.is_row_major { *columns } else { *rows };
                vector(size, scalar.components()).max(self.minimum)
            }
            Type::Array { element, .. } => self.alignment(element).max(self.minimum),
            Type::Struct(ty) => {
                let all = ty.members.iter().map(|member| self.alignment(&member.ty));
                all.max().unwrap_or(4).max(self.minimum)
            }
        }
    }

    fn align(&mut self, alignment: u32) {
        while !self.at.is_multiple_of(alignment) {
            self.at += 1;
        }
    }

    fn visit(&mut self, ty: &Type) {
        let alignment = self.alignment(ty);
        self.align(alignment);
        match ty {
            Type::Scalar(scalar) => {
                self.offsets.push(self.at);
                self.at += 4 * scalar.components();
            }
            Type::Vector { size, scalar } => {
                (0..*size).for_each(|_| self.visit(&Type::Scalar(*scalar)));
            }
            Type::Matrix { columns, rows, scalar } => {
                let (count, size) =
                    if self.is_row_major { (*rows, *columns) } else { (*columns, *rows) };
                let first = self.offsets.len();
                for _ in 0..count {
                    self.align(alignment);
                    self.visit(&Type::Vector { size, scalar: *scalar });
                }
                self.align(alignment);
                if self.is_row_major {
                    let by_rows = self.offsets.split_off(first);
                    let (columns, rows) = (usize::from(*columns), usize::from(*rows));
                    let transposed =
                        (0..columns).flat_map(|c| (0..rows).map(move |r| r * columns + c));
                    self.offsets.extend(transposed.map(|idx| by_rows[idx]));
                }
            }
            Type::Array { element, length } => {
                for _ in 0..*length {
                    self.align(alignment);
                    self.visit(element);
                }
                self.align(alignment);
            }
            Type::Struct(ty) => {
                ty.members.iter().for_each(|member| self.visit(&member.ty));
                self.align(alignment);
            }
        }
    }
}

proptest! {
    #[test]
    fn random_types_lie_where_a_second_reading_puts_them(
        ty in types(),
        standard in prop::sample::select(vec![Standard::Std140, Standard::Std430, Standard::Scalar]),
        is_row_major in any::<bool>(),
    ) {
        let order = if is_row_major { MatrixOrder::RowMajor } else { MatrixOrder::ColumnMajor };
        let layout = layout_of(&ty, standard, order);
        let minimum = if standard == Standard::Std140 { 16 } else { 4 };
        let is_scalar = standard == Standard::Scalar;
        let mut cursor = Cursor { at: 0, minimum, is_scalar, is_row_major, offsets: Vec::new() };
        cursor.visit(&ty);
        prop_assert_eq!(layout.scalar_offsets(&ty), cursor.offsets);
        if !matches!(ty, Type::Scalar(_) | Type::Vector { .. }) {
            prop_assert_eq!(layout.size, cursor.at);
        }
    }

    #[test]
    fn the_standards_keep_the_rules_for_explicit_layouts(ty in types(), is_row_major in any::<bool>()) {
        let members = vec![Member { name: "m".to_owned(), ty }];
        let ty = Type::Struct(StructType { name: "S".to_owned(), members });
        let order = if is_row_major { MatrixOrder::RowMajor } else { MatrixOrder::ColumnMajor };
        for (standard, container) in [
            (Standard::Std140, Container::UniformBlock),
            (Standard::Std430, Container::StorageBlock),
        ] {
            let layout = layout_of(&ty, standard, order);
            prop_assert_eq!(first_error(&ty, &layout, container), None);
        }
    }
}
