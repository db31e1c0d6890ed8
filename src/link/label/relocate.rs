//! Relocation: makes final modules from modules that name *labels*, by rewriting only their `@location` numbers.
//!
//! A stage is wrapped once, with the key of a [`Semantic`] in place of each location; the result is a relocatable
//! object. The stage's own layout of its labels makes it a module that can be used directly if the partner chose the
//! same layout. Otherwise the profile determines which of the two is rewritten. Only locations that differ are
//! rewritten, and the result is cached for the next pair that needs the same. An unwritten input reads the profile's
//! value; an unread output of a rewritten producer is dropped.

mod patch;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use naga::{AddressSpace, GlobalVariable, Handle, Module, StorageAccess};

use ir::linkage_table::LinkageTable;
use ir::options::ColorChooser;
use ir::profile::{Patched, Profile, UnwrittenInput};
use ir::semantic::{FIRST_OTHER_KEY, Semantic, SemanticName};
use ir::stage_module::StageModule;

use crate::label::layout_choice::{LabelSet, SlotLayout};
use crate::table::shell::Shell;
use crate::{LabelOptions, wrap};

pub use patch::patch;
pub(crate) use patch::with_small_locations;

/// Counters of relocation work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Number of pairs that were linked for the first time.
    pub links: u32,
    /// Number of stage modules that were used without rewriting.
    pub identical: u32,
    /// Number of locations that were rewritten.
    pub relocations: u32,
    /// Number of stage modules that were made by rewriting.
    pub emitted: u32,
    /// Number of rewritten stage modules that already existed.
    pub reused: u32,
}

/// Relocates pairs of stages under one profile.
#[derive(Debug)]
pub struct Relocator {
    profile: Profile,
    /// Value of unwritten inputs.
    unwritten: UnwrittenInput,
    /// Mapping between the labels of the two stages.
    linkage: LinkageTable,
    objects: Vec<Object>,
    made: BTreeMap<ModuleKey, (usize, Module)>,
    /// Keys of all semantics except `GENERIC` that any stage has.
    others: BTreeSet<u32>,
    /// Counters of the work so far.
    pub counters: Counters,
}

/// A relocatable object: a wrapped stage.
#[derive(Debug)]
struct Object {
    stage: usize,
    shell: Shell,
    module: Module,
}

/// The cache key of a relocated module: everything that it depends on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ModuleKey {
    object: usize,
    /// The storage buffers that may be written, which depend on the partner; groups and bindings do not.
    writable: Vec<Handle<GlobalVariable>>,
    map: LabelMap,
}

/// The location of every label; `None` for labels that the other stage does not have.
pub type LabelMap = BTreeMap<u32, Option<u32>>;

/// One stage of a pair, as input of [`Relocator::relocate`].
#[derive(Debug)]
pub struct RelocatableStage<'a> {
    /// Index of the stage's object, if the object is kept.
    pub object: Option<usize>,
    /// Module of the stage, which names labels.
    pub module: &'a mut Module,
    /// Keys of the labels in the module.
    pub labels: BTreeSet<u32>,
}

/// Labels of a pair that do not cross between the stages.
#[derive(Clone, Copy, Debug)]
pub struct LabelsApart<'a> {
    /// Keys of inputs that are undefined, even if the producer writes these labels.
    pub undefined: &'a BTreeSet<u32>,
    /// Keys of outputs that are in neither module but count for the profile's rules.
    pub unread: &'a BTreeSet<u32>,
}

/// Locations of the labels of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The profile of the relocation.
    pub profile: Profile,
    /// The layout that both stages follow.
    pub layout: SlotLayout,
    /// The labels that cross, with their locations.
    pub registers: Vec<Register>,
    /// The component that selects front or back colours, if the pair has both.
    pub two_sided: Option<ColorChooser>,
    /// Number of the pair's modules that were rewritten.
    pub rewritten: u32,
    /// Numbers of the vertex and the fragment module; modules with equal numbers are equal.
    pub modules: [Option<usize>; 2],
}

/// A label that crosses between the stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Semantic in the vertex stage.
    pub output: Semantic,
    /// Semantic in the fragment stage: the same, unless the case has a linkage table.
    pub input: Semantic,
    /// Location of the label.
    pub location: u32,
}

/// Prints `GENERIC[0] -> 0` or `GENERIC[3] as GENERIC[7] -> 0`.
impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { output, input, location } = self;
        if output == input {
            write!(f, "{output} -> {location}")
        } else {
            write!(f, "{output} as {input} -> {location}")
        }
    }
}

/// Prints `profile nv30, dense: GENERIC[0] -> 0, GENERIC[200] -> 1`
impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let registers: Vec<String> = self.registers.iter().map(ToString::to_string).collect();
        write!(f, "profile {}, {}: {}", self.profile, self.layout, registers.join(", "))?;
        self.two_sided.map_or(Ok(()), |chooser| write!(f, "; back colours by {chooser}"))
    }
}

impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { links, identical, relocations, emitted, reused } = self;
        write!(
            f,
            "links {links}, identical {identical}, relocations {relocations}, emitted {emitted}, reused {reused}"
        )
    }
}

/// The reason why the labels of a pair cannot get locations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RelocationError {
    /// Semantics that no varying can have, in words.
    Semantics(Vec<String>),
    /// Violated rules of the profile, in words.
    Profile(Vec<String>),
    /// There are too few locations.
    Locations(String),
}

/// The layout of a stage's labels.
struct StageLayout {
    layout: SlotLayout,
    labels: LabelSet,
}

impl Relocator {
    /// A relocator for stages with these labels, as far as they are known.
    pub fn new(options: &LabelOptions, labels: impl IntoIterator<Item = u32>) -> Self {
        let others = labels.into_iter().filter(|key| *key >= FIRST_OTHER_KEY).collect();
        let (objects, made, counters) = (Vec::new(), BTreeMap::new(), Counters::default());
        let (profile, unwritten, linkage) =
            (options.profile, options.unwritten, options.linkage.clone());
        Self { profile, unwritten, linkage, objects, made, others, counters }
    }

    /// The wrapped module of stage number `id`, and the index of its object. A stage that was changed for this pair has
    /// no number and gets no object.
    pub fn wrapped(
        &mut self,
        id: Option<usize>,
        stage: &StageModule,
        shell: &Shell,
    ) -> (Option<usize>, Module) {
        let Some(id) = id else { return (None, wrap::wrap(stage, shell)) };
        let is_it = |object: &Object| object.stage == id && object.shell == *shell;
        let known = self.objects.iter().position(is_it);
        let at = known.unwrap_or_else(|| {
            let (shell, module) = (shell.clone(), wrap::wrap(stage, shell));
            self.objects.push(Object { stage: id, shell, module });
            self.objects.len() - 1
        });
        (Some(at), self.objects[at].module.clone())
    }

    /// Relocates both stages of a pair to locations below `available`.
    ///
    /// # Errors
    /// The pair violates rules of the profile, or there are too few locations.
    pub fn relocate(
        &mut self,
        producer: RelocatableStage<'_>,
        consumer: RelocatableStage<'_>,
        apart: LabelsApart<'_>,
        available: u32,
    ) -> Result<Placement, RelocationError> {
        let used: BTreeSet<u32> = producer.labels.union(&consumer.labels).copied().collect();
        let semantics = used.union(apart.unread).map(|key| Semantic::of_key(*key)).collect();
        let refusals = self.profile.refusals(&semantics);
        let mut impossible = self.profile.impossible(&semantics);
        if !impossible.is_empty() {
            impossible.extend(refusals);
            return Err(RelocationError::Semantics(impossible));
        }
        if !refusals.is_empty() {
            return Err(RelocationError::Profile(refusals));
        }
        self.others.extend(used.iter().filter(|key| **key >= FIRST_OTHER_KEY));
        self.check_others(&used, available)?;
        let own = |stage: &RelocatableStage<'_>| self.layout_of(&stage.labels, available);
        let layouts = own(&producer).and_then(|first| Ok((first, own(&consumer)?)));
        let (from, to) = layouts?;
        let patched = self.profile.traits().patched;
        let kept = match patched {
            Patched::Consumer => &from,
            Patched::Producer => &to,
        };
        let cross = |output: &u32| {
            let input = self.linkage.paired_input(*output);
            let crosses = consumer.labels.contains(&input) && !apart.undefined.contains(&input);
            let kept_key = if patched == Patched::Consumer { *output } else { input };
            let location = crosses.then(|| self.location(kept, kept_key, available))??;
            let (output, input) = (Semantic::of_key(*output), Semantic::of_key(input));
            Some(Register { output, input, location })
        };
        let registers: Vec<Register> = producer.labels.iter().filter_map(cross).collect();
        let meets = |side: fn(&Register) -> Semantic, key: u32| {
            let own = registers.iter().find(|register| side(register).key() == key);
            (key, own.map(|register| register.location))
        };
        let native = |stage: &RelocatableStage<'_>, layout: &StageLayout| -> LabelMap {
            stage.labels.iter().map(|key| (*key, self.location(layout, *key, available))).collect()
        };
        let (from_native, to_native) = (native(&producer, &from), native(&consumer, &to));
        let to_final = consumer.labels.iter().map(|key| meets(|pair| pair.input, *key)).collect();
        let from_final = match patched {
            Patched::Consumer => from_native.clone(),
            Patched::Producer => {
                producer.labels.iter().map(|key| meets(|pair| pair.output, *key)).collect()
            }
        };
        let layout = kept.layout;
        let two_sided = self.two_sided(&registers);
        let stages = [(producer, from_native, from_final), (consumer, to_native, to_final)];
        let mut rewritten = 0;
        let modules = stages.map(|(stage, native, map)| {
            rewritten += u32::from(native != map);
            self.make(stage, &native, map)
        });
        self.counters.links += 1;
        Ok(Placement { profile: self.profile, layout, registers, two_sided, rewritten, modules })
    }

    /// The component that selects colours in the profile's hardware, for the link map. On WebGPU the fragment stage
    /// always selects them.
    fn two_sided(&self, crossing: &[Register]) -> Option<ColorChooser> {
        let is_two_sided =
            crossing.iter().any(|register| register.output.name == SemanticName::BackColor);
        let has_hardware = self.profile.traits().has_two_sided_colors;
        let chooser = if has_hardware { ColorChooser::Hardware } else { ColorChooser::Fragment };
        is_two_sided.then_some(chooser)
    }

    /// Counts another use of a pair that was linked before.
    pub fn return_to(&mut self, placement: &Placement) {
        self.counters.reused += placement.rewritten;
    }

    /// Rejects labels other than `GENERIC` that have no location below `available`.
    fn check_others(&self, used: &BTreeSet<u32>, available: u32) -> Result<(), RelocationError> {
        let others = used.range(FIRST_OTHER_KEY..);
        if others.copied().all(|key| self.location_of_other(key, available).is_some()) {
            return Ok(());
        }
        let count = self.others.len();
        let message = format!("the varyings take {count} slots but there are {available}");
        Err(RelocationError::Locations(message))
    }

    fn layout_of(
        &self,
        keys: &BTreeSet<u32>,
        available: u32,
    ) -> Result<StageLayout, RelocationError> {
        let labels: LabelSet = keys.range(..FIRST_OTHER_KEY).copied().collect();
        let traits = self.profile.traits();
        let rest = available.saturating_sub(u32::try_from(self.others.len()).unwrap_or(u32::MAX));
        let total = traits.slots.unwrap_or(u32::MAX);
        let efficient = traits.efficient.unwrap_or(u32::MAX);
        let layout = SlotLayout::choose(&labels, efficient.min(rest), total.min(rest));
        let layout = layout.map_err(|error| {
            let (labels, profile) = (error.labels, self.profile);
            if total <= rest {
                RelocationError::Profile(vec![format!(
                    "profile {profile} has {total} vectors for GENERIC, but a stage uses {labels}"
                )])
            } else {
                RelocationError::Locations(format!(
                    "the varyings take {labels} slots but there are {rest}"
                ))
            }
        })?;
        Ok(StageLayout { layout, labels })
    }

    /// The location of a label: `GENERIC` labels count from the first location up, all others from the last one down.
    fn location(&self, layout: &StageLayout, key: u32, available: u32) -> Option<u32> {
        if key < FIRST_OTHER_KEY {
            return layout.layout.slot_of(&layout.labels, key);
        }
        self.location_of_other(key, available)
    }

    fn location_of_other(&self, key: u32, available: u32) -> Option<u32> {
        let rank = self.others.iter().position(|other| *other == key)?;
        available.checked_sub(u32::try_from(rank).ok()?.checked_add(1)?)
    }

    /// Replaces labels by locations. Returns the module's number, if the module is cached.
    fn make(
        &mut self,
        stage: RelocatableStage<'_>,
        native: &LabelMap,
        map: LabelMap,
    ) -> Option<usize> {
        let is_native = *native == map;
        let key = stage.object.map(|object| ModuleKey {
            object,
            writable: writable_in(stage.module),
            map: map.clone(),
        });
        let known = key.as_ref().and_then(|key| self.made.get(key));
        let counters = &mut self.counters;
        match (is_native, known.is_some()) {
            (true, _) => counters.identical += 1,
            (false, true) => counters.reused += 1,
            (false, false) => {
                counters.emitted += 1;
                let moved = map.iter().filter(|(label, location)| {
                    location.is_some() && native.get(label) != Some(location)
                });
                counters.relocations += u32::try_from(moved.count()).unwrap_or(u32::MAX);
            }
        }
        if let Some((number, known)) = known {
            stage.module.clone_from(known);
            return Some(*number);
        }
        patch(stage.module, &map, self.unwritten);
        let number = self.made.len();
        self.made.insert(key?, (number, stage.module.clone()));
        Some(number)
    }
}

fn writable_in(module: &Module) -> Vec<Handle<GlobalVariable>> {
    let is_writable = |global: &GlobalVariable| matches!(global.space, AddressSpace::Storage { access } if access.contains(StorageAccess::STORE));
    let all = module.global_variables.iter();
    all.filter(|(_, global)| is_writable(global)).map(|(handle, _)| handle).collect()
}
