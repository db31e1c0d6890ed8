//! New handles for the expressions of a function, in its expressions and statements.

use naga::{
    Block, Expression, Function, Handle, ImageQuery, Module, Range, SampleLevel, Statement, Type,
    UniqueArena,
};

/// `module` with its functions replaced by the result of `replace`, which is `Some(None)` for one that stays. Returns
/// `None` if all stay or `replace` fails for one.
pub(super) fn with_functions(
    module: &Module,
    replace: impl Fn(&Function, &mut UniqueArena<Type>) -> Option<Option<Function>>,
) -> Option<Module> {
    let mut result = module.clone();
    let mut has_some = false;
    let functions = result.functions.iter_mut().map(|(_, function)| function);
    let entries = result.entry_points.iter_mut().map(|entry| &mut entry.function);
    for function in functions.chain(entries) {
        if let Some(new) = replace(function, &mut result.types)? {
            *function = new;
            has_some = true;
        }
    }
    has_some.then_some(result)
}

/// Map from the expressions of one arena to another: each old one becomes one or several consecutive new ones, in the
/// same order.
#[derive(Debug, Default)]
pub(super) struct Renumbering {
    /// By index of the old expression: the first new one, and the last one, which has its value.
    moved: Vec<(Handle<Expression>, Handle<Expression>)>,
}

impl Renumbering {
    /// Records the replacement of the next old expression.
    pub(super) fn note(&mut self, first: Handle<Expression>, last: Handle<Expression>) {
        self.moved.push((first, last));
    }

    /// The expression that has the value of `old`.
    pub(super) fn of(&self, old: Handle<Expression>) -> Handle<Expression> {
        self.moved[old.index()].1
    }

    fn all(&self, handles: &mut [&mut Handle<Expression>]) {
        for handle in handles {
            **handle = self.of(**handle);
        }
    }

    fn optional(&self, handles: &mut [&mut Option<Handle<Expression>>]) {
        for handle in handles {
            **handle = handle.map(|it| self.of(it));
        }
    }

    /// Renumbers the operands of `expression`; returns `None` for expressions that only new languages have.
    pub(super) fn expression(&self, expression: &mut Expression) -> Option<()> {
        match expression {
            Expression::Literal(_)
            | Expression::Constant(_)
            | Expression::Override(_)
            | Expression::ZeroValue(_)
            | Expression::FunctionArgument(_)
            | Expression::GlobalVariable(_)
            | Expression::LocalVariable(_)
            | Expression::CallResult(_) => {}
            Expression::Compose { components, .. } => {
                self.all(&mut components.iter_mut().collect::<Vec<_>>());
            }
            Expression::Access { base, index } => self.all(&mut [base, index]),
            Expression::AccessIndex { base: operand, .. }
            | Expression::Splat { value: operand, .. }
            | Expression::Swizzle { vector: operand, .. }
            | Expression::Load { pointer: operand }
            | Expression::Unary { expr: operand, .. }
            | Expression::Derivative { expr: operand, .. }
            | Expression::Relational { argument: operand, .. }
            | Expression::As { expr: operand, .. }
            | Expression::ArrayLength(operand) => self.all(&mut [operand]),
            Expression::Binary { left, right, .. } => self.all(&mut [left, right]),
            Expression::Select { condition, accept, reject } => {
                self.all(&mut [condition, accept, reject]);
            }
            Expression::Math { arg, arg1, arg2, arg3, .. } => {
                self.all(&mut [arg]);
                self.optional(&mut [arg1, arg2, arg3]);
            }
            Expression::ImageSample { .. }
            | Expression::ImageLoad { .. }
            | Expression::ImageQuery { .. } => self.image(expression),
            Expression::AtomicResult { .. }
            | Expression::WorkGroupUniformLoadResult { .. }
            | Expression::RayQueryVertexPositions { .. }
            | Expression::RayQueryProceedResult
            | Expression::RayQueryGetIntersection { .. }
            | Expression::SubgroupBallotResult
            | Expression::SubgroupOperationResult { .. }
            | Expression::CooperativeLoad { .. }
            | Expression::CooperativeMultiplyAdd { .. } => return None,
        }
        Some(())
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the caller passes image expressions only")]
    fn image(&self, expression: &mut Expression) {
        match expression {
            Expression::ImageSample {
                image,
                sampler,
                coordinate,
                array_index,
                offset,
                level,
                depth_ref,
                ..
            } => {
                self.all(&mut [image, sampler, coordinate]);
                self.optional(&mut [array_index, offset, depth_ref]);
                match level {
                    SampleLevel::Auto | SampleLevel::Zero => {}
                    SampleLevel::Exact(level) | SampleLevel::Bias(level) => self.all(&mut [level]),
                    SampleLevel::Gradient { x, y } => self.all(&mut [x, y]),
                }
            }
            Expression::ImageLoad { image, coordinate, array_index, sample, level } => {
                self.all(&mut [image, coordinate]);
                self.optional(&mut [array_index, sample, level]);
            }
            Expression::ImageQuery { image, query } => {
                self.all(&mut [image]);
                if let ImageQuery::Size { level } = query {
                    self.optional(&mut [level]);
                }
            }
            _ => {}
        }
    }

    /// Renumbers other references to expressions in `function`; returns `None` for statements that only new languages
    /// have.
    pub(super) fn rest(&self, function: &mut Function) -> Option<()> {
        for (_, local) in function.local_variables.iter_mut() {
            local.init = local.init.map(|init| self.of(init));
        }
        let named = std::mem::take(&mut function.named_expressions).into_iter();
        function.named_expressions = named.map(|(handle, name)| (self.of(handle), name)).collect();
        self.block(&mut function.body)
    }

    /// Renumbers the operands of all statements; returns `None` for statements that only new languages have.
    fn block(&self, block: &mut Block) -> Option<()> {
        for statement in block.iter_mut() {
            self.statement(statement)?;
        }
        Some(())
    }

    fn statement(&self, statement: &mut Statement) -> Option<()> {
        match statement {
            Statement::Emit(range) => *range = self.range(range),
            Statement::Block(inner) => self.block(inner)?,
            Statement::If { condition, accept, reject } => {
                self.all(&mut [condition]);
                self.block(accept)?;
                self.block(reject)?;
            }
            Statement::Switch { selector, cases } => {
                self.all(&mut [selector]);
                for case in cases {
                    self.block(&mut case.body)?;
                }
            }
            Statement::Loop { body, continuing, break_if } => {
                self.block(body)?;
                self.block(continuing)?;
                self.optional(&mut [break_if]);
            }
            Statement::Return { value } => self.optional(&mut [value]),
            Statement::Store { pointer, value } => self.all(&mut [pointer, value]),
            Statement::Call { arguments, result, .. } => {
                self.all(&mut arguments.iter_mut().collect::<Vec<_>>());
                self.optional(&mut [result]);
            }
            Statement::Break | Statement::Continue | Statement::Kill => {}
            Statement::ControlBarrier(_)
            | Statement::MemoryBarrier(_)
            | Statement::ImageStore { .. }
            | Statement::Atomic { .. }
            | Statement::ImageAtomic { .. }
            | Statement::WorkGroupUniformLoad { .. }
            | Statement::RayQuery { .. }
            | Statement::RayPipelineFunction(_)
            | Statement::SubgroupBallot { .. }
            | Statement::SubgroupGather { .. }
            | Statement::SubgroupCollectiveOperation { .. }
            | Statement::CooperativeStore { .. } => return None,
        }
        Some(())
    }

    fn range(&self, range: &Range<Expression>) -> Range<Expression> {
        let Some((first, last)) = range.first_and_last() else { return range.clone() };
        Range::new_from_bounds(self.moved[first.index()].0, self.of(last))
    }
}
