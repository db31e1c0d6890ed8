//! Lowers atomic operations to words that are `u32` in the buffer, whatever type the shader uses.
//!
//! Operations that produce the same bits for every type (integer addition, bitwise operations, exchange) are kept. The
//! others become a compare-exchange loop, which repeats until it succeeds.

use naga::{
    AtomicFunction, BinaryOperator, Block, Expression, Function, Handle, MathFunction,
    PredeclaredType, Scalar, ScalarKind as Kind, Statement, Type, TypeInner,
};

use ir::diagnostic::Unsupported;
use ir::interface::ScalarKind;

use super::ExplicitBlock;
use super::body::Body;

/// Kind of an atomic operation, without its operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operation {
    /// An operation that does not depend on the type.
    Plain(PlainOperation),
    /// An operation that depends on the type, computed in a loop.
    Loop(LoopOperation),
    /// A compare-exchange, with the type of its result.
    CompareExchange(Handle<Type>),
}

/// naga's atomic functions without operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlainOperation {
    Add,
    Subtract,
    And,
    ExclusiveOr,
    InclusiveOr,
    Min,
    Max,
    Exchange,
}

/// An operation that a compare-exchange loop computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoopOperation {
    Add,
    Min,
    Max,
}

impl Operation {
    /// The operation for `fun` on a word whose type in the shader is `kind`; `result` is the type of its result. The
    /// error describes an operation that cannot be lowered.
    pub(super) fn of(
        fun: AtomicFunction,
        kind: Kind,
        result: Option<Handle<Type>>,
    ) -> Result<Self, Unsupported> {
        let plain = |operation| Ok(Self::Plain(operation));
        match (fun, kind) {
            (AtomicFunction::Exchange { compare: None }, _) => plain(PlainOperation::Exchange),
            (AtomicFunction::Add, Kind::Float) => Ok(Self::Loop(LoopOperation::Add)),
            (AtomicFunction::Min, Kind::Sint) => Ok(Self::Loop(LoopOperation::Min)),
            (AtomicFunction::Max, Kind::Sint) => Ok(Self::Loop(LoopOperation::Max)),
            (AtomicFunction::Min, Kind::Uint) => plain(PlainOperation::Min),
            (AtomicFunction::Max, Kind::Uint) => plain(PlainOperation::Max),
            (AtomicFunction::Add, Kind::Sint | Kind::Uint) => plain(PlainOperation::Add),
            (AtomicFunction::Subtract, Kind::Sint | Kind::Uint) => plain(PlainOperation::Subtract),
            (AtomicFunction::And, Kind::Sint | Kind::Uint) => plain(PlainOperation::And),
            (AtomicFunction::ExclusiveOr, Kind::Sint | Kind::Uint) => {
                plain(PlainOperation::ExclusiveOr)
            }
            (AtomicFunction::InclusiveOr, Kind::Sint | Kind::Uint) => {
                plain(PlainOperation::InclusiveOr)
            }
            (AtomicFunction::Exchange { compare: Some(_) }, Kind::Sint | Kind::Uint) => result
                .map(Self::CompareExchange)
                .ok_or_else(|| Unsupported("an exchange without result".to_owned())),
            (other, kind) => {
                Err(Unsupported(format!("atomic {other:?} on words of kind {kind:?}")))
            }
        }
    }
}

impl Body<'_> {
    /// Builds the function that executes `operation` on the word at `base`, and adds the function's arguments.
    pub(super) fn atomic(
        mut self,
        root: &ExplicitBlock,
        base: Handle<Expression>,
        operation: Operation,
        scalar: Scalar,
    ) -> Function {
        let ty = self.builder.insert_type(TypeInner::Scalar(scalar));
        let compare = matches!(operation, Operation::CompareExchange(_))
            .then(|| self.argument("compare", ty));
        let value = self.argument("value", ty);
        let pointer = self.word(root, base, 0);
        match (operation, compare) {
            (Operation::Plain(operation), _) => self.plain(pointer, operation, scalar, value),
            (Operation::Loop(operation), _) => self.retry(pointer, operation, scalar, value),
            (Operation::CompareExchange(result), compare) => {
                let compare = compare.unwrap_or(value);
                let compare = self.cast(compare, scalar.kind, Kind::Uint);
                let value = self.cast(value, scalar.kind, Kind::Uint);
                let pair = self.compare_exchange(pointer, compare, value);
                let (old, exchanged) = self.parts(pair);
                let old = self.cast(old, Kind::Uint, scalar.kind);
                let components = vec![old, exchanged];
                let pair = self.builder.compose(result, components);
                self.builder.finish_with(result, pair)
            }
        }
    }

    fn plain(
        mut self,
        pointer: Handle<Expression>,
        operation: PlainOperation,
        scalar: Scalar,
        value: Handle<Expression>,
    ) -> Function {
        let ty = self.builder.scalar_type(ScalarKind::U32);
        let value = self.cast(value, scalar.kind, Kind::Uint);
        let result = self.builder.emit(Expression::AtomicResult { ty, comparison: false });
        let fun = operation.naga();
        self.builder.push(Statement::Atomic { pointer, fun, value, result: Some(result) });
        let old = self.cast(result, Kind::Uint, scalar.kind);
        let ty = self.builder.insert_type(TypeInner::Scalar(scalar));
        self.builder.finish_with(ty, old)
    }

    /// Emits `loop { seen = *word; if *word == seen { *word = operation(seen, value); break } }`, with the comparison
    /// and the store as one atomic operation.
    fn retry(
        mut self,
        pointer: Handle<Expression>,
        operation: LoopOperation,
        scalar: Scalar,
        value: Handle<Expression>,
    ) -> Function {
        let word = self.builder.scalar_type(ScalarKind::U32);
        let seen = self.builder.local("seen", word);

        self.builder.open_block();
        let old = self.builder.load(pointer);
        self.builder.store(seen, old);
        let current = self.cast(old, Kind::Uint, scalar.kind);
        let new = match operation {
            LoopOperation::Add => self.builder.binary(BinaryOperator::Add, current, value),
            LoopOperation::Min => self.builder.math(MathFunction::Min, &[current, value]),
            LoopOperation::Max => self.builder.math(MathFunction::Max, &[current, value]),
        };
        let new = self.cast(new, scalar.kind, Kind::Uint);
        let pair = self.compare_exchange(pointer, old, new);
        let (_, exchanged) = self.parts(pair);
        let leave = Block::from_vec(vec![Statement::Break]);
        self.builder.push(Statement::If {
            condition: exchanged,
            accept: leave,
            reject: Block::new(),
        });
        let body = self.builder.close_block();
        let continuing = Block::new();
        self.builder.push(Statement::Loop { body, continuing, break_if: None });

        let old = self.builder.load(seen);
        let old = self.cast(old, Kind::Uint, scalar.kind);
        let ty = self.builder.insert_type(TypeInner::Scalar(scalar));
        self.builder.finish_with(ty, old)
    }

    fn compare_exchange(
        &mut self,
        pointer: Handle<Expression>,
        compare: Handle<Expression>,
        value: Handle<Expression>,
    ) -> Handle<Expression> {
        let kind = PredeclaredType::AtomicCompareExchangeWeakResult(Scalar::U32);
        let ty = self.builder.module.generate_predeclared_type(kind);
        let result = self.builder.emit(Expression::AtomicResult { ty, comparison: true });
        let fun = AtomicFunction::Exchange { compare: Some(compare) };
        self.builder.push(Statement::Atomic { pointer, fun, value, result: Some(result) });
        result
    }

    /// Splits the result of a compare-exchange into the old value and whether it was exchanged.
    fn parts(&mut self, pair: Handle<Expression>) -> (Handle<Expression>, Handle<Expression>) {
        let old = self.builder.part(pair, 0);
        (old, self.builder.part(pair, 1))
    }
}

impl PlainOperation {
    const fn naga(self) -> AtomicFunction {
        match self {
            Self::Add => AtomicFunction::Add,
            Self::Subtract => AtomicFunction::Subtract,
            Self::And => AtomicFunction::And,
            Self::ExclusiveOr => AtomicFunction::ExclusiveOr,
            Self::InclusiveOr => AtomicFunction::InclusiveOr,
            Self::Min => AtomicFunction::Min,
            Self::Max => AtomicFunction::Max,
            Self::Exchange => AtomicFunction::Exchange { compare: None },
        }
    }
}
