//! Uniform blocks, which are stored in private globals, and default layouts of blocks.

pub(super) mod block_declaration;
pub(super) mod row_major;
pub(super) mod storage_access;
pub(super) mod storage_block;

use crate::ast::{BlockDeclaration, MemberDeclaration, Qualifiers};
use ir::declared_block::BlockKind;
use ir::interface::{Place, Type};
use ir::layout::standard::layout_of;
use ir::source::Span;
use ir::stage_module::{MemberLayout, ResourceKind, UniformKind, UniformVariable};

use super::expression::open_array::open_members;
use super::global::{GlobalInfo, Role};
use super::interface::{block_key, element_paths};
use super::qualifier::{At, has_layout, packing_of, packing_word, row_major_word};
use super::types::Ty;
use super::types::layout::Packing;
use super::{Result, Stage, wrong};

impl Stage<'_> {
    /// Sets the default layout of blocks, from statements such as `layout(std430) buffer;`.
    pub(super) fn set_block_defaults(&mut self, at: At, qualifiers: &Qualifiers) {
        let role = self.role(qualifiers);
        let Some(object) = self.objects.get_mut(at.object) else { return };
        let defaults = match role {
            Ok(Role::Storage) => &mut object.storage_blocks,
            Ok(Role::Uniform) => &mut object.uniform_blocks,
            Ok(_) | Err(_) => return,
        };
        defaults.word = packing_word(qualifiers).unwrap_or(defaults.word);
        defaults.packing = packing_of(qualifiers).unwrap_or(defaults.packing);
        defaults.is_row_major = row_major_word(qualifiers).unwrap_or(defaults.is_row_major);
    }

    /// Declares a `uniform` block.
    pub(super) fn declare_uniform_block(&mut self, at: At, block: &BlockDeclaration) -> Result<()> {
        let members = self.block_members(at, block)?;
        let named: Vec<_> =
            members.iter().map(|(member, ty)| (member.name.name.clone(), *ty)).collect();
        let mut layouts = Vec::new();
        for (member, ty) in &members {
            layouts.push(self.member_layout(at, block, member, *ty)?);
        }
        self.check_offsets(&members, &layouts)?;
        let structure = self.structure(&block.name.name, &named);
        self.check_interface_size(structure, block.name.span)?;
        let ty = self.block_type(at, block, structure, Role::Uniform)?;
        let is_known = self.existing_block(at, block, ty, Role::Uniform)?;
        let whole = self.interface_type(ty);
        self.note_block(at, block, BlockKind::Uniform, &whole)?;
        if is_known {
            return Ok(());
        }
        let info = GlobalInfo {
            is_block: true,
            open_members: open_members(block, block.members.len()),
            ..GlobalInfo::new(ty, Role::Uniform, at.object)
        };
        let global = self.add_private(&block.name, info);
        self.shared.insert(block_key(&block.name, Role::Uniform).name, global);
        let count = dimensions_of(&whole).into_iter().product();
        let binding = self.binding_value(at, &block.qualifiers, count, MAX_UNIFORM_BINDINGS)?;
        for (offset, (suffix, path)) in (0..).zip(element_paths(self, ty)) {
            let binding = binding.map(|binding: u32| binding.saturating_add(offset));
            let own = format!("{}{suffix}", block.name.name);
            let kind = ResourceKind::UniformBuffer;
            let (name, alias) = self.identity(kind, &own, binding, binding);
            // In Vulkan names have no meaning, so members are never found by their name alone.
            let has_instance_name = block.instance.is_some() || self.is_vulkan();
            self.uniforms.push(UniformVariable {
                alias,
                kind: UniformKind::Block { binding, has_instance_name },
                members: layouts.clone(),
                span: Some(block.name.span),
                ..UniformVariable::loose(
                    name,
                    self.interface_type(structure),
                    Place { global, path },
                )
            });
        }
        self.declare_block_names(at, block, global)
    }
}

impl Stage<'_> {
    /// Reads the `layout` of a uniform block's member.
    fn member_layout(
        &mut self,
        at: At,
        block: &BlockDeclaration,
        member: &MemberDeclaration,
        ty: Ty,
    ) -> Result<MemberLayout> {
        let own = &member.ty.qualifiers;
        let defaults = self.objects.get(at.object).map(|object| object.uniform_blocks);
        let is_row_major = [own, &block.qualifiers].into_iter().find_map(row_major_word);
        let is_row_major =
            is_row_major.unwrap_or(defaults.is_some_and(|defaults| defaults.is_row_major));
        let default = if has_layout(&block.qualifiers, "push_constant") {
            Some(Packing::Std430)
        } else {
            defaults.map(|defaults| defaults.packing)
        };
        let packing = packing_of(&block.qualifiers).or(default);
        let of_block = self.layout_value(at, &block.qualifiers, "align")?;
        let align = self.layout_value(at, own, "align")?.or(of_block);
        if align.is_some_and(|align| !align.is_power_of_two()) {
            return wrong(member.name.span, "`align` must be a power of two");
        }
        Ok(MemberLayout {
            is_row_major: is_row_major && self.contains_matrix(ty),
            offset: self.layout_value(at, own, "offset")?,
            align,
            standard: packing.unwrap_or(Packing::Std140).standard(),
        })
    }
}

impl Stage<'_> {
    /// Checks that declared offsets are multiples of the members' alignment, increase, and do not overlap earlier
    /// members.
    fn check_offsets(
        &self,
        members: &[(&MemberDeclaration, Ty)],
        layouts: &[MemberLayout],
    ) -> Result<()> {
        if layouts.iter().all(|layout| layout.offset.is_none()) {
            return Ok(());
        }
        let mut end = 0_u32;
        for ((member, ty), layout) in members.iter().zip(layouts) {
            let span = member.name.span;
            let stored = layout_of(&self.interface_type(*ty), layout.standard, layout.order());
            let offset = layout.offset.unwrap_or(end);
            let required = if layout.offset.is_some() { stored.alignment } else { 1 };
            check_offset(offset, end, required, span)?;
            let alignment = stored.alignment.max(layout.align.unwrap_or(1));
            end = offset.next_multiple_of(alignment).saturating_add(stored.size);
        }
        Ok(())
    }
}

/// Sizes of an array's dimensions.
pub(super) fn dimensions_of(ty: &Type) -> Vec<u32> {
    let (mut ty, mut sizes) = (ty, Vec::new());
    while let Type::Array { element, length } = ty {
        sizes.push(*length);
        ty = element;
    }
    sizes
}

/// Checks the offset of a member. The members before it end at `end`.
pub(super) fn check_offset(offset: u32, end: u32, alignment: u32, span: Span) -> Result<()> {
    if offset < end {
        let message =
            format!("offset {offset} overlaps the previous members, which end at offset {end}");
        return wrong(span, message);
    }
    if !offset.is_multiple_of(alignment) {
        return wrong(
            span,
            format!("offset {offset} is not a multiple of the alignment {alignment}"),
        );
    }
    if offset > MAX_OFFSET {
        return wrong(span, format!("offset {offset} is above interstage's limit of {MAX_OFFSET}"));
    }
    Ok(())
}

/// Number of binding points of uniform blocks, as in Mesa; GL 4.6 guarantees 84.
const MAX_UNIFORM_BINDINGS: u32 = 90;

/// Maximum offset of a member, which exceeds the size of any buffer.
const MAX_OFFSET: u32 = 1 << 28;
