//! Builds the shell of a vertex stage that runs as a compute stage. Attributes are read from rows in a buffer, and
//! results are written to a buffer.

use naga::{BinaryOperator, Block, BuiltIn, Expression, Handle, Module, Statement, StorageAccess};

use crate::table::shell::{ResultWire, Shell, VertexComputeShell, VertexResults};
use ir::builder::FunctionBuilder;
use ir::interface::ScalarKind;
use ir::stage_module::{Direction, StageModule};

use super::own_buffer::{Elements, Words, array, draw_words, element, elements, words};
use super::prolog::fill;
use super::{argument, builtins, epilog, point, wide};

/// Builds the code before the user's code.
pub(super) fn enter(
    builder: &mut FunctionBuilder<&mut Module>,
    stage: &StageModule,
    shell: &Shell,
    compute: &VertexComputeShell,
) -> Words {
    let [draw] = draw_words(builder, compute.at, 3);
    let [first_vector, first_index, count, first_instance] =
        [0, 1, 2, 3].map(|idx| builder.part(draw, idx));
    let id = invocation(builder);
    let [ordinal, instance] = [0, 1].map(|idx| builder.part(id, idx));
    return_beyond(builder, ordinal, count);
    let index = index(builder, compute, first_index, ordinal);
    let slots = slots(builder, shell, compute, first_vector, index);
    let number = builder.binary(BinaryOperator::Add, first_instance, instance);
    store_builtin(builder, stage, BuiltIn::InstanceIndex, number);
    store_builtin(builder, stage, BuiltIn::VertexIndex, index);
    fill(builder, shell, &slots, None);
    if let Some(points) = &shell.points {
        point::enter(builder, stage, points, index);
    }
    let (element, access) = (compute.element, StorageAccess::LOAD | StorageAccess::STORE);
    let results = elements(builder, compute.at, 2, element, access);
    let vertices = builder.binary(BinaryOperator::Multiply, instance, count);
    let vertex = builder.binary(BinaryOperator::Add, vertices, ordinal);
    let stride = builder.uint(compute.stride / element.words());
    let first = builder.binary(BinaryOperator::Multiply, vertex, stride);
    Words { buffer: results, first, element }
}

/// Builds the code after the user's code.
pub(super) fn leave(
    builder: &mut FunctionBuilder<&mut Module>,
    stage: &StageModule,
    shell: &Shell,
    compute: &VertexComputeShell,
    destination: Words,
) {
    let results = &compute.results;
    write_wires(builder, &results.wires, destination);
    for (word, bits) in &results.constants {
        let scalar = builder.uint(*bits);
        write(builder, destination, *word, scalar);
    }
    if !results.chunks.is_empty() {
        leave_slots(builder, stage, shell, results, destination);
    }
    builder.push(Statement::Return { value: None });
}

/// Builds code that writes scalars and vectors unchanged.
pub(super) fn write_wires(
    builder: &mut FunctionBuilder<&mut Module>,
    wires: &[ResultWire],
    destination: Words,
) {
    for wire in wires {
        if wire.scalar.components() == 2 {
            let words = wide::load(builder, &wire.place, wire.scalar, usize::from(wire.size));
            for (idx, word) in (0..).zip(words) {
                write(builder, destination, wire.word + idx, word);
            }
            continue;
        }
        let loaded = builder.read(&wire.place);
        let value = builder.bitcast(loaded, wire.scalar, ScalarKind::U32);
        if wire.size == 4 && write_vector(builder, destination, wire.word, value) {
            continue;
        }
        for component in 0..wire.size {
            let scalar =
                if wire.size == 1 { value } else { builder.part(value, u32::from(component)) };
            write(builder, destination, wire.word + u32::from(component), scalar);
        }
    }
}

/// Packs the slots as the stage's own epilog does, and writes parts of them.
pub(super) fn leave_slots(
    builder: &mut FunctionBuilder<&mut Module>,
    stage: &StageModule,
    shell: &Shell,
    results: &VertexResults,
    destination: Words,
) {
    let slots = epilog::slot_values(builder, stage, shell);
    for chunk in &results.chunks {
        let (Some(vector), Some(slot)) = (slots.get(chunk.slot), shell.outputs.get(chunk.slot))
        else {
            continue;
        };
        let value = builder.bitcast(*vector, slot.kind, ScalarKind::U32);
        if chunk.count == 4 && write_vector(builder, destination, chunk.word, value) {
            continue;
        }
        for idx in 0..chunk.count {
            let component = chunk.component + idx;
            let scalar =
                if slot.width == 1 { value } else { builder.part(value, u32::from(component)) };
            write(builder, destination, chunk.word + u32::from(idx), scalar);
        }
    }
}

/// Writes word `word` of the vertex's results.
pub(super) fn write(
    builder: &mut FunctionBuilder<&mut Module>,
    destination: Words,
    word: u32,
    scalar: Handle<Expression>,
) {
    let pointer = destination.word(builder, word);
    builder.store(pointer, scalar);
}

/// Writes words `word` to `word + 3` of the vertex's results at once. Returns false if they are not one vector.
fn write_vector(
    builder: &mut FunctionBuilder<&mut Module>,
    destination: Words,
    word: u32,
    value: Handle<Expression>,
) -> bool {
    let Some(pointer) = destination.vector(builder, word) else { return false };
    builder.store(pointer, value);
    true
}

pub(super) fn invocation(builder: &mut FunctionBuilder<&mut Module>) -> Handle<Expression> {
    let ty = builder.vector_type(3, ScalarKind::U32);
    let binding = naga::Binding::BuiltIn(BuiltIn::GlobalInvocationId);
    builder.argument(argument(ty, "invocation".to_owned(), binding))
}

/// Builds code that ends surplus invocations of the last workgroup.
pub(super) fn return_beyond(
    builder: &mut FunctionBuilder<&mut Module>,
    ordinal: Handle<Expression>,
    count: Handle<Expression>,
) {
    let condition = builder.binary(BinaryOperator::GreaterEqual, ordinal, count);
    let accept = Block::from_vec(vec![Statement::Return { value: None }]);
    builder.push(Statement::If { condition, accept, reject: Block::new() });
}

/// The vertex index: that of its row, or of a corner of a point.
fn index(
    builder: &mut FunctionBuilder<&mut Module>,
    compute: &VertexComputeShell,
    first: Handle<Expression>,
    ordinal: Handle<Expression>,
) -> Handle<Expression> {
    let indices = words(builder, compute.at, 1, StorageAccess::LOAD);
    let at = builder.binary(BinaryOperator::Add, first, ordinal);
    let pointer = element(builder, indices, at);
    builder.load(pointer)
}

/// The vectors that vertex buffers would provide.
fn slots(
    builder: &mut FunctionBuilder<&mut Module>,
    shell: &Shell,
    compute: &VertexComputeShell,
    first: Handle<Expression>,
    index: Handle<Expression>,
) -> Vec<Handle<Expression>> {
    if shell.inputs.is_empty() {
        return Vec::new();
    }
    let base = builder.vector_type(4, ScalarKind::U32);
    let rows = array(builder, compute.at, 0, Elements { base, stride: 16 }, StorageAccess::LOAD);
    let length = builder.uint(u32::try_from(compute.row.len()).unwrap_or(u32::MAX));
    let before = builder.binary(BinaryOperator::Multiply, index, length);
    let row = builder.binary(BinaryOperator::Add, first, before);
    let slot = |slot: &crate::table::shell::Slot| {
        let place = compute.row.iter().position(|location| *location == slot.location);
        let place = place.and_then(|place| u32::try_from(place).ok()).unwrap_or(0);
        let place = builder.uint(place);
        let vector = builder.binary(BinaryOperator::Add, row, place);
        let pointer = element(builder, rows, vector);
        let value = builder.load(pointer);
        builder.bitcast(value, ScalarKind::U32, slot.kind)
    };
    shell.inputs.iter().map(slot).collect()
}

fn store_builtin(
    builder: &mut FunctionBuilder<&mut Module>,
    stage: &StageModule,
    kind: BuiltIn,
    value: Handle<Expression>,
) {
    for builtin in builtins(stage, Direction::Input).filter(|input| input.builtin == kind) {
        let pointer = builder.pointer_into(builtin.global, &[]);
        builder.store(pointer, value);
    }
}
