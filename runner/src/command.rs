//! The subcommands.

pub mod agree;
pub mod bless;
pub mod census;
pub mod compare;
pub mod convert;
pub mod doctor;
pub mod document;
pub mod fmt;
pub mod generate;
pub mod hunt;
pub mod inspect;
pub mod labels;
pub mod list;
pub mod lsp;
pub mod merge;
pub mod new;
pub mod reduce;
pub mod report;
pub mod run;
pub mod watch;

use std::io::Write as _;

/// Prints a line of a command's answer.
fn say(line: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{line}")?;
    Ok(stdout.flush()?)
}
