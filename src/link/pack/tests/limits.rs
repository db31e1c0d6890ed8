//! Tests how many components fit a number of slots, and varyings that need more than their components.

use super::*;

fn slots_of(declarations: &str) -> usize {
    packed(declarations, PackMode::On).expect("fits").slots.len()
}

/// C16: a class wastes at most three components, so that L slots hold 4L + 3 - 3K components of K classes. With one
/// component more there is a set that does not fit: each class has one component in its last slot.
#[test]
fn waste_is_at_most_three_components_for_each_class() {
    for slots in [7_u32, 16, 31] {
        for (classes, other_words) in (1..).zip((0..6).map(|count| &CLASS_WORDS[1..=count])) {
            let most = 4 * slots + 3 - 3 * classes;
            let others: Vec<String> = other_words
                .iter()
                .zip(0..)
                .map(|(word, idx)| format!("{word} float o{idx};"))
                .collect();
            let others = others.concat();
            let first = most + 1 - classes;
            assert_eq!(slots_of(&format!("{others} float v[{first}]")), slots as usize);
            assert_eq!(slots_of(&format!("{others} float v[{}]", first + 1)), slots as usize + 1);
        }
    }
}

/// A class without 64-bit values needs exactly the slots that its components fill, for every type.
#[test]
fn arrays_of_every_type_fill_their_slots() {
    for ty in TYPES {
        for length in 1..=9 {
            let declaration = format!("flat {ty} v[{length}]");
            let components = variables(&declaration)[0].ty.component_count();
            assert_eq!(slots_of(&declaration), components.div_ceil(4) as usize);
        }
    }
}

/// C8
#[test]
fn arrays_of_structs_start_their_elements_anywhere() {
    let table = expect![[r"
        0.xyzw <- s[0].a.xyz s[0].b.x
        1.xyzw <- s[0].b.y s[1].a.xyz
        2.xy <- s[1].b.xy"]];
    check("struct{vec3 a; vec2 b;} s[2]", table);
}

#[test]
fn arrays_of_arrays_are_laid_out_from_the_outside_in() {
    let table = expect![[r"
        0.xyzw <- v[0][0].xyz v[0][1].x
        1.xyzw <- v[0][1].yz v[1][0].xy
        2.xyzw <- v[1][0].z v[1][1].xyz"]];
    check("vec3 v[2][2]", table);
}

#[test]
fn structs_in_structs_are_laid_out_member_by_member() {
    let table = expect![[r"
        0.xyzw <- s.a s.t.b.xyz
        1.xyzw <- s.t.m[0].xy s.t.m[1].xy
        2.xyz <- s.c.xyz"]];
    check("struct{float a; struct{vec3 b; mat2 m;} t; vec3 c;} s", table);
}

/// C6: columns follow each other without gaps: four columns of three components need three slots, not four.
#[test]
fn matrices_of_twelve_components_take_three_slots() {
    let table = expect![[r"
        0.xyzw <- m[0].xyz m[1].x
        1.xyzw <- m[1].yz m[2].xy
        2.xyzw <- m[2].z m[3].xyz"]];
    check("mat4x3 m", table);
    let table = expect![[r"
        0.xyzw <- m[0].xyzw
        1.xyzw <- m[1].xyzw
        2.xyzw <- m[2].xyzw"]];
    check("mat3x4 m", table);
}

/// C7: six components are two modulo four, so a matrix of six components precedes all scalars and is sorted with the
/// vec2.
#[test]
fn matrices_of_six_components_sort_with_vec2() {
    let table = expect![[r"
        0.xyzw <- a.xy m[0].xy
        1.xyzw <- m[0].z m[1].xyz
        2.x <- f"]];
    check("float f; vec2 a; mat2x3 m", table);
    let table = expect![[r"
        0.xyzw <- m[0].xy m[1].xy
        1.xyzw <- m[2].xy a.xy
        2.x <- f"]];
    check("float f; mat3x2 m; vec2 a", table);
}

#[test]
fn arrays_sort_like_their_elements() {
    let table = expect![[r"
        0.xyzw <- w.xyzw
        1.xyzw <- p[0].xy p[1].xy
        2.xyzw <- p[2].xy f[0] f[1]
        3.xyzw <- f[2] f[3] v[0].xy
        4.xyzw <- v[0].z v[1].xyz"]];
    check("vec3 v[2]; float f[4]; vec2 p[3]; vec4 w", table);
}

/// A slot with an explicit location is closed to all other varyings, even if it has free components and the class
/// matches.
#[test]
fn slots_of_explicit_locations_are_closed() {
    let table = expect![[r"
        0.xy <- e.xy
        1.xy <- h.xy
        2.x <- g"]];
    check("@0 vec2 e; vec2 h; flat float g", table);
    let table = expect![[r"
        1.x <- h
        2.xyzw <- v[0].xyz v[1].x
        3.xy <- v[1].yz"]];
    check("@1 float h; vec3 v[2]", table);
}

/// The last slot has the number `SLOT_CEILING - 1`, also if scalars are placed one by one.
#[test]
fn dense_packing_ends_at_the_ceiling() {
    let full = format!("float v[{}]", SLOT_CEILING * 4 - 1);
    let fits =
        packed(&format!("{full}; float w"), PackMode::Dense).map(|packed| packed.slots.len());
    assert_eq!(fits, Ok(SLOT_CEILING as usize));
    let more = packed(&format!("{full}; float w; float x"), PackMode::Dense);
    assert_eq!(more.err(), Some(PackError::TooLarge { item: 2 }));
}
