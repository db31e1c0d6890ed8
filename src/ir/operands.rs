//! The operands of naga's expressions and statements, and the blocks inside statements.

pub mod renumber;

use naga::{
    AtomicFunction, Block, Expression, GatherMode, Handle, ImageQuery, Range, RayPipelineFunction,
    RayQueryFunction, SampleLevel, Statement,
};

/// An operand of a statement.
#[derive(Debug)]
pub enum Operand<'a> {
    /// The expressions that are evaluated here.
    Emitted(&'a mut Range<Expression>),
    /// An expression whose value is read.
    Read(&'a mut Handle<Expression>),
    /// The pointer of a plain store.
    Stored(&'a mut Handle<Expression>),
    /// The expression that holds the result.
    Result(&'a mut Handle<Expression>),
}

/// The operands of `expression`.
pub fn of_expression(expression: &mut Expression) -> Vec<&mut Handle<Expression>> {
    match expression {
        Expression::Literal(_)
        | Expression::Constant(_)
        | Expression::Override(_)
        | Expression::ZeroValue(_)
        | Expression::FunctionArgument(_)
        | Expression::GlobalVariable(_)
        | Expression::LocalVariable(_)
        | Expression::CallResult(_)
        | Expression::AtomicResult { .. }
        | Expression::WorkGroupUniformLoadResult { .. }
        | Expression::RayQueryProceedResult
        | Expression::SubgroupBallotResult
        | Expression::SubgroupOperationResult { .. } => Vec::new(),
        Expression::Compose { components, .. } => components.iter_mut().collect(),
        Expression::Access { base, index } => vec![base, index],
        Expression::AccessIndex { base: operand, .. }
        | Expression::Splat { value: operand, .. }
        | Expression::Swizzle { vector: operand, .. }
        | Expression::Load { pointer: operand }
        | Expression::Unary { expr: operand, .. }
        | Expression::Derivative { expr: operand, .. }
        | Expression::Relational { argument: operand, .. }
        | Expression::As { expr: operand, .. }
        | Expression::ArrayLength(operand)
        | Expression::RayQueryVertexPositions { query: operand, .. }
        | Expression::RayQueryGetIntersection { query: operand, .. } => vec![operand],
        Expression::Binary { left, right, .. } => vec![left, right],
        Expression::Select { condition, accept, reject } => vec![condition, accept, reject],
        Expression::Math { arg, arg1, arg2, arg3, .. } => with([arg], [arg1, arg2, arg3]),
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
            let mut all = with([image, sampler, coordinate], [array_index, offset, depth_ref]);
            match level {
                SampleLevel::Auto | SampleLevel::Zero => {}
                SampleLevel::Exact(level) | SampleLevel::Bias(level) => all.push(level),
                SampleLevel::Gradient { x, y } => all.extend([x, y]),
            }
            all
        }
        Expression::ImageLoad { image, coordinate, array_index, sample, level } => {
            with([image, coordinate], [array_index, sample, level])
        }
        Expression::ImageQuery { image, query: ImageQuery::Size { level } } => {
            with([image], [level])
        }
        Expression::ImageQuery { image, .. } => vec![image],
        Expression::CooperativeLoad { data, .. } => vec![&mut data.pointer, &mut data.stride],
        Expression::CooperativeMultiplyAdd { a, b, c } => vec![a, b, c],
    }
}

fn with<'a, const N: usize, const M: usize>(
    operands: [&'a mut Handle<Expression>; N],
    optional: [&'a mut Option<Handle<Expression>>; M],
) -> Vec<&'a mut Handle<Expression>> {
    operands.into_iter().chain(optional.into_iter().flatten()).collect()
}

/// The operands of every statement in `block`, nested ones included.
pub fn of_block(block: &mut Block) -> Vec<Operand<'_>> {
    let mut all = Vec::new();
    add_block(block, &mut all);
    all
}

/// Calls `visit` for every expression that the statements in `block` read, nested ones included.
pub fn read_by_block(block: &Block, visit: impl FnMut(Handle<Expression>)) {
    let mut copy = block.clone();
    let read = of_block(&mut copy).into_iter().filter_map(|found| match found {
        Operand::Read(operand) => Some(*operand),
        Operand::Emitted(_) | Operand::Stored(_) | Operand::Result(_) => None,
    });
    read.for_each(visit);
}

#[expect(clippy::wildcard_enum_match_arm, reason = "`of_simple` lists all others")]
fn add_block<'a>(block: &'a mut Block, all: &mut Vec<Operand<'a>>) {
    for statement in block.iter_mut() {
        match statement {
            Statement::Emit(range) => all.push(Operand::Emitted(range)),
            Statement::Block(block) => add_block(block, all),
            Statement::If { condition, accept, reject } => {
                all.push(Operand::Read(condition));
                add_block(accept, all);
                add_block(reject, all);
            }
            Statement::Switch { selector, cases } => {
                all.push(Operand::Read(selector));
                for case in cases {
                    add_block(&mut case.body, all);
                }
            }
            Statement::Loop { body, continuing, break_if } => {
                add_block(body, all);
                add_block(continuing, all);
                all.extend(break_if.as_mut().map(Operand::Read));
            }
            Statement::Store { pointer, value } => {
                all.extend([Operand::Stored(pointer), Operand::Read(value)]);
            }
            other => {
                let (read, result) = of_simple(other);
                all.extend(read.into_iter().map(Operand::Read));
                all.extend(result.map(Operand::Result));
            }
        }
    }
}

/// The operands that a statement reads, and its result.
type ReadAndResult<'a> = (Vec<&'a mut Handle<Expression>>, Option<&'a mut Handle<Expression>>);

fn of_simple(statement: &mut Statement) -> ReadAndResult<'_> {
    match statement {
        Statement::Return { value } => (with([], [value]), None),
        Statement::ImageStore { image, coordinate, array_index, value } => {
            (with([image, coordinate, value], [array_index]), None)
        }
        Statement::ImageAtomic { image, coordinate, array_index, fun, value } => {
            let mut all = with([image, coordinate, value], [array_index]);
            all.extend(compared(fun));
            (all, None)
        }
        Statement::Atomic { pointer, fun, value, result } => {
            let mut all = vec![pointer, value];
            all.extend(compared(fun));
            (all, result.as_mut())
        }
        Statement::WorkGroupUniformLoad { pointer, result } => (vec![pointer], Some(result)),
        Statement::Call { arguments, result, .. } => {
            (arguments.iter_mut().collect(), result.as_mut())
        }
        Statement::SubgroupBallot { predicate, result } => (with([], [predicate]), Some(result)),
        Statement::SubgroupGather { argument, mode, result } => {
            let mut all = vec![argument];
            all.extend(lane(mode));
            (all, Some(result))
        }
        Statement::SubgroupCollectiveOperation { argument, result, .. } => {
            (vec![argument], Some(result))
        }
        Statement::CooperativeStore { target, data } => {
            (vec![target, &mut data.pointer, &mut data.stride], None)
        }
        Statement::RayQuery { query, fun } => of_ray_query(query, fun),
        Statement::RayPipelineFunction(RayPipelineFunction::TraceRay {
            acceleration_structure,
            descriptor,
            payload,
        }) => (vec![acceleration_structure, descriptor, payload], None),
        Statement::Emit(_)
        | Statement::Block(_)
        | Statement::If { .. }
        | Statement::Switch { .. }
        | Statement::Loop { .. }
        | Statement::Store { .. }
        | Statement::Break
        | Statement::Continue
        | Statement::Kill
        | Statement::ControlBarrier(_)
        | Statement::MemoryBarrier(_) => (Vec::new(), None),
    }
}

fn of_ray_query<'a>(
    query: &'a mut Handle<Expression>,
    fun: &'a mut RayQueryFunction,
) -> ReadAndResult<'a> {
    match fun {
        RayQueryFunction::Initialize { acceleration_structure, descriptor } => {
            (vec![query, acceleration_structure, descriptor], None)
        }
        RayQueryFunction::Proceed { result } => (vec![query], Some(result)),
        RayQueryFunction::GenerateIntersection { hit_t } => (vec![query, hit_t], None),
        RayQueryFunction::ConfirmIntersection | RayQueryFunction::Terminate => (vec![query], None),
    }
}

const fn compared(fun: &mut AtomicFunction) -> Option<&mut Handle<Expression>> {
    match fun {
        AtomicFunction::Exchange { compare } => compare.as_mut(),
        AtomicFunction::Add
        | AtomicFunction::Subtract
        | AtomicFunction::And
        | AtomicFunction::ExclusiveOr
        | AtomicFunction::InclusiveOr
        | AtomicFunction::Min
        | AtomicFunction::Max => None,
    }
}

const fn lane(mode: &mut GatherMode) -> Option<&mut Handle<Expression>> {
    match mode {
        GatherMode::Broadcast(lane)
        | GatherMode::Shuffle(lane)
        | GatherMode::ShuffleDown(lane)
        | GatherMode::ShuffleUp(lane)
        | GatherMode::ShuffleXor(lane)
        | GatherMode::QuadBroadcast(lane) => Some(lane),
        GatherMode::BroadcastFirst | GatherMode::QuadSwap(_) => None,
    }
}

/// The blocks directly inside `statement`, without those nested in them.
#[expect(clippy::wildcard_enum_match_arm, reason = "no other statement has a block inside")]
pub fn blocks(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    }
}

/// The blocks directly inside `statement`, as mutable references.
#[expect(clippy::wildcard_enum_match_arm, reason = "no other statement has a block inside")]
pub fn blocks_mut(statement: &mut Statement) -> Vec<&mut Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter_mut().map(|case| &mut case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use naga::{Arena, CooperativeData, Literal, Span};

    use super::*;

    /// A handle for operand number `number`, for any expression or statement.
    fn handle(number: usize) -> Handle<Expression> {
        let mut arena = Arena::new();
        let mut append = || arena.append(Expression::Literal(Literal::U32(0)), Span::UNDEFINED);
        for _ in 0..number {
            append();
        }
        append()
    }

    #[track_caller]
    fn check(mut expression: Expression, expected: &[usize]) {
        let operands = of_expression(&mut expression).into_iter();
        let mut visited: Vec<_> = operands.map(|operand| operand.index()).collect();
        visited.sort_unstable();
        assert_eq!(visited, expected, "{expression:?}");
    }

    #[track_caller]
    fn check_statement(statement: Statement, expected: &[usize]) {
        let mut visited = Vec::new();
        let block = Block::from_vec(vec![statement]);
        read_by_block(&block, |operand| visited.push(operand.index()));
        visited.sort_unstable();
        assert_eq!(visited, expected, "{block:?}");
    }

    #[test]
    fn every_operand_of_a_texture_is_one() {
        let sample = |level| Expression::ImageSample {
            image: handle(0),
            sampler: handle(1),
            gather: None,
            coordinate: handle(2),
            array_index: Some(handle(3)),
            offset: Some(handle(4)),
            level,
            depth_ref: Some(handle(5)),
            clamp_to_edge: false,
        };
        check(sample(SampleLevel::Auto), &[0, 1, 2, 3, 4, 5]);
        check(sample(SampleLevel::Exact(handle(6))), &[0, 1, 2, 3, 4, 5, 6]);
        check(sample(SampleLevel::Bias(handle(6))), &[0, 1, 2, 3, 4, 5, 6]);
        let gradient = SampleLevel::Gradient { x: handle(6), y: handle(7) };
        check(sample(gradient), &[0, 1, 2, 3, 4, 5, 6, 7]);
        let query = ImageQuery::Size { level: Some(handle(1)) };
        check(Expression::ImageQuery { image: handle(0), query }, &[0, 1]);
    }

    #[test]
    fn every_operand_of_a_matrix_in_memory_is_one() {
        let data = CooperativeData { pointer: handle(0), stride: handle(1), row_major: false };
        let load = Expression::CooperativeLoad {
            columns: naga::CooperativeSize::Eight,
            rows: naga::CooperativeSize::Eight,
            role: naga::CooperativeRole::A,
            data,
        };
        check(load, &[0, 1]);
        check_statement(Statement::CooperativeStore { target: handle(2), data }, &[0, 1, 2]);
    }

    /// The compare operand of an exchange is read, as is the value that it stores.
    #[test]
    fn every_operand_of_an_atomic_is_one() {
        let fun = AtomicFunction::Exchange { compare: Some(handle(0)) };
        let [pointer, value, image, coordinate] = [1, 2, 3, 4].map(handle);
        check_statement(Statement::Atomic { pointer, fun, value, result: None }, &[0, 1, 2]);
        let array_index = Some(handle(5));
        let atomic = Statement::ImageAtomic { image, coordinate, array_index, fun, value };
        check_statement(atomic, &[0, 2, 3, 4, 5]);
    }
}
