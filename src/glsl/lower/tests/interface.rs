//! The tables of a stage's interface.

use expect_test::{Expect, expect};

use ir::stage::ShaderStage::{self, Compute, Fragment, Vertex};

use super::{accepted, tables};

#[track_caller]
fn check(version: &str, stage: ShaderStage, text: &str, expected: Expect) {
    let (module, _) = accepted(version, stage, text);
    expected.assert_eq(&tables(&module));
}

#[test]
fn variables_keep_type_qualifiers_and_use() {
    check(
        "450",
        Vertex,
        "layout(location = 3) in vec4 p; in mat3 m[2]; struct S { float f; ivec2 i; };
         flat out S s; layout(location = 1, component = 2) noperspective centroid out float a;
         sample out vec2 b[2][3]; void main() { a = p.x; b[1][2].y = 1.0; float x = s.f; }",
        expect![[r"
            in vec4 p unqualified center location 3 used, at p[]
            in mat3[2] m unqualified center unused, at m[]
            out S s flat center unused, at s[]
            out float a noperspective centroid location 1 component 2 used, at a[]
            out vec2[2][3] b unqualified sample used, at b[]
        "]],
    );
}

#[test]
fn members_of_blocks_are_variables() {
    check(
        "450",
        Fragment,
        "in A { flat int i; vec4 v; } a[2]; smooth in B { float y; noperspective float z; };
         out vec4 o; void main() { o = a[1].v * y; }",
        expect![[r"
            in int A[0].i (a[0].i) flat center unused, at A[0, 0]
            in vec4 A[0].v (a[0].v) unqualified center used, at A[0, 1]
            in int A[1].i (a[1].i) flat center unused, at A[1, 0]
            in vec4 A[1].v (a[1].v) unqualified center used, at A[1, 1]
            in float B.y (y) smooth center used, at B[0]
            in float B.z (z) noperspective center unused, at B[1]
            out vec4 o unqualified center used, at o[]
        "]],
    );
}

#[test]
fn locations_of_block_members_follow_each_other() {
    check(
        "450",
        Vertex,
        "layout(location = 2) out A { float a; mat3 b; layout(location = 9) vec2 c[2]; float d; } o;
         void main() {}",
        expect![[r"
            out float A.a (o.a) unqualified center location 2 unused, at A[0]
            out mat3 A.b (o.b) unqualified center location 3 unused, at A[1]
            out vec2[2] A.c (o.c) unqualified center location 9 unused, at A[2]
            out float A.d (o.d) unqualified center location 11 unused, at A[3]
        "]],
    );
}

#[test]
fn use_counts_only_where_main_reaches() {
    check(
        "450",
        Fragment,
        "in vec4 a, b, c; out vec4 o; out vec4 p; vec4 f() { return a; } void g() { p = b; }
         void main() { o = f(); }",
        expect![[r"
            in vec4 a unqualified center used, at a[]
            in vec4 b unqualified center unused, at b[]
            in vec4 c unqualified center unused, at c[]
            out vec4 o unqualified center used, at o[]
            out vec4 p unqualified center unused, at p[]
        "]],
    );
}

#[test]
fn old_words_mean_inputs_and_outputs() {
    check(
        "110",
        Vertex,
        "attribute vec4 p; varying vec2 t; uniform mat4 m; void main() { gl_Position = m * p; t = p.xy; gl_PointSize = 2.0; }",
        expect![[r"
            in vec4 p unqualified center used, at p[]
            out vec2 t unqualified center used, at t[]
            Output Position { invariant: false }
            Output PointSize
            uniform mat4 m Loose { location: None } None used, at []
        "]],
    );
    check(
        "100",
        Fragment,
        "precision mediump float; varying vec2 t; void main() { gl_FragData[1] = vec4(t, 0.0, 1.0); }",
        expect![[r"
            in vec2 t unqualified center used, at t[]
            out vec4[2] gl_FragData unqualified center used, at gl_FragData[]
        "]],
    );
}

#[test]
fn builtins_have_the_irs_own_types() {
    check(
        "450",
        Vertex,
        "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[5]; };
         void main() { gl_Position = vec4(gl_VertexID, gl_InstanceID, 0, 1); gl_ClipDistance[2] = 1.0; }",
        expect![[r"
            Output Position { invariant: false }
            Input VertexIndex
            Input InstanceIndex
            Output ClipDistances
        "]],
    );
    check(
        "450",
        Fragment,
        "out vec4 o; layout(depth_any) out float gl_FragDepth;
         void main() { o = gl_FragCoord; if (gl_FrontFacing) gl_FragDepth = 0.5; gl_SampleMask[0] = gl_SampleMaskIn[0] & gl_SampleID; }",
        expect![[r"
            out vec4 o unqualified center used, at o[]
            Input Position { invariant: false }
            Input FrontFacing
            Output FragDepth
            Output SampleMask
            Input SampleMask
            Input SampleIndex
        "]],
    );
}

#[test]
fn uniforms_keep_initial_values_and_blocks_their_members() {
    check(
        "450",
        Compute,
        "layout(local_size_x = 4, local_size_y = 2) in; uniform bool b[2] = bool[](true, false);
         layout(location = 7) uniform mat2 m = mat2(2.0); layout(binding = 3) uniform U { vec3 v; bool f; } u[2];
         uniform V { float g; }; void main() { float x = g; bool y = u[0].f; }",
        expect![[r"
            uniform bool[2] b Loose { location: None } Some([1, 0]) unused, at []
            uniform mat2 m Loose { location: Some(7) } Some([1073741824, 0, 0, 1073741824]) unused, at []
            uniform U U[0] Block { binding: Some(3), has_instance_name: true } None used, at [0]
            uniform U U[1] Block { binding: Some(4), has_instance_name: true } None used, at [1]
            uniform V V Block { binding: None, has_instance_name: false } None used, at []
        "]],
    );
}

#[test]
fn local_size_is_kept() {
    let (module, _) =
        accepted("450", Compute, "layout(local_size_x = 4, local_size_y = 2) in; void main() {}");
    assert_eq!(module.workgroup_size, [4, 2, 1]);
}
