//! The programs of a case: one, or the pairs of stage objects that it uses; and the same under other linkage profiles.

use crate::case::{Case, Dialect, ProfileChoice, ShaderStage, Step};
use crate::case::{output, state};
use crate::diagnostic::Diagnostic;
use crate::frontend::Objects;
use crate::gpu::{self, Gpu};
use crate::link::map::LinkMap;
use crate::link::profile::{Missing, Profile};
use crate::link::program::UniformBuffer;
use crate::link::session::{LinkedPrograms, link_all};
use crate::link::{self, LinkError, Stages};
use crate::readback::{Extent, Readback};
use crate::source::Span;
use crate::verdict::{Failure, Verdict};
use crate::{CaseReport, execution_verdict, link_options};

/// The stages of a case.
#[expect(clippy::large_enum_variant, reason = "one of these exists per case")]
#[derive(Debug)]
pub(crate) enum Compiled {
    /// Of one program.
    Program(Stages),
    /// Objects for pairs.
    Objects(Objects),
    /// They cannot be one program, for these reasons.
    Unlinkable(Vec<Diagnostic>),
}

impl Compiled {
    /// The programs, or why they do not link.
    pub(crate) fn link(
        &self,
        case: &Case,
        gpu: Option<&Gpu>,
        profile: Profile,
    ) -> Result<Result<LinkedPrograms, LinkError>, Verdict> {
        let colors = state::color_state(case).map_err(Verdict::Unsupported)?;
        let targets = output::draw_buffer_classes(case).map_err(Verdict::Unsupported)?;
        let options = link_options(case, gpu, colors, targets, profile);
        let linked = match self {
            Self::Program(stages) => link::link(stages, &options).map(|program| LinkedPrograms {
                programs: vec![program],
                ..LinkedPrograms::default()
            }),
            Self::Objects(objects) => pairs(case, objects)
                .and_then(|pairs| link_all(&objects.vertex, &objects.fragment, &pairs, &options)),
            Self::Unlinkable(errors) => Err(LinkError::Refused(errors.clone())),
        };
        match linked {
            Err(LinkError::Unsupported { word, .. }) => Err(Verdict::Unsupported(word)),
            Ok(linked) => match unknown_block(case, &linked) {
                Some(word) => Err(Verdict::Unsupported(word)),
                None => Ok(Ok(linked)),
            },
            refused => Ok(refused),
        }
    }
}

/// What is unknown about uniform blocks in piglit's files with a program for each stage: its reader binds the blocks of the
/// fragment stage from 0 on in an order that is the driver's, and a block of the vertex stage sees one of them.
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

/// The pairs of objects that are used, in order; without any `use` the first of each kind.
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
        return Err(LinkError::Unsupported { word, span: Span::default() });
    }
    Ok(vec![(0, 0)])
}

/// The link map that expectations are about: the first pair's, with the counters of all.
pub(crate) fn map_of(programs: &LinkedPrograms) -> &LinkMap {
    static NONE: LinkMap = LinkMap::EMPTY;
    programs.programs.first().map_or(&NONE, |program| &program.map)
}

/// The profile that expectations are about.
pub(crate) fn first_profile(case: &Case) -> Profile {
    match case.link.profile {
        Some(ProfileChoice::One(profile)) => profile,
        Some(ProfileChoice::All) | None => Profile::Webgpu,
    }
}

/// What an input reads that nobody writes: what the hardware of the one profile that the case names gives. Under several
/// profiles, which must show the same, and where hardware gives anything, it is zero.
pub(crate) const fn missing(case: &Case) -> Missing {
    match case.link.profile {
        Some(ProfileChoice::One(profile)) => profile.traits().missing,
        Some(ProfileChoice::All) | None => Missing::Zero,
    }
}

/// Runs the case under every other profile. What comes back must be the same bit by bit; a profile that refuses the
/// stages is left out, with a line in the report.
pub(crate) fn compare_profiles(
    case: &Case,
    gpu: Option<&Gpu>,
    compiled: &Compiled,
    report: &mut CaseReport,
) -> Result<Vec<Failure>, Verdict> {
    let mut failures = Vec::new();
    for (name, profile) in Profile::ALL.into_iter().filter(|(_, it)| *it != Profile::Webgpu) {
        let programs = match compiled.link(case, gpu, profile)? {
            Ok(programs) => programs,
            // Only what the profile itself forbids leaves it out; any other refusal is a fault of the linker's.
            Err(LinkError::Refused(reasons)) if reasons.iter().all(|it| is_rule_of(name, it)) => {
                let reason = reasons.first().map_or("", |reason| &reason.message);
                report.slots.push(format!("refused by {name}: {reason}"));
                continue;
            }
            Err(LinkError::Refused(reasons)) => {
                let reasons = reasons.iter().map(|it| it.message.as_str()).collect::<Vec<_>>();
                failures.push(failure(name, reasons.join("; ")));
                continue;
            }
            Err(error @ (LinkError::Unsupported { .. } | LinkError::Invalid { .. })) => {
                failures.push(failure(name, error.to_string()));
                continue;
            }
        };
        let (Some(gpu), Some(first)) = (gpu, &report.readback) else { continue };
        let readback = gpu::execute(gpu, case, &programs, Extent::Whole)
            .map_err(|error| execution_verdict(case, &error))?;
        failures.extend(difference(case, name, first, &readback));
    }
    Ok(failures)
}

/// Whether a refusal names a rule of this profile.
fn is_rule_of(profile: &str, reason: &Diagnostic) -> bool {
    let rest = reason.message.strip_prefix("profile ").and_then(|it| it.strip_prefix(profile));
    rest.is_some_and(|rest| rest.starts_with(' '))
}

/// The first thing that differs.
fn difference(
    case: &Case,
    profile: &str,
    first: &Readback,
    readback: &Readback,
) -> Option<Failure> {
    if let Some(message) = readback.messages.first() {
        return Some(failure(profile, message.clone()));
    }
    let mut captures = first.captures.iter().zip(&readback.captures);
    let at = captures.position(|(first, other)| first != other)?;
    let span = case.steps.get(at).map_or(Span::default(), |step| step.span);
    let (line, _) = case.source.line_and_column(span.start);
    let details = vec!["what comes back differs from that under profile webgpu".to_owned()];
    Some(Failure { line, ..Failure { details, ..failure(profile, String::new()) } })
}

fn failure(profile: &str, detail: String) -> Failure {
    Failure { line: 0, step: format!("profile {profile}"), details: vec![detail] }
}
