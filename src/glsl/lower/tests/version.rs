//! Constructs that one version rejects and another accepts.

use ir::stage::ShaderStage::{self, Fragment, Vertex};

use super::error_of;

/// Checks the first error and the text it underlines, in the form `message [text]`.
#[track_caller]
fn check(version: &str, stage: ShaderStage, text: &str, expected: &str) {
    assert_eq!(error_of(version, stage, text), expected, "{text}");
}

#[test]
fn functions_come_with_a_version_or_an_extension() {
    let text = "void main() { float x = fma(1.0, 2.0, 3.0); }";
    check("330", Vertex, text, "`fma` is not available in this version [fma]");
    check("400", Vertex, text, "accepted");
    let text =
        "#extension GL_ARB_gpu_shader5 : enable\nvoid main() { float x = fma(1.0, 2.0, 3.0); }";
    check("150", Vertex, text, "accepted");
    let text = "uniform sampler2D s; void main() { vec4 v = texture2DLod(s, vec2(0.0), 1.0); }";
    check("110", Fragment, text, "`texture2DLod` is not available in this version [texture2DLod]");
    check("110", Vertex, text, "accepted");
    let text =
        "float fma(float a, float b, float c) { return a; } void main() { fma(1.0, 2.0, 3.0); }";
    check("330", Vertex, text, "accepted");
}

#[test]
fn types_come_with_a_version() {
    let text = "void main() { mat2x3 m; }";
    check("110", Vertex, text, "there is no type `mat2x3` in this version [mat2x3]");
    check("120", Vertex, text, "accepted");
}

#[test]
fn arrays_are_no_values_at_first() {
    let text = "void main() { float a[2], b[2]; a = b; }";
    check("110", Vertex, text, "an array cannot be used as a value in this version [a = b]");
    check("100", Vertex, text, "an array cannot be used as a value in this version [a = b]");
    check("120", Vertex, text, "accepted");
    let text = "void main() { int a[2], b[2]; bool c = a == b; }";
    check("110", Vertex, text, "an array cannot be used as a value in this version [a == b]");
}

#[test]
fn matrices_are_made_of_matrices_from_120_on() {
    let text = "void main() { mat3 m; mat2 n = mat2(m); }";
    check(
        "110",
        Vertex,
        text,
        "a matrix cannot be constructed from matrices in this version [mat2(m)]",
    );
    check("120", Vertex, text, "accepted");
    check("100", Vertex, text, "accepted");
}

#[test]
fn return_converts_from_420_on() {
    let text = "float f(int i) { return i; } void main() {}";
    let message = "`return` does not convert `int` to `float` in this version [i]";
    check("410", Vertex, text, message);
    check("420", Vertex, text, "accepted");
}

#[test]
fn arrays_of_samplers_and_blocks_take_constants_before_400() {
    let text = "uniform int i; uniform sampler2D s[2]; void main() { texture(s[i], vec2(0.0)); }";
    let message = "an array of samplers needs a constant index in this version [i]";
    check("130", Fragment, text, message);
    check("300 es", Fragment, &format!("precision highp float; {text}"), message);
    check("400", Fragment, text, "accepted");
    check("330", Fragment, &text.replace("s[i]", "s[1]"), "accepted");
    let text =
        "uniform int i; uniform B { float x; } b[2]; out float o; void main() { o = b[i].x; }";
    check("150", Vertex, text, "an array of blocks needs a constant index in this version [i]");
    check("400", Vertex, text, "accepted");
}

#[test]
fn labels_have_the_type_of_the_selector_before_400() {
    let text = "void main() { uint x = 1u; switch (x) { case 1: break; } }";
    check(
        "330",
        Vertex,
        text,
        "the `case` label has the type `int`, but the `switch` expression has `uint` [1]",
    );
    check("400", Vertex, text, "accepted");
}

#[test]
fn constants_are_made_of_constants() {
    let text = "uniform float u; const float c = u + 1.0; void main() {}";
    check("450", Vertex, text, "this is not a constant expression [u]");
    let text = "uniform float u; void main() { const float c = u; }";
    check("410", Vertex, text, "this is not a constant expression [u]");
    check("420", Vertex, text, "accepted");
    let text = "float f() { return 1.0; } void main() { const float c = f(); }";
    check("330", Vertex, text, "this is not a constant expression [f()]");
    let text = "void main() { const float c = abs(-1.0); }";
    check("110", Vertex, text, "this is not a constant expression [abs(-1.0)]");
    check("120", Vertex, text, "accepted");
    check("330", Vertex, "in vec4 a[2]; void main() { const int n = a.length(); }", "accepted");
}

#[test]
fn globals_of_es_start_with_constants() {
    let text = "uniform float u; float g = u; void main() {}";
    check("300 es", Vertex, text, "this is not a constant expression [u]");
    check("330", Vertex, text, "accepted");
    let text = "float f = 1.0; float g = f; void main() {}";
    check("100", Vertex, text, "this is not a constant expression [f]");
}

#[test]
fn limits_of_the_compatibility_profile_stay_there() {
    let text = "void main() { int n = gl_MaxLights; }";
    let message = "`gl_MaxLights` is not available in this version [gl_MaxLights]";
    check("150", Vertex, text, message);
    check("150 compatibility", Vertex, text, "accepted");
}

#[test]
fn components_stay_in_their_location() {
    let text = |component: u32, ty: &str| {
        format!("layout(location = 0, component = {component}) out {ty} v; void main() {{}}")
    };
    let place = "[layout(location = 0, component = 3) out]";
    let message = format!("`v` starts at component 3 and does not fit into its location {place}");
    check("440", Vertex, &text(3, "vec2"), &message);
    check("440", Vertex, &text(2, "vec2"), "accepted");
    let message =
        format!("only scalars, vectors and arrays of these can have a `component` {place}");
    check("440", Vertex, &text(3, "mat2"), &message);
}

#[test]
fn offsets_suit_the_members() {
    let text = |kind: &str, offset: u32| {
        format!("{kind} B {{ vec4 a; layout(offset = {offset}) vec2 b; }}; void main() {{}}")
    };
    for kind in ["layout(std140) uniform", "layout(std430) buffer"] {
        check("440", Vertex, &text(kind, 16), "accepted");
        check(
            "440",
            Vertex,
            &text(kind, 8),
            "offset 8 overlaps the previous members, which end at offset 16 [b]",
        );
        check("440", Vertex, &text(kind, 20), "offset 20 is not a multiple of the alignment 8 [b]");
    }
}

#[test]
fn coordinates_of_images_have_their_dimension() {
    let text = "layout(rgba8) uniform image2D i; void main() { vec4 v = imageLoad(i, ivec3(0)); }";
    check("420", Fragment, text, "no overload of `imageLoad` accepts (image2D, ivec3) [imageLoad]");
}

/// F38
#[test]
fn some_arguments_are_constants_or_inputs() {
    let offset = |offset: &str| {
        let call = format!("textureOffset(s, vec2(0.5), {offset})");
        format!(
            "uniform sampler2D s; uniform ivec2 u; const ivec2 c = ivec2(1); void f() {{ {call}; }} void main() {{}}"
        )
    };
    check("330", Fragment, &offset("u"), "this is not a constant expression [u]");
    check("330", Fragment, &offset("-c"), "accepted");
    check("330", Fragment, &offset("ivec2(c.x, 1)"), "accepted");
    let fetch = "uniform sampler2D s; void main() { int i = 1; texelFetchOffset(s, ivec2(0), 0, ivec2(i)); }";
    check("330", Fragment, fetch, "this is not a constant expression [i]");
    let value =
        "in vec4 v[2]; void f() { vec4 l = v[0]; interpolateAtCentroid(l.x); } void main() {}";
    check("400", Fragment, value, "the interpolant must be a shader input [l.x]");
    check("400", Fragment, &value.replace("(l.x)", "(v[1])"), "accepted");
    let sampler = "void f() { texture(sampler2D(1), vec2(0.5)); } void main() {}";
    check("400", Fragment, sampler, "`sampler2D` has no constructor [sampler2D]");
    let bindless = format!("#extension GL_ARB_bindless_texture : enable\n{sampler}");
    check("400", Fragment, &bindless, "accepted");
    let double = "void f() { float x = float(1.0lf); } void main() {}";
    check("330", Vertex, double, "there is no type `double` in this version [1.0lf]");
    check("400", Vertex, double, "accepted");
}
