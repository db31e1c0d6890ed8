//! The operands of naga's expressions and statements.

use naga::{Block, Expression, Handle, SampleLevel, Statement};

/// Calls `visit` for every operand of `expression`.
pub(crate) fn of_expression(expression: &Expression, visit: &mut dyn FnMut(Handle<Expression>)) {
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
        | Expression::SubgroupOperationResult { .. } => {}
        Expression::Compose { components, .. } => components.iter().copied().for_each(visit),
        Expression::Access { base, index } => [*base, *index].into_iter().for_each(visit),
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
        | Expression::RayQueryGetIntersection { query: operand, .. } => visit(*operand),
        Expression::Binary { left, right, .. } => [*left, *right].into_iter().for_each(visit),
        Expression::Select { condition, accept, reject } => {
            [*condition, *accept, *reject].into_iter().for_each(visit);
        }
        Expression::Math { arg, arg1, arg2, arg3, .. } => {
            [Some(*arg), *arg1, *arg2, *arg3].into_iter().flatten().for_each(visit);
        }
        Expression::ImageSample { .. }
        | Expression::ImageLoad { .. }
        | Expression::ImageQuery { .. } => of_image(expression, visit),
        Expression::CooperativeLoad { data, .. } => {
            [data.pointer, data.stride].into_iter().for_each(visit);
        }
        Expression::CooperativeMultiplyAdd { a, b, c } => {
            [*a, *b, *c].into_iter().for_each(visit);
        }
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the caller passes the image expressions only")]
fn of_image(expression: &Expression, visit: &mut dyn FnMut(Handle<Expression>)) {
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
            let plain = [Some(*image), Some(*sampler), Some(*coordinate)];
            let optional = [*array_index, *offset, *depth_ref];
            let levels = match level {
                SampleLevel::Auto | SampleLevel::Zero => [None, None],
                SampleLevel::Exact(level) | SampleLevel::Bias(level) => [Some(*level), None],
                SampleLevel::Gradient { x, y } => [Some(*x), Some(*y)],
            };
            plain.into_iter().chain(optional).chain(levels).flatten().for_each(visit);
        }
        Expression::ImageLoad { image, coordinate, array_index, sample, level } => {
            let all = [Some(*image), Some(*coordinate), *array_index, *sample, *level];
            all.into_iter().flatten().for_each(visit);
        }
        Expression::ImageQuery { image, query } => {
            visit(*image);
            if let naga::ImageQuery::Size { level: Some(level) } = query {
                visit(*level);
            }
        }
        _ => {}
    }
}

/// Calls `visit` for every operand of every statement in `block`, nested ones included, except the pointers that
/// plain stores write through.
pub(crate) fn read_by_block(block: &Block, visit: &mut dyn FnMut(Handle<Expression>)) {
    for statement in block {
        read_by_statement(statement, visit);
    }
}

fn read_by_statement(statement: &Statement, visit: &mut dyn FnMut(Handle<Expression>)) {
    match statement {
        Statement::Block(block) => read_by_block(block, visit),
        Statement::If { condition, accept, reject } => {
            visit(*condition);
            read_by_block(accept, visit);
            read_by_block(reject, visit);
        }
        Statement::Switch { selector, cases } => {
            visit(*selector);
            for case in cases {
                read_by_block(&case.body, visit);
            }
        }
        Statement::Loop { body, continuing, break_if } => {
            read_by_block(body, visit);
            read_by_block(continuing, visit);
            break_if.iter().copied().for_each(visit);
        }
        Statement::Return { value } => value.iter().copied().for_each(visit),
        Statement::Store { value, .. } => visit(*value),
        Statement::ImageStore { image, coordinate, array_index, value } => {
            visit(*image);
            array_index.iter().copied().for_each(&mut *visit);
            [*coordinate, *value].into_iter().for_each(visit);
        }
        Statement::ImageAtomic { image, coordinate, array_index, fun, value } => {
            array_index.iter().copied().for_each(&mut *visit);
            compared(*fun).into_iter().for_each(&mut *visit);
            [*image, *coordinate, *value].into_iter().for_each(visit);
        }
        Statement::Atomic { pointer, fun, value, .. } => {
            compared(*fun).into_iter().for_each(&mut *visit);
            [*pointer, *value].into_iter().for_each(visit);
        }
        Statement::WorkGroupUniformLoad { pointer, .. } => visit(*pointer),
        Statement::Call { arguments, .. } => arguments.iter().copied().for_each(visit),
        Statement::SubgroupBallot { predicate, .. } => predicate.iter().copied().for_each(visit),
        Statement::SubgroupGather { argument, .. }
        | Statement::SubgroupCollectiveOperation { argument, .. } => visit(*argument),
        Statement::CooperativeStore { target, data } => {
            [*target, data.pointer, data.stride].into_iter().for_each(visit);
        }
        Statement::RayQuery { query, .. } => visit(*query),
        Statement::Emit(_)
        | Statement::Break
        | Statement::Continue
        | Statement::Kill
        | Statement::ControlBarrier(_)
        | Statement::MemoryBarrier(_)
        | Statement::RayPipelineFunction(_) => {}
    }
}

const fn compared(fun: naga::AtomicFunction) -> Option<Handle<Expression>> {
    match fun {
        naga::AtomicFunction::Exchange { compare } => compare,
        naga::AtomicFunction::Add
        | naga::AtomicFunction::Subtract
        | naga::AtomicFunction::And
        | naga::AtomicFunction::ExclusiveOr
        | naga::AtomicFunction::InclusiveOr
        | naga::AtomicFunction::Min
        | naga::AtomicFunction::Max => None,
    }
}

#[cfg(test)]
mod tests {
    use naga::{Arena, CooperativeData, Literal, Span};

    use super::*;

    /// Operand number n, for any expression or statement.
    fn handle(number: usize) -> Handle<Expression> {
        let mut arena = Arena::new();
        let mut append = || arena.append(Expression::Literal(Literal::U32(0)), Span::UNDEFINED);
        for _ in 0..number {
            append();
        }
        append()
    }

    #[track_caller]
    fn check(expression: Expression, expected: &[usize]) {
        let mut visited = Vec::new();
        of_expression(&expression, &mut |operand| visited.push(operand.index()));
        visited.sort_unstable();
        assert_eq!(visited, expected, "{expression:?}");
    }

    #[track_caller]
    fn check_statement(statement: Statement, expected: &[usize]) {
        let mut visited = Vec::new();
        let block = Block::from_vec(vec![statement]);
        read_by_block(&block, &mut |operand| visited.push(operand.index()));
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
        let query = naga::ImageQuery::Size { level: Some(handle(1)) };
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

    /// The compare operand of an exchange is read, like the value that it stores.
    #[test]
    fn every_operand_of_an_atomic_is_one() {
        let fun = naga::AtomicFunction::Exchange { compare: Some(handle(0)) };
        let [pointer, value, image, coordinate] = [1, 2, 3, 4].map(handle);
        check_statement(Statement::Atomic { pointer, fun, value, result: None }, &[0, 1, 2]);
        let array_index = Some(handle(5));
        let atomic = Statement::ImageAtomic { image, coordinate, array_index, fun, value };
        check_statement(atomic, &[0, 2, 3, 4, 5]);
    }
}
