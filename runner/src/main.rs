//! The program `interstage`; everything is in the library beside it, where the tests reach it too.

use std::process::ExitCode;

fn main() -> ExitCode {
    interstage_runner::main(std::env::args_os()).into()
}
