//! Matches interface blocks of two stages by block name.

use std::collections::BTreeSet;

use ir::diagnostic::Diagnostic;
use ir::interface::Variable;

use super::{LinkRules, place};

/// Checks the number and order of a block's members. The members themselves are compared elsewhere.
pub(super) fn check_blocks(
    outputs: &[Variable],
    inputs: &[Variable],
    rules: LinkRules,
    errors: &mut Vec<Diagnostic>,
) {
    let mut seen = BTreeSet::new();
    for input in inputs.iter().filter(|input| input.is_block_member) {
        let block = block_name(input);
        if !seen.insert(block) {
            continue;
        }
        let members = |variables: &[Variable]| -> Vec<String> {
            let own = variables
                .iter()
                .filter(|variable| variable.is_block_member && block_name(variable) == block);
            own.map(|variable| variable.name.clone()).collect()
        };
        let (written, read) = (members(outputs), members(inputs));
        if !written.is_empty() && written != read {
            let message = format!(
                "block `{block}` has the members {} in the {} stage but {} in the {} stage",
                member_list(&written),
                rules.producer,
                member_list(&read),
                rules.consumer
            );
            errors.push(Diagnostic::error(place(input), message));
        }
    }
}

/// The block of a variable: `Block` for `Block.member`, and for `Block[1].member`, because arrays of blocks must agree
/// in size.
fn block_name(variable: &Variable) -> &str {
    variable.name.split(['.', '[']).next().unwrap_or("")
}

fn member_list(names: &[String]) -> String {
    let short = |name: &String| {
        format!("`{}`", name.split_once('.').map_or(name.as_str(), |(_, member)| member))
    };
    names.iter().map(short).collect::<Vec<_>>().join(", ")
}
