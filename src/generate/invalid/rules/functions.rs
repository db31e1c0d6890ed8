//! Functions: definitions, prototypes, calls, overloads, `main`.

use crate::invalid::program::{Object, Stage};
use crate::invalid::rule::{
    Rule, Where, change, compile, declare, link, objects, one, state, valid,
};

use Where::{Either, Fragment, Vertex};

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    link("main_is_missing", "6.1").everywhere().by(&[change(|program, rng| {
        program.stage(Stage::random(rng)).main = None;
    })]),
    link("main_is_only_declared", "6.1").everywhere().by(&[change(|program, rng| {
        let stage = program.stage(Stage::random(rng));
        stage.main = None;
        stage.functions.push("void main();".to_owned());
    })]),
    compile("main_twice", "6.1").everywhere().by(&[change(|program, rng| {
        program.stage(Stage::random(rng)).functions.push("void main() { acc.x = 1.0; }".to_owned());
    })]),
    link("main_in_two_objects", "6.1").desktop(110, 460).by(&[change(|program, rng| {
        let functions = vec!["void main() { acc.x = 1.0; }".to_owned()];
        program.objects(Stage::random(rng)).push(Object { functions, ..Object::default() });
    })]),
    compile("main_with_a_result", "6.1").everywhere().by(&[change(|program, rng| {
        let stage = program.stage(Stage::random(rng));
        stage.main = None;
        stage.functions.push("int main() { return 1; }".to_owned());
    })]),
    compile("main_with_a_parameter", "6.1").everywhere().by(&[change(|program, rng| {
        let stage = program.stage(Stage::random(rng));
        stage.main = None;
        stage.functions.push("void main(float a) { acc.x = a; }".to_owned());
    })]),
    compile("function_twice", "6.1").everywhere().by(&[
        declare(Either, "float $n() { return 1.0; } float $n() { return 2.0; }"),
        declare(Either, "void $n($T a) {} void $n($T b) {}"),
    ]),
    link("function_in_two_objects", "6.1").desktop(110, 460).by(&[
        objects(Either, ["float $n() { return 1.0; }", "acc += $n();"], "float $n() { return 2.0; }"),
    ]),
    link("function_without_definition", "6.1").everywhere().reached().by(&[
        one(Either, "float $n(float a);", "acc += $n(1.0);"),
        one(Either, "float $n(float a); float $n(vec2 a) { return 1.0; }", "acc += $n(1.0);"),
    ]),
    link("definition_in_the_other_stage", "6.1").everywhere().reached().by(&[
        one(Vertex, "float $n(float a);", "acc += $n(1.0);"),
        one(Fragment, "vec4 $n();", "acc += $n();"),
    ]),
    valid("prototype_without_definition_or_call", "6.1").everywhere().by(&[
        declare(Either, "float $n(float a);"),
        declare(Either, "float $n($T a); float $n(vec2 a, int b) { return 1.0; }"),
    ]),
    compile("prototype_with_another_result", "6.1").everywhere().by(&[
        declare(Either, "float $n(); vec2 $n() { return vec2(1.0); }"),
        declare(Either, "void $n(float a); float $n(float a) { return a; }"),
    ]),
    compile("overloads_by_result", "6.1").everywhere().by(&[
        declare(Either, "float $n(float a) { return a; } vec2 $n(float a) { return vec2(a); }"),
    ]),
    compile("prototype_with_other_qualifiers", "6.1").everywhere().by(&[
        declare(Either, "void $n(out float a); void $n(inout float a) { a = 1.0; }"),
        declare(Either, "void $n(in float a); void $n(out float a) { a = 1.0; }"),
        declare(Either, "float $n(const float a); float $n(float a) { return a; }"),
    ]),
    compile("prototype_twice", "ES 6.1").es(100, 100).by(&[
        declare(Either, "float $n(float a); float $n(float a); float $n(float a) { return a; }"),
    ]),
    compile("function_inside_a_function", "6.1").everywhere().by(&[
        state(Either, "float $n() { return 1.0; }"),
    ]),
    compile("prototype_inside_a_function", "6.1").since(0, 300).by(&[state(Either, "float $n(float a);")]),
    compile("parameter_without_a_name", "6.1").everywhere().by(&[
        declare(Either, "float $n(float) { return 1.0; }"),
        declare(Either, "void $n(float a, inout $T) {}"),
    ]),
    compile("parameter_twice", "6.1").everywhere().by(&[declare(Either, "void $n(float a, vec2 a) {}")]),
    compile("call_of_what_is_not_declared", "6.1").everywhere().by(&[
        state(Either, "acc += $n(1.0);"),
        one(Either, "", "$n();"),
    ]),
    compile("call_before_the_declaration", "6.1").everywhere().by(&[
        declare(Either, "float $m() { return $n(); } float $n() { return 1.0; }"),
    ]),
    compile("call_with_wrong_arguments", "6.1").everywhere().by(&[
        one(Either, "float $n(float a) { return a; }", "acc += $n();"),
        one(Either, "float $n(float a) { return a; }", "acc += $n(1.0, 2.0);"),
        one(Either, "float $n($v a) { return a.x; }", "acc += $n($w(1.0));"),
        one(Either, "float $n(int a) { return float(a); }", "acc += $n(acc.x);"),
        one(Either, "float $n(bool a) { return float(a); }", "acc += $n(acc.x);"),
    ]),
    compile("call_that_could_be_two", "6.1.1").desktop(120, 390).by(&[
        one(Either, "float $n(float a, int b) { return a; } float $n(int a, float b) { return b; }", "acc += $n(1, 2);"),
    ]),
    compile("call_of_a_variable", "6.1").everywhere().by(&[
        one(Either, "float $n;", "acc += $n();"),
        state(Either, "float $n = 1.0; acc += $n(1.0);"),
    ]),
    compile("function_as_a_value", "6.1").everywhere().by(&[
        one(Either, "float $n() { return 1.0; }", "acc += $n;"),
        one(Either, "float $n() { return 1.0; }", "$n = 1.0;"),
    ]),
    compile("void_as_a_value", "6.1").everywhere().by(&[
        one(Either, "void $n() {}", "acc += $n();"),
        one(Either, "void $n() {}", "float $m = $n();"),
        one(Either, "void $n() {} void $m(float a) {}", "$m($n());"),
    ]),
    compile("result_of_a_void_function", "6.4").everywhere().by(&[
        declare(Either, "void $n() { return 1.0; }"),
        state(Either, "return acc;"),
    ]),
    compile("return_without_a_value", "6.4").everywhere().by(&[
        declare(Either, "float $n() { return; }"),
        declare(Either, "$T $n() { if (acc.x > 1.0) { return; } return $T(1.0); }"),
    ]),
    compile("result_of_another_type", "6.4").everywhere().by(&[
        declare(Either, "$v $n() { return $w(1.0); }"),
        declare(Either, "int $n() { return 1.0; }"),
        declare(Either, "bool $n() { return 1; }"),
    ]),
    compile("result_with_a_storage_qualifier", "6.1").everywhere().by(&[
        declare(Either, "uniform float $n() { return 1.0; }"),
        declare(Either, "const $T $n() { return $T(1.0); }"),
    ]),
    compile("result_that_is_a_sampler", "4.1.7").everywhere().by(&[
        declare(Either, "uniform sampler2D $m; sampler2D $n() { return $m; }"),
    ]),
    compile("result_that_is_an_array_in_old_versions", "6.1").lenient("Mesa takes a prototype in 1.10").desktop(110, 110).es(100, 100).by(&[
        declare(Either, "float[2] $n();"),
    ]),
    compile("out_argument_that_cannot_be_written", "6.1.1").everywhere().by(&[
        one(Either, "void $n(out float a) { a = 1.0; }", "$n(1.0);"),
        one(Either, "void $n(inout vec4 a) { a += 1.0; } uniform vec4 $m;", "$n($m);"),
        one(Either, "void $n(out float a) { a = 1.0; } const float $m = 1.0;", "$n($m);"),
        one(Either, "void $n(out vec4 a) { a = vec4(1.0); }", "$n(acc + acc);"),
        one(Either, "void $n(out vec2 a) { a = vec2(1.0); }", "$n(acc.xx);"),
    ]),
    compile("recursion", "6.1").everywhere().by(&[
        one(Either, "float $n(float a) { return $n(a - 1.0); }", "acc += $n(1.0);"),
        declare(Either, "float $m(float a); float $n(float a) { return $m(a); } float $m(float a) { return $n(a); }"),
        declare(Either, "void $n() { if (false) { $n(); } }"),
    ]),
    link("recursion_between_objects", "6.1").desktop(110, 460).reached().by(&[
        objects(
            Either,
            ["float $n(float a); float $m(float a) { return $n(a); }", "acc += $m(1.0);"],
            "float $m(float a); float $n(float a) { return $m(a); }",
        ),
    ]),
    compile("built_in_function_is_redefined", "ES 6.1").es(300, 320).by(&[
        declare(Either, "float sin(float a) { return a; }"),
        declare(Either, "vec4 max(vec4 a, vec4 b, vec4 c) { return a; }"),
    ]),
    compile("hidden_built_in_function_is_called", "4.2.2").desktop(110, 460).by(&[
        one(Either, "float sin(float a, int b) { return a; }", "acc += sin(1.0);"),
        one(Either, "vec4 max(vec4 a);", "acc = max(acc, acc);"),
    ]),
    valid("built_in_function_is_overloaded", "ES 6.1").es(100, 100).by(&[
        one(Either, "float sin(float a, int b) { return a; }", "acc += sin(1.0) + sin(2.0, 1);"),
    ]),
    valid("built_in_function_is_hidden", "6.1").desktop(110, 460).by(&[
        one(Either, "float sin(float a) { return a; }", "acc += sin(1.0);"),
    ]),
];
