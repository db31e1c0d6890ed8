//! Uniform and storage blocks, blocks of varyings, and their layouts.

use crate::invalid::rule::{Rule, Where, compile, declare, link, objects, one, pair, valid};

use Where::{Either, Fragment, Vertex};

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    compile("uniform_block_in_old_versions", "4.3.9").desktop(110, 130).es(100, 100).by(&[
        declare(Either, "uniform $n { float a; };"),
        one(Either, "uniform $n { float a; };", "acc += a;"),
    ]),
    compile("block_instance_name_in_old_versions", "4.3.9").desktop(140, 140).by(&[
        declare(Either, "uniform $n { float a; } $m;"),
        one(Either, "uniform $n { float a; } $m;", "acc += $m.a;"),
        declare(Either, "uniform $n { float a; } $m[2];"),
    ]),
    compile("block_of_varyings_in_old_versions", "4.3.9").desktop(110, 140).es(100, 310).by(&[
        declare(Vertex, "$out $n { float a; } $m;"),
        declare(Fragment, "$in $n { float a; };"),
    ]),
    compile("storage_block_in_old_versions", "4.3.7").desktop(110, 420).es(100, 300).by(&[
        declare(Fragment, "buffer $n { float a; } $m;"),
        declare(Either, "layout(std430) buffer $n { float a; };").since(150, 300),
    ]),
    compile("input_block_of_the_vertex_stage", "4.3.9").since(150, 320).by(&[
        declare(Vertex, "in $n { vec4 a; } $m;"),
        one(Vertex, "in $n { vec4 a; };", "acc += a;"),
    ]),
    compile("output_block_of_the_fragment_stage", "4.3.9").since(150, 320).bare().by(&[
        declare(Fragment, "out $n { vec4 a; } $m;"),
        one(Fragment, "out $n { vec4 a; };", "a = acc;"),
    ]),
    compile("block_in_a_function", "4.3.9").since(150, 300).by(&[
        one(Either, "", "uniform $n { float a; } $m;"),
        one(Either, "void $k() { layout(std140) uniform $n { float a; }; }", ""),
    ]),
    compile("block_without_members", "4.3.9").since(150, 300).by(&[declare(Either, "uniform $n { } $m;")]),
    compile("member_without_length_that_is_not_the_last", "ES 4.1.9").es(310, 320).by(&[
        declare(Either, "buffer $n { float a[]; vec4 b; } $m;"),
    ]),
    compile("block_member_twice", "4.3.9").since(150, 300).by(&[
        declare(Either, "uniform $n { float a; vec2 a; } $m;"),
        declare(Either, "uniform $n { float a; }; uniform $m { vec2 a; };"),
        declare(Either, "uniform float a$n; uniform $m { vec2 a$n; };"),
    ]),
    compile("block_name_twice", "4.3.9").since(150, 300).by(&[
        declare(Either, "uniform $n { float a; } $m; uniform $n { float a; } $k;"),
        declare(Either, "uniform $n { float a; }; uniform $n { float b; };"),
    ]),
    compile("block_name_as_an_instance", "4.3.9").since(150, 300).by(&[
        declare(Either, "uniform $n { float a; } $m; uniform $k { float b; } $n;"),
        declare(Either, "uniform $n { float a; } $n;"),
    ]),
    compile("block_name_as_a_variable", "4.3.9").since(150, 300).by(&[
        one(Either, "uniform $n { float a; } $m;", "acc += $n.a;"),
    ]),
    compile("block_instance_name_is_taken", "4.3.9").since(150, 300).by(&[
        declare(Either, "float $m; uniform $n { float a; } $m;"),
        declare(Either, "uniform $n { float a; } $m; uniform $k { float a; } $m;"),
    ]),
    compile("member_without_the_instance_name", "4.3.9").since(150, 300).by(&[
        one(Either, "uniform $n { float a$k; } $m;", "acc += a$k;"),
    ]),
    compile("block_as_a_whole", "4.3.9").since(150, 300).by(&[
        one(Either, "uniform $n { float a; } $m[2];", "acc += $m.a;"),
        one(Either, "uniform $n { vec4 a; } $m;", "acc += $m;"),
    ]),
    compile("block_member_initializer", "4.3.9").since(150, 300).by(&[
        declare(Either, "uniform $n { float a = 1.0; } $m;"),
    ]),
    compile("sampler_in_a_block", "4.3.9").since(150, 300).by(&[
        declare(Either, "uniform $n { float a; sampler2D b; } $m;"),
        declare(Fragment, "in $n { float a; sampler2D b; } $m;").since(150, 320),
    ]),
    compile("struct_defined_in_a_block", "4.3.9").since(150, 300).by(&[
        declare(Either, "uniform $n { struct $k { float a; } b; } $m;"),
    ]),
    compile("block_member_with_another_storage", "4.3.9").since(150, 300).by(&[
        declare(Either, "uniform $n { in float a; } $m;"),
        declare(Either, "uniform $n { const float a; } $m;"),
        declare(Vertex, "out $n { uniform float a; } $m;").since(150, 320),
    ]),
    compile("interpolated_member_of_a_uniform_block", "4.3.9").since(150, 300).by(&[
        declare(Either, "uniform $n { flat float a; } $m;"),
        declare(Either, "uniform $n { smooth vec2 a; } $m;"),
        declare(Either, "uniform $n { centroid vec2 a; } $m;"),
    ]),
    compile("write_to_a_uniform_block", "4.3.9").since(150, 300).by(&[
        one(Either, "uniform $n { vec4 a; } $m;", "$m.a = acc;"),
        one(Either, "uniform $n { vec4 a; } $m[2];", "$m[1].a.x += 1.0;"),
        one(Either, "layout(std140) uniform $n { vec4 a$n; };", "a$n = acc;"),
    ]),
    compile("write_to_an_input_block", "4.3.9").since(150, 320).by(&[
        pair(["out $n { vec4 a; } $m;", "$m.a = acc;"], ["in $n { vec4 a; } $m;", "$m.a = acc;"]),
    ]),
    compile("std430_of_a_uniform_block", "4.4.5").since(430, 310).by(&[
        declare(Either, "layout(std430) uniform $n { float a; } $m;"),
        declare(Either, "layout(std430, binding = 1) uniform $n { float a[2]; };"),
    ]),
    compile("two_layouts_of_a_member", "4.4.5").since(150, 300).by(&[
        declare(Either, "uniform $n { layout(std140) float a; } $m;"),
        declare(Either, "uniform $n { layout(shared) mat4 a; } $m;"),
    ]),
    compile("block_layout_of_a_variable", "4.4.5").since(150, 300).by(&[
        declare(Either, "layout(std140) uniform float $n;"),
        declare(Either, "layout(row_major) uniform mat4 $n;"),
        declare(Either, "layout(packed) uniform vec4 $n;"),
    ]),
    compile("unknown_layout_qualifier", "4.4").since(150, 300).by(&[
        declare(Either, "layout($n) uniform $m { float a; } $k;"),
        declare(Either, "layout(std140, foo = 1) uniform $m { float a; } $k;"),
        declare(Vertex, "layout($n) in vec4 $m;"),
    ]),
    compile("binding_in_old_versions", "4.4.5").desktop(150, 410).es(300, 300).by(&[
        declare(Either, "layout(std140, binding = 1) uniform $n { float a; } $m;"),
        declare(Fragment, "layout(binding = 1) uniform sampler2D $n;"),
    ]),
    compile("binding_of_what_has_none", "4.4.6").since(420, 310).by(&[
        declare(Either, "layout(binding = 1) uniform $T $n;"),
        declare(Either, "layout(binding = 1) uniform float $n[2];"),
        declare(Vertex, "layout(binding = 1) in vec4 $n;"),
        declare(Either, "layout(binding = 1) float $n;"),
    ]),
    compile("binding_that_is_negative_or_too_large", "4.4.5").since(420, 310).by(&[
        declare(Either, "layout(binding = -1) uniform $n { float a; } $m;"),
        declare(Either, "layout(binding = 10000) uniform $n { float a; } $m;"),
        declare(Fragment, "layout(binding = 10000) uniform sampler2D $n;"),
        declare(Fragment, "layout(binding = -2) uniform sampler2D $n;"),
    ]),
    compile("offset_or_align_in_old_versions", "4.4.5").desktop(150, 430).es(300, 320).by(&[
        declare(Either, "layout(std140) uniform $n { layout(offset = 16) float a; } $m;"),
        declare(Either, "layout(std140) uniform $n { layout(align = 16) float a; } $m;"),
    ]),
    compile("offset_that_is_no_multiple", "4.4.5").since(440, 0).by(&[
        declare(Either, "layout(std140) uniform $n { layout(offset = 2) float a; } $m;"),
        declare(Either, "layout(std140) uniform $n { layout(offset = 8) vec4 a; } $m;"),
        declare(Fragment, "layout(std430) buffer $n { float b; layout(offset = 12) vec2 a; } $m;"),
    ]),
    compile("offset_inside_the_member_before", "4.4.5").since(440, 0).by(&[
        declare(Either, "layout(std140) uniform $n { vec4 a; layout(offset = 8) vec2 b; } $m;"),
        declare(Either, "layout(std140) uniform $n { layout(offset = 32) float a; layout(offset = 16) float b; } $m;"),
    ]),
    compile("align_that_is_no_power_of_two", "4.4.5").since(440, 0).by(&[
        declare(Either, "layout(std140) uniform $n { layout(align = 12) float a; } $m;"),
        declare(Either, "layout(std140, align = 3) uniform $n { float a; } $m;"),
        declare(Either, "layout(std140) uniform $n { layout(align = 0) float a; } $m;"),
    ]),
    compile("offset_without_a_fixed_layout", "4.4.5").since(440, 0).by(&[
        declare(Either, "uniform $n { layout(offset = 16) float a; } $m;"),
        declare(Either, "layout(packed) uniform $n { layout(align = 16) float a; } $m;"),
    ]),
    valid("offset_and_align_are_allowed", "4.4.5").since(440, 0).by(&[
        one(Either, "layout(std140) uniform $n { float b; layout(offset = 32) vec2 a; } $m;", "acc += $m.a.x;"),
        one(Either, "layout(std140, align = 32) uniform $n { float b; vec2 a; } $m;", "acc += $m.a.x;"),
    ]),
    compile("open_array_that_is_not_last", "4.1.9").since(430, 310).by(&[
        declare(Fragment, "buffer $n { float a[]; float b; } $m;"),
        declare(Fragment, "layout(std430) buffer $n { vec2 a[]; vec2 b[]; } $m;"),
    ]),
    compile("open_array_in_a_uniform_block", "4.1.9").lenient("Mesa lets it stand where nobody indexes it with a variable").since(0, 300).by(&[
        declare(Either, "uniform $n { float b; float a[]; } $m;"),
    ]),
    compile("open_array_of_a_uniform_block_by_a_variable", "4.1.9").since(150, 0).by(&[
        one(Either, "uniform $n { float b; float a[]; } $m; uniform int $k;", "acc += $m.a[$k];"),
    ]),
    compile("storage_variable_outside_a_block", "4.3.7").since(430, 310).by(&[
        declare(Fragment, "buffer float $n;"),
        declare(Fragment, "buffer vec4 $n[2];"),
    ]),
    compile("write_to_readonly_memory", "4.10").since(430, 310).by(&[
        one(Fragment, "readonly buffer $n { float a; } $m;", "$m.a = 1.0;"),
        one(Fragment, "buffer $n { readonly float a; float b; } $m;", "$m.a += 1.0;"),
    ]),
    compile("read_of_writeonly_memory", "4.10").since(430, 310).by(&[
        one(Fragment, "writeonly buffer $n { float a; } $m;", "acc += $m.a;"),
        one(Fragment, "buffer $n { writeonly float a; float b; } $m;", "acc += $m.a;"),
    ]),
    compile("memory_qualifier_of_a_variable", "4.10").since(430, 310).by(&[
        declare(Either, "readonly uniform float $n;"),
        declare(Either, "coherent float $n;"),
        declare(Vertex, "writeonly out vec2 $n;"),
        declare(Either, "coherent uniform $n { float a; } $m;"),
    ]),
    link("uniform_block_members_differ", "4.3.9").since(150, 300).by(&[
        pair(["uniform $n { $v a; } $m;", "acc += $m.a.x;"], ["uniform $n { $w a; } $m;", "acc += $m.a.x;"]),
        pair(["uniform $n { float a; } $m;", "acc += $m.a;"], ["uniform $n { int a; } $m;", "acc += float($m.a);"]),
        pair(["uniform $n { float a[2]; } $m;", "acc += $m.a[0];"], ["uniform $n { float a[3]; } $m;", "acc += $m.a[1];"]),
        pair(["uniform $n { float a; } $m;", "acc += $m.a;"], ["uniform $n { float b; } $m;", "acc += $m.b;"]),
        pair(["uniform $n { float a; vec2 b; } $m;", "acc += $m.a;"], ["uniform $n { float a; } $m;", "acc += $m.a;"]),
        pair(["uniform $n { float a; float b; } $m;", "acc += $m.a;"], ["uniform $n { float b; float a; } $m;", "acc += $m.a;"]),
        pair(["uniform $n { float a$m; };", "acc += a$m;"], ["uniform $n { vec2 a$m; };", "acc += a$m.x;"]),
    ]),
    link("uniform_block_layouts_differ", "4.3.9").lenient("Mesa treats packed blocks as shared ones").since(150, 300).by(&[
        pair(["layout(std140) uniform $n { float a; } $m;", "acc += $m.a;"], ["layout(shared) uniform $n { float a; } $m;", "acc += $m.a;"]),
        pair(["layout(packed) uniform $n { float a; } $m;", "acc += $m.a;"], ["uniform $n { float a; } $m;", "acc += $m.a;"]),
        pair(["layout(row_major) uniform $n { vec4 a; } $m;", "acc += $m.a;"], ["uniform $n { vec4 a; } $m;", "acc += $m.a;"]),
        pair(
            ["layout(std140, row_major) uniform $n { mat4 a; } $m;", "acc += $m.a[0];"],
            ["layout(std140, column_major) uniform $n { mat4 a; } $m;", "acc += $m.a[0];"],
        ),
    ]),
    link("uniform_block_arrays_differ", "4.3.9").since(150, 300).by(&[
        pair(["uniform $n { float a; } $m[2];", "acc += $m[1].a;"], ["uniform $n { float a; } $m[3];", "acc += $m[1].a;"]),
        pair(["uniform $n { float a; } $m[1];", "acc += $m[0].a;"], ["uniform $n { float a; } $m;", "acc += $m.a;"]),
    ]),
    link("uniform_block_named_in_one_stage_only", "4.3.9").since(150, 300).by(&[
        pair(["uniform $n { float a$k; } $m;", "acc += $m.a$k;"], ["uniform $n { float a$k; };", "acc += a$k;"]),
    ]),
    valid("uniform_block_instance_names_differ", "4.3.9").since(150, 300).by(&[
        pair(["uniform $n { float a; } $m;", "acc += $m.a;"], ["uniform $n { float a; } $k;", "acc += $k.a;"]),
    ]),
    link("uniform_block_bindings_differ", "4.4.5").since(420, 310).by(&[
        pair(
            ["layout(binding = 1) uniform $n { float a; } $m;", "acc += $m.a;"],
            ["layout(binding = 2) uniform $n { float a; } $m;", "acc += $m.a;"],
        ),
    ]),
    link("nameless_blocks_share_a_member_name", "4.3.9").since(150, 300).by(&[
        pair(["uniform $n { float a$k; };", "acc += a$k;"], ["uniform $m { float a$k; };", "acc += a$k;"]),
        pair(["uniform float a$k;", "acc += a$k;"], ["uniform $m { float a$k; };", "acc += a$k;"]),
    ]),
    link("uniform_blocks_of_two_objects_differ", "4.3.9").since(150, 0).by(&[
        objects(Either, ["uniform $n { $v a; } $m;", "acc += $m.a.x;"], "uniform $n { $w a; } $m; float $k() { return $m.a.x; }"),
    ]),
    link("storage_blocks_differ", "4.3.9").since(430, 310).by(&[
        pair(["buffer $n { float a; } $m;", "acc += $m.a;"], ["buffer $n { vec2 a; } $m;", "acc += $m.a.x;"]),
        pair(["layout(std430) buffer $n { float a; } $m;", "acc += $m.a;"], ["layout(std140) buffer $n { float a; } $m;", "acc += $m.a;"]),
        pair(["buffer $n { float a[]; } $m;", "acc += $m.a[0];"], ["buffer $n { float a[2]; } $m;", "acc += $m.a[0];"]),
    ]),
    link("memory_qualifiers_differ", "4.10").lenient("the specification does not ask for it, and Mesa compares some only").since(430, 310).by(&[
        pair(["readonly buffer $n { float a; } $m;", "acc += $m.a;"], ["buffer $n { float a; } $m;", "acc += $m.a;"]),
        pair(["coherent buffer $n { float a; } $m;", "acc += $m.a;"], ["buffer $n { float a; } $m;", "acc += $m.a;"]),
    ]),
    link("input_block_without_output_block", "4.3.9").since(150, 320).used().by(&[
        pair(["", ""], ["in $n { vec4 a; } $m;", "acc += $m.a;"]),
        pair(["out $k { vec4 a; } $m;", "$m.a = acc;"], ["in $n { vec4 a; } $m;", "acc += $m.a;"]),
    ]),
    link("blocks_of_varyings_differ", "4.3.9").since(150, 320).by(&[
        pair(["out $n { $v a; } $m;", "$m.a.x = 1.0;"], ["in $n { $w a; } $m;", "acc += $m.a.x;"]),
        pair(["out $n { float a; float b; } $m;", "$m.a = 1.0;"], ["in $n { float b; float a; } $m;", "acc += $m.a;"]),
        pair(["out $n { float a; } $m;", "$m.a = 1.0;"], ["in $n { float a; float b; } $m;", "acc += $m.a;"]),
        pair(["out $n { float a; float b; } $m;", "$m.a = 1.0;"], ["in $n { float a; } $m;", "acc += $m.a;"]),
        pair(["out $n { float a; } $m;", "$m.a = 1.0;"], ["in $n { float b; } $m;", "acc += $m.b;"]),
        pair(["out $n { float a[2]; } $m;", "$m.a[0] = 1.0;"], ["in $n { float a[3]; } $m;", "acc += $m.a[0];"]),
    ]),
    link("arrays_of_blocks_of_varyings_differ", "4.3.9").since(150, 320).by(&[
        pair(["out $n { float a; } $m[2];", "$m[1].a = 1.0;"], ["in $n { float a; } $m[3];", "acc += $m[1].a;"]),
        pair(["out $n { float a; } $m;", "$m.a = 1.0;"], ["in $n { float a; } $m[1];", "acc += $m[0].a;"]),
    ]),
    link("interpolation_of_block_members_differs", "4.5").desktop(150, 430).es(320, 320).by(&[
        pair(["out $n { flat float a; } $m;", "$m.a = 1.0;"], ["in $n { float a; } $m;", "acc += $m.a;"]),
        pair(["out $n { vec2 a; } $m;", "$m.a.x = 1.0;"], ["in $n { flat vec2 a; } $m;", "acc += $m.a.x;"]),
    ]),
    link("block_in_one_stage_and_variable_in_the_other", "4.3.9").lenient("Mesa matches members of nameless blocks with variables").since(150, 320).used().by(&[
        pair(["out vec4 a$n;", "a$n = acc;"], ["in $m { vec4 a$n; };", "acc += a$n;"]),
        pair(["out $m { vec4 a$n; };", "a$n = acc;"], ["in vec4 a$n;", "acc += a$n;"]),
    ]),
    compile("integer_member_without_flat", "4.3.4").since(150, 320).by(&[
        pair(["out $n { flat int a; } $m;", "$m.a = 1;"], ["in $n { int a; } $m;", "acc += float($m.a);"]),
    ]),
    compile("array_of_blocks_without_length", "4.1.9").since(150, 0).by(&[
        one(Vertex, "out $n { float a; } $m[]; uniform int $k;", "$m[$k].a = 1.0;"),
        one(Either, "uniform $n { float a; } $m[]; uniform int $k;", "acc += $m[$k].a;"),
    ]),
    compile("variable_index_of_a_block_array", "4.3.9").desktop(150, 330).es(300, 310).by(&[
        one(Either, "uniform $n { float a; } $m[3]; uniform int $k;", "acc += $m[$k].a;"),
    ]),
    compile("block_index_out_of_range", "4.3.9").since(150, 300).by(&[
        one(Either, "uniform $n { float a; } $m[2];", "acc += $m[2].a;"),
    ]),
];
