//! The rule of OpenGL ES for the interface between two separable programs: they match exactly, or the pipeline is invalid
//! and draws nothing (OpenGL ES 3.2 sections 7.4.1 and 11.1.3.11). Desktop GL only leaves inputs undefined.

use ir::diagnostic::Diagnostic;
use ir::interface::Variable;

use super::block_of;
use crate::match_up::LinkRules;

/// The first version of GLSL ES for separable programs.
const FIRST_VERSION: u16 = 310;

/// Errors about the declared outputs and inputs of two stages of GLSL ES, used or not. No errors in other languages.
pub(crate) fn check(
    outputs: &[Variable],
    inputs: &[Variable],
    rules: LinkRules,
) -> Result<(), Vec<Diagnostic>> {
    if !rules.is_es || rules.version < FIRST_VERSION {
        return Ok(());
    }
    let [outputs, inputs] = [outputs, inputs].map(declared);
    let unread = outputs.iter().filter(|output| !inputs.iter().any(|input| meet(output, input)));
    let unread = unread.map(|output| missing(output, "input", rules.consumer));
    let of_inputs =
        inputs.iter().filter_map(|input| match outputs.iter().find(|output| meet(output, input)) {
            None => Some(missing(input, "output", rules.producer)),
            Some(output) => difference(output, input, rules),
        });
    let mut errors: Vec<_> = unread.chain(of_inputs).collect();
    if errors.is_empty() {
        errors.extend(order(&outputs, &inputs, rules));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The variables that a shader declares.
fn declared(all: &[Variable]) -> Vec<&Variable> {
    all.iter().filter(|variable| !variable.name.starts_with("gl_")).collect()
}

/// True if the two have the same location, or neither has one and they have the same name.
fn meet(output: &Variable, input: &Variable) -> bool {
    output.location == input.location
        && (output.location.is_some() || output.name == input.name)
        && output.is_block_member == input.is_block_member
}

fn missing(variable: &Variable, kind: &str, stage: &str) -> Diagnostic {
    let name = name_of(variable);
    let message = format!(
        "`{name}` matches no {kind} of the {stage} stage, and interfaces of separable programs match exactly in GLSL ES"
    );
    Diagnostic::error(variable.span, message)
}

fn name_of(variable: &Variable) -> &str {
    if variable.alias.is_empty() { &variable.name } else { &variable.alias }
}

/// The error about two variables that meet and differ.
fn difference(output: &Variable, input: &Variable, rules: LinkRules) -> Option<Diagnostic> {
    let name = name_of(input);
    let LinkRules { producer, consumer, .. } = rules;
    let message = if output.ty != input.ty {
        format!(
            "`{name}` is {} in the {producer} stage but {} in the {consumer} stage",
            output.ty, input.ty
        )
    } else if output.es_type != input.es_type {
        format!(
            "`{name}` is `{}` in the {producer} stage but `{}` in the {consumer} stage",
            output.es_type, input.es_type
        )
    } else if output.component != input.component {
        format!("`{name}` has another component in the {producer} stage")
    } else if !rules.same_interpolation(output.interpolation, input.interpolation) {
        format!("`{name}` has another interpolation in the {producer} stage")
    } else {
        return None;
    };
    Some(Diagnostic::error(input.span, message))
}

/// The error about the first block whose members are in another order.
fn order(outputs: &[&Variable], inputs: &[&Variable], rules: LinkRules) -> Option<Diagnostic> {
    let members = |all: &[&Variable], block: &str| -> Vec<String> {
        let own = all.iter().filter(|member| member.is_block_member);
        let own = own.filter(|member| block_of(&member.name) == block);
        own.map(|member| member.name.clone()).collect()
    };
    let is_other = |input: &&&Variable| {
        let block = block_of(&input.name);
        input.location.is_none()
            && input.is_block_member
            && members(outputs, block) != members(inputs, block)
    };
    let input = inputs.iter().find(is_other)?;
    let message = format!(
        "the members of `{}` have another order in the {} stage",
        block_of(&input.name),
        rules.producer
    );
    Some(Diagnostic::error(input.span, message))
}
