//! Uniform blocks, kept in private globals, and storage blocks, which stay buffers.

use naga::{AddressSpace, ArraySize, ResourceBinding, StorageAccess, StructMember, TypeInner};

use super::body::Body;
use super::builtin_variable::Owner;
use super::declaration::{At, has_layout};
use super::global::{GlobalInfo, MemoryAccess, Role};
use super::interface::{block_key, element_paths};
use super::layout::{AtomicPaths, Packing, Stored, below};
use super::types::{Shape, Ty};
use super::{Result, Stage, unsupported, wrong};
use crate::frontend::glsl::ast::{BlockDeclaration, MemberDeclaration, MemoryWord, Qualifiers};
use crate::frontend::stage_module::{ResourceKind, ResourceVariable, UniformKind, UniformVariable};
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
        for member in &block.members {
            if let Some(word) =
                ["offset", "align"].iter().find(|it| has_layout(&member.ty.qualifiers, it))
            {
                return unsupported(member.name.span, *word);
            }
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
                is_used: false,
                span: Some(block.name.span),
            });
        }
        self.declare_block_names(at, block, global)
    }

    /// `buffer` block.
    pub(super) fn declare_storage_block(&mut self, at: At, block: &BlockDeclaration) -> Result<()> {
        if let Some((_, array)) = &block.instance
            && !array.is_empty()
        {
            return unsupported(block.span, "array of buffer blocks");
        }
        let default = self.objects.get(at.object).map_or(Packing::Std140, |it| it.packing);
        let packing = packing_of(&block.qualifiers).unwrap_or(default);
        let (ty, stored) = self.storage_block_types(at, block, packing)?;
        if self.existing_block(at, block, ty, Role::Storage)? {
            return Ok(());
        }
        let memory: Vec<_> = block
            .members
            .iter()
            .map(|member| memory_access(&block.qualifiers, &member.ty.qualifiers))
            .collect();
        let is_writable = !memory.iter().all(|memory| memory.is_read_only);
        let mut access = StorageAccess::LOAD;
        access.set(StorageAccess::STORE, is_writable);
        let slot = u32::try_from(self.resources.len()).unwrap_or(u32::MAX);
        let info = GlobalInfo {
            stored,
            is_block: true,
            memory,
            ..GlobalInfo::new(ty, Role::Storage, at.object)
        };
        let place = Some(ResourceBinding { group: 0, binding: slot });
        let global = self.add_global(&block.name, AddressSpace::Storage { access }, place, info);
        self.shared.insert(block_key(&block.name, Role::Storage).name, global);
        let binding = self.layout_value(at, &block.qualifiers, "binding")?;
        self.resources.push(ResourceVariable {
            name: block.name.name.clone(),
            global,
            kind: ResourceKind::StorageBuffer { is_writable },
            binding,
            span: Some(block.name.span),
        });
        self.declare_block_names(at, block, global)
    }

    /// The block's struct as the shader sees it, and as it is in memory.
    fn storage_block_types(
        &mut self,
        at: At,
        block: &BlockDeclaration,
        packing: Packing,
    ) -> Result<(Ty, Ty)> {
        let (mut plain, mut placed) = (Vec::new(), Vec::new());
        let (mut end, mut alignment) = (0_u32, 4_u32);
        let owner = if block.instance.is_some() { Owner::Instance } else { Owner::Scope };
        let instance = block.instance.as_ref().map(|(name, _)| self.atomic_paths(&name.name));
        for (idx, member) in block.members.iter().enumerate() {
            let is_last = idx + 1 == block.members.len();
            let ty = self.storage_member_type(at, member, owner, is_last)?;
            super::type_specifier::add_member(&mut plain, member, ty)?;
            self.check_row_major(ty, &block.qualifiers, member)?;
            let name = &member.name.name;
            let atomics = match &instance {
                Some(paths) => below(paths, name),
                None => self.atomic_paths(name),
            };
            let stored = self.place_member(at, member, packing, (ty, &atomics), end)?;
            let offset = stored.1;
            alignment = alignment.max(stored.0.alignment);
            end = offset.saturating_add(stored.0.size);
            placed.push(StructMember {
                name: Some(name.clone()),
                ty: stored.0.ty,
                binding: None,
                offset,
            });
        }
        if plain.is_empty() {
            return wrong(block.span, "a block needs at least one member");
        }
        let span = end.next_multiple_of(packing.round(alignment));
        let name = Some(block.name.name.clone());
        let stored = self.add_type(name, TypeInner::Struct { members: placed, span });
        Ok((self.structure(&block.name.name, &plain), stored))
    }

    /// A member's type in memory and its offset, which `offset` and `align` may move.
    fn place_member(
        &mut self,
        at: At,
        member: &MemberDeclaration,
        packing: Packing,
        (ty, atomics): (Ty, &AtomicPaths),
        end: u32,
    ) -> Result<(Stored, u32)> {
        let span = member.name.span;
        let mut stored = self.storage_type(ty, packing, atomics, span)?;
        let qualifiers = &member.ty.qualifiers;
        if let Some(align) = self.layout_value(at, qualifiers, "align")? {
            if !align.is_power_of_two() {
                return wrong(span, "`align` must be a power of two");
            }
            stored.alignment = stored.alignment.max(align);
        }
        let earliest = self.layout_value(at, qualifiers, "offset")?.unwrap_or(end);
        if earliest < end || earliest > 1 << 28 {
            return wrong(span, format!("`offset` cannot be {earliest} here"));
        }
        Ok((stored, earliest.next_multiple_of(stored.alignment)))
    }

    /// The type of a storage block's member; the last may be an array without size.
    fn storage_member_type(
        &mut self,
        at: At,
        member: &MemberDeclaration,
        owner: Owner,
        is_last: bool,
    ) -> Result<Ty> {
        let mut body = Body::new(self, at.object, at.position);
        let mut declared = body.declared_type(&member.ty.ty, &member.array)?;
        if !is_last || declared.dims.first() != Some(&None) {
            self.fill_open_size(&member.name, owner, &mut declared);
            return self.sized(at, &declared, member.name.span);
        }
        declared.dims.remove(0);
        let base = body.sized(&declared, member.name.span)?;
        let stride = self.natural_layout(base).2;
        Ok(self.add_type(None, TypeInner::Array { base, size: ArraySize::Dynamic, stride }))
    }

    fn check_row_major(
        &self,
        ty: Ty,
        block: &Qualifiers,
        member: &MemberDeclaration,
    ) -> Result<()> {
        let qualifiers = &member.ty.qualifiers;
        let is_row_major = has_layout(qualifiers, "row_major")
            || has_layout(block, "row_major") && !has_layout(qualifiers, "column_major");
        if is_row_major && contains_matrix(self, ty) {
            return unsupported(member.name.span, "row_major");
        }
        Ok(())
    }
}

fn packing_of(qualifiers: &Qualifiers) -> Option<Packing> {
    qualifiers.layout.iter().rev().find_map(|entry| match &*entry.name.name {
        "std430" => Some(Packing::Std430),
        "std140" | "shared" | "packed" => Some(Packing::Std140),
        _ => None,
    })
}

fn memory_access(block: &Qualifiers, member: &Qualifiers) -> MemoryAccess {
    let has = |word| block.memory.contains(&word) || member.memory.contains(&word);
    MemoryAccess {
        is_read_only: has(MemoryWord::ReadOnly),
        is_write_only: has(MemoryWord::WriteOnly),
    }
}

fn contains_matrix(stage: &Stage<'_>, ty: Ty) -> bool {
    match stage.shape(ty) {
        Shape::Scalar(_) | Shape::Vector(..) => false,
        Shape::Matrix(..) => true,
        Shape::Array(element, _) => contains_matrix(stage, element),
        Shape::Struct => stage.members(ty).iter().any(|member| contains_matrix(stage, member.ty)),
    }
}
