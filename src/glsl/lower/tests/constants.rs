//! Constant expressions and array dimensions.

use expect_test::{Expect, expect};

use ir::stage::ShaderStage;

use super::wgsl_of;

/// Checks the global variables of a vertex stage.
#[track_caller]
fn check(text: &str, expected: Expect) {
    let wgsl = wgsl_of("450", ShaderStage::Vertex, text);
    let globals: Vec<_> = wgsl.lines().filter(|line| line.starts_with("var")).collect();
    expected.assert_eq(&globals.join("\n"));
}

#[test]
fn first_dimension_is_the_outermost() {
    check(
        "float a[2][3]; float[3] b[2]; float[2][3] c; float d[2], e; void main() { a[1][2] = 0.0; }",
        expect![[r"
            var<private> a: array<array<f32, 3>, 2>;
            var<private> b: array<array<f32, 3>, 2>;
            var<private> c: array<array<f32, 3>, 2>;
            var<private> d: array<f32, 2>;
            var<private> e: f32;"]],
    );
}

#[test]
fn sizes_are_constant_expressions() {
    check(
        "const int n = 3; const ivec2 v = ivec2(n, 1 << 2); const float t[2] = float[](5.5, 6.5);
         int a[v.y * n - 2]; int b[int(t[1])]; int c[max(n, 2)]; int d[a.length() > 9 ? 2 : 1];
         int e[0x10 & 24]; void main() {}",
        expect![[r"
            var<private> t: array<f32, 2> = array<f32, 2>(5.5f, 6.5f);
            var<private> a: array<i32, 10>;
            var<private> b: array<i32, 6>;
            var<private> c: array<i32, 3>;
            var<private> d: array<i32, 2>;
            var<private> e: array<i32, 16>;"]],
    );
}

#[test]
fn open_size_comes_from_initialiser_or_highest_index() {
    check(
        "float a[]; float b[] = float[](1.0, 2.0); int c[][2] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
         float d[]; float d[5]; void main() { a[3] = 1.0; d[1] = 0.0; }",
        expect![[r"
            var<private> a: array<f32, 4>;
            var<private> b: array<f32, 2> = array<f32, 2>(1f, 2f);
            var<private> c: array<array<i32, 2>, 3> = array<array<i32, 2>, 3>(array<i32, 2>(1i, 2i), array<i32, 2>(3i, 4i), array<i32, 2>(5i, 6i));
            var<private> d: array<f32, 5>;"]],
    );
}

#[test]
fn constants_are_values_where_they_are_used() {
    check(
        "const float x = 1.0 / 4.0; const mat2 m = mat2(x); float y = m[1][1] + x; void main() {}",
        expect!["var<private> y: f32 = 0.5f;"],
    );
}

#[test]
fn infinities_are_set_by_main() {
    let text = "const float inf = 1.0 / 0.0; float x = inf; void main() {}";
    let wgsl = wgsl_of("450", ShaderStage::Vertex, text);
    assert!(wgsl.contains("x = bitcast<f32>(2139095040u);"), "{wgsl}");
}

#[test]
fn sizes_may_be_computed_from_64_bits() {
    check(
        "#extension GL_ARB_gpu_shader_int64 : require
         const int64_t n = 3l << 33; const double d = 5.5lf; const u64vec2 v = u64vec2(1ul, 2ul);
         int a[int(n >> 32)]; int b[int(d * 2.0lf)]; int c[v.y == 2ul ? 4 : 1]; double e[2];
         const double list[2] = double[](0.1lf, 2.0lf); void main() {}",
        expect![[r"
            var<private> a: array<i32, 6>;
            var<private> b: array<i32, 11>;
            var<private> c: array<i32, 4>;
            var<private> e: array<f64, 2>;
            var<private> list: array<f64, 2> = array<f64, 2>(0.1lf, 2.0lf);"]],
    );
}
