//! Tests pairs of GLSL stages that do not fit directly, and the linker's packing steps.

use expect_test::{Expect, expect};

use super::map_of_glsl;

/// Checks the map of a pair for `variables` inter-stage variables; see [`map_of_glsl`].
#[track_caller]
fn check(variables: u32, interface: &str, vertex: &str, color: &str, expect: Expect) {
    expect.assert_eq(&map_of_glsl(&format!("variables {variables}"), interface, vertex, color));
}

#[test]
fn what_fits_stays_as_it_is() {
    check(
        4,
        "VARYING float a; flat VARYING float b; noperspective VARYING float c; centroid VARYING float d;",
        "a = position.x; b = position.y; c = position.z; d = position.w;",
        "vec4(a, b, c, d)",
        expect![[r#"
            slot  class            type   x  y  z  w
            0     smooth           float  a  –  –  –
            1     flat             float  b  –  –  –
            2     noperspective    float  c  –  –  –
            3     smooth centroid  float  d  –  –  –
        "#]],
    );
}

/// With fewer slots, more steps are applied.
#[test]
fn classes_share_slots_when_slots_are_short() {
    let (interface, vertex, color) = (
        "VARYING float a; flat VARYING float b; noperspective VARYING float c; centroid VARYING float d;",
        "a = position.x; b = position.y; c = position.z; d = position.w;",
        "vec4(a, b, c, d)",
    );
    check(
        3,
        interface,
        vertex,
        color,
        expect![[r#"
        slot  class          type   x  y  z  w
        0     smooth         vec2   a  d  –  –
        1     flat           float  b  –  –  –
        2     noperspective  float  c  –  –  –
        packed more tightly: centroid
    "#]],
    );
    check(
        2,
        interface,
        vertex,
        color,
        expect![[r#"
        slot  class   type   x  y    z  w
        0     smooth  vec3   a  c·w  d  –
        1     flat    float  b  –    –  –
        packed more tightly: centroid, noperspective
    "#]],
    );
    check(
        1,
        interface,
        vertex,
        color,
        expect![[r#"
        error: the varyings take 2 slots but there are 1
           ┌─ a.shader_test:14:74
           │
        14 │ in float a; flat in float b; noperspective in float c; centroid in float d;
           │                                                                          ^
           │
           = help:   1  inter-stage variables
              -2  slots of varyings
                  after packing more tightly: centroid, noperspective
             0.xyz <- a c·w d
             1.x <- b

    "#]],
    );
}

/// Dense packing splits a varying that fits no hole before or after an explicit location into scalars that fit.
#[test]
fn scalars_fill_the_room_between_explicit_locations() {
    check(
        3,
        "layout(location = 1) VARYING vec2 e; VARYING vec3 a[2]; VARYING vec4 b;",
        "e = position.xy; a[0] = position.xyz; a[1] = position.zyx; b = position;",
        "vec4(a[0] + a[1], 1.0) + b + e.xyxy",
        expect![[r#"
            slot  class   type  x       y       z       w
            0     smooth  vec4  a[0].z  a[1].x  a[1].y  a[1].z
            1     smooth  vec4  e.x     e.y     a[0].x  a[0].y
            2     smooth  vec4  b.x     b.y     b.z     b.w
            packed more tightly: dense
        "#]],
    );
}

#[test]
fn a_case_can_refuse_the_fallback() {
    expect![[r#"
        error: the varyings take 2 slots but there are 1
           ┌─ a.shader_test:14:36
           │
        14 │ in float a; noperspective in float b;
           │                                    ^
           │
           = help:   1  inter-stage variables
              -2  slots of varyings
             0.x <- a
             1.x <- b

    "#]]
    .assert_eq(&map_of_glsl(
        "fallback off\nvariables 1",
        "VARYING float a; noperspective VARYING float b;",
        "a = position.x; b = position.y;",
        "vec4(a, b, 0.0, 1.0)",
    ));
}

/// Fifteen vec4, a vec2 and a centroid vec2 fit the grid of GLSL ES, whose rows may contain both.
#[test]
fn centroid_and_center_share_a_slot_with_one_sample() {
    check(
        16,
        "VARYING vec4 a[15]; VARYING vec2 b; centroid VARYING vec2 c;",
        "for (int i = 0; i < 15; i++) { a[i] = position * float(i); } b = position.xy; c = position.zw;",
        "a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7] + a[8] + a[9] + a[10] + a[11] + a[12] + a[13]
            + a[14] + vec4(b, c)",
        expect![[r#"
            slot  class   type  x        y        z        w
            0     smooth  vec4  a[0].x   a[0].y   a[0].z   a[0].w
            1     smooth  vec4  a[1].x   a[1].y   a[1].z   a[1].w
            2     smooth  vec4  a[2].x   a[2].y   a[2].z   a[2].w
            3     smooth  vec4  a[3].x   a[3].y   a[3].z   a[3].w
            4     smooth  vec4  a[4].x   a[4].y   a[4].z   a[4].w
            5     smooth  vec4  a[5].x   a[5].y   a[5].z   a[5].w
            6     smooth  vec4  a[6].x   a[6].y   a[6].z   a[6].w
            7     smooth  vec4  a[7].x   a[7].y   a[7].z   a[7].w
            8     smooth  vec4  a[8].x   a[8].y   a[8].z   a[8].w
            9     smooth  vec4  a[9].x   a[9].y   a[9].z   a[9].w
            10    smooth  vec4  a[10].x  a[10].y  a[10].z  a[10].w
            11    smooth  vec4  a[11].x  a[11].y  a[11].z  a[11].w
            12    smooth  vec4  a[12].x  a[12].y  a[12].z  a[12].w
            13    smooth  vec4  a[13].x  a[13].y  a[13].z  a[13].w
            14    smooth  vec4  a[14].x  a[14].y  a[14].z  a[14].w
            15    smooth  vec4  b.x      b.y      c.x      c.y
            packed more tightly: centroid
        "#]],
    );
}

/// The message lists everything that uses inter-stage variables.
#[test]
fn the_message_counts_everything() {
    check(
        2,
        "VARYING vec4 a[2]; flat VARYING int i;",
        "a[0] = position; a[1] = position.wzyx; i = int(position.x);",
        "gl_FrontFacing ? a[0] : a[1] + float(i)",
        expect![[r#"
            error: the varyings take 2 slots but there are 1
               ┌─ a.shader_test:14:27
               │
            14 │ in vec4 a[2]; flat in int i;
               │                           ^
               │
               = help:   2  inter-stage variables
                  -1  front_facing
                  -2  slots of varyings
                      after packing more tightly: optimise
                 0.xyzw <- a[0].xyzw
                 1.x <- i

        "#]],
    );
}
