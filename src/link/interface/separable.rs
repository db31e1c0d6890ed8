//! Links stages that are compiled separately and are connected only when they are used together
//! (`ARB_separate_shader_objects`).
//!
//! Every used varying has its own labels, one for each vector in it: the labels of its `location`; else those of its
//! semantic in GLSL; else the next free labels in the order of the names, which are the same in every stage of the
//! case. Nothing is packed across varyings, because the partner is unknown.
//!
//! A mismatch is no link error, but in GLSL ES ([`exact`]). An input with a location is defined if its own partner matches it; inputs without
//! one are defined only if all inputs have matching partners. Inputs that are undefined in GL read the same as
//! unwritten ones: the value of the profile's hardware ([`UnwrittenInput`](ir::profile::UnwrittenInput)).

pub(crate) mod exact;

use std::collections::{BTreeMap, BTreeSet};

use crate::place::routing::{Carrier, Route, Routing};
use ir::diagnostic::Diagnostic;
use ir::interface::{Interpolation, Place, ScalarKind, Type, Variable};
use ir::linkage_table::LinkageTable;
use ir::options::ColorState;
use ir::semantic::{FIRST_OTHER_KEY, Semantic, SemanticError, SemanticName, Use};
use ir::source::Span;
use ir::stage::ShaderStage;
use ir::stage_module::StageModule;

use crate::lower::legacy;
use crate::match_up::{LinkRules, Matching, Pair, is_same_type};
use crate::pack::{PackingClass, Position};
use crate::table::shell::{Shell, Slot, Wire};
use crate::{LabelOptions, LinkError};

/// The labels of varyings that have no location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Labels {
    /// First label by name and number of vectors. Varyings that differ in the number do not match anyway.
    names: BTreeMap<(String, u32), u32>,
    taken: BTreeSet<u32>,
}

impl Labels {
    /// Assigns labels to the varyings of all stages. Varyings without a location get none of the `reserved` labels.
    pub(crate) fn of<'a>(
        varyings: impl IntoIterator<Item = &'a Variable>,
        reserved: impl IntoIterator<Item = u32>,
    ) -> Self {
        let mut labels = Self { taken: reserved.into_iter().collect(), ..Self::default() };
        let mut open = BTreeSet::new();
        for variable in varyings {
            match variable.location {
                Some(first) => labels.taken.extend(first..first.saturating_add(length(variable))),
                None => {
                    open.insert((variable.name.clone(), length(variable)));
                }
            }
        }
        for (name, length) in open {
            labels.add(name, length);
        }
        labels
    }

    /// The first label of a varying.
    pub(crate) fn of_variable(&mut self, variable: &Variable) -> u32 {
        variable.location.unwrap_or_else(|| {
            let key = (variable.name.clone(), length(variable));
            match self.names.get(&key) {
                Some(first) => *first,
                None => self.add(key.0, key.1),
            }
        })
    }

    /// The first of additional labels for a varying, which differ from its own labels.
    fn spare(&mut self, variable: &Variable) -> u32 {
        // No declared name contains a space.
        let key = (format!("{} undefined", variable.name), length(variable));
        match self.names.get(&key) {
            Some(first) => *first,
            None => self.add(key.0, key.1),
        }
    }

    fn add(&mut self, name: String, length: u32) -> u32 {
        let is_free =
            |first: &u32| self.taken.range(*first..first.saturating_add(length)).next().is_none();
        // If there are no more labels, the error that the varyings do not fit is reported when they are placed.
        let first = (0..FIRST_OTHER_KEY).find(is_free).unwrap_or(FIRST_OTHER_KEY);
        self.taken.extend(first..first.saturating_add(length));
        self.names.insert((name, length), first);
        first
    }
}

fn length(variable: &Variable) -> u32 {
    variable.ty.location_count(first_component(variable))
}

/// True if every used input has an output that matches it, so that inputs without a location are defined.
pub(crate) fn is_whole(outputs: &[Variable], inputs: &[Variable], rules: LinkRules) -> bool {
    let mut used = inputs.iter().filter(|input| input.is_used);
    used.all(|input| partner(outputs, inputs, input, rules).is_some())
}

/// Matches outputs with inputs, and finds the used inputs that are undefined because the interfaces do not match.
pub(crate) fn match_up(
    outputs: &[Variable],
    inputs: &[Variable],
    rules: LinkRules,
) -> (Matching, Vec<String>) {
    match_part(outputs, inputs, rules, is_whole(outputs, inputs, rules))
}

/// Like [`match_up`], for a part of an interface. The caller determines whether the interface is whole.
pub(crate) fn match_part(
    outputs: &[Variable],
    inputs: &[Variable],
    rules: LinkRules,
    is_whole: bool,
) -> (Matching, Vec<String>) {
    let mut matching = Matching::default();
    let mut read = BTreeSet::new();
    let mut mismatches = Vec::new();
    let partners: Vec<Option<usize>> =
        inputs.iter().map(|input| partner(outputs, inputs, input, rules)).collect();
    let used = || inputs.iter().zip(&partners).enumerate().filter(|(_, (input, _))| input.is_used);
    for (idx, (input, partner)) in used() {
        let is_named = input.location.is_none() && !input.name.starts_with("gl_");
        let defined = partner.filter(|_| is_whole || !is_named);
        match defined {
            Some(output) if outputs[output].is_used => {
                read.insert(output);
                matching.pairs.push(Pair { output, input: idx });
            }
            Some(_) => matching.unwritten.push(idx),
            None => {
                matching.unwritten.push(idx);
                mismatches.push(input.name.clone());
            }
        }
    }
    matching.pairs.sort_by_key(|pair| pair.output);
    matching.unread =
        (0..outputs.len()).filter(|idx| outputs[*idx].is_used && !read.contains(idx)).collect();
    (matching, mismatches)
}

/// The output that matches `input`.
fn partner(
    outputs: &[Variable],
    inputs: &[Variable],
    input: &Variable,
    rules: LinkRules,
) -> Option<usize> {
    let component = |variable: &Variable| variable.component.unwrap_or(0);
    outputs.iter().position(|output| {
        let meets = match (output.location, input.location) {
            (Some(first), Some(second)) => first == second && component(output) == component(input),
            (None, None) => {
                output.name == legacy::producer_name(&input.name)
                    && (!input.is_block_member || is_same_block(outputs, inputs, input))
            }
            (Some(_), None) | (None, Some(_)) => false,
        };
        let is_located = input.location.is_some();
        meets
            && (is_same_type(&output.ty, &input.ty)
                || is_located && is_narrower(&output.ty, &input.ty))
            && output.is_narrow == input.is_narrow
            && suits(output, input, rules)
    })
}

/// True if the qualifiers agree as far as the language version requires.
fn suits(output: &Variable, input: &Variable, rules: LinkRules) -> bool {
    !rules.must_interpolation_match()
        || rules.same_interpolation(output.interpolation, input.interpolation)
}

/// True if the input is a 32-bit scalar or vector and the output is a vector with more components.
fn is_narrower(output: &Type, input: &Type) -> bool {
    let (Some((written, from)), Some((read, to))) = (vector(output), vector(input)) else {
        return false;
    };
    from == to && from.components() == 1 && read <= written
}

const fn vector(ty: &Type) -> Option<(u8, ScalarKind)> {
    match ty {
        Type::Scalar(scalar) => Some((1, *scalar)),
        Type::Vector { size, scalar } => Some((*size, *scalar)),
        Type::Matrix { .. } | Type::Array { .. } | Type::Struct(_) => None,
    }
}

/// Name of the block of a member.
fn block_of(member: &str) -> &str {
    member.split(['.', '[']).next().unwrap_or("")
}

/// True if both stages declare the block of `input` with the same members in the same order.
fn is_same_block(outputs: &[Variable], inputs: &[Variable], input: &Variable) -> bool {
    fn members<'a>(
        all: &'a [Variable],
        own: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a Type)> + 'a {
        let of_block = all
            .iter()
            .filter(move |member| member.is_block_member && block_of(&member.name) == own);
        of_block.map(|member| (member.name.as_str(), &member.ty))
    }
    let own = block_of(&input.name);
    let (mut first, mut second) = (members(outputs, own), members(inputs, own));
    loop {
        match (first.next(), second.next()) {
            (None, None) => return true,
            (Some((name, ty)), Some((other, other_ty)))
                if name == other && is_same_type(ty, other_ty) => {}
            (Some(_) | None, Some(_) | None) => return false,
        }
    }
}

/// The connection of the stages of a pair through labels.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelledRouting {
    /// Routes of the matched varyings.
    pub routing: Routing,
    /// Labels of inputs that are undefined, even if the vertex stage writes these labels.
    pub undefined: BTreeSet<u32>,
}

/// Both ends of an interface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends<'a> {
    /// Outputs of the producer.
    pub outputs: &'a [Variable],
    /// Inputs of the consumer.
    pub inputs: &'a [Variable],
    /// Outputs matched with inputs.
    pub matching: &'a Matching,
}

/// What decides which labels meet, and how they are interpolated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LabelRules<'a> {
    /// The table of linkage.
    pub linkage: &'a LinkageTable,
    /// State of colours.
    pub colors: ColorState,
}

/// Fills both shells with every used varying, with or without a partner, and returns the routes of the matched
/// varyings. A label's interpolation is that of the consumer.
pub(crate) fn connect(
    ends: Ends<'_>,
    labels: &mut Labels,
    LabelRules { linkage, colors }: LabelRules<'_>,
    [producer, consumer]: [&mut Shell; 2],
) -> Result<LabelledRouting, LinkError> {
    check_stage(ends.outputs, labels)?;
    check_stage(ends.inputs, labels)?;
    let outputs = first_labels(ends.outputs, labels);
    let mut inputs = first_labels(ends.inputs, labels);
    let undefined = separate_undefined(ends, labels, &mut inputs);
    let read = classes(ends.inputs, &inputs, colors, |_| None)?;
    let of_reader = |label| read.get(&linkage.paired_input(label)).copied();
    let written = classes(ends.outputs, &outputs, colors, of_reader)?;
    (producer.outputs, producer.output_wires) = inputs_or_outputs(ends.outputs, &outputs, &written);
    (consumer.inputs, consumer.input_wires) = inputs_or_outputs(ends.inputs, &inputs, &read);
    Ok(LabelledRouting { routing: routing(ends, labels, consumer, linkage), undefined })
}

/// The class of every label of the used variables: the `known` class, or else that of the first variable with the
/// label.
fn classes(
    variables: &[Variable],
    firsts: &[u32],
    colors: ColorState,
    known: impl Fn(u32) -> Option<PackingClass>,
) -> Result<BTreeMap<u32, PackingClass>, LinkError> {
    let mut classes = BTreeMap::new();
    for (variable, first) in variables.iter().zip(firsts).filter(|(variable, _)| variable.is_used) {
        if variable.ty.has_64_bit() {
            let span = variable.span;
            return Err(LinkError::Unsupported { word: variable.ty.to_string(), span });
        }
        let interpolation = legacy::interpolation(variable, colors);
        let class = PackingClass::of(&variable.ty, interpolation, variable.sampling);
        for label in labels_from(*first, variable) {
            classes.entry(label).or_insert_with(|| known(label).unwrap_or(class));
        }
    }
    Ok(classes)
}

/// The first label of every variable.
fn first_labels(variables: &[Variable], labels: &mut Labels) -> Vec<u32> {
    variables.iter().map(|variable| labels.of_variable(variable)).collect()
}

/// The labels of a variable whose first label is `first`.
fn labels_from(first: u32, variable: &Variable) -> std::ops::Range<u32> {
    first..first.saturating_add(length(variable))
}

/// The labels of undefined inputs, which must not read the value of an output that does not match them. An undefined
/// input that shares a label with a defined input gets other, unwritten labels.
fn separate_undefined(ends: Ends<'_>, labels: &mut Labels, firsts: &mut [u32]) -> BTreeSet<u32> {
    let variables = ends.inputs;
    let own = |idx: usize, firsts: &[u32]| labels_from(firsts[idx], &variables[idx]);
    let fed = ends.matching.pairs.iter().flat_map(|pair| own(pair.input, firsts));
    let fed: BTreeSet<u32> = fed.collect();
    let mut undefined = BTreeSet::new();
    for idx in ends.matching.unwritten.iter().copied() {
        if own(idx, firsts).any(|label| fed.contains(&label)) {
            firsts[idx] = labels.spare(&variables[idx]);
        }
        undefined.extend(own(idx, firsts));
    }
    undefined
}

/// Checks that used varyings of one stage do not overlap, and that those that share a label have the same class.
fn check_stage(variables: &[Variable], labels: &mut Labels) -> Result<(), LinkError> {
    let mut owners: BTreeMap<Position, &Variable> = BTreeMap::new();
    let mut classes: BTreeMap<u32, (PackingClass, &Variable)> = BTreeMap::new();
    for variable in variables.iter().filter(|variable| variable.is_used) {
        let start = first_component(variable);
        let class = PackingClass::of(&variable.ty, variable.interpolation, variable.sampling);
        let first = labels.of_variable(variable);
        for (offset, component) in variable.ty.cells(start) {
            let slot = first.saturating_add(offset);
            let (other_class, other) = *classes.entry(slot).or_insert((class, variable));
            let at = Position { slot, component };
            let taken = owners.insert(at, variable).map(|other| (at, other));
            let message = match taken {
                Some((at, other)) => {
                    format!("`{}` and `{}` overlap at {at}", other.name, variable.name)
                }
                None if other_class != class => format!(
                    "`{}` and `{}` share location {slot} but differ in interpolation or sampling",
                    other.name, variable.name
                ),
                None => continue,
            };
            return Err(refused(variable.span, message));
        }
    }
    Ok(())
}

/// A slot of four components for every label of the used variables, and their wires.
fn inputs_or_outputs(
    variables: &[Variable],
    firsts: &[u32],
    classes: &BTreeMap<u32, PackingClass>,
) -> (Vec<Slot>, Vec<Wire>) {
    let mut slots: Vec<Slot> = Vec::new();
    let mut wires = Vec::new();
    for (variable, first) in variables.iter().zip(firsts).filter(|(variable, _)| variable.is_used) {
        let Some(place) = &variable.place else { continue };
        let start = first_component(variable);
        for (offset, leaf) in variable.ty.located_leaves(start) {
            let mut slot_at = |label: u32| {
                slots.iter().position(|slot| slot.location == label).unwrap_or_else(|| {
                    slots.push(slot(label, classes.get(&label).copied()));
                    slots.len() - 1
                })
            };
            let cells = leaf.cells(start);
            let components = cells
                .map(|(next, component)| (slot_at(first.saturating_add(offset + next)), component));
            let components = components.collect();
            let path = [&place.path[..], &leaf.path].concat();
            wires.push(Wire {
                place: Place { global: place.global, path },
                scalar: leaf.scalar,
                components,
                is_over_w: false,
            });
        }
    }
    (slots, wires)
}

fn first_component(variable: &Variable) -> u8 {
    u8::try_from(variable.component.unwrap_or(0)).unwrap_or(3).min(3)
}

fn slot(location: u32, class: Option<PackingClass>) -> Slot {
    let (blend_source, is_alpha_one) = (None, false);
    Slot { location, kind: kind_of(class), width: 4, class, blend_source, is_alpha_one }
}

/// The base type of a slot. Flat slots hold bits.
fn kind_of(class: Option<PackingClass>) -> ScalarKind {
    let is_flat = class.is_some_and(|class| class.interpolation == Interpolation::Flat);
    if is_flat { ScalarKind::U32 } else { ScalarKind::F32 }
}

/// The routes of the matched varyings, by label of the vertex stage.
fn routing(
    ends: Ends<'_>,
    labels: &mut Labels,
    consumer: &Shell,
    linkage: &LinkageTable,
) -> Routing {
    let mut routing = Routing::default();
    for input in ends.matching.pairs.iter().map(|pair| &ends.inputs[pair.input]) {
        let first = linkage.paired_output(labels.of_variable(input));
        let start = first_component(input);
        let mut routes = Vec::new();
        for (offset, component) in input.ty.cells(start) {
            let slot = first.saturating_add(offset);
            let label = linkage.paired_input(slot);
            let class = consumer.inputs.iter().find(|slot| slot.location == label);
            let class = class.and_then(|slot| slot.class);
            if let Some(class) = class {
                routing.classes.insert(slot, class);
            }
            routing.carriers.insert(slot, Carrier { kind: kind_of(class), width: 4 });
            routes.push(Route::Slot {
                at: Position { slot, component },
                is_over_w: false,
                is_duplicate: false,
                is_convergent: false,
            });
        }
        routing.routes.push(routes);
    }
    routing
}

/// Assigns the semantics of the case to varyings or, for names that no varying has, to fragment outputs.
///
/// # Errors
/// A semantic is not allowed for its varying or output, or no stage has a varying or output with this name.
pub(crate) fn apply_semantics(
    stages: &mut [&mut StageModule],
    options: &LabelOptions,
) -> Result<(), LinkError> {
    let labels = options.profile.nameable_labels();
    let mut errors = Vec::new();
    for line in &options.semantics {
        let (name, semantic) = &line.value;
        let named =
            |stage: &StageModule| varyings_of(stage, options).any(|varying| varying.name == *name);
        let given = if stages.iter().any(|stage| named(stage)) {
            let is_read = stages.iter().any(|stage| is_input(stage, name));
            check_direction(*semantic, name, is_read, labels)
                .map(|()| (varyings_mut as Variables, semantic.key()))
        } else {
            // COLOR[n] is draw buffer n.
            let is_color = semantic.name == SemanticName::Color;
            semantic.check(Use::FragmentOutput).and_then(|()| {
                let color = (fragment_outputs_mut as Variables, semantic.index);
                let other = || format!("`{name}` is a colour, but `{semantic}` is not");
                is_color.then_some(color).ok_or_else(|| SemanticError(other()))
            })
        };
        let (variables, location) = match given {
            Ok(given) => given,
            Err(message) => {
                errors.push(Diagnostic::error(line.span, message));
                continue;
            }
        };
        let all = stages.iter_mut().flat_map(|stage| variables(stage, options));
        let mut is_known = false;
        for variable in all.filter(|variable| variable.name == *name) {
            variable.location = Some(location);
            is_known = true;
        }
        if !is_known {
            let message = format!("no stage has a varying or a fragment output `{name}`");
            errors.push(Diagnostic::error(line.span, message));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(LinkError::Refused(errors)) }
}

/// Checks that a varying of this name can have the semantic; `is_read` is true if a stage has the varying as an input.
fn check_direction(
    semantic: Semantic,
    name: &str,
    is_read: bool,
    labels: u32,
) -> Result<(), SemanticError> {
    semantic.check_varying(name, labels)?;
    if is_read && semantic.name == SemanticName::EdgeFlag {
        return Err(SemanticError(format!(
            "`{name}` cannot be `{semantic}`, which no stage reads"
        )));
    }
    Ok(())
}

fn is_input(stage: &StageModule, name: &str) -> bool {
    stage.stage.inputs().are_varyings() && stage.inputs.iter().any(|input| input.name == name)
}

/// A selection of a stage's variables.
type Variables = for<'a> fn(&'a mut StageModule, &LabelOptions) -> Vec<&'a mut Variable>;

fn varyings_mut<'a>(stage: &'a mut StageModule, options: &LabelOptions) -> Vec<&'a mut Variable> {
    let (has_inputs, has_outputs) = labelled_sides(stage.stage, options);
    let inputs = stage.inputs.iter_mut().filter(|_| has_inputs);
    inputs.chain(stage.outputs.iter_mut().filter(|_| has_outputs)).collect()
}

fn fragment_outputs_mut<'a>(stage: &'a mut StageModule, _: &LabelOptions) -> Vec<&'a mut Variable> {
    let is_fragment = stage.stage == ShaderStage::Fragment;
    stage.outputs.iter_mut().filter(|_| is_fragment).collect()
}

fn varyings_of<'a>(
    stage: &'a StageModule,
    options: &LabelOptions,
) -> impl Iterator<Item = &'a Variable> {
    let (has_inputs, has_outputs) = labelled_sides(stage.stage, options);
    let inputs = stage.inputs.iter().filter(move |_| has_inputs);
    inputs.chain(stage.outputs.iter().filter(move |_| has_outputs))
}

/// Whether the inputs and the outputs of a stage have labels. The inputs of a tessellation or geometry stage from
/// another stage of its program have no labels.
const fn labelled_sides(stage: ShaderStage, options: &LabelOptions) -> (bool, bool) {
    let (inputs, outputs) = (stage.inputs(), stage.outputs());
    let has_inputs = inputs.are_varyings() && (options.is_separable || !inputs.have_vertices());
    let has_outputs =
        outputs.are_varyings() && (options.is_separable || stage.may_precede_raster());
    (has_inputs, has_outputs)
}

/// Checks that locations are valid labels: below 256, or the profile's number of labels if that is greater. Larger
/// locations could be confused with another semantic.
///
/// # Errors
/// An explicit location is too large.
pub(crate) fn check_labels<'a>(
    stages: impl IntoIterator<Item = &'a StageModule>,
    options: &LabelOptions,
) -> Result<(), LinkError> {
    let labels = options.profile.nameable_labels();
    for stage in stages {
        for varying in varyings_of(stage, options) {
            let Some(first) = varying.location else { continue };
            let last = first.saturating_add(length(varying)).saturating_sub(1);
            let last = Semantic::generic(last);
            if let Err(message) = last.check_among(Use::Intermediate, labels) {
                return Err(refused(varying.span, message));
            }
        }
    }
    Ok(())
}

fn refused(span: Option<Span>, message: impl Into<String>) -> LinkError {
    LinkError::Refused(vec![Diagnostic::error(span, message)])
}

/// Assigns to the colours and the fog coordinate of the compatibility profile the labels of their semantics.
pub(crate) fn label_builtins(stages: &mut [&mut StageModule], options: &LabelOptions) {
    let varyings = stages.iter_mut().flat_map(|stage| varyings_mut(stage, options));
    for varying in varyings.filter(|varying| varying.location.is_none()) {
        varying.location = Semantic::of_builtin(&varying.name).map(Semantic::key);
    }
}

#[cfg(test)]
mod tests;
