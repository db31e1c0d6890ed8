//! Declares variables elsewhere: at other locations, in another order, in blocks or outside them.

use std::ops::Range;

use ir::interface::Variable;
use ir::stage_module::LanguageRules;

use crate::random::Random;

use super::pair::{LOCATIONS, Pair, Seam, is_same, locations_of};

/// Gives all located variables other locations, with gaps between them, and in GLSL also some that have none.
pub(super) fn locations(seam: &mut Seam, random: &mut Random) {
    let mut next = seam.clone();
    if is_glsl(seam) && random.coin() {
        let open = seam.pairs().into_iter().filter(|pair| pair.output.location.is_none());
        for pair in open.filter(|pair| !pair.output.is_block_member) {
            // Any location that no other variable has.
            let all = variables(&next).filter_map(locations_of);
            let free = all.map(|taken| taken.end).max().unwrap_or(0);
            alter(&mut next, &pair, |variable| variable.location = Some(free));
        }
    }
    let mut groups = groups(&next);
    random.shuffle(&mut groups);
    let mut end = random.below(2);
    for group in &mut groups {
        group.to = end;
        end += u32::try_from(group.from.len()).unwrap_or(LOCATIONS) + random.below(3);
    }
    if groups
        .iter()
        .any(|group| group.to + u32::try_from(group.from.len()).unwrap_or(0) > LOCATIONS)
    {
        return;
    }
    let Seam { producer, consumer } = &mut next;
    for variable in producer.outputs.iter_mut().chain(&mut consumer.inputs) {
        let Some(old) = variable.location else { continue };
        if let Some(group) = groups.iter().find(|group| group.from.contains(&old)) {
            variable.location = Some(group.to + old - group.from.start);
        }
    }
    random.add_places(groups.len());
    *seam = next;
}

/// Locations that stay together.
struct Group {
    from: Range<u32>,
    /// The new first location.
    to: u32,
}

/// The locations that variables take, one group for those that share some.
fn groups(seam: &Seam) -> Vec<Group> {
    let mut taken: Vec<_> = variables(seam).filter_map(locations_of).collect();
    taken.sort_by_key(|range| range.start);
    let mut groups: Vec<Group> = Vec::new();
    for range in taken {
        match groups.last_mut().filter(|last| range.start < last.from.end) {
            Some(last) => last.from.end = last.from.end.max(range.end),
            None => groups.push(Group { from: range, to: 0 }),
        }
    }
    groups
}

fn variables(seam: &Seam) -> impl Iterator<Item = &Variable> {
    seam.producer.outputs.iter().chain(&seam.consumer.inputs)
}

/// Declares all variables in another order, which is the same in both stages.
pub(super) fn order(seam: &mut Seam, random: &mut Random) {
    let mut ranks: Vec<Variable> = variables(seam).cloned().collect();
    random.shuffle(&mut ranks);
    let rank = |variable: &Variable| ranks.iter().position(|one| is_same(one, variable));
    random.add_places(seam.producer.outputs.len().saturating_sub(1));
    seam.producer.outputs.sort_by_key(rank);
    seam.consumer.inputs.sort_by_key(rank);
}

/// Moves some variables of GLSL stages into a block, and some out of theirs.
pub(super) fn block(seam: &mut Seam, random: &mut Random) {
    if !is_glsl(seam) {
        return;
    }
    for pair in seam.pairs() {
        if pair.output.location.is_some() || !random.alters() {
            continue;
        }
        alter(seam, &pair, |variable| {
            variable.alias = String::new();
            if !variable.is_block_member {
                variable.name = format!("varied.{}", variable.name);
            }
            variable.is_block_member = !variable.is_block_member;
        });
    }
}

const fn is_glsl(seam: &Seam) -> bool {
    matches!(
        (seam.producer.rules, seam.consumer.rules),
        (LanguageRules::Glsl { .. }, LanguageRules::Glsl { .. })
    )
}

/// Alters both variables of a pair.
fn alter(seam: &mut Seam, pair: &Pair, mut alter: impl FnMut(&mut Variable)) {
    let Seam { producer, consumer } = seam;
    let outputs = producer.outputs.iter_mut().filter(|output| **output == pair.output);
    let inputs = consumer.inputs.iter_mut().filter(|input| **input == pair.input);
    outputs.chain(inputs).for_each(&mut alter);
}
