//! `interstage bless`.

use anyhow::bail;

use crate::args::{BlessOptions, Selection};
use crate::command::execution::{Execution, Rules, adapters_for, pool_program, print_problems};
use crate::exit::Exit;
use crate::plan::plan;
use crate::protocol::Purpose;
use crate::report::console::Console;
use crate::report::failure::Invocation;
use crate::report::progress::Verbosity;

/// Accepts what the cases draw, on one adapter.
pub fn bless(options: &BlessOptions) -> anyhow::Result<Exit> {
    if std::env::var_os("CI").is_some_and(|value| !value.is_empty()) {
        bail!(
            "goldens are not blessed in CI: a person must look at what changed (the variable CI is set)"
        );
    }
    let selection = Selection::of(&options.cases);
    let plan = plan(&selection);
    let paths = print_problems(&plan);
    if plan.cases.is_empty() {
        return Ok(paths);
    }
    let pool = options.pool.or_of(plan.project.as_deref());
    let program = pool_program(&pool, None)?;
    let adapters = adapters_for(&program, &plan, pool.adapter.as_deref())?;
    if adapters.len() > 1 {
        bail!(
            "goldens are blessed on one adapter and must then hold on all: name one with --adapter"
        );
    }
    let mut console =
        Console::new(anstream::stdout(), Verbosity::Normal, Invocation::of_this_process());
    let execution = Execution {
        cases: &plan.cases,
        adapters: &adapters,
        program: &program,
        limits: &pool.workers,
        purpose: Purpose::Bless,
        rules: Rules::default(),
    };
    Ok(execution.run(&mut [&mut console])?.max(paths))
}
