//! Runs shortened texts as cases, each in its own folder with the files and goldens of the original case.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use interstage::case::Dialect;

use crate::args::{PoolOptions, ReduceOptions, Selection};
use crate::command::run::execution::{Execution, Rules, adapters_for, pool_program};
use crate::event::{Event, Report};
use crate::files::{case_file, golden};
use crate::outcome::Outcome;
use crate::plan::{Plan, PlannedCase, plan};
use crate::pool::child::WorkerProgram;
use crate::project::Settings;
use crate::protocol::{Adapter, Purpose};
use crate::worker::scripted;
use crate::{adapter, project};

/// Data shared by all attempts.
pub(in crate::command) struct Trial {
    /// The original case.
    planned: PlannedCase,
    dialect: Dialect,
    pool: PoolOptions,
    asks_oracle: bool,
    script: Option<PathBuf>,
    program: WorkerProgram,
    /// The adapter on which the case fails; none if the case needs none.
    adapters: Vec<Adapter>,
    /// The adapter on which the case passes, and the program for its workers. A worker that listed the adapters of one
    /// driver cannot open those of another.
    against: Vec<Adapter>,
    against_program: WorkerProgram,
    /// Files that the case references.
    beside: Vec<String>,
    /// Folder for attempts, without symbolic links.
    scratch: PathBuf,
    /// Number of texts that were run.
    pub(in crate::command) attempts: usize,
}

impl Trial {
    /// Chooses the adapters, and makes a folder for attempts.
    pub(in crate::command) fn new(
        options: &ReduceOptions,
        planned: PlannedCase,
        dialect: Dialect,
    ) -> anyhow::Result<Self> {
        let project = project::of(Path::new(&planned.file))?;
        let pool = options.pool.or_of(project.as_deref());
        let script = options.script.clone();
        let program = program_of(&pool, script.as_deref())?;
        let of_one = Plan { cases: vec![planned.clone()], ..Plan::default() };
        let against_program = program_of(&pool, script.as_deref())?;
        let select = |program: &WorkerProgram, wanted: Option<&str>| match &script {
            Some(_) => adapter::select(scripted::adapters(), wanted),
            None => adapters_for(program, &of_one, wanted),
        };
        let adapters = select(&program, pool.adapter.as_deref())?;
        if adapters.len() > 1 {
            bail!("cannot reduce on several adapters; select one with --adapter");
        }
        let against = match options.against.as_deref() {
            Some(wanted) => select(&against_program, Some(wanted))?,
            None => Vec::new(),
        };
        if against.iter().any(|adapter| adapters.contains(adapter)) {
            bail!("--against names the adapter where the case fails; name another one");
        }
        let beside = files_of(&planned.file);
        let scratch =
            std::env::temp_dir().join(format!("interstage-reduce-{}", std::process::id()));
        std::fs::create_dir_all(&scratch)
            .with_context(|| format!("cannot write {}", scratch.display()))?;
        let scratch = std::fs::canonicalize(scratch)?;
        Ok(Self {
            planned,
            dialect,
            pool,
            asks_oracle: options.oracle,
            script,
            program,
            adapters,
            against,
            against_program,
            beside,
            scratch,
            attempts: 0,
        })
    }

    /// Name of the adapter where the case must pass.
    pub(in crate::command) fn against(&self) -> Option<String> {
        self.against.first().map(Adapter::selector)
    }

    /// Time limit of an attempt.
    pub(in crate::command) fn timeout(&self) -> Duration {
        self.pool.workers.timeout()
    }

    /// Sets the time limit of further attempts.
    pub(in crate::command) fn set_timeout(&mut self, timeout: Duration) -> anyhow::Result<()> {
        self.pool.workers.timeout = Some(timeout);
        self.program = program_of(&self.pool, self.script.as_deref())?;
        self.against_program = program_of(&self.pool, self.script.as_deref())?;
        Ok(())
    }

    /// Name of an attempt's folder in messages.
    pub(in crate::command) fn root(&self, number: usize) -> String {
        format!("{}/", self.scratch.join(number.to_string()).display())
    }

    /// Runs texts, and returns their outcomes in order.
    pub(in crate::command) fn run(&mut self, texts: &[&str]) -> anyhow::Result<Vec<Outcome>> {
        self.attempts += texts.len();
        let files = self.write_all(texts)?;
        self.run_files(&files, &self.program, &self.adapters)
    }

    /// Runs texts on the adapters on which they must pass. For each text, returns the first outcome that is not a pass,
    /// if any.
    pub(in crate::command) fn run_against(&self, texts: &[&str]) -> anyhow::Result<Vec<Outcome>> {
        let files = self.write_all(texts)?;
        let mut worst: Vec<Option<Outcome>> = vec![None; texts.len()];
        for adapter in &self.against {
            let outcomes =
                self.run_files(&files, &self.against_program, std::slice::from_ref(adapter))?;
            for (worst, outcome) in worst.iter_mut().zip(outcomes) {
                *worst = Some(worst.take().filter(|known| !is_pass(known)).unwrap_or(outcome));
            }
        }
        Ok(worst.into_iter().flatten().collect())
    }

    /// Runs case files with one case each, and returns their outcomes.
    fn run_files(
        &self,
        files: &[String],
        program: &WorkerProgram,
        adapters: &[Adapter],
    ) -> anyhow::Result<Vec<Outcome>> {
        let mut cases = Vec::new();
        for file in files {
            let plan = plan(&Selection::of(&[PathBuf::from(file)]));
            // A file with parameters holds several cases; only the first one counts.
            let case = plan.cases.into_iter().next().context("a shortened text has no case")?;
            // All attempts share the name, so cases are identified by their index.
            cases.push(PlannedCase { index: cases.len(), ..case });
        }
        let mut outcomes = Outcomes::default();
        let execution = Execution {
            cases: &cases,
            adapters,
            program,
            limits: &self.pool.workers,
            purpose: Purpose::Check {
                keep: None,
                profile: None,
                emulated: None,
                asks_oracle: self.asks_oracle,
            },
            rules: Rules::default(),
        };
        execution.run(&mut [&mut outcomes])?;
        Ok(outcomes.0)
    }

    /// Outcome of the written file.
    pub(in crate::command) fn run_file(&self, file: &str) -> anyhow::Result<Outcome> {
        let outcomes = self.run_files(&[file.to_owned()], &self.program, &self.adapters)?;
        outcomes.into_iter().next().context("the reduced case was not run")
    }

    fn write_all(&self, texts: &[&str]) -> anyhow::Result<Vec<String>> {
        texts.iter().enumerate().map(|(number, text)| self.write(number, text)).collect()
    }

    /// Writes an attempt under the case's name below its own root, so that name, dialect and goldens are the same.
    fn write(&self, number: usize, text: &str) -> anyhow::Result<String> {
        let root = self.scratch.join(number.to_string());
        let name = project::identify(&self.planned.file)?.name;
        let path = root.join(name.trim_start_matches('/'));
        let folder = path.parent().unwrap_or(&root);
        std::fs::create_dir_all(folder)
            .and_then(|()| {
                std::fs::write(root.join(project::FILE), Settings::text_of(self.dialect))
            })
            .and_then(|()| std::fs::write(&path, text))
            .with_context(|| format!("cannot write {}", path.display()))?;
        let old_folder = Path::new(&self.planned.file).parent().unwrap_or(Path::new(""));
        copy_files(&self.beside, old_folder, folder)?;
        let path = path.into_os_string().into_string().ok();
        let path = path.context("the temporary folder is not UTF-8")?;
        copy_goldens(&self.planned, &path)?;
        Ok(path)
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        // These are temporary files, so a failure to remove them is ignored.
        let _ = std::fs::remove_dir_all(&self.scratch);
    }
}

/// True for an outcome with the status pass.
pub(in crate::command) fn is_pass(outcome: &Outcome) -> bool {
    outcome.status() == crate::outcome::status::Status::Pass
}

fn program_of(pool: &PoolOptions, script: Option<&Path>) -> anyhow::Result<WorkerProgram> {
    let program = pool_program(pool, None)?;
    Ok(match script {
        Some(script) => program.with_script(script),
        None => program,
    })
}

/// Files that any case of `file` references.
fn files_of(file: &str) -> Vec<String> {
    let cases = case_file::load(file).unwrap_or_default();
    let cases = cases.iter().filter_map(|parsed| parsed.result.as_ref().ok());
    let mut files: Vec<_> = cases.flat_map(case_file::files_of).map(str::to_owned).collect();
    files.sort();
    files.dedup();
    files
}

/// Copies the files that a case references, and its goldens, to the places that belong to a case file elsewhere.
pub(in crate::command) fn copy_beside(old: &PlannedCase, new: &Path) -> anyhow::Result<()> {
    let [from, to] = [Path::new(&old.file), new].map(|file| file.parent().unwrap_or(file));
    copy_files(&files_of(&old.file), from, to)?;
    let new = new.to_str().context("the path of the folder is not UTF-8")?;
    copy_goldens(old, new).map(|_| ())
}

fn copy_files(files: &[String], from: &Path, to: &Path) -> anyhow::Result<()> {
    for file in files {
        let target = to.join(file);
        std::fs::create_dir_all(target.parent().unwrap_or(to))?;
        std::fs::copy(from.join(file), target)?;
    }
    Ok(())
}

/// Copies the goldens of a case to the place that belongs to a case file without parameters. Returns their folder if
/// goldens were copied that were not there already.
pub(super) fn copy_goldens(old: &PlannedCase, new: &str) -> anyhow::Result<Option<PathBuf>> {
    let Some((beside, below)) = project::golden_place(&old.file)? else { return Ok(None) };
    let Some((root, path)) = project::golden_place(new)? else { return Ok(None) };
    let below = format!("{below}{}", case_file::parameters_of(&old.name));
    let (from, to) =
        (beside.join(golden::FOLDER).join(below), root.join(golden::FOLDER).join(path));
    if !from.is_dir() || to.is_dir() {
        return Ok(None);
    }
    std::fs::create_dir_all(&to)?;
    for entry in from.read_dir()? {
        let entry = entry?;
        std::fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(Some(to))
}

/// Collects the outcomes of cases.
#[derive(Default)]
struct Outcomes(Vec<Outcome>);

impl Report for Outcomes {
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        if let Event::CaseReported(result) = event {
            self.0.push(result.outcome.clone());
        }
        Ok(())
    }
}
