//! `interstage run`.

use crate::args::RunOptions;
use crate::command::execution::{Execution, adapters_for, print_problems};
use crate::event::Report;
use crate::exit::Exit;
use crate::plan::plan;
use crate::protocol::Purpose;
use crate::report::console::Console;
use crate::report::failure::Invocation;
use crate::report::progress::Verbosity;
use crate::report::results::ResultFiles;

/// Runs the cases and reports.
pub fn run(options: &RunOptions) -> anyhow::Result<Exit> {
    let plan = plan(&options.selection);
    let paths = print_problems(&plan);
    if plan.cases.is_empty() {
        return Ok(paths);
    }
    let adapters = adapters_for(&plan, options.pool.adapter.as_deref())?;
    let verbosity = if options.quiet { Verbosity::Quiet } else { Verbosity::Normal };
    let mut console = Console::new(std::io::stdout(), verbosity, Invocation::of_this_process());
    let results = options.results.as_ref();
    let mut files = results.map(|folder| ResultFiles::new(folder, adapters.len())).transpose()?;
    let mut reports: Vec<&mut dyn Report> = vec![&mut console];
    reports.extend(files.as_mut().map(|files| files as &mut dyn Report));
    let execution = Execution {
        cases: &plan.cases,
        adapters: &adapters,
        limits: &options.pool.workers,
        purpose: Purpose::Check {
            keep: options.keep.clone(),
            profile: options.profile.clone(),
        },
    };
    Ok(execution.run(&mut reports)?.max(paths))
}
