//! The interface between the vertex stage and the fragment stage.

use fastrand::Rng;

use crate::invalid::base;
use crate::invalid::program::{Place, Program, Stage};
use crate::invalid::rule::{Rule, Where, change, compile, declare, link, objects, pair, valid};
use crate::invalid::types::Type;

use Where::{Fragment, Vertex};

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    link("input_without_output", "4.3.4")
        .lenient(
            "Mesa leaves out what is never reached before it looks, in versions without locations",
        )
        .everywhere()
        .used()
        .by(&[
            pair(["", ""], ["$in $T $n;", "acc += float($n == $n);"]),
            pair(["$out vec4 $m;", "$m = acc;"], ["$in vec4 $n;", "acc += $n;"]),
            pair(["", ""], ["$in vec2 $n[3];", "acc += $n[1].x;"]),
            pair(["", ""], ["flat in int $n;", "acc += float($n);"]).since(130, 300),
            pair(["", ""], ["struct $m { float a; }; in $m $n;", "acc += $n.a;"]).since(150, 300),
            pair(["vec2 $n;", "$n = vec2(1.0);"], ["$in vec2 $n;", "acc += $n.x;"]),
        ]),
    valid("unused_input_without_output", "4.3.4")
        .everywhere()
        .by(&[declare(Fragment, "$in $T $n;"), declare(Fragment, "$in vec2 $n[2];")]),
    valid("output_that_is_read_but_not_written", "4.3.4")
        .since(130, 300)
        .used()
        .by(&[pair(["$out vec4 $n;", ""], ["$in vec4 $n;", "acc += $n;"])]),
    link("types_of_stages_differ", "4.3.4").everywhere().by(&[
        pair(["$out $T $n;", "$n = $T(1.0);"], ["$in $U $n;", "acc += float($n == $n);"]),
        change(differing_types),
        pair(["flat out int $n;", "$n = 1;"], ["flat in uint $n;", "acc += float($n);"])
            .since(130, 300),
        pair(["flat out vec2 $n;", "$n.x = 1.0;"], ["flat in ivec2 $n;", "acc += float($n.x);"])
            .since(130, 300),
    ]),
    link("array_lengths_of_stages_differ", "4.3.4").everywhere().by(&[
        pair(["$out float $n[3];", "$n[0] = 1.0;"], ["$in float $n[2];", "acc += $n[1];"]),
        pair(["$out $v $n[2];", "$n[0].x = 1.0;"], ["$in $v $n[4];", "acc += $n[1].x;"]),
        pair(
            ["out vec2 $n[2][1];", "$n[0][0].x = 1.0;"],
            ["in vec2 $n[1][2];", "acc += $n[0][1].x;"],
        )
        .since(430, 1000),
    ]),
    link("array_in_one_stage_only", "4.3.4").everywhere().by(&[
        pair(["$out $v $n[1];", "$n[0].x = 1.0;"], ["$in $v $n;", "acc += $n.x;"]),
        pair(["$out float $n;", "$n = 1.0;"], ["$in float $n[1];", "acc += $n[0];"]),
    ]),
    link("struct_member_types_of_stages_differ", "4.3.4").since(150, 300).by(&[
        pair(
            ["struct $m { float a; vec2 b; }; out $m $n;", "$n.a = 1.0;"],
            ["struct $m { float a; vec3 b; }; in $m $n;", "acc += $n.a;"],
        ),
        pair(
            ["struct $m { float a; int b; }; flat out $m $n;", "$n.a = 1.0;"],
            ["struct $m { float a; uint b; }; flat in $m $n;", "acc += $n.a;"],
        ),
    ]),
    link("struct_member_names_of_stages_differ", "4.3.4").since(150, 300).by(&[pair(
        ["struct $m { float a; vec2 b; }; out $m $n;", "$n.a = 1.0;"],
        ["struct $m { float a; vec2 c; }; in $m $n;", "acc += $n.a;"],
    )]),
    link("struct_member_counts_of_stages_differ", "4.3.4").since(150, 300).by(&[
        pair(
            ["struct $m { float a; vec2 b; }; out $m $n;", "$n.a = 1.0;"],
            ["struct $m { float a; }; in $m $n;", "acc += $n.a;"],
        ),
        pair(
            ["struct $m { float a; }; out $m $n;", "$n.a = 1.0;"],
            ["struct $m { float a; vec2 b; }; in $m $n;", "acc += $n.a;"],
        ),
    ]),
    link("struct_member_orders_of_stages_differ", "4.3.4").since(150, 300).by(&[pair(
        ["struct $m { float a; float b; }; out $m $n;", "$n.a = 1.0;"],
        ["struct $m { float b; float a; }; in $m $n;", "acc += $n.a;"],
    )]),
    valid("struct_names_of_stages_may_differ", "4.3.4").since(150, 300).by(&[pair(
        ["struct $m { float a; vec2 b; }; out $m $n;", "$n.a = 1.0;"],
        ["struct $k { float a; vec2 b; }; in $k $n;", "acc += $n.a;"],
    )]),
    link("interpolation_of_stages_differs", "4.5").desktop(130, 430).es(300, 320).by(&[
        pair(["flat out $v $n;", "$n.x = 1.0;"], ["in $v $n;", "acc += $n.x;"]),
        pair(["smooth out $v $n;", "$n.x = 1.0;"], ["flat in $v $n;", "acc += $n.x;"]),
        pair(["out $T $n;", "$n = $T(1.0);"], ["flat in $T $n;", "acc += float($n == $n);"]),
        pair(["noperspective out $v $n;", "$n.x = 1.0;"], ["smooth in $v $n;", "acc += $n.x;"])
            .since(130, 1000),
    ]),
    valid("interpolation_of_stages_may_differ", "4.5").since(440, 0).by(&[
        pair(["flat out $v $n;", "$n.x = 1.0;"], ["in $v $n;", "acc += $n.x;"]),
        pair(["noperspective out $v $n;", "$n.x = 1.0;"], ["flat in $v $n;", "acc += $n.x;"]),
    ]),
    link("smooth_in_one_stage_only", "4.5").desktop(130, 430).by(&[
        pair(["smooth out $v $n;", "$n.x = 1.0;"], ["in $v $n;", "acc += $n.x;"]),
        pair(["out $v $n;", "$n.x = 1.0;"], ["smooth in $v $n;", "acc += $n.x;"]),
    ]),
    valid("smooth_is_the_default", "4.5").since(440, 300).by(&[
        pair(["smooth out $v $n;", "$n.x = 1.0;"], ["in $v $n;", "acc += $n.x;"]),
        pair(["out $v $n;", "$n.x = 1.0;"], ["smooth in $v $n;", "acc += $n.x;"]),
    ]),
    link("centroid_of_stages_differs", "4.3.4")
        .lenient(
            "Mesa has never compared it, since conformance tests of ES 3.0 want the rule of 3.1",
        )
        .desktop(120, 420)
        .es(300, 300)
        .by(&[
            pair(["centroid $out $v $n;", "$n.x = 1.0;"], ["$in $v $n;", "acc += $n.x;"]),
            pair(["$out $v $n;", "$n.x = 1.0;"], ["centroid $in $v $n;", "acc += $n.x;"]),
        ]),
    valid("centroid_of_stages_may_differ", "4.3.4").since(430, 310).by(&[
        pair(["centroid out $v $n;", "$n.x = 1.0;"], ["in $v $n;", "acc += $n.x;"]),
        pair(["out $v $n;", "$n.x = 1.0;"], ["centroid in $v $n;", "acc += $n.x;"]),
    ]),
    link("sample_of_stages_differs", "4.3.4").since(400, 320).by(&[
        pair(["sample out $v $n;", "$n.x = 1.0;"], ["in $v $n;", "acc += $n.x;"]),
        pair(["out $v $n;", "$n.x = 1.0;"], ["sample in $v $n;", "acc += $n.x;"]),
    ]),
    link("invariance_of_stages_differs", "4.8")
        .lenient("Mesa compares it where both are used")
        .desktop(120, 420)
        .es(100, 100)
        .by(&[
            pair(["invariant $out $v $n;", "$n.x = 1.0;"], ["$in $v $n;", "acc += $n.x;"]),
            pair(["$out $v $n;", "$n.x = 1.0;"], ["$in $v $n; invariant $n;", "acc += $n.x;"]),
        ]),
    valid("invariance_of_the_output_alone", "4.8")
        .desktop(430, 460)
        .es(300, 320)
        .by(&[pair(["invariant out $v $n;", "$n.x = 1.0;"], ["in $v $n;", "acc += $n.x;"])]),
    valid("precision_of_stages_may_differ", "ES 4.7")
        .es(100, 320)
        .by(&[pair(["$out highp $v $n;", "$n.x = 1.0;"], ["$in mediump $v $n;", "acc += $n.x;"])]),
    link("outputs_of_two_objects_differ", "4.3.6").desktop(110, 460).by(&[
        objects(Vertex, ["$out $v $n;", "$n.x = 1.0;"], "$out $w $n; void $m() { $n.x = 2.0; }"),
        objects(
            Vertex,
            ["$out float $n[2];", "$n[1] = 1.0;"],
            "$out float $n[3]; void $m() { $n[2] = 2.0; }",
        ),
    ]),
    link("inputs_of_two_objects_differ", "4.3.4").desktop(110, 460).by(&[objects(
        Vertex,
        ["$attribute $v $n;", "acc += $n.x;"],
        "$attribute $w $n; float $m() { return $n.x; }",
    )]),
    compile("output_array_of_structs", "ES 4.3.6").es(300, 320).by(&[
        declare(Vertex, "struct $m { float a; }; out $m $n[2];"),
        declare(Vertex, "struct $m { flat vec2 a; vec2 b; }; smooth out $m $n[1];"),
    ]),
    compile("output_struct_with_an_array", "ES 4.3.6")
        .es(300, 320)
        .by(&[declare(Vertex, "struct $m { float a; vec2 b[2]; }; out $m $n;")]),
    compile("output_struct_with_a_struct", "ES 4.3.6")
        .es(300, 320)
        .by(&[declare(Vertex, "struct $k { float a; }; struct $m { $k b; }; out $m $n;")]),
    compile("output_array_of_arrays", "ES 4.3.6")
        .es(310, 320)
        .by(&[declare(Vertex, "out float $n[2][2];"), declare(Vertex, "out $v $n[1][2];")]),
    compile("input_array_of_structs", "ES 4.3.4")
        .es(300, 320)
        .by(&[declare(Fragment, "struct $m { float a; }; in $m $n[2];")]),
    compile("input_struct_with_an_array", "ES 4.3.4")
        .es(300, 320)
        .by(&[declare(Fragment, "struct $m { float a; vec2 b[2]; }; in $m $n;")]),
    compile("input_struct_with_a_struct", "ES 4.3.4")
        .es(300, 320)
        .by(&[declare(Fragment, "struct $k { float a; }; struct $m { $k b; }; in $m $n;")]),
    compile("input_array_of_arrays", "ES 4.3.4")
        .es(310, 320)
        .by(&[declare(Fragment, "in float $n[2][2];")]),
    compile("boolean_in_a_struct_output", "4.3.6").since(150, 300).by(&[
        declare(Vertex, "struct $m { float a; bool b; }; out $m $n;"),
        declare(Fragment, "struct $m { float a; bvec2 b; }; flat in $m $n;"),
    ]),
];

/// Declares a random type in one stage, and the same type with one difference in the other.
fn differing_types(program: &mut Program, rng: &mut Rng) {
    let version = program.version;
    let name = program.name("n");
    let (first, second) = loop {
        let (first, second) = (Type::varying(version, rng), Type::varying(version, rng));
        let is_flat = first.has_integers() || second.has_integers();
        if first != second && (!is_flat || version.since(130, 300)) {
            break (first, second);
        }
    };
    let is_flat = first.has_integers() || second.has_integers();
    let qualifiers = if is_flat { "flat " } else { base::varying_qualifiers(version, &first, rng) };
    for (stage, keyword, ty) in
        [(Stage::Vertex, version.output(), &first), (Stage::Fragment, version.input(), &second)]
    {
        if let Some(definition) = ty.definition() {
            program.declare_once(stage, definition);
        }
        program.declare(stage, format!("{qualifiers}{keyword} {};", ty.declare(&name)));
    }
    if rng.bool() {
        program.state(Stage::Vertex, Place::random(rng), &first.write(&name, rng));
    }
    if rng.bool() {
        program.state(Stage::Fragment, Place::random(rng), &second.read(&name, rng));
    }
}
