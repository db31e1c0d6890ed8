//! Executes subgroup operations. A subgroup is four consecutive lanes, in fragment stages a quad; WebGPU has no smaller
//! ones.

use arithmetic::{BinaryFunction, Kind, Known, Machine as _, Now};
use naga::CollectiveOperation;

use super::Lanes;
use crate::code::{Register, Source, SubgroupOp};

/// Number of lanes of a subgroup.
pub(crate) const SIZE: usize = 4;

impl Lanes<'_> {
    pub(super) fn subgroup_operation(&mut self, op: &SubgroupOp) {
        for first in (0..self.width).step_by(SIZE) {
            let end = self.width.min(first + SIZE);
            let active: Vec<usize> = (first..end).filter(|lane| self.active[*lane] != 0).collect();
            match *op {
                SubgroupOp::Ballot { to, predicate } => self.ballot(to, predicate, &active),
                SubgroupOp::Gather { mode, to, from, words } => {
                    for lane in &active {
                        let source = self.source(mode, *lane, &active);
                        for word in 0..words {
                            let value = source.map_or(0, |lane| self.words(from + word)[lane]);
                            self.words_mut(to + word)[*lane] = value;
                        }
                    }
                }
                SubgroupOp::Collective { function, way, to, from, kind, count } => {
                    for item in 0..count {
                        let step = item * kind.words();
                        let all = active.iter().map(|lane| Known {
                            kind,
                            words: [0, kind.words() - 1]
                                .map(|word| self.words(from + step + word)[*lane]),
                        });
                        let results = scan(function, way, &all.collect::<Vec<_>>());
                        for (lane, result) in active.iter().zip(results) {
                            for (word, value) in result.words.iter().take(kind.words()).enumerate()
                            {
                                self.words_mut(to + step + word)[*lane] = *value;
                            }
                        }
                    }
                }
            }
        }
    }

    /// Computes a bit for each lane where the predicate is true, in the first of four words.
    fn ballot(&mut self, to: Register, predicate: Option<Register>, active: &[usize]) {
        let is_true =
            |lane: usize| predicate.is_none_or(|predicate| self.words(predicate)[lane] != 0);
        let lanes = active.iter().filter(|lane| is_true(**lane));
        let bits = lanes.fold(0, |bits, lane| bits | 1 << (lane % SIZE));
        for lane in active {
            for (word, value) in [bits, 0, 0, 0].into_iter().enumerate() {
                self.words_mut(to + word)[*lane] = value;
            }
        }
    }

    /// The lane from which a lane gathers; `None` if that lane is inactive, so its value is undefined.
    fn source(&self, mode: Source, lane: usize, active: &[usize]) -> Option<usize> {
        let first = lane - lane % SIZE;
        let own = lane % SIZE;
        let index = |register: Register| self.words(register)[lane] as usize;
        let place = match mode {
            Source::First => active.first()? % SIZE,
            Source::At(at) => index(at),
            Source::Above(by) => own.checked_add(index(by))?,
            Source::Below(by) => own.checked_sub(index(by))?,
            Source::Across(by) => own ^ index(by),
            Source::Neighbour(bits) => own ^ bits,
        };
        let source = (place < SIZE).then_some(first + place)?;
        active.contains(&source).then_some(source)
    }
}

/// Results of a function over the values of the active lanes, for each of them.
fn scan(function: BinaryFunction, way: CollectiveOperation, all: &[Known]) -> Vec<Known> {
    let Some(first) = all.first() else { return Vec::new() };
    // The compiler has checked that the function exists.
    let both = |x: Known, y: Known| Now.two(function, x, y).unwrap_or(x);
    let sums = all[1..].iter().scan(*first, |sum, own| {
        *sum = both(*sum, *own);
        Some(*sum)
    });
    let sums: Vec<_> = std::iter::once(*first).chain(sums).collect();
    match way {
        CollectiveOperation::Reduce => vec![*sums.last().unwrap_or(first); all.len()],
        CollectiveOperation::InclusiveScan => sums,
        CollectiveOperation::ExclusiveScan => {
            let neutral = u32::from(function == BinaryFunction::Multiply);
            let neutral = Known::new(Kind::U32, neutral).converted(first.kind);
            std::iter::once(neutral).chain(sums).take(all.len()).collect()
        }
    }
}
