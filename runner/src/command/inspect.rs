//! `interstage inspect`.

mod all;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use interstage::case::Case;
use interstage::case::parse::{CaseError, ParsedCase};
use interstage::check::verdict::Verdict;
use interstage::ir::diagnostic;
use interstage::ir::emit::Language;

use crate::args::{Format, InspectOptions, Selection};
use crate::case_file;
use crate::exit::Exit;
use crate::plan::{PlannedCase, plan};

/// Maximum number of names listed if a file has several cases.
const NAMES: usize = 10;

/// Prints how a case is linked and lowered.
pub fn inspect(options: &InspectOptions) -> anyhow::Result<Exit> {
    let plan = plan(&Selection::of(&options.cases));
    if let Some(problem) = plan.problems.first() {
        bail!("{problem}");
    }
    let planned = match &plan.cases[..] {
        [case] => case.clone(),
        cases => {
            if let Some(out) = &options.out {
                return all::write(cases, options.format, out);
            }
            bail!(
                "{} cases are selected, and only one can be printed; name one, or write all into a folder with --out:{}",
                cases.len(),
                names(cases)
            )
        }
    };
    let view = View { format: options.format, out: options.out.clone() };
    let inspecting = std::thread::Builder::new()
        .stack_size(case_file::STACK_BYTES)
        .spawn(move || inspect_case(&planned, &view))
        .context("cannot start a thread")?;
    let Ok(result) = inspecting.join() else {
        bail!("interstage panicked, which is a bug; see the message above")
    };
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

/// Display options for stages.
struct View {
    format: Format,
    out: Option<PathBuf>,
}

fn inspect_case(planned: &PlannedCase, view: &View) -> anyhow::Result<(String, Exit)> {
    let load = case_file::load(&planned.file);
    let cases = load.map_err(|message| anyhow::anyhow!("{}: {message}", planned.file))?;
    let parsed = cases
        .iter()
        .find(|case| case.name == planned.name)
        .context("the file changed while it was read")?;
    Ok(match &parsed.result {
        Ok(case) => {
            let warnings = diagnostic::render(&case.source, &case.warnings);
            let (text, exit) = inspect_parsed(case, view)?;
            (warnings + &text, exit)
        }
        Err(error) => (describe(parsed, error), Exit::Unusable),
    })
}

fn inspect_parsed(case: &Case, view: &View) -> anyhow::Result<(String, Exit)> {
    let as_expected = "the case has no linked program, as it expects\n";
    Ok(match interstage::inspect(case, None) {
        Ok(inspection) => (inspection.map + &draw_stages(case, view)?, Exit::AsExpected),
        Err(Verdict::Pass) => (as_expected.to_owned(), Exit::AsExpected),
        // The case expects that linking fails.
        Err(Verdict::Fail(failures)) if failures.is_empty() => {
            (as_expected.to_owned(), Exit::AsExpected)
        }
        Err(Verdict::Fail(failures)) => {
            let lines = failures.iter().flat_map(|failure| {
                let details = failure.details.iter().map(|detail| format!("  {detail}\n"));
                std::iter::once(format!("{failure}\n")).chain(details)
            });
            (lines.collect(), Exit::Regression)
        }
        Err(Verdict::Skip(reason)) => (format!("skipped: {reason}\n"), Exit::AsExpected),
        Err(Verdict::Unsupported(reason)) => (format!("unsupported: {reason}\n"), Exit::AsExpected),
        Err(Verdict::Broken(diagnostics)) => {
            (diagnostic::render(&case.source, &diagnostics), Exit::Unusable)
        }
    })
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

/// The stages as text, or the names of the files they were written to.
fn draw_stages(case: &Case, view: &View) -> anyhow::Result<String> {
    let (language, extension) = language(view.format);
    let mut text = String::new();
    for (stage, written) in interstage::emit_stages(case, None, language).unwrap_or_default() {
        match (written, &view.out) {
            (Err(reason), _) => drop(writeln!(text, "\n// {stage} stage: {reason}")),
            (Ok(bytes), Some(folder)) => {
                let path = folder.join(format!("{stage}.{extension}"));
                std::fs::create_dir_all(folder)
                    .and_then(|()| std::fs::write(&path, bytes))
                    .with_context(|| format!("cannot write {}", path.display()))?;
                let _ = writeln!(text, "{}", path.display());
            }
            (Ok(bytes), None) => {
                let shown = shown(&bytes, language);
                let _ = write!(text, "\n// {stage} stage\n\n{}\n", shown.trim_end());
            }
        }
    }
    Ok(text)
}

/// The library's name of a language, and its usual file name extension.
const fn language(format: Format) -> (Language, &'static str) {
    match format {
        Format::Wgsl => (Language::Wgsl, "wgsl"),
        Format::Spirv => (Language::Spirv, "spv"),
        Format::Glsl => (Language::Glsl, "glsl"),
        Format::Hlsl => (Language::Hlsl, "hlsl"),
        Format::Msl => (Language::Msl, "metal"),
        Format::Dot => (Language::Dot, "dot"),
    }
}

fn shown(bytes: &[u8], language: Language) -> String {
    if language != Language::Spirv {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let mut text = String::new();
    for (idx, row) in bytes.chunks(32).enumerate() {
        let _ = write!(text, "{:06x} ", idx * 32);
        for word in row.as_chunks::<4>().0 {
            let _ = write!(text, " {:08x}", u32::from_le_bytes(*word));
        }
        text.push('\n');
    }
    text
}
