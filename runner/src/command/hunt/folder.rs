//! Writes the folder of a fault. It gets its name when it is complete.
//!
//! | file | what it is |
//! |---|---|
//! | `cases/NAME.shader_test` | the reduced case |
//! | `original/cases/NAME_original.shader_test` | the program that failed |
//! | `report.md` | a report to send |

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use interstage::ir::backend::Backend;
use interstage::ir::emit::Language as Emitted;

use super::log::Fault;
use super::report::{self, Content};
use super::runs::Runs;
use super::source::Subject;
use super::specification;
use crate::args::{Language, PoolOptions, ThroughOptions};
use crate::command::inspect::shown;
use crate::command::reduce::Original;
use crate::command::reduce::trial::copy_beside;
use crate::files::case_file;
use crate::outcome::CaseResult;
use crate::plan::PlannedCase;
use crate::project::{self, Settings};
use crate::protocol::Adapter;
use crate::report::failure::{Invocation, draw};

/// Folder of the faults, below that of the hunt.
const FAULTS: &str = "faults";

/// Behind the name of a folder that is not complete.
const PART: &str = ".part";

/// The folder of a fault.
pub(super) fn of(hunt: &Path, name: &str) -> PathBuf {
    hunt.join(FAULTS).join(name)
}

/// A fault, and what its folder is made of.
pub(super) struct Material<'a> {
    pub(super) subject: &'a Subject<'a>,
    pub(super) fault: &'a Fault,
    /// The reduced case.
    pub(super) text: &'a str,
    /// The program that failed.
    pub(super) original: &'a Original,
}

/// Writes the folder of a fault below that of the hunt.
pub(super) fn write(runs: &Runs, hunt: &Path, material: &Material<'_>) -> anyhow::Result<()> {
    let Material { subject, fault, text, original } = material;
    let folder = of(hunt, &fault.name);
    let part = folder.with_file_name(format!("{}{PART}", fault.name));
    // It is of a hunt that was killed.
    let _ = std::fs::remove_dir_all(&part);
    let path = Path::new(&original.planned.file);
    let extension = path.extension().unwrap_or_default().display();
    let name = format!("{}.{extension}", fault.name);
    let dialect = Settings::text_of(original.dialect);
    put(&part.join(project::FILE), dialect)?;
    put(&part.join("original").join(project::FILE), dialect)?;
    let reduced = part.join(project::CASES).join(&name);
    let origin =
        format!("# Found by `interstage hunt`: {}, number {}.\n", fault.source, fault.number);
    let text = &with_comment(text, &origin);
    put(&reduced, text)?;
    let whole = format!("{}_original.{extension}", fault.name);
    let whole_path = part.join("original").join(project::CASES).join(&whole);
    put(&whole_path, &original.text)?;
    for path in [&reduced, &whole_path] {
        copy_beside(&original.planned, path)?;
    }
    let content = Content {
        fault,
        failure: failure(runs, &reduced, subject)?,
        sections: sections(fault),
        case: text,
        stages: &stages(&reduced, text, subject.adapter),
        elsewhere: &elsewhere(runs, &reduced, subject)?,
        repeat: [
            repeat(subject, &folder.join(project::CASES).join(&name)),
            repeat(subject, &folder.join("original").join(project::CASES).join(&whole)),
        ],
    };
    put(&part.join("report.md"), &report::write(&content))?;
    std::fs::rename(&part, &folder).with_context(|| format!("cannot write {}", folder.display()))
}

/// The text with a comment in front. `AmberScript` is recognised by its first line.
fn with_comment(text: &str, comment: &str) -> String {
    let first =
        if text.starts_with("#!") { text.find('\n').map_or(text.len(), |at| at + 1) } else { 0 };
    let (before, behind) = text.split_at(first);
    format!("{before}{comment}{behind}")
}

/// The failure of the reduced case.
fn failure(runs: &Runs, path: &Path, subject: &Subject<'_>) -> anyhow::Result<String> {
    let case = at(path, subject)?;
    let result = runs.run_on(subject.adapter, &case, subject.pool)?;
    let result = result.filter(|result| result.status.is_failure());
    let result = result.as_ref().unwrap_or(subject.result);
    let drawn = draw(result, Some(subject.adapter), &invocation(subject));
    // The folder gets its name later.
    Ok(drawn.replace(PART, ""))
}

/// The case of a program, with another file.
fn at(path: &Path, subject: &Subject<'_>) -> anyhow::Result<PlannedCase> {
    let file = path.to_str().context("the path of the folder is not UTF-8")?.to_owned();
    Ok(PlannedCase { file, ..subject.case.clone() })
}

fn invocation(subject: &Subject<'_>) -> Invocation {
    let mut options = Vec::new();
    if let Some(seed) = subject.pool.vary.filter(|_| subject.is_variant()) {
        options.extend([format!("--vary {seed}"), "--oracle".to_owned()]);
    }
    Invocation::of_this_process().with(options)
}

/// The command that repeats the failure of a case.
fn repeat(subject: &Subject<'_>, path: &Path) -> String {
    let path = path.display().to_string();
    let outcome = subject.result.outcome.clone();
    let result = CaseResult::bare(&path, outcome, 0.0, String::new()).of_file(&path);
    invocation(subject).repeat_result(&result, Some(subject.adapter))
}

/// Results of the reduced case on the machine's other adapters and on the executor, without other compilers.
fn elsewhere(
    runs: &Runs,
    path: &Path,
    subject: &Subject<'_>,
) -> anyhow::Result<Vec<(String, String)>> {
    if runs.script.is_some() {
        return Ok(Vec::new());
    }
    let through = ThroughOptions::default();
    let pool = PoolOptions { through, adapter: None, ..subject.pool.clone() };
    let case = at(path, subject)?;
    let is_other = |adapter: &Adapter| {
        adapter.selector() != subject.adapter.selector() || !subject.pool.through.through.is_empty()
    };
    let mut found = Vec::new();
    for adapter in runs.all_adapters(&pool)?.into_iter().filter(is_other) {
        let result = runs.run_on(&adapter, &case, &pool)?;
        found.extend(result.map(|result| (adapter.title.clone(), told(&result))));
    }
    Ok(found)
}

/// A result in one line.
fn told(result: &CaseResult) -> String {
    let heading = result.outcome.status().heading().to_lowercase();
    let reason = result.outcome.reason().unwrap_or_default().replace('\n', "; ");
    if reason.is_empty() { heading } else { format!("{heading}: {reason}") }
}

fn sections(fault: &Fault) -> Vec<String> {
    let languages = [Language::Glsl, Language::Wgsl, Language::Spirv];
    let of_source =
        languages.into_iter().find(|language| fault.source.ends_with(language_name(*language)));
    of_source.map_or_else(Vec::new, |language| specification::sections(&fault.features, language))
}

fn put(path: &Path, text: &str) -> anyhow::Result<()> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, text))
        .with_context(|| format!("cannot write {}", path.display()))
}

const fn language_name(language: Language) -> &'static str {
    match language {
        Language::Glsl => "glsl",
        Language::Wgsl => "wgsl",
        Language::Spirv => "spirv",
    }
}

/// The stages of a case in the language that a driver gets; none if the case does not link.
fn stages(path: &Path, text: &str, adapter: &Adapter) -> Vec<(String, String)> {
    let (language, extension) = if adapter.backend == Backend::Gl.into() {
        (Emitted::Glsl, "glsl")
    } else {
        (Emitted::Spirv, "spvasm")
    };
    let cases = path.to_str().and_then(|path| case_file::parse_at(path, text.as_bytes()).ok());
    let Some(Ok(case)) = cases.and_then(|mut cases| cases.pop()).map(|parsed| parsed.result) else {
        return Vec::new();
    };
    let written = interstage::emit_stages(&case, None, language).unwrap_or_default();
    let named = written.into_iter().filter_map(|(stage, bytes)| {
        Some((format!("{stage}.{extension}"), shown(bytes.ok()?, language)))
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_a_script_stays_the_first() {
        let with = |text| with_comment(text, "# Found.\n");
        assert_eq!(with("#!amber\nSHADER"), "#!amber\n# Found.\nSHADER");
        assert_eq!(with("[require]\n"), "# Found.\n[require]\n");
    }
}
