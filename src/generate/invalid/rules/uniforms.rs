//! Uniforms shared by several stages and objects.

use crate::invalid::rule::{Rule, Where, link, objects, pair, valid};

use Where::Either;

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    link("uniform_types_differ", "4.3.5").everywhere().by(&[
        pair(["uniform $v $n;", "acc += $n.x;"], ["uniform $w $n;", "acc += $n.x;"]),
        pair(
            ["uniform $T $n;", "acc += float($n == $n);"],
            ["uniform $U $n;", "acc += float($n == $n);"],
        ),
        pair(["uniform float $n;", "acc += $n;"], ["uniform int $n;", "acc += float($n);"]),
        pair(["uniform bool $n;", "acc += float($n);"], ["uniform int $n;", "acc += float($n);"]),
        pair(
            ["uniform sampler2D $n;", "acc += $tex($n, acc.xy);"],
            ["uniform samplerCube $n;", "acc += $tex($n, acc.xyz);"],
        )
        .since(130, 300),
    ]),
    link("uniform_arrays_differ", "4.3.5").everywhere().by(&[
        pair(["uniform float $n[2];", "acc += $n[1];"], ["uniform float $n[3];", "acc += $n[2];"]),
        pair(["uniform vec4 $n[1];", "acc += $n[0];"], ["uniform vec4 $n;", "acc += $n;"]),
    ]),
    link("uniform_struct_members_differ", "4.3.5").everywhere().by(&[
        pair(
            ["struct $m { float a; vec2 b; }; uniform $m $n;", "acc += $n.a;"],
            ["struct $m { float a; vec3 b; }; uniform $m $n;", "acc += $n.a;"],
        ),
        pair(
            ["struct $m { float a; vec2 b; }; uniform $m $n;", "acc += $n.a;"],
            ["struct $m { float a; vec2 c; }; uniform $m $n;", "acc += $n.a;"],
        ),
        pair(
            ["struct $m { float a; vec2 b; }; uniform $m $n;", "acc += $n.a;"],
            ["struct $m { float a; }; uniform $m $n;", "acc += $n.a;"],
        ),
    ]),
    link("uniform_struct_names_differ", "4.3.5").everywhere().by(&[pair(
        ["struct $m { float a; vec2 b; }; uniform $m $n;", "acc += $n.a;"],
        ["struct $k { float a; vec2 b; }; uniform $k $n;", "acc += $n.a;"],
    )]),
    link("uniform_initializers_differ", "4.3.5").since(120, 0).by(&[
        pair(["uniform float $n = 1.0;", "acc += $n;"], ["uniform float $n = 2.0;", "acc += $n;"]),
        pair(
            ["uniform vec2 $n = vec2(1.0);", "acc += $n.x;"],
            ["uniform vec2 $n = vec2(2.0);", "acc += $n.x;"],
        ),
        objects(
            Either,
            ["uniform float $n = 1.0;", "acc += $n;"],
            "uniform float $n = 2.0; float $m() { return $n; }",
        ),
    ]),
    valid("uniform_initialized_in_one_stage", "4.3.5").since(120, 0).by(&[
        pair(["uniform float $n = 1.0;", "acc += $n;"], ["uniform float $n;", "acc += $n;"]),
        pair(
            ["uniform float $n = 1.0;", "acc += $n;"],
            ["uniform float $n = 0.5 + 0.5;", "acc += $n;"],
        ),
    ]),
    link("uniform_precisions_differ", "ES 9.2.2").es(100, 320).used().by(&[
        pair(
            ["uniform highp vec2 $n;", "acc += $n.x;"],
            ["uniform mediump vec2 $n;", "acc += $n.x;"],
        ),
        pair(["uniform lowp float $n;", "acc += $n;"], ["uniform float $n;", "acc += $n;"]),
        pair(
            ["uniform mediump int $n;", "acc += float($n);"],
            ["uniform int $n;", "acc += float($n);"],
        ),
    ]),
    valid("uniform_precisions_may_differ", "4.7").since(130, 0).by(&[pair(
        ["uniform highp vec2 $n;", "acc += $n.x;"],
        ["uniform mediump vec2 $n;", "acc += $n.x;"],
    )]),
    link("sampler_bindings_differ", "4.4.6").since(420, 310).by(&[pair(
        ["layout(binding = 1) uniform sampler2D $n;", "acc += texture($n, acc.xy);"],
        ["layout(binding = 2) uniform sampler2D $n;", "acc += texture($n, acc.xy);"],
    )]),
    valid("sampler_binding_in_one_stage", "4.4.6").since(420, 310).by(&[pair(
        ["layout(binding = 1) uniform sampler2D $n;", "acc += texture($n, acc.xy);"],
        ["uniform sampler2D $n;", "acc += texture($n, acc.xy);"],
    )]),
    link("uniforms_of_two_objects_differ", "4.3.5").desktop(110, 460).by(&[
        objects(
            Either,
            ["uniform $v $n;", "acc += $n.x;"],
            "uniform $w $n; float $m() { return $n.x; }",
        ),
        objects(
            Either,
            ["uniform float $n;", "acc += $n;"],
            "uniform int $n; int $m() { return $n; }",
        ),
    ]),
    link("globals_of_two_objects_differ", "4.3.1").desktop(110, 460).by(&[
        objects(Either, ["$v $n;", "$n.x = 1.0;"], "$w $n; void $m() { $n.x = 1.0; }"),
        objects(
            Either,
            ["float $n[2];", "$n[1] = 1.0;"],
            "float $n[3]; void $m() { $n[0] = 1.0; }",
        ),
    ]),
    link("initializers_of_two_objects_differ", "4.3.1").desktop(110, 460).by(&[objects(
        Either,
        ["float $n = 1.0;", "acc += $n;"],
        "float $n = 2.0; float $m() { return $n; }",
    )]),
    link("uniform_is_a_global_in_another_object", "4.3.5").desktop(110, 460).by(&[objects(
        Either,
        ["uniform float $n;", "acc += $n;"],
        "float $n; void $m() { $n = 1.0; }",
    )]),
    valid("names_of_stages_are_apart", "4.3").everywhere().by(&[
        pair(["uniform vec4 $n;", "acc += $n;"], ["float $n;", "$n = 1.0; acc += $n;"]),
        pair(["float $n = 1.0;", "acc += $n;"], ["vec2 $n;", "$n = acc.xy; acc += $n.x;"]),
        pair(
            ["vec2 $n() { return vec2(1.0); }", "acc += $n().x;"],
            ["uniform float $n;", "acc += $n;"],
        ),
    ]),
];
