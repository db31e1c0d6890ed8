//! Variants of the interface before the fragment stage: other variables that carry the same values.
//!
//! The stages are not linked yet, so the linker packs what the variant declares. Values only take another way: each change
//! adds code behind the producer's, and code before the consumer's that takes it back.

mod bits;
mod group;
mod pair;
mod place;
mod split;
mod work;

use ir::stage::ShaderStage;
use ir::stage_module::{LanguageRules, StageModule, Stages};

use crate::random::Random;
use crate::{Places, hash};

use pair::Seam;

/// Name of a change, and what makes it.
type Row = (&'static str, fn(&mut Seam, &mut Random));

/// All changes. The names are those of results.
const ALL: [Row; 8] = [
    ("bits", bits::change),
    ("block", place::block),
    ("locations", place::locations),
    ("merge", group::change),
    ("order", place::order),
    ("split", split::change),
    ("to-fragment", work::to_fragment),
    ("to-vertex", work::to_vertex),
];

/// Number of changes that there are.
pub const SEAM_CHANGES: usize = ALL.len();

/// Stages with another interface between the fragment stage and the one before it.
#[derive(Clone, Debug)]
pub struct SeamVariant {
    /// The stages.
    pub stages: Stages,
    /// Number of variables that each change altered.
    pub places: Places,
}

/// The stages with another interface, by the first `count` changes of those that the seed and the producer choose. `None`
/// if nothing changes: only vertex and evaluation stages before a fragment stage have such variants, without transform
/// feedback.
pub fn with_other_seam(stages: &Stages, seed: u64, count: usize) -> Option<SeamVariant> {
    let mut all = stages.all().to_vec();
    let consumer = all.pop_if(|last| last.stage == ShaderStage::Fragment)?;
    let producer = all.pop_if(|last| gives_values_at_its_end(last))?;
    let (rows, own) = chosen(&producer, seed);
    let mut seam = Seam { producer, consumer };
    let mut places = Places::new();
    for (number, (name, change)) in rows.into_iter().take(count).enumerate() {
        let mut random = Random::often(own.wrapping_add(number as u64));
        let mut next = seam.clone();
        change(&mut next, &mut random);
        if random.places > 0 {
            seam = next;
            places.insert(name.to_owned(), random.places);
        }
    }
    all.extend([seam.producer, seam.consumer]);
    let stages = Stages::new(all).ok()?;
    (!places.is_empty()).then_some(SeamVariant { stages, places })
}

/// Name of the change with this number, from 0, in the variant of `stages` with this seed.
pub fn seam_change(stages: &Stages, seed: u64, number: usize) -> Option<&'static str> {
    let producer = stages.all().iter().rev().nth(1)?;
    chosen(producer, seed).0.get(number).map(|(name, _)| *name)
}

/// True for a stage whose outputs have their values when its code ends, and that nothing captures.
fn gives_values_at_its_end(stage: &StageModule) -> bool {
    matches!(stage.stage, ShaderStage::Vertex | ShaderStage::TessellationEvaluation)
        && stage.rules != LanguageRules::FixedFunction
        && !stage.xfb.is_declared()
}

/// The changes of a variant in order, and the seed of their places.
fn chosen(producer: &StageModule, seed: u64) -> (Vec<Row>, u64) {
    let mut random = Random::new(seed ^ hash(&producer.module));
    let mut rows = ALL;
    random.shuffle(&mut rows);
    let own = random.seed();
    (rows.into_iter().filter(|_| random.coin()).collect(), own)
}

#[cfg(test)]
mod tests;
