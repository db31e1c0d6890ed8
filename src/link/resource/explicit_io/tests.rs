//! Checks that modules lowered to words are valid and contain no remains of the original blocks.

use naga::valid::{Capabilities, ValidationFlags, Validator};

use super::*;

/// The module after its storage block was lowered to words, as WGSL. It must be valid.
#[track_caller]
fn lowered(text: &str) -> Result<String, String> {
    let mut module = naga::front::wgsl::parse_str(text).expect("valid WGSL");
    let (global, variable) = module
        .global_variables
        .iter()
        .find(|(_, variable)| variable.binding.is_some())
        .expect("a block");
    let (_, layout) = natural::open_block(&module, variable.ty).expect("a block's type");
    lower(&mut module, &[MisplacedBlock { global, layout, home: Home::Own }])?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(&module).map_err(|error| format!("{error:?}"))?;
    let flags = naga::back::wgsl::WriterFlags::empty();
    Ok(naga::back::wgsl::write_string(&module, &info, flags).expect("expressible"))
}

const BLOCK: &str = "
    struct In { @align(16) a: f32, m: mat2x3f }
    struct Block { count: atomic<u32>, @align(32) parts: array<In, 2>, tail: array<vec2i> }
    @group(0) @binding(0) var<storage, read_write> b: Block;
    fn helper(i: i32) -> In { return b.parts[i]; }";

#[test]
fn every_access_becomes_a_call() {
    let text = format!(
        "{BLOCK}
        @compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) {{
            let whole = helper(1);
            b.parts[0] = whole;
            b.parts[i].m[i].y = b.parts[1].m[1][i];
            atomicAdd(&b.count, 1u);
            atomicMax(&b.count, 7u);
            let old = atomicExchange(&b.count, 2u);
            b.tail[old] = vec2i(i32(arrayLength(&b.tail)));
        }}"
    );
    let text = lowered(&text).expect("lowered");
    for gone in ["b.parts", "b.tail", "b.count"] {
        assert!(!text.contains(gone), "{text}");
    }
    // Every operation has its own helper, although all use the same pointer.
    for kept in ["atomicAdd(", "atomicMax(", "atomicExchange(", "arrayLength("] {
        assert_eq!(text.matches(kept).count(), 1, "{kept} in {text}");
    }
}

#[test]
fn what_words_cannot_hold_is_refused() {
    let large = "
        struct Block { a: array<f32, 5000>, b: array<f32, 5000> }
        @group(0) @binding(0) var<storage, read_write> b: Block;
        @compute @workgroup_size(1) fn main() { b.a = b.b; }";
    assert!(lowered(large).is_err_and(|word| word.contains("copy")));
}

/// The words are `u32`, so signed operations and every compare-exchange compare bits.
#[test]
fn signed_atomics_compare_and_exchange_until_they_win() {
    let text = "
        struct Block { a: atomic<i32>, b: atomic<i32> }
        @group(0) @binding(0) var<storage, read_write> b: Block;
        @compute @workgroup_size(1) fn main() {
            atomicMin(&b.a, 1);
            atomicMax(&b.b, 1);
            atomicAdd(&b.a, 1);
            let pair = atomicCompareExchangeWeak(&b.a, 1, 2);
            if pair.exchanged { atomicExchange(&b.b, pair.old_value); }
        }";
    let text = lowered(text).expect("lowered");
    assert_eq!(text.matches("atomicCompareExchangeWeak(").count(), 3, "{text}");
    assert_eq!(text.matches("loop {").count(), 2, "{text}");
    assert_eq!(text.matches("atomicAdd(").count(), 1, "{text}");
    assert!(text.contains("words: array<atomic<u32>>"), "{text}");
}

#[test]
fn uniform_blocks_become_vectors() {
    let text = "
        struct Block { a: f32, @align(16) b: array<vec4f, 3> }
        @group(0) @binding(0) var<uniform> b: Block;
        @fragment fn main(@location(0) @interpolate(flat) i: u32) -> @location(0) vec4f {
            return b.b[i] * b.a;
        }";
    let text = lowered(text).expect("lowered");
    assert!(text.contains("array<vec4<u32>, 4>"), "{text}");
}

#[test]
fn padding_at_an_end_is_no_difference() {
    let module = naga::front::wgsl::parse_str(BLOCK).expect("valid");
    let (_, variable) = module.global_variables.iter().next().expect("a block");
    let (_, layout) = natural::open_block(&module, variable.ty).expect("a block's type");
    let longer = BlockLayout { size: layout.size + 16, ..layout.clone() };
    assert!(is_same_placement(&layout, &longer));
    let Shape::Struct(mut members) = layout.shape.clone() else { panic!("a struct") };
    members[1].0 += 32;
    let moved = BlockLayout { shape: Shape::Struct(members), ..layout.clone() };
    assert!(!is_same_placement(&layout, &moved));
}

#[test]
fn another_shape_is_another_placement() {
    let module = naga::front::wgsl::parse_str(BLOCK).expect("valid");
    let (_, variable) = module.global_variables.iter().next().expect("a block");
    let (_, layout) = natural::open_block(&module, variable.ty).expect("a block's type");
    let leaf = BlockLayout { shape: Shape::Leaf, ..layout.clone() };
    assert!(is_same_placement(&leaf, &leaf));
    assert!(!is_same_placement(&layout, &leaf));
    assert!(!is_same_placement(&leaf, &layout));
}

/// If words have replaced all atomic floats, the module needs no adapter feature for them.
#[test]
fn lowered_atomic_floats_need_no_feature() {
    let mut module = naga::front::wgsl::parse_str(
        "struct Block { a: atomic<u32> }
         @group(0) @binding(0) var<storage, read_write> b: Block;
         @compute @workgroup_size(1) fn main() { atomicExchange(&b.a, 1u); }",
    )
    .expect("valid WGSL");
    // An unused type that remains of a block of atomic floats.
    let inner = TypeInner::Atomic(Scalar::F32);
    module.types.insert(naga::Type { name: None, inner }, Span::UNDEFINED);
    let mut without = Validator::new(ValidationFlags::all(), Capabilities::empty());
    assert!(without.validate(&module).is_err());
    let (global, variable) = module.global_variables.iter().next().expect("a block");
    let (_, layout) = natural::open_block(&module, variable.ty).expect("a block's type");
    lower(&mut module, &[MisplacedBlock { global, layout, home: Home::Own }]).expect("lowered");
    without.validate(&module).expect("no floats are left");
}

/// The module after its private global was moved to byte 32 of a uniform buffer of vectors, as WGSL.
fn moved(ty: &str, code: &str) -> String {
    let text = format!(
        "struct Words {{ words: array<vec4u, 64> }}
        @group(0) @binding(0) var<uniform> w: Words;
        var<private> p: {ty};
        @fragment fn main(@location(0) @interpolate(flat) i: u32) -> @location(0) vec4f {{ {code} }}"
    );
    let mut module = naga::front::wgsl::parse_str(&text).expect("valid WGSL");
    let named = |name| {
        let mut all = module.global_variables.iter();
        all.find(|(_, global)| global.name.as_deref() == Some(name)).expect("a global").0
    };
    let (words, global) = (named("w"), named("p"));
    let ty = natural::type_of(&module, module.global_variables[global].ty).expect("plain data");
    let layout = layout_of(&ty, Standard::Std140, MatrixOrder::ColumnMajor);
    let home = Home::Uniforms { words, offset: 32 };
    lower(&mut module, &[MisplacedBlock { global, layout, home }]).expect("lowered");
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(&module).expect("valid");
    let flags = naga::back::wgsl::WriterFlags::empty();
    naga::back::wgsl::write_string(&module, &info, flags).expect("expressible")
}

#[test]
fn a_vector_at_a_known_place_is_read_at_once() {
    let text = moved("array<vec3f, 4>", "return p[i].xyzz;");
    assert_eq!(text.matches("w.words[").count(), 1, "{text}");
    assert!(text.contains("+ 32u"), "{text}");
    // Four columns, each a vector.
    let text = moved("array<mat4x4f, 2>", "return p[i] * vec4f(1.0);");
    assert_eq!(text.matches("w.words[").count(), 4, "{text}");
}

#[test]
fn a_component_at_an_unknown_place_is_read_by_its_word() {
    let text = moved("array<vec4f, 4>", "return vec4f(p[1][i]);");
    assert!(text.contains("& 3u"), "{text}");
    let text = moved("array<vec4f, 4>", "return vec4f(p[i].z);");
    assert!(!text.contains("& 3u"), "{text}");
}

#[test]
fn a_boolean_is_true_unless_its_word_is_zero() {
    let text = moved("array<vec2<bool>, 4>", "if p[i].y { return vec4f(1.0); } return vec4f();");
    assert!(text.contains("bool(") && text.contains(".y"), "{text}");
}
