//! Rewrites switches so that naga's SPIR-V writer emits the right branches.

use naga::{Block, Module, Span, Statement};

use ir::operands;

/// Gives every case that falls through a non-empty body, in switches where a case with a body falls through. naga's
/// SPIR-V writer counts only the cases with bodies but looks the next label up among all cases, so a body would fall
/// through to a wrong case or loop for ever.
pub(super) fn fill_cases(module: &mut Module) {
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    let entries = module.entry_points.iter_mut().map(|entry| &mut entry.function);
    for function in functions.chain(entries) {
        fill(&mut function.body);
    }
}

fn fill(block: &mut Block) {
    for statement in block.iter_mut() {
        if let Statement::Switch { cases, .. } = statement
            && cases.iter().any(|case| case.fall_through && !case.body.is_empty())
        {
            for case in cases.iter_mut().filter(|case| case.fall_through && case.body.is_empty()) {
                case.body.push(Statement::Block(Block::new()), Span::UNDEFINED);
            }
        }
        for inner in operands::blocks_mut(statement) {
            fill(inner);
        }
    }
}
