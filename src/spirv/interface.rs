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

/// A value that enters or leaves the stage: an input or output variable, or a member of its block.
struct Value<'a> {
    /// Id of the variable.
    id: u32,
    /// Input or output.
    direction: Direction,
    /// Index of the block in its array; otherwise 0.
    element: u32,
    /// Its place in naga's module.
    place: Place,
    /// Its type.
    ty: &'a Type,
    /// Decorations of the variable.
    variable: &'a Decorations,
    /// Decorations of the value itself: those of the variable, or those of the member.
    own: &'a Decorations,
    /// True if code of the entry point reads or writes it.
    is_used: bool,
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
        let (inner, _) = self.declarations.without_arrays(variable.ty);
        if self.declarations.decorations(inner).has(Decoration::Block) {
            return self.add_external_block(variable, global, direction);
        }
        let own = self.declarations.decorations(variable.id);
        let ty = self.type_of(variable.id, variable.ty)?;
        let value = Value {
            id: variable.id,
            direction,
            element: 0,
            place: Place::whole(global),
            ty: &ty,
            variable: &own,
            own: &own,
            is_used: self.usage.is_used(variable.id),
        };
        if let Some(builtin) = own.builtin() {
            return self.add_builtin(builtin, value);
        }
        let Some(location) = own.number(Decoration::Location) else {
            return Err(self.no_location(variable.id, direction));
        };
        let name = self.declarations.name(variable.id).map(str::to_owned);
        self.add_variable(name, location, value)
    }

    fn add_external_block(
        &mut self,
        variable: Variable,
        global: Handle<GlobalVariable>,
        direction: Direction,
    ) -> Result<(), Problem> {
        let (block, lengths) = self.declarations.without_arrays(variable.ty);
        let Type::Struct(structure) = self.type_of(variable.id, block)? else { return Ok(()) };
        let decorations = self.declarations.decorations(variable.id);
        let mut next = decorations.number(Decoration::Location);
        for (element, path) in (0..).zip(paths(&lengths)) {
            let subscripts = subscripts(&path);
            let first = next;
            for (idx, member) in (0..).zip(&structure.members) {
                let own = self.declarations.member_decorations(block, idx).within(&decorations);
                let is_used = match lengths[..] {
                    [] => self.usage.is_member_used(variable.id, idx),
                    [_, ..] => self.usage.is_used(variable.id),
                };
                let value = Value {
                    id: variable.id,
                    direction,
                    element,
                    place: Place { global, path: path.iter().copied().chain([idx]).collect() },
                    ty: &member.ty,
                    variable: &decorations,
                    own: &own,
                    is_used,
                };
                if let Some(builtin) = own.builtin() {
                    self.add_builtin(builtin, value)?;
                    continue;
                }
                let explicit = own.number(Decoration::Location);
                // Each block of an array takes the locations after the previous block.
                let is_first = path.iter().all(|index| *index == 0);
                let location = match explicit.filter(|_| is_first || first.is_none()) {
                    Some(location) => Some(location),
                    None => next,
                };
                let Some(location) = location else {
                    return Err(self.no_location(variable.id, direction));
                };
                next = location.checked_add(member.ty.location_count(0));
                let block_name = self.declarations.name(block).map(str::to_owned);
                let name = block_name.map(|name| format!("{name}{subscripts}.{}", member.name));
                self.add_variable(name, location, value)?;
            }
        }
        Ok(())
    }

    /// Adds a user variable.
    fn add_variable(
        &mut self,
        name: Option<String>,
        location: u32,
        value: Value<'_>,
    ) -> Result<(), Problem> {
        let component = value.own.number(Decoration::Component);
        if let Some(message) = component.and_then(|first| component_problem(first, value.ty)) {
            let shown = self.declarations.shown(value.id);
            return Err(Problem::Wrong(value.id, format!("{shown} {message}")));
        }
        let unnamed = match component {
            Some(component) => format!("location {location} component {component}"),
            None => format!("location {location}"),
        };
        let list = match value.direction {
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
            index: value.own.number(Decoration::Index),
            interpolation: interpolation(value.own),
            sampling: sampling(value.own),
            is_used: value.is_used,
            is_statically_used: value.is_used,
            place: Some(value.place.clone()),
            span: Some((self.spans)(value.id)),
            ..interface::Variable::new(name.clone(), value.ty.clone())
        });
        self.add_xfb(&value, name)
    }

    /// Adds a built-in value.
    fn add_builtin(&mut self, builtin: BuiltIn, value: Value<'_>) -> Result<(), Problem> {
        let name = format!("gl_{builtin:?}");
        self.add_array(&name, value.ty, value.direction);
        self.add_xfb(&value, name)?;
        let Value { id, direction, place, ty, variable, own, is_used, .. } = value;
        if (builtin, direction) == (BuiltIn::Position, Direction::Output) {
            let is_invariant = [variable, own].iter().any(|own| own.has(Decoration::Invariant));
            self.interface.has_invariant_position |= is_invariant;
        }
        if !is_used {
            return Ok(());
        }
        let known = port::naga_builtin(self.stage, builtin, direction);
        let builtin = known
            .ok_or_else(|| Problem::Unsupported(id, format!("SPIR-V built-in {builtin:?}")))?;
        self.interface.ports.push(Port { builtin, place, ty: ty.clone(), direction });
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
