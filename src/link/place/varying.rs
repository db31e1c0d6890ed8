//! Places the matched varyings of a pair: determines the scalars that need a slot, their slots, and the types of the
//! slots.
//!
//! The varyings are packed as the case specifies. If they do not fit into the adapter's inter-stage variables, the
//! linker packs more tightly by one additional [`PackStep`] at a time, and records the steps in the link map. Steps
//! that cannot change a result come first; only the last two may change the last bit of an interpolated value.

pub(crate) mod carrier;
mod connect;
mod pieces;

use crate::pack::{PackError, SlotMap, pack};
use crate::place::budget::Budget;
use crate::place::map::LinkMap;
use crate::place::optimise::{self, Facts};
use crate::place::routing::{PairOfStages, Routing};
use crate::{LinkError, LinkOptions};
use ir::diagnostic::Diagnostic;
use ir::interface::Variable;
use ir::options::{PackMode, PackStep, Packing};

use pieces::{Piece, Pieces};

pub(crate) use connect::connect;
pub(crate) use connect::connect_uniforms;

/// Determines the routes of the matched varyings. The consumer's qualifiers apply.
pub(crate) fn place(pair: PairOfStages<'_>, options: &LinkOptions) -> Result<Routing, LinkError> {
    let budget = Budget::of(pair, options);
    let mut facts = None;
    let mut steps = Vec::new();
    let mut packing = options.packing;
    let mut placed = attempt(pair, options, packing, &mut facts)?;
    let is_hopeless =
        !options.labels.are_used() && placed.pieces.explicit_end() > budget.locations();
    for step in remaining_steps(options) {
        if budget.holds(&placed.slots) || is_hopeless {
            break;
        }
        apply(&mut packing, step);
        let tighter = attempt(pair, options, packing, &mut facts)?;
        if tighter != placed {
            placed = tighter;
            steps.push(step);
        }
    }
    let Attempt { pieces, slots } = placed;
    let routing = pieces.routing(pair, slots, steps, options);
    if budget.holds_classes(&routing.classes) {
        return Ok(routing);
    }
    Err(too_many(pair, &budget, &routing))
}

/// One attempt at placing all varyings, with some steps.
#[derive(PartialEq, Eq)]
struct Attempt {
    pieces: Pieces,
    slots: SlotMap,
}

fn attempt(
    pair: PairOfStages<'_>,
    options: &LinkOptions,
    packing: Packing,
    facts: &mut Option<Facts>,
) -> Result<Attempt, LinkError> {
    let has_tex_coords =
        pair.inputs().iter().any(|input| input.name.starts_with(crate::lower::legacy::TEX_COORD));
    let is_needed = packing.optimise != ir::options::Optimise::default() || has_tex_coords;
    if is_needed && facts.is_none() {
        *facts = Some(optimise::analyse(pair.producer, pair.consumer, pair.matching));
    }
    let pieces = Pieces::of(pair, options, packing, facts.as_ref());
    let items: Vec<_> = pieces.pieces.iter().map(|piece| piece.item.clone()).collect();
    let slots = pack(&items, packing.mode)
        .map_err(|error| refused(&pair.inputs(), &pieces.pieces, &error))?;
    Ok(Attempt { pieces, slots })
}

/// The steps that may still be applied. There are none if the case disables packing or the fallback.
fn remaining_steps(options: &LinkOptions) -> Vec<PackStep> {
    let is_packed = match options.packing.mode {
        PackMode::On | PackMode::Scalar | PackMode::Dense => true,
        PackMode::Off | PackMode::Inside => false,
    };
    if !options.packing.has_fallback || !is_packed {
        return Vec::new();
    }
    PackStep::ALL.into_iter().map(|(_, step)| step).collect()
}

const fn apply(packing: &mut Packing, step: PackStep) {
    match step {
        PackStep::Dense => packing.mode = PackMode::Dense,
        PackStep::Optimise => {
            packing.optimise.dead = true;
            packing.optimise.constants = true;
            packing.optimise.duplicates = true;
        }
        PackStep::Centroid => packing.share.centroid = true,
        PackStep::Convergent => packing.optimise.convergent = true,
        PackStep::NoPerspective => packing.share.noperspective = true,
    }
}

fn too_many(pair: PairOfStages<'_>, budget: &Budget, routing: &Routing) -> LinkError {
    let inputs = pair.inputs();
    let map = LinkMap::of_varyings(&inputs, routing);
    let span = inputs.last().and_then(|input| input.span);
    let mut help = budget.rows(routing);
    help.extend(map.slot_lines());
    let error = Diagnostic::error(span, budget.message(&routing.classes));
    budget.error(error.with_help(help.join("\n")))
}

fn refused(inputs: &[&Variable], pieces: &[Piece], error: &PackError) -> LinkError {
    let pair = |item: usize| pieces.get(item).map_or(usize::MAX, |piece| piece.pair);
    misplaced(inputs, pair, error)
}

/// The error for items that cannot be placed. `pair` returns the index of an item's pair.
pub(crate) fn misplaced(
    inputs: &[&Variable],
    pair: impl Fn(usize) -> usize,
    error: &PackError,
) -> LinkError {
    let name = |item: usize| inputs.get(pair(item)).map_or("", |input| input.name.as_str());
    let (item, message) = match error {
        PackError::TooLarge { item } => {
            (*item, format!("`{}` does not fit any adapter", name(*item)))
        }
        PackError::Overlap { first, second, at } => {
            (*second, format!("`{}` and `{}` overlap at {at}", name(*first), name(*second)))
        }
        PackError::MixedSlot { first, second, slot } => (
            *second,
            format!(
                "`{}` and `{}` share location {slot} but differ in interpolation or sampling",
                name(*first),
                name(*second)
            ),
        ),
    };
    let span = inputs.get(pair(item)).and_then(|input| input.span);
    LinkError::Refused(vec![Diagnostic::error(span, message)])
}

impl Routing {
    /// The routing of varyings whose scalars are all in the slots that the packer chose.
    pub(crate) fn plain(inputs: &[&Variable], packed: &SlotMap) -> Self {
        use crate::pack::Position;
        use crate::place::routing::Route;

        let route = |at: &Position| Route::Slot {
            at: *at,
            is_over_w: false,
            is_duplicate: false,
            is_convergent: false,
        };
        let routes: Vec<Vec<Route>> =
            packed.items.iter().map(|item| item.iter().map(route).collect()).collect();
        let carriers = carrier::carriers(inputs, &routes, &packed.classes, true);
        Self { routes, classes: packed.classes.clone(), carriers, steps: Vec::new() }
    }
}
