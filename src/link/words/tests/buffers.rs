//! Checks that every byte of buffers with 64-bit values stays in its place.

use naga::valid::Capabilities;

use super::{HEAD, check_with, lowered, run, stage, validate, with_entry_point};
use crate::binding::Sharing;
use crate::words::Wide;
use crate::{explicit_io, resource};
use ir::interface::Type;
use ir::layout::Shape;
use ir::stage_module::StageModule;

const BLOCK: &str = "
    struct Inner { x: f32, m: mat2x3<f64>, n: mat3x2<f64>, l: i64 }
    struct Block {
        a: f64, v: vec3<f64>, b: f64, u: vec2<u64>, f: f32, i: array<Inner, 2>, w: array<vec3<f64>, 2>,
        q: mat4x4<f64>, tail: array<vec4<f64>>,
    }
    @group(0) @binding(2) var<storage, read_write> block: Block;";

/// Code that reads and writes members of all kinds, with constant and computed indices.
const ACCESSES: &str = "
    let one = given[8]; let copy = block.i[0]; let element = block.i[one].m[one];
    put_double(block.a); put_double(block.v.z); put_double(block.b); put_long(block.u[one]);
    put_double(copy.m[1].y); put_double(copy.n[2].y); put_long(bitcast<u64>(copy.l));
    put_double(element.z); put_double(block.w[one].y); put_double(block.q[3][one]); put_double(block.tail[0].w);
    put(arrayLength(&block.tail));
    block.a = block.v[one]; block.v = block.w[0]; block.i[one] = copy; block.i[0].n[one].x = double(2u);
    block.w[one].z = double(3u); block.q[one] = vec4(double(4u)); block.tail[one] = block.q[0];
    block.u.y = long(5u);";

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

/// Lowers a stage and then places its buffers for backends that support only standard layouts.
fn placed(text: &str) -> (StageModule, naga::Module, usize) {
    let lowered = lowered(&stage(text), Wide::Both).expect("moves only");
    let mut module = with_entry_point(&lowered);
    let blocks = explicit_io::misplaced_blocks(&lowered, &module, true);
    explicit_io::lower(&mut module, &blocks).expect("words hold it");
    (lowered, module, blocks.len())
}

#[test]
fn blocks_of_words_can_be_placed_explicitly() {
    let text = format!("{HEAD}{BLOCK}\n@compute @workgroup_size(1) fn main() {{ {ACCESSES} }}");
    let (_, module, count) = placed(&text);
    assert_eq!(count, 1);
    validate(&module, Capabilities::empty());
    assert_eq!(run(&module), run(&with_entry_point(&stage(&text))));
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
    let (lowered, module, count) = placed(&text);
    assert_eq!(count, 1);
    let info = validate(&module, Capabilities::empty());
    assert_eq!(run(&module), run(&with_entry_point(&stage(&text))));
    let used = resource::used(&[&lowered], &[module], &[info], Sharing::ByName);
    let [uniform] = &used.uniform_buffers[0].uniforms[..] else { panic!("one block") };
    assert_eq!(uniform.layout.scalar_offsets(&uniform.ty)[..5], [0, 32, 40, 48, 56]);
}

#[test]
fn scalars_in_uniform_buffers_need_no_placing() {
    check_with(
        "struct Block { a: f64, f: f32, b: u64 } @group(0) @binding(2) var<uniform> block: Block;",
        "put_double(block.a); put_long(block.b);",
    );
}

#[test]
fn buffers_are_described_as_declared() {
    let text = format!(
        "{HEAD}{BLOCK}\n@compute @workgroup_size(1) fn main() {{ put_double(block.a); put(given[0]); }}"
    );
    let native = stage(&text);
    let lowered = lowered(&native, Wide::Both).expect("moves only");
    let described = |idx: usize| lowered.resources[idx].described.clone();
    assert_eq!([described(0), described(1)], [None, None]);
    let expected = crate::difference::described_block(&native, &native.resources[2]);
    assert_eq!(described(2), expected);
    let (Type::Struct(ty), _) = described(2).expect("a declared type") else { panic!("a struct") };
    assert_eq!(ty.members[1].ty.to_string(), "dvec3");
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
    let (_, mut layout) =
        crate::difference::described_block(&native, &native.resources[2]).expect("a block");
    let Shape::Struct(members) = &mut layout.shape else { panic!("a struct") };
    members[0].1.shape = Shape::Matrix { stride: 16, is_row_major: true };
    native.resources[2].layout = Some(layout);
    let lowered = lowered(&native, Wide::Both).expect("moves only");
    let mut module = with_entry_point(&lowered);
    let blocks = explicit_io::misplaced_blocks(&lowered, &module, false);
    explicit_io::lower(&mut module, &blocks).expect("words hold it");
    let [out, block] = run(&module);
    let before = |word: u32| word * 0x0070_0503 + 1;
    // Row 2, column 0 is at byte 32; row 1, column 0 goes to row 2, column 1.
    assert_eq!(out[..2], [before(8), before(9)]);
    assert_eq!(block[10..12], [before(4), before(5)]);
}
