//! `interstage inspect`.

use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::{Context as _, bail};
use interstage::Inspection;
use interstage::case::Case;
use interstage::case::parse::{CaseError, ParsedCase};
use interstage::diagnostic;
use interstage::verdict::Verdict;

use crate::args::{InspectOptions, Selection};
use crate::case_file;
use crate::exit::Exit;
use crate::plan::{PlannedCase, plan};

/// Most names that are listed when a file has several cases.
const NAMES: usize = 10;

/// Prints how a case is linked and lowered.
pub fn inspect(options: &InspectOptions) -> anyhow::Result<Exit> {
    let selection = Selection::of(std::slice::from_ref(&options.case));
    let plan = plan(&selection);
    if let Some(problem) = plan.problems.first() {
        bail!("{problem}");
    }
    let planned = match &plan.cases[..] {
        [case] => case.clone(),
        cases => bail!(
            "{} has {} cases; name one of them:{}",
            options.case.display(),
            cases.len(),
            names(cases)
        ),
    };
    let inspecting = std::thread::Builder::new()
        .stack_size(case_file::STACK_BYTES)
        .spawn(move || inspect_case(&planned))
        .context("cannot start a thread")?;
    let Ok(result) = inspecting.join() else { bail!("a bug in interstage, see the panic above") };
    let (text, exit) = result?;
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(exit)
}

fn names(cases: &[PlannedCase]) -> String {
    let rest = cases.len().saturating_sub(NAMES);
    let mut text = String::new();
    for case in cases.iter().take(NAMES) {
        let _ = write!(text, "\n  {}", case.name);
    }
    if rest > 0 {
        let _ = write!(text, "\n  … and {rest} more");
    }
    text
}

fn inspect_case(planned: &PlannedCase) -> anyhow::Result<(String, Exit)> {
    let load = case_file::load(&planned.file);
    let cases = load.map_err(|message| anyhow::anyhow!("{}: {message}", planned.file))?;
    let parsed =
        cases.iter().find(|case| case.name == planned.name).context("the file was changed")?;
    Ok(match &parsed.result {
        Ok(case) => {
            let warnings = diagnostic::render(&case.source, &case.warnings);
            let (text, exit) = inspect_parsed(case);
            (warnings + &text, exit)
        }
        Err(error) => (describe(parsed, error), Exit::Unusable),
    })
}

fn inspect_parsed(case: &Case) -> (String, Exit) {
    let as_expected = "the case ends before there is a program, as it expects\n";
    match interstage::inspect(case, None) {
        Ok(inspection) => (draw(&inspection), Exit::AsExpected),
        Err(Verdict::Pass) => (as_expected.to_owned(), Exit::AsExpected),
        // The stages do not link, and nothing is wrong with that.
        Err(Verdict::Fail(failures)) if failures.is_empty() => {
            (as_expected.to_owned(), Exit::AsExpected)
        }
        Err(Verdict::Fail(failures)) => {
            let lines = failures.iter().flat_map(|failure| {
                let details = failure.details.iter().map(|detail| format!("  {detail}\n"));
                std::iter::once(format!("line {}: {}\n", failure.line, failure.step)).chain(details)
            });
            (lines.collect(), Exit::Regression)
        }
        Err(Verdict::Skip(reason)) => (format!("skipped: {reason}\n"), Exit::AsExpected),
        Err(Verdict::Unsupported(reason)) => (format!("unsupported: {reason}\n"), Exit::AsExpected),
        Err(Verdict::Broken(diagnostics)) => {
            (diagnostic::render(&case.source, &diagnostics), Exit::Unusable)
        }
    }
}

fn describe(parsed: &ParsedCase, error: &CaseError) -> String {
    match error {
        CaseError::Broken(diagnostics) => diagnostic::render(&parsed.source, diagnostics),
        CaseError::Unsupported { word, span } => {
            let (line, column) = parsed.source.line_and_column(span.start);
            format!("{}:{line}:{column}: unsupported: {word}\n", parsed.source.path())
        }
    }
}

fn draw(inspection: &Inspection) -> String {
    let mut text = inspection.map.clone();
    for (stage, wgsl) in &inspection.stages {
        let _ = write!(text, "\n// {stage} stage\n\n{}\n", wgsl.trim_end());
    }
    text
}
