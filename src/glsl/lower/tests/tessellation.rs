//! Tessellation stages.

use expect_test::{Expect, expect};

use ir::stage::ShaderStage::{self, TessellationControl, TessellationEvaluation};

use super::super::CompileError;
use super::{accepted, compiled, error_of, function_of, tables};

const CONTROL: &str = "layout(vertices = 3) out;";
const EVALUATION: &str = "layout(quads) in;";

#[track_caller]
fn check_tables(stage: ShaderStage, text: &str, expect: Expect) {
    let layout = if stage == TessellationControl { CONTROL } else { EVALUATION };
    let (module, _) = accepted("410", stage, &format!("{layout} {text}"));
    expect.assert_eq(&tables(&module));
}

#[test]
fn inputs_and_outputs_of_a_control_stage_are_those_of_one_vertex() {
    check_tables(
        TessellationControl,
        "in vec4 v[]; in B { vec4 a; float b; } block[]; out vec2 w[]; patch out mat2 m;
         out C { float c; } more[]; patch out P { vec4 p; };
         void main() {
             w[gl_InvocationID] = v[2].xy; more[gl_InvocationID].c = block[1].b;
             m = mat2(1.0); p = vec4(w[1], w[2]);
         }",
        expect![[r#"
            in vec4 v unqualified center used, at v[]
            in vec4 B.a (block.a) unqualified center unused, at B[0]
            in float B.b (block.b) unqualified center used, at B[1]
            out vec2 w unqualified center used, at w[]
            out patch mat2 m unqualified center used, at m[]
            out float C.c (more.c) unqualified center used, at C[0]
            out patch vec4 P.p (p) unqualified center used, at P[0]
        "#]],
    );
}

#[test]
fn members_of_gl_in_and_gl_out_and_the_levels_are_listed() {
    check_tables(
        TessellationControl,
        "void main() {
             gl_out[gl_InvocationID].gl_Position = gl_in[2].gl_Position * gl_in[0].gl_ClipDistance[1];
             gl_TessLevelOuter[1] = 3.0; gl_TessLevelInner[0] = gl_TessLevelOuter[2] + gl_PatchVerticesIn;
         }",
        expect![[r#"
            in vec4 gl_Position unqualified center used, at gl_in[0]
            in float[2] gl_ClipDistance unqualified center used, at gl_in[2]
            out vec4 gl_Position unqualified center used, at gl_out[0]
            out patch float[4] gl_TessLevelOuter unqualified center used, at gl_TessLevelOuter[]
            out patch float[2] gl_TessLevelInner unqualified center used, at gl_TessLevelInner[]
        "#]],
    );
}

#[test]
fn an_evaluation_stage_gives_what_a_vertex_stage_gives() {
    check_tables(
        TessellationEvaluation,
        "in vec4 v[]; in B { dvec2 a; } block[]; patch in mat2 m; patch in P { float p; }; out vec4 w;
         void main() {
             gl_Position = v[gl_PrimitiveID] * gl_TessCoord.x + gl_in[1].gl_Position;
             gl_ClipDistance[2] = gl_TessLevelInner[1] + float(block[2].a.x);
             w = vec4(m[0], p, gl_PatchVerticesIn);
         }",
        expect![[r#"
            in vec4 v unqualified center used, at v[]
            in dvec2 B.a (block.a) unqualified center used, at B[0]
            in patch mat2 m unqualified center used, at m[]
            in patch float P.p (p) unqualified center used, at P[0]
            in vec4 gl_Position unqualified center used, at gl_in[0]
            in patch float[2] gl_TessLevelInner unqualified center used, at gl_TessLevelInner[]
            out vec4 w unqualified center used, at w[]
            Output Position { invariant: false }
            Output ClipDistances
        "#]],
    );
}

#[test]
fn outputs_of_a_control_stage_are_in_the_memory_of_a_workgroup() {
    let text = "layout(vertices = 3) out; out vec4 v[]; patch out float p;
        void f(inout vec4 v, out float p) { v += 1.0; p = v.x; }
        void main() {
            f(v[gl_InvocationID], p);
            barrier();
            v[gl_InvocationID].yz += v[gl_InvocationID + 1].xy;
        }";
    let (module, _) = accepted("400", TessellationControl, text);
    let spaces: Vec<_> =
        module.module.global_variables.iter().map(|(_, global)| global.space).collect();
    let shared = naga::AddressSpace::WorkGroup;
    assert_eq!(spaces, [shared, shared, naga::AddressSpace::Private]);
    expect![[r#"
        let _e2 = gl_InvocationID;
        let _e6 = v_1[_e2];
        copy = _e6;
        f((&copy), (&copy_1));
        let _e8 = copy;
        v_1[_e2] = _e8;
        let _e9 = copy_1;
        p_1 = _e9;
        workgroupBarrier();
        let _e10 = gl_InvocationID;
        let _e12 = gl_InvocationID;
        let _e16 = v_1[(_e12 + 1i)];
        let _e18 = v_1[_e10];
        let _e20 = (_e18.yz + _e16.xy);
        v_1[_e10].y = _e20.x;
        v_1[_e10].z = _e20.y;
    "#]]
    .assert_eq(&function_of("400", TessellationControl, text, "main"));
}

/// Checks the first error of a stage with the usual layout, in the form `message [text]`.
#[track_caller]
fn check_error(stage: ShaderStage, text: &str, expected: &str) {
    let layout = if stage == TessellationControl { CONTROL } else { EVALUATION };
    assert_eq!(error_of("410", stage, &format!("{layout} {text}")), expected, "{text}");
}

#[test]
fn an_invocation_writes_only_its_own_vertex() {
    let check = |body: &str, expected: &str| {
        let text = format!(
            "out vec4 v[]; out B {{ float a[2]; }} b[]; patch out vec4 p[3]; void main() {{ {body} }}"
        );
        check_error(TessellationControl, &text, expected);
    };
    let other =
        |place: &str| format!("an output of another invocation cannot be assigned to [{place}]");
    check("v[gl_InvocationID] = vec4(0.0); b[gl_InvocationID].a[1] = v[0].x;", "accepted");
    check("p[0] = vec4(0.0); p[1].x += v[1].y;", "accepted");
    check("v[0] = vec4(0.0);", &other("v[0]"));
    check("int i = gl_InvocationID; v[i].x = 0.0;", &other("v[i].x"));
    check("v[gl_InvocationID + 0] = vec4(0.0);", &other("v[gl_InvocationID + 0]"));
    check("b[0].a[gl_InvocationID] = 0.0;", &other("b[0].a[gl_InvocationID]"));
    check("v[1]++;", &other("v[1]++"));
    check("gl_out[1].gl_Position = vec4(0.0);", &other("gl_out[1].gl_Position"));
    let whole = "the outputs of a control stage are written at the index `gl_InvocationID` [v]";
    check("v = vec4[3](vec4(0.0), vec4(0.0), vec4(0.0));", whole);
}

#[test]
fn arrays_of_vertices_have_the_size_of_the_patch() {
    let main = "void main() {}";
    let check =
        |stage, text: &str, expected: &str| check_error(stage, &format!("{text} {main}"), expected);
    check(TessellationControl, "in vec4 v[gl_MaxPatchVertices]; out vec4 w[3];", "accepted");
    check(
        TessellationControl,
        "in vec4 v[3];",
        "`v` has 3 elements, but `gl_MaxPatchVertices` is 32 [v]",
    );
    check(
        TessellationEvaluation,
        "in vec4 v[3];",
        "`v` has 3 elements, but `gl_MaxPatchVertices` is 32 [v]",
    );
    check(
        TessellationControl,
        "out vec4 v[4];",
        "`v` has 4 elements, but the patch has 3 vertices [v]",
    );
    let scalar = "is an output of the tessellation control stage and must be an array [v]";
    check(TessellationControl, "out vec4 v;", &format!("`v` {scalar}"));
    let block = "an output block of the tessellation control stage must be an array, so it needs an instance name [B]";
    check(TessellationControl, "out B { vec4 a; };", block);
    check(
        TessellationEvaluation,
        "in B { vec4 a; } b[]; patch in vec4 p[2]; out vec4 v[3];",
        "accepted",
    );
    let (module, _) = accepted(
        "410",
        TessellationControl,
        "out vec4 v[]; layout(vertices = 2) out; void main() {}",
    );
    let global = module.outputs[0].place.as_ref().expect("it has a place").global;
    let ty = module.module.global_variables[global].ty;
    let naga::TypeInner::Array { size, .. } = module.module.types[ty].inner else { panic!() };
    assert_eq!(size, naga::ArraySize::Constant(2.try_into().expect("not zero")));
}

#[test]
fn the_length_of_outputs_follows_from_declarations_above() {
    let text = |size: &str, first: &str, last: &str| {
        format!(
            "{first} out vec4 v[{size}]; void f() {{ int n = v.length() + gl_in.length(); }} {last} void main() {{}}"
        )
    };
    let check = |text: &str, expected: &str| {
        assert_eq!(error_of("410", TessellationControl, text), expected, "{text}");
    };
    check(&text("", CONTROL, ""), "accepted");
    check(&text("3", "", CONTROL), "accepted");
    let late = "the length of `v` follows from `vertices`, which nothing declares above [v]";
    check(&text("", "", CONTROL), late);
}

#[test]
fn patch_stands_between_the_tessellation_stages() {
    let main = "void main() {}";
    let check =
        |stage, text: &str, expected: &str| check_error(stage, &format!("{text} {main}"), expected);
    let wrong = "only outputs of control stages and inputs of evaluation stages can be `patch`";
    check(TessellationControl, "patch in vec4 p;", &format!("{wrong} [patch in]"));
    check(TessellationEvaluation, "patch out vec4 p;", &format!("{wrong} [patch out]"));
    check(TessellationControl, "patch in B { vec4 a; } b;", &format!("{wrong} [patch in]"));
    check(TessellationControl, "patch uniform vec4 p;", &format!("{wrong} [patch uniform]"));
    assert_eq!(
        error_of("410", ShaderStage::Vertex, "patch out vec4 p; void main() {}"),
        format!("{wrong} [patch out]")
    );
}

/// Checks the first error of a stage with its own layout, in the form `message [text]`.
#[track_caller]
fn check_layout(stage: ShaderStage, layout: &str, expected: &str) {
    assert_eq!(error_of("440", stage, &format!("{layout} void main() {{}}")), expected, "{layout}");
}

#[test]
fn a_stage_needs_its_layout() {
    let missing = |word: &str, stage: &str| {
        format!("no shader object declares the {word} of the tessellation {stage} stage []")
    };
    check_layout(TessellationControl, "", &missing("number of `vertices`", "control"));
    check_layout(
        TessellationEvaluation,
        "layout(cw) in;",
        &missing("primitive mode", "evaluation"),
    );
    check_layout(
        TessellationEvaluation,
        "layout(point_mode) in; layout(ISOLINES, equal_spacing) in;",
        "accepted",
    );
    for count in [0, 33] {
        let layout = format!("layout(vertices = {count}) out;");
        let message = format!("`vertices` is {count}, but must be 1 to 32 [{layout}]");
        check_layout(TessellationControl, &layout, &message);
    }
    check_layout(TessellationControl, "layout(vertices = gl_MaxPatchVertices) out;", "accepted");
    let not_here = "the layout qualifier `vertices` is not allowed here [vertices]";
    check_layout(TessellationEvaluation, "layout(vertices = 2) out;", not_here);
    let not_here = "the layout qualifier `lines` is not allowed here [lines]";
    check_layout(TessellationEvaluation, "layout(lines) in;", not_here);
}

#[test]
fn declarations_of_the_stage_agree() {
    let again = |what: &str, place: &str| {
        format!("the {what} differs from that in an earlier declaration [{place}]")
    };
    let two = "layout(vertices = 2) out;";
    check_layout(
        TessellationControl,
        &format!("{CONTROL} {two}"),
        &again("number of `vertices`", two),
    );
    for (text, what) in [
        ("layout(triangles) in;", "primitive mode"),
        ("layout(equal_spacing) in;", "vertex spacing"),
        ("layout(ccw) in;", "vertex order"),
    ] {
        let all = format!("layout(quads, fractional_odd_spacing, cw) in; {text}");
        check_layout(TessellationEvaluation, &all, &again(what, text));
    }
    let error = compiled(
        "400",
        TessellationEvaluation,
        &["layout(quads) in; void main() {}", "layout(isolines) in;"],
    );
    let Err(CompileError::Link(errors)) = error else { panic!("{error:?}") };
    assert_eq!(errors[0].message, "the primitive mode differs from that in another shader object");
}

#[test]
fn the_blocks_of_built_ins_are_redeclared_as_arrays() {
    check_tables(
        TessellationControl,
        "in gl_PerVertex { vec4 gl_Position; } gl_in[];
         out gl_PerVertex { float gl_PointSize; vec4 gl_Position; } gl_out[];
         void main() { gl_out[gl_InvocationID].gl_Position = gl_in[0].gl_Position; }",
        expect![[r#"
            in vec4 gl_Position unqualified center used, at gl_in[0]
            out vec4 gl_Position unqualified center used, at gl_out[1]
        "#]],
    );
    let main = "void main() {}";
    let plain = "`out gl_PerVertex` must be redeclared as the array `gl_out` [gl_PerVertex]";
    check_error(
        TessellationControl,
        &format!("out gl_PerVertex {{ vec4 gl_Position; }}; {main}"),
        plain,
    );
    let late = "out gl_PerVertex { vec4 gl_Position; } gl_out[]; ";
    let twice = "`gl_PerVertex` is redeclared twice [gl_PerVertex]";
    check_error(TessellationControl, &format!("{late} {late} {main}"), twice);
    let text = "out gl_PerVertex { float gl_PointSize; } gl_out[]; void main() { gl_out[gl_InvocationID].gl_Position = vec4(0.0); }";
    check_error(
        TessellationControl,
        text,
        "`gl_PerVertex` has no member `gl_Position` [gl_Position]",
    );
    check_error(
        TessellationEvaluation,
        &format!("out gl_PerVertex {{ vec4 gl_Position; }}; {main}"),
        "accepted",
    );
}
