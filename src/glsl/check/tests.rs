//! For each rule, the smallest shader that breaks it, and a valid version of the same shader.

use crate::parser::{ParseOptions, parse};
use crate::target::Target;
use ir::stage::ShaderStage::{self, Compute, Fragment, Vertex};

use super::check as mistakes;

/// Checks the first error and the text it underlines, in the form `message [text]`; empty if there is none.
#[track_caller]
pub(super) fn check(version: &str, stage: ShaderStage, text: &str, expected: &str) {
    let text = format!("#version {version}\n{text}");
    let unit = parse(&text, 0, &ParseOptions::default()).expect("the grammar allows it");
    let found = mistakes(&unit, stage).errors;
    let shown = found.first().map(|mistake| {
        let place = std::ops::Range::from(mistake.span.expect("a mistake has a place"));
        format!("{} [{}]", mistake.message, &text[place])
    });
    assert_eq!(shown.unwrap_or_default(), expected, "{text}");
}

#[test]
fn a_variable_has_one_storage_qualifier() {
    let message = "a variable can have only one storage qualifier";
    check("420", Vertex, "in in vec4 a;", &format!("{message} [in]"));
    check("420", Vertex, "const in float x;", &format!("{message} [in]"));
    check("420", Vertex, "in out float x;", &format!("{message} [out]"));
    check("420", Vertex, "in vec4 a;", "");
}

#[test]
fn storage_words_have_their_versions() {
    let message = "`in` and `out` are only allowed on parameters in this version";
    check("120", Vertex, "in vec4 a;", &format!("{message} [in]"));
    check("130", Vertex, "in vec4 a;", "");
    let message = "`attribute` and `varying` are not available in this version";
    check("300 es", Vertex, "attribute vec4 a;", &format!("{message} [attribute]"));
    check("100", Vertex, "attribute vec4 a;", "");
    check(
        "330",
        Vertex,
        "layout(location = 0) attribute vec4 a;",
        "`layout` cannot be combined with `attribute` or `varying`; use `in` or `out` [location]",
    );
}

#[test]
fn integers_are_flat_where_they_enter_the_fragment_stage() {
    let message = "`n` contains integers or doubles and must be `flat` [n]";
    check("130", Fragment, "in int n;", message);
    check("130", Fragment, "flat in int n;", "");
    check("130", Fragment, "smooth in uvec2 n[3];", message);
    check("150", Fragment, "in B { int n; };", message);
    check("150", Fragment, "flat in B { int n; };", "");
    check("150", Fragment, "struct S { ivec2 v; }; in S n;", message);
    check("400", Fragment, "in dvec2 n;", message);
    check("400", Fragment, "in dmat3x2 n;", message);
    check("400", Fragment, "flat in dmat3x2 n;", "");
    let int64 = "\n#extension GL_ARB_gpu_shader_int64 : require\n";
    check("400", Fragment, &format!("{int64}in uint64_t n;"), message);
    check("400", Fragment, &format!("{int64}struct S {{ i64vec3 v[2]; }}; in S n;"), message);
    check("400", Fragment, &format!("{int64}flat in u64vec2 n;"), "");
    check("400", Fragment, "struct int64_t { float f; }; in int64_t n;", "");
    check("150", Vertex, "out int n;", "");
    check("300 es", Vertex, "out mediump int n;", message);
}

#[test]
fn only_varyings_are_interpolated() {
    let message = "only varyings can have an interpolation qualifier";
    check("330", Vertex, "flat in vec2 a;", &format!("{message} [flat]"));
    check("330", Fragment, "smooth out vec4 c;", &format!("{message} [smooth]"));
    check("330", Fragment, "flat uniform int n;", &format!("{message} [flat]"));
    check("330", Vertex, "centroid in vec2 a;", "only varyings can be `centroid` [centroid in]");
    check(
        "400",
        Fragment,
        "sample uniform vec2 a;",
        "only varyings can be `sample` [sample uniform]",
    );
    let message =
        "`varying` cannot be combined with an interpolation qualifier in this version [smooth]";
    check("130", Fragment, "smooth varying vec2 a;", message);
    let message = "only varyings can have interpolation or auxiliary storage qualifiers [smooth]";
    check("330", Fragment, "void f() { smooth float x; }", message);
}

#[test]
fn types_of_inputs_and_outputs_grow_with_the_versions() {
    check(
        "120",
        Vertex,
        "attribute int n;",
        "a vertex attribute cannot contain integers in this version [n]",
    );
    check("130", Vertex, "in int n;", "");
    check(
        "330",
        Vertex,
        "struct S { float x; }; in S s;",
        "a vertex attribute cannot be a struct [s]",
    );
    let message = "a vertex attribute cannot be an array in this version [a]";
    check("140", Vertex, "in float a[2];", message);
    check("150", Vertex, "in float a[2];", "");
    let text = "struct S { float x; }; out S s;";
    check("140", Vertex, text, "a varying cannot be a struct in this version [s]");
    check("150", Vertex, text, "");
    let message = "a fragment output must be a `float`, `int` or `uint` scalar or vector, or an array of these [m]";
    check("330", Fragment, "out mat2 m;", message);
    check("330", Fragment, "out vec2 m[2];", "");
}

#[test]
fn invariant_is_said_of_what_leaves_a_stage() {
    check("120", Vertex, "invariant uniform vec2 x;", "`x` cannot be invariant [x]");
    check("120", Vertex, "invariant attribute vec2 x;", "`x` cannot be invariant [x]");
    check("120", Vertex, "invariant varying vec2 x;", "");
    check("120", Vertex, "vec2 x; invariant x;", "`x` cannot be invariant [x]");
    check(
        "120",
        Vertex,
        "void f() { invariant vec2 x; }",
        "only global variables can be invariant [invariant]",
    );
    let text = "void f() { gl_Position = vec4(0); } invariant gl_Position;";
    check(
        "120",
        Vertex,
        text,
        "`gl_Position` is used before it is declared `invariant` [gl_Position]",
    );
}

#[test]
fn layout_words_have_their_places() {
    check(
        "430",
        Fragment,
        "layout(std430) uniform B { int n; };",
        "`std430` needs a storage block or GL_EXT_scalar_block_layout [std430]",
    );
    check("430", Fragment, "layout(std430) buffer B { int n; };", "");
    check(
        "330",
        Fragment,
        "layout(std140) vec4 a;",
        "the layout qualifier `std140` is not allowed here [std140]",
    );
    check(
        "330",
        Fragment,
        "layout(nothing) in vec4 a;",
        "`nothing` is not a layout qualifier [nothing]",
    );
    check(
        "430",
        Vertex,
        "layout(early_fragment_tests) in;",
        "the layout qualifier `early_fragment_tests` is not allowed here [early_fragment_tests]",
    );
    check(
        "440",
        Fragment,
        "void f() { layout(location = 1) vec4 a; }",
        "the layout qualifier `location` is not allowed here [location]",
    );
    check(
        "440",
        Vertex,
        "layout(component = 1) out float a;",
        "`component` needs a `location` [layout(component = 1) out]",
    );
    check("430", Compute, "layout(local_size_x = 4) in;", "");
    check(
        "300 es",
        Fragment,
        "layout(location = 0, index = 1) out vec4 a;",
        "`index` needs GL_EXT_blend_func_extended in GLSL ES [index]",
    );
    check("330", Fragment, "layout(location = 0, index = 1) out vec4 a;", "");
}

#[test]
fn layout_words_have_their_versions() {
    let message = "`location` needs GLSL 4.10 or GL_ARB_separate_shader_objects [location]";
    check("330", Vertex, "layout(location = 0) out vec4 a;", message);
    check("410", Vertex, "layout(location = 0) out vec4 a;", "");
    let message = "`location` needs GLSL 3.30 or GL_ARB_explicit_attrib_location [location]";
    check("150", Vertex, "layout(location = 0) in vec4 a;", message);
    check(
        "430",
        Vertex,
        "layout(location = 1 + 1) in vec4 a;",
        "the value of `location` must be an integer literal in this version [1 + 1]",
    );
    check("440", Vertex, "layout(location = 1 + 1) in vec4 a;", "");
    check(
        "410",
        Vertex,
        "layout(location = 1, location = 2) in vec4 a;",
        "`location` is given twice [location]",
    );
}

#[test]
fn formats_suit_their_images() {
    check(
        "420",
        Fragment,
        "layout(rgba8) uniform uimage2D i;",
        "the format `rgba8` does not match the type of this image [rgba8]",
    );
    check("420", Fragment, "layout(rgba8ui) uniform uimage2D i;", "");
    check("420", Fragment, "layout(r32i) uniform iimage2D i;", "");
    check(
        "420",
        Fragment,
        "layout(r32f) uniform sampler2D i;",
        "only images can have a format qualifier [r32f]",
    );
    let message = "an image that is not `writeonly` needs a format qualifier [image2D]";
    check("420", Fragment, "uniform image2D i;", message);
    check("420", Fragment, "writeonly uniform image2D i;", "");
}

#[test]
fn opaque_values_are_uniforms_or_parameters() {
    let message = "samplers, images and atomic counters must be uniforms or parameters";
    check("130", Fragment, "sampler2D s;", &format!("{message} [s]"));
    check("130", Fragment, "struct S { sampler2D t; } s;", &format!("{message} [s]"));
    check("130", Fragment, "void f() { sampler2D t; }", &format!("{message} [t]"));
    check("130", Fragment, "void f(sampler2D t) {}", "");
    check(
        "130",
        Fragment,
        "void f(out sampler2D t) {}",
        "samplers, images and atomic counters cannot be `out` or `inout` parameters [sampler2D]",
    );
    check(
        "130",
        Fragment,
        "sampler2D f() { return f(); }",
        "a function cannot return samplers, images or atomic counters [sampler2D]",
    );
}

#[test]
fn parameters_have_one_direction() {
    check(
        "420",
        Vertex,
        "void f(in in float x) {}",
        "a parameter can have one of `in`, `out` and `inout`, and `const` once [in]",
    );
    let both = "void f(in out float x) {}";
    let message = "a parameter can have one of `in`, `out` and `inout`, and `const` once [out]";
    check("450", Vertex, both, message);
    check(
        "420",
        Vertex,
        "void f(const out float x) {}",
        "a `const` parameter cannot be `out` or `inout` [const]",
    );
    check("420", Vertex, "void f(in const float x) {}", "");
    check(
        "330",
        Vertex,
        "void f(in const float x) {}",
        "`const` must come before `in` in this version [const]",
    );
    check(
        "110",
        Vertex,
        "void f(out float x[2]) {}",
        "an array cannot be an `out` or `inout` parameter in this version [float]",
    );
    check("330", Vertex, "int f() {}", "`f` must return a value but has no `return` [f]");
    check("330", Vertex, "void main(int i) {}", "`main` cannot have parameters [main]");
}

/// F9
#[test]
fn instances_of_blocks_have_names_of_their_own() {
    let own = "uniform B { vec4 m; } B;";
    check("450", Vertex, own, "`B` is also the name of a block [B]");
    let vulkan = ParseOptions { target: Target::Vulkan, ..ParseOptions::default() };
    let text = format!("#version 450\n{own}");
    let unit = parse(&text, 0, &vulkan).expect("the grammar allows it");
    assert_eq!(mistakes(&unit, Vertex).errors, [], "compilers for Vulkan accept it");
    let function = "uniform B { vec4 m; } b; void b() {}";
    check("450", Vertex, function, "`b` is also the name of a function [b]");
    check("450", Vertex, "uniform B { vec4 m; } b; void c() {}", "");
}

#[test]
fn layouts_of_blocks_override_earlier_ones() {
    check("300 es", Fragment, "layout(shared, std140, shared) uniform B { mediump vec4 m; };", "");
    let members = "layout(std140) uniform B { layout(row_major, row_major) mat4 m; };";
    check("140", Vertex, members, "");
}

#[test]
fn blocks_have_their_places_and_versions() {
    check(
        "150",
        Vertex,
        "in B { vec4 a; };",
        "vertex inputs and fragment outputs cannot be blocks [B]",
    );
    check(
        "150",
        Fragment,
        "out B { vec4 a; };",
        "vertex inputs and fragment outputs cannot be blocks [B]",
    );
    let message = "input and output blocks need GLSL 1.50, GLSL ES 3.20 or GL_OES_shader_io_blocks";
    check("140", Vertex, "out B { vec4 a; };", &format!("{message} [B]"));
    let message = "uniform blocks need GLSL 1.40, GLSL ES 3.00 or GL_ARB_uniform_buffer_object [B]";
    check("130", Vertex, "uniform B { vec4 a; };", message);
    check("140", Vertex, "uniform B { vec4 a; };", "");
    check("150", Vertex, "uniform B { vec4 a; } b[];", "the array of blocks `b` needs a size [[]]");
}

#[test]
fn members_belong_to_their_block() {
    check(
        "150",
        Vertex,
        "out B { uniform vec4 a; };",
        "the storage qualifier of a block member must be that of its block [uniform]",
    );
    check("150", Vertex, "uniform B { uniform vec4 a; };", "");
    check(
        "150",
        Vertex,
        "uniform B { sampler2D a; };",
        "a block cannot contain samplers, images or atomic counters [a]",
    );
    check(
        "150",
        Vertex,
        "uniform B { flat int a; };",
        "only varyings can have interpolation or auxiliary storage qualifiers [a]",
    );
    check(
        "440",
        Vertex,
        "out B { layout(location = 1) vec4 a; vec4 b; };",
        "`b` has no `location`, but other members of the block have one [b]",
    );
    check("440", Vertex, "layout(location = 1) out B { vec4 a; vec4 b; };", "");
    check(
        "440",
        Vertex,
        "layout(shared) uniform B { layout(offset = 16) vec4 a; };",
        "`offset` needs `std140` or `std430` [offset]",
    );
}

#[test]
fn names_are_the_shaders_own() {
    check("330", Vertex, "struct gl_S { int n; };", "the name `gl_S` is reserved [gl_S]");
    check("330", Vertex, "void f() { int gl_n; }", "the name `gl_n` is reserved [gl_n]");
    check("330", Vertex, "out B { vec4 gl_n; };", "the name `gl_n` is reserved [gl_n]");
    check("330", Vertex, "out B { vec4 a; } b; vec4 B;", "`B` is also the name of a block [B]");
}

#[test]
fn structs_that_hold_themselves_end() {
    check("330", Vertex, "struct A { B b; }; struct B { A a; }; uniform A a;", "");
}

#[test]
fn arrays_get_their_size_once() {
    check("330", Vertex, "int a[3]; int a[3];", "`a` is declared twice [a]");
    check("330", Vertex, "int a[]; int a[3];", "");
}

#[test]
fn built_in_variables_keep_their_type_and_storage() {
    check(
        "130",
        Vertex,
        "out vec2 gl_ClipDistance[2];",
        "`gl_ClipDistance` must be redeclared as `float[]` [gl_ClipDistance]",
    );
    check(
        "130",
        Vertex,
        "float gl_ClipDistance[2];",
        "`gl_ClipDistance` is redeclared without `out` [gl_ClipDistance]",
    );
    check("130", Vertex, "out float gl_ClipDistance[2];", "");
    check(
        "120",
        Vertex,
        "varying float gl_ClipDistance[2];",
        "`gl_ClipDistance` is not available in this version [gl_ClipDistance]",
    );
    check(
        "150",
        Fragment,
        "layout(origin_upper_left) in vec4 a;",
        "`origin_upper_left` is only allowed on `gl_FragCoord` [origin_upper_left]",
    );
}

/// F5
#[test]
fn redeclarations_come_first_and_agree() {
    let text = "vec4 f() { return gl_FragCoord; } in vec4 gl_FragCoord;";
    check("150", Fragment, text, "`gl_FragCoord` is used before it is redeclared [gl_FragCoord]");
    let text = "in vec4 gl_FragCoord; layout(origin_upper_left) in vec4 gl_FragCoord;";
    check(
        "150",
        Fragment,
        text,
        "`gl_FragCoord` is redeclared with different layout qualifiers [gl_FragCoord]",
    );
    let text = "out gl_PerVertex { vec4 gl_Position; }; void main() { gl_PointSize = 1.0; }";
    check(
        "150",
        Vertex,
        text,
        "`gl_PointSize` is used, but the redeclaration of `gl_PerVertex` omits it [gl_PointSize]",
    );
    let text = "out gl_PerVertex { vec4 gl_Position; vec4 t; };";
    check("150", Vertex, text, "`gl_PerVertex` has no member `t` [t]");
}

#[test]
fn precision_is_for_numbers() {
    check("100", Vertex, "lowp bool b;", "this type cannot have a precision qualifier [bool]");
    check(
        "100",
        Vertex,
        "precision lowp bool;",
        "the default precision of `bool` cannot be set [bool]",
    );
    check(
        "100",
        Vertex,
        "precision lowp vec2;",
        "the default precision of `vec2` cannot be set [vec2]",
    );
}

#[test]
fn es_fragment_stages_have_no_default_for_floats() {
    let message = "`float` has no default precision here; add a precision qualifier";
    check("100", Fragment, "varying vec2 a;", &format!("{message} [vec2]"));
    check("100", Fragment, "precision mediump float; varying vec2 a;", "");
    check(
        "100",
        Fragment,
        "void f() { { precision mediump float; } float x; }",
        &format!("{message} [float]"),
    );
    check("100", Vertex, "varying vec2 a;", "");
    check(
        "300 es",
        Fragment,
        "uniform sampler3D s;",
        "`sampler3D` has no default precision here; add a precision qualifier [sampler3D]",
    );
    check("110", Fragment, "varying vec2 a;", "");
}

#[test]
fn constants_hold_no_sequence() {
    check("120", Vertex, "uniform float a[(5, 3)];", "this is not a constant expression [(5, 3)]");
    check("100", Vertex, "uniform float a[(5, 3)];", "");
    check(
        "300 es",
        Vertex,
        "const float f = (1.0, 2.0);",
        "this is not a constant expression [(1.0, 2.0)]",
    );
}

#[test]
fn uniforms_have_values_where_the_version_has_them() {
    let message = "a uniform cannot have an initialiser in this version [a]";
    check("110", Vertex, "uniform float a = 1.0;", message);
    check("120", Vertex, "uniform float a = 1.0;", "");
    check("300 es", Vertex, "uniform float a = 1.0;", message);
}

#[test]
fn memory_qualifiers_are_for_images_and_buffers() {
    let message = "only images and storage blocks can have memory qualifiers";
    check("430", Vertex, "coherent uniform B { float a; };", &format!("{message} [B]"));
    check("430", Vertex, "uniform B { readonly float a; };", &format!("{message} [a]"));
    check("430", Vertex, "coherent out B { float a; } b;", &format!("{message} [B]"));
    check("430", Vertex, "readonly uniform float a;", &format!("{message} [float]"));
    check("430", Vertex, "coherent buffer B { readonly float a; };", "");
}

#[test]
fn a_depth_has_one_word_before_440() {
    let text = "layout(depth_less, depth_any) out float gl_FragDepth;";
    check(
        "430",
        Fragment,
        text,
        "`depth_any` is the second depth qualifier of this `layout` [depth_any]",
    );
    check("440", Fragment, text, "");
}

/// F3
#[test]
fn sixteen_bit_formats_need_an_extension_in_es() {
    let format = |word: &str| format!("layout({word}) uniform highp readonly image2D i;");
    let message = "`rg16` needs GL_EXT_texture_norm16 in GLSL ES [rg16]";
    check("310 es", Fragment, &format("rg16"), message);
    check("420", Fragment, &format("rg16"), "");
}

/// F14
#[test]
fn only_definitions_have_subroutine_types() {
    let text = "subroutine void T(); subroutine(T) void f();";
    check("400", Vertex, text, "a prototype cannot have the `subroutine` type `T` [T]");
    check("400", Vertex, "subroutine void T(); subroutine(T) void f() {}", "");
}
