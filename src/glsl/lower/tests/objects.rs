//! Several shader objects that form one stage.

use expect_test::expect;

use ir::stage::ShaderStage::{self, Vertex};

use super::super::CompileError;
use super::{compile, compiled, tables, units};

#[track_caller]
fn error_of(first: &str, second: &str) -> String {
    match compiled("330", Vertex, &[first, second]) {
        Err(CompileError::Diagnostics(errors) | CompileError::Link(errors)) => {
            errors.first().map(|error| error.message.clone()).unwrap_or_default()
        }
        Err(CompileError::Unsupported { word, .. }) => format!("unsupported {word}"),
        Ok(_) => "accepted".to_owned(),
    }
}

#[test]
fn prototype_finds_its_body_in_another_object() {
    let first = "float f(float x); out float o; uniform float u; void main() { o = f(u); }";
    let second = "uniform float u; out float o; float k = 2.0; float f(float x) { o = 1.0; return x * u * k; }";
    let module = compiled("330", Vertex, &[first, second]).expect("the objects fit");
    expect![[r"
        out float o unqualified center used, at o[]
        uniform float u Loose { location: None } None used, at []
    "]]
    .assert_eq(&tables(&module));
}

#[test]
fn names_of_one_object_are_unknown_in_the_other() {
    assert_eq!(error_of("void main() { x = 1.0; }", "float x; void f() {}"), "`x` is not declared");
}

#[test]
fn shared_globals_must_agree() {
    assert_eq!(
        error_of("out vec2 a; void main() {}", "out vec3 a; void f() {}"),
        "`a` is `vec3` here but `vec2` in another shader object"
    );
    assert_eq!(
        error_of("out vec2 a; void main() {}", "uniform vec2 a; void f() {}"),
        "`a` has different qualifiers in another shader object"
    );
}

/// Objects are all in desktop GLSL, or all in one version of ES (GLSL 4.60 section 3.3).
#[test]
fn objects_are_in_one_version_of_es() {
    let error_of = |first: &str, second: &str| {
        let texts = [(first, "void main() {}"), (second, "void f() {}")];
        let units = texts.map(|(version, text)| {
            let text = format!("#version {version}\n{text}");
            crate::parse(&text, 0, &crate::ParseOptions::default()).expect("it is right")
        });
        match crate::compile(&units, Vertex, &crate::Hints::default()) {
            Err(CompileError::Link(errors)) => errors[0].message.clone(),
            Err(other) => format!("{other:?}"),
            Ok(_) => "accepted".to_owned(),
        }
    };
    let message = |other: &str, first: &str| {
        format!("this shader object is in {other} but the first one in {first}")
    };
    assert_eq!(error_of("320 es", "310 es"), message("GLSL ES 3.10", "GLSL ES 3.20"));
    assert_eq!(error_of("320 es", "330"), message("GLSL 3.30", "GLSL ES 3.20"));
    assert_eq!(error_of("110", "100"), message("GLSL ES 1.00", "GLSL 1.10"));
    assert_eq!(error_of("320 es", "320 es"), "accepted");
    assert_eq!(error_of("110", "460"), "accepted");
}

#[test]
fn constants_of_one_name_have_one_value() {
    let message = "`a` has a different value in another shader object";
    let first = "const int a = 1; void main() {}";
    assert_eq!(error_of(first, "const int a = 2; void f() {}"), message);
    assert_eq!(error_of(first, "const float a = 1.0; void f() {}"), message);
    assert_eq!(error_of(first, "const int a = 3 - 2; void f() {}"), "accepted");
    let first = "const int a[2] = int[](1, 2); void main() {}";
    assert_eq!(error_of(first, "const int a[2] = int[](1, 3); void f() {}"), message);
}

#[test]
fn qualifiers_of_varyings_agree() {
    let message = "`v` is centroid in one shader object but not in another";
    let first = "centroid out float v; void main() {}";
    assert_eq!(error_of(first, "out float v; void f() {}"), message);
    assert_eq!(error_of(first, "centroid out float v; void f() {}"), "accepted");
    let message = "`v` is invariant in one shader object but not in another";
    assert_eq!(error_of("out float v; invariant v; void main() {}", "out float v;"), message);
}

#[test]
fn uniform_blocks_place_members_alike() {
    let block = |offset: u32| {
        format!(
            "#extension GL_ARB_enhanced_layouts : enable
             layout(std140) uniform B {{ vec4 a; layout(offset = {offset}) vec4 b; }};"
        )
    };
    let main = format!("{} void main() {{}}", block(32));
    let message = "`B.b` has another `offset` or `align` here than in another shader object";
    assert_eq!(error_of(&main, &block(64)), message);
    assert_eq!(error_of(&main, &block(32)), "accepted");
}

#[test]
fn function_is_defined_in_one_object_only() {
    assert_eq!(error_of("void f() {} void main() {}", "void f() {}"), "`f` is defined twice");
}

#[test]
fn built_in_blocks_are_redeclared_alike() {
    let block = "out gl_PerVertex { vec4 gl_Position; };";
    let main = format!("{block} void main() {{}}");
    assert_eq!(
        error_of(&main, "out gl_PerVertex { float gl_PointSize; };"),
        "`gl_PerVertex` is redeclared differently in another shader object"
    );
    assert_eq!(
        error_of(&main, "void f() { gl_PointSize = 1.0; }"),
        "another shader object uses `gl_PerVertex` without this redeclaration"
    );
    assert_eq!(error_of(&main, "void f() {}"), "accepted");
    assert_eq!(error_of(&main, block), "accepted");
}

#[test]
fn indices_of_an_open_array_may_exceed_its_size_elsewhere() {
    assert_eq!(
        error_of("out vec2 a[2]; void main() {}", "out vec2 a[]; void f() { a[2] = vec2(0.0); }"),
        "`a` is `vec2[3]` here but `vec2[2]` in another shader object"
    );
    let within = "out vec2 a[]; void f() { a[1] = vec2(0.0); }";
    assert_eq!(error_of("out vec2 a[2]; void main() {}", within), "accepted");
}

#[test]
fn invariance_is_the_same_in_all_objects() {
    let message = "`a` is invariant in one shader object but not in another";
    assert_eq!(error_of("invariant out vec2 a; void main() {}", "out vec2 a;"), message);
    assert_eq!(error_of("out vec2 a; invariant a; void main() {}", "out vec2 a;"), message);
    let first = "out vec2 a; invariant a; void main() {}";
    assert_eq!(error_of(first, "invariant out vec2 a;"), "accepted");
}

#[test]
fn globals_have_one_initialiser() {
    let message = "`a` has a different initialiser in another shader object";
    assert_eq!(error_of("float a = 1.0; void main() {}", "float a = 2.0;"), message);
    let computed = "uniform float u; float a = u; void main() {}";
    assert_eq!(error_of(computed, "uniform float u; float a = u;"), message);
    assert_eq!(error_of("float a = 1.0; void main() {}", "float a = 0.5 + 0.5;"), "accepted");
    assert_eq!(error_of("float a = 1.0; void main() {}", "float a;"), "accepted");
}

#[test]
fn explicit_locations_are_the_same_in_all_objects() {
    assert_eq!(
        error_of(
            "layout(location = 1) in vec2 a; void main() {}",
            "layout(location = 2) in vec2 a;"
        ),
        "`a` has a different location in another shader object"
    );
    assert_eq!(
        error_of("layout(location = 1) in vec2 a; void main() {}", "in vec2 a;"),
        "accepted"
    );
}

#[test]
fn a_compute_stage_declares_one_local_size() {
    let none = compiled_text("void main() {}", "");
    assert_eq!(none, "no shader object declares the local size of the compute stage");
    let two = "layout(local_size_x = 2) in; void main() {}";
    assert_eq!(
        compiled_text(two, "layout(local_size_x = 3) in;"),
        "the local size differs from the one declared before"
    );
    assert_eq!(compiled_text(two, "layout(local_size_x = 2) in;"), "accepted");
}

fn compiled_text(first: &str, second: &str) -> String {
    let texts = [first, second].map(|text| format!("#version 430\n{text}"));
    let units = units(&[&*texts[0], &*texts[1]]);
    match compile(&units, ShaderStage::Compute, &crate::Hints::default()) {
        Err(CompileError::Link(errors)) => errors[0].message.clone(),
        Err(other) => format!("{other:?}"),
        Ok(_) => "accepted".to_owned(),
    }
}

#[test]
fn built_in_arrays_have_one_size() {
    let first = "out float gl_ClipDistance[3]; void main() { gl_ClipDistance[2] = 1.0; }";
    let second = |size| format!("out float gl_ClipDistance[{size}]; void f() {{}}");
    assert_eq!(error_of(first, &second(3)), "accepted");
    let message = "`gl_ClipDistance` has 4 elements here and 3 in another shader object";
    assert_eq!(error_of(first, &second(4)), message);
    let twice = "out float gl_ClipDistance[2]; out float gl_ClipDistance[3]; void main() {}";
    let message = "`gl_ClipDistance` has 3 elements here and 2 in an earlier declaration";
    assert_eq!(error_of(twice, "void f() {}"), message);
}
