//! Checks the expectations of `[link]` against the link map.

use crate::verdict::Failure;
use case::linking::{MapExpectation, OutputExpectation, SlotExpectation, VaryingExpectation};
use case::{Case, Counter, Likeness, LinkExpectation, ProgramExpectation};
use ir::diagnostic::Diagnostic;
use ir::options::{PackStep, RemovalReason};
use ir::semantic::Semantic;
use ir::source::{Span, Spanned};
use link::LinkError;
use link::label::relocate::Register;
use link::place::fragment_output::OutputRow;
use link::place::map::{InterfaceMap, LinkMap, XfbRow, chunk_text, chunks_of};

/// Checks the expectations of `[link]`, and `link success` or `link error` of `[test]`, with a failure for each that
/// does not hold. An error that no line expects is the only failure.
pub fn check_link(case: &Case, result: Result<&LinkMap, &LinkError>) -> Vec<Failure> {
    if let Err(error) = result
        && !expects_error(case, error)
    {
        return vec![unexpected(case, error)];
    }
    let mut failures = Vec::new();
    for expectation in &case.link.expectations {
        if let Err(details) = check_one(&expectation.value, result) {
            failures.push(Failure::of_text(&case.source, expectation.span, details));
        }
    }
    for Spanned { value: expectation, span } in case.program_expectations() {
        let problem = match expectation {
            ProgramExpectation::LinkSuccess if result.is_err() => {
                vec!["linking failed".to_owned()]
            }
            ProgramExpectation::LinkError(text) => {
                match check_error(text.as_deref(), result) {
                    Ok(()) => continue,
                    Err(details) => details,
                }
            }
            ProgramExpectation::CompileOrLinkError => match check_error(None, result) {
                Ok(()) => continue,
                Err(details) => details,
            },
            ProgramExpectation::LinkSuccess
            // Functions of their own check these.
            | ProgramExpectation::CompileSuccess
            | ProgramExpectation::CompileError(_)
            | ProgramExpectation::XfbVaryings(_)
            | ProgramExpectation::Query(_) => continue,
        };
        failures.push(Failure::of_text(&case.source, span, problem));
    }
    failures.extend(result.ok().into_iter().flat_map(|map| check_captured_count(case, map)));
    failures
}

/// True if a line of `[link]` expects an error, or `link error` of `[test]` one that the shaders cause.
pub fn expects_error(case: &Case, error: &LinkError) -> bool {
    let is_of_shaders = matches!(error, LinkError::Refused(_) | LinkError::Forbidden(_));
    let mut lines = case.link.expectations.iter();
    let mut steps = case.program_expectations();
    lines.any(|line| matches!(line.value, LinkExpectation::Error(_)))
        || is_of_shaders && steps.any(|step| expects_link_error(step.value))
}

const fn expects_link_error(expectation: &ProgramExpectation) -> bool {
    matches!(expectation, ProgramExpectation::LinkError(_) | ProgramExpectation::CompileOrLinkError)
}

/// Checks `pipelines …` of `[link]` against the number of pipelines that the draws used.
pub fn check_pipelines(case: &Case, pipelines: usize) -> Vec<Failure> {
    let check = |expectation: &Spanned<LinkExpectation>| {
        let LinkExpectation::Pipelines(expected) = &expectation.value else { return None };
        let details = same(expected, pipelines).err()?;
        Some(Failure::of_text(&case.source, expectation.span, details))
    };
    case.link.expectations.iter().filter_map(check).collect()
}

fn check_one(
    expectation: &LinkExpectation,
    result: Result<&LinkMap, &LinkError>,
) -> Result<(), Vec<String>> {
    let map = match (expectation, result) {
        (LinkExpectation::Error(text), outcome) => return check_error(Some(text), outcome),
        (_, Ok(map)) => map,
        (_, Err(_)) => return Err(vec!["linking failed".to_owned()]),
    };
    match expectation {
        LinkExpectation::Map(line) => check_map(line, map),
        LinkExpectation::Counter { counter, value } => same(value, counted(map, *counter)),
        LinkExpectation::OfSeam { seam, line } => {
            let is_it = |known: &&InterfaceMap| {
                (known.stages, known.is_patch) == (seam.stages, seam.is_patch)
            };
            match map.earlier.iter().find(is_it) {
                Some(known) => check_slots(line, &known.map),
                None => Err(vec![format!("the program has no interface `{seam}`")]),
            }
        }
        // These are not checked here: the number of pipelines is unknown before drawing, blocks are checked against the
        // reflection, and pairs are checked one by one.
        LinkExpectation::Error(_)
        | LinkExpectation::Pipelines(_)
        | LinkExpectation::OfPair { .. }
        | LinkExpectation::Block(_) => Ok(()),
    }
}

fn check_map(line: &MapExpectation, map: &LinkMap) -> Result<(), Vec<String>> {
    match line {
        MapExpectation::Slots(line) => check_slots(line, map),
        MapExpectation::Varyings(line) => check_varyings(line, map),
        MapExpectation::Output(line) => check_output(line, map),
        // `check_pair` compares these.
        MapExpectation::Alone(_) => Ok(()),
    }
}

fn check_slots(line: &SlotExpectation, map: &LinkMap) -> Result<(), Vec<String>> {
    match line {
        SlotExpectation::Count(expected) => same(expected, map.slots.len()),
        SlotExpectation::Placement { name, chunks } => match map.positions_of(name) {
            Some(positions) => same(chunk_text(chunks), chunk_text(&chunks_of(&positions))),
            None => Err(vec![format!("no varying `{name}` crosses")]),
        },
        SlotExpectation::Unused(name) => {
            let is_removed = map.unread.contains(name);
            is_removed.then_some(()).ok_or_else(|| vec![format!("`{name}` was not removed")])
        }
        SlotExpectation::Carrier { slot, text } => same(text, carrier_text(map, *slot)),
        SlotExpectation::Mismatch(name) => {
            let is_undefined = map.mismatches.contains(name);
            is_undefined.then_some(()).ok_or_else(|| vec![format!("`{name}` is defined")])
        }
    }
}

fn check_varyings(line: &VaryingExpectation, map: &LinkMap) -> Result<(), Vec<String>> {
    match line {
        VaryingExpectation::Removed { name, reason } => check_removed(map, name, *reason),
        VaryingExpectation::Steps(steps) => same(steps_text(steps), steps_text(&map.steps)),
        VaryingExpectation::XfbChunks { name, text } => {
            let row = map.xfb_rows.iter().find(|row| row.name == *name);
            same(text, row.map_or("not captured".to_owned(), XfbRow::chunks_text))
        }
        VaryingExpectation::Layout(expected) => check_layout(map, expected),
        VaryingExpectation::Register { semantic, reader, location } => {
            check_register(map, [*semantic, reader.unwrap_or(*semantic)], *location)
        }
    }
}

fn check_output(line: &OutputExpectation, map: &LinkMap) -> Result<(), Vec<String>> {
    match line {
        OutputExpectation::Fragment { buffer, text } => {
            let row = map.outputs.iter().find(|row| row.buffer == *buffer);
            same(text, row.map_or_else(|| "none".to_owned(), OutputRow::type_name))
        }
        OutputExpectation::Distances(text) => same(text, map.distances.written_like(text)),
        OutputExpectation::XfbStride { buffer, bytes } => {
            let known = map.xfb_buffers.iter().find(|(number, _)| number == buffer);
            same(bytes, known.map_or(0, |(_, stride)| *stride))
        }
        OutputExpectation::TwoSided(chooser) => {
            let actual = map.placement.as_ref().and_then(|placement| placement.two_sided);
            same(chooser, actual.map_or("no back colours".to_owned(), |by| by.to_string()))
        }
    }
}

/// Checks that the expected and the actual value print the same text.
fn same(
    expected: impl std::fmt::Display,
    actual: impl std::fmt::Display,
) -> Result<(), Vec<String>> {
    let (expected, actual) = (expected.to_string(), actual.to_string());
    (actual == expected).then_some(()).ok_or_else(|| differ(expected, actual))
}

fn steps_text(steps: &[PackStep]) -> String {
    match steps {
        [] => "none".to_owned(),
        steps => steps.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
    }
}

fn carrier_text(map: &LinkMap, slot: u32) -> String {
    let row = map.slots.iter().find(|row| row.slot == slot);
    row.map_or_else(
        || format!("slot {slot} is not used"),
        |row| format!("{} {}", row.class, row.carrier),
    )
}

/// Checks `verify program_query GL_TRANSFORM_FEEDBACK_VARYINGS`.
fn check_captured_count(case: &Case, map: &LinkMap) -> Vec<Failure> {
    let check = |line: Spanned<&ProgramExpectation>| {
        let ProgramExpectation::XfbVaryings(expected) = line.value else { return None };
        let actual = map.xfb_varyings;
        (actual != *expected)
            .then(|| Failure::of_text(&case.source, line.span, differ(expected, actual)))
    };
    case.program_expectations().filter_map(check).collect()
}

fn check_layout(map: &LinkMap, expected: &str) -> Result<(), Vec<String>> {
    let layout = map.placement.as_ref().map(|placement| placement.layout.to_string());
    let actual = layout.unwrap_or_else(|| "locations as packed".to_owned());
    (actual == expected).then_some(()).ok_or_else(|| differ(expected, actual))
}

/// Checks the location of a label. The semantics are those of the label in the vertex and in the fragment stage.
fn check_register(
    map: &LinkMap,
    [output, input]: [Semantic; 2],
    location: u32,
) -> Result<(), Vec<String>> {
    let mut registers = map.placement.iter().flat_map(|placement| &placement.registers);
    let found = registers.find(|known| known.output == output);
    let actual = found.map_or_else(|| "no such label crosses".to_owned(), ToString::to_string);
    same(Register { output, input, location }, actual)
}

/// Checks a line below `pair` against the pair's link map; the failure if it does not hold. `alone` links the pair
/// separately, for comparison.
pub fn check_pair(
    case: &Case,
    span: Span,
    line: &MapExpectation,
    map: &LinkMap,
    alone: impl FnOnce() -> Result<LinkMap, LinkError>,
) -> Option<Failure> {
    let checked = if let MapExpectation::Alone(expected) = line {
        let alone = alone().map_err(|error| vec![error.to_string()]);
        alone.and_then(|alone| check_alone(*expected, map, &alone))
    } else {
        check_map(line, map)
    };
    Some(Failure::of_text(&case.source, span, checked.err()?))
}

fn check_alone(expected: Likeness, map: &LinkMap, alone: &LinkMap) -> Result<(), Vec<String>> {
    let [here, alone] = [map, alone].map(|map| map.clone().without_history());
    let actual = if here == alone { Likeness::Same } else { Likeness::Different };
    same(expected, actual).map_err(|mut details| {
        for (title, map) in [("in this case:", here), ("alone:", alone)] {
            details.push(title.to_owned());
            details.extend(map.to_string().lines().map(str::to_owned));
        }
        details
    })
}

const fn counted(map: &LinkMap, counter: Counter) -> u32 {
    let counters = map.counters;
    match counter {
        Counter::Links => counters.links,
        Counter::Identical => counters.identical,
        Counter::Relocations => counters.relocations,
        Counter::Emitted => counters.emitted,
        Counter::Reused => counters.reused,
    }
}

/// Checks that all scalars called `name` are removed for this reason.
fn check_removed(map: &LinkMap, name: &str, reason: RemovalReason) -> Result<(), Vec<String>> {
    let Some(routes) = map.routes_of(name) else {
        return Err(vec![format!("no varying `{name}` crosses")]);
    };
    match routes.iter().find(|route| route.removal() != Some(reason)) {
        None => Ok(()),
        Some(route) => {
            let actual = route.removal().map_or("passed".to_owned(), |other| other.to_string());
            Err(differ(reason, actual))
        }
    }
}

/// Checks that linking failed because of the shaders, with a message containing `text`.
fn check_error(
    text: Option<&str>,
    result: Result<&LinkMap, &LinkError>,
) -> Result<(), Vec<String>> {
    let messages = match result {
        Ok(_) => return Err(vec!["linking succeeded".to_owned()]),
        Err(LinkError::Refused(messages) | LinkError::Forbidden(messages)) => messages,
        Err(
            error @ (LinkError::NoRoom(_)
            | LinkError::NoWideTypes { .. }
            | LinkError::Unsupported { .. }
            | LinkError::Invalid { .. }),
        ) => {
            return Err(vec![error.to_string()]);
        }
    };
    let Some(text) = text.filter(|text| !has_text(messages, text)) else { return Ok(()) };
    Err(differ_in_text(text, messages))
}

/// Checks each `compile error` of the case, with a failure for each that no message matches. Any message fulfils
/// `compile or link error`.
pub fn check_compile_errors(case: &Case, messages: &[Diagnostic]) -> Vec<Failure> {
    let check = |line: Spanned<&ProgramExpectation>| {
        let ProgramExpectation::CompileError(text) = line.value else { return None };
        let details = match (messages, text) {
            ([], _) => vec!["the stages compile".to_owned()],
            (_, None) => return None,
            (messages, Some(text)) if has_text(messages, text) => return None,
            (messages, Some(text)) => differ_in_text(text, messages),
        };
        Some(Failure::of_text(&case.source, line.span, details))
    };
    case.program_expectations().filter_map(check).collect()
}

fn has_text(messages: &[Diagnostic], text: &str) -> bool {
    messages.iter().any(|message| message.message.contains(text))
}

fn differ_in_text(text: &str, messages: &[Diagnostic]) -> Vec<String> {
    let mut details = vec![format!("expected  …{text}…")];
    details.extend(messages.iter().map(|message| format!("actual    {}", message.message)));
    details
}

fn differ(expected: impl std::fmt::Display, actual: impl std::fmt::Display) -> Vec<String> {
    vec![format!("expected  {expected}"), format!("actual    {actual}")]
}

fn unexpected(case: &Case, error: &LinkError) -> Failure {
    let (span, details) = match error {
        LinkError::Refused(messages) | LinkError::Forbidden(messages) => {
            let span = messages.first().and_then(|message| message.span);
            (
                span,
                ir::diagnostic::render(&case.source, messages).lines().map(str::to_owned).collect(),
            )
        }
        LinkError::NoRoom(reason) => (reason.span, vec![error.to_string()]),
        LinkError::NoWideTypes { span, .. }
        | LinkError::Unsupported { span, .. }
        | LinkError::Invalid { span, .. } => (*span, vec![error.to_string()]),
    };
    let first_stage = case.shaders.first().map(|shader| shader.header);
    Failure::at(&case.source, span.or(first_stage), "link", details)
}

#[cfg(test)]
mod tests {
    use super::*;
    use case::Dialect;

    fn failures(error: &LinkError) -> usize {
        let case = fixture::case(vec![ProgramExpectation::LinkError(None).into()]);
        check_link(&case, Err(error)).len()
    }

    #[test]
    fn an_error_that_is_not_the_expected_one_is_a_failure() {
        let refused = LinkError::Refused(vec![Diagnostic::error(Span::new(0, 0), "it is odd")]);
        let failures = |text: &str| {
            let step = ProgramExpectation::LinkError(Some(text.to_owned())).into();
            check_link(&fixture::case(vec![step]), Err(&refused)).len()
        };
        assert_eq!(failures("is odd"), 0);
        assert_eq!(failures("is even"), 1);
    }

    #[test]
    fn what_is_expected_of_outputs_can_fail() {
        let map = LinkMap { xfb_buffers: vec![(1, 16)], ..LinkMap::default() };
        let holds = |line: OutputExpectation| check_output(&line, &map).is_ok();
        assert!(holds(OutputExpectation::XfbStride { buffer: 1, bytes: 16 }));
        assert!(!holds(OutputExpectation::XfbStride { buffer: 1, bytes: 12 }));
        assert!(!holds(OutputExpectation::XfbStride { buffer: 0, bytes: 16 }));
        let output = |text: &str| OutputExpectation::Fragment { buffer: 0, text: text.to_owned() };
        assert!(holds(output("none")) && !holds(output("vec4")));
    }

    #[test]
    fn only_the_shaders_own_fault_is_an_expected_link_error() {
        let refused = LinkError::Refused(vec![Diagnostic::error(Span::new(0, 0), "no")]);
        assert_eq!(failures(&refused), 0);
        let invalid = LinkError::Invalid { message: "naga refuses it".to_owned(), span: None };
        assert_ne!(failures(&invalid), 0);
        let unsupported = LinkError::Unsupported { word: "x".to_owned(), span: None };
        assert_ne!(failures(&unsupported), 0);
        let reason = Diagnostic::error(Span::new(0, 0), "the adapter has fewer");
        assert_ne!(failures(&LinkError::NoRoom(Box::new(reason))), 0);
    }

    #[test]
    fn another_number_of_pipelines_is_a_failure() {
        let mut case = fixture::case(Vec::new());
        let expected = Spanned::new(LinkExpectation::Pipelines(2), Span::new(0, 0));
        case.link.expectations.push(expected);
        assert_eq!(check_pipelines(&case, 2).len(), 0);
        let failures = check_pipelines(&case, 3);
        assert_eq!(failures.len(), 1);
        assert_eq!(failures[0].details, ["expected  2", "actual    3"]);
    }

    #[test]
    fn another_number_of_captured_varyings_is_a_failure() {
        let case = fixture::case(vec![ProgramExpectation::XfbVaryings(2).into()]);
        let failures = |xfb_varyings| {
            let map = LinkMap { xfb_varyings, ..LinkMap::EMPTY };
            check_link(&case, Ok(&map)).len()
        };
        assert_eq!([failures(2), failures(1), failures(3)], [0, 1, 1]);
    }

    /// The scalars precede a vec3, which fills the rest of the slot.
    #[test]
    fn another_place_of_a_varying_is_a_failure() {
        let failures = |line: &str| {
            let text = format!(
                "[require]\nGLSL >= 4.50\n[vertex shader]\nin vec4 p; out vec3 a; out float b;\n\
                 void main() {{ gl_Position = p; a = p.xyz; b = p.w; }}\n\
                 [fragment shader]\nin vec3 a; in float b; out vec4 color;\n\
                 void main() {{ color = vec4(a, b); }}\n[link]\n{line}\n[test]\nlink success\n"
            );
            let case = case::parse::parse("a", text.as_bytes(), Dialect::Interstage);
            let case = case.into_iter().next().expect("one case").result.expect("a right case");
            let program =
                prepare::linked_program(&case, prepare::AdapterRules::default()).expect("it links");
            check_link(&case, Ok(&program.map)).len()
        };
        assert_eq!([failures("b 0.x"), failures("a 0.yzw")], [0, 0]);
        for wrong in ["b 0.w", "b 1.x", "a 0.xyz", "a 0.yz"] {
            assert_eq!(failures(wrong), 1, "{wrong}");
        }
    }
}
