//! The environment that drivers need, set on every worker and nowhere else.
//!
//! A process cannot safely change its own environment once it has threads, so nothing in this program opens a device
//! but a worker.

use std::ffi::OsString;

type Value = fn() -> OsString;

/// Variables for the drivers, each only where the user has not set it.
const FOR_DRIVERS: [(&str, Value); 2] = [
    // Mesa's core profile does not list this extension though it has it, so wgpu would call float formats
    // not renderable on the GL backend.
    ("MESA_EXTENSION_OVERRIDE", || "+EXT_color_buffer_float".into()),
    // EGL complains on stderr when it is missing; nothing is ever put there.
    ("XDG_RUNTIME_DIR", || std::env::temp_dir().into_os_string()),
];

/// What must be added to this process's environment for a worker.
pub fn for_workers() -> Vec<(&'static str, OsString)> {
    FOR_DRIVERS
        .into_iter()
        .filter(|(name, _)| std::env::var_os(name).is_none())
        .map(|(name, value)| (name, value()))
        .collect()
}
