//! `interstage run`.

pub mod execution;
pub mod lanes;
pub(super) mod repeated;
pub(super) mod resumed;

use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use clap::Parser as _;

use crate::adapter::is_executor_by_default;
use crate::args::{self, Args, PoolOptions, RunFormat, RunOptions};
use crate::environment::is_in_ci;
use crate::event::Report;
use crate::exit::Exit;
use crate::files::basis::Conditions;
use crate::journal::{self, Beginning, Journal};
use crate::plan::{Plan, plan};
use crate::pool::child::WorkerProgram;
use crate::project::Project;
use crate::protocol::{Adapter, Keep, Purpose};
use crate::report::console::Console;
use crate::report::failure::Invocation;
use crate::report::piglit::Protocol;
use crate::report::ran::Ran;
use crate::report::results::{JunitFile, ResultFiles};
use crate::report::step_summary::StepSummary;
use crate::report::stream::{Annotations, JsonLines};
use crate::stop::Stop;
use crate::worker::scripted;
use execution::{Execution, Rules, adapters_for, pool_program, print_error, print_problems};

/// Runs the cases and reports.
pub fn run(options: &RunOptions) -> anyhow::Result<Exit> {
    match &options.resume {
        Some(folder) => {
            let options = options_of(folder)?;
            begin(&options, Beginning::Resumed)
        }
        None => begin(options, Beginning::Fresh),
    }
}

fn begin(options: &RunOptions, beginning: Beginning) -> anyhow::Result<Exit> {
    let has_folder = options.results.is_some() || options.keep.is_some();
    ensure!(
        has_folder || !options.keep_all,
        "--keep-all needs a folder; set one with --results or --keep"
    );
    let stop = Stop::on_signals().context("cannot handle Ctrl-C")?;
    let plan = plan(&options.selection);
    let paths = print_problems(&plan);
    // A shard may be empty; its results say so.
    if plan.cases.is_empty() && (options.selection.shard.is_none() || paths != Exit::AsExpected) {
        return Ok(paths);
    }
    let project = plan.project.as_deref();
    let pool = options.pool.or_of(project);
    let lists = options.lists.and_of(project);
    let program = pool_program(&pool, Some(&options.rules))?;
    let adapters = adapters(options, &pool, &program, &plan)?;
    let invocation = Invocation::of_this_process().with(options.repeated());
    if options.kept().is_none() && has_folder {
        print_error(
            "the path of the folder is not UTF-8; images and shaders of failed cases are not kept",
        );
    }
    let results = options.results.as_ref();
    if let (Some(folder), Beginning::Fresh, false) = (results, beginning, options.overwrite) {
        journal::refuse_foreign(folder)?;
    }
    let begin = |folder| {
        let conditions = conditions(options, &pool, &program, project)?;
        Journal::begin(folder, adapters.len(), beginning, this_command(options), conditions)
    };
    let journal = results.map(|folder| begin(folder)).transpose()?;
    let ran = Ran::default();
    let mut reports = reports(options, &invocation, plan.cases.len(), adapters.len())?;
    reports.push(Box::new(&ran));
    let execution = Execution {
        cases: &plan.cases,
        adapters: &adapters,
        program: &program,
        limits: &pool.workers,
        purpose: purpose(options, options.kept()),
        rules: Rules {
            lists: Some(&lists),
            options: Some(&options.rules),
            journal: journal.as_ref(),
            stop,
            fails_fast: options.fail_fast,
        },
    };
    let mut reports: Vec<&mut dyn Report> =
        reports.iter_mut().map(|report| &mut **report as _).collect();
    let exit = execution.run(&mut reports)?.max(paths);
    let needs_driver = plan.cases.iter().any(|case| case.may_draw);
    let is_untested =
        needs_driver && is_in_ci() && is_executor_by_default(&adapters, pool.adapter.as_deref());
    let untested = is_untested.then(|| UNTESTED.to_owned());
    let problems: Vec<_> = ran.nothing().into_iter().chain(untested).collect();
    for problem in &problems {
        print_error(problem);
    }
    Ok(if problems.is_empty() { exit } else { Exit::Unusable })
}

/// Error about a CI job that would succeed without testing a driver.
const UNTESTED: &str = "no driver was tested, and the variable CI is set; install a driver, or ask for the executor with \
    `--adapter cpu`";

/// The purpose of the jobs.
fn purpose(options: &RunOptions, keep: Option<Keep>) -> Purpose {
    Purpose::Check {
        keep,
        profile: options.ways.profile.clone(),
        emulated: options.ways.emulate,
        asks_oracle: options.ways.oracle,
    }
}

/// Conditions of the results, besides each adapter.
fn conditions(
    options: &RunOptions,
    pool: &PoolOptions,
    program: &WorkerProgram,
    project: Option<&Project>,
) -> anyhow::Result<Conditions> {
    // The folder of evidence changes no verdict.
    let purpose = purpose(options, None);
    let limits = (pool.workers.timeout(), program.max_memory, options.rules.retries);
    Conditions::now(format!("{purpose:?} {limits:?} {:?}", program.environment), project)
}

/// Creates the reports that the options ask for.
fn reports<'a>(
    options: &RunOptions,
    invocation: &Invocation,
    cases: usize,
    adapters: usize,
) -> anyhow::Result<Vec<Box<dyn Report + 'a>>> {
    let invocation = || invocation.clone();
    let mut reports: Vec<Box<dyn Report>> = Vec::new();
    match options.output.format {
        RunFormat::Text => {
            let console =
                Console::new(anstream::stdout(), options.output.verbosity(), invocation());
            reports.push(Box::new(console));
        }
        RunFormat::Json => {
            reports.push(Box::new(JsonLines::new(std::io::stdout(), invocation())));
        }
    }
    if options.output.piglit {
        reports.push(Box::new(Protocol::new(std::io::stdout(), cases)));
    }
    // GitHub reads both streams, and stdout may have another format.
    if let Some(annotations) = Annotations::in_actions(std::io::stderr()) {
        reports.push(Box::new(annotations));
    }
    if let Some(summary) = StepSummary::in_actions(invocation()) {
        reports.push(Box::new(summary));
    }
    if let Some(folder) = &options.results {
        let files = ResultFiles::new(folder, adapters)?;
        let files = files.with_evidence_in(options.keep.as_deref());
        reports.push(Box::new(files.with_invocation(invocation())));
    }
    if let Some(path) = &options.output.junit {
        reports.push(Box::new(JunitFile::new(path, invocation())));
    }
    Ok(reports)
}

fn adapters(
    options: &RunOptions,
    pool: &PoolOptions,
    program: &WorkerProgram,
    plan: &Plan,
) -> anyhow::Result<Vec<Adapter>> {
    let wanted = pool.adapter.as_deref();
    if options.rules.script.is_some() {
        return crate::adapter::select(scripted::adapters(), wanted);
    }
    if options.pool.adapter.is_none() {
        let recorded = repeated::adapters_of(&options.selection.failed);
        let again = Some(recorded).filter(|recorded| !recorded.is_empty());
        if let Some(again) = again.and_then(|recorded| repeated::again(program, plan, &recorded)) {
            return Ok(again);
        }
    }
    adapters_for(program, plan, wanted)
}

/// Command that repeats this run.
fn this_command(options: &RunOptions) -> journal::Command {
    let text = |text: std::ffi::OsString| text.into_string().ok();
    journal::Command {
        folder: std::env::current_dir().ok().and_then(|folder| text(folder.into_os_string())),
        arguments: std::env::args_os().skip(1).map(text).collect(),
        shard: options.selection.shard.map(|shard| shard.to_string()),
    }
}

/// Reads the options of the run that wrote into `folder`. The results stay in `folder`, even if it was moved.
fn options_of(folder: &Path) -> anyhow::Result<RunOptions> {
    let command = journal::command_of(folder)?;
    let (Some(began_in), Some(arguments)) = (command.folder, command.arguments) else {
        bail!("cannot resume {}: its command line has a path that is not UTF-8", folder.display());
    };
    let here = std::env::current_dir().context("cannot find the current folder")?;
    ensure!(
        here == Path::new(&began_in),
        "the run started in {began_in}; resume it from that folder"
    );
    let program = std::iter::once("interstage".to_owned());
    let args = Args::try_parse_from(program.chain(arguments))?;
    let args::Command::Run(options) = args.command else {
        bail!("cannot resume {}: `interstage run` did not write it", folder.display());
    };
    Ok(RunOptions { results: Some(folder.to_owned()), ..*options })
}
