//! Pairs producer outputs with consumer inputs, and finds every reason why the two stages cannot be linked.
//!
//! An input is looked up by explicit location if the output has one, otherwise by name; a member of an interface block
//! by `Block.member`. The properties that must agree depend on the language version, as in Mesa: types always,
//! interpolation before GLSL 4.40 and in every ES, `sample` always, `centroid` only in blocks.

mod block;
mod builtin;
mod overlap;
mod rules;

use std::collections::{BTreeMap, BTreeSet};

use crate::LinkOptions;
use crate::lower::legacy;
use ir::diagnostic::Diagnostic;
use ir::interface::{Interpolation, Place, Sampling, Type, Variable};
use ir::linkage_table::LinkageTable;
use ir::options::LastOutputs;
use ir::source::Span;
use ir::stage_module::{LanguageRules, StageModule};

use block::check_blocks;
use overlap::{check_overlaps, check_partial_overlap};

pub(crate) use builtin::check_builtins;
pub(crate) use rules::LinkRules;

/// Outputs matching with inputs; everything by index into the stages' tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// Pairs that carry a value, in the producer's declaration order.
    pub pairs: Vec<Pair>,
    /// Outputs that nobody reads.
    pub unread: Vec<usize>,
    /// Used inputs that nobody writes: they read zero.
    pub unwritten: Vec<usize>,
}

/// One varying with both its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Index of the producer's output.
    pub output: usize,
    /// Index of the consumer's input.
    pub input: usize,
}

/// Pairs `outputs` of one stage with `inputs` of the next. Locations that `linkage` pairs are equal.
pub(crate) fn match_up(
    outputs: &[Variable],
    inputs: &[Variable],
    linkage: &LinkageTable,
    rules: LinkRules,
) -> Result<Matching, Vec<Diagnostic>> {
    check_places(outputs, inputs, rules)?;
    pair_up(outputs, &linkage.seen_from_outputs(inputs), rules)
}

/// Checks the explicit locations of the outputs of a stage that no stage follows: of those that
/// [`LastOutputs`] says.
pub(crate) fn check_last(
    stage: &StageModule,
    options: &LinkOptions,
) -> Result<(), Vec<Diagnostic>> {
    let rules = LinkRules::of(stage, stage, options);
    let rules = LinkRules { has_labels: options.labels.are_used(), ..rules };
    let is_captured =
        |output: &Variable| stage.xfb.outputs.iter().any(|captured| captured.name == output.name);
    let counts = |output: &&Variable| match (stage.rules, options.rules.last_outputs) {
        (LanguageRules::Spirv, LastOutputs::Captured) => is_captured(output),
        (
            LanguageRules::Spirv
            | LanguageRules::Vulkan
            | LanguageRules::Glsl { .. }
            | LanguageRules::Wgsl
            | LanguageRules::FixedFunction,
            LastOutputs::Used | LastOutputs::Captured,
        ) => true,
    };
    let outputs: Vec<_> = stage.outputs.iter().filter(counts).cloned().collect();
    check_places(&outputs, &[], rules)
}

/// Checks the explicit locations inside each stage.
fn check_places(
    outputs: &[Variable],
    inputs: &[Variable],
    rules: LinkRules,
) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    check_overlaps(outputs, rules, &mut errors);
    check_overlaps(inputs, rules, &mut errors);
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Pairs outputs with inputs, which have the locations of the outputs that they read.
fn pair_up(
    outputs: &[Variable],
    inputs: &[Variable],
    rules: LinkRules,
) -> Result<Matching, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    check_blocks(outputs, inputs, rules, &mut errors);
    let mut matching = Matching::default();
    let known = by_key(outputs);
    let mut read = BTreeSet::new();
    for (input_idx, input) in inputs.iter().enumerate() {
        if let Some(back) = back_output(outputs, input) {
            check_pair(back, input, rules, &mut errors);
        }
        let key = Key::of(input, legacy::producer_name(&input.name));
        let Some(output_idx) = known.get(&key).copied() else {
            check_partial_overlap(outputs, input, rules, &mut errors);
            missing_output(input, outputs, rules, &mut errors);
            matching.unwritten.extend(input.is_used.then_some(input_idx));
            continue;
        };
        let output = &outputs[output_idx];
        check_pair(output, input, rules, &mut errors);
        unwritten_output(output, input, rules, &mut errors);
        if !input.is_used {
            continue;
        }
        if !output.is_used {
            matching.unwritten.push(input_idx);
            continue;
        }
        read.insert(output_idx);
        matching.pairs.push(Pair { output: output_idx, input: input_idx });
    }
    matching.pairs.sort_by_key(|pair| pair.output);
    matching.unread =
        (0..outputs.len()).filter(|idx| outputs[*idx].is_used && !read.contains(idx)).collect();
    if errors.is_empty() { Ok(matching) } else { Err(errors) }
}

/// Matching key of a variable: its explicit location and component, or its name.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key<'a> {
    Place { location: u32, component: u32 },
    Name(&'a str),
}

impl<'a> Key<'a> {
    fn of(variable: &'a Variable, name: &'a str) -> Self {
        match variable.location {
            Some(location) => Self::Place { location, component: variable.component.unwrap_or(0) },
            None => Self::Name(name),
        }
    }
}

/// Index of the first output with each key.
fn by_key(outputs: &[Variable]) -> BTreeMap<Key<'_>, usize> {
    let keys = outputs.iter().enumerate().rev();
    keys.map(|(idx, output)| (Key::of(output, &output.name), idx)).collect()
}

/// The back-face colour output, which must match the input even if only the front one reaches it.
fn back_output<'a>(outputs: &'a [Variable], input: &Variable) -> Option<&'a Variable> {
    let back = legacy::back_name(&input.name)?;
    outputs.iter().find(|output| output.name == back)
}

/// True for variables of the compatibility profile, which have a value even if the vertex stage does not name them.
fn is_builtin(input: &Variable) -> bool {
    input.name.starts_with("gl_")
}

/// Reports a static use of an input that has no output. An input with a location, or in a block, needs an output in
/// every version.
fn missing_output(
    input: &Variable,
    outputs: &[Variable],
    rules: LinkRules,
    errors: &mut Vec<Diagnostic>,
) {
    let must_be_met = rules.must_used_input_be_declared()
        || input.is_block_member
        || input.location.is_some() && !rules.is_fixed_function;
    let must_be_met = must_be_met && !rules.is_vulkan;
    let name = shown(input);
    let LinkRules { producer, consumer, .. } = rules;
    if rules.is_wgsl && input.location.is_some() && !input.is_statically_used {
        let message = format!(
            "`{name}` is an input of the {consumer} stage but not an output of the {producer} stage"
        );
        errors.push(Diagnostic::error(place(input), message));
        return;
    }
    if is_builtin(input) || !input.is_statically_used || !must_be_met {
        return;
    }
    let message =
        format!("`{name}` is read by the {consumer} stage but not written by the {producer} stage");
    let error = Diagnostic::error(place(input), message);
    errors.push(match only_one_has_location(input, outputs) {
        Some(help) => error.with_help(help),
        None => error,
    });
}

/// Help for an input that has a location while an output like it has none, or the other way round: variables with a
/// location match by location, the others by name.
fn only_one_has_location(input: &Variable, outputs: &[Variable]) -> Option<String> {
    let is_alike = |output: &&Variable| {
        output.ty == input.ty && output.location.is_some() != input.location.is_some()
    };
    let mut alike = outputs.iter().filter(is_alike);
    let (Some(output), None) = (alike.next(), alike.next()) else { return None };
    let (with, without) = match input.location {
        Some(_) => (input, output),
        None => (output, input),
    };
    let location = with.location.unwrap_or_default();
    Some(format!(
        "`{}` has location {location} and `{}` has none; they match if both have the location, or neither has one and the names are equal",
        with.name, without.name
    ))
}

/// Reports a static use of an input whose output no code writes.
fn unwritten_output(
    output: &Variable,
    input: &Variable,
    rules: LinkRules,
    errors: &mut Vec<Diagnostic>,
) {
    let is_unwritten = input.is_statically_used && !output.is_statically_used;
    if rules.must_used_input_be_written() && is_unwritten && !is_builtin(input) {
        let name = shown(input);
        let LinkRules { producer, consumer, .. } = rules;
        let message = format!(
            "`{name}` is read by the {consumer} stage but declared and never written by the {producer} stage"
        );
        errors.push(Diagnostic::error(place(output), message));
    }
}

fn check_pair(output: &Variable, input: &Variable, rules: LinkRules, errors: &mut Vec<Diagnostic>) {
    let name = shown(input);
    let stages = (rules.producer, rules.consumer);
    let mut complain = |message: String| {
        let error = Diagnostic::error(place(input), message);
        if !errors.contains(&error) {
            errors.push(error);
        }
    };
    if rules.is_wgsl && output.location.is_some() {
        let [first, second] = [output, input].map(webgpu_interpolation);
        if first != second {
            complain(format!(
                "the stages differ in interpolation of `{name}`: `{first}` in the {} stage but `{second}` in the {} stage",
                stages.0, stages.1
            ));
        }
    }
    let is_wider = rules.is_vulkan && is_wider_vector(&output.ty, &input.ty);
    if !is_wider && !is_same_type(&output.ty, &input.ty) {
        complain(type_message(name, [stages.0, stages.1], &output.ty, &input.ty));
    } else if output.is_narrow != input.is_narrow {
        let [first, second] = [output, input].map(sized_type);
        complain(format!(
            "`{name}` is {first} in the {} stage but {second} in the {} stage",
            stages.0, stages.1
        ));
    }
    // Mesa removes unused built-in variables before it compares them.
    let is_there = !is_builtin(input) || input.is_used && output.is_used;
    let interpolation_counts = rules.must_interpolation_match() && is_there;
    if interpolation_counts && !rules.same_interpolation(output.interpolation, input.interpolation)
    {
        let (first, second) = (output.interpolation, input.interpolation);
        complain(format!(
            "`{name}` is {first} in the {} stage but {second} in the {} stage",
            stages.0, stages.1
        ));
    }
    if rules.must_invariance_match()
        && !is_builtin(input)
        && output.is_invariant != input.is_invariant
    {
        complain(format!("`{name}` is invariant in one stage only"));
    }
    let differs = |sampling| (output.sampling == sampling) != (input.sampling == sampling);
    if rules.is_wgsl && output.location.is_some() {
        // Reported above.
    } else if differs(Sampling::Sample) {
        complain(format!("`{name}` is qualified `sample` in one stage only"));
    } else if differs(Sampling::Centroid)
        && input.is_block_member
        && rules.must_block_centroid_match()
    {
        complain(format!("`{name}` is qualified `centroid` in one stage only"));
    }
}

/// What WebGPU compares of the interpolation of two stages, in WGSL's words.
fn webgpu_interpolation(variable: &Variable) -> String {
    let interpolation = match variable.interpolation {
        Interpolation::Unqualified | Interpolation::Smooth => "perspective",
        Interpolation::NoPerspective => "linear",
        Interpolation::Flat if variable.is_either => "flat, either",
        Interpolation::Flat => "flat, first",
    };
    let sampling = match variable.sampling {
        Sampling::Center => "",
        Sampling::Centroid => ", centroid",
        Sampling::Sample => ", sample",
    };
    format!("{interpolation}{sampling}")
}

/// The type of a variable, with its size in bits where another one looks the same.
fn sized_type(variable: &Variable) -> String {
    format!("{} of {} bits", variable.ty, if variable.is_narrow { 16 } else { 32 })
}

/// True if two types agree member by member; the names of struct types do not count.
pub(crate) fn is_same_type(first: &Type, second: &Type) -> bool {
    match (first, second) {
        (Type::Struct(first), Type::Struct(second)) => {
            first.members.len() == second.members.len()
                && first.members.iter().zip(&second.members).all(|(first, second)| {
                    first.name == second.name && is_same_type(&first.ty, &second.ty)
                })
        }
        (
            Type::Array { element: first, length: first_length },
            Type::Array { element: second, length: second_length },
        ) => first_length == second_length && is_same_type(first, second),
        (
            Type::Scalar(_)
            | Type::Vector { .. }
            | Type::Matrix { .. }
            | Type::Array { .. }
            | Type::Struct(_),
            _,
        ) => first == second,
    }
}

/// True if the first type is a vector with more components of the same type than the second, which may be a scalar.
fn is_wider_vector(first: &Type, second: &Type) -> bool {
    match (first, second) {
        (Type::Vector { size, scalar }, Type::Vector { size: read, scalar: same }) => {
            size > read && scalar == same
        }
        (Type::Vector { scalar, .. }, Type::Scalar(same)) => scalar == same,
        (
            Type::Scalar(_)
            | Type::Vector { .. }
            | Type::Matrix { .. }
            | Type::Array { .. }
            | Type::Struct(_),
            _,
        ) => false,
    }
}

fn type_message(
    name: &str,
    [producer, consumer]: [&str; 2],
    output: &Type,
    input: &Type,
) -> String {
    match (output.without_arrays(), input.without_arrays()) {
        (Type::Struct(first), Type::Struct(second)) => {
            format!(
                "`{name}` is a struct in both stages but the members differ: {} and {}",
                list(first),
                list(second)
            )
        }
        _ => format!(
            "`{name}` is {output} in the {producer} stage but {input} in the {consumer} stage"
        ),
    }
}

fn list(ty: &ir::interface::StructType) -> String {
    let members = ty.members.iter().map(|member| format!("{} {};", member.ty, member.name));
    format!("{{ {} }}", members.collect::<Vec<_>>().join(" "))
}

/// The name of a variable for messages.
fn shown(variable: &Variable) -> &str {
    if variable.alias.is_empty() { &variable.name } else { &variable.alias }
}

fn place(variable: &Variable) -> Option<Span> {
    variable.span
}

/// Where the producer leaves what `input` reads: a scalar may be read from a vector.
pub(crate) fn sent_from(output: &Variable, input: &Variable) -> Option<Place> {
    let mut place = output.place.clone()?;
    if matches!((&output.ty, &input.ty), (Type::Vector { .. }, Type::Scalar(_))) {
        place.path.push(0);
    }
    Some(place)
}

#[cfg(test)]
mod tests;
