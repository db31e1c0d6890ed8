//! Builds the functions that emit a vertex and end a strip. They write a record, and the entries of each complete
//! primitive.

use naga::{BinaryOperator, Block, Expression, Function, Handle, Module, Statement};

use crate::table::front::ELEMENT_WORDS;
use crate::table::shell::GeometryShell;
use ir::builder::FunctionBuilder;
use ir::geometry::{GeometryStage, OutputPrimitive};
use ir::interface::ScalarKind;

use super::geometry::Emission;
use super::in_place::outgoing;
use super::own_buffer::{Words, element, word_at};
use super::vertex_compute::write_wires;

/// Builds the bodies of both functions.
pub(super) fn fill(
    module: &mut Module,
    own: &GeometryStage,
    geometry: &GeometryShell,
    emission: &Emission,
) {
    let emit = emit(module, own, geometry, emission);
    let end = end(module, own, emission);
    for (handle, made) in [(own.emit, emit), (own.end, end)] {
        let function = module.functions.get_mut(handle);
        *function = Function { name: function.name.take(), ..made };
    }
}

/// Builds `EmitStreamVertex`. A vertex beyond `max_vertices` is ignored.
fn emit(
    module: &mut Module,
    own: &GeometryStage,
    geometry: &GeometryShell,
    emission: &Emission,
) -> Function {
    let argument = module.functions[own.emit].arguments.first().cloned();
    let mut builder = FunctionBuilder::new(module);
    let stream = argument.map(|argument| builder.argument(argument));
    let count = builder.global(emission.emitted);
    let emitted = builder.load(count);
    let most = builder.uint(own.max_vertices);
    let is_over = builder.binary(BinaryOperator::GreaterEqual, emitted, most);
    return_if(&mut builder, is_over);
    add(&mut builder, count, 1);
    if let Some(stream) = stream {
        let streams = builder.uint(geometry.streams);
        let is_other = builder.binary(BinaryOperator::GreaterEqual, stream, streams);
        return_if(&mut builder, is_other);
    }
    let record = builder.global(emission.record);
    let first = builder.load(record);
    let destination = Words::in_vectors(emission.output, first);
    write_wires(&mut builder, &emission.outputs.results.wires, destination);
    let stride = geometry.stride / ELEMENT_WORDS;
    add(&mut builder, record, stride);
    if let Some(vectors) = outgoing::vectors_of(&emission.outputs.in_place) {
        keep(&mut builder, destination, vectors, stride);
    }
    enter(&mut builder, own.output, emission, first, stream);
    builder.finish()
}

/// Copies these vectors of a record to the next one, `stride` vectors later: outputs that are written in place keep their
/// values. Drivers do not unroll the loop, because its bounds are unknown.
fn keep(builder: &mut FunctionBuilder<&mut Module>, record: Words, vectors: [u32; 2], stride: u32) {
    let [first, end] = vectors.map(|vector| {
        let vector = builder.uint(vector);
        builder.binary(BinaryOperator::Add, record.first, vector)
    });
    let word = builder.scalar_type(ScalarKind::U32);
    let next = builder.local("next", word);
    builder.store(next, first);
    builder.open_block();
    let at = builder.load(next);
    let is_done = builder.binary(BinaryOperator::GreaterEqual, at, end);
    let accept = Block::from_vec(vec![Statement::Break]);
    builder.push(Statement::If { condition: is_done, accept, reject: Block::new() });
    let from = element(builder, record.buffer, at);
    let value = builder.load(from);
    let stride = builder.uint(stride);
    let later = builder.binary(BinaryOperator::Add, at, stride);
    let to = element(builder, record.buffer, later);
    builder.store(to, value);
    add(builder, next, 1);
    let body = builder.close_block();
    builder.push(Statement::Loop { body, continuing: Block::new(), break_if: None });
}

/// Writes the entries of the primitive that the vertex with this record completes.
fn enter(
    builder: &mut FunctionBuilder<&mut Module>,
    output: OutputPrimitive,
    emission: &Emission,
    record: Handle<Expression>,
    stream: Option<Handle<Expression>>,
) {
    let cursors = builder.global(emission.cursors);
    let zero = builder.uint(0);
    let cursor = builder.element(cursors, stream.unwrap_or(zero));
    if output == OutputPrimitive::Points {
        let at = builder.load(cursor);
        let entry = word_at(builder, emission.output, at);
        builder.store(entry, record);
        add(builder, cursor, 1);
        return;
    }
    let length = builder.global(emission.run);
    let run = builder.load(length);
    let [last, before] = emission.last.map(|global| builder.global(global));
    let [previous, oldest] = [last, before].map(|pointer| builder.load(pointer));
    let needed = builder.uint(output.vertices() - 1);
    let is_complete = builder.binary(BinaryOperator::GreaterEqual, run, needed);
    builder.open_block();
    let at = builder.load(cursor);
    let vertices = match output {
        OutputPrimitive::TriangleStrip => vec![oldest, previous, record],
        OutputPrimitive::LineStrip | OutputPrimitive::Points => vec![previous, record],
    };
    let places = places(builder, emission, output, run);
    for (idx, vertex) in (0..).zip(vertices) {
        let place = place(builder, places, idx);
        let at = builder.binary(BinaryOperator::Add, at, place);
        let entry = word_at(builder, emission.output, at);
        builder.store(entry, vertex);
    }
    add(builder, cursor, output.vertices());
    let accept = builder.close_block();
    builder.push(Statement::If { condition: is_complete, accept, reject: Block::new() });
    builder.store(before, previous);
    builder.store(last, record);
    add(builder, length, 1);
}

/// The places of a primitive's vertices, which differ for odd triangles of a strip.
fn places(
    builder: &mut FunctionBuilder<&mut Module>,
    emission: &Emission,
    output: OutputPrimitive,
    run: Handle<Expression>,
) -> Handle<Expression> {
    let places = builder.global(emission.places);
    let places = builder.load(places);
    match output {
        OutputPrimitive::TriangleStrip => {
            let one = builder.uint(1);
            let odd = builder.binary(BinaryOperator::And, run, one);
            let bits = builder.uint(6);
            let bits = builder.binary(BinaryOperator::Multiply, odd, bits);
            builder.binary(BinaryOperator::ShiftRight, places, bits)
        }
        OutputPrimitive::LineStrip | OutputPrimitive::Points => places,
    }
}

/// Extracts number `idx` of two bits.
fn place(
    builder: &mut FunctionBuilder<&mut Module>,
    places: Handle<Expression>,
    idx: u32,
) -> Handle<Expression> {
    let bits = builder.uint(idx * 2);
    let shifted = builder.binary(BinaryOperator::ShiftRight, places, bits);
    let mask = builder.uint(3);
    builder.binary(BinaryOperator::And, shifted, mask)
}

/// Builds `EndStreamPrimitive`. Streams other than the first contain points, which need no end.
fn end(module: &mut Module, own: &GeometryStage, emission: &Emission) -> Function {
    let argument = module.functions[own.end].arguments.first().cloned();
    let mut builder = FunctionBuilder::new(module);
    argument.map(|argument| builder.argument(argument));
    let length = builder.global(emission.run);
    let zero = builder.uint(0);
    builder.store(length, zero);
    builder.finish()
}

fn return_if(builder: &mut FunctionBuilder<&mut Module>, condition: Handle<Expression>) {
    let accept = Block::from_vec(vec![Statement::Return { value: None }]);
    builder.push(Statement::If { condition, accept, reject: Block::new() });
}

/// Emits code that adds a number to the word at `pointer`.
fn add(builder: &mut FunctionBuilder<&mut Module>, pointer: Handle<Expression>, number: u32) {
    let value = builder.load(pointer);
    let number = builder.uint(number);
    let sum = builder.binary(BinaryOperator::Add, value, number);
    builder.store(pointer, sum);
}
