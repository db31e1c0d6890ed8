//! The position of a declaration, and the values of its qualifiers.

use crate::ast::{InterpolationWord, Qualifiers};
use ir::declared_block::PackingWord;
use ir::interface::Interpolation;

use super::types::layout::Packing;
use super::{Result, Stage, wrong};

/// Position of a declaration in the stage.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    /// Index of the object.
    pub(super) object: usize,
    /// Index of the item within the object.
    pub(super) position: usize,
}

impl Stage<'_> {
    /// The value of `layout(binding = value)` of a declaration that uses `count` consecutive binding points out of
    /// `most`. In Vulkan it is the point, whose number is not limited.
    pub(super) fn binding_value(
        &mut self,
        at: At,
        qualifiers: &Qualifiers,
        count: u32,
        most: u32,
    ) -> Result<Option<u32>> {
        if self.is_vulkan() {
            return self.point(at, qualifiers).map(Some);
        }
        let binding = self.layout_value(at, qualifiers, "binding")?;
        if binding.is_some_and(|binding| binding.saturating_add(count) > most) {
            return wrong(
                qualifiers.span,
                format!("the `binding` is too large: there are {most} binding points of this kind"),
            );
        }
        Ok(binding)
    }

    /// The value of `layout(name = value)` as a number.
    pub(super) fn layout_value(
        &mut self,
        at: At,
        qualifiers: &Qualifiers,
        name: &str,
    ) -> Result<Option<u32>> {
        let mut entries = qualifiers.layout.iter().rev();
        let Some(entry) = entries.find(|entry| entry.name.name == name) else { return Ok(None) };
        let Some(expr) = &entry.value else {
            return wrong(entry.name.span, format!("`{name}` needs a value"));
        };
        let value = self.constant_integer(at.object, at.position, expr)?;
        match u32::try_from(value) {
            Ok(value) => Ok(Some(value)),
            Err(_) => wrong(expr.span, format!("`{name}` cannot be {value}")),
        }
    }
}

/// True if the qualifiers contain `layout(name)`.
pub(super) fn has_layout(qualifiers: &Qualifiers, name: &str) -> bool {
    qualifiers.layout.iter().any(|entry| entry.name.name == name)
}

/// Converts an interpolation qualifier of GLSL to the interface model's interpolation.
pub(super) const fn interpolation(word: InterpolationWord) -> Interpolation {
    match word {
        InterpolationWord::Smooth => Interpolation::Smooth,
        InterpolationWord::Flat => Interpolation::Flat,
        InterpolationWord::NoPerspective => Interpolation::NoPerspective,
    }
}

/// True for `row_major`, false for `column_major`, `None` without either.
pub(super) fn row_major_word(qualifiers: &Qualifiers) -> Option<bool> {
    qualifiers.layout.iter().rev().find_map(|entry| match &*entry.name.name {
        "row_major" => Some(true),
        "column_major" => Some(false),
        _ => None,
    })
}

/// The packing qualifier in a `layout`, if any.
pub(super) fn packing_word(qualifiers: &Qualifiers) -> Option<PackingWord> {
    qualifiers.layout.iter().rev().find_map(|entry| PackingWord::from_word(&entry.name.name))
}

/// The layout rules of the packing qualifier in a `layout`, if any.
pub(super) fn packing_of(qualifiers: &Qualifiers) -> Option<Packing> {
    qualifiers.layout.iter().rev().find_map(|entry| match &*entry.name.name {
        "std430" => Some(Packing::Std430),
        "scalar" => Some(Packing::Scalar),
        "std140" | "shared" | "packed" => Some(Packing::Std140),
        _ => None,
    })
}
