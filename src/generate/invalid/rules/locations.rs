//! Explicit locations and components of varyings, attributes and uniforms.

use crate::invalid::rule::{Rule, Where, compile, declare, link, one, pair, state, valid};

use Where::{Either, Fragment, Vertex};

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    compile("location_of_an_attribute_in_old_versions", "4.4.1").desktop(110, 150).es(100, 100).by(&[
        declare(Vertex, "layout(location = $i) $attribute vec4 $n;"),
    ]),
    compile("location_of_a_varying_in_old_versions", "4.4.1").desktop(130, 400).es(300, 300).by(&[
        declare(Vertex, "layout(location = $i) out vec4 $n;"),
        declare(Fragment, "layout(location = $i) in vec4 $n;"),
    ]),
    compile("location_of_a_uniform_in_old_versions", "4.4.3").desktop(140, 420).es(300, 300).by(&[
        declare(Either, "layout(location = $i) uniform vec4 $n;"),
    ]),
    compile("location_of_a_fragment_output_in_old_versions", "4.4.2").desktop(130, 150).bare().by(&[
        declare(Fragment, "layout(location = 0) out vec4 $n;"),
    ]),
    compile("location_of_what_has_none", "4.4.1").since(430, 310).by(&[
        declare(Either, "layout(location = 1) float $n;"),
        declare(Either, "layout(location = 1) const float $n = 1.0;"),
        state(Either, "layout(location = 1) float $n;"),
        declare(Either, "struct $n { layout(location = 1) float a; };"),
        declare(Either, "layout(location = 1) uniform $n { float a; } $m;"),
        declare(Either, "uniform $n { layout(location = 1) float a; } $m;"),
    ]),
    compile("location_without_a_number", "4.4").since(330, 300).by(&[
        declare(Vertex, "layout(location) in vec4 $n;"),
        declare(Vertex, "layout(location = ) in vec4 $n;"),
    ]),
    compile("location_that_is_negative", "4.4.1").since(330, 300).by(&[
        declare(Vertex, "layout(location = -1) in vec4 $n;"),
        declare(Vertex, "layout(location = -1) out vec4 $n;").since(410, 310),
        declare(Fragment, "layout(location = -3) in vec4 $n;").since(410, 310),
    ]),
    compile("location_by_a_name_in_old_versions", "4.4").desktop(330, 430).es(300, 320).by(&[
        declare(Vertex, "const int $m = 1; layout(location = $m) in vec4 $n;"),
        declare(Vertex, "layout(location = 1 + 1) in vec4 $n;"),
    ]),
    valid("location_by_a_constant_expression", "4.4").since(440, 0).by(&[
        one(Vertex, "const int $m = 14; layout(location = $m + 1) in vec4 $n;", "acc += $n;"),
    ]),
    compile("location_that_is_no_constant", "4.4").since(440, 0).by(&[
        declare(Vertex, "uniform int $m; layout(location = $m) in vec4 $n;"),
        declare(Vertex, "layout(location = 1.0) in vec4 $n;"),
        declare(Vertex, "int $m = 1; layout(location = $m) in vec4 $n;"),
    ]),
    link("location_of_an_attribute_is_too_large", "4.4.1").since(330, 300).by(&[
        declare(Vertex, "layout(location = 99) in vec4 $n;"),
        one(Vertex, "layout(location = 1000) in vec4 $n;", "acc += $n;"),
    ]),
    link("location_of_a_varying_is_too_large", "4.4.1").since(410, 310).by(&[
        declare(Vertex, "layout(location = 99) out vec4 $n;"),
        pair(["layout(location = 200) out vec4 $n;", "$n = acc;"], ["layout(location = 200) in vec4 $n;", "acc += $n;"]),
    ]),
    link("locations_of_attributes_overlap", "ES 4.4.1").lenient("Mesa forgets attributes that nobody reads").es(300, 320).used().by(&[
        one(Vertex, "layout(location = 5) in vec4 $n; layout(location = 5) in vec4 $m;", "acc += $n + $m;"),
        one(Vertex, "layout(location = 4) in mat3 $n; layout(location = 5) in vec4 $m;", "acc += $n[0].x + $m;"),
    ]),
    link("locations_of_outputs_overlap", "4.4.1").since(410, 310).by(&[
        pair(
            ["layout(location = 9) out vec4 $n; layout(location = 9) out vec4 $m;", "$n = acc; $m = acc;"],
            ["layout(location = 9) in vec4 $n;", "acc += $n;"],
        ),
        pair(
            ["layout(location = 9) out vec2 $n[3]; layout(location = 10) out vec4 $m;", "$n[1].x = 1.0; $m = acc;"],
            ["layout(location = 9) in vec2 $n[3];", "acc += $n[0].x;"],
        ),
    ]),
    link("locations_of_inputs_overlap", "4.4.1").since(410, 310).by(&[
        pair(
            ["layout(location = 9) out vec4 $n;", "$n = acc;"],
            ["layout(location = 9) in vec4 $n; layout(location = 9) in vec4 $m;", "acc += $n + $m;"],
        ),
    ]),
    link("components_overlap", "4.4.1").since(440, 0).by(&[
        pair(
            ["layout(location = 9, component = 0) out vec3 $n; layout(location = 9, component = 2) out vec2 $m;", "$n.x = 1.0; $m.x = 1.0;"],
            ["layout(location = 9, component = 0) in vec3 $n;", "acc += $n.x;"],
        ),
    ]),
    link("components_of_two_base_types", "4.4.1").since(440, 0).by(&[
        pair(
            ["layout(location = 9, component = 0) out float $n; layout(location = 9, component = 1) flat out int $m;", "$n = 1.0; $m = 1;"],
            ["layout(location = 9, component = 0) in float $n;", "acc += $n;"],
        ),
    ]),
    link("components_of_two_interpolations", "4.4.1").since(440, 0).by(&[
        pair(
            ["layout(location = 9, component = 0) out float $n; layout(location = 9, component = 1) flat out float $m;", "$n = 1.0; $m = 1.0;"],
            ["layout(location = 9, component = 0) in float $n; layout(location = 9, component = 1) flat in float $m;", "acc += $n + $m;"],
        ),
    ]),
    valid("components_side_by_side", "4.4.1").since(440, 0).by(&[
        pair(
            ["layout(location = 9, component = 0) out vec2 $n; layout(location = 9, component = 2) out vec2 $m;", "$n.x = 1.0; $m.x = 1.0;"],
            ["layout(location = 9, component = 2) in vec2 $n; layout(location = 9, component = 0) in vec2 $m;", "acc += $n.x + $m.x;"],
        ),
    ]),
    compile("component_without_location", "4.4.1").since(440, 0).by(&[
        declare(Vertex, "layout(component = 1) out float $n;"),
        declare(Fragment, "layout(component = 1) in float $n;"),
    ]),
    compile("component_in_old_versions", "4.4.1").desktop(410, 430).es(310, 320).by(&[
        declare(Vertex, "layout(location = 9, component = 1) out float $n;"),
    ]),
    compile("component_beyond_the_slot", "4.4.1").since(440, 0).by(&[
        declare(Vertex, "layout(location = 9, component = 4) out float $n;"),
        declare(Vertex, "layout(location = 9, component = 1) out vec4 $n;"),
        declare(Fragment, "layout(location = 9, component = 3) in vec2 $n;"),
    ]),
    compile("component_of_a_matrix_struct_or_block", "4.4.1").since(440, 0).by(&[
        declare(Vertex, "layout(location = 9, component = 1) out mat2 $n;"),
        declare(Vertex, "struct $m { float a; }; layout(location = 9, component = 1) out $m $n;"),
        declare(Vertex, "layout(location = 9, component = 1) out $m { float a; } $n;"),
    ]),
    compile("some_block_members_have_locations", "4.4.1").since(440, 320).by(&[
        declare(Vertex, "out $n { layout(location = 9) vec4 a; vec4 b; } $m;"),
        declare(Fragment, "in $n { vec4 a; layout(location = 9) vec4 b; } $m;"),
    ]),
    link("types_at_one_location_differ", "4.4.1").since(410, 310).used().by(&[
        pair(["layout(location = 9) out $v $n;", "$n.x = 1.0;"], ["layout(location = 9) in $w $m;", "acc += $m.x;"]),
        pair(["layout(location = 9) flat out int $n;", "$n = 1;"], ["layout(location = 9) flat in float $n;", "acc += $n;"]),
    ]),
    valid("names_at_one_location_may_differ", "4.4.1").since(410, 310).by(&[
        pair(["layout(location = 9) out $v $n;", "$n.x = 1.0;"], ["layout(location = 9) in $v $m;", "acc += $m.x;"]),
    ]),
    link("input_at_a_location_without_output", "4.4.1").lenient("Mesa refuses it only where it looks for overlaps").since(410, 310).used().by(&[
        pair(["layout(location = 9) out vec4 $n;", "$n = acc;"], ["layout(location = 10) in vec4 $n;", "acc += $n;"]),
        pair(["", ""], ["layout(location = 10) in vec4 $n;", "acc += $n;"]),
    ]),
    link("location_in_one_stage_only", "4.4.1").lenient("as `input_at_a_location_without_output`").since(410, 310).used().by(&[
        pair(["out vec4 $n;", "$n = acc;"], ["layout(location = 9) in vec4 $n;", "acc += $n;"]),
        pair(["layout(location = 9) out vec4 $n;", "$n = acc;"], ["in vec4 $n;", "acc += $n;"]),
    ]),
    link("locations_of_uniforms_overlap", "4.4.3").since(430, 310).by(&[
        one(Either, "layout(location = 3) uniform vec4 $n; layout(location = 3) uniform vec4 $m;", "acc += $n + $m;"),
        one(Either, "layout(location = 3) uniform float $n[4]; layout(location = 5) uniform vec4 $m;", "acc += $n[0] + $m;"),
        pair(["layout(location = 3) uniform vec4 $n;", "acc += $n;"], ["layout(location = 3) uniform vec4 $m;", "acc += $m;"]),
    ]),
    link("locations_of_a_uniform_differ", "4.4.3").since(430, 310).by(&[
        pair(["layout(location = 3) uniform vec4 $n;", "acc += $n;"], ["layout(location = 4) uniform vec4 $n;", "acc += $n;"]),
    ]),
    link("location_of_a_uniform_is_too_large", "4.4.3").since(430, 310).by(&[
        one(Either, "layout(location = 1000000) uniform vec4 $n;", "acc += $n;"),
    ]),
];
