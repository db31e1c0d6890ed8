//! Geometry stages.

use expect_test::{Expect, expect};

use ir::stage::ShaderStage::Geometry;

use super::{accepted, function_of, tables};

const LAYOUT: &str = "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;";

#[track_caller]
fn check_tables(version: &str, text: &str, expect: Expect) {
    let (module, _) = accepted(version, Geometry, &format!("{LAYOUT} {text}"));
    expect.assert_eq(&tables(&module));
}

#[test]
fn inputs_are_those_of_one_vertex() {
    check_tables(
        "150",
        "in vec4 v[]; in B { vec4 a; float b; } block[]; in vec2 unused[3];
         void main() { gl_Position = v[0] + block[1].b; EmitVertex(); }",
        expect![[r#"
            in vec4 v unqualified center used, at v[]
            in vec4 B.a (block.a) unqualified center unused, at B[0]
            in float B.b (block.b) unqualified center used, at B[1]
            in vec2 unused unqualified center unused, at unused[]
            Output Position { invariant: false }
        "#]],
    );
}

#[test]
fn members_of_gl_in_are_inputs_if_they_are_read() {
    check_tables(
        "150",
        "void main() { gl_Position = gl_in[2].gl_Position * gl_in[0].gl_ClipDistance[1]; }",
        expect![[r#"
            in vec4 gl_Position unqualified center used, at gl_in[0]
            in float[2] gl_ClipDistance unqualified center used, at gl_in[2]
            Output Position { invariant: false }
        "#]],
    );
}

#[test]
fn built_ins_of_other_stages_are_plain_outputs() {
    check_tables(
        "410",
        "void main() { gl_PrimitiveID = gl_PrimitiveIDIn; gl_Layer = gl_InvocationID; gl_ViewportIndex = 1; }",
        expect![[r#"
            out int gl_PrimitiveID flat center used, at gl_PrimitiveID[]
            out int gl_Layer flat center used, at gl_Layer[]
            out int gl_ViewportIndex flat center used, at gl_ViewportIndex[]
        "#]],
    );
}

#[test]
fn emission_calls_a_function_with_the_stream() {
    let text = "layout(points) in; layout(points, max_vertices = 3) out;
        void main() { EmitVertex(); EmitStreamVertex(2u); EndPrimitive(); EndStreamPrimitive(1); }";
    let expected = "emit_vertex(0u);\nemit_vertex(2u);\nend_primitive(0u);\nend_primitive(1u);\n";
    assert_eq!(function_of("400", Geometry, text, "main"), expected);
}
