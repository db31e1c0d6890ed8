//! Long tests, which by default run only a sample.

/// True if all items are to be tested.
pub(crate) fn is_soak() -> bool {
    std::env::var_os("INTERSTAGE_SOAK").is_some()
}

/// Prints a line that libtest shows with `--nocapture` and when a test fails.
#[expect(clippy::print_stderr, reason = "libtest keeps what is printed")]
pub(crate) fn tell(line: &str) {
    eprintln!("{line}");
}
