//! Gives the results of compare-exchanges a type with a name. WGSL has no name for the type of the result itself, which
//! naga writes as the type of variables and functions.

use naga::{
    Block, Expression, Function, Handle, Module, PredeclaredType, Range, Span, Statement, Type,
};

use crate::operands::{self, Operand};

/// A built-in type, and the struct that replaces it everywhere except as the result of a compare-exchange.
#[derive(Clone, Copy)]
struct Replaced {
    built_in: Handle<Type>,
    named: Handle<Type>,
}

/// Replaces the built-in types.
pub(super) fn name_results(module: &mut Module) {
    let known = module.special_types.predeclared_types.iter();
    let known: Vec<_> = known.map(|(kind, ty)| (kind.clone(), *ty)).collect();
    for (kind, named) in known {
        let PredeclaredType::AtomicCompareExchangeWeakResult(scalar) = kind else { continue };
        let built_in = module.types[named].clone();
        let name = Some(format!("Exchanged{:?}{}", scalar.kind, scalar.width));
        module.types.replace(named, Type { name, inner: built_in.inner.clone() });
        let built_in = module.types.insert(built_in, Span::UNDEFINED);
        module.special_types.predeclared_types.insert(kind, built_in);
        let replaced = Replaced { built_in, named };
        for (_, function) in module.functions.iter_mut() {
            convert_in(function, replaced);
        }
        for entry in &mut module.entry_points {
            convert_in(&mut entry.function, replaced);
        }
    }
}

/// Converts the results to the named type where a statement takes one as a whole.
fn convert_in(function: &mut Function, types: Replaced) {
    let mut results = Vec::new();
    for (handle, expression) in function.expressions.iter_mut() {
        if let Expression::AtomicResult { ty, comparison: true } = expression
            && *ty == types.named
        {
            *ty = types.built_in;
            results.push(handle);
        }
    }
    for result in results {
        let mut is_whole = false;
        operands::read_by_block(&function.body, |read| is_whole |= read == result);
        if !is_whole {
            continue;
        }
        let (value, parts) = converted(function, result, types.named);
        for operand in operands::of_block(&mut function.body) {
            if let Operand::Read(operand) = operand
                && *operand == result
            {
                *operand = value;
            }
        }
        emit_after(&mut function.body, result, &parts);
    }
}

/// A result in the named type, and what must be evaluated for it.
fn converted(
    function: &mut Function,
    result: Handle<Expression>,
    ty: Handle<Type>,
) -> (Handle<Expression>, Range<Expression>) {
    let mut append = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let components =
        [0, 1].map(|index| append(Expression::AccessIndex { base: result, index })).to_vec();
    let first = components[0];
    let value = append(Expression::Compose { ty, components });
    (value, Range::new_from_bounds(first, value))
}

/// Evaluates `parts` after the statement that gives `result`.
fn emit_after(block: &mut Block, result: Handle<Expression>, parts: &Range<Expression>) {
    let mut place = None;
    for (idx, statement) in block.iter_mut().enumerate() {
        if let Statement::Atomic { result: Some(found), .. } = statement
            && *found == result
        {
            place = Some(idx + 1);
        }
        for inner in operands::blocks_mut(statement) {
            emit_after(inner, result, parts);
        }
    }
    if let Some(place) = place {
        let emitted = Block::from_vec(vec![Statement::Emit(parts.clone())]);
        block.splice(place..place, emitted);
    }
}

#[cfg(test)]
mod tests {
    use naga::front::wgsl::parse_str;

    use crate::emit::wgsl::{WgslDialect, write};

    /// The text must not name the type, and naga must be able to read it.
    #[track_caller]
    fn check(body: &str) {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> a: atomic<i32>;
             @group(0) @binding(1) var<storage, read_write> b: atomic<u32>;
             @compute @workgroup_size(1) fn main() {{ {body} }}"
        );
        let module = parse_str(&text).expect("valid WGSL");
        let text = write(&module, WgslDialect::Standard).expect("is expressible");
        assert!(!text.contains("_atomic_compare_exchange_result"), "{text}");
        parse_str(&text).unwrap_or_else(|error| panic!("{error:?}: {text}"));
    }

    #[test]
    fn variables_with_results_have_a_type_with_a_name() {
        check("var c = atomicCompareExchangeWeak(&a, 1, 2); atomicStore(&a, c.old_value);");
        check(
            "var c = atomicCompareExchangeWeak(&a, 1, 2);
             for (var i = 0; i < 3; i++) { c = atomicCompareExchangeWeak(&a, c.old_value, i); }
             var d = atomicCompareExchangeWeak(&b, 1u, 2u); if d.exchanged { atomicStore(&b, 3u); }",
        );
        check("let c = atomicCompareExchangeWeak(&a, 1, 2); atomicStore(&a, c.old_value);");
    }
}
