//! What other compilers make of the stages, step by step.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use interstage::case::Case;
use interstage::through::{Chain, Language, Written};

use super::{View, describe_verdict, spirv};
use crate::exit::Exit;

/// The steps of each stage.
type Traces = Vec<(String, Vec<Written>)>;

/// The texts of all stages, or the list of the files that they were written to. The exit code tells of a compiler's
/// fault.
pub(super) fn draw(case: &Case, chain: &Chain, view: &View) -> anyhow::Result<(String, Exit)> {
    let traces = match interstage::trace_stages(case, chain) {
        Ok(traces) => traces,
        Err(verdict) => {
            let (text, exit) = describe_verdict(case, verdict);
            return Ok((format!("\n// {text}"), exit));
        }
    };
    let (mut text, mut exit) = (String::new(), Exit::AsExpected);
    for (stage, steps) in &traces {
        if let Some(folder) = &view.out {
            forget(folder, stage)?;
        }
        for (number, step) in steps.iter().enumerate() {
            let head = format!("// {stage} stage, {number}: {} by {}", step.language, step.program);
            match (&step.text, &view.out) {
                (Err(fault), _) => {
                    exit = Exit::Regression;
                    let _ =
                        writeln!(text, "\n// {stage} stage, {number}: {} {fault}", step.program);
                }
                (Ok(bytes), None) => {
                    let _ =
                        write!(text, "\n{head}\n\n{}\n", shown(bytes, step.language).trim_end());
                }
                (Ok(bytes), Some(folder)) => {
                    let name = format!("{stage}.{number}.{}", step.language.extension());
                    let path = written(folder, &name, bytes)?;
                    let _ = writeln!(text, "{path}: {} by {}", step.language, step.program);
                }
            }
        }
    }
    Ok((text, exit))
}

/// Returns the stage `name` as the last compiler writes it.
pub(super) fn last(case: &Case, chain: &Chain, name: &str, view: &View) -> anyhow::Result<Vec<u8>> {
    let traces: Traces = interstage::trace_stages(case, chain).map_err(|verdict| {
        anyhow!("{name} stage: {}", describe_verdict(case, verdict).0.trim_end())
    })?;
    let Some((_, steps)) = traces.iter().find(|(stage, _)| stage == name) else {
        let names: Vec<_> = traces.iter().map(|(stage, _)| stage.as_str()).collect();
        bail!("the case has no {name} stage; it has {}", names.join(", "))
    };
    let Some(last) = steps.last() else { bail!("{name} stage: no compiler wrote anything") };
    match &last.text {
        Ok(bytes) if view.is_binary => Ok(bytes.clone()),
        Ok(bytes) => Ok(shown(bytes, last.language).into_bytes()),
        Err(fault) => bail!("{name} stage: {} {fault}", last.program),
    }
}

/// Deletes the texts of a stage that an earlier command wrote, so that they are not mistaken for those of this one.
fn forget(folder: &Path, stage: &str) -> anyhow::Result<()> {
    // Usually the folder is new.
    let Ok(entries) = folder.read_dir() else { return Ok(()) };
    for entry in entries.flatten() {
        if entry.file_name().to_str().is_some_and(|name| is_text_of(name, stage)) {
            let path = entry.path();
            std::fs::remove_file(&path)
                .with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

/// True for the name of a file with a text of this stage: `fragment.1.spv`.
fn is_text_of(name: &str, stage: &str) -> bool {
    let rest = name.strip_prefix(stage).and_then(|rest| rest.strip_prefix('.'));
    let Some((number, extension)) = rest.and_then(|rest| rest.split_once('.')) else {
        return false;
    };
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number && Language::ALL.iter().any(|(_, language)| language.extension() == extension)
}

fn written(folder: &Path, name: &str, bytes: &[u8]) -> anyhow::Result<String> {
    let path = folder.join(name);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&path, bytes))
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path.display().to_string())
}

fn shown(bytes: &[u8], language: Language) -> String {
    match language {
        Language::Spirv => spirv::text(bytes),
        Language::Wgsl | Language::Hlsl | Language::Glsl => {
            String::from_utf8_lossy(bytes).into_owned()
        }
    }
}
