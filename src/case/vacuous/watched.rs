//! Detects results that no expectation checks: draws, clears and render targets, and everything besides an expected
//! error.

use super::Subject;
use crate::draw::xfb::XfbStep;
use crate::linking::{MapExpectation, OutputExpectation};
use crate::{
    Action, Case, Expectation, LinkExpectation, ProgramExpectation, ReadExpectation, Step,
};
use ir::diagnostic::Diagnostic;
use ir::source::Span;

/// The line that expects a link or compile error.
fn expected_error(case: &Case) -> Option<Span> {
    let steps = case.program_expectations().filter(|line| line.value.is_error());
    let lines = case.link.expectations.iter();
    let lines = lines.filter(|line| matches!(line.value, LinkExpectation::Error(_)));
    steps.map(|line| line.span).chain(lines.map(|line| line.span)).min_by_key(|span| span.start)
}

/// Reports a case that expects an error, and also draws or expects anything else.
pub(super) fn beside_an_error(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let case = subject.case;
    let Some(error) = expected_error(case) else { return Vec::new() };
    let compile = ProgramExpectation::is_of_compiling;
    let is_of_compiling = case.is_only_compiled();
    let is_other = |step: &Step| match step {
        Step::Expect(Expectation::Program(line)) if is_of_compiling => !compile(line),
        Step::Expect(Expectation::Program(line)) => !line.is_error(),
        Step::Expect(Expectation::Read(_)) => true,
        // Points need an inter-stage variable, because they are drawn as quads.
        Step::Set(_) | Step::Run(_) => {
            acts(step) && !step.draw().is_some_and(|draw| draw.shape.is_of_points())
        }
    };
    let steps = case.steps.iter().filter(|step| is_other(&step.value)).map(|step| step.span);
    let is_other =
        |line: &LinkExpectation| is_of_compiling || !matches!(line, LinkExpectation::Error(_));
    let lines = case.link.expectations.iter().filter(|line| is_other(&line.value));
    let (line, _) = case.source.line_and_column(error.start);
    let report = |span: Span| {
        let message = format!("line {line} expects an error, so that nothing else is looked at");
        let help = "what is drawn or expected of a program needs one: make it a case of its own";
        Diagnostic::error(span, message).with_help(help)
    };
    lines.map(|line| line.span).chain(steps).take(1).map(report).collect()
}

/// Reports the last draw, dispatch or clear, if no probe follows it.
pub(super) fn last_step(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let case = subject.case;
    let Some(last) = case.steps.iter().rposition(|step| acts(&step.value)) else {
        return Vec::new();
    };
    // A case without any expectation is reported elsewhere, as is one that expects an error.
    let expects_nothing = case.expectations().next().is_none() && case.link.expectations.is_empty();
    if expects_nothing || expected_error(case).is_some() {
        return Vec::new();
    }
    let is_seen = case.steps[last..].iter().any(|step| is_look(&step.value));
    let counts = |line: &LinkExpectation| matches!(line, LinkExpectation::Pipelines(_));
    let is_counted = case.link.expectations.iter().any(|line| counts(&line.value));
    if is_seen || is_counted || compares_itself(&case.steps[last].value) {
        return Vec::new();
    }
    let message = "no expectation depends on the result of this step";
    let help = "put a `probe` or a `golden` behind it, or leave it out";
    vec![Diagnostic::error(case.steps[last].span, message).with_help(help)]
}

/// Reports draws whose pixels no probe reads before all targets are cleared again, unless a buffer is probed, which
/// clears do not change.
pub(super) fn wiped_draws(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let case = subject.case;
    let keeps = |step: &Step| {
        matches!(
            step,
            Step::Run(Action::Xfb(_))
                | Step::Expect(Expectation::Read(
                    ReadExpectation::Buffer(_) | ReadExpectation::XfbCount(_)
                ))
        )
    };
    let mut found = Vec::new();
    if case.steps.iter().any(|step| keeps(&step.value)) || expected_error(case).is_some() {
        return found;
    }
    let mut unseen = None;
    for step in &case.steps {
        if matches!(step.value, Step::Run(Action::Draw(_))) {
            unseen = Some(step.span);
        } else if is_look(&step.value) {
            unseen = None;
        } else if matches!(step.value, Step::Run(Action::Clear))
            && let Some(span) = unseen.take()
        {
            let message = "the result of this draw is cleared before any expectation checks it";
            let help = "put a `probe` or a `golden` between, or leave it out";
            found.push(Diagnostic::error(span, message).with_help(help));
        }
    }
    found
}

/// Reports declared render targets that are not probed, and whose output `[link]` does not expect.
pub(super) fn targets(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let case = subject.case;
    let mut found = Vec::new();
    let draws = case.steps.iter().any(|step| acts(&step.value));
    if !draws || case.draws_to_textures() || expected_error(case).is_some() {
        return found;
    }
    let seen: Vec<u32> = case.readings().filter_map(|line| line.value.target()).collect();
    let is_expected = |index: u32| {
        let is_it = |line: &MapExpectation| matches!(line, MapExpectation::Output(OutputExpectation::Fragment { buffer, .. }) if *buffer == index);
        case.link.expectations.iter().filter_map(|line| line.value.of_map()).any(is_it)
    };
    for target in &case.render_targets {
        if target.span.is_some() && !seen.contains(&target.index) && !is_expected(target.index) {
            let message = format!("nothing looks at render target {}", target.index);
            let help = "put a `probe` of it behind what is drawn, or leave it out";
            found.push(Diagnostic::error(target.span, message).with_help(help));
        }
    }
    found
}

/// True if the step changes pixels or buffers.
fn acts(step: &Step) -> bool {
    let Step::Run(action) = step else { return false };
    match action {
        Action::Draw(_) | Action::Compute(_) | Action::Clear | Action::ClearBuffer { .. } => true,
        Action::Xfb(step) => matches!(step, XfbStep::Draw(_)),
    }
}

/// True for transform feedback: each captured draw is compared with the packed slots, so it needs no probe.
const fn compares_itself(step: &Step) -> bool {
    matches!(step, Step::Run(Action::Xfb(_)))
}

fn is_look(step: &Step) -> bool {
    step.reading().is_some()
}
