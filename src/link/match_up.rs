//! Pairs producer outputs with consumer inputs, and finds every reason why the two stages cannot be linked.
//!
//! An input is looked up by explicit location when the output has one, otherwise by name; a member of an interface
//! block by `Block.member`. What must agree depends on the language version, as Mesa has it: types always,
//! interpolation before GLSL 4.40 and in every ES, `sample` always, `centroid` only in blocks.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::Diagnostic;
use crate::frontend::stage_module::LanguageRules;
use crate::link::interface::{Interpolation, Sampling, Type, Variable};
use crate::link::legacy;
use crate::link::pack::Position;
use crate::source::Span;

/// Which outputs meet which inputs; everything by index into the stages' tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matched {
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

/// The rules that a pair of stages is linked by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkRules {
    /// GLSL version times 100; 460 when a stage is no GLSL.
    pub version: u16,
    /// Whether the program is ES.
    pub is_es: bool,
    /// Whether some stage is WGSL, where an input without an output is an error and qualifiers must agree.
    pub has_wgsl: bool,
    /// Whether the producer is GL's own vertex stage, which has no outputs of the user's to match.
    pub is_fixed_function: bool,
}

impl LinkRules {
    /// The rules for two stages: the newer version counts.
    pub fn of(producer: LanguageRules, consumer: LanguageRules) -> Self {
        match (producer, consumer) {
            (
                LanguageRules::Glsl { version: first, is_es: first_es },
                LanguageRules::Glsl { version: second, is_es: second_es },
            ) => Self {
                version: first.max(second),
                is_es: first_es && second_es,
                has_wgsl: false,
                is_fixed_function: false,
            },
            (LanguageRules::FixedFunction, LanguageRules::Glsl { version, is_es }) => {
                Self { version, is_es, has_wgsl: false, is_fixed_function: true }
            }
            (
                LanguageRules::Wgsl | LanguageRules::FixedFunction | LanguageRules::Glsl { .. },
                LanguageRules::Wgsl | LanguageRules::FixedFunction,
            )
            | (LanguageRules::Wgsl, LanguageRules::Glsl { .. }) => {
                Self { version: 460, is_es: false, has_wgsl: true, is_fixed_function: false }
            }
        }
    }

    pub(super) const fn must_interpolation_match(self) -> bool {
        self.is_es || self.version < 440
    }

    const fn must_used_input_be_declared(self) -> bool {
        let is_old_or_new = self.version <= 120 || self.version >= 420;
        (self.is_es || self.has_wgsl || is_old_or_new) && !self.is_fixed_function
    }

    const fn must_used_input_be_written(self) -> bool {
        !self.is_es && self.version <= 120
    }

    const fn must_invariance_match(self) -> bool {
        self.version < if self.is_es { 300 } else { 420 }
    }

    const fn must_block_centroid_match(self) -> bool {
        !(self.is_es && self.version >= 310)
    }

    pub(super) fn same_interpolation(self, first: Interpolation, second: Interpolation) -> bool {
        let normalise = |interpolation| match interpolation {
            Interpolation::Unqualified if self.is_es => Interpolation::Smooth,
            other @ (Interpolation::Unqualified
            | Interpolation::Smooth
            | Interpolation::Flat
            | Interpolation::NoPerspective) => other,
        };
        normalise(first) == normalise(second)
    }
}

/// Pairs `outputs` of the vertex stage with `inputs` of the fragment stage.
pub fn match_up(
    outputs: &[Variable],
    inputs: &[Variable],
    rules: LinkRules,
) -> Result<Matched, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    check_overlaps(outputs, &mut errors);
    check_overlaps(inputs, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    check_blocks(outputs, inputs, &mut errors);
    let mut matched = Matched::default();
    let mut read = BTreeSet::new();
    for (input_idx, input) in inputs.iter().enumerate() {
        if let Some(back) = back_output(outputs, input) {
            check_pair(back, input, rules, &mut errors);
        }
        let Some(output_idx) = find_output(outputs, input) else {
            check_partial_overlap(outputs, input, &mut errors);
            if input.is_used {
                missing_output(input, rules, &mut errors);
                matched.unwritten.push(input_idx);
            }
            continue;
        };
        let output = &outputs[output_idx];
        check_pair(output, input, rules, &mut errors);
        if !input.is_used {
            continue;
        }
        if !output.is_used {
            unwritten_output(output, input, rules, &mut errors);
            matched.unwritten.push(input_idx);
            continue;
        }
        read.insert(output_idx);
        matched.pairs.push(Pair { output: output_idx, input: input_idx });
    }
    matched.pairs.sort_by_key(|pair| pair.output);
    matched.unread =
        (0..outputs.len()).filter(|idx| outputs[*idx].is_used && !read.contains(idx)).collect();
    if errors.is_empty() { Ok(matched) } else { Err(errors) }
}

/// An input that starts inside an output, or the other way round, but not at the same place, can never be right.
fn check_partial_overlap(outputs: &[Variable], input: &Variable, errors: &mut Vec<Diagnostic>) {
    let Some(read) = locations(input).filter(|_| input.is_used) else { return };
    let overlaps = |output: &&Variable| {
        let is_same_place = output.location == input.location;
        locations(output).is_some_and(|written| {
            !is_same_place && written.start < read.end && read.start < written.end
        })
    };
    if let Some(output) = outputs.iter().find(overlaps) {
        let message = format!(
            "`{}` of the fragment stage begins inside or before `{}` of the vertex stage and overlaps it",
            shown(input),
            shown(output)
        );
        errors.push(Diagnostic::error(place(input), message));
    }
}

/// The explicit locations that a variable occupies.
fn locations(variable: &Variable) -> Option<std::ops::Range<u32>> {
    let first = variable.location?;
    let count = u32::try_from(variable.ty.leaves().len()).unwrap_or(u32::MAX);
    Some(first..first.saturating_add(count))
}

/// Variables that share a location must be alike in everything but their components.
fn check_sharing(slot: u32, first: &Variable, second: &Variable, errors: &mut Vec<Diagnostic>) {
    let is_integer = |variable: &Variable| {
        variable.ty.leaves().first().is_some_and(|leaf| leaf.scalar.is_always_flat())
    };
    let difference = if is_integer(first) != is_integer(second) {
        "base type"
    } else if first.interpolation != second.interpolation {
        "interpolation"
    } else if first.sampling != second.sampling {
        "sampling"
    } else {
        return;
    };
    let (first, name) = (shown(first), shown(second));
    let message =
        format!("`{first}` and `{name}` share location {slot} but differ in {difference}");
    errors.push(Diagnostic::error(place(second), message));
}

/// Two used variables of one stage with explicit locations must not share a component.
fn check_overlaps(variables: &[Variable], errors: &mut Vec<Diagnostic>) {
    let mut owners: BTreeMap<Position, &Variable> = BTreeMap::new();
    let mut slots: BTreeMap<u32, &Variable> = BTreeMap::new();
    for variable in variables.iter().filter(|variable| variable.is_used) {
        let Some(first) = variable.location else { continue };
        let start = u8::try_from(variable.component.unwrap_or(0)).unwrap_or(0);
        for (slot, leaf) in (first..u32::MAX).zip(variable.ty.leaves()) {
            if let Some(other) =
                slots.insert(slot, variable).filter(|other| !std::ptr::eq(*other, variable))
            {
                check_sharing(slot, other, variable, errors);
            }
            let taken = (start..start + leaf.size).map(|component| Position { slot, component });
            let mut shared = taken.filter_map(|at| Some((at, owners.insert(at, variable)?)));
            if let Some((at, other)) = shared.next() {
                let message =
                    format!("`{}` and `{}` overlap at {at}", shown(other), shown(variable));
                errors.push(Diagnostic::error(place(variable), message));
                break;
            }
        }
    }
}

fn find_output(outputs: &[Variable], input: &Variable) -> Option<usize> {
    outputs.iter().position(|output| match (output.location, input.location) {
        (Some(first), Some(second)) => {
            first == second && output.component.unwrap_or(0) == input.component.unwrap_or(0)
        }
        (None, None) => output.name == legacy::producer_name(&input.name),
        (Some(_), None) | (None, Some(_)) => false,
    })
}

/// The colour of back faces, which must suit the input even where only the front one reaches it.
fn back_output<'a>(outputs: &'a [Variable], input: &Variable) -> Option<&'a Variable> {
    let back = legacy::back_name(&input.name)?;
    outputs.iter().find(|output| output.name == back)
}

/// Variables of the compatibility profile have a value whether the vertex stage names them or not.
fn is_builtin(input: &Variable) -> bool {
    input.name.starts_with("gl_")
}

fn missing_output(input: &Variable, rules: LinkRules, errors: &mut Vec<Diagnostic>) {
    if is_builtin(input) || !(rules.must_used_input_be_declared() || input.is_block_member) {
        return;
    }
    let name = shown(input);
    let message =
        format!("`{name}` is read by the fragment stage but not written by the vertex stage");
    errors.push(Diagnostic::error(place(input), message));
}

fn unwritten_output(
    output: &Variable,
    input: &Variable,
    rules: LinkRules,
    errors: &mut Vec<Diagnostic>,
) {
    if rules.must_used_input_be_written() && !is_builtin(input) {
        let name = shown(input);
        let message = format!(
            "`{name}` is read by the fragment stage but declared and never written by the vertex stage"
        );
        errors.push(Diagnostic::error(place(output), message));
    }
}

fn check_pair(output: &Variable, input: &Variable, rules: LinkRules, errors: &mut Vec<Diagnostic>) {
    let name = shown(input);
    let mut complain = |message: String| {
        let error = Diagnostic::error(place(input), message);
        if !errors.contains(&error) {
            errors.push(error);
        }
    };
    if !is_same_type(&output.ty, &input.ty) {
        complain(type_message(name, &output.ty, &input.ty));
    }
    let interpolation_counts = rules.must_interpolation_match() && input.is_used && output.is_used;
    if interpolation_counts && !rules.same_interpolation(output.interpolation, input.interpolation)
    {
        let (first, second) = (output.interpolation, input.interpolation);
        complain(format!(
            "`{name}` is {first} in the vertex stage but {second} in the fragment stage"
        ));
    }
    if rules.must_invariance_match()
        && input.is_used
        && !is_builtin(input)
        && output.is_invariant != input.is_invariant
    {
        complain(format!("`{name}` is invariant in one stage only"));
    }
    let differs = |sampling| (output.sampling == sampling) != (input.sampling == sampling);
    if differs(Sampling::Sample) {
        complain(format!("`{name}` is qualified `sample` in one stage only"));
    } else if differs(Sampling::Centroid)
        && input.is_block_member
        && rules.must_block_centroid_match()
    {
        complain(format!("`{name}` is qualified `centroid` in one stage only"));
    }
}

/// Members of a block are compared one by one, so only their number and order is left to check here.
fn check_blocks(outputs: &[Variable], inputs: &[Variable], errors: &mut Vec<Diagnostic>) {
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
                "block `{block}` has the members {} in the vertex stage but {} in the fragment stage",
                member_list(&written),
                member_list(&read)
            );
            errors.push(Diagnostic::error(place(input), message));
        }
    }
}

/// `Block` of `Block.member`, and of `Block[1].member`: an array of blocks must agree in size.
fn block_name(variable: &Variable) -> &str {
    variable.name.split(['.', '[']).next().unwrap_or("")
}

fn member_list(names: &[String]) -> String {
    let short = |name: &String| {
        format!("`{}`", name.split_once('.').map_or(name.as_str(), |(_, member)| member))
    };
    names.iter().map(short).collect::<Vec<_>>().join(", ")
}

/// Types are the same when they agree member by member; the names of struct types do not count.
pub fn is_same_type(first: &Type, second: &Type) -> bool {
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

fn type_message(name: &str, output: &Type, input: &Type) -> String {
    match (output.without_arrays(), input.without_arrays()) {
        (Type::Struct(first), Type::Struct(second)) => {
            format!(
                "`{name}` is a struct in both stages but the members differ: {} and {}",
                list(first),
                list(second)
            )
        }
        _ => format!("`{name}` is {output} in the vertex stage but {input} in the fragment stage"),
    }
}

fn list(ty: &crate::link::interface::StructType) -> String {
    let members = ty.members.iter().map(|member| format!("{} {};", member.ty, member.name));
    format!("{{ {} }}", members.collect::<Vec<_>>().join(" "))
}

/// The name a person knows the variable by.
fn shown(variable: &Variable) -> &str {
    if variable.alias.is_empty() { &variable.name } else { &variable.alias }
}

fn place(variable: &Variable) -> Span {
    variable.span.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::testing::variables;

    const GLSL_450: LinkRules =
        LinkRules { version: 450, is_es: false, has_wgsl: false, is_fixed_function: false };

    #[track_caller]
    fn check(rules: LinkRules, outputs: &str, inputs: &str, expected: &str) {
        assert_eq!(summary(&variables(outputs), &variables(inputs), rules), expected);
    }

    fn summary(outputs: &[Variable], inputs: &[Variable], rules: LinkRules) -> String {
        match match_up(outputs, inputs, rules) {
            Err(errors) => {
                errors.iter().map(|error| error.message.clone()).collect::<Vec<_>>().join("\n")
            }
            Ok(matched) => {
                let pair = |pair: &Pair| {
                    format!("{}={}", outputs[pair.output].name, inputs[pair.input].name)
                };
                let mut words: Vec<String> = matched.pairs.iter().map(pair).collect();
                words.extend(
                    matched.unread.iter().map(|idx| format!("unread {}", outputs[*idx].name)),
                );
                words.extend(
                    matched.unwritten.iter().map(|idx| format!("unwritten {}", inputs[*idx].name)),
                );
                words.join(", ")
            }
        }
    }

    fn glsl(version: u16) -> LinkRules {
        LinkRules { version, ..GLSL_450 }
    }

    fn es(version: u16) -> LinkRules {
        LinkRules { version, is_es: true, ..GLSL_450 }
    }

    #[test]
    fn pairs_are_found_by_name_and_unread_outputs_removed() {
        check(GLSL_450, "vec2 a; vec3 b; float c", "float c; vec2 a", "a=a, c=c, unread b");
    }

    #[test]
    fn explicit_locations_match_whatever_the_names_are() {
        check(GLSL_450, "@3 vec2 a; @1 vec2 b", "@1 vec2 x; @3 vec2 y", "a=y, b=x");
        check(
            GLSL_450,
            "@3 vec2 a",
            "vec2 a",
            "`a` is read by the fragment stage but not written by the vertex stage",
        );
    }

    /// C42
    #[test]
    fn explicit_locations_of_one_stage_must_not_overlap() {
        check(
            GLSL_450,
            "@1 vec4 a[2]; @2 vec2 b",
            "@1 vec4 a[2]; @2 vec2 b",
            "`a` and `b` overlap at 2.x\n`a` and `b` overlap at 2.x",
        );
    }

    /// C33
    #[test]
    fn an_undeclared_input_is_an_error_in_es_and_except_from_130_to_410() {
        let message = "`v` is read by the fragment stage but not written by the vertex stage";
        check(glsl(420), "", "vec4 v", message);
        check(es(100), "", "vec4 v", message);
        check(glsl(120), "", "vec4 v", message);
        check(glsl(130), "", "vec4 v", "unwritten v");
        check(glsl(410), "", "vec4 v", "unwritten v");
        let fixed_function = LinkRules { is_fixed_function: true, ..glsl(120) };
        check(fixed_function, "", "vec4 v", "unwritten v");
    }

    /// C34
    #[test]
    fn an_unwritten_input_is_an_error_up_to_120() {
        let mut outputs = variables("vec4 v");
        outputs[0].is_used = false;
        let inputs = variables("vec4 v");
        assert_eq!(summary(&outputs, &inputs, glsl(130)), "unwritten v");
        let message =
            "`v` is read by the fragment stage but declared and never written by the vertex stage";
        assert_eq!(summary(&outputs, &inputs, glsl(120)), message);
    }

    #[test]
    fn an_unused_input_needs_nothing() {
        let mut inputs = variables("vec4 v");
        inputs[0].is_used = false;
        assert_eq!(summary(&variables("vec4 v"), &inputs, GLSL_450), "unread v");
        assert_eq!(summary(&[], &inputs, es(300)), "");
    }

    /// C35
    #[test]
    fn types_must_be_identical_but_for_struct_names() {
        check(
            GLSL_450,
            "vec3 v",
            "vec4 v",
            "`v` is vec3 in the vertex stage but vec4 in the fragment stage",
        );
        check(
            GLSL_450,
            "vec3 v[2]",
            "vec3 v[3]",
            "`v` is vec3[2] in the vertex stage but vec3[3] in the fragment stage",
        );
        check(
            GLSL_450,
            "struct{float f; vec2 g;} s",
            "struct{float f; vec2 h;} s",
            "`s` is a struct in both stages but the members differ: { float f; vec2 g; } and { float f; vec2 h; }",
        );
    }

    /// C36, C37
    #[test]
    fn interpolation_must_match_before_440_and_in_es() {
        let message = "`v` is flat in the vertex stage but smooth in the fragment stage";
        check(glsl(430), "flat vec4 v", "smooth vec4 v", message);
        check(es(320), "flat vec4 v", "smooth vec4 v", message);
        check(glsl(440), "flat vec4 v", "smooth vec4 v", "v=v");
        check(
            glsl(330),
            "vec4 v",
            "smooth vec4 v",
            "`v` is unqualified in the vertex stage but smooth in the fragment stage",
        );
        check(es(300), "vec4 v", "smooth vec4 v", "v=v");
    }

    /// C38, C39
    #[test]
    fn sample_must_match_and_centroid_only_in_blocks() {
        check(GLSL_450, "centroid vec4 v", "vec4 v", "v=v");
        check(GLSL_450, "sample vec4 v", "vec4 v", "`v` is qualified `sample` in one stage only");
        let block = |text: &str| {
            let mut members = variables(text);
            for member in &mut members {
                member.is_block_member = true;
            }
            members
        };
        let (outputs, inputs) = (block("centroid vec4 B.v"), block("vec4 B.v"));
        assert_eq!(
            summary(&outputs, &inputs, GLSL_450),
            "`B.v` is qualified `centroid` in one stage only"
        );
        assert_eq!(summary(&outputs, &inputs, es(310)), "B.v=B.v");
    }

    /// C41
    #[test]
    fn blocks_must_have_the_same_members_in_the_same_order() {
        let block = |text: &str| {
            let mut members = variables(text);
            for member in &mut members {
                member.is_block_member = true;
            }
            members
        };
        let message = summary(&block("vec4 B.a; vec4 B.b"), &block("vec4 B.b; vec4 B.a"), GLSL_450);
        assert_eq!(
            message,
            "block `B` has the members `a`, `b` in the vertex stage but `b`, `a` in the fragment stage"
        );
    }
}
