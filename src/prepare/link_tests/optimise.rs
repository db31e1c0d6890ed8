//! Tests the facts about varyings of pairs of GLSL stages.

use expect_test::{Expect, expect};

use super::{map_of_case, map_of_glsl};

/// Checks the map of a pair with all optimisations; see [`map_of_glsl`].
#[track_caller]
fn check(interface: &str, vertex: &str, color: &str, expect: Expect) {
    let link = "optimise dead constants uniforms duplicates convergent";
    expect.assert_eq(&map_of_glsl(link, interface, vertex, color));
}

#[test]
fn components_that_nobody_reads_do_not_travel() {
    check(
        "VARYING vec4 a; VARYING vec3 b;",
        "a = position; b = position.yzw * 2.0;",
        "vec4(a.xy, b.z, 1.0)",
        expect![[r#"
            slot  class   type  x    y    z    w
            0     smooth  vec3  a.x  a.y  b.z  –
            dead, not passed: a.zw, b.xy
        "#]],
    );
}

#[test]
fn a_value_that_is_used_as_a_whole_is_read_as_a_whole() {
    check(
        "VARYING vec4 a;",
        "a = position;",
        "pass(a).xxxx",
        expect![[r#"
        slot  class   type  x    y    z    w
        0     smooth  vec4  a.x  a.y  a.z  a.w
    "#]],
    );
}

/// C52, C53
#[test]
fn constants_do_not_travel_whichever_way_they_are_written() {
    check(
        "VARYING vec4 a; VARYING float b; VARYING float c; VARYING float d; VARYING float e;",
        "a = vec4(0.5, -1.0, position.xy);
         if (on) { b = 2.0; } else { b = 2.0; }
         if (on) { c = 2.0; } else { c = 3.0; }
         helper(d, 4.0);
         if (on) { return; }
         e = 5.0;",
        "a + vec4(b, c, d, e)",
        expect![[r#"
            slot  class   type  x    y    z  w
            0     smooth  vec4  a.z  a.w  e  c
            constant, not passed: a.xy, b, d
        "#]],
    );
}

/// C53: if the second store is not executed, the variable keeps its first value, which is zero here.
#[test]
fn a_value_stored_on_one_path_only_is_no_constant() {
    check(
        "VARYING float a; VARYING float b;",
        "if (on) { a = 1.0; } for (int i = 0; i < int(position.x); i++) { b = 2.0; }",
        "vec4(a, b, 0.0, 1.0)",
        expect![[r#"
            slot  class   type  x  y  z  w
            0     smooth  vec2  b  a  –  –
        "#]],
    );
}

/// C52: interpolating an infinity gives NaN.
#[test]
fn infinities_travel_unless_they_are_flat() {
    check(
        "VARYING float a; flat VARYING float b;",
        "a = uintBitsToFloat(0x7f800000u); b = a;",
        "vec4(a, b, 0.0, 1.0)",
        expect![[r#"
            slot  class   type   x  y  z  w
            0     smooth  float  a  –  –  –
            constant, not passed: b
        "#]],
    );
}

/// C54
#[test]
fn uniforms_are_loaded_by_the_fragment_stage() {
    check(
        "VARYING vec4 a; VARYING float b; VARYING float c;",
        "a = u.wzyx; b = k[1]; c = k[int(position.x)];",
        "a + vec4(b, c, 0.0, 0.0)",
        expect![[r#"
            slot  class   type   x  y  z  w
            0     smooth  float  c  –  –  –
            uniform, not passed: a.xyzw, b
        "#]],
    );
}

/// C55
#[test]
fn equal_outputs_travel_once_when_their_qualifiers_agree() {
    check(
        "VARYING vec2 a; VARYING vec2 b; flat VARYING float c; VARYING float d; noperspective VARYING float e;",
        "vec4 p = position; a = p.xy * 2.0; b = (position * 2.0).yx; c = a.x; d = position.z + 1.0; e = position.x * 2.0;",
        "vec4(a, b) + vec4(c, d, e, 0.0)",
        expect![[r#"
            slot  class          type   x    y    z  w
            0     smooth         vec3   a.x  a.y  d  –
            1     flat           float  c    –    –  –
            2     noperspective  float  e    –    –  –
            duplicate, not passed: b.xy
        "#]],
    );
}

/// A product of the same numbers in another shape is a different value.
#[test]
fn products_of_matrices_of_other_shapes_differ() {
    check(
        "VARYING float a; VARYING float b;",
        "vec4 p = position;
         mat2x3 m = mat2x3(p.x, p.y, p.z, p.w, p.x, p.y); mat3x2 n = mat3x2(p.x, p.y, p.z, p.w, p.x, p.y);
         a = (m * n)[0].x; b = (n * m)[0].x;",
        "vec4(a, b, 0.0, 1.0)",
        expect![[r#"
            slot  class   type  x  y  z  w
            0     smooth  vec2  a  b  –  –
        "#]],
    );
}

#[test]
fn what_changes_in_between_is_not_equal() {
    check(
        "VARYING float a; VARYING float b;",
        "float f = position.x; a = f; f += 1.0; b = f;",
        "vec4(a, b, 0.0, 1.0)",
        expect![[r#"
            slot  class   type  x  y  z  w
            0     smooth  vec2  a  b  –  –
        "#]],
    );
}

/// C57, C59: the worked example with six smooth scalars, one flat int and five floats that are the same at all
/// vertices.
#[test]
fn convergent_floats_fill_flat_slots_and_then_interpolated_ones() {
    check(
        "VARYING float s[6]; flat VARYING int i; VARYING float c[5];",
        "for (int n = 0; n < 6; n++) { s[n] = position[n & 3] * float(n); }
         i = int(position.x);
         c[0] = u.x + 1.0; c[1] = sin(u.y); c[2] = k[0] * k[1]; c[3] = on ? u.x * 2.0 : u.y; c[4] = u.x * u.y;",
        "vec4(s[0] + s[1], s[2] + s[3], s[4] + s[5], float(i)) + vec4(c[0], c[1], c[2], c[3] + c[4])",
        expect![[r#"
            slot  class   type   x     y     z     w
            0     smooth  vec4   s[0]  s[1]  s[2]  s[3]
            1     smooth  vec4   s[4]  s[5]  c[3]  c[4]
            2     flat    uvec4  i     c[0]  c[1]  c[2]
        "#]],
    );
}

/// C57: without integers and other flat varyings, convergent floats get a separate flat slot if nothing else is left.
#[test]
fn convergent_floats_open_a_flat_slot_last() {
    check(
        "VARYING vec4 s; VARYING vec3 t; VARYING float c[3];",
        "s = position; t = position.xyz * 2.0; c[0] = u.x + 1.0; c[1] = sin(u.y); c[2] = u.x * u.y;",
        "s + vec4(t, c[0]) + vec4(c[1], c[2], 0.0, 0.0)",
        expect![[r#"
            slot  class   type   x     y     z    w
            0     smooth  vec4   s.x   s.y   s.z  s.w
            1     smooth  vec4   t.x   t.y   t.z  c[0]
            2     flat    uvec2  c[1]  c[2]  –    –
        "#]],
    );
}

/// C54 The fragment stage has eleven of the twelve buffers that it may have, so one more can be added, with all of its
/// contents.
#[test]
fn uniforms_move_while_the_fragment_stage_has_room_for_their_buffers() {
    let block = |idx: u32| format!("layout(std140) uniform B{idx} {{ vec4 b{idx}; }};\n");
    let own: String = (0..11).map(block).collect();
    let sum = (0..11).map(|idx| format!("b{idx}")).collect::<Vec<_>>().join(" + ");
    let new: String = (11..14).map(block).collect();
    let vertex = "in vec4 position; out vec4 p; out vec4 q; out vec4 r; out vec4 s; out vec4 t;";
    let text = format!(
        "[require]\nGLSL >= 4.50\n[vertex shader]\n{vertex}\n{}{new}\
         void main() {{ gl_Position = position; p = b11; q = b12; r = b11.wzyx; s = b13 * position.x; t = b3; }}\n\
         [fragment shader]\n{}\n{own}out vec4 color;\nvoid main() {{ color = p + q + r + s + t + {sum}; }}\n\
         [link]\noptimise uniforms\n[test]\nlink success\n",
        block(3),
        "in vec4 p; in vec4 q; in vec4 r; in vec4 s; in vec4 t;",
    );
    expect![[r#"
        slot  class   type  x    y    z    w
        0     smooth  vec4  q.x  q.y  q.z  q.w
        1     smooth  vec4  s.x  s.y  s.z  s.w
        uniform, not passed: p.xyzw, r.xyzw, t.xyzw
    "#]]
    .assert_eq(&map_of_case(&text));
}

/// C56: a value stored under a condition that may differ between vertices is not convergent.
#[test]
fn a_choice_by_an_attribute_is_not_convergent() {
    check(
        "VARYING float a; flat VARYING int i;",
        "if (position.x > 0.0) { a = u.x * 2.0; } else { a = u.y; } i = int(position.y);",
        "vec4(a, float(i), 0.0, 1.0)",
        expect![[r#"
            slot  class   type   x  y  z  w
            0     smooth  float  a  –  –  –
            1     flat    int    i  –  –  –
        "#]],
    );
}

/// Only the components of a varying that are the coordinates of an image load are read.
#[test]
fn coordinates_of_a_texel_are_read() {
    let text = "[require]\nGLSL >= 4.50\n[vertex shader]\nin vec4 position; out vec4 a;\n\
         void main() { gl_Position = position; a = position * 2.0; }\n\
         [fragment shader]\nuniform sampler2D t; in vec4 a; out vec4 color;\n\
         void main() { color = texelFetch(t, ivec2(a.xy), int(a.z)); }\n\
         [link]\noptimise dead\n[test]\ntexture checkerboard 0 0 (4, 4) (0, 0, 0, 1) (1, 1, 1, 1)\nuniform int t 0\nlink success\n";
    expect![[r#"
        slot  class   type  x    y    z    w
        0     smooth  vec3  a.x  a.y  a.z  –
        dead, not passed: a.w
    "#]]
    .assert_eq(&map_of_case(text));
}

/// The remaining scalars of a varying with a location stay at that location.
#[test]
fn scalars_of_a_varying_with_a_location_stay_there() {
    check(
        "layout(location = 0) VARYING vec4 b; layout(location = 2) VARYING vec4 a;",
        "a = position; b = position * 3.0;",
        "vec4(a.xy, 0.0, 1.0) + b",
        expect![[r#"
            slot  class   type  x    y    z    w
            0     smooth  vec4  b.x  b.y  b.z  b.w
            2     smooth  vec2  a.x  a.y  –    –
            dead, not passed: a.zw
        "#]],
    );
}

/// A call that has returned does not count towards the depth: consecutive calls do not nest.
#[test]
fn calls_one_after_the_other_are_followed_however_many_they_are() {
    let calls = "helper(a, 4.0);".repeat(70);
    check(
        "VARYING float a; VARYING float b;",
        &format!("{calls} b = position.x;"),
        "vec4(a, b, 0.0, 1.0)",
        expect![[r#"
            slot  class   type   x  y  z  w
            0     smooth  float  b  –  –  –
            constant, not passed: a
        "#]],
    );
}

/// Nested calls are followed at most 64 deep, counting `main`. Deeper calls may store anything, so the stage has no
/// facts: `b` is constant, but this is not known.
#[test]
fn calls_that_are_too_deep_forget_what_was_stored() {
    let map = |last: u32| map_of_case(&deep_calls(last));
    let unknown = expect![[r#"
        slot  class   type  x  y  z  w
        0     smooth  vec2  a  b  –  –
    "#]];
    unknown.assert_eq(&map(70));
    unknown.assert_eq(&map(63));
    expect![[r#"
        slot  class   type   x  y  z  w
        0     smooth  float  a  –  –  –
        constant, not passed: b
    "#]]
    .assert_eq(&map(62));
}

/// A case whose `main` calls `f{last}` at its end, which calls the next lower one, down to `f0`.
fn deep_calls(last: u32) -> String {
    let deeper = |idx: u32| format!("void f{idx}() {{ f{}(); }}\n", idx - 1);
    let chain: String = (1..=last).map(deeper).collect();
    format!(
        "[require]\nGLSL >= 4.50\n[vertex shader]\nin vec4 position; out float a; out float b;\n\
         void f0() {{ a = position.x; }}\n{chain}\
         void main() {{ gl_Position = position; a = 2.0; b = 3.0; f{last}(); }}\n\
         [fragment shader]\nin float a; in float b; out vec4 color;\n\
         void main() {{ color = vec4(a, b, 0.0, 1.0); }}\n\
         [link]\noptimise constants\n[test]\nlink success\n"
    )
}

/// A scalar times a vector counts as one operation per component.
#[test]
fn a_vector_times_a_scalar_is_known_component_by_component() {
    check(
        "VARYING vec2 a; VARYING float b;",
        "a = position.xy * u.x; b = position.y * u.x;",
        "vec4(a, b, 1.0)",
        expect![[r#"
            slot  class   type  x    y    z  w
            0     smooth  vec2  a.x  a.y  –  –
            duplicate, not passed: b
        "#]],
    );
}

/// All vertices of a primitive belong to the same instance.
#[test]
fn the_instance_is_convergent_and_the_vertex_is_not() {
    check(
        "VARYING float a; VARYING float b; flat VARYING int i;",
        "a = float(gl_InstanceID); b = float(gl_VertexID); i = int(position.y);",
        "vec4(a, b, float(i), 1.0)",
        expect![[r#"
            slot  class   type   x  y  z  w
            0     smooth  float  b  –  –  –
            1     flat    uvec2  i  a  –  –
        "#]],
    );
}

/// A loop may or may not store the values of its body, and a function that it calls may store anything.
#[test]
fn whatever_a_loop_may_store_is_unknown() {
    let map = |body: &str| {
        map_of_case(&format!(
            "[require]\nGLSL >= 4.50\n[vertex shader]\nin vec4 position; out float a; out float b; out float c;\n\
             void set() {{ b = 4.0; }}\n\
             void main() {{ gl_Position = position; a = 1.0; b = 1.0; c = 1.0;\n\
             for (int i = 0; i < int(position.x); i++) {{ {body} }} }}\n\
             [fragment shader]\nin float a; in float b; in float c; out vec4 color;\n\
             void main() {{ color = vec4(a, b, c, 1.0); }}\n\
             [link]\noptimise constants\n[test]\nlink success\n"
        ))
    };
    expect![[r#"
        slot  class   type   x  y  z  w
        0     smooth  float  a  –  –  –
        constant, not passed: b, c
    "#]]
    .assert_eq(&map("a = 2.0;"));
    expect![[r#"
        slot  class   type  x  y  z  w
        0     smooth  vec3  a  b  c  –
    "#]]
    .assert_eq(&map("set();"));
}

/// The result of a function is known if its arguments are.
#[test]
fn results_of_functions_are_followed() {
    let text = "[require]\nGLSL >= 4.50\n[vertex shader]\nin vec4 position; out float a; out float b;\n\
         float same(float x) { return x; }\n\
         void main() { gl_Position = position; a = same(4.0); b = same(position.x); }\n\
         [fragment shader]\nin float a; in float b; out vec4 color;\n\
         void main() { color = vec4(a, b, 0.0, 1.0); }\n\
         [link]\noptimise constants\n[test]\nlink success\n";
    expect![[r#"
        slot  class   type   x  y  z  w
        0     smooth  float  b  –  –  –
        constant, not passed: a
    "#]]
    .assert_eq(&map_of_case(text));
}

/// Coordinates that are used as a whole are read as a whole.
#[test]
fn a_varying_may_be_the_coordinates_of_a_texel() {
    let text = "[require]\nGLSL >= 4.50\n[vertex shader]\nin vec4 position; flat out ivec2 a; flat out int b;\n\
         void main() { gl_Position = position; a = ivec2(position.xy); b = int(position.z); }\n\
         [fragment shader]\nuniform sampler2D t; flat in ivec2 a; flat in int b; out vec4 color;\n\
         void main() { color = texelFetch(t, a, b); }\n\
         [link]\noptimise dead\n[test]\ntexture checkerboard 0 0 (4, 4) (0, 0, 0, 1) (1, 1, 1, 1)\nuniform int t 0\nlink success\n";
    expect![[r#"
        slot  class  type   x    y    z  w
        0     flat   ivec3  a.x  a.y  b  –
    "#]]
    .assert_eq(&map_of_case(text));
}

/// Constants are found in members of arrays of blocks and of structures, and in scalars of a matrix.
#[test]
fn constants_are_found_inside_composites() {
    let declare = |direction: &str| {
        format!(
            "struct S {{ vec2 a; float b; }}; {direction} S s[2]; {direction} mat2 m;
             {direction} Block {{ vec2 c; float d; }} blocks[2];"
        )
    };
    let text = format!(
        "[require]\nGLSL >= 4.50\n[vertex shader]\nin vec4 position; {}\n\
         void main() {{ gl_Position = position;\n\
         s[0].a = vec2(1.0, 2.0); s[0].b = position.x; s[1].a = position.xy; s[1].b = 3.0;\n\
         blocks[0].c = vec2(1.0, position.z); blocks[0].d = position.x;\n\
         blocks[1].c = position.yz; blocks[1].d = 3.0; m = mat2(1.0, position, 2.0); }}\n\
         [fragment shader]\n{}\nout vec4 color;\n\
         void main() {{ color = vec4(s[0].a + s[1].a + blocks[0].c + blocks[1].c, s[0].b + s[1].b,\n\
         blocks[0].d + blocks[1].d + m[0].x + m[0].y + m[1].x + m[1].y); }}\n\
         [link]\noptimise constants\n[test]\nlink success\n",
        declare("out"),
        declare("in")
    )
    .replace("mat2(1.0, position, 2.0)", "mat2(1.0, position.x, position.y, 2.0)");
    let map = map_of_case(&text);
    let constants = map.lines().find(|line| line.starts_with("constant")).unwrap_or(&map);
    for scalar in ["s[0].a.xy", "s[1].b", "Block[0].c.x", "Block[1].d", "m[0].x", "m[1].y"] {
        assert!(constants.contains(scalar), "{scalar}: {map}");
    }
    assert_eq!(constants.matches(", ").count(), 6, "{map}");
}

/// A variable that is stored after a loop has this value, even if the loop stored into it too.
#[test]
fn what_is_stored_behind_a_loop_is_known() {
    check(
        "VARYING float a; VARYING float b;",
        "for (int i = 0; i < int(position.x); i++) { a = 2.0; b = 2.0; } b = 4.0;",
        "vec4(a, b, 0.0, 1.0)",
        expect![[r#"
            slot  class   type   x  y  z  w
            0     smooth  float  a  –  –  –
            constant, not passed: b
        "#]],
    );
}

/// The negation of a constant is a constant, whether the front end or the linker computes it.
#[test]
fn negated_constants_are_constants() {
    check(
        "VARYING vec2 a; VARYING float b;",
        "vec2 f = vec2(2.0, 3.0); a = -f; float g = position.x; b = -g;",
        "vec4(a, b, 1.0)",
        expect![[r#"
            slot  class   type   x  y  z  w
            0     smooth  float  b  –  –  –
            constant, not passed: a.xy
        "#]],
    );
}

/// A dynamic index may read any element, so all elements count as read.
#[test]
fn every_element_is_read_by_a_dynamic_index() {
    check(
        "VARYING vec4 a[2]; flat VARYING int i;",
        "a[0] = position; a[1] = position * 2.0; i = int(position.x);",
        "vec4(a[i].xy, 0.0, 1.0)",
        expect![[r#"
            slot  class   type  x       y       z       w
            0     smooth  vec4  a[0].x  a[0].y  a[0].z  a[0].w
            1     smooth  vec4  a[1].x  a[1].y  a[1].z  a[1].w
            2     flat    int   i       –       –       –
        "#]],
    );
}

/// The result of a function is known if all exits return the same value.
#[test]
fn results_of_several_exits_are_joined() {
    let text = "[require]\nGLSL >= 4.50\n[vertex shader]\nin vec4 position; out float a; out float b;\n\
         float same(float x) { if (position.x > 0.0) return x; return x; }\n\
         float other(float x) { if (position.x > 0.0) return x; return x + position.y; }\n\
         void main() { gl_Position = position; a = same(4.0); b = other(4.0); }\n\
         [fragment shader]\nin float a; in float b; out vec4 color;\n\
         void main() { color = vec4(a, b, 0.0, 1.0); }\n\
         [link]\noptimise constants\n[test]\nlink success\n";
    expect![[r#"
        slot  class   type   x  y  z  w
        0     smooth  float  b  –  –  –
        constant, not passed: a
    "#]]
    .assert_eq(&map_of_case(text));
}

/// Mixing two vectors by one scalar counts as one operation per component.
#[test]
fn a_scalar_operand_belongs_to_every_component() {
    check(
        "VARYING vec3 a; VARYING float b;",
        "a = mix(position.xyz, position.yzw, u.x); b = mix(position.z, position.w, u.x);",
        "vec4(a, b)",
        expect![[r#"
            slot  class   type  x    y    z    w
            0     smooth  vec3  a.x  a.y  a.z  –
            duplicate, not passed: b
        "#]],
    );
}

/// One of three exits stores a different value.
#[test]
fn what_one_of_several_exits_stores_is_not_lost() {
    check(
        "VARYING float a; VARYING float b;",
        "a = 1.0; b = 1.0; if (on) { return; } if (position.x > 0.0) { a = 2.0; return; }",
        "vec4(a, b, 0.0, 1.0)",
        expect![[r#"
            slot  class   type   x  y  z  w
            0     smooth  float  a  –  –  –
            constant, not passed: b
        "#]],
    );
}
