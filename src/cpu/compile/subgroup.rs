//! Compiles statements of subgroups.

use arithmetic::BinaryFunction;
use naga::{
    CollectiveOperation, Direction, Expression, GatherMode, Handle, Statement, SubgroupOperation,
};

use super::emit::check_binary;
use super::expression::Vector;
use super::function::{FunctionCompiler, Value};
use super::{Result, not_implemented};
use crate::code::{Op, Register, Source, SubgroupOp};

impl FunctionCompiler<'_, '_> {
    pub(super) fn subgroup(&mut self, statement: &Statement) -> Result<()> {
        match *statement {
            Statement::SubgroupBallot { result, predicate } => self.ballot(result, predicate),
            Statement::SubgroupGather { mode, argument, result } => {
                self.gather(mode, argument, result)
            }
            Statement::SubgroupCollectiveOperation { op, collective_op, argument, result } => {
                self.collective(op, collective_op, argument, result)
            }
            _ => not_implemented("such operations of subgroups"),
        }
    }

    fn ballot(
        &mut self,
        result: Handle<Expression>,
        predicate: Option<Handle<Expression>>,
    ) -> Result<()> {
        let predicate = predicate.map(|predicate| self.register(predicate)).transpose()?;
        let to = self.target(result)?;
        self.compiler.emit_body(Op::Subgroup(SubgroupOp::Ballot { to, predicate }))
    }

    fn gather(
        &mut self,
        mode: GatherMode,
        argument: Handle<Expression>,
        result: Handle<Expression>,
    ) -> Result<()> {
        let mode = match mode {
            GatherMode::BroadcastFirst => Source::First,
            GatherMode::Broadcast(at) | GatherMode::Shuffle(at) | GatherMode::QuadBroadcast(at) => {
                Source::At(self.register(at)?)
            }
            GatherMode::ShuffleDown(by) => Source::Above(self.register(by)?),
            GatherMode::ShuffleUp(by) => Source::Below(self.register(by)?),
            GatherMode::ShuffleXor(by) => Source::Across(self.register(by)?),
            GatherMode::QuadSwap(Direction::X) => Source::Neighbour(1),
            GatherMode::QuadSwap(Direction::Y) => Source::Neighbour(2),
            GatherMode::QuadSwap(Direction::Diagonal) => Source::Neighbour(3),
        };
        let (from, words) = (self.register(argument)?, self.words_of(argument)?);
        let to = self.target(result)?;
        self.compiler.emit_body(Op::Subgroup(SubgroupOp::Gather { mode, to, from, words }))
    }

    fn collective(
        &mut self,
        operation: SubgroupOperation,
        way: CollectiveOperation,
        argument: Handle<Expression>,
        result: Handle<Expression>,
    ) -> Result<()> {
        let function = match operation {
            SubgroupOperation::All | SubgroupOperation::And => BinaryFunction::And,
            SubgroupOperation::Any | SubgroupOperation::Or => BinaryFunction::InclusiveOr,
            SubgroupOperation::Add => BinaryFunction::Add,
            SubgroupOperation::Mul => BinaryFunction::Multiply,
            SubgroupOperation::Min => BinaryFunction::Min,
            SubgroupOperation::Max => BinaryFunction::Max,
            SubgroupOperation::Xor => BinaryFunction::ExclusiveOr,
        };
        let Vector { at: from, kind, count } = self.vector(argument)?;
        check_binary(function, kind)?;
        let to = self.target(result)?;
        let op = SubgroupOp::Collective { function, way, kind, to, from, count };
        self.compiler.emit_body(Op::Subgroup(op))
    }

    /// Allocates registers for the result of a statement.
    fn target(&mut self, result: Handle<Expression>) -> Result<Register> {
        let to = self.compiler.allocate(self.words_of(result)?)?;
        self.set(result, Value::Registers(to));
        Ok(to)
    }
}
