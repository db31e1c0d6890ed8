//! Inputs of a compute stage that its code reads directly from the results of the previous stage, and outputs that it
//! writes directly into its own ([`outgoing`]).
//!
//! A private copy of an input costs a load for each of its words, and some drivers take seconds to compile an index into
//! it that is known only at run time. So an input with such an index is not copied: the prolog keeps only the index of
//! the first vector of each vertex (or of the patch), and accesses become loads of words
//! ([`explicit_io`](crate::resource::explicit_io)). The words of the input must be at places that a layout describes.

#![expect(clippy::wildcard_enum_match_arm, reason = "naga's types beyond plain data are no inputs")]

pub(super) mod outgoing;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{ArraySize, GlobalVariable, Handle, Module, Type, TypeInner};

use crate::table::facts::indexed::Indexed;
use crate::table::facts::reads::Reads;
use crate::table::facts::shape::scalar_count;
use crate::table::shell::{Received, ResultWire, Shell, Wire};
use crate::table::word_block::{First, Home, MisplacedBlock};
use ir::builder::{FunctionBuilder, add_private};
use ir::interface::{Place, ScalarKind};
use ir::layout::{BlockLayout, Shape};

/// The inputs of a stage, and the words of the previous stage that fill them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Incoming<'a> {
    /// The slots and their wires.
    pub(super) shell: &'a Shell,
    /// The words of slots and built-in inputs.
    pub(super) received: &'a Received,
}

/// The inputs of a stage, divided into those that the prolog copies and those that are read in place.
#[derive(Debug)]
pub(super) struct Divided {
    /// The slots and wires of copied inputs.
    pub(super) shell: Shell,
    /// The words of these slots, and the copied built-in inputs.
    pub(super) received: Received,
    /// The inputs that are read in place.
    pub(super) in_place: Vec<InPlace>,
}

/// An input or output that is accessed in place.
#[derive(Clone, Debug)]
pub(super) struct InPlace {
    global: Handle<GlobalVariable>,
    /// The layout of the variable, for all vertices.
    layout: BlockLayout,
    /// Offset of the variable among the values of a vertex or patch, in bytes.
    offset: u32,
}

impl InPlace {
    /// The block that replaces the variable, if its words are in `words` and the first ones are known to `first`.
    pub(super) fn block(self, words: Handle<GlobalVariable>, first: First) -> MisplacedBlock {
        let home = Home::Results { words, first, offset: self.offset };
        MisplacedBlock { global: self.global, layout: self.layout, home }
    }
}

/// Divides the inputs of a stage. `vertices` is the length of the arrays of vertices; `None` for values of a patch.
pub(super) fn divide(
    module: &Module,
    Incoming { shell, received }: Incoming<'_>,
    vertices: Option<u32>,
) -> Divided {
    let indexed = Indexed::of(module);
    let mut leaves: BTreeMap<Handle<GlobalVariable>, Option<Leaves>> = BTreeMap::new();
    for (place, words) in words_of(shell, received) {
        let known = leaves.entry(place.global).or_insert_with(|| Some(Leaves::new()));
        match (known, words) {
            (Some(known), Some(words)) => {
                known.insert(place.path.clone(), words);
            }
            (known, _) => *known = None,
        }
    }
    let in_place = leaves.into_iter().filter_map(|(global, leaves)| {
        let leaves = leaves.filter(|_| indexed.reads(global))?;
        let whole_is_read = vertices.is_some() && indexed.loads_whole(global);
        let ty = module.global_variables[global].ty;
        let found = Search { module, leaves: &leaves };
        let (offset, layout) = match vertices.filter(|_| !whole_is_read) {
            Some(vertices) => found.of_vertices(ty, vertices)?,
            None if vertices.is_none() => found.layout(ty, &[])?,
            None => return None,
        };
        let place = Place { global, path: Vec::new() };
        let is_complete = found.is_complete(ty, vertices)
            || vertices.is_some() && found.has_all_that_is_read(&place);
        is_complete.then_some(InPlace { global, layout, offset })
    });
    let in_place: Vec<_> = in_place.collect();
    let globals = in_place.iter().map(|input| input.global).collect();
    let (shell, received) = copied(shell, received, &globals);
    Divided { shell, received, in_place }
}

/// The words of the scalars of a variable, by path.
type Leaves = BTreeMap<Vec<u32>, Vec<u32>>;

/// Each scalar or vector of the inputs, with the words that it consists of; `None` if it does not consist of words of a
/// buffer alone.
fn words_of<'a>(
    shell: &'a Shell,
    received: &'a Received,
) -> impl Iterator<Item = (&'a Place, Option<Vec<u32>>)> {
    let wires = shell.input_wires.iter().map(|wire| {
        let word = |(slot, component): &(usize, u8)| {
            Some(received.slot_words.get(*slot)? + u32::from(*component))
        };
        let is_plain = wire.scalar.components() == 1 && !wire.is_over_w;
        let words = wire.components.iter().map(word).collect::<Option<Vec<_>>>();
        (&wire.place, words.filter(|_| is_plain))
    });
    let constants = shell.constants.iter().map(|constant| (&constant.place, None));
    let built_ins = received.built_ins.iter().map(|wire: &ResultWire| {
        let words = (wire.word..).take(usize::from(wire.size)).collect();
        (&wire.place, Some(words).filter(|_| wire.scalar.components() == 1))
    });
    wires.chain(constants).chain(built_ins)
}

/// The shell without the wires of `globals`, and without slots that nothing else needs.
fn copied(
    shell: &Shell,
    received: &Received,
    globals: &BTreeSet<Handle<GlobalVariable>>,
) -> (Shell, Received) {
    let is_copied = |place: &Place| !globals.contains(&place.global);
    let wires: Vec<&Wire> =
        shell.input_wires.iter().filter(|wire| is_copied(&wire.place)).collect();
    let slots = wires.iter().flat_map(|wire| wire.components.iter().map(|(slot, _)| *slot));
    let slots: BTreeSet<usize> = slots.collect();
    let number = |slot: usize| slots.range(..slot).count();
    let wire = |wire: &&Wire| {
        let components = wire.components.iter().map(|(slot, at)| (number(*slot), *at)).collect();
        Wire { components, ..(*wire).clone() }
    };
    let own = Shell {
        inputs: slots.iter().map(|slot| shell.inputs[*slot]).collect(),
        input_wires: wires.iter().map(wire).collect(),
        constants: shell.constants.clone(),
        ..Shell::default()
    };
    let built_ins = received.built_ins.iter().filter(|wire| is_copied(&wire.place));
    let received = Received {
        slot_words: slots.iter().map(|slot| received.slot_words[*slot]).collect(),
        built_ins: built_ins.cloned().collect(),
        ..received.clone()
    };
    (own, received)
}

/// Searches the layout of a variable whose scalars have these words.
struct Search<'a> {
    module: &'a Module,
    leaves: &'a Leaves,
}

impl Search<'_> {
    /// The layout of an array of so many vertices, and the offset of the variable among the values of a vertex.
    fn of_vertices(&self, ty: Handle<Type>, vertices: u32) -> Option<(u32, BlockLayout)> {
        let TypeInner::Array { base, size: ArraySize::Constant(length), .. } =
            self.module.types[ty].inner
        else {
            return None;
        };
        let (offset, element) = self.layout(base, &[])?;
        // The elements of each vertex are at a place of their own.
        let shape = Shape::Array { stride: 0, element: Box::new(element) };
        (length.get() == vertices).then_some((offset, BlockLayout { size: 0, alignment: 4, shape }))
    }

    /// The layout of the part at `path`, and the offset of its first word. `None` if no layout describes the words, or
    /// the part has none.
    fn layout(&self, ty: Handle<Type>, path: &[u32]) -> Option<(u32, BlockLayout)> {
        let part = |idx: u32| [path, &[idx]].concat();
        match &self.module.types[ty].inner {
            TypeInner::Scalar(_) | TypeInner::Vector { .. } => {
                let words = self.leaves.get(path)?;
                let (first, _) = words.split_first()?;
                let is_run = (*first..).zip(words).all(|(expected, word)| expected == *word);
                let size = u32::try_from(words.len()).ok()? * 4;
                let layout = BlockLayout { size, alignment: 4, shape: Shape::Leaf };
                is_run.then_some((first * 4, layout))
            }
            TypeInner::Matrix { columns, rows, scalar } => {
                let words = |column| self.leaves.get(&part(column));
                let (offset, stride) = regular((0..*columns as u32).map(|column| {
                    let words = words(column)?;
                    let first = *words.first()?;
                    let is_run = (first..).zip(words).all(|(expected, word)| expected == *word);
                    is_run.then_some(first * 4)
                }))?;
                let size = stride * (*columns as u32 - 1) + *rows as u32 * u32::from(scalar.width);
                let shape = Shape::Matrix { stride, is_row_major: false };
                Some((offset, BlockLayout { size, alignment: 4, shape }))
            }
            TypeInner::Array { base, size: ArraySize::Constant(length), .. } => {
                let elements = (0..length.get()).map(|idx| self.layout(*base, &part(idx)));
                let elements: Vec<_> = elements.collect::<Option<_>>()?;
                let (_, first) = elements.first()?.clone();
                let (offset, stride) = regular(elements.iter().map(|(offset, _)| Some(*offset)))?;
                let are_equal = elements.iter().all(|(_, element)| *element == first);
                let size = stride * (length.get() - 1) + first.size;
                let shape = Shape::Array { stride, element: Box::new(first) };
                are_equal.then_some((offset, BlockLayout { size, alignment: 4, shape }))
            }
            TypeInner::Struct { members, .. } => self.struct_layout(members, path),
            _ => None,
        }
    }

    /// The layout of a struct. A member without words is at its beginning: no code reads it.
    fn struct_layout(
        &self,
        members: &[naga::StructMember],
        path: &[u32],
    ) -> Option<(u32, BlockLayout)> {
        let mut found = Vec::new();
        for (idx, member) in (0..).zip(members) {
            let path = [path, &[idx]].concat();
            let has_words = self.leaves.keys().any(|leaf| leaf.starts_with(&path));
            found.push(if has_words { Some(self.layout(member.ty, &path)?) } else { None });
        }
        let first = found.iter().flatten().map(|(offset, _)| *offset).min()?;
        let ends = found.iter().flatten().map(|(offset, layout)| offset + layout.size);
        let size = ends.max()? - first;
        let places = found.into_iter().zip(members).map(|(found, member)| match found {
            Some((offset, layout)) => (offset - first, layout),
            None => (0, dense(self.module, member.ty)),
        });
        let shape = Shape::Struct(places.collect());
        Some((first, BlockLayout { size, alignment: 4, shape }))
    }

    /// True if each scalar of the variable has a word.
    fn is_complete(&self, ty: Handle<Type>, vertices: Option<u32>) -> bool {
        let inner = &self.module.types[ty].inner;
        let all = scalar_count(self.module, inner);
        let found: usize = self.leaves.values().map(Vec::len).sum();
        let times = vertices.map_or(1, |vertices| vertices as usize);
        all == Some(found * times)
    }

    /// True if each scalar that the stage's code reads has a word, for an array of vertices.
    fn has_all_that_is_read(&self, whole: &Place) -> bool {
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
        let Ok(info) = validator.validate(self.module) else { return false };
        let reads = Reads::of(self.module, &info);
        let ty = self.module.global_variables[whole.global].ty;
        let TypeInner::Array { base, .. } = self.module.types[ty].inner else { return false };
        let TypeInner::Struct { members, .. } = &self.module.types[base].inner else {
            return false;
        };
        let missing = (0..)
            .zip(members)
            .filter(|(idx, _)| !self.leaves.keys().any(|leaf| leaf.first() == Some(idx)));
        let is_read = |(idx, member): (u32, &naga::StructMember)| {
            let place = Place { global: whole.global, path: vec![0, idx] };
            let inner = &self.module.types[member.ty].inner;
            let count = scalar_count(self.module, inner);
            count.is_none_or(|count| reads.at(self.module, &place, count).contains(&true))
        };
        !missing.into_iter().any(is_read)
    }
}

/// First offset and distance of offsets at equal distances; `None` if they are not.
fn regular(offsets: impl Iterator<Item = Option<u32>>) -> Option<(u32, u32)> {
    let offsets = offsets.collect::<Option<Vec<_>>>()?;
    let first = *offsets.first()?;
    let stride = match offsets.get(1) {
        Some(second) => second.checked_sub(first)?,
        None => 4,
    };
    let is_regular = offsets.windows(2).all(|pair| pair[0].checked_add(stride) == Some(pair[1]));
    is_regular.then_some((first, stride))
}

/// A layout for a type whose scalars are never read.
fn dense(module: &Module, ty: Handle<Type>) -> BlockLayout {
    let shape = match &module.types[ty].inner {
        TypeInner::Matrix { .. } => Shape::Matrix { stride: 4, is_row_major: false },
        TypeInner::Array { base, .. } => {
            Shape::Array { stride: 4, element: Box::new(dense(module, *base)) }
        }
        TypeInner::Struct { members, .. } => {
            Shape::Struct(members.iter().map(|member| (0, dense(module, member.ty))).collect())
        }
        _ => Shape::Leaf,
    };
    BlockLayout { size: 4, alignment: 4, shape }
}

/// Adds a private global for the index of the first vector of each of `vertices` vertices.
pub(super) fn add_firsts(
    builder: &mut FunctionBuilder<&mut Module>,
    vertices: u32,
) -> Handle<GlobalVariable> {
    let base = builder.scalar_type(ScalarKind::U32);
    let length = NonZeroU32::new(vertices).unwrap_or(NonZeroU32::MIN);
    let size = ArraySize::Constant(length);
    let ty = builder.insert_type(TypeInner::Array { base, size, stride: 4 });
    add_private(builder.module, Some("first_vectors".to_owned()), ty)
}

/// Adds a private global for the index of the first vector of a stage's own results.
pub(super) fn add_first_result(
    builder: &mut FunctionBuilder<&mut Module>,
) -> Handle<GlobalVariable> {
    let word = builder.scalar_type(ScalarKind::U32);
    add_private(builder.module, Some("first_result".to_owned()), word)
}

#[cfg(test)]
mod tests;
