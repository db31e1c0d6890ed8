//! Tests the influence of the stages on both sides: interfaces before the fragment stage, which no WebGPU program has,
//! and floats that are the same at all vertices of a primitive.

use super::*;

/// C12: before the fragment stage all varyings belong to one class, whatever their qualifiers.
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

/// C57 Convergent floats first fill flat slots, although an earlier interpolated slot is not full; then the
/// interpolated slot; then a new flat slot, which they share.
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
    assert!(map.classes.into_values().skip(1).eq(new));
    assert_eq!(map.items[5], [Position { slot: 2, component: 0 }]);
}
