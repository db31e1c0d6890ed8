//! The program `interstage`. All its code is in the library beside it, so that tests can use it.

use std::process::ExitCode;

fn main() -> ExitCode {
    interstage_runner::main(std::env::args_os()).into()
}
