//! Checks the layouts and descriptions of buffers with 64-bit values.

use naga::valid::Capabilities;

use super::{HEAD, lowered, stage, validate, with_entry_point};
use crate::lower::words::Wide;
use crate::resource;
use crate::resource::explicit_io;
use crate::table::binding::Sharing;
use ir::interface::Type;
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
    let used = resource::used(&[&lowered], &[module], &[info], Sharing::ByName);
    let [uniform] = &used.uniform_buffers[0].uniforms[..] else { panic!("one block") };
    assert_eq!(uniform.layout.scalar_offsets(&uniform.ty)[..5], [0, 32, 40, 48, 56]);
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
    let expected = crate::table::difference::described_block(&native, &native.resources[2]);
    assert_eq!(described(2), expected);
    let (Type::Struct(ty), _) = described(2).expect("a declared type") else { panic!("a struct") };
    assert_eq!(ty.members[1].ty.to_string(), "dvec3");
}
