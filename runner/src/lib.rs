//! The program `interstage` around the library: files, processes, clocks and the terminal.
//!
//! ```text
//! args ─▶ plan ─▶ pool ─▶ worker (child process) ─▶ outcome ─▶ event ─▶ report
//! ```
//! [`plan`] turns paths into cases. [`pool`] feeds them to long-lived child processes; if a case crashes one, only that
//! case is lost. [`worker`] runs inside a child process. [`report`] prints and writes the results.

pub mod adapter;
pub mod args;
pub mod command;
pub mod environment;
pub mod event;
pub mod exit;
pub mod files;
pub mod journal;
pub mod outcome;
pub mod plan;
pub mod pool;
mod processor;
pub mod project;
pub mod protocol;
pub mod report;
pub mod stop;
pub mod worker;

use std::ffi::OsString;
use std::io::Write as _;

use clap::Parser as _;

use crate::args::{Args, Command};
use crate::exit::Exit;

/// Runs the program with these arguments; the first is the program's name.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let args = match Args::try_parse_from(arguments) {
        Ok(args) => args,
        Err(error) => return refuse(&error),
    };
    args.color.choose();
    match dispatch(&args.command) {
        Ok(exit) => exit,
        Err(error) if is_closed_pipe(&error) => closed_exit(&args.command),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            Exit::Unusable
        }
    }
}

fn dispatch(command: &Command) -> anyhow::Result<Exit> {
    match command {
        Command::Run(options) => command::run::run(options),
        Command::Generate(options) => command::generate::generate(options),
        Command::Convert(options) => command::convert::convert(options),
        Command::List(options) => command::list::list(options),
        Command::New(options) => command::new::new(options),
        Command::Fmt(options) => command::fmt::fmt(options),
        Command::Inspect(options) => command::inspect::inspect(options),
        Command::Labels(options) => command::labels::labels(options),
        Command::Doctor(options) => command::doctor::doctor(options),
        Command::Census(options) => command::census::census(options),
        Command::Agree(options) => command::agree::agree(options),
        Command::Report(options) => command::report::report(options),
        Command::Lsp(options) => command::lsp::lsp(options),
        Command::Merge(options) => command::merge::merge(options),
        Command::Bless(options) => command::bless::bless(options),
        Command::Compare(options) => command::compare::compare(options),
        Command::Watch(options) => command::watch::watch(options),
        Command::Reduce(options) => command::reduce::reduce(options),
        Command::Hunt(options) => command::hunt::hunt(options),
        Command::Completions(options) => command::document::completions(options),
        Command::Man(options) => command::document::man(options),
        Command::Worker(options) => worker::serve(options),
    }
}

/// Prints clap's message. Help on stdout is a success, an error on stderr is wrong usage.
fn refuse(error: &clap::Error) -> Exit {
    let _ = error.print();
    if error.use_stderr() { Exit::Unusable } else { Exit::AsExpected }
}

/// The exit code of a command whose reader is gone (`interstage list | head`). The reader of a command that only prints
/// has what it wanted; any other command was cut short, which is no success.
const fn closed_exit(command: &Command) -> Exit {
    match command {
        Command::List(_)
        | Command::Inspect(_)
        | Command::Labels(_)
        | Command::Doctor(_)
        | Command::Census(_)
        | Command::Completions(_)
        | Command::Man(_) => Exit::AsExpected,
        Command::Run(_)
        | Command::Generate(_)
        | Command::Convert(_)
        | Command::New(_)
        | Command::Fmt(_)
        | Command::Agree(_)
        | Command::Report(_)
        | Command::Lsp(_)
        | Command::Merge(_)
        | Command::Bless(_)
        | Command::Compare(_)
        | Command::Watch(_)
        | Command::Reduce(_)
        | Command::Hunt(_)
        | Command::Worker(_) => Exit::Unusable,
    }
}

/// True if the reader of the output is gone. Nothing is printed then.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
