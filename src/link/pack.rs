//! Chooses a slot and component for every scalar of every varying that crosses from producer to consumer.
//!
//! The rules are those of Mesa's varying packing of 2012 in its present form, with one change: an unqualified varying
//! belongs to the same class as a smooth one. In short:
//!
//! * A *packing class* contains the varyings that may share a slot: those with the same interpolation and sampling. A
//!   varying that contains an integer or a 64-bit value is flat as a whole, and all flat varyings are passed as `u32`
//!   bits, so the base type is not part of the class.
//! * Classes follow one another in a fixed order and never share a slot.
//! * Inside a class the order is by total component count modulo 4: multiples of four first, then 2, then 1, and 3
//!   last, so that only varyings of the last kind can be *double-parked* (straddle two slots). Ties keep declaration
//!   order.
//! * Scalars are laid out without gaps. A 64-bit scalar or vector that starts at an odd component and would cross
//!   a slot's end moves up by one component.
//! * Explicit locations are reserved first. The cursor skips them and never moves back.
//!
//! [`PackMode::Dense`] ignores the order to save slots: every scalar gets the first free component for its class,
//! including holes between explicit locations. A *convergent* scalar, which is the same at all vertices of a primitive,
//! fits every class and is placed in remaining components (see `fill`).

mod fill;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use ir::interface::{Interpolation, Sampling, ScalarKind, Type};
use ir::options::PackMode;
use ir::semantic::slot_text;

/// Class of varyings that may share a slot. The order is the order of layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackingClass {
    /// Sampling of the varyings; centre for flat slots.
    pub sampling: Sampling,
    /// Interpolation of the varyings, which is never [`Interpolation::Unqualified`].
    pub interpolation: Interpolation,
}

impl PackingClass {
    /// The class of all flat varyings. It also contains integers that no stage reads, and every varying between two
    /// stages before the fragment stage, where nothing is interpolated and sampling has no meaning.
    pub(crate) const FLAT: Self =
        Self { sampling: Sampling::Center, interpolation: Interpolation::Flat };

    /// The class of a varying of type `ty` declared with these qualifiers by the consumer.
    pub fn of(ty: &Type, interpolation: Interpolation, sampling: Sampling) -> Self {
        let interpolation = match interpolation {
            _ if ty.has_always_flat() => Interpolation::Flat,
            Interpolation::Unqualified => Interpolation::Smooth,
            declared @ (Interpolation::Smooth
            | Interpolation::Flat
            | Interpolation::NoPerspective) => declared,
        };
        let sampling =
            if interpolation == Interpolation::Flat { Sampling::Center } else { sampling };
        Self { sampling, interpolation }
    }
}

/// One varying to place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PackItem {
    /// Type of the varying.
    pub ty: Type,
    /// Packing class of the varying.
    pub class: PackingClass,
    /// Explicit location and component, if any.
    pub explicit: Option<Position>,
    /// True for a single 32-bit float that is the same at all vertices of a primitive, so that it fits any slot. These
    /// items are placed last.
    pub is_convergent: bool,
    /// True if the item must begin a slot when its number of components is 3 modulo 4.
    pub is_aligned: bool,
}

/// One component of one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Number of the slot, a unit of four components. It is also the slot's location.
    pub slot: u32,
    /// Index of the component, 0 (x) to 3 (w).
    pub component: u8,
}

/// Placement of all items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotMap {
    /// For every item, the position of each of its 32-bit components in leaf order (a 64-bit scalar has two).
    pub items: Vec<Vec<Position>>,
    /// The class of every slot in use.
    pub classes: Slots<PackingClass>,
}

/// Data about slots by slot number. Labels are slots too, so the numbers may be far apart.
pub(crate) type Slots<T> = BTreeMap<u32, T>;

/// The number after the last slot.
pub(crate) fn end_of<T>(slots: &Slots<T>) -> u32 {
    slots.last_key_value().map_or(0, |(slot, _)| slot.saturating_add(1))
}

/// Limit on slot numbers above the limit of any adapter. Packing stops here so that a huge array cannot exhaust memory.
/// Labels may be higher.
pub(crate) const SLOT_CEILING: u32 = 4096;

/// The reason why the items cannot be placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PackError {
    /// Item `item` would end after [`SLOT_CEILING`].
    TooLarge {
        /// Index of the item.
        item: usize,
    },
    /// Two explicit items use the same component.
    Overlap {
        /// Index of the item that came first.
        first: usize,
        /// Index of the item that came second.
        second: usize,
        /// The shared component.
        at: Position,
    },
    /// Two explicit items of different classes share a slot.
    MixedSlot {
        /// Index of the item that came first.
        first: usize,
        /// Index of the item that came second.
        second: usize,
        /// The slot.
        slot: u32,
    },
}

/// Places all items. The slot numbers start at 0 and follow the rules in the documentation of this module.
pub(crate) fn pack(items: &[PackItem], mode: PackMode) -> Result<SlotMap, PackError> {
    let mut packer = Packer::new(items);
    packer.reserve_explicit()?;
    let is_implicit = |idx: &usize| items[*idx].explicit.is_none();
    let (convergent, others): (Vec<usize>, Vec<usize>) =
        (0..items.len()).filter(is_implicit).partition(|idx| items[*idx].is_convergent);
    let mut parts: Vec<ItemPart> =
        others.into_iter().flat_map(|idx| split(idx, &items[idx].ty, mode)).collect();
    if !begins_slots(mode) {
        parts.sort_by_key(|part| (items[part.item].class, part.order));
    }
    for part in &parts {
        match mode {
            PackMode::On | PackMode::Off | PackMode::Inside | PackMode::Scalar => {
                packer.place(part, mode)?;
            }
            PackMode::Dense => packer.fill(part)?,
        }
    }
    for item in convergent {
        packer.fill_convergent(item)?;
    }
    Ok(packer.map)
}

/// True if every varying begins a slot, in the order of declaration.
const fn begins_slots(mode: PackMode) -> bool {
    match mode {
        PackMode::Off | PackMode::Inside => true,
        PackMode::On | PackMode::Scalar | PackMode::Dense => false,
    }
}

/// Order of varyings inside a class: by total components modulo 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SizeOrder {
    Vec4,
    Vec2,
    Scalar,
    Vec3,
}

impl SizeOrder {
    fn of(ty: &Type) -> Self {
        match ty.without_arrays().component_count() % 4 {
            0 => Self::Vec4,
            2 => Self::Vec2,
            1 => Self::Scalar,
            _ => Self::Vec3,
        }
    }
}

/// The unit of placement: an item, or one scalar of an item.
#[derive(Clone, Debug)]
struct ItemPart {
    item: usize,
    order: SizeOrder,
    /// The number of components of each leaf, and true if they are pairs of 64-bit scalars.
    leaves: Vec<(u32, bool)>,
}

fn split(item: usize, ty: &Type, mode: PackMode) -> Vec<ItemPart> {
    let is_plain = match ty.without_arrays() {
        Type::Scalar(scalar) | Type::Vector { scalar, .. } => scalar.components() == 1,
        Type::Matrix { .. } | Type::Array { .. } | Type::Struct(_) => false,
    };
    let leaves = leaf_sizes(ty);
    if mode == PackMode::Dense {
        let is_small = ty.component_count() <= SLOT_CEILING * 4;
        let leaves = if is_small { leaves } else { vec![(SLOT_CEILING * 4 + 1, false)] };
        let units = leaves.iter().flat_map(|(size, is_pair)| {
            let unit = if *is_pair { 2 } else { 1 };
            std::iter::repeat_n((unit, *is_pair), (size / unit) as usize)
        });
        return units
            .map(|leaf| ItemPart { item, order: SizeOrder::Scalar, leaves: vec![leaf] })
            .collect();
    }
    if mode == PackMode::Scalar && is_plain {
        let count = ty.component_count().min(SLOT_CEILING * 4 + 1) as usize;
        let scalar = ItemPart { item, order: SizeOrder::Scalar, leaves: vec![(1, false)] };
        return vec![scalar; count];
    }
    vec![ItemPart { item, order: SizeOrder::of(ty), leaves }]
}

fn leaf_sizes(ty: &Type) -> Vec<(u32, bool)> {
    if ty.component_count() > SLOT_CEILING * 4 {
        return vec![(ty.component_count(), false)];
    }
    let size_of = |scalar: ScalarKind, size: u8| {
        (u32::from(size) * scalar.components(), scalar.components() == 2)
    };
    ty.leaves().iter().map(|leaf| size_of(leaf.scalar, leaf.size)).collect()
}

struct Packer<'a> {
    items: &'a [PackItem],
    map: SlotMap,
    /// Used components of every slot.
    used: Slots<[bool; 4]>,
    reserved: BTreeSet<u32>,
    /// The first slot of a class that may have a free component, for dense packing.
    first_free: BTreeMap<PackingClass, u32>,
    /// The first slot that may be empty.
    first_hole: u32,
    /// The next free component, as slot times 4 plus component.
    cursor: u32,
    last_class: Option<PackingClass>,
}

impl<'a> Packer<'a> {
    fn new(items: &'a [PackItem]) -> Self {
        let map = SlotMap { items: vec![Vec::new(); items.len()], ..SlotMap::default() };
        Self {
            items,
            map,
            used: Slots::new(),
            reserved: BTreeSet::new(),
            first_free: BTreeMap::new(),
            first_hole: 0,
            cursor: 0,
            last_class: None,
        }
    }

    /// Places explicit items. Every leaf has its own location (two for a 64-bit vector of three or four components).
    fn reserve_explicit(&mut self) -> Result<(), PackError> {
        let mut owners: BTreeMap<Position, usize> = BTreeMap::new();
        for (idx, item) in self.items.iter().enumerate() {
            let Some(start) = item.explicit else { continue };
            if item.ty.component_count() > SLOT_CEILING * 4 {
                return Err(PackError::TooLarge { item: idx });
            }
            let mut slot = start.slot;
            for (size, _) in leaf_sizes(&item.ty) {
                for offset in 0..size {
                    let Position { slot: further, component } =
                        position(u32::from(start.component) + offset);
                    let at = Position { slot: slot.saturating_add(further), component };
                    if let Some(first) = owners.insert(at, idx) {
                        return Err(PackError::Overlap { first, second: idx, at });
                    }
                    self.reserved.insert(at.slot);
                    self.check_class(&owners, idx, at)?;
                    self.take(idx, at);
                }
                slot = slot.saturating_add((u32::from(start.component) + size).div_ceil(4));
            }
        }
        Ok(())
    }

    fn check_class(
        &self,
        owners: &BTreeMap<Position, usize>,
        second: usize,
        at: Position,
    ) -> Result<(), PackError> {
        let slot_range =
            Position { slot: at.slot, component: 0 }..=Position { slot: at.slot, component: 3 };
        let class = self.items[second].class;
        match owners.range(slot_range).find(|(_, first)| self.items[**first].class != class) {
            Some((_, first)) => Err(PackError::MixedSlot { first: *first, second, slot: at.slot }),
            None => Ok(()),
        }
    }

    fn place(&mut self, part: &ItemPart, mode: PackMode) -> Result<(), PackError> {
        let class = self.items[part.item].class;
        if self.last_class != Some(class) || begins_slots(mode) {
            self.round_up();
        }
        self.last_class = Some(class);
        if self.items[part.item].is_aligned && part.order == SizeOrder::Vec3 {
            self.round_up();
        }
        loop {
            let positions = positions_from(self.cursor, part, mode);
            let Some(last) = positions.last().filter(|last| last.slot < SLOT_CEILING) else {
                return Err(PackError::TooLarge { item: part.item });
            };
            if positions.iter().any(|at| self.reserved.contains(&at.slot)) {
                self.cursor += 1;
                self.round_up();
                continue;
            }
            self.cursor = last.slot * 4 + u32::from(last.component) + 1;
            for at in positions {
                self.take(part.item, at);
            }
            return Ok(());
        }
    }

    fn round_up(&mut self) {
        self.cursor = self.cursor.next_multiple_of(4);
    }

    fn take(&mut self, item: usize, at: Position) {
        self.take_as(item, at, self.items[item].class);
    }

    /// Puts the next component of `item` at `at`, in a slot of `class`.
    fn take_as(&mut self, item: usize, at: Position, class: PackingClass) {
        self.map.classes.insert(at.slot, class);
        self.used.entry(at.slot).or_default()[usize::from(at.component)] = true;
        self.map.items[item].push(at);
    }
}

/// The components that `part` occupies if it starts at `start`. The list ends early at the ceiling.
fn positions_from(start: u32, part: &ItemPart, mode: PackMode) -> Vec<Position> {
    let mut cursor = start;
    let mut positions = Vec::new();
    for (idx, (size, is_pair)) in part.leaves.iter().enumerate() {
        if mode == PackMode::Off && idx > 0 {
            cursor = cursor.next_multiple_of(4);
        }
        if *is_pair && cursor % 2 == 1 && cursor % 4 + size > 4 {
            cursor += 1;
        }
        if cursor / 4 + size / 4 > SLOT_CEILING {
            positions.push(Position { slot: SLOT_CEILING, component: 0 });
            return positions;
        }
        positions.extend((cursor..cursor + size).map(position));
        cursor += size;
    }
    positions
}

fn position(fine: u32) -> Position {
    Position { slot: fine / 4, component: (fine % 4) as u8 }
}

/// Prints `0.x`.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = ["x", "y", "z", "w"].get(usize::from(self.component)).unwrap_or(&"?");
        write!(f, "{}.{letter}", slot_text(self.slot))
    }
}

/// Prints `smooth` or `noperspective centroid`.
impl fmt::Display for PackingClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sampling {
            Sampling::Center => write!(f, "{}", self.interpolation),
            sampling @ (Sampling::Centroid | Sampling::Sample) => {
                write!(f, "{} {sampling}", self.interpolation)
            }
        }
    }
}

#[cfg(test)]
mod es_minimum;
#[cfg(test)]
mod tests;
