//! Tests which outputs are written in place.

use super::*;

use crate::table::shell::{ResultChunk, Slot};
use ir::interface::ScalarKind;

const VERTICES: OutputVertices = OutputVertices { count: 2, first_word: 8, stride: 16 };

/// A module with this code in which `a` is an array of vectors, and `s` an array of structs.
fn module(code: &str) -> Module {
    let text = format!(
        "struct S {{ p: vec4f, q: f32 }}
        var<private> a: array<vec4f, 2>;
        var<private> s: array<S, 2>;
        fn take(p: ptr<private, vec4f>) {{ }}
        fn f(i: u32) -> f32 {{ {code} return 1.0; }}"
    );
    naga::front::wgsl::parse_str(&text).expect("valid WGSL")
}

fn named(module: &Module, name: &str) -> Handle<GlobalVariable> {
    let mut all = module.global_variables.iter();
    all.find(|(_, global)| global.name.as_deref() == Some(name)).expect("a global").0
}

/// The vector at `path` of the global with this name, in the words from `word` on.
fn wire(module: &Module, name: &str, path: &[u32], word: u32) -> ResultWire {
    let place = Place { global: named(module, name), path: path.to_vec() };
    ResultWire { place, scalar: ScalarKind::F32, size: 4, word }
}

/// The offsets of the outputs that code writes in place, if both vectors of `a` have words.
fn of_array(code: &str, eligible: Eligible) -> Vec<u32> {
    let module = module(code);
    let wires = vec![wire(&module, "a", &[0], 4), wire(&module, "a", &[1], 12)];
    let results = VertexResults { wires, ..VertexResults::default() };
    let outgoing = Outgoing { shell: &Shell::default(), results: &results };
    let divided = divide(&module, outgoing, eligible, None);
    assert_eq!(divided.is_copied(), divided.in_place.is_empty());
    divided.in_place.iter().map(|output| output.offset).collect()
}

#[test]
fn an_index_that_is_no_constant_makes_an_output_eligible() {
    assert_eq!(of_array("a[i] = vec4f();", Eligible::Indexed), [16]);
    assert_eq!(of_array("a[1][i] = 2.0;", Eligible::Indexed), [16]);
    assert_eq!(of_array("a[1] = vec4f();", Eligible::Indexed), [0; 0]);
    assert_eq!(of_array("a[1] = vec4f();", Eligible::All), [16]);
}

#[test]
fn an_output_whose_pointer_is_passed_on_is_copied() {
    assert_eq!(of_array("a[i] = vec4f(); take(&a[1]);", Eligible::Indexed), [0; 0]);
    assert_eq!(of_array("take(&a[1]);", Eligible::All), [0; 0]);
}

/// True if `s`, in which each vertex has words for `p` alone, is written in place.
fn is_struct_in_place(code: &str) -> bool {
    let module = module(code);
    let wires = vec![wire(&module, "s", &[0], 4)];
    let results = VertexResults { wires, ..VertexResults::default() };
    let outgoing = Outgoing { shell: &Shell::default(), results: &results };
    let divided = divide(&module, outgoing, Eligible::All, Some(VERTICES));
    // Behind the values of the patch, and the first four words of the vertex.
    assert!(divided.in_place.iter().all(|output| output.offset == 48));
    !divided.in_place.is_empty()
}

#[test]
fn a_member_without_words_is_never_written_in_place() {
    assert!(is_struct_in_place("s[i].p = s[1].p + vec4f(1.0);"));
    assert!(!is_struct_in_place("s[i].p = vec4f(); s[i].q = 1.0;"));
    assert!(!is_struct_in_place("s[i] = S();"));
    assert!(!is_struct_in_place("let all = s[1]; s[i].p = all.p;"));
    assert!(!is_struct_in_place("s = array<S, 2>();"));
}

/// The number of outputs in place if both vectors of `a` are in slots of `width` components, and the first slot also holds
/// `others`.
fn in_slots(width: u8, others: &[(usize, u8)]) -> usize {
    let module = module("a[i] = vec4f();");
    let slot = Slot {
        location: 0,
        kind: ScalarKind::F32,
        width,
        class: None,
        blend_source: None,
        is_alpha_one: false,
    };
    let of = |name: &str, path: &[u32], components: Vec<(usize, u8)>| Wire {
        place: Place { global: named(&module, name), path: path.to_vec() },
        scalar: ScalarKind::F32,
        components,
        is_over_w: false,
    };
    let whole = |slot: usize| (0..4).map(|component| (slot, component)).collect();
    let mut output_wires = vec![of("a", &[0], whole(0)), of("a", &[1], whole(1))];
    output_wires.extend((!others.is_empty()).then(|| of("s", &[0, 1], others.to_vec())));
    let shell = Shell { outputs: vec![slot; 2], output_wires, ..Shell::default() };
    let chunk = |(slot, word)| ResultChunk { slot, component: 0, count: width, word };
    let chunks = [(0, 0), (1, 8)].map(chunk).to_vec();
    let results = VertexResults { chunks, ..VertexResults::default() };
    let outgoing = Outgoing { shell: &shell, results: &results };
    let divided = divide(&module, outgoing, Eligible::Indexed, None);
    let left = if divided.in_place.is_empty() { 2 } else { 0 };
    assert_eq!(divided.results.chunks.len(), left, "the slots of an output go with it");
    divided.in_place.len()
}

#[test]
fn an_output_that_shares_a_slot_is_copied() {
    assert_eq!(in_slots(4, &[]), 1);
    assert_eq!(in_slots(5, &[]), 0, "a component that nothing fills");
    assert_eq!(in_slots(5, &[(0, 4)]), 0);
}

#[test]
fn the_vectors_of_outputs_are_counted_from_the_first_to_the_last() {
    let module = module("a[i] = s[i].p; s[i].p = a[1];");
    let vectors = |wires: Vec<ResultWire>| {
        let results = VertexResults { wires, ..VertexResults::default() };
        let outgoing = Outgoing { shell: &Shell::default(), results: &results };
        vectors_of(&divide(&module, outgoing, Eligible::Indexed, None).in_place)
    };
    assert_eq!(vectors(Vec::new()), None);
    assert_eq!(
        vectors(vec![wire(&module, "a", &[0], 4), wire(&module, "a", &[1], 12)]),
        Some([1, 4])
    );
}
