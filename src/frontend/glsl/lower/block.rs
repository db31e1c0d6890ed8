//! Uniform blocks, which are kept in private globals, and the default packing of storage blocks.

use super::declaration::{At, has_layout};
use super::global::{GlobalInfo, Role};
use super::interface::{block_key, element_paths};
use super::layout::Packing;
use super::storage_block::contains_matrix;
use super::types::Ty;
use super::{Result, Stage, unsupported, wrong};
use crate::frontend::glsl::ast::{BlockDeclaration, MemberDeclaration, Qualifiers};
use crate::frontend::stage_module::{MemberLayout, UniformKind, UniformVariable};
use crate::link::interface::Place;

impl Stage<'_> {
    /// `layout(std430) buffer;` sets what blocks without a word of their own get.
    pub(super) fn set_default_packing(&mut self, at: At, qualifiers: &Qualifiers) -> Result<()> {
        let is_buffer = matches!(self.role(qualifiers), Ok(Role::Storage));
        if let (true, Some(packing), Some(object)) =
            (is_buffer, packing_of(qualifiers), self.objects.get_mut(at.object))
        {
            object.packing = packing;
        }
        if has_layout(qualifiers, "row_major") && is_buffer {
            return unsupported(qualifiers.span, "row_major");
        }
        Ok(())
    }

    /// `uniform` block.
    pub(super) fn declare_uniform_block(&mut self, at: At, block: &BlockDeclaration) -> Result<()> {
        let members = self.block_members(at, block)?;
        let named: Vec<_> =
            members.iter().map(|(member, ty)| (member.name.name.clone(), *ty)).collect();
        let mut layouts = Vec::new();
        for (member, ty) in &members {
            layouts.push(self.member_layout(at, block, member, *ty)?);
        }
        let structure = self.structure(&block.name.name, &named);
        self.check_interface_size(structure, block.name.span)?;
        let ty = self.block_type(at, block, structure)?;
        if self.existing_block(at, block, ty, Role::Uniform)? {
            return Ok(());
        }
        let info = GlobalInfo { is_block: true, ..GlobalInfo::new(ty, Role::Uniform, at.object) };
        let global = self.add_private(&block.name, info);
        self.shared.insert(block_key(&block.name, Role::Uniform).name, global);
        let binding = self.layout_value(at, &block.qualifiers, "binding")?;
        for (offset, (suffix, path)) in (0..).zip(element_paths(self, ty)) {
            let binding = binding.map(|binding: u32| binding.saturating_add(offset));
            let has_instance_name = block.instance.is_some();
            self.uniforms.push(UniformVariable {
                name: format!("{}{suffix}", block.name.name),
                ty: self.interface_type(structure),
                place: Place { global, path },
                kind: UniformKind::Block { binding, has_instance_name },
                initial: None,
                alias: String::new(),
                layout: None,
                members: layouts.clone(),
                precision: None,
                is_used: false,
                span: Some(block.name.span),
            });
        }
        self.declare_block_names(at, block, global)
    }
}

impl Stage<'_> {
    /// What `layout` says of a uniform block's member.
    fn member_layout(
        &mut self,
        at: At,
        block: &BlockDeclaration,
        member: &MemberDeclaration,
        ty: Ty,
    ) -> Result<MemberLayout> {
        let own = &member.ty.qualifiers;
        let is_row_major = has_layout(own, "row_major")
            || has_layout(&block.qualifiers, "row_major") && !has_layout(own, "column_major");
        let align = self.layout_value(at, own, "align")?;
        if align.is_some_and(|align| !align.is_power_of_two()) {
            return wrong(member.name.span, "`align` must be a power of two");
        }
        Ok(MemberLayout {
            is_row_major: is_row_major && contains_matrix(self, ty),
            offset: self.layout_value(at, own, "offset")?,
            align,
        })
    }
}

/// The packing that a `layout` names.
pub(super) fn packing_of(qualifiers: &Qualifiers) -> Option<Packing> {
    qualifiers.layout.iter().rev().find_map(|entry| match &*entry.name.name {
        "std430" => Some(Packing::Std430),
        "std140" | "shared" | "packed" => Some(Packing::Std140),
        _ => None,
    })
}
