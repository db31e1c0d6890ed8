//! Cases composed from files: names of cases, composed texts, and messages about mistakes.

mod mistakes;

use std::collections::BTreeMap;

use case::parse::{CaseError, Files, Picture, UnreadCase};
use case::{Case, Dialect};
use expect_test::{Expect, expect};
use ir::diagnostic::one_line;
use ir::source::Source;
use proptest::prelude::*;

use super::{File, Library, Templates};

/// Imported files by path.
struct Imports(BTreeMap<&'static str, &'static str>);

impl Files for Imports {
    fn bytes(&self, path: &str) -> Result<Vec<u8>, String> {
        let text = self.0.get(path).ok_or_else(|| "there is no such file".to_owned())?;
        Ok(text.as_bytes().to_vec())
    }

    fn picture(&self, _: &str) -> Result<Picture, String> {
        Err("there are no pictures".to_owned())
    }
}

fn library(text: &str, templates: Templates, imports: &[(&'static str, &'static str)]) -> Library {
    let text = text.as_bytes();
    let file = File { path: "suite/a.test", name: "a.test", text, templates };
    Library::read(file, &Imports(imports.iter().copied().collect())).expect("it is a text")
}

fn cases(text: &str) -> Vec<UnreadCase> {
    library(text, Templates::OpenGl, &[]).cases()
}

/// The only case of a text.
fn only(text: &str, templates: Templates) -> UnreadCase {
    let mut cases = library(text, templates, &[]).cases();
    assert_eq!(cases.len(), 1, "{:?}", names(&cases));
    cases.remove(0)
}

fn names(cases: &[UnreadCase]) -> Vec<&str> {
    cases.iter().map(|case| case.name.as_str()).collect()
}

fn read(case: &UnreadCase) -> Result<Case, String> {
    let parsed = case.read();
    parsed.result.map_err(|error| described(&parsed.source, &error))
}

fn described(source: &Source, error: &CaseError) -> String {
    match error {
        CaseError::Broken(mistakes) => {
            let lines = mistakes.iter().map(|mistake| match &mistake.help {
                Some(help) => format!("{} ({help})", one_line(source, mistake)),
                None => one_line(source, mistake),
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        CaseError::Unsupported { word, span } => {
            let (line, column) = source.line_and_column(span.start);
            format!("{}:{line}:{column}: unsupported: {word}", source.path())
        }
        CaseError::Excluded { reason } => format!("excluded: {reason}"),
    }
}

/// Names of all cases with their errors, if they have any.
#[track_caller]
fn check_outcomes(text: &str, imports: &[(&'static str, &'static str)], expected: &Expect) {
    let cases = library(text, Templates::OpenGl, imports).cases();
    let lines = cases.iter().map(|case| match read(case) {
        Ok(_) => format!("{}\n", case.name),
        Err(message) => format!("{}: {message}\n", case.name),
    });
    expected.assert_eq(&lines.collect::<String>());
}

/// The sources of a program that draws white.
const WHITE: &str = "\
vertex \"\"
    ${VERTEX_DECLARATIONS}
    void main() { ${VERTEX_OUTPUT} }
\"\"
fragment \"\"
    precision mediump float;
    void main() { ${FRAG_COLOR} = vec4(1.0); }
\"\"";

#[test]
fn cases_are_called_by_their_groups() {
    let both = "both \"\"void main() { ${OUTPUT} }\"\"";
    let text = format!(
        "case top {both} end\ngroup one \"first\" group uniform \"second\" case a.b\n{WHITE}\nend\nend case 3 {WHITE} end\nend"
    );
    check_outcomes(
        &text,
        &[],
        &expect![[r#"
            a.test#top_vertex
            a.test#top_fragment
            a.test#one.uniform.a.b
            a.test#one.3
        "#]],
    );
}

/// A case with `both` and a list of two values.
const BOTH: &str = "\
case c
    version 300 es
    values
    {
        input int in0 = [ -1 | 2 ];
        output vec2 out0 = [ vec2(1.0, -2.5) | vec2(0.5, 3.0) ];
    }
    both \"\"
        #version 300 es
        precision mediump float;
        ${DECLARATIONS}
        void main()
        {
            ${SETUP}
            out0 = vec2(in0);
            ${OUTPUT}
        }
    \"\"
end
";

#[test]
fn a_both_case_becomes_two_programs_with_a_draw_for_each_value() {
    let found = cases(BOTH);
    assert_eq!(names(&found), ["a.test#c_vertex", "a.test#c_fragment"]);
    for case in &found {
        read(case).expect("it is a case");
    }
    expect![[r#"
        [require]
        size 64 64
        GLSL ES >= 3.00
        [vertex shader]
                #version 300 es
                precision mediump float;
                in highp vec4 dEQP_Position;
        in float a_in0;
        out vec2 out0;

                void main()
                {
                    int in0 = int(a_in0);

                    out0 = vec2(in0);
                    gl_Position = dEQP_Position;

                }
            
        [fragment shader]
        #version 300 es
        precision highp float;
        precision highp int;
        layout(location = 0) out mediump vec4 dEQP_FragColor;
        bool isOk(vec2 a, vec2 b, float eps) { return all(lessThanEqual(abs(a - b), eps * abs(b) + eps)); }
        in vec2 out0;
        uniform vec2 ref_out0;
        void main()
        {
        bool RES = isOk(out0, ref_out0, 0.05);
        dEQP_FragColor = vec4(RES, RES, RES, 1.0);
        }
        [vertex data]
        dEQP_Position/float/vec4 a_in0/float/float
        -1 -1 0 1 -1.0
        -1 1 0 1 -1.0
        1 -1 0 1 -1.0
        1 1 0 1 -1.0
        -1 -1 0 1 2.0
        -1 1 0 1 2.0
        1 -1 0 1 2.0
        1 1 0 1 2.0
        [index data]
        0 1 2 1 3 2 
        4 5 6 5 7 6 
        [test]
        clear color 0.125 0.25 0.5 1
        tolerance 0 0 0 0
        clear
        uniform vec2 ref_out0 1.0 -2.5
        draw indexed triangles 0 6
        probe all rgb 1 1 1 # draw 1 of 2: in0 = -1, out0 = 1.0 -2.5
        clear
        uniform vec2 ref_out0 0.5 3.0
        draw indexed triangles 6 6
        probe all rgb 1 1 1 # draw 2 of 2: in0 = 2, out0 = 0.5 3.0
    "#]]
    .assert_eq(found[0].source().text());
}

#[test]
fn es_1_00_has_attributes_and_varyings() {
    let text = "case c values { input bool in0 = true; output ivec2 out0 = ivec2(1, -1); } both \"\"${DECLARATIONS}\nvoid main() { ${SETUP} ${OUTPUT} }\"\" end";
    let found = cases(text);
    let [vertex, fragment] = [0, 1].map(|idx| found[idx].source().text());
    for line in [
        "attribute float a_in0;",
        "varying vec2 v_out0;",
        "gl_FragColor = vec4(RES, RES, RES, 1.0);",
    ] {
        assert!(vertex.lines().any(|own| own == line), "{line}\n{vertex}");
    }
    assert!(vertex.contains("bool isOk(vec2 a, ivec2 b) { return ivec2(floor(a + 0.5)) == b; }"));
    for line in ["varying float a_in0;", "layout"] {
        assert!(!fragment.contains(line), "{line}\n{fragment}");
    }
    assert!(fragment.contains("bool in0 = bool(v_in0);"), "{fragment}");
    assert!(fragment.contains("-1 -1 0 1 1.0\n"), "{fragment}");
}

#[test]
fn vulkan_gives_locations_and_blocks() {
    let text = "\
case c
    version 310 es
    values
    {
        input mat2 in0 = mat2(1.0, 2.0, 3.0, 4.0);
        input bool in1 = true;
        uniform int u = 7;
        output bvec2 out0 = bvec2(true, false);
    }
    both \"\"
        #version 310 es
        ${DECLARATIONS}
        void main() { ${SETUP} ${OUTPUT} }
    \"\"
end
";
    let found = library(text, Templates::Vulkan, &[]).cases();
    let case = read(&found[0]).expect("it is a case");
    assert_eq!(case.dialect, Dialect::Vulkan);
    let vertex = found[0].source().text();
    for line in [
        "layout(location = 1) in mat2 in0;",
        "layout(location = 3) in uint a_in1;",
        "layout(binding = 1, std140) uniform Uniforms",
        "layout(location = 0) flat out uvec2 v_out0;",
        "0/float/vec4 1/float/vec2 2/float/vec2 3/uint/uint",
        "-1 -1 0 1 1.0 2.0 3.0 4.0 1",
        "uniform ivec2 Reference.out0 1 0",
        "uniform int Uniforms.u 7",
    ] {
        assert!(vertex.lines().any(|own| own == line), "{line}\n{vertex}");
    }
}

#[test]
fn outputs_themselves_are_compared_with_output_color() {
    let case = |ty: &str, value: &str| {
        let text = format!(
            "case c version 440 core output_color {ty} values {{ output {ty} out0 = {value}; }} vertex \"\"${{VERTEX_DECLARATIONS}}\nvoid main() {{}}\"\" fragment \"\"void main() {{}}\"\" end"
        );
        let case = only(&text, Templates::Vulkan);
        read(&case).map(|_| case.source().text().to_owned())
    };
    let text = case("ivec2", "ivec2(-3, 4)").expect("it is a case");
    assert!(text.contains("[render targets]\n0 rg8sint\n"), "{text}");
    assert!(text.contains("clearbuffer 0 99 99 99 99\n"), "{text}");
    assert!(text.contains("probe target 0 all rg int -3 4\n"), "{text}");
    let text = case("vec4", "vec4(255.0, 0.0, 51.0, 102.0)").expect("it is a case");
    assert!(text.contains("probe target 0 all rgba 1 0 0.2 0.4\n"), "{text}");
    let message = case("uvec4", "uvec4(1, 2, 3, 4)").expect_err("there is no such format");
    assert_eq!(message, "suite/a.test:1:38: unsupported: `output_color uvec4`");
}

#[test]
fn expected_errors_need_no_text_and_draw_nothing() {
    for (word, line) in [
        ("compile_fail", "compile error"),
        ("link_fail", "link error"),
        ("compile_or_link_fail", "compile or link error"),
        ("build_successful", "link success"),
    ] {
        let case = only(&format!("case c expect {word}\n{WHITE}\nend"), Templates::OpenGl);
        let text = case.source().text().to_owned();
        assert!(text.ends_with(&format!("[test]\n{line}\n")), "{text}");
        read(&case).expect("it is a case");
    }
}

#[test]
fn a_pipeline_has_separable_programs() {
    let text = "\
case c
    version 310 es
    expect validation_fail
    pipeline_program
        active_stages {vertex}
        vertex \"\"
            #version 310 es
            ${VERTEX_DECLARATIONS}
            void main() { ${VERTEX_OUTPUT} }
        \"\"
    end
    pipeline_program
        active_stages { fragment }
        require extension { \"GL_OES_shader_io_blocks\" | \"GL_EXT_shader_io_blocks\" } in { fragment }
        fragment \"\"
            #version 310 es
            void main() {}
        \"\"
    end
end
";
    let case = only(text, Templates::OpenGl);
    let read = read(&case).expect("it is a case");
    assert!(read.link.is_separable);
    let text = case.source().text();
    assert!(text.contains("\nGL_OES_shader_io_blocks\n"), "{text}");
    let fragment = text.split("[fragment shader]").nth(1).expect("there is one");
    assert!(
        fragment.contains("#extension GL_OES_shader_io_blocks : require\n            void main()")
    );
    assert!(
        !text.split("[fragment shader]").next().is_some_and(|text| text.contains("#extension"))
    );
}

#[test]
fn lines_and_columns_are_those_of_the_file() {
    let text = "\
case c
    version 300 es
    vertex \"\" #version 300 es
        ${VERTEX_DECLARATIONS}
        void main() { ${VERTEX_OUTPUT} } // \\\\
    \"\"
    fragment \"\"
        #version 300 es
        wrong
    \"\"
end
";
    let case = only(text, Templates::OpenGl);
    let source = case.source();
    let place = |text: &str| {
        source.line_and_column(source.text().find(text).unwrap_or_else(|| panic!("{text}")))
    };
    assert_eq!(place("#version 300 es"), (3, 15));
    assert_eq!(place("in highp vec4 dEQP_Position"), (4, 9));
    assert_eq!(place("void main()"), (5, 9));
    assert_eq!(place("} // \\\n"), (5, 40));
    assert_eq!(place("wrong"), (9, 9));
    assert_eq!(place("[fragment shader]"), (7, 1));
    assert_eq!(place("probe"), (1, 1));
}

#[test]
fn a_token_goes_on_in_the_next_line() {
    let text = "case a\n version 300 es\n expect build_successful\n both \"\"\n    \t#version 300 es\n        int fo\\\\\n        o;\n          int bar;\n \"\"\nend\n";
    let case = cases(text).remove(0);
    let composed = case.source().text();
    assert!(composed.contains("        int fo\\\no;\n          int bar;\n"), "{composed}");
}

#[test]
fn a_bracket_in_the_first_column_begins_no_section() {
    let case = only(
        "case c vertex \"\"\n[test]\n\"\" fragment \"\"\"\" expect compile_fail end",
        Templates::OpenGl,
    );
    assert!(read(&case).is_ok());
    assert!(case.source().text().contains("\n [test]\n"));
}

#[test]
fn groups_nest_as_deep_as_a_file_is_long() {
    let deep = 100_000;
    let text = format!("{}{}", "group a \"d\" ".repeat(deep), "end ".repeat(deep));
    check_outcomes(
        &text,
        &[],
        &expect![[r#"
        a.test: suite/a.test:1:1: error: the file has no case
    "#]],
    );
}

proptest! {
    /// Any text ends in cases or messages.
    #[test]
    fn any_text_is_read(words in prop::collection::vec(prop::sample::select(vec![
        "group", "case", "end", "a", "\"d\"", "both", "vertex", "fragment", "\"\"x ${OUTPUT}\"\"", "values", "{", "}",
        "input", "float", "vec2", "(", ")", "=", "1.0", "-", "|", "[", "]", ";", "version", "300", "es", "expect",
        "pass", "pipeline_program", "active_stages", "require", "extension", "\"GL_X\"", "import", "\"\"", "\\", "'", "é",
    ]), 0..60)) {
        let text = format!("case c {}", words.join(" "));
        for templates in [Templates::OpenGl, Templates::Vulkan] {
            for case in library(&text, templates, &[]).cases() {
                let _ = case.read();
            }
        }
    }
}
