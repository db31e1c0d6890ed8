//! Checks the layouts and descriptions of buffers with 64-bit values.

use naga::valid::Capabilities;

use super::{HEAD, lowered, stage, validate, with_entry_point};
use crate::lower::words::Wide;
use crate::options::BlockLayouts;
use crate::resource;
use crate::resource::explicit_io;
use crate::table::binding::Sharing;
use ir::interface::Type;
use ir::stage_module::StageModule;

/// A storage block with 64-bit members of all kinds.
const BLOCK: &str = include_str!("../../../../../src/fixture/wide/block.wgsl");

/// Code that reads and writes members of all kinds, with constant and computed indices.
const ACCESSES: &str = include_str!("../../../../../src/fixture/wide/accesses.wgsl");

/// Lowers a stage and then places its buffers for backends that support only standard layouts.
fn placed(text: &str) -> (StageModule, naga::Module, usize) {
    let lowered = lowered(&stage(text), Wide::Both).expect("moves only");
    let mut module = with_entry_point(&lowered);
    let blocks = explicit_io::misplaced_blocks(&lowered, &module, BlockLayouts::Standard);
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
