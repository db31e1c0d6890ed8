//! `interstage run`.

use std::path::PathBuf;

use crate::args::RunOptions;
use crate::command::execution::{Execution, PurposeOn, adapters_for, print_problems};
use crate::event::Report;
use crate::exit::Exit;
use crate::plan::plan;
use crate::protocol::{Adapter, Purpose};
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
    let (adapters, found) = adapters_for(&plan, options.pool.adapter.as_deref())?;
    let verbosity = if options.quiet { Verbosity::Quiet } else { Verbosity::Normal };
    let mut console = Console::new(std::io::stdout(), verbosity, Invocation::of_this_process());
    let results = options.results.as_ref();
    let mut files = results.map(|folder| ResultFiles::new(folder, adapters.len())).transpose()?;
    let mut reports: Vec<&mut dyn Report> = vec![&mut console];
    reports.extend(files.as_mut().map(|files| files as &mut dyn Report));
    let purpose =
        CheckAndKeep { folder: options.keep.clone(), has_folder_per_adapter: adapters.len() > 1 };
    let execution = Execution {
        cases: &plan.cases,
        adapters: &adapters,
        options: &options.pool,
        purpose: &purpose,
    };
    Ok(execution.run(&mut reports)?.max(paths).max(found))
}

/// Checks, and keeps failures in a folder of their own for each adapter where there are several.
#[derive(Debug)]
struct CheckAndKeep {
    folder: Option<PathBuf>,
    has_folder_per_adapter: bool,
}

impl PurposeOn for CheckAndKeep {
    fn on(&self, adapter: Option<&Adapter>) -> Purpose {
        let below = adapter
            .filter(|_| self.has_folder_per_adapter)
            .map(Adapter::folder)
            .unwrap_or_default();
        Purpose::Check { keep: self.folder.as_ref().map(|folder| folder.join(below)) }
    }
}
