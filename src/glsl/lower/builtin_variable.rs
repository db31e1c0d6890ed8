//! Built-in variables and constants, and their redeclaration.
//!
//! The tables are in [`builtins`]. The type in the shader and naga's own may differ in signedness (`int gl_VertexID`
//! over `u32`); accesses convert.

pub(super) mod legacy;
pub(super) mod per_vertex;

use ir::diagnostic::counted;
use naga::{ConservativeDepth, EarlyDepthTest, GlobalVariable, Handle, Literal};

use crate::ast::{BinaryOp, BlockDeclaration, Ident, Qualifiers, Storage};
use crate::builtins::{self, Availability, BuiltinConstant, BuiltinKind, Seen, StoredBuiltin};
use ir::interface::{Interpolation, Place as TablePlace, Variable};
use ir::source::Span;
use ir::stage::ShaderStage::{Compute, Fragment, TessellationControl};
use ir::stage_module::{BuiltinVariable, Direction, TRIANGLES_PER_PRIMITIVE, UniformVariable};

use super::body::Body;
use super::declaration::implied_length::{ArrayForm, MAX_ELEMENTS};
use super::global::{GlobalInfo, Role, Use};
use super::operand::{Operand, Place, Value};
use super::qualifier::{At, has_layout};
use super::scope::Symbol;
use super::type_specifier::Declared;
use super::types::{self, Ty};
use super::{Result, Stage, mismatch, scan, unsupported, wrong};
use legacy::is_legacy_name;

const PRIMITIVE_ID: &str = "gl_PrimitiveID";

impl Body<'_, '_> {
    /// The built-in variable or constant of this name, if there is one.
    pub(super) fn builtin_variable(&mut self, name: &str, span: Span) -> Result<Option<Operand>> {
        if !name.starts_with("gl_") {
            return Ok(None);
        }
        if let Some((constant, availability)) = builtins::constant(name) {
            self.stage.check_available(self.object, availability, name, span)?;
            let hints = &self.stage.hints;
            let value = match constant {
                BuiltinConstant::Limit(limit) => hints.limit(limit),
                BuiltinConstant::Vectors(limit) => hints.limit(limit).map(|count| count / 4),
                BuiltinConstant::Unsupported => None,
            };
            let Some(value) = value.and_then(|value| i32::try_from(value).ok()) else {
                return unsupported(span, name);
            };
            return Ok(Some(Operand::Value(self.literal(Literal::I32(value), span))));
        }
        if name == "gl_WorkGroupSize" && self.stage.stage == Compute {
            let ty = self.stage.vector(3, types::Kind::Uint);
            let size = self.stage.workgroup_size.map(u64::from);
            let size = super::types::constant::Constant::new(ty, size);
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

    /// Converts a triangle number to GL's primitive number. GL counts its own primitives, but the adapter draws the
    /// triangles that they consist of.
    fn primitive_id(&mut self, triangle: &Place, span: Span) -> Result<Value> {
        let triangle = self.load(triangle, span)?;
        let per_primitive = self.stage.triangles_per_primitive(span);
        let pointer = self.global(per_primitive, span);
        let per_primitive = self.load_pointer(pointer, triangle.ty, span);
        self.binary(BinaryOp::Div, triangle, per_primitive, span)
    }
}

impl Stage<'_> {
    /// The global for a built-in variable, which is created at its first use.
    fn builtin_global(
        &mut self,
        object: usize,
        name: &str,
        span: Span,
    ) -> Result<Option<Handle<GlobalVariable>>> {
        if let Some(known) = self.shared.get(name) {
            return Ok(Some(*known));
        }
        let ident = Ident { name: name.to_owned(), span };
        let Some(row) = builtins::variable(name, self.stage) else {
            return Ok(self.legacy_global(object, &ident));
        };
        let row = match &row.kind {
            BuiltinKind::FragmentOutput => return Ok(Some(self.fragment_output(object, &ident))),
            BuiltinKind::Varying(direction) => {
                return Ok(Some(self.builtin_varying(object, &ident, *direction)));
            }
            BuiltinKind::VertexBlock => return self.declare_per_vertex(object, &ident).map(Some),
            BuiltinKind::GeometryInput => return Ok(Some(self.geometry_input(object, &ident))),
            BuiltinKind::Tessellation => {
                return Ok(Some(self.tessellation_variable(object, &ident)));
            }
            BuiltinKind::Stored(stored) => stored,
            BuiltinKind::Checked(direction, keyword) if self.hints.is_only_compiled => {
                return Ok(self.checked_variable(object, &ident, *direction, keyword));
            }
            BuiltinKind::Checked(..) | BuiltinKind::Unsupported => return Ok(None),
        };
        let Some((ty, stored)) = self.builtin_types(name, row) else { return Ok(None) };
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
        Ok(Some(global))
    }

    /// A global in place of a variable that cannot be run.
    fn checked_variable(
        &mut self,
        object: usize,
        name: &Ident,
        direction: Direction,
        keyword: &str,
    ) -> Option<Handle<GlobalVariable>> {
        let ty = self.keyword_type(keyword)?;
        let role = if direction == Direction::Input { Role::Input } else { Role::Output };
        let global = self.add_private(name, GlobalInfo::new(ty, role, object));
        self.shared.insert(name.name.clone(), global);
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
        match self.builtin_global(object, name, span)? {
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
        wrong(span, format!("`{name}` is not available in this version"))
    }

    /// True if an object has a built-in with this availability.
    pub(super) fn is_available(&self, object: usize, availability: Availability) -> bool {
        availability.is_met(builtins::Context {
            version: self.version(object),
            has_legacy: self.has_legacy(object),
            enables: &|names| self.has_extension(object, names),
        })
    }

    /// The hidden uniform that holds the number of triangles per primitive of a draw.
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
        let is_bounding_box = builtins::is_bounding_box(name)
            && self.stage == TessellationControl
            && self.is_available(object, builtins::BOUNDING_BOX);
        let is_unsupported = builtins::variable(name, self.stage).is_some() || is_bounding_box;
        if is_unsupported || builtins::is_reserved_family(name) {
            return unsupported(span, name);
        }
        let is_legacy = is_legacy_name(name);
        if is_legacy && !self.has_legacy(object) {
            return wrong(span, format!("`{name}` exists only in the compatibility profile"));
        }
        if is_legacy || builtins::is_in_another_stage(name, self.stage) {
            return wrong(span, format!("the {} stage has no `{name}`", self.stage.name()));
        }
        wrong(span, format!("`{name}` is not declared"))
    }

    /// Types of a built-in in the shader and in naga.
    fn builtin_types(&mut self, name: &str, row: &StoredBuiltin) -> Option<(Ty, Ty)> {
        let stored = self.keyword_type(row.keyword)?;
        Some(match row.ty {
            Seen::Plain(keyword) => (self.keyword_type(keyword)?, stored),
            Seen::Mask => {
                let int = self.scalar(types::Kind::Int);
                (self.array(int, 1), stored)
            }
            Seen::Floats => {
                let length = self.implied_length(name, ArrayForm::Scope).builtin_length();
                let array = self.array(stored, length);
                (array, array)
            }
        })
    }

    /// Declares `gl_FragColor` or `gl_FragData`: outputs without a location, which the linker assigns.
    fn fragment_output(&mut self, object: usize, name: &Ident) -> Handle<GlobalVariable> {
        let mut ty = self.vector(4, types::Kind::Float);
        if name.name == "gl_FragData" {
            let length = self.implied_length(&name.name, ArrayForm::Scope).builtin_length();
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

    /// Declares `gl_PrimitiveID`, `gl_Layer` or `gl_ViewportIndex` as an ordinary input or output.
    fn builtin_varying(
        &mut self,
        object: usize,
        name: &Ident,
        direction: Direction,
    ) -> Handle<GlobalVariable> {
        let role = if direction == Direction::Input { Role::Input } else { Role::Output };
        let ty = self.scalar(types::Kind::Int);
        let global = self.add_private(name, GlobalInfo::new(ty, role, object));
        self.shared.insert(name.name.clone(), global);
        let mut variable = Variable::new(&*name.name, self.interface_type(ty));
        variable.interpolation = Interpolation::Flat;
        variable.place = Some(TablePlace::whole(global));
        variable.span = Some(name.span);
        self.table(role).push(variable);
        global
    }

    /// Handles a redeclaration of a built-in variable: it may set an array's size, or qualifiers that have no effect
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
        if name.name == "gl_FragDepth" {
            self.promise_depth(qualifiers);
        }
        if row.is_none() {
            let global = self.available_builtin(object, &name.name, name.span)?;
            self.requalify_legacy(global, qualifiers);
        }
        let Some(length) = declared.dims.first().copied().flatten() else {
            return self.check_distances(name, 1);
        };
        if length > MAX_ELEMENTS {
            let message = format!("`{}` can have at most {MAX_ELEMENTS} elements", name.name);
            return wrong(name.span, message);
        }
        self.check_same_length(object, name, length)?;
        self.check_distances(name, length)
    }

    /// Applies the layout of `gl_FragDepth`. With early fragment tests it has no effect, and `depth_any` declares
    /// nothing.
    fn promise_depth(&mut self, qualifiers: &Qualifiers) {
        let words = [
            ("depth_greater", ConservativeDepth::GreaterEqual),
            ("depth_less", ConservativeDepth::LessEqual),
            ("depth_unchanged", ConservativeDepth::Unchanged),
        ];
        let promised = words.into_iter().find(|(word, _)| has_layout(qualifiers, word));
        if let Some((_, conservative)) = promised
            && self.early_depth_test != Some(EarlyDepthTest::Force)
        {
            self.early_depth_test = Some(EarlyDepthTest::Allow { conservative });
        }
    }

    /// Checks that all redeclarations of an array have the same size (GLSL 4.60, 4.1.9).
    fn check_same_length(&mut self, object: usize, name: &Ident, length: u32) -> Result<()> {
        let key = name.name.clone();
        let (first, owner) = *self.builtin_lengths.entry(key).or_insert((length, object));
        if first == length {
            return Ok(());
        }
        let elements =
            format!("`{}` has {} here and {first}", name.name, counted(length, "element"));
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
        let other = self.implied_length(other, ArrayForm::Scope).declared.unwrap_or(0);
        if length.saturating_add(other) > MAX_ELEMENTS {
            let message = format!(
                "`gl_ClipDistance` and `gl_CullDistance` can have at most {MAX_ELEMENTS} elements together"
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
        let (inputs, outputs) = (self.stage.inputs(), self.stage.outputs());
        if outputs.have_vertices() || inputs.have_vertices() && scan::is_input_per_vertex(block) {
            return self.redeclare_per_vertex(at, block);
        }
        let is_output =
            block.qualifiers.storage.iter().any(|(storage, _)| *storage == Storage::Out);
        let mut xfb = self.capture_block(at, &block.qualifiers)?;
        for member in &block.members {
            let declared = Body::new(self, at.object, at.position)
                .declared_type(&member.ty.ty, &member.array)?;
            if is_output && xfb.concerns(&member.ty.qualifiers) {
                let ty = self.sized(at, &declared, member.name.span)?;
                let variable = Variable::new(&*member.name.name, self.interface_type(ty));
                self.capture_member(at, &mut xfb, member, &variable)?;
            }
            if builtins::variable(&member.name.name, self.stage).is_some() {
                self.redeclare_builtin(at.object, &member.ty.qualifiers, &member.name, &declared)?;
            }
        }
        Ok(())
    }
}
