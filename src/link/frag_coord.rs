//! Window coordinates as a fragment stage asks for them: `origin_upper_left`, `pixel_center_integer`.
//!
//! The stage is copied with a new main function that changes the built-in's value before the user's runs.

use std::borrow::Cow;

use naga::{BinaryOperator, BuiltIn, Expression, Literal, Span, Statement};

use crate::frontend::StageModule;
use crate::link::wrap::builder::FunctionBuilder;

/// `fragment` with coordinates in its own convention, in a render target of this height.
pub fn convert(fragment: &StageModule, target_height: u32) -> Cow<'_, StageModule> {
    let rule = fragment.frag_coord;
    let coordinates = fragment
        .builtins
        .iter()
        .find(|builtin| matches!(builtin.builtin, BuiltIn::Position { .. }))
        .map(|builtin| builtin.global);
    let is_default = !(rule.is_upper_left || rule.is_pixel_integer);
    let Some(global) = coordinates.filter(|_| !is_default) else {
        return Cow::Borrowed(fragment);
    };
    let mut stage = fragment.clone();
    let mut builder = FunctionBuilder::new(&mut stage.module);
    let height = u16::try_from(target_height).unwrap_or(u16::MAX);
    let half = if rule.is_pixel_integer { 0.5 } else { 0.0 };
    for component in [0, 1] {
        let pointer = builder.pointer_into(global, &[component]);
        let mut value = builder.load(pointer);
        if component == 1 && rule.is_upper_left {
            let height = literal(&mut builder, f32::from(height));
            value = difference(&mut builder, height, value);
        }
        let half = literal(&mut builder, half);
        let value = difference(&mut builder, value, half);
        builder.store(pointer, value);
    }
    builder.push(Statement::Call { function: stage.main, arguments: Vec::new(), result: None });
    let main = builder.finish();
    stage.main = stage.module.functions.append(main, Span::UNDEFINED);
    Cow::Owned(stage)
}

fn literal(builder: &mut FunctionBuilder<'_>, value: f32) -> naga::Handle<Expression> {
    builder.declare(Expression::Literal(Literal::F32(value)))
}

fn difference(
    builder: &mut FunctionBuilder<'_>,
    left: naga::Handle<Expression>,
    right: naga::Handle<Expression>,
) -> naga::Handle<Expression> {
    builder.emit(Expression::Binary { op: BinaryOperator::Subtract, left, right })
}
