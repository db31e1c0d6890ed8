//! Storage, interpolation, auxiliary and parameter qualifiers, `invariant` and `precise`.

use crate::invalid::rule::{Rule, Where, compile, declare, one, pair, state, valid};

use Where::{Either, Fragment, Vertex};

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    compile("constant_from_a_parameter", "4.3.3").desktop(120, 410).es(100, 320).by(&[
        declare(Either, "float $n(float a) { const float b = a; return b; }"),
        declare(Either, "float $n(const float a) { const float b = a; return b; }"),
    ]),
    valid("constant_from_a_parameter_in_new_versions", "4.3.3")
        .desktop(420, 460)
        .by(&[declare(Either, "float $n(const float a) { const float b = a; return b; }")]),
    compile("const_without_initializer", "4.3.2")
        .everywhere()
        .by(&[declare(Either, "const $T $n;"), state(Either, "const $T $n;")]),
    compile("uniform_with_initializer", "ES 4.3.5").desktop(110, 110).es(100, 320).by(&[
        declare(Either, "uniform $T $n = $T(1.0);"),
        one(Either, "uniform float $n = 1.0;", "acc += $n;"),
    ]),
    valid("uniform_with_initializer_is_allowed", "4.3.5").since(120, 0).by(&[
        declare(Either, "uniform $T $n = $T(1.0);"),
        one(Either, "uniform float $n = 1.0;", "acc += $n;"),
    ]),
    compile("input_with_initializer", "4.3.4").everywhere().by(&[
        declare(Vertex, "$attribute $T $n = $T(1.0);"),
        declare(Fragment, "$in $T $n = $T(1.0);"),
    ]),
    compile("attribute_in_the_fragment_stage", "4.3.4").desktop(110, 130).es(100, 100).by(&[
        declare(Fragment, "attribute $T $n;"),
        one(Fragment, "attribute float $n;", "acc += $n;"),
    ]),
    compile("storage_qualifier_on_a_local_variable", "4.3").everywhere().by(&[
        state(Either, "uniform $T $n;"),
        state(Vertex, "$attribute $T $n;"),
        state(Either, "$out $T $n;"),
        state(Fragment, "$in $T $n;"),
    ]),
    compile("two_storage_qualifiers", "4.3").everywhere().by(&[
        declare(Either, "const uniform $T $n;"),
        declare(Either, "uniform $out $T $n;"),
        declare(Vertex, "uniform $attribute $T $n;"),
        declare(Fragment, "const $in $T $n;"),
    ]),
    compile("inout_as_a_global", "4.3")
        .everywhere()
        .by(&[declare(Either, "inout $T $n;"), one(Either, "inout float $n;", "acc += $n;")]),
    compile("two_interpolation_qualifiers", "4.5").since(130, 300).by(&[
        declare(Vertex, "flat smooth out $T $n;"),
        declare(Fragment, "smooth flat in $T $n;"),
        declare(Vertex, "noperspective flat out $T $n;").since(130, 1000),
    ]),
    compile("interpolation_of_what_is_no_varying", "4.5").since(130, 300).by(&[
        declare(Either, "flat uniform $T $n;"),
        declare(Either, "smooth $T $n;"),
        declare(Either, "flat const $T $n = $T(1.0);"),
        state(Either, "flat $T $n;"),
    ]),
    compile("interpolation_of_a_vertex_input", "4.5").since(130, 300).by(&[
        declare(Vertex, "flat in $T $n;"),
        declare(Vertex, "smooth in $T $n;"),
        one(Vertex, "flat in float $n;", "acc += $n;"),
    ]),
    compile("interpolation_of_a_fragment_output", "4.5").since(130, 300).bare().by(&[
        declare(Fragment, "flat out vec4 $n;"),
        one(Fragment, "smooth out vec4 $n;", "$n = acc;"),
    ]),
    compile("integer_input_without_flat", "4.3.4").since(130, 300).by(&[
        pair(["flat out int $n;", "$n = 1;"], ["in int $n;", "acc += float($n);"]),
        pair(["flat out uvec2 $n;", ""], ["smooth in uvec2 $n;", ""]),
        pair(["flat out ivec3 $n[2];", ""], ["in ivec3 $n[2];", ""]),
        pair(["flat out ivec4 $n;", ""], ["noperspective in ivec4 $n;", ""]).since(130, 1000),
        pair(
            ["struct $m { float a; int b; }; flat out $m $n;", ""],
            ["struct $m { float a; int b; }; in $m $n;", ""],
        )
        .since(150, 300),
    ]),
    compile("integer_output_without_flat", "ES 4.3.6").since(0, 300).by(&[
        declare(Vertex, "out int $n;"),
        declare(Vertex, "smooth out uvec3 $n;"),
        declare(Vertex, "struct $m { float a; int b; }; out $m $n;"),
    ]),
    valid("integer_output_without_flat_is_allowed", "4.3.6").since(440, 0).by(&[pair(
        ["out ivec2 $n;", "$n = ivec2(1);"],
        ["flat in ivec2 $n;", "acc += float($n.x);"],
    )]),
    compile("boolean_varying", "4.3.4").everywhere().by(&[
        declare(Vertex, "$out bool $n;"),
        declare(Vertex, "$out bvec2 $n;"),
        declare(Fragment, "$in bool $n;"),
        declare(Fragment, "flat in bvec4 $n;").since(130, 300),
    ]),
    compile("boolean_attribute", "4.3.4").everywhere().by(&[
        declare(Vertex, "$attribute bool $n;"),
        declare(Vertex, "$attribute bvec3 $n;"),
        one(Vertex, "$attribute bool $n;", "acc += float($n);"),
    ]),
    compile("struct_attribute", "4.3.4").everywhere().by(&[
        declare(Vertex, "struct $m { float a; vec2 b; }; $attribute $m $n;"),
        one(Vertex, "struct $m { $T a; vec2 b; }; $attribute $m $n;", "acc += $n.b.x;"),
    ]),
    compile("array_attribute", "4.3.4").desktop(110, 140).es(100, 320).by(&[
        declare(Vertex, "$attribute $T $n[2];"),
        one(Vertex, "$attribute float $n[2];", "acc += $n[1];"),
    ]),
    valid("array_attribute_is_allowed", "4.3.4").since(150, 0).by(&[one(
        Vertex,
        "in vec2 $n[2];",
        "acc += $n[1].x;",
    )]),
    compile("integer_varying_before_flat", "4.3.4").desktop(110, 120).es(100, 100).by(&[
        declare(Vertex, "varying int $n;"),
        declare(Fragment, "varying ivec2 $n;"),
        declare(Either, "varying ivec3 $n[2];"),
    ]),
    compile("integer_attribute_in_old_versions", "4.3.4").desktop(110, 120).es(100, 100).by(&[
        declare(Vertex, "attribute int $n;"),
        one(Vertex, "attribute ivec2 $n;", "acc += float($n.x);"),
    ]),
    compile("struct_varying_in_old_versions", "4.3.4").desktop(110, 120).es(100, 100).by(&[
        declare(Vertex, "struct $m { float a; vec2 b; }; varying $m $n;"),
        declare(Fragment, "struct $m { float a; vec2 b; }; varying $m $n;"),
    ]),
    compile("write_to_a_uniform", "4.3.5").everywhere().by(&[
        one(Either, "uniform vec4 $n;", "$n = acc;"),
        one(Either, "uniform vec4 $n[2];", "$n[1].x = 1.0;"),
        one(Either, "uniform mat3 $n;", "$n[0] *= 2.0;"),
        one(Either, "struct $m { float a; }; uniform $m $n;", "$n.a += 1.0;"),
        one(Either, "uniform int $n;", "$n++;"),
    ]),
    compile("write_to_an_input", "4.3.4").everywhere().by(&[
        one(Vertex, "$attribute vec4 $n;", "$n = acc;"),
        one(Fragment, "$in vec4 $n;", "$n.xy = acc.xy;"),
        pair(["$out float $n;", "$n = 1.0;"], ["$in float $n;", "$n += 1.0;"]),
    ]),
    compile("write_to_a_constant", "4.3.2").everywhere().by(&[
        one(Either, "const vec4 $n = vec4(1.0);", "$n = acc;"),
        one(Either, "const int $n = 1;", "--$n;"),
        state(Either, "const float $n = 1.0; $n = 2.0;"),
        one(Either, "void $m(const float a) { a = 1.0; }", "$m(1.0);"),
    ]),
    compile("invariant_of_an_input", "4.8")
        .lenient("Mesa takes `invariant` for an input that is declared before")
        .desktop(430, 460)
        .es(300, 320)
        .by(&[
            pair(
                ["invariant out vec4 $n;", "$n = vec4(1.0);"],
                ["invariant in vec4 $n;", "acc += $n;"],
            ),
            pair(["out float $n;", ""], ["in float $n; invariant $n;", ""]),
        ]),
    compile("invariant_of_a_uniform_or_global", "4.8").everywhere().by(&[
        declare(Either, "invariant uniform $T $n;"),
        declare(Either, "uniform $T $n; invariant $n;"),
        declare(Either, "$T $n; invariant $n;"),
        declare(Vertex, "invariant $attribute $T $n;"),
    ]),
    compile("invariant_inside_a_function", "4.8").since(120, 100).by(&[
        state(Vertex, "invariant gl_Position;"),
        one(Vertex, "$out vec4 $n;", "invariant $n;"),
    ]),
    compile("invariant_of_an_unknown_name", "4.8")
        .since(120, 100)
        .by(&[declare(Vertex, "invariant $n;")]),
    compile("invariant_after_use", "4.8").since(120, 100).by(&[
        declare(Vertex, "$out vec4 $n; void $m() { $n = acc; } invariant $n;"),
        declare(Vertex, "void $m() { gl_Position = acc; } invariant gl_Position;"),
    ]),
    compile("precise_of_an_unknown_name", "4.9")
        .since(400, 320)
        .by(&[declare(Either, "precise $n;")]),
    compile("precise_after_use", "4.9").since(400, 320).by(&[
        declare(Vertex, "out vec4 $n; void $m() { $n = acc; } precise $n;"),
        state(Either, "float $n = acc.x; $n += 1.0; precise $n;"),
    ]),
    compile("centroid_of_what_is_no_varying", "4.3").since(130, 300).by(&[
        declare(Either, "centroid uniform $T $n;"),
        declare(Either, "centroid $T $n;"),
        state(Either, "centroid $T $n;"),
    ]),
    compile("centroid_of_a_vertex_input", "4.3.4").since(130, 300).by(&[
        declare(Vertex, "centroid in $T $n;"),
        one(Vertex, "centroid in vec4 $n;", "acc += $n;"),
    ]),
    compile("centroid_of_a_fragment_output", "4.3.6").since(130, 300).bare().by(&[
        declare(Fragment, "centroid out vec4 $n;"),
        one(Fragment, "centroid out vec4 $n;", "$n = acc;"),
    ]),
    compile("sample_of_a_vertex_input", "4.3.4")
        .since(400, 320)
        .by(&[declare(Vertex, "sample in $T $n;")]),
    compile("patch_of_a_vertex_output", "4.3.6")
        .since(400, 320)
        .by(&[declare(Vertex, "patch out $T $n;"), declare(Fragment, "patch in $T $n;")]),
    compile("centroid_and_sample", "4.12").since(420, 320).by(&[
        declare(Vertex, "centroid sample out $T $n;"),
        declare(Fragment, "sample centroid in $T $n;"),
    ]),
    compile("qualifiers_in_the_wrong_order", "4.12").desktop(130, 410).es(300, 300).by(&[
        declare(Vertex, "out flat $T $n;"),
        declare(Vertex, "flat invariant out $T $n;"),
        declare(Fragment, "in centroid $T $n;"),
    ]),
    valid("qualifiers_in_any_order", "4.12").since(420, 310).by(&[
        pair(["out flat $v $n;", "$n = $v(1.0);"], ["in flat $v $n;", "acc += $n.x;"]),
        pair(["centroid smooth out $v $n;", ""], ["in centroid smooth $v $n;", ""]),
    ]),
    compile("qualifier_twice", "4.12").desktop(130, 410).es(300, 300).by(&[
        declare(Vertex, "out out $T $n;"),
        declare(Vertex, "flat flat out $T $n;"),
        declare(Either, "const const $T $n = $T(1.0);"),
    ]),
    compile("uniform_parameter", "4.6.1").everywhere().by(&[
        declare(Either, "void $n(uniform $T a) {}"),
        declare(Either, "void $n($out $T a, uniform float b) {}"),
    ]),
    compile("constant_out_parameter", "4.6.1").everywhere().by(&[
        declare(Either, "void $n(const out $T a) { a = $T(1.0); }"),
        declare(Either, "void $n(const inout $T a) {}"),
    ]),
    compile("interpolated_parameter", "4.6.1").since(130, 300).by(&[
        declare(Either, "void $n(flat $T a) {}"),
        declare(Either, "void $n(in centroid $T a) {}"),
    ]),
];
