//! Statements and expressions: evaluation order, control flow, conversions. naga's own GLSL front end silently breaks
//! several of these rules. Each test has the name of the rule.

use expect_test::{Expect, expect};

use ir::stage::ShaderStage;

use super::function_of;

/// Checks the statements of `main` of a fragment stage.
#[track_caller]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&function_of("450", ShaderStage::Fragment, text, "main"));
}

#[test]
fn continue_in_do_while_tests_the_condition() {
    check(
        "int i; void main() { do { i++; if (i == 2) continue; i += 5; } while (i < 5); }",
        expect![[r"
            loop {
                let _e1 = i;
                i = (_e1 + 1i);
                let _e4 = i;
                if (_e4 == 2i) {
                    continue;
                }
                let _e8 = i;
                i = (_e8 + 5i);
                continuing {
                    let _e10 = i;
                    break if !((_e10 < 5i));
                }
            }
        "]],
    );
}

#[test]
fn step_runs_after_continue() {
    check(
        "int i; void main() { for (i = 0; i < 4; i++) { if (i == 2) continue; } }",
        expect![[r"
            i = 0i;
            loop {
                let _e2 = i;
                if (_e2 < 4i) {
                } else {
                    break;
                }
                let _e8 = i;
                if (_e8 == 2i) {
                    continue;
                }
                continuing {
                    let _e5 = i;
                    i = (_e5 + 1i);
                }
            }
        "]],
    );
}

#[test]
fn right_side_with_effects_runs_only_when_it_decides() {
    check(
        "int n; bool f() { n++; return true; } bool b; void main() { b = b && f(); }",
        expect![[r"
            let _e1 = b;
            decided = _e1;
            if _e1 {
                let _e3 = f();
                decided = _e3;
            }
            let _e4 = decided;
            b = _e4;
        "]],
    );
}

#[test]
fn only_the_chosen_side_of_a_conditional_runs() {
    check(
        "int n; void main() { n = n > 0 ? n++ : 7; }",
        expect![[r"
            let _e1 = n;
            if (_e1 > 0i) {
                let _e4 = n;
                n = (_e4 + 1i);
                chosen = _e4;
            } else {
                chosen = 7i;
            }
            let _e9 = chosen;
            n = _e9;
        "]],
    );
}

#[test]
fn initialisers_of_globals_run_at_the_start_of_main_in_order() {
    check(
        "uniform float u; float x = sin(u); float y = x + 1.0; float z = 2.0; void main() { z = y; }",
        expect![[r"
            let _e1 = u;
            x = sin(_e1);
            let _e4 = x;
            y = (_e4 + 1f);
            let _e9 = y;
            z = _e9;
        "]],
    );
}

#[test]
fn index_of_a_compound_assignment_is_evaluated_once() {
    check(
        "float a[4]; void main() { int i = 0; a[i++] += 2.0; }",
        expect![[r"
            i = 0i;
            let _e3 = i;
            i = (_e3 + 1i);
            let _e8 = a[_e3];
            a[_e3] = (_e8 + 2f);
        "]],
    );
}

#[test]
fn out_argument_is_copied_back_to_where_it_was_evaluated() {
    check(
        "void f(inout float x, out int k) { k = 1; } float a[4]; void main() { int i = 0; f(a[i++], i); }",
        expect![[r"
            i = 0i;
            let _e3 = i;
            i = (_e3 + 1i);
            let _e8 = a[_e3];
            copy = _e8;
            f((&copy), (&copy_1));
            let _e10 = copy;
            a[_e3] = _e10;
            let _e11 = copy_1;
            i = _e11;
        "]],
    );
}

#[test]
fn swizzle_can_be_an_inout_argument() {
    check(
        "void f(inout vec2 q) { q *= 2.0; } vec3 v; void main() { f(v.zx); }",
        expect![[r"
            let _e2 = v;
            copy = _e2.zx;
            f((&copy));
            let _e4 = copy;
            v.z = _e4.x;
            v.x = _e4.y;
        "]],
    );
}

#[test]
fn component_of_a_swizzle_can_be_assigned() {
    check(
        "uniform int i; vec4 v; void main() { v.zyx[i] = 1.0; v.wzy.xz = vec2(2.0); v.yx.y++; }",
        expect![[r"
            let _e2 = i;
            v[vec3<u32>(2u, 1u, 0u)[_e2]] = 1f;
            let _e11 = vec2(2f);
            v.w = _e11.x;
            v.y = _e11.y;
            let _e17 = v.x;
            v.x = (_e17 + 1f);
        "]],
    );
}

#[test]
fn result_is_converted_to_the_functions_type() {
    let text = "float f(int i) { return i; } void main() { f(1); }";
    expect![[r"
        i_1 = i;
        let _e2 = i_1;
        return f32(_e2);
    "]]
    .assert_eq(&function_of("450", ShaderStage::Fragment, text, "f"));
}

#[test]
fn function_without_return_gives_zero() {
    let text = "uniform bool b; float f() { if (b) return 1.0; } void main() { f(); }";
    expect![[r"
        let _e1 = b;
        if _e1 {
            return 1f;
        }
        return f32();
    "]]
    .assert_eq(&function_of("450", ShaderStage::Fragment, text, "f"));
}

#[test]
fn loop_condition_may_declare() {
    check(
        "int i; void main() { while (bool b = i < 3) { i++; } }",
        expect![[r"
            loop {
                let _e1 = i;
                let _e3 = (_e1 < 3i);
                b = _e3;
                if _e3 {
                } else {
                    break;
                }
                let _e5 = i;
                i = (_e5 + 1i);
            }
        "]],
    );
}

#[test]
fn control_falls_from_case_to_case() {
    check(
        "uniform int s; int r; void main() { switch (s) { case 1: r = 1; default: r = 2; break; case 3: r += 3; } }",
        expect![[r"
            let _e1 = s;
            start = 3i;
            switch _e1 {
                case 1: {
                    start = 0i;
                }
                default: {
                    start = 1i;
                }
                case 3: {
                    start = 2i;
                }
            }
            switch 0i {
                default: {
                    let _e15 = start;
                    if (_e15 <= 0i) {
                        r = 1i;
                    }
                    let _e18 = start;
                    if (_e18 <= 1i) {
                        r = 2i;
                        break;
                    }
                    let _e21 = start;
                    if (_e21 <= 2i) {
                        let _e8 = r;
                        r = (_e8 + 3i);
                    }
                }
            }
        "]],
    );
}

#[test]
fn switch_without_fall_through_stays_one() {
    check(
        "uniform uint s; int r; void main() { switch (s) { case 1u: case 2u: r = 1; break; case 3u: r = 2; } }",
        expect![[r"
            let _e1 = s;
            switch _e1 {
                case 1u, 2u: {
                    r = 1i;
                    break;
                }
                case 3u: {
                    r = 2i;
                }
                default: {
                }
            }
        "]],
    );
}

#[test]
fn void_call_may_stand_before_a_comma() {
    check(
        "int n; void f() { n = 1; } void main() { f(), n++; }",
        expect![[r"
            f();
            let _e1 = n;
            n = (_e1 + 1i);
        "]],
    );
}

#[test]
fn statements_after_a_jump_are_dropped() {
    check(
        "int n; void main() { if (n > 0) { discard; n = 1; } return; n = 2; }",
        expect![[r"
            let _e1 = n;
            if (_e1 > 0i) {
                discard;
            }
        "]],
    );
}

#[test]
fn structs_and_arrays_compare_part_by_part() {
    check(
        "struct S { float f; bvec2 b[2]; } s, t; bool r; void main() { r = s != t; }",
        expect![[r"
            let _e2 = s;
            let _e4 = t;
            r = !(((_e2.f == _e4.f) && (all((_e2.b[0] == _e4.b[0])) && all((_e2.b[1] == _e4.b[1])))));
        "]],
    );
}

#[test]
fn operands_take_the_shape_the_ir_wants() {
    check(
        "uniform uvec2 u; uniform mat2 m; uniform ivec2 i; uvec2 a; mat2 b; ivec2 c;
         void main() { a = 7u % -u; b = 1.0 - m / m; c = i << 33 | 4; c = i / 0; }",
        expect![[r"
            let _e3 = u;
            a = (vec2(7u) % (vec2<u32>() - _e3));
            let _e11 = m;
            let _e12 = m;
            let _e19 = mat2x2<f32>((_e11[0] / _e12[0]), (_e11[1] / _e12[1]));
            b = mat2x2<f32>((vec2(1f) - _e19[0]), (vec2(1f) - _e19[1]));
            let _e29 = i;
            c = ((_e29 << vec2(1u)) | vec2(4i));
            c = vec2<i32>();
        "]],
    );
}

#[test]
fn constructors_take_components_from_anything() {
    check(
        "uniform mat3 m; uniform vec4 v; vec4 a; mat2x3 b; mat4 c; bvec2 d;
         void main() { a = vec4(m); b = mat2x3(v, v); c = mat4(mat2(v)); d = bvec2(v); }",
        expect![[r"
            let _e2 = m;
            a = vec4<f32>(_e2[0], _e2[1].x);
            let _e10 = v;
            let _e11 = v;
            let _e12 = _e11.xy;
            b = mat2x3<f32>(vec3<f32>(_e10.x, _e10.y, _e10.z), vec3<f32>(_e10.w, _e12.x, _e12.y));
            let _e23 = v;
            let _e30 = mat2x2<f32>(vec2<f32>(_e23.x, _e23.y), vec2<f32>(_e23.z, _e23.w));
            c = mat4x4<f32>(vec4<f32>(_e30[0].x, _e30[0].y, 0f, 0f), vec4<f32>(_e30[1].x, _e30[1].y, 0f, 0f), vec4<f32>(0f, 0f, 1f, 0f), vec4<f32>(0f, 0f, 0f, 1f));
            let _e45 = v;
            d = vec2<bool>(_e45.xy);
        "]],
    );
}

#[test]
fn value_without_an_address_can_be_indexed() {
    check(
        "uniform int i; float[2] f() { return float[](1.0, 2.0); } float r; void main() { r = f()[i]; }",
        expect![[r"
            let _e1 = f();
            let _e3 = i;
            indexed = _e1;
            let _e6 = indexed[_e3];
            r = _e6;
        "]],
    );
}

#[test]
fn overload_with_fewest_conversions_is_called() {
    check(
        "int r; void f(float x) { r = 1; } void f(ivec2 x) { r = 2; } void f(vec2 x) { r = 3; }
         void main() { f(1); f(ivec2(1)); f(vec2(1)); }",
        expect![[r"
            f(1f);
            f_1(vec2(1i));
            f_2(vec2(1f));
        "]],
    );
}

#[test]
fn deepest_tree_that_parses_is_lowered() {
    let sum = vec!["n"; 310].join(" + ");
    let blocks = 45;
    let text = format!(
        "uniform int n; int r; void main() {{ {} r = {sum}; {} }}",
        "if (n > 0) {".repeat(blocks),
        "}".repeat(blocks)
    );
    assert!(function_of("450", ShaderStage::Fragment, &text, "main").contains("r = "));
}
