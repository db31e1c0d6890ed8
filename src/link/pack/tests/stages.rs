//! Influence of the stages on both sides: interfaces of tessellation and geometry stages, which no WebGPU program has,
//! and floats that are the same at all vertices of a primitive.

use super::*;

#[track_caller]
fn check_tessellation(vertices: &str, patches: &str, table: Expect) {
    let (vertices, patches) = (variables(vertices), variables(patches));
    let lines = |variables: &[Variable], map: &SlotMap| {
        LinkMap::new(&variables.iter().collect::<Vec<_>>(), map).slot_lines()
    };
    let packed = pack_tessellation(&items_of(&vertices), &items_of(&patches));
    table.assert_eq(&match packed {
        Ok(slots) => {
            let patch_lines = lines(&patches, &slots.patches);
            let patch_lines = patch_lines.into_iter().map(|line| format!("patch {line}"));
            lines(&vertices, &slots.vertices).into_iter().chain(patch_lines).collect::<Vec<_>>()
        }
        .join("\n"),
        Err(error) => format!("{error:?}"),
    });
}

/// C20, E20
#[test]
fn patch_varyings_have_slots_of_their_own() {
    let table = expect![[r"
        0.xy <- q.xy
        patch 0.xy <- p.xy"]];
    check_tessellation("vec2 q", "vec2 p", table);
}

/// C20, E16: not even arrays and matrices are packed inside, and nothing is sorted.
#[test]
fn nothing_is_packed_between_tessellation_stages() {
    let table = expect![[r"
        0.xy <- a.xy
        1.xyz <- b.xyz
        2.xy <- m[0].xy
        3.xy <- m[1].xy
        4.xy <- m[2].xy
        5.xyz <- n[0].xyz
        6.xyz <- n[1].xyz
        patch 0.x <- f
        patch 1.x <- g[0]
        patch 2.x <- g[1]"]];
    check_tessellation("vec2 a; vec3 b; mat3x2 m; vec3 n[2]", "float f; float g[2]", table);
}

#[test]
fn a_patch_has_thirty_two_slots() {
    let last = |length: u32| {
        let items = items_of(&variables(&format!("vec2 a; float p[{length}]")));
        pack_tessellation(&[], &items).map(|slots| slots.patches.used_slots())
    };
    assert_eq!(last(31), Ok(32));
    assert_eq!(last(32), Err(PackError::TooLarge { item: 1 }));
}

/// C12: before the fragment stage all varyings are of one class, whatever their qualifiers.
#[test]
fn between_stages_before_the_fragment_stage_all_is_flat() {
    let declarations = "smooth float a; flat int i; centroid noperspective float c; sample float d";
    let of_fragment_stage = packed(declarations, PackMode::On).expect("fits");
    assert_eq!(of_fragment_stage.slots.len(), 4);
    let map = packed_with(declarations, PackMode::On, |item| item.class = PackingClass::FLAT);
    let table = expect!["0.xyzw <- a i c d"];
    table.assert_eq(&map.expect("fits").slot_lines().join("\n"));
}

/// The lines of a pair whose varyings named `c` are convergent.
fn filled(declarations: &str) -> String {
    let variables = variables(declarations);
    let mut items = items_of(&variables);
    for (item, variable) in items.iter_mut().zip(&variables) {
        item.is_convergent = variable.name.starts_with('c');
    }
    let map = pack(&items, PackMode::On).expect("fits");
    LinkMap::new(&variables.iter().collect::<Vec<_>>(), &map).slot_lines().join("\n")
}

/// C57
/// Flat slots first, although the interpolated one before them is not full; then that one; then a new flat slot, which
/// the next ones share.
#[test]
fn convergent_floats_open_flat_slots_last() {
    let table = expect![[r"
        0.xyzw <- s.xyz c2
        1.xyzw <- i.xy c0 c1
        2.xy <- c3 c4"]];
    table.assert_eq(&filled(
        "vec3 s; flat ivec2 i; float c0; float c1; float c2; float c3; float c4",
    ));
    let new = [PackingClass::FLAT; 2];
    let declared = variables("vec4 s; float c0; float c1; float c2; float c3; float c4");
    let mut items = items_of(&declared);
    items[1..].iter_mut().for_each(|item| item.is_convergent = true);
    let map = pack(&items, PackMode::On).expect("fits");
    assert_eq!(map.classes[1..], new.map(Some));
    assert_eq!(map.items[5], [Position { slot: 2, component: 0 }]);
}
