//! Tests the worked examples of varying packing in text form. Every expected table is derived from the rules by hand.
//!
//! The tests of each rule. A name in the column `cases/varying` is a case that also reads the values back on a GPU:
//!
//! | rule | here | cases/varying |
//! |---|---|---|
//! | two vec2 share a slot, one of two vec3 straddles, in any order of declaration | `every_permutation_of_the_example_packs_alike` | `declaration_order_does_not_change_the_slot_count`, `double_parked_vec3` |
//! | ties keep the order of declaration | `ties_keep_declaration_order` | `ties_keep_declaration_order` |
//! | a scalar and a vec3 complete a slot | `scalar_and_vec3_complete_a_slot` | `scalar_and_vec3_complete_a_slot`, `leftover_vec3_start_behind_the_scalar` |
//! | elements and columns straddle independently | `array_elements_straddle_independently` | `vec3_array_elements_straddle`, `matrix_columns_are_double_parked`, `mat3x2_and_vec3_array_straddle_together` |
//! | the order is by all components modulo four | `mat3_sorts_as_a_scalar`, `matrices_of_one_class_are_contiguous`, [`limits`] | `mat3_sorts_with_scalars`, `float_declared_before_mat3_precedes_it`, `matrices_of_every_shape_in_one_class` |
//! | structs are packed inside, in order | `structs_are_packed_inside_and_sort_by_their_total`, [`limits`] | `array_and_matrix_in_every_container`, `struct_of_eight_components_goes_first`, `array_of_structs_repeats_the_struct`, `struct_members_are_double_parked` |
//! | everything flat is one class, as bits | `everything_flat_shares_slots_whatever_its_base_type` | `flat_int_uint_and_float_share_a_slot`, `flat_bit_patterns_in_every_component` |
//! | one integer makes a struct flat | `one_integer_makes_a_whole_struct_flat` | `an_int_makes_the_whole_struct_flat` |
//! | classes follow one another; absent is smooth | `classes_follow_in_order_and_never_share`, `every_class_opens_a_slot` | `classes_start_new_slots`, `five_classes_take_five_slots`, `two_varyings_of_every_width_and_interpolation` |
//! | 64-bit values never straddle | `doubles_never_straddle`, `a_padded_dvec2_starts_at_an_even_component` | none: WebGPU has no such varyings |
//! | waste of classes counts, three components each | `sixty_one_smooth_and_three_flat_scalars_take_seventeen_slots`, [`limits`] | `waste_of_classes_is_three_components_each` |
//! | one class wastes nothing | `twenty_one_vec3_and_a_float_waste_nothing` | `sixteen_slots_of_every_type`, `sixteen_slots_of_an_array_of_every_type`, `sixteen_slots_of_an_array_of_arrays_of_every_type` |
//! | slots of explicit locations are closed, holes before them stay | `room_before_an_explicit_location_is_not_filled_later`, [`limits`] | `explicit_locations_are_not_filled_up`, `struct_at_a_location_takes_one_for_each_column` |
//! | packed arrays are indexed like any others | none: the user's code is not changed | `fragment_stage_indexes_matrices_with_variables`, `vertex_stage_indexes_matrices_with_variables` |
//! | `pack inside` packs only inside a varying | `packing_inside_keeps_the_order_of_declaration` | `pack_inside_packs_arrays_and_matrices_only` |
//! | vec3 begin slots if each varying is captured separately | `aligned_vec3_begin_slots` | `cases/capture/separate_captures_align_vec3` |
//! | convergent floats fill flat slots, then interpolated ones, then new flat ones | [`stages`] | `cases/pack/convergent_floats_fill_holes_of_any_class` |
//! | nothing is interpolated before the fragment stage | [`stages`] | none: WebGPU has no such stages |
//! | points, clip distances and some built-ins take slots | `prepare/link_tests/slots.rs` | `cases/link/the_fullest_interface_beside_builtins`, `cases/link/clip_distances_take_slots` |
//! | scalar packing is a dense list; packing off sorts nothing | `scalar_mode_is_a_dense_list_per_class`, `without_packing_every_leaf_has_a_slot_in_declaration_order` | `pack_scalar_leaves_no_gaps_and_no_order`, `pack_off_gives_every_vector_a_slot` |
//! | everything that the guaranteed packing of GLSL ES places fits | [`super::es_minimum`] | `cases/link/published_es_example_fits` |

use expect_test::{Expect, expect};
use proptest::prelude::*;

use crate::notation::variables;
use crate::place::map::LinkMap;
use ir::interface::Variable;

use super::*;

mod limits;
mod stages;

#[track_caller]
fn check(declarations: &str, table: Expect) {
    check_mode(declarations, PackMode::On, table);
}

#[track_caller]
fn check_mode(declarations: &str, mode: PackMode, table: Expect) {
    table.assert_eq(&match packed(declarations, mode) {
        Ok(map) => map.slot_lines().join("\n"),
        Err(error) => format!("{error:?}"),
    });
}

fn packed(declarations: &str, mode: PackMode) -> Result<LinkMap, PackError> {
    packed_with(declarations, mode, |_| {})
}

/// Packs the items after `adjust` has changed each of them.
fn packed_with(
    declarations: &str,
    mode: PackMode,
    adjust: impl Fn(&mut PackItem),
) -> Result<LinkMap, PackError> {
    let variables = variables(declarations);
    let mut items = items_of(&variables);
    items.iter_mut().for_each(adjust);
    let map = pack(&items, mode)?;
    Ok(LinkMap::new(&variables.iter().collect::<Vec<_>>(), &map))
}

fn items_of(variables: &[Variable]) -> Vec<PackItem> {
    let item = |variable: &Variable| PackItem {
        ty: variable.ty.clone(),
        class: PackingClass::of(&variable.ty, variable.interpolation, variable.sampling),
        explicit: variable.location.map(|slot| Position { slot, component: 0 }),
        is_convergent: false,
        is_aligned: false,
    };
    variables.iter().map(item).collect()
}

/// C1, E1
#[test]
fn the_threads_own_example_double_parks_one_vec3() {
    let table = expect![[r"
        0.xyzw <- a.xy b.xy
        1.xyzw <- c.xyz d.x
        2.xy <- d.yz"]];
    check("vec2 a; vec2 b; vec3 c; vec3 d", table);
}

/// C1: any of the 24 orders of declaration gives three slots, both vec2 in slot 0 and one straddling vec3.
#[test]
fn every_permutation_of_the_example_packs_alike() {
    let names = ["vec2 a", "vec2 b", "vec3 c", "vec3 d"];
    let mut seen = 0;
    for order in 0..256_usize {
        let picks: Vec<usize> = (0..4).map(|digit| order >> (2 * digit) & 3).collect();
        if (0..4).any(|idx| !picks.contains(&idx)) {
            continue;
        }
        seen += 1;
        let text: Vec<&str> = picks.iter().map(|idx| names[*idx]).collect();
        let map = packed(&text.join("; "), PackMode::On).expect("fits");
        assert_eq!(map.slots.len(), 3);
        let slots_of = |name| {
            let positions = map.positions_of(name).expect("placed");
            (positions[0].slot, positions[positions.len() - 1].slot)
        };
        assert_eq!((slots_of("a"), slots_of("b")), ((0, 0), (0, 0)));
        let straddling =
            ["c", "d"].iter().filter(|name| slots_of(name).0 != slots_of(name).1).count();
        assert_eq!(straddling, 1);
    }
    assert_eq!(seen, 24);
}

/// C2
#[test]
fn ties_keep_declaration_order() {
    check("vec2 b; vec2 a", expect!["0.xyzw <- b.xy a.xy"]);
}

/// C3, E2
#[test]
fn scalar_and_vec3_complete_a_slot() {
    let table = expect![[r"
        0.xyzw <- p.xy q.xy
        1.xyzw <- f v.xyz"]];
    check("float f; vec2 p; vec3 v; vec2 q", table);
}

/// C4, E3
#[test]
fn array_elements_straddle_independently() {
    let table = expect![[r"
        0.xyzw <- n[0].xyz n[1].x
        1.xyzw <- n[1].yz n[2].xy
        2.x <- n[2].z"]];
    check("vec3 n[3]", table);
}

/// C5, E4
#[test]
fn mat3_sorts_as_a_scalar() {
    let table = expect![[r"
        0.xyzw <- uv.xy m[0].xy
        1.xyzw <- m[0].z m[1].xyz
        2.xyzw <- m[2].xyz k"]];
    check("mat3 m; vec2 uv; float k", table);
    let table = expect![[r"
        0.xyzw <- uv.xy k m[0].x
        1.xyzw <- m[0].yz m[1].xy
        2.xyzw <- m[1].z m[2].xyz"]];
    check("float k; mat3 m; vec2 uv", table);
}

/// C8, E5
#[test]
fn structs_are_packed_inside_and_sort_by_their_total() {
    let table = expect![[r"
        0.xyzw <- s.f s.v.xyz
        1.xyzw <- s.a[0].xy s.a[1].xy
        2.xy <- t.xy"]];
    check("vec2 t; struct{float f; vec3 v; vec2 a[2];} s", table);
    let table = expect![[r"
        0.xyzw <- arr[0].f arr[0].v.xyz
        1.xyzw <- arr[0].a[0].xy arr[0].a[1].xy
        2.xyzw <- arr[1].f arr[1].v.xyz
        3.xyzw <- arr[1].a[0].xy arr[1].a[1].xy
        4.xyzw <- arr[2].f arr[2].v.xyz
        5.xyzw <- arr[2].a[0].xy arr[2].a[1].xy"]];
    check("struct{float f; vec3 v; vec2 a[2];} arr[3]", table);
}

/// C9, E6
#[test]
fn everything_flat_shares_slots_whatever_its_base_type() {
    let table = expect![[r"
        0.xyzw <- i.xy u g
        1.xyz <- h.xyz"]];
    check("flat ivec2 i; flat uint u; flat float g; flat vec3 h", table);
}

/// C10, E7
#[test]
fn classes_follow_in_order_and_never_share() {
    let table = expect![[r"
        0.xyzw <- d a.xyz
        1.xyzw <- e b.xyz
        2.xy <- c.xy
        3.x <- f"]];
    check(
        "smooth vec3 a; flat vec3 b; noperspective vec2 c; smooth float d; flat float e; centroid noperspective float f",
        table,
    );
}

/// C10, E14: an unqualified varying shares the smooth slot.
#[test]
fn every_class_opens_a_slot() {
    let table = expect![[r"
        0.xy <- a b
        1.x <- c
        2.x <- d
        3.x <- e
        4.x <- f"]];
    check(
        "float a; smooth float b; flat float c; noperspective float d; centroid float e; sample float f",
        table,
    );
}

/// C7, E8
#[test]
fn two_column_matrices_sort_with_vec2() {
    let table = expect![[r"
        0.xyzw <- foo[0].xy foo[1].xy
        1.xyzw <- foo[2].xy bar[0].xy
        2.xyzw <- bar[0].z bar[1].xyz"]];
    check("mat3x2 foo; vec3 bar[2]", table);
}

/// C13, E9, E10
#[test]
fn doubles_never_straddle() {
    let table = expect![[r"
        0.xyzw <- d.lo d.hi e.x.lo e.x.hi
        1.xyzw <- e.y.lo e.y.hi e.z.lo e.z.hi
        2.xyzw <- f g.xyz"]];
    check("flat float f; double d; dvec3 e; flat vec3 g", table);
    let table = expect![[r"
        0.xyz <- s.a.xyz
        1.xy <- s.d.lo s.d.hi"]];
    check("struct{vec3 a; double d;} s", table);
    check("struct{float a; double d;} s", expect!["0.xyz <- s.a s.d.lo s.d.hi"]);
}

/// C13, E11
#[test]
fn a_padded_dvec2_starts_at_an_even_component() {
    let table = expect![[r"
        0.xzw <- s.a s.d.x.lo s.d.x.hi
        1.xyz <- s.d.y.lo s.d.y.hi s.b
        2.xy <- s.e.lo s.e.hi"]];
    check("struct{float a; dvec2 d; float b; double e;} s", table);
}

/// C14, E12: the waste of a class opens a seventeenth slot.
#[test]
fn sixty_one_smooth_and_three_flat_scalars_take_seventeen_slots() {
    let map = packed("float s[61]; flat int i[3]", PackMode::On).expect("fits");
    assert_eq!(map.slots.len(), 17);
    assert_eq!(map.positions_of("i[2]"), Some(vec![Position { slot: 16, component: 2 }]));
}

/// C15, E13
#[test]
fn twenty_one_vec3_and_a_float_waste_nothing() {
    let map = packed("vec3 v[21]; float f", PackMode::On).expect("fits");
    assert_eq!(map.slots.len(), 16);
    assert!(map.slots.iter().all(|row| row.components.iter().all(Option::is_some)));
    assert_eq!(map.positions_of("f"), Some(vec![Position { slot: 0, component: 0 }]));
}

/// C17, E17
#[test]
fn room_before_an_explicit_location_is_not_filled_later() {
    let table = expect![[r"
        1.xyzw <- e.xyzw
        3.xyzw <- f.xyzw
        4.xyzw <- b[0].xyzw
        5.xyzw <- b[1].xyzw
        6.xyzw <- c.xy a.xy
        7.x <- a.z"]];
    check("@1 vec4 e; @3 vec4 f; vec3 a; vec4 b[2]; vec2 c", table);
}

/// C11, E19
#[test]
fn one_integer_makes_a_whole_struct_flat() {
    let table = expect![[r"
        0.xy <- w.xy
        1.xyzw <- s.i s.v.xyz
        2.xy <- z.xy"]];
    check("struct{int i; vec3 v;} s; smooth vec2 w; flat uvec2 z", table);
}

/// C6, C7, E21
#[test]
fn matrices_of_one_class_are_contiguous() {
    let map = packed(
        "mat4 a; mat3 b; mat2 c; mat4x3 d; mat3x4 e; mat2x3 f; mat3x2 g; mat2x4 h; mat4x2 i",
        PackMode::On,
    )
    .expect("fits");
    let place = |name: &str| {
        let positions = map.positions_of(name).expect("placed");
        format!("{} to {}", positions[0], positions[positions.len() - 1])
    };
    assert_eq!(map.slots.len(), 21);
    assert_eq!(place("a"), "0.x to 3.w");
    assert_eq!(place("c"), "4.x to 4.w");
    assert_eq!(place("d"), "5.x to 7.w");
    assert_eq!(place("e"), "8.x to 10.w");
    assert_eq!(place("h"), "11.x to 12.w");
    assert_eq!(place("i"), "13.x to 14.w");
    assert_eq!(place("f"), "15.x to 16.y");
    assert_eq!(place("g"), "16.z to 17.w");
    assert_eq!(place("b"), "18.x to 20.x");
}

#[test]
fn scalar_mode_is_a_dense_list_per_class() {
    let table = expect![[r"
        0.xyzw <- a.xy b.xy
        1.xyzw <- b.z c.xyz
        2.xyzw <- d n.xyz"]];
    check_mode("vec2 a; vec3 b; vec3 c; flat float d; flat ivec3 n", PackMode::Scalar, table);
}

#[test]
fn without_packing_every_leaf_has_a_slot_in_declaration_order() {
    let table = expect![[r"
        0.x <- f
        1.xy <- a.xy
        2.xy <- m[0].xy
        3.xy <- m[1].xy
        4.x <- n[0]
        5.x <- n[1]"]];
    check_mode("flat float f; vec2 a; mat2 m; float n[2]", PackMode::Off, table);
}

/// E16: each varying begins a slot, but its parts are still packed.
#[test]
fn packing_inside_keeps_the_order_of_declaration() {
    let table = expect![[r"
        0.xy <- a.xy
        1.xyz <- b.xyz
        2.xyzw <- m[0].xy m[1].xy
        3.xy <- m[2].xy
        4.xyzw <- n[0].xyz n[1].x
        5.xy <- n[1].yz"]];
    check_mode("vec2 a; vec3 b; mat3x2 m; vec3 n[2]", PackMode::Inside, table);
    check_mode(
        "flat float f; struct{float a; vec2 b;} s; float g",
        PackMode::Inside,
        expect![[r"
        0.x <- f
        1.xyz <- s.a s.b.xy
        2.x <- g"]],
    );
}

/// C19, E15: varyings that are captured to separate buffers must not straddle slots.
#[test]
fn aligned_vec3_begin_slots() {
    let declarations = "vec2 a; vec3 b; vec3 c; float d";
    let map = packed_with(declarations, PackMode::On, |item| item.is_aligned = true);
    let table = expect![[r"
        0.xyz <- a.xy d
        1.xyz <- b.xyz
        2.xyz <- c.xyz"]];
    table.assert_eq(&map.expect("fits").slot_lines().join("\n"));
    let table = expect![[r"
        0.xyzw <- a.xy d b.x
        1.xyzw <- b.yz c.xy
        2.x <- c.z"]];
    check(declarations, table);
}

#[test]
fn explicit_varyings_must_not_overlap_or_mix_classes() {
    check(
        "@1 vec4 a; @1 float b",
        expect!["Overlap { first: 0, second: 1, at: Position { slot: 1, component: 0 } }"],
    );
    let items = [
        PackItem {
            ty: Type::F32,
            class: class("smooth"),
            explicit: Some(Position { slot: 2, component: 0 }),
            is_convergent: false,
            is_aligned: false,
        },
        PackItem {
            ty: Type::F32,
            class: class("flat"),
            explicit: Some(Position { slot: 2, component: 1 }),
            is_convergent: false,
            is_aligned: false,
        },
    ];
    assert_eq!(
        pack(&items, PackMode::On),
        Err(PackError::MixedSlot { first: 0, second: 1, slot: 2 })
    );
}

#[test]
fn absurd_sizes_are_an_error() {
    check("float a[4294967295]", expect!["TooLarge { item: 0 }"]);
    check("mat4 a[4294967295]; float b", expect!["TooLarge { item: 0 }"]);
}

fn class(word: &str) -> PackingClass {
    let variable = &variables(&format!("{word} float x"))[0];
    PackingClass::of(&variable.ty, variable.interpolation, variable.sampling)
}

const CLASS_WORDS: [&str; 6] =
    ["smooth", "flat", "noperspective", "centroid", "sample", "centroid noperspective"];
const TYPES: [&str; 12] = [
    "float", "vec2", "vec3", "vec4", "mat2", "mat3", "mat4", "mat2x3", "mat3x2", "mat4x3", "int",
    "uvec3",
];

fn any_item() -> impl Strategy<Value = PackItem> {
    (0..CLASS_WORDS.len(), 0..TYPES.len(), 0..4_u32).prop_map(|(class_idx, ty, length)| {
        let base: Type = TYPES[ty].parse().expect("a type");
        let ty = if length == 0 { base } else { base.array(length) };
        let declared = &variables(&format!("{} float x", CLASS_WORDS[class_idx]))[0];
        let class = PackingClass::of(&ty, declared.interpolation, declared.sampling);
        PackItem { ty, class, explicit: None, is_convergent: false, is_aligned: false }
    })
}

proptest! {
    /// C16: nothing overlaps, nothing is lost, classes never share a slot, and the slots stay within (C + 3K) / 4.
    #[test]
    fn packing_is_sound_and_keeps_its_bound(items in prop::collection::vec(any_item(), 1..20)) {
        for mode in [PackMode::On, PackMode::Off, PackMode::Inside, PackMode::Scalar] {
            let map = pack(&items, mode).expect("no explicit locations");
            let mut owners = std::collections::BTreeMap::new();
            for (idx, item) in items.iter().enumerate() {
                prop_assert_eq!(map.items[idx].len(), item.ty.component_count() as usize);
                for at in &map.items[idx] {
                    prop_assert!(owners.insert(*at, idx).is_none());
                    prop_assert_eq!(map.classes[&at.slot], item.class);
                }
            }
            if !begins_slots(mode) {
                let components: u32 = items.iter().map(|item| item.ty.component_count()).sum();
                let classes: BTreeSet<PackingClass> = items.iter().map(|item| item.class).collect();
                let bound = (components as usize + 3 * classes.len()) / 4;
                prop_assert!(map.classes.len() <= bound);
            }
        }
    }
}
