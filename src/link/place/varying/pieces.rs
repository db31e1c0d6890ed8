//! Pieces for the packer: whole varyings, or the parts of varyings that are split.

use std::collections::{BTreeMap, BTreeSet};

use crate::LinkOptions;
use crate::lower::legacy;
use crate::lower::legacy::TEX_COORD;
use crate::pack::{PackItem, PackingClass, Position, SlotMap};
use crate::place::optimise::{Facts, UniformScalar, Written};
use crate::place::routing::{PairOfStages, Route, Routing};
use ir::interface::{Interpolation, Sampling, ScalarKind, Type, Variable};
use ir::options::{ColorState, Optimise, PackStep, Packing, Share};

use super::carrier::carriers;

/// A piece that the packer places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Index of the pair of the piece's varying.
    pub(super) pair: usize,
    /// Index of the piece's first scalar in the varying.
    first: usize,
    /// The packer's item.
    pub(super) item: PackItem,
    /// True if the piece is passed multiplied by w.
    is_over_w: bool,
}

/// All pieces of a pair, and the fates of scalars that need no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pieces {
    pub(super) pieces: Vec<Piece>,
    fates: Vec<Vec<Fate>>,
}

/// The decision about a scalar before placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Travels { is_convergent: bool },
    Same { pair: usize, scalar: usize },
    Constant(u32),
    Uniform(UniformScalar),
    Dead,
}

impl Fate {
    const PLAIN: Self = Self::Travels { is_convergent: false };
}

impl Pieces {
    /// Splits the varyings of the pair.
    pub(super) fn of(
        pair: PairOfStages<'_>,
        options: &LinkOptions,
        packing: Packing,
        facts: Option<&Facts>,
    ) -> Self {
        let inputs = pair.inputs();
        let classes: Vec<PackingClass> =
            inputs.iter().map(|input| class_of(input, options.raster.colors)).collect();
        let fates = match facts {
            Some(facts) => fates(&inputs, &classes, facts, packing.optimise),
            None => inputs
                .iter()
                .map(|input| vec![Fate::PLAIN; input.ty.component_count() as usize])
                .collect(),
        };
        let mut pieces = Vec::new();
        for (idx, input) in inputs.iter().enumerate() {
            let output = &pair.producer.outputs[pair.matching.pairs[idx].output];
            let explicit = output.location.map(|slot| Position {
                slot,
                component: input.component.unwrap_or(0).min(3) as u8,
            });
            let can_share = explicit.is_none();
            let (class, is_over_w) = shared_class(classes[idx], packing.share, options, can_share);
            let whole = PackItem {
                ty: input.ty.clone(),
                class,
                explicit,
                is_convergent: false,
                is_aligned: packing.is_vec3_aligned,
            };
            if fates[idx].iter().all(|fate| *fate == Fate::PLAIN) {
                pieces.push(Piece { pair: idx, first: 0, item: whole, is_over_w });
                continue;
            }
            pieces.extend(cut(&whole, &fates[idx]).into_iter().map(|(first, item)| {
                let is_over_w = is_over_w && !item.is_convergent;
                Piece { pair: idx, first, item, is_over_w }
            }));
        }
        Self { pieces, fates }
    }

    /// The slot after the last one that has an explicit location.
    pub(super) fn explicit_end(&self) -> usize {
        let end = |piece: &Piece| {
            let at = piece.item.explicit?;
            let count = piece.item.ty.location_count(at.component);
            Some(at.slot.saturating_add(count) as usize)
        };
        self.pieces.iter().filter_map(end).max().unwrap_or(0)
    }

    /// The routes that follow from the packer's placement of the pieces.
    pub(super) fn routing(
        self,
        pair: PairOfStages<'_>,
        slots: SlotMap,
        steps: Vec<PackStep>,
        options: &LinkOptions,
    ) -> Routing {
        let mut placed: BTreeMap<(usize, usize), (Position, &Piece)> = BTreeMap::new();
        for (piece, own) in self.pieces.iter().zip(&slots.items) {
            for (scalar, at) in (piece.first..).zip(own) {
                placed.insert((piece.pair, scalar), (*at, piece));
            }
        }
        let slot = |pair: usize, scalar: usize, is_duplicate: bool| {
            let found = placed.get(&(pair, scalar)).copied();
            found.map_or(Route::Dead, |(at, piece)| Route::Slot {
                at,
                is_over_w: piece.is_over_w,
                is_duplicate,
                is_convergent: piece.item.is_convergent,
            })
        };
        let route = |pair: usize, (scalar, fate): (usize, &Fate)| match *fate {
            Fate::Travels { .. } => slot(pair, scalar, false),
            Fate::Same { pair, scalar } => slot(pair, scalar, true),
            Fate::Constant(bits) => Route::Constant(bits),
            Fate::Uniform(uniform) => Route::Uniform(uniform),
            Fate::Dead => Route::Dead,
        };
        let routes: Vec<Vec<Route>> = (0..)
            .zip(&self.fates)
            .map(|(pair, fates)| fates.iter().enumerate().map(|fate| route(pair, fate)).collect())
            .collect();
        let is_native_kept = options.packing.is_native_kept;
        let carriers = carriers(&pair.inputs(), &routes, &slots.classes, is_native_kept);
        Routing { routes, classes: slots.classes, carriers, steps }
    }
}

fn class_of(input: &Variable, colors: ColorState) -> PackingClass {
    PackingClass::of(&input.ty, legacy::interpolation(input, colors), input.sampling)
}

/// The class in which a varying may be placed instead of its own, and true if it must be multiplied by w in that class.
fn shared_class(
    class: PackingClass,
    share: Share,
    options: &LinkOptions,
    can_share: bool,
) -> (PackingClass, bool) {
    let mut class = class;
    if share.centroid && !options.raster.is_multisampled && can_share {
        class.sampling = Sampling::Center;
    }
    // The fragment's w is that of the pixel's centre.
    let is_at_center = class.sampling == Sampling::Center || !options.raster.is_multisampled;
    let is_linear = class.interpolation == Interpolation::NoPerspective;
    let is_over_w = share.noperspective && can_share && is_linear && is_at_center;
    if is_over_w {
        class.interpolation = Interpolation::Smooth;
    }
    (class, is_over_w)
}

/// The fate of every scalar of every varying.
fn fates(
    inputs: &[&Variable],
    classes: &[PackingClass],
    facts: &Facts,
    optimise: Optimise,
) -> Vec<Vec<Fate>> {
    let mut known = BTreeMap::new();
    let mut all = Vec::new();
    for (pair, input) in inputs.iter().enumerate() {
        let class = classes[pair];
        let kinds = word_kinds(&input.ty);
        let removed = unread_elements(input, &facts.read[pair]);
        let mut own = Vec::new();
        // In Vulkan an output may have more components than the input; the additional ones come last.
        for (scalar, written) in facts.written[pair].iter().take(kinds.len()).enumerate() {
            let fate = if removed.contains(&scalar) {
                Fate::Dead
            } else {
                fate(written, facts.read[pair][scalar], kinds[scalar], class, optimise)
            };
            let is_kept = matches!(fate, Fate::Travels { .. });
            let same = written.value.filter(|_| is_kept && optimise.duplicates);
            let first = same.map(|value| *known.entry((value, class)).or_insert((pair, scalar)));
            own.push(match first.filter(|first| *first != (pair, scalar)) {
                Some((pair, scalar)) => Fate::Same { pair, scalar },
                None => fate,
            });
        }
        all.push(own);
    }
    all
}

/// The scalars of unread elements of `gl_TexCoord`. They are never passed, because the elements are separate varyings.
/// A dynamic index in the fragment stage reads all elements; writes in the vertex stage do not matter.
fn unread_elements(input: &Variable, read: &[bool]) -> BTreeSet<usize> {
    let elements = read.chunks(4).enumerate();
    let unread = elements
        .filter(|(_, element)| input.name.starts_with(TEX_COORD) && !element.contains(&true));
    unread
        .flat_map(|(idx, element)| (0..element.len()).map(move |scalar| 4 * idx + scalar))
        .collect()
}

fn fate(
    written: &Written,
    is_read: bool,
    kind: ScalarKind,
    class: PackingClass,
    optimise: Optimise,
) -> Fate {
    if optimise.dead && !is_read {
        return Fate::Dead;
    }
    let is_flat = class.interpolation == Interpolation::Flat;
    // Interpolation turns an infinity into NaN, and a NaN into a different NaN.
    let survives = |bits: u32| is_flat || f32::from_bits(bits).is_finite();
    if let Some(bits) = written.constant.filter(|bits| optimise.constants && survives(*bits)) {
        return Fate::Constant(bits);
    }
    if let Some(uniform) = written.uniform.filter(|_| optimise.uniforms) {
        return Fate::Uniform(uniform);
    }
    let is_movable = kind == ScalarKind::F32 && !is_flat;
    let is_convergent = written.is_convergent && written.constant.is_none_or(survives);
    Fate::Travels { is_convergent: optimise.convergent && is_convergent && is_movable }
}

/// The kind of each word's scalar.
fn word_kinds(ty: &Type) -> Vec<ScalarKind> {
    ty.leaves().iter().flat_map(|leaf| std::iter::repeat_n(leaf.scalar, leaf.words())).collect()
}

/// The parts of `whole` that are passed in slots: vectors whose scalars all have the same fate, else single scalars.
fn cut(whole: &PackItem, fates: &[Fate]) -> Vec<(usize, PackItem)> {
    let mut cut = Vec::new();
    let mut first = 0;
    let start = whole.explicit.map_or(0, |at| at.component);
    for (leaf_slot, leaf) in whole.ty.located_leaves(start) {
        let own = &fates[first..first + leaf.words()];
        let unit = leaf.scalar.components() as usize;
        let explicit = |component: u8| {
            whole.explicit.map(|start| {
                let word = start.component + component;
                Position { slot: start.slot + leaf_slot + u32::from(word / 4), component: word % 4 }
            })
        };
        if own.iter().all(|fate| *fate == Fate::PLAIN) {
            let ty = Type::scalar_or_vector(leaf.size, leaf.scalar);
            cut.push((first, PackItem { ty, explicit: explicit(0), ..whole.clone() }));
        } else {
            for (component, fate) in (0..).zip(own).step_by(unit) {
                let Fate::Travels { is_convergent } = *fate else { continue };
                let (ty, explicit) = (Type::Scalar(leaf.scalar), explicit(component));
                let is_convergent = is_convergent && explicit.is_none();
                let (class, is_aligned) = (whole.class, false);
                let item = PackItem { ty, class, explicit, is_convergent, is_aligned };
                cut.push((first + usize::from(component), item));
            }
        }
        first += leaf.words();
    }
    cut
}
