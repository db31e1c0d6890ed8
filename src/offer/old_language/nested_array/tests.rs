//! Tests the rewrite of each use of arrays of arrays, as GLSL 3.30.

use crate::old_language::tests::written;

use super::*;

/// The GLSL 3.30 of a fragment stage after its arrays of arrays were replaced.
#[track_caller]
fn lowered(globals: &str, body: &str) -> String {
    let text = format!(
        "{globals}
        @fragment fn main(@location(0) @interpolate(flat) i: i32) -> @location(0) vec4f {{ {body} }}"
    );
    let module = without_arrays_of_arrays(&fixture::module(&text)).expect("there are some");
    assert!(!has_arrays_of_arrays(&module), "{module:#?}");
    written(&module)
}

#[track_caller]
fn check(globals: &str, body: &str, expected: &[&str]) {
    let text = lowered(globals, body);
    for part in expected {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
}

#[test]
fn an_element_is_a_struct_around_an_array() {
    let globals = "var<private> a: array<array<f32, 2>, 3>;";
    let body = "a[i][1] = 1.0; return vec4f(a[2][i]);";
    let parts = ["float elements[2];", "a[i].elements[1] = 1.0", "a[2].elements[i]"];
    check(globals, body, &parts);
}

#[test]
fn whole_elements_are_read_and_written() {
    let globals = "var<private> a: array<array<f32, 2>, 3>;";
    let body =
        "let row = a[1]; a[i] = row; var b = a; b[2] = array(3.0, 4.0); return vec4f(b[i][0]);";
    check(
        globals,
        body,
        &["a[1].elements;", "a[i].elements = ", "b[2].elements = float[2](3.0, 4.0)"],
    );
}

#[test]
fn elements_of_elements_have_structs_too() {
    let globals = "var<private> a: array<array<array<vec2f, 2>, 3>, 4>;";
    let body = "a[i][i][i].y = 1.0; let plane = a[3]; return vec4f(plane[2][1].x);";
    check(globals, body, &["a[i].elements[i].elements[i].y = 1.0"]);
}

#[test]
fn constructors_make_the_structs() {
    let globals = "const rows = array(array(1.0, 2.0), array(3.0, 4.0));
        var<private> a: array<array<f32, 2>, 2> = array(array(1.0, 2.0), array(3.0, 4.0));";
    let body = "var b = rows; b[0] = a[i];
        let c = array(array(f32(i), 2.0), array(3.0, f32(i)));
        let zero = array<array<f32, 2>, 2>();
        return vec4f(b[i][i], c[i][i], zero[i][i], 0.0);";
    check(globals, body, &["](Elements"]);
}

#[test]
fn functions_take_and_return_them() {
    let globals = "struct S { m: array<array<i32, 2>, 3>, n: array<f32, 2> }
        fn turned(a: array<array<f32, 2>, 2>, row: ptr<function, array<f32, 2>>) -> array<array<f32, 2>, 2> {
            (*row)[0] = a[1][0];
            return array(a[1], a[0]);
        }";
    let body = "var s: S; s.m[i][1] = 2;
        var a: array<array<f32, 2>, 2>; var row = a[i];
        for (var k = 0; k < 2; k++) { if a[k][0] > 0.0 { row = turned(a, &row)[1]; } else { a[k] = s.n; } }
        switch i { case 1: { return vec4f(row[0]); } default: { return vec4f(f32(s.m[1][i])); } }";
    check(globals, body, &["s.m[i].elements[1] = 2"]);
}

#[test]
fn buffers_keep_their_layout() {
    let globals = "@group(0) @binding(0) var<uniform> u: array<array<vec4f, 2>, 3>;";
    check(globals, "return u[2][i];", &["[2].elements[i]"]);
    let module = fixture::module(&format!(
        "{globals} @fragment fn main() -> @location(0) vec4f {{ return u[2][1]; }}"
    ));
    let without = without_arrays_of_arrays(&module).expect("there is one");
    let size = |module: &Module| {
        let mut layouter = naga::proc::Layouter::default();
        layouter.update(module.to_ctx()).expect("types have a layout");
        let (_, variable) = module.global_variables.iter().next().expect("there is one");
        layouter[variable.ty].size
    };
    assert_eq!(size(&without), size(&module));
}

#[test]
fn modules_without_them_stay_as_they_are() {
    let text = "@fragment fn main() -> @location(0) vec4f { var a: array<mat2x2f, 3>; return vec4f(a[1][1][0]); }";
    assert!(without_arrays_of_arrays(&fixture::module(text)).is_none());
}
