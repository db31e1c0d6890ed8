//! `interstage census`: reasons why cases do not compile or link.

use expect_test::expect;

use crate::{GOOD, folder, interstage};

#[test]
fn reasons_are_counted_and_the_most_frequent_comes_first() {
    let undeclared = |name: &str| GOOD.replace("vec4(uv, 0.0, 1.0)", &format!("vec4({name})"));
    let drawing = GOOD.replace("[link]\nslots 1\n", "[test]\nprobe all rgba 0 0 0 1\n");
    let folder = folder(&[
        ("a.shader_test", GOOD),
        ("b.shader_test", &undeclared("lost")),
        ("c.shader_test", &undeclared("gone")),
        ("d.shader_test", "[require]\nGLSL >= 1.30\n[test]\npolygon mode GL_FRONT GL_LINE\n"),
        ("e.shader_test", &GOOD.replace("[vertex shader]", "[mesh shader]")),
        // The missing adapter does not matter.
        ("f.shader_test", &drawing),
    ]);
    expect![[r#"
             2  fail         compile: error: … is not declared  b.shader_test
             1  unsupported  command: polygon mode              d.shader_test
             1  unsupported  section: mesh shader               e.shader_test
        2 of 6 cases compile and link
        exit code 0
    "#]]
    .assert_eq(&interstage(folder.path(), &["census", "."]).text().replace("./", ""));
}

#[test]
fn an_expected_link_error_is_no_reason() {
    let unlinked = GOOD.replace("in vec2 uv", "in vec3 uv").replace("(uv, 0.0,", "(uv,");
    let (stages, _) = unlinked.split_once("[link]").expect("the case has the section");
    let error = "[link]\nerror \"`uv` is vec2 in the vertex stage\"\n";
    let folder = folder(&[("cases/a.shader_test", &format!("{stages}{error}"))]);
    expect![[r"
        1 of 1 case compiles and links
        exit code 0
    "]]
    .assert_eq(&interstage(folder.path(), &["census"]).text());
}
