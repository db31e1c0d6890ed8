//! Information about the global variables of the module, and their uses.

use std::rc::Rc;

use naga::{AddressSpace, GlobalVariable, Handle, ResourceBinding};

use crate::ast::Ident;
use ir::builder::global;

use super::types::Ty;
use super::types::constant::Constant;
use super::{Result, Stage, mismatch, naga_span, wrong};

/// Role of a global.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// An ordinary variable.
    Plain,
    /// A constant, kept in memory because it is indexed.
    Const,
    /// A stage input.
    Input,
    /// A stage output.
    Output,
    /// A uniform.
    Uniform,
    /// A storage buffer.
    Storage,
    /// A variable that a workgroup shares.
    Shared,
}

/// Information about a global.
#[derive(Clone, Debug)]
pub(super) struct GlobalInfo {
    /// Type in the shader.
    pub(super) ty: Ty,
    /// Type in the module.
    pub(super) stored: Ty,
    /// Role of the global.
    pub(super) role: Role,
    /// True for an array with one element for each vertex ([`super::interface::vertex_array`]).
    pub(super) has_vertices: bool,
    /// True for a block (or array of blocks), whose members are tracked separately.
    pub(super) is_block: bool,
    /// Value of the global, for [`Role::Const`].
    pub(super) constant: Option<Constant>,
    /// Value of the global's initialiser, which may be in any object.
    pub(super) first_value: Option<FirstValue>,
    /// Index of the object that declares the global.
    pub(super) object: usize,
    /// The memory qualifiers `readonly` and `writeonly` of each member (one entry for a plain variable).
    pub(super) memory: Vec<MemoryAccess>,
    /// Members of a block that are arrays without a size; only constant indices may select their elements.
    pub(super) open_members: Vec<u32>,
    /// If the global is split: the globals that hold its pieces, the symbol's own first. `stored` is then the type of
    /// each piece.
    pub(super) pieces: Option<Rc<[Handle<GlobalVariable>]>>,
}

/// The value of an initialiser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FirstValue {
    /// A constant, as the bits of its scalars.
    Constant(Vec<u64>),
    /// A value that is computed at the start of `main`.
    Computed,
}

/// The memory qualifiers `readonly` and `writeonly` of a storage block's member.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MemoryAccess {
    /// `readonly`
    pub(super) is_read_only: bool,
    /// `writeonly`
    pub(super) is_write_only: bool,
}

/// A use of a global, or of one member of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Use {
    /// The global.
    pub(super) global: Handle<GlobalVariable>,
    /// The block member.
    pub(super) member: Option<u32>,
    /// True for a write.
    pub(super) is_write: bool,
}

impl GlobalInfo {
    /// A global with the same type in the shader and in the module.
    pub(super) fn new(ty: Ty, role: Role, object: usize) -> Self {
        Self {
            ty,
            stored: ty,
            role,
            has_vertices: false,
            is_block: false,
            constant: None,
            first_value: None,
            object,
            memory: Vec::new(),
            open_members: Vec::new(),
            pieces: None,
        }
    }
}

impl Stage<'_> {
    /// Adds a global to the module.
    pub(super) fn add_global(
        &mut self,
        name: &Ident,
        space: AddressSpace,
        binding: Option<ResourceBinding>,
        info: GlobalInfo,
    ) -> Handle<GlobalVariable> {
        let variable = global(Some(name.name.clone()), info.stored, space, binding);
        let handle = self.module.global_variables.append(variable, naga_span(name.span));
        self.globals.insert(handle, info);
        handle
    }

    /// Adds a private global.
    pub(super) fn add_private(&mut self, name: &Ident, info: GlobalInfo) -> Handle<GlobalVariable> {
        self.add_global(name, AddressSpace::Private, None, info)
    }

    /// The global of this name declared by another object, which must have the same type and role.
    pub(super) fn shared_global(
        &mut self,
        name: &Ident,
        ty: Ty,
        role: Role,
        object: usize,
    ) -> Result<Option<Handle<GlobalVariable>>> {
        let Some(handle) = self.shared.get(&name.name).copied() else { return Ok(None) };
        let Some(info) = self.globals.get(&handle) else { return Ok(None) };
        // The key of a block consists of its name and its role.
        let shown = name.name.split(' ').next().unwrap_or_default();
        if info.object == object {
            return wrong(name.span, format!("`{shown}` is declared twice"));
        }
        if info.role != role {
            let message = format!("`{shown}` has different qualifiers in another shader object");
            return mismatch(name.span, message);
        }
        if info.ty != ty {
            let (here, there) = (self.type_name(ty), self.type_name(info.ty));
            let message =
                format!("`{shown}` is `{here}` here but `{there}` in another shader object");
            return mismatch(name.span, message);
        }
        Ok(Some(handle))
    }

    /// Sets a global's initialiser. Several shader objects may initialise the global only with the same constant.
    pub(super) fn set_first_value(
        &mut self,
        global: Handle<GlobalVariable>,
        value: FirstValue,
        name: &Ident,
    ) -> Result<()> {
        let Some(info) = self.globals.get_mut(&global) else { return Ok(()) };
        match &info.first_value {
            Some(FirstValue::Constant(known)) if value == FirstValue::Constant(known.clone()) => {}
            Some(_) => {
                let message =
                    format!("`{}` has a different initialiser in another shader object", name.name);
                return mismatch(name.span, message);
            }
            None => info.first_value = Some(value),
        }
        Ok(())
    }

    /// Records that the code being lowered reads or writes a global.
    pub(super) fn record_use(&mut self, used: Use) {
        self.uses.insert(used);
        self.static_uses.insert(used);
    }

    /// Records that the code being lowered names a global without accessing it yet: a static use of an input.
    pub(super) fn record_mention(&mut self, used: Use) {
        self.static_uses.insert(Use { is_write: false, ..used });
    }

    /// Sets `is_used` and `is_statically_used` in the tables from the recorded uses.
    pub(super) fn mark_used(&mut self) {
        let inputs = self.inputs.iter_mut().map(|variable| (variable, false));
        let outputs = self.outputs.iter_mut().map(|variable| (variable, true));
        for (variable, is_write) in inputs.chain(outputs) {
            let used = variable.place.as_ref().map(|place| {
                let member = if self.vertex_blocks.contains(&place.global) {
                    place.path.first().copied()
                } else if variable.is_block_member {
                    place.path.last().copied()
                } else {
                    None
                };
                Use { global: place.global, member, is_write }
            });
            variable.is_used = used.is_some_and(|used| self.uses.contains(&used));
            variable.is_statically_used = used.is_some_and(|used| self.static_uses.contains(&used));
        }
        for builtin in &mut self.builtins {
            let written = |used: &Use| used.global == builtin.global && used.is_write;
            builtin.is_written = self.uses.iter().any(written);
        }
        let read: Vec<_> =
            self.uses.iter().filter(|used| !used.is_write).map(|used| used.global).collect();
        for uniform in &mut self.uniforms {
            uniform.is_used = read.contains(&uniform.place.global);
        }
    }
}
