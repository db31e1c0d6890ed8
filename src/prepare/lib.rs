//! Links the programs of a case: one, or one for each pair of stage objects that it uses.
//!
//! The case's sections and steps become [`LinkOptions`], together with the [`AdapterRules`] of the adapter that will
//! run it.

use compile::Objects;

use case::{
    Case, Dialect, DrawShape, Expectation, LinkExpectation, ProfileChoice, StagePair, Step,
    Topology, draws,
};
use check::link_map;
use check::verdict::{Failure, Verdict};
use ir::diagnostic::{self, CompileError, Diagnostic};
use ir::format::FormatClass;
use ir::options::{ColorState, OutputRule};
use ir::profile::{Missing, Profile};
use ir::source::Span;
use ir::stage::ShaderStage;
use ir::stage_module::Stages;
use link::binding::UniformBuffer;
use link::budget::{GL_SLOTS, Room};
use link::map::LinkMap;
use link::program::LinkedProgram;
use link::session::{LinkedPrograms, link_all};
use link::{LinkError, LinkOptions};

pub use link::AdapterRules;

/// The compiled stages of a case.
#[expect(clippy::large_enum_variant, reason = "one of these exists per case")]
#[derive(Debug)]
pub enum Compiled {
    /// Stages of one program.
    Program(Stages),
    /// Stage objects, which are linked in pairs.
    Objects(Objects),
    /// Stages that cannot be one program, with the link errors.
    Unlinkable(Vec<Diagnostic>),
}

impl Compiled {
    /// Links the programs. The inner result is the link error, if any.
    pub fn link(
        &self,
        case: &Case,
        rules: AdapterRules,
        profile: Profile,
    ) -> Result<Result<LinkedPrograms, LinkError>, Verdict> {
        let options = options_of(case, rules, profile)?;
        let linked = match self.link_with(case, &options) {
            Err(LinkError::NoRoom(reason)) => {
                // The adapter's limit is checked before other rules. GL's limit is higher, so linking with it finds
                // errors of those.
                let (room, max_inter_stage_variables) = (Room::Gl, GL_SLOTS);
                let options = LinkOptions { max_inter_stage_variables, room, ..options };
                match self.link_with(case, &options) {
                    refused @ Err(LinkError::Refused(_)) => refused,
                    Ok(_) | Err(_) => Err(LinkError::NoRoom(reason)),
                }
            }
            linked => linked,
        };
        match linked {
            Err(LinkError::Unsupported { word, .. }) => Err(Verdict::Unsupported(word)),
            Err(LinkError::NoRoom(reason)) => Err(Verdict::Skip(no_room(&reason.message))),
            Ok(linked) => match unknown_block(case, &linked) {
                Some(word) => Err(Verdict::Unsupported(word)),
                None => Ok(Ok(linked)),
            },
            refused => Ok(refused),
        }
    }

    /// A failure for each line below `pair` of `[link]` that does not hold for the pair's program in `programs`.
    pub fn check_pairs(
        &self,
        case: &Case,
        rules: AdapterRules,
        programs: &LinkedPrograms,
    ) -> Result<Vec<Failure>, Verdict> {
        let options = options_of(case, rules, first_profile(case))?;
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
            let Some((first, second)) = numbers_of(objects, pair) else { continue };
            let Some(at) = programs.pairs.iter().position(|it| *it == (first, second)) else {
                continue;
            };
            let alone = || {
                let (vertex, fragment) = (&objects.vertex[first], &objects.fragment[second]);
                let (vertex, fragment) =
                    (std::slice::from_ref(vertex), std::slice::from_ref(fragment));
                let linked = link_all(vertex, fragment, &[(0, 0)], options)?;
                Ok(map_of(&linked).clone())
            };
            let (map, line) = (&programs.programs[at].map, (expectation.span, &**line));
            failures.extend(link_map::check_pair(case, line, map, alone));
        }
        failures
    }

    /// Reason to skip a case whose `[link]` expectations hold with GL's number of slots, but fail on an adapter with
    /// fewer slots than WebGPU guarantees. `None` if the adapter has enough slots, or if the expectations fail with
    /// GL's number too.
    pub fn lacks_slots(
        &self,
        case: &Case,
        rules: AdapterRules,
        linked: &Result<LinkedPrograms, LinkError>,
    ) -> Option<String> {
        let fails = |linked: &Result<LinkedPrograms, LinkError>, options: &LinkOptions| {
            !link_map::check_link(case, linked.as_ref().map(map_of)).is_empty()
                || linked
                    .as_ref()
                    .is_ok_and(|linked| !self.pair_failures(case, linked, options).is_empty())
        };
        let most = rules.max_inter_stage_variables;
        let guaranteed = LinkOptions::default().max_inter_stage_variables;
        if most >= guaranteed || case.link.expectations.is_empty() {
            return None;
        }
        let options = options_of(case, rules, first_profile(case)).ok()?;
        if !fails(linked, &options) {
            return None;
        }
        let max_inter_stage_variables = case.link.variables.unwrap_or(GL_SLOTS);
        let options = LinkOptions { max_inter_stage_variables, room: Room::Gl, ..options };
        let is_right = !fails(&self.link_with(case, &options), &options);
        let told = format!("`[link]` tells what more than the adapter's {most} slots hold");
        is_right.then(|| no_room(&told))
    }

    fn link_with(&self, case: &Case, options: &LinkOptions) -> Result<LinkedPrograms, LinkError> {
        match self {
            Self::Program(stages) => link::link(stages, options).map(|program| LinkedPrograms {
                programs: vec![program],
                ..LinkedPrograms::default()
            }),
            Self::Objects(objects) => pairs(case, objects)
                .and_then(|pairs| link_all(&objects.vertex, &objects.fragment, &pairs, options)),
            Self::Unlinkable(errors) => Err(LinkError::Refused(errors.clone())),
        }
    }
}

/// Skip message: a reason why the adapter has too few slots, with the limit's name.
fn no_room(reason: &str) -> String {
    format!("{reason} (max_inter_stage_shader_variables)")
}

/// Link options for the case.
fn options_of(case: &Case, rules: AdapterRules, profile: Profile) -> Result<LinkOptions, Verdict> {
    let colors = draws::color_state(case).map_err(|construct| Verdict::Unsupported(construct.0))?;
    let targets =
        draws::draw_buffer_classes(case).map_err(|construct| Verdict::Unsupported(construct.0))?;
    Ok(link_options(case, rules, colors, targets, profile))
}

/// Indices of a pair's stages; `None` if there are no such stages, which the parser has reported.
fn numbers_of(objects: &Objects, pair: &StagePair) -> Option<(usize, usize)> {
    let number = |names: &[String], wanted: &str| names.iter().position(|name| name == wanted);
    Some((
        number(&objects.vertex_names, &pair.vertex)?,
        number(&objects.fragment_names, &pair.fragment)?,
    ))
}

/// Reason why uniform blocks of a piglit file are unsupported, where each stage is a program: piglit's reader binds
/// the blocks of the fragment stage from 0 on in the driver's order, and a block of the vertex stage shares one of the
/// bindings.
fn unknown_block(case: &Case, linked: &LinkedPrograms) -> Option<String> {
    if case.dialect != Dialect::Piglit {
        return None;
    }
    let sees = |buffer: &UniformBuffer, count: usize| {
        let binding = usize::try_from(buffer.case_binding.unwrap_or(0)).unwrap_or(usize::MAX);
        buffer.owner == Some(ShaderStage::Vertex) && !buffer.name.is_empty() && binding < count
    };
    linked.programs.iter().find_map(|program| {
        let blocks = &program.reflection.uniform_blocks;
        let is_ordered = blocks.len() > 1 && program.reflection.has_names;
        let mut buffers = program.uniform_buffers.iter();
        let seen = buffers.find(|buffer| is_ordered && sees(buffer, blocks.len()))?;
        Some(format!(
            "SSO where `{}` is bound to one of several blocks of the other stage",
            seen.name
        ))
    })
}

/// Pairs of stage objects that `use` selects, in order; without `use`, the first of each stage.
fn pairs(case: &Case, objects: &Objects) -> Result<Vec<(usize, usize)>, LinkError> {
    let mut pairs = Vec::new();
    let position = |names: &[String], name: &str, span: Span| {
        names.iter().position(|known| known == name).ok_or_else(|| {
            let message = format!("there is no stage object `{name}`");
            LinkError::Refused(vec![Diagnostic::error(span, message)])
        })
    };
    for step in &case.steps {
        let Step::Use { vertex, fragment } = &step.value else { continue };
        pairs.push((
            position(&objects.vertex_names, vertex, step.span)?,
            position(&objects.fragment_names, fragment, step.span)?,
        ));
    }
    if !pairs.is_empty() {
        return Ok(pairs);
    }
    if objects.vertex.is_empty() || objects.fragment.is_empty() {
        let word = "a separable program of one stage".to_owned();
        return Err(LinkError::Unsupported { word, span: None });
    }
    Ok(vec![(0, 0)])
}

/// The link map that expectations are written for: the first pair's, with the counters of all pairs.
pub fn map_of(programs: &LinkedPrograms) -> &LinkMap {
    static NONE: LinkMap = LinkMap::EMPTY;
    programs.programs.first().map_or(&NONE, |program| &program.map)
}

/// The profile that expectations are written for.
pub fn first_profile(case: &Case) -> Profile {
    match case.link.profile {
        Some(ProfileChoice::One(profile)) => profile,
        Some(ProfileChoice::All) | None => Profile::Webgpu,
    }
}

/// Value of an input that no output writes: the hardware's value if the case names one profile. Otherwise zero, as all
/// profiles must give the same results.
pub const fn missing(case: &Case) -> Missing {
    match case.link.profile {
        Some(ProfileChoice::One(profile)) => profile.traits().missing,
        Some(ProfileChoice::All) | None => Missing::Zero,
    }
}

/// Rule for outputs whose base type differs from the target's: as `[link]` says, or GL's rule for piglit's files.
fn output_rule(case: &Case) -> OutputRule {
    match (case.dialect, case.link.outputs) {
        (Dialect::Piglit, OutputRule::Typed) => {
            let is_drawn = case.steps.iter().any(|step| matches!(step.value, Step::Draw(_)));
            OutputRule::Undefined { is_drawn }
        }
        (_, rule) => rule,
    }
}

fn link_options(
    case: &Case,
    rules: AdapterRules,
    colors: ColorState,
    targets: Vec<Option<FormatClass>>,
    profile: Profile,
) -> LinkOptions {
    let is_framebuffer = |step: &Step| matches!(step, Step::FramebufferTextures(_));
    let has_framebuffers = case.steps.iter().any(|step| is_framebuffer(&step.value));
    let has_points = case.steps.iter().any(|step| is_point_draw(&step.value));
    let available = rules.max_inter_stage_variables;
    let is_room_given = case.link.variables.is_some_and(|variables| variables <= available);
    LinkOptions {
        packing: case.link.packing,
        profile,
        missing: missing(case),
        is_separable: case.link.is_separable,
        per_vertex: case.link.per_vertex,
        semantics: case.link.semantics.clone(),
        generics: case.link.generics,
        linkage: case.link.linkage.clone(),
        sprite: case.link.sprite.clone(),
        is_multisampled: case.samples > 1,
        max_inter_stage_variables: available.min(case.link.variables.unwrap_or(u32::MAX)),
        room: if is_room_given { Room::Given } else { Room::Adapter },
        targets,
        outputs: output_rule(case),
        target_height: (!has_framebuffers).then_some(case.size[1]),
        has_points,
        is_point_size_enabled: draws::is_point_size_enabled(case),
        colors,
        clip_planes: draws::clip_planes(case),
        emulates_clip: case.emulates_clip(rules.has_clip_distances),
        capture: case.capture.clone(),
        mixes_languages: case.link.mixes_languages,
        limits: case.link.limits.clone(),
        debug_names: case.link.debug_names,
        are_blocks_standard_only: rules.are_blocks_standard_only,
        are_clip_distances_padded: rules.are_clip_distances_padded,
    }
}

fn is_point_draw(step: &Step) -> bool {
    let Step::Draw(draw) = step else { return false };
    match draw.shape {
        DrawShape::Arrays { topology, .. }
        | DrawShape::Indexed { topology, .. }
        | DrawShape::Captured { topology } => topology == Topology::Points,
        DrawShape::Rect(_) | DrawShape::RectOrtho(_) | DrawShape::RectTextured { .. } => false,
    }
}

/// Compiles the stages of a case.
///
/// # Errors
/// If compiling fails, or if the case expects a compile error: the final verdict.
pub fn compile(case: &Case) -> Result<Compiled, Verdict> {
    let compiled = if compile::has_objects(case) {
        compile::compile_objects(case).map(Compiled::Objects)
    } else {
        compile::compile(case).map(Compiled::Program)
    };
    let expects_error = case.steps.iter().any(|step| is_compile_error(&step.value));
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(CompileError::Diagnostics(errors)) if expects_error => {
            return Err(verdict_of(link_map::check_compile_errors(case, &errors)));
        }
        Err(CompileError::Diagnostics(errors)) => {
            return Err(Verdict::Fail(vec![compile_failure(case, &errors)]));
        }
        Err(CompileError::Link(errors)) => Compiled::Unlinkable(errors),
        Err(CompileError::Unsupported { word, .. }) => return Err(Verdict::Unsupported(word)),
    };
    if expects_error {
        return Err(verdict_of(link_map::check_compile_errors(case, &[])));
    }
    Ok(compiled)
}

const fn is_compile_error(step: &Step) -> bool {
    matches!(step, Step::Expect(Expectation::CompileError(_)))
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

/// Links the first program of a case.
///
/// # Errors
/// If the case ends before there is a program: the final verdict.
pub fn linked_program(case: &Case, rules: AdapterRules) -> Result<LinkedProgram, Verdict> {
    let first = linked_programs(case, rules)?.into_iter().next();
    first.ok_or_else(|| Verdict::Unsupported("a case without a program".to_owned()))
}

/// Links the programs of a case.
///
/// # Errors
/// If the case ends before there is a program: the final verdict.
pub fn linked_programs(case: &Case, rules: AdapterRules) -> Result<Vec<LinkedProgram>, Verdict> {
    let linked = compile(case)?.link(case, rules, first_profile(case))?;
    let linked = linked.map_err(|error| Verdict::Fail(link_map::check_link(case, Err(&error))))?;
    Ok(linked.programs)
}
