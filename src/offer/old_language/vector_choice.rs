//! Splits selections between vectors of integers or booleans by a vector of booleans. naga writes them as `mix`, which
//! accepts only floats before GLSL 4.50 and ES 3.10, so each component is selected separately.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's expressions have dozens of variants of which one is a choice"
)]

use naga::front::Typifier;
use naga::proc::ResolveContext;
use naga::{
    Arena, Expression, Function, Handle, Module, ScalarKind, Span, Type, TypeInner, UniqueArena,
};

use ir::operands::renumber::{Renumbering, with_functions};

/// `module` with selections between integer or boolean vectors split into components; `None` if it has none.
pub(super) fn without_vector_choices(module: &Module) -> Option<Module> {
    with_functions(module, |old, types| {
        let choices = choices(module, old)?;
        let has_some = choices.iter().any(Option::is_some);
        Some(if has_some { Some(one_by_one(old, choices, types)) } else { None })
    })
}

/// For each expression, its type if it selects between vectors of integers or booleans by a vector.
fn choices(module: &Module, function: &Function) -> Option<Vec<Option<TypeInner>>> {
    let locals = (&function.local_variables, &function.arguments);
    let context = ResolveContext::with_locals(module, locals.0, locals.1);
    let mut typifier = Typifier::new();
    let mut choices = Vec::new();
    for (handle, expression) in function.expressions.iter() {
        typifier.grow(handle, &function.expressions, &context).ok()?;
        let Expression::Select { condition, .. } = expression else {
            choices.push(None);
            continue;
        };
        let is_vector = matches!(typifier.get(*condition, &module.types), TypeInner::Vector { .. });
        let inner = typifier.get(handle, &module.types);
        let is_float = inner.scalar_kind() == Some(ScalarKind::Float);
        choices.push((is_vector && !is_float).then(|| inner.clone()));
    }
    Some(choices)
}

/// The function `old` with its `choices` made for each component separately.
fn one_by_one(
    old: &Function,
    choices: Vec<Option<TypeInner>>,
    types: &mut UniqueArena<Type>,
) -> Function {
    let mut new = old.clone();
    let mut renumbering = Renumbering::default();
    new.expressions = Arena::new();
    for ((_, expression), choice) in old.expressions.iter().zip(choices) {
        let mut expression = expression.clone();
        renumbering.expression(&mut expression);
        let ty = choice.map(|inner| types.insert(Type { name: None, inner }, Span::UNDEFINED));
        let before = new.expressions.len();
        let last = match (expression, ty) {
            (Expression::Select { condition, accept, reject }, Some(ty)) => {
                let size = component_count(&types[ty].inner);
                by_component(&mut new.expressions, ty, size, [condition, accept, reject])
            }
            (other, _) => new.expressions.append(other, Span::UNDEFINED),
        };
        let first = new.expressions.iter().nth(before).map_or(last, |(first, _)| first);
        renumbering.note(first, last);
    }
    renumbering.rest(&mut new);
    new
}

fn component_count(vector: &TypeInner) -> u32 {
    match vector {
        TypeInner::Vector { size, .. } => *size as u32,
        _ => 0,
    }
}

/// Appends the vector of type `ty` whose components are selected one by one.
fn by_component(
    expressions: &mut Arena<Expression>,
    ty: Handle<Type>,
    size: u32,
    vectors: [Handle<Expression>; 3],
) -> Handle<Expression> {
    let components = (0..size)
        .map(|index| {
            let [condition, accept, reject] = vectors.map(|base| {
                expressions.append(Expression::AccessIndex { base, index }, Span::UNDEFINED)
            });
            let choice = Expression::Select { condition, accept, reject };
            expressions.append(choice, Span::UNDEFINED)
        })
        .collect();
    expressions.append(Expression::Compose { ty, components }, Span::UNDEFINED)
}

#[cfg(test)]
mod tests {
    use crate::old_language::tests::written;

    use super::*;

    #[track_caller]
    fn check(body: &str, expected: Option<&[&str]>) {
        let text = format!(
            "@fragment fn main(@location(0) @interpolate(flat) i: vec4i, @location(1) f: vec4f) -> @location(0) vec4f {{ {body} }}"
        );
        let lowered = without_vector_choices(&fixture::module(&text));
        let Some(expected) = expected else { return assert!(lowered.is_none(), "{lowered:?}") };
        let text = written(&lowered.expect("there is a choice"));
        assert!(!text.contains("mix("), "{text}");
        for part in expected {
            assert!(text.contains(part), "no `{part}` in\n{text}");
        }
    }

    #[test]
    fn integers_and_booleans_are_chosen_one_by_one() {
        let body = "if i.x > 0 { let a = select(i.xy, i.zw, f.xy > vec2f(0.5)); return vec4f(vec2f(a), 0.0, 0.0); }
            return vec4f(0.0);";
        check(body, Some(&["ivec2("]));
        let body = "return vec4f(vec3f(select((i.xyz > vec3i(1)), (i.xyz == vec3i(2)), (f.xyz > vec3f(0.5)))), 1.0);";
        check(body, Some(&["bvec3("]));
    }

    #[test]
    fn floats_and_single_choices_stay() {
        check("return select(f, f.wzyx, f > vec4f(0.5));", None);
        check("return vec4f(select(i, i.wzyx, f.x > 0.5));", None);
    }
}
