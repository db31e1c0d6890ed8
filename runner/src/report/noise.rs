//! Harmless lines that drivers are known to print. Reports of failed cases leave them out; `stderr.txt` among the
//! results still has them.

/// Line endings to match, with their origin. The text before them (`MESA: `, `error: `, a version) varies.
const HARMLESS: [&str; 3] = [
    // interstage enables it for Mesa's GL through MESA_EXTENSION_OVERRIDE. That works, but Mesa's EGL code prints this
    // line.
    "implementation error: Trying to enable unknown extension: EXT_color_buffer_float",
    // The line that Mesa prints after the one above.
    "Please report at https://gitlab.freedesktop.org/mesa/mesa/-/issues",
    // EGL looks for Wayland; nothing is ever written to the folder.
    "XDG_RUNTIME_DIR is invalid or not set in the environment.",
];

/// True if the line is irrelevant to the case.
pub fn is_harmless(line: &str) -> bool {
    let line = line.trim_end();
    HARMLESS.iter().any(|end| line.ends_with(end))
}
