//! Inputs and outputs: plain variables and interface blocks.

pub(super) mod pieces;
pub(super) mod vertex_array;
pub(super) mod xfb;

use naga::{EarlyDepthTest, GlobalVariable, Handle};

use crate::ast::{BlockDeclaration, Ident, MemberDeclaration, Qualifiers};
use crate::scan;
use ir::interface::{Place, Sampling, Type, Variable};
use ir::source::Span;

use super::body::Body;
use super::declaration::Specifier;
use super::declaration::implied_length::ArrayForm;
use super::expression::open_array::open_members;
use super::global::{GlobalInfo, Role};
use super::qualifier::{At, has_layout, interpolation};
use super::scope::Symbol;
use super::type_specifier::{Declared, add_member};
use super::types::{MAX_INTERFACE_SCALARS, Shape, Ty};
use super::{Result, Stage, mismatch, wrong};
use vertex_array::direction;

impl Stage<'_> {
    /// Declares `in`, `out`, `attribute` or `varying` outside any block.
    pub(super) fn declare_interface_variable(
        &mut self,
        specifier: &Specifier<'_>,
        declared: &Declared,
        name: &Ident,
    ) -> Result<()> {
        let Specifier { at, qualifiers, role, .. } = *specifier;
        let ty = self.sized(at, declared, name.span)?;
        self.check_interface_type(ty, name.span)?;
        let has_vertices = self.has_vertices(role, qualifiers);
        let one = if has_vertices { self.child(ty, 0) } else { ty };
        let mut variable = Variable::new(&*name.name, self.interface_type(one));
        variable.es_type = self.es_type(at, qualifiers, one);
        if role == Role::Output {
            variable.stream = self.default_stream(at.object);
        }
        self.qualify(at, &mut variable, qualifiers)?;
        self.capture_variable(at, qualifiers, name)?;
        if let Some(global) = self.existing(at, name, ty, role)? {
            return self.check_placement(global, &variable, name.span);
        }
        let info = GlobalInfo { has_vertices, ..GlobalInfo::new(ty, role, at.object) };
        let global = self.add_interface(name, info);
        self.shared.insert(name.name.clone(), global);
        variable.place = Some(Place::whole(global));
        variable.span = Some(name.span);
        self.table(role).push(variable);
        self.declare_symbol(at, name, Symbol::Global(global))
    }

    /// Checks that shader objects agree on the location of a variable.
    fn check_placement(
        &mut self,
        global: Handle<GlobalVariable>,
        here: &Variable,
        span: Span,
    ) -> Result<()> {
        let is_it = |variable: &&mut Variable| {
            variable.place.as_ref().is_some_and(|place| place.global == global)
        };
        let Some(there) = self.inputs.iter_mut().chain(&mut self.outputs).find(is_it) else {
            return Ok(());
        };
        let placed = |variable: &Variable| {
            variable.location.map(|location| (location, variable.component.unwrap_or(0)))
        };
        if placed(there).is_some() && placed(here).is_some() && placed(there) != placed(here) {
            let message =
                format!("`{}` has a different location in another shader object", here.name);
            return mismatch(span, message);
        }
        there.location = there.location.or(here.location);
        there.component = there.component.or(here.component);
        Ok(())
    }

    /// The table for variables of this role.
    pub(super) fn table(&mut self, role: Role) -> &mut Vec<Variable> {
        if role == Role::Input { &mut self.inputs } else { &mut self.outputs }
    }

    /// Rejects types that are too large for the tables of the interface.
    pub(super) fn check_interface_size(&self, ty: Ty, span: Span) -> Result<()> {
        if self.scalar_count(ty) > MAX_INTERFACE_SCALARS {
            return wrong(
                span,
                format!(
                    "interstage supports at most {MAX_INTERFACE_SCALARS} scalars in an interface variable or block"
                ),
            );
        }
        Ok(())
    }

    fn check_interface_type(&self, ty: Ty, span: Span) -> Result<()> {
        self.check_interface_size(ty, span)?;
        if self.contains_bool(ty) {
            let name = self.type_name(ty);
            return wrong(
                span,
                format!(
                    "`{name}` cannot be an input or output, because it is boolean or contains booleans"
                ),
            );
        }
        Ok(())
    }

    /// Applies interpolation, auxiliary and `layout` qualifiers of a declaration.
    fn qualify(&mut self, at: At, variable: &mut Variable, qualifiers: &Qualifiers) -> Result<()> {
        variable.stream = self.stream(at, qualifiers)?.unwrap_or(variable.stream);
        variable.is_patch |= qualifiers.is_patch;
        if let Some((word, _)) = qualifiers.interpolation {
            variable.interpolation = interpolation(word);
        }
        if qualifiers.is_sample {
            variable.sampling = Sampling::Sample;
        } else if qualifiers.is_centroid {
            variable.sampling = Sampling::Centroid;
        }
        variable.is_invariant |= qualifiers.is_invariant;
        variable.location = self.layout_value(at, qualifiers, "location")?.or(variable.location);
        variable.component = self.layout_value(at, qualifiers, "component")?;
        variable.index = self.layout_value(at, qualifiers, "index")?;
        if variable.component.is_some_and(|component| component > 3) {
            return wrong(qualifiers.span, "`component` must be 0 to 3");
        }
        if variable.index.is_some_and(|index| index > 1) {
            return wrong(qualifiers.span, "`index` must be 0 or 1");
        }
        check_component(variable, qualifiers.span)
    }

    /// The members of a block, with the types that they have as values.
    pub(super) fn block_members<'b>(
        &mut self,
        at: At,
        block: &'b BlockDeclaration,
    ) -> Result<Vec<(&'b MemberDeclaration, Ty)>> {
        let owner = if block.instance.is_some() { ArrayForm::Instance } else { ArrayForm::Scope };
        let (mut names, mut placed) = (Vec::new(), Vec::new());
        for member in &block.members {
            let mut declared = Body::new(self, at.object, at.position)
                .declared_type(&member.ty.ty, &member.array)?;
            self.fill_open_size(&member.name, owner, &mut declared);
            let ty = self.sized(at, &declared, member.name.span)?;
            add_member(&mut names, member, ty)?;
            placed.push((member, ty));
        }
        Ok(placed)
    }

    /// The type of a whole block: its struct, or an array of it with the dimensions of the instance name.
    pub(super) fn block_type(
        &mut self,
        at: At,
        block: &BlockDeclaration,
        structure: Ty,
        role: Role,
    ) -> Result<Ty> {
        let Some((name, array)) = &block.instance else {
            if self.has_vertices(role, &block.qualifiers) {
                let message = format!(
                    "an {} block of the {} stage must be an array, so it needs an instance name",
                    direction(role),
                    self.stage.name()
                );
                return wrong(block.name.span, message);
            }
            return Ok(structure);
        };
        let specified = Declared { element: structure, dims: Vec::new() };
        let mut declared =
            Body::new(self, at.object, at.position).with_dimensions(&specified, array)?;
        if self.has_vertices(role, &block.qualifiers) {
            self.fill_vertices(at, role, name, &mut declared)?;
        } else {
            self.fill_open_size(name, ArrayForm::Scope, &mut declared);
        }
        let ty = self.sized(at, &declared, name.span)?;
        self.check_interface_size(ty, name.span)?;
        Ok(ty)
    }

    /// Makes a block's members visible, through the instance name or by their own names.
    pub(super) fn declare_block_names(
        &mut self,
        at: At,
        block: &BlockDeclaration,
        global: Handle<GlobalVariable>,
    ) -> Result<()> {
        if let Some((instance, _)) = &block.instance {
            return self.declare_symbol(at, instance, Symbol::Global(global));
        }
        for (idx, member) in (0..).zip(&block.members) {
            self.declare_symbol(at, &member.name, Symbol::Member(global, idx))?;
        }
        Ok(())
    }

    /// The block's global in another object, if it is declared there too.
    pub(super) fn existing_block(
        &mut self,
        at: At,
        block: &BlockDeclaration,
        ty: Ty,
        role: Role,
    ) -> Result<bool> {
        let key = block_key(&block.name, role);
        let Some(global) = self.shared_global(&key, ty, role, at.object)? else {
            return Ok(false);
        };
        self.declare_block_names(at, block, global)?;
        Ok(true)
    }

    /// Adds the global of an `in` or `out` block, and declares its names.
    fn add_block(
        &mut self,
        at: At,
        block: &BlockDeclaration,
        ty: Ty,
        role: Role,
    ) -> Result<Handle<GlobalVariable>> {
        let info = GlobalInfo {
            is_block: true,
            has_vertices: self.has_vertices(role, &block.qualifiers),
            open_members: open_members(block, block.members.len()),
            ..GlobalInfo::new(ty, role, at.object)
        };
        let global = self.add_interface(&block.name, info);
        self.shared.insert(block_key(&block.name, role).name, global);
        self.declare_block_names(at, block, global)?;
        Ok(global)
    }

    /// Declares an `in` or `out` block.
    pub(super) fn declare_interface_block(
        &mut self,
        at: At,
        block: &BlockDeclaration,
        role: Role,
    ) -> Result<()> {
        let members = self.block_members(at, block)?;
        let named: Vec<_> =
            members.iter().map(|(member, ty)| (member.name.name.clone(), *ty)).collect();
        for (member, ty) in &members {
            self.check_interface_type(*ty, member.name.span)?;
        }
        let structure = self.structure(&block.name.name, &named);
        self.check_interface_size(structure, block.name.span)?;
        let ty = self.block_type(at, block, structure, role)?;
        if self.existing_block(at, block, ty, role)? {
            return Ok(());
        }
        let global = self.add_block(at, block, ty, role)?;
        let mut location = self.layout_value(at, &block.qualifiers, "location")?;
        let xfb = self.capture_block(at, &block.qualifiers)?;
        let has_vertices = self.has_vertices(role, &block.qualifiers);
        let one = if has_vertices { self.child(ty, 0) } else { ty };
        for (element, (suffix, path)) in (0..).zip(element_paths(self, one)) {
            let mut xfb = xfb;
            xfb.element = element;
            for (idx, (member, ty)) in (0..).zip(&members) {
                let mut variable = Variable::new(
                    format!("{}{suffix}.{}", block.name.name, member.name.name),
                    self.interface_type(*ty),
                );
                variable.es_type = self.es_type(at, &member.ty.qualifiers, *ty);
                if role == Role::Output {
                    variable.stream = self.default_stream(at.object);
                }
                self.qualify(at, &mut variable, &block.qualifiers)?;
                variable.location = location;
                let stream = variable.stream;
                self.qualify(at, &mut variable, &member.ty.qualifiers)?;
                if variable.stream != stream {
                    let message = "the `stream` of a member must be that of its block";
                    return wrong(member.name.span, message);
                }
                location = next_location(variable.location, &variable.ty);
                variable.alias = match &block.instance {
                    Some((instance, _)) => {
                        format!("{}{suffix}.{}", instance.name, member.name.name)
                    }
                    None => member.name.name.clone(),
                };
                variable.is_block_member = true;
                let path = path.iter().copied().chain([idx]).collect();
                variable.place = Some(Place { global, path });
                variable.span = Some(member.name.span);
                if role == Role::Output {
                    self.capture_member(at, &mut xfb, member, &variable)?;
                }
                self.table(role).push(variable);
            }
        }
        Ok(())
    }
}

/// Checks that a variable with a component qualifier ends in the location where it begins. So only scalars and vectors
/// can have the qualifier.
fn check_component(variable: &Variable, span: Span) -> Result<()> {
    let Some(component) = variable.component else { return Ok(()) };
    let name = &variable.name;
    let size = match variable.ty.without_arrays() {
        Type::Vector { size: 3.., scalar } if scalar.components() == 2 => {
            let message = format!("`{name}` takes two locations, so it cannot have a `component`");
            return wrong(span, message);
        }
        ty @ (Type::Scalar(_) | Type::Vector { .. }) => ty.component_count(),
        Type::Matrix { .. } | Type::Array { .. } | Type::Struct(_) => {
            return wrong(span, "only scalars, vectors and arrays of these can have a `component`");
        }
    };
    if component % 2 == 1 && variable.ty.has_64_bit() {
        let message = format!("`{name}` has 64 bits, so it must start at component 0 or 2");
        return wrong(span, message);
    }
    if component + size > 4 {
        let message =
            format!("`{name}` starts at component {component} and does not fit into its location");
        return wrong(span, message);
    }
    Ok(())
}

/// The location after a member. Members of a block with a location are at consecutive locations, with one location per
/// vector, and two for 64-bit vectors of three and four components.
fn next_location(location: Option<u32>, ty: &Type) -> Option<u32> {
    let count = ty.location_count(0);
    location.map(|location| location.saturating_add(count))
}

/// Name under which a block is found from other objects; no variable can have it.
pub(super) fn block_key(name: &Ident, role: Role) -> Ident {
    Ident { name: format!("{} {role:?}", name.name), span: name.span }
}

/// The subscripts (`[i]`) and the path of every element of an array of blocks. A single block has one empty pair.
pub(super) fn element_paths(stage: &Stage<'_>, ty: Ty) -> Vec<(String, Vec<u32>)> {
    let Shape::Array(element, length) = stage.shape(ty) else {
        return vec![(String::new(), Vec::new())];
    };
    let inner = element_paths(stage, element);
    let mut paths = Vec::new();
    for idx in 0..length.unwrap_or(0) {
        for (suffix, path) in &inner {
            let path = std::iter::once(idx).chain(path.iter().copied()).collect();
            paths.push((format!("[{idx}]{suffix}"), path));
        }
    }
    paths
}

impl Stage<'_> {
    /// Applies qualifiers for existing names, or for the stage as a whole.
    pub(super) fn requalify(
        &mut self,
        at: At,
        qualifiers: &Qualifiers,
        names: &[Ident],
        span: Span,
    ) -> Result<()> {
        for name in names {
            if name.name.starts_with("gl_") {
                continue;
            }
            let known =
                self.objects.get(at.object).and_then(|object| object.find(&name.name, at.position));
            let global = match known {
                Some(Symbol::Global(global)) => *global,
                Some(_) => continue,
                None => return wrong(name.span, format!("`{}` is not declared", name.name)),
            };
            for variable in self.inputs.iter_mut().chain(&mut self.outputs) {
                if variable.place.as_ref().is_some_and(|place| place.global == global) {
                    variable.is_invariant |= qualifiers.is_invariant;
                }
            }
        }
        if names.is_empty() { self.qualify_stage(at, qualifiers, span) } else { Ok(()) }
    }

    /// Applies the layout of the stage as a whole, such as `layout(…) in;`.
    fn qualify_stage(&mut self, at: At, qualifiers: &Qualifiers, span: Span) -> Result<()> {
        if has_layout(qualifiers, "early_fragment_tests") {
            self.early_depth_test = Some(EarlyDepthTest::Force);
        }
        self.capture_stage(at, qualifiers)?;
        self.qualify_one_stage(at, qualifiers, span)?;
        let words = ["local_size_x", "local_size_y", "local_size_z"];
        let mut declared = None;
        for (idx, word) in words.into_iter().enumerate() {
            let Some(size) = self.layout_value(at, qualifiers, word)? else { continue };
            if size == 0 {
                return wrong(span, format!("`{word}` must be at least 1"));
            }
            declared.get_or_insert([1; 3])[idx] = size;
        }
        if let Some(size) = declared {
            if self.has_workgroup_size && self.workgroup_size != size {
                let message = "the local size differs from the one declared before";
                let earlier = self.units.get(at.object).map_or(&[][..], |unit| &unit.items);
                let is_own = earlier.iter().take(at.position).any(scan::has_workgroup_size);
                return if is_own { wrong(span, message) } else { mismatch(span, message) };
            }
            (self.has_workgroup_size, self.workgroup_size) = (true, size);
        }
        self.set_block_defaults(at, qualifiers);
        Ok(())
    }
}
