//! The programs of a case: one, or the pairs of stage objects that it uses; and the same under other linkage profiles.

use crate::case::{Case, Dialect, LinkExpectation, ProfileChoice, ShaderStage, StagePair, Step};
use crate::case::{output, state};
use crate::diagnostic::Diagnostic;
use crate::frontend::Objects;
use crate::gpu::{self, Gpu};
use crate::link::budget::{GL_SLOTS, Room};
use crate::link::map::LinkMap;
use crate::link::profile::{Missing, Profile};
use crate::link::program::UniformBuffer;
use crate::link::session::{LinkedPrograms, link_all};
use crate::link::{self, LinkError, LinkOptions, Stages, expect};
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
        let options = options_of(case, gpu, profile)?;
        let linked = match self.link_with(case, &options) {
            Err(LinkError::NoRoom(reason)) => {
                // The adapter's room comes before other rules are looked at, and GL has more of it.
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

    /// Every line below `pair` of `[link]` that does not hold of the pair's program among `programs`.
    pub(crate) fn check_pairs(
        &self,
        case: &Case,
        gpu: Option<&Gpu>,
        programs: &LinkedPrograms,
    ) -> Result<Vec<Failure>, Verdict> {
        let options = options_of(case, gpu, first_profile(case))?;
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
            failures.extend(expect::check_pair(case, line, map, alone));
        }
        failures
    }

    /// Why `[link]` cannot hold on an adapter with fewer slots than WebGPU guarantees, though it does with as many as GL
    /// has: where there are few, varyings are packed more tightly. Where there are enough, it must hold.
    pub(crate) fn lacks_slots(
        &self,
        case: &Case,
        gpu: &Gpu,
        linked: &Result<LinkedPrograms, LinkError>,
    ) -> Option<String> {
        let fails = |linked: &Result<LinkedPrograms, LinkError>, options: &LinkOptions| {
            !expect::check_link(case, linked.as_ref().map(map_of)).is_empty()
                || linked
                    .as_ref()
                    .is_ok_and(|linked| !self.pair_failures(case, linked, options).is_empty())
        };
        let most = gpu.max_inter_stage_variables();
        let guaranteed = LinkOptions::default().max_inter_stage_variables;
        if most >= guaranteed || case.link.expectations.is_empty() {
            return None;
        }
        let options = options_of(case, Some(gpu), first_profile(case)).ok()?;
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

/// A reason for which the adapter's slots are too few, with the limit's name.
fn no_room(reason: &str) -> String {
    format!("{reason} (max_inter_stage_shader_variables)")
}

/// What the linker must know of the case.
fn options_of(case: &Case, gpu: Option<&Gpu>, profile: Profile) -> Result<LinkOptions, Verdict> {
    let colors = state::color_state(case).map_err(Verdict::Unsupported)?;
    let targets = output::draw_buffer_classes(case).map_err(Verdict::Unsupported)?;
    Ok(link_options(case, gpu, colors, targets, profile))
}

/// The numbers of a pair's stages; none where there are no such stages, which the case's reader has found.
fn numbers_of(objects: &Objects, pair: &StagePair) -> Option<(usize, usize)> {
    let number = |names: &[String], wanted: &str| names.iter().position(|name| name == wanted);
    Some((
        number(&objects.vertex_names, &pair.vertex)?,
        number(&objects.fragment_names, &pair.fragment)?,
    ))
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
        let linked = match compiled.link(case, gpu, profile) {
            // Under the first profile there was room.
            Err(Verdict::Skip(reason)) => {
                failures.push(failure(name, reason));
                continue;
            }
            linked => linked?,
        };
        let programs = match linked {
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
            Err(
                error @ (LinkError::NoRoom(_)
                | LinkError::Unsupported { .. }
                | LinkError::Invalid { .. }),
            ) => {
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
    if let Some(message) = readback.messages.iter().chain(&readback.objections).next() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::parse::parse;
    use crate::compare::Goldens;
    use crate::run_case;

    /// A program of `count` slots whose consumer also has `code`, with `link` and `test` as its last sections, run
    /// without an adapter, when there are 16 slots.
    fn verdict(dialect: Dialect, count: u32, code: &str, (link, test): (&str, &str)) -> Verdict {
        let text = format!(
            "[require]\nGLSL >= 4.50\n[vertex shader]\nin vec4 piglit_vertex;\nout vec4 v[{count}];\nuniform vec4 u;\n\
             void main() {{ gl_Position = u; for (int i = 0; i < {count}; i++) v[i] = piglit_vertex * float(i); }}\n\
             [fragment shader]\nin vec4 v[{count}];\nout vec4 color;\n{code}\n\
             void main() {{ color = vec4(0.0); for (int i = 0; i < {count}; i++) color += v[i]; }}\n\
             {link}\n[test]\n{test}\n"
        );
        let case = parse("a", text.as_bytes(), dialect).swap_remove(0).result.expect("a case");
        run_case(&case, None, &Goldens::default()).verdict
    }

    #[track_caller]
    fn check(count: u32, code: &str, lines: (&str, &str), expect: Option<&str>) {
        match (verdict(Dialect::Interstage, count, code, lines), expect) {
            (Verdict::Pass, None) => {}
            (Verdict::Skip(reason), Some(expect)) => assert_eq!(reason, expect),
            (verdict, expect) => panic!("{verdict:?} instead of {expect:?}"),
        }
    }

    #[test]
    fn what_only_the_adapter_lacks_is_a_skip_and_no_link_error() {
        let skip = Some(
            "the varyings take 32 slots but the adapter has 16 (max_inter_stage_shader_variables)",
        );
        check(32, "", ("", "link error \"the varyings take\""), skip);
        check(32, "", ("", "link success"), skip);
        check(32, "", ("[link]\nerror \"the varyings take\"", ""), skip);
        for expected in ["link error", "link success"] {
            let found = verdict(Dialect::Piglit, 32, "", ("", expected));
            assert!(matches!(found, Verdict::Skip(_)), "{found:?}");
        }
    }

    #[test]
    fn what_the_case_limits_or_gl_has_not_is_a_link_error() {
        let limited = "[link]\nvariables 8";
        check(9, "", (limited, "link error \"the varyings take 9 slots but there are 8\""), None);
        // The adapter has no 31 either, so what the case allows is not what keeps the program from linking.
        let skip = Some(
            "the varyings take 32 slots but the adapter has 16 (max_inter_stage_shader_variables)",
        );
        check(32, "", ("[link]\nvariables 31", "link error \"the varyings take\""), skip);
        check(33, "", ("", "link error \"the varyings take 33 slots but GL has 32\""), None);
        assert_eq!(verdict(Dialect::Piglit, 33, "", ("", "link error")), Verdict::Pass);
    }

    #[test]
    fn another_mistake_is_found_although_there_is_no_room() {
        let code = "uniform vec3 u;";
        let test = "link error \"uniform `u` is vec3 here but vec4 in an earlier stage\"";
        check(32, code, ("", test), None);
        assert_eq!(verdict(Dialect::Piglit, 32, code, ("", "link error")), Verdict::Pass);
    }

    #[test]
    fn an_expected_compile_error_is_the_one_that_is_meant() {
        let wrong = "float f() { return undeclared_name; }";
        check(1, wrong, ("", "compile error \"`undeclared_name` is not declared\""), None);
        let details = |code: &str, line: &str| {
            let verdict = verdict(Dialect::Interstage, 1, code, ("", line));
            let Verdict::Fail(failures) = verdict else { panic!("{verdict:?}") };
            failures[0].details.clone()
        };
        let other = details(wrong, "compile error \"another message\"");
        assert_eq!(other[0], "expected  …another message…");
        assert!(other[1].contains("undeclared_name"), "{other:?}");
        assert_eq!(details("", "compile error \"another message\""), ["the stages compile"]);
        // What only does not link compiles.
        let disagreeing = "uniform vec3 u;";
        let line = "compile error \"uniform `u` is vec3\"";
        assert_eq!(details(disagreeing, line), ["the stages compile"]);
        let found =
            verdict(Dialect::Interstage, 1, wrong, ("", "link error \"undeclared_name is\""));
        assert!(matches!(found, Verdict::Fail(_)), "{found:?}");
    }
}
