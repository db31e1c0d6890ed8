//! interstage tests the seam between shader stages on real GPUs.
//!
//! Every arrow is one function, every box one type; [`run_case`] is the whole flow.
//!
//! ```text
//! text ─case::parse─▶ Case ─frontend::compile─▶ Stages<StageModule>
//!      ─link::link─▶ LinkedProgram ─gpu::execute─▶ Readback ─compare::check─▶ Verdict
//! ```

pub mod case;
pub mod compare;
pub mod diagnostic;
pub mod emit;
pub mod format;
pub mod frontend;
pub mod gl;
pub mod gpu;
pub mod layout;
pub mod link;
mod program;
pub mod readback;
pub mod scalar;
pub mod source;
pub mod verdict;

#[cfg(test)]
mod fixture;

use case::state::{self, ColorState};
use case::{Case, Dialect, DrawShape, Expectation, OutputRule, ProfileChoice, Step, Topology};
use compare::Goldens;
use format::FormatClass;
use frontend::CompileError;
use gpu::{ExecuteError, Gpu};
use link::budget::Room;
use link::profile::Profile;
use link::program::{LinkedProgram, LinkedStages};
use link::session::LinkedPrograms;
use link::{LinkError, LinkOptions, expect, reflect};
use program::Compiled;
use readback::{Extent, Readback};
use source::Span;
use verdict::{Failure, Verdict};

/// Everything that running one case gave.
#[derive(Clone, Debug)]
pub struct CaseReport {
    /// Whether it passed.
    pub verdict: Verdict,
    /// The link map's slot table, one line per slot; empty when nothing was linked.
    pub slots: Vec<String>,
    /// What came back, when something ran.
    pub readback: Option<Readback>,
}

/// A case that is compiled and linked, for the adapter that it was prepared for.
#[derive(Debug)]
pub struct Prepared(Result<Linked, Verdict>);

/// What comes of compiling and linking.
#[derive(Debug)]
struct Linked {
    compiled: Compiled,
    programs: Result<LinkedPrograms, LinkError>,
}

/// Compiles and links one case, which takes nothing of the adapter: another case may run on it meanwhile.
pub fn prepare(case: &Case, gpu: Option<&Gpu>) -> Prepared {
    let linked = || {
        check_requirements(case, gpu)?;
        let compiled = compile(case)?;
        let programs = compiled.link(case, gpu, program::first_profile(case))?;
        let lacking = gpu.and_then(|gpu| compiled.lacks_slots(case, gpu, &programs));
        lacking.map_or(Ok(Linked { compiled, programs }), |reason| Err(Verdict::Skip(reason)))
    };
    Prepared(linked())
}

/// Compiles, links, runs and checks one case. Without a `gpu` only cases that need none can run
/// ([`needs_gpu`]); the others are skipped.
pub fn run_case(case: &Case, gpu: Option<&Gpu>, goldens: &Goldens) -> CaseReport {
    run_prepared(case, prepare(case, gpu), gpu, goldens, Extent::Whole)
}

/// As [`run_case`], of what [`prepare`] made of the same case for the same `gpu`.
pub fn run_prepared(
    case: &Case,
    prepared: Prepared,
    gpu: Option<&Gpu>,
    goldens: &Goldens,
    extent: Extent,
) -> CaseReport {
    let mut report = CaseReport { verdict: Verdict::Pass, slots: Vec::new(), readback: None };
    report.verdict = match run_flow(case, prepared, gpu, (goldens, extent), &mut report) {
        Err(verdict) => verdict,
        Ok(failures) => verdict_of(failures),
    };
    report
}

/// The flow; `Err` is a verdict that ends it early.
fn run_flow(
    case: &Case,
    Prepared(prepared): Prepared,
    gpu: Option<&Gpu>,
    (goldens, extent): (&Goldens, Extent),
    report: &mut CaseReport,
) -> Result<Vec<Failure>, Verdict> {
    let Linked { compiled, programs: linked } = prepared?;
    let map = linked.as_ref().map(program::map_of);
    let mut failures = expect::check_link(case, map);
    if let (Err(error), Dialect::Piglit, true) = (&linked, case.dialect, case.link.is_separable) {
        // Programs of one stage link, or piglit's reader fails whatever the file expects.
        let (step, details) = ("link".to_owned(), vec![error.to_string()]);
        failures.push(Failure { line: 0, step, details });
    }
    let Ok(programs) = linked else { return Ok(failures) };
    failures.extend(compiled.check_pairs(case, gpu, &programs)?);
    report.slots = program::map_of(&programs).slot_lines();
    if let Some(first) = programs.programs.first() {
        failures.extend(reflect::check_blocks(case, first));
        failures.extend(reflect::check_queries(case, first));
    }
    let gpu = gpu.filter(|_| needs_gpu(case));
    if let Some(gpu) = gpu {
        // Profiles are compared in all pixels.
        let is_compared = case.link.profile == Some(ProfileChoice::All);
        let extent = if is_compared { Extent::Whole } else { extent };
        let readback = gpu::execute(gpu, case, &programs, extent)
            .map_err(|error| execution_verdict(case, &error))?;
        failures.extend(readback.messages.iter().map(|message| complaint(message)));
        failures.extend(readback.objections.iter().map(|objection| objected(objection)));
        failures.extend(compare::check(case, &readback, goldens));
        failures.extend(expect::check_pipelines(case, readback.pipelines));
        report.readback = Some(readback);
    }
    if case.link.profile == Some(ProfileChoice::All) {
        let others = program::compare_profiles(case, gpu, &compiled, report)?;
        failures.extend(others);
    }
    Ok(failures)
}

/// Whether some step of the case draws, dispatches or looks at what came back.
pub fn needs_gpu(case: &Case) -> bool {
    case.steps.iter().any(|step| match &step.value {
        Step::Draw(_) | Step::Compute(_) | Step::Capture(_) => true,
        Step::Expect(expectation) => match expectation {
            Expectation::Probe(_)
            | Expectation::Depth(_)
            | Expectation::Buffer(_)
            | Expectation::CaptureCount { .. }
            | Expectation::Golden(_) => true,
            Expectation::LinkSuccess
            | Expectation::LinkError(_)
            | Expectation::CompileError(_)
            | Expectation::Query(_)
            | Expectation::CapturedVaryings(_) => false,
        },
        Step::ClearColor(_)
        | Step::Clear
        | Step::ClearBuffer { .. }
        | Step::Uniform(_)
        | Step::Ssbo { .. }
        | Step::SsboData { .. }
        | Step::Texture(_)
        | Step::TextureParameter(_)
        | Step::ImageTexture { .. }
        | Step::FramebufferTextures(_)
        | Step::State(_)
        | Step::Use { .. }
        | Step::Tolerance(_) => false,
    })
}

/// What keeps a case from running on `gpu`, found without running it: a skip, an unsupported construct or a broken file;
/// otherwise a pass, which says nothing about what the case would find.
pub fn would_run(case: &Case, gpu: Option<&Gpu>) -> Verdict {
    let link = || compile(case)?.link(case, gpu, program::first_profile(case));
    let found = check_requirements(case, gpu).and_then(|()| link());
    match (found, gpu) {
        (Err(kept @ (Verdict::Skip(_) | Verdict::Unsupported(_) | Verdict::Broken(_))), _) => kept,
        (Ok(Ok(all)), Some(gpu)) if needs_gpu(case) => {
            let lacks = gpu::lacks_case(gpu, case, &all);
            lacks.map_or(Verdict::Pass, Verdict::Skip)
        }
        (Err(Verdict::Pass | Verdict::Fail(_)) | Ok(_), _) => Verdict::Pass,
    }
}

/// What a case needs of `gpu`, as it runs there.
///
/// # Errors
/// The verdict of a case that does not come to a plan.
pub fn needs(case: &Case, gpu: &Gpu) -> Result<gpu::Needs, Verdict> {
    check_requirements(case, Some(gpu))?;
    let linked = compile(case)?.link(case, Some(gpu), program::first_profile(case))?;
    let none = LinkedPrograms::default();
    let programs = linked.as_ref().unwrap_or(&none);
    gpu::needs(gpu, case, programs).map_err(|error| execution_verdict(case, &error))
}

/// What a linked case looks like inside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// The link map as text.
    pub map: String,
    /// Name and lowered WGSL of every stage, in the order of the pipeline. `capture` is the vertex stage as a compute
    /// stage, for culling.
    pub stages: Vec<(String, String)>,
}

/// Compiles and links a case, for the limits of `gpu` or else WebGPU's least ones, and shows the result instead of
/// running it. When the flow ends before there is a program, gives the verdict that ended it.
pub fn inspect(case: &Case, gpu: Option<&Gpu>) -> Result<Inspection, Verdict> {
    let program = linked_program(case, gpu)?;
    let stages = named_stages(&program);
    let stages = stages.into_iter().map(|(name, module)| (name.to_owned(), wgsl_text(module)));
    let outer = program.map.outer_lines().into_iter().map(|line| line + "\n");
    let reflection = program.vertex_reflection.iter().chain([&program.reflection]);
    let reflection = reflection.map(ToString::to_string);
    let map = std::iter::once(program.map.to_string());
    let map = map.chain(outer).chain(reflection).collect();
    Ok(Inspection { map, stages: stages.collect() })
}

/// One stage of a case: its name, and its text or what the language cannot express. Stages of the second program and of
/// later ones have its number behind their name: `vertex_2`.
pub type EmittedStage = (String, Result<Vec<u8>, String>);

/// As [`inspect`], in any language, and of all programs.
pub fn emit_stages(
    case: &Case,
    gpu: Option<&Gpu>,
    language: emit::Language,
) -> Result<Vec<EmittedStage>, Verdict> {
    let programs = linked_programs(case, gpu)?;
    let stages = programs.iter().zip(1_usize..).flat_map(|(program, number)| {
        let suffix = if number == 1 { String::new() } else { format!("_{number}") };
        let stages = named_stages(program).into_iter();
        stages.map(move |(name, module)| (format!("{name}{suffix}"), emit::write(module, language)))
    });
    Ok(stages.collect())
}

fn linked_program(case: &Case, gpu: Option<&Gpu>) -> Result<LinkedProgram, Verdict> {
    let first = linked_programs(case, gpu)?.into_iter().next();
    first.ok_or_else(|| Verdict::Unsupported("a case without a program".to_owned()))
}

fn linked_programs(case: &Case, gpu: Option<&Gpu>) -> Result<Vec<LinkedProgram>, Verdict> {
    let linked = compile(case)?.link(case, gpu, program::first_profile(case))?;
    let linked = linked.map_err(|error| Verdict::Fail(expect::check_link(case, Err(&error))))?;
    Ok(linked.programs)
}

/// The stages in the order of the pipeline.
fn named_stages(program: &LinkedProgram) -> Vec<(&'static str, &naga::Module)> {
    match &program.stages {
        LinkedStages::Render { vertex, fragment } => {
            let fragment = fragment.iter().map(|module| ("fragment", module));
            let capture = program.cull.iter().map(|it| ("capture", &it.module));
            let feedback = program.feedback.iter().flat_map(|it| {
                [("capture_function", &it.from_function), ("capture_slots", &it.from_slots)]
            });
            let feedback = feedback.map(|(name, it)| (name, &it.module));
            let vertex = std::iter::once(("vertex", vertex));
            vertex.chain(capture).chain(feedback).chain(fragment).collect()
        }
        LinkedStages::Compute(module) => vec![("compute", module)],
    }
}

fn check_requirements(case: &Case, gpu: Option<&Gpu>) -> Result<(), Verdict> {
    if let Some(error) = gpu::unknown_requirement(case) {
        return Err(Verdict::Broken(vec![error]));
    }
    let missing = gpu::missing_gl(gpu, case).or_else(|| match gpu {
        Some(gpu) => gpu::missing_requirement(gpu, case),
        None => needs_gpu(case).then(|| "no adapter".to_owned()),
    });
    missing.map_or(Ok(()), |reason| Err(Verdict::Skip(reason)))
}

/// The stages of a case; a verdict when they do not compile.
fn compile(case: &Case) -> Result<Compiled, Verdict> {
    let compiled = if frontend::has_objects(case) {
        frontend::compile_objects(case).map(Compiled::Objects)
    } else {
        frontend::compile(case).map(Compiled::Program)
    };
    let expects_error = case.steps.iter().any(|step| is_compile_error(&step.value));
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(CompileError::Diagnostics(errors)) if expects_error => {
            return Err(verdict_of(expect::check_compile_errors(case, &errors)));
        }
        Err(CompileError::Diagnostics(errors)) => {
            return Err(Verdict::Fail(vec![compile_failure(case, &errors)]));
        }
        Err(CompileError::Link(errors)) => Compiled::Unlinkable(errors),
        Err(CompileError::Unsupported { word, .. }) => return Err(Verdict::Unsupported(word)),
    };
    if expects_error {
        return Err(verdict_of(expect::check_compile_errors(case, &[])));
    }
    Ok(compiled)
}

const fn is_compile_error(step: &Step) -> bool {
    matches!(step, Step::Expect(Expectation::CompileError(_)))
}

fn verdict_of(failures: Vec<Failure>) -> Verdict {
    if failures.is_empty() { Verdict::Pass } else { Verdict::Fail(failures) }
}

/// A strict case says what it means by an output of another kind than its target; piglit's files have GL's rule.
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
    gpu: Option<&Gpu>,
    colors: ColorState,
    targets: Vec<Option<FormatClass>>,
    profile: Profile,
) -> LinkOptions {
    let is_framebuffer = |step: &Step| matches!(step, Step::FramebufferTextures(_));
    let has_framebuffers = case.steps.iter().any(|step| is_framebuffer(&step.value));
    let has_points = case.steps.iter().any(|step| is_point_draw(&step.value));
    let least = LinkOptions::default().max_inter_stage_variables;
    let available = gpu.map_or(least, Gpu::max_inter_stage_variables);
    let is_room_given = case.link.variables.is_some_and(|variables| variables <= available);
    LinkOptions {
        packing: case.link.packing,
        profile,
        missing: program::missing(case),
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
        is_point_size_enabled: state::is_point_size_enabled(case),
        colors,
        clip_planes: state::clip_planes(case),
        emulates_clip: case.emulates_clip(gpu.is_none_or(Gpu::has_clip_distances)),
        capture: case.capture.clone(),
        mixes_languages: case.link.mixes_languages,
        limits: case.link.limits.clone(),
        debug_names: case.link.debug_names,
        are_blocks_standard_only: gpu.is_some_and(Gpu::lays_out_blocks_by_standard_only),
        are_clip_distances_padded: gpu.is_some_and(Gpu::keeps_clip_distances_enabled),
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

fn compile_failure(case: &Case, errors: &[diagnostic::Diagnostic]) -> Failure {
    let start = errors.first().map_or(Span::default(), |error| error.span).start;
    let (line, _) = case.source.line_and_column(start);
    let details = diagnostic::render(&case.source, errors).lines().map(str::to_owned).collect();
    Failure { line, step: "compile".to_owned(), details }
}

fn execution_verdict(case: &Case, error: &ExecuteError) -> Verdict {
    let (line, step) = match error {
        ExecuteError::Step { step, .. } => {
            let span = case.steps.get(*step).map_or(Span::default(), |step| step.span);
            let (line, _) = case.source.line_and_column(span.start);
            (line, case.source.slice(span).trim().to_owned())
        }
        ExecuteError::Lacking(reason) => return Verdict::Skip(reason.clone()),
        ExecuteError::DeviceLost(_) => (0, "run".to_owned()),
    };
    Verdict::Fail(vec![Failure { line, step, details: vec![error.to_string()] }])
}

fn complaint(message: &str) -> Failure {
    let details = message.lines().map(str::to_owned).collect();
    Failure { line: 0, step: "the adapter complained".to_owned(), details }
}

fn objected(objection: &str) -> Failure {
    let details = objection.lines().map(str::to_owned).collect();
    Failure { line: 0, step: "validation".to_owned(), details }
}

fn wgsl_text(module: &naga::Module) -> String {
    let text = emit::write(module, emit::Language::Wgsl);
    text.map_or_else(
        |reason| format!("// {reason}"),
        |text| String::from_utf8_lossy(&text).into_owned(),
    )
}
