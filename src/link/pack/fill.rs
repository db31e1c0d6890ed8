//! Places scalars in free components instead of at a running cursor.
//!
//! A scalar gets the first free component in a slot of its class, or else the first empty slot. A convergent scalar,
//! which no interpolation changes, gets, in this order of preference: a free component of a flat slot, where all of its
//! bits are preserved; a free component of an interpolated slot; a new flat slot.

use ir::interface::Interpolation;

use super::{ItemPart, PackError, Packer, PackingClass, Position, SLOT_CEILING};

impl Packer<'_> {
    /// Places a scalar. A 64-bit scalar occupies two consecutive components.
    pub(super) fn fill(&mut self, part: &ItemPart) -> Result<(), PackError> {
        let class = self.items[part.item].class;
        let size: u32 = part.leaves.iter().map(|(size, _)| size).sum();
        let first = self.first_free.get(&class).copied().unwrap_or(0);
        let mut own = self.map.classes.range(first..).filter(|(_, known)| **known == class);
        let shared = own.find_map(|(slot, _)| self.free_run(*slot, size));
        let start = shared.or_else(|| self.free_slot());
        let start = start.ok_or(PackError::TooLarge { item: part.item })?;
        for component in (start.component..).take(size as usize) {
            self.take(part.item, Position { slot: start.slot, component });
        }
        // Single components are assigned in order, so all slots of the class before this one are full.
        if size == 1 {
            self.first_free.insert(class, start.slot);
        }
        Ok(())
    }

    /// Places a convergent scalar, which fits any slot.
    pub(super) fn fill_convergent(&mut self, item: usize) -> Result<(), PackError> {
        let free_where = |packer: &Self, is_flat: bool| {
            packer.map.classes.iter().find_map(|(slot, class)| {
                let suits = (class.interpolation == Interpolation::Flat) == is_flat;
                Some((packer.free_run(*slot, 1).filter(|_| suits)?, *class))
            })
        };
        let free = free_where(self, true).or_else(|| free_where(self, false));
        let free = free.or_else(|| Some((self.free_slot()?, PackingClass::FLAT)));
        let (at, class) = free.ok_or(PackError::TooLarge { item })?;
        self.take_as(item, at, class);
        Ok(())
    }

    /// The first position of `size` consecutive free components in the slot.
    fn free_run(&self, slot: u32, size: u32) -> Option<Position> {
        let used = self.used.get(&slot)?;
        let size = usize::try_from(size).ok()?;
        let start = (0..=4 - size).find(|start| !used[*start..start + size].contains(&true))?;
        Some(Position { slot, component: u8::try_from(start).ok()? })
    }

    /// The first empty slot.
    fn free_slot(&mut self) -> Option<Position> {
        while self.map.classes.contains_key(&self.first_hole) {
            self.first_hole += 1;
        }
        let slot = self.first_hole;
        (slot < SLOT_CEILING).then_some(Position { slot, component: 0 })
    }
}
