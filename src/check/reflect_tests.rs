//! Tests reflection: the specification's rules for resources of GLSL stages.

use expect_test::{Expect, expect};

use glsl::{Hints, ParseOptions};
use ir::stage::ShaderStage;
use link::reflect::*;

/// Checks the reflection of a GLSL fragment stage: blocks, then variables.
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
        lines.push(format!("- {name} {gl_type:#x} × {size}{place}"));
    }
    expected.assert_eq(&lines.join("\n"));
}

/// The example of OpenGL 4.6, §7.6.2.2.
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
        expect![[r#"
            Example binding 0 size 480 variables 18
            - a 0x1406 × 1 at 0 strides 0 0
            - b 0x8b50 × 1 at 8 strides 0 0
            - c 0x8b51 × 1 at 16 strides 0 0
            - f.d 0x1404 × 1 at 32 strides 0 0
            - f.e 0x8b57 × 1 at 40 strides 0 0
            - g 0x1406 × 1 at 48 strides 0 0
            - h[0] 0x1406 × 2 at 64 strides 16 0
            - i 0x8b65 × 1 at 96 strides 0 16
            - o[0].j 0x8dc7 × 1 at 128 strides 0 0
            - o[0].k 0x8b50 × 1 at 144 strides 0 0
            - o[0].l[0] 0x1406 × 2 at 160 strides 16 0
            - o[0].m 0x8b50 × 1 at 192 strides 0 0
            - o[0].n[0] 0x8b5b × 2 at 208 strides 48 16
            - o[1].j 0x8dc7 × 1 at 304 strides 0 0
            - o[1].k 0x8b50 × 1 at 320 strides 0 0
            - o[1].l[0] 0x1406 × 2 at 336 strides 16 0
            - o[1].m 0x8b50 × 1 at 368 strides 0 0
            - o[1].n[0] 0x8b5b × 2 at 384 strides 48 16"#]],
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
        expect![[r#"
            B binding 3 size 64 variables 4
            - B.h 0x1406 × 1 at 0 strides 0 0
            - B.pair[0] 0x8b50 × 3 at 8 strides 8 0
            - B.last[0].p 0x8b51 × 1 at 32 strides 0 0
            - B.last[0].m 0x8b5a × 1 at 48 strides 0 8"#]],
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
        expect![[r#"
            - s[0].p[0] 0x8b51 × 2
            - s[0].i 0x1404 × 1
            - s[1].p[0] 0x8b51 × 2
            - s[1].i 0x1404 × 1"#]],
    );
}

#[test]
fn members_of_block_arrays_are_listed_once() {
    check(
        "#version 430
        layout(binding = 4, row_major) uniform B { mat2x3 m; layout(column_major) mat3x2 c; } b[2];
        out vec4 color;
        void main() { color = vec4(b[0].m[0][0] + b[1].c[0][0]); }",
        expect![[r#"
            B[0] binding 4 size 96 variables 2
            B[1] binding 5 size 96 variables 2
            - B.m 0x8b65 × 1 at 0 strides 0 16 row-major
            - B.c 0x8b67 × 1 at 48 strides 0 16"#]],
    );
}

/// Counters at one binding point share one buffer, which ends with the last counter; array elements are words.
#[test]
fn counters_are_words_of_the_buffer_at_their_binding_point() {
    let text = "#version 430
        layout(binding = 1, offset = 4) uniform atomic_uint a;
        layout(binding = 1, offset = 8) uniform atomic_uint b[2];
        layout(binding = 2) uniform atomic_uint c;
        out vec4 color;
        void main() {
            color = vec4(atomicCounter(a) + atomicCounter(b[0]) + atomicCounter(b[1]) + atomicCounter(c));
        }";
    let unit = glsl::parse(text, 0, &ParseOptions::default()).expect("parses");
    let stage = glsl::compile(&[unit], ShaderStage::Fragment, &Hints::default()).expect("compiles");
    let reflection = reflect(&[&stage]);
    let buffers = reflection.counter_buffers.iter();
    let buffers: Vec<_> =
        buffers.map(|buffer| (buffer.binding, buffer.size, buffer.variables)).collect();
    assert_eq!(buffers, [(1, 16, 2), (2, 4, 1)]);
    let strides: Vec<_> = reflection
        .uniforms
        .iter()
        .map(|variable| {
            (variable.name.as_str(), variable.place.map(|place| (place.offset, place.array_stride)))
        })
        .collect();
    assert_eq!(strides, [("a", Some((4, 0))), ("b[0]", Some((8, 4))), ("c", Some((0, 0)))]);
}

/// `block` and `member` of `[link]` must match the program's numbers.
#[test]
fn blocks_that_are_not_as_expected_are_failures() {
    let failures = |expectation: &str| {
        let text = format!(
            "[require]\nGLSL >= 4.30\n[vertex shader]\nin vec4 position;\nvoid main() {{ gl_Position = position; }}\n\
             [fragment shader]\nlayout(std140, binding = 3) uniform B {{ float a; mat2 m; }};\n\
             out vec4 color;\nvoid main() {{ color = vec4(a, m[0], m[1].x); }}\n\
             [link]\n{expectation}\n[test]\nlink success\n"
        );
        let dialect = case::Dialect::Interstage;
        let case = case::parse::parse("a.shader_test", text.as_bytes(), dialect).remove(0);
        let case = case.result.expect("a right case");
        let program =
            prepare::linked_program(&case, prepare::AdapterRules::default()).expect("it links");
        crate::blocks::check_blocks(&case, &program).len()
    };
    assert_eq!(failures("block B size 48 binding 3 members 2"), 0);
    assert_eq!(failures("block B size 32"), 1);
    assert_eq!(failures("block B binding 0"), 1);
    assert_eq!(failures("block B members 3"), 1);
    assert_eq!(failures("member B.m offset 16 matrix_stride 16"), 0);
    assert_eq!(failures("member B.m offset 0"), 1);
    assert_eq!(failures("member B.m matrix_stride 8"), 1);
    assert_eq!(failures("block C size 48"), 1);
}
