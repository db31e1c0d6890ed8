//! Builds the code after the user's, which moves private globals into the entry point's result.

use naga::proc::Layouter;
use naga::{
    BinaryOperator, BuiltIn, Expression, Handle, Literal, Module, Span, Statement, StructMember,
    TypeInner, UnaryOperator,
};

use crate::table::shell::{PositionRule, Shell, Slot};
use ir::builder::FunctionBuilder;
use ir::interface::ScalarKind;
use ir::stage::ShaderStage;
use ir::stage_module::{BuiltinVariable, Direction, StageModule};

use super::prolog::Entered;
use super::{builtins, clip, member, point, result, slot_binding, wide};

pub(super) fn build(
    builder: &mut FunctionBuilder<&mut Module>,
    stage: &StageModule,
    shell: &Shell,
    entered: Entered,
) {
    let mut members = Vec::new();
    let mut components = Vec::new();
    if stage.stage == ShaderStage::Vertex {
        let ty = builder.vector_type(4, ScalarKind::F32);
        let invariant = stage.has_invariant_position;
        let binding = naga::Binding::BuiltIn(BuiltIn::Position { invariant });
        members.push(member(ty, "position".into(), binding));
        let centre = position(builder, stage, shell.position);
        components.push(match (&shell.points, entered.corner) {
            (Some(points), Some(corner)) => point::leave(builder, points, corner, centre),
            _ => centre,
        });
    }
    for builtin in
        builtins(stage, Direction::Output).filter(|builtin| is_plain_result(builtin.builtin))
    {
        let ty = builder.module.global_variables[builtin.global].ty;
        let binding = naga::Binding::BuiltIn(builtin.builtin);
        members.push(member(ty, format!("builtin{}", members.len()), binding));
        let pointer = builder.pointer_into(builtin.global, &[]);
        components.push(builder.load(pointer));
    }
    if let Some((ty, value)) =
        shell.clip.as_ref().and_then(|clip| clip::build(builder, stage, clip))
    {
        let binding = naga::Binding::BuiltIn(BuiltIn::ClipDistances);
        members.push(member(ty, "clip_distances".into(), binding));
        components.push(value);
    }
    for (slot, value) in shell.outputs.iter().zip(slot_values(builder, stage, shell)) {
        let ty = builder.vector_type(usize::from(slot.width), slot.kind);
        members.push(member(ty, format!("slot{}", slot.location), slot_binding(slot)));
        components.push(value);
    }
    finish(builder, members, components);
}

/// True if a built-in is returned unchanged. The position is converted, and WebGPU has no point size.
fn is_plain_result(builtin: BuiltIn) -> bool {
    !matches!(builtin, BuiltIn::Position { .. } | BuiltIn::PointSize)
}

fn finish(
    builder: &mut FunctionBuilder<&mut Module>,
    mut members: Vec<StructMember>,
    components: Vec<Handle<Expression>>,
) {
    if members.is_empty() {
        builder.push(Statement::Return { value: None });
        return;
    }
    let span = place_members(builder, &mut members);
    let ty = naga::Type { name: Some("Result".into()), inner: TypeInner::Struct { members, span } };
    let ty = builder.module.types.insert(ty, Span::UNDEFINED);
    builder.function.result = Some(result(ty));
    let value = builder.compose(ty, components);
    builder.push(Statement::Return { value: Some(value) });
}

/// Gives every member an aligned offset. Returns the size of the struct.
fn place_members(builder: &FunctionBuilder<&mut Module>, members: &mut [StructMember]) -> u32 {
    let mut layouter = Layouter::default();
    layouter.update(builder.module.to_ctx()).expect("result members are plain types");
    let mut end = 0;
    for member in members {
        let layout = layouter[member.ty];
        member.offset = layout.alignment.round_up(end);
        end = member.offset + layout.size;
    }
    end.next_multiple_of(16)
}

fn position(
    builder: &mut FunctionBuilder<&mut Module>,
    stage: &StageModule,
    rule: PositionRule,
) -> Handle<Expression> {
    let Some(value) = written_position(builder, stage) else {
        let ty = builder.vector_type(4, ScalarKind::F32);
        return builder.emit(Expression::ZeroValue(ty));
    };
    let [x, y, z, w] = [0, 1, 2, 3].map(|index| builder.part(value, index));
    let y = builder.emit(Expression::Unary { op: UnaryOperator::Negate, expr: y });
    let z = match rule {
        PositionRule::ZeroToOne => z,
        PositionRule::MinusOneToOne => {
            let sum = builder.binary(BinaryOperator::Add, z, w);
            let half = builder.literal(Literal::F32(0.5));
            builder.binary(BinaryOperator::Multiply, sum, half)
        }
    };
    let ty = builder.vector_type(4, ScalarKind::F32);
    builder.compose(ty, vec![x, y, z, w])
}

/// The position as the user's code left it.
fn written_position(
    builder: &mut FunctionBuilder<&mut Module>,
    stage: &StageModule,
) -> Option<Handle<Expression>> {
    let is_position =
        |builtin: &&BuiltinVariable| matches!(builtin.builtin, BuiltIn::Position { .. });
    let global = builtins(stage, Direction::Output).find(is_position)?.global;
    let pointer = builder.pointer_into(global, &[]);
    Some(builder.load(pointer))
}

/// The vector of every output slot.
pub(super) fn slot_values(
    builder: &mut FunctionBuilder<&mut Module>,
    stage: &StageModule,
    shell: &Shell,
) -> Vec<Handle<Expression>> {
    let mut filled: Vec<[Option<Handle<Expression>>; 4]> = vec![[None; 4]; shell.outputs.len()];
    let mut whole: Vec<Option<Handle<Expression>>> = vec![None; shell.outputs.len()];
    for wire in &shell.output_wires {
        if wire.scalar.components() == 2 {
            let size = wire.components.len() / 2;
            let words = wide::load(builder, &wire.place, wire.scalar, size);
            for ((slot, component), word) in wire.components.iter().zip(words) {
                filled[*slot][usize::from(*component)] = Some(word);
            }
            continue;
        }
        let mut loaded = builder.read(&wire.place);
        if wire.is_over_w {
            loaded = times_w(builder, stage, loaded);
        }
        let value = builder.bitcast(loaded, wire.scalar, shell.outputs[wire.components[0].0].kind);
        if let Some(slot) = whole_slot(&wire.components, &shell.outputs) {
            whole[slot] = Some(value);
            continue;
        }
        for (idx, (slot, component)) in (0..).zip(&wire.components) {
            let scalar = if wire.components.len() == 1 { value } else { builder.part(value, idx) };
            filled[*slot][usize::from(*component)] = Some(scalar);
        }
    }
    let mut values = Vec::new();
    for ((slot, whole), scalars) in shell.outputs.iter().zip(whole).zip(filled) {
        values.push(whole.unwrap_or_else(|| compose(builder, slot, scalars)));
    }
    values
}

/// Multiplies a scalar by the position's w, or by 0 if no position is written, because nothing is drawn then.
fn times_w(
    builder: &mut FunctionBuilder<&mut Module>,
    stage: &StageModule,
    value: Handle<Expression>,
) -> Handle<Expression> {
    let w = match written_position(builder, stage) {
        Some(position) => builder.part(position, 3),
        None => builder.number(0, ScalarKind::F32),
    };
    builder.binary(BinaryOperator::Multiply, value, w)
}

/// Index of the slot that these components fill completely and in order, if there is one.
fn whole_slot(components: &[(usize, u8)], slots: &[Slot]) -> Option<usize> {
    let (slot, _) = components[0];
    let is_whole = components.len() == usize::from(slots[slot].width)
        && (0..).zip(components).all(|(idx, at)| *at == (slot, idx));
    is_whole.then_some(slot)
}

fn compose(
    builder: &mut FunctionBuilder<&mut Module>,
    slot: &Slot,
    scalars: [Option<Handle<Expression>>; 4],
) -> Handle<Expression> {
    let fill = |idx: usize| u8::from(idx == 3 && slot.is_alpha_one);
    let mut components: Vec<_> = scalars
        .into_iter()
        .take(usize::from(slot.width))
        .enumerate()
        .map(|(idx, scalar)| scalar.unwrap_or_else(|| builder.number(fill(idx), slot.kind)))
        .collect();
    if slot.width == 1 {
        return components.remove(0);
    }
    let ty = builder.vector_type(usize::from(slot.width), slot.kind);
    builder.compose(ty, components)
}
