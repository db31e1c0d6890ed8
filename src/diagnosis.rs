//! What compiling, linking and planning find in a case, without running it: for editors.

use case::{Case, needs_gpu};
use check::verdict::{Failure, Verdict};
use check::{blocks, link_map, queries};
use ir::diagnostic::{CompileError, Diagnostic};
use ir::source::Span;
use link::LinkError;
use link::session::LinkedPrograms;
use plan::ExecuteError;
use prepare::{Compiled, Linking};

use crate::device::Device;
use crate::{check_requirements, execution_verdict, limits_of, needs_adapter, rules_of};

/// The findings about a case, and what it was compiled and linked to.
#[derive(Debug, Default)]
pub struct Diagnosis {
    /// The findings, in the order of the flow.
    pub findings: Vec<Finding>,
    /// The compiled stages; `None` if they do not compile.
    pub compiled: Option<Compiled>,
    /// The linked programs; none if the case does not link.
    pub programs: LinkedPrograms,
}

/// One finding.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// An error of the reader, the compiler or the linker that the case does not expect.
    Error(Diagnostic),
    /// An expectation that does not hold.
    Failure(Failure),
    /// The reason why a run does not judge the case: the device lacks something, or interstage does.
    Unjudged {
        /// The reason.
        reason: String,
        /// Position of the cause, if it has one.
        span: Option<Span>,
    },
}

/// Compiles, links and plans `case` for `device` as a run does. What a run finds before anything executes is a finding. As
/// in a run, a case that needs no adapter has WebGPU's minimum limits.
pub fn diagnose(case: &Case, device: &Device) -> Diagnosis {
    let mut diagnosis = Diagnosis::default();
    let device = needs_adapter(case).then_some(device);
    if let Err(verdict) = diagnosis.fill(case, device) {
        diagnosis.add(verdict);
    }
    diagnosis
}

impl Diagnosis {
    /// Follows the flow of a run. `Err` is a verdict that ends it early.
    fn fill(&mut self, case: &Case, device: Option<&Device>) -> Result<(), Verdict> {
        check_requirements(case, device)?;
        let stages = prepare::compile_stages(case, &limits_of(case, device));
        if let Err(error) = &stages {
            let expects_error = prepare::permits_compile_error(case);
            if self.add_compile_error(error, expects_error) {
                return Ok(());
            }
        }
        let compiled = self.compiled.insert(prepare::judged(case, stages)?);
        let profile = prepare::first_profile(case);
        let linking = compiled.link(case, rules_of(device), profile)?;
        if let Some(reason) = compiled.lacks_slots(case, rules_of(device), &linking) {
            return Err(Verdict::Skip(reason));
        }
        if let Err(LinkError::Refused(errors) | LinkError::Forbidden(errors)) = linking.map()
            && linking.map().is_err_and(|error| !link_map::expects_error(case, error))
        {
            self.findings.extend(errors.iter().cloned().map(Finding::Error));
            return Ok(());
        }
        let failures = link_map::check_link(case, linking.map());
        self.findings.extend(failures.into_iter().map(Finding::Failure));
        if let Linking::Done(programs) = linking {
            self.programs = programs;
            self.check_programs(case, device)?;
        }
        Ok(())
    }

    /// Adds the errors of stages that do not compile, and returns true if the case does not expect them.
    fn add_compile_error(&mut self, error: &CompileError, expects_error: bool) -> bool {
        match error {
            CompileError::Diagnostics(errors) if !expects_error => {
                self.findings.extend(errors.iter().cloned().map(Finding::Error));
                true
            }
            CompileError::Unsupported { word, span } => {
                self.findings.push(unsupported(word, *span));
                true
            }
            CompileError::Diagnostics(_) | CompileError::Link(_) => false,
        }
    }

    /// Checks the linked programs, and plans the steps if the case draws.
    fn check_programs(&mut self, case: &Case, device: Option<&Device>) -> Result<(), Verdict> {
        let compiled = self.compiled.as_ref().expect("only compiled stages are linked");
        let mut failures = compiled.check_pairs(case, rules_of(device), &self.programs)?;
        if let Some(first) = self.programs.programs.first() {
            failures.extend(blocks::check_blocks(case, first));
            failures.extend(queries::check_queries(case, first));
        }
        self.findings.extend(failures.into_iter().map(Finding::Failure));
        if needs_gpu(case)
            && let Err(error @ ExecuteError::Step { .. }) = cpu::planned(case, &self.programs)
        {
            return Err(execution_verdict(case, &error));
        }
        Ok(())
    }

    fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Pass => {}
            Verdict::Fail(failures) => {
                self.findings.extend(failures.into_iter().map(Finding::Failure));
            }
            Verdict::Broken(errors) => {
                self.findings.extend(errors.into_iter().map(Finding::Error));
            }
            Verdict::Unsupported(word) => self.findings.push(unsupported(&word, None)),
            Verdict::Skip(reason) => {
                let reason = format!("skipped: {reason}");
                self.findings.push(Finding::Unjudged { reason, span: None });
            }
            Verdict::Undecided(reason) | Verdict::Untested(reason) => {
                self.findings.push(Finding::Unjudged { reason, span: None });
            }
        }
    }
}

fn unsupported(word: &str, span: Option<Span>) -> Finding {
    Finding::Unjudged { reason: format!("unsupported by interstage: {word}"), span }
}

#[cfg(test)]
mod tests {
    use case::Dialect;
    use case::parse::parse;

    use super::*;

    /// A program whose fragment stage reads `v` as `input`, between `link` and `test` lines.
    fn findings(input: &str, link: &str, test: &str) -> Vec<String> {
        let link = if link.is_empty() { String::new() } else { format!("[link]\n{link}\n") };
        let text = format!(
            "[vertex shader]\n#version 450\nin vec4 piglit_vertex;\nout vec2 v;\n\
             void main() {{ gl_Position = piglit_vertex; v = piglit_vertex.xy; }}\n\
             [fragment shader]\n#version 450\n{input}\nout vec4 color;\n\
             void main() {{ color = vec4(v.xy, 0.0, 1.0); }}\n{link}[test]\n{test}\n"
        );
        let case = parse("a", text.as_bytes(), Dialect::Interstage).remove(0).result;
        let case = case.expect("it is a case");
        let device = Device::open("cpu").expect("the executor is always there");
        let found = diagnose(&case, &device).findings;
        found.iter().map(|finding| describe(&case, finding)).collect()
    }

    fn describe(case: &Case, finding: &Finding) -> String {
        match finding {
            Finding::Error(error) => ir::diagnostic::one_line(&case.source, error),
            Finding::Failure(failure) => format!("{failure} {:?}", failure.details),
            Finding::Unjudged { reason, .. } => reason.clone(),
        }
    }

    const DRAW: &str = "draw rect -1 -1 2 2\nprobe all rgb 0 0 0";

    #[test]
    fn a_case_whose_stages_link_has_no_findings() {
        assert_eq!(findings("in vec2 v;", "v 0.xy", DRAW), Vec::<String>::new());
    }

    #[test]
    fn errors_have_the_compilers_and_the_linkers_positions() {
        let found = findings("in vec2 v", "", DRAW);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("a:9:1: error: "), "{found:?}");
        let found = findings("in vec3 v;", "", DRAW);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("a:8:") && found[0].contains("`v`"), "{found:?}");
    }

    #[test]
    fn a_case_without_draws_has_the_guaranteed_limits() {
        let input = "in vec2 v;\nconst int one[gl_MaxVertexAttribs - 15] = int[1](0);";
        assert_eq!(findings(input, "", "link success"), Vec::<String>::new());
        let told = findings(input, "", DRAW);
        assert!(told[0].starts_with("a:9:"), "{told:?}");
    }

    #[test]
    fn expected_errors_are_no_findings() {
        let line = "compile error \"`v` is not declared\"";
        assert_eq!(findings("", "", line), Vec::<String>::new());
        let found = findings("in vec3 v;", "", "link error \"`v` is vec2 in\"");
        assert_eq!(found, Vec::<String>::new());
        let found = findings("in vec3 v;", "", "link error \"another message\"");
        assert!(found[0].starts_with("line 12: link error"), "{found:?}");
    }

    #[test]
    fn expectations_about_the_link_and_steps_that_do_not_fit_are_findings() {
        let found = findings("in vec2 v;", "v 0.zw", DRAW);
        assert_eq!(found, [r#"line 12: v 0.zw ["expected  0.zw", "actual    0.xy"]"#]);
        let found = findings("in vec2 v;", "", &format!("uniform float u 1\n{DRAW}"));
        assert!(found[0].starts_with("line 12: uniform float u 1"), "{found:?}");
    }
}
