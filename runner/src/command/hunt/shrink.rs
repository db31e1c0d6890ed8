//! Makes a failing random program smaller: first its tree, which stays a valid program in any language, then its text.

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use generate::programs::{Draft, Layer};

use crate::command::reduce::symptom::{Precision, Symptom};
use crate::command::reduce::trial::Trial;
use crate::command::reduce::{reduced, symptom_in};

/// Number of programs that are enough for a round.
const ENOUGH: usize = 24;

/// A program that has become smaller.
#[derive(Debug)]
pub(super) struct Shrunk {
    pub(super) text: String,
    /// The features of the program; none if it is not random.
    pub(super) features: BTreeSet<String>,
    /// The program before its text became smaller.
    pub(super) draft: Option<Draft>,
}

/// The smallest program with the same failure that is found before the deadline; `None` if the program does not fail when
/// it runs again.
pub(super) fn shrink(
    trial: &mut Trial,
    draft: Option<&Draft>,
    text: &str,
    deadline: Instant,
) -> anyhow::Result<Option<Shrunk>> {
    let Some(symptom) = symptom(trial, text)? else { return Ok(None) };
    let whole = |text: String| {
        let features = draft.map(Draft::features).unwrap_or_default();
        Ok(Some(Shrunk { text, features, draft: draft.cloned() }))
    };
    if symptom.is_missing_error() {
        // Every shorter text lacks the error as well.
        return whole(text.to_owned());
    }
    let Some(random) = draft.filter(|_| !symptom.is_slow()) else {
        return whole(reduced(trial, text, symptom, Some(deadline))?.0.text);
    };
    let mut shrinking = Shrinking { trial, symptom: &symptom, original: text, deadline };
    let small = shrinking.run(random.clone())?;
    let (features, text) = (small.features(), small.case());
    let text = match self::symptom(trial, &text)? {
        Some(symptom) => reduced(trial, &text, symptom, Some(deadline))?.0.text,
        // It does not fail each time.
        None => text,
    };
    Ok(Some(Shrunk { text, features, draft: Some(small) }))
}

/// The symptom of a text; `None` if it does not fail.
fn symptom(trial: &mut Trial, text: &str) -> anyhow::Result<Option<Symptom>> {
    let outcome = trial.run(&[text])?.remove(0);
    symptom_in(trial, &outcome, text, Precision::Exact)
}

struct Shrinking<'a> {
    trial: &'a mut Trial,
    symptom: &'a Symptom,
    original: &'a str,
    deadline: Instant,
}

impl Shrinking<'_> {
    /// Cuts all layers until none can be cut any more.
    fn run(&mut self, mut draft: Draft) -> anyhow::Result<Draft> {
        loop {
            let before = draft.case().len();
            for layer in Layer::all() {
                draft = self.cut(draft, layer)?;
            }
            if draft.case().len() == before || Instant::now() >= self.deadline {
                return Ok(draft);
            }
        }
    }

    /// Delta debugging with the cuts of a layer, several sizes at a time: to begin a round costs as much as some programs.
    fn cut(&mut self, mut draft: Draft, layer: Layer) -> anyhow::Result<Draft> {
        let mut largest = usize::MAX;
        while Instant::now() < self.deadline {
            let (parts, smaller) = parts(draft.cuts(layer), largest);
            match self.first(&draft, layer, parts)? {
                Some(smaller) => draft = smaller,
                None if smaller == 0 => break,
                None => largest = smaller,
            }
        }
        Ok(draft)
    }

    /// The program with as many of the parts cut together as fail when cut alone.
    fn first(
        &mut self,
        draft: &Draft,
        layer: Layer,
        parts: Vec<BTreeSet<usize>>,
    ) -> anyhow::Result<Option<Draft>> {
        let smaller: Vec<_> = parts.iter().map(|part| draft.with(layer, part)).collect();
        let failing = self.failing(&smaller)?;
        let alone = parts.into_iter().zip(&failing).filter(|(_, fails)| **fails);
        let mut alone: Vec<_> = alone.map(|(part, _)| part).collect();
        while alone.len() > 1 {
            let together = draft.with(layer, &alone.iter().flatten().copied().collect());
            if self.failing(std::slice::from_ref(&together))? == [true] {
                return Ok(Some(together));
            }
            alone.truncate(alone.len().div_ceil(2));
        }
        Ok(smaller.into_iter().zip(failing).find(|(_, fails)| *fails).map(|(draft, _)| draft))
    }

    /// For each program, whether it has the failure.
    fn failing(&mut self, drafts: &[Draft]) -> anyhow::Result<Vec<bool>> {
        let texts: Vec<_> = drafts.iter().map(Draft::case).collect();
        let outcomes = self.trial.run(&texts.iter().map(String::as_str).collect::<Vec<_>>())?;
        let all = texts.iter().zip(&outcomes).enumerate();
        Ok(all
            .map(|(number, (text, outcome))| {
                let origins = self.origins(text);
                self.symptom.is_shown_by(outcome, &origins, &self.trial.root(number))
            })
            .collect())
    }

    /// The line of the original text for every line of a smaller program: the last one that reads the same, as the
    /// commands do that are left, or else the one as far from the end.
    fn origins(&self, text: &str) -> Vec<usize> {
        let (all, count) = (self.original.lines().count(), text.lines().count());
        let numbers: HashMap<_, _> = self.original.lines().zip(1..).collect();
        let lines = text.lines().zip(1..);
        lines
            .map(|(line, number)| {
                let as_far = || (number + all).saturating_sub(count);
                numbers.get(line).copied().unwrap_or_else(as_far)
            })
            .collect()
    }
}

/// Parts of `count` cuts to try together: halves, quarters and so on of no more than `largest` cuts, until there are many.
/// Also returns the size of the next ones; 0 if there are none.
fn parts(count: usize, largest: usize) -> (Vec<BTreeSet<usize>>, usize) {
    let all: Vec<_> = (0..count).collect();
    let mut parts: Vec<BTreeSet<usize>> = Vec::new();
    let mut size = count.min(largest);
    while size > 0 && parts.len() < ENOUGH {
        parts.extend(all.chunks(size).map(|part| part.iter().copied().collect()));
        size /= 2;
    }
    (parts, size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_layers_are_tried_at_once() {
        let sizes = |count, largest| {
            let (parts, next) = parts(count, largest);
            (parts.iter().map(BTreeSet::len).collect::<Vec<_>>(), next)
        };
        assert_eq!(sizes(0, usize::MAX), (vec![], 0));
        assert_eq!(sizes(4, usize::MAX), (vec![4, 2, 2, 1, 1, 1, 1], 0));
        assert_eq!(sizes(5, 2), (vec![2, 2, 1, 1, 1, 1, 1, 1], 0));
        let (many, next) = sizes(64, usize::MAX);
        assert_eq!((many.len(), many.last(), next), (31, Some(&4), 2));
    }
}
