//! Outputs of a compute stage that its code writes directly into the stage's results.
//!
//! The words of such an output must be at places that a layout describes, no other output may share a slot with it, and
//! every part that code accesses must have words.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "other expressions lead into no part of a global"
)]

use std::collections::{BTreeMap, BTreeSet};

use naga::{Expression, Function, GlobalVariable, Handle, Module};

use crate::table::facts::indexed::Indexed;
use crate::table::facts::shape::scalar_count;
use crate::table::front::ELEMENT_WORDS;
use crate::table::shell::{ResultWire, Shell, VertexResults, Wire};
use ir::interface::Place;
use ir::layout::{BlockLayout, Shape};
use ir::operands::{self, Operand};

use super::{InPlace, Leaves, Search};

/// The outputs of a stage, and the words that they become.
#[derive(Clone, Copy, Debug)]
pub(in crate::wrap) struct Outgoing<'a> {
    /// The slots and their wires.
    pub(in crate::wrap) shell: &'a Shell,
    /// The words of slots and built-in outputs.
    pub(in crate::wrap) results: &'a VertexResults,
}

/// The outputs of a stage, divided into those that are copied into the results and those that are written in place.
#[derive(Clone, Debug)]
pub(in crate::wrap) struct DividedOutputs {
    /// The slots and wires of copied outputs.
    pub(in crate::wrap) shell: Shell,
    /// The words of these slots, and the copied built-in outputs.
    pub(in crate::wrap) results: VertexResults,
    /// The outputs that are written in place.
    pub(in crate::wrap) in_place: Vec<InPlace>,
}

impl DividedOutputs {
    /// The outputs that are copied.
    pub(in crate::wrap) const fn outgoing(&self) -> Outgoing<'_> {
        Outgoing { shell: &self.shell, results: &self.results }
    }

    /// True if variables are copied.
    pub(in crate::wrap) const fn is_copied(&self) -> bool {
        !self.results.wires.is_empty() || !self.results.chunks.is_empty()
    }

    /// True if there is nothing to write: no copies and no constants.
    pub(in crate::wrap) const fn is_done(&self) -> bool {
        !self.is_copied() && self.results.constants.is_empty()
    }
}

/// The outputs that are written in place if they can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::wrap) enum Eligible {
    /// All: they are in memory that invocations share, so the results are as good.
    All,
    /// Those that code indexes with values that are known only at run time.
    Indexed,
}

/// The arrays of vertices that a control stage writes.
#[derive(Clone, Copy, Debug)]
pub(in crate::wrap) struct OutputVertices {
    /// Number of vertices of a patch.
    pub(in crate::wrap) count: u32,
    /// Index of the first word of the first vertex in the results of a patch.
    pub(in crate::wrap) first_word: u32,
    /// Number of words of a vertex.
    pub(in crate::wrap) stride: u32,
}

/// Divides the outputs of a stage. `vertices` are those of a control stage; `None` for one set of values.
pub(in crate::wrap) fn divide(
    module: &Module,
    outgoing: Outgoing<'_>,
    eligible: Eligible,
    vertices: Option<OutputVertices>,
) -> DividedOutputs {
    let indexed = Indexed::of(module);
    let shared = shared_slots(outgoing);
    let one = |(global, leaves): (Handle<GlobalVariable>, Option<Leaves>)| {
        let is_eligible = match eligible {
            Eligible::All => !indexed.is_passed_on(global),
            Eligible::Indexed => indexed.accesses(global),
        };
        let leaves = leaves.filter(|_| is_eligible && !shared.contains(&global))?;
        place_in(module, global, &leaves, vertices)
    };
    let in_place: Vec<InPlace> = leaves_of(outgoing).into_iter().filter_map(one).collect();
    let globals = in_place.iter().map(|output| output.global).collect();
    let (shell, results) = copied(outgoing, &globals);
    DividedOutputs { shell, results, in_place }
}

/// The words of the scalars of each output; `None` if it has scalars that are no words, or are in two places.
fn leaves_of(
    Outgoing { shell, results }: Outgoing<'_>,
) -> BTreeMap<Handle<GlobalVariable>, Option<Leaves>> {
    let wires = shell.output_wires.iter().map(|wire: &Wire| {
        let words =
            wire.components.iter().map(|(slot, component)| word_of(results, *slot, *component));
        let words = words.collect::<Option<Vec<_>>>();
        let is_plain = wire.scalar.components() == 1 && !wire.is_over_w;
        (&wire.place, words.filter(|_| is_plain))
    });
    let built_ins = results.wires.iter().map(|wire: &ResultWire| {
        let words = (wire.word..).take(usize::from(wire.size)).collect();
        (&wire.place, Some(words).filter(|_| wire.scalar.components() == 1))
    });
    let mut leaves: BTreeMap<_, Option<Leaves>> = BTreeMap::new();
    for (place, words) in wires.chain(built_ins) {
        let known = leaves.entry(place.global).or_insert_with(|| Some(Leaves::new()));
        let is_new = known.as_ref().is_some_and(|known| !known.contains_key(&place.path));
        match (known.as_mut(), words) {
            (Some(known), Some(words)) if is_new => {
                known.insert(place.path.clone(), words);
            }
            _ => *known = None,
        }
    }
    leaves
}

/// The word of a slot's component.
fn word_of(results: &VertexResults, slot: usize, component: u8) -> Option<u32> {
    let has_it = |first: u8, count: u8| (first..first.saturating_add(count)).contains(&component);
    let mut chunks = results.chunks.iter();
    let chunk = chunks.find(|one| one.slot == slot && has_it(one.component, one.count))?;
    Some(chunk.word + u32::from(component - chunk.component))
}

/// The outputs with a slot that they do not fill alone.
fn shared_slots(Outgoing { shell, results }: Outgoing<'_>) -> BTreeSet<Handle<GlobalVariable>> {
    let mut filled: BTreeMap<usize, BTreeMap<u8, Handle<GlobalVariable>>> = BTreeMap::new();
    for wire in &shell.output_wires {
        for (slot, component) in &wire.components {
            filled.entry(*slot).or_default().insert(*component, wire.place.global);
        }
    }
    let mut shared = BTreeSet::new();
    for (slot, components) in &filled {
        let chunks = results.chunks.iter().filter(|chunk| chunk.slot == *slot);
        let written: usize = chunks.map(|chunk| usize::from(chunk.count)).sum();
        let globals: BTreeSet<_> = components.values().copied().collect();
        if globals.len() > 1 || components.len() != written {
            shared.extend(globals);
        }
    }
    shared
}

/// The place of an output in the results, if a layout describes its words and code accesses nothing else.
fn place_in(
    module: &Module,
    global: Handle<GlobalVariable>,
    leaves: &Leaves,
    vertices: Option<OutputVertices>,
) -> Option<InPlace> {
    let ty = module.global_variables[global].ty;
    scalar_count(module, &module.types[ty].inner)?;
    let search = Search { module, leaves };
    let (offset, layout) = match vertices {
        Some(vertices) => {
            let (offset, array) = search.of_vertices(ty, vertices.count)?;
            let Shape::Array { element, .. } = array.shape else { return None };
            let shape = Shape::Array { stride: vertices.stride * 4, element };
            let size = vertices.count * vertices.stride * 4;
            (vertices.first_word * 4 + offset, BlockLayout { size, alignment: 4, shape })
        }
        None => search.layout(ty, &[])?,
    };
    let is_complete = search.is_complete(ty, vertices.map(|vertices| vertices.count))
        || accesses_members(module, global, leaves, vertices.is_some());
    is_complete.then_some(InPlace { global, layout, offset })
}

/// True if code accesses only members of a struct that have words: never the struct as a whole. `has_vertices` says that
/// the global is an array of structs, one for each vertex.
fn accesses_members(
    module: &Module,
    global: Handle<GlobalVariable>,
    leaves: &Leaves,
    has_vertices: bool,
) -> bool {
    let functions = module.functions.iter().map(|(_, function)| function);
    let mut functions = functions.chain(module.entry_points.iter().map(|entry| &entry.function));
    functions.all(|function| {
        let mut above = pointers_above_members(function, global, has_vertices);
        let of_struct = above.pop().unwrap_or_default();
        let is_struct = |one: &Handle<Expression>| of_struct.contains(one);
        let is_above = |one: &Handle<Expression>| {
            is_struct(one) || above.iter().any(|level| level.contains(one))
        };
        let mut body = function.body.clone();
        let is_whole = operands::of_block(&mut body).into_iter().any(|operand| match operand {
            Operand::Read(used) | Operand::Stored(used) => is_above(used),
            Operand::Emitted(_) | Operand::Result(_) => false,
        });
        let is_fine = |expression: &Expression| match expression {
            Expression::AccessIndex { base, index } if is_struct(base) => {
                leaves.keys().any(|leaf| leaf.first() == Some(index))
            }
            Expression::Load { pointer } => !is_above(pointer),
            _ => true,
        };
        !is_whole && function.expressions.iter().all(|(_, expression)| is_fine(expression))
    })
}

/// The pointers to a global, and to each of its vertices if it has some: the last ones are those to the struct.
fn pointers_above_members(
    function: &Function,
    global: Handle<GlobalVariable>,
    has_vertices: bool,
) -> Vec<BTreeSet<Handle<Expression>>> {
    let all = || function.expressions.iter();
    let is_it = |expression: &Expression| *expression == Expression::GlobalVariable(global);
    let whole: BTreeSet<_> =
        all().filter(|(_, expression)| is_it(expression)).map(|(handle, _)| handle).collect();
    if !has_vertices {
        return vec![whole];
    }
    let is_vertex = |expression: &Expression| match expression {
        Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
            whole.contains(base)
        }
        _ => false,
    };
    let of_vertices =
        all().filter(|(_, expression)| is_vertex(expression)).map(|(handle, _)| handle).collect();
    vec![whole, of_vertices]
}

/// The outputs without `globals`.
fn copied(
    Outgoing { shell, results }: Outgoing<'_>,
    globals: &BTreeSet<Handle<GlobalVariable>>,
) -> (Shell, VertexResults) {
    let is_copied = |place: &Place| !globals.contains(&place.global);
    let written = shell.output_wires.iter().filter(|wire| !is_copied(&wire.place));
    let slots: BTreeSet<usize> =
        written.flat_map(|wire| wire.components.iter().map(|(slot, _)| *slot)).collect();
    let mut own = shell.clone();
    own.output_wires.retain(|wire| is_copied(&wire.place));
    let mut results = results.clone();
    results.wires.retain(|wire| is_copied(&wire.place));
    results.chunks.retain(|chunk| !slots.contains(&chunk.slot));
    (own, results)
}

/// The vectors of a record that these outputs occupy: index of the first, and of the one after the last.
pub(in crate::wrap) fn vectors_of(in_place: &[InPlace]) -> Option<[u32; 2]> {
    let bytes = ELEMENT_WORDS * 4;
    let first = in_place.iter().map(|output| output.offset / bytes).min()?;
    let ends = in_place.iter().map(|output| (output.offset + output.layout.size).div_ceil(bytes));
    Some([first, ends.max()?])
}

#[cfg(test)]
mod tests;
