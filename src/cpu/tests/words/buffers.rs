//! Checks that every byte of buffers with 64-bit values stays in its place.

use ir::layout::{Shape, natural};
use link::{AdapterRules, BlockLayouts, Wide};

use super::{HEAD, check_with, check_words, lacking, linked, run, stage};

/// A storage block with 64-bit members of all kinds.
const BLOCK: &str = include_str!("../../../../src/fixture/wide/block.wgsl");

/// Code that reads and writes members of all kinds, with constant and computed indices.
const ACCESSES: &str = include_str!("../../../../src/fixture/wide/accesses.wgsl");

#[test]
fn storage_blocks_keep_their_layout() {
    check_with(BLOCK, ACCESSES);
}

#[test]
fn storage_that_is_one_array_keeps_its_layout() {
    check_with(
        "@group(0) @binding(2) var<storage, read_write> block: array<mat2x3<f64>>;",
        "let one = given[8]; block[one][1] = block[0][0]; put_double(block[one + 1u][0].z); put(arrayLength(&block));",
    );
}

/// Runs a stage unchanged, and as words whose buffers are placed for backends that support only some layouts.
#[track_caller]
fn check_placed(text: &str) {
    let native = stage(text);
    let expected = run(&linked(&native, AdapterRules::default()));
    for block_layouts in [BlockLayouts::Standard, BlockLayouts::Natural] {
        let placed = linked(&native, AdapterRules { block_layouts, ..lacking(Wide::Both) });
        check_words(&placed);
        assert_eq!(run(&placed), expected, "{block_layouts:?}");
    }
}

#[test]
fn blocks_of_words_can_be_placed_explicitly() {
    let text = format!("{HEAD}{BLOCK}\n@compute @workgroup_size(1) fn main() {{ {ACCESSES} }}");
    check_placed(&text);
}

/// naga does not support arrays with elements 8 bytes apart in uniform buffers.
#[test]
fn uniform_buffers_are_placed_explicitly() {
    let text = format!(
        "{HEAD} struct Block {{ a: f64, v: vec3<f64>, b: f64, m: mat2x2<f64>, n: array<mat2x3<f64>, 2> }}
         @group(0) @binding(2) var<uniform> block: Block;
         @compute @workgroup_size(1) fn main() {{
            let one = given[8]; put_double(block.a); put_double(block.v.z); put_double(block.v[one]);
            put_double(block.b); put_double(block.m[one].y); let n = block.n[one]; put_double(n[1].z);
         }}"
    );
    check_placed(&text);
}

#[test]
fn scalars_in_uniform_buffers_need_no_placing() {
    check_with(
        "struct Block { a: f64, f: f32, b: u64 } @group(0) @binding(2) var<uniform> block: Block;",
        "put_double(block.a); put_long(block.b);",
    );
}

/// A row-major matrix is an array of columns whose scalars are one row apart.
#[test]
fn row_major_matrices_keep_their_rows() {
    let text = format!(
        "{HEAD} struct Block {{ m: mat2x3<f64> }} @group(0) @binding(2) var<storage, read_write> block: Block;
         @compute @workgroup_size(1) fn main() {{
            let one = given[8]; block.m[one].z = block.m[0][one]; put_double(block.m[0].z);
         }}"
    );
    let mut native = stage(&text);
    let ty = native.module.global_variables[native.resources[2].global].ty;
    let (_, mut layout) = natural::open_block(&native.module, ty).expect("a block");
    let Shape::Struct(members) = &mut layout.shape else { panic!("a struct") };
    members[0].1.shape = Shape::Matrix { stride: 16, is_row_major: true };
    native.resources[2].layout = Some(layout);
    let words = linked(&native, lacking(Wide::Both));
    check_words(&words);
    let [out, block] = run(&words);
    let before = |word: u32| word * 0x0070_0503 + 1;
    // Row 2, column 0 is at byte 32; row 1, column 0 goes to row 2, column 1.
    assert_eq!(out[..2], [before(8), before(9)]);
    assert_eq!(block[10..12], [before(4), before(5)]);
}
