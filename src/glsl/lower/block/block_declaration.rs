//! Declarations of uniform and storage blocks, which must match in all shader objects.

use crate::ast::{BlockDeclaration, MemberDeclaration, MemoryWord};
use ir::declared_block::{BlockKind, DeclaredBlock, DeclaredMember};
use ir::interface::Type;

use super::dimensions_of;
use crate::lower::expression::open_array::open_members;
use crate::lower::qualifier::{At, packing_word, row_major_word};
use crate::lower::{Result, Stage, mismatch};

impl Stage<'_> {
    /// Records the declaration of a block, or compares it with that of another shader object. `ty` is the type of the
    /// block, or of the whole array of blocks.
    pub(in crate::lower) fn note_block(
        &mut self,
        at: At,
        block: &BlockDeclaration,
        kind: BlockKind,
        ty: &Type,
    ) -> Result<()> {
        let Type::Struct(structure) = ty.without_arrays() else { return Ok(()) };
        if self.is_vulkan() {
            // Other stages may declare the resource at the same point differently.
            return Ok(());
        }
        let defaults = self.objects.get(at.object).map(|object| match kind {
            BlockKind::Uniform => object.uniform_blocks,
            BlockKind::Storage => object.storage_blocks,
        });
        let is_row_major = defaults.is_some_and(|defaults| defaults.is_row_major);
        let packing = packing_word(&block.qualifiers).or(defaults.map(|defaults| defaults.word));
        let of_block = self.layout_value(at, &block.qualifiers, "align")?;
        let last = u32::try_from(block.members.len()).unwrap_or(u32::MAX).checked_sub(1);
        let last = last.filter(|_| kind == BlockKind::Storage);
        let is_last_open = open_members(block, block.members.len()).last().copied() == last;
        let mut members = Vec::new();
        for (idx, (member, described)) in (0..).zip(block.members.iter().zip(&structure.members)) {
            let ty = described.ty.clone();
            let own = &member.ty.qualifiers;
            let order = [own, &block.qualifiers].into_iter().find_map(row_major_word);
            members.push(DeclaredMember {
                name: member.name.name.clone(),
                is_row_major: has_matrix(&ty) && order.unwrap_or(is_row_major),
                ty,
                is_open: is_last_open && last == Some(idx),
                offset: self.layout_value(at, own, "offset")?,
                align: self.layout_value(at, own, "align")?.or(of_block),
                memory: memory_words(block, member),
            });
        }
        let declared = DeclaredBlock {
            name: block.name.name.clone(),
            kind,
            has_instance_name: block.instance.is_some(),
            dimensions: dimensions_of(ty),
            packing: packing.unwrap_or_default(),
            is_row_major: row_major_word(&block.qualifiers).unwrap_or(is_row_major),
            binding: self.layout_value(at, &block.qualifiers, "binding")?.unwrap_or(0),
            members,
            span: block.name.span,
        };
        let mut known = self.declared_blocks.iter();
        let Some(earlier) = known.find(|block| block.kind == kind && block.name == declared.name)
        else {
            self.declared_blocks.push(declared);
            return Ok(());
        };
        // Within a stage the first object's binding is used, regardless of the others. The rule between stages is
        // stricter.
        let declared = DeclaredBlock { binding: earlier.binding, ..declared };
        match declared.difference(earlier) {
            Some(difference) => {
                mismatch(declared.span, format!("{difference} in another shader object"))
            }
            None => Ok(()),
        }
    }
}

fn memory_words(block: &BlockDeclaration, member: &MemberDeclaration) -> [bool; 5] {
    let words = [
        MemoryWord::Coherent,
        MemoryWord::Volatile,
        MemoryWord::Restrict,
        MemoryWord::ReadOnly,
        MemoryWord::WriteOnly,
    ];
    let own = &member.ty.qualifiers.memory;
    words.map(|word| own.contains(&word) || block.qualifiers.memory.contains(&word))
}

fn has_matrix(ty: &Type) -> bool {
    match ty {
        Type::Matrix { .. } => true,
        Type::Array { element, .. } => has_matrix(element),
        Type::Struct(structure) => structure.members.iter().any(|member| has_matrix(&member.ty)),
        Type::Scalar(_) | Type::Vector { .. } => false,
    }
}
