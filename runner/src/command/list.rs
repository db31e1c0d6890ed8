//! `interstage list`.

use std::io::Write as _;

use crate::args::Selection;
use crate::command::run::execution::print_problems;
use crate::exit::Exit;
use crate::plan::plan;

/// Prints the names of the cases.
pub fn list(selection: &Selection) -> anyhow::Result<Exit> {
    let plan = plan(selection);
    let mut stdout = std::io::BufWriter::new(std::io::stdout().lock());
    for case in &plan.cases {
        writeln!(stdout, "{}", case.name)?;
    }
    stdout.flush()?;
    Ok(print_problems(&plan))
}
