//! Redeclarations of built-ins, and user names that collide with built-ins.

use crate::invalid::rule::{Rule, Where, compile, declare, link, objects, one, pair, valid};

use Where::{Either, Fragment, Vertex};

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    compile("clip_distances_beyond_the_limit", "7.1").since(130, 0).by(&[
        declare(Vertex, "out float gl_ClipDistance[9];"),
        one(Vertex, "", "gl_ClipDistance[8] = 1.0;"),
        declare(Fragment, "in float gl_ClipDistance[20];"),
    ]),
    compile("clip_distances_by_a_variable_without_size", "7.1").since(130, 0).by(&[
        one(Vertex, "uniform int $n;", "gl_ClipDistance[$n] = 1.0;"),
        one(Vertex, "", "for (int i = 0; i < 3; i++) { gl_ClipDistance[i] = 1.0; }"),
    ]),
    valid("clip_distances_by_a_variable_with_size", "7.1").since(130, 0).by(&[
        one(Vertex, "out float gl_ClipDistance[3]; uniform int $n;", "gl_ClipDistance[$n] = 1.0;"),
    ]),
    compile("clip_distances_of_another_type", "7.1").since(130, 0).by(&[
        declare(Vertex, "out vec4 gl_ClipDistance[2];"),
        declare(Vertex, "out float gl_ClipDistance;"),
        declare(Vertex, "flat out int gl_ClipDistance[2];"),
    ]),
    compile("clip_distances_redeclared_too_short", "7.1").since(130, 0).by(&[
        declare(Vertex, "void $n() { gl_ClipDistance[3] = 1.0; } out float gl_ClipDistance[2];"),
    ]),
    compile("clip_distance_index_beyond_its_size", "7.1").since(130, 0).by(&[
        one(Vertex, "out float gl_ClipDistance[2];", "gl_ClipDistance[2] = 1.0;"),
    ]),
    compile("tex_coords_by_a_variable_without_size", "7.1").desktop(110, 460).legacy().by(&[
        one(Vertex, "uniform int $n;", "gl_TexCoord[$n] = acc;"),
        one(Fragment, "uniform int $n;", "acc += gl_TexCoord[$n];"),
    ]),
    compile("tex_coords_beyond_the_limit", "7.1").desktop(110, 460).legacy().by(&[
        declare(Vertex, "$out vec4 gl_TexCoord[99];"),
        one(Vertex, "", "gl_TexCoord[64] = acc;"),
    ]),
    valid("tex_coords_by_a_variable_with_size", "7.1").desktop(110, 460).legacy().by(&[
        one(Vertex, "$out vec4 gl_TexCoord[2]; uniform int $n;", "gl_TexCoord[$n] = acc;"),
    ]),
    compile("redeclared_position_of_another_type", "7.1").everywhere().by(&[
        declare(Vertex, "$out vec3 gl_Position;"),
        declare(Vertex, "uniform vec4 gl_Position;"),
        declare(Vertex, "vec4 gl_Position;"),
    ]),
    compile("redeclared_built_in_input", "7.1").everywhere().by(&[
        declare(Fragment, "$in vec3 gl_FragCoord;"),
        declare(Fragment, "uniform vec4 gl_FragCoord;"),
        declare(Fragment, "$in int gl_FrontFacing;"),
    ]),
    compile("per_vertex_block_in_old_versions", "7.1").desktop(130, 140).by(&[
        declare(Vertex, "out gl_PerVertex { vec4 gl_Position; };"),
    ]),
    compile("per_vertex_member_of_another_type", "7.1").since(150, 0).by(&[
        declare(Vertex, "out gl_PerVertex { vec4 gl_Position; vec2 gl_PointSize; };"),
        declare(Vertex, "out gl_PerVertex { vec3 gl_Position; };"),
    ]),
    compile("per_vertex_member_of_its_own", "7.1").since(150, 0).by(&[
        declare(Vertex, "out gl_PerVertex { vec4 gl_Position; float $n; };"),
        declare(Vertex, "out gl_PerVertex { vec4 gl_Position; vec4 gl_FragCoord; };"),
        declare(Vertex, "out gl_PerVertex { vec4 gl_Position; int gl_ViewportIndex; };"),
    ]),
    compile("per_vertex_with_an_instance_name", "7.1").since(150, 0).by(&[
        declare(Vertex, "out gl_PerVertex { vec4 gl_Position; } $n;"),
        declare(Vertex, "out gl_PerVertex { vec4 gl_Position; } gl_out;"),
    ]),
    compile("per_vertex_after_use", "7.1").since(150, 0).by(&[
        declare(Vertex, "void $n() { gl_Position = acc; } out gl_PerVertex { vec4 gl_Position; };"),
    ]),
    compile("per_vertex_without_the_member", "7.1").since(150, 0).by(&[
        one(Vertex, "out gl_PerVertex { vec4 gl_Position; };", "gl_PointSize = 1.0;"),
        one(Vertex, "out gl_PerVertex { vec4 gl_Position; };", "gl_ClipDistance[0] = 1.0;"),
    ]),
    valid("per_vertex_is_redeclared", "7.1").since(150, 0).by(&[
        one(Vertex, "out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[]; };", ""),
        one(Vertex, "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };", ""),
    ]),
    compile("frag_coord_layout_in_old_versions", "4.4.1.3").desktop(110, 140).by(&[
        declare(Fragment, "layout(origin_upper_left) $in vec4 gl_FragCoord;"),
    ]),
    compile("frag_coord_layout_in_es", "ES 4.4").es(100, 320).by(&[
        declare(Fragment, "layout(origin_upper_left) $in vec4 gl_FragCoord;"),
    ]),
    compile("frag_coord_layout_of_another_variable", "4.4.1.3").since(150, 0).by(&[
        declare(Fragment, "layout(origin_upper_left) in vec4 $n;"),
        declare(Fragment, "layout(pixel_center_integer) in vec2 $n;"),
    ]),
    compile("frag_coord_is_redeclared_after_use", "4.4.1.3").since(150, 0).by(&[
        declare(Fragment, "float $n() { return gl_FragCoord.x; } layout(origin_upper_left) in vec4 gl_FragCoord;"),
    ]),
    compile("frag_coord_is_redeclared_differently", "4.4.1.3").since(150, 0).by(&[
        declare(Fragment, "layout(origin_upper_left) in vec4 gl_FragCoord; layout(pixel_center_integer) in vec4 gl_FragCoord;"),
    ]),
    link("frag_coord_layouts_of_objects_differ", "4.4.1.3").since(150, 0).by(&[
        objects(
            Fragment,
            ["layout(origin_upper_left) in vec4 gl_FragCoord; float $k() { return gl_FragCoord.x; }", "acc += $k();"],
            "layout(pixel_center_integer) in vec4 gl_FragCoord; float $n() { return gl_FragCoord.y; }",
        ),
    ]),
    compile("frag_depth_layout_in_old_versions", "4.4.2.3").desktop(130, 410).es(300, 320).by(&[
        declare(Fragment, "layout(depth_less) out float gl_FragDepth;"),
    ]),
    compile("frag_depth_layout_of_another_variable", "4.4.2.3").since(420, 0).bare().by(&[
        declare(Fragment, "layout(depth_less) out float $n;"),
    ]),
    compile("two_frag_depth_layouts", "4.4.2.3").lenient("Mesa takes two in one `layout` from 4.40 on, the last of which counts").since(420, 0).by(&[
        declare(Fragment, "layout(depth_less, depth_greater) out float gl_FragDepth;"),
        declare(Fragment, "layout(depth_less) out float gl_FragDepth; layout(depth_any) out float gl_FragDepth;"),
    ]),
    compile("frag_depth_of_another_type", "4.4.2.3").since(420, 0).by(&[
        declare(Fragment, "layout(depth_less) out vec2 gl_FragDepth;"),
    ]),
    link("frag_depth_layouts_of_objects_differ", "4.4.2.3").since(420, 0).by(&[
        objects(
            Fragment,
            ["layout(depth_less) out float gl_FragDepth; void $k() { gl_FragDepth = 1.0; }", "$k();"],
            "layout(depth_greater) out float gl_FragDepth; void $n() { gl_FragDepth = 0.5; }",
        ),
    ]),
    compile("early_fragment_tests_elsewhere", "4.4.1.3").since(420, 310).by(&[
        declare(Vertex, "layout(early_fragment_tests) in;"),
        declare(Fragment, "layout(early_fragment_tests) out;"),
        declare(Fragment, "layout(early_fragment_tests) in vec4 $n;"),
    ]),
    compile("redeclared_frag_color", "7.1.5").everywhere().bare().by(&[
        declare(Fragment, "$out vec3 gl_FragColor;"),
        declare(Fragment, "vec4 gl_FragColor;"),
    ]),
    compile("frag_data_beyond_the_limit", "7.1.5").desktop(110, 410).es(100, 100).bare().by(&[
        one(Fragment, "", "gl_FragData[8] = acc;"),
        one(Fragment, "", "gl_FragData[99].x = 1.0;"),
    ]),
    compile("vertex_input_blocks_local_sizes", "4.4.1.4").since(430, 310).by(&[
        declare(Either, "layout(local_size_x = 4) in;"),
    ]),
    compile("geometry_layout_in_other_stages", "4.4.1.2").since(150, 320).by(&[
        declare(Either, "layout(triangles) in;"),
        declare(Either, "layout(points, max_vertices = 3) out;"),
        declare(Vertex, "layout(vertices = 3) out;").since(400, 320),
    ]),
    link("clip_vertex_and_clip_distances", "7.1").desktop(130, 460).legacy().used().by(&[
        one(Vertex, "", "gl_ClipVertex = acc; gl_ClipDistance[0] = 1.0;"),
    ]),
    link("clip_and_cull_distances_beyond_eight", "7.1").since(450, 0).used().by(&[
        one(Vertex, "out float gl_ClipDistance[5]; out float gl_CullDistance[4];", "gl_ClipDistance[0] = 1.0; gl_CullDistance[0] = 1.0;"),
    ]),
    valid("invariant_built_ins", "4.8").since(120, 100).by(&[
        declare(Vertex, "invariant gl_Position;"),
        pair(["invariant gl_Position; invariant gl_PointSize;", "gl_PointSize = 1.0;"], ["", ""]),
    ]),
];
