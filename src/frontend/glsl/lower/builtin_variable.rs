//! Built-in variables and constants, as tables, and their redeclaration.
//!
//! A row is all there is to a variable whose value naga has under a name of its own. The type the shader sees and naga's
//! own may differ in signedness (`int gl_VertexID` over `u32`); accesses convert.

use naga::{BuiltIn, GlobalVariable, Handle, Literal};

use super::body::{Body, Value};
use super::declaration::{At, has_layout};
use super::global::{GlobalInfo, Role, Use};
use super::legacy::is_legacy_name;
use super::lvalue::{Operand, Place};
use super::scan;
use super::scope::Symbol;
use super::type_specifier::Declared;
use super::types::{Kind, Ty};
use super::{Result, Stage, mismatch, unsupported, wrong};
use crate::case::ShaderStage;
use crate::frontend::glsl::ast::{
    BinaryOp, BlockDeclaration, Expr, ExprKind, Ident, Qualifiers, Storage, Version,
};
use crate::frontend::stage_module::{
    BuiltinVariable, Direction, TRIANGLES_PER_PRIMITIVE, UniformKind, UniformVariable,
};
use crate::link::interface::{Place as TablePlace, Variable};
use crate::source::Span;

use Direction::{Input, Output};
use ShaderStage::{Compute, Fragment, Vertex};

/// Elements of `gl_ClipDistance`, `gl_FragData` and the like when they are indexed dynamically.
const MAX_ELEMENTS: u32 = 8;

/// A built-in variable.
struct Row {
    name: &'static str,
    stage: ShaderStage,
    direction: Direction,
    builtin: BuiltIn,
    /// The type the shader sees.
    ty: Seen,
    /// Type keyword of naga's value, or of its elements.
    stored: &'static str,
}

/// The type of a built-in variable as the shader sees it.
#[derive(Clone, Copy)]
enum Seen {
    /// The type with this keyword.
    Plain(&'static str),
    /// An `int` array that is one word in memory.
    Mask,
    /// An array of floats as long as it is declared or indexed.
    Floats,
}

const fn row(
    name: &'static str,
    stage: ShaderStage,
    direction: Direction,
    builtin: BuiltIn,
    ty: Seen,
    stored: &'static str,
) -> Row {
    Row { name, stage, direction, builtin, ty, stored }
}

use Seen::{Floats, Mask, Plain};

const PRIMITIVE_ID: &str = "gl_PrimitiveID";

const POSITION: BuiltIn = BuiltIn::Position { invariant: false };

#[rustfmt::skip]
const VARIABLES: [Row; 31] = [
    row("gl_Position", Vertex, Output, POSITION, Plain("vec4"), "vec4"),
    row("gl_PointSize", Vertex, Output, BuiltIn::PointSize, Plain("float"), "float"),
    row("gl_ClipDistance", Vertex, Output, BuiltIn::ClipDistances, Floats, "float"),
    row("gl_CullDistance", Vertex, Output, BuiltIn::CullDistance, Floats, "float"),
    row("gl_VertexID", Vertex, Input, BuiltIn::VertexIndex, Plain("int"), "uint"),
    row("gl_VertexIndex", Vertex, Input, BuiltIn::VertexIndex, Plain("int"), "uint"),
    row("gl_InstanceID", Vertex, Input, BuiltIn::InstanceIndex, Plain("int"), "uint"),
    row("gl_InstanceIDARB", Vertex, Input, BuiltIn::InstanceIndex, Plain("int"), "uint"),
    row("gl_InstanceIndex", Vertex, Input, BuiltIn::InstanceIndex, Plain("int"), "uint"),
    row("gl_BaseVertex", Vertex, Input, BuiltIn::BaseVertex, Plain("int"), "uint"),
    row("gl_BaseVertexARB", Vertex, Input, BuiltIn::BaseVertex, Plain("int"), "uint"),
    row("gl_BaseInstance", Vertex, Input, BuiltIn::BaseInstance, Plain("int"), "uint"),
    row("gl_BaseInstanceARB", Vertex, Input, BuiltIn::BaseInstance, Plain("int"), "uint"),
    row("gl_DrawID", Vertex, Input, BuiltIn::DrawIndex, Plain("int"), "uint"),
    row("gl_DrawIDARB", Vertex, Input, BuiltIn::DrawIndex, Plain("int"), "uint"),
    row("gl_ClipDistance", Fragment, Input, BuiltIn::ClipDistances, Floats, "float"),
    row("gl_CullDistance", Fragment, Input, BuiltIn::CullDistance, Floats, "float"),
    row("gl_FragCoord", Fragment, Input, POSITION, Plain("vec4"), "vec4"),
    row("gl_FrontFacing", Fragment, Input, BuiltIn::FrontFacing, Plain("bool"), "bool"),
    row("gl_PointCoord", Fragment, Input, BuiltIn::PointCoord, Plain("vec2"), "vec2"),
    row(PRIMITIVE_ID, Fragment, Input, BuiltIn::PrimitiveIndex, Plain("int"), "uint"),
    row("gl_SampleID", Fragment, Input, BuiltIn::SampleIndex, Plain("int"), "uint"),
    row("gl_SampleMaskIn", Fragment, Input, BuiltIn::SampleMask, Mask, "uint"),
    row("gl_SampleMask", Fragment, Output, BuiltIn::SampleMask, Mask, "uint"),
    row("gl_FragDepth", Fragment, Output, BuiltIn::FragDepth, Plain("float"), "float"),
    row("gl_FragDepthEXT", Fragment, Output, BuiltIn::FragDepth, Plain("float"), "float"),
    row("gl_GlobalInvocationID", Compute, Input, BuiltIn::GlobalInvocationId, Plain("uvec3"), "uvec3"),
    row("gl_LocalInvocationID", Compute, Input, BuiltIn::LocalInvocationId, Plain("uvec3"), "uvec3"),
    row("gl_LocalInvocationIndex", Compute, Input, BuiltIn::LocalInvocationIndex, Plain("uint"), "uint"),
    row("gl_WorkGroupID", Compute, Input, BuiltIn::WorkGroupId, Plain("uvec3"), "uvec3"),
    row("gl_NumWorkGroups", Compute, Input, BuiltIn::NumWorkGroups, Plain("uvec3"), "uvec3"),
];

/// Implementation limits: what WebGPU guarantees, or GLSL's own minimum where WebGPU says nothing.
const CONSTANTS: [(&str, i32); 26] = [
    ("gl_MaxVertexAttribs", 16),
    ("gl_MaxVertexUniformComponents", 4096),
    ("gl_MaxVertexUniformVectors", 1024),
    ("gl_MaxFragmentUniformComponents", 4096),
    ("gl_MaxFragmentUniformVectors", 1024),
    ("gl_MaxVaryingFloats", 60),
    ("gl_MaxVaryingComponents", 60),
    ("gl_MaxVaryingVectors", 15),
    ("gl_MaxVertexOutputComponents", 64),
    ("gl_MaxVertexOutputVectors", 16),
    ("gl_MaxFragmentInputComponents", 64),
    ("gl_MaxFragmentInputVectors", 15),
    ("gl_MaxDrawBuffers", 8),
    ("gl_MaxClipDistances", 8),
    ("gl_MaxClipPlanes", 8),
    ("gl_MaxCullDistances", 8),
    ("gl_MaxCombinedClipAndCullDistances", 8),
    ("gl_MaxLights", 8),
    ("gl_MaxTextureUnits", 2),
    ("gl_MaxTextureCoords", 8),
    ("gl_MaxTextureImageUnits", 16),
    ("gl_MaxVertexTextureImageUnits", 16),
    ("gl_MaxCombinedTextureImageUnits", 32),
    ("gl_MinProgramTexelOffset", -8),
    ("gl_MaxProgramTexelOffset", 7),
    ("gl_MaxSamples", 4),
];

/// How an array without size is named where it is indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// By its name alone.
    Scope,
    /// As a member of a block's instance.
    Instance,
}

/// What the indices of an array without size tell about its length.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ImpliedLength {
    /// The size of a later declaration.
    declared: Option<u32>,
    /// One more than the highest constant index.
    indexed: u32,
    /// Whether some index is not constant.
    is_dynamic: bool,
}

impl ImpliedLength {
    /// The size, at least what the constant indices ask for.
    pub(super) fn length(self) -> u32 {
        self.declared.unwrap_or(0).max(self.indexed)
    }

    /// Whether a declaration, or constant indices alone, tell the size.
    pub(super) fn is_known(self) -> bool {
        self.declared.is_some() || self.indexed > 0 && !self.is_dynamic
    }

    /// The size of a built-in array, which needs none.
    pub(super) fn builtin_length(self) -> u32 {
        let indexed = if self.is_dynamic { MAX_ELEMENTS } else { self.indexed };
        self.declared.unwrap_or(indexed).clamp(1, MAX_ELEMENTS)
    }
}

impl Body<'_, '_> {
    /// The built-in variable or constant of this name, if there is one.
    pub(super) fn builtin_variable(&mut self, name: &str, span: Span) -> Result<Option<Operand>> {
        if !name.starts_with("gl_") {
            return Ok(None);
        }
        if let Some((_, value)) = CONSTANTS.iter().find(|(constant, _)| *constant == name) {
            self.check_constant_version(name, span)?;
            return Ok(Some(Operand::Value(self.literal(Literal::I32(*value), span))));
        }
        if name == "gl_WorkGroupSize" && self.stage.stage == Compute {
            let ty = self.stage.vector(3, Kind::Uint);
            let size = super::constant::Constant::new(ty, self.stage.workgroup_size);
            return Ok(Some(Operand::Value(self.materialize(&size, span))));
        }
        self.stage.check_available(self.object, name, span)?;
        let Some(global) = self.stage.builtin_global(self.object, name, span) else {
            return self.stage.unknown_builtin(self.object, name, span);
        };
        let place = self.place_of(&Symbol::Global(global), span);
        match place {
            Some(place) if name == PRIMITIVE_ID && self.stage.stage == Fragment => {
                self.primitive_id(&place, span).map(|value| Some(Operand::Value(value)))
            }
            place => Ok(place.map(Operand::Place)),
        }
    }

    /// GL counts its own primitives; what is drawn are the triangles that they are made of.
    fn primitive_id(&mut self, triangle: &Place, span: Span) -> Result<Value> {
        let triangle = self.load(triangle, span)?;
        let per_primitive = self.stage.triangles_per_primitive(span);
        let pointer = self.global(per_primitive, span);
        let per_primitive = self.load_pointer(pointer, triangle.ty, span);
        self.binary(BinaryOp::Div, triangle, per_primitive, span)
    }
}

impl Stage<'_> {
    /// The global that holds a built-in variable, made when it is first named.
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
        if let (Fragment, "gl_FragColor" | "gl_FragData") = (self.stage, name) {
            return Some(self.fragment_output(object, &ident));
        }
        let row = VARIABLES.iter().find(|row| row.name == name && row.stage == self.stage);
        let Some(row) = row else { return self.legacy_global(object, &ident) };
        let (ty, stored) = self.builtin_types(row)?;
        let role = if row.direction == Input { Role::Input } else { Role::Output };
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

    /// Cull distances came with GLSL 4.50 and by extensions, coordinates in points with GLSL 1.20 and GLSL ES 1.00.
    fn check_available(&self, object: usize, name: &str, span: Span) -> Result<()> {
        const CULL_EXTENSIONS: [&str; 2] = ["GL_ARB_cull_distance", "GL_EXT_clip_cull_distance"];
        let Version { number, is_es, .. } = self.version(object);
        let is_there = match name {
            "gl_CullDistance" => {
                (number >= 450 && !is_es) || self.has_extension(object, &CULL_EXTENSIONS)
            }
            "gl_PointCoord" => number >= 120 || is_es,
            _ => true,
        };
        if is_there { Ok(()) } else { wrong(span, format!("`{name}` is not in this version")) }
    }

    /// The uniform that tells how many triangles the primitives of a draw are made of.
    fn triangles_per_primitive(&mut self, span: Span) -> Handle<GlobalVariable> {
        if let Some(known) = self.shared.get(TRIANGLES_PER_PRIMITIVE) {
            return *known;
        }
        let name = Ident { name: TRIANGLES_PER_PRIMITIVE.to_owned(), span };
        let ty = self.scalar(Kind::Int);
        let global = self.add_private(&name, GlobalInfo::new(ty, Role::Uniform, 0));
        self.shared.insert(name.name.clone(), global);
        self.record_use(Use { global, member: None, is_write: false });
        self.uniforms.push(UniformVariable {
            name: name.name,
            ty: self.interface_type(ty),
            place: TablePlace { global, path: Vec::new() },
            kind: UniformKind::Loose { location: None },
            initial: Some(vec![1]),
            alias: String::new(),
            layout: None,
            members: Vec::new(),
            precision: None,
            is_used: false,
            span: None,
        });
        global
    }

    /// The error about a built-in variable that this object does not have.
    fn unknown_builtin<T>(&self, object: usize, name: &str, span: Span) -> Result<T> {
        if !is_legacy_name(name) {
            return unsupported(span, name);
        }
        if self.has_legacy(object) {
            return wrong(span, format!("the {} has no `{name}`", super::stage_name(self.stage)));
        }
        wrong(span, format!("`{name}` exists only in the compatibility profile"))
    }

    /// The type of a built-in as the shader sees it and as naga has it.
    fn builtin_types(&mut self, row: &Row) -> Option<(Ty, Ty)> {
        let stored = self.keyword_type(row.stored)?;
        Some(match row.ty {
            Plain(keyword) => (self.keyword_type(keyword)?, stored),
            Mask => {
                let int = self.scalar(Kind::Int);
                (self.array(int, 1), stored)
            }
            Floats => {
                let length = self.implied_length(row.name, Owner::Scope).builtin_length();
                let array = self.array(stored, length);
                (array, array)
            }
        })
    }

    /// `gl_FragColor` or `gl_FragData`: outputs without a location, which the linker distributes.
    fn fragment_output(&mut self, object: usize, name: &Ident) -> Handle<GlobalVariable> {
        let mut ty = self.vector(4, Kind::Float);
        if name.name == "gl_FragData" {
            let length = self.implied_length(&name.name, Owner::Scope).builtin_length();
            ty = self.array(ty, length);
        }
        let global = self.add_private(name, GlobalInfo::new(ty, Role::Output, object));
        self.shared.insert(name.name.clone(), global);
        let mut variable = Variable::new(&*name.name, self.interface_type(ty));
        variable.place = Some(TablePlace { global, path: Vec::new() });
        variable.span = Some(name.span);
        self.outputs.push(variable);
        global
    }

    /// A declaration of a built-in variable: it may give an array's size or qualifiers that change nothing here.
    pub(super) fn redeclare_builtin(
        &mut self,
        object: usize,
        qualifiers: &Qualifiers,
        name: &Ident,
        declared: &Declared,
    ) -> Result<()> {
        self.check_available(object, &name.name, name.span)?;
        self.frag_coord.is_origin_upper_left |= has_layout(qualifiers, "origin_upper_left");
        self.frag_coord.is_pixel_center_integer |= has_layout(qualifiers, "pixel_center_integer");
        let is_known = VARIABLES.iter().any(|row| row.name == name.name && row.stage == self.stage)
            || ["gl_FragColor", "gl_FragData"].contains(&&*name.name);
        if !is_known {
            let Some(global) = self.builtin_global(object, &name.name, name.span) else {
                return self.unknown_builtin(object, &name.name, name.span);
            };
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

    /// An array has one size, whoever redeclares it (GLSL 4.60, 4.1.9).
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

    /// Clip and cull distances share `gl_MaxCombinedClipAndCullDistances` (GLSL 4.60, 7.1.1). Arrays whose size only
    /// their indices tell are checked by the linker.
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

    /// `out gl_PerVertex { … };`, which chooses among the built-ins.
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
            if VARIABLES.iter().any(|row| row.name == member.name.name) {
                self.redeclare_builtin(at.object, &member.ty.qualifiers, &member.name, &declared)?;
            }
        }
        Ok(())
    }

    /// What the shader's other declarations and its indices tell about the length of an array.
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
                // Where they differ is told elsewhere.
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

    /// The value of an expression if it is a constant that can be told without lowering any function.
    fn quiet_integer(&mut self, object: usize, expr: &Expr) -> Option<u32> {
        if scan::has_effects(expr, &super::builtin::is_pure) {
            return None;
        }
        let value = self.constant_integer(object, usize::MAX, expr).ok()?;
        u32::try_from(value).ok()
    }
}

/// Whether the expression is the variable `name`, or, when it belongs to a block with an instance name, that member.
fn is_array(expr: &Expr, name: &str, owner: Owner) -> bool {
    match owner {
        Owner::Scope => matches!(&expr.kind, ExprKind::Variable(variable) if variable == name),
        Owner::Instance => matches!(&expr.kind, ExprKind::Field(_, field) if field.name == name),
    }
}
