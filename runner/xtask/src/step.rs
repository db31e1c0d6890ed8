//! Steps that run one after the other, until one fails.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus};
use std::time::Instant;

/// One step.
pub(crate) struct Step {
    name: &'static str,
    action: Action,
}

enum Action {
    Command(Command),
    Function(fn() -> Result<(), String>),
}

impl Step {
    /// Creates a step that runs a program.
    pub(crate) const fn command(name: &'static str, command: Command) -> Self {
        Self { name, action: Action::Command(command) }
    }

    /// Creates a step that runs a function.
    pub(crate) const fn function(name: &'static str, function: fn() -> Result<(), String>) -> Self {
        Self { name, action: Action::Function(function) }
    }
}

/// Runs the steps in `folder` and prints the duration of each. Stops at the first failure.
pub(crate) fn run_all(steps: impl IntoIterator<Item = Step>, folder: &Path) -> ExitCode {
    for Step { name, action } in steps {
        say(&format!("== {name}"));
        let started = Instant::now();
        let result = match action {
            Action::Command(command) => run(command, folder),
            Action::Function(function) => function(),
        };
        say(&format!("== {name}: {:.1} s", started.elapsed().as_secs_f64()));
        if let Err(message) = result {
            return fail(name, &message);
        }
    }
    ExitCode::SUCCESS
}

/// Prints which step failed, and why.
pub(crate) fn fail(name: &str, message: &str) -> ExitCode {
    say(&format!("failed at step `{name}`: {message}"));
    ExitCode::FAILURE
}

/// Converts the exit code of a program to that of this process.
pub(crate) fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}

/// Prints a line in order with the output of the steps.
pub(crate) fn say(line: &str) {
    // Ignored: if stderr is closed, nothing can be done.
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn run(mut command: Command, folder: &Path) -> Result<(), String> {
    let status = command.current_dir(folder).status().map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err(status.to_string()) }
}
