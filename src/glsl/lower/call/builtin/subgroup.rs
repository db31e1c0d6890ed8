//! Subgroup functions (`GL_KHR_shader_subgroup`) that naga supports.
//!
//! naga gathers only numbers, so booleans are gathered as integers. A ballot is a `uvec4` with a bit for each
//! invocation.

#![expect(clippy::unnecessary_wraps, reason = "all functions of the table have one signature")]

use naga::{
    Barrier, BinaryOperator, CollectiveOperation, Direction, Expression, GatherMode, Literal,
    MathFunction, RelationalFunction, Statement, SubgroupOperation,
};

use crate::lower::body::Body;
use crate::lower::operand::Value;
use crate::lower::types::{Kind, Shape};
use crate::lower::{Result, unsupported};
use ir::source::Span;
use ir::stage::ShaderStage;

use super::{Call, Row};

/// The functions of this file.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row::custom("subgroupBarrier", "void()", barrier),
    Row::custom("subgroupMemoryBarrier", "void()", barrier),
    Row::custom("subgroupMemoryBarrierBuffer", "void()", barrier),
    Row::custom("subgroupMemoryBarrierShared", "void()", barrier),
    Row::custom("subgroupMemoryBarrierImage", "void()", barrier),
    Row::custom("subgroupElect", "bool()", elect),
    Row::custom("subgroupAll", "bool(bool)", vote),
    Row::custom("subgroupAny", "bool(bool)", vote),
    Row::custom("subgroupAllEqual", "bool(genF)", all_equal),
    Row::custom("subgroupAllEqual", "bool(genI)", all_equal),
    Row::custom("subgroupAllEqual", "bool(genU)", all_equal),
    Row::custom("subgroupAllEqual", "bool(genB)", all_equal),
    Row::custom("subgroupBallot", "uvec4(bool)", ballot),
    Row::custom("subgroupInverseBallot", "bool(uvec4)", is_own_bit_set),
    Row::custom("subgroupBallotBitExtract", "bool(uvec4, uint)", is_bit_set),
    Row::custom("subgroupBallotBitCount", "uint(uvec4)", count_bits),
    Row::custom("subgroupBallotInclusiveBitCount", "uint(uvec4)", count_bits),
    Row::custom("subgroupBallotExclusiveBitCount", "uint(uvec4)", count_bits),
    Row::custom("subgroupBallotFindLSB", "uint(uvec4)", find_bit),
    Row::custom("subgroupBallotFindMSB", "uint(uvec4)", find_bit),
    Row::custom("subgroupBroadcastFirst", "genF(genF)", gather),
    Row::custom("subgroupBroadcastFirst", "genI(genI)", gather),
    Row::custom("subgroupBroadcastFirst", "genU(genU)", gather),
    Row::custom("subgroupBroadcastFirst", "genB(genB)", gather),
    Row::custom("subgroupBroadcast", "genF(genF, uint)", gather),
    Row::custom("subgroupBroadcast", "genI(genI, uint)", gather),
    Row::custom("subgroupBroadcast", "genU(genU, uint)", gather),
    Row::custom("subgroupBroadcast", "genB(genB, uint)", gather),
    Row::custom("subgroupShuffle", "genF(genF, uint)", gather),
    Row::custom("subgroupShuffle", "genI(genI, uint)", gather),
    Row::custom("subgroupShuffle", "genU(genU, uint)", gather),
    Row::custom("subgroupShuffle", "genB(genB, uint)", gather),
    Row::custom("subgroupShuffleXor", "genF(genF, uint)", gather),
    Row::custom("subgroupShuffleXor", "genI(genI, uint)", gather),
    Row::custom("subgroupShuffleXor", "genU(genU, uint)", gather),
    Row::custom("subgroupShuffleXor", "genB(genB, uint)", gather),
    Row::custom("subgroupShuffleUp", "genF(genF, uint)", gather),
    Row::custom("subgroupShuffleUp", "genI(genI, uint)", gather),
    Row::custom("subgroupShuffleUp", "genU(genU, uint)", gather),
    Row::custom("subgroupShuffleUp", "genB(genB, uint)", gather),
    Row::custom("subgroupShuffleDown", "genF(genF, uint)", gather),
    Row::custom("subgroupShuffleDown", "genI(genI, uint)", gather),
    Row::custom("subgroupShuffleDown", "genU(genU, uint)", gather),
    Row::custom("subgroupShuffleDown", "genB(genB, uint)", gather),
    Row::custom("subgroupQuadBroadcast", "genF(genF, uint)", gather),
    Row::custom("subgroupQuadBroadcast", "genI(genI, uint)", gather),
    Row::custom("subgroupQuadBroadcast", "genU(genU, uint)", gather),
    Row::custom("subgroupQuadBroadcast", "genB(genB, uint)", gather),
    Row::custom("subgroupQuadSwapHorizontal", "genF(genF)", gather),
    Row::custom("subgroupQuadSwapHorizontal", "genI(genI)", gather),
    Row::custom("subgroupQuadSwapHorizontal", "genU(genU)", gather),
    Row::custom("subgroupQuadSwapHorizontal", "genB(genB)", gather),
    Row::custom("subgroupQuadSwapVertical", "genF(genF)", gather),
    Row::custom("subgroupQuadSwapVertical", "genI(genI)", gather),
    Row::custom("subgroupQuadSwapVertical", "genU(genU)", gather),
    Row::custom("subgroupQuadSwapVertical", "genB(genB)", gather),
    Row::custom("subgroupQuadSwapDiagonal", "genF(genF)", gather),
    Row::custom("subgroupQuadSwapDiagonal", "genI(genI)", gather),
    Row::custom("subgroupQuadSwapDiagonal", "genU(genU)", gather),
    Row::custom("subgroupQuadSwapDiagonal", "genB(genB)", gather),
    Row::custom("subgroupAdd", "genF(genF)", reduce),
    Row::custom("subgroupAdd", "genI(genI)", reduce),
    Row::custom("subgroupAdd", "genU(genU)", reduce),
    Row::custom("subgroupMul", "genF(genF)", reduce),
    Row::custom("subgroupMul", "genI(genI)", reduce),
    Row::custom("subgroupMul", "genU(genU)", reduce),
    Row::custom("subgroupMin", "genF(genF)", reduce),
    Row::custom("subgroupMin", "genI(genI)", reduce),
    Row::custom("subgroupMin", "genU(genU)", reduce),
    Row::custom("subgroupMax", "genF(genF)", reduce),
    Row::custom("subgroupMax", "genI(genI)", reduce),
    Row::custom("subgroupMax", "genU(genU)", reduce),
    Row::custom("subgroupAnd", "genI(genI)", reduce),
    Row::custom("subgroupAnd", "genU(genU)", reduce),
    Row::custom("subgroupAnd", "genB(genB)", reduce),
    Row::custom("subgroupOr", "genI(genI)", reduce),
    Row::custom("subgroupOr", "genU(genU)", reduce),
    Row::custom("subgroupOr", "genB(genB)", reduce),
    Row::custom("subgroupXor", "genI(genI)", reduce),
    Row::custom("subgroupXor", "genU(genU)", reduce),
    Row::custom("subgroupXor", "genB(genB)", reduce),
    Row::custom("subgroupInclusiveAdd", "genF(genF)", reduce),
    Row::custom("subgroupInclusiveAdd", "genI(genI)", reduce),
    Row::custom("subgroupInclusiveAdd", "genU(genU)", reduce),
    Row::custom("subgroupInclusiveMul", "genF(genF)", reduce),
    Row::custom("subgroupInclusiveMul", "genI(genI)", reduce),
    Row::custom("subgroupInclusiveMul", "genU(genU)", reduce),
    Row::custom("subgroupExclusiveAdd", "genF(genF)", reduce),
    Row::custom("subgroupExclusiveAdd", "genI(genI)", reduce),
    Row::custom("subgroupExclusiveAdd", "genU(genU)", reduce),
    Row::custom("subgroupExclusiveMul", "genF(genF)", reduce),
    Row::custom("subgroupExclusiveMul", "genI(genI)", reduce),
    Row::custom("subgroupExclusiveMul", "genU(genU)", reduce),
];

/// Number of words in a ballot.
const BALLOT_WORDS: u32 = 4;

/// Emits a barrier in compute stages. naga has none in other stages.
fn barrier(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    if body.stage.stage != ShaderStage::Compute {
        return unsupported(call.span, call.name);
    }
    let memory = match call.name {
        "subgroupMemoryBarrierBuffer" => Barrier::STORAGE,
        "subgroupMemoryBarrierShared" => Barrier::WORK_GROUP,
        "subgroupMemoryBarrierImage" => Barrier::TEXTURE,
        _ => Barrier::STORAGE | Barrier::WORK_GROUP | Barrier::TEXTURE,
    };
    let statement = if call.name == "subgroupBarrier" {
        Statement::ControlBarrier(Barrier::SUB_GROUP)
    } else {
        Statement::MemoryBarrier(memory)
    };
    body.push(statement, call.span);
    Ok(None)
}

/// Emits `subgroupElect`, which is true in the first active invocation: the one whose number equals that of the first.
fn elect(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let own = body.subgroup_variable("gl_SubgroupInvocationID", call.span)?;
    let first = body.gathered(GatherMode::BroadcastFirst, own, call.span);
    Ok(Some(body.compare(BinaryOperator::Equal, own, first, call.span)))
}

fn vote(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [value] = call.values[..] else { return Ok(None) };
    let op =
        if call.name == "subgroupAny" { SubgroupOperation::Any } else { SubgroupOperation::All };
    Ok(Some(body.collective(op, CollectiveOperation::Reduce, value, call.span)))
}

/// Emits `subgroupAllEqual`: true if every active invocation has the value of the first.
fn all_equal(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [value] = call.values[..] else { return Ok(None) };
    let value = body.as_number(value, call.span);
    let first = body.gathered(GatherMode::BroadcastFirst, value, call.span);
    let mut same = body.compare(BinaryOperator::Equal, value, first, call.span);
    if let Shape::Vector(..) = body.shape(same.ty) {
        let fun = RelationalFunction::All;
        let all = Expression::Relational { fun, argument: same.handle };
        same = body.value(all, call.ty, call.span);
    }
    let op = SubgroupOperation::All;
    Ok(Some(body.collective(op, CollectiveOperation::Reduce, same, call.span)))
}

fn ballot(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [value] = call.values[..] else { return Ok(None) };
    let result = body.value(Expression::SubgroupBallotResult, call.ty, call.span);
    let predicate = Some(value.handle);
    body.push(Statement::SubgroupBallot { result: result.handle, predicate }, call.span);
    Ok(Some(result))
}

fn is_own_bit_set(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [ballot] = call.values[..] else { return Ok(None) };
    let own = body.subgroup_variable("gl_SubgroupInvocationID", call.span)?;
    Ok(Some(body.ballot_bit(ballot, own, call.span)))
}

fn is_bit_set(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [ballot, index] = call.values[..] else { return Ok(None) };
    Ok(Some(body.ballot_bit(ballot, index, call.span)))
}

/// Counts the bits of a ballot below the end of the subgroup, or up to the invocation's own bit, inclusive or
/// exclusive.
fn count_bits(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let ([ballot], span) = (&call.values[..], call.span) else { return Ok(None) };
    let end = match call.name {
        "subgroupBallotInclusiveBitCount" => {
            let own = body.subgroup_variable("gl_SubgroupInvocationID", span)?;
            let one = body.literal(Literal::U32(1), span);
            body.plain(BinaryOperator::Add, own, one, span)
        }
        "subgroupBallotExclusiveBitCount" => {
            body.subgroup_variable("gl_SubgroupInvocationID", span)?
        }
        _ => body.subgroup_variable("gl_SubgroupSize", span)?,
    };
    let mut count = body.literal(Literal::U32(0), span);
    for word in body.ballot_words(*ballot, end, span) {
        let bits = body.math(MathFunction::CountOneBits, &[word], word.ty, span);
        count = body.plain(BinaryOperator::Add, count, bits, span);
    }
    Ok(Some(count))
}

/// Finds the lowest or highest set bit of a ballot below the end of the subgroup.
fn find_bit(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let ([ballot], span) = (&call.values[..], call.span) else { return Ok(None) };
    let is_lowest = call.name == "subgroupBallotFindLSB";
    let fun =
        if is_lowest { MathFunction::FirstTrailingBit } else { MathFunction::FirstLeadingBit };
    let end = body.subgroup_variable("gl_SubgroupSize", span)?;
    let mut words: Vec<_> = (0..).zip(body.ballot_words(*ballot, end, span)).collect();
    // The word that has priority is selected last.
    if is_lowest {
        words.reverse();
    }
    let zero = body.literal(Literal::U32(0), span);
    let mut found = zero;
    for (idx, word) in words {
        let bit = body.math(fun, &[word], word.ty, span);
        let first = body.literal(Literal::U32(32 * idx), span);
        let bit = body.plain(BinaryOperator::Add, first, bit, span);
        let is_empty = body.compare(BinaryOperator::Equal, word, zero, span);
        found = body.choose(is_empty, found, bit, span);
    }
    Ok(Some(found))
}

fn gather(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [value, ref index @ ..] = call.values[..] else { return Ok(None) };
    let index = index.first().copied();
    let known = index.and_then(|index| body.evaluate(index.handle));
    let known = known.and_then(|known| u32::try_from(*known.bits.first()?).ok());
    let constant = known.map(|known| body.literal(Literal::U32(known), call.span).handle);
    let mode = match (call.name, index.map(|index| index.handle), constant) {
        ("subgroupBroadcast", _, Some(index)) => GatherMode::Broadcast(index),
        // naga broadcasts only from a constant invocation.
        ("subgroupBroadcast" | "subgroupShuffle", Some(index), _) => GatherMode::Shuffle(index),
        ("subgroupShuffleXor", Some(index), _) => GatherMode::ShuffleXor(index),
        ("subgroupShuffleUp", Some(index), _) => GatherMode::ShuffleUp(index),
        ("subgroupShuffleDown", Some(index), _) => GatherMode::ShuffleDown(index),
        ("subgroupQuadBroadcast", _, Some(index)) => GatherMode::QuadBroadcast(index),
        ("subgroupQuadBroadcast", _, None) => {
            return unsupported(call.span, "subgroupQuadBroadcast with an index that varies");
        }
        ("subgroupQuadSwapHorizontal", ..) => GatherMode::QuadSwap(Direction::X),
        ("subgroupQuadSwapVertical", ..) => GatherMode::QuadSwap(Direction::Y),
        ("subgroupQuadSwapDiagonal", ..) => GatherMode::QuadSwap(Direction::Diagonal),
        _ => GatherMode::BroadcastFirst,
    };
    let number = body.as_number(value, call.span);
    let gathered = body.gathered(mode, number, call.span);
    Ok(Some(body.as_kind_of(value, gathered, call.span)))
}

fn reduce(body: &mut Body<'_, '_>, call: &Call) -> Result<Option<Value>> {
    let [value] = call.values[..] else { return Ok(None) };
    let name = call.name.strip_prefix("subgroup").unwrap_or(call.name);
    let (way, name) = match (name.strip_prefix("Inclusive"), name.strip_prefix("Exclusive")) {
        (Some(name), _) => (CollectiveOperation::InclusiveScan, name),
        (None, Some(name)) => (CollectiveOperation::ExclusiveScan, name),
        (None, None) => (CollectiveOperation::Reduce, name),
    };
    let op = match name {
        "Add" => SubgroupOperation::Add,
        "Mul" => SubgroupOperation::Mul,
        "Min" => SubgroupOperation::Min,
        "Max" => SubgroupOperation::Max,
        "And" => SubgroupOperation::And,
        "Or" => SubgroupOperation::Or,
        _ => SubgroupOperation::Xor,
    };
    let number = body.as_number(value, call.span);
    let reduced = body.collective(op, way, number, call.span);
    Ok(Some(body.as_kind_of(value, reduced, call.span)))
}

impl Body<'_, '_> {
    /// Reads a built-in variable of subgroups.
    fn subgroup_variable(&mut self, name: &str, span: Span) -> Result<Value> {
        match self.builtin_variable(name, span)? {
            Some(operand) => self.value_of(&operand, span),
            None => unsupported(span, name),
        }
    }

    /// Converts booleans to integers; other values are unchanged.
    fn as_number(&mut self, value: Value, span: Span) -> Value {
        match self.shape(value.ty).kind() {
            Some(Kind::Bool) => self.convert(value, Kind::Uint, span),
            _ => value,
        }
    }

    /// Converts `number` back to the kind of `like`.
    fn as_kind_of(&mut self, like: Value, number: Value, span: Span) -> Value {
        match self.shape(like.ty).kind() {
            Some(Kind::Bool) => self.convert(number, Kind::Bool, span),
            _ => number,
        }
    }

    fn gathered(&mut self, mode: GatherMode, value: Value, span: Span) -> Value {
        let ty = value.ty;
        let result = self.value(Expression::SubgroupOperationResult { ty }, ty, span);
        let (argument, given) = (value.handle, result.handle);
        self.push(Statement::SubgroupGather { mode, argument, result: given }, span);
        result
    }

    fn collective(
        &mut self,
        op: SubgroupOperation,
        collective_op: CollectiveOperation,
        value: Value,
        span: Span,
    ) -> Value {
        let ty = value.ty;
        let result = self.value(Expression::SubgroupOperationResult { ty }, ty, span);
        let (argument, given) = (value.handle, result.handle);
        let statement =
            Statement::SubgroupCollectiveOperation { op, collective_op, argument, result: given };
        self.push(statement, span);
        result
    }

    /// Tests whether the bit of an invocation is set in a ballot.
    fn ballot_bit(&mut self, ballot: Value, invocation: Value, span: Span) -> Value {
        let [five, low, one, zero] =
            [5, 31, 1, 0].map(|number| self.literal(Literal::U32(number), span));
        let word = self.plain(BinaryOperator::ShiftRight, invocation, five, span);
        let access = Expression::Access { base: ballot.handle, index: word.handle };
        let word = self.value(access, invocation.ty, span);
        let bit = self.plain(BinaryOperator::And, invocation, low, span);
        let bit = self.plain(BinaryOperator::ShiftRight, word, bit, span);
        let bit = self.plain(BinaryOperator::And, bit, one, span);
        self.compare(BinaryOperator::NotEqual, bit, zero, span)
    }

    /// The words of a ballot without the bits from `end` on.
    fn ballot_words(&mut self, ballot: Value, end: Value, span: Span) -> Vec<Value> {
        let [last, full, one, all] =
            [31, 32, 1, u32::MAX].map(|number| self.literal(Literal::U32(number), span));
        let mut words = Vec::new();
        for idx in 0..BALLOT_WORDS {
            let first = self.literal(Literal::U32(32 * idx), span);
            let end = self.math(MathFunction::Max, &[end, first], end.ty, span);
            let count = self.plain(BinaryOperator::Subtract, end, first, span);
            let shift = self.math(MathFunction::Min, &[count, last], end.ty, span);
            let mask = self.plain(BinaryOperator::ShiftLeft, one, shift, span);
            let mask = self.plain(BinaryOperator::Subtract, mask, one, span);
            let is_full = self.compare(BinaryOperator::GreaterEqual, count, full, span);
            let mask = self.choose(is_full, all, mask, span);
            let word = self.part(ballot, idx, span);
            words.push(self.plain(BinaryOperator::And, word, mask, span));
        }
        words
    }
}
