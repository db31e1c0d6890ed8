//! Operators, conversions, constructors, swizzles and constant expressions.

use crate::invalid::rule::{Rule, Where, compile, declare, one, state, valid};

use Where::{Either, Fragment, Vertex};

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    compile("undeclared_name", "4.2").everywhere().by(&[
        state(Either, "acc += $n;"),
        state(Either, "$n = acc;"),
        state(Either, "{ float $n = 1.0; } acc += $n;"),
        state(Either, "for (int $n = 0; $n < 2; $n++) { acc += 1.0; } acc += float($n);"),
        declare(Either, "float $m() { return $n; } float $n;"),
    ]),
    compile("integer_to_float_without_a_constructor", "4.1.10").desktop(110, 110).es(100, 320).by(
        &[
            state(Either, "float $n = 1;"),
            state(Either, "acc = acc * 2;"),
            state(Either, "int $n = 1; acc.x = $n;"),
            one(Either, "float $n(float a) { return a; }", "acc += $n(1);"),
            declare(Either, "float $n() { return 1; }"),
            state(Either, "if (acc.x > 0) { acc.x = 1.0; }"),
        ],
    ),
    valid("integer_to_float_is_implicit", "4.1.10").since(120, 0).by(&[
        state(Either, "float $n = 1; acc += $n;"),
        state(Either, "acc = acc * 2;"),
        one(Either, "float $n(float a) { return a; }", "acc += $n(1);"),
    ]),
    compile("float_to_integer", "4.1.10").everywhere().by(&[
        state(Either, "int $n = 1.0;"),
        state(Either, "int $n = 1; $n += acc.x;"),
        state(Either, "ivec2 $n = acc.xy;"),
        one(Either, "int $n(int a) { return a; }", "acc += float($n(1.5));"),
    ]),
    compile("to_or_from_a_boolean", "4.1.10").everywhere().by(&[
        state(Either, "bool $n = 1;"),
        state(Either, "float $n = true;"),
        state(Either, "acc.x = acc.x > 1.0;"),
        state(Either, "acc += true;"),
        state(Either, "int $n = 1; bool $m = true; $n = $m;"),
    ]),
    compile("signed_and_unsigned", "4.1.10").desktop(130, 330).es(300, 320).by(&[
        state(Either, "uint $n = 1;"),
        state(Either, "uint $n = 1u; int $m = 1; acc += float($n + $m);"),
        state(Either, "uvec2 $n = ivec2(1);"),
        state(Either, "uint $n = 1u; if ($n == 1) { acc.x = 1.0; }"),
    ]),
    compile("unsigned_to_signed", "4.1.10")
        .since(130, 300)
        .by(&[state(Either, "int $n = 1u;"), state(Either, "ivec2 $n = uvec2(1);")]),
    compile("vectors_of_two_sizes", "5.9").everywhere().by(&[
        state(Either, "acc = vec3(1.0);"),
        state(Either, "acc.xy = acc.xyz;"),
        state(Either, "$v $n = $w(1.0);"),
        state(Either, "acc += $v(1.0) + $w(1.0);"),
        state(Either, "vec2 $n = acc.xy + acc.xyz;"),
    ]),
    compile("matrix_products_that_do_not_fit", "5.9").everywhere().by(&[
        state(Either, "acc = mat3(1.0) * acc;"),
        state(Either, "acc.xy = acc.xyz * mat2(1.0);"),
        state(Either, "mat2 $n = mat2(1.0) + mat3(1.0);"),
        state(Either, "mat2 $n = mat2(1.0) * mat3(1.0);"),
        state(Either, "mat3 $n = mat3(1.0) / mat2(2.0);"),
    ]),
    compile("modulo_of_floats", "5.9")
        .everywhere()
        .by(&[state(Either, "acc.x = acc.x % 2.0;"), state(Either, "acc = acc % acc;")]),
    compile("integer_operators_in_old_versions", "5.9").desktop(110, 120).es(100, 100).by(&[
        state(Either, "int $n = 5 % 2;"),
        state(Either, "int $n = 5 & 2;"),
        state(Either, "int $n = 5 << 1;"),
        state(Either, "int $n = ~5;"),
        state(Either, "int $n = 5; $n |= 1;"),
    ]),
    compile("bits_of_floats_or_booleans", "5.9").since(130, 300).by(&[
        state(Either, "acc.x = acc.x & 1.0;"),
        state(Either, "float $n = ~1.0;"),
        state(Either, "acc.x = 1.0 << 2;"),
        state(Either, "bool $n = true | false;"),
        state(Either, "int $n = 1 << 1.0;"),
    ]),
    compile("shift_of_a_scalar_by_a_vector", "5.9").since(130, 300).by(&[
        state(Either, "ivec2 $n = 1 << ivec2(1);"),
        state(Either, "ivec2 $n = ivec2(1) << ivec3(1);"),
    ]),
    compile("logic_of_what_is_no_boolean", "5.9").everywhere().by(&[
        state(Either, "if (acc.x && true) { acc.x = 1.0; }"),
        state(Either, "if (!1) { acc.x = 1.0; }"),
        state(Either, "if (bvec2(true) || bvec2(false)) { acc.x = 1.0; }"),
        state(Either, "bvec2 $n = !bvec2(true);"),
        state(Either, "if (1 ^^ 0) { acc.x = 1.0; }"),
    ]),
    compile("arithmetic_of_booleans", "5.9").everywhere().by(&[
        state(Either, "bool $n = true; $n++;"),
        state(Either, "bool $n = true + false;"),
        state(Either, "bool $n = -true;"),
        state(Either, "bvec2 $n = bvec2(true) * bvec2(true);"),
        state(Either, "if (true < false) { acc.x = 1.0; }"),
    ]),
    compile("comparison_of_two_types", "5.9").everywhere().by(&[
        state(Either, "if (acc == acc.xy) { acc.x = 1.0; }"),
        state(Either, "if (acc.x == true) { acc.x = 1.0; }"),
        state(Either, "if (acc.xy != mat2(1.0)) { acc.x = 1.0; }"),
    ]),
    compile("condition_that_is_no_boolean", "5.9").everywhere().by(&[
        state(Either, "acc = 1 ? acc : acc.wzyx;"),
        state(Either, "acc = acc.x ? acc : acc.wzyx;"),
        state(Either, "acc = bvec4(true) ? acc : acc.wzyx;"),
    ]),
    compile("choices_of_two_types", "5.9").everywhere().by(&[
        state(Either, "acc = acc.x > 1.0 ? acc : acc.xyz;"),
        state(Either, "acc.x = acc.x > 1.0 ? true : 1.0;"),
    ]),
    compile("write_to_what_is_no_variable", "5.8").everywhere().by(&[
        state(Either, "1.0 = acc.x;"),
        state(Either, "acc + acc = acc;"),
        state(Either, "(acc.x > 1.0 ? acc : acc) = acc;"),
        state(Either, "1++;"),
        one(Either, "float $n() { return 1.0; }", "$n() = 2.0;"),
    ]),
    compile("swizzle_beyond_the_vector", "5.5").everywhere().by(&[
        state(Either, "vec2 $n = acc.xy; acc += $n.z;"),
        state(Either, "vec3 $n = acc.xyz; acc = $n.xyzw;"),
        state(Either, "vec2 $n = acc.xy; $n.b = 1.0;"),
    ]),
    compile("swizzle_of_two_sets", "5.5")
        .everywhere()
        .by(&[state(Either, "acc.xy = acc.xg;"), state(Either, "acc = acc.rgst;")]),
    compile("swizzle_of_five", "5.5").everywhere().by(&[state(Either, "acc = acc.xyzwx;")]),
    compile("write_to_a_component_twice", "5.5")
        .everywhere()
        .by(&[state(Either, "acc.xx = vec2(1.0);"), state(Either, "acc.xyx = vec3(1.0);")]),
    compile("swizzle_of_a_scalar", "5.5").desktop(110, 410).es(100, 320).by(&[
        state(Either, "float $n = acc.x; acc.xy = $n.xx;"),
        state(Either, "float $n = acc.x; acc += $n.r;"),
    ]),
    valid("swizzle_of_a_scalar_is_allowed", "5.5")
        .since(420, 0)
        .by(&[state(Either, "float $n = acc.x; acc.xy = $n.xx;")]),
    compile("swizzle_of_a_matrix", "5.6")
        .everywhere()
        .by(&[state(Either, "mat4 $n = mat4(1.0); acc = $n.xyzw;")]),
    compile("constructor_with_too_few_arguments", "5.4.2").everywhere().by(&[
        state(Either, "acc = vec4(1.0, 2.0);"),
        state(Either, "acc.xyz = vec3(acc.xy);"),
        state(Either, "mat2 $n = mat2(1.0, 2.0, 3.0);"),
        state(Either, "acc.x = float();"),
    ]),
    compile("constructor_with_too_many_arguments", "5.4.2").everywhere().by(&[
        state(Either, "acc.xy = vec2(1.0, 2.0, 3.0);"),
        state(Either, "acc.xy = vec2(acc, 1.0);"),
        state(Either, "mat2 $n = mat2(acc, 1.0);"),
        state(Either, "acc.x = float(1.0, 2.0);"),
    ]),
    compile("matrix_from_matrix_in_old_versions", "5.4.2")
        .lenient("Mesa makes them in ES 1.00")
        .desktop(110, 110)
        .es(100, 100)
        .by(&[state(Either, "mat2 $n = mat2(mat3(1.0)); acc.xy += $n[0];")]),
    compile("matrix_from_a_matrix_and_more", "5.4.2").since(120, 300).by(&[
        state(Either, "mat3 $n = mat3(mat2(1.0), 1.0);"),
        state(Either, "mat4 $n = mat4(mat2(1.0), mat2(1.0));"),
    ]),
    compile("constructor_of_structs_or_arrays", "5.4.2").everywhere().by(&[
        one(Either, "struct $m { float a; } $n;", "acc = vec4($n);"),
        one(Either, "float $n[4];", "acc = vec4($n);"),
    ]),
    compile("constant_of_what_is_not_constant", "4.3.3").desktop(110, 410).es(100, 320).by(&[
        state(Either, "const vec4 $n = acc;"),
        one(Either, "uniform float $n;", "const float $m = $n;"),
        one(Either, "float $n() { return 1.0; }", "const float $m = $n();"),
    ]),
    compile("global_constant_of_what_is_not_constant", "4.3.3").everywhere().by(&[
        declare(Either, "uniform float $n; const float $m = $n;"),
        declare(Either, "float $n() { return 1.0; } const float $m = $n();"),
        declare(Either, "float $n = 1.0; const float $m = $n;"),
    ]),
    compile("global_of_what_is_not_constant", "ES 4.3")
        .lenient("Mesa takes it in 1.10")
        .desktop(110, 110)
        .es(100, 320)
        .by(&[
            declare(Either, "uniform float $n; float $m = $n;"),
            declare(Vertex, "$attribute vec4 $n; vec4 $m = $n;"),
        ]),
    valid("global_of_what_is_not_constant_is_allowed", "4.3").since(120, 0).by(&[one(
        Either,
        "uniform float $n; float $m = $n;",
        "acc += $m;",
    )]),
    compile("initializer_of_another_type", "4.3").everywhere().by(&[
        declare(Either, "$v $n = $w(1.0);"),
        state(Either, "mat2 $n = vec4(1.0);"),
        declare(Either, "const int $n = 1.5;"),
        state(Either, "vec2 $n = 1.0;"),
    ]),
    compile("constant_beyond_the_largest_octal_digit", "4.1.3")
        .everywhere()
        .by(&[state(Either, "int $n = 09;")]),
    compile("integer_that_does_not_fit", "4.1.3")
        .since(130, 300)
        .by(&[state(Either, "uint $n = 4294967296u;"), state(Either, "int $n = 0x1ffffffff;")]),
    compile("float_suffix_in_old_versions", "4.1.4")
        .lenient("Mesa reads it")
        .desktop(110, 110)
        .es(100, 100)
        .by(&[state(Either, "float $n = 1.0f;")]),
    compile("float_suffix_of_an_integer", "4.1.4")
        .everywhere()
        .by(&[state(Either, "float $n = 1f;")]),
    compile("string_or_character", "3.1")
        .everywhere()
        .by(&[state(Either, "int $n = 'a';"), state(Fragment, "acc.x = \"a\";")]),
    compile("pointer_or_reference", "3.6")
        .everywhere()
        .by(&[state(Either, "float *$n;"), state(Either, "acc.x = *acc;")]),
    compile("c_style_cast", "5.1")
        .everywhere()
        .by(&[state(Either, "float $n = (float) 1;"), state(Either, "acc.x = (float) acc.y;")]),
];
