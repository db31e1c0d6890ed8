//! Tests of linking geometry stages.

use crate::{LabelOptions, LinkError, LinkOptions, ProgramRules, link, testing};
use ir::options::PerVertexRule;
use ir::stage::ShaderStage;
use ir::stage_module::Stages;

use crate::program::LinkedProgram;

const HEAD: &str =
    "#version 450\nlayout(triangles) in;\nlayout(triangle_strip, max_vertices = 3) out;\n";

fn linked(vertex: &str, geometry: &str, fragment: &str) -> Result<LinkedProgram, LinkError> {
    linked_with(&LinkOptions::default(), vertex, geometry, fragment)
}

fn linked_with(
    options: &LinkOptions,
    vertex: &str,
    geometry: &str,
    fragment: &str,
) -> Result<LinkedProgram, LinkError> {
    let vertex = format!("#version 450\n{vertex}");
    let (geometry, fragment) = (format!("{HEAD}{geometry}"), format!("#version 450\n{fragment}"));
    let stages = Stages::new([
        testing::stage(ShaderStage::Vertex, &vertex),
        testing::stage(ShaderStage::Geometry, &geometry),
        testing::stage(ShaderStage::Fragment, &fragment),
    ])
    .expect("a program");
    link(&stages, options)
}

/// Checks which of the vertex stage's outputs a, b and c cross to a geometry stage with this code, if the fragment
/// stage reads x but not y.
#[track_caller]
fn check_crossing(functions: &str, main: &str, expected: &str) {
    let vertex = "out float a, b, c; void main() { gl_Position = vec4(0.0); a = b = c = 1.0; }";
    let geometry = format!(
        "in float a[], b[], c[]; out float x, y;\n{functions}\nvoid main() {{ {main} EmitVertex(); }}"
    );
    let fragment = "in float x; out vec4 color; void main() { color = vec4(x); }";
    let program = linked(vertex, &geometry, fragment).expect("it links");
    let map = &program.map.earlier.first().expect("there is a geometry stage").map;
    let names: Vec<&str> = map.varyings.iter().map(|varying| varying.name.as_str()).collect();
    assert_eq!(names.join(" "), expected, "{main}");
}

#[test]
fn inputs_of_dead_outputs_die() {
    check_crossing("", "x = a[0]; y = b[0] + c[1];", "a");
    check_crossing("", "float t = b[0]; x = a[0]; y = t;", "a");
    check_crossing("float f(float t) { return t * 2.0; }", "x = f(a[0]); y = f(b[0]);", "a b");
    check_crossing("float g; void f() { y = g; }", "g = b[0]; x = a[0]; f();", "a");
}

#[test]
fn what_may_be_seen_otherwise_is_live() {
    // Values that determine whether a vertex is emitted, and which.
    check_crossing("", "x = a[0]; if (b[0] > 0.0) EmitVertex();", "a b");
    check_crossing("", "x = a[0]; for (int i = 0; i < int(b[0]); i++) EmitVertex();", "a b");
    check_crossing("", "x = a[int(b[0])];", "a b");
    check_crossing("", "gl_Position = vec4(b[0]); x = a[0];", "a b");
    // An output that is read back, a variable of the whole stage, and a buffer.
    check_crossing("", "y = b[0]; x = y + a[0];", "a b");
    check_crossing("float g; void f() { x = g; }", "g = b[0]; y = a[0]; f();", "b");
    check_crossing("buffer B { float w; };", "w = c[0]; x = a[0]; y = b[0];", "a c");
    check_crossing(
        "void f(inout float t) { t += 1.0; }",
        "float t = b[0]; f(t); x = a[0]; y = t;",
        "a b",
    );
}

#[test]
fn members_of_blocks_die_one_by_one() {
    let vertex =
        "out B { float a; float b; } o; void main() { gl_Position = vec4(0.0); o.a = o.b = 1.0; }";
    let geometry = "in B { float a; float b; } i[]; out C { float x; float y; } o;
        void main() { o.x = i[0].a; o.y = i[1].b; EmitVertex(); }";
    let fragment = "in C { float x; float y; } i; out vec4 c; void main() { c = vec4(i.y); }";
    let program = linked(vertex, geometry, fragment).expect("it links");
    let map = &program.map.earlier.first().expect("there is a geometry stage").map;
    assert_eq!(map.unread, ["B.a"]);
    assert_eq!(program.map.unread, ["C.x"]);
}

/// The record of a vertex contains the outputs that the fragment stage reads, and the built-in outputs.
#[test]
fn records_hold_what_is_read() {
    let stride = |geometry: &str, read: &str| {
        let fragment = format!("{read} out vec4 c; void main() {{ c = vec4(0.0); }}");
        let geometry = format!("{geometry} EmitVertex(); }}");
        let program = linked("void main() { gl_Position = vec4(0.0); }", &geometry, &fragment);
        program.expect("it links").geometry_pass().expect("there is a geometry stage").stride
    };
    assert_eq!(stride("void main() {", ""), 4);
    assert_eq!(stride("void main() { gl_Position = vec4(0.0);", ""), 4);
    assert_eq!(stride("out vec3 v; void main() { v = vec3(0.0);", ""), 4);
    let distances = "void main() { gl_Position = vec4(0.0); gl_ClipDistance[2] = 1.0;";
    assert_eq!(stride(distances, ""), 8, "four words and three");
    let distances = "void main() { gl_ClipDistance[2] = 1.0; gl_PrimitiveID = 3;";
    assert_eq!(stride(distances, ""), 4);
}

#[test]
fn errors_name_the_stages() {
    let message = |geometry: &str, fragment: &str| {
        let vertex = "out vec3 a; void main() { gl_Position = vec4(0.0); a = vec3(0.0); }";
        match linked(vertex, geometry, fragment) {
            Err(LinkError::Refused(errors)) => errors[0].message.clone(),
            other => panic!("{other:?}"),
        }
    };
    let found = message(
        "in vec2 a[]; out vec2 b; void main() { b = a[0]; EmitVertex(); }",
        "in vec2 b; out vec4 c; void main() { c = b.xyxy; }",
    );
    assert_eq!(found, "`a` is vec3 in the vertex stage but vec2 in the geometry stage");
    let found = message(
        "out vec2 b; void main() { b = vec2(0.0); EmitVertex(); }",
        "in vec3 b; out vec4 c; void main() { c = b.xyzz; }",
    );
    assert_eq!(found, "`b` is vec2 in the geometry stage but vec3 in the fragment stage");
    let found = message(
        "in vec3 other[]; void main() { gl_Position = other[0].xyzz; EmitVertex(); }",
        "out vec4 c; void main() { c = vec4(0.0); }",
    );
    assert_eq!(found, "`other` is read by the geometry stage but not written by the vertex stage");
}

/// Options for separable stages with this rule for redeclaring `gl_PerVertex`.
fn separable(per_vertex: PerVertexRule) -> LinkOptions {
    LinkOptions {
        labels: LabelOptions { is_separable: true, ..LabelOptions::default() },
        rules: ProgramRules { per_vertex, ..ProgramRules::default() },
        ..LinkOptions::default()
    }
}

/// Checks the error for stages with these redeclarations of `gl_PerVertex`.
#[track_caller]
fn check_blocks(options: &LinkOptions, [out, taken, given]: [&str; 3], expected: &str) {
    let vertex = format!("{out} void main() {{ gl_Position = vec4(0.0); }}");
    let geometry = format!(
        "{taken} {given} void main() {{ gl_Position = gl_in[0].gl_Position; EmitVertex(); }}"
    );
    let found = match linked_with(options, &vertex, &geometry, "void main() {}") {
        Ok(_) => String::new(),
        Err(LinkError::Refused(errors)) => errors[0].message.clone(),
        Err(error) => error.to_string(),
    };
    assert_eq!(found, expected);
}

const OUT: &str = "out gl_PerVertex { vec4 gl_Position; };";
const OTHER: &str = "out gl_PerVertex { vec4 gl_Position; float gl_PointSize; };";
const IN: &str = "in gl_PerVertex { vec4 gl_Position; } gl_in[];";

#[test]
fn the_block_between_the_stages_of_a_program_is_redeclared_alike() {
    let check = |blocks, expected: &str| check_blocks(&LinkOptions::default(), blocks, expected);
    check(["", "", ""], "");
    check([OUT, IN, ""], "");
    check([OTHER, IN, ""], "`gl_PerVertex` is redeclared differently in the vertex stage");
    check(
        [OUT, "", ""],
        "`gl_in` is used without the redeclaration of `gl_PerVertex` that the vertex stage has",
    );
    check(
        ["", IN, ""],
        "`gl_Position` is used without the redeclaration of `gl_PerVertex` that the geometry stage has",
    );
}

#[test]
fn a_separable_geometry_stage_redeclares_both_its_blocks() {
    let options = separable(PerVertexRule::Redeclared);
    let needed = |name: &str| {
        format!(
            "`{name}` is used without a redeclaration of `gl_PerVertex`, which a separable program needs"
        )
    };
    check_blocks(&options, [OUT, IN, OUT], "");
    check_blocks(&options, [OUT, "", OUT], &needed("gl_in"));
    check_blocks(&options, [OUT, IN, ""], &needed("gl_Position"));
    check_blocks(&options, ["", IN, OUT], &needed("gl_Position"));
    let word = "unsupported: `gl_PerVertex` with other members in the next separable stage";
    check_blocks(&options, [OTHER, IN, OUT], word);
    // Mesa's rule, for piglit's files.
    let options = separable(PerVertexRule::Free);
    for blocks in [["", "", ""], [OUT, "", ""], ["", IN, ""]] {
        check_blocks(&options, blocks, "");
    }
}

#[test]
fn a_separable_fragment_stage_reads_no_other_stream() {
    let geometry = "#version 450
        layout(points) in; layout(points, max_vertices = 1) out;
        in float a[];
        layout(stream = 1) out float b; void main() { b = a[0]; EmitStreamVertex(1); }";
    let linked = |fragment: &str| {
        let vertex = "#version 450\nout float a; void main() { gl_Position = vec4(a = 0.0); }";
        let stages = Stages::new([
            testing::stage(ShaderStage::Vertex, vertex),
            testing::stage(ShaderStage::Geometry, geometry),
            testing::stage(ShaderStage::Fragment, &format!("#version 450\n{fragment}")),
        ])
        .expect("a program");
        link(&stages, &separable(PerVertexRule::Free))
    };
    let read = "in float b; out vec4 c; void main() { c = vec4(b); }";
    let error = linked(read).expect_err("it is not supported");
    assert_eq!(error.to_string(), "unsupported: `b` of stream 1 before a separable stage");
    let program = linked("out vec4 c; void main() { c = vec4(0.0); }").expect("it links");
    assert_eq!(program.streams(), 1);
    // A stage that is a separate program gets even outputs that its partners do not need, and stages that are not drawn
    // have no labels.
    let front = &program.map.earlier.first().expect("there is a geometry stage").map;
    assert_eq!((front.varyings.len(), &program.map.unread), (1, &Vec::new()));
}
