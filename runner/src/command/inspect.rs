//! `interstage inspect`.

mod all;
mod spirv;
mod steps;

use interstage::ir::diagnostic::counted;
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;

use anyhow::{Context as _, anyhow, bail};
use interstage::case::Case;
use interstage::case::parse::{CaseError, ParsedCase};
use interstage::check::verdict::Verdict;
use interstage::device::Device;
use interstage::ir::diagnostic;
use interstage::ir::emit::{Language, WgslDialect};
use interstage::through::Chain;

use crate::args::{Format, InspectOptions, Selection, ShownStage};
use crate::exit::Exit;
use crate::files::case_file;
use crate::plan::{PlannedCase, plan};

/// Maximum number of names listed if a file has several cases.
const NAMES: usize = 10;

/// Prints how a case is linked and lowered.
pub fn inspect(options: &InspectOptions) -> anyhow::Result<Exit> {
    let plan = plan(&Selection::of(&options.cases));
    // A language asks for what naga writes.
    let project = plan.project.as_deref().filter(|_| options.format.is_none());
    let compilers = options.through.or_of(project).steps()?;
    let chain = (!compilers.is_empty()).then(|| Chain::new(compilers)).transpose()?;
    if let Some(problem) = plan.problems.first() {
        bail!("{problem}");
    }
    let planned = match &plan.cases[..] {
        [case] => case.clone(),
        cases => {
            if let Some(out) = &options.out {
                if chain.is_some() {
                    bail!(
                        "--through shows one case; {} are selected",
                        counted(cases.len(), "case")
                    );
                }
                return all::write(cases, options.format, options.vary, out);
            }
            bail!(
                "{} are selected, and only one can be printed; name one, or write all into a folder with --out:{}",
                counted(cases.len(), "case"),
                names(cases)
            )
        }
    };
    let device = options.vary.map(varying).transpose()?;
    let is_binary = options.stage.is_some() && !std::io::stdout().is_terminal();
    let (stage, out) = (options.stage, options.out.clone());
    let view = View { format: options.format, stage, is_binary, out, chain, device };
    let inspecting = std::thread::Builder::new()
        .stack_size(case_file::STACK_BYTES)
        .spawn(move || inspect_case(&planned, &view))
        .context("cannot start a thread")?;
    let Ok(result) = inspecting.join() else {
        bail!("interstage panicked, which is a bug; see the message above")
    };
    let Shown { printed, told, exit } = result?;
    std::io::stderr().lock().write_all(told.as_bytes())?;
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(&printed)?;
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
    /// Language of the stages; that of the linker if none.
    format: Option<Format>,
    /// The only stage.
    stage: Option<ShownStage>,
    /// True if SPIR-V is printed as a binary.
    is_binary: bool,
    out: Option<PathBuf>,
    /// Compilers whose results are shown, too.
    chain: Option<Chain>,
    /// The executor with the seed of variants, if they are shown.
    device: Option<Device>,
}

/// The executor, which runs variants with this seed.
pub(super) fn varying(seed: u64) -> anyhow::Result<Device> {
    let mut device = Device::open("cpu:0").map_err(anyhow::Error::msg)?;
    device.vary(seed);
    Ok(device)
}

/// Output for one case.
struct Shown {
    /// Text for stdout.
    printed: Vec<u8>,
    /// Text for stderr, so that a stage can be piped.
    told: String,
    exit: Exit,
}

fn inspect_case(planned: &PlannedCase, view: &View) -> anyhow::Result<Shown> {
    let load = case_file::load(&planned.file);
    let cases = load.map_err(|message| anyhow::anyhow!("{}: {message}", planned.file))?;
    let parsed = cases
        .iter()
        .find(|case| case.name == planned.name)
        .context("the file changed while it was read")?;
    let (warnings, (text, exit)) = match &parsed.result {
        Ok(case) => {
            let warnings = diagnostic::render(&case.source, &case.warnings);
            match interstage::inspect(case, view.device.as_ref()) {
                Ok(inspection) => return show(case, warnings, inspection.map, view),
                Err(verdict) => (warnings, describe_verdict(case, verdict)),
            }
        }
        Err(error) => (String::new(), describe(parsed, error)),
    };
    let text = warnings + &text;
    Ok(match view.stage {
        Some(_) => Shown { printed: Vec::new(), told: text, exit },
        None => Shown { printed: text.into_bytes(), told: String::new(), exit },
    })
}

/// The link map and the stages, or one stage alone.
fn show(case: &Case, warnings: String, map: String, view: &View) -> anyhow::Result<Shown> {
    if let Some(stage) = view.stage {
        let printed = match &view.chain {
            Some(chain) => steps::last(case, chain, stage.name(), view)?,
            None => only_stage(case, stage.name(), view)?,
        };
        return Ok(Shown { printed, told: warnings, exit: Exit::AsExpected });
    }
    let head = warnings + &map;
    // Graphviz reads everything but the link map.
    let head = match view.format {
        Some(Format::Dot) => {
            head.lines().fold(String::new(), |text, line| text + "// " + line + "\n")
        }
        None | Some(Format::Wgsl | Format::Spirv | Format::Glsl | Format::Hlsl | Format::Msl) => {
            head
        }
    };
    let (stages, exit) = match &view.chain {
        Some(chain) => steps::draw(case, chain, view)?,
        None => (draw_stages(case, view)?, Exit::AsExpected),
    };
    let printed = (head + &stages).into_bytes();
    Ok(Shown { printed, told: String::new(), exit })
}

/// Returns one stage of the first program.
fn only_stage(case: &Case, name: &str, view: &View) -> anyhow::Result<Vec<u8>> {
    let (language, _) = language(view.format);
    let stages =
        interstage::emit_stages(case, view.device.as_ref(), language).map_err(|verdict| {
            anyhow!("{name} stage: {}", describe_verdict(case, verdict).0.trim_end())
        })?;
    let names: Vec<_> = stages.iter().map(|(stage, _)| stage.clone()).collect();
    let found = stages.into_iter().find(|(stage, _)| stage == name);
    let Some((_, written)) = found else {
        bail!("the case has no {name} stage; it has {}", names.join(", "))
    };
    let bytes = written.map_err(|reason| anyhow!("{name} stage: {reason}"))?;
    if view.is_binary { Ok(bytes) } else { Ok(shown(bytes, language).into_bytes()) }
}

/// Explains why a case has no linked program.
pub(super) fn describe_verdict(case: &Case, verdict: Verdict) -> (String, Exit) {
    let as_expected = "the case has no linked program, as it expects\n";
    match verdict {
        Verdict::Pass => (as_expected.to_owned(), Exit::AsExpected),
        // The case expects that linking fails.
        Verdict::Fail(failures) if failures.is_empty() => {
            (as_expected.to_owned(), Exit::AsExpected)
        }
        Verdict::Fail(failures) => {
            let lines = failures.iter().flat_map(|failure| {
                let details = failure.details.iter().map(|detail| format!("  {detail}\n"));
                std::iter::once(format!("{failure}\n")).chain(details)
            });
            (lines.collect(), Exit::Regression)
        }
        Verdict::Skip(reason) => (format!("skipped: {reason}\n"), Exit::AsExpected),
        Verdict::Unsupported(reason) => {
            (format!("unsupported by interstage: {reason}\n"), Exit::AsExpected)
        }
        Verdict::Undecided(reason) => (format!("not decided: {reason}\n"), Exit::AsExpected),
        Verdict::Untested(reason) => (format!("not tested: {reason}\n"), Exit::AsExpected),
        Verdict::Broken(diagnostics) => {
            (diagnostic::render(&case.source, &diagnostics), Exit::Unusable)
        }
    }
}

/// Explains why a file is not a case.
pub(super) fn describe(parsed: &ParsedCase, error: &CaseError) -> (String, Exit) {
    let text = match error {
        CaseError::Broken(diagnostics) => diagnostic::render(&parsed.source, diagnostics),
        CaseError::Excluded { reason } => format!("{}: excluded: {reason}\n", parsed.name),
        CaseError::Unsupported { word, span } => {
            let (line, column) = parsed.source.line_and_column(span.start);
            let path = parsed.source.path();
            format!("{path}:{line}:{column}: unsupported by interstage: {word}\n")
        }
    };
    (text, Exit::Unusable)
}

/// Formats the stages as text, or lists the files that they were written to.
fn draw_stages(case: &Case, view: &View) -> anyhow::Result<String> {
    let (language, extension) = language(view.format);
    let mut text = String::new();
    let stages = match interstage::emit_stages(case, view.device.as_ref(), language) {
        Ok(stages) => stages,
        // The language cannot express this program.
        Err(verdict) => return Ok(format!("\n// {}", describe_verdict(case, verdict).0)),
    };
    for (stage, written) in stages {
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
                let shown = shown(bytes, language);
                let _ = write!(text, "\n// {stage} stage\n\n{}\n", shown.trim_end());
            }
        }
    }
    Ok(text)
}

/// The library's name of a language, and its usual file name extension. Without a choice, stages are shown as they were
/// linked, for which naga's dialect of WGSL has all types.
const fn language(format: Option<Format>) -> (Language, &'static str) {
    match format {
        None => (Language::Wgsl(WgslDialect::Naga), "wgsl"),
        Some(Format::Wgsl) => (Language::Wgsl(WgslDialect::Standard), "wgsl"),
        Some(Format::Spirv) => (Language::Spirv, "spv"),
        Some(Format::Glsl) => (Language::Glsl, "glsl"),
        Some(Format::Hlsl) => (Language::Hlsl, "hlsl"),
        Some(Format::Msl) => (Language::Msl, "metal"),
        Some(Format::Dot) => (Language::Dot, "dot"),
    }
}

pub(super) fn shown(bytes: Vec<u8>, language: Language) -> String {
    match language {
        Language::Spirv => spirv::text(&bytes),
        Language::Wgsl(_) | Language::Glsl | Language::Hlsl | Language::Msl | Language::Dot => {
            String::from_utf8_lossy(&bytes).into_owned()
        }
    }
}
