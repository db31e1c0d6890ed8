//! Interface, uniform and storage blocks (GLSL 4.60 section 4.3.9).

use crate::ast::{BlockDeclaration, MemberDeclaration, Qualifiers, Storage, TypeName};
use crate::target::VULKAN;
use ir::source::Span;
use ir::stage::ShaderStage;

use super::site::Site;
use super::{Checker, has_storage, is_opaque, is_vertex_array};

/// Kind of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    Interface(Storage),
    Uniform,
    Storage,
}

impl BlockKind {
    fn of(qualifiers: &Qualifiers) -> Option<Self> {
        let has = |storage| has_storage(qualifiers, storage);
        if has(Storage::In) {
            Some(Self::Interface(Storage::In))
        } else if has(Storage::Out) {
            Some(Self::Interface(Storage::Out))
        } else if has(Storage::Uniform) {
            Some(Self::Uniform)
        } else if has(Storage::Buffer) {
            Some(Self::Storage)
        } else {
            None
        }
    }

    const fn site(self) -> Site {
        match self {
            Self::Interface(Storage::In) => Site::InputBlock,
            Self::Interface(_) => Site::OutputBlock,
            Self::Uniform => Site::UniformBlock,
            Self::Storage => Site::StorageBlock,
        }
    }

    const fn storage(self) -> Storage {
        match self {
            Self::Interface(storage) => storage,
            Self::Uniform => Storage::Uniform,
            Self::Storage => Storage::Buffer,
        }
    }
}

impl<'a> Checker<'a> {
    /// Checks `qualifiers Name { … } instance;`.
    pub(super) fn check_block(&mut self, position: usize, block: &'a BlockDeclaration) {
        let Some(kind) = BlockKind::of(&block.qualifiers) else {
            let storage = block.qualifiers.storage.first();
            let span = storage.map_or(block.span, |(_, span)| *span);
            self.complain(span, "a block must be `in`, `out`, `uniform` or `buffer`");
            return;
        };
        if ["gl_PerVertex", "gl_PerFragment"].contains(&&*block.name.name) {
            self.check_builtin_block(position, block);
            return;
        }
        self.check_block_extension(block, kind);
        self.check_block_layout(block, kind.site());
        let is_misplaced = matches!(
            (self.stage, kind),
            (ShaderStage::Vertex, BlockKind::Interface(Storage::In))
                | (ShaderStage::Fragment, BlockKind::Interface(Storage::Out))
        );
        if is_misplaced {
            self.complain(block.name.span, "vertex inputs and fragment outputs cannot be blocks");
        }
        self.check_patch(&block.qualifiers);
        self.check_block_memory(&block.qualifiers, kind, block.name.span);
        self.check_block_instance(block);
        self.check_member_locations(block, kind);
        for member in &block.members {
            self.check_member(block, member, kind);
        }
        self.check_block_words(block, kind.site());
    }

    /// Checks that only storage blocks and their members have memory qualifiers (GLSL 4.60 section 4.10).
    fn check_block_memory(&mut self, qualifiers: &Qualifiers, kind: BlockKind, span: Span) {
        // Compilers for Vulkan accept them on uniform blocks, where they have no effect.
        let has_memory =
            kind == BlockKind::Storage || kind == BlockKind::Uniform && self.enables(&[VULKAN]);
        if !has_memory && !qualifiers.memory.is_empty() {
            self.complain(span, "only images and storage blocks can have memory qualifiers");
        }
    }

    /// Checks that the version or an extension has blocks of this kind.
    pub(super) fn check_block_extension(&mut self, block: &BlockDeclaration, kind: BlockKind) {
        let (has_it, message) = match kind {
            BlockKind::Interface(_) => (
                self.is_from(150, 320)
                    || self.enables(&[
                        "GL_OES_shader_io_blocks",
                        "GL_EXT_shader_io_blocks",
                        "GL_OES_geometry_shader",
                        "GL_EXT_geometry_shader",
                        "GL_OES_tessellation_shader",
                        "GL_EXT_tessellation_shader",
                    ]),
                "input and output blocks need GLSL 1.50, GLSL ES 3.20 or GL_OES_shader_io_blocks",
            ),
            BlockKind::Uniform => (
                self.is_from(140, 300)
                    || self.enables(&[
                        "GL_ARB_uniform_buffer_object",
                        "GL_ARB_shader_storage_buffer_object",
                    ]),
                "uniform blocks need GLSL 1.40, GLSL ES 3.00 or GL_ARB_uniform_buffer_object",
            ),
            BlockKind::Storage => (
                self.is_from(430, 310) || self.enables(&["GL_ARB_shader_storage_buffer_object"]),
                "storage blocks need GLSL 4.30, GLSL ES 3.10 or GL_ARB_shader_storage_buffer_object",
            ),
        };
        if !has_it {
            self.complain(block.name.span, message);
        }
    }

    fn check_block_instance(&mut self, block: &BlockDeclaration) {
        let Some((instance, array)) = &block.instance else { return };
        let is_vertex_array = is_vertex_array(self.stage, &block.qualifiers);
        let sizes = array.iter().skip(usize::from(is_vertex_array));
        if let Some(open) = sizes.clone().find(|size| size.size.is_none()) {
            self.complain(
                open.span,
                format!("the array of blocks `{}` needs a size", instance.name),
            );
        }
        let dimensions = sizes.count();
        if dimensions > usize::from(!is_vertex_array) && self.version.is_es {
            self.complain(instance.span, "an array of arrays of blocks is not allowed in GLSL ES");
        }
        let has_location = |qualifiers: &Qualifiers| {
            qualifiers.layout.iter().any(|entry| entry.name.name == "location")
        };
        if dimensions > 0
            && let Some(member) =
                block.members.iter().find(|member| has_location(&member.ty.qualifiers))
        {
            self.complain(
                member.name.span,
                "a member of an array of blocks cannot have a `location`",
            );
        }
    }

    /// Checks that either the block has a location, or all of its members have, or none.
    fn check_member_locations(&mut self, block: &BlockDeclaration, kind: BlockKind) {
        let has_location = |qualifiers: &Qualifiers| {
            qualifiers.layout.iter().any(|entry| entry.name.name == "location")
        };
        if !matches!(kind, BlockKind::Interface(_)) || has_location(&block.qualifiers) {
            return;
        }
        let with =
            block.members.iter().filter(|member| has_location(&member.ty.qualifiers)).count();
        let without = block.members.iter().find(|member| !has_location(&member.ty.qualifiers));
        if let Some(member) = without
            && with > 0
        {
            let message = format!(
                "`{}` has no `location`, but other members of the block have one",
                member.name.name
            );
            self.complain(member.name.span, message);
        }
    }

    fn check_member(
        &mut self,
        block: &BlockDeclaration,
        member: &MemberDeclaration,
        kind: BlockKind,
    ) {
        let qualifiers = &member.ty.qualifiers;
        let span = member.name.span;
        if let Some((_, other)) =
            qualifiers.storage.iter().find(|(storage, _)| *storage != kind.storage())
        {
            self.complain(
                *other,
                "the storage qualifier of a block member must be that of its block",
            );
        }
        if matches!(member.ty.ty.kind, TypeName::Struct(_)) {
            self.complain(member.ty.ty.span, "a struct cannot be defined inside a block");
        }
        let is_bindless = self.has_bindless();
        if self.contains(&member.ty.ty, &is_opaque) && !is_bindless {
            self.complain(span, "a block cannot contain samplers, images or atomic counters");
        }
        let has_sampling =
            qualifiers.interpolation.is_some() || qualifiers.is_centroid || qualifiers.is_sample;
        match kind {
            BlockKind::Interface(_) => {
                if qualifiers.is_patch && !block.qualifiers.is_patch {
                    self.complain(span, "a member can be `patch` only in a block that is `patch`");
                }
                let own = qualifiers.interpolation.or(block.qualifiers.interpolation);
                let both = Qualifiers { interpolation: own, ..qualifiers.clone() };
                self.check_flat(&member.ty.ty, &both, &member.name);
            }
            BlockKind::Uniform | BlockKind::Storage => {
                if has_sampling {
                    self.complain(
                        span,
                        "only varyings can have interpolation or auxiliary storage qualifiers",
                    );
                }
            }
        }
        self.check_block_memory(qualifiers, kind, span);
        self.check_member_size(block, member, kind);
    }

    /// Checks that in GLSL ES only the last member of a storage block is an array without a size (GLSL ES 3.10 section
    /// 4.1.9). As in Mesa, members of uniform blocks may be.
    fn check_member_size(
        &mut self,
        block: &BlockDeclaration,
        member: &MemberDeclaration,
        kind: BlockKind,
    ) {
        let outermost = member.array.first().or(member.ty.ty.array.first());
        let is_last = block.members.last().is_some_and(|last| last.name.span == member.name.span);
        if self.version.is_es
            && kind == BlockKind::Storage
            && !is_last
            && let Some(open) = outermost.filter(|size| size.size.is_none())
        {
            self.complain(open.span, format!("the array `{}` needs a size", member.name.name));
        }
    }
}
