//! Arrays: lengths, indices, arrays without length, arrays of arrays.

use crate::invalid::rule::{Rule, Where, compile, declare, one, pair, state, valid};

use Where::{Either, Fragment, Vertex};

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    compile("array_length_of_zero_or_less", "4.1.9").everywhere().by(&[
        declare(Either, "float $n[0];"),
        declare(Either, "uniform $T $n[-1];"),
        state(Either, "$T $n[1 - 1];"),
        declare(Vertex, "$out vec2 $n[0];"),
    ]),
    compile("array_length_that_is_no_integer", "4.1.9").everywhere().by(&[
        declare(Either, "float $n[2.0];"),
        declare(Either, "uniform $T $n[true];"),
        state(Either, "$T $n[vec2(1.0)];"),
    ]),
    compile("array_length_that_is_no_constant", "4.1.9").everywhere().by(&[
        declare(Either, "uniform int $m; float $n[$m];"),
        state(Either, "int $m = 2; float $n[$m];"),
        one(Either, "", "for (int i = 1; i < 2; i++) { float $n[i]; }"),
    ]),
    compile("array_index_out_of_range", "5.7").everywhere().by(&[
        one(Either, "uniform $T $n[2];", "acc += float($n[2] == $n[0]);"),
        state(Either, "float $n[3]; $n[3] = 1.0;"),
        state(Either, "float $n[3]; $n[-1] = 1.0;"),
        one(Vertex, "$out vec2 $n[2];", "$n[4].x = 1.0;"),
        one(Either, "const int $m = 2; uniform float $n[2];", "acc += $n[$m];"),
    ]),
    compile("vector_or_matrix_index_out_of_range", "5.5").everywhere().by(&[
        state(Either, "acc[4] = 1.0;"),
        state(Either, "acc.x = acc[-1];"),
        state(Either, "mat2 $n = mat2(1.0); acc.xy += $n[2];"),
        state(Either, "vec2 $n = acc.xy; acc += $n[3];"),
    ]),
    compile("index_that_is_no_integer", "5.7").everywhere().by(&[
        state(Either, "float $n[3]; $n[1.0] = 1.0;"),
        state(Either, "float $n[3]; $n[acc.x] = 1.0;"),
        state(Either, "acc[true] = 1.0;"),
        state(Either, "float $n[3]; $n[ivec2(1)] = 1.0;"),
    ]),
    compile("index_of_a_scalar_or_struct", "5.7").everywhere().by(&[
        state(Either, "float $n = 1.0; acc += $n[0];"),
        one(Either, "struct $m { float a; } $n;", "acc += $n[0];"),
    ]),
    compile("variable_index_without_length", "4.1.9").desktop(110, 460).by(&[
        one(Vertex, "$out float $n[]; uniform int $m;", "$n[$m] = 1.0;"),
        one(Fragment, "$in vec2 $n[]; uniform int $m;", "acc += $n[$m].x;"),
        one(Either, "uniform float $n[]; uniform int $m;", "acc += $n[$m];"),
        one(Either, "float $n[];", "for (int i = 0; i < 2; i++) { $n[i] = 1.0; }"),
    ]),
    valid("constant_index_without_length", "4.1.9").desktop(110, 460).used().by(&[
        pair(["$out float $n[];", "$n[2] = 1.0;"], ["$in float $n[];", "acc += $n[2];"]),
        one(Either, "uniform float $n[];", "acc += $n[3];"),
        one(Either, "float $n[];", "$n[1] = 1.0;"),
    ]),
    compile("length_of_what_has_none", "4.1.9")
        .lenient("Mesa has it wherever it has storage blocks")
        .desktop(120, 460)
        .by(&[
            one(Vertex, "$out float $n[];", "acc += float($n.length());"),
            one(Either, "uniform vec2 $n[];", "acc += float($n.length());"),
        ]),
    compile("whole_array_without_length", "4.1.9").desktop(120, 460).by(&[
        one(Either, "uniform float $n[]; float $m(float a[2]) { return a[0]; }", "acc += $m($n);"),
        one(Either, "float $n[];", "float $m[2] = $n; acc += $m[0];"),
        one(Either, "float $n[];", "float $m[2]; $n = $m;"),
    ]),
    compile("array_without_length", "ES 4.1.9").es(100, 320).by(&[
        declare(Either, "uniform $T $n[];"),
        declare(Either, "float $n[];"),
        declare(Vertex, "$out vec2 $n[];"),
        state(Either, "$T $n[];"),
        state(Either, "$T[];").since(0, 300),
    ]),
    compile("parameter_without_length", "6.1.1").everywhere().by(&[
        declare(Either, "float $n(float a[]) { return a[0]; }"),
        declare(Either, "void $n(inout $T a[]) {}"),
    ]),
    compile("redeclared_with_another_type", "4.1.9").desktop(110, 460).by(&[
        declare(Either, "uniform float $n[]; uniform vec2 $n[3];"),
        declare(Vertex, "$out float $n[]; $out vec2 $n[2];"),
    ]),
    compile("redeclared_with_two_lengths", "4.1.9").everywhere().by(&[
        declare(Either, "uniform float $n[2]; uniform float $n[3];"),
        declare(Vertex, "$out float $n[2]; $out float $n[4];"),
    ]),
    compile("redeclared_too_short", "4.1.9").desktop(110, 460).by(&[
        declare(Either, "uniform float $n[]; float $m() { return $n[3]; } uniform float $n[2];"),
        declare(Vertex, "$out vec2 $n[]; void $m() { $n[2] = vec2(1.0); } $out vec2 $n[2];"),
    ]),
    valid("length_declared_later", "4.1.9").desktop(110, 460).by(&[
        pair(
            ["$out float $n[]; $out float $n[3];", "$n[2] = 1.0;"],
            ["$in float $n[3];", "acc += $n[0];"],
        )
        .since(130, 0),
        one(
            Either,
            "uniform float $n[]; float $m() { return $n[1]; } uniform float $n[2];",
            "acc += $m();",
        ),
    ]),
    compile("local_array_without_length", "4.1.9").desktop(120, 460).by(&[
        state(Either, "float $n[]; $n[1] = 1.0; acc += $n[int(acc.x)];"),
        state(Either, "float $n[]; $n[1] = 1.0; float $m[2]; $m[0] = 1.0; $n = $m;"),
        state(Either, "float $n[]; $n[0] = 1.0; $n[1] = 1.0; float $m[2] = $n; acc += $m[0];"),
        one(
            Either,
            "float $m(float a[2]) { return a[0]; }",
            "float $n[]; $n[1] = 1.0; acc += $m($n);",
        ),
    ]),
    compile("local_array_redeclared", "4.1.9").desktop(110, 460).by(&[
        state(Either, "float $n[]; $n[2] = 1.0; float $n[2];"),
        state(Either, "float $n[]; $n[0] = 1.0; vec2 $n[2];"),
        state(Either, "float $n[2]; $n[0] = 1.0; float $n[2];"),
    ]),
    valid("local_array_gets_its_length_later", "4.1.9").desktop(110, 460).by(&[
        state(Either, "float $n[]; $n[1] = 1.0; float $n[2]; acc += $n[1];"),
        state(Either, "float $n[]; $n[1] = 1.0; { vec2 $n[3]; $n[0] = acc.xy; } acc += $n[1];"),
    ]),
    compile("array_of_arrays", "4.1.9").desktop(110, 420).es(100, 300).by(&[
        declare(Either, "uniform float $n[2][3];"),
        state(Either, "$T $n[2][2];"),
        declare(Vertex, "$out vec2 $n[2][2];"),
        declare(Either, "struct $m { float a[2][2]; };"),
    ]),
    compile("inner_array_without_length", "4.1.9").since(430, 310).by(&[
        declare(Either, "uniform float $n[2][];"),
        declare(Either, "struct $m { float a[]; };"),
    ]),
    compile("array_constructor_with_wrong_count", "5.4.4").since(120, 300).by(&[
        state(Either, "float $n[2] = float[2](1.0);"),
        state(Either, "float $n[2] = float[2](1.0, 2.0, 3.0);"),
        state(Either, "float $n[2] = float[](1.0, 2.0, 3.0);"),
        declare(Either, "const vec2 $n[3] = vec2[3](vec2(1.0), vec2(1.0));"),
    ]),
    compile("array_constructor_with_wrong_types", "5.4.4").since(120, 300).by(&[
        state(Either, "vec2 $n[2] = vec2[2](1.0, 2.0);"),
        state(Either, "float $n[2] = vec2[2](vec2(1.0), vec2(2.0));"),
        state(Either, "int $n[2] = int[2](1.0, 2.0);"),
    ]),
    compile("array_constructor_in_old_versions", "5.4.4").desktop(110, 110).es(100, 100).by(&[
        state(Either, "acc += float[2](1.0, 2.0)[0];"),
        state(Either, "float $n[2] = float[2](1.0, 2.0);"),
    ]),
    compile("array_assignment_in_old_versions", "5.7")
        .desktop(110, 110)
        .es(100, 100)
        .by(&[state(Either, "float $n[2]; float $m[2]; $n = $m;")]),
    compile("arrays_of_two_lengths", "5.8").everywhere().by(&[
        state(Either, "float $n[2]; float $m[3]; $m[0] = 1.0; $n = $m;"),
        one(Either, "float $k(float a[2]) { return a[0]; }", "float $m[3]; acc += $k($m);"),
    ]),
    compile("array_comparison_in_old_versions", "5.9")
        .desktop(110, 110)
        .es(100, 100)
        .by(&[state(Either, "float $n[2]; float $m[2]; if ($n == $m) { acc.x = 1.0; }")]),
    compile("arithmetic_of_arrays", "5.9").everywhere().by(&[
        state(Either, "float $n[2]; $n[0] = 1.0; acc += ($n + $n)[0];"),
        state(Either, "float $n[2]; $n[0] = 1.0; acc *= $n;"),
    ]),
    compile("relation_of_arrays_or_structs", "5.9").everywhere().by(&[
        state(Either, "float $n[2]; $n[0] = 1.0; if ($n < $n) { acc.x = 1.0; }"),
        one(Either, "struct $m { float a; } $n;", "if ($n <= $n) { acc.x = 1.0; }"),
        state(Either, "if (acc < acc) { acc.x = 1.0; }"),
    ]),
    compile("length_in_old_versions", "4.1.9")
        .desktop(110, 110)
        .es(100, 100)
        .by(&[state(Either, "float $n[2]; acc += float($n.length());")]),
    compile("length_of_a_vector_in_old_versions", "5.5").desktop(110, 410).es(100, 300).by(&[
        state(Either, "acc += float(acc.length());"),
        state(Either, "mat2 $n = mat2(1.0); acc += float($n.length());"),
    ]),
    compile("initializer_list_in_old_versions", "4.1.11").desktop(110, 410).es(100, 320).by(&[
        state(Either, "vec2 $n = { 1.0, 2.0 }; acc.xy += $n;"),
        state(Either, "float $n[2] = { 1.0, 2.0 }; acc += $n[0];"),
    ]),
    compile("initializer_list_with_wrong_count", "4.1.11").since(420, 0).by(&[
        state(Either, "vec2 $n = { 1.0, 2.0, 3.0 }; acc.xy += $n;"),
        state(Either, "float $n[3] = { 1.0, 2.0 }; acc += $n[0];"),
        state(Either, "mat2 $n = { { 1.0, 2.0 }, { 1.0 } }; acc.xy += $n[0];"),
    ]),
    valid("initializer_list_is_allowed", "4.1.11").since(420, 0).by(&[
        state(Either, "vec2 $n = { 1.0, 2.0 }; acc.xy += $n;"),
        state(Either, "float $n[2] = { 1.0, 2.0 }; acc += $n[0];"),
    ]),
];
