//! The interface of a stage in SPIR-V: what the linker planned, and what a compiler made of it.
//!
//! A compiler may drop what nothing uses: inputs, resources, and outputs that are built in. It may not add or move
//! anything that users declare, change a type or an interpolation, or rename the entry point.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "instructions and operands that interfaces do not have"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use rspirv::dr::{Function, Instruction, Module, Operand, load_words};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, Op, StorageClass, Word};

/// A place of an interface.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// A location and its first component, of an input or output.
    Location { is_output: bool, location: u32, component: u32, index: u32 },
    /// A built-in input or output, by SPIR-V's name.
    BuiltIn { is_output: bool, name: String },
    /// A resource: descriptor set and binding.
    Resource { set: u32, binding: u32 },
    /// The immediates.
    Immediates,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = |is_output| if is_output { "output" } else { "input" };
        match self {
            Self::Location { is_output, location, component, index } => {
                write!(f, "{} at location {location}", direction(*is_output))?;
                if *component > 0 {
                    write!(f, ", component {component}")?;
                }
                if *index > 0 { write!(f, ", index {index}") } else { Ok(()) }
            }
            Self::BuiltIn { is_output, name } => {
                write!(f, "{} {name}", direction(*is_output))
            }
            Self::Resource { set, binding } => write!(f, "resource {set}.{binding}"),
            Self::Immediates => f.write_str("immediates"),
        }
    }
}

impl Place {
    /// True if a compiler may drop what is here when nothing uses it.
    const fn may_be_dropped(&self) -> bool {
        !matches!(self, Self::Location { is_output: true, .. })
    }

    /// True if a compiler may add it.
    const fn may_be_added(&self) -> bool {
        matches!(self, Self::BuiltIn { .. })
    }
}

/// The interface of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Interface {
    /// Name and execution model of the entry point.
    entry: String,
    /// Execution modes that change what the stage does.
    modes: BTreeSet<String>,
    /// What is at each place: type and qualifiers. Several resources may have one binding.
    places: BTreeMap<Place, BTreeSet<String>>,
}

impl Interface {
    /// The interface of a module with one entry point.
    ///
    /// # Errors
    /// The words are no SPIR-V, or have not one entry point.
    pub(super) fn of(words: &[u32]) -> Result<Self, String> {
        let module = load_words(words).map_err(|error| error.to_string())?;
        let [entry] = &module.entry_points[..] else {
            return Err(format!("{} entry points instead of one", module.entry_points.len()));
        };
        let [
            Operand::ExecutionModel(model),
            Operand::IdRef(function),
            Operand::LiteralString(name),
            ..,
        ] = &entry.operands[..]
        else {
            return Err("an entry point without model and name".to_owned());
        };
        let is_it =
            |one: &Function| one.def.as_ref().and_then(|def| def.result_id) == Some(*function);
        if !module.functions.iter().any(|one| is_it(one) && !one.blocks.is_empty()) {
            return Err(format!("the entry point `{name}` has no code"));
        }
        let reader = Reader::of(&module);
        let mut places: BTreeMap<Place, BTreeSet<String>> = BTreeMap::new();
        for variable in
            module.types_global_values.iter().filter(|one| one.class.opcode == Op::Variable)
        {
            for (place, what) in reader.variable(variable) {
                let is_shared = matches!(place, Place::Resource { .. });
                let known = places.entry(place.clone()).or_default();
                if !known.is_empty() && !is_shared {
                    return Err(format!("two variables for the {place}"));
                }
                known.insert(what);
            }
        }
        let modes = module.execution_modes.iter().filter_map(mode_of).collect();
        Ok(Self { entry: format!("{model:?} entry point `{name}`"), modes, places })
    }

    /// How the interface `found` differs from this one, a line each; empty if a compiler may do so.
    pub(super) fn differences(&self, found: &Self) -> Vec<String> {
        let mut all = Vec::new();
        if self.entry != found.entry {
            all.push(format!("{}, planned: {}", found.entry, self.entry));
        }
        if self.modes != found.modes {
            let list = |modes: &BTreeSet<String>| {
                let words: Vec<_> = modes.iter().map(String::as_str).collect();
                if words.is_empty() { "none".to_owned() } else { words.join(", ") }
            };
            let (found, planned) = (list(&found.modes), list(&self.modes));
            all.push(format!("execution modes: {found}, planned: {planned}"));
        }
        for (place, planned) in &self.places {
            match found.places.get(place) {
                Some(found) if !found.is_subset(planned) => {
                    all.push(format!("{place}: {}, planned: {}", told(found), told(planned)));
                }
                None if !place.may_be_dropped() => {
                    all.push(format!("{place}: nothing, planned: {}", told(planned)));
                }
                Some(_) | None => {}
            }
        }
        let added = found
            .places
            .iter()
            .filter(|(place, _)| !self.places.contains_key(place) && !place.may_be_added());
        all.extend(added.map(|(place, what)| format!("{place}: {}, planned: nothing", told(what))));
        all
    }
}

/// What is at a place, in words.
fn told(what: &BTreeSet<String>) -> String {
    what.iter().map(String::as_str).collect::<Vec<_>>().join(" and ")
}

/// An execution mode that changes what a stage does.
fn mode_of(instruction: &Instruction) -> Option<String> {
    let [_, Operand::ExecutionMode(mode), rest @ ..] = &instruction.operands[..] else {
        return None;
    };
    let is_kept = matches!(
        mode,
        ExecutionMode::LocalSize
            | ExecutionMode::OriginUpperLeft
            | ExecutionMode::OriginLowerLeft
            | ExecutionMode::PixelCenterInteger
            | ExecutionMode::EarlyFragmentTests
            | ExecutionMode::DepthReplacing
            | ExecutionMode::DepthGreater
            | ExecutionMode::DepthLess
            | ExecutionMode::DepthUnchanged
    );
    let numbers = rest.iter().filter_map(literal).map(|number| format!(" {number}"));
    is_kept.then(|| std::iter::once(format!("{mode:?}")).chain(numbers).collect())
}

const fn literal(operand: &Operand) -> Option<u32> {
    match operand {
        Operand::LiteralBit32(number) => Some(*number),
        _ => None,
    }
}

/// Decorations of an object or a member.
#[derive(Clone, Debug, Default)]
struct Decorations {
    built_in: Option<BuiltIn>,
    location: Option<u32>,
    component: u32,
    index: u32,
    set: Option<u32>,
    binding: Option<u32>,
    /// True for the struct of a storage buffer in SPIR-V before 1.3.
    is_storage: bool,
    /// Interpolation and sampling, in SPIR-V's words.
    qualifiers: BTreeSet<String>,
}

impl Decorations {
    fn add(&mut self, operands: &[Operand]) {
        let [Operand::Decoration(decoration), rest @ ..] = operands else { return };
        let number = rest.first().and_then(literal);
        match decoration {
            Decoration::BuiltIn => {
                if let Some(Operand::BuiltIn(built_in)) = rest.first() {
                    self.built_in = Some(*built_in);
                }
            }
            Decoration::Location => self.location = number,
            Decoration::Component => self.component = number.unwrap_or(0),
            Decoration::Index => self.index = number.unwrap_or(0),
            Decoration::DescriptorSet => self.set = number,
            Decoration::Binding => self.binding = number,
            Decoration::BufferBlock => self.is_storage = true,
            Decoration::Flat
            | Decoration::NoPerspective
            | Decoration::Centroid
            | Decoration::Sample
            | Decoration::Invariant => drop(self.qualifiers.insert(format!("{decoration:?}"))),
            _ => {}
        }
    }
}

/// Reads types and decorations of a module.
struct Reader<'a> {
    types: BTreeMap<Word, &'a Instruction>,
    objects: BTreeMap<Word, Decorations>,
    members: BTreeMap<(Word, u32), Decorations>,
}

impl<'a> Reader<'a> {
    fn of(module: &'a Module) -> Self {
        let all = module.types_global_values.iter();
        let types = all.filter_map(|one| Some((one.result_id?, one))).collect();
        let mut reader = Self { types, objects: BTreeMap::new(), members: BTreeMap::new() };
        for one in &module.annotations {
            match (one.class.opcode, &one.operands[..]) {
                (Op::Decorate, [Operand::IdRef(id), rest @ ..]) => {
                    reader.objects.entry(*id).or_default().add(rest);
                }
                (Op::MemberDecorate, [Operand::IdRef(id), member, rest @ ..]) => {
                    if let Some(member) = literal(member) {
                        reader.members.entry((*id, member)).or_default().add(rest);
                    }
                }
                _ => {}
            }
        }
        reader
    }

    /// What a variable is, at each of its places. Variables of other storage classes have none.
    fn variable(&self, variable: &Instruction) -> Vec<(Place, String)> {
        let own = variable.result_id.and_then(|id| self.objects.get(&id)).cloned();
        let own = own.unwrap_or_default();
        let Some(Operand::StorageClass(class)) = variable.operands.first() else {
            return Vec::new();
        };
        let pointer = variable.result_type.and_then(|id| self.types.get(&id));
        let pointee = pointer.and_then(|pointer| id_at(pointer, 1));
        let Some(pointee) = pointee else { return Vec::new() };
        let is_output = match class {
            StorageClass::Input => false,
            StorageClass::Output => true,
            StorageClass::PushConstant => return vec![(Place::Immediates, String::new())],
            StorageClass::Uniform | StorageClass::StorageBuffer | StorageClass::UniformConstant => {
                let (Some(set), Some(binding)) = (own.set, own.binding) else { return Vec::new() };
                return vec![(Place::Resource { set, binding }, self.resource(*class, pointee))];
            }
            _ => return Vec::new(),
        };
        self.crossing(is_output, pointee, &own)
    }

    /// An input or output, or its members if it is a block.
    fn crossing(&self, is_output: bool, ty: Word, own: &Decorations) -> Vec<(Place, String)> {
        if let Some(built_in) = own.built_in {
            let name = format!("{built_in:?}");
            // Vulkan leaves it open whether a built-in integer has a sign.
            let text = self.text(ty).replace("u32", "i32");
            // Coverage is an array of masks, and naga's writer makes one mask of it.
            let element = text.strip_prefix("array<").and_then(|rest| rest.strip_suffix(", 1>"));
            let text = match (built_in, element) {
                (BuiltIn::SampleMask, Some(mask)) => mask.to_owned(),
                _ => text,
            };
            return vec![(Place::BuiltIn { is_output, name }, text)];
        }
        if let Some(location) = own.location {
            let &Decorations { component, index, .. } = own;
            let place = Place::Location { is_output, location, component, index };
            let mut words: Vec<_> = own.qualifiers.iter().map(String::as_str).collect();
            let text = self.text(ty);
            words.push(&text);
            return vec![(place, words.join(" "))];
        }
        let block = self.types.get(&ty).filter(|block| block.class.opcode == Op::TypeStruct);
        let Some(block) = block else { return Vec::new() };
        let members = (0..).zip(&block.operands).filter_map(|(idx, member)| match member {
            Operand::IdRef(member) => Some((*member, self.members.get(&(ty, idx))?)),
            _ => None,
        });
        members.flat_map(|(member, own)| self.crossing(is_output, member, own)).collect()
    }

    /// The kind of a resource. The layout of a buffer is not part of it, because compilers drop and merge members.
    fn resource(&self, class: StorageClass, ty: Word) -> String {
        match class {
            StorageClass::UniformConstant => self.text(ty),
            StorageClass::Uniform if !self.is_storage(ty) => "uniform buffer".to_owned(),
            _ => "storage buffer".to_owned(),
        }
    }

    /// True if the struct, or the struct of an array of buffers, is that of a storage buffer.
    fn is_storage(&self, ty: Word) -> bool {
        let element = self.types.get(&ty).filter(|one| one.class.opcode == Op::TypeArray);
        let block = element.and_then(|array| id_at(array, 0)).unwrap_or(ty);
        self.objects.get(&block).is_some_and(|own| own.is_storage)
    }

    /// A type in words.
    fn text(&self, id: Word) -> String {
        let Some(ty) = self.types.get(&id) else { return "an unknown type".to_owned() };
        let number = |at: usize| ty.operands.get(at).and_then(literal).unwrap_or(0);
        let inner = |at: usize| id_at(ty, at).map_or_else(String::new, |id| self.text(id));
        match ty.class.opcode {
            Op::TypeBool => "bool".to_owned(),
            Op::TypeInt if number(1) == 0 => format!("u{}", number(0)),
            Op::TypeInt => format!("i{}", number(0)),
            Op::TypeFloat => format!("f{}", number(0)),
            Op::TypeVector => format!("vec{}<{}>", number(1), inner(0)),
            Op::TypeMatrix => format!("mat{}<{}>", number(1), inner(0)),
            Op::TypeArray => {
                let length = id_at(ty, 1).and_then(|id| self.types.get(&id));
                let length = length.and_then(|one| one.operands.first()).and_then(literal);
                format!("array<{}, {}>", inner(0), length.unwrap_or(0))
            }
            Op::TypeRuntimeArray => format!("array<{}>", inner(0)),
            Op::TypeStruct => {
                let members = (0..ty.operands.len()).map(inner).collect::<Vec<_>>();
                format!("struct {{ {} }}", members.join(", "))
            }
            Op::TypeSampler => "sampler".to_owned(),
            Op::TypeSampledImage => format!("sampled {}", inner(0)),
            Op::TypeImage => {
                // Drivers ignore whether a depth is meant, and compilers differ in it.
                let told = ty.operands.iter().enumerate().skip(1).filter(|(at, _)| *at != 2);
                let words: Vec<_> = told.map(|(_, operand)| operand.to_string()).collect();
                format!("image<{}, {}>", inner(0), words.join(" "))
            }
            other => format!("{other:?}"),
        }
    }
}

/// The operand at `at`, if it names another instruction.
fn id_at(instruction: &Instruction, at: usize) -> Option<Word> {
    match instruction.operands.get(at) {
        Some(Operand::IdRef(id)) => Some(*id),
        _ => None,
    }
}
