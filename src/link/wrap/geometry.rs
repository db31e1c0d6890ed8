//! Builds the shell of a geometry stage, which runs as a compute stage. It reads the vertices of a primitive from the
//! results of the vertex stage, and writes entries and records; see [`crate::compute::geometry`].

use std::num::NonZeroU32;

use naga::{
    ArraySize, BinaryOperator, Block, Expression, GlobalVariable, Handle, Module, Statement,
    StorageAccess, TypeInner,
};

use crate::table::binding::{NO_VERTEX, room};
use crate::table::front::{ELEMENT_WORDS, Element};
use crate::table::pass::records_of;
use crate::table::shell::{ComputeShell, GeometryShell, Shell, VertexResults};
use crate::table::word_block::{First, InPlaceBlocks, MisplacedBlock};
use ir::builder::{FunctionBuilder, add_private};
use ir::geometry::GeometryStage;
use ir::interface::ScalarKind;

use super::in_place::Incoming;
use super::in_place::outgoing::{self, DividedOutputs, Eligible, Outgoing};
use super::own_buffer::{draw_words, element, elements, vectors_of, word_at, words};
use super::prolog::fill;
use super::receive::receive_vertices;
use super::vertex_compute::{invocation, return_beyond};

/// The state of an invocation, in private globals of words.
#[derive(Clone, Debug)]
pub(super) struct Emission {
    /// The buffer of entries and records.
    pub(super) output: Handle<GlobalVariable>,
    /// Array with the index of the next entry of each stream.
    pub(super) cursors: Handle<GlobalVariable>,
    /// Index of the first vector of the next record.
    pub(super) record: Handle<GlobalVariable>,
    /// Number of vertices emitted so far, in all streams.
    pub(super) emitted: Handle<GlobalVariable>,
    /// Number of vertices of the current strip.
    pub(super) run: Handle<GlobalVariable>,
    /// Records of the last vertex and of the one before.
    pub(super) last: [Handle<GlobalVariable>; 2],
    /// Places of vertices in entries, from the parameters of the draw.
    pub(super) places: Handle<GlobalVariable>,
    /// The outputs, as they become words of a record.
    pub(super) outputs: DividedOutputs,
    /// Array with the end of the entries of each stream.
    ends: Handle<GlobalVariable>,
    streams: u32,
}

/// The vertices of the invocation's primitive.
#[derive(Clone, Copy)]
struct Invocation {
    /// The index lists.
    lists: Handle<GlobalVariable>,
    /// Index of the first word of the primitive's list.
    list: Handle<Expression>,
    /// Number of the instance's first vertex among all vertices.
    first_vertex: Handle<Expression>,
}

/// Builds the code before the user's code. Returns what is accessed in place, too.
pub(super) fn enter(
    builder: &mut FunctionBuilder<&mut Module>,
    own: &GeometryStage,
    shell: &ComputeShell<'_, GeometryShell>,
) -> (Emission, InPlaceBlocks) {
    let geometry = shell.own;
    let [draw, more] = draw_words(builder, geometry.at, 3);
    let [list, primitives, vertices, entries] = [0, 1, 2, 3].map(|idx| builder.part(draw, idx));
    let places = builder.part(more, 0);
    let id = invocation(builder);
    let [ordinal, instance] = [0, 1].map(|idx| builder.part(id, idx));
    let times = builder.uint(own.invocations);
    let count = builder.binary(BinaryOperator::Multiply, primitives, times);
    return_beyond(builder, ordinal, count);
    let primitive = builder.binary(BinaryOperator::Divide, ordinal, times);
    let number = builder.binary(BinaryOperator::Modulo, ordinal, times);
    let size = builder.uint(own.input.vertices());
    let skipped = builder.binary(BinaryOperator::Multiply, primitive, size);
    let list = builder.binary(BinaryOperator::Add, list, skipped);
    let first_vertex = builder.binary(BinaryOperator::Multiply, instance, vertices);
    let lists = words(builder, geometry.at, 1, StorageAccess::LOAD);
    let here = Invocation { lists, list, first_vertex };
    let before = builder.binary(BinaryOperator::Multiply, instance, count);
    let serial = builder.binary(BinaryOperator::Add, before, ordinal);
    let emission = begin(builder, own, geometry, [serial, entries, places]);
    let inputs = receive(builder, shell, here);
    let first = First::OfBlock(emission.record);
    let outputs = emission.outputs.in_place.iter();
    let outputs = outputs.map(|output| output.clone().block(emission.output, first)).collect();
    let mut shown = primitive;
    if geometry.has_patches && own.primitive_id.is_some() {
        let first = builder.part(more, 1);
        let at = builder.binary(BinaryOperator::Add, first, primitive);
        let pointer = element(builder, lists, at);
        shown = builder.load(pointer);
    }
    for (global, value) in [(own.primitive_id, shown), (own.invocation_id, number)] {
        let Some(global) = global else { continue };
        let value = builder.bitcast(value, ScalarKind::U32, ScalarKind::I32);
        let pointer = builder.global(global);
        builder.store(pointer, value);
    }
    (emission, InPlaceBlocks { inputs, outputs })
}

/// Adds the globals that emitting needs, and initialises them for the invocation with this serial number.
fn begin(
    builder: &mut FunctionBuilder<&mut Module>,
    own: &GeometryStage,
    geometry: &GeometryShell,
    [serial, entries, places]: [Handle<Expression>; 3],
) -> Emission {
    let record = VertexResults { wires: geometry.record.clone(), ..VertexResults::default() };
    let slots = Shell::default();
    let all = Outgoing { shell: &slots, results: &record };
    let outputs = outgoing::divide(builder.module, all, Eligible::Indexed, None);
    let records = records_of(own.max_vertices, !outputs.in_place.is_empty());
    let access = StorageAccess::LOAD | StorageAccess::STORE;
    let output = elements(builder, geometry.at, 2, Element::Vector, access);
    let word = builder.scalar_type(ScalarKind::U32);
    let size = NonZeroU32::new(geometry.streams.max(1)).expect("it is at least one");
    let array = TypeInner::Array { base: word, size: ArraySize::Constant(size), stride: 4 };
    let array = builder.insert_type(array);
    let mut add = |ty| add_private(builder.module, None, ty);
    let emission = Emission {
        output,
        cursors: add(array),
        ends: add(array),
        record: add(word),
        emitted: add(word),
        run: add(word),
        last: [add(word), add(word)],
        places: add(word),
        outputs,
        streams: geometry.streams,
    };
    let room = builder.uint(room(own.output, own.max_vertices));
    let before = builder.binary(BinaryOperator::Multiply, serial, room);
    for stream in 0..geometry.streams {
        let stream_number = builder.uint(stream);
        let first = builder.binary(BinaryOperator::Multiply, entries, stream_number);
        let first = builder.binary(BinaryOperator::Add, first, before);
        let end = builder.binary(BinaryOperator::Add, first, room);
        for (global, value) in [(emission.cursors, first), (emission.ends, end)] {
            let pointer = builder.pointer_into(global, &[stream]);
            builder.store(pointer, value);
        }
    }
    let streams = builder.uint(geometry.streams);
    let all = builder.binary(BinaryOperator::Multiply, entries, streams);
    let size = records.saturating_mul(geometry.stride / ELEMENT_WORDS);
    let size = builder.uint(size);
    let record = builder.binary(BinaryOperator::Multiply, serial, size);
    let before = vectors_of(builder, all);
    let record = builder.binary(BinaryOperator::Add, before, record);
    for (global, value) in [(emission.record, record), (emission.places, places)] {
        let pointer = builder.global(global);
        builder.store(pointer, value);
    }
    emission
}

/// Fills the stage's inputs, vertex by vertex, and its uniforms. Returns the inputs that are read in place.
fn receive(
    builder: &mut FunctionBuilder<&mut Module>,
    shell: &ComputeShell<'_, GeometryShell>,
    here: Invocation,
) -> Vec<MisplacedBlock> {
    let geometry = shell.own;
    let results = elements(builder, geometry.at, 0, Element::Vector, StorageAccess::LOAD);
    let incoming = Incoming { shell: shell.common, received: &geometry.received };
    let in_place = receive_vertices(builder, results, incoming, |builder, vertex| {
        let at = builder.binary(BinaryOperator::Add, here.list, vertex);
        let pointer = element(builder, here.lists, at);
        let ordinal = builder.load(pointer);
        let number = builder.binary(BinaryOperator::Add, here.first_vertex, ordinal);
        let stride = builder.uint(geometry.received.stride / ELEMENT_WORDS);
        builder.binary(BinaryOperator::Multiply, number, stride)
    });
    fill(
        builder,
        &Shell { uniforms: shell.common.uniforms.clone(), ..Shell::default() },
        &[],
        None,
    );
    in_place
}

/// Builds the code after the user's code, which marks the remaining entries as entries without a vertex.
pub(super) fn leave(
    builder: &mut FunctionBuilder<&mut Module>,
    own: &GeometryStage,
    emission: &Emission,
) {
    if room(own.output, own.max_vertices) > 0 {
        for stream in 0..emission.streams {
            clear_rest(builder, emission, stream);
        }
    }
    builder.push(Statement::Return { value: None });
}

fn clear_rest(builder: &mut FunctionBuilder<&mut Module>, emission: &Emission, stream: u32) {
    builder.open_block();
    let cursor = builder.pointer_into(emission.cursors, &[stream]);
    let at = builder.load(cursor);
    let end = builder.pointer_into(emission.ends, &[stream]);
    let end = builder.load(end);
    let is_done = builder.binary(BinaryOperator::GreaterEqual, at, end);
    let accept = Block::from_vec(vec![Statement::Break]);
    builder.push(Statement::If { condition: is_done, accept, reject: Block::new() });
    let entry = word_at(builder, emission.output, at);
    let none = builder.uint(NO_VERTEX);
    builder.store(entry, none);
    let one = builder.uint(1);
    let next = builder.binary(BinaryOperator::Add, at, one);
    builder.store(cursor, next);
    let body = builder.close_block();
    builder.push(Statement::Loop { body, continuing: Block::new(), break_if: None });
}
