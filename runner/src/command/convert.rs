//! `interstage convert`.

mod suite;

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use interstage::case::parse;
use interstage::case::parse::{CaseError, ParsedCase};
use interstage::case::{Case, Dialect};
use interstage::check::Goldens;
use interstage::check::verdict::Verdict;
use interstage::ir::diagnostic;
use interstage::{needs_gpu, run_case};

use crate::args::ConvertOptions;
use crate::command::inspect::{describe, describe_verdict};
use crate::exit::Exit;
use crate::files::case_file;

/// Writes a script, or a case of a conformance suite, as a case file, after checking that the case parses and links.
pub fn convert(options: &ConvertOptions) -> anyhow::Result<Exit> {
    let path = options.script.to_str().context("the path is not UTF-8")?.to_owned();
    let (file, _) = path.split_once('#').unwrap_or((&path, ""));
    if !case_file::is_script(file) && !is_of_suite(file) {
        bail!(
            "{file}: only scripts and files of conformance suites can be converted: {}, test, vert, frag, …",
            case_file::SCRIPTS.join(", ")
        );
    }
    let converting = std::thread::Builder::new()
        .stack_size(case_file::STACK_BYTES)
        .spawn(move || converted(&path))
        .context("cannot start a thread")?;
    let Ok(result) = converting.join() else {
        bail!("interstage panicked, which is a bug; see the message above")
    };
    let text = match result? {
        Ok(text) => text,
        Err((told, exit)) => {
            std::io::stderr().lock().write_all(told.as_bytes())?;
            return Ok(exit);
        }
    };
    match &options.output {
        Some(output) => {
            let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
            folder
                .map_or(Ok(()), std::fs::create_dir_all)
                .and_then(|()| std::fs::write(output, text))
                .with_context(|| format!("cannot write {}", output.display()))?;
        }
        None => std::io::stdout().lock().write_all(text.as_bytes())?,
    }
    Ok(Exit::AsExpected)
}

/// The text of the case, or the reason why there is none.
type Converted = Result<String, (String, Exit)>;

fn is_of_suite(file: &str) -> bool {
    case_file::is_shader_library(file) || case_file::is_stage(file)
}

/// Converts the case called `FILE#NAME` or `FILE`.
fn converted_of_suite(path: &str) -> anyhow::Result<Converted> {
    let (file, name) = path.split_once('#').unwrap_or((path, ""));
    let load = case_file::load(file).map_err(|message| anyhow!("{file}: {message}"))?;
    let is_it =
        |parsed: &&ParsedCase| parsed.name.split_once('#').map_or("", |(_, own)| own) == name;
    let Some(parsed) = load.iter().find(is_it) else {
        bail!("{file}: give one of its cases, `FILE#NAME`; `interstage list` names them")
    };
    let case = match &parsed.result {
        Ok(case) => case,
        Err(error) => return Ok(Err(describe(parsed, error))),
    };
    let text = suite::text_of(case).with_context(|| format!("{path} cannot be converted"))?;
    Ok(checked(path, format!("# {}\n\n{text}", parsed.name)))
}

fn converted(path: &str) -> anyhow::Result<Converted> {
    if is_of_suite(path.split_once('#').map_or(path, |(file, _)| file)) {
        return converted_of_suite(path);
    }
    let load = case_file::load(path).map_err(|message| anyhow!("{path}: {message}"))?;
    let [script] = &load[..] else { bail!("{path}: the script is not a single case") };
    let text = match &script.result {
        Ok(case) => interstage::amber::to_case_file(case),
        Err(error) => return Ok(Err(describe(script, error))),
    };
    Ok(match text {
        Ok(text) => linked(path, text),
        Err(error) => Err(describe_lacking(script, &error)),
    })
}

/// Describes a script that runs but uses something that case files cannot express.
fn describe_lacking(script: &ParsedCase, error: &CaseError) -> (String, Exit) {
    let CaseError::Unsupported { word, span } = error else { return describe(script, error) };
    let (line, column) = script.source.line_and_column(span.start);
    let path = script.source.path();
    (format!("{path}:{line}:{column}: case files cannot express this: {word}\n"), Exit::Unusable)
}

/// Parses the text of a converted case.
fn reread(path: &str, text: &str) -> Result<Case, (String, Exit)> {
    let name = Path::new(path).with_extension(case_file::EXTENSION);
    let cases = parse::parse(&name.to_string_lossy(), text.as_bytes(), Dialect::Interstage);
    let head = head(path);
    let Some(parsed) = cases.into_iter().next() else { return Err((head, Exit::Unusable)) };
    match &parsed.result {
        Ok(case) => Ok(case.clone()),
        Err(error) => Err((head + &describe(&parsed, error).0, Exit::Unusable)),
    }
}

fn head(path: &str) -> String {
    format!("{path}: converting it gives an invalid case\n")
}

/// Returns the text if it is a case that passes without an adapter, or whose program links if it draws.
fn checked(path: &str, text: String) -> Converted {
    let case = reread(path, &text)?;
    if needs_gpu(&case) {
        return linked(path, text);
    }
    let verdict = run_case(&case, None, &Goldens::default()).verdict;
    if verdict == Verdict::Pass {
        return Ok(text);
    }
    Err((head(path) + &describe_verdict(&case, verdict).0, Exit::Unusable))
}

/// Returns the text if it is a case whose program links.
fn linked(path: &str, text: String) -> Converted {
    let case = reread(path, &text)?;
    let case = &case;
    match interstage::inspect(case, None) {
        Ok(_) => Ok(text),
        Err(verdict) => {
            let warnings = diagnostic::render(&case.source, &case.warnings);
            Err((head(path) + &warnings + &describe_verdict(case, verdict).0, Exit::Unusable))
        }
    }
}
