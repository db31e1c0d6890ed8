//! Builds the code before the user's, which moves arguments and uniforms into private globals.

use naga::{BinaryOperator, Expression, GlobalVariable, Handle, Literal, Module};

use crate::table::shell::{FragCoordShift, Shell, UniformWire, UniformWires};
use ir::builder::{FunctionBuilder, vector_size};
use ir::interface::ScalarKind;
use ir::stage_module::{Direction, StageModule};

use super::component::{Component, gather, pick};
use super::raw_words::raw_words;
use super::{argument, builtins, point, slot_binding, wide};

/// Values of the prolog that the epilog needs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entered {
    /// The number of the corner if points are drawn as quads; 0 in draws of other primitives.
    pub(super) corner: Option<Handle<Expression>>,
}

pub(super) fn build(
    builder: &mut FunctionBuilder<&mut Module>,
    stage: &StageModule,
    shell: &Shell,
) -> Entered {
    let slots: Vec<Handle<Expression>> = shell
        .inputs
        .iter()
        .map(|slot| {
            let ty = builder.vector_type(usize::from(slot.width), slot.kind);
            builder.argument(argument(ty, format!("slot{}", slot.location), slot_binding(slot)))
        })
        .collect();
    let mut window_position = None;
    let is_own = |builtin| shell.points.is_some() && builtin == naga::BuiltIn::VertexIndex;
    for builtin in builtins(stage, Direction::Input).filter(|input| !is_own(input.builtin)) {
        let ty = builder.module.global_variables[builtin.global].ty;
        let name = format!("builtin{}", builder.function.arguments.len());
        let value = builder.argument(argument(ty, name, naga::Binding::BuiltIn(builtin.builtin)));
        let is_window_position = matches!(builtin.builtin, naga::BuiltIn::Position { .. });
        if is_window_position {
            window_position = Some(value);
        }
        let value =
            if is_window_position { shifted(builder, value, shell.frag_coord) } else { value };
        let pointer = builder.pointer_into(builtin.global, &[]);
        builder.store(pointer, value);
    }
    fill(builder, shell, &slots, window_position);
    let corner = shell.points.as_ref().map(|points| {
        let ty = builder.scalar_type(ScalarKind::U32);
        let binding = naga::Binding::BuiltIn(naga::BuiltIn::VertexIndex);
        let index = builder.argument(argument(ty, "corner_index".to_owned(), binding));
        point::enter(builder, stage, points, index)
    });
    Entered { corner }
}

/// Fills the stage's variables from the vectors of its input slots, its constants and its uniforms.
pub(super) fn fill(
    builder: &mut FunctionBuilder<&mut Module>,
    shell: &Shell,
    slots: &[Handle<Expression>],
    window_position: Option<Handle<Expression>>,
) {
    receive(builder, shell, slots, window_position);
    for buffer in &shell.uniforms {
        load_uniforms(builder, buffer);
    }
}

/// Fills the stage's variables from slots and constants.
fn receive(
    builder: &mut FunctionBuilder<&mut Module>,
    shell: &Shell,
    slots: &[Handle<Expression>],
    mut window_position: Option<Handle<Expression>>,
) {
    for wire in &shell.input_wires {
        let kind = shell.inputs[wire.components[0].0].kind;
        let component = |(slot, index): &(usize, u8)| {
            let width = shell.inputs[*slot].width;
            Component { vector: slots[*slot], width, index: *index }
        };
        let from: Vec<_> = wire.components.iter().map(component).collect();
        if wire.scalar.components() == 2 {
            let words: Vec<_> = from.iter().map(|one| pick(builder, *one)).collect();
            wide::store(builder, &wire.place, wire.scalar, &words);
            continue;
        }
        let mut value = gather(builder, &from, kind);
        if wire.is_over_w {
            let position = *window_position.get_or_insert_with(|| add_window_position(builder));
            let w = builder.part(position, 3);
            value = builder.binary(BinaryOperator::Multiply, value, w);
        }
        let value = builder.bitcast(value, kind, wire.scalar);
        let pointer = builder.pointer(&wire.place);
        builder.store(pointer, value);
    }
    for constant in &shell.constants {
        let value = builder.constant(constant.bits, constant.scalar);
        let pointer = builder.pointer(&constant.place);
        builder.store(pointer, value);
    }
}

fn add_window_position(builder: &mut FunctionBuilder<&mut Module>) -> Handle<Expression> {
    let ty = builder.vector_type(4, ScalarKind::F32);
    let binding = naga::Binding::BuiltIn(naga::BuiltIn::Position { invariant: false });
    builder.argument(argument(ty, "window_position".into(), binding))
}

/// The window coordinates in the stage's convention.
fn shifted(
    builder: &mut FunctionBuilder<&mut Module>,
    position: Handle<Expression>,
    shift: FragCoordShift,
) -> Handle<Expression> {
    if shift == FragCoordShift::default() {
        return position;
    }
    let [mut x, mut y, z, w] = [0, 1, 2, 3].map(|component| builder.part(position, component));
    if let Some(height) = shift.height {
        let height = builder.emit(Expression::Literal(Literal::F32(f32::from(
            u16::try_from(height).unwrap_or(u16::MAX),
        ))));
        y = builder.binary(BinaryOperator::Subtract, height, y);
    }
    if shift.is_half_less {
        let half = builder.literal(Literal::F32(0.5));
        x = builder.binary(BinaryOperator::Subtract, x, half);
        y = builder.binary(BinaryOperator::Subtract, y, half);
    }
    let ty = builder.vector_type(4, ScalarKind::F32);
    builder.compose(ty, vec![x, y, z, w])
}

fn load_uniforms(builder: &mut FunctionBuilder<&mut Module>, buffer: &UniformWires) {
    let global = raw_words(builder.module, buffer.at, buffer.vectors);
    for wire in &buffer.wires {
        if wire.scalar.components() == 2 {
            let words = wire.words.iter().map(|word| load_word(builder, global, *word));
            let words: Vec<_> = words.collect();
            wide::store(builder, &wire.place, wire.scalar, &words);
            continue;
        }
        let value = load_words(builder, global, &wire.words);
        let value = convert(builder, value, wire);
        let pointer = builder.pointer(&wire.place);
        builder.store(pointer, value);
    }
}

/// Loads a scalar or vector of `u32` from the words at these indices. Four words are loaded together only if all are
/// needed, because llvmpipe compiles every component that is loaded, used or not.
fn load_words(
    builder: &mut FunctionBuilder<&mut Module>,
    global: Handle<GlobalVariable>,
    words: &[u32],
) -> Handle<Expression> {
    if let [first, rest @ ..] = words
        && first % 4 == 0
        && *rest == [first + 1, first + 2, first + 3]
    {
        let pointer = builder.pointer_into(global, &[0, first / 4]);
        return builder.load(pointer);
    }
    let load =
        |word: &u32| Component { vector: load_word(builder, global, *word), width: 1, index: 0 };
    let components: Vec<_> = words.iter().map(load).collect();
    gather(builder, &components, ScalarKind::U32)
}

fn load_word(
    builder: &mut FunctionBuilder<&mut Module>,
    global: Handle<GlobalVariable>,
    word: u32,
) -> Handle<Expression> {
    let pointer = builder.pointer_into(global, &[0, word / 4, word % 4]);
    builder.load(pointer)
}

fn convert(
    builder: &mut FunctionBuilder<&mut Module>,
    value: Handle<Expression>,
    wire: &UniformWire,
) -> Handle<Expression> {
    if wire.scalar != ScalarKind::Bool {
        return builder.bitcast(value, ScalarKind::U32, wire.scalar);
    }
    let zero = builder.number(0, ScalarKind::U32);
    let right = match vector_size(wire.words.len()) {
        None => zero,
        Some(size) => builder.emit(Expression::Splat { size, value: zero }),
    };
    builder.emit(Expression::Binary { op: BinaryOperator::NotEqual, left: value, right })
}
