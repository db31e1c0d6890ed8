//! `interstage convert`.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use interstage::case::Dialect;
use interstage::case::parse;
use interstage::case::parse::{CaseError, ParsedCase};
use interstage::ir::diagnostic;

use crate::args::ConvertOptions;
use crate::command::inspect::{describe, describe_verdict};
use crate::exit::Exit;
use crate::files::case_file;

/// Writes a script as a case file, after checking that the case parses and links.
pub fn convert(options: &ConvertOptions) -> anyhow::Result<Exit> {
    let path = options.script.to_str().context("the path is not UTF-8")?.to_owned();
    if !case_file::is_script(&path) {
        bail!("{path}: only scripts can be converted: {}", case_file::SCRIPTS.join(", "));
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

fn converted(path: &str) -> anyhow::Result<Converted> {
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

/// Returns the text if it is a case whose program links.
fn linked(path: &str, text: String) -> Converted {
    let name = Path::new(path).with_extension(case_file::EXTENSION);
    let cases = parse::parse(&name.to_string_lossy(), text.as_bytes(), Dialect::Interstage);
    let head = format!("{path}: converting it gives an invalid case\n");
    let Some(parsed) = cases.first() else { return Err((head, Exit::Unusable)) };
    let case = match &parsed.result {
        Ok(case) => case,
        Err(error) => return Err((head + &describe(parsed, error).0, Exit::Unusable)),
    };
    match interstage::inspect(case, None) {
        Ok(_) => Ok(text),
        Err(verdict) => {
            let warnings = diagnostic::render(&case.source, &case.warnings);
            Err((head + &warnings + &describe_verdict(case, verdict).0, Exit::Unusable))
        }
    }
}
