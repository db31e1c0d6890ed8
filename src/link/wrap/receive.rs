//! Builds code that reads the results of the previous stage: vertices of a primitive or patch, and values of a patch.

use naga::{Expression, GlobalVariable, Handle, Module};

use crate::table::front::ELEMENT_WORDS;
use crate::table::shell::{Constant, ResultWire, Shell, Wire};
use crate::table::word_block::{First, MisplacedBlock};
use ir::builder::{FunctionBuilder, add_private};
use ir::interface::{Place, ScalarKind};

use super::in_place::{self, Divided, InPlace, Incoming};
use super::own_buffer::Words;
use super::prolog::fill;
use super::wide;

/// Fills the inputs of all vertices that the stage reads. `first_vector` returns the index of a vertex's first vector.
/// Returns the inputs that are read in place instead.
pub(super) fn receive_vertices(
    builder: &mut FunctionBuilder<&mut Module>,
    results: Handle<GlobalVariable>,
    incoming: Incoming<'_>,
    first_vector: impl Fn(&mut FunctionBuilder<&mut Module>, Handle<Expression>) -> Handle<Expression>,
) -> Vec<MisplacedBlock> {
    let vertices = incoming.received.vertices;
    let Divided { shell, received, in_place } =
        in_place::divide(builder.module, incoming, Some(vertices));
    let incoming = Incoming { shell: &shell, received: &received };
    let is_copied = !shell.input_wires.is_empty()
        || !shell.constants.is_empty()
        || !received.built_ins.is_empty();
    let firsts = (!in_place.is_empty()).then(|| in_place::add_firsts(builder, vertices));
    for vertex in (0..vertices).filter(|_| is_copied || firsts.is_some()) {
        let number = builder.uint(vertex);
        let first = first_vector(builder, number);
        if let Some(firsts) = firsts {
            let pointer = builder.pointer_into(firsts, &[vertex]);
            builder.store(pointer, first);
        }
        let words = Words::in_vectors(results, first);
        receive(builder, words, incoming, |place| of_vertex(place, vertex));
    }
    let block = |input: InPlace| Some(input.block(results, First::OfVertices(firsts?)));
    in_place.into_iter().filter_map(block).collect()
}

/// Fills the inputs of a patch from the words at `from`. Returns the inputs that are read in place instead.
pub(super) fn receive_patch(
    builder: &mut FunctionBuilder<&mut Module>,
    from: Words,
    incoming: Incoming<'_>,
) -> Vec<MisplacedBlock> {
    let Divided { shell, received, in_place } = in_place::divide(builder.module, incoming, None);
    receive(builder, from, Incoming { shell: &shell, received: &received }, Place::clone);
    if in_place.is_empty() {
        return Vec::new();
    }
    let word = builder.scalar_type(ScalarKind::U32);
    let first = add_private(builder.module, Some("first_vector".to_owned()), word);
    let pointer = builder.global(first);
    builder.store(pointer, from.first);
    let block = |input: InPlace| input.block(from.buffer, First::OfBlock(first));
    in_place.into_iter().map(block).collect()
}

/// The place of an input for one vertex.
fn of_vertex(place: &Place, vertex: u32) -> Place {
    Place { global: place.global, path: [&[vertex], place.path.as_slice()].concat() }
}

/// Fills the inputs of one vertex or patch from the words at `from`. `place` returns the variable, or the
/// part of one, that an input of the shell fills.
fn receive(
    builder: &mut FunctionBuilder<&mut Module>,
    from: Words,
    Incoming { shell, received }: Incoming<'_>,
    place: impl Fn(&Place) -> Place,
) {
    let mut slots = Vec::new();
    for (slot, word) in shell.inputs.iter().zip(&received.slot_words) {
        let words = load(builder, from, *word, slot.width);
        let value = vector(builder, &words);
        slots.push(builder.bitcast(value, ScalarKind::U32, slot.kind));
    }
    let wire = |wire: &Wire| Wire { place: place(&wire.place), ..wire.clone() };
    let constant = |constant: &Constant| Constant { place: place(&constant.place), ..*constant };
    let shell = Shell {
        inputs: shell.inputs.clone(),
        input_wires: shell.input_wires.iter().map(wire).collect(),
        constants: shell.constants.iter().map(constant).collect(),
        ..Shell::default()
    };
    fill(builder, &shell, &slots, None);
    for built_in in &received.built_ins {
        let words = load(builder, from, built_in.word, built_in.size);
        store(builder, &ResultWire { place: place(&built_in.place), ..*built_in }, &words);
    }
}

/// Loads `count` words, beginning at word `word` of the given ones.
pub(crate) fn load(
    builder: &mut FunctionBuilder<&mut Module>,
    words: Words,
    word: u32,
    count: u8,
) -> Vec<Handle<Expression>> {
    let mut loaded = Vec::new();
    let end = word + u32::from(count);
    let mut next = word;
    while next < end {
        let part = next % ELEMENT_WORDS;
        let in_vector = (ELEMENT_WORDS - part).min(end - next);
        let vector = if in_vector > 1 { words.vector(builder, next - part) } else { None };
        if let Some(pointer) = vector {
            let all = builder.load(pointer);
            loaded.extend((part..part + in_vector).map(|part| builder.part(all, part)));
            next += in_vector;
        } else {
            let pointer = words.word(builder, next);
            loaded.push(builder.load(pointer));
            next += 1;
        }
    }
    loaded
}

/// Stores the words of a scalar or vector.
pub(crate) fn store(
    builder: &mut FunctionBuilder<&mut Module>,
    wire: &ResultWire,
    words: &[Handle<Expression>],
) {
    if wire.scalar.components() == 2 {
        wide::store(builder, &wire.place, wire.scalar, words);
        return;
    }
    let value = vector(builder, words);
    let value = builder.bitcast(value, ScalarKind::U32, wire.scalar);
    let pointer = builder.pointer(&wire.place);
    builder.store(pointer, value);
}

/// Composes a scalar or vector of the given words.
pub(super) fn vector(
    builder: &mut FunctionBuilder<&mut Module>,
    words: &[Handle<Expression>],
) -> Handle<Expression> {
    if let [one] = words {
        return *one;
    }
    let ty = builder.vector_type(words.len(), ScalarKind::U32);
    builder.compose(ty, words.to_vec())
}
