//! The program behind `cargo xtask fuzz`.

use std::process::ExitCode;

fn main() -> ExitCode {
    interstage_fuzz::command::main()
}
