//! Tessellation levels that are constants or uniforms, so that nobody needs to run the control stage to learn them.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "other expressions are not known and lead nowhere"
)]

use naga::{Block, Expression, Function, GlobalVariable, Handle, Literal, Statement};

use crate::table::front::{KnownLevel, KnownLevels};
use ir::interface::{Place, ScalarKind, Type};
use ir::operands;
use ir::stage_module::{StageModule, UniformVariable};
use ir::tessellation::{INNER_LEVELS, OUTER_LEVELS};

/// The levels, if all that the stage ever writes to each is the same constant or uniform. What it never writes is zero.
pub(super) fn known(stage: &StageModule) -> Option<KnownLevels> {
    stage.control()?;
    let outer = array(stage, OUTER_LEVELS)?;
    let inner = array(stage, INNER_LEVELS)?;
    Some(KnownLevels { outer, inner })
}

/// The elements of an array of levels. `None` if one may be anything.
fn array<const N: usize>(stage: &StageModule, name: &str) -> Option<[KnownLevel; N]> {
    let mut found = [const { None }; N];
    let known = stage.outputs.iter().find(|output| output.name == name);
    if let Some(place) = known.and_then(|output| output.place.as_ref()) {
        for (_, function) in stage.module.functions.iter() {
            let code = Code { function, uniforms: &stage.uniforms };
            block(code, place.global, &function.body, &mut found)?;
        }
    }
    Some(found.map(|level| level.unwrap_or(KnownLevel::Constant(0.0))))
}

/// A function, and what it may read.
#[derive(Clone, Copy)]
struct Code<'a> {
    function: &'a Function,
    uniforms: &'a [UniformVariable],
}

/// Notes what the statements store there.
fn block(
    code: Code<'_>,
    array: Handle<GlobalVariable>,
    statements: &Block,
    found: &mut [Option<KnownLevel>],
) -> Option<()> {
    for statement in statements {
        match statement {
            Statement::Emit(_) => {}
            Statement::Block(inner) => block(code, array, inner, found)?,
            Statement::If { accept, reject, .. } => {
                block(code, array, accept, found)?;
                block(code, array, reject, found)?;
            }
            Statement::Switch { cases, .. } => {
                for case in cases {
                    block(code, array, &case.body, found)?;
                }
            }
            Statement::Loop { body, continuing, .. } => {
                block(code, array, body, found)?;
                block(code, array, continuing, found)?;
            }
            Statement::Store { pointer, value } => {
                if root(code.function, *pointer) == Some(array) {
                    note(code, *pointer, *value, found)?;
                }
            }
            other => {
                let mut is_named = false;
                let one = Block::from_vec(vec![other.clone()]);
                operands::read_by_block(&one, |operand| {
                    is_named |= root(code.function, operand) == Some(array);
                });
                if is_named {
                    return None;
                }
            }
        }
    }
    Some(())
}

/// Notes a store of what is known. `None` if it is not, or something else than before.
fn note(
    code: Code<'_>,
    pointer: Handle<Expression>,
    value: Handle<Expression>,
    found: &mut [Option<KnownLevel>],
) -> Option<()> {
    let (_, path) = path_of(code.function, pointer)?;
    let first = match path[..] {
        [] => 0,
        [index] => usize::try_from(index).ok()?,
        _ => return None,
    };
    for (idx, value) in (first..).zip(scalars(code, value)?) {
        let known = found.get_mut(idx)?.get_or_insert_with(|| value.clone());
        let is_same = match (&*known, &value) {
            (KnownLevel::Constant(old), KnownLevel::Constant(new)) => {
                old.to_bits() == new.to_bits()
            }
            (old, new) => old == new,
        };
        if !is_same {
            return None;
        }
    }
    Some(())
}

/// The global that a pointer leads to.
fn root(function: &Function, pointer: Handle<Expression>) -> Option<Handle<GlobalVariable>> {
    match function.expressions[pointer] {
        Expression::GlobalVariable(global) => Some(global),
        Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
            root(function, base)
        }
        _ => None,
    }
}

/// The global and the constant indices that a pointer leads to.
fn path_of(
    function: &Function,
    pointer: Handle<Expression>,
) -> Option<(Handle<GlobalVariable>, Vec<u32>)> {
    let (base, index) = match function.expressions[pointer] {
        Expression::GlobalVariable(global) => return Some((global, Vec::new())),
        Expression::AccessIndex { base, index } => (base, index),
        Expression::Access { base, index } => (base, number(function, index)?),
        _ => return None,
    };
    let (global, mut path) = path_of(function, base)?;
    path.push(index);
    Some((global, path))
}

fn number(function: &Function, index: Handle<Expression>) -> Option<u32> {
    match function.expressions[index] {
        Expression::Literal(Literal::I32(number)) => u32::try_from(number).ok(),
        Expression::Literal(Literal::U32(number)) => Some(number),
        _ => None,
    }
}

/// The scalars of a known float, or of a vector or an array of them.
fn scalars(code: Code<'_>, value: Handle<Expression>) -> Option<Vec<KnownLevel>> {
    match &code.function.expressions[value] {
        Expression::Literal(Literal::F32(number)) => Some(vec![KnownLevel::Constant(*number)]),
        Expression::Compose { components, .. } => {
            let parts = components.iter().map(|part| scalars(code, *part));
            Some(parts.collect::<Option<Vec<_>>>()?.concat())
        }
        Expression::AccessIndex { base, index } => {
            // Each element of the base is a scalar, if it is a vector.
            let Expression::Load { pointer } = code.function.expressions[*base] else {
                return None;
            };
            of_uniform(code, pointer, &[*index])
        }
        Expression::Load { pointer } => of_uniform(code, *pointer, &[]),
        _ => None,
    }
}

/// The scalars of a uniform's value, or of a part of it.
fn of_uniform(
    code: Code<'_>,
    pointer: Handle<Expression>,
    further: &[u32],
) -> Option<Vec<KnownLevel>> {
    let (global, mut path) = path_of(code.function, pointer)?;
    path.extend(further);
    let uniform = code.uniforms.iter().find(|uniform| uniform.place == Place::whole(global))?;
    let scalars = paths_of_scalars(&uniform.ty);
    let is_float = scalars.iter().all(|(_, scalar)| *scalar == ScalarKind::F32);
    let name = || uniform.name.clone();
    let within = scalars.iter().enumerate().filter(|(_, (own, _))| own.starts_with(&path));
    let found = within.map(|(scalar, _)| KnownLevel::Uniform { name: name(), scalar }).collect();
    is_float.then_some(found)
}

/// The path to each scalar of a type, in leaf order.
fn paths_of_scalars(ty: &Type) -> Vec<(Vec<u32>, ScalarKind)> {
    let scalars = ty.leaves().into_iter().flat_map(|leaf| {
        let numbers = 0..u32::from(leaf.size);
        numbers.map(move |number| {
            let mut path = leaf.path.clone();
            path.extend((leaf.size > 1).then_some(number));
            (path, leaf.scalar)
        })
    });
    scalars.collect()
}

#[cfg(test)]
mod tests {
    use crate::testing;
    use ir::stage::ShaderStage;

    use super::*;

    /// The levels of a control stage with this code: numbers, and names with the numbers of scalars.
    fn levels(code: &str) -> Option<String> {
        let text = format!(
            "#version 400
            layout(vertices = 4) out;
            uniform float one;
            uniform vec4 four;
            uniform float list[6];
            uniform int whole;
            in float given[];
            void set(out float level, float value) {{ level = value; }}
            void main() {{ {code} }}"
        );
        let stage = testing::stage(ShaderStage::TessellationControl, &text);
        let known = known(&stage)?;
        let shown = known.outer.iter().chain(&known.inner).map(|level| match level {
            KnownLevel::Constant(number) => number.to_string(),
            KnownLevel::Uniform { name, scalar } => format!("{name}{scalar}"),
        });
        Some(shown.collect::<Vec<_>>().join(" "))
    }

    #[track_caller]
    fn check(code: &str, expected: &str) {
        assert_eq!(levels(code).as_deref(), Some(expected), "{code}");
    }

    #[test]
    fn constants_are_known() {
        check("", "0 0 0 0 0 0");
        check("gl_TessLevelOuter[1] = 3.0; gl_TessLevelInner[1] = 2.5;", "0 3 0 0 0 2.5");
        check("gl_TessLevelOuter = float[4](1.0, 2.0, 3.0, 4.0);", "1 2 3 4 0 0");
        check("if (given[0] > 1.0) gl_TessLevelOuter[0] = 5.0;", "5 0 0 0 0 0");
        check("gl_TessLevelInner[0] = 5.0; gl_TessLevelInner[0] = 5.0;", "0 0 0 0 5 0");
    }

    #[test]
    fn uniforms_are_known() {
        check("gl_TessLevelOuter[2] = one;", "0 0 one0 0 0 0");
        check(
            "gl_TessLevelOuter[0] = four.z; gl_TessLevelInner[1] = list[5];",
            "four2 0 0 0 0 list5",
        );
        check("gl_TessLevelOuter = float[4](one, four.y, 3.0, list[1]);", "one0 four1 3 list1 0 0");
    }

    #[test]
    fn what_may_be_anything_is_not_known() {
        for code in [
            "gl_TessLevelOuter[0] = given[0];",
            "gl_TessLevelOuter[0] = 1.0; gl_TessLevelOuter[0] = 2.0;",
            "gl_TessLevelOuter[0] = one; gl_TessLevelOuter[0] = four.x;",
            "gl_TessLevelOuter[0] = one + 1.0;",
            "gl_TessLevelOuter[0] = float(whole);",
            "gl_TessLevelOuter[whole] = 1.0;",
            "gl_TessLevelOuter[0] = list[whole];",
            "for (int i = 0; i < 2; i++) gl_TessLevelInner[i] = 1.0;",
            "set(gl_TessLevelOuter[3], 1.0);",
            "if (given[0] > 1.0) gl_TessLevelOuter[0] = 1.0; else gl_TessLevelOuter[0] = 2.0;",
            "switch (whole) { case 1: gl_TessLevelOuter[0] = given[1]; }",
        ] {
            assert_eq!(levels(code), None, "{code}");
        }
    }
}
