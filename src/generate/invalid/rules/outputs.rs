//! Fragment outputs.

use crate::invalid::rule::{Rule, Where, compile, declare, link, objects, one, valid};

use Where::Fragment;

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    link("frag_color_and_frag_data", "7.1.5").desktop(110, 410).es(100, 100).used().bare().by(&[
        one(Fragment, "", "gl_FragColor = acc; gl_FragData[0] = acc;"),
        one(Fragment, "void $n() { gl_FragData[0] = acc; }", "gl_FragColor = acc;"),
        one(Fragment, "void $n() { gl_FragColor = acc; }", "gl_FragData[0] = acc;"),
    ]),
    link("frag_color_and_an_output", "7.1.5").desktop(130, 410).used().bare().by(&[
        one(Fragment, "out vec4 $n;", "$n = acc; gl_FragColor = acc;"),
        one(Fragment, "out vec4 $n; void $m() { $n = acc; }", "gl_FragColor = acc;"),
        one(Fragment, "out vec4 $n; void $m() { gl_FragColor = acc; }", "$n = acc;"),
    ]),
    link("frag_data_and_an_output", "7.1.5").desktop(130, 410).used().bare().by(&[
        one(Fragment, "out vec4 $n;", "$n = acc; gl_FragData[0] = acc;"),
        one(Fragment, "out vec4 $n; void $m() { $n = acc; }", "gl_FragData[1] = acc;"),
    ]),
    link("frag_color_and_frag_data_of_two_objects", "7.1.5").desktop(110, 410).used().bare().by(&[
        objects(
            Fragment,
            ["void $n();", "gl_FragColor = acc; $n();"],
            "void $n() { gl_FragData[0] = vec4(1.0); }",
        ),
    ]),
    compile("frag_color_is_gone", "7.1.5").desktop(420, 460).es(300, 320).core().bare().by(&[
        one(Fragment, "", "gl_FragColor = acc;"),
        one(Fragment, "", "gl_FragData[0] = acc;"),
    ]),
    compile("output_in_old_versions", "4.3.6")
        .desktop(110, 120)
        .es(100, 100)
        .bare()
        .by(&[declare(Fragment, "out vec4 $n;"), one(Fragment, "out vec4 $n;", "$n = acc;")]),
    compile("output_of_a_matrix", "4.3.6").since(130, 300).bare().by(&[
        declare(Fragment, "out mat2 $n;"),
        declare(Fragment, "out mat4 $n;"),
        one(Fragment, "out mat3 $n;", "$n = mat3(1.0);"),
    ]),
    compile("output_of_a_struct", "4.3.6").since(130, 300).bare().by(&[
        declare(Fragment, "struct $m { vec4 a; }; out $m $n;"),
        one(Fragment, "struct $m { vec4 a; }; out $m $n;", "$n.a = acc;"),
    ]),
    compile("output_of_a_boolean", "4.3.6")
        .since(130, 300)
        .bare()
        .by(&[declare(Fragment, "out bool $n;"), declare(Fragment, "out bvec4 $n;")]),
    compile("fragment_output_array_of_arrays", "ES 4.3.6")
        .since(0, 310)
        .bare()
        .by(&[declare(Fragment, "out vec4 $n[2][2];")]),
    link("output_location_beyond_the_draw_buffers", "4.4.2")
        .lenient("Mesa forgets outputs that nobody writes")
        .since(330, 300)
        .bare()
        .by(&[
            declare(Fragment, "layout(location = 8) out vec4 $n;"),
            one(Fragment, "layout(location = 99) out vec4 $n;", "$n = acc;"),
            one(Fragment, "layout(location = 6) out vec4 $n[3];", "$n[0] = acc;"),
        ]),
    link("more_outputs_than_draw_buffers", "4.3.6")
        .lenient("Mesa forgets outputs that nobody writes")
        .since(130, 0)
        .bare()
        .by(&[
            one(Fragment, "out vec4 $n[9];", "$n[0] = acc;"),
            one(
                Fragment,
                "out vec4 $n[4]; out vec4 $m[4]; out vec4 $k;",
                "$n[0] = acc; $m[0] = acc; $k = acc;",
            ),
        ]),
    link("output_locations_overlap", "4.4.2")
        .lenient("Mesa forgets outputs that nobody writes")
        .since(330, 300)
        .bare()
        .by(&[
            one(
                Fragment,
                "layout(location = 1) out vec4 $n; layout(location = 1) out vec4 $m;",
                "$n = acc; $m = acc;",
            ),
            one(
                Fragment,
                "layout(location = 0) out vec4 $n[2]; layout(location = 1) out vec4 $m;",
                "$n[0] = acc; $m = acc;",
            ),
        ]),
    link("outputs_without_locations", "ES 4.4.2")
        .lenient("Mesa gives them locations")
        .es(300, 320)
        .bare()
        .by(&[
            declare(Fragment, "out vec4 $n; out vec4 $m;"),
            one(Fragment, "layout(location = 0) out vec4 $n; out vec4 $m;", "$n = acc; $m = acc;"),
        ]),
    valid("outputs_without_locations_are_allowed", "4.4.2").since(130, 0).bare().by(&[
        one(Fragment, "out vec4 $n; out vec4 $m;", "$n = acc; $m = acc;"),
        one(Fragment, "layout(location = 0) out vec4 $n; out vec4 $m;", "$n = acc; $m = acc;")
            .since(330, 1000),
        one(Fragment, "out vec4 $n[8];", "$n[7] = acc;"),
    ]),
    valid("outputs_of_many_types", "4.3.6").since(130, 300).bare().by(&[
        one(Fragment, "out int $n;", "$n = 1;"),
        one(Fragment, "out uvec3 $n;", "$n = uvec3(1);"),
        one(Fragment, "out float $n[2];", "$n[1] = 1.0;"),
    ]),
    compile("index_in_old_versions", "4.4.2")
        .desktop(130, 320)
        .es(300, 320)
        .bare()
        .by(&[declare(Fragment, "layout(location = 0, index = 0) out vec4 $n;")]),
    compile("index_without_location", "4.4.2")
        .since(330, 0)
        .bare()
        .by(&[declare(Fragment, "layout(index = 1) out vec4 $n;")]),
    compile("index_beyond_one", "4.4.2").since(330, 0).bare().by(&[
        declare(Fragment, "layout(location = 0, index = 2) out vec4 $n;"),
        declare(Fragment, "layout(location = 0, index = -1) out vec4 $n;"),
    ]),
    link("second_source_beyond_its_draw_buffers", "4.4.2")
        .lenient("Mesa forgets outputs that nobody writes")
        .since(330, 0)
        .bare()
        .by(&[one(Fragment, "layout(location = 3, index = 1) out vec4 $n;", "$n = acc;")]),
    link("index_and_location_twice", "4.4.2")
        .lenient("Mesa takes it; interstage refuses it where both are written").since(330, 0).bare().by(&[one(
        Fragment,
        "layout(location = 0, index = 1) out vec4 $n; layout(location = 0, index = 1) out vec4 $m;",
        "$n = acc; $m = acc;",
    )]),
    valid("two_sources_at_one_location", "4.4.2").since(330, 0).bare().by(&[one(
        Fragment,
        "layout(location = 0, index = 0) out vec4 $n; layout(location = 0, index = 1) out vec4 $m;",
        "$n = acc; $m = acc;",
    )]),
    compile("read_of_an_output_by_inout", "4.3.6")
        .since(130, 300)
        .bare()
        .by(&[declare(Fragment, "inout vec4 $n;")]),
    link("outputs_of_two_fragment_objects_differ", "4.3.6").since(130, 0).bare().by(&[objects(
        Fragment,
        ["out vec4 $n; void $m();", "$n = acc; $m();"],
        "out vec2 $n; void $m() { $n = vec2(1.0); }",
    )]),
];
