//! Finds the accesses of a function to lowered blocks, and rewrites them.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's enums have dozens of variants of which a few touch memory"
)]

use std::collections::{BTreeMap, HashSet};

use naga::front::Typifier;
use naga::proc::ResolveContext;
use naga::{
    Arena, AtomicFunction, Block, Expression, Function, Handle, Literal, Module, Range, ScalarKind,
    Statement,
};

use super::atomic::Operation;
use super::helper::{Helper, VertexNumber};
use super::part::Part;
use super::{ExplicitBlock, WordStorage};
use ir::diagnostic::Unsupported;
use ir::operands;

/// A pointer into a block, which becomes an offset.
#[derive(Clone, Debug)]
struct BlockPointer {
    root: usize,
    part: Part,
    /// The byte offset, if it is constant.
    constant: Option<u32>,
    /// The byte offset modulo 16, if it is known.
    in_vector: Option<u32>,
}

/// The replacement of an expression.
#[derive(Clone, Debug)]
enum Replacement {
    Offset(u32),
    Call {
        helper: usize,
        arguments: Vec<Handle<Expression>>,
    },
    /// The result of a call that replaces a statement.
    Result {
        helper: usize,
    },
}

/// The planned changes to one function.
#[derive(Clone, Debug, Default)]
pub(super) struct Rewriting {
    expressions: BTreeMap<Handle<Expression>, Replacement>,
    /// Helpers that replace stores, by the pointer of the store.
    stores: BTreeMap<Handle<Expression>, usize>,
    atomics: BTreeMap<AtomicKey, usize>,
}

/// Pointer, result and operation of an atomic statement: several statements may use the same pointer.
type AtomicKey = (Handle<Expression>, Option<Handle<Expression>>, u8);

impl Rewriting {
    /// Plans the changes and requests the helpers that they need.
    pub(super) fn of(
        module: &Module,
        function: &Function,
        roots: &[ExplicitBlock],
        helpers: &mut Vec<Helper>,
    ) -> Result<Self, Unsupported> {
        let mut planning = Planning {
            module,
            function,
            roots,
            helpers,
            places: BTreeMap::new(),
            rewriting: Self::default(),
        };
        planning.expressions()?;
        planning.statements(&function.body)?;
        Ok(planning.rewriting)
    }

    /// Applies the changes. `helpers` and `moved` are the final handles of the helpers and of the user's functions, and
    /// `functions` has the helpers.
    pub(super) fn apply(
        &self,
        function: &mut Function,
        functions: &Arena<Function>,
        helpers: &[Handle<Function>],
        moved: &[Handle<Function>],
    ) {
        let all: Vec<_> = function.expressions.iter().map(|(handle, _)| handle).collect();
        let emitted = emitted(&function.body);
        for handle in all {
            let expression = match self.expressions.get(&handle) {
                // No statement calls the helper for what was checked and not kept, such as a side of a decided `?:`.
                Some(Replacement::Call { helper, .. }) if !emitted.contains(&handle) => {
                    let result = &functions[helpers[*helper]].result;
                    let Some(result) = result else { continue };
                    Expression::ZeroValue(result.ty)
                }
                Some(Replacement::Offset(offset)) => Expression::Literal(Literal::U32(*offset)),
                Some(Replacement::Call { helper, .. } | Replacement::Result { helper }) => {
                    Expression::CallResult(helpers[*helper])
                }
                None => match function.expressions[handle] {
                    Expression::CallResult(callee) => Expression::CallResult(moved[callee.index()]),
                    _ => continue,
                },
            };
            *function.expressions.get_mut(handle) = expression;
        }
        let changed = |handle: &Handle<Expression>| self.expressions.contains_key(handle);
        function.named_expressions.retain(|handle, _| !changed(handle));
        let body = std::mem::take(&mut function.body);
        function.body = self.block(body, helpers, moved);
    }

    fn block(
        &self,
        block: Block,
        helpers: &[Handle<Function>],
        moved: &[Handle<Function>],
    ) -> Block {
        let mut new = Block::new();
        let statements: Vec<_> =
            block.span_iter().map(|(inner, span)| (inner.clone(), *span)).collect();
        for (statement, span) in statements {
            let inner = |block| self.block(block, helpers, moved);
            let statement = match statement {
                Statement::Emit(range) => {
                    self.emit(range, helpers, &mut new);
                    continue;
                }
                Statement::Store { pointer, value } => match self.stores.get(&pointer) {
                    Some(helper) => Statement::Call {
                        function: helpers[*helper],
                        arguments: vec![pointer, value],
                        result: None,
                    },
                    None => Statement::Store { pointer, value },
                },
                Statement::Atomic { pointer, fun, value, result } => {
                    match self.atomics.get(&(pointer, result, code(fun))) {
                        Some(helper) => {
                            let compare = match fun {
                                AtomicFunction::Exchange { compare } => compare,
                                _ => None,
                            };
                            let arguments =
                                std::iter::once(pointer).chain(compare).chain([value]).collect();
                            Statement::Call { function: helpers[*helper], arguments, result }
                        }
                        None => Statement::Atomic { pointer, fun, value, result },
                    }
                }
                Statement::Call { function, arguments, result } => {
                    Statement::Call { function: moved[function.index()], arguments, result }
                }
                mut other => {
                    for block in operands::blocks_mut(&mut other) {
                        *block = inner(std::mem::take(block));
                    }
                    other
                }
            };
            new.push(statement, span);
        }
        new
    }

    /// Emits a range of expressions, split around calls and literals, which cannot be emitted.
    fn emit(&self, range: Range<Expression>, helpers: &[Handle<Function>], block: &mut Block) {
        let mut run: Option<(Handle<Expression>, Handle<Expression>)> = None;
        let flush = |run: &mut Option<_>, block: &mut Block| {
            if let Some((first, last)) = run.take() {
                let range = Range::new_from_bounds(first, last);
                block.push(Statement::Emit(range), naga::Span::UNDEFINED);
            }
        };
        for handle in range {
            match self.expressions.get(&handle) {
                None => run = Some((run.map_or(handle, |(first, _)| first), handle)),
                Some(Replacement::Offset(_) | Replacement::Result { .. }) => flush(&mut run, block),
                Some(Replacement::Call { helper, arguments }) => {
                    flush(&mut run, block);
                    let call = Statement::Call {
                        function: helpers[*helper],
                        arguments: arguments.clone(),
                        result: Some(handle),
                    };
                    block.push(call, naga::Span::UNDEFINED);
                }
            }
        }
        flush(&mut run, block);
    }
}

/// The expressions that statements of a block emit.
fn emitted(block: &Block) -> HashSet<Handle<Expression>> {
    let mut found = HashSet::new();
    for statement in block {
        if let Statement::Emit(range) = statement {
            found.extend(range.clone());
        }
        for inner in operands::blocks(statement) {
            found.extend(emitted(inner));
        }
    }
    found
}

/// A vertex of a block that is an array of vertices.
struct Vertex {
    root: usize,
    element: Part,
    number: VertexNumber,
}

struct Planning<'a> {
    module: &'a Module,
    function: &'a Function,
    roots: &'a [ExplicitBlock],
    helpers: &'a mut Vec<Helper>,
    places: BTreeMap<Handle<Expression>, BlockPointer>,
    rewriting: Rewriting,
}

impl Planning<'_> {
    fn helper(&mut self, helper: Helper) -> usize {
        if let Some(known) = self.helpers.iter().position(|known| *known == helper) {
            return known;
        }
        self.helpers.push(helper);
        self.helpers.len() - 1
    }

    fn expressions(&mut self) -> Result<(), Unsupported> {
        let function = self.function;
        for (handle, expression) in function.expressions.iter() {
            match expression {
                Expression::GlobalVariable(global) => {
                    let root = self.roots.iter().position(|root| root.global == *global);
                    if let Some(root) = root {
                        let part = self.roots[root].part.clone();
                        let [constant, in_vector] = [Some(0); 2];
                        self.places
                            .insert(handle, BlockPointer { root, part, constant, in_vector });
                        self.rewriting.expressions.insert(handle, Replacement::Offset(0));
                    }
                }
                Expression::AccessIndex { base, index } => self.constant(handle, *base, *index)?,
                Expression::Access { base, index } => self.dynamic(handle, *base, *index)?,
                Expression::Load { pointer } => {
                    if let Some(place) = self.places.get(pointer).cloned() {
                        check_size(&place.part)?;
                        let BlockPointer { root, part, in_vector, .. } = place;
                        let helper = self.helper(Helper::Read { root, part, in_vector });
                        self.replace(handle, helper, vec![*pointer]);
                    }
                }
                Expression::ArrayLength(pointer) => {
                    if let Some(BlockPointer { root, part: Part::Array { stride, .. }, .. }) =
                        self.places.get(pointer).cloned()
                    {
                        let helper = self.helper(Helper::Length { root, stride });
                        self.replace(handle, helper, vec![*pointer]);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn replace(
        &mut self,
        at: Handle<Expression>,
        helper: usize,
        arguments: Vec<Handle<Expression>>,
    ) {
        self.rewriting.expressions.insert(at, Replacement::Call { helper, arguments });
    }

    fn constant(
        &mut self,
        handle: Handle<Expression>,
        base: Handle<Expression>,
        index: u32,
    ) -> Result<(), Unsupported> {
        let Some(place) = self.places.get(&base).cloned() else { return Ok(()) };
        if let Part::Vertices { element, .. } = place.part {
            let number = VertexNumber::Constant(index);
            self.vertex(handle, Vertex { root: place.root, element: *element, number }, vec![base]);
            return Ok(());
        }
        let (amount, part) = place.part.at(index).ok_or("an index outside its block")?;
        let constant = place.constant.and_then(|before| before.checked_add(amount));
        if let Some(offset) = constant {
            self.rewriting.expressions.insert(handle, Replacement::Offset(offset));
        } else {
            let helper = self.helper(Helper::Add { amount });
            self.replace(handle, helper, vec![base]);
        }
        let in_vector = place.in_vector.map(|before| (before + amount % 16) % 16);
        self.places.insert(handle, BlockPointer { root: place.root, part, constant, in_vector });
        Ok(())
    }

    fn dynamic(
        &mut self,
        handle: Handle<Expression>,
        base: Handle<Expression>,
        index: Handle<Expression>,
    ) -> Result<(), Unsupported> {
        let Some(place) = self.places.get(&base).cloned() else { return Ok(()) };
        let is_signed = self.is_signed(index)?;
        if let Part::Vertices { element, .. } = place.part {
            let number = VertexNumber::Argument { is_signed };
            let vertex = Vertex { root: place.root, element: *element, number };
            self.vertex(handle, vertex, vec![base, index]);
            return Ok(());
        }
        let (stride, part) = place.part.element().ok_or("an index into a struct")?;
        let helper = self.helper(Helper::Step { stride, is_signed });
        self.replace(handle, helper, vec![base, index]);
        let in_vector = place.in_vector.filter(|_| stride % 16 == 0);
        let pointer = BlockPointer { root: place.root, part, constant: None, in_vector };
        self.places.insert(handle, pointer);
        Ok(())
    }

    /// Replaces an access to a vertex.
    fn vertex(
        &mut self,
        handle: Handle<Expression>,
        Vertex { root, element, number }: Vertex,
        arguments: Vec<Handle<Expression>>,
    ) {
        let helper = self.helper(Helper::Vertex { root, number });
        self.replace(handle, helper, arguments);
        let in_vector = Some(0);
        let place = BlockPointer { root, part: element, constant: None, in_vector };
        self.places.insert(handle, place);
    }

    fn is_signed(&self, index: Handle<Expression>) -> Result<bool, Unsupported> {
        let mut typifier = Typifier::new();
        let context = ResolveContext::with_locals(
            self.module,
            &self.function.local_variables,
            &self.function.arguments,
        );
        typifier
            .grow(index, &self.function.expressions, &context)
            .map_err(|error| Unsupported(format!("an index without a type ({error})")))?;
        Ok(typifier.get(index, &self.module.types).scalar_kind() == Some(ScalarKind::Sint))
    }

    fn statements(&mut self, block: &Block) -> Result<(), Unsupported> {
        for statement in block {
            match statement {
                Statement::Store { pointer, .. } => {
                    if let Some(place) = self.places.get(pointer).cloned() {
                        check_size(&place.part)?;
                        let BlockPointer { root, part, in_vector, .. } = place;
                        let helper = self.helper(Helper::Write { root, part, in_vector });
                        self.rewriting.stores.insert(*pointer, helper);
                    }
                }
                Statement::Atomic { pointer, fun, result, .. } => {
                    self.atomic(*pointer, *fun, *result)?;
                }
                Statement::Call { arguments, .. }
                    if arguments.iter().any(|argument| self.places.contains_key(argument)) =>
                {
                    return Err(Unsupported("a pointer into a block as an argument".to_owned()));
                }
                other => {
                    for inner in operands::blocks(other) {
                        self.statements(inner)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        pointer: Handle<Expression>,
        fun: AtomicFunction,
        result: Option<Handle<Expression>>,
    ) -> Result<(), Unsupported> {
        let Some(place) = self.places.get(&pointer).cloned() else { return Ok(()) };
        let Part::Vector { size: 1, scalar, .. } = place.part else {
            return Err(Unsupported("an atomic on no scalar".to_owned()));
        };
        if self.roots[place.root].memory != WordStorage::AtomicWords {
            return Err(Unsupported("an atomic on a plain buffer".to_owned()));
        }
        let result_type = result.and_then(|result| match self.function.expressions[result] {
            Expression::AtomicResult { ty, .. } => Some(ty),
            _ => None,
        });
        let operation = Operation::of(fun, scalar.kind, result_type)?;
        let helper = self.helper(Helper::Atomic { root: place.root, operation, scalar });
        self.rewriting.atomics.insert((pointer, result, code(fun)), helper);
        if let Some(result) = result {
            self.rewriting.expressions.insert(result, Replacement::Result { helper });
        }
        Ok(())
    }
}

/// A number for each atomic operation.
const fn code(fun: AtomicFunction) -> u8 {
    match fun {
        AtomicFunction::Add => 0,
        AtomicFunction::Subtract => 1,
        AtomicFunction::And => 2,
        AtomicFunction::ExclusiveOr => 3,
        AtomicFunction::InclusiveOr => 4,
        AtomicFunction::Min => 5,
        AtomicFunction::Max => 6,
        AtomicFunction::Exchange { compare: None } => 7,
        AtomicFunction::Exchange { compare: Some(_) } => 8,
    }
}

fn check_size(part: &Part) -> Result<(), Unsupported> {
    part.scalar_count()
        .map(|_| ())
        .ok_or_else(|| Unsupported("a copy of so many scalars at once".to_owned()))
}
