//! Environment variables for workers.
//!
//! A process with threads cannot safely change its own environment, so only workers open devices. Variables that the
//! user has set keep their values; in a list of words, the user's words follow interstage's.

use std::ffi::OsString;
use std::path::Path;

use interstage::gpu::EXTENSION_WORDS;
use interstage::offer::{Pretend, PretendError};
use interstage::through::Step;

/// Mesa's variable for extension overrides, `+NAME` or `-NAME`, which it reads when a process creates its first
/// context.
const MESA_EXTENSIONS: &str = "MESA_EXTENSION_OVERRIDE";

/// Settings that save a tenth of a worker's CPU time with Mesa's software drivers. The drivers draw in the calling
/// thread, because there is already a worker for every processor. glibc keeps freed memory for the next case instead of
/// returning it to the kernel.
const FOR_SPEED: [(&str, &str); 4] = [
    ("LP_NUM_THREADS", "0"),
    ("MALLOC_MMAP_THRESHOLD_", "33554432"),
    ("MALLOC_TOP_PAD_", "4194304"),
    ("MALLOC_TRIM_THRESHOLD_", "1073741824"),
];

/// Variables to add to a worker's environment. `extensions` are Mesa overrides of the adapter, in addition to those
/// for all adapters.
pub fn for_workers(extensions: &str) -> Vec<(&'static str, OsString)> {
    // EGL prints a warning if this is unset; nothing is ever written there.
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

/// Joins overrides. The user's come last, because Mesa applies the last one for each extension.
fn extension_words(ours: &[&str], own: Option<OsString>) -> OsString {
    let parts = ours.iter().map(OsString::from).chain(own).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(&OsString::from(" "))
}

/// Variables that disable the shader caches of Mesa and of NVIDIA's driver.
pub fn without_shader_cache() -> Vec<(&'static str, OsString)> {
    vec![
        ("MESA_SHADER_CACHE_DISABLE", "true".into()),
        ("MESA_GLSL_CACHE_DISABLE", "true".into()),
        ("__GL_SHADER_DISK_CACHE", "0".into()),
    ]
}

/// Variables that choose the code that llvmpipe and lavapipe generate, but are not part of the key of their shader
/// caches (Mesa 22.3.6). Code from a cache that was filled under another value corrupts the heap.
const CODE_CHOICES: [&str; 2] = ["LP_NATIVE_VECTOR_WIDTH", "GALLIUM_OVERRIDE_CPU_CAPS"];

/// True if the environment makes drivers generate code that must not enter a shader cache.
pub fn spoils_shader_caches() -> bool {
    CODE_CHOICES.iter().any(|name| std::env::var_os(name).is_some())
}

/// Variables that move the shader caches of Mesa and of NVIDIA's driver to `folder`.
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

/// True if this process runs in a CI system: `CI` is set, and neither empty nor `false` nor `0`.
pub fn is_in_ci() -> bool {
    std::env::var_os("CI")
        .is_some_and(|value| !(value.is_empty() || value == "false" || value == "0"))
}

/// Variable that makes llvmpipe compile less in a worker.
const QUICK_LLVMPIPE: &str = "INTERSTAGE_QUICK_LLVMPIPE";

/// Variables that make Mesa's software drivers compile less: no LLVM optimisations, and
/// [`interstage::gpu::Gpu::compile_less`].
pub fn quick_llvmpipe() -> [(&'static str, OsString); 2] {
    [("GALLIVM_PERF", "nopt".into()), (QUICK_LLVMPIPE, "1".into())]
}

/// True if this process is a worker with `INTERSTAGE_QUICK_LLVMPIPE` set.
pub fn is_quick_llvmpipe() -> bool {
    std::env::var_os(QUICK_LLVMPIPE).is_some()
}

/// Variable that makes a worker fail cases for errors of validation layers and drivers.
const VALIDATE: &str = "INTERSTAGE_VALIDATE";

/// Variables that turn on validation.
pub fn validated() -> Vec<(&'static str, OsString)> {
    let on = |name| (name, OsString::from("1"));
    // By default the layer reports each message only ten times, counted over all cases.
    let unlimited =
        ["VK_LAYER_DUPLICATE_MESSAGE_LIMIT", "VK_KHRONOS_VALIDATION_DUPLICATE_MESSAGE_LIMIT"];
    let unlimited = unlimited.map(|name| (name, OsString::from("0")));
    // Metal's layer ends the process, so an invalid case counts as a crash there.
    [on(VALIDATE), on("MTL_DEBUG_LAYER")].into_iter().chain(unlimited).collect()
}

/// True if this process is a worker with validation on.
pub fn is_validated() -> bool {
    std::env::var_os(VALIDATE).is_some()
}

/// Variable with the restrictions of a worker's device.
const PRETEND: &str = "INTERSTAGE_PRETEND";

/// Variable that restricts a worker's device.
pub fn pretending(device: &Pretend) -> Option<(&'static str, OsString)> {
    (!device.is_nothing()).then(|| (PRETEND, device.to_string().into()))
}

/// Restrictions of this worker's device.
///
/// # Errors
/// The variable holds an unknown word, which this program never writes.
pub fn pretended() -> Result<Pretend, PretendError> {
    std::env::var(PRETEND).map_or_else(|_| Ok(Pretend::default()), |text| text.parse())
}

/// Variable with the compilers of a worker's device.
const THROUGH: &str = "INTERSTAGE_THROUGH";

/// Variable that makes a worker's device compile through these programs. Without programs, there is a variable only if
/// that overrides a project's settings.
///
/// # Errors
/// They cannot be written as JSON.
pub fn through(
    steps: &[Step],
    are_overriding: bool,
) -> Result<Option<(&'static str, OsString)>, serde_json::Error> {
    if steps.is_empty() && !are_overriding {
        return Ok(None);
    }
    Ok(Some((THROUGH, serde_json::to_string(steps)?.into())))
}

/// The compilers of this worker's device.
///
/// # Errors
/// The variable is not what this program writes.
pub fn compilers() -> Result<Vec<Step>, serde_json::Error> {
    std::env::var(THROUGH).map_or_else(|_| Ok(Vec::new()), |text| serde_json::from_str(&text))
}

/// True if this worker's device has no compilers although a project's settings name some.
pub fn lacks_compilers_of_project() -> bool {
    std::env::var_os(THROUGH).is_some() && compilers().is_ok_and(|compilers| compilers.is_empty())
}

/// Variable with the seed of the variants that a worker's device runs.
const VARY: &str = "INTERSTAGE_VARY";

/// Variable that makes a worker's device run variants.
pub fn varied(seed: Option<u64>) -> Option<(&'static str, OsString)> {
    seed.map(|seed| (VARY, seed.to_string().into()))
}

/// Seed of the variants that this worker's device runs.
///
/// # Errors
/// The variable is not what this program writes.
pub fn seed() -> Result<Option<u64>, std::num::ParseIntError> {
    std::env::var(VARY).ok().map(|text| text.parse()).transpose()
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
