//! Moves local variables into an element of an array or a member of a struct.
//!
//! Variables that are passed to functions stay, because only whole variables can be passed.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's expressions and types have dozens of variants of which few matter here"
)]

use std::num::NonZeroU32;

use naga::proc::{Alignment, Layouter};
use naga::{
    ArraySize, Expression, Handle, LocalVariable, Module, Span, StructMember, Type, TypeInner,
};

use ir::operands::{Operand, of_block, of_expression};

use crate::copy::{Change, Copy};
use crate::facts::is_storable;

/// The change.
#[derive(Debug)]
pub(crate) struct Home;

/// Number of elements of an array, or of members of a struct.
const PARTS: u32 = 3;

impl Change for Home {
    fn begin(&mut self, copy: &mut Copy<'_>) {
        for (variable, local) in copy.old.local_variables.iter() {
            let pointer = find(copy, variable);
            let Some(pointer) = pointer.filter(|pointer| is_movable(copy, *pointer)) else {
                continue;
            };
            if is_storable(&copy.new.module.types[local.ty].inner, &copy.new.module.types)
                && copy.random.alters()
            {
                move_in(copy, variable, pointer);
            }
        }
    }
}

/// The expression that is the variable.
fn find(copy: &Copy<'_>, variable: Handle<LocalVariable>) -> Option<Handle<Expression>> {
    let mut all = copy.old.expressions.iter();
    let is_it = |expression: &Expression| matches!(expression, Expression::LocalVariable(other) if *other == variable);
    let found = all.find(|(_, expression)| is_it(expression)).map(|(handle, _)| handle);
    // Several expressions for one variable do not occur in what interstage links.
    found.filter(|_| !all.any(|(_, expression)| is_it(expression)))
}

/// True if the variable is only loaded, stored, and accessed by index.
fn is_movable(copy: &Copy<'_>, pointer: Handle<Expression>) -> bool {
    let expressions = &copy.old.expressions;
    let mut body = copy.old.body.clone();
    let is_read = of_block(&mut body).into_iter().any(|operand| match operand {
        Operand::Read(read) | Operand::Result(read) => {
            // A part of the variable that is passed would be a part of a part.
            root(copy, *read) == pointer
        }
        Operand::Emitted(_) | Operand::Stored(_) => false,
    });
    let is_used_otherwise = expressions.iter().any(|(_, expression)| {
        let mut one = expression.clone();
        !matches!(
            expression,
            Expression::Load { .. } | Expression::Access { .. } | Expression::AccessIndex { .. }
        ) && of_expression(&mut one).into_iter().any(|operand| *operand == pointer)
    });
    !is_read && !is_used_otherwise
}

/// The variable that a pointer leads into; for other values the expression itself.
fn root(copy: &Copy<'_>, pointer: Handle<Expression>) -> Handle<Expression> {
    match copy.old.expressions[pointer] {
        Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
            if matches!(
                copy.inner(pointer),
                TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. }
            ) {
                root(copy, base)
            } else {
                pointer
            }
        }
        _ => pointer,
    }
}

/// Replaces the variable by a part of a larger one.
fn move_in(copy: &mut Copy<'_>, variable: Handle<LocalVariable>, pointer: Handle<Expression>) {
    let local = copy.old.local_variables[variable].clone();
    let is_array = copy.random.coin();
    let Some(whole) = whole_type(copy.new.module, local.ty, is_array) else { return };
    let index = if is_array { copy.random.below(PARTS) } else { 1 };
    let init = copy.new.function.local_variables[variable].init;
    let init = init.map(|init| {
        let mut append =
            |expression| copy.new.function.expressions.append(expression, Span::UNDEFINED);
        let zero = append(Expression::ZeroValue(local.ty));
        let components = (0..PARTS).map(|part| if part == index { init } else { zero }).collect();
        append(Expression::Compose { ty: whole, components })
    });
    copy.new.function.local_variables[variable] = LocalVariable { ty: whole, init, ..local };
    let base = copy.of(pointer);
    let part = copy.new.part(base, index);
    copy.replace(pointer, part);
}

/// An array of values of this type, or a struct with such members.
fn whole_type(module: &mut Module, ty: Handle<Type>, is_array: bool) -> Option<Handle<Type>> {
    let mut layouter = Layouter::default();
    layouter.update(module.to_ctx()).ok()?;
    let layout = layouter[ty];
    let stride = layout.to_stride();
    if is_array {
        let size = ArraySize::Constant(NonZeroU32::new(PARTS)?);
        return Some(ir::builder::insert_type(module, TypeInner::Array { base: ty, size, stride }));
    }
    let member = |(name, index): (&str, u32)| StructMember {
        name: Some(name.to_owned()),
        ty,
        binding: None,
        offset: stride * index,
    };
    let members = ["before", "own", "after"].into_iter().zip(0..PARTS).map(member).collect();
    let span = layout.alignment.round_up(stride * PARTS);
    let inner = TypeInner::Struct { members, span: span.max(Alignment::ONE.round_up(1)) };
    let name = Some(format!("Home_{}", ty.index()));
    Some(module.types.insert(Type { name, inner }, Span::UNDEFINED))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{check_some, varied};

    #[test]
    fn variables_become_parts() {
        let text = "@fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f {
            var v = 1.0; v = v + a.x; return vec4f(v); }";
        let parts = ["array<f32, 3>", "own: f32", "v[2] = ", "v.own = "];
        check_some(&mut || Box::new(Home), text, &parts);
    }

    #[test]
    fn what_is_passed_stays() {
        let text = "fn raise(to: ptr<function, f32>) { *to += 1.0; }
            @fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f {
            var v = 1.0; raise(&v); return vec4f(v); }";
        assert_eq!(varied(&mut Home, text).1, 0);
    }
}
