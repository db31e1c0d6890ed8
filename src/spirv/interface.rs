//! The interface of a stage: its module's inputs, outputs and resources in the linker's tables.

mod block;
mod counter;
mod point;
mod port;
mod texture;
mod xfb;

use std::collections::BTreeMap;

use naga::{GlobalVariable, Handle};
use rspirv::spirv::{BuiltIn, Decoration};

use ir::interface::{self, Interpolation, Place, Sampling, Type};
use ir::source::Span;
use ir::stage::ShaderStage;
use ir::stage_module::{Direction, ResourceVariable, UniformVariable, XfbDeclarations};

use super::declarations::{Declarations, Decorations, Variable};
use super::role::Role;
use super::types::type_of;
use super::usage::UsageTable;

/// The tables of a stage.
#[derive(Clone, Debug, Default)]
pub(super) struct Interface {
    pub(super) inputs: Vec<interface::Variable>,
    pub(super) outputs: Vec<interface::Variable>,
    pub(super) ports: Vec<Port>,
    pub(super) uniforms: Vec<UniformVariable>,
    pub(super) resources: Vec<ResourceVariable>,
    /// Lengths of built-in output arrays.
    pub(super) builtin_lengths: BTreeMap<String, u32>,
    pub(super) xfb: XfbDeclarations,
    /// True if the stage writes a position that is decorated with `Invariant`.
    pub(super) has_invariant_position: bool,
}

/// A built-in value, and its variable in the module.
#[derive(Clone, Debug)]
pub(super) struct Port {
    pub(super) builtin: naga::BuiltIn,
    pub(super) place: Place,
    pub(super) ty: Type,
    pub(super) direction: Direction,
}

/// Reason why a variable cannot be used: its id and the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// The shader is invalid.
    Wrong(u32, String),
    /// The shader breaks a rule for blocks, which is an error at link time.
    Link(u32, String),
    /// The shader is valid, but not supported.
    Unsupported(u32, String),
}

/// Data for collecting the interface.
pub(super) struct Gathering<'a> {
    pub(super) stage: ShaderStage,
    pub(super) declarations: &'a Declarations,
    pub(super) usage: &'a UsageTable,
    pub(super) spans: &'a dyn Fn(u32) -> Span,
    /// True if transform feedback records the entry point's outputs.
    pub(super) is_captured: bool,
    pub(super) interface: Interface,
}

impl Gathering<'_> {
    /// Adds one variable, which is `global` in naga. For an array of storage blocks, `element` is the index of the
    /// block.
    pub(super) fn add(
        &mut self,
        variable: Variable,
        role: Role,
        global: Handle<GlobalVariable>,
        element: Option<u32>,
    ) -> Result<(), Problem> {
        match role {
            Role::Input => self.add_external(variable, global, Direction::Input),
            Role::Output => self.add_external(variable, global, Direction::Output),
            Role::UniformBlock => self.add_uniform_block(variable, global),
            Role::StorageBlock => self.add_storage_block(variable, global, element),
            Role::LooseUniform => self.add_loose(variable, global),
            Role::SampledImage
            | Role::Texture
            | Role::Sampler
            | Role::Image
            | Role::AtomicCounter
            | Role::Own => Ok(()),
        }
    }

    /// Adds an input or output: a built-in, a user variable, or a block of either.
    fn add_external(
        &mut self,
        variable: Variable,
        global: Handle<GlobalVariable>,
        direction: Direction,
    ) -> Result<(), Problem> {
        let (inner, lengths) = self.declarations.without_arrays(variable.ty);
        let own = self.declarations.decorations(variable.id);
        if self.declarations.decorations(inner).has(Decoration::Block) {
            return self.add_external_block(variable, global, direction, (inner, &lengths));
        }
        let is_used = self.usage.is_used(variable.id);
        let ty = self.type_of(variable.id, variable.ty)?;
        let place = Place::whole(global);
        if let Some(builtin) = own.builtin() {
            let name = format!("gl_{builtin:?}");
            self.add_array(&name, &ty, direction);
            self.add_xfb((variable.id, direction), &own, &own, 0, name)?;
            self.add_invariance(builtin, direction, &[&own]);
            return self.add_port(variable.id, builtin, (place, ty), direction, is_used);
        }
        let Some(location) = own.number(Decoration::Location) else {
            return Err(self.no_location(variable.id, direction));
        };
        let name = self.declarations.name(variable.id).map(str::to_owned);
        let used = (variable.id, is_used);
        let name = self.add_variable(name, (place, ty), &own, location, direction, used)?;
        self.add_xfb((variable.id, direction), &own, &own, 0, name)
    }

    fn add_external_block(
        &mut self,
        variable: Variable,
        global: Handle<GlobalVariable>,
        direction: Direction,
        (block, lengths): (u32, &[u32]),
    ) -> Result<(), Problem> {
        let Type::Struct(structure) = self.type_of(variable.id, block)? else { return Ok(()) };
        let own = self.declarations.decorations(variable.id);
        let mut next = own.number(Decoration::Location);
        for (element, path) in (0..).zip(paths(lengths)) {
            let subscripts = subscripts(&path);
            let first = next;
            for (idx, member) in (0..).zip(&structure.members) {
                let decorations = self.declarations.member_decorations(block, idx).within(&own);
                let is_used = match lengths {
                    [] => self.usage.is_member_used(variable.id, idx),
                    [_, ..] => self.usage.is_used(variable.id),
                };
                let place = Place { global, path: path.iter().copied().chain([idx]).collect() };
                if let Some(builtin) = decorations.builtin() {
                    let (port, name) = ((variable.id, direction), format!("gl_{builtin:?}"));
                    self.add_array(&name, &member.ty, direction);
                    self.add_xfb(port, &own, &decorations, element, name)?;
                    self.add_invariance(builtin, direction, &[&own, &decorations]);
                    let value = (place, member.ty.clone());
                    self.add_port(variable.id, builtin, value, direction, is_used)?;
                    continue;
                }
                let explicit = decorations.number(Decoration::Location);
                // Each block of an array takes the locations after the previous block.
                let is_first = path.iter().all(|index| *index == 0);
                let location = match explicit.filter(|_| is_first || first.is_none()) {
                    Some(location) => Some(location),
                    None => next,
                };
                let Some(location) = location else {
                    return Err(self.no_location(variable.id, direction));
                };
                let count = member.ty.location_count(0);
                next = location.checked_add(count);
                let block_name = self.declarations.name(block).map(str::to_owned);
                let name = block_name.map(|name| format!("{name}{subscripts}.{}", member.name));
                let value = (place, member.ty.clone());
                let used = (variable.id, is_used);
                let name =
                    self.add_variable(name, value, &decorations, location, direction, used)?;
                let port = (variable.id, direction);
                self.add_xfb(port, &own, &decorations, element, name)?;
            }
        }
        Ok(())
    }

    /// Adds a user variable and returns its name.
    fn add_variable(
        &mut self,
        name: Option<String>,
        (place, ty): (Place, Type),
        decorations: &Decorations,
        location: u32,
        direction: Direction,
        (id, is_used): (u32, bool),
    ) -> Result<String, Problem> {
        let component = decorations.number(Decoration::Component);
        if let Some(message) = component.and_then(|first| component_problem(first, &ty)) {
            return Err(Problem::Wrong(id, format!("{} {message}", self.declarations.shown(id))));
        }
        let unnamed = match component {
            Some(component) => format!("location {location} component {component}"),
            None => format!("location {location}"),
        };
        let span = (self.spans)(id);
        let list = match direction {
            Direction::Input => &mut self.interface.inputs,
            Direction::Output => &mut self.interface.outputs,
        };
        // Names have no meaning; two variables may share one.
        let is_free = |name: &String| list.iter().all(|known| known.name != *name);
        let again = |count: usize| format!("{unnamed} again {count}");
        let mut others = std::iter::once(unnamed.clone()).chain((1..).map(again));
        let name = name.filter(is_free).or_else(|| others.find(is_free)).unwrap_or_default();
        list.push(interface::Variable {
            location: Some(location),
            component,
            index: decorations.number(Decoration::Index),
            interpolation: interpolation(decorations),
            sampling: sampling(decorations),
            is_used,
            is_statically_used: is_used,
            place: Some(place),
            span: Some(span),
            ..interface::Variable::new(name.clone(), ty)
        });
        Ok(name)
    }

    /// Records that the position is invariant if any of its decorations says so.
    fn add_invariance(
        &mut self,
        builtin: BuiltIn,
        direction: Direction,
        decorations: &[&Decorations],
    ) {
        let is_invariant = decorations.iter().any(|own| own.has(Decoration::Invariant));
        if (builtin, direction) == (BuiltIn::Position, Direction::Output) {
            self.interface.has_invariant_position |= is_invariant;
        }
    }

    fn add_port(
        &mut self,
        id: u32,
        builtin: BuiltIn,
        (place, ty): (Place, Type),
        direction: Direction,
        is_used: bool,
    ) -> Result<(), Problem> {
        if !is_used {
            return Ok(());
        }
        let known = port::naga_builtin(self.stage, builtin, direction);
        let builtin = known
            .ok_or_else(|| Problem::Unsupported(id, format!("SPIR-V built-in {builtin:?}")))?;
        self.interface.ports.push(Port { builtin, place, ty, direction });
        Ok(())
    }

    fn type_of(&self, id: u32, ty: u32) -> Result<Type, Problem> {
        if let Some(width) = self.declarations.narrow_width(ty) {
            return Err(Problem::Unsupported(id, format!("SPIR-V variables of {width}-bit types")));
        }
        type_of(self.declarations, ty)
            .map_err(|message| Problem::Wrong(id, format!("{} {message}", self.shown(id))))
    }

    fn no_location(&self, id: u32, direction: Direction) -> Problem {
        let word = match direction {
            Direction::Input => "input",
            Direction::Output => "output",
        };
        let shown = self.shown(id);
        Problem::Wrong(id, format!("{word} {shown} has no Location"))
    }

    /// Name of a variable in messages.
    fn shown(&self, id: u32) -> String {
        self.declarations.name(id).map_or_else(|| "variable".to_owned(), |name| format!("`{name}`"))
    }
}

/// The reason why a variable of this type cannot begin at component `first` of a location (Vulkan 1.3,
/// StandaloneSpirv-Component-04920 to 04924; GLSL 4.60 section 4.4.1).
fn component_problem(first: u32, ty: &Type) -> Option<String> {
    let mut leaves = ty.leaves().into_iter();
    let is_plain = matches!(ty.without_arrays(), Type::Scalar(_) | Type::Vector { .. });
    let words = leaves.next().filter(|_| is_plain).map(|leaf| (leaf.words(), leaf.scalar));
    let Some((words, scalar)) = words else {
        return Some(format!("is {ty}, which cannot have the decoration Component"));
    };
    let end = u32::try_from(words).unwrap_or(u32::MAX).saturating_add(first);
    let is_odd = !first.is_multiple_of(scalar.components());
    (first > 0 && (end > 4 || is_odd))
        .then(|| format!("is {ty}, which cannot begin at component {first} of a location"))
}

/// The subscripts of a path, such as `[1][2]`.
fn subscripts(path: &[u32]) -> String {
    path.iter().flat_map(|index| ["[".to_owned(), index.to_string(), "]".to_owned()]).collect()
}

/// All indices into an array of arrays, the last changing fastest.
fn paths(lengths: &[u32]) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for length in lengths {
        let longer = |path: Vec<u32>| {
            (0..*length).map(move |index| path.iter().copied().chain([index]).collect())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

fn interpolation(decorations: &Decorations) -> Interpolation {
    if decorations.has(Decoration::Flat) {
        Interpolation::Flat
    } else if decorations.has(Decoration::NoPerspective) {
        Interpolation::NoPerspective
    } else {
        Interpolation::Unqualified
    }
}

fn sampling(decorations: &Decorations) -> Sampling {
    if decorations.has(Decoration::Sample) {
        Sampling::Sample
    } else if decorations.has(Decoration::Centroid) {
        Sampling::Centroid
    } else {
        Sampling::Center
    }
}
