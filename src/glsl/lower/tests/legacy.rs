//! Built-in variables of the compatibility profile.

use expect_test::{Expect, expect};

use ir::stage::ShaderStage::{self, Fragment, Vertex};

use super::{accepted, error_of, tables};

#[track_caller]
fn check(version: &str, stage: ShaderStage, text: &str, expected: Expect) {
    let (module, _) = accepted(version, stage, text);
    expected.assert_eq(&tables(&module));
}

#[test]
fn texture_coordinates_are_a_variable_for_each_element() {
    check(
        "110",
        Fragment,
        "void main() { gl_FragColor = gl_TexCoord[1]; }",
        expect![[r#"
            in vec4 gl_TexCoord[0] unqualified center used, at gl_TexCoord[0]
            in vec4 gl_TexCoord[1] unqualified center used, at gl_TexCoord[1]
            out vec4 gl_FragColor unqualified center used, at gl_FragColor[]
        "#]],
    );
}

#[test]
fn redeclarations_qualify_and_are_no_use() {
    check(
        "130",
        Fragment,
        "flat in vec4 gl_Color; noperspective centroid in vec4 gl_TexCoord[1]; void main() {}",
        expect![[r"
            in vec4 gl_Color flat center unused, at gl_Color[]
            in vec4 gl_TexCoord[0] noperspective centroid unused, at gl_TexCoord[0]
        "]],
    );
}

#[test]
fn matrices_start_as_unit_matrices() {
    let (module, _) =
        accepted("120", Vertex, "void main() { gl_Position = gl_NormalMatrix[0].xyzz; }");
    let initial = module.uniforms[0].initial.clone().unwrap_or_default();
    let scalar = |bits| f32::from_bits(u32::try_from(bits).expect("32 bits"));
    let scalars: Vec<f32> = initial.into_iter().map(scalar).collect();
    assert_eq!(scalars, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn lights_differ_from_the_first_one() {
    let text = "void main() { gl_Position = gl_LightSource[1].diffuse; }";
    let (module, _) = accepted("120", Vertex, text);
    let initial = module.uniforms[0].initial.clone().unwrap_or_default();
    let diffuse = |light: usize| initial[light * 29 + 4];
    assert_eq!([diffuse(0), diffuse(1), diffuse(7)], [u64::from(1_f32.to_bits()), 0, 0]);
}

#[test]
fn names_need_an_old_version_or_the_compatibility_profile() {
    let text = "void main() { gl_Position = gl_Vertex; }";
    let gone = "`gl_Vertex` exists only in the compatibility profile [gl_Vertex]";
    assert_eq!(error_of("140", Vertex, text), gone);
    assert_eq!(error_of("300 es", Vertex, text), gone);
    accepted("130", Vertex, text);
    accepted("150 compatibility", Vertex, text);
}

#[test]
fn names_belong_to_their_stage() {
    assert_eq!(
        error_of("120", Fragment, "void main() { gl_FragColor = gl_FrontColor; }"),
        "the fragment stage has no `gl_FrontColor` [gl_FrontColor]"
    );
}

#[test]
fn depth_range_is_in_every_profile() {
    accepted("450", Fragment, "out vec4 o; void main() { o = vec4(gl_DepthRange.far); }");
    accepted("300 es", Vertex, "void main() { gl_Position = vec4(gl_DepthRange.far); }");
}
