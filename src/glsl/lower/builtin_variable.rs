//! Built-in variables and constants, and their redeclaration.
//!
//! The tables are in [`builtins`]. The type in the shader and naga's own may differ in signedness (`int gl_VertexID`
//! over `u32`); accesses convert.

use naga::{GlobalVariable, Handle, Literal};

use crate::ast::{BinaryOp, BlockDeclaration, Expr, ExprKind, Ident, Qualifiers, Storage};
use crate::builtins::{self, Availability, Kind, Seen, Stored};
use ir::interface::{Place as TablePlace, Variable};
use ir::source::Span;
use ir::stage::ShaderStage::{Compute, Fragment};
use ir::stage_module::{BuiltinVariable, Direction, TRIANGLES_PER_PRIMITIVE, UniformVariable};

use super::body::{Body, Value};
use super::declaration::{At, has_layout};
use super::global::{GlobalInfo, Role, Use};
use super::legacy::is_legacy_name;
use super::lvalue::{Operand, Place};
use super::scope::Symbol;
use super::type_specifier::Declared;
use super::types::{self, Ty};
use super::{Result, Stage, mismatch, scan, unsupported, wrong};

const PRIMITIVE_ID: &str = "gl_PrimitiveID";

/// Number of elements of `gl_ClipDistance`, `gl_FragData` and the like if they are indexed dynamically.
const MAX_ELEMENTS: u32 = 8;

/// Form in which an array without size is named when it is indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// By its name alone.
    Scope,
    /// As a member of a block's instance.
    Instance,
}

/// Length of an array without size, implied by its indices and other declarations.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ImpliedLength {
    /// Size in a later declaration.
    declared: Option<u32>,
    /// One more than the highest constant index.
    indexed: u32,
    /// True if some index is not constant.
    is_dynamic: bool,
}

impl ImpliedLength {
    /// The size, at least the highest constant index plus one.
    pub(super) fn length(self) -> u32 {
        self.declared.unwrap_or(0).max(self.indexed)
    }

    /// True if the size follows from a declaration, or from constant indices alone.
    pub(super) fn is_known(self) -> bool {
        self.declared.is_some() || self.indexed > 0 && !self.is_dynamic
    }

    /// Size of a built-in array, which needs no declaration.
    pub(super) fn builtin_length(self) -> u32 {
        let indexed = if self.is_dynamic { MAX_ELEMENTS } else { self.indexed };
        self.declared.unwrap_or(indexed).clamp(1, MAX_ELEMENTS)
    }
}

/// Value of the constant of this name if a case guarantees this number of varying components.
fn promised_value(name: &str, components: u32) -> Option<i32> {
    let value = match name {
        "gl_MaxVaryingComponents" | "gl_MaxVaryingFloats" => components,
        "gl_MaxVaryingVectors" => components / 4,
        _ => return None,
    };
    i32::try_from(value).ok()
}

impl Body<'_, '_> {
    /// The built-in variable or constant of this name, if there is one.
    pub(super) fn builtin_variable(&mut self, name: &str, span: Span) -> Result<Option<Operand>> {
        if !name.starts_with("gl_") {
            return Ok(None);
        }
        if let Some((constant, availability)) = builtins::constant(name) {
            self.stage.check_available(self.object, availability, name, span)?;
            return match constant {
                builtins::Constant::Value(value) => {
                    let promised = self.stage.hints.varying_components;
                    let value = promised.and_then(|it| promised_value(name, it)).unwrap_or(value);
                    Ok(Some(Operand::Value(self.literal(Literal::I32(value), span))))
                }
                builtins::Constant::Unsupported => unsupported(span, name),
            };
        }
        if name == "gl_WorkGroupSize" && self.stage.stage == Compute {
            let ty = self.stage.vector(3, types::Kind::Uint);
            let size = super::constant::Constant::new(ty, self.stage.workgroup_size);
            return Ok(Some(Operand::Value(self.materialize(&size, span))));
        }
        let global = self.stage.available_builtin(self.object, name, span)?;
        let symbol = Symbol::Global(global);
        let place = self.place_of(&symbol, span).map(|place| self.opened(place, name, &symbol));
        match place {
            Some(place) if name == PRIMITIVE_ID && self.stage.stage == Fragment => {
                self.primitive_id(&place, span).map(|value| Some(Operand::Value(value)))
            }
            place => Ok(place.map(Operand::Place)),
        }
    }

    /// Converts to GL's primitive number: GL counts its own primitives, but the adapter draws the triangles they are
    /// made of.
    fn primitive_id(&mut self, triangle: &Place, span: Span) -> Result<Value> {
        let triangle = self.load(triangle, span)?;
        let per_primitive = self.stage.triangles_per_primitive(span);
        let pointer = self.global(per_primitive, span);
        let per_primitive = self.load_pointer(pointer, triangle.ty, span);
        self.binary(BinaryOp::Div, triangle, per_primitive, span)
    }
}

impl Stage<'_> {
    /// The global for a built-in variable, created at its first use.
    fn builtin_global(
        &mut self,
        object: usize,
        name: &str,
        span: Span,
    ) -> Option<Handle<GlobalVariable>> {
        if let Some(known) = self.shared.get(name) {
            return Some(*known);
        }
        let ident = Ident { name: name.to_owned(), span };
        let Some(row) = builtins::variable(name, self.stage) else {
            return self.legacy_global(object, &ident);
        };
        let row = match &row.kind {
            Kind::FragmentOutput => return Some(self.fragment_output(object, &ident)),
            Kind::Stored(stored) => stored,
            Kind::Unsupported => return None,
        };
        let (ty, stored) = self.builtin_types(name, row)?;
        let role = if row.direction == Direction::Input { Role::Input } else { Role::Output };
        let info = GlobalInfo { stored, ..GlobalInfo::new(ty, role, object) };
        let global = self.add_private(&ident, info);
        self.shared.insert(name.to_owned(), global);
        self.builtins.push(BuiltinVariable {
            builtin: row.builtin,
            global,
            direction: row.direction,
            is_written: false,
        });
        Some(global)
    }

    /// The global for a built-in variable, if this object has one of that name.
    fn available_builtin(
        &mut self,
        object: usize,
        name: &str,
        span: Span,
    ) -> Result<Handle<GlobalVariable>> {
        if let Some(row) = builtins::variable(name, self.stage) {
            self.check_available(object, row.availability, name, span)?;
        }
        match self.builtin_global(object, name, span) {
            Some(global) => Ok(global),
            None => self.unknown_builtin(object, name, span),
        }
    }

    fn check_available(
        &self,
        object: usize,
        availability: Availability,
        name: &str,
        span: Span,
    ) -> Result<()> {
        if self.is_available(object, availability) {
            return Ok(());
        }
        wrong(span, format!("`{name}` is not in this version"))
    }

    /// True if an object has a built-in.
    fn is_available(&self, object: usize, availability: Availability) -> bool {
        availability.is_met(builtins::Context {
            version: self.version(object),
            has_legacy: self.has_legacy(object),
            enables: &|names| self.has_extension(object, names),
        })
    }

    /// Uniform with the number of triangles per primitive of a draw.
    fn triangles_per_primitive(&mut self, span: Span) -> Handle<GlobalVariable> {
        if let Some(known) = self.shared.get(TRIANGLES_PER_PRIMITIVE) {
            return *known;
        }
        let name = Ident { name: TRIANGLES_PER_PRIMITIVE.to_owned(), span };
        let ty = self.scalar(types::Kind::Int);
        let global = self.add_private(&name, GlobalInfo::new(ty, Role::Uniform, 0));
        self.shared.insert(name.name.clone(), global);
        self.record_use(Use { global, member: None, is_write: false });
        self.uniforms.push(UniformVariable {
            initial: Some(vec![1]),
            ..UniformVariable::loose(name.name, self.interface_type(ty), TablePlace::whole(global))
        });
        global
    }

    /// The error for a built-in variable that this object does not have, or that is not supported.
    fn unknown_builtin<T>(&self, object: usize, name: &str, span: Span) -> Result<T> {
        let is_unsupported = builtins::variable(name, self.stage).is_some();
        if is_unsupported || builtins::is_reserved_family(name) {
            return unsupported(span, name);
        }
        let is_legacy = is_legacy_name(name);
        if is_legacy && !self.has_legacy(object) {
            return wrong(span, format!("`{name}` exists only in the compatibility profile"));
        }
        if is_legacy || builtins::is_in_another_stage(name, self.stage) {
            return wrong(span, format!("the {} has no `{name}`", super::stage_name(self.stage)));
        }
        wrong(span, format!("`{name}` is not declared"))
    }

    /// Types of a built-in in the shader and in naga.
    fn builtin_types(&mut self, name: &str, row: &Stored) -> Option<(Ty, Ty)> {
        let stored = self.keyword_type(row.keyword)?;
        Some(match row.ty {
            Seen::Plain(keyword) => (self.keyword_type(keyword)?, stored),
            Seen::Mask => {
                let int = self.scalar(types::Kind::Int);
                (self.array(int, 1), stored)
            }
            Seen::Floats => {
                let length = self.implied_length(name, Owner::Scope).builtin_length();
                let array = self.array(stored, length);
                (array, array)
            }
        })
    }

    /// Declares `gl_FragColor` or `gl_FragData`: outputs without a location, which the linker assigns.
    fn fragment_output(&mut self, object: usize, name: &Ident) -> Handle<GlobalVariable> {
        let mut ty = self.vector(4, types::Kind::Float);
        if name.name == "gl_FragData" {
            let length = self.implied_length(&name.name, Owner::Scope).builtin_length();
            ty = self.array(ty, length);
        }
        let global = self.add_private(name, GlobalInfo::new(ty, Role::Output, object));
        self.shared.insert(name.name.clone(), global);
        let mut variable = Variable::new(&*name.name, self.interface_type(ty));
        variable.place = Some(TablePlace::whole(global));
        variable.span = Some(name.span);
        self.outputs.push(variable);
        global
    }

    /// Handles a redeclaration of a built-in variable: it may give an array's size or qualifiers that change nothing
    /// here.
    pub(super) fn redeclare_builtin(
        &mut self,
        object: usize,
        qualifiers: &Qualifiers,
        name: &Ident,
        declared: &Declared,
    ) -> Result<()> {
        let row = builtins::variable(&name.name, self.stage);
        if let Some(row) = row {
            self.check_available(object, row.availability, &name.name, name.span)?;
        }
        self.frag_coord.is_origin_upper_left |= has_layout(qualifiers, "origin_upper_left");
        self.frag_coord.is_pixel_center_integer |= has_layout(qualifiers, "pixel_center_integer");
        if row.is_none() {
            let global = self.available_builtin(object, &name.name, name.span)?;
            self.requalify_legacy(global, qualifiers);
        }
        let Some(length) = declared.dims.first().copied().flatten() else {
            return self.check_distances(name, 1);
        };
        if length > MAX_ELEMENTS {
            let message = format!("`{}` has at most {MAX_ELEMENTS} elements", name.name);
            return wrong(name.span, message);
        }
        self.check_same_length(object, name, length)?;
        self.check_distances(name, length)
    }

    /// Checks that all redeclarations of an array have the same size (GLSL 4.60, 4.1.9).
    fn check_same_length(&mut self, object: usize, name: &Ident, length: u32) -> Result<()> {
        let key = name.name.clone();
        let (first, owner) = *self.builtin_lengths.entry(key).or_insert((length, object));
        if first == length {
            return Ok(());
        }
        let elements = format!("`{}` has {length} elements here and {first}", name.name);
        if owner == object {
            return wrong(name.span, format!("{elements} in an earlier declaration"));
        }
        mismatch(name.span, format!("{elements} in another shader object"))
    }

    /// Checks clip and cull distances against `gl_MaxCombinedClipAndCullDistances` (GLSL 4.60, 7.1.1). The linker
    /// checks arrays whose size follows only from their indices.
    fn check_distances(&mut self, name: &Ident, length: u32) -> Result<()> {
        let other = match &*name.name {
            "gl_ClipDistance" => "gl_CullDistance",
            "gl_CullDistance" => "gl_ClipDistance",
            _ => return Ok(()),
        };
        let other = self.implied_length(other, Owner::Scope).declared.unwrap_or(0);
        if length.saturating_add(other) > MAX_ELEMENTS {
            let message = format!(
                "`gl_ClipDistance` and `gl_CullDistance` have at most {MAX_ELEMENTS} elements together"
            );
            return wrong(name.span, message);
        }
        Ok(())
    }

    /// Handles `out gl_PerVertex { … };`, which selects built-ins.
    pub(super) fn redeclare_builtin_block(
        &mut self,
        at: At,
        block: &BlockDeclaration,
    ) -> Result<()> {
        let is_output = block.qualifiers.storage.iter().any(|(it, _)| *it == Storage::Out);
        let mut feedback = self.capture_block(at, &block.qualifiers, is_output)?;
        for member in &block.members {
            let declared = Body::new(self, at.object, at.position)
                .declared_type(&member.ty.ty, &member.array)?;
            if is_output && feedback.concerns(&member.ty.qualifiers) {
                let ty = self.sized(at, &declared, member.name.span)?;
                let (ty, name) = (self.interface_type(ty), &*member.name.name);
                let place = (&mut feedback, 0);
                let member_of = (name, &ty, member.name.span);
                self.capture_member(at, &member.ty.qualifiers, place, member_of)?;
            }
            if builtins::variable(&member.name.name, self.stage).is_some() {
                self.redeclare_builtin(at.object, &member.ty.qualifiers, &member.name, &declared)?;
            }
        }
        Ok(())
    }

    /// Length of an array implied by the shader's other declarations and by indices.
    pub(super) fn implied_length(&mut self, name: &str, owner: Owner) -> ImpliedLength {
        let units = self.units;
        let mut implied = ImpliedLength::default();
        let mut indices = Vec::new();
        for (idx, unit) in units.iter().enumerate() {
            scan::visit_unit(unit, &mut |expr| {
                if let ExprKind::Index(base, index) = &expr.kind
                    && is_array(base, name, owner)
                {
                    indices.push((idx, &**index));
                }
            });
            for item in &unit.items {
                let size = scan::declared_size(item, name);
                let known = size.map(|size| self.quiet_integer(idx, size));
                // Differing sizes are reported elsewhere.
                implied.declared = implied.declared.max(known.flatten());
            }
        }
        for (object, index) in indices {
            match self.quiet_integer(object, index) {
                Some(index) => implied.indexed = implied.indexed.max(index.saturating_add(1)),
                None => implied.is_dynamic = true,
            }
        }
        implied
    }

    /// The value of an expression if it is a constant that can be evaluated without lowering any function.
    fn quiet_integer(&mut self, object: usize, expr: &Expr) -> Option<u32> {
        if scan::has_effects(expr, &super::builtin::is_pure) {
            return None;
        }
        let value = self.constant_integer(object, usize::MAX, expr).ok()?;
        u32::try_from(value).ok()
    }
}

/// True if the expression is the variable `name`, or, in a block with an instance name, that member.
fn is_array(expr: &Expr, name: &str, owner: Owner) -> bool {
    match owner {
        Owner::Scope => matches!(&expr.kind, ExprKind::Variable(variable) if variable == name),
        Owner::Instance => matches!(&expr.kind, ExprKind::Field(_, field) if field.name == name),
    }
}
