//! interstage tests the interface between shader stages on real GPUs.
//!
//! [`run_case`] runs this flow, in which every step may also end early with a verdict. Names on arrows are functions:
//!
//! ```text
//! text ─case::parse::parse─▶ Case ─prepare::compile_for─▶ Compiled ─Compiled::link─▶ Linking
//!
//! Linking ─┬─ Failed(LinkError) ──────────────────────────────── check::link_map ──────┐
//!          └─ Done(LinkedPrograms) ─┬─────────────────────────── check::link_map, … ───┤
//!                                   └─Device::execute─▶ Readback ─check::check─────────┤
//!                                                                                      ▼
//!                                                          Vec<Failure> ─verdict_of─▶ Verdict
//!
//! Device::execute:  LinkedPrograms ─plan::plan_with─▶ Plan ─gpu or cpu─▶ Readback
//! ```
//!
//! A case from text, run on the machine's first adapter:
//!
//! ```
//! use interstage::case::{Dialect, parse::parse};
//! use interstage::check::{Goldens, verdict::Verdict};
//! use interstage::device::Devices;
//!
//! let text = "\
//! [vertex shader]
//! #version 450
//! in vec4 piglit_vertex;
//! out vec3 a;
//! out float b;
//! void main() { gl_Position = piglit_vertex; a = vec3(0.25, 0.5, 0.75); b = 1.0; }
//! [fragment shader]
//! #version 450
//! in vec3 a;
//! in float b;
//! out vec4 color;
//! void main() { color = vec4(a, b); }
//! [link]
//! a 0.yzw
//! b 0.x
//! [test]
//! draw rect -1 -1 2 2
//! probe all rgba 0.25 0.5 0.75 1.0
//! ";
//! let case = parse("a.shader_test", text.as_bytes(), Dialect::Interstage).remove(0).result.unwrap();
//! let devices = Devices::all();
//! let adapter = devices.infos().next().expect("there is always the executor");
//! let device = devices.open(&format!("{}:{}", adapter.backend, adapter.index)).unwrap();
//! let report = interstage::run_case(&case, Some(&device), &Goldens::default());
//! assert_eq!(report.verdict, Verdict::Pass);
//! assert_eq!(report.slots.len(), 1);
//! ```
//!
//! A [`device::Device`] belongs to a driver, or is the executor on the CPU. Without a device, [`inspect`] shows the
//! link map and the linked stages. This crate re-exports its dependencies as modules: [`case`], [`mod@compile`],
//! [`link`], [`check`], [`plan`], [`mod@offer`], [`gpu`], [`cpu`], [`ir`] with the types that they share, and others.

mod border;
mod compilers;
pub mod device;
pub mod diagnosis;
mod judged;
mod profiles;
mod variants;

#[cfg(test)]
mod adapter_tests;
#[cfg(test)]
mod carried_tests;
#[cfg(test)]
mod sampler_tests;
#[cfg(test)]
mod variant_tests;
#[cfg(test)]
mod xfb_fault_tests;

pub use ::{
    amber, case, check, compile, conformance, cpu, gpu, ir, link, offer, oracle, plan, prepare,
    reference, through, vary, wgsl_file,
};

use case::gl::limit::Limits;
use case::{Case, Dialect, ProfileChoice};
use check::verdict::{Failure, Verdict};
use check::{Goldens, blocks, link_map as expect};
use ir::emit::{Language, WgslDialect};
use ir::readback::{Extent, Readback};
use link::AdapterRules;
use link::program::{LinkedProgram, LinkedStages};
use link::session::LinkedPrograms;
use plan::ExecuteError;

use prepare::{Compiled, Linking, compile_for, linked_programs, verdict_of};

use device::Device;
use variants::{Original, Variants};

pub use case::needs_gpu;
pub use judged::{Judged, unlinked_stages};

/// The results of running one case.
#[derive(Clone, Debug)]
pub struct CaseReport {
    /// The result that is reported: pass, fail, skip, unsupported or broken.
    pub verdict: Verdict,
    /// The link map's slot tables, one line per slot ([`link::place::map::LinkMap::interface_lines`]); empty when nothing
    /// was linked.
    pub slots: Vec<String>,
    /// What was read back; `None` if nothing ran.
    pub readback: Option<Readback>,
    /// The oracle's findings, or the reason why there are none; `None` if it was not asked.
    pub oracle: Option<Result<Judged, String>>,
    /// True if 64-bit values were emulated as pairs of words, because the device lacks 64-bit types.
    pub is_in_words: bool,
    /// Number of places that each change of variants altered; `None` if no variant ran.
    pub varied: Option<vary::Places>,
}

/// How to run a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// The part of render targets that is read back.
    pub extent: Extent,
    /// True to compare all results with the oracle, whatever the case expects.
    pub asks_oracle: bool,
}

impl From<Extent> for RunOptions {
    fn from(extent: Extent) -> Self {
        Self { extent, asks_oracle: false }
    }
}

/// A compiled and linked case, for the adapter that it was prepared for.
#[derive(Debug)]
pub struct Prepared(Result<Linked, Verdict>);

/// The results of compiling and linking.
#[derive(Debug)]
struct Linked {
    compiled: Compiled,
    linking: Linking,
}

/// Compiles and links one case. The adapter stays free: another case may run on it meanwhile.
pub fn prepare(case: &Case, device: Option<&Device>) -> Prepared {
    let linked = || {
        check_requirements(case, device)?;
        let compiled = compiled(case, device)?;
        let linking = compiled.link(case, rules_of(device), prepare::first_profile(case))?;
        let lacking = compiled.lacks_slots(case, rules_of(device), &linking);
        lacking.map_or(Ok(Linked { compiled, linking }), |reason| Err(Verdict::Skip(reason)))
    };
    Prepared(linked())
}

/// Compiles, links, runs and checks one case. Without a `device`, a case that needs one ([`needs_adapter`]) is skipped.
pub fn run_case(case: &Case, device: Option<&Device>, goldens: &Goldens) -> CaseReport {
    run_prepared(case, prepare(case, device), device, goldens, Extent::Whole.into())
}

/// Like [`run_case`], for a case that [`prepare()`] compiled and linked for the same `device`.
pub fn run_prepared(
    case: &Case,
    prepared: Prepared,
    device: Option<&Device>,
    goldens: &Goldens,
    options: RunOptions,
) -> CaseReport {
    let mut report = CaseReport {
        verdict: Verdict::Pass,
        slots: Vec::new(),
        readback: None,
        oracle: None,
        is_in_words: false,
        varied: None,
    };
    report.verdict = match run_flow(case, prepared, device, (goldens, options), &mut report) {
        Err(verdict) => verdict,
        Ok(failures) => verdict_of(failures),
    };
    report
}

/// Runs the flow of [`run_case`]. `Err` is a verdict that ends it early.
fn run_flow(
    case: &Case,
    Prepared(prepared): Prepared,
    device: Option<&Device>,
    (goldens, options): (&Goldens, RunOptions),
    report: &mut CaseReport,
) -> Result<Vec<Failure>, Verdict> {
    let Linked { compiled, linking } = prepared?;
    let mut failures = expect::check_link(case, linking.map());
    if let (Err(error), Dialect::Piglit, true) =
        (linking.map(), case.dialect, case.link.is_separable)
    {
        // A program of a single stage must link: otherwise piglit's reader fails, whatever the file expects.
        failures.push(Failure::of_case("link", vec![error.to_string()]));
    }
    let Linking::Done(programs) = linking else { return Ok(failures) };
    failures.extend(compiled.check_pairs(case, rules_of(device), &programs)?);
    report.slots = prepare::map_of(&programs).interface_lines();
    report.is_in_words = programs.programs.iter().any(|program| program.map.is_in_words);
    if let Some(first) = programs.programs.first() {
        failures.extend(check::blocks::check_blocks(case, first));
        failures.extend(check::queries::check_queries(case, first));
    }
    let device = device.filter(|_| needs_gpu(case));
    if let Some(device) = device {
        let ready = Ready { case, device, compiled: &compiled, programs: &programs };
        failures = ready.run(failures, goldens, options, report)?;
    }
    if case.link.profile == Some(ProfileChoice::All) {
        let others = profiles::compare_profiles(case, device, &compiled, report)?;
        failures.extend(others);
    }
    Ok(failures)
}

/// A linked case, and the device that it runs on.
#[derive(Clone, Copy, Debug)]
struct Ready<'a> {
    case: &'a Case,
    device: &'a Device,
    compiled: &'a Compiled,
    programs: &'a LinkedPrograms,
}

impl Ready<'_> {
    /// Runs the case and adds its failures to the `failures` of linking. `Err` is a verdict that ends the run early.
    fn run(
        &self,
        mut failures: Vec<Failure>,
        goldens: &Goldens,
        options: RunOptions,
        report: &mut CaseReport,
    ) -> Result<Vec<Failure>, Verdict> {
        let Self { case, device, compiled, programs } = *self;
        // Profiles are compared in all pixels.
        let is_compared = case.link.profile == Some(ProfileChoice::All);
        let asks_oracle = options.asks_oracle || case.asks_oracle();
        let extent = if is_compared || asks_oracle { Extent::Whole } else { options.extent };
        let oracle = asks_oracle.then(|| judged::consulted(case, compiled, programs));
        if let (Some(Err(endless @ ExecuteError::Stopped(_))), true) = (&oracle, case.asks_oracle())
        {
            // An endless loop can hang a GPU, and with it the programs that others run there.
            return Err(judged::no_oracle(endless));
        }
        let original = Original { case, device, compiled, programs };
        let variants = device.seed().map(|seed| Variants::of(&original, seed));
        let executed = variants.as_ref().map_or(programs, |variants| &variants.programs);
        let readback = device
            .execute(case, executed, extent)
            .map_err(|error| execution_verdict(case, &error))?;
        let judge = |readback: &Readback, found| match &oracle {
            Some(Ok(oracle)) => Some(oracle.judge(case, readback, goldens, found)),
            None | Some(Err(_)) => None,
        };
        failures.extend(failures_of(case, &readback, goldens));
        let found = judge(&readback, failures.clone());
        if let Some(found) = &found {
            failures.clone_from(&found.failures);
        }
        let failures_of = |readback: &Readback| {
            let expected = failures_of(case, readback, goldens);
            judge(readback, expected.clone()).map_or(expected, |found| found.failures)
        };
        let ran = compilers::Ran { case, device, programs: executed, readback: &readback };
        compilers::blame(ran, &failures_of, &mut failures);
        if let Some(variants) = &variants {
            let ran = compilers::Ran { programs, ..ran };
            variants.blame(ran, compiled, failures_of, &mut failures);
            failures.extend(variants.failure());
            report.varied = Some(variants.places.clone());
        }
        match oracle {
            None => {}
            Some(Ok(oracle)) => report.oracle = found.map(|found| Ok(Judged::of(oracle, found))),
            Some(Err(reason)) if case.asks_oracle() && failures.is_empty() => {
                return Err(judged::no_oracle(&reason));
            }
            Some(Err(reason)) => report.oracle = Some(Err(reason.to_string())),
        }
        report.readback = Some(readback);
        self.add_hints(&mut failures);
        Ok(failures)
    }

    /// Adds the mistakes that may be behind the first failure.
    fn add_hints(&self, failures: &mut [Failure]) {
        if let (Some(first), Some(program)) = (failures.first_mut(), self.programs.programs.first())
        {
            let hints = check::hint::hints(self.case, program);
            first.details.extend(hints.iter().map(|hint| format!("hint      {hint}")));
        }
    }
}

/// Checks a readback against all that its case expects.
fn failures_of(case: &Case, readback: &Readback, goldens: &Goldens) -> Vec<Failure> {
    let mut failures: Vec<_> = readback.messages.iter().map(|message| complaint(message)).collect();
    failures.extend(readback.objections.iter().map(|objection| objected(objection)));
    failures.extend(check::check(case, readback, goldens));
    failures.extend(expect::check_pipelines(case, readback.pipelines));
    failures
}

/// The verdict that prevents `case` from running on `device`, found without running it: a skip, an unsupported
/// construct or a broken file. A pass means only that nothing prevents it.
pub fn would_run(case: &Case, device: Option<&Device>) -> Verdict {
    let link =
        || compiled(case, device)?.link(case, rules_of(device), prepare::first_profile(case));
    let found = check_requirements(case, device).and_then(|()| link());
    match (found, device) {
        (Err(kept @ (Verdict::Skip(_) | Verdict::Unsupported(_) | Verdict::Broken(_))), _) => kept,
        (Ok(Linking::Done(all)), Some(device)) if needs_gpu(case) => {
            let lacks = device.lacks(case, &all);
            lacks.map_or(Verdict::Pass, Verdict::Skip)
        }
        (
            Err(Verdict::Pass | Verdict::Fail(_) | Verdict::Undecided(_) | Verdict::Untested(_))
            | Ok(_),
            _,
        ) => Verdict::Pass,
    }
}

/// The features and limits that `case` needs when it runs on `device`.
///
/// # Errors
/// The verdict of a case that ends before it is planned.
pub fn needs(case: &Case, device: &Device) -> Result<offer::Needs, Verdict> {
    check_requirements(case, Some(device))?;
    let compiled = compiled(case, Some(device))?;
    let linked = compiled.link(case, rules_of(Some(device)), prepare::first_profile(case))?;
    let programs = match linked {
        Linking::Done(programs) => programs,
        Linking::Failed(_) => LinkedPrograms::default(),
    };
    offer::needs(device.offer(), case, &programs).map_err(|error| execution_verdict(case, &error))
}

/// The inside of a linked case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// The link map as text.
    pub map: String,
    /// Name and lowered WGSL of every stage, in pipeline order. `capture` is the vertex stage as a compute stage, for
    /// culling.
    pub stages: Vec<(String, String)>,
}

/// Compiles and links a case for the limits of `device`, or WebGPU's minimum limits without one, and shows the result
/// instead of running it. If the flow ends before there is a program, returns the verdict that ended it.
pub fn inspect(case: &Case, device: Option<&Device>) -> Result<Inspection, Verdict> {
    let programs = varied_programs(case, device, rules_of(device))?;
    let first = programs.into_iter().next();
    let program =
        first.ok_or_else(|| Verdict::Unsupported("a case without a program".to_owned()))?;
    let stages = named_stages(&program);
    let stages = stages.into_iter().map(|(name, module)| (name.to_owned(), wgsl_text(module)));
    let outer = program.map.outer_lines().into_iter().map(|line| line + "\n");
    let reflection = program.reflections().map(blocks::block_text);
    let map = std::iter::once(program.map.to_string());
    let map = map.chain(outer).chain(reflection).collect();
    Ok(Inspection { map, stages: stages.collect() })
}

/// One stage of a case: its name, and its text or the construct that the language cannot express. From the second
/// program on, the program's number follows the name: `vertex_2`.
pub type EmittedStage = (String, Result<Vec<u8>, ir::emit::WriteError>);

/// Like [`inspect`], but emits the stages of all programs in any language. Types and layouts that the language
/// lacks become words.
pub fn emit_stages(
    case: &Case,
    device: Option<&Device>,
    language: Language,
) -> Result<Vec<EmittedStage>, Verdict> {
    let mut rules = rules_of(device);
    // The dialect of naga shows what runs.
    if language != Language::Wgsl(WgslDialect::Naga) {
        offer::lower_for(language, &mut rules);
    }
    let programs = varied_programs(case, device, rules)?;
    let stages = numbered_stages(&programs);
    Ok(stages.map(|(name, module)| (name, ir::emit::write(module, language))).collect())
}

/// The programs of a case as `device` runs them.
fn varied_programs(
    case: &Case,
    device: Option<&Device>,
    rules: AdapterRules,
) -> Result<Vec<LinkedProgram>, Verdict> {
    let compiled = compile_for(case, &limits_of(case, device))?;
    variants::varied_programs(case, &compiled, rules, device.and_then(Device::seed))
}

/// What other compilers make of every stage of all programs, step by step. The numbers of resources are those of the case
/// and not those of a driver.
pub fn trace_stages(
    case: &Case,
    chain: &through::Chain,
) -> Result<Vec<(String, Vec<through::Written>)>, Verdict> {
    let mut rules = rules_of(None);
    offer::lower_for_compilers(chain.language(), &mut rules);
    let programs = linked_programs(case, rules, &limits_of(case, None))?;
    let stages = numbered_stages(&programs);
    Ok(stages.map(|(name, module)| (name, chain.trace(module))).collect())
}

/// The stages of all programs, with the names of an [`EmittedStage`].
fn numbered_stages(programs: &[LinkedProgram]) -> impl Iterator<Item = (String, &naga::Module)> {
    programs.iter().zip(1_usize..).flat_map(|(program, number)| {
        let suffix = if number == 1 { String::new() } else { format!("_{number}") };
        let stages = named_stages(program).into_iter();
        stages.map(move |(name, module)| (format!("{name}{suffix}"), module))
    })
}

/// The stages of a program with their names, in pipeline order.
fn named_stages(program: &LinkedProgram) -> Vec<(&'static str, &naga::Module)> {
    match &program.stages {
        LinkedStages::Render { vertex, fragment } => {
            let fragment = fragment.iter().map(|module| ("fragment", module));
            let named = |is_in_chain: bool| {
                let own = program.passes.iter();
                let own = own.filter(move |pass| pass.role.is_in_chain() == is_in_chain);
                own.filter_map(|pass| Some((pass.role.name()?, &pass.module)))
            };
            let drawn = if program.has_chain() { "pass_through" } else { "vertex" };
            let drawn = std::iter::once((drawn, vertex));
            named(true).chain(drawn).chain(named(false)).chain(fragment).collect()
        }
        LinkedStages::Compute(module) => vec![("compute", module)],
    }
}

/// True if the case runs on an adapter, or requires one to have something.
pub fn needs_adapter(case: &Case) -> bool {
    needs_gpu(case) || offer::asks_adapter(case)
}

fn check_requirements(case: &Case, device: Option<&Device>) -> Result<(), Verdict> {
    if let Some(error) = offer::unknown_requirement(case) {
        return Err(Verdict::Broken(vec![error]));
    }
    let missing = offer::missing_gl(device.map(Device::offer), case).or_else(|| match device {
        Some(device) => offer::missing_requirement(device.offer(), case),
        None => needs_adapter(case).then(|| "no adapter".to_owned()),
    });
    missing.map_or(Ok(()), |reason| Err(Verdict::Skip(reason)))
}

fn execution_verdict(case: &Case, error: &ExecuteError) -> Verdict {
    let details = vec![error.to_string()];
    let failure = match error {
        ExecuteError::Step { step, .. } => match case.steps.get(*step) {
            Some(step) => Failure::of_text(&case.source, step.span, details),
            None => Failure::of_case("run", details),
        },
        ExecuteError::Lacking(reason) => return Verdict::Skip(reason.clone()),
        ExecuteError::Compiler(text) => {
            Failure::of_case("compiler", text.lines().map(str::to_owned).collect())
        }
        ExecuteError::DeviceLost(_) | ExecuteError::LevelsNotRead | ExecuteError::Stopped(_) => {
            Failure::of_case("run", details)
        }
    };
    Verdict::Fail(vec![failure])
}

/// The stages of a case, compiled for the limits of `device`.
fn compiled(case: &Case, device: Option<&Device>) -> Result<Compiled, Verdict> {
    compile_for(case, &limits_of(case, device))
}

/// GL's limits for a case on `device`, as its `[require]` and its GLSL see them; without a device, WebGPU's minimum.
pub fn limits_of(case: &Case, device: Option<&Device>) -> Limits {
    offer::gl_limits(device.map(Device::offer), case)
}

/// The rules of an adapter that the linker needs.
fn rules_of(device: Option<&Device>) -> AdapterRules {
    device.map_or_else(AdapterRules::default, |device| device.offer().link_rules())
}

fn complaint(message: &str) -> Failure {
    let details = message.lines().map(str::to_owned).collect();
    Failure::of_case("the adapter complained", details)
}

fn objected(objection: &str) -> Failure {
    let details = objection.lines().map(str::to_owned).collect();
    Failure::of_case("validation", details)
}

fn wgsl_text(module: &naga::Module) -> String {
    let text = ir::emit::write(module, Language::Wgsl(WgslDialect::Naga));
    text.map_or_else(
        |reason| format!("// {reason}"),
        |text| String::from_utf8_lossy(&text).into_owned(),
    )
}

#[cfg(test)]
mod tests {
    use crate::run_case;
    use case::parse::parse;
    use check::Goldens;

    use super::*;

    /// The verdict, without an adapter and with 16 slots, of a program of `count` slots whose consumer also contains
    /// `code`; `link` and `test` are the last sections of the case.
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
            "the varyings take 32 slots but a program that draws nothing has 16 unless `variables` says more \
             (max_inter_stage_shader_variables)",
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
        // Nothing is drawn, so the case gets as many slots as it asks for, whatever the adapter has.
        let message = "link error \"the varyings take 32 slots but there are 31\"";
        check(32, "", ("[link]\nvariables 31", message), None);
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
        // Stages that only fail to link do compile.
        let disagreeing = "uniform vec3 u;";
        let line = "compile error \"uniform `u` is vec3\"";
        assert_eq!(details(disagreeing, line), ["the stages compile"]);
        let found =
            verdict(Dialect::Interstage, 1, wrong, ("", "link error \"undeclared_name is\""));
        assert!(matches!(found, Verdict::Fail(_)), "{found:?}");
    }
}
