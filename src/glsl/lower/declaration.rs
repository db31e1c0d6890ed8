//! Declarations at global scope.

pub(super) mod implied_length;
pub(super) mod initializer;

use naga::{GlobalVariable, Handle};

use crate::ast::{BlockDeclaration, Declaration, Declarator, Ident, Item, Qualifiers, Storage};
use crate::lower::body::Body;
use ir::interface::Place;
use ir::source::Span;
use ir::stage::ShaderStage;
use ir::stage_module::{UniformKind, UniformVariable};

use super::call::subroutine::is_subroutine;
use super::global::{FirstValue, GlobalInfo, Role};
use super::qualifier::At;
use super::scope::Symbol;
use super::type_specifier::Declared;
use super::types::layout::{LayoutRules, Packing};
use super::types::{Shape, Ty};
use super::{Result, Stage, mismatch, unsupported, wrong};
use implied_length::ArrayForm;
use initializer::{Pending, PendingValue};

/// Number of uniform locations, as in Mesa; GL 4.6 guarantees 1024.
const MAX_UNIFORM_LOCATIONS: u32 = 81_920;

/// The part of a declaration before its names, which all of them share.
pub(super) struct Specifier<'q> {
    /// Position of the declaration in the stage.
    pub(super) at: At,
    /// Qualifiers of the names.
    pub(super) qualifiers: &'q Qualifiers,
    /// What the qualifiers make of the names.
    pub(super) role: Role,
    /// The type without the array sizes after the names.
    pub(super) ty: Declared,
}

impl<'a> Stage<'a> {
    /// Declares everything at the global scope of an object.
    pub(super) fn declare_object(&mut self, object: usize) {
        let units = self.units;
        let Some(unit) = units.get(object) else { return };
        for (position, item) in unit.items.iter().enumerate() {
            let at = At { object, position };
            let declared = match item {
                Item::Function(prototype, body) => {
                    self.declare_function(object, position, prototype, Some(body))
                }
                Item::Prototype(prototype)
                    if is_subroutine(&prototype.result)
                        && prototype.result.qualifiers.subroutines.is_empty() =>
                {
                    self.declare_subroutine_type(at, prototype)
                }
                Item::Prototype(prototype) => {
                    self.declare_function(object, position, prototype, None)
                }
                Item::Declaration(declaration) => self.declare(at, declaration),
            };
            self.note(declared);
        }
    }

    fn declare(&mut self, at: At, declaration: &'a Declaration) -> Result<()> {
        match declaration {
            Declaration::Variables { ty, declarators } if is_subroutine(ty) => {
                self.declare_subroutine_uniforms(at, ty, declarators)
            }
            Declaration::Variables { ty, declarators } => {
                let role = self.role(&ty.qualifiers)?;
                let specified = Body::new(self, at.object, at.position).specified_type(&ty.ty)?;
                if declarators.is_empty()
                    && role == Role::Uniform
                    && self.has_opaque(specified.element)
                {
                    return self.set_counter_offset(at, &ty.qualifiers);
                }
                let specifier = Specifier { at, qualifiers: &ty.qualifiers, role, ty: specified };
                for declarator in declarators {
                    self.declare_variable(&specifier, declarator)?;
                }
                Ok(())
            }
            Declaration::Block(block) => self.declare_block(at, block),
            Declaration::Precision { .. } => Ok(()),
            Declaration::Requalify { qualifiers, names, span } => {
                self.requalify(at, qualifiers, names, *span)
            }
        }
    }

    fn declare_block(&mut self, at: At, block: &BlockDeclaration) -> Result<()> {
        if ["gl_PerVertex", "gl_PerFragment"].contains(&&*block.name.name) {
            return self.redeclare_builtin_block(at, block);
        }
        match self.role(&block.qualifiers)? {
            Role::Input => self.declare_interface_block(at, block, Role::Input),
            Role::Output => self.declare_interface_block(at, block, Role::Output),
            Role::Uniform => self.declare_uniform_block(at, block),
            Role::Storage => self.declare_storage_block(at, block),
            Role::Plain | Role::Const | Role::Shared => {
                wrong(block.span, "a block must be `in`, `out`, `uniform` or `buffer`")
            }
        }
    }

    /// The role of a global with these storage qualifiers in this stage.
    pub(super) fn role(&self, qualifiers: &Qualifiers) -> Result<Role> {
        let mut role = Role::Plain;
        for (storage, span) in &qualifiers.storage {
            role = match storage {
                Storage::Const => Role::Const,
                Storage::In | Storage::Out if self.stage == ShaderStage::Compute => {
                    return wrong(*span, "a compute shader cannot declare inputs or outputs");
                }
                Storage::In => Role::Input,
                Storage::Out => Role::Output,
                Storage::Attribute if self.stage == ShaderStage::Vertex => Role::Input,
                Storage::Attribute => {
                    return wrong(*span, "`attribute` is only allowed in the vertex stage");
                }
                Storage::Varying if self.stage.outputs().are_varyings() => Role::Output,
                Storage::Varying if self.stage.inputs().are_varyings() => Role::Input,
                Storage::Varying => {
                    let stage = self.stage.name();
                    return wrong(*span, format!("`varying` is not allowed in the {stage} stage"));
                }
                Storage::Uniform => Role::Uniform,
                Storage::Buffer => Role::Storage,
                Storage::Shared if self.stage == ShaderStage::Compute => Role::Shared,
                Storage::Shared => {
                    return wrong(*span, "`shared` is only allowed in the compute stage");
                }
                Storage::Subroutine => return unsupported(*span, "subroutine"),
                Storage::InOut => {
                    return wrong(*span, "`inout` is only allowed on parameters");
                }
            };
        }
        Ok(role)
    }

    fn declare_variable(
        &mut self,
        specifier: &Specifier<'_>,
        declarator: &'a Declarator,
    ) -> Result<()> {
        let Specifier { at, qualifiers, role, ty: ref specified } = *specifier;
        let name = &declarator.name;
        let mut declared = Body::new(self, at.object, at.position)
            .with_dimensions(specified, &declarator.array)?;
        if name.name.starts_with("gl_") {
            self.capture_variable(at, qualifiers, name)?;
            return self.redeclare_builtin(at.object, qualifiers, name, &declared);
        }
        if self.has_vertices(role, qualifiers) {
            self.fill_vertices(at, role, name, &mut declared)?;
        } else if declarator.initializer.is_none() {
            self.fill_open_size(name, ArrayForm::Scope, &mut declared);
        }
        match role {
            Role::Plain => self.declare_plain(at, &declared, declarator),
            Role::Const => self.declare_constant(at, &declared, declarator),
            Role::Uniform => self.declare_uniform(specifier, &declared, declarator),
            Role::Input | Role::Output => {
                if declarator.initializer.is_some() {
                    return wrong(name.span, "inputs and outputs cannot have initialisers");
                }
                self.declare_interface_variable(specifier, &declared, name)
            }
            Role::Shared => self.declare_shared(at, &declared, name),
            Role::Storage => wrong(name.span, "`buffer` is only allowed on blocks"),
        }
    }

    /// The type of a declaration at global scope.
    pub(super) fn sized(&mut self, at: At, declared: &Declared, span: Span) -> Result<Ty> {
        Body::new(self, at.object, at.position).sized(declared, span)
    }

    /// Declares a symbol in an object.
    pub(super) fn declare_symbol(&mut self, at: At, name: &Ident, symbol: Symbol) -> Result<()> {
        Body::new(self, at.object, at.position).declare(name, symbol)
    }

    /// The global of that name, if it is already declared: in another object, or as an array in this one.
    pub(super) fn existing(
        &mut self,
        at: At,
        name: &Ident,
        ty: Ty,
        role: Role,
    ) -> Result<Option<naga::Handle<naga::GlobalVariable>>> {
        let known = self.shared.get(&name.name).and_then(|handle| self.globals.get(handle));
        let is_redeclared_array = known.is_some_and(|info| {
            info.object == at.object
                && info.ty == ty
                && info.role == role
                && matches!(self.shape(ty), Shape::Array(..))
        });
        if is_redeclared_array {
            return Ok(self.shared.get(&name.name).copied());
        }
        let Some(global) = self.shared_global(name, ty, role, at.object)? else { return Ok(None) };
        self.declare_symbol(at, name, Symbol::Global(global))?;
        Ok(Some(global))
    }

    fn declare_plain(
        &mut self,
        at: At,
        declared: &Declared,
        declarator: &'a Declarator,
    ) -> Result<()> {
        let name = &declarator.name;
        let (ty, initial) = match &declarator.initializer {
            Some(initializer) => {
                if self.version(at.object).is_es {
                    let body = Body::new(self, at.object, at.position);
                    body.check_constant_initializer(initializer)?;
                }
                self.constant_initializer(at.object, at.position, initializer, declared)?
            }
            None => (self.sized(at, declared, name.span)?, None),
        };
        let global = if let Some(global) = self.existing(at, name, ty, Role::Plain)? {
            global
        } else {
            let global = self.add_plain(name, GlobalInfo::new(ty, Role::Plain, at.object));
            self.shared.insert(name.name.clone(), global);
            self.declare_symbol(at, name, Symbol::Global(global))?;
            global
        };
        if declarator.initializer.is_some() {
            let value = initial.as_ref().map_or(FirstValue::Computed, |constant| {
                FirstValue::Constant(constant.bits.to_vec())
            });
            self.set_first_value(global, value, name)?;
        }
        match (&declarator.initializer, initial) {
            (Some(_), Some(constant)) => self.set_initial(global, &constant, name.span),
            (Some(initializer), None) => {
                let value = PendingValue::Initializer(initializer);
                self.pending.push(Pending { global, ty, at, value, span: name.span });
            }
            (None, _) => {}
        }
        Ok(())
    }

    /// Declares a constant, which only its own object sees.
    fn declare_constant(
        &mut self,
        at: At,
        declared: &Declared,
        declarator: &'a Declarator,
    ) -> Result<()> {
        let name = &declarator.name;
        let Some(initializer) = &declarator.initializer else {
            return wrong(name.span, format!("the constant `{}` needs an initialiser", name.name));
        };
        let (ty, constant) =
            self.constant_initializer(at.object, at.position, initializer, declared)?;
        Body::new(self, at.object, at.position).check_constant_initializer(initializer)?;
        let symbol = constant.and_then(|constant| self.constant_symbol(name, &constant, at.object));
        if let Some(symbol) = symbol {
            return self.declare_symbol(at, name, symbol);
        }
        let global = self.add_private(name, GlobalInfo::new(ty, Role::Const, at.object));
        let value = PendingValue::Initializer(initializer);
        self.pending.push(Pending { global, ty, at, value, span: name.span });
        self.declare_symbol(at, name, Symbol::Global(global))
    }

    fn declare_uniform(
        &mut self,
        specifier: &Specifier<'_>,
        declared: &Declared,
        declarator: &'a Declarator,
    ) -> Result<()> {
        let Specifier { at, qualifiers, .. } = *specifier;
        let name = &declarator.name;
        let (plain, constant) = match &declarator.initializer {
            Some(initializer) => {
                self.constant_initializer(at.object, at.position, initializer, declared)?
            }
            None => (self.sized(at, declared, name.span)?, None),
        };
        self.check_interface_size(plain, name.span)?;
        if self.has_opaque(plain) {
            return self.declare_opaque(specifier, plain, name);
        }
        if declarator.initializer.is_some() && constant.is_none() {
            return wrong(name.span, "a uniform's initialiser must be constant");
        }
        let initial = constant.map(|constant| constant.bits.to_vec());
        self.note_uniform(specifier, plain, name, initial.clone())?;
        if let Some(global) = self.existing(at, name, plain, Role::Uniform)? {
            return self.keep_initial(global, initial, name);
        }
        let location = self.layout_value(at, qualifiers, "location")?;
        if let Some(location) = location.filter(|location| *location >= MAX_UNIFORM_LOCATIONS) {
            let message = format!(
                "uniform location {location} is too large; there are {MAX_UNIFORM_LOCATIONS}"
            );
            return wrong(qualifiers.span, message);
        }
        let global = self.add_private(name, GlobalInfo::new(plain, Role::Uniform, at.object));
        self.shared.insert(name.name.clone(), global);
        self.uniforms.push(UniformVariable {
            kind: UniformKind::Loose { location },
            initial,
            span: Some(name.span),
            ..UniformVariable::loose(
                name.name.clone(),
                self.interface_type(plain),
                Place::whole(global),
            )
        });
        self.declare_symbol(at, name, Symbol::Global(global))
    }

    /// Records the initialiser of a uniform. Any shader object may have it, and several only with the same value (GLSL
    /// 4.60 section 4.3.5).
    fn keep_initial(
        &mut self,
        global: Handle<GlobalVariable>,
        initial: Option<Vec<u64>>,
        name: &Ident,
    ) -> Result<()> {
        let known = self.uniforms.iter_mut().find(|uniform| uniform.place.global == global);
        let Some(uniform) = known else { return Ok(()) };
        if initial.is_some() && uniform.initial.is_some() && initial != uniform.initial {
            let message =
                format!("`{}` has a different initialiser in another shader object", name.name);
            return mismatch(name.span, message);
        }
        uniform.initial = uniform.initial.take().or(initial);
        Ok(())
    }

    fn declare_shared(&mut self, at: At, declared: &Declared, name: &Ident) -> Result<()> {
        let ty = self.sized(at, declared, name.span)?;
        if self.existing(at, name, ty, Role::Shared)?.is_some() {
            return Ok(());
        }
        let atomics = self.atomic_paths(&name.name);
        let rules = LayoutRules { packing: Packing::Std430, is_row_major: false };
        let stored = if atomics.is_empty() {
            ty
        } else {
            self.storage_type(ty, rules, &atomics, name.span)?.ty
        };
        let info = GlobalInfo { stored, ..GlobalInfo::new(ty, Role::Shared, at.object) };
        let global = self.add_global(name, naga::AddressSpace::WorkGroup, None, info);
        self.shared.insert(name.name.clone(), global);
        self.declare_symbol(at, name, Symbol::Global(global))
    }
}
