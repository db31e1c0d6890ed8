//! `gl_in` of geometry and tessellation stages, `gl_out` of control stages, and the integer inputs that only geometry
//! stages have (GLSL 4.60 sections 7.1.2 to 7.1.4).

use naga::{GlobalVariable, Handle};

use crate::ast::{BlockDeclaration, Declaration, Ident, Item, TranslationUnit};
use crate::{builtins, scan};
use ir::interface::{Place, Variable};
use ir::source::Span;
use ir::stage::ShaderStage;

use super::legacy::TEXTURE_COORDINATES;
use crate::lower::body::Body;
use crate::lower::declaration::implied_length::{ArrayForm, MAX_ELEMENTS};
use crate::lower::global::{GlobalInfo, Role};
use crate::lower::qualifier::At;
use crate::lower::type_specifier::Declared;
use crate::lower::types::{Kind, Shape, Ty};
use crate::lower::{Result, Stage, mismatch, wrong};

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
    pub(in crate::lower) fn geometry_input(
        &mut self,
        object: usize,
        name: &Ident,
    ) -> Handle<GlobalVariable> {
        let ty = self.scalar(Kind::Int);
        let global = self.add_private(name, GlobalInfo::new(ty, Role::Input, object));
        self.shared.insert(name.name.clone(), global);
        if let Some(state) = &mut self.geometry {
            let is_primitive = name.name == "gl_PrimitiveIDIn";
            let place =
                if is_primitive { &mut state.primitive_id } else { &mut state.invocation_id };
            *place = Some(global);
        }
        global
    }

    /// Declares `gl_in` or `gl_out` with the members of its redeclaration, or with all members that the version has.
    pub(in crate::lower) fn declare_per_vertex(
        &mut self,
        object: usize,
        name: &Ident,
    ) -> Result<Handle<GlobalVariable>> {
        let role = if name.name == "gl_in" { Role::Input } else { Role::Output };
        let (members, open_members) = match self.redeclared_members(role)? {
            Some(members) => members,
            None => self.default_members(object),
        };
        let structure = self.structure("gl_PerVertex", &members);
        let vertices = self.vertex_count(role, name)?;
        let ty = self.array(structure, vertices);
        let info = GlobalInfo {
            is_block: true,
            has_vertices: true,
            open_members,
            ..GlobalInfo::new(ty, role, object)
        };
        let global = self.add_interface(name, info);
        self.shared.insert(name.name.clone(), global);
        self.vertex_blocks.push(global);
        for (idx, (member, ty)) in (0..).zip(members) {
            let place = Place { global, path: vec![idx] };
            let variables = self.member_variables(&member, ty, place, name.span);
            self.table(role).extend(variables);
        }
        Ok(global)
    }

    /// The variables of a member of `gl_in` or `gl_out`: one, but one for every element of `gl_TexCoord`.
    fn member_variables(&self, member: &str, ty: Ty, whole: Place, span: Span) -> Vec<Variable> {
        let variable = |name: String, ty: Ty, place: Place| Variable {
            place: Some(place),
            span: Some(span),
            ..Variable::new(name, self.interface_type(ty))
        };
        match (member, self.shape(ty)) {
            (TEXTURE_COORDINATES, Shape::Array(element, Some(length))) => (0..length)
                .map(|part| {
                    let path = whole.path.iter().copied().chain([part]).collect();
                    let place = Place { global: whole.global, path };
                    variable(format!("{member}[{part}]"), element, place)
                })
                .collect(),
            _ => vec![variable(member.to_owned(), ty, whole)],
        }
    }

    /// Members of the redeclaration `in gl_PerVertex { … } gl_in[];`, or of the redeclaration of `gl_out`, if some
    /// object has it.
    fn redeclared_members(&mut self, role: Role) -> Result<Option<Members>> {
        let Some((object, position, block)) = per_vertex_blocks(self.units, role).next() else {
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
        Ok(Some((members, open)))
    }

    fn default_members(&mut self, object: usize) -> Members {
        let (vector, float) = (self.vector(4, Kind::Float), self.scalar(Kind::Float));
        let mut members = vec![("gl_Position".to_owned(), vector)];
        let mut open = Vec::new();
        // A control stage has these variables only as members.
        let is_control = self.stage == ShaderStage::TessellationControl;
        let stage = if is_control { ShaderStage::TessellationEvaluation } else { self.stage };
        let row = |name| builtins::variable(name, stage);
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

    /// Handles `in gl_PerVertex { … } gl_in[];`, which selects the members of `gl_in`, and the redeclaration of
    /// `gl_out`.
    pub(in crate::lower) fn redeclare_per_vertex(
        &mut self,
        at: At,
        block: &BlockDeclaration,
    ) -> Result<()> {
        let role = self.role(&block.qualifiers)?;
        if let Some((name, array)) = &block.instance {
            let whole = Declared { element: self.scalar(Kind::Int), dims: Vec::new() };
            let mut declared =
                Body::new(self, at.object, at.position).with_dimensions(&whole, array)?;
            self.fill_vertices(at, role, name, &mut declared)?;
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
        let others = per_vertex_blocks(self.units, role).filter(|(object, ..)| *object < at.object);
        for (_, _, other) in others {
            let theirs: Vec<_> = other.members.iter().map(|member| &*member.name.name).collect();
            if own != theirs {
                let message = "`gl_PerVertex` is redeclared differently in another shader object";
                return mismatch(block.name.span, message);
            }
        }
        Ok(())
    }

    /// Removes the members of `gl_in` that no code reads, and the members of `gl_out` that no code writes.
    pub(in crate::lower) fn drop_untouched_members(&mut self) {
        let blocks = &self.vertex_blocks;
        let is_kept = |variable: &Variable| {
            let is_member =
                variable.place.as_ref().is_some_and(|place| blocks.contains(&place.global));
            !is_member || variable.is_used || variable.is_statically_used
        };
        self.inputs.retain(is_kept);
        self.outputs.retain(is_kept);
    }
}

/// All `in gl_PerVertex` or `out gl_PerVertex` blocks of the objects.
fn per_vertex_blocks(
    units: &[TranslationUnit],
    role: Role,
) -> impl Iterator<Item = (usize, usize, &BlockDeclaration)> {
    let items = (0..).zip(units).flat_map(|(object, unit)| {
        (0..).zip(&unit.items).map(move |(position, item)| (object, position, item))
    });
    let is_input = role == Role::Input;
    items.filter_map(move |(object, position, item)| match item {
        Item::Declaration(Declaration::Block(block))
            if block.name.name == "gl_PerVertex"
                && scan::is_input_per_vertex(block) == is_input =>
        {
            Some((object, position, block))
        }
        Item::Declaration(_) | Item::Function(..) | Item::Prototype(_) => None,
    })
}
