//! Messages about mistakes, and the cases beside them.

use std::collections::BTreeMap;

use expect_test::{Expect, expect};

use super::{File, Imports, Library, Templates, WHITE, cases, check_outcomes, read};

/// The error of the only case with this in its body.
#[track_caller]
fn check_error(body: &str, expected: &Expect) {
    let text = format!("case c\n{body}\nend\n");
    let found = cases(&text);
    assert_eq!(found.len(), 1);
    expected.assert_eq(&read(&found[0]).expect_err("it is wrong"));
}

#[test]
fn a_mistake_in_a_case_leaves_the_others() {
    let text = format!(
        "group g \"d\"\ncase a exspect pass\n pipeline_program foo end end\ncase b\n{WHITE}\nend\ncase c expect passed end\nend\n"
    );
    check_outcomes(
        &text,
        &[],
        &expect![[r#"
            a.test#g.a: suite/a.test:2:8: error: expected a word of a case or `end`, found `exspect` (did you mean `expect`?)
            a.test#g.b
            a.test#g.c: suite/a.test:14:15: error: expected what must happen, such as `pass`, found `passed` (did you mean `pass`?)
        "#]],
    );
}

#[test]
fn mistakes_outside_cases_are_one_case_called_as_the_file() {
    let text = format!("group g\ncase a\n{WHITE}\nend\nend end\nfoo group h \"d\"\ncase \"\"x");
    check_outcomes(
        &text,
        &[],
        &expect![[r#"
            a.test: suite/a.test:12:5: error: there is no group that this `end` closes
            suite/a.test:2:1: error: expected a description of the group, found `case`
            suite/a.test:14:6: error: the closing `""` is missing
            suite/a.test:13:11: error: the `end` of group `h` is missing
            a.test#g.a
            a.test#h.case: suite/a.test:14:6: error: expected the name of the case, found the end of the file
        "#]],
    );
    check_outcomes(
        "# nothing\n",
        &[],
        &expect![[r#"
        a.test: suite/a.test:1:1: error: the file has no case
    "#]],
    );
}

#[test]
fn a_list_in_xml_is_unsupported() {
    let text = b"<?xml version=\"1.0\"?>\n<test mode=\"gl\"/>\n";
    let file = File { path: "a.test", name: "a.test", text, templates: Templates::OpenGl };
    let case = Library::read(file, &Imports(BTreeMap::new())).expect_err("it has no cases");
    expect![
        "a.test:1:1: unsupported: a list of entry points in XML, not a file of the shader library"
    ]
    .assert_eq(&read(&case).expect_err("it is refused"));
}

#[test]
fn imports_add_their_cases_to_the_group() {
    let imported = "case a vertex \"\"void main() {}\"\" fragment \"\"${X}\"\" end";
    let text = "group g \"d\" import \"b.test\" import \"c/d.test\" end";
    check_outcomes(
        text,
        &[
            ("b.test", imported),
            ("c/d.test", "import \"e.test\""),
            ("c/e.test", "group h \"d\" case b wrong end end"),
        ],
        &expect![[r#"
            a.test#g.a: suite/b.test:1:45: error: this shader has no placeholder `X` (it has FRAGMENT_DECLARATIONS, FRAGMENT_OUTPUT, FRAG_COLOR)
            a.test#g.h.b: suite/c/e.test:1:20: error: expected a word of a case or `end`, found `wrong`
        "#]],
    );
}

#[test]
fn wrong_imports_are_mistakes_of_the_file() {
    check_outcomes(
        "import \"b.test\" import \"../x.test\" import \"a.test\" import \"c.test\" import \"e.test\"",
        &[("c.test", "import \"d.test\""), ("d.test", "\nimport \"c.test\""), ("e.test", "")],
        &expect![[r#"
            a.test: suite/a.test:1:8: error: `b.test`: there is no such file
            suite/a.test:1:24: error: `../x.test` is not a path below the folder of the file
            suite/a.test:1:43: error: `a.test` imports itself, directly or through another file
            suite/a.test:1:59: error: suite/d.test:2:8: error: `c.test` imports itself, directly or through another file
            suite/a.test:1:75: error: `e.test` is empty or no text
        "#]],
    );
}

#[test]
fn a_name_is_taken_once() {
    let text = format!("case a\n{WHITE}\nend\ncase a\n{WHITE}\nend\n");
    check_outcomes(
        &text,
        &[],
        &expect![[r#"
        a.test: suite/a.test:11:1: error: there is a case `a` already, at suite/a.test:1
        a.test#a
    "#]],
    );
}

/// A case that only has to fail to compile may have inputs with several values and no outputs.
#[test]
fn without_outputs_the_first_list_has_the_number_of_draws() {
    let with = |values: &str| format!("case c\nvalues {{ {values} }}\n{WHITE}\nend\n");
    check_outcomes(
        &with("input float a = [ 1.0 | 2.0 ]; uniform float u = [ 3.0 | 4.0 ];"),
        &[],
        &expect![[r#"
            a.test#c
        "#]],
    );
    check_outcomes(
        &with("input float a = [ 1.0 | 2.0 ]; uniform float u = 3.0;"),
        &[],
        &expect![[r#"
            a.test#c: suite/a.test:2:55: error: `u` has 1 value, and the case has 2 draws (there is a draw for each value of the first output, or without outputs of the first list)
        "#]],
    );
}

#[test]
fn wrong_values_are_mistakes() {
    let with = |values: &str| format!("values {{ {values} }}\n{WHITE}");
    check_error(
        &with("input float a = [ 1.0 | 2.0 ]; output float b = [ 1.0 | 2.0 | 3.0 ];"),
        &expect![
            "suite/a.test:2:22: error: `a` has 2 values, and the case has 3 draws (there is a draw for each value of the first output, or without outputs of the first list)"
        ],
    );
    check_error(
        &with("output vec2 b = vec3(1.0, 2.0, 3.0);"),
        &expect!["suite/a.test:2:26: error: expected `vec2`, found `vec3`"],
    );
    check_error(
        &with("output vec2 b = vec2(1.0);"),
        &expect!["suite/a.test:2:34: error: expected `,`, found `)`"],
    );
    check_error(
        &with("output float b = 1;"),
        &expect!["suite/a.test:2:27: error: expected a number with a decimal point, found `1`"],
    );
    check_error(
        &with("output int b = 4294967296;"),
        &expect!["suite/a.test:2:25: error: `4294967296` is out of range"],
    );
    check_error(
        &with("output bool b = 1;"),
        &expect!["suite/a.test:2:26: error: expected `true` or `false`, found `1`"],
    );
    check_error(
        &with("output dvec2 b = 1;"),
        &expect!["suite/a.test:2:17: error: expected a type of GLSL such as `vec4`, found `dvec2`"],
    );
    check_error(
        &with("out float b = 1.0;"),
        &expect![
            "suite/a.test:2:10: error: expected `input`, `output`, `uniform` or `}`, found `out`"
        ],
    );
    check_error(
        &with("uniform float \"a b\" = 1.0;"),
        &expect!["suite/a.test:2:24: error: `a b` is no name of a variable"],
    );
}

#[test]
fn wrong_settings_are_mistakes() {
    check_error(
        "version 300",
        &expect!["suite/a.test:2:9: error: there is no GLSL 300 (`es` behind it names GLSL ES)"],
    );
    check_error("version 460 es", &expect!["suite/a.test:2:9: error: there is no GLSL ES 460"]);
    check_error(
        "expect pass expect pass",
        &expect!["suite/a.test:2:13: error: the case already has this"],
    );
    check_error(
        "require limit \"GL_MAX_X\" > 1",
        &expect!["suite/a.test:2:15: error: `GL_MAX_X` is no limit that a case may name"],
    );
    check_error(
        "require full",
        &expect!["suite/a.test:2:9: error: expected a requirement, found `full`"],
    );
    check_error(
        "require extension { \"X\" }",
        &expect!["suite/a.test:2:19: error: `X` is no name of an extension"],
    );
    check_error(
        "both \"\"\"\" fragment \"\"\"\"",
        &expect!["suite/a.test:2:1: error: a case with `both` has no other shaders"],
    );
    check_error(
        "fragment \"\"\"\"",
        &expect!["suite/a.test:1:1: error: the case has no vertex shader"],
    );
    check_error(
        "pipeline_program vertex \"\"\"\" end",
        &expect!["suite/a.test:2:1: error: `active_stages` is missing"],
    );
    check_error(
        "pipeline_program active_stages { vertex, vertex } end",
        &expect!["suite/a.test:2:42: error: this stage is named twice"],
    );
    check_error(
        "pipeline_program active_stages { vertex } end",
        &expect!["suite/a.test:2:34: error: the program has no vertex shader"],
    );
}

#[test]
fn what_is_lacking_is_unsupported() {
    check_error(
        &format!("require only_glsl_es_100_support\n{WHITE}"),
        &expect![
            "suite/a.test:2:9: unsupported: `only_glsl_es_100_support`: interstage also has later versions of GLSL ES"
        ],
    );
    check_error(
        &format!("require extension {{ \"GL_A\" | \"GL_B\" }}\n{WHITE}"),
        &expect!["suite/a.test:2:19: unsupported: GL_A or GL_B"],
    );
    let program = |stage: &str, stages: &str| {
        format!("pipeline_program active_stages {{ {stages} }} {stage} end\n")
    };
    let both = program("vertex \"\"\"\" fragment \"\"\"\"", "vertex, fragment");
    check_error(
        &both,
        &expect![
            "suite/a.test:2:1: unsupported: a pipeline program with several stages or sources"
        ],
    );
}

#[test]
fn placeholders_are_known_and_closed() {
    let with = |shader: &str| format!("vertex \"\"{shader}\"\" fragment \"\"\"\"");
    check_error(
        &with("${VERTEX_OUTPUTS}"),
        &expect![
            "suite/a.test:2:10: error: this shader has no placeholder `VERTEX_OUTPUTS` (did you mean `VERTEX_OUTPUT`?)"
        ],
    );
    check_error(
        &with("x ${VERTEX_OUTPUT\n}"),
        &expect!["suite/a.test:2:12: error: the closing `}` is missing"],
    );
    check_error(
        &with("${VERTEX_OUTPUT:twice}"),
        &expect!["suite/a.test:2:10: error: unknown flag `twice`"],
    );
}

#[test]
fn a_shader_does_not_grow_without_bounds() {
    let value = |idx: u32| format!("uniform vec4 u{idx} = vec4(1.0, 1.0, 1.0, 1.0);");
    let values = (0..1000).map(value).collect::<Vec<_>>().concat();
    let placeholders = "${VERTEX_DECLARATIONS}".repeat(1000);
    check_error(
        &format!("values {{ {values} }} vertex \"\"{placeholders}\"\" fragment \"\"\"\""),
        &expect![
            "suite/a.test:2:44903: error: the shader is too large with its placeholders filled in"
        ],
    );
}
