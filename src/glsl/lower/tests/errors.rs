//! Errors and unsupported constructs.

use ir::stage::ShaderStage::{self, Compute, Fragment, TessellationControl, Vertex};

use super::{compiled, error_of};
use crate::preprocess::MAX_ERRORS;
use ir::diagnostic::CompileError;

/// Checks the first error and the text it underlines, in the form `message [text]`.
#[track_caller]
fn check(version: &str, stage: ShaderStage, text: &str, expected: &str) {
    assert_eq!(error_of(version, stage, text), expected);
}

#[track_caller]
fn check_main(statements: &str, expected: &str) {
    let text = format!(
        "uniform vec2 u; in vec2 i; const int c = 1; out vec4 o; float f(float x, float y);
         void main() {{ vec3 v; int n; float x; {statements} }}"
    );
    check("330", Fragment, &text, expected);
}

#[test]
fn names_must_be_declared() {
    check_main("x = y;", "`y` is not declared [y]");
    check_main("g(x);", "`g` is not declared [g]");
    check_main("T t;", "there is no type `T` [T]");
    check_main("f(x, x);", "`f` is declared but not defined [f(x, x)]");
    check(
        "330",
        Fragment,
        "void f() { g(); } void g() {} void main() {}",
        "`g` is not declared [g]",
    );
    check("330", Fragment, "void f() {}", "the fragment stage has no `main` []");
}

#[test]
fn names_are_declared_once() {
    check_main("int n;", "`n` is declared twice [n]");
    check("330", Fragment, "in vec4 a; in vec4 a; void main() {}", "`a` is declared twice [a]");
    check("330", Fragment, "void f() {} void f() {} void main() {}", "`f` is defined twice [f]");
    check("330", Fragment, "void f(int f) { int f; } void main() {}", "`f` is declared twice [f]");
}

#[test]
fn types_must_fit() {
    check_main("v = u;", "`vec2` cannot be converted to `vec3` [u]");
    check_main("n = x;", "`float` cannot be converted to `int` [x]");
    check_main("n += x;", "`float` cannot be converted to `int` [x]");
    check_main("if (n) {}", "a condition must be `bool`, not `int` [n]");
    check_main("v = v + u;", "`+` is not defined between `vec3` and `vec2` [v + u]");
    check_main("x = !x;", "`!` is not defined on `float` [!x]");
    check_main("x = v;", "`vec3` cannot be converted to `float` [v]");
    check_main("v[x] = 1.0;", "an index must be `int` or `uint`, not `float` [x]");
    check_main("v.q = 1.0;", "`.q` is out of range for a vector of 3 components [q]");
    check_main("v.xg = u;", "a vector has no components `.xg` [xg]");
    check_main("v[3] = 1.0;", "index 3 is out of bounds for `vec3` [3]");
    check_main("return x;", "a `void` function cannot return a value [x]");
    check_main(
        "v = vec3(u);",
        "the constructor of `vec3` needs 3 components, but its arguments have 2 [vec3(u)]",
    );
    check_main(
        "v = vec3(v, x);",
        "this argument is unused: the arguments before it fill all components of `vec3` [x]",
    );
}

#[test]
fn calls_must_match() {
    check_main("f(x);", "no overload of `f` accepts (float) [f]");
    check_main("sin(n, n);", "no overload of `sin` accepts (int, int) [sin]");
    check(
        "330",
        Fragment,
        "void f(out int x) {} void main() { f(1); }",
        "the argument of an `out` or `inout` parameter must be a variable [1]",
    );
    check(
        "330",
        Fragment,
        "void g(); void f() { g(); } void g() { f(); } void main() { f(); }",
        "`f` calls itself, directly or indirectly [f()]",
    );
}

#[test]
fn only_variables_are_assigned() {
    check_main("u = u;", "a uniform cannot be assigned to [u]");
    check_main("i.x = 1.0;", "an input cannot be assigned to [i.x]");
    check_main("const int k = 1; k++;", "this cannot be assigned to [k]");
    check_main("c = 2;", "this cannot be assigned to [c]");
    check_main("1 = n;", "this cannot be assigned to [1]");
    check_main("v.xx = u;", "a swizzle that is assigned to must not repeat a component [v.xx]");
}

/// F20
#[test]
fn implicit_conversions_depend_on_the_version() {
    let text = "void main() { float x = 1; }";
    check("110", Vertex, text, "`int` cannot be converted to `float` [1]");
    check("120", Vertex, text, "accepted");
    check("300 es", Vertex, text, "`int` cannot be converted to `float` [1]");
    check("330", Vertex, "void main() { uint x = 1; }", "`int` cannot be converted to `uint` [1]");
    check("400", Vertex, "void main() { uint x = 1; }", "accepted");
    let added = "310 es\n#extension GL_EXT_shader_implicit_conversions : enable";
    check(added, Vertex, "void main() { highp float x = 1; highp uint y = 1; }", "accepted");
    check(
        added,
        Vertex,
        "void main() { int x = 1.0; }",
        "`float` cannot be converted to `int` [1.0]",
    );
}

#[test]
fn jumps_need_something_to_leave() {
    check_main("break;", "`break` is only allowed in a loop or `switch` [break;]");
    check_main(
        "switch (n) { case 1: continue; }",
        "`continue` is only allowed in a loop [continue;]",
    );
    check_main("switch (n) { case 1: case c: break; }", "this label is repeated [c]");
    check(
        "330",
        Vertex,
        "void main() { discard; }",
        "`discard` is only allowed in the fragment stage [discard;]",
    );
}

#[test]
fn what_cannot_be_compiled_is_named() {
    check("330", Fragment, "uniform samplerBuffer s; void main() {}", "unsupported samplerBuffer");
    check("450", Vertex, "void main() { float16_t d; }", "unsupported float16_t");
    let bounded = "layout(vertices = 3) out; void main() { gl_BoundingBox[0] = vec4(1.0); }";
    check("320 es", TessellationControl, bounded, "unsupported gl_BoundingBox");
    check("450", TessellationControl, bounded, "`gl_BoundingBox` is not declared [gl_BoundingBox]");
    check(
        "450",
        Compute,
        "layout(local_size_variable) in; void main() {}",
        "`local_size_variable` needs GL_ARB_compute_variable_group_size [local_size_variable]",
    );
}

#[test]
fn error_in_a_function_nobody_calls_is_found() {
    check("330", Fragment, "void f() { x = 1; } void main() {}", "`x` is not declared [x]");
}

#[test]
fn hostile_sizes_are_errors() {
    check(
        "450",
        Vertex,
        "float a[1 << 30]; void main() {}",
        "interstage supports at most 4194304 scalars in a variable [a]",
    );
    check("450", Vertex, "int a[-1]; void main() {}", "an array cannot have -1 elements [-1]");
    check("450", Vertex, "int a[1 / 0]; void main() {}", "an array cannot have 0 elements [1 / 0]");
    check(
        "450",
        Vertex,
        "uniform int n; int a[n]; void main() {}",
        "this is not a constant expression [n]",
    );
}

#[test]
fn built_ins_come_with_their_version() {
    let reserved = "`gl_CullDistance` is not available in this version [gl_CullDistance]";
    let use_it = "void main() { gl_CullDistance[0] = 1.0; }";
    let declare_it = "out float gl_CullDistance[1]; void main() {}";
    assert_eq!(error_of("130", Vertex, use_it), reserved);
    assert_eq!(error_of("440", Vertex, declare_it), reserved);
    assert_eq!(error_of("450", Vertex, use_it), "accepted");
    let extended = format!("#extension GL_ARB_cull_distance: enable\n{use_it}");
    assert_eq!(error_of("130", Vertex, &extended), "accepted");
    let read = "void main() { gl_FragColor = gl_PointCoord.xyxy; }";
    let message = "`gl_PointCoord` is not available in this version [gl_PointCoord]";
    assert_eq!(error_of("110", Fragment, read), message);
    assert_eq!(error_of("120", Fragment, read), "accepted");
    assert_eq!(error_of("100", Fragment, &format!("precision mediump float; {read}")), "accepted");
}

#[test]
fn clip_and_cull_distances_are_declared_with_eight_elements_together() {
    let body = |clip: u8, cull: u8| {
        format!(
            "out float gl_ClipDistance[{clip}]; out float gl_CullDistance[{cull}]; void main() {{}}"
        )
    };
    assert_eq!(error_of("450", Vertex, &body(5, 3)), "accepted");
    let message = "`gl_ClipDistance` and `gl_CullDistance` can have at most 8 elements together";
    assert_eq!(error_of("450", Vertex, &body(5, 4)), format!("{message} [gl_ClipDistance]"));
}

const INT64: &str = "\n#extension GL_ARB_gpu_shader_int64 : require\n";

#[test]
fn functions_without_a_wide_overload_refuse_wide_arguments() {
    let check_call = |call: &str, expected: &str| {
        let text = format!("{INT64}double d; int64_t l; out vec4 o; void main() {{ {call}; }}");
        check("460", Fragment, &text, expected);
    };
    for (call, name, ty) in [
        ("dFdx(d)", "dFdx", "double"),
        ("fwidth(dvec2(d))", "fwidth", "dvec2"),
        ("sin(d)", "sin", "double"),
        ("exp2(d)", "exp2", "double"),
        ("bitCount(l)", "bitCount", "int64_t"),
        ("findMSB(l)", "findMSB", "int64_t"),
        ("floatBitsToInt(d)", "floatBitsToInt", "double"),
        ("packHalf2x16(dvec2(d))", "packHalf2x16", "dvec2"),
    ] {
        check_call(call, &format!("no overload of `{name}` accepts ({ty}) [{name}]"));
    }
    check_call("pow(d, d)", "no overload of `pow` accepts (double, double) [pow]");
    check_call("atan(1.0, d)", "no overload of `atan` accepts (float, double) [atan]");
    check_call("ldexp(d, l)", "no overload of `ldexp` accepts (double, int64_t) [ldexp]");
}

#[test]
fn what_only_integers_of_32_bits_can_be() {
    let check_main = |statements: &str, expected: &str| {
        let text =
            format!("{INT64}double d; int64_t l; float f[3]; void main() {{ {statements} }}");
        check("460", Vertex, &text, expected);
    };
    check_main("float x[3l];", "expected an integer, found `int64_t` [3l]");
    check_main("f[l] = 1.0;", "an index must be `int` or `uint`, not `int64_t` [l]");
    check_main("f[d] = 1.0;", "an index must be `int` or `uint`, not `double` [d]");
    check_main(
        "switch (l) { case 1: break; }",
        "`switch` needs an `int` or `uint`, not `int64_t` [l]",
    );
    check_main("d % 2.0lf;", "`%` is not defined between `double` and `double` [d % 2.0lf]");
    check_main("d << 1;", "`<<` is not defined between `double` and `int` [d << 1]");
    check_main("~d;", "`~` is not defined on `double` [~d]");
    check_main("l & d;", "`&` is not defined between `int64_t` and `double` [l & d]");
    check_main("if (l) {}", "a condition must be `bool`, not `int64_t` [l]");
    check_main("l += 1.0;", "`+` is not defined between `int64_t` and `float` [l += 1.0]");
    check_main("int i; i += l;", "`int64_t` cannot be converted to `int` [l]");
    check_main("uint64_t m; l = m;", "`uint64_t` cannot be converted to `int64_t` [m]");
    check_main("uint u; l = l + u;", "`+` is not defined between `int64_t` and `uint` [l + u]");
}

#[test]
fn several_overloads_that_are_equally_good_are_ambiguous() {
    let check_call = |functions: &str, expected: &str| {
        let text = format!("{INT64}{functions} void main() {{ f(1, 2); }}");
        check("460", Vertex, &text, expected);
    };
    check_call("void f(float x, int y) {} void f(double x, int y) {}", "accepted");
    check_call("void f(uint x, int y) {} void f(int64_t x, int y) {}", "accepted");
    let ambiguous = "the call of `f` is ambiguous [f]";
    check_call("void f(float x, int y) {} void f(uint x, int y) {}", ambiguous);
    check_call("void f(float x, int y) {} void f(int x, float y) {}", ambiguous);
    check_call("void f(int64_t x, double y) {} void f(double x, int64_t y) {}", ambiguous);
}

/// A thousand errors, each of which was compared with all others and shown with its line, took seconds.
#[test]
fn errors_are_not_reported_without_bound() {
    let text = format!("{}\nvoid main() {{}}", "vec4 twice; ".repeat(1000));
    let found = compiled("450", ShaderStage::Fragment, &[&text]);
    let Err(CompileError::Diagnostics(errors)) = found else { panic!("{found:?}") };
    assert_eq!(errors.len(), MAX_ERRORS);
}

/// F16
#[test]
fn es_has_no_functions_beside_built_in_ones() {
    let message = "`sin` is a built-in function and cannot be redeclared in this version [sin]";
    let main = "void main() {}";
    let own = format!("highp float sin(highp float x) {{ return x; }} {main}");
    check("300 es", Vertex, &own, message);
    check("100", Vertex, &own, message);
    let other = format!("highp float sin(highp mat2 x) {{ return 1.0; }} {main}");
    check("300 es", Vertex, &other, message);
    check("100", Vertex, &other, "accepted");
    check("330", Vertex, "float sin(float x) { return x; } void main() {}", "accepted");
    let lookup = format!("precision highp float; float textureLod(float x) {{ return x; }} {main}");
    let message =
        "`textureLod` is a built-in function and cannot be redeclared in this version [textureLod]";
    check("300 es", Fragment, &lookup, message);
    check("100", Fragment, &lookup, "accepted");
}

/// F17
#[test]
fn functions_of_es_1_return_no_arrays() {
    let text =
        "precision highp float; struct S { float a[2]; }; S f() { S s; return s; } void main() {}";
    check("100", Fragment, text, "a function cannot return an array in this version [S]");
    check("300 es", Fragment, text, "accepted");
}

/// F18
#[test]
fn recursion_within_an_object_is_an_error_of_the_compiler() {
    let text = "float f(float x) { return f(x); } void main() { f(1.0); }";
    assert!(matches!(compiled("330", Fragment, &[text]), Err(CompileError::Diagnostics(_))));
    let texts = [
        "float g(float x); float f(float x) { return g(x); } void main() { f(1.0); }",
        "float f(float x); float g(float x) { return f(x); }",
    ];
    assert!(matches!(compiled("330", Fragment, &texts), Err(CompileError::Link(_))));
}

/// F19
#[test]
fn constant_parameters_are_not_constant_expressions() {
    let text = "int f(const int a) { const int b = -a; return b; } void main() { f(3); }";
    check("330", Fragment, text, "this is not a constant expression [a]");
    check("420", Fragment, text, "accepted");
    let written = "void f(const int a) { a = 3; } void main() { f(3); }";
    check("420", Fragment, written, "a constant cannot be assigned to [a]");
}
