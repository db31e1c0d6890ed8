//! The environment that drivers need, set on every worker and nowhere else.
//!
//! A process cannot safely change its own environment once it has threads, so nothing in this program opens a device
//! but a worker. What the user has set is left alone;
//! a list of words has the user's words after ours.

use std::ffi::OsString;
use std::path::Path;

use interstage::gpu::{EXTENSION_WORDS, Pretend};

/// Words about extensions, `+NAME` or `-NAME`, which Mesa reads when a process makes its first context.
const MESA_EXTENSIONS: &str = "MESA_EXTENSION_OVERRIDE";

/// What spares a worker a tenth of its CPU time with Mesa's software drivers. These draw in the thread that asks for it,
/// because there is a worker for every processor already. And glibc keeps the memory that one case gave back for the
/// next one, instead of returning it to the kernel.
const FOR_SPEED: [(&str, &str); 4] = [
    ("LP_NUM_THREADS", "0"),
    ("MALLOC_MMAP_THRESHOLD_", "33554432"),
    ("MALLOC_TOP_PAD_", "4194304"),
    ("MALLOC_TRIM_THRESHOLD_", "1073741824"),
];

/// What must be added to this process's environment for a worker. `extensions` are words for Mesa that the adapter needs
/// besides those that all need.
pub fn for_workers(extensions: &str) -> Vec<(&'static str, OsString)> {
    // EGL complains on stderr when this is missing; nothing is ever put there.
    let runtime_folder = ("XDG_RUNTIME_DIR", std::env::temp_dir().into_os_string());
    let own = std::env::var_os(MESA_EXTENSIONS);
    let words = extension_words(&[EXTENSION_WORDS, extensions], own);
    FOR_SPEED
        .map(|(name, value)| (name, OsString::from(value)))
        .into_iter()
        .chain([runtime_folder])
        .filter(|(name, _)| std::env::var_os(name).is_none())
        .chain([(MESA_EXTENSIONS, words)])
        .collect()
}

/// The user's words come last, because Mesa takes the last one about an extension.
fn extension_words(ours: &[&str], own: Option<OsString>) -> OsString {
    let parts = ours.iter().map(OsString::from).chain(own).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(&OsString::from(" "))
}

/// What switches off the shader caches of Mesa and of NVIDIA's driver.
pub fn without_shader_cache() -> Vec<(&'static str, OsString)> {
    vec![
        ("MESA_SHADER_CACHE_DISABLE", "true".into()),
        ("MESA_GLSL_CACHE_DISABLE", "true".into()),
        ("__GL_SHADER_DISK_CACHE", "0".into()),
    ]
}

/// What puts these caches into `folder`.
pub fn with_shader_cache(folder: &Path) -> Vec<(&'static str, OsString)> {
    let folder = || folder.as_os_str().to_owned();
    vec![
        ("MESA_SHADER_CACHE_DISABLE", "false".into()),
        ("MESA_SHADER_CACHE_DIR", folder()),
        ("MESA_GLSL_CACHE_DIR", folder()),
        ("__GL_SHADER_DISK_CACHE", "1".into()),
        ("__GL_SHADER_DISK_CACHE_PATH", folder()),
    ]
}

/// Tells a worker to bring llvmpipe to compile less.
const QUICK_LLVMPIPE: &str = "INTERSTAGE_QUICK_LLVMPIPE";

/// What makes a worker and Mesa's software drivers compile less: no optimisations by LLVM, and what
/// [`interstage::gpu::Gpu::compile_less`] does.
pub fn quick_llvmpipe() -> [(&'static str, OsString); 2] {
    [("GALLIVM_PERF", "nopt".into()), (QUICK_LLVMPIPE, "1".into())]
}

/// Whether this process is a worker that was given it.
pub fn is_quick_llvmpipe() -> bool {
    std::env::var_os(QUICK_LLVMPIPE).is_some()
}

/// Tells a worker to fail cases for what validation layers and drivers object to.
const VALIDATE: &str = "INTERSTAGE_VALIDATE";

/// What makes a worker's devices validated.
pub fn validated() -> Vec<(&'static str, OsString)> {
    let on = |name| (name, OsString::from("1"));
    // The layer's default is to say a thing ten times and then no more, in any case.
    let unlimited =
        ["VK_LAYER_DUPLICATE_MESSAGE_LIMIT", "VK_KHRONOS_VALIDATION_DUPLICATE_MESSAGE_LIMIT"];
    let unlimited = unlimited.map(|name| (name, OsString::from("0")));
    // Metal's layer ends the process; a case that is broken there counts as a crash.
    [on(VALIDATE), on("MTL_DEBUG_LAYER")].into_iter().chain(unlimited).collect()
}

/// Whether this process is a worker that validates.
pub fn is_validated() -> bool {
    std::env::var_os(VALIDATE).is_some()
}

/// Tells a worker what its device is to lack.
const PRETEND: &str = "INTERSTAGE_PRETEND";

/// What makes a worker's device lack something.
pub fn pretending(device: &Pretend) -> Option<(&'static str, OsString)> {
    (!device.is_nothing()).then(|| (PRETEND, device.to_string().into()))
}

/// What the device of this worker is to lack.
///
/// # Errors
/// A word that is none of a device's, which only somebody else than this program can have given.
pub fn pretended() -> Result<Pretend, String> {
    std::env::var(PRETEND).map_or_else(|_| Ok(Pretend::default()), |text| text.parse())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_user_come_last() {
        let check = |extensions: &str, own: Option<&str>, expected: &str| {
            let words = extension_words(&["+A", extensions], own.map(OsString::from));
            assert_eq!(words, OsString::from(expected));
        };
        check("", None, "+A");
        check("-B", None, "+A -B");
        check("", Some("-A"), "+A -A");
        check("-B", Some("-A +C"), "+A -B -A +C");
    }
}
