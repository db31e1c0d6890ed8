//! Checks that results are probed: every draw and target, and nothing but the error where an error is expected.

use crate::read::reader::Reader;
use crate::xfb::XfbStep;
use crate::{Action, Case, Expectation, LinkExpectation, Step};
use ir::diagnostic::Diagnostic;
use ir::source::Span;

/// Runs all checks.
pub(super) fn check(reader: &mut Reader<'_>, case: &Case) {
    if let Some(error) = expected_error(case) {
        check_nothing_else(reader, case, error);
    } else {
        check_last_draw(reader, case);
        check_wiped_draws(reader, case);
        check_targets(reader, case);
    }
}

/// The line that expects a link or compile error.
fn expected_error(case: &Case) -> Option<Span> {
    let steps = case.expectations().filter(|line| line.value.is_error());
    let lines = case.link.expectations.iter();
    let lines = lines.filter(|line| matches!(line.value, LinkExpectation::Error(_)));
    steps.map(|line| line.span).chain(lines.map(|line| line.span)).min_by_key(|span| span.start)
}

/// Checks that a case that expects an error neither draws nor expects anything else.
fn check_nothing_else(reader: &mut Reader<'_>, case: &Case, error: Span) {
    let compile = |expectation: &Expectation| matches!(expectation, Expectation::CompileError(_));
    let is_of_compiling = case.expectations().any(|line| compile(line.value));
    let is_other = |step: &Step| match step {
        Step::Expect(expectation) if is_of_compiling => !compile(expectation),
        Step::Expect(expectation) => !expectation.is_error(),
        // Points need an inter-stage variable, as they are drawn as quads.
        Step::Set(_) | Step::Run(_) => {
            acts(step) && !step.draw().is_some_and(|draw| draw.shape.is_of_points())
        }
    };
    let steps = case.steps.iter().filter(|step| is_other(&step.value)).map(|step| step.span);
    let is_other =
        |line: &LinkExpectation| is_of_compiling || !matches!(line, LinkExpectation::Error(_));
    let lines = case.link.expectations.iter().filter(|line| is_other(&line.value));
    let (line, _) = reader.source.line_and_column(error.start);
    for span in lines.map(|line| line.span).chain(steps).take(1) {
        let message = format!("line {line} expects an error, so that nothing else is looked at");
        let help = "what is drawn or expected of a program needs one: make it a case of its own";
        reader.report(Diagnostic::error(span, message).with_help(help));
    }
}

/// Checks that a probe follows the last draw.
fn check_last_draw(reader: &mut Reader<'_>, case: &Case) {
    let Some(last) = case.steps.iter().rposition(|step| acts(&step.value)) else { return };
    // A case without any expectation is reported elsewhere.
    if case.expectations().next().is_none() {
        return;
    }
    let is_seen = case.steps[last..].iter().any(|step| is_look(&step.value));
    let counts = |line: &LinkExpectation| matches!(line, LinkExpectation::Pipelines(_));
    let is_counted = case.link.expectations.iter().any(|line| counts(&line.value));
    if !is_seen && !is_counted && !compares_itself(&case.steps[last].value) {
        let message = "no expectation depends on the result of this step";
        let help = "put a `probe` or a `golden` behind it, or leave it out";
        reader.report(Diagnostic::error(case.steps[last].span, message).with_help(help));
    }
}

/// Checks that drawn pixels are probed before all targets are cleared again, or that a buffer is, which clears keep.
fn check_wiped_draws(reader: &mut Reader<'_>, case: &Case) {
    let keeps = |step: &Step| {
        matches!(
            step,
            Step::Run(Action::Xfb(_))
                | Step::Expect(Expectation::Buffer(_) | Expectation::XfbCount { .. })
        )
    };
    if case.steps.iter().any(|step| keeps(&step.value)) {
        return;
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
            reader.report(Diagnostic::error(span, message).with_help(help));
        }
    }
}

/// Checks that every declared render target is probed, or that `[link]` expects its output.
fn check_targets(reader: &mut Reader<'_>, case: &Case) {
    let draws = case.steps.iter().any(|step| acts(&step.value));
    if !draws || case.draws_to_textures() {
        return;
    }
    let seen: Vec<u32> = case.expectations().filter_map(|line| line.value.target()).collect();
    let is_expected = |index: u32| {
        let is_it = |line: &LinkExpectation| matches!(line, LinkExpectation::Output { buffer, .. } if *buffer == index);
        case.link.expectations.iter().any(|line| is_it(line.value.plain()))
    };
    for target in &case.render_targets {
        if target.span.is_some() && !seen.contains(&target.index) && !is_expected(target.index) {
            let message = format!("nothing looks at render target {}", target.index);
            let help = "put a `probe` of it behind what is drawn, or leave it out";
            reader.report(Diagnostic::error(target.span, message).with_help(help));
        }
    }
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
    step.expectation().is_some_and(|expectation| !expectation.is_about_linking())
}
