//! Structs, samplers, `void`, and types that a version does not have.

use crate::invalid::rule::{Rule, Where, compile, declare, one, state, valid};

use Where::{Either, Fragment, Vertex};

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    compile("void_variable", "4.1.1").everywhere().by(&[
        declare(Either, "void $n;"),
        state(Either, "void $n;"),
        declare(Either, "void $n[2];"),
    ]),
    compile("void_member", "4.1.1").everywhere().by(&[declare(Either, "struct $n { float a; void b; };")]),
    compile("void_parameter_among_others", "6.1").everywhere().by(&[
        declare(Either, "void $n(float a, void b) {}"),
        declare(Either, "void $n(void a) {}"),
    ]),
    compile("sampler_that_is_no_uniform", "4.1.7").everywhere().by(&[
        declare(Either, "sampler2D $n;"),
        declare(Fragment, "$in sampler2D $n;"),
        declare(Vertex, "$attribute sampler2D $n;"),
        state(Either, "sampler2D $n;"),
        declare(Vertex, "$out samplerCube $n;"),
    ]),
    compile("sampler_in_a_struct_that_is_no_uniform", "4.1.7").everywhere().by(&[
        declare(Either, "struct $m { sampler2D a; float b; }; $m $n;"),
        one(Either, "struct $m { sampler2D a; float b; };", "$m $n;"),
    ]),
    compile("sampler_as_an_out_parameter", "4.1.7").everywhere().by(&[
        declare(Either, "void $n(out sampler2D a) {}"),
        declare(Either, "void $n(inout samplerCube a) {}"),
    ]),
    compile("sampler_is_assigned", "4.1.7").everywhere().by(&[
        one(Fragment, "uniform sampler2D $n; uniform sampler2D $m;", "$n = $m;"),
        one(Fragment, "uniform sampler2D $n[2];", "$n[0] = $n[1];"),
    ]),
    compile("sampler_in_an_expression", "4.1.7").everywhere().by(&[
        one(Fragment, "uniform sampler2D $n;", "acc += $n;"),
        one(Fragment, "uniform sampler2D $n; uniform sampler2D $m;", "if ($n == $m) { acc.x = 1.0; }"),
    ]),
    compile("sampler_is_constructed", "5.4").everywhere().by(&[
        state(Fragment, "acc += $tex(sampler2D(1), acc.xy);"),
    ]),
    compile("struct_without_members", "4.1.8").everywhere().by(&[
        declare(Either, "struct $n { };"),
        state(Either, "struct $n { };"),
    ]),
    compile("struct_in_itself", "4.1.8").everywhere().by(&[
        declare(Either, "struct $n { float a; $n b; };"),
        declare(Either, "struct $n { float a; $n b[2]; };"),
    ]),
    compile("member_twice", "4.1.8").everywhere().by(&[
        declare(Either, "struct $n { float a; vec2 a; };"),
        declare(Either, "struct $n { $T a, b, a; };"),
    ]),
    compile("member_initializer", "4.1.8").everywhere().by(&[
        declare(Either, "struct $n { float a = 1.0; };"),
    ]),
    compile("member_storage_qualifier", "4.1.8").everywhere().by(&[
        declare(Either, "struct $n { uniform float a; };"),
        declare(Either, "struct $n { const float a; };"),
        declare(Either, "struct $n { $out float a; };"),
    ]),
    compile("struct_inside_a_struct", "ES 4.1.8").es(100, 320).by(&[
        declare(Either, "struct $n { struct $m { float a; } b; };"),
        declare(Either, "struct $n { struct { float a; } b; };"),
    ]),
    compile("anonymous_struct_inside_a_struct", "4.1.8").desktop(110, 460).by(&[
        declare(Either, "struct $n { struct { float a; }; float b; };"),
    ]),
    compile("unknown_member", "5.7").everywhere().by(&[
        one(Either, "struct $m { float a; } $n;", "acc += $n.b;"),
        one(Either, "struct $m { float a; }; uniform $m $n[2];", "acc += $n[1].x;"),
        state(Either, "acc += acc.foo;"),
    ]),
    compile("struct_constructor_with_wrong_arguments", "5.4.3").everywhere().by(&[
        one(Either, "struct $m { float a; vec2 b; };", "acc += $m(1.0).a;"),
        one(Either, "struct $m { float a; vec2 b; };", "acc += $m(1.0, vec2(1.0), 1.0).a;"),
        one(Either, "struct $m { float a; vec2 b; };", "acc += $m(1.0, vec3(1.0)).a;"),
        one(Either, "struct $m { float a; vec2 b; };", "acc += $m().a;"),
    ]),
    compile("structs_of_two_names_are_not_one", "4.1.8").everywhere().by(&[
        one(Either, "struct $m { float a; }; struct $k { float a; };", "$m x; $k y = $k(1.0); x = y; acc += x.a;"),
        one(Either, "struct $m { float a; }; struct $k { float a; };", "$m x = $k(1.0); acc += x.a;"),
    ]),
    compile("unknown_type", "3.9.3").everywhere().by(&[
        declare(Either, "$n $m;"),
        state(Either, "$n $m;"),
        declare(Either, "uniform $n $m;"),
    ]),
    compile("matrix_that_is_not_square", "4.1.6").desktop(110, 110).es(100, 100).by(&[
        declare(Either, "uniform mat2x3 $n;"),
        state(Either, "mat4x2 $n;"),
    ]),
    compile("unsigned_integer_in_old_versions", "4.1.3").lenient("Mesa reads `1u`").desktop(110, 120).es(100, 100).by(&[
        declare(Either, "uniform uint $n;"),
        state(Either, "uvec2 $n;"),
        state(Either, "acc += float(1u);"),
    ]),
    compile("double_in_old_versions", "4.1.4").desktop(110, 330).es(100, 320).by(&[
        state(Either, "double $n;"),
        declare(Either, "uniform dvec2 $n;"),
        state(Either, "acc += float(1.0lf);"),
    ]),
    compile("sampler_type_of_a_later_version", "4.1.7").desktop(110, 120).es(100, 100).by(&[
        declare(Fragment, "uniform sampler2DArray $n;"),
        declare(Fragment, "uniform isampler2D $n;"),
        declare(Fragment, "uniform usamplerCube $n;"),
    ]),
    compile("multisample_sampler_in_old_versions", "4.1.7").desktop(110, 140).es(100, 300).by(&[
        declare(Fragment, "uniform sampler2DMS $n;"),
    ]),
    compile("image_in_old_versions", "4.1.7").desktop(110, 410).es(100, 300).by(&[
        declare(Fragment, "layout(rgba8) uniform image2D $n;").since(140, 300),
        declare(Fragment, "uniform image2D $n;"),
    ]),
    compile("image_that_is_no_uniform", "4.1.7").since(420, 310).by(&[
        declare(Fragment, "layout(rgba8) image2D $n;"),
        state(Fragment, "image2D $n;"),
    ]),
    compile("image_that_is_read_without_a_format", "4.4.7").since(420, 310).by(&[
        one(Fragment, "uniform image2D $n;", "acc += imageLoad($n, ivec2(0));"),
        declare(Fragment, "readonly uniform image2D $n;"),
    ]),
    compile("image_loses_a_memory_qualifier", "4.10").desktop(420, 460).by(&[
        one(Fragment, "layout(rgba8) coherent uniform image2D $n; void $m(image2D a) {}", "$m($n);"),
        one(Fragment, "layout(rgba8) readonly uniform image2D $n; void $m(coherent image2D a) {}", "$m($n);"),
        one(Fragment, "writeonly uniform image2D $n[2]; void $m(image2D a) {}", "$m($n[1]);"),
        declare(Fragment, "void $m(image2D a) {} void $n(volatile image2D a) { $m(a); }"),
    ]),
    valid("image_gets_a_memory_qualifier", "4.10").desktop(420, 460).by(&[
        one(Fragment, "layout(rgba8) uniform image2D $n; void $m(coherent readonly image2D a) {}", "$m($n);"),
    ]),
    compile("image_format_of_another_kind", "4.4.7").since(420, 310).by(&[
        declare(Fragment, "layout(rgba8, binding = 0) readonly uniform iimage2D $n;"),
        declare(Fragment, "layout(r32i, binding = 0) readonly uniform image2D $n;"),
        declare(Fragment, "layout(rgba16ui, binding = 0) readonly uniform image2D $n;"),
    ]),
    compile("atomic_counter_without_binding", "4.4.7").since(420, 310).by(&[
        declare(Fragment, "layout(offset = 0) uniform atomic_uint $n;"),
        declare(Fragment, "uniform atomic_uint $n;"),
    ]),
    compile("atomic_counters_overlap", "4.4.7").since(420, 310).by(&[
        declare(Fragment, "layout(binding = 0, offset = 4) uniform atomic_uint $n; layout(binding = 0, offset = 4) uniform atomic_uint $m;"),
    ]),
    compile("precision_is_missing", "ES 4.7.4").es(100, 320).by(&[
        declare(Fragment, "uniform lowp sampler2D $k; uniform sampler3D $n;").since(0, 300),
        declare(Fragment, "uniform isampler2D $n;").since(0, 300),
        declare(Vertex, "uniform sampler2DShadow $n;").since(0, 300),
    ]),
    compile("precision_of_a_boolean_or_struct", "ES 4.7.3").es(100, 320).by(&[
        declare(Either, "uniform highp bool $n;"),
        declare(Either, "struct $m { float a; }; uniform highp $m $n;"),
        declare(Either, "precision highp bool;"),
        declare(Either, "precision highp vec2;"),
    ]),
    valid("precision_qualifiers_are_allowed", "4.7").desktop(130, 460).es(100, 320).by(&[
        one(Either, "uniform mediump $v $n;", "acc += $n.x;"),
        declare(Either, "precision highp float;"),
        state(Either, "lowp int $n = 1; acc += float($n);"),
    ]),
    compile("precision_twice", "4.7.3").since(130, 100).by(&[
        declare(Either, "uniform highp mediump float $n;"),
    ]),
];
