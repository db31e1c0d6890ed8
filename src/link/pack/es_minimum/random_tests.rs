//! What the oracle accepts, the packer accepts.

use std::fmt::Write as _;

use super::random::{Qualifiers, Random, fitting_set};
use super::{ROWS, fit};
use crate::case::PackMode;
use crate::link::interface::Variable;
use crate::link::pack::{PackItem, PackingClass, Position, pack};
use crate::link::testing::variables;

const SETS: usize = 20_000;

/// Slots that the packer uses when there are sixteen, counted up to the last one.
fn slots_needed(items: &[PackItem]) -> Option<usize> {
    class_slots(items)
}

/// Slots by packing classes alone.
fn class_slots(items: &[PackItem]) -> Option<usize> {
    pack(items, PackMode::On).ok().map(|map| map.classes.len())
}

fn items(variables: &[Variable]) -> Vec<PackItem> {
    let item = |variable: &Variable| PackItem {
        ty: variable.ty.clone(),
        class: PackingClass::of(&variable.ty, variable.interpolation, variable.sampling),
        explicit: variable.location.map(|slot| Position { slot, component: 0 }),
    };
    variables.iter().map(item).collect()
}

/// Packs `SETS` sets that the oracle accepts. At least half of them reach the thirteenth row, and of `hard` in a
/// thousand the packing classes alone make more than sixteen slots.
#[track_caller]
fn check_sets(seed: u64, qualifiers: Qualifiers, hard: usize) {
    let mut random = Random(seed);
    let (mut near_limit, mut hard_ones) = (0, 0);
    for number in 0..SETS {
        let (set, grid) = fitting_set(&mut random, qualifiers);
        let items = items(&set);
        near_limit += usize::from(grid.row_count() >= 13);
        hard_ones += usize::from(class_slots(&items).is_none_or(|slots| slots > ROWS));
        let slots = slots_needed(&items);
        assert!(
            slots.is_some_and(|slots| slots <= ROWS),
            "set {number} fits {} rows but takes {slots:?} slots:\n{}",
            grid.row_count(),
            listing(&set)
        );
    }
    assert!(near_limit * 2 > SETS, "only {near_limit} sets are near the limit");
    assert!(hard_ones * 1000 >= SETS * hard, "only {hard_ones} sets are hard");
}

fn listing(set: &[Variable]) -> String {
    set.iter().fold(String::new(), |mut text, variable| {
        let location = variable.location.map_or(String::new(), |at| format!("@{at} "));
        let Variable { interpolation, sampling, ty, .. } = variable;
        let _ = writeln!(text, "{location}{sampling} {interpolation} {ty}");
        text
    })
}

#[test]
fn smooth_and_flat_sets_fit() {
    check_sets(1, Qualifiers::Plain, 0);
}

#[test]
#[ignore = "packing classes of their own for centroid and sample take more slots"]
fn centroid_and_sample_sets_fit() {
    check_sets(2, Qualifiers::Sampled, 10);
}

#[test]
#[ignore = "rows before an explicit location are not filled later"]
fn sets_with_locations_fit() {
    check_sets(3, Qualifiers::Located, 100);
}

/// The smallest way in which classes need more than the rows of the oracle: the centroid vec2 opens a slot.
const WITNESS: &str = "vec4 a[15]; vec2 b; centroid vec2 c";

#[test]
fn classes_alone_need_a_seventeenth_slot() {
    let witness = variables(WITNESS);
    assert_eq!(fit(&witness).map(|grid| grid.row_count()), Ok(16));
    let packed = pack(&items(&witness), PackMode::On).expect("no explicit locations");
    assert_eq!(packed.used_slots(), 17);
}

#[test]
#[ignore = "packing classes of their own for centroid and sample take more slots"]
fn centroid_vec2_shares_the_last_slot_when_it_must() {
    assert_eq!(slots_needed(&items(&variables(WITNESS))), Some(16));
}
