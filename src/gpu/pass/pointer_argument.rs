//! Rewrites calls so that pointer arguments point to whole variables.
//!
//! WGSL lets a stage pass a pointer to a member or an element (`&v.x`, `&a[i]`), on which naga's SPIR-V writer panics.
//! The value is copied to a new variable before the call and copied back after it. This does not change the result,
//! because a function may not access memory both through a pointer argument and in another way if it writes it (WGSL,
//! section 11.4.1).
//!
//! Pointers into workgroup memory are not rewritten, because copying back would undo the writes of other invocations.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's types and statements have dozens of variants of which pointers and calls matter here"
)]

use ir::builder::global;
use ir::operands;
use naga::{
    AddressSpace, Arena, Block, Expression, Function, GlobalVariable, Handle, LocalVariable,
    Module, Range, Span, Statement, Type, TypeInner,
};

/// The type and address space that a pointer points to.
type Pointee = (Handle<Type>, AddressSpace);

/// `module` without arguments that point to parts of variables; `None` if it has none.
pub(crate) fn without_part_pointers(module: &Module) -> Option<Module> {
    let callees: Vec<Vec<Option<Pointee>>> = module
        .functions
        .iter()
        .map(|(_, function)| {
            let pointee = |ty: Handle<Type>| pointee(&module.types[ty].inner);
            function.arguments.iter().map(|argument| pointee(argument.ty)).collect()
        })
        .collect();
    let mut result = module.clone();
    let functions = result.functions.iter_mut().map(|(_, function)| function);
    let entries = result.entry_points.iter_mut().map(|entry| &mut entry.function);
    let globals = &mut result.global_variables;
    let mut has_changed = false;
    for function in functions.chain(entries) {
        let body = std::mem::take(&mut function.body);
        let mut rewriting = Rewriting { function, globals, callees: &callees, has_changed: false };
        let body = rewriting.block(body);
        has_changed |= rewriting.has_changed;
        function.body = body;
    }
    has_changed.then_some(result)
}

/// The pointee of a pointer to memory that is private to an invocation; `None` for other types.
const fn pointee(inner: &TypeInner) -> Option<Pointee> {
    match inner {
        TypeInner::Pointer { base, space: AddressSpace::Function } => {
            Some((*base, AddressSpace::Function))
        }
        TypeInner::Pointer { base, space: AddressSpace::Private } => {
            Some((*base, AddressSpace::Private))
        }
        _ => None,
    }
}

struct Rewriting<'a> {
    function: &'a mut Function,
    globals: &'a mut Arena<GlobalVariable>,
    /// The private pointee of each argument of each function.
    callees: &'a [Vec<Option<Pointee>>],
    has_changed: bool,
}

impl Rewriting<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut new = Block::new();
        for (mut statement, span) in block.span_into_iter() {
            for inner in operands::blocks_mut(&mut statement) {
                *inner = self.block(std::mem::take(inner));
            }
            match statement {
                Statement::Call { function, mut arguments, result } => {
                    let copies = self.copies(function, &mut arguments, &mut new);
                    new.push(Statement::Call { function, arguments, result }, span);
                    for (pointer, copy) in copies {
                        self.copy(copy, pointer, &mut new);
                    }
                }
                other => new.push(other, span),
            }
        }
        new
    }

    /// Replaces arguments that point to parts by pointers to variables with the same values. Returns pairs of the old
    /// and the new pointer.
    fn copies(
        &mut self,
        callee: Handle<Function>,
        arguments: &mut [Handle<Expression>],
        block: &mut Block,
    ) -> Vec<(Handle<Expression>, Handle<Expression>)> {
        let wanted = self.callees.get(callee.index()).map_or(&[][..], Vec::as_slice);
        let mut copies = Vec::new();
        for (argument, wanted) in arguments.iter_mut().zip(wanted) {
            let Some((ty, space)) = *wanted else { continue };
            let is_part = matches!(
                self.function.expressions[*argument],
                Expression::Access { .. } | Expression::AccessIndex { .. }
            );
            if !is_part {
                continue;
            }
            let copy = self.variable(ty, space);
            let copy = self.function.expressions.append(copy, Span::UNDEFINED);
            self.copy(*argument, copy, block);
            copies.push((*argument, copy));
            *argument = copy;
            self.has_changed = true;
        }
        copies
    }

    /// Declares a variable for one argument of one call. One is enough, because functions are not recursive.
    fn variable(&mut self, ty: Handle<Type>, space: AddressSpace) -> Expression {
        if space == AddressSpace::Private {
            let variable = global(None, ty, space, None);
            return Expression::GlobalVariable(self.globals.append(variable, Span::UNDEFINED));
        }
        let variable = LocalVariable { name: None, ty, init: None };
        let locals = &mut self.function.local_variables;
        Expression::LocalVariable(locals.append(variable, Span::UNDEFINED))
    }

    /// Appends a copy of the value at `from` to the memory at `to`.
    fn copy(&mut self, from: Handle<Expression>, to: Handle<Expression>, block: &mut Block) {
        let load = Expression::Load { pointer: from };
        let value = self.function.expressions.append(load, Span::UNDEFINED);
        block.push(Statement::Emit(Range::new_from_bounds(value, value)), Span::UNDEFINED);
        block.push(Statement::Store { pointer: to, value }, Span::UNDEFINED);
    }
}

#[cfg(test)]
mod tests {
    use ir::emit::{Language, write};

    use super::*;

    const HEAD: &str = "struct Pair { a: f32, b: vec2f }
        var<private> all: array<Pair, 3>;
        fn raise(to: ptr<function, f32>) { *to += 1.0; }
        fn raise_all(to: ptr<private, vec2f>) -> f32 { *to += 1.0; return (*to).x; }";

    #[track_caller]
    fn rewritten(body: &str) -> Option<Module> {
        let text = format!("{HEAD} @fragment fn main() -> @location(0) vec4f {{ {body} }}");
        without_part_pointers(&fixture::module(&text))
    }

    #[test]
    fn pointers_to_parts_become_pointers_to_copies() {
        let nested = "var v = Pair(); for (var i = 0; i < 2; i++) { if i > 0 { raise(&v.a); } }
            let x = raise_all(&all[i32(v.a)].b); return vec4f(v.a, v.b, x);";
        for body in ["var v = Pair(); raise(&v.a); return vec4f(v.a);", nested] {
            let module = rewritten(body).expect("it is rewritten");
            write(&module, Language::Spirv).expect("it is valid, and naga writes it");
        }
    }

    #[test]
    fn pointers_to_variables_stay() {
        let body = "var v = 1.0; raise(&v); let p = &v; raise(p); return vec4f(v);";
        assert!(rewritten(body).is_none());
    }
}
