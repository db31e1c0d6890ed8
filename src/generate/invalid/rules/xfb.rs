//! Layout qualifiers for transform feedback.

use crate::invalid::rule::{Rule, Where, compile, declare, link, one, pair, valid};

use Where::{Fragment, Vertex};

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    compile("capture_in_old_versions", "4.4.2.1").desktop(140, 430).es(300, 320).by(&[
        declare(Vertex, "layout(xfb_offset = 0) out vec4 $n;"),
        declare(Vertex, "layout(xfb_buffer = 0, xfb_stride = 16) out;"),
    ]),
    compile("capture_of_an_input", "4.4.2.1").since(440, 0).by(&[
        declare(Vertex, "layout(xfb_offset = 0) in vec4 $n;"),
        declare(Fragment, "layout(xfb_offset = 0) in vec4 $n;"),
        declare(Vertex, "layout(xfb_buffer = 0, xfb_offset = 0) uniform vec4 $n;"),
    ]),
    compile("capture_in_the_fragment_stage", "4.4.2.1").since(440, 0).bare().by(&[
        declare(Fragment, "layout(xfb_offset = 0) out vec4 $n;"),
    ]),
    compile("capture_offset_that_is_no_multiple", "4.4.2.1").since(440, 0).by(&[
        declare(Vertex, "layout(xfb_offset = 2) out vec4 $n;"),
        declare(Vertex, "layout(xfb_buffer = 1, xfb_offset = 7) out float $n;"),
        declare(Vertex, "layout(xfb_offset = 4) out $n { float a; double b; } $m;"),
    ]),
    compile("capture_stride_that_is_no_multiple", "4.4.2.1").since(440, 0).by(&[
        declare(Vertex, "layout(xfb_buffer = 0, xfb_stride = 18) out;"),
    ]),
    compile("capture_buffer_beyond_the_limit", "4.4.2.1")
        .lenient("Mesa takes such a default as long as nothing is captured")
        .since(440, 0)
        .by(&[
        declare(Vertex, "layout(xfb_buffer = 4, xfb_offset = 0) out vec4 $n;"),
        declare(Vertex, "layout(xfb_buffer = 99) out;"),
        declare(Vertex, "layout(xfb_buffer = -1, xfb_offset = 0) out vec4 $n;"),
    ]),
    compile("capture_of_a_member_in_another_buffer", "4.4.2.1").since(440, 0).by(&[
        declare(Vertex, "layout(xfb_buffer = 0) out $n { layout(xfb_buffer = 1, xfb_offset = 0) vec4 a; } $m;"),
    ]),
    link("captures_overlap", "4.4.2.1").since(440, 0).used().by(&[
        one(
            Vertex,
            "layout(xfb_offset = 0) out vec4 $n; layout(xfb_offset = 8) out vec2 $m;",
            "$n = acc; $m.x = 1.0;",
        ),
    ]),
    link("capture_beyond_the_stride", "4.4.2.1").since(440, 0).used().by(&[
        one(Vertex, "layout(xfb_buffer = 0, xfb_stride = 8) out; layout(xfb_offset = 0) out vec4 $n;", "$n = acc;"),
        one(Vertex, "layout(xfb_stride = 16, xfb_offset = 12) out vec2 $n;", "$n.x = 1.0;"),
    ]),
    compile("two_capture_strides", "4.4.2.1").since(440, 0).by(&[
        declare(Vertex, "layout(xfb_buffer = 0, xfb_stride = 16) out; layout(xfb_buffer = 0, xfb_stride = 32) out;"),
    ]),
    compile("capture_stride_beyond_the_limit", "4.4.2.1").since(440, 0).by(&[
        declare(Vertex, "layout(xfb_buffer = 0, xfb_stride = 100000) out;"),
    ]),
    compile("capture_of_an_array_without_length", "4.4.2.1").since(440, 0).by(&[
        declare(Vertex, "layout(xfb_offset = 0) out float $n[];"),
    ]),
    valid("captures_side_by_side", "4.4.2.1").since(440, 0).by(&[
        pair(
            ["layout(xfb_offset = 0) out vec2 $n; layout(xfb_offset = 8) out vec2 $m;", "$n.x = 1.0; $m.x = 1.0;"],
            ["in vec2 $n;", "acc += $n.x;"],
        ),
        one(Vertex, "layout(xfb_buffer = 1, xfb_stride = 32) out; layout(xfb_buffer = 1, xfb_offset = 16) out vec4 $n;", "$n = acc;"),
    ]),
];
