use expect_test::{Expect, expect};

use super::*;
use crate::case::ShaderStage;
use crate::frontend::glsl::{self, Hints, ParseOptions};

/// What a GLSL fragment stage reports: blocks, then variables.
#[track_caller]
fn check(text: &str, expected: Expect) {
    let unit = glsl::parse(text, 0, &ParseOptions::default()).expect("parses");
    let stage = glsl::compile(&[unit], ShaderStage::Fragment, &Hints::default()).expect("compiles");
    let reflection = reflect(&[&stage]);
    let mut lines = Vec::new();
    for block in reflection.uniform_blocks.iter().chain(&reflection.storage_blocks) {
        let ActiveBlock { name, size, variables, binding, .. } = block;
        lines.push(format!("{name} binding {binding} size {size} variables {variables}"));
    }
    for variable in reflection.uniforms.iter().chain(&reflection.buffer_variables) {
        let ActiveVariable { name, size, gl_type, place, .. } = variable;
        let place = place.map_or(String::new(), |place| {
            let LeafPlace { offset, array_stride, matrix_stride, is_row_major } = place;
            let order = if is_row_major { " row-major" } else { "" };
            format!(" at {offset} strides {array_stride} {matrix_stride}{order}")
        });
        lines.push(format!("  {name} {gl_type:#x} × {size}{place}"));
    }
    expected.assert_eq(&lines.join("\n"));
}

/// OpenGL 4.6, §7.6.2.2's own example.
#[test]
fn the_example_of_the_specification() {
    check(
        "#version 430
        struct F { int d; bvec2 e; };
        struct O { uvec3 j; vec2 k; float l[2]; vec2 m; mat3 n[2]; };
        layout(std140) uniform Example {
            float a; vec2 b; vec3 c; F f; float g; float h[2]; mat2x3 i; O o[2];
        };
        out vec4 color;
        void main() { color = vec4(a); }",
        expect![],
    );
}

#[test]
fn a_storage_block_lists_first_elements_and_ends_with_one_stride() {
    check(
        "#version 430
        struct S { vec3 p; mat2 m; };
        layout(std430, binding = 3) buffer B { float h; vec2 pair[3]; S last[]; };
        out vec4 color;
        void main() { color = vec4(h); }",
        expect![],
    );
}

#[test]
fn loose_uniforms_have_no_place_and_unused_ones_do_not_exist() {
    check(
        "#version 430
        struct S { vec3 p[2]; int i; };
        uniform S s[2]; uniform float unused;
        out vec4 color;
        void main() { color = vec4(s[1].p[0], s[0].i); }",
        expect![],
    );
}

#[test]
fn members_of_block_arrays_are_listed_once() {
    check(
        "#version 430
        layout(binding = 4, row_major) uniform B { mat2x3 m; layout(column_major) mat3x2 c; } b[2];
        out vec4 color;
        void main() { color = vec4(b[0].m[0][0] + b[1].c[0][0]); }",
        expect![],
    );
}
