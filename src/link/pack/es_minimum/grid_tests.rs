//! Tests the oracle itself. The expected grids are derived from the rules by hand.

use expect_test::{Expect, expect};

use crate::notation::variables;

use super::{Unplaced, fit};

/// Checks the rows up to the last one in use. Every cell contains the name of its variable.
#[track_caller]
fn check(declarations: &str, grid: Expect) {
    let variables = variables(declarations);
    grid.assert_eq(&match fit(&variables) {
        Err(Unplaced(idx)) => format!("no room for {}", variables[idx].name),
        Ok(grid) => {
            let cell = |owner: &Option<usize>| owner.map_or(".", |idx| &variables[idx].name);
            let rows = grid.cells.iter().take(grid.row_count());
            let rows = rows.map(|row| row.iter().map(cell).collect::<String>());
            rows.collect::<Vec<_>>().join("\n")
        }
    });
}

/// The example in the specification itself, with the rows that it gives.
#[test]
fn published_example() {
    let grid = expect![[r"
        aaaa
        bbb.
        bbb.
        bbb.
        ccc.
        ccc.
        ccc.
        ddg.
        ddg.
        ddg.
        dd..
        dd..
        ddee
        ffee
        hiee
        h.ee"]];
    check(
        "vec4 a; mat3 b; mat2x3 c; vec2 d[6]; vec2 e[4]; vec2 f; float g[3]; float h[2]; float i",
        grid,
    );
}

#[test]
fn types_have_an_order_whatever_that_of_the_declarations() {
    let grid = expect![[r"
        aaaa
        aaaa
        aaaa
        aaaa
        bbbb
        bbbb
        cccc
        ddd.
        ddd.
        ddd.
        eee.
        hh..
        f...
        g..."]];
    check("float f; float g; vec2 h; vec3 e; mat3 d; vec4 c; mat2 b; mat4 a", grid);
}

#[test]
fn matrices_are_as_large_as_the_square_of_their_greater_dimension() {
    let grid = expect![[r"
        aaaa
        aaaa
        aaaa
        aaaa
        bbb.
        bbb.
        bbb."]];
    check("mat3x2 b; mat2x4 a", grid);
    check("mat4x2 a[5]", expect!["no room for a"]);
}

#[test]
fn mat2_takes_two_whole_rows() {
    let grid = expect![[r"
        mmmm
        mmmm
        f..."]];
    check("float f; mat2 m", grid);
    check("mat2 m[8]; float f", expect!["no room for f"]);
}

#[test]
fn smooth_comes_first_and_then_the_larger_array() {
    let grid = expect![[r"
        cccc
        cccc
        aaaa
        bbbb
        bbbb
        dddd"]];
    check("vec4 a; flat vec4 b[2]; flat vec4 d[1]; vec4 c[2]", grid);
}

#[test]
fn an_array_of_one_is_like_its_element() {
    check("vec4 a; vec4 b[1]", expect![["aaaa\nbbbb"]]);
    check("vec4 b[1]; vec4 a", expect![["bbbb\naaaa"]]);
}

#[test]
fn centroid_shares_rows_and_flat_does_not() {
    let grid = expect![[r"
        aaaa
        aaaa
        aaaa
        aaaa
        aaaa
        aaaa
        aaaa
        aaaa
        aaaa
        aaaa
        aaaa
        aaaa
        aaaa
        aaaa
        aaaa
        bbcc"]];
    check("vec4 a[15]; vec2 b; centroid vec2 c", grid);
    check("vec4 a[15]; vec2 b; flat vec2 c", expect!["no room for c"]);
    check("flat vec4 a[15]; ivec2 b; vec2 c", expect!["no room for b"]);
}

#[test]
fn the_sixteenth_row_is_the_last() {
    check("vec4 a[16]; float f", expect!["no room for f"]);
    check("float a[17]", expect!["no room for a"]);
    check("vec2 a[16]; vec2 b[16]; float f", expect!["no room for f"]);
}

#[test]
fn vec2_goes_up_from_the_last_row_when_no_row_is_empty() {
    let grid = expect![[r"
        aa..
        aa..
        aa..
        aa..
        aa..
        aa..
        aa..
        aa..
        aa..
        aa..
        aa..
        aa..
        aa..
        aacc
        aabb
        aabb"]];
    check("vec2 a[16]; vec2 b[2]; vec2 c", grid);
}

/// After `a` the columns have 13, 13, 16 and 16 free rows, and the scalars get the fullest column.
#[test]
fn scalars_take_the_column_with_the_least_room() {
    let grid = expect![[r"
        aa..
        aa..
        aa..
        d...
        d...
        d...
        g..."]];
    check("vec2 a[3]; float g; float d[3]", grid);
}

#[test]
fn members_of_a_struct_are_variables_of_their_own() {
    let grid = expect![[r"
        sss.
        sss.
        ss..
        ss..
        f..."]];
    check("float f; struct{vec2 a; vec3 b;} s[2]", grid);
}

#[test]
fn arrays_of_arrays_are_one_rectangle() {
    let grid = expect![[r"
        a...
        a...
        a...
        a...
        a...
        a..."]];
    check("float a[3][2]", grid);
    check("float a[3][6]", expect!["no room for a"]);
}

#[test]
fn locations_are_taken_first_and_the_rest_moves_on() {
    let grid = expect![[r"
        bbbb
        aaa.
        dddd
        dddd
        ee..
        c..."]];
    check("vec4 b; vec2 e; float c; vec4 d[2]; @1 vec3 a", grid);
    check("@1 vec3 a; @1 float b", expect!["no room for b"]);
    check("@15 vec3 a[2]", expect!["no room for a"]);
}
