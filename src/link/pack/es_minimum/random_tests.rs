//! Checks that the packer accepts everything that the oracle accepts.

use std::fmt::Write as _;

use crate::notation::variables;
use crate::pack::{PackItem, PackingClass, Position, end_of, pack};
use ir::interface::{Sampling, Variable};
use ir::options::PackMode;

use super::random::{Qualifiers, Random, fitting_set};
use super::{ROWS, fit};

const SETS: usize = 20_000;

/// Number of slots that the packer uses, up to the last one, if the limit is sixteen. Only steps of the linker that
/// change no value are applied: holes are filled, and centroid and sample count as centre because there is no
/// multisampling.
fn slots_needed(items: &[PackItem]) -> Option<usize> {
    let centred: Vec<PackItem> = items.iter().cloned().map(at_center).collect();
    let slots =
        |items: &[PackItem], mode| pack(items, mode).ok().map(|map| end_of(&map.classes) as usize);
    let attempts =
        [(items, PackMode::On), (items, PackMode::Dense), (&centred[..], PackMode::Dense)];
    let mut tried = attempts.into_iter().filter_map(|(items, mode)| slots(items, mode));
    tried.find(|slots| *slots <= ROWS).or_else(|| slots(&centred, PackMode::Dense))
}

fn at_center(item: PackItem) -> PackItem {
    PackItem { class: PackingClass { sampling: Sampling::Center, ..item.class }, ..item }
}

/// Number of slots with only packing classes, without additional steps.
fn class_slots(items: &[PackItem]) -> Option<usize> {
    pack(items, PackMode::On).ok().map(|map| end_of(&map.classes) as usize)
}

fn items(variables: &[Variable]) -> Vec<PackItem> {
    let item = |variable: &Variable| PackItem {
        ty: variable.ty.clone(),
        class: PackingClass::of(&variable.ty, variable.interpolation, variable.sampling),
        explicit: variable.location.map(|slot| Position { slot, component: 0 }),
        is_convergent: false,
        is_aligned: false,
    };
    variables.iter().map(item).collect()
}

/// Packs `SETS` sets that the oracle accepts, and counts those that need more than sixteen slots: `refused` counts
/// those of the packer, `hard` those with only packing classes. At least half of the sets reach the thirteenth row.
#[track_caller]
fn check_sets(seed: u64, qualifiers: Qualifiers, counts: Counts) {
    let mut random = Random(seed);
    let mut near_limit = 0;
    let mut found = Counts { refused: 0, hard: 0 };
    let mut example = String::new();
    for _ in 0..SETS {
        let (set, grid) = fitting_set(&mut random, qualifiers);
        let items = items(&set);
        near_limit += usize::from(grid.row_count() >= 13);
        found.hard += usize::from(class_slots(&items).is_none_or(|slots| slots > ROWS));
        let slots = slots_needed(&items);
        if slots.is_none_or(|slots| slots > ROWS) {
            found.refused += 1;
            example = format!("{slots:?} slots:\n{}", listing(&set));
        }
    }
    assert!(near_limit * 2 > SETS, "only {near_limit} sets are near the limit");
    assert_eq!(found, counts, "the last set that does not fit takes {example}");
}

/// Numbers of sets that need more than sixteen slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counts {
    refused: usize,
    hard: usize,
}

fn listing(set: &[Variable]) -> String {
    set.iter().fold(String::new(), |mut text, variable| {
        let location = variable.location.map_or(String::new(), |at| format!("@{at} "));
        let Variable { interpolation, sampling, ty, .. } = variable;
        let _ = writeln!(text, "{location}{sampling} {interpolation} {ty}");
        text
    })
}

/// Two classes waste less than the two kinds of rows.
#[test]
fn smooth_and_flat_sets_fit() {
    check_sets(1, Qualifiers::Plain, Counts { refused: 0, hard: 0 });
}

/// Centroid and sample are separate classes, which waste too much in some sets.
#[test]
fn sets_with_centroid_and_sample_fit() {
    check_sets(2, Qualifiers::Sampled, Counts { refused: 0, hard: 243 });
}

/// With packing classes, holes before an explicit location stay empty, and its slots are closed.
#[test]
fn sets_with_locations_fit() {
    check_sets(3, Qualifiers::Located, Counts { refused: 0, hard: 2124 });
}

/// The smallest set for which classes need more slots than the oracle needs rows: the centroid vec2 opens a slot.
#[test]
fn centroid_vec2_shares_the_last_slot_when_it_must() {
    let witness = variables("vec4 a[15]; vec2 b; centroid vec2 c");
    assert_eq!(fit(&witness).map(|grid| grid.row_count()), Ok(16));
    assert_eq!(class_slots(&items(&witness)), Some(17));
    assert_eq!(slots_needed(&items(&witness)), Some(16));
}
