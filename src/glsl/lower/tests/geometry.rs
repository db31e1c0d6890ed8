//! Geometry stages.

use expect_test::{Expect, expect};

use ir::stage::ShaderStage::{Fragment, Geometry, Vertex};
use ir::stage_module::RedeclaredBlock;

use super::super::CompileError;
use super::{accepted, compiled, error_of, function_of, tables};

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

/// Checks the first error of a stage with the usual layout after `text`, in the form `message [text]`.
#[track_caller]
fn check_error(version: &str, text: &str, expected: &str) {
    assert_eq!(error_of(version, Geometry, &format!("{text} {LAYOUT}")), expected, "{text}");
}

/// Checks the first error of a stage with its own layout, in the form `message [text]`.
#[track_caller]
fn check_layout(version: &str, layout: &str, expected: &str) {
    let text = format!("{layout} void main() {{}}");
    assert_eq!(error_of(version, Geometry, &text), expected, "{layout}");
}

#[test]
fn a_stage_needs_two_primitives_and_a_number_of_vertices() {
    let missing =
        |word: &str| format!("no shader object declares the {word} of the geometry stage []");
    let (input, output) = ("layout(points) in;", "layout(points) out;");
    let count = "layout(max_vertices = 1) out;";
    check_layout("150", &format!("{output} {count}"), &missing("input primitive"));
    check_layout("150", &format!("{input} {count}"), &missing("output primitive"));
    check_layout("150", &format!("{input} {output}"), &missing("`max_vertices`"));
    check_layout("150", &format!("{input} {output} {count}"), "accepted");
    check_layout("150", "layout(POINTS) in; layout(points, Max_Vertices = 1) out;", "accepted");
}

#[test]
fn numbers_of_the_stage_have_bounds() {
    let out =
        |count: i32| format!("layout(points) in; layout(points, max_vertices = {count}) out;");
    check_layout("440", &out(0), "accepted");
    check_layout("440", &out(1024), "accepted");
    let message = "`max_vertices` is 1025, but at most 1024 are allowed";
    check_layout(
        "440",
        &out(1025),
        &format!("{message} [layout(points, max_vertices = 1025) out;]"),
    );
    check_layout("440", &out(-1), "`max_vertices` cannot be -1 [-1]");
    let runs = |count: u32| format!("layout(invocations = {count}) in; {}", out(1));
    check_layout("400", &runs(32), "accepted");
    for count in [0, 33] {
        let message = format!("`invocations` is {count}, but must be 1 to 32");
        let expected = format!("{message} [layout(invocations = {count}) in;]");
        check_layout("400", &runs(count), &expected);
    }
    check_layout(
        "330",
        &runs(1),
        "`invocations` needs GLSL 4.00 or GL_ARB_gpu_shader5 [invocations]",
    );
}

#[test]
fn declarations_of_the_stage_agree() {
    let again = |what: &str, place: &str| {
        format!("the {what} differs from that in an earlier declaration [{place}]")
    };
    let rows = [
        ("layout(lines) in;", "input primitive"),
        ("layout(points) out;", "output primitive"),
        ("layout(max_vertices = 4) out;", "`max_vertices`"),
    ];
    for (text, what) in rows {
        check_layout("150", &format!("{LAYOUT} {text}"), &again(what, text));
    }
    check_layout("150", &format!("{LAYOUT} {LAYOUT}"), "accepted");
    let error =
        compiled("150", Geometry, &[&format!("{LAYOUT} void main() {{}}"), "layout(lines) in;"]);
    let Err(CompileError::Link(errors)) = error else { panic!("{error:?}") };
    assert_eq!(errors[0].message, "the input primitive differs from that in another shader object");
    let halves = ["layout(points) in; void main() {}", "layout(points, max_vertices = 2) out;"];
    assert!(compiled("150", Geometry, &halves).is_ok());
}

#[test]
fn inputs_are_arrays_of_the_vertices() {
    let main = "void main() {}";
    let scalar = "`a` is an input of the geometry stage and must be an array [a]";
    check_error("150", &format!("in vec4 a; {main}"), scalar);
    let block =
        "an input block of the geometry stage must be an array, so it needs an instance name [B]";
    check_error("150", &format!("in B {{ vec4 a; }}; {main}"), block);
    let one = "`b` is an input of the geometry stage and must be an array [b]";
    check_error("150", &format!("in B {{ vec4 a; }} b; {main}"), one);
    let size = "`a` has 2 elements, but the input primitive `triangles` has 3 vertices [a]";
    check_error("150", &format!("in vec4 a[2]; {main}"), size);
    check_error("150", &format!("in vec4 a[3]; in vec4 b[]; {main}"), "accepted");
    check_error("430", &format!("in vec4 a[][2]; {main}"), "accepted");
    check_error("320 es", &format!("in highp vec4 a[]; {main}"), "accepted");
    let other = "`b` has 3 elements, but an earlier input has 2 [b]";
    let text = format!("in vec4 a[2]; in vec4 b[3]; {main}");
    assert_eq!(error_of("150", Geometry, &text), other);
    check_error(
        "150",
        "in vec4 a[]; void main() { a[0] = vec4(0.0); }",
        "an input cannot be assigned to [a[0]]",
    );
}

#[test]
fn inputs_are_open_before_the_layout() {
    let dynamic = "an array without a size needs constant indices [i]";
    check_error("150", "in vec4 a[]; void main() { int i = 1; gl_Position = a[i]; }", dynamic);
    check_error("150", "void main() { int i = 1; gl_Position = gl_in[i].gl_Position; }", dynamic);
    let length =
        "the length of an array without a size is not available in this version [a.length()]";
    check_error("150", "in vec4 a[]; void main() { int i = a.length(); }", length);
    check_error(
        "150",
        "in vec4 a[3]; void main() { int i = a.length(); gl_Position = a[i]; }",
        "accepted",
    );
    check_error("150", "in vec4 a[]; void main() { gl_Position = a[2]; }", "accepted");
    let outside = "index 3 is out of bounds for `vec4[3]` [3]";
    check_error("150", "in vec4 a[]; void main() { gl_Position = a[3]; }", outside);
    let after = format!(
        "{LAYOUT} in vec4 a[]; float b[a.length()]; void main() {{ int i = 1; b[0] = a[i].x; }}"
    );
    assert_eq!(error_of("150", Geometry, &after), "accepted");
}

#[test]
fn an_index_beyond_a_size_of_another_object_is_no_error_of_this_one() {
    let first = format!("{LAYOUT} void f(); void main() {{ f(); }}");
    let second = "in vec4 a[]; void f() { gl_Position = a[3]; }";
    let error = compiled("150", Geometry, &[&first, second]);
    assert!(matches!(error, Err(CompileError::Link(_))), "{error:?}");
}

#[test]
fn gl_in_is_redeclared_once_as_an_array() {
    let block = |instance: &str| format!("in gl_PerVertex {{ vec4 gl_Position; }} {instance};");
    let main = "void main() { gl_Position = gl_in[0].gl_Position; }";
    check_error("150", &format!("{} {main}", block("gl_in[]")), "accepted");
    let array = "`in gl_PerVertex` must be redeclared as the array `gl_in`";
    check_error("150", &format!("{} {main}", block("gl_in")), &format!("{array} [gl_in]"));
    check_error("150", &format!("{} {main}", block("other[]")), &format!("{array} [other]"));
    check_error(
        "150",
        &format!("{} void main() {{}}", block("")),
        &format!("{array} [gl_PerVertex]"),
    );
    let twice = format!("{0} {0} {main}", block("gl_in[]"));
    check_error("150", &twice, "`gl_PerVertex` is redeclared twice [gl_PerVertex]");
    let late = format!("{main} {}", block("gl_in[]"));
    check_error("150", &late, "`gl_PerVertex` is redeclared after it is used [gl_PerVertex]");
    let size = "`gl_in` has 2 elements, but the input primitive `triangles` has 3 vertices [gl_in]";
    check_error("150", &format!("{} {main}", block("gl_in[2]")), size);
    let many = "in gl_PerVertex { float gl_ClipDistance[9]; } gl_in[]; void main() {}";
    check_error("150", many, "`gl_ClipDistance` can have at most 8 elements [gl_ClipDistance]");
    let other = "in gl_PerVertex { vec4 gl_Position; } gl_in[]; void main() { gl_Position.x = gl_in[0].gl_PointSize; }";
    check_error("150", other, "`gl_PerVertex` has no member `gl_PointSize` [gl_PointSize]");
}

#[test]
fn objects_redeclare_gl_in_alike() {
    let main = format!(
        "{LAYOUT} in gl_PerVertex {{ vec4 gl_Position; }} gl_in[]; vec4 f(); void main() {{ gl_Position = f(); }}"
    );
    let check = |second: &str, expected: &str| {
        let error = compiled("150", Geometry, &[&main, second]);
        let Err(CompileError::Link(errors)) = error else { panic!("{error:?}") };
        assert_eq!(errors[0].message, expected);
    };
    check(
        "vec4 f() { return gl_in[0].gl_Position; }",
        "another shader object uses `gl_PerVertex` without this redeclaration",
    );
    check(
        "in gl_PerVertex { vec4 gl_Position; float gl_PointSize; } gl_in[]; vec4 f() { return gl_in[0].gl_Position; }",
        "`gl_PerVertex` is redeclared differently in another shader object",
    );
}

#[test]
fn members_of_the_compatibility_profile_are_inputs() {
    check_tables(
        "150 compatibility",
        "void main() { gl_FrontColor = gl_in[0].gl_FrontColor; gl_TexCoord[0] = gl_in[0].gl_TexCoord[1]; }",
        expect![[r#"
            in vec4 gl_FrontColor unqualified center used, at gl_in[3]
            in vec4 gl_TexCoord[0] unqualified center used, at gl_in[8, 0]
            in vec4 gl_TexCoord[1] unqualified center used, at gl_in[8, 1]
            out vec4 gl_FrontColor unqualified center used, at gl_FrontColor[]
            out vec4 gl_TexCoord[0] unqualified center used, at gl_TexCoord[0]
        "#]],
    );
    let core = "void main() { gl_Position = gl_in[0].gl_FrontColor; }";
    check_error("150", core, "`gl_PerVertex` has no member `gl_FrontColor` [gl_FrontColor]");
}

#[test]
fn streams_have_places_and_bounds() {
    let points = "layout(points) in; layout(points, max_vertices = 1) out;";
    let text = format!(
        "{points} layout(stream = 1) out; out vec4 a; layout(stream = 2) out B {{ vec4 b; }}; out C {{ vec4 c; }}; \
         layout(stream = 0) out vec4 d; void main() {{ a = b = c = d = vec4(0.0); }}"
    );
    let (module, _) = accepted("400", Geometry, &text);
    let streams: Vec<_> = module.outputs.iter().map(|output| output.stream).collect();
    assert_eq!(streams, [1, 2, 1, 0]);
    check_layout(
        "400",
        "layout(stream = 4) out vec4 a;",
        "there is no stream 4; the last is 3 [layout(stream = 4) out]",
    );
    check_layout(
        "400",
        "out B { layout(stream = 1) vec4 a; };",
        "the `stream` of a member must be that of its block [a]",
    );
    check_layout(
        "330",
        "layout(stream = 1) out vec4 a;",
        "`stream` needs GLSL 4.00 or GL_ARB_gpu_shader5 [stream]",
    );
    check_layout(
        "400",
        "layout(stream = 1) in vec4 a[];",
        "the layout qualifier `stream` is not allowed here [stream]",
    );
    let message = "the layout qualifier `stream` is not allowed here [stream]";
    assert_eq!(error_of("400", Vertex, "layout(stream = 1) out vec4 a; void main() {}"), message);
}

#[test]
fn emission_is_for_geometry_stages_and_other_streams_for_points() {
    let only = "`EmitVertex` is only available in the geometry stage [EmitVertex()]";
    assert_eq!(error_of("150", Vertex, "void main() { EmitVertex(); }"), only);
    check_error(
        "140",
        "",
        "`triangles` needs GLSL 1.50, GLSL ES 3.20 or GL_OES_geometry_shader [triangles]",
    );
    let old = "`EmitStreamVertex` is not available in this version [EmitStreamVertex]";
    check_error("330", "void main() { EmitStreamVertex(0); }", old);
    check_error("400", "void main() { EmitStreamVertex(0); }", "accepted");
    let points = "only a stage with `points` as output primitive can emit to a stream other than 0";
    check_error(
        "400",
        "void main() { EmitStreamVertex(1); }",
        &format!("{points} [EmitStreamVertex(1)]"),
    );
    let many = "`EmitStreamVertex` has no such stream; the last is 3 [EmitStreamVertex(4)]";
    check_error("400", "void main() { EmitStreamVertex(4); }", many);
    let dynamic = "the stream of `EmitStreamVertex` must be constant [EmitStreamVertex(i)]";
    check_error("400", "uniform int i; void main() { EmitStreamVertex(i); }", dynamic);
}

#[test]
fn layers_are_inputs_of_the_fragment_stage() {
    let text = "out vec4 c; void main() { c = vec4(gl_Layer, gl_ViewportIndex, 0.0, 0.0); }";
    let (module, _) = accepted("430", Fragment, text);
    expect![[r#"
        in int gl_Layer flat center used, at gl_Layer[]
        in int gl_ViewportIndex flat center used, at gl_ViewportIndex[]
        out vec4 c unqualified center used, at c[]
    "#]]
    .assert_eq(&tables(&module));
    assert_eq!(
        error_of("420", Fragment, text),
        "`gl_Layer` is not available in this version [gl_Layer]"
    );
}

#[test]
fn redeclared_blocks_are_kept_for_the_next_stage() {
    let text =
        "in gl_PerVertex { vec4 gl_Position; } gl_in[]; out gl_PerVertex { float gl_PointSize; };
                void main() { gl_PointSize = gl_in[0].gl_Position.x; }";
    let (module, _) = accepted("150", Geometry, &format!("{LAYOUT} {text}"));
    let members = |block: Option<RedeclaredBlock>| block.expect("it is redeclared").members;
    assert_eq!(members(module.per_vertex.input), ["gl_Position"]);
    assert_eq!(members(module.per_vertex.output), ["gl_PointSize"]);
    let (module, _) = accepted(
        "150",
        Geometry,
        &format!("{LAYOUT} void main() {{ gl_Position = gl_in[0].gl_Position; }}"),
    );
    assert!(module.per_vertex.unredeclared_input.is_some());
}
