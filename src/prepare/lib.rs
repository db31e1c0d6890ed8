//! Compiles and links the programs of a case: one program, or one for each group of stage objects that it uses
//! together.
//!
//! The case's sections and steps, together with the [`AdapterRules`] of the adapter that will run it, become
//! [`LinkOptions`].

#[cfg(test)]
mod link_tests;
mod options;
mod undefined;

use compile::Objects;

use case::gl::limit::Limits;
use case::{Case, Dialect, LinkExpectation, Setting, UsedStages};
use check::link_map;
use check::verdict::{Failure, Verdict};
use ir::diagnostic::{self, CompileError, Diagnostic, Unsupported};
use ir::profile::Profile;
use ir::source::{Span, Spanned};
use ir::stage::ShaderStage;
use ir::stage_module::{LanguageRules, StageModule, Stages};
use link::place::budget::GL_SLOTS;
use link::place::map::LinkMap;
use link::program::LinkedProgram;
use link::session::{LinkedPrograms, ObjectNumbers, StageObjects, link_objects};
use link::table::binding::UniformBuffer;
use link::{LinkError, LinkOptions};

pub use link::AdapterRules;
pub use options::first_profile;
use options::options_of;

/// The compiled stages of a case.
#[expect(clippy::large_enum_variant, reason = "one of these exists per case")]
#[derive(Debug)]
pub enum Compiled {
    /// Stages of one program.
    Program(Stages),
    /// Stages of several programs, each linked separately.
    Programs(Vec<Stages>),
    /// Stage objects, which are linked in groups.
    Objects(Objects),
    /// Stages that cannot form one program, with the link errors.
    Unlinkable(Vec<Diagnostic>),
    /// Stages that were compiled one by one, of a case whose expectations are about compiling.
    Unlinked,
}

/// The result of linking; the case's expectations decide whether it is right.
#[derive(Debug)]
pub enum Linking {
    /// The programs.
    Done(LinkedPrograms),
    /// A link error, which the case may expect, or a fault of the linker.
    Failed(LinkError),
}

impl Linking {
    /// The link map that expectations are written for, or the error.
    pub fn map(&self) -> Result<&LinkMap, &LinkError> {
        match self {
            Self::Done(programs) => Ok(map_of(programs)),
            Self::Failed(error) => Err(error),
        }
    }

    /// Unwraps the programs.
    ///
    /// # Errors
    /// The verdict of a case whose linking failed.
    pub fn programs(self, case: &Case) -> Result<LinkedPrograms, Verdict> {
        match self {
            Self::Done(programs) => Ok(programs),
            Self::Failed(error) => Err(Verdict::Fail(link_map::check_link(case, Err(&error)))),
        }
    }
}

impl Compiled {
    /// Links the programs.
    ///
    /// # Errors
    /// The verdict of a case that ends here whatever it expects: unsupported or skipped.
    pub fn link(
        &self,
        case: &Case,
        rules: AdapterRules,
        profile: Profile,
    ) -> Result<Linking, Verdict> {
        let options = options_of(case, rules, profile).map_err(unsupported)?;
        let linked = match self.link_with(case, &options) {
            // Capacities of the adapter are checked before other rules, so linking again without them finds errors of
            // those rules.
            lacking @ Err(LinkError::NoRoom(_) | LinkError::NoWideTypes { .. }) => {
                match self.link_with(case, &options.with_slots_of_gl(GL_SLOTS).with_wide_types()) {
                    refused @ Err(LinkError::Refused(_) | LinkError::Forbidden(_)) => refused,
                    Ok(_) | Err(_) => lacking,
                }
            }
            linked => linked,
        };
        match linked {
            Err(LinkError::Unsupported { word, .. }) => Err(Verdict::Unsupported(word)),
            Err(LinkError::NoRoom(reason)) => Err(Verdict::Skip(no_room(&reason.message))),
            Err(LinkError::NoWideTypes { operation, .. }) => Err(Verdict::Skip(operation)),
            Ok(linked) => match unknown_block(case, &linked)
                .or_else(|| undefined::undefined_fragments(case, &linked))
            {
                Some(word) => Err(Verdict::Unsupported(word)),
                None => Ok(Linking::Done(linked)),
            },
            Err(
                error @ (LinkError::Refused(_)
                | LinkError::Forbidden(_)
                | LinkError::Invalid { .. }),
            ) => Ok(Linking::Failed(error)),
        }
    }

    /// Checks the lines below each `pair` of `[link]` against the pair's program in `programs`, with a failure for each
    /// line that does not hold.
    pub fn check_pairs(
        &self,
        case: &Case,
        rules: AdapterRules,
        programs: &LinkedPrograms,
    ) -> Result<Vec<Failure>, Verdict> {
        let options = options_of(case, rules, first_profile(case)).map_err(unsupported)?;
        Ok(self.pair_failures(case, programs, &options))
    }

    fn pair_failures(
        &self,
        case: &Case,
        programs: &LinkedPrograms,
        options: &LinkOptions,
    ) -> Vec<Failure> {
        let Self::Objects(objects) = self else { return Vec::new() };
        let mut failures = Vec::new();
        for expectation in &case.link.expectations {
            let LinkExpectation::OfPair { pair, line } = &expectation.value else { continue };
            let Some(numbers) = numbers_of(objects, pair) else { continue };
            let Some(at) = programs.objects.iter().position(|known| *known == numbers) else {
                continue;
            };
            let alone = || {
                let alone = numbers.map(|number| number.map(|_| 0));
                let linked = link_objects(only(objects, numbers), &[alone], options)?;
                Ok(map_of(&linked).clone())
            };
            let (map, line) = (&programs.programs[at].map, (expectation.span, line));
            failures.extend(link_map::check_pair(case, line.0, line.1, map, alone));
        }
        failures
    }

    /// The reason to skip a case whose `[link]` expectations hold with GL's number of slots, but fail on an adapter
    /// with fewer slots than WebGPU guarantees. `None` if the adapter has enough slots, or if the expectations fail
    /// with GL's number too.
    pub fn lacks_slots(
        &self,
        case: &Case,
        rules: AdapterRules,
        linked: &Linking,
    ) -> Option<String> {
        let fails = |linked: Result<&LinkedPrograms, &LinkError>, options: &LinkOptions| {
            !link_map::check_link(case, linked.map(map_of)).is_empty()
                || linked.is_ok_and(|linked| !self.pair_failures(case, linked, options).is_empty())
        };
        let linked = match linked {
            Linking::Done(programs) => Ok(programs),
            Linking::Failed(error) => Err(error),
        };
        let most = rules.max_inter_stage_variables;
        let guaranteed = AdapterRules::default().max_inter_stage_variables;
        if most >= guaranteed || case.link.expectations.is_empty() {
            return None;
        }
        let options = options_of(case, rules, first_profile(case)).ok()?;
        if !fails(linked, &options) {
            return None;
        }
        let options = options.with_slots_of_gl(case.link.variables.unwrap_or(GL_SLOTS));
        let is_right = !fails(self.link_with(case, &options).as_ref(), &options);
        let told = format!("`[link]` tells what more than the adapter's {most} slots hold");
        is_right.then(|| no_room(&told))
    }

    fn link_with(&self, case: &Case, options: &LinkOptions) -> Result<LinkedPrograms, LinkError> {
        match self {
            Self::Program(stages) => link::link(stages, options).map(|program| LinkedPrograms {
                programs: vec![program],
                ..LinkedPrograms::default()
            }),
            Self::Programs(all) => {
                let programs = all.iter().map(|stages| link::link(stages, options));
                let programs = programs.collect::<Result<_, _>>()?;
                Ok(LinkedPrograms { programs, ..LinkedPrograms::default() })
            }
            Self::Objects(objects) => {
                let all = objects.stages.each_ref().map(Vec::as_slice);
                used(case, objects).and_then(|used| link_objects(all, &used, options))
            }
            Self::Unlinkable(errors) => Err(LinkError::Refused(errors.clone())),
            Self::Unlinked => {
                let word = "linking a case that only compiles".to_owned();
                Err(LinkError::Unsupported { word, span: None })
            }
        }
    }
}

fn unsupported(Unsupported(word): Unsupported) -> Verdict {
    Verdict::Unsupported(word)
}

/// Adds the name of the limit to the reason why the adapter has too few slots.
fn no_room(reason: &str) -> String {
    format!("{reason} (max_inter_stage_shader_variables)")
}

/// Indices of the stages of a program; `None` if a stage does not exist, which the parser has already reported.
fn numbers_of(objects: &Objects, stages: &UsedStages) -> Option<ObjectNumbers> {
    let mut numbers = ObjectNumbers::default();
    for (stage, wanted) in stages.names().present() {
        let number = objects.names[stage].iter().position(|name| name == wanted)?;
        numbers[stage] = Some(number);
    }
    Some(with_fixed_fragment(objects, numbers))
}

/// Adds the fixed-function fragment stage if the program has no fragment stage and the fixed-function one replaces it.
fn with_fixed_fragment(objects: &Objects, mut numbers: ObjectNumbers) -> ObjectNumbers {
    let last = before_fragment(objects, numbers).last().copied();
    let fragment = &mut numbers[ShaderStage::Fragment];
    *fragment = fragment.or_else(|| objects.fixed_fragment_behind(last));
    numbers
}

/// The stages of a program before the fragment stage, in order.
fn before_fragment(objects: &Objects, numbers: ObjectNumbers) -> Vec<&StageModule> {
    let before = numbers.present().filter(|(stage, _)| *stage < ShaderStage::Fragment);
    before.filter_map(|(stage, number)| objects.stages[stage].get(*number)).collect()
}

/// The objects of one program only.
fn only(objects: &Objects, numbers: ObjectNumbers) -> StageObjects<'_> {
    let all = numbers.present();
    all.map(|(stage, number)| (stage, &objects.stages[stage][*number..=*number])).collect()
}

/// The reason why uniform blocks of a piglit file are unsupported if each stage is a program: piglit's reader binds the
/// blocks of the last stage from 0 on in the driver's order, and a block of an earlier stage shares one of these
/// bindings.
fn unknown_block(case: &Case, linked: &LinkedPrograms) -> Option<String> {
    if case.dialect != Dialect::Piglit {
        return None;
    }
    let sees = |buffer: &UniformBuffer, count: usize| {
        let binding = usize::try_from(buffer.case_binding.unwrap_or(0)).unwrap_or(usize::MAX);
        buffer.owner.is_some_and(|owner| owner != case.last_stage())
            && !buffer.name.is_empty()
            && binding < count
    };
    linked.programs.iter().find_map(|program| {
        let blocks = &program.reflection.uniform_blocks;
        let is_ordered = blocks.len() > 1 && program.reflection.has_names;
        let mut buffers = program.uniform_buffers.iter();
        let seen = buffers.find(|buffer| is_ordered && sees(buffer, blocks.len()))?;
        Some(format!(
            "SSO where `{}` is bound to one of several blocks of the last stage",
            seen.name
        ))
    })
}

/// The stage objects that `use` selects, in order; without `use`, the first of each stage.
fn used(case: &Case, objects: &Objects) -> Result<Vec<ObjectNumbers>, LinkError> {
    let mut used = Vec::new();
    for Spanned { value: setting, span } in case.settings() {
        let Setting::Use(stages) = setting else { continue };
        let numbers = numbers_of(objects, stages).ok_or_else(|| {
            let message = format!("there are no stage objects `{stages}`");
            LinkError::Refused(vec![Diagnostic::error(span, message)])
        })?;
        check_neighbours(objects, numbers, Some(span))?;
        used.push(numbers);
    }
    if !used.is_empty() {
        return Ok(used);
    }
    let mut numbers = objects.stages.each_ref().map(|stages| (!stages.is_empty()).then_some(0));
    let fragment = &mut numbers[ShaderStage::Fragment];
    *fragment = fragment.filter(|_| objects.fixed_fragment != Some(0));
    let mut sections = case.shaders.iter();
    let geometry = sections.find(|section| section.stage == ShaderStage::Geometry);
    check_neighbours(objects, numbers, geometry.map(|section| section.header))?;
    Ok(vec![with_fixed_fragment(objects, numbers)])
}

/// Checks the requirements between the stages of a program before the fragment stage. `span` is the line or section
/// that combines the stages.
fn check_neighbours(
    objects: &Objects,
    numbers: ObjectNumbers,
    span: Option<Span>,
) -> Result<(), LinkError> {
    let stages = before_fragment(objects, numbers);
    let is_es =
        |stage: &&StageModule| matches!(stage.rules, LanguageRules::Glsl { is_es: true, .. });
    let evaluation = stages.iter().copied().find(|stage| stage.evaluation().is_some());
    if evaluation.as_ref().is_some_and(is_es) && numbers[ShaderStage::TessellationControl].is_none()
    {
        let message =
            "in GLSL ES an evaluation shader must be linked with a control shader".to_owned();
        return Err(LinkError::Refused(vec![Diagnostic::error(span, message)]));
    }
    Ok(())
}

/// The link map that expectations are written for: the first pair's, with the counters of all pairs.
pub fn map_of(programs: &LinkedPrograms) -> &LinkMap {
    static NONE: LinkMap = LinkMap::EMPTY;
    programs.programs.first().map_or(&NONE, |program| &program.map)
}

/// Compiles the stages of a case for WebGPU's minimum limits.
///
/// # Errors
/// As for [`compile_for`].
pub fn compile(case: &Case) -> Result<Compiled, Verdict> {
    compile_for(case, &Limits::guaranteed(&case.link.limits))
}

/// Compiles the stages of a case. `limits` are the values of GLSL's constants.
///
/// # Errors
/// If compiling fails, or if the case expects a compile error: the final verdict.
pub fn compile_for(case: &Case, limits: &Limits) -> Result<Compiled, Verdict> {
    judged(case, compile_stages(case, limits))
}

/// Compiles the stages of a case, whatever it expects. `limits` are the values of GLSL's constants.
///
/// # Errors
/// The errors of the compiler.
pub fn compile_stages(case: &Case, limits: &Limits) -> Result<Compiled, CompileError> {
    if case.is_only_compiled() {
        compile::compile_alone(case, limits).map(|()| Compiled::Unlinked)
    } else if compile::has_objects(case) {
        compile::compile_objects(case, limits).map(Compiled::Objects)
    } else if !case.further_programs.is_empty() {
        compile::compile_all(case, limits).map(Compiled::Programs)
    } else {
        compile::compile(case, limits).map(Compiled::Program)
    }
}

/// True if the case expects that some stage does not compile, or permits it.
pub fn permits_compile_error(case: &Case) -> bool {
    case.program_expectations().any(|line| line.value.permits_compile_error())
}

/// Weighs the result of [`compile_stages`] against the case's expectations.
///
/// # Errors
/// If compiling failed, or if the case expects a compile error: the final verdict.
pub fn judged(case: &Case, compiled: Result<Compiled, CompileError>) -> Result<Compiled, Verdict> {
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(CompileError::Diagnostics(errors)) if permits_compile_error(case) => {
            return Err(verdict_of(link_map::check_compile_errors(case, &errors)));
        }
        Err(CompileError::Diagnostics(errors)) => {
            return Err(Verdict::Fail(vec![compile_failure(case, &errors)]));
        }
        Err(CompileError::Link(errors)) => Compiled::Unlinkable(errors),
        Err(CompileError::Unsupported { word, .. }) => return Err(Verdict::Unsupported(word)),
    };
    if case.is_only_compiled() {
        return Err(verdict_of(link_map::check_compile_errors(case, &[])));
    }
    Ok(compiled)
}

/// `Pass` without failures, else `Fail`.
pub fn verdict_of(failures: Vec<Failure>) -> Verdict {
    if failures.is_empty() { Verdict::Pass } else { Verdict::Fail(failures) }
}

fn compile_failure(case: &Case, errors: &[Diagnostic]) -> Failure {
    let span = errors.first().and_then(|error| error.span);
    let details = diagnostic::render(&case.source, errors).lines().map(str::to_owned).collect();
    Failure::at(&case.source, span, "compile", details)
}

/// Links the first program of a case, compiled for WebGPU's minimum limits.
///
/// # Errors
/// If the case ends before there is a program: the final verdict.
pub fn linked_program(case: &Case, rules: AdapterRules) -> Result<LinkedProgram, Verdict> {
    let limits = Limits::guaranteed(&case.link.limits);
    let first = linked_programs(case, rules, &limits)?.into_iter().next();
    first.ok_or_else(|| Verdict::Unsupported("a case without a program".to_owned()))
}

/// Links the programs of a case. `limits` are the values of GLSL's constants.
///
/// # Errors
/// If the case ends before there is a program: the final verdict.
pub fn linked_programs(
    case: &Case,
    rules: AdapterRules,
    limits: &Limits,
) -> Result<Vec<LinkedProgram>, Verdict> {
    let linked = compile_for(case, limits)?.link(case, rules, first_profile(case))?;
    Ok(linked.programs(case)?.programs)
}
