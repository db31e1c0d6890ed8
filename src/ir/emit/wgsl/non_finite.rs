//! Keeps infinities and NaN out of constant expressions, where WGSL allows none: their words come from variables.

use std::collections::{BTreeMap, BTreeSet};

use naga::{
    Arena, Block, Expression, Function, Handle, Literal, LocalVariable, Module, Range, ScalarKind,
    Span, Statement, Type, TypeInner,
};

use crate::operands::{self, Operand};

/// The greatest `f32` as naga writes it: rounded up to eight digits, beyond the range of `f32`, which Tint rejects.
pub(super) const ROUNDED_MAXIMUM: &str = "340282350000000000000000000000000000000f";

/// The greatest `f32`, exactly.
pub(super) const MAXIMUM: &str = "0x1.fffffep+127f";

/// Replaces the words in functions that constant expressions reinterpret as infinities or NaN.
#[expect(clippy::wildcard_enum_match_arm, reason = "all others are no constants of words")]
pub(super) fn lower(module: &mut Module) {
    let word = |scalar| Type { name: None, inner: TypeInner::Scalar(scalar) };
    let constants: Vec<_> = module
        .constants
        .iter()
        .map(|(_, constant)| match module.global_expressions[constant.init] {
            Expression::Literal(literal) => Some(literal),
            _ => None,
        })
        .collect();
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    let entries = module.entry_points.iter_mut().map(|entry| &mut entry.function);
    for function in functions.chain(entries) {
        let words = words(function, &constants);
        if words.is_empty() {
            continue;
        }
        let types = [naga::Scalar::U32, naga::Scalar::I32]
            .map(|scalar| module.types.insert(word(scalar), Span::UNDEFINED));
        let first = prologue(function, &words, types);
        move_behind(function, first, &words);
    }
}

/// The literals and named `constants` whose words code reinterprets as infinities or NaN.
#[expect(clippy::wildcard_enum_match_arm, reason = "all others are no constants of words")]
fn words(
    function: &Function,
    constants: &[Option<Literal>],
) -> BTreeMap<Handle<Expression>, Literal> {
    let all = &function.expressions;
    let mut inspected: Vec<_> = all
        .iter()
        .filter_map(|(_, expression)| match expression {
            Expression::As { expr, kind: ScalarKind::Float, convert: None } => Some(*expr),
            _ => None,
        })
        .collect();
    let (mut found, mut seen) = (BTreeMap::new(), BTreeSet::new());
    while let Some(handle) = inspected.pop() {
        match &all[handle] {
            Expression::Literal(literal) if is_non_finite(*literal) => {
                found.insert(handle, *literal);
            }
            Expression::Constant(constant) => {
                let word = constants[constant.index()].filter(|word| is_non_finite(*word));
                found.extend(word.map(|word| (handle, word)));
            }
            Expression::Compose { components, .. } if seen.insert(handle) => {
                inspected.extend(components);
            }
            Expression::Splat { value, .. } => inspected.push(*value),
            _ => {}
        }
    }
    found
}

#[expect(clippy::wildcard_enum_match_arm, reason = "only words of 32 bits can be an `f32`")]
const fn is_non_finite(word: Literal) -> bool {
    match word {
        Literal::U32(bits) => !f32::from_bits(bits).is_finite(),
        Literal::I32(bits) => !f32::from_bits(bits.cast_unsigned()).is_finite(),
        _ => false,
    }
}

/// The expressions that load the words from variables.
struct Prologue {
    expressions: Arena<Expression>,
    loads: BTreeMap<Handle<Expression>, Handle<Expression>>,
    /// The first and the last load, all of which must be evaluated.
    emitted: Option<Range<Expression>>,
}

fn prologue(
    function: &mut Function,
    words: &BTreeMap<Handle<Expression>, Literal>,
    types: [Handle<Type>; 2],
) -> Prologue {
    let mut expressions = Arena::new();
    let mut pointers = Vec::new();
    for (old, word) in words {
        let mut append = |expression| expressions.append(expression, Span::UNDEFINED);
        let ty = types[usize::from(matches!(word, Literal::I32(_)))];
        let init = Some(append(Expression::Literal(*word)));
        let local = LocalVariable { name: Some("word".to_owned()), ty, init };
        let local = function.local_variables.append(local, Span::UNDEFINED);
        pointers.push((*old, append(Expression::LocalVariable(local))));
    }
    let load =
        |(old, pointer)| (old, expressions.append(Expression::Load { pointer }, Span::UNDEFINED));
    let loads: Vec<_> = pointers.into_iter().map(load).collect();
    let bounds = loads.first().zip(loads.last());
    let emitted = bounds.map(|(first, last)| Range::new_from_bounds(first.1, last.1));
    Prologue { expressions, loads: loads.into_iter().collect(), emitted }
}

/// Puts the prologue before the function's code, which reads the loaded words instead of the literals.
fn move_behind(
    function: &mut Function,
    prologue: Prologue,
    words: &BTreeMap<Handle<Expression>, Literal>,
) {
    let Prologue { mut expressions, loads, emitted } = prologue;
    let mut moved = Vec::new();
    let mut old = std::mem::take(&mut function.expressions);
    for (_, mut expression, span) in old.drain() {
        for operand in operands::of_expression(&mut expression) {
            *operand = loads.get(operand).copied().unwrap_or_else(|| moved[operand.index()]);
        }
        moved.push(expressions.append(expression, span));
    }
    function.expressions = expressions;
    let locals = function.local_variables.len() - words.len();
    for (_, local) in function.local_variables.iter_mut().take(locals) {
        local.init = local.init.map(|init| moved[init.index()]);
    }
    let names = std::mem::take(&mut function.named_expressions);
    let names = names.into_iter().map(|(named, name)| (moved[named.index()], name));
    function.named_expressions = names.collect();
    for operand in operands::of_block(&mut function.body) {
        match operand {
            Operand::Emitted(range) => {
                if let Some((first, last)) = range.first_and_last() {
                    *range = Range::new_from_bounds(moved[first.index()], moved[last.index()]);
                }
            }
            Operand::Read(operand) => {
                *operand = loads.get(operand).copied().unwrap_or_else(|| moved[operand.index()]);
            }
            Operand::Stored(operand) | Operand::Result(operand) => {
                *operand = moved[operand.index()];
            }
        }
    }
    if let Some(emitted) = emitted {
        let emitted = Block::from_vec(vec![Statement::Emit(emitted)]);
        function.body.splice(0..0, emitted);
    }
}

#[cfg(test)]
mod tests {
    use naga::front::wgsl::parse_str;

    use crate::emit::wgsl::{WgslDialect, write};

    #[track_caller]
    fn check(body: &str, expected: &[&str]) {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> a: vec4f;
             fn f(x: f32) {{ a.x = x; }}
             const WORD = 0x7f000000u;
             @compute @workgroup_size(1) fn main() {{ {body} }}"
        );
        let mut module = parse_str(&text).expect("valid WGSL");
        // naga's reader refuses these numbers in WGSL.
        let own = module.entry_points[0].function.expressions.iter_mut();
        for (_, expression) in own.chain(module.global_expressions.iter_mut()) {
            if let naga::Expression::Literal(naga::Literal::U32(word)) = expression
                && *word >= 0x7f00_0000
            {
                *word |= 0x0080_0000;
            }
        }
        let text = write(&module, WgslDialect::Standard).expect("is expressible");
        for expected in expected {
            assert!(text.contains(expected), "{expected}: {text}");
        }
        parse_str(&text).unwrap_or_else(|error| panic!("{error:?}: {text}"));
    }

    #[test]
    fn infinities_and_nan_are_in_no_constant_expression() {
        check(
            "var b = 3u; b = b + 1u; f(f32(b)); f(bitcast<f32>(0x7f000000u));",
            &["var word: u32 = 2139095040u;", "bitcast<f32>(_e"],
        );
        check(
            "a = bitcast<vec4f>(vec4u(1u, 0x7f000001u, 0xff000000u, 2u));
             if a.y < 1.0 { a.x = bitcast<f32>(0x7f000000u); }",
            &["var word: u32 = 2139095041u;", "var word_1: u32 = 4286578688u;"],
        );
        check("a.x = bitcast<f32>(WORD);", &["var word: u32 = 2139095040u;"]);
        check("a.x = bitcast<f32>(0x3f800000u);", &["bitcast<f32>(1065353216u)"]);
        check("let mask = a.x == 2.0 && 0x7f000000u > 4u;", &[]);
    }

    #[test]
    fn the_greatest_number_is_exact() {
        check("a.x = 0x1.fffffep+127f;", &["a.x = 0x1.fffffep+127f;"]);
    }
}
