//! Property tests of explicit layouts: the offsets of scalars, block sizes and the rules are compared with a second
//! implementation, which works on bytes and shares no code with the first.

use std::collections::BTreeMap;

use Explicit::{Array, Matrix, Struct, Vector};
use proptest::prelude::*;

use crate::interface::{Member, ScalarKind, StructType, Type};

use super::explicit::{Container, first_error};
use super::{BlockLayout, Shape};

/// A type with all its SPIR-V offsets and strides.
#[derive(Clone, Debug)]
enum Explicit {
    /// Number of components, and true for 64-bit ones.
    Vector(u8, bool),
    Matrix {
        columns: u8,
        rows: u8,
        stride: u32,
        is_row_major: bool,
    },
    Array {
        element: Box<Explicit>,
        length: u32,
        stride: u32,
    },
    Struct(Vec<(u32, Explicit)>),
}

/// Offsets and strides that are often valid.
fn number() -> impl Strategy<Value = u32> {
    prop_oneof![4 => (0_u32..8).prop_map(|n| n * 16), 2 => (0_u32..30).prop_map(|n| n * 4), 1 => 0_u32..40]
}

fn explicit() -> impl Strategy<Value = Explicit> {
    let leaf = prop_oneof![
        3 => (1_u8..5, any::<bool>()).prop_map(|(size, is_wide)| Vector(size, is_wide && size != 3)),
        2 => (2_u8..5, 2_u8..5, number(), any::<bool>()).prop_map(
            |(columns, rows, stride, is_row_major)| Matrix { columns, rows, stride, is_row_major }
        ),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            (inner.clone(), 1_u32..4, number()).prop_map(|(element, length, stride)| {
                Array { element: Box::new(element), length, stride }
            }),
            prop::collection::vec((number(), inner), 1..4).prop_map(Struct),
        ]
    })
}

/// A block of one to four members, either consecutive with random gaps, or at random offsets.
fn blocks() -> impl Strategy<Value = Explicit> {
    let member = (number(), any::<bool>(), explicit());
    prop::collection::vec(member, 1..5).prop_map(|members| {
        let mut end = 0_u32;
        let place = |(gap, is_behind, member): (u32, bool, Explicit)| {
            let offset = if is_behind { (end + gap).next_multiple_of(16) } else { gap };
            let bytes = bytes_of(&member);
            end = end.max(offset + bytes.iter().map(|range| range.1).max().unwrap_or(0));
            (offset, member)
        };
        Struct(members.into_iter().map(place).collect())
    })
}

const fn width(is_wide: bool) -> u32 {
    if is_wide { 8 } else { 4 }
}

/// Byte range of every scalar, in the memory order of its type.
fn bytes_of(ty: &Explicit) -> Vec<(u32, u32)> {
    let moved = |by: u32, ranges: Vec<(u32, u32)>| {
        ranges.into_iter().map(move |(from, to)| (from + by, to + by)).collect::<Vec<_>>()
    };
    match ty {
        Vector(size, is_wide) => {
            let unit = width(*is_wide);
            (0..u32::from(*size)).map(|idx| (idx * unit, idx * unit + unit)).collect()
        }
        Matrix { columns, rows, stride, is_row_major } => {
            let mut found = Vec::new();
            for column in 0..u32::from(*columns) {
                for row in 0..u32::from(*rows) {
                    let (outer, within) = if *is_row_major { (row, column) } else { (column, row) };
                    let from = outer * stride + within * 4;
                    found.push((from, from + 4));
                }
            }
            found
        }
        Array { element, length, stride } => {
            (0..*length).flat_map(|idx| moved(idx * stride, bytes_of(element))).collect()
        }
        Struct(members) => {
            members.iter().flat_map(|(offset, member)| moved(*offset, bytes_of(member))).collect()
        }
    }
}

/// Base alignment, as the rules define it.
fn alignment_of(ty: &Explicit, is_uniform: bool) -> u32 {
    let vector = |size: u8, unit: u32| [unit, 2 * unit, 4 * unit, 4 * unit][usize::from(size) - 1];
    let composite = |inner: u32| if is_uniform { inner.div_ceil(16) * 16 } else { inner };
    match ty {
        Vector(size, is_wide) => vector(*size, width(*is_wide)),
        Matrix { columns, is_row_major: true, .. } => vector(*columns, 4),
        Matrix { rows, is_row_major: false, .. } => vector(*rows, 4),
        Array { element, .. } => composite(alignment_of(element, is_uniform)),
        Struct(members) => {
            let all = members.iter().map(|(_, member)| alignment_of(member, is_uniform));
            composite(all.max().unwrap_or(4))
        }
    }
}

/// True if every number follows the rules, and no byte belongs to two members, or to a member and the padding of
/// another.
fn keeps_rules(ty: &Explicit, is_uniform: bool) -> bool {
    match ty {
        Vector(..) => true,
        Matrix { stride, .. } => *stride != 0 && stride % alignment_of(ty, is_uniform) == 0,
        Array { element, stride, .. } => {
            let size = bytes_of(element).iter().map(|range| range.1).max().unwrap_or(0);
            keeps_rules(element, is_uniform)
                && stride % alignment_of(ty, is_uniform) == 0
                && *stride >= size
        }
        Struct(members) => {
            let mut owners: BTreeMap<u32, usize> = BTreeMap::new();
            for (idx, (offset, member)) in members.iter().enumerate() {
                let alignment = alignment_of(member, is_uniform);
                if offset % alignment != 0 || !keeps_rules(member, is_uniform) {
                    return false;
                }
                let end = offset + bytes_of(member).iter().map(|range| range.1).max().unwrap_or(0);
                for byte in *offset..end {
                    if owners.insert(byte, idx).is_some() {
                        return false;
                    }
                }
            }
            // Padding belongs to no member, but no member may begin there.
            members.iter().enumerate().all(|(idx, (offset, member))| {
                if matches!(member, Vector(..) | Matrix { .. }) {
                    return true;
                }
                let end = offset + bytes_of(member).iter().map(|range| range.1).max().unwrap_or(0);
                let padded = end.div_ceil(alignment_of(member, is_uniform))
                    * alignment_of(member, is_uniform);
                (end..padded).all(|byte| owners.get(&byte).is_none_or(|owner| *owner == idx))
            })
        }
    }
}

/// Type and layout for the first implementation.
fn described(ty: &Explicit) -> (Type, BlockLayout) {
    match ty {
        Vector(size, is_wide) => {
            let scalar = if *is_wide { ScalarKind::F64 } else { ScalarKind::F32 };
            let ty = match size {
                1 => Type::Scalar(scalar),
                _ => Type::Vector { size: *size, scalar },
            };
            let alignment = alignment_of(&Vector(*size, *is_wide), false);
            (ty, layout(u32::from(*size) * width(*is_wide), alignment, Shape::Leaf))
        }
        Matrix { columns, rows, stride, is_row_major } => {
            let (count, within) = if *is_row_major { (rows, columns) } else { (columns, rows) };
            let size = stride * (u32::from(*count) - 1) + u32::from(*within) * 4;
            let shape = Shape::Matrix { stride: *stride, is_row_major: *is_row_major };
            let described =
                Type::Matrix { columns: *columns, rows: *rows, scalar: ScalarKind::F32 };
            (described, layout(size, alignment_of(ty, false), shape))
        }
        Array { element, length, stride } => {
            let (inner, placed) = described(element);
            let size = stride * (length - 1) + placed.size;
            let alignment = placed.alignment;
            let shape = Shape::Array { stride: *stride, element: Box::new(placed) };
            (inner.array(*length), layout(size, alignment, shape))
        }
        Struct(members) => {
            let (mut named, mut places) = (Vec::new(), Vec::new());
            for (idx, (offset, member)) in members.iter().enumerate() {
                let (ty, placed) = described(member);
                named.push(Member { name: format!("m{idx}"), ty });
                places.push((*offset, placed));
            }
            let size = places.iter().map(|(offset, member)| offset + member.size).max();
            let alignment = places.iter().map(|(_, member)| member.alignment).max();
            let ty = Type::Struct(StructType { name: "S".to_owned(), members: named });
            let shape = Shape::Struct(places);
            (ty, layout(size.unwrap_or(0), alignment.unwrap_or(4), shape))
        }
    }
}

const fn layout(size: u32, alignment: u32, shape: Shape) -> BlockLayout {
    BlockLayout { size, alignment, shape }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn a_layout_is_refused_exactly_when_bytes_or_alignments_are_wrong(
        block in blocks(), is_uniform: bool,
    ) {
        let (ty, layout) = described(&block);
        let container =
            if is_uniform { Container::UniformBlock } else { Container::StorageBlock };
        let error = first_error(&ty, &layout, container);
        prop_assert_eq!(error.is_none(), keeps_rules(&block, is_uniform), "{:?}", error);
    }

    #[test]
    fn every_scalar_is_where_the_bytes_are(block in blocks()) {
        let (ty, layout) = described(&block);
        let starts: Vec<u32> = bytes_of(&block).into_iter().map(|range| range.0).collect();
        prop_assert_eq!(layout.scalar_offsets(&ty), starts);
    }
}

/// Both verdicts must be common: a check that is always or never true tests nothing.
#[test]
fn right_and_wrong_layouts_are_both_common() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut right = 0;
    for _ in 0..1000 {
        let block = blocks().new_tree(&mut runner).expect("a block").current();
        right += u32::from(keeps_rules(&block, false));
    }
    assert!((50..950).contains(&right), "{right} of 1000 are right");
}
