//! Built-in inputs of a geometry stage: `gl_in`, `gl_PrimitiveIDIn` and `gl_InvocationID` (GLSL 4.60 section 7.1.4).

use naga::{GlobalVariable, Handle};

use crate::ast::{BlockDeclaration, Ident};
use crate::builtins;
use ir::interface::{Place, Variable};
use ir::stage::ShaderStage;

use super::body::Body;
use super::geometry::input_blocks;
use super::global::{GlobalInfo, Role};
use super::implied_length::{ArrayForm, MAX_ELEMENTS};
use super::legacy::TEXTURE_COORDINATES;
use super::qualifier::At;
use super::type_specifier::Declared;
use super::types::{Kind, Shape, Ty};
use super::{Result, Stage, mismatch, wrong};

/// Members that are arrays of floats.
const DISTANCES: [&str; 2] = ["gl_ClipDistance", "gl_CullDistance"];

/// Members of the compatibility profile, with their numbers of components.
const LEGACY: [(&str, u8); 7] = [
    ("gl_FrontColor", 4),
    ("gl_BackColor", 4),
    ("gl_FrontSecondaryColor", 4),
    ("gl_BackSecondaryColor", 4),
    ("gl_FogFragCoord", 1),
    (TEXTURE_COORDINATES, 4),
    ("gl_ClipVertex", 4),
];

/// Members of `gl_in`, and those among them that are arrays without a size.
type Members = (Vec<(String, Ty)>, Vec<u32>);

impl Stage<'_> {
    /// The global for an input that only geometry stages have.
    pub(super) fn geometry_input(
        &mut self,
        object: usize,
        name: &Ident,
    ) -> Result<Handle<GlobalVariable>> {
        if name.name == "gl_in" {
            return self.declare_per_vertex(object, name);
        }
        let ty = self.scalar(Kind::Int);
        let global = self.add_private(name, GlobalInfo::new(ty, Role::Input, object));
        self.shared.insert(name.name.clone(), global);
        if let Some(state) = &mut self.geometry {
            let is_primitive = name.name == "gl_PrimitiveIDIn";
            let place =
                if is_primitive { &mut state.primitive_id } else { &mut state.invocation_id };
            *place = Some(global);
        }
        Ok(global)
    }

    /// Declares `gl_in` with the members of its redeclaration, or all that the version has.
    fn declare_per_vertex(
        &mut self,
        object: usize,
        name: &Ident,
    ) -> Result<Handle<GlobalVariable>> {
        let (members, open_members) = match self.redeclared_members()? {
            Some(members) => members,
            None => self.default_members(object),
        };
        let structure = self.structure("gl_PerVertex", &members);
        let vertices = self
            .vertices()
            .unwrap_or_else(|| self.implied_length(&name.name, ArrayForm::Scope).length().max(1));
        let ty = self.array(structure, vertices);
        let info =
            GlobalInfo { is_block: true, open_members, ..GlobalInfo::new(ty, Role::Input, object) };
        let global = self.add_private(name, info);
        self.shared.insert(name.name.clone(), global);
        if let Some(state) = &mut self.geometry {
            state.per_vertex = Some(global);
        }
        for (idx, (member, ty)) in (0..).zip(members) {
            self.add_vertex_input(global, idx, (&member, ty), name);
        }
        Ok(global)
    }

    /// Lists a member of `gl_in` as an input; of `gl_TexCoord`, every element.
    fn add_vertex_input(
        &mut self,
        global: Handle<GlobalVariable>,
        idx: u32,
        (member, ty): (&str, Ty),
        name: &Ident,
    ) {
        let shape = self.shape(ty);
        let mut add = |name_of: String, ty: Ty, path: Vec<u32>| {
            let mut variable = Variable::new(name_of, self.interface_type(ty));
            variable.place = Some(Place { global, path });
            variable.span = Some(name.span);
            self.inputs.push(variable);
        };
        match (member, shape) {
            (TEXTURE_COORDINATES, Shape::Array(element, Some(length))) => {
                for part in 0..length {
                    add(format!("{member}[{part}]"), element, vec![idx, part]);
                }
            }
            _ => add(member.to_owned(), ty, vec![idx]),
        }
    }

    /// Members of the redeclaration `in gl_PerVertex { … } gl_in[];`, if some object has one.
    fn redeclared_members(&mut self) -> Result<Option<Members>> {
        let Some((object, position, block)) = input_blocks(self.units).next() else {
            return Ok(None);
        };
        let (mut members, mut open) = (Vec::new(), Vec::new());
        for (idx, member) in (0..).zip(&block.members) {
            let name = &member.name.name;
            let mut declared =
                Body::new(self, object, position).declared_type(&member.ty.ty, &member.array)?;
            if declared.dims.first() == Some(&None) {
                open.push(idx);
                self.fill_open_size(&member.name, ArrayForm::Instance, &mut declared);
            }
            let at = At { object, position };
            let ty = self.sized(at, &declared, member.name.span)?;
            members.push((name.clone(), ty));
        }
        if members.is_empty() {
            return wrong(block.span, "a block needs at least one member");
        }
        Ok(Some((members, open)))
    }

    fn default_members(&mut self, object: usize) -> Members {
        let (vector, float) = (self.vector(4, Kind::Float), self.scalar(Kind::Float));
        let mut members = vec![("gl_Position".to_owned(), vector)];
        let mut open = Vec::new();
        let row = |name| builtins::variable(name, ShaderStage::Geometry);
        if row("gl_PointSize").is_some_and(|row| self.is_available(object, row.availability)) {
            members.push(("gl_PointSize".to_owned(), float));
        }
        for name in DISTANCES {
            if row(name).is_some_and(|row| self.is_available(object, row.availability)) {
                let length = self.implied_length(name, ArrayForm::Instance).builtin_length();
                open.push(u32::try_from(members.len()).unwrap_or(u32::MAX));
                members.push((name.to_owned(), self.array(float, length)));
            }
        }
        if self.has_legacy(object) {
            for (name, size) in LEGACY {
                let mut ty = self.vector(size, Kind::Float);
                if name == TEXTURE_COORDINATES {
                    let length = self.implied_length(name, ArrayForm::Instance).builtin_length();
                    open.push(u32::try_from(members.len()).unwrap_or(u32::MAX));
                    ty = self.array(ty, length);
                }
                members.push((name.to_owned(), ty));
            }
        }
        (members, open)
    }

    /// Handles `in gl_PerVertex { … } gl_in[];`, which selects the members of `gl_in`.
    pub(super) fn redeclare_per_vertex(&mut self, at: At, block: &BlockDeclaration) -> Result<()> {
        if let Some((name, array)) = &block.instance {
            let whole = Declared { element: self.scalar(Kind::Int), dims: Vec::new() };
            let mut declared =
                Body::new(self, at.object, at.position).with_dimensions(&whole, array)?;
            self.fill_vertices(at, name, &mut declared)?;
        }
        for member in &block.members {
            let declared = Body::new(self, at.object, at.position)
                .declared_type(&member.ty.ty, &member.array)?;
            if declared.dims.first().copied().flatten().is_some_and(|length| length > MAX_ELEMENTS)
            {
                let message =
                    format!("`{}` can have at most {MAX_ELEMENTS} elements", member.name.name);
                return wrong(member.name.span, message);
            }
        }
        let own: Vec<_> = block.members.iter().map(|member| &*member.name.name).collect();
        let others = input_blocks(self.units).filter(|(object, ..)| *object < at.object);
        for (_, _, other) in others {
            let theirs: Vec<_> = other.members.iter().map(|member| &*member.name.name).collect();
            if own != theirs {
                let message = "`gl_PerVertex` is redeclared differently in another shader object";
                return mismatch(block.name.span, message);
            }
        }
        Ok(())
    }

    /// Leaves out the members of `gl_in` that no code reads.
    pub(super) fn drop_unread_inputs(&mut self) {
        let Some(per_vertex) = self.geometry.as_ref().and_then(|state| state.per_vertex) else {
            return;
        };
        self.inputs.retain(|input| {
            let is_member = input.place.as_ref().is_some_and(|place| place.global == per_vertex);
            !is_member || input.is_used || input.is_statically_used
        });
    }
}
