//! Lines that drivers are known to print without anything being wrong. They are left out of what is printed about a
//! failed case; `stderr.txt` among the results has them all the same.

/// Ends of lines, with where they come from. What stands before (`MESA: `, `error: `, a version) varies.
const HARMLESS: [&str; 3] = [
    // We enable it for Mesa's GL through MESA_EXTENSION_OVERRIDE; Mesa does so, but its EGL side complains of it.
    "implementation error: Trying to enable unknown extension: EXT_color_buffer_float",
    // The line that Mesa prints after the one above.
    "Please report at https://gitlab.freedesktop.org/mesa/mesa/-/issues",
    // EGL looks for Wayland; nothing is ever put into the folder.
    "XDG_RUNTIME_DIR is invalid or not set in the environment.",
];

/// Whether the line tells a person nothing about the case.
pub fn is_harmless(line: &str) -> bool {
    let line = line.trim_end();
    HARMLESS.iter().any(|end| line.ends_with(end))
}
