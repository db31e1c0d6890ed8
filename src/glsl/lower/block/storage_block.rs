//! Storage blocks. Each block of an array is a separate buffer and a separate resource.

use naga::{
    AddressSpace, ArraySize, BinaryOperator, Expression, GlobalVariable, Handle, Literal, Module,
    ResourceBinding, StorageAccess, StructMember, TypeInner,
};

use crate::ast::{
    ArraySize as Dimension, BlockDeclaration, Expr, ExprKind, Ident, MemberDeclaration, MemoryWord,
    Qualifiers,
};
use ir::declared_block::BlockKind;
use ir::interface::{Member, StructType, Type};
use ir::layout::standard::layout_of;
use ir::layout::{self, BlockLayout};
use ir::source::Span;
use ir::stage_module::{ResourceKind, ResourceVariable};

use super::check_offset;
use crate::lower::body::Body;
use crate::lower::declaration::implied_length::ArrayForm;
use crate::lower::expression::open_array::open_members;
use crate::lower::global::{GlobalInfo, MemoryAccess, Role};
use crate::lower::interface::block_key;
use crate::lower::operand::{Operand, Value};
use crate::lower::qualifier::{At, packing_of, row_major_word};
use crate::lower::scope::Symbol;
use crate::lower::type_specifier::Declared;
use crate::lower::types::layout::{LayoutRules, Packing, below};
use crate::lower::types::{Kind, Ty};
use crate::lower::{Result, Stage, mismatch, unsupported, wrong};

/// Maximum number of blocks in an array, because more buffers cannot be bound.
const MAX_BLOCKS: u32 = 64;

/// Number of binding points of storage blocks, as in Mesa; GL 4.6 guarantees 8.
const MAX_STORAGE_BINDINGS: u32 = 96;

/// All representations of a block's struct.
struct BlockTypes {
    /// Type in the shader.
    plain: Ty,
    /// Type in memory.
    stored: Ty,
    packing: Packing,
    /// Type as GL reports it.
    described: Type,
    /// Offsets of the members.
    layout: BlockLayout,
}

/// A declaration of a storage block, or of an array of them.
struct StorageBlocks<'a> {
    /// Position of the declaration in the stage.
    at: At,
    /// The declaration.
    block: &'a BlockDeclaration,
    /// Types of one block.
    types: BlockTypes,
    /// Binding of the first block; the others follow it.
    binding: Option<u32>,
}

/// The place that the qualifiers of a member ask for, in bytes.
struct ExplicitPlace {
    /// The value of `offset`.
    offset: Option<u32>,
    /// The value of `align`, of the member or else of its block; otherwise 1.
    align: u32,
}

impl ExplicitPlace {
    /// The offset of a member with this layout behind members that end at `end`.
    fn offset_from(&self, end: u32, layout: &BlockLayout, span: Span) -> Result<u32> {
        let earliest = self.offset.unwrap_or(end);
        let required = if earliest == end { 1 } else { layout.alignment };
        check_offset(earliest, end, required, span)?;
        Ok(earliest.next_multiple_of(layout.alignment.max(self.align)))
    }
}

impl BlockTypes {
    /// Offsets of the parts of the stored type, if they differ from naga's.
    fn stored_layout(&self, module: &Module) -> Option<BlockLayout> {
        match self.packing {
            Packing::Std140 | Packing::Std430 => None,
            Packing::Scalar => Some(in_stored_form(module, self.stored, &self.layout)),
        }
    }
}

/// The layout of a type in which structs of rows replace the row-major matrices of `layout`.
fn in_stored_form(module: &Module, ty: Ty, layout: &BlockLayout) -> BlockLayout {
    let inner = |ty: Ty, layout: &BlockLayout| in_stored_form(module, ty, layout);
    let shape = match (&module.types[ty].inner, &layout.shape) {
        (TypeInner::Struct { .. }, layout::Shape::Matrix { stride, .. }) => {
            let row = BlockLayout { shape: layout::Shape::Leaf, ..layout.clone() };
            let rows = layout::Shape::Array { stride: *stride, element: Box::new(row) };
            layout::Shape::Struct(vec![(0, BlockLayout { shape: rows, ..layout.clone() })])
        }
        (TypeInner::Struct { members, .. }, layout::Shape::Struct(places)) => {
            let place = |(member, (offset, layout)): (&StructMember, &(u32, BlockLayout))| {
                (*offset, inner(member.ty, layout))
            };
            layout::Shape::Struct(members.iter().zip(places).map(place).collect())
        }
        (TypeInner::Array { base, .. }, layout::Shape::Array { stride, element }) => {
            layout::Shape::Array { stride: *stride, element: Box::new(inner(*base, element)) }
        }
        (_, shape) => shape.clone(),
    };
    BlockLayout { shape, ..*layout }
}

impl Stage<'_> {
    /// Declares a `buffer` block.
    pub(in crate::lower) fn declare_storage_block(
        &mut self,
        at: At,
        block: &BlockDeclaration,
    ) -> Result<()> {
        let default = self.objects.get(at.object).map(|object| object.storage_blocks.packing);
        let packing = packing_of(&block.qualifiers).or(default).unwrap_or(Packing::Std140);
        let types = self.storage_block_types(at, block, packing)?;
        let binding = self.binding_value(at, &block.qualifiers, 1, MAX_STORAGE_BINDINGS)?;
        let blocks = StorageBlocks { at, block, types, binding };
        match &block.instance {
            Some((name, array)) if !array.is_empty() => {
                self.declare_storage_blocks(&blocks, name, array)
            }
            Some(_) | None => {
                let is_known = self.existing_block(at, block, blocks.types.plain, Role::Storage)?;
                self.note_block(at, block, BlockKind::Storage, &blocks.types.described)?;
                if is_known {
                    return Ok(());
                }
                let global = self.add_buffer(&blocks, block.name.clone(), 0);
                self.shared.insert(block_key(&block.name, Role::Storage).name, global);
                self.declare_block_names(at, block, global)
            }
        }
    }

    /// Declares an array of blocks; each is a separate buffer.
    fn declare_storage_blocks(
        &mut self,
        blocks: &StorageBlocks<'_>,
        instance: &Ident,
        array: &[Dimension],
    ) -> Result<()> {
        let StorageBlocks { at, block, ref types, .. } = *blocks;
        let specified = Declared { element: types.plain, dims: Vec::new() };
        let declared =
            Body::new(self, at.object, at.position).with_dimensions(&specified, array)?;
        let lengths: Option<Vec<u32>> = declared.dims.iter().copied().collect();
        let lengths = lengths.unwrap_or_default();
        let count = lengths.iter().fold(1_u32, |count, length| count.saturating_mul(*length));
        if lengths.is_empty() || !(1..=MAX_BLOCKS).contains(&count) {
            let word = if lengths.is_empty() {
                "an array of storage blocks without a size".to_owned()
            } else {
                format!("an array of {count} storage blocks; the limit is {MAX_BLOCKS}")
            };
            return unsupported(block.span, word);
        }
        let mut elements = Vec::new();
        for idx in 0..count {
            let name = format!("{}{}", block.name.name, subscripts(&lengths, idx));
            let name = Ident { name, span: block.name.span };
            let key = block_key(&name, Role::Storage);
            let known = self.shared_global(&key, types.plain, Role::Storage, at.object)?;
            let global = known.unwrap_or_else(|| self.add_buffer(blocks, name, idx));
            self.shared.insert(key.name, global);
            elements.push(global);
        }
        let described = types.described.clone();
        let whole = lengths.iter().rev().fold(described, |element, length| element.array(*length));
        self.note_block(at, block, BlockKind::Storage, &whole)?;
        self.declare_symbol(at, instance, Symbol::Blocks(elements.into(), lengths.into()))
    }

    /// Adds the buffer of the block with index `element`.
    fn add_buffer(
        &mut self,
        blocks: &StorageBlocks<'_>,
        name: Ident,
        element: u32,
    ) -> Handle<GlobalVariable> {
        let StorageBlocks { at, block, ref types, binding } = *blocks;
        let binding = binding.map(|first| first.saturating_add(element));
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
            stored: types.stored,
            is_block: true,
            memory,
            open_members: open_members(block, block.members.len().saturating_sub(1)),
            ..GlobalInfo::new(types.plain, Role::Storage, at.object)
        };
        let place = Some(ResourceBinding { group: 0, binding: slot });
        let global = self.add_global(&name, AddressSpace::Storage { access }, place, info);
        let kind = ResourceKind::StorageBuffer { is_writable };
        let (name, alias) = self.identity(kind, &name.name, binding, binding);
        self.resources.push(ResourceVariable {
            name,
            global,
            kind,
            binding,
            alias,
            layout: types.stored_layout(&self.module),
            described: Some((types.described.clone(), types.layout.clone())),
            element,
            location: None,
            span: Some(block.name.span),
        });
        global
    }

    /// Types of the block's struct in the shader and in memory.
    fn storage_block_types(
        &mut self,
        at: At,
        block: &BlockDeclaration,
        packing: Packing,
    ) -> Result<BlockTypes> {
        let (mut plain, mut placed, mut described) = (Vec::new(), Vec::new(), Vec::new());
        let (mut end, mut alignment) = (0_u32, 4_u32);
        let (mut real, mut real_end) = (Vec::new(), 0_u32);
        let owner = if block.instance.is_some() { ArrayForm::Instance } else { ArrayForm::Scope };
        let instance = block.instance.as_ref().map(|(name, _)| self.atomic_paths(&name.name));
        for (idx, member) in block.members.iter().enumerate() {
            let is_last = idx + 1 == block.members.len();
            let ty = self.storage_member_type(at, member, owner, is_last)?;
            crate::lower::type_specifier::add_member(&mut plain, member, ty)?;
            let is_row_major = self.is_member_row_major(at, &block.qualifiers, member);
            let rules = LayoutRules { packing, is_row_major };
            let name = &member.name.name;
            let atomics = match &instance {
                Some(paths) => below(paths, name),
                None => self.atomic_paths(name),
            };
            let described_type = self.interface_type(ty);
            let layout = layout_of(&described_type, packing.standard(), rules.order());
            let place = self.explicit_place(at, block, member)?;
            let real_offset = place.offset_from(real_end, &layout, member.name.span)?;
            real_end = real_offset.saturating_add(layout.size);
            real.push((real_offset, layout));
            described.push(Member { name: name.clone(), ty: described_type });
            let stored = self.storage_type(ty, rules, &atomics, member.name.span)?;
            // The types of std140 and std430 use the block's offset, which naga can express.
            let offset = match packing {
                Packing::Std140 | Packing::Std430 => real_offset,
                Packing::Scalar => end.next_multiple_of(stored.alignment),
            };
            alignment = alignment.max(stored.alignment);
            end = offset.saturating_add(stored.size);
            placed.push(StructMember {
                name: Some(name.clone()),
                ty: stored.ty,
                binding: None,
                offset,
            });
        }
        let span = end.next_multiple_of(packing.round(alignment));
        let name = Some(block.name.name.clone());
        let stored = self.add_type(name, TypeInner::Struct { members: placed, span });
        let described = StructType { name: block.name.name.clone(), members: described };
        let alignment = real.iter().map(|(_, layout)| layout.alignment).max().unwrap_or(4);
        Ok(BlockTypes {
            plain: self.structure(&block.name.name, &plain),
            stored,
            packing,
            described: Type::Struct(described),
            layout: BlockLayout { size: real_end, alignment, shape: layout::Shape::Struct(real) },
        })
    }

    /// Reads `offset` and `align` of a member; the block's `align` applies to members without their own.
    fn explicit_place(
        &mut self,
        at: At,
        block: &BlockDeclaration,
        member: &MemberDeclaration,
    ) -> Result<ExplicitPlace> {
        let qualifiers = &member.ty.qualifiers;
        let of_block = self.layout_value(at, &block.qualifiers, "align")?;
        let align = self.layout_value(at, qualifiers, "align")?.or(of_block).unwrap_or(1);
        if !align.is_power_of_two() {
            return wrong(member.name.span, "`align` must be a power of two");
        }
        Ok(ExplicitPlace { offset: self.layout_value(at, qualifiers, "offset")?, align })
    }

    /// The type of a storage block's member. The last member may be an array without a size.
    fn storage_member_type(
        &mut self,
        at: At,
        member: &MemberDeclaration,
        owner: ArrayForm,
        is_last: bool,
    ) -> Result<Ty> {
        let mut declared =
            Body::new(self, at.object, at.position).declared_type(&member.ty.ty, &member.array)?;
        if !is_last && declared.dims.first() == Some(&None) {
            let implied = self.implied_length(&member.name.name, owner);
            if !implied.is_known() {
                let name = &member.name.name;
                let message =
                    format!("`{name}` has no size and is not the last member of its block");
                return mismatch(member.name.span, message);
            }
        }
        if !is_last || declared.dims.first() != Some(&None) {
            self.fill_open_size(&member.name, owner, &mut declared);
            return self.sized(at, &declared, member.name.span);
        }
        declared.dims.remove(0);
        let base = self.sized(at, &declared, member.name.span)?;
        let stride = self.natural_layout(base).2;
        Ok(self.add_type(None, TypeInner::Array { base, size: ArraySize::Dynamic, stride }))
    }

    /// True if the member's matrices are row-major: by its own qualifier, the block's, or that of `layout(…) buffer;`.
    fn is_member_row_major(&self, at: At, block: &Qualifiers, member: &MemberDeclaration) -> bool {
        let default =
            self.objects.get(at.object).is_some_and(|object| object.storage_blocks.is_row_major);
        [&member.ty.qualifiers, block].into_iter().find_map(row_major_word).unwrap_or(default)
    }
}

impl Body<'_, '_> {
    /// Lowers `blocks[index]` of an array of storage blocks, with an index for every dimension; `None` for any other
    /// base.
    pub(in crate::lower) fn indexed_block(
        &mut self,
        base: &Expr,
        index: &Expr,
        span: Span,
    ) -> Result<Option<Operand>> {
        let (mut base, mut indices) = (base, vec![index]);
        while let ExprKind::Index(outer, index) = &base.kind {
            (base, indices) = (&**outer, [vec![&**index], indices].concat());
        }
        let ExprKind::Variable(name) = &base.kind else { return Ok(None) };
        let Some(Symbol::Blocks(blocks, lengths)) = self.find(name) else { return Ok(None) };
        if indices.len() < lengths.len() {
            return unsupported(span, "part of an array of storage blocks used as a whole");
        }
        if indices.len() > lengths.len() {
            return Ok(None);
        }
        let mut subscripts = Vec::new();
        for (index, length) in indices.into_iter().zip(lengths.iter()) {
            subscripts.push((self.block_subscript(name, index, *length)?, *length));
        }
        let known = subscripts
            .iter()
            .try_fold(0, |all, ((_, known), length)| known.map(|known| all * *length + known));
        if let Some(known) = known {
            let global = blocks.get(known as usize).copied();
            let place = global.and_then(|global| self.place_of(&Symbol::Global(global), span));
            return Ok(place.map(Operand::Place));
        }
        let mut subscripts = subscripts.into_iter();
        let Some(((first, _), _)) = subscripts.next() else { return Ok(None) };
        let mut index = self.convert(first, Kind::Uint, span);
        for ((subscript, _), length) in subscripts {
            index = self.next_block(index, length, subscript, span);
        }
        Ok(self.block_at(&blocks, index, span))
    }

    /// An index into the array `name`, and its value if it is known.
    fn block_subscript(
        &mut self,
        name: &str,
        index: &Expr,
        length: u32,
    ) -> Result<(Value, Option<u32>)> {
        let subscript = self.subscript(index)?;
        let Some(known) = self.known_index(subscript) else { return Ok((subscript, None)) };
        match u32::try_from(known) {
            Ok(known) if known < length => Ok((subscript, Some(known))),
            Ok(_) | Err(_) => {
                wrong(index.span, format!("index {known} is out of bounds for `{name}`"))
            }
        }
    }

    /// Emits `row * length + index`.
    fn next_block(&mut self, row: Value, length: u32, index: Value, span: Span) -> Value {
        let index = self.convert(index, Kind::Uint, span);
        let length = self.literal(Literal::U32(length), span);
        let op = BinaryOperator::Multiply;
        let left = Expression::Binary { op, left: row.handle, right: length.handle };
        let left = self.value(left, row.ty, span).handle;
        let op = BinaryOperator::Add;
        self.value(Expression::Binary { op, left, right: index.handle }, row.ty, span)
    }

    /// The block selected by a dynamic index.
    fn block_at(
        &mut self,
        blocks: &[Handle<GlobalVariable>],
        index: Value,
        span: Span,
    ) -> Option<Operand> {
        let first =
            blocks.first().and_then(|block| self.place_of(&Symbol::Global(*block), span))?;
        let pointers = blocks.iter().map(|block| self.global(*block, span)).collect();
        Some(Operand::Place(self.chosen_place(first, pointers, index, span)))
    }
}

/// Indices of an element, given its position counted through all dimensions.
fn subscripts(lengths: &[u32], mut element: u32) -> String {
    let mut text = String::new();
    for length in lengths.iter().rev() {
        text = format!("[{}]{text}", element % length);
        element /= length;
    }
    text
}

fn memory_access(block: &Qualifiers, member: &Qualifiers) -> MemoryAccess {
    let has = |word| block.memory.contains(&word) || member.memory.contains(&word);
    MemoryAccess {
        is_read_only: has(MemoryWord::ReadOnly),
        is_write_only: has(MemoryWord::WriteOnly),
    }
}
