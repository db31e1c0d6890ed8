//! `xfb_buffer`, `xfb_offset` and `xfb_stride`, by GLSL 4.60, 4.4.2.1.

use ir::stage::ShaderStage::{self, Fragment, Vertex};

use super::{accepted, error_of};

/// Checks the transform feedback outputs of a vertex stage (`name buffer+offset`) and its strides (`buffer: stride`).
#[track_caller]
fn check(text: &str, expected: &str) {
    let text = format!("{text} void main() {{ gl_Position = vec4(0.0); }}");
    let xfb = accepted("450", Vertex, &text).0.xfb;
    let outputs = xfb
        .outputs
        .iter()
        .map(|output| format!("{} {}+{}", output.name, output.buffer, output.offset));
    let strides = xfb.strides.iter().map(|stride| format!("{}: {}", stride.buffer, stride.stride));
    assert_eq!(outputs.chain(strides).collect::<Vec<_>>().join(", "), expected, "{text}");
}

#[track_caller]
fn check_error(version: &str, stage: ShaderStage, text: &str, expected: &str) {
    let text = format!("{text} void main() {{}}");
    assert_eq!(error_of(version, stage, &text), expected);
}

#[test]
fn the_buffer_is_the_last_default_or_its_own() {
    check("layout(xfb_offset = 4) out vec2 a;", "a 0+4");
    check(
        "layout(xfb_buffer = 2, xfb_stride = 32) out; layout(xfb_offset = 0) out vec2 a;
         layout(xfb_buffer = 1, xfb_offset = 8) out vec2 b; layout(xfb_offset = 8) out vec2 c;
         layout(xfb_buffer = 0) out; layout(xfb_offset = 0) out float d; out float e;",
        "a 2+0, b 1+8, c 2+8, d 0+0, 2: 32",
    );
}

#[test]
fn members_of_a_captured_block_follow_each_other() {
    check(
        "layout(xfb_buffer = 1, xfb_offset = 4) out B { float a; vec3 b; layout(xfb_offset = 64) mat2 c; vec2 d; } b;",
        "B.a 1+4, B.b 1+8, B.c 1+64, B.d 1+80",
    );
    check(
        "layout(xfb_buffer = 1) out B { float a; layout(xfb_offset = 8) vec2 b; float c; } b;",
        "B.b 1+8",
    );
}

#[test]
fn elements_of_an_array_of_blocks_go_to_one_buffer_each() {
    check(
        "layout(xfb_buffer = 1, xfb_offset = 0) out B { float a; vec2 b; } b[2];",
        "B[0].a 1+0, B[0].b 1+4, B[1].a 2+0, B[1].b 2+4",
    );
}

#[test]
fn built_in_outputs_are_captured_where_they_are_declared_again() {
    check(
        "out gl_PerVertex { layout(xfb_offset = 0) vec4 gl_Position; layout(xfb_offset = 16) float gl_PointSize; };",
        "gl_Position 0+0, gl_PointSize 0+16",
    );
    check("layout(xfb_offset = 12) out float gl_ClipDistance[3];", "gl_ClipDistance 0+12");
}

/// `stream` is only allowed in geometry stages.
#[test]
fn the_words_have_their_versions_and_places() {
    let declaration = "layout(xfb_offset = 0) out float a;";
    check_error(
        "430",
        Vertex,
        declaration,
        "`xfb_offset` needs GLSL 4.40 or GL_ARB_enhanced_layouts [xfb_offset]",
    );
    check_error("440", Vertex, declaration, "accepted");
    let extension = "#extension GL_ARB_enhanced_layouts : require\n";
    check_error("430", Vertex, &format!("{extension}{declaration}"), "accepted");
    check_error(
        "450",
        Fragment,
        declaration,
        "the layout qualifier `xfb_offset` is not allowed here [xfb_offset]",
    );
    check_error(
        "450",
        Vertex,
        "layout(xfb_offset = 0) in float a;",
        "the layout qualifier `xfb_offset` is not allowed here [xfb_offset]",
    );
    check_error(
        "450",
        Vertex,
        "layout(xfb_offset = 0) out;",
        "the layout qualifier `xfb_offset` is not allowed here [xfb_offset]",
    );
    check_error(
        "450",
        Vertex,
        "layout(stream = 1) out;",
        "the layout qualifier `stream` is not allowed here [stream]",
    );
}

#[test]
fn a_member_goes_to_the_buffer_of_its_block() {
    let member = |buffer: u32| {
        format!(
            "layout(xfb_buffer = 1) out B {{ layout(xfb_buffer = {buffer}, xfb_offset = 0) float a; }} b;"
        )
    };
    check_error("450", Vertex, &member(1), "accepted");
    check_error(
        "450",
        Vertex,
        &member(2),
        "the `xfb_buffer` of a member must be that of its block [layout(xfb_buffer = 2, xfb_offset = 0)]",
    );
}

/// The compile-time errors of GLSL 4.60, 4.4.2.1, which Mesa reports too.
#[test]
fn buffers_offsets_and_strides_are_checked_at_once() {
    let check = |text: &str, message: &str| {
        check_error("450", Vertex, &format!("{text} out vec4 a;"), message);
    };
    check("layout(xfb_buffer = 3, xfb_offset = 0)", "accepted");
    let message = "there is no capture buffer 4; the last is 3 [layout(xfb_buffer = 4) out]";
    check("layout(xfb_buffer = 4)", message);
    check("layout(xfb_buffer = 4) out; layout(xfb_offset = 0)", message);
    // Mesa accepts an unused default; glslang does not, and the specification says "specify".
    check("layout(xfb_buffer = 4) out; layout(xfb_buffer = 0, xfb_offset = 0)", message);
    let message = "`xfb_offset` must be a multiple of 4 [layout(xfb_offset = 2) out]";
    check("layout(xfb_offset = 2)", message);
    check("layout(xfb_offset = 2) out B { vec4 b; };", message);
    let message = "`xfb_offset` must be a multiple of 4 [layout(xfb_offset = 6)]";
    check("out B { layout(xfb_offset = 6) vec4 b; };", message);
    check("layout(xfb_stride = 32) out; layout(xfb_stride = 32, xfb_offset = 0)", "accepted");
    let message = "the `xfb_stride` of capture buffer 0 is 32 here but 16 before \
                   [layout(xfb_stride = 32, xfb_offset = 0) out]";
    check("layout(xfb_stride = 16) out; layout(xfb_stride = 32, xfb_offset = 0)", message);
    check("layout(xfb_stride = 16) out; layout(xfb_buffer = 1, xfb_stride = 32)", "accepted");
}
