//! Storage blocks, shared variables and atomics.

use expect_test::{Expect, expect};
use naga::TypeInner;

use ir::stage::ShaderStage::{self, Compute};

use super::{accepted, wgsl_of};

/// Checks the members of the first resource's type: offset, name, and size.
#[track_caller]
fn check_layout(text: &str, expected: Expect) {
    let (module, _) = accepted("450", Compute, text);
    let types = &module.module.types;
    let global = module.resources.first().expect("a storage block").global;
    let ty = &types[module.module.global_variables[global].ty].inner;
    let TypeInner::Struct { members, span } = ty else { panic!("a block is a struct") };
    let mut lines: Vec<_> = members
        .iter()
        .map(|member| {
            let name = member.name.as_deref().unwrap_or_default();
            let stride = if let TypeInner::Array { stride, .. } = types[member.ty].inner {
                format!(" stride {stride}")
            } else {
                String::new()
            };
            format!("{} {name}{stride}", member.offset)
        })
        .collect();
    lines.push(span.to_string());
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn std430_aligns_to_the_largest_part() {
    check_layout(
        "struct S { vec2 x; float y; };
         layout(std430) buffer B { float a; vec3 b; float c; vec2 d[2]; mat2 e; S f; bool g; float h[]; };
         void main() { h[0] = a; }",
        expect![[r"
            0 a
            16 b
            28 c
            32 d stride 8
            48 e
            64 f
            80 g
            84 h stride 4
            96"]],
    );
}

#[test]
fn std140_rounds_arrays_and_structs_to_sixteen() {
    check_layout(
        "struct S { float x; };
         layout(std140) buffer B { float a; float b[2]; mat2 c; S d; float e; layout(offset = 128) float f; };
         void main() { f = b[1] + c[1].y + d.x; }",
        expect![[r"
            0 a
            16 b stride 16
            48 c stride 16
            80 d
            96 e
            128 f
            144"]],
    );
}

#[test]
fn values_are_taken_apart_only_where_memory_differs() {
    let text = "layout(std140) buffer B { mat2 m; bool b; float a[2]; vec4 v[2]; };
         void main() { mat2 n = m; m = n; b = !b; float[2] c = a; vec4[2] w = v; }";
    let wgsl = wgsl_of("450", Compute, text);
    let main = &wgsl[wgsl.find("fn main").expect("main is there")..];
    let loads: Vec<_> = main.lines().filter(|line| line.contains("B_2.")).map(str::trim).collect();
    expect![[r"
        let _e3 = B_2.m[0];
        let _e5 = B_2.m[1];
        B_2.m[0] = _e9[0];
        B_2.m[1] = _e9[1];
        let _e16 = B_2.b;
        B_2.b = u32(!(bool(_e16)));
        let _e23 = B_2.a[0];
        let _e25 = B_2.a[1];
        let _e30 = B_2.v;"]]
    .assert_eq(&loads.join("\n"));
}

#[test]
fn only_what_is_accessed_atomically_becomes_atomic() {
    let text = "struct S { uint a; int b; }; layout(std430) buffer B { int n; S s[]; } b; shared uint t[2];
         void main() { int x = atomicAdd(b.s[2].b, 3); uint y = atomicCompSwap(t[1], 1u, 2u); b.s[1].b = x + b.n; }";
    let wgsl = wgsl_of("450", Compute, text);
    let lines: Vec<_> = wgsl
        .lines()
        .filter(|line| line.contains("atomic") || line.contains("array<"))
        .map(str::trim)
        .collect();
    expect![[r"
        b: atomic<i32>,
        s: array<S_1>,
        s: array<S>,
        var<workgroup> t: array<atomic<u32>, 2>;
        let _e7 = atomicAdd((&B_2.s[2].b), 3i);
        let _e15 = atomicCompareExchangeWeak((&t[1]), 1u, 2u);
        atomicStore((&B_2.s[1].b), (_e22 + _e24));"]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn barrier_is_a_workgroup_barrier_alone() {
    let text = "shared int n; void main() { n = 1; barrier(); memoryBarrierShared(); }";
    let (module, _) = accepted("450", Compute, text);
    let main = format!("{:?}", module.module.functions[module.main].body);
    assert!(main.contains("ControlBarrier(Barrier(WORK_GROUP))"), "{main}");
    assert!(!main.contains("SUB_GROUP"), "{main}");
}

#[test]
fn length_of_the_tail_is_known_at_run_time() {
    let text = "buffer B { int n; vec2 t[]; } b; void main() { b.n = b.t.length(); }";
    let wgsl = wgsl_of("450", Compute, text);
    assert!(wgsl.contains("= i32(arrayLength((&B_2.t)));"), "{wgsl}");
}

#[test]
fn every_block_of_an_array_is_a_buffer() {
    let text = "layout(std430, binding = 2) buffer B { uint n; } b[2];
         void main() { atomicAdd(b[1].n, b[0].n); }";
    let (module, _) = accepted("450", Compute, text);
    let names: Vec<_> =
        module.resources.iter().map(|resource| (&*resource.name, resource.binding)).collect();
    assert_eq!(names, [("B[0]", Some(2)), ("B[1]", Some(3))]);
    let main = wgsl_of("450", Compute, text);
    assert!(main.contains("atomicAdd((&B_u005b_1_u005d.n)"), "{main}");
    // The last index changes fastest, and each of the six blocks is a case of a switch.
    let text = "layout(std430, binding = 2) buffer B { uint n, a[]; } b[2][3]; uniform int i;
         void main() { atomicAdd(b[i][1].n, uint(b[1][i].a.length())); }";
    let (module, _) = accepted("450", Compute, text);
    let last = module
        .resources
        .last()
        .map(|resource| (&*resource.name, resource.binding, resource.element));
    assert_eq!(last, Some(("B[1][2]", Some(7), 5)));
    let main = wgsl_of("450", Compute, text);
    let count = |word: &str| main.matches(word).count();
    assert_eq!((count("atomicAdd("), count("arrayLength("), count("switch ")), (6, 6, 2), "{main}");
}

/// Checks the number of private globals and of `switch` statements in a stage.
#[track_caller]
fn check_pieces(text: &str, globals: usize, switches: usize) {
    let wgsl = super::wgsl_of("450", ShaderStage::Fragment, text);
    let count = |word: &str| wgsl.matches(word).count();
    assert_eq!((count("var<private>"), count("switch ")), (globals, switches), "{wgsl}");
}

#[test]
fn only_large_arrays_are_kept_in_pieces() {
    check_pieces("int a[256], i; void main() { a[i] = 1; }", 2, 0);
    // 300 scalars make five pieces of 64.
    check_pieces("int a[300], i; void main() { a[i] = 1; }", 6, 1);
    check_pieces("vec4 a[65]; int i; void main() { a[i].xw = a[i].yz; }", 6, 2);
    check_pieces("int a[2048], i; void main() { a[i]++; }", 33, 2);
}

#[test]
fn a_constant_index_names_its_piece() {
    let text = "struct S { int i; vec3 v; }; S a[100]; void main() { a[63].v = a[64].v.zyx; }";
    check_pieces(text, 7, 0);
}

#[test]
fn whole_arrays_in_pieces_are_values() {
    let text = "int a[300]; void f(inout int[300] x) { x[0]++; }
        void main() { int b[300]; b = a; f(b); if (b != a) a = b; }";
    check_pieces(text, 5, 0);
    // Another declaration of the same array may initialise it.
    let list = vec!["1"; 300].join(", ");
    check_pieces(&format!("int a[300] = int[300]({list}); void main() {{ a[2] = 3; }}"), 5, 0);
}
