//! `interstage reduce`: finds the smallest case that still goes wrong in the same way.
//!
//! *In the same way* means with the same outcome, and with a reason that differs at most in names and numbers, as
//! `census` counts. The algorithm is delta debugging (Zeller and Hildebrandt, "Simplifying and isolating
//! failure-inducing input", 2002) over *pieces*: first whole lines, then lines cut at `;`, `{` and `}`. All attempts of
//! a round run in parallel on the workers; the first that goes wrong in the same way is the next starting point.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::args::{ReduceOptions, Selection};
use crate::command::census;
use crate::command::execution::{Execution, Rules, adapters_for, pool_program};
use crate::event::{Event, Report};
use crate::exit::Exit;
use crate::plan::{Plan, PlannedCase, plan};
use crate::pool::child::WorkerProgram;
use crate::project::{Identity, Settings};
use crate::protocol::{Adapter, Purpose};
use crate::status::Status;
use crate::{case_file, golden, project};

/// Outcome of a case; must stay the same.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Symptom {
    status: Status,
    reason: Option<String>,
}

/// State of a reduction.
struct Reduction<'a> {
    options: &'a ReduceOptions,
    adapters: Vec<Adapter>,
    program: WorkerProgram,
    /// The case file, as given.
    file: String,
    /// Files that it references.
    beside: Vec<String>,
    /// Folder for attempts.
    scratch: PathBuf,
    symptom: Symptom,
    attempts: usize,
}

/// Writes or prints the smallest case.
pub fn reduce(options: &ReduceOptions) -> anyhow::Result<Exit> {
    let planned = the_case(options)?;
    let text = text_of(&planned)?;
    let of_one = Plan { cases: vec![planned.clone()], ..Plan::default() };
    let project = project::of(Path::new(&planned.file))?;
    let pool = options.pool.or_of(project.as_deref());
    let program = pool_program(&pool, None)?;
    let adapters = adapters_for(&program, &of_one, pool.adapter.as_deref())?;
    if adapters.len() > 1 {
        bail!("cannot reduce on several adapters; select one with --adapter");
    }
    let scratch = std::env::temp_dir().join(format!("interstage-reduce-{}", std::process::id()));
    let symptom = Symptom { status: Status::Pass, reason: None };
    let file = planned.file.clone();
    let beside = files_of(&file);
    let mut reduction =
        Reduction { options, adapters, program, file, beside, scratch, symptom, attempts: 0 };
    let reduced = reduction.run(&text);
    // The scratch files are not needed any more.
    let _ = std::fs::remove_dir_all(&reduction.scratch);
    let reduced = reduced?;
    let [before, after] = [&text, &reduced].map(|text| text.lines().count());
    let told = format!("reduced {before} lines to {after} in {} attempts", reduction.attempts);
    writeln!(std::io::stderr(), "{told}")?;
    match &options.output {
        Some(path) => std::fs::write(path, &reduced)
            .with_context(|| format!("cannot write {}", path.display()))?,
        None => std::io::stdout().lock().write_all(reduced.as_bytes())?,
    }
    Ok(Exit::AsExpected)
}

fn the_case(options: &ReduceOptions) -> anyhow::Result<PlannedCase> {
    let plan = plan(&Selection::of(std::slice::from_ref(&options.case)));
    if let Some(problem) = plan.problems.first() {
        bail!("{problem}");
    }
    match <[PlannedCase; 1]>::try_from(plan.cases) {
        Ok([case]) => Ok(case),
        Err(cases) => {
            bail!("{} has {} cases; name one of them", options.case.display(), cases.len())
        }
    }
}

/// Text of one case with its parameters filled in.
fn text_of(planned: &PlannedCase) -> anyhow::Result<String> {
    let explain = |message| anyhow::anyhow!("{}: {message}", planned.file);
    if case_file::parameters_of(&planned.name).is_empty() {
        let bytes = case_file::read(&planned.file).map_err(explain)?;
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    let cases = case_file::load(&planned.file).map_err(explain)?;
    let case = cases
        .iter()
        .find(|case| case.name == planned.name)
        .context("the file changed while it was read")?;
    Ok(case.source.text().to_owned())
}

impl Reduction<'_> {
    fn run(&mut self, text: &str) -> anyhow::Result<String> {
        self.symptom = self.try_all(&[text.to_owned()])?.remove(0);
        if !self.symptom.status.is_failure() {
            let heading = self.symptom.status.heading().to_lowercase();
            bail!(
                "the case has the status `{heading}`; only a case that goes wrong can be reduced"
            );
        }
        let mut text = text.to_owned();
        loop {
            let before = text.len();
            for cut in [lines as fn(&str) -> Vec<String>, statements] {
                text = self.minimise(cut(&text))?.concat();
            }
            if text.len() >= before {
                return Ok(text);
            }
        }
    }

    /// Delta debugging: leaves out one of `count` parts at a time; the parts get smaller when none can be left out.
    fn minimise(&mut self, mut pieces: Vec<String>) -> anyhow::Result<Vec<String>> {
        let mut count = 2;
        while pieces.len() >= 2 {
            let size = pieces.len().div_ceil(count);
            let without = |part: usize| {
                let range = part * size..(part + 1) * size;
                let rest = pieces.iter().enumerate().filter(|(idx, _)| !range.contains(idx));
                rest.map(|(_, piece)| piece.clone()).collect::<Vec<_>>()
            };
            let candidates: Vec<_> = (0..pieces.len().div_ceil(size)).map(without).collect();
            match self.first_good(&candidates)? {
                Some(at) => {
                    pieces = candidates.into_iter().nth(at).unwrap_or_default();
                    count = count.saturating_sub(1).max(2);
                }
                None if size == 1 => break,
                None => count = (count * 2).min(pieces.len()),
            }
        }
        Ok(pieces)
    }

    fn first_good(&mut self, candidates: &[Vec<String>]) -> anyhow::Result<Option<usize>> {
        let texts: Vec<_> = candidates.iter().map(|pieces| pieces.concat()).collect();
        let symptoms = self.try_all(&texts)?;
        Ok(symptoms.iter().position(|symptom| *symptom == self.symptom))
    }

    /// Outcome of each text run as a case, in order.
    fn try_all(&mut self, texts: &[String]) -> anyhow::Result<Vec<Symptom>> {
        let mut cases = Vec::new();
        for text in texts {
            let file = self.write(cases.len(), text)?;
            let plan = plan(&Selection::of(&[PathBuf::from(&file)]));
            // A file with parameters holds several cases; only the first counts.
            let case = plan.cases.into_iter().next().context("a shortened text has no case")?;
            cases.push(PlannedCase { index: cases.len(), ..case });
        }
        self.attempts += texts.len();
        let mut symptoms = Symptoms { is_exact: self.options.exact, found: Vec::new() };
        let execution = Execution {
            cases: &cases,
            adapters: &self.adapters,
            program: &self.program,
            limits: &self.options.pool.workers,
            purpose: Purpose::Check { keep: None, profile: None, emulated: None },
            rules: Rules::default(),
        };
        execution.run(&mut [&mut symptoms])?;
        Ok(symptoms.found)
    }

    /// Writes an attempt under the case's name below its own root, so that it has the same name, dialect and goldens.
    fn write(&self, number: usize, text: &str) -> anyhow::Result<String> {
        let root = self.scratch.join(number.to_string());
        let Identity { name, dialect } = project::identify(&self.file)?;
        let path = root.join(name.trim_start_matches('/'));
        let folder = path.parent().unwrap_or(&root);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(root.join(project::FILE), Settings::text_of(dialect)))
            .and_then(|()| std::fs::write(&path, text))
            .with_context(|| format!("cannot write {}", path.display()))?;
        let old_folder = Path::new(&self.file).parent().unwrap_or(Path::new(""));
        copy_files(&self.beside, old_folder, folder)?;
        let path = path
            .into_os_string()
            .into_string()
            .ok()
            .context("the temporary folder is not UTF-8")?;
        copy_goldens(&self.file, &path)?;
        Ok(path)
    }
}

/// Files that any case of `file` references.
fn files_of(file: &str) -> Vec<String> {
    let cases = case_file::load(file).unwrap_or_default();
    let cases = cases.iter().filter_map(|parsed| parsed.result.as_ref().ok());
    cases.flat_map(case_file::files_of).map(str::to_owned).collect()
}

fn copy_files(files: &[String], from: &Path, to: &Path) -> anyhow::Result<()> {
    for file in files {
        let target = to.join(file);
        std::fs::create_dir_all(target.parent().unwrap_or(to))?;
        std::fs::copy(from.join(file), target)?;
    }
    Ok(())
}

fn copy_goldens(old: &str, new: &str) -> anyhow::Result<()> {
    let (Some((beside, below)), Some((root, path))) =
        (project::golden_place(old)?, project::golden_place(new)?)
    else {
        return Ok(());
    };
    let (from, to) =
        (beside.join(golden::FOLDER).join(below), root.join(golden::FOLDER).join(path));
    if !from.is_dir() || to.is_dir() {
        return Ok(());
    }
    std::fs::create_dir_all(&to)?;
    for entry in from.read_dir()? {
        let entry = entry?;
        std::fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Collects the outcomes of cases.
struct Symptoms {
    is_exact: bool,
    found: Vec<Symptom>,
}

impl Report for Symptoms {
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        if let Event::CaseReported(result) = event {
            let outcome = &result.outcome;
            let reason = if self.is_exact { outcome.reason() } else { census::reason(outcome) };
            self.found.push(Symptom { status: result.outcome.status(), reason });
        }
        Ok(())
    }
}

/// Lines of the text, with their line ends.
fn lines(text: &str) -> Vec<String> {
    text.split_inclusive('\n').map(str::to_owned).collect()
}

/// Shader lines cut after `;`, `{` and `}` too; preprocessor lines, headers and steps stay whole.
fn statements(text: &str) -> Vec<String> {
    let cut = |line: &str| -> Vec<String> {
        if line.starts_with(['#', '[']) {
            return vec![line.to_owned()];
        }
        line.split_inclusive([';', '{', '}']).map(str::to_owned).collect()
    };
    lines(text).iter().flat_map(|line| cut(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_put_together_are_the_text() {
        let text = "[vertex shader]\n#define A {;}\nvoid main() { a = 1; b = 2; }\n\nlast";
        assert_eq!(lines(text).concat(), text);
        assert_eq!(statements(text).concat(), text);
        assert_eq!(lines(text).len(), 5);
        assert!(statements(text).contains(&" b = 2;".to_owned()));
        assert!(statements(text).contains(&"#define A {;}\n".to_owned()));
    }
}
